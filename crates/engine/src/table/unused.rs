//! Files that nothing needs any more.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::run::Run;
use crate::storage::{FileId, Storage, StorageError};

/// Removes the files of runs that no tablet has any more, and calls back for each.
pub(crate) fn remove_unused(
    storage: &mut dyn Storage,
    mut runs: Vec<Run>,
    mut gone: impl FnMut(FileId),
) -> Result<(), StorageError> {
    let mut done = Ok(());
    while let Some(run) = runs.pop() {
        if Arc::strong_count(&run.table) == 1 {
            gone(run.table.file);
            done = done.and(storage.remove(run.table.file));
        }
    }
    done
}
