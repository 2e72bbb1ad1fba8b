//! Reads and what they cost.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Row, RowFilter, RowKey, RowSet};

/// `google.bigtable.v2.ReadRowsRequest`, cut into slices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadRows {
    /// Which rows; each comes once, in order.
    pub rows: RowSet,
    /// What of each row; nothing means all.
    pub filter: Option<RowFilter>,
    /// Rows to return at most, over the whole read; 0 means no limit.
    pub rows_limit: u64,
    /// Descending keys; the cells within a row stay as they are.
    pub reversed: bool,
    /// Counts neither in the tablets' reads and load nor in the table's counters: for pictures of a table, which must not change
    /// what they show.
    pub unmetered: bool,
    /// Seed of `row_sample`: the same seed takes the same rows.
    pub sample_seed: u64,
    /// Cells that one slice may look at before it stops at the end of a row; 0 means the read is not sliced.
    pub slice_cells_max: u64,
    /// Where the slice before stopped.
    pub resume: Option<Resume>,
}

/// Where a sliced read goes on, and what it has counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The last row that was looked at: the next slice begins beyond it.
    pub after: RowKey,
    /// The stats of all slices so far.
    pub stats: ReadStats,
}

/// Rows of one slice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowsChunk {
    /// Rows in order; those whose every cell was filtered out are omitted.
    pub rows: Vec<Row>,
    /// Over all slices so far.
    pub stats: ReadStats,
    /// `None` when the read is complete.
    pub resume: Option<Resume>,
}

/// What a read looked at and gave: the four counts of `google.bigtable.v2.ReadIterationStats`, and the work behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadStats {
    /// Rows that were looked at. In SSTables of locality groups that the filter does not need, nothing is.
    pub rows_seen: u64,
    /// Rows that came back.
    pub rows_returned: u64,
    /// Cells that were looked at: live cells, before the filter.
    pub cells_seen: u64,
    /// Cells that came back.
    pub cells_returned: u64,
    /// Bytes of keys, columns, timestamps (8 each) and values that came back.
    pub bytes_returned: u64,
    /// Tablets that the rows lie in.
    pub tablets_touched: u64,
    /// SSTable blocks that were read from storage.
    pub blocks_read: u64,
    /// Bytes of these blocks.
    pub bytes_read: u64,
    /// SSTable blocks that were in memory still.
    pub cache_hits: u64,
    /// SSTables that a Bloom filter ruled out.
    pub bloom_skips: u64,
}

impl ReadStats {
    /// Bytes read from storage for each byte that came back.
    pub fn read_amplification(&self) -> f64 {
        self.bytes_read as f64 / self.bytes_returned.max(1) as f64
    }
}

/// One answer of `SampleRowKeys`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowKeySample {
    /// The first key after the part; empty for the end of the table.
    pub key: RowKey,
    /// Bytes stored before that key, about.
    pub offset_bytes: u64,
}
