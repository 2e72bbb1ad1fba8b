//! Errors as gRPC tells them.

use tabletop_model::{Code, Error};
use tonic::Status;

/// The status of an error: the code is the same, and so is the text.
pub(crate) fn status(error: Error) -> Status {
    let code = match error.code {
        Code::InvalidArgument => tonic::Code::InvalidArgument,
        Code::NotFound => tonic::Code::NotFound,
        Code::AlreadyExists => tonic::Code::AlreadyExists,
        Code::FailedPrecondition => tonic::Code::FailedPrecondition,
        Code::ResourceExhausted => tonic::Code::ResourceExhausted,
        Code::Cancelled => tonic::Code::Cancelled,
        Code::DataLoss => tonic::Code::DataLoss,
        Code::Unavailable => tonic::Code::Unavailable,
        Code::Internal => tonic::Code::Internal,
    };
    Status::new(code, error.message)
}

/// What only the wire can get wrong.
pub(crate) fn invalid(message: impl Into<String>) -> Status {
    Status::invalid_argument(message)
}
