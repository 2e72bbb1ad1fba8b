//! The results of a read: its figures, its rows as lines of a grid, and the details of one cell.

mod decode;
mod details;
mod dom;
mod grid;
mod json;
mod key;
mod line;
mod look;
mod moves;
mod scroll;
mod stats;

pub use grid::{AskedFor, ResultGrid};
pub use key::{key_line, key_parts};
