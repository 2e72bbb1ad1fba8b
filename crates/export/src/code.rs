//! Code for a design in the languages of Bigtable's clients: the row key of an event, and the reads
//! of the queries.
//!
//! The code of each language is in its own file (`parts.py` and so on), in sections. Only the
//! sections that a design uses are written.

mod filters;
mod key;
mod lang;
mod parameters;
mod queries;
mod values;

use alloc::string::String;

use crate::input::ExportInput;
pub use lang::Lang;

/// Writes the function that makes the row key of an event, with everything it needs.
pub(super) fn key(lang: Lang, input: &ExportInput) -> String {
    key::write(lang, input)
}

/// Writes a function for each query.
pub(super) fn queries(lang: Lang, input: &ExportInput) -> String {
    queries::write(lang, input)
}
