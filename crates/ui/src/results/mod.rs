//! What a read gave: its numbers, its rows as lines of a grid, and one cell looked at closely.

mod decode;
pub mod format;
mod json;
mod result;
mod scroll;

pub use result::{QueryResult, ReadState};
