//! The codec between page and worker: both ends are one build, so it has no version of its own.

use alloc::vec::Vec;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Code, Error, Result};

/// A value as bytes that [`decode`] of the same build turns back into it.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).expect("a value of plain data always encodes")
}

/// The value that [`encode`] was given.
///
/// # Errors
/// `Internal` when the bytes are not of this build's making.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| {
        Error::new(
            Code::Internal,
            alloc::format!("{} bytes from the other side could not be read ({error}): reload the page", bytes.len()),
        )
    })
}
