//! The rows of a read: as they arrive, their columns, and their values in a form that people can
//! read.

mod asked;
mod cell_columns;
mod columns;
mod decode;
mod export;
mod json;
mod key;
mod marks;
mod names;
mod read;
mod scroll;
mod summary;
mod text;
mod trace;

pub use asked::AskedFor;
pub use cell_columns::{CELL_COLUMNS, CellColumns, USUAL_CELL_COLUMNS};
pub use columns::{Column, ColumnCounts, SHOWN, SHOWN_MAX, shows};
pub use decode::{
    ValueKind, WHOLE_BYTES_MAX, cell_preview, cell_whole, cut, hex_dump, offered, preview, whole,
};
pub use export::{ExportForm, ExportedRows, newest};
pub use key::{cut_at_marks, key_pieces, tail_of};
pub use marks::{CellPlace, MarkBook, MarkedText, marked_text};
pub use names::{decoding_name, kind_name};
pub use read::{KeyPlace, QueryResult, ReadState, ResultLine};
pub use scroll::Scroll;
pub use summary::{ReadTime, Summary};
pub use text::{column_text, plain};
pub use trace::{matches_of, node_names};
