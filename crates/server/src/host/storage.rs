//! Storage of which it is known only at run time what it is.

use tabletop_engine::storage::{FileId, MemoryStorage, Slice, Storage, StorageError};

use super::blocking;
use crate::files::FileStorage;

/// Files of a folder, or of memory.
#[derive(Debug)]
pub enum AnyStorage {
    /// They end with the process.
    Memory(MemoryStorage),
    /// They survive it.
    Files(FileStorage),
}

/// Does the same with whichever it is.
macro_rules! either {
    ($self:ident, $storage:ident => $act:expr) => {
        match $self {
            AnyStorage::Memory($storage) => $act,
            AnyStorage::Files($storage) => $act,
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
        }
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        either!(self, storage => storage.size(file))
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        either!(self, storage => storage.remove(file))
    }
}
