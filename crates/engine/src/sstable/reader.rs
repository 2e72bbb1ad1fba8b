//! An SSTable that is open: its index and Bloom filter in memory, its blocks in storage.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::block::read_key;
use super::{Block, FOOTER_BYTES, MAGIC, VERSION, bloom, checked};
use crate::codec::{Damage, Decoder};
use crate::file_header::{FileHeader, FileKind, HEADER_BYTES};
use crate::storage::{FileId, Slice, Storage, StorageError};

/// Immutable rows of one file.
#[derive(Debug)]
pub(crate) struct SsTable {
    pub file: FileId,
    /// Never empty; in key order.
    pub blocks: Vec<BlockMeta>,
    keys: Vec<u8>,
    last_key: Range<usize>,
    bloom: Slice,
}

/// What the index says of one block.
#[derive(Clone, Debug)]
pub(crate) struct BlockMeta {
    pub offset: u64,
    /// With its checksum.
    pub length: u32,
    /// Rows that begin in it.
    pub rows: u32,
    pub cells: u32,
    /// Its first row began in the block before.
    pub continues: bool,
    first_key: Range<usize>,
}

impl SsTable {
    /// Reads footer, index and Bloom filter of a file.
    ///
    /// # Errors
    /// `Corrupt` when they are not what [`super::Writer`] wrote.
    pub fn open(storage: &impl Storage, file: FileId) -> Result<SsTable, StorageError> {
        FileHeader::check(storage, file, FileKind::SsTable)?;
        let size = storage.size(file)?;
        let footer_offset = size
            .checked_sub(FOOTER_BYTES as u64)
            .ok_or_else(|| Damage::new(0, format!("{size} bytes"), "a footer of 36 bytes").in_file(file, 0))?;
        let footer = storage.read(file, footer_offset, FOOTER_BYTES)?;
        let (index_offset, index_length, bloom_length) =
            read_footer(&footer, footer_offset).map_err(|damage| damage.in_file(file, footer_offset))?;

        let index = storage.read(file, index_offset, index_length)?;
        let mut table = read_index(file, &index, index_offset).map_err(|damage| damage.in_file(file, index_offset))?;
        let bloom_offset = index_offset + index_length as u64;
        let bloom = storage.read(file, bloom_offset, bloom_length)?;
        let bits = checked(&bloom).map_err(|damage| damage.in_file(file, bloom_offset))?;
        table.bloom = bloom.part(0..bits);
        Ok(table)
    }

    /// The key of the first row of a block.
    pub fn first_key(&self, block: usize) -> &[u8] {
        &self.keys[self.blocks[block].first_key.clone()]
    }

    pub fn last_key(&self) -> &[u8] {
        &self.keys[self.last_key.clone()]
    }

    /// Whether the Bloom filter lets the row pass.
    pub fn may_hold(&self, key: &[u8]) -> bool {
        bloom::may_hold(&self.bloom, xxh3_64(key))
    }

    /// The first block that can hold rows at or after `key`.
    pub fn seek(&self, key: &[u8]) -> usize {
        let beyond = self.partition(|first| first <= key);
        let mut block = beyond.saturating_sub(1);
        while block > 0 && self.blocks[block].continues && self.first_key(block) == key {
            block -= 1;
        }
        block
    }

    /// The number of blocks whose first key passes `before`, which holds for some first ones only.
    pub fn partition(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        self.blocks.partition_point(|block| before(&self.keys[block.first_key.clone()]))
    }

    pub fn read_block(&self, storage: &impl Storage, block: usize) -> Result<Block, StorageError> {
        let meta = &self.blocks[block];
        let section = storage.read(self.file, meta.offset, meta.length as usize)?;
        Block::open(section).map_err(|damage| damage.in_file(self.file, meta.offset))
    }

    /// The error for damage inside a block.
    #[cold]
    pub fn damage(&self, block: usize, damage: Damage) -> StorageError {
        damage.in_file(self.file, self.blocks[block].offset)
    }
}

fn read_footer(footer: &[u8], footer_offset: u64) -> Result<(u64, usize, usize), Damage> {
    let payload = checked(footer)?;
    let field = |range: Range<usize>| footer[range].iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    if footer[20..payload] != MAGIC {
        return Err(Damage::new(20, format!("{:?}", &footer[20..payload]), "the letters TableTop"));
    }
    let version = field(16..20);
    if version != VERSION.into() {
        return Err(Damage::new(16, format!("format version {version}"), "format version 1"));
    }
    let (index_offset, index_length, bloom_length) = (field(0..8), field(8..12), field(12..16));
    if index_offset.checked_add(index_length + bloom_length) != Some(footer_offset) {
        return Err(Damage::new(0, format!("an index at {index_offset}"), "an index and a Bloom filter before the footer"));
    }
    Ok((index_offset, index_length as usize, bloom_length as usize))
}

fn read_index(file: FileId, index: &[u8], index_offset: u64) -> Result<SsTable, Damage> {
    let mut decoder = Decoder::new(&index[..checked(index)?]);
    let count = decoder.count(6)?;
    let mut blocks = Vec::with_capacity(count);
    let (mut keys, mut key, mut offset) = (Vec::new(), Vec::new(), HEADER_BYTES as u64);
    for _ in 0..count {
        let at = decoder.at;
        read_key(&mut decoder, &mut key)?;
        let first_key = keys.len()..keys.len() + key.len();
        keys.extend_from_slice(&key);
        let (length, rows, cells) = (decoder.u32()?, decoder.u32()?, decoder.u32()?);
        let continues = decoder.varint()? != 0;
        blocks.push(BlockMeta { offset, length, rows, cells, continues, first_key });
        offset += u64::from(length);
        if offset > index_offset {
            return Err(Damage::new(at, format!("a block that ends at {offset}"), "blocks that end before the index"));
        }
    }
    if blocks.is_empty() || offset != index_offset {
        return Err(Damage::new(0, format!("{count} blocks up to {offset}"), "blocks up to the index"));
    }
    let length = decoder.count(1)?;
    let last_key = keys.len()..keys.len() + length;
    keys.extend_from_slice(decoder.slice(length)?);
    if !decoder.is_at_end() {
        return Err(Damage::new(decoder.at, "more bytes", "the end of the index"));
    }
    Ok(SsTable { file, blocks, keys, last_key, bloom: Slice::from(Vec::new()) })
}
