//! Pictures of the state, for people.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{RowKey, Timestamp};

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
    /// SSTable blocks that reads found in memory since the table was opened.
    pub cache_hits: u64,
    /// SSTables that a Bloom filter spared a read since the table was opened.
    pub bloom_skips: u64,
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
    /// Rows, counted once for each SSTable that has them.
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
    /// Rows stored.
    pub rows: u64,
    /// Cells stored.
    pub cells: u64,
    /// Whether no row lies in several places, where it counts several times. (What deletes hide counts until a major
    /// compaction.)
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
