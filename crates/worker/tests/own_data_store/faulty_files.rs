//! Files that fail in chosen ways.

use std::collections::BTreeMap;

use tabletop_engine::storage::{FileId, Slice, Storage, StorageError};

/// Files in memory that can be full, refuse operations, lose data that was not synced, and be
/// damaged.
#[derive(Clone, Debug, Default)]
pub struct FaultyFiles {
    files: BTreeMap<FileId, File>,
    made: u64,
    /// Bytes of free space; `None` for no limit.
    pub room: Option<u64>,
    /// Number of file creations that are refused.
    pub refusals: u32,
    /// Number of writes that are refused.
    pub refused_writes: u32,
}

#[derive(Clone, Debug, Default)]
struct File {
    bytes: Vec<u8>,
    synced: usize,
}

impl FaultyFiles {
    /// Creates files with these contents, synced.
    pub fn holding(contents: &BTreeMap<FileId, Vec<u8>>) -> FaultyFiles {
        let files = contents
            .iter()
            .map(|(file, bytes)| (*file, File { bytes: bytes.clone(), synced: bytes.len() }))
            .collect();
        FaultyFiles {
            files,
            made: contents.keys().map(|file| file.0).max().unwrap_or_default(),
            ..FaultyFiles::default()
        }
    }

    /// The contents of all files that have any.
    pub fn contents(&self) -> BTreeMap<FileId, Vec<u8>> {
        let files = self.files.iter().filter(|(_, file)| !file.bytes.is_empty());
        files.map(|(file, content)| (*file, content.bytes.clone())).collect()
    }

    /// Simulates a power failure: data that was not synced is lost.
    pub fn crash(&mut self) {
        self.files.values_mut().for_each(|file| file.bytes.truncate(file.synced));
        self.files.retain(|_, file| !file.bytes.is_empty());
    }

    /// Returns the number of bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.values().map(|file| file.bytes.len() as u64).sum()
    }

    /// Flips a bit of the byte at this offset, counted over all files.
    pub fn flip(&mut self, mut at: u64) {
        for file in self.files.values_mut() {
            let size = file.bytes.len() as u64;
            if at < size {
                file.bytes[at as usize] ^= 0x10;
                return;
            }
            at -= size;
        }
    }

    fn missing(file: FileId) -> StorageError {
        StorageError::Corrupt { file, offset: 0, found: "no file".into(), expected: "a file".into() }
    }
}

impl Storage for FaultyFiles {
    fn files(&self) -> Result<Vec<FileId>, StorageError> {
        Ok(self.files.iter().filter(|(_, file)| !file.bytes.is_empty()).map(|(file, _)| *file).collect())
    }

    fn create(&mut self) -> Result<FileId, StorageError> {
        if self.refusals > 0 {
            self.refusals -= 1;
            return Err(StorageError::NotDone("no empty file is ready".into()));
        }
        self.made += 1;
        self.files.insert(FileId(self.made), File::default());
        Ok(FileId(self.made))
    }

    fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
        if self.refused_writes > 0 {
            self.refused_writes -= 1;
            return Err(StorageError::NotDone("not now".into()));
        }
        if self.room.is_some_and(|room| self.bytes() + bytes.len() as u64 > room) {
            return Err(StorageError::Full("the quota is used up".into()));
        }
        let entry = self.files.get_mut(&file).ok_or_else(|| StorageError::NotDone("no file".into()))?;
        entry.bytes.extend(bytes);
        Ok(())
    }

    fn sync(&mut self, file: FileId) -> Result<(), StorageError> {
        let entry = self.files.get_mut(&file).ok_or_else(|| StorageError::Unknown("no file".into()))?;
        entry.synced = entry.bytes.len();
        Ok(())
    }

    fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
        let entry = self.files.get(&file).ok_or_else(|| FaultyFiles::missing(file))?;
        let end = offset.checked_add(length as u64).filter(|end| *end <= entry.bytes.len() as u64);
        let end = end.ok_or_else(|| StorageError::Corrupt {
            file,
            offset,
            found: format!("a file of {} bytes", entry.bytes.len()),
            expected: format!("{length} bytes there"),
        })?;
        Ok(Slice::from(entry.bytes[offset as usize..end as usize].to_vec()))
    }

    fn size(&self, file: FileId) -> Result<u64, StorageError> {
        self.files.get(&file).map(|file| file.bytes.len() as u64).ok_or_else(|| FaultyFiles::missing(file))
    }

    fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
        self.files.remove(&file);
        Ok(())
    }
}
