//! Counts the logical bytes of a table, slice by slice.

use tabletop_model::{ReadRows, Result, Resume, Row, RowSet, RowsChunk};

use crate::compress::BlockSample;

/// Number of cells that one request counts: some milliseconds of work.
const COUNTED_CELLS: u64 = 10_000;

/// The state of a count between two slices.
pub(crate) struct SizeCount {
    /// The table's first revision, and its numbers of events and edits. If any of them changes, the
    /// count starts over.
    content: (u64, u32, u64),
    resume: Option<Resume>,
    /// Number of bytes counted so far.
    bytes: u64,
    /// Number of bytes of the largest row so far.
    largest_row: u64,
    /// Some blocks of the rows, compressed.
    blocks: BlockSample,
    /// The estimate of the compressed bytes of all rows, once all are counted.
    compressed_bytes: u64,
    complete: bool,
}

impl SizeCount {
    /// Begins to count a table with this content.
    pub(crate) fn new(content: (u64, u32, u64)) -> SizeCount {
        SizeCount {
            content,
            resume: None,
            bytes: 0,
            largest_row: 0,
            blocks: BlockSample::new(),
            compressed_bytes: 0,
            complete: false,
        }
    }

    /// Returns whether this counts a table with this content.
    pub(crate) fn is_of(&self, content: (u64, u32, u64)) -> bool {
        self.content == content
    }

    /// Returns the bytes of all rows; `None` until all are counted.
    pub(crate) fn counted(&self) -> Option<u64> {
        self.complete.then_some(self.bytes)
    }

    /// Returns an estimate of the bytes of all rows in compressed blocks; `None` until all are counted.
    pub(crate) fn compressed_bytes(&self) -> Option<u64> {
        self.complete.then_some(self.compressed_bytes)
    }

    /// Returns the bytes of the largest row; `None` until all are counted.
    pub(crate) fn largest_row(&self) -> Option<u64> {
        self.complete.then_some(self.largest_row)
    }

    /// Counts the next slice of rows, unless all are counted.
    pub(crate) fn count(&mut self, read_rows: impl FnOnce(&ReadRows) -> Result<RowsChunk>) {
        if self.complete {
            return;
        }
        let read = ReadRows {
            rows: RowSet::all(),
            slice_cells_max: COUNTED_CELLS,
            // The count must not add to the load of the tablets.
            unmetered: true,
            resume: self.resume.take(),
            ..ReadRows::default()
        };
        if let Ok(chunk) = read_rows(&read) {
            self.bytes = chunk.stats.bytes_returned;
            let largest = chunk.rows.iter().map(row_bytes).max().unwrap_or_default();
            self.largest_row = self.largest_row.max(largest);
            chunk.rows.iter().for_each(|row| self.blocks.add(row));
            self.complete = chunk.resume.is_none();
            self.resume = chunk.resume;
            if self.complete {
                self.compressed_bytes = self.blocks.finish();
            }
        }
    }
}

/// Returns the logical bytes of a row: its key, and the columns, timestamps and values of its cells.
pub(crate) fn row_bytes(row: &Row) -> u64 {
    let cell = |cell: &tabletop_model::Cell| cell.family.len() + cell.qualifier.len() + 8 + cell.value.len();
    (row.key.len() + row.cells.iter().map(cell).sum::<usize>()) as u64
}
