//! What a read gave: its numbers, its rows as lines of a grid, and one cell looked at closely.

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

pub use grid::ResultGrid;
pub use key::key_line;
