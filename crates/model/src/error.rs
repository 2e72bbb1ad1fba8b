//! Errors, by what the caller can do about them.

use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Serialize};

/// The result of a request.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// A rejected or failed request: nothing was changed, unless the code or the message says
/// otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    /// The kind of the error, with gRPC's name.
    pub code: Code,
    /// The problem, where it is, and what to do, in one or two sentences.
    pub message: String,
}

/// The gRPC status codes that a Bigtable client meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request can never succeed as it is.
    InvalidArgument,
    /// The table or family does not exist.
    NotFound,
    /// The table or family already exists.
    AlreadyExists,
    /// The request is valid, but the state does not allow it.
    FailedPrecondition,
    /// A limit of size or memory was exceeded.
    ResourceExhausted,
    /// The caller cancelled the request.
    Cancelled,
    /// Stored bytes are not what was written: the message names file, offset, found and expected.
    DataLoss,
    /// Storage refused; the message says whether the write may have happened.
    Unavailable,
    /// A bug in Tabletop.
    Internal,
}

impl Error {
    /// Creates an error with a code and a message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Error { code, message: message.into() }
    }

    /// Creates an error for a request that can never succeed as it is.
    pub fn invalid(message: impl Into<String>) -> Self {
        Error::new(Code::InvalidArgument, message)
    }

    /// Creates an error for a request that names something that does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Error::new(Code::NotFound, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for Error {}
