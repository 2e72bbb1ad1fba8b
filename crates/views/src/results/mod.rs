//! The rows of a read: as they arrive, their columns, and their values in a form that people can
//! read.

mod asked;
mod columns;
mod decode;
mod json;
mod names;
mod read;
mod scroll;
mod summary;
mod text;

pub use asked::AskedFor;
pub use columns::{Column, ColumnCounts, SHOWN, SHOWN_MAX, shows};
pub use decode::{
    ValueKind, WHOLE_BYTES_MAX, cell_preview, cell_whole, cut, hex_dump, offered, preview, whole,
};
pub use names::{decoding_name, kind_name};
pub use read::{KeyPlace, QueryResult, ReadState, ResultLine};
pub use scroll::Scroll;
pub use summary::{ReadTime, Summary};
pub use text::{column_text, plain};
