//! The result of a command.

use std::fmt;

use tabletop_model::Error;

/// The reason for an exit code other than 0.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command finished, but with failures. Exit code 1.
    No(String),
    /// The command line, a file or a folder has an error. Exit code 2.
    Wrong(String),
    /// The user has stopped the command, which has reported what it did until then. Exit code 130.
    Stopped,
    /// The reader of the output has closed it, which is not a failure.
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
    /// Makes a failure from an error of the operating system. `what` names the operation or the
    /// file.
    pub(crate) fn of(what: impl fmt::Display, error: &std::io::Error) -> Failure {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::Unheard,
            _ => Failure::Wrong(format!("{what}: {error}")),
        }
    }
}
