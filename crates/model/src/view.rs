//! Views of the state, for display.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Error, RowKey, Timestamp};

/// The number of a tablet. It is not reused after the tablet is split or merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TabletId(pub u64);

/// One table at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableView {
    /// The tablets, in key order. Together they cover every key.
    pub tablets: Vec<TabletView>,
    /// Splits since the table was created.
    pub splits: u64,
    /// Merges of tablets since the table was created.
    pub merges: u64,
    /// Minor compactions since the table was created.
    pub minor_compactions: u64,
    /// Merging and major compactions since the table was created.
    pub major_compactions: u64,
    /// SSTable blocks that were read from storage since the table was opened.
    pub blocks_read: u64,
    /// Bytes of these blocks.
    pub bytes_read: u64,
    /// Bytes of keys, columns, timestamps (8 each) and values that reads returned since the table
    /// was opened.
    pub bytes_returned: u64,
    /// SSTable blocks that reads found in the cache since the table was opened.
    pub cache_hits: u64,
    /// SSTables that a Bloom filter ruled out since the table was opened.
    pub bloom_skips: u64,
    /// The work of the table's writes.
    pub work: TableWork,
    /// The reason why the table cannot be written to, or `None` if it can.
    pub read_only: Option<Error>,
    /// The error of the last call that could not do all background work, or the damage that
    /// prevents a tablet from being compacted; `None` if there is none.
    pub work_error: Option<Error>,
}

/// The bytes that a table has written and read since it was created, by purpose. For a table that
/// survives the process, counts since the last change of its files may be lost in a crash.
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
    /// Bytes of SSTables that merging and major compactions have written.
    pub compaction_bytes_written: u64,
    /// Writes that had to wait for overdue compaction.
    pub writes_slowed: u64,
    /// Bytes of compaction that these writes waited for.
    pub slowed_bytes: u64,
}

impl TableWork {
    /// Returns the bytes written to storage for each byte that was written to the table.
    pub fn write_amplification(&self) -> f64 {
        let written = self.logged_bytes + self.flushed_bytes + self.compaction_bytes_written;
        written as f64 / self.user_bytes.max(1) as f64
    }
}

/// The figures of a table without its tablets, as statistics report them. Counts are since the
/// table was created, unless stated otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableCounts {
    /// Tablets.
    pub tablets: u64,
    /// SSTables, counted once for each tablet that has rows in them.
    pub sstables: u64,
    /// Bytes stored, memtables and SSTables.
    pub bytes: u64,
    /// Bytes of memory that memtables take.
    pub memtable_bytes: u64,
    /// Bytes of the commit log that are kept.
    pub log_bytes: u64,
    /// Bytes of cached blocks.
    pub cache_bytes: u64,
    /// Splits.
    pub splits: u64,
    /// Merges of tablets.
    pub merges: u64,
    /// Minor compactions.
    pub minor_compactions: u64,
    /// Merging and major compactions.
    pub major_compactions: u64,
    /// SSTable blocks that were read from storage since the table was opened.
    pub blocks_read: u64,
    /// Bytes of these blocks.
    pub bytes_read: u64,
    /// Bytes that reads returned since the table was opened.
    pub bytes_returned: u64,
    /// Blocks that reads found in the cache since the table was opened.
    pub cache_hits: u64,
    /// SSTables that a Bloom filter ruled out since the table was opened.
    pub bloom_skips: u64,
    /// The work of writes.
    pub work: TableWork,
    /// The reason why the table cannot be written to, or `None` if it can.
    pub read_only: Option<Error>,
}

/// The load of a tablet in a minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabletMinute {
    /// The tablet.
    pub tablet: TabletId,
    /// The first key; empty for the beginning of the table.
    pub start: RowKey,
    /// The first key after it; empty for the end of the table.
    pub end: RowKey,
    /// The beginning of the minute.
    pub from: Timestamp,
    /// Slices of reads that examined rows of the tablet: one for a short read.
    pub scans: u64,
    /// Rows that these slices examined.
    pub rows_read: u64,
    /// Rows that were written.
    pub rows_written: u64,
}

/// A backup of a table at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupView {
    /// The name of the backup.
    pub name: String,
    /// The table that was backed up.
    pub table: String,
    /// The time of the backup.
    pub at: Timestamp,
    /// Rows, counted once for each SSTable of a locality group that has them. With several groups,
    /// the group with the most rows counts.
    pub rows: u64,
    /// Bytes of its SSTables; some may be shared with tables and other backups.
    pub bytes: u64,
}

/// Rows `[start, end)` of one table, served by one node: the unit of splitting and balancing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TabletView {
    /// The tablet's identity.
    pub id: TabletId,
    /// The tablet it was split from, if it was.
    pub parent: Option<TabletId>,
    /// The first key; empty for the beginning of the table.
    pub start: RowKey,
    /// The first key after it; empty for the end of the table.
    pub end: RowKey,
    /// Rows stored. For rows in SSTables, the locality group with the most rows counts, because a
    /// row may be in several.
    pub rows: u64,
    /// Cells stored.
    pub cells: u64,
    /// Whether rows and cells are counted exactly: no row is in several sources, where it would
    /// count several times, and none can be in several locality groups. (Cells that deletes hide
    /// count until a major compaction.)
    pub exact: bool,
    /// Bytes stored, memtable and SSTables.
    pub bytes: u64,
    /// Bytes in the memtable.
    pub memtable_bytes: u64,
    /// SSTables that hold its rows.
    pub sstables: u32,
    /// Row reads since it was created.
    pub reads: u64,
    /// Row writes since it was created.
    pub writes: u64,
    /// Row reads per second over the load window.
    pub reads_per_second: f64,
    /// Row writes per second over the load window.
    pub writes_per_second: f64,
}
