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
    Status::new(code, shortened(error.message))
}

/// A status whose message fits into a header, whatever a client has sent that it tells of.
pub(crate) fn fitting(status: Status) -> Status {
    if status.message().len() <= MESSAGE_BYTES_MAX {
        return status;
    }
    Status::new(status.code(), shortened(status.message().into()))
}

/// Bytes of a message at most. It travels in a header, of which clients take 8 KB, with each byte that is no letter written as three.
const MESSAGE_BYTES_MAX: usize = 1_500;

fn shortened(mut message: String) -> String {
    if message.len() > MESSAGE_BYTES_MAX {
        message.truncate(message.floor_char_boundary(MESSAGE_BYTES_MAX));
        message.push('…');
    }
    message
}

/// What only the wire can get wrong.
pub(crate) fn invalid(message: impl Into<String>) -> Status {
    Status::invalid_argument(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_fits_into_a_header() {
        let told = status(Error::invalid("é".repeat(2_000)));
        assert_eq!((told.code(), told.message().len()), (tonic::Code::InvalidArgument, MESSAGE_BYTES_MAX + '…'.len_utf8()));
        assert_eq!(status(Error::not_found("no")).message(), "no");
        assert_eq!(fitting(Status::not_found("é".repeat(2_000))).message(), told.message());
    }
}
