//! Simulates a slower machine: the page's processes are stopped for a share of the time, so that
//! page and worker are slowed down alike. The browser's own throttling only affects the page's main
//! thread.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tabletop_tests::browser::{Browser, Result};

/// The time that the processes run between two stops. A frame has several of them.
const RUN: Duration = Duration::from_millis(3);

/// Slows the page down until this is dropped.
pub struct Slower {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Slower {
    /// Makes the page of a browser `times` slower; 1 changes nothing.
    ///
    /// # Errors
    /// An error if the processes of the page cannot be found, which needs Linux.
    pub fn start(browser: &Browser, times: u32) -> Result<Slower> {
        if times <= 1 {
            return Ok(Slower { end: None, thread: None });
        }
        let processes = renderers(browser)?;
        let (end, ends) = channel();
        let thread = thread::spawn(move || {
            let send = |signal| {
                for process in &processes {
                    // This only fails if the process has ended.
                    let _ = kill_process(*process, signal);
                }
            };
            loop {
                send(Signal::STOP);
                let stopped = ends.recv_timeout(RUN * (times - 1));
                send(Signal::CONT);
                if stopped != Err(RecvTimeoutError::Timeout)
                    || ends.recv_timeout(RUN) != Err(RecvTimeoutError::Timeout)
                {
                    return;
                }
            }
        });
        Ok(Slower { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Slower {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // The thread has no way to fail.
            thread.join().ok();
        }
    }
}

/// Returns the processes that run pages and their workers: descendants of the browser.
fn renderers(browser: &Browser) -> Result<Vec<Pid>> {
    let browser = browser
        .process()
        .and_then(|process| i32::try_from(process).ok())
        .ok_or("the browser's process is not known")?;
    let entries = std::fs::read_dir("/proc")
        .map_err(|error| format!("a slower page is measured on Linux only: /proc: {error}"))?;
    let processes: Vec<i32> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let is_renderer = |process: &i32| {
        let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("--type=renderer")
    };
    let found: Vec<Pid> = processes
        .into_iter()
        .filter(is_renderer)
        .filter(|process| descends(*process, browser))
        .filter_map(Pid::from_raw)
        .collect();
    if found.is_empty() { Err("no process of the page was found".into()) } else { Ok(found) }
}

/// Returns whether a process is below another one. A process that has ended is not below any.
fn descends(process: i32, from: i32) -> bool {
    let mut at = process;
    while at > 1 {
        if at == from {
            return true;
        }
        let stat = std::fs::read_to_string(format!("/proc/{at}/stat")).unwrap_or_default();
        // The name of the program, in parentheses, may have spaces. State and parent follow it.
        let parent = stat
            .rsplit(')')
            .next()
            .and_then(|rest| rest.split_whitespace().nth(1))
            .and_then(|parent| parent.parse().ok());
        at = parent.unwrap_or(0);
    }
    false
}
