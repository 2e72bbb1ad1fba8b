//! Open handles, which all storages of a host share: their number has one limit, whatever the number of instances and tables.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tabletop_engine::storage::FileId;

use crate::lock::lock;

/// The open handles of several storages. The one that was not used for longest is closed when there are too many.
#[derive(Debug)]
pub(crate) struct Handles {
    handles_max: usize,
    state: Mutex<State>,
}

/// The handle of a file.
#[derive(Debug)]
pub(super) struct Handle {
    file: File,
    /// Bytes were written and not synced. They are synced before the handle is closed: only this handle is sure to report that
    /// they could not be stored.
    is_unsynced: AtomicBool,
    /// A sync has failed, which the operating system reports once.
    has_failed: AtomicBool,
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
        Arc::new(Handle { file, is_unsynced: AtomicBool::new(false), has_failed: AtomicBool::new(false) })
    }

    /// Notes that bytes are about to be written.
    pub fn will_write(&self) {
        self.is_unsynced.store(true, Ordering::Release);
    }

    /// Makes everything that was written survive a crash.
    ///
    /// # Errors
    /// Also when an earlier sync has failed: what was written before it may be lost.
    pub fn sync(&self) -> io::Result<()> {
        if self.has_failed.load(Ordering::Acquire) {
            return Err(io::Error::other("an earlier sync of the file has failed"));
        }
        self.file.sync_data().inspect_err(|_| self.has_failed.store(true, Ordering::Release))?;
        self.is_unsynced.store(false, Ordering::Release);
        Ok(())
    }

    /// Reports whether nothing is lost when the handle is closed.
    fn may_close(&self) -> bool {
        !self.has_failed.load(Ordering::Acquire) && (!self.is_unsynced.load(Ordering::Acquire) || self.sync().is_ok())
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
        // Without the lock, because a disk may be slow.
        let handle = Handle::new(open()?);
        self.keep(name, &handle);
        Ok(handle)
    }

    /// Keeps a handle open, and closes others if there are too many.
    pub(super) fn keep(&self, name: Name, handle: &Arc<Handle>) {
        lock(&self.state).insert(name, handle.clone());
        loop {
            let oldest = {
                let mut state = lock(&self.state);
                let is_needed = |oldest: &Name| *oldest == name;
                match state.by_use.first_key_value().map(|(_, oldest)| *oldest) {
                    Some(oldest) if state.open.len() > self.handles_max && !is_needed(&oldest) => {
                        state.take(oldest).map(|handle| (oldest, handle))
                    }
                    _ => None,
                }
            };
            // A sync may take long, so others can open files meanwhile.
            let Some((oldest, closing)) = oldest else { return };
            if !closing.may_close() {
                // It stays, so that its storage learns of the failure.
                lock(&self.state).insert(oldest, closing);
                return;
            }
        }
    }

    /// Closes the handle of a file that is removed.
    pub(super) fn forget(&self, name: Name) {
        let closed = lock(&self.state).take(name);
        drop(closed);
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        lock(&self.state).open.len()
    }
}

impl State {
    fn insert(&mut self, name: Name, handle: Arc<Handle>) {
        self.take(name);
        self.uses += 1;
        self.by_use.insert(self.uses, name);
        self.open.insert(name, (self.uses, handle));
    }

    /// Returns an open handle as the one used last.
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
        assert!(failing.sync().unwrap_err().to_string().contains("an earlier sync"), "closing it has tried to sync it");
        assert!(Arc::ptr_eq(&failing, &handles.get(name(0), null).unwrap()));
    }
}
