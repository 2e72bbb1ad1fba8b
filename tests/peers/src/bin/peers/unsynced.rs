//! Files that leave it to the system when they reach the disk: for comparing with peers that do not sync either.

use tabletop_cli::FileStorage;
use tabletop_engine::storage::{FileId, Slice, Storage, StorageError};

/// Never syncs.
pub struct Unsynced(pub FileStorage);

impl Storage for Unsynced {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        self.0.files()
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        self.0.create()
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        self.0.append(file, bytes)
    }

    fn sync(&mut self, _: FileId) -> Result<(), StorageError> {
        Ok(())
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        self.0.read(file, offset, length)
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        self.0.size(file)
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        self.0.remove(file)
    }
}
