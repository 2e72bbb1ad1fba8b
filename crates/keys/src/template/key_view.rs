//! A key and its parts, as values.

use serde::{Deserialize, Serialize};
use tabletop_model::RowKey;

use alloc::vec::Vec;

/// A key and the bytes of its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyView {
    /// The whole key.
    pub key: RowKey,
    /// The bytes of each part, where the template can determine them.
    pub spans: Vec<KeySpan>,
}

/// Bytes `[start, end)` of a key, and the part of the template that made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeySpan {
    /// Index of the part.
    pub part: u32,
    /// Inclusive.
    pub start: u32,
    /// Exclusive.
    pub end: u32,
}
