//! What is wrong with a text that a person wrote, and where.

use alloc::string::String;

use serde::{Deserialize, Serialize};

/// Bytes `[start, end)` of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Byte offset, inclusive.
    pub start: u32,
    /// Byte offset, exclusive.
    pub end: u32,
}

/// One thing wrong with a text. The text still shows: parsing returns what it understood beside its problems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What, and what to do.
    pub message: String,
}
