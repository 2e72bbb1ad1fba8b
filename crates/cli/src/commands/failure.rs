//! The result of a command.

use std::fmt;

use tabletop_model::Error;

/// The reason for an exit code other than 0.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command was done, with failures. Code 1.
    No(String),
    /// The command line, a file or a folder has an error. Code 2.
    Wrong(String),
    /// A person has stopped the command, and it has reported what it did until then. Code 130.
    Stopped,
    /// The output is not read any more, which is not a failure.
    Unheard,
}

/// The result of a command.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Wrong(error.message)
    }
}

impl Failure {
    /// Makes a failure from an error of the operating system; `what` names the operation or the file.
    pub(crate) fn of(what: impl fmt::Display, error: &std::io::Error) -> Failure {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::Unheard,
            _ => Failure::Wrong(format!("{what}: {error}")),
        }
    }
}
