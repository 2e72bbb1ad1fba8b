//! Failed requests, as cbt prints them.

use alloc::string::String;
use core::fmt::Write as _;

use tabletop_model::{Code, Error};

use crate::place::WRITTEN;

/// Writes a failed request to the output.
pub(crate) fn write_failure(out: &mut String, doing: &str, error: &Error) {
    writeln!(out, "{doing}: {}", status(error)).expect(WRITTEN);
}

/// Formats an error like gRPC in Go.
pub(super) fn status(error: &Error) -> String {
    let code = match error.code {
        Code::InvalidArgument => "InvalidArgument",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::Cancelled => "Canceled",
        Code::DataLoss => "DataLoss",
        Code::Unavailable => "Unavailable",
        Code::Internal => "Internal",
    };
    alloc::format!("rpc error: code = {code} desc = {}", error.message)
}
