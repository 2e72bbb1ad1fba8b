//! Problems in a text that the user wrote, with their positions.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::order::sorted;

/// Bytes `[start, end)` of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The start as a byte offset, inclusive.
    pub start: u32,
    /// The end as a byte offset, exclusive.
    pub end: u32,
}

/// A text that can be typed next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The bytes that it replaces.
    pub span: Span,
    /// The text.
    pub text: String,
    /// The bytes of the text before the caret.
    pub caret: u32,
}

/// A problem in a text. Parsing returns what could be read, together with the problems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The position of the problem.
    pub span: Span,
    /// The problem, and what to do.
    pub message: String,
}

impl Problem {
    /// Sorts problems by their positions in the text.
    pub fn in_order(problems: Vec<Problem>) -> Vec<Problem> {
        sorted(problems, |one, other| (one.span.start, one.span.end).cmp(&(other.span.start, other.span.end)))
    }
}
