//! Storage of files: the interface that the engine needs from its host.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, Range};

use tabletop_model::{Code, Error};

/// Files that grow at their end or are removed; nothing is changed in place.
///
/// Seven operations, all synchronous, like those of a native file and of a sync access handle in a
/// browser's private file system.
pub trait Storage {
    /// Returns the files that may hold data, in ascending order: all that were created and not
    /// removed, including files of earlier runs. A host that keeps empty files ready, or truncates
    /// a file now and deletes it later, omits those.
    ///
    /// # Errors
    /// `NotDone` when the files cannot be listed now.
    fn files(&self) -> Result<Vec<FileId>, StorageError>;

    /// Creates an empty file with a name that no file has had since the storage was opened. Names
    /// need not be consecutive.
    ///
    /// # Errors
    /// `NotDone`, `Full` or `Unknown`, as for every operation that writes.
    fn create(&mut self) -> Result<FileId, StorageError>;

    /// Appends `bytes` to the file. They survive a crash once [`Storage::sync`] has returned.
    ///
    /// # Errors
    /// `NotDone` and `Full` when the file is unchanged, `Unknown` when some of the bytes may be in
    /// it.
    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError>;

    /// Makes the file, and everything that was appended to it, survive a crash.
    ///
    /// # Errors
    /// After any error, some of it may not survive.
    fn sync(&mut self, file: FileId) -> Result<(), StorageError>;

    /// Reads bytes `[offset, offset + length)` of the file. Where the storage holds them in memory,
    /// they are shared.
    ///
    /// # Errors
    /// `Corrupt` when the file ends earlier or does not exist, or the bytes can never be read;
    /// `NotDone` when they cannot be read now.
    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError>;

    /// Returns the size of the file in bytes.
    ///
    /// # Errors
    /// `Corrupt` when the file does not exist; `NotDone` when its size cannot be read now.
    fn size(&self, file: FileId) -> Result<u64, StorageError>;

    /// Removes the file. Removing a file that does not exist succeeds. A crash may bring the file
    /// back until something else is synced.
    ///
    /// # Errors
    /// `NotDone` or `Unknown`.
    fn remove(&mut self, file: FileId) -> Result<(), StorageError>;
}

/// The name of a file of one storage. It is not reused while the storage is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u64);

/// Bytes that were read: cheap to clone, and still valid after the file is removed.
#[derive(Clone, Debug)]
pub struct Slice {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

/// An error of storage, by what the engine may do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageError {
    /// The operation certainly did not happen, and may be retried.
    NotDone(String),
    /// The operation certainly did not happen, because there is no room. It may be retried once
    /// there is.
    Full(String),
    /// The operation may have happened: what was written cannot be relied on.
    Unknown(String),
    /// Stored bytes are not what was written.
    Corrupt {
        /// The file with the damage.
        file: FileId,
        /// Bytes from the beginning of the file.
        offset: u64,
        /// A description of what is there.
        found: String,
        /// A description of what should be there.
        expected: String,
    },
}

/// Files in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage {
    /// Files in the order of their names, which is the order of their creation.
    files: Vec<(FileId, MemoryFile)>,
    created: u64,
}

/// A file as the pieces that were appended: a read inside one piece copies nothing.
#[derive(Clone, Debug, Default)]
struct MemoryFile {
    pieces: Vec<(u64, Arc<Vec<u8>>)>,
    size: u64,
}

impl MemoryStorage {
    /// Returns the bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, file)| file.size).sum()
    }

    /// Returns the number of files that were created and not removed.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    fn file(&self, file: FileId) -> Result<&MemoryFile, StorageError> {
        match self.position(file) {
            Ok(at) => Ok(&self.files[at].1),
            Err(_) => Err(StorageError::Corrupt {
                file,
                offset: 0,
                found: "no file".into(),
                expected: "a file".into(),
            }),
        }
    }

    fn position(&self, file: FileId) -> Result<usize, usize> {
        self.files.binary_search_by_key(&file, |(name, _)| *name)
    }
}

