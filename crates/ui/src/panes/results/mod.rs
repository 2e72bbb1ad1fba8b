//! The results of a read: its figures, its rows as lines of a grid, as a pivot, as objects or with
//! the cells that were dropped, and the details of one cell.

pub mod by_hand;
mod cell_columns;
mod chosen;
mod cursor;
mod details;
mod dom;
mod expired;
mod export;
mod grid;
mod key;
mod line;
mod look;
mod marks;
mod moves;
mod objects;
mod pivot;
mod result_grid;
mod result_view;
mod sheet;
mod stats;
mod traced;
mod versions;
mod view;

pub use expired::numbers as expired_numbers;
pub use key::{key_line, key_parts};
pub use result_grid::ResultGrid;
