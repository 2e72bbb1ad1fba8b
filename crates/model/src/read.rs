//! Reads and their costs.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Row, RowFilter, RowKey, RowSet};

/// `google.bigtable.v2.ReadRowsRequest`, divided into slices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadRows {
    /// The rows; each is returned once, in order.
    pub rows: RowSet,
    /// The filter of each row's cells; `None` returns all cells.
    pub filter: Option<RowFilter>,
    /// The largest number of rows to return, over the whole read; 0 means no limit.
    pub rows_limit: u64,
    /// Whether keys descend; the cells within a row keep their order.
    pub reversed: bool,
    /// Whether the read counts neither in the tablets' reads and load nor in the table's counters:
    /// for displays of a table, which must not change what they show.
    pub unmetered: bool,
    /// Whether to return rows of a damaged table whose last writes may be missing. Otherwise they
    /// are `DataLoss`.
    pub may_be_outdated: bool,
    /// The seed of `row_sample`: the same seed selects the same rows.
    pub sample_seed: u64,
    /// Cells that one slice may examine before it stops at the end of a row; 0 means that the read
    /// is not sliced.
    pub slice_cells_max: u64,
    /// The end of the previous slice.
    pub resume: Option<Resume>,
}

/// The state of a sliced read between two slices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The last row that was examined; the next slice begins after it.
    pub after: RowKey,
    /// The stats of all slices so far.
    pub stats: ReadStats,
}

/// Rows of one slice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowsChunk {
    /// Rows in order. Rows without any cell after the filter are left out.
    pub rows: Vec<Row>,
    /// Counts over all slices so far.
    pub stats: ReadStats,
    /// Where to resume; `None` when the read is complete.
    pub resume: Option<Resume>,
}

/// The counts of a read: the four of `google.bigtable.v2.ReadIterationStats`, and the work of the
/// engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadStats {
    /// Rows that were examined. SSTables of locality groups that the filter does not need are not
    /// examined.
    pub rows_seen: u64,
    /// Rows that were returned.
    pub rows_returned: u64,
    /// Cells that were examined: live cells, before the filter. Blocks of a long row without a cell
    /// that the filter needs are not examined.
    pub cells_seen: u64,
    /// Cells that were returned.
    pub cells_returned: u64,
    /// Bytes of keys, columns, timestamps (8 each) and values that were returned.
    pub bytes_returned: u64,
    /// Tablets with the requested rows.
    pub tablets_touched: u64,
    /// SSTable blocks that were read from storage.
    pub blocks_read: u64,
    /// Bytes of these blocks.
    pub bytes_read: u64,
    /// SSTable blocks that were in the cache.
    pub cache_hits: u64,
    /// SSTables that a Bloom filter ruled out.
    pub bloom_skips: u64,
}

impl ReadStats {
    /// Returns the bytes read from storage for each byte that was returned, or `None` if none was
    /// returned.
    pub fn read_amplification(&self) -> Option<f64> {
        (self.bytes_returned > 0).then(|| self.bytes_read as f64 / self.bytes_returned as f64)
    }
}

/// One sample of the response to `SampleRowKeys`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowKeySample {
    /// The first key after the part; empty for the end of the table.
    pub key: RowKey,
    /// Approximate bytes stored before that key.
    pub offset_bytes: u64,
}
