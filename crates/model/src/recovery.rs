//! The result of opening the tables that an earlier run left.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::Error;

/// The result of opening a storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovery {
    /// The tables, in the order of their names.
    pub tables: Vec<TableRecovery>,
    /// Files that were not finished, or are no longer needed, and were removed.
    pub files_removed: u64,
    /// Damage to files that belong to no known table. While there is any damage, no file is
    /// removed.
    pub damage: Vec<Error>,
    /// Damage to backups.
    pub damaged_backups: Vec<Error>,
}

/// The result of opening a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRecovery {
    /// The table's ID.
    pub table: String,
    /// Rows that were in the commit log and in no SSTable.
    pub rows_replayed: u64,
    /// Bytes at the end of commit log and manifest that a crash left incomplete. They contain no
    /// acknowledged write, unless it was acknowledged without a sync.
    pub torn_bytes: u64,
    /// The damage; if there is any, the table is read-only.
    pub damage: Vec<Error>,
}

impl TableRecovery {
    /// Describes the bytes that were left out.
    pub fn torn(&self) -> String {
        format!(
            "the last {} bytes of its log and manifest are incomplete, as after a crash, and were left out: if there was none, \
             bytes have changed, and the last writes may be missing",
            self.torn_bytes
        )
    }
}

impl Recovery {
    /// Returns whether nothing is damaged.
    pub fn is_whole(&self) -> bool {
        self.damage.is_empty()
            && self.damaged_backups.is_empty()
            && self.tables.iter().all(|table| table.damage.is_empty())
    }
}
