//! Pictures of the state, for people.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Error, RowKey, Timestamp};

/// Never used again once its tablet has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TabletId(pub u64);

/// One table at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableView {
    /// In key order; together they cover every key.
    pub tablets: Vec<TabletView>,
    /// Splits since the table was made.
    pub splits: u64,
    /// Merges since the table was made.
    pub merges: u64,
    /// Minor compactions since the table was made.
    pub minor_compactions: u64,
    /// Merging and major compactions since the table was made.
    pub major_compactions: u64,
    /// SSTable blocks that reads took from storage since the table was opened.
    pub blocks_read: u64,
    /// Bytes of these blocks.
    pub bytes_read: u64,
    /// Bytes of keys, columns, timestamps (8 each) and values that reads gave back since the table was opened.
    pub bytes_returned: u64,
    /// SSTable blocks that reads found in memory since the table was opened.
    pub cache_hits: u64,
    /// SSTables that a Bloom filter spared a read since the table was opened.
    pub bloom_skips: u64,
    /// What all of that cost.
    pub work: TableWork,
    /// Why the table cannot be written to, if it cannot.
    pub read_only: Option<Error>,
}

impl TableView {
    /// Bytes read from storage for each byte that reads gave back, since the table was opened.
    pub fn read_amplification(&self) -> f64 {
        self.bytes_read as f64 / self.bytes_returned.max(1) as f64
    }
}

/// What a table has written and read since it was made, and for what. Of a table that survives the program, what came after
/// the last change of its files may be missing after a crash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableWork {
    /// Bytes of keys, qualifiers, times (8 each) and values that were written to it.
    pub user_bytes: u64,
    /// Bytes of the commit log.
    pub logged_bytes: u64,
    /// Bytes of SSTables that were written from memtables.
    pub flushed_bytes: u64,
    /// Bytes of SSTables that merging and major compactions have read.
    pub compaction_bytes_read: u64,
    /// Bytes of SSTables that they have written.
    pub compaction_bytes_written: u64,
    /// Writes that had to wait for compaction, which had fallen behind.
    pub writes_slowed: u64,
    /// Bytes of compaction that they waited for.
    pub slowed_bytes: u64,
}

impl TableWork {
    /// Bytes written to storage for each byte that was written to the table.
    pub fn write_amplification(&self) -> f64 {
        let written = self.logged_bytes + self.flushed_bytes + self.compaction_bytes_written;
        written as f64 / self.user_bytes.max(1) as f64
    }
}

/// What a table was at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupView {
    /// What it is called.
    pub name: String,
    /// The table that it was made of.
    pub table: String,
    /// When.
    pub at: Timestamp,
    /// Rows, counted once for each SSTable of a locality group that has them; of several groups the one with most counts.
    pub rows: u64,
    /// Bytes of its SSTables; some may be shared with tables and other backups.
    pub bytes: u64,
}

/// Rows `[start, end)` of one table, served by one node: the unit of splitting and balancing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TabletView {
    /// Its identity.
    pub id: TabletId,
    /// The tablet it was split from, if it was.
    pub parent: Option<TabletId>,
    /// Inclusive; empty for the beginning of the table.
    pub start: RowKey,
    /// Exclusive; empty for the end of the table.
    pub end: RowKey,
    /// Rows stored; of those in SSTables, as many as the locality group has that has most, for a row may lie in several.
    pub rows: u64,
    /// Cells stored.
    pub cells: u64,
    /// Whether no row lies in several places, where it counts several times, or in several locality groups, perhaps. (What deletes
    /// hide counts until a major compaction.)
    pub exact: bool,
    /// Bytes stored, memtable and SSTables.
    pub bytes: u64,
    /// Bytes in the memtable.
    pub memtable_bytes: u64,
    /// SSTables that hold its rows.
    pub sstables: u32,
    /// Row reads since it was made.
    pub reads: u64,
    /// Row writes since it was made.
    pub writes: u64,
    /// Row reads a second over the load window.
    pub reads_per_second: f64,
    /// Row writes a second over the load window.
    pub writes_per_second: f64,
}
