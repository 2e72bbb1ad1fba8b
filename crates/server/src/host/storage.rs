//! A storage whose kind is chosen at run time.

use tabletop_engine::storage::{FileId, MemoryStorage, Slice, Storage, StorageError};

use super::blocking;
use super::overlay::Overlay;
use crate::files::FileStorage;

/// Files in a folder or in memory.
#[derive(Debug)]
pub enum AnyStorage {
    /// Files that end with the process.
    Memory(MemoryStorage),
    /// Files that survive the process.
    Files(FileStorage),
    /// Files that can only be read.
    ReadOnly(Overlay),
}

/// Calls the same method of either storage.
macro_rules! either {
    ($self:ident, $storage:ident => $act:expr) => {
        match $self {
            AnyStorage::Memory($storage) => $act,
            AnyStorage::Files($storage) => $act,
            AnyStorage::ReadOnly($storage) => $act,
        }
    };
}

impl Storage for AnyStorage {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        either!(self, storage => storage.files())
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        either!(self, storage => storage.create())
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        either!(self, storage => storage.append(file, bytes))
    }

    fn sync(&mut self, file: FileId) -> Result<(), StorageError> {
        either!(self, storage => storage.sync(file))
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        match self {
            AnyStorage::Memory(storage) => storage.read(file, offset, length),
            AnyStorage::Files(storage) => blocking(|| storage.read(file, offset, length)),
            AnyStorage::ReadOnly(storage) => blocking(|| storage.read(file, offset, length)),
        }
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        either!(self, storage => storage.size(file))
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        either!(self, storage => storage.remove(file))
    }
}
