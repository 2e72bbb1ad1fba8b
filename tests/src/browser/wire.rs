//! The driver's process and the requests to it: HTTP with JSON, one connection per request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::Result;

/// A chromedriver process. Ended on drop.
#[derive(Debug)]
pub struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    /// Starts it on a free port.
    pub fn start(program: &Path) -> Result<Driver> {
        let mut command = Command::new(program);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
        let output = process.stdout.take().map(BufReader::new);
        let mut lines = output.into_iter().flat_map(BufRead::lines).map_while(std::result::Result::ok);
        let port = lines.find_map(|line| line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok());
        let Some(port) = port else {
            process.kill().ok();
            return Err(format!("{} did not print its port", program.display()));
        };
        // Its further output is discarded. It would block on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Driver { process, port })
    }

    /// Sends one request. Returns the `value` of the answer.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let (status, text) = self.exchange(method, path, body).map_err(|error| format!("chromedriver: {error}"))?;
        let answer: Value = serde_json::from_str(&text).map_err(|error| format!("chromedriver: {error} in {text}"))?;
        let value = &answer["value"];
        if status == 200 {
            return Ok(value.clone());
        }
        let message = value["message"].as_str().unwrap_or(&text);
        // The lines after the first are the driver's version and its own stack.
        Err(message.split("\n  (Session info").next().unwrap_or(message).to_string())
    }

    fn exchange(&self, method: &str, path: &str, body: &Value) -> std::io::Result<(u16, String)> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all((head + &body).as_bytes())?;
        let mut reader = BufReader::new(stream);
        let mut status = String::new();
        reader.read_line(&mut status)?;
        let mut length = 0;
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
                break;
            }
            if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text)?;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Ok((status, String::from_utf8_lossy(&text).into_owned()))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
