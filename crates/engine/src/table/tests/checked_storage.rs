//! A storage for tests that decide, for each call that changes it, whether the call takes effect.

use alloc::vec::Vec;

use crate::storage::{FileId, MemoryStorage, Slice, Storage, StorageError};

/// A call that changes storage, before it is done.
pub(crate) enum Call {
    Create,
    /// The number of its bytes.
    Append(usize),
    Sync,
    Remove,
}

/// A decision about calls. A call that is refused has no effect.
pub(crate) trait Check {
    fn check(&mut self, storage: &MemoryStorage, call: Call) -> Result<(), StorageError>;
}

/// A storage in memory with a check.
#[derive(Debug, Default)]
pub(crate) struct CheckedStorage<C> {
    pub inner: MemoryStorage,
    pub check: C,
}

impl<C: Check> CheckedStorage<C> {
    pub fn new(check: C) -> Self {
        CheckedStorage { inner: MemoryStorage::default(), check }
    }
}

impl<C: Check> Storage for CheckedStorage<C> {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        self.inner.files()
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        self.check.check(&self.inner, Call::Create)?;
        self.inner.create()
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        self.check.check(&self.inner, Call::Append(bytes.len()))?;
        self.inner.append(file, bytes)
    }

    fn sync(&mut self, file: FileId) -> Result<(), StorageError> {
        self.check.check(&self.inner, Call::Sync)?;
        self.inner.sync(file)
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        self.inner.read(file, offset, length)
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        self.inner.size(file)
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        self.check.check(&self.inner, Call::Remove)?;
        self.inner.remove(file)
    }
}
