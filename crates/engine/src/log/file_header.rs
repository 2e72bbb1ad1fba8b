//! The first 32 bytes of every file: its kind, its format version and its table.
//!
//! ```text
//! header = "TableTop":8 kind:4 version:4 uid:8 checksum:8         little-endian; xxh3-64 of the 24 bytes before it
//! ```

use alloc::format;
use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use crate::codec::{Damage, little_endian};
use crate::storage::{FileId, Storage, StorageError};

/// Bytes of a header; the contents of a file begin after it.
pub(crate) const HEADER_BYTES: usize = 32;

/// The version of the formats. It goes up when the drawing of any kind of file changes; golden files in `tests/` hold each
/// version.
pub(crate) const FORMAT_VERSION: u32 = 1;

const MAGIC: [u8; 8] = *b"TableTop";

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// The contents of a table: its files, families and settings.
    Manifest = 1,
    /// Writes that are not in an SSTable yet.
    CommitLog = 2,
    /// Rows in key order.
    SsTable = 3,
    /// The contents of a table at one moment.
    Backup = 4,
    /// A whole table as one file, made to be taken elsewhere.
    Export = 5,
}

/// The contents of a file's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileHeader {
    pub kind: FileKind,
    /// The table that the file was made for; 0 for a table without a commit log. Tables restored from a backup share the files
    /// of other tables.
    pub uid: u64,
}

impl FileHeader {
    /// Returns the bytes that such a file begins with.
    pub fn encode(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&(self.kind as u32).to_le_bytes());
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.uid.to_le_bytes());
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header from the first bytes of a file.
    ///
    /// # Errors
    /// The damage that was found. For another format version, the message names the release to use.
    pub fn decode(bytes: &[u8]) -> Result<FileHeader, Damage> {
        let Some(bytes) = bytes.get(..HEADER_BYTES) else {
            return Err(Damage::new(0, format!("{} bytes", bytes.len()), "a header of 32 bytes"));
        };
        if bytes[..8] != MAGIC {
            return Err(Damage::new(0, bytes[..8].escape_ascii(), "the letters TableTop"));
        }
        let field = |at: usize, length: usize| little_endian(&bytes[at..at + length]);
        let computed = xxh3_64(&bytes[..24]);
        if field(24, 8) != computed {
            let expected = format!("checksum {:016x}, as stored in the header", field(24, 8));
            return Err(Damage::new(0, format!("a header of checksum {computed:016x}"), expected));
        }
        let version = field(12, 4);
        if version != FORMAT_VERSION.into() {
            let expected = format!(
                "format version {FORMAT_VERSION}: {}",
                if version > FORMAT_VERSION.into() {
                    "a newer release wrote this file, open it with that one"
                } else {
                    "export the table with the release that wrote it, and import it here"
                }
            );
            return Err(Damage::new(12, format!("format version {version}"), expected));
        }
        let kinds = [FileKind::Manifest, FileKind::CommitLog, FileKind::SsTable, FileKind::Backup, FileKind::Export];
        match kinds.into_iter().find(|kind| *kind as u64 == field(8, 4)) {
            Some(kind) => Ok(FileHeader { kind, uid: field(16, 8) }),
            None => Err(Damage::new(8, format!("kind {}", field(8, 4)), "a kind of 1 to 5")),
        }
    }

    /// Reads the header of a file.
    ///
    /// # Errors
    /// `Corrupt` when it has no valid header.
    pub fn read(storage: &dyn Storage, file: FileId) -> Result<FileHeader, StorageError> {
        let length = storage.size(file)?.min(HEADER_BYTES as u64) as usize;
        FileHeader::decode(&storage.read(file, 0, length)?).map_err(|damage| damage.in_file(file, 0))
    }

    /// Checks that a file is of the expected kind.
    ///
    /// # Errors
    /// `Corrupt` when it is not.
    pub fn check(storage: &dyn Storage, file: FileId, kind: FileKind) -> Result<FileHeader, StorageError> {
        let header = FileHeader::read(storage, file)?;
        if header.kind == kind {
            return Ok(header);
        }
        Err(Damage::new(8, format!("{:?}", header.kind), format!("{kind:?}")).in_file(file, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_any_header_byte_is_damage() {
        let header = FileHeader { kind: FileKind::CommitLog, uid: 0x0123_4567_89ab_cdef };
        let bytes = header.encode();
        assert_eq!((bytes.len(), FileHeader::decode(&bytes)), (HEADER_BYTES, Ok(header)));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            assert!(FileHeader::decode(&changed).is_err(), "byte {at}");
            assert!(FileHeader::decode(&bytes[..at]).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn a_newer_format_is_named_in_the_error() {
        let mut bytes = FileHeader { kind: FileKind::SsTable, uid: 7 }.encode();
        bytes[12] += 1;
        let checksum = xxh3_64(&bytes[..24]);
        bytes[24..].copy_from_slice(&checksum.to_le_bytes());
        let damage = FileHeader::decode(&bytes).unwrap_err();
        assert!(damage.found == "format version 2" && damage.expected.contains("newer release"), "{damage:?}");
    }
}
