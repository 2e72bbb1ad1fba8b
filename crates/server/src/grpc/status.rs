//! Conversion of errors to gRPC's status.

use tabletop_model::{Code, Error};
use tonic::Status;

/// Converts an error to the status with the same code and text.
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

/// Shortens a status's message so that it fits in a header, even if it quotes what a client has
/// sent.
pub(crate) fn fitting(status: Status) -> Status {
    if status.message().len() <= MESSAGE_BYTES_MAX {
        return status;
    }
    Status::new(status.code(), shortened(status.message().into()))
}

/// The longest message in bytes. It is sent in a header, of which clients accept 8 KiB, and each
/// byte that is not a letter is encoded as three bytes.
const MESSAGE_BYTES_MAX: usize = 1_500;

fn shortened(mut message: String) -> String {
    if message.len() > MESSAGE_BYTES_MAX {
        message.truncate(message.floor_char_boundary(MESSAGE_BYTES_MAX));
        message.push('…');
    }
    message
}

/// Returns the status of an invalid request.
pub(crate) fn invalid(message: impl Into<String>) -> Status {
    Status::invalid_argument(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_fits_into_a_header() {
        let converted = status(Error::invalid("é".repeat(2_000)));
        assert_eq!(
            (converted.code(), converted.message().len()),
            (tonic::Code::InvalidArgument, MESSAGE_BYTES_MAX + '…'.len_utf8())
        );
        assert_eq!(status(Error::not_found("no")).message(), "no");
        assert_eq!(fitting(Status::not_found("é".repeat(2_000))).message(), converted.message());
    }
}
