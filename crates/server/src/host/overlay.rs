//! Read-only files, with the changes of their recovery in memory: a data folder on read-only media
//! is opened like any other, and nothing in it is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use tabletop_engine::storage::{FileId, Slice, Storage, StorageError};

use crate::files::FileStorage;

/// Files in a folder, with the changes since they were opened in memory.
#[derive(Debug)]
pub struct Overlay {
    files: FileStorage,
    changed: BTreeMap<FileId, Changed>,
    removed: BTreeSet<FileId>,
    /// Whether recovery is complete. Further changes are rejected, because they would be lost.
    is_sealed: AtomicBool,
}

/// A file that was created or that has grown.
#[derive(Debug)]
struct Changed {
    /// The bytes that are in the folder.
    stored: u64,
    /// The bytes that follow.
    added: Vec<u8>,
}

impl Overlay {
    pub(crate) fn new(files: FileStorage) -> Overlay {
        Overlay {
            files,
            changed: BTreeMap::new(),
            removed: BTreeSet::new(),
            is_sealed: AtomicBool::new(false),
        }
    }

    /// Rejects all further changes.
    pub(super) fn seal(&self) {
        self.is_sealed.store(true, Ordering::Release);
    }

    fn check_open(&self) -> Result<(), StorageError> {
        if self.is_sealed.load(Ordering::Acquire) {
            return Err(StorageError::NotDone("the data folder is read-only".into()));
        }
        Ok(())
    }

    fn vanished(file: FileId) -> StorageError {
        StorageError::Corrupt { file, offset: 0, found: "no file".into(), expected: "a file".into() }
    }
}

impl Storage for Overlay {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        let all: BTreeSet<FileId> =
            self.files.files()?.into_iter().chain(self.changed.keys().copied()).collect();
        Ok(all.difference(&self.removed).copied().collect())
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        self.check_open()?;
        let last = self.files.files()?.into_iter().chain(self.changed.keys().copied()).max();
        let file = FileId(last.map_or(0, |last| last.0 + 1));
        self.changed.insert(file, Changed { stored: 0, added: Vec::new() });
        Ok(file)
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        self.check_open()?;
        let stored = self.size(file)?;
        let changed = self.changed.entry(file).or_insert(Changed { stored, added: Vec::new() });
        changed.added.extend_from_slice(&bytes);
        Ok(())
    }

    fn sync(&mut self, _: FileId) -> Result<(), StorageError> {
        self.check_open()
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        let size = self.size(file)?;
        let Some(Changed { stored, added }) = self.changed.get(&file) else {
            return self.files.read(file, offset, length);
        };
        let end = offset.checked_add(length as u64).filter(|end| *end <= size).ok_or_else(|| {
            StorageError::Corrupt {
                file,
                offset,
                found: format!("a file of {size} bytes"),
                expected: format!("{length} bytes there"),
            }
        })?;
        let mut bytes = Vec::with_capacity(length);
        if offset < *stored {
            bytes.extend_from_slice(&self.files.read(file, offset, (end.min(*stored) - offset) as usize)?);
        }
        if end > *stored {
            let from = offset.max(*stored) - stored;
            bytes.extend_from_slice(&added[from as usize..(end - stored) as usize]);
        }
        Ok(Slice::from(bytes))
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        if self.removed.contains(&file) {
            return Err(Overlay::vanished(file));
        }
        match self.changed.get(&file) {
            Some(Changed { stored, added }) => Ok(stored + added.len() as u64),
            None => self.files.size(file),
        }
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        self.check_open()?;
        self.removed.insert(file);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn changes_stay_in_memory_until_there_may_be_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = FileStorage::open(folder.path()).unwrap();
        let (first, second) = (files.create().unwrap(), files.create().unwrap());
        files.append(first, b"abc".to_vec()).unwrap();
        drop(files);
        let mut overlay = Overlay::new(FileStorage::open(folder.path()).unwrap());
        overlay.append(first, b"defg".to_vec()).unwrap();
        overlay.remove(second).unwrap();
        let third = overlay.create().unwrap();
        overlay.append(third, b"xyz".to_vec()).unwrap();
        assert_eq!(overlay.files(), Ok(vec![first, third]));
        let read = |file, offset, length| overlay.read(file, offset, length).map(|bytes| bytes.to_vec());
        assert_eq!(read(first, 0, 7), Ok(b"abcdefg".to_vec()));
        assert_eq!(
            [read(first, 1, 1), read(first, 2, 2), read(first, 4, 2)],
            [b"b", &b"cd"[..], b"ef"].map(|found| Ok(found.to_vec()))
        );
        assert_eq!(read(third, 1, 2), Ok(b"yz".to_vec()));
        assert!(
            read(first, 6, 2).is_err() && read(first, u64::MAX, 2).is_err() && read(second, 0, 0).is_err()
        );
        overlay.seal();
        assert!(
            overlay.create().is_err()
                && overlay.append(first, vec![1]).is_err()
                && overlay.remove(first).is_err()
        );
        assert_eq!(fs::read(folder.path().join("0.table")).unwrap(), b"abc");
        assert!(folder.path().join("1.table").exists());
    }
}
