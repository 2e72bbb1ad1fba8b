//! The codec between page and worker. Both ends are the same build, so the format has no version.

use alloc::vec::Vec;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Code, Error, Result};

/// Encodes a value into bytes that [`decode`] of the same build can read.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).expect("a value of plain data always encodes")
}

/// Decodes a value that [`encode`] wrote.
///
/// # Errors
/// `Internal` when the bytes are not from this build.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| {
        Error::new(
            Code::Internal,
            alloc::format!(
                "{} bytes from the other side could not be read ({error}): reload the page",
                bytes.len()
            ),
        )
    })
}
