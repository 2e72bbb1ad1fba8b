//! The only storage type of this program, so that the engine is compiled once.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_engine::storage::{FileId, MemoryStorage, Slice, Storage, StorageError};

/// Files in memory, or in a storage that the host has opened.
#[derive(Clone)]
pub(crate) enum Files {
    /// Files in memory, of tables that can be rebuilt from their events.
    Memory(MemoryStorage),
    /// Files of data that is kept. Shared, so that it can be opened again after the engine fails to open it.
    Kept(SharedStorage),
}

/// A storage that outlives the instance that uses it.
pub type SharedStorage = Rc<RefCell<dyn Storage>>;

impl Default for Files {
    fn default() -> Self {
        Files::Memory(MemoryStorage::default())
    }
}

impl Storage for Files {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        match self {
            Files::Memory(files) => files.files(),
            Files::Kept(files) => files.borrow().files(),
        }
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        match self {
            Files::Memory(files) => files.create(),
            Files::Kept(files) => files.borrow_mut().create(),
        }
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        match self {
            Files::Memory(files) => files.append(file, bytes),
            Files::Kept(files) => files.borrow_mut().append(file, bytes),
        }
    }

    fn sync(&mut self, file: FileId) -> Result<(), StorageError> {
        match self {
            Files::Memory(files) => files.sync(file),
            Files::Kept(files) => files.borrow_mut().sync(file),
        }
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        match self {
            Files::Memory(files) => files.read(file, offset, length),
            Files::Kept(files) => files.borrow().read(file, offset, length),
        }
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        match self {
            Files::Memory(files) => files.size(file),
            Files::Kept(files) => files.borrow().size(file),
        }
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        match self {
            Files::Memory(files) => files.remove(file),
            Files::Kept(files) => files.borrow_mut().remove(file),
        }
    }
}
