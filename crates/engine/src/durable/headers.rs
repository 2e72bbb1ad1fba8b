//! The UIDs in the headers of all files. Each header is read once, so looking up UIDs costs no more
//! reads as files accumulate.

use tabletop_model::SortedMap;

use crate::log::file_header::FileHeader;
use crate::storage::{FileId, Storage, StorageError};

/// The UIDs of the tables for which files were created, if known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers(SortedMap<FileId, u64>);

impl Headers {
    /// Returns a UID that no file has or had. A file number alone is not unique enough: after
    /// storage is opened again, it may reuse the number of a removed file.
    pub fn new_uid(&mut self, storage: &dyn Storage) -> Result<u64, StorageError> {
        let mut last = 0;
        for file in storage.files()? {
            last = last.max(file.0).max(self.uid(storage, file)?);
        }
        // Tables are numbered from one, so only a forged header can have the highest number.
        last.checked_add(1).ok_or_else(|| {
            StorageError::NotDone("a file has the highest number that a table can have".into())
        })
    }

    /// Returns whether a file other than `file` was created for the table, as far as files can be
    /// read.
    pub fn has_others(&mut self, storage: &dyn Storage, uid: u64, file: FileId) -> bool {
        let mut is_other =
            |other: FileId| other != file && self.uid(storage, other).is_ok_and(|found| found == uid);
        storage.files().is_ok_and(|files| files.into_iter().any(&mut is_other))
    }

    /// Returns the UID of a file, or 0 if it has no valid header; it may get one later.
    fn uid(&mut self, storage: &dyn Storage, file: FileId) -> Result<u64, StorageError> {
        if let Some(uid) = self.0.get(&file) {
            return Ok(*uid);
        }
        match FileHeader::read(storage, file) {
            Ok(header) => {
                // No other file gets this number while the storage is open.
                self.0.insert(file, header.uid);
                Ok(header.uid)
            }
            Err(StorageError::Corrupt { .. }) => Ok(0),
            Err(error) => Err(error),
        }
    }
}
