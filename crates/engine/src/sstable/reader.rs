//! An open SSTable: its index and Bloom filter are in memory, its blocks in storage, and its
//! dictionary in memory while it is needed.

use alloc::format;
use alloc::sync::Arc;
use core::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::index::Index;
use super::{Block, Contents, Dictionary, FOOTER_1_BYTES, FOOTER_BYTES, Loaded, bloom, checked, seed};
use crate::codec::{Damage, little_endian};
use crate::log::file_header::{FileHeader, FileKind};
use crate::shared::Shared;
use crate::storage::{FileId, Slice, Storage, StorageError};

/// The immutable rows of one file.
#[derive(Debug)]
pub(crate) struct SsTable {
    pub file: FileId,
    /// The header of the file: the table that it was created for, and its number.
    pub header: FileHeader,
    pub index: Index,
    /// The place of its dictionary in the file.
    dictionary_at: Range<u64>,
    /// The dictionary, while something holds it.
    pub loaded: Arc<Shared<Loaded>>,
    bloom: Slice,
    /// Counts of the file's cells; `None` for a file of format version 1.
    pub contents: Option<Contents>,
}

impl SsTable {
    /// Opens a file: reads everything except its blocks and its dictionary.
    ///
    /// # Errors
    /// `Corrupt` when the file is not as [`super::Writer`] wrote it; `NotDone` when it cannot be
    /// read now.
    pub fn open(storage: &dyn Storage, file: FileId) -> Result<SsTable, StorageError> {
        let header = FileHeader::check(storage, file, FileKind::SsTable)?;
        let size = storage.size(file)?;
        let footer_bytes = if header.version == 1 { FOOTER_1_BYTES } else { FOOTER_BYTES };
        let footer_offset = size.checked_sub(footer_bytes as u64).filter(|offset| *offset >= header.bytes());
        let footer_offset = footer_offset.ok_or_else(|| {
            Damage::new(0, format!("{size} bytes"), "a header and a footer").in_file(file, 0)
        })?;
        let footer = storage.read(file, footer_offset, footer_bytes)?;
        let sections = read_footer(&footer, header, footer_offset)
            .map_err(|damage| damage.in_file(file, footer_offset))?;

        let [dictionary_at, index_at, bloom_at, contents_at] = sections;
        let section = |at: &Range<u64>| read_section(storage, file, header, at);
        let index = Index::decode(&section(&index_at)?, header.bytes(), dictionary_at.start, header.version);
        let index = index.map_err(|damage| damage.in_file(file, index_at.start))?;
        let contents = match header.version {
            1 => None,
            _ => Some(
                Contents::decode(&section(&contents_at)?)
                    .map_err(|damage| damage.in_file(file, contents_at.start))?,
            ),
        };
        Ok(SsTable {
            file,
            header,
            index,
            dictionary_at,
            loaded: Arc::default(),
            bloom: section(&bloom_at)?,
            contents,
        })
    }

    /// Returns a copy of the open SSTable whose dictionary is not in memory yet.
    pub fn fork(&self) -> SsTable {
        SsTable {
            index: self.index.clone(),
            dictionary_at: self.dictionary_at.clone(),
            loaded: Arc::default(),
            bloom: self.bloom.clone(),
            contents: self.contents.clone(),
            ..*self
        }
    }

    /// Returns the bytes of all blocks.
    pub fn block_bytes(&self) -> u64 {
        self.index.blocks.last().map_or(0, |last| last.offset + u64::from(last.length) - self.header.bytes())
    }

    /// Returns the bytes of the dictionary in the file.
    pub fn dictionary_bytes(&self) -> u64 {
        self.dictionary_at.end - self.dictionary_at.start
    }

    /// Returns the bytes of the Bloom filter.
    pub fn bloom_bytes(&self) -> u64 {
        self.bloom.len() as u64
    }

    /// Returns the section of a block as it is stored, without decoding it.
    ///
    /// # Errors
    /// Errors of storage.
    pub fn read_section(&self, storage: &dyn Storage, block: usize) -> Result<Slice, StorageError> {
        let meta = &self.index.blocks[block];
        storage.read(self.file, meta.offset, meta.length as usize)
    }

    /// Returns the hash for [`SsTable::may_hold`].
    pub fn hash(key: &[u8]) -> u64 {
        xxh3_64(key)
    }

    /// Returns whether a row with this hash passes the Bloom filter.
    pub fn may_hold(&self, hash: u64) -> bool {
        bloom::may_hold(&self.bloom, hash)
    }

    /// Reads the dictionary.
    ///
    /// # Errors
    /// `Corrupt` when the dictionary is not as [`super::Writer`] wrote it; `NotDone` when it cannot
    /// be read now.
    pub fn read_dictionary(&self, storage: &dyn Storage) -> Result<Dictionary, StorageError> {
        let section = read_section(storage, self.file, self.header, &self.dictionary_at)?;
        Dictionary::decode(&section).map_err(|damage| damage.in_file(self.file, self.dictionary_at.start))
    }

    pub fn read_block(&self, storage: &dyn Storage, block: usize) -> Result<Block, StorageError> {
        let meta = &self.index.blocks[block];
        let section = storage.read(self.file, meta.offset, meta.length as usize)?;
        Block::open(section, seed(self.header, meta.offset))
            .map_err(|damage| damage.in_file(self.file, meta.offset))
    }

    /// Returns the seed of the checksum of a block.
    pub fn block_seed(&self, block: usize) -> u64 {
        seed(self.header, self.index.blocks[block].offset)
    }

    /// Returns the error for damage inside a block.
    #[cold]
    pub fn damage(&self, block: usize, damage: Damage) -> StorageError {
        damage.in_file(self.file, self.index.blocks[block].offset)
    }
}

/// Returns the payload of a section.
fn read_section(
    storage: &dyn Storage,
    file: FileId,
    header: FileHeader,
    at: &Range<u64>,
) -> Result<Slice, StorageError> {
    let bytes = storage.read(file, at.start, (at.end - at.start) as usize)?;
    let payload = checked(&bytes, seed(header, at.start)).map_err(|damage| damage.in_file(file, at.start))?;
    Ok(bytes.part(0..payload))
}

/// Returns the places of dictionary, index, Bloom filter and contents.
fn read_footer(footer: &[u8], header: FileHeader, footer_offset: u64) -> Result<[Range<u64>; 4], Damage> {
    checked(footer, seed(header, footer_offset))?;
    let field = |range: Range<usize>| little_endian(&footer[range]);
    let start = field(0..8);
    let index = start.saturating_add(field(8..12));
    let bloom = index.saturating_add(field(12..16));
    let contents = bloom.saturating_add(field(16..20));
    let end = if header.version == 1 { contents } else { contents.saturating_add(field(20..24)) };
    if start < header.bytes() || end != footer_offset {
        return Err(Damage::new(
            0,
            format!("sections from {start} to {end}"),
            "sections between the header and the footer",
        ));
    }
    Ok([start..index, index..bloom, bloom..contents, contents..end])
}
