//! Files that are no longer needed.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::run::Run;
use super::snapshot::Snapshot;
use crate::storage::{FileId, Storage, StorageError};

/// Runs that were replaced. Their files are removed when no read has them, unless a backup or
/// another table needs them.
#[derive(Debug, Default)]
pub(crate) struct Unused {
    runs: Vec<Run>,
    /// Snapshots held by reads that began before the table was changed. They are dropped here, not
    /// by the last read, so that no other thread can be about to drop their runs.
    old: Vec<Arc<Snapshot>>,
}

impl Unused {
    /// Records that a snapshot was replaced, which reads may still hold.
    pub fn replace(&mut self, old: Arc<Snapshot>) {
        if Arc::strong_count(&old) > 1 {
            self.old.push(old);
        }
    }

    /// Returns whether no files are waiting to be removed.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns whether a read may hold runs that were replaced.
    pub fn is_waiting(&self) -> bool {
        !self.old.is_empty()
    }

    /// Adds runs that were replaced.
    pub fn add(&mut self, runs: Vec<Run>) {
        self.runs.extend(runs);
    }

    /// Removes the files of the runs that no read holds, and calls back for each.
    ///
    /// # Errors
    /// The first error of storage. A file that it refuses to remove is removed when the storage is
    /// opened again.
    pub fn remove(
        &mut self,
        storage: &mut dyn Storage,
        mut gone: impl FnMut(FileId),
    ) -> Result<(), StorageError> {
        self.old.retain(|old| Arc::strong_count(old) > 1);
        let mut done = Ok(());
        while self.old.is_empty()
            && let Some(run) = self.runs.pop()
        {
            if Arc::strong_count(&run.table) == 1 {
                gone(run.table.file);
                done = done.and(storage.remove(run.table.file));
            }
        }
        done
    }
}
