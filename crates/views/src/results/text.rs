//! Keys and cells as text for the clipboard and for files.

use alloc::string::{String, ToString};

use tabletop_keys::time;
use tabletop_model::{Cell, RowKey, escape};

/// Returns a value for the clipboard: as text if it is text, else with escapes.
pub fn plain(value: &[u8]) -> String {
    core::str::from_utf8(value).map_or_else(|_| escape(value), ToString::to_string)
}

/// Returns the text in a column of a line for the clipboard.
pub fn column_text(key: &RowKey, cell: Option<&Cell>, column: usize) -> String {
    match (column, cell) {
        (0, _) | (_, None) => escape(key),
        (1, Some(cell)) => cell.family.clone(),
        (2, Some(cell)) => escape(&cell.qualifier),
        (3, Some(cell)) => time::format(cell.timestamp),
        (_, Some(cell)) => plain(&cell.value),
    }
}
