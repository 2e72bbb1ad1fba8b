//! What is wrong with a text that a person wrote, and where.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::order::sorted;

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

impl Problem {
    /// By their places in the text.
    pub fn in_order(problems: Vec<Problem>) -> Vec<Problem> {
        sorted(problems, |one, other| (one.span.start, one.span.end).cmp(&(other.span.start, other.span.end)))
    }
}
