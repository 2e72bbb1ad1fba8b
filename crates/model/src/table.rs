//! A table's families and settings.

use alloc::format;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{ColumnFamily, Error, Result, RowKey};

/// The specification from which a table is created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableSpec {
    /// Families in the order of their creation, which is the order of cells in a row.
    pub families: Vec<ColumnFamily>,
    /// Split points s1 < s2 < … that divide the table into tablets `[,s1) [s1,s2) … [sn,)`.
    pub initial_splits: Vec<RowKey>,
    /// Sizes and rates.
    pub settings: TableSettings,
}

/// Sizes and rates at which the engine acts. Google publishes none; these are scaled down for a
/// browser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableSettings {
    /// The size in bytes at which an SSTable block is closed.
    pub block_bytes: u32,
    /// Bytes of a tablet's memtable at which it becomes an SSTable (minor compaction).
    pub memtable_bytes_max: u64,
    /// SSTables of a tablet and locality group at which they are merged.
    pub sstables_max: u32,
    /// Bytes of a tablet at which it is split in half.
    pub tablet_bytes_max: u64,
    /// Rows written per second, over the load window, at which a tablet is split in half. Eight
    /// rows that are read count as one that is written.
    pub tablet_load_max: f64,
    /// Seconds over which a tablet's load is averaged.
    pub load_window_seconds: u32,
    /// Bytes of SSTable blocks that are kept in memory after they were read; 0 keeps none.
    pub cache_bytes_max: u64,
}

impl Default for TableSettings {
    fn default() -> Self {
        TableSettings {
            block_bytes: 16 << 10,
            memtable_bytes_max: 256 << 10,
            sstables_max: 4,
            tablet_bytes_max: 1 << 20,
            tablet_load_max: 500.0,
            load_window_seconds: 10,
            cache_bytes_max: 32 << 20,
        }
    }
}

impl TableSettings {
    /// Checks that the settings are valid for a table.
    ///
    /// # Errors
    /// `InvalidArgument`, with the setting that is out of range.
    pub fn validate(&self) -> Result<()> {
        let sizes = [
            ("block_bytes", u64::from(self.block_bytes)),
            ("memtable_bytes_max", self.memtable_bytes_max),
            ("sstables_max", u64::from(self.sstables_max)),
            ("tablet_bytes_max", self.tablet_bytes_max),
            ("load_window_seconds", u64::from(self.load_window_seconds)),
        ];
        if let Some((name, _)) = sizes.iter().find(|(_, value)| *value == 0) {
            return Err(Error::invalid(format!("{name} is 0: it must be at least 1")));
        }
        if self.tablet_load_max.is_nan() || self.tablet_load_max <= 0.0 {
            return Err(Error::invalid("tablet_load_max must be above 0"));
        }
        Ok(())
    }
}
