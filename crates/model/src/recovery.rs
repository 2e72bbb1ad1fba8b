//! What was found when tables were opened that an earlier run had left.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::Error;

/// What opening a storage found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovery {
    /// In the order of their names.
    pub tables: Vec<TableRecovery>,
    /// Files that were not finished, or not needed any more.
    pub files_removed: u64,
    /// Files of which nobody can say what they belong to. While there are any, no file is removed.
    pub damage: Vec<Error>,
}

/// What opening a table found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRecovery {
    /// Its id.
    pub table: String,
    /// Rows that the commit log had and no SSTable.
    pub rows_replayed: u64,
    /// Bytes at the end of commit log and manifest that a crash left incomplete. No write that was answered is in them, unless
    /// it was answered without being synced.
    pub torn_bytes: u64,
    /// What is damaged; then the table is read-only.
    pub damage: Vec<Error>,
}

impl Recovery {
    /// Whether nothing is damaged.
    pub fn is_whole(&self) -> bool {
        self.damage.is_empty() && self.tables.iter().all(|table| table.damage.is_empty())
    }
}
