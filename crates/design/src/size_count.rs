//! The count of a table's logical bytes, slice by slice.

use tabletop_model::{ReadRows, Result, Resume, RowSet, RowsChunk};

/// Cells that one request counts: some milliseconds.
const COUNTED_CELLS: u64 = 10_000;

/// The count of a table's logical bytes, slice by slice.
pub(crate) struct SizeCount {
    /// The table's first revision, its events and its edits. A count of another table begins again.
    content: (u64, u32, u64),
    resume: Option<Resume>,
    /// Bytes so far.
    bytes: u64,
    complete: bool,
}

impl SizeCount {
    /// Begins to count a table with this content.
    pub(crate) fn new(content: (u64, u32, u64)) -> SizeCount {
        SizeCount { content, resume: None, bytes: 0, complete: false }
    }

    /// Returns whether it counts a table with this content.
    pub(crate) fn is_of(&self, content: (u64, u32, u64)) -> bool {
        self.content == content
    }

    /// Returns the bytes of all rows; `None` until all are counted.
    pub(crate) fn counted(&self) -> Option<u64> {
        self.complete.then_some(self.bytes)
    }

    /// Counts the next slice of rows, unless all are counted.
    pub(crate) fn count(&mut self, read_rows: impl FnOnce(&ReadRows) -> Result<RowsChunk>) {
        if self.complete {
            return;
        }
        let read = ReadRows {
            rows: RowSet::all(),
            slice_cells_max: COUNTED_CELLS,
            // A count is no load.
            unmetered: true,
            resume: self.resume.take(),
            ..ReadRows::default()
        };
        if let Ok(chunk) = read_rows(&read) {
            self.bytes = chunk.stats.bytes_returned;
            self.complete = chunk.resume.is_none();
            self.resume = chunk.resume;
        }
    }
}
