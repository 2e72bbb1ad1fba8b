//! The rows of a read: as they arrive, their columns, and their values in a form that people can read.

mod columns;
mod decode;
mod json;
mod read;
mod scroll;

pub use columns::{Column, ColumnCounts, SHOWN, SHOWN_MAX, shows};
pub use decode::{ValueKind, WHOLE_BYTES_MAX, cell_preview, cell_whole, cut, hex_dump, offered, preview, whole};
pub use read::{KeyPlace, QueryResult, ReadState, ResultLine};
pub use scroll::Scroll;
