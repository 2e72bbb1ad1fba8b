//! A storage that outlives the instance that uses it, so that it can be reopened when the engine
//! fails to open it.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_engine::storage::{FileId, Slice, Storage, StorageError};

/// Files that the host has opened. Clones are the same files.
#[derive(Clone)]
pub struct SharedStorage(pub Rc<RefCell<dyn Storage>>);

impl Storage for SharedStorage {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        self.0.borrow().files()
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        self.0.borrow_mut().create()
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        self.0.borrow_mut().append(file, bytes)
    }

    fn sync(&mut self, file: FileId) -> Result<(), StorageError> {
        self.0.borrow_mut().sync(file)
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        self.0.borrow().read(file, offset, length)
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        self.0.borrow().size(file)
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        self.0.borrow_mut().remove(file)
    }
}
