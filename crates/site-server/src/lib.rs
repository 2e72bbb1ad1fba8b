//! A server of static files for one machine, with the features of any static host.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A server of a folder on 127.0.0.1. Dropping it stops the server.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    base: String,
    stopped: Arc<AtomicBool>,
}

impl Server {
    /// Serves `folder` under the path `base` ("/" or "/some/path/"). Port 0 means any free port.
    ///
    /// Sends the compressed copy of a file (`name.br` or `name.gz`) if it exists and the browser
    /// accepts it.
    ///
    /// # Errors
    /// An error if the port is already in use.
    pub fn start(folder: &Path, port: u16, base: &str) -> io::Result<Server> {
        Server::start_with_line(folder, port, base, None)
    }

    /// Serves `folder` like [`Server::start`], but over a simulated slow line, to measure a first
    /// load. (A browser's own throttling excludes workers.)
    ///
    /// # Errors
    /// An error if the port is already in use.
    pub fn start_slow(folder: &Path, base: &str, line: SlowLine) -> io::Result<Server> {
        Server::start_with_line(folder, 0, base, Some(line))
    }

    fn start_with_line(folder: &Path, port: u16, base: &str, line: Option<SlowLine>) -> io::Result<Server> {
        assert!(base.starts_with('/') && base.ends_with('/'), "a base is / or /some/path/, not {base}");
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let site = Arc::new(Site {
            folder: folder.to_path_buf(),
            base: base.to_string(),
            line,
            free: Mutex::new(Instant::now()),
        });
        let server = Server { address, base: base.to_string(), stopped: Arc::clone(&stopped) };
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Acquire) {
                    return;
                }
                if let Ok(stream) = stream {
                    let site = Arc::clone(&site);
                    // A browser may close a connection at any time.
                    thread::spawn(move || site.handle_connection(stream).ok());
                }
            }
        });
        Ok(server)
    }

    /// Returns the address of the page.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.base)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        // The thread waits for a connection, and this one wakes it.
        TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).ok();
    }
}

/// A slow line between browser and server; all connections share its bandwidth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowLine {
    /// The rate of answers. Requests are small and not limited.
    pub bits_per_second: f64,
    /// The round-trip time, before the first byte of each answer.
    pub latency: Duration,
}

/// The number of bytes that are sent in one piece on a slow line, about a packet.
const PIECE: usize = 1400;

struct Site {
    folder: PathBuf,
    base: String,
    line: Option<SlowLine>,
    /// The time at which the line has sent all bytes so far.
    free: Mutex<Instant>,
}

struct Answer {
    status: &'static str,
    headers: String,
    body: Vec<u8>,
}

impl Site {
    /// Answers the requests of a connection, one after the other, until the browser closes it.
    fn handle_connection(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream.try_clone()?);
        loop {
            let mut first = String::new();
            if reader.read_line(&mut first)? == 0 {
                return Ok(());
            }
            let mut accepted = Vec::new();
            loop {
                let mut header = String::new();
                if reader.read_line(&mut header)? == 0 {
                    return Ok(());
                }
                if header.trim().is_empty() {
                    break;
                }
                let header = header.to_ascii_lowercase();
                if let Some(list) = header.strip_prefix("accept-encoding:") {
                    accepted = encodings(list);
                }
            }
            let mut words = first.split_whitespace();
            let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            let answer = self.answer(method, target, &accepted);
            let head = format!(
                "HTTP/1.1 {}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n{}\r\n",
                answer.status,
                answer.body.len(),
                answer.headers
            );
            let mut bytes = head.into_bytes();
            if method != "HEAD" {
                bytes.extend(answer.body);
            }
            self.send(&mut stream, &bytes)?;
        }
    }

    fn send(&self, stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
        let Some(line) = self.line else { return stream.write_all(bytes) };
        thread::sleep(line.latency);
        for piece in bytes.chunks(PIECE) {
            let time = Duration::from_secs_f64(piece.len() as f64 * 8.0 / line.bits_per_second);
            let sent = {
                let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
                *free = (*free).max(Instant::now()) + time;
                *free
            };
            thread::sleep(sent.saturating_duration_since(Instant::now()));
            stream.write_all(piece)?;
        }
        Ok(())
    }

    fn answer(&self, method: &str, target: &str, accepted: &[(&str, &str)]) -> Answer {
        if method != "GET" && method != "HEAD" {
            return Answer::text("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "only GET and HEAD");
        }
        let path = target.split(['?', '#']).next().unwrap_or("");
        if format!("{path}/") == self.base {
            return Answer::text("301 Moved Permanently", &format!("Location: {}\r\n", self.base), "");
        }
        let found = path.strip_prefix(&self.base).and_then(|name| self.file(name));
        let Some(file) = found else {
            return Answer::text("404 Not Found", "", "no such file");
        };
        let mut headers = format!("Content-Type: {}\r\nVary: Accept-Encoding\r\n", content_type(&file));
        let mut twins = accepted
            .iter()
            .map(|(encoding, kind)| (encoding, PathBuf::from(format!("{}.{kind}", file.display()))));
        let read = match twins.find(|(_, twin)| twin.is_file()) {
            Some((encoding, twin)) => {
                headers += &format!("Content-Encoding: {encoding}\r\n");
                fs::read(twin)
            }
            None => fs::read(&file),
        };
        match read {
            Ok(body) => Answer { status: "200 OK", headers, body },
            Err(error) => Answer::text("500 Internal Server Error", "", &error.to_string()),
        }
    }

    /// Returns the file of a path below the base; `None` if it would be outside of the folder.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let path = self.folder.join(file_name(name)?);
        let path = if path.is_dir() { path.join("index.html") } else { path };
        path.is_file().then_some(path)
    }
}

