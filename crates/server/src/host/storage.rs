//! A storage whose kind is chosen at run time, and that threads share.

use std::sync::{Arc, PoisonError, RwLock};

use tabletop_engine::storage::{FileId, MemoryStorage, Slice, Storage, StorageError};

use super::blocking::blocking;
use super::overlay::Overlay;
use crate::files::FileStorage;

/// Files in a folder or in memory. A clone is the same storage, for another thread.
#[derive(Clone, Debug)]
pub enum AnyStorage {
    /// Files that do not survive the process.
    Memory(Arc<RwLock<MemoryStorage>>),
    /// Files that survive the process.
    Files(FileStorage),
    /// Read-only files.
    ReadOnly(Arc<RwLock<Overlay>>),
}

impl AnyStorage {
    /// Returns an empty storage in memory.
    pub fn in_memory() -> AnyStorage {
        AnyStorage::Memory(Arc::default())
    }

    /// Rejects all further changes of read-only files: their recovery is complete.
    pub(super) fn seal(&self) {
        if let AnyStorage::ReadOnly(storage) = self {
            storage.read().unwrap_or_else(PoisonError::into_inner).seal();
        }
    }

    /// Calls `act` with the storage, concurrently with other readers.
    fn share<T>(&self, act: impl FnOnce(&dyn Storage) -> T) -> T {
        match self {
            AnyStorage::Memory(storage) => act(&*storage.read().unwrap_or_else(PoisonError::into_inner)),
            AnyStorage::Files(storage) => act(storage),
            AnyStorage::ReadOnly(storage) => act(&*storage.read().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Calls `act` with exclusive access to the storage.
    fn change<T>(&mut self, act: impl FnOnce(&mut dyn Storage) -> T) -> T {
        match self {
            AnyStorage::Memory(storage) => act(&mut *storage.write().unwrap_or_else(PoisonError::into_inner)),
            AnyStorage::Files(storage) => act(storage),
            AnyStorage::ReadOnly(storage) => {
                act(&mut *storage.write().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }
}

impl Storage for AnyStorage {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        self.share(|storage| storage.files())
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        self.change(|storage| storage.create())
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        self.change(|storage| storage.append(file, bytes))
    }

    fn sync(&mut self, file: FileId) -> Result<(), StorageError> {
        self.change(|storage| storage.sync(file))
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        let read = || self.share(|storage| storage.read(file, offset, length));
        match self {
            AnyStorage::Memory(_) => read(),
            AnyStorage::Files(_) | AnyStorage::ReadOnly(_) => blocking(read),
        }
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        self.share(|storage| storage.size(file))
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        self.change(|storage| storage.remove(file))
    }
}
