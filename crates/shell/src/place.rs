//! Positions in a line, and problems there.

use alloc::string::String;

use tabletop_model::{Problem, Span};

/// The reason why writing into a string cannot fail.
pub(crate) const WRITTEN: &str = "a string takes all that is written to it";

/// Returns bytes `[start, end)` of a line.
pub(crate) fn span(start: usize, end: usize) -> Span {
    Span { start: u32::try_from(start).unwrap_or(u32::MAX), end: u32::try_from(end).unwrap_or(u32::MAX) }
}

/// Returns a problem at a position of a line.
pub(crate) fn problem(span: Span, message: impl Into<String>) -> Problem {
    Problem { span, message: message.into() }
}
