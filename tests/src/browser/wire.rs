//! The driver's process and the requests to it: HTTP with JSON, one connection per request.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use minreq::{Method, Request};
use serde_json::Value;

use super::Result;

/// Maximum number of attempts to start the driver.
const STARTS_MAX: usize = 5;

/// A chromedriver process, which is ended on drop.
#[derive(Debug)]
pub struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    /// Starts the driver on a free port. It needs the same port for both versions of IP, and ends
    /// if another process, such as a second driver that is starting, has one of the two. In that
    /// case it is started again.
    pub fn start(program: &Path) -> Result<Driver> {
        for _ in 0..STARTS_MAX {
            let mut command = Command::new(program);
            command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut process = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
            let output = process.stdout.take().map(BufReader::new);
            let mut lines = output.into_iter().flat_map(BufRead::lines).map_while(std::result::Result::ok);
            if let Some(port) = lines.find_map(|line| {
                line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok()
            }) {
                // Its further output is discarded. It would block on a full pipe.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Driver { process, port });
            }
            process.kill().ok();
            process.wait().ok();
        }
        Err(format!("{} did not print its port", program.display()))
    }

    /// Sends one request. Returns the `value` of the answer.
    pub fn call(&self, method: Method, path: &str, body: &Value) -> Result<Value> {
        let failed = |error: &dyn std::fmt::Display| format!("chromedriver: {error}");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = Request::new(method, format!("http://127.0.0.1:{}{path}", self.port));
        let request = request.with_header("Content-Type", "application/json").with_body(body);
        let response = request.send().map_err(|error| failed(&error))?;
        let text = String::from_utf8_lossy(response.as_bytes());
        let answer: Value =
            serde_json::from_str(&text).map_err(|error| failed(&format!("{error} in {text}")))?;
        let value = &answer["value"];
        if response.status_code == 200 {
            return Ok(value.clone());
        }
        let message = value["message"].as_str().unwrap_or(&text);
        // The lines after the first are the driver's version and its own stack.
        Err(message.split("\n  (Session info").next().unwrap_or(message).to_string())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