impl Answer {
    fn text(status: &'static str, headers: &str, text: &str) -> Answer {
        let headers = format!("{headers}Content-Type: text/plain; charset=utf-8\r\n");
        Answer { status, headers, body: text.as_bytes().to_vec() }
    }
}

/// The encodings of compressed copies, the best first: the name, and the extension of the copy.
const ENCODINGS: [(&str, &str); 2] = [("br", "br"), ("gzip", "gz")];

/// Returns the name of a file within a folder for the path of an address, without its base and
/// query; `None` if the path is malformed or leads out of the folder.
pub fn file_name(path: &str) -> Option<String> {
    let name = unescape(path)?;
    let leads_out = name.split(['/', '\\']).any(|part| part == "..")
        || name.starts_with('/')
        || Path::new(&name).is_absolute();
    (!leads_out).then_some(name)
}

/// Returns the accepted encodings of a list such as `gzip;q=0.8, br`, the best first, without those
/// of weight 0: the name, and the extension of a file with this compression.
pub fn encodings(list: &str) -> Vec<(&'static str, &'static str)> {
    let accepts = |name: &str| {
        list.split(',').any(|item| {
            let (encoding, weight) = item.split_once(';').unwrap_or((item, "q=1"));
            let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok());
            encoding.trim() == name && weight != Some(0.0)
        })
    };
    ENCODINGS.into_iter().filter(|(name, _)| accepts(name)).collect()
}

/// Decodes percent-escapes; `None` if the text is malformed.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(byte);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns the content type of a file by its name.
pub fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|kind| kind.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "csv" => "text/csv; charset=utf-8",
        // Licences do not have an extension.
        "md" | "txt" | "" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// Sends a request and returns the whole answer as text.
    fn ask(server: &Server, request: &str) -> String {
        let mut stream = TcpStream::connect(server.address).expect("the server listens");
        stream.write_all(request.as_bytes()).expect("the server reads");
        stream.shutdown(std::net::Shutdown::Write).expect("half closed");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers in text");
        answer
    }

    #[test]
    fn serves_files_of_its_folder_only() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let site = folder.path().join("site");
        fs::create_dir_all(site.join("data")).expect("made");
        fs::write(folder.path().join("secret"), "secret").expect("written");
        fs::write(site.join("index.html"), "<p>page").expect("written");
        fs::write(site.join("data/a b.csv"), "x,y").expect("written");
        fs::write(site.join("data/a b.csv.gz"), "packed").expect("written");
        let server = Server::start(&site, 0, "/some/path/").expect("a free port");
        let get = |path: &str| ask(&server, &format!("GET {path} HTTP/1.1\r\n\r\n"));

        assert!(get("/some/path/").ends_with("\r\n\r\n<p>page"));
        assert!(get("/some/path").contains("Location: /some/path/"));
        assert!(get("/some/path/data/a%20b.csv?v=1").ends_with("\r\n\r\nx,y"));
        assert!(get("/some/path/data/a%20b.csv").contains("Content-Type: text/csv"));
        for outside in
            ["/", "/index.html", "/some/path/../secret", "/some/path/%2e%2e/secret", "/some/path//etc/passwd"]
        {
            assert!(get(outside).starts_with("HTTP/1.1 404"), "{outside}: {}", get(outside));
        }
        let packed =
            ask(&server, "GET /some/path/data/a%20b.csv HTTP/1.1\r\nAccept-Encoding: br, gzip\r\n\r\n");
        assert!(packed.contains("Content-Encoding: gzip") && packed.ends_with("\r\n\r\npacked"));
        fs::write(site.join("data/a b.csv.br"), "smaller").expect("written");
        let accepting = |list: &str| {
            ask(
                &server,
                &format!("GET /some/path/data/a%20b.csv HTTP/1.1\r\nAccept-Encoding: {list}\r\n\r\n"),
            )
        };
        assert!(accepting("gzip, deflate, br").contains("Content-Encoding: br\r\n"));
        assert!(accepting("gzip, br;q=0").contains("Content-Encoding: gzip\r\n"));
        assert!(accepting("identity").ends_with("\r\n\r\nx,y"));
        assert!(ask(&server, "HEAD /some/path/ HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n"));
        assert!(ask(&server, "PUT /some/path/ HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    }

    #[test]
    fn a_slow_line_is_shared_by_all_connections() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("a.txt"), vec![b'a'; 10_000]).expect("written");
        // To send 10,000 bytes twice at 1 Mbit/s takes 160 ms. The latencies of the two requests
        // overlap.
        let line = SlowLine { bits_per_second: 1e6, latency: Duration::from_millis(50) };
        let server = Server::start_slow(folder.path(), "/", line).expect("a free port");
        let start = Instant::now();
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert!(ask(&server, "GET /a.txt HTTP/1.1\r\n\r\n").ends_with("aaa")));
            }
        });
        let millis = start.elapsed().as_millis();
        assert!((210..1_000).contains(&millis), "{millis} ms");
    }
}
