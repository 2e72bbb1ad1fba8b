//! The tasks of commands: they send requests and print the answers.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;

use tabletop_model::{Code, Error, Request, Response, Result};

/// One running command, in either language.
pub(crate) trait Task {
    /// Returns the next step, and the same one until its answer is taken.
    fn next(&mut self, out: &mut String) -> Next;

    /// Takes an answer that is not an error.
    fn take(&mut self, answer: Response, out: &mut String) -> Result<()>;

    /// Takes the file that the task needs. Few commands need one.
    fn file(&mut self, _bytes: core::result::Result<&[u8], String>) {}

    /// Returns messages about progress before the next step. Hosts may print them elsewhere than
    /// answers.
    fn notes(&mut self) -> String {
        String::new()
    }

    /// Returns the current action, for the beginning of a message: "Reading rows".
    fn doing(&self) -> &'static str;

    /// Returns whether the task changes tables or their rows.
    fn changes(&self) -> bool;
}

/// The next step of a task.
pub(crate) enum Next {
    Request(Box<Request>),
    Open(String),
    Done,
    /// The task has failed without a request. The message is printed.
    Fail(Error),
}

/// Requests that are sent one after another, whose answers are printed in the same way.
pub(crate) struct Requests {
    pub requests: VecDeque<Request>,
    pub doing: &'static str,
    pub show: Show,
}

/// The printer of an answer. `name` is a text from the command, for printers that need it.
#[derive(Clone)]
pub(crate) struct Show {
    pub print: fn(&Show, Response, &mut String) -> Result<()>,
    pub name: String,
    pub utc_offset_seconds: fn(i64) -> i32,
}

impl Requests {
    pub fn one(request: Request, doing: &'static str, show: Show) -> Box<dyn Task> {
        Box::new(Requests { requests: VecDeque::from([request]), doing, show })
    }
}

impl Task for Requests {
    fn next(&mut self, _out: &mut String) -> Next {
        match self.requests.front() {
            Some(request) => Next::Request(Box::new(request.clone())),
            None => Next::Done,
        }
    }

    fn take(&mut self, answer: Response, out: &mut String) -> Result<()> {
        self.requests.pop_front();
        (self.show.print)(&self.show, answer, out)
    }

    fn doing(&self) -> &'static str {
        self.doing
    }

    fn changes(&self) -> bool {
        self.requests.iter().any(changes)
    }
}

impl Show {
    /// Prints nothing, and fails if a row could not be changed.
    pub const SILENT: Show = Show::by(|_, answer, _| match answer {
        Response::Mutated(results) => results.into_iter().flatten().next().map_or(Ok(()), Err),
        _ => Ok(()),
    });

    pub const fn by(print: fn(&Show, Response, &mut String) -> Result<()>) -> Show {
        Show { print, name: String::new(), utc_offset_seconds: |_| 0 }
    }

    pub fn named(self, name: impl Into<String>) -> Show {
        Show { name: name.into(), ..self }
    }
}

/// Prints a text and ends.
pub(crate) struct PrintText(pub String);

impl Task for PrintText {
    fn next(&mut self, out: &mut String) -> Next {
        out.push_str(&core::mem::take(&mut self.0));
        Next::Done
    }

    fn take(&mut self, _answer: Response, _out: &mut String) -> Result<()> {
        Ok(())
    }

    fn doing(&self) -> &'static str {
        ""
    }

    fn changes(&self) -> bool {
        false
    }
}

/// Returns whether a request changes tables or their rows.
fn changes(request: &Request) -> bool {
    match request {
        Request::ListTables | Request::ListBackups => false,
        Request::DeleteBackup { .. } => true,
        Request::Table { request, .. } => request.changes(),
    }
}

/// Returns the error for an answer that does not match the request.
pub(crate) fn unexpected() -> Error {
    Error::new(Code::Internal, "the answer does not match the request: this is a bug of the host")
}
