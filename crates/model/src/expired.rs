//! The cells that GC rules collect now.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Qualifier, Resume, RowKey, Timestamp};

/// A slice of a count of expired cells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountExpired {
    /// The only row to count; `None` for all rows.
    pub row: Option<RowKey>,
    /// Cells that the slice may examine before it stops at the end of a row; 0 means that the count
    /// is not sliced.
    pub slice_cells_max: u64,
    /// The maximum number of cells that the slice lists.
    pub listed_max: u32,
    /// The end of the previous slice.
    pub resume: Option<Resume>,
}

/// A cell that a GC rule collects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpiredCell {
    /// The column's family.
    pub family: String,
    /// The column's qualifier.
    pub qualifier: Qualifier,
    /// The time in microseconds.
    pub timestamp: Timestamp,
}

/// The cells of one slice that GC rules will collect with the next major compaction. Until then,
/// reads return them. Bytes are those of families, qualifiers, timestamps (8 each) and values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpiredCells {
    /// Rows with expired cells.
    pub rows: u64,
    /// Expired cells.
    pub cells: u64,
    /// Bytes of expired cells.
    pub bytes: u64,
    /// Rows of the slice.
    pub rows_seen: u64,
    /// Cells of the slice.
    pub cells_seen: u64,
    /// Bytes of all cells of the slice.
    pub bytes_seen: u64,
    /// The first expired cells, as many as were requested, in the order of a read.
    pub listed: Vec<ExpiredCell>,
    /// The time that the rules use as the current time, in microseconds.
    pub now: Timestamp,
    /// Where to resume; `None` when all rows are counted.
    pub resume: Option<Resume>,
}

impl ExpiredCells {
    /// Adds the next slice.
    pub fn add(&mut self, next: ExpiredCells) {
        self.rows += next.rows;
        self.cells += next.cells;
        self.bytes += next.bytes;
        self.rows_seen += next.rows_seen;
        self.cells_seen += next.cells_seen;
        self.bytes_seen += next.bytes_seen;
        self.listed.extend(next.listed);
        (self.now, self.resume) = (next.now, next.resume);
    }
}
