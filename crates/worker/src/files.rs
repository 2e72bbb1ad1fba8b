//! The one storage type of this program, so that the engine is compiled once and fetched once.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_engine::storage::{FileId, MemoryStorage, Slice, Storage, StorageError};

/// Files in memory, or those of a storage that the host has opened.
#[derive(Clone)]
pub(crate) enum Files {
    /// For tables that can be built again from their events.
    Memory(MemoryStorage),
    /// For what is kept. Shared, so that it is still at hand when the engine cannot open what lies there.
    Kept(SharedStorage),
}

/// A storage that outlives the instance on it.
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
