//! The languages of the command line, cbt's and the HBase shell's: text to requests, responses to
//! text.
//!
//! Nothing here sends requests. A [`Run`] is one running command. Its host executes the steps of
//! the command and passes it the answers:
//!
//! ```text
//! let mut run = Run::start(&settings, "read t count=2")?;
//! loop {
//!     match run.step() {
//!         Step::Request(request) => run.answer(host.handle(*request)),
//!         Step::Open(name) => …,
//!         Step::Done => break,
//!     }
//! }
//! print(run.take_output())
//! ```
#![no_std]
extern crate alloc;

mod cbt;
mod complete;
mod hbase;
mod place;
mod read;
mod settings;
mod task;
#[cfg(test)]
mod tests;
mod time;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use tabletop_model::{Error, Problem, Request, Response, Span};

pub use cbt::{gc_policy, gc_policy_text, quote};
pub use complete::{Completion, Known};
pub use settings::{Formats, Language, ReadFormats, Settings};
use task::{Next, Task};

/// One running command.
pub struct Run {
    language: Language,
    task: Option<Box<dyn Task>>,
    output: String,
    /// Messages about its progress, which precede its output.
    notes: String,
    failure: Option<Error>,
    /// The offset in the output of the message of a failure.
    failure_at: usize,
    changes: bool,
}

/// The next step of a command.
#[derive(Debug)]
pub enum Step {
    /// The run needs the answer to this request. Boxed, because requests are large.
    Request(Box<Request>),
    /// The run needs the bytes of the file with this name; pass them to [`Run::file`].
    Open(String),
    /// The command has ended.
    Done,
}

impl fmt::Debug for Run {
    // Formatting the fields of the task would add the texts of all requests, 10 kB of what a
    // browser loads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("output", &self.output)
            .field("failure", &self.failure)
            .finish_non_exhaustive()
    }
}

impl Run {
    /// Parses one command. An empty line or a comment is a command that does nothing.
    ///
    /// # Errors
    /// The problem and its position, in bytes of the line, with the nearest correct word.
    pub fn start(settings: &Settings, line: &str) -> Result<Run, Vec<Problem>> {
        let started = match settings.language {
            Language::Cbt => cbt::start(settings, line),
            Language::HBase => hbase::start(line),
        };
        let task = started.map_err(|problem| alloc::vec![problem])?;
        let changes = task.as_ref().is_some_and(|task| task.changes());
        let (output, notes) = (String::new(), String::new());
        Ok(Run { language: settings.language, task, output, notes, failure: None, failure_at: 0, changes })
    }

    /// Returns the next step. Without an answer, returns the same step again.
    pub fn step(&mut self) -> Step {
        let next = self.task.as_mut().map(|task| {
            self.notes.push_str(&task.notes());
            task.next(&mut self.output)
        });
        match next {
            Some(Next::Request(request)) => Step::Request(request),
            Some(Next::Open(name)) => Step::Open(name),
            Some(Next::Fail(error)) => {
                self.failure_at = self.output.len();
                self.output.extend([&error.message, "\n"]);
                self.failure = Some(error);
                self.task = None;
                Step::Done
            }
            Some(Next::Done) | None => {
                self.task = None;
                Step::Done
            }
        }
    }

    /// Passes the answer to the last request.
    pub fn answer(&mut self, response: Response) {
        let Some(task) = &mut self.task else { return };
        let taken = match response {
            Response::Refused(error) => Err(error),
            response => task.take(response, &mut self.output),
        };
        if let Err(error) = taken {
            let doing = task.doing();
            self.fail(doing, error);
        }
    }

    /// Passes the file that the last step needs, or the reason why it cannot be read.
    pub fn file(&mut self, bytes: Result<&[u8], String>) {
        if let Some(task) = &mut self.task {
            task.file(bytes);
        }
    }

    /// Returns the output since the last call. A long read returns its output in parts.
    pub fn take_output(&mut self) -> String {
        core::mem::take(&mut self.notes) + &core::mem::take(&mut self.output)
    }

    /// Returns the output since the last call and, separately, messages about progress and the
    /// message of a failure, for hosts that print these elsewhere.
    pub fn take_outputs(&mut self) -> (String, String) {
        let at = if self.failure.is_some() { self.failure_at } else { self.output.len() };
        let failure = self.output.split_off(at.min(self.output.len()));
        (core::mem::take(&mut self.output), core::mem::take(&mut self.notes) + &failure)
    }

    /// Returns the reason why the command failed, once it has ended; the output also has it.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// Returns whether the command changes tables or their rows.
    pub fn changes(&self) -> bool {
        self.changes
    }

    fn fail(&mut self, doing: &str, error: Error) {
        self.failure_at = self.output.len();
        match self.language {
            Language::Cbt => cbt::write_failure(&mut self.output, doing, &error),
            Language::HBase => hbase::write_failure(&mut self.output, &error),
        }
        self.failure = Some(error);
        self.task = None;
    }
}

/// Returns the positions of the commands in a text of several lines. Comments and empty lines are
/// left out. Quoted texts may extend over several lines, and so may the HBase shell's braces.
pub fn split(language: Language, text: &str) -> Vec<Span> {
    match language {
        Language::Cbt => cbt::split(text),
        Language::HBase => hbase::split(text),
    }
}

/// Returns the completions at the position `at` of a line.
pub fn complete(language: Language, line: &str, at: usize, known: Known) -> Vec<Completion> {
    let mut at = at.min(line.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    match language {
        Language::Cbt => complete::cbt(line, at, known),
        Language::HBase => complete::hbase(line, at, known),
    }
}

/// Returns a request as commands, one per line; empty if the language has none for it.
///
/// Mutations of several rows, or of several kinds in one row, become several commands. The slices
/// and samples of a read, a table's thresholds and its locality groups are left out, because no
/// client of Bigtable can express them.
pub fn write(language: Language, request: &Request) -> Vec<String> {
    let written = match language {
        Language::Cbt => cbt::write(request),
        Language::HBase => hbase::write(request),
    };
    written.unwrap_or_default()
}
