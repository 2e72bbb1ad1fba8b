//! The results of a read: its figures, its rows as lines of a grid, as a pivot, as objects or with
//! the cells that were dropped, and the details of one cell.

mod asked;
mod by_hand;
mod cell_columns;
mod chosen;
mod columns;
mod cursor;
mod decode;
mod details;
mod dom;
mod expired;
mod export;
mod grid;
mod json;
mod key;
mod line;
mod look;
mod marks;
mod moves;
mod objects;
mod pivot;
mod result_grid;
mod result_view;
mod scroll;
mod sheet;
mod stats;
mod text;
mod traced;
mod versions;
mod view;

pub use asked::AskedFor;
pub use expired::numbers as expired_numbers;
pub use key::{key_line, key_parts};
pub use result_grid::ResultGrid;
