//! The error of opening a folder.

use std::path::PathBuf;
use std::{fmt, io};

use tabletop_model::{Code, Error};

/// The reason why a folder cannot be used.
#[derive(Debug)]
pub enum OpenError {
    /// Another program, or this one, already has it open.
    InUse(PathBuf),
    /// The operating system refused.
    Io(PathBuf, io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::InUse(folder) => {
                write!(
                    f,
                    "{} is in use: stop the program that has it open, or choose another folder",
                    folder.display()
                )
            }
            OpenError::Io(folder, error) => write!(f, "{} cannot be opened: {error}", folder.display()),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Self {
        let code = match error {
            OpenError::InUse(_) => Code::FailedPrecondition,
            OpenError::Io(..) => Code::Unavailable,
        };
        Error::new(code, error.to_string())
    }
}
