//! `tabletop serve`, or Google's emulator, in another process.

use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time within which a server must answer, or end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server process. Killed on drop.
#[derive(Debug)]
pub struct Server {
    process: Child,
    /// Host and port.
    pub address: String,
}

/// Where the page of a server is.
#[derive(Clone, Debug)]
pub struct PageAddress {
    /// Host and port.
    pub address: String,
    /// The token for connecting to it.
    pub token: String,
}

impl Server {
    /// A local address on which no process listens.
    ///
    /// # Errors
    /// If the system does not have a free port.
    pub fn free_address() -> Result<String, String> {
        let address = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        address.map(|address| address.to_string()).map_err(|error| format!("no free port: {error}"))
    }

    /// Starts `tabletop serve` at this address, in memory or on a data folder, and waits until it
    /// reports that it is ready.
    ///
    /// # Errors
    /// The server's output if it ends instead.
    pub fn tabletop(program: &Path, address: &str, folder: Option<&Path>) -> Result<Server, String> {
        let mut command = Command::new(program);
        command.args(["serve", "--address", address]);
        if let Some(folder) = folder {
            command.arg("--data").arg(folder);
        }
        Server::serve(command, program, address).map(|(server, _)| server)
    }

    /// Starts `tabletop serve --page` at this address, in memory, with the files of the page in a
    /// folder.
    ///
    /// # Errors
    /// The server's output if it ends instead, or if the output does not contain the page's
    /// address.
    pub fn with_page(program: &Path, address: &str, files: &Path) -> Result<(Server, PageAddress), String> {
        let mut command = Command::new(program);
        command.args(["serve", "--address", address, "--page", "127.0.0.1:0", "--page-files"]).arg(files);
        let (server, started_with) = Server::serve(command, program, address)?;
        let page = started_with
            .split_once("The page is at http://")
            .and_then(|(_, rest)| rest.split_once("/#server="));
        let (page, rest) = page.ok_or_else(|| format!("no page is named: {started_with}"))?;
        let token = rest.split(' ').next().unwrap_or_default();
        Ok((server, PageAddress { address: page.into(), token: token.into() }))
    }

    /// Starts a server. Returns it, and its output until it is ready.
    fn serve(command: Command, program: &Path, address: &str) -> Result<(Server, String), String> {
        let mut server = Server::start(command, address, Stdio::piped)?;
        let mut output = BufReader::new(server.process.stdout.take().expect("it is a pipe"));
        let mut started_with = String::new();
        while !started_with.contains("BIGTABLE_EMULATOR_HOST") {
            match output.read_line(&mut started_with) {
                Ok(length) if length > 0 => {}
                _ => {
                    let mut errors = String::new();
                    server.process.stderr.take().map(|mut pipe| pipe.read_to_string(&mut errors));
                    return Err(format!("{} serve ended: {started_with}{errors}", program.display()));
                }
            }
        }
        // Its further output is discarded. It would block on a full pipe.
        let errors = server.process.stderr.take().expect("it is a pipe");
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        std::thread::spawn(move || std::io::copy(&mut BufReader::new(errors), &mut std::io::stderr()));
        Ok((server, started_with))
    }

    /// Starts Google's emulator at this address.
    ///
    /// # Errors
    /// If it does not listen in time.
    pub fn emulator(program: &Path, address: &str) -> Result<Server, String> {
        let (host, port) = address.split_once(':').ok_or_else(|| format!("{address} has no port"))?;
        let mut command = Command::new(program);
        command.args(["-host", host, "-port", port]);
        // Its output is not needed, but it ends if its output is closed.
        let server = Server::start(command, address, Stdio::null)?;
        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            if start.elapsed() > PATIENCE {
                return Err(format!("{} does not listen at {address}", program.display()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    /// Kills the server, like a crash.
    pub fn kill(&mut self) {
        // It may have ended already.
        self.process.kill().ok();
        self.process.wait().ok();
    }

    /// Asks the server to stop, and waits for its end.
    ///
    /// # Errors
    /// If it ends with a failure, or does not end in time.
    pub fn stop(mut self) -> Result<(), String> {
        let sent = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status();
        if !sent.is_ok_and(|status| status.success()) {
            return Err("the signal to end could not be sent to the server".into());
        }
        let start = Instant::now();
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(format!("the server ended with {status} after the signal")),
                _ if start.elapsed() > PATIENCE => {
                    return Err("the server did not end after the signal".into());
                }
                _ => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }

    /// Returns the bytes of its resident memory; `None` if the system does not report them.
    pub fn memory_bytes(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok().map(|kib: u64| kib << 10)
    }

    /// Finds Google's emulator in the Cloud SDK or the PATH.
    pub fn find_emulator() -> Option<PathBuf> {
        const NAME: &str = "cbtemulator";
        let on_path = std::env::var_os("PATH").unwrap_or_default();
        let in_home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("google-cloud-sdk"));
        // The folders of the SDK's installer, and of the packages for Debian, Red Hat and Snap.
        let places = ["/usr/lib", "/usr/lib64", "/usr/share", "/opt", "/snap"]
            .map(|place| Path::new(place).join("google-cloud-sdk"));
        let sdks =
            std::env::var_os("CLOUDSDK_ROOT_DIR").map(PathBuf::from).into_iter().chain(in_home).chain(places);
        let in_sdks = sdks.map(|sdk| sdk.join("platform/bigtable-emulator"));
        std::env::split_paths(&on_path)
            .chain(in_sdks)
            .map(|folder| folder.join(NAME))
            .find(|file| file.is_file())
    }

    fn start(mut command: Command, address: &str, output: fn() -> Stdio) -> Result<Server, String> {
        command.stdin(Stdio::null()).stdout(output()).stderr(output());
        let process = command.spawn();
        let process = process
            .map_err(|error| format!("{} could not be started: {error}", command.get_program().display()))?;
        Ok(Server { process, address: address.to_string() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