impl Storage for MemoryStorage {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        Ok(self.files.iter().map(|(file, _)| *file).collect())
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        let file = FileId(self.created);
        self.created += 1;
        self.files.push((file, MemoryFile::default()));
        Ok(file)
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        let Ok(at) = self.position(file) else {
            return Err(StorageError::NotDone(format!("file {} does not exist", file.0)));
        };
        let entry = &mut self.files[at].1;
        let offset = entry.size;
        entry.size += bytes.len() as u64;
        entry.pieces.push((offset, Arc::new(bytes)));
        Ok(())
    }

    fn sync(&mut self, _: FileId) -> Result<(), StorageError> {
        Ok(())
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        let entry = self.file(file)?;
        if offset.checked_add(length as u64).is_none_or(|end| end > entry.size) {
            return Err(StorageError::Corrupt {
                file,
                offset,
                found: format!("a file of {} bytes", entry.size),
                expected: format!("{length} bytes there"),
            });
        }
        let first = entry.pieces.partition_point(|(start, piece)| start + piece.len() as u64 <= offset);
        if let Some((start, piece)) = entry.pieces.get(first) {
            let skip = (offset - start) as usize;
            if skip + length <= piece.len() {
                return Ok(Slice { bytes: piece.clone(), range: skip..skip + length });
            }
        }
        let mut bytes = Vec::with_capacity(length);
        for (start, piece) in &entry.pieces[first..] {
            let skip = offset.saturating_sub(*start) as usize;
            let wanted = (length - bytes.len()).min(piece.len() - skip);
            bytes.extend_from_slice(&piece[skip..skip + wanted]);
            if bytes.len() == length {
                break;
            }
        }
        Ok(Slice::from(bytes))
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        Ok(self.file(file)?.size)
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        if let Ok(at) = self.position(file) {
            self.files.remove(at);
        }
        Ok(())
    }
}

impl Slice {
    /// Returns a part of the slice, which shares its bytes.
    ///
    /// # Panics
    /// Panics if `range` reaches beyond the slice.
    pub fn part(&self, range: Range<usize>) -> Slice {
        assert!(range.start <= range.end && range.end <= self.len(), "a part within the slice");
        Slice {
            bytes: self.bytes.clone(),
            range: self.range.start + range.start..self.range.start + range.end,
        }
    }
}

impl From<Vec<u8>> for Slice {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        Slice { bytes: Arc::new(bytes), range }
    }
}

impl Deref for Slice {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[self.range.clone()]
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorageError::NotDone(why) => write!(f, "storage refused and nothing was changed: {why}; retry"),
            StorageError::Full(why) => write!(
                f,
                "storage is full and nothing was changed: {why}; make room (delete tables or backups that are no longer \
                 needed, or allow more storage), then retry: everything that is stored can still be read"
            ),
            StorageError::Unknown(why) => {
                write!(f, "storage failed, and the change may have been made in part: {why}")
            }
            StorageError::Corrupt { file, offset, found, expected } => write!(
                f,
                "stored bytes are not what was written: file {}, offset {offset}, found {found}, expected {expected}",
                file.0
            ),
        }
    }
}

impl core::error::Error for StorageError {}

impl From<StorageError> for Error {
    fn from(error: StorageError) -> Self {
        let code = match error {
            StorageError::Corrupt { .. } => Code::DataLoss,
            StorageError::Full(_) => Code::ResourceExhausted,
            StorageError::NotDone(_) | StorageError::Unknown(_) => Code::Unavailable,
        };
        Error::new(code, format!("{error}"))
    }
}

/// Turns any failure to sync into [`StorageError::Unknown`]: the file already has what was
/// appended.
pub(crate) fn may_have_happened(error: StorageError) -> StorageError {
    match error {
        StorageError::NotDone(why) | StorageError::Full(why) => StorageError::Unknown(why),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_may_span_several_appends() {
        let mut storage = MemoryStorage::default();
        let file = storage.create().unwrap();
        for piece in ["abc", "", "de", "f"] {
            storage.append(file, piece.into()).unwrap();
        }
        assert_eq!(storage.size(file), Ok(6));
        for start in 0..=6usize {
            for end in start..=6 {
                assert_eq!(
                    &storage.read(file, start as u64, end - start).unwrap()[..],
                    &b"abcdef"[start..end]
                );
            }
        }
        assert!(matches!(storage.read(file, 4, 3), Err(StorageError::Corrupt { .. })));
        assert_eq!(storage.files(), Ok(alloc::vec![file]));
        storage.remove(file).unwrap();
        assert_eq!(storage.files(), Ok(Vec::new()));
        assert!(matches!(storage.read(file, 0, 1), Err(StorageError::Corrupt { .. })));
        assert_ne!(storage.create().unwrap(), file, "a name is never used again");
    }
}
