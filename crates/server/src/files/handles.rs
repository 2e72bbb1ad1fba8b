//! Open handles, shared by all storages of a host. One limit applies to their number, regardless of
//! the number of instances and tables.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tabletop_engine::storage::FileId;

use crate::lock::lock;

/// The open handles of several storages. When there are too many, the least recently used one is
/// closed.
#[derive(Debug)]
pub(crate) struct Handles {
    handles_max: usize,
    state: Mutex<State>,
}

/// The handle of a file.
#[derive(Debug)]
pub(super) struct Handle {
    file: File,
    /// Bytes were written and not synced. They are synced before the handle is closed, because only
    /// this handle is sure to report that they could not be stored.
    is_unsynced: AtomicBool,
    /// A sync has failed, which the operating system reports only once. It is locked during a sync,
    /// so that no other sync misses the failure.
    has_failed: Mutex<bool>,
}

/// A file of one of the storages that share the handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name {
    pub storage: u64,
    pub file: FileId,
}

#[derive(Debug, Default)]
struct State {
    storages: u64,
    uses: u64,
    open: HashMap<Name, (u64, Arc<Handle>)>,
    /// The open files by their last use.
    by_use: BTreeMap<u64, Name>,
}

impl Handle {
    pub fn new(file: File) -> Arc<Handle> {
        Arc::new(Handle { file, is_unsynced: AtomicBool::new(false), has_failed: Mutex::new(false) })
    }

    /// Records that bytes are about to be written.
    pub fn will_write(&self) {
        self.is_unsynced.store(true, Ordering::Release);
    }

    /// Makes everything that was written survive a crash.
    ///
    /// # Errors
    /// Returns an error also if an earlier sync has failed: what was written before it may be lost.
    pub fn sync(&self) -> io::Result<()> {
        let mut has_failed = lock(&self.has_failed);
        if *has_failed {
            return Err(io::Error::other("an earlier sync of the file has failed"));
        }
        // This comes before the sync: a write that arrives during the sync is not synced.
        self.is_unsynced.store(false, Ordering::Release);
        self.file.sync_data().inspect_err(|_| *has_failed = true)
    }

    /// Returns whether the handle can be closed without losing anything.
    fn may_close(&self) -> bool {
        !*lock(&self.has_failed) && (!self.is_unsynced.load(Ordering::Acquire) || self.sync().is_ok())
    }
}

impl Deref for Handle {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl Handles {
    pub fn new(handles_max: usize) -> Arc<Handles> {
        Arc::new(Handles { handles_max: handles_max.max(1), state: Mutex::default() })
    }

    /// Returns the number of a new storage.
    pub(super) fn new_storage(&self) -> u64 {
        let mut state = lock(&self.state);
        state.storages += 1;
        state.storages
    }

    /// Returns the handle of a file, and opens the file if necessary.
    pub(super) fn get(&self, name: Name, open: impl FnOnce() -> io::Result<File>) -> io::Result<Arc<Handle>> {
        if let Some(handle) = lock(&self.state).touch(name) {
            return Ok(handle);
        }
        // The lock is not held, because a disk may be slow.
        let handle = Handle::new(open()?);
        self.keep(name, &handle);
        Ok(handle)
    }

    /// Keeps a handle open, and closes others if there are too many.
    pub(super) fn keep(&self, name: Name, handle: &Arc<Handle>) {
        lock(&self.state).insert(name, handle.clone());
        loop {
            let Some((used, oldest)) =
                lock(&self.state).oldest(self.handles_max).filter(|(_, oldest)| *oldest != name)
            else {
                return;
            };
            let Some(closing) = lock(&self.state).open.get(&oldest).map(|(_, handle)| handle.clone()) else {
                continue;
            };
            // A sync may take long, so other threads can open files in the meantime. Its storage
            // still finds this handle, and not another one, which would not report that the sync
            // has failed.
            let may_close = closing.may_close();
            let mut state = lock(&self.state);
            if state.by_use.get(&used) != Some(&oldest) {
                // It has been used since.
                continue;
            }
            if !may_close || closing.is_unsynced.load(Ordering::Acquire) {
                // It stays open, so that its storage learns of the failure.
                state.touch(oldest);
                return;
            }
            state.take(oldest);
        }
    }

    /// Closes the handle of a file that is being removed.
    pub(super) fn forget(&self, name: Name) {
        let closed = lock(&self.state).take(name);
        drop(closed);
    }

    /// Closes the handle of a file that could not be read, so that the next use reopens it. A
    /// handle with unsynced bytes stays open: only it is sure to report that they could not be
    /// stored.
    pub(super) fn forget_clean(&self, name: Name) {
        let mut state = lock(&self.state);
        let is_clean = |(_, handle): &(u64, Arc<Handle>)| {
            !*lock(&handle.has_failed) && !handle.is_unsynced.load(Ordering::Acquire)
        };
        if state.open.get(&name).is_some_and(is_clean) {
            state.take(name);
        }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        lock(&self.state).open.len()
    }
}

impl State {
    /// Returns the least recently used handle, with its last use, if there are more than
    /// `handles_max`.
    fn oldest(&self, handles_max: usize) -> Option<(u64, Name)> {
        let oldest = self.by_use.first_key_value().filter(|_| self.open.len() > handles_max);
        oldest.map(|(used, name)| (*used, *name))
    }

    fn insert(&mut self, name: Name, handle: Arc<Handle>) {
        self.take(name);
        self.uses += 1;
        self.by_use.insert(self.uses, name);
        self.open.insert(name, (self.uses, handle));
    }

    /// Returns an open handle and marks it as the most recently used.
    fn touch(&mut self, name: Name) -> Option<Arc<Handle>> {
        let (used, handle) = self.open.get_mut(&name)?;
        self.uses += 1;
        self.by_use.remove(used);
        self.by_use.insert(self.uses, name);
        *used = self.uses;
        Some(handle.clone())
    }

    fn take(&mut self, name: Name) -> Option<Arc<Handle>> {
        let (used, handle) = self.open.remove(&name)?;
        self.by_use.remove(&used);
        Some(handle)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// This device cannot be synced.
    #[test]
    fn a_handle_whose_sync_fails_stays_open_and_says_so_again() {
        let (handles, null) = (Handles::new(1), || File::open("/dev/null"));
        let name = |file| Name { storage: 0, file: FileId(file) };
        let failing = Handle::new(File::open("/dev/full").unwrap());
        failing.will_write();
        handles.keep(name(0), &failing);
        for file in 1..4 {
            handles.get(name(file), null).unwrap();
        }
        assert!(
            failing.sync().unwrap_err().to_string().contains("an earlier sync"),
            "closing it has tried to sync it"
        );
        assert!(Arc::ptr_eq(&failing, &handles.get(name(0), null).unwrap()));
    }
}
