//! The first bytes of every file: its kind, its format version, its table and its number.
//!
//! ```text
//! header = "TableTop":8 kind:4 version:4 uid:8 checksum:8 number:8     little-endian; xxh3-64 of the 24 bytes before it
//! ```
//! The first 32 bytes are the same in all format versions; in version 1 the header ends there. The
//! number distinguishes files of the same kind and table: the segment of a commit log, the
//! generation of a manifest, or the number that a manifest gives an SSTable. It has no checksum of
//! its own, because it seeds the checksums of everything that follows.

use alloc::format;
use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use crate::codec::{Damage, little_endian};
use crate::storage::{FileId, Storage, StorageError};

/// Bytes of a header of the current format version.
pub(crate) const HEADER_BYTES: usize = 40;
/// Bytes of a header that all format versions have.
const COMMON_BYTES: usize = 32;

/// The version of the formats. It is increased when the layout of any kind of file changes; golden
/// files in `tests/` hold each version.
pub(crate) const FORMAT_VERSION: u32 = 2;

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
    /// A whole table as one portable file.
    Export = 5,
}

/// The contents of a file's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileHeader {
    pub kind: FileKind,
    pub version: u32,
    /// The table that the file was created for; 0 for a table without a commit log. Tables restored
    /// from a backup share the files of other tables.
    pub uid: u64,
    /// The number of the file among those of its kind and table; 0 in format version 1.
    pub number: u64,
}

impl FileHeader {
    /// Returns the header of a new file.
    pub fn new(kind: FileKind, uid: u64, number: u64) -> FileHeader {
        FileHeader { kind, version: FORMAT_VERSION, uid, number }
    }

    /// Returns the bytes of the header; the contents of the file begin after it.
    pub fn bytes(self) -> u64 {
        (if self.version == 1 { COMMON_BYTES } else { HEADER_BYTES }) as u64
    }

    /// Returns the seed of the checksum of bytes that begin at `offset`. With it, a copy of the
    /// bytes elsewhere is not valid.
    pub fn seed(self, offset: u64) -> u64 {
        self.uid.rotate_left(32) ^ self.number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ offset
    }

    /// Returns the bytes that a new file begins with.
    pub fn encode(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&(self.kind as u32).to_le_bytes());
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.uid.to_le_bytes());
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes
    }

    /// Reads the header from the first bytes of a file.
    ///
    /// # Errors
    /// The damage that was found. For another format version, the message says which release to
    /// use.
    pub fn decode(bytes: &[u8]) -> Result<FileHeader, Damage> {
        let too_short = || Damage::new(0, format!("{} bytes", bytes.len()), "a header of 40 bytes");
        let Some(common) = bytes.get(..COMMON_BYTES) else { return Err(too_short()) };
        if common[..8] != MAGIC {
            return Err(Damage::new(0, common[..8].escape_ascii(), "the letters TableTop"));
        }
        let field = |at: usize, length: usize| little_endian(&common[at..at + length]);
        let computed = xxh3_64(&common[..24]);
        if field(24, 8) != computed {
            let expected = format!("checksum {:016x}, as stored in the header", field(24, 8));
            return Err(Damage::new(0, format!("a header of checksum {computed:016x}"), expected));
        }
        let version = field(12, 4) as u32;
        if version == 0 || version > FORMAT_VERSION {
            let expected = format!(
                "format version {FORMAT_VERSION}: a newer release wrote this file, open it with that one"
            );
            return Err(Damage::new(12, format!("format version {version}"), expected));
        }
        let number = match bytes.get(COMMON_BYTES..HEADER_BYTES) {
            _ if version == 1 => 0,
            Some(number) => little_endian(number),
            None => return Err(too_short()),
        };
        let kinds =
            [FileKind::Manifest, FileKind::CommitLog, FileKind::SsTable, FileKind::Backup, FileKind::Export];
        match kinds.into_iter().find(|kind| *kind as u64 == field(8, 4)) {
            Some(kind) => Ok(FileHeader { kind, version, uid: field(16, 8), number }),
            None => Err(Damage::new(8, format!("kind {}", field(8, 4)), "a kind of 1 to 5")),
        }
    }

    /// Checks that a file belongs to one of these tables and has this number.
    ///
    /// # Errors
    /// `Corrupt` when it does not: the file was replaced by another one, or by an older copy.
    pub fn check_owner(self, file: FileId, uids: &[u64], number: u64) -> Result<(), StorageError> {
        let is_right = uids.contains(&self.uid) && self.number == number;
        let name = |uid: u64, number: u64| format!("number {number} of table {uid}");
        is_right.then_some(()).ok_or_else(|| {
            Damage::new(16, name(self.uid, self.number), name(uids[0], number)).in_file(file, 0)
        })
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
    /// `Corrupt` when it is of another kind, or has no valid header.
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

    /// Checksums of the bytes that follow detect a change of the number.
    #[test]
    fn a_change_of_any_header_byte_before_the_number_is_damage() {
        let header = FileHeader::new(FileKind::CommitLog, 0x0123_4567_89ab_cdef, 7);
        let bytes = header.encode();
        assert_eq!((bytes.len(), FileHeader::decode(&bytes)), (HEADER_BYTES, Ok(header)));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            match FileHeader::decode(&changed) {
                Ok(found) => assert!(at >= COMMON_BYTES && found.seed(40) != header.seed(40), "byte {at}"),
                Err(_) => assert!(at < COMMON_BYTES, "byte {at}"),
            }
            assert!(FileHeader::decode(&bytes[..at]).is_err(), "{at} bytes");
        }
    }

    fn of_version(version: u32) -> Vec<u8> {
        let mut bytes = FileHeader::new(FileKind::SsTable, 7, 9).encode();
        bytes[12..16].copy_from_slice(&version.to_le_bytes());
        let checksum = xxh3_64(&bytes[..24]);
        bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    #[test]
    fn the_first_version_has_no_number() {
        let header = FileHeader::decode(&of_version(1)[..COMMON_BYTES]).unwrap();
        assert_eq!((header.uid, header.number, header.bytes()), (7, 0, COMMON_BYTES as u64));
    }

    #[test]
    fn a_newer_format_is_named_in_the_error() {
        let damage = FileHeader::decode(&of_version(FORMAT_VERSION + 1)).unwrap_err();
        assert!(
            damage.found == "format version 3" && damage.expected.contains("newer release"),
            "{damage:?}"
        );
    }
}
