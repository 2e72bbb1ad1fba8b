//! The index of an SSTable: the places of its blocks, and their first keys.
//!
//! ```text
//! index = block_count (shared_length rest_length rest  length rows cells continues [first])*
//!         last_key_length last_key
//! first = family shared_length rest_length rest time     the first cell of a block that continues a row: its qualifier
//!                                                        against that of the `first` before, and its time in granules, zigzag
//! ```
//! A cell of a long row is thus found as a row is: without reading the blocks before it. Format
//! version 1 has no `first`.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::limits::{QUALIFIER_BYTES_MAX, ROW_KEY_BYTES_MAX, TIMESTAMP_GRANULARITY_MICROS};

use super::block::{put_key, read_key};
use super::heads::Heads;
use crate::cell_key::CellKey;
use crate::codec::{Damage, Decoder, put_varint, unzigzag, zigzag};
use crate::columns::FamilyId;

/// The index of an open SSTable.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// The blocks, in key order; never empty.
    pub blocks: Vec<BlockMeta>,
    /// The heads of the first keys.
    heads: Heads,
    keys: Vec<u8>,
    last_key: Range<usize>,
    /// The first cells of the blocks that continue a row, in block order; empty in a file of format
    /// version 1.
    firsts: Vec<First>,
    qualifiers: Vec<u8>,
}

/// The first cell of a block that continues a row.
#[derive(Clone, Copy, Debug)]
struct First {
    block: u32,
    family: FamilyId,
    qualifier_length: u16,
    qualifier_start: u32,
    granules: i64,
}

/// The index entry of one block.
#[derive(Clone, Debug)]
pub(crate) struct BlockMeta {
    pub offset: u64,
    /// Bytes of the block, including the checksum.
    pub length: u32,
    /// Rows that begin in the block.
    pub rows: u32,
    pub cells: u32,
    /// Whether its first row began in the block before.
    pub continues: bool,
    key_start: u32,
    key_length: u32,
}

impl Index {
    /// Decodes an index of blocks that are adjacent from `start` to `end`. In format version 1, it
    /// names no cells.
    pub fn decode(bytes: &[u8], start: u64, end: u64, version: u32) -> Result<Index, Damage> {
        let mut decoder = Decoder::new(bytes);
        let count = decoder.count(6)?;
        let mut blocks = Vec::with_capacity(count);
        let (mut keys, mut key, mut offset) = (Vec::new(), Vec::new(), start);
        let (mut firsts, mut qualifiers, mut qualifier) = (Vec::new(), Vec::new(), Vec::new());
        for block in 0..count {
            let at = decoder.at;
            read_key(bytes, &mut decoder.at, &mut key)?;
            check_key(at, key.len())?;
            let (length, rows, cells) = (decoder.u32()?, decoder.u32()?, decoder.u32()?);
            let continues = decoder.varint()? != 0;
            // The blocks of a long row share one key.
            let same = blocks
                .last()
                .filter(|last: &&BlockMeta| continues && keys[last.key_start as usize..] == *key);
            let key_start = same.map_or(keys.len() as u32, |last| last.key_start);
            if same.is_none() {
                keys.extend_from_slice(&key);
            }
            let key_length = key.len() as u32;
            if continues && blocks.is_empty() {
                return Err(Damage::new(
                    at,
                    "a row that continues",
                    "the beginning of a row in the first block",
                ));
            }
            if continues && version > 1 {
                let first = read_first(&mut decoder, &mut qualifier)?;
                firsts.push(First { block: block as u32, qualifier_start: qualifiers.len() as u32, ..first });
                qualifiers.extend_from_slice(&qualifier);
            }
            blocks.push(BlockMeta { offset, length, rows, cells, continues, key_start, key_length });
            offset += u64::from(length);
            if offset > end || keys.len().max(qualifiers.len()) > u32::MAX as usize / 2 {
                return Err(Damage::new(
                    at,
                    format!("a block that ends at {offset}"),
                    "blocks that end before the dictionary",
                ));
            }
        }
        if blocks.is_empty() || offset != end {
            return Err(Damage::new(
                0,
                format!("{count} blocks up to {offset}"),
                "blocks up to the dictionary",
            ));
        }
        let at = decoder.at;
        let length = decoder.count(1)?;
        check_key(at, length)?;
        let last_key = keys.len()..keys.len() + length;
        keys.extend_from_slice(decoder.slice(length)?);
        if !decoder.is_at_end() {
            return Err(Damage::new(decoder.at, "more bytes", "the end of the index"));
        }
        let mut index = Index { blocks, heads: Heads::default(), keys, last_key, firsts, qualifiers };
        index.heads = Heads::new(count, |block| index.first_key(block));
        Ok(index)
    }

    /// Returns the key of the first row of a block.
    pub fn first_key(&self, block: usize) -> &[u8] {
        let meta = &self.blocks[block];
        &self.keys[meta.key_start as usize..][..meta.key_length as usize]
    }

    pub fn last_key(&self) -> &[u8] {
        &self.keys[self.last_key.clone()]
    }

    /// Returns the first block that can hold rows at or after `key`.
    pub fn seek(&self, key: &[u8]) -> usize {
        let at = self.blocks_below(key, false);
        match self.blocks.get(at) {
            Some(block) if !block.continues && self.first_key(at) == key => at,
            _ => at.saturating_sub(1),
        }
    }

    /// Returns the last block that continues the row `key`, of which a part is in `block`.
    pub fn last_of_row(&self, block: usize, key: &[u8]) -> usize {
        let mut last = self.blocks_below(key, true).saturating_sub(1).max(block);
        // This happens only in a damaged file, where keys do not ascend.
        while last > block && !self.blocks[last].continues {
            last -= 1;
        }
        last
    }

    /// Returns the first cell of a block that continues a row, or `None` if the block continues
    /// none or the file does not name it.
    pub fn first_cell(&self, block: usize) -> Option<CellKey<'_>> {
        let at = self.firsts.binary_search_by_key(&block, |first| first.block as usize).ok()?;
        Some(self.cell_of(&self.firsts[at]))
    }

    /// Returns the last block from `block` to `last`, all of one row, that can hold a cell at
    /// `wanted`: the last one that begins at or before it. Returns `block` itself if the file does
    /// not name the cells.
    pub fn seek_cell(&self, block: usize, last: usize, wanted: &CellKey<'_>) -> usize {
        let from = self.firsts.partition_point(|first| first.block as usize <= block);
        let to = self.firsts.partition_point(|first| first.block as usize <= last);
        let firsts = &self.firsts[from..to.max(from)];
        let beyond = firsts.partition_point(|first| self.cell_of(first) <= *wanted);
        beyond.checked_sub(1).map_or(block, |at| firsts[at].block as usize)
    }

    /// Returns whether cells are found without reading the blocks before them: every block that
    /// continues a row says where it continues.
    pub fn names_cells(&self) -> bool {
        !self.firsts.is_empty() || self.blocks.iter().all(|block| !block.continues)
    }

    /// Removes the first cells, as in a file of format version 1.
    #[cfg(test)]
    pub fn forget_cells(&mut self) {
        self.firsts.clear();
    }

    fn cell_of(&self, first: &First) -> CellKey<'_> {
        let qualifier =
            &self.qualifiers[first.qualifier_start as usize..][..usize::from(first.qualifier_length)];
        CellKey {
            family: first.family,
            qualifier,
            timestamp: first.granules.wrapping_mul(TIMESTAMP_GRANULARITY_MICROS),
        }
    }

    /// Returns how many blocks begin below `key`, or with `or_at`, not above it.
    pub fn blocks_below(&self, key: &[u8], or_at: bool) -> usize {
        self.heads.below(key, or_at, |block| self.first_key(block))
    }
}

/// Reads a first cell. `qualifier` holds the one before and is set to the one that was read.
fn read_first(decoder: &mut Decoder<'_>, qualifier: &mut Vec<u8>) -> Result<First, Damage> {
    let at = decoder.at;
    let family = decoder.varint()?;
    let family = FamilyId::try_from(family).map_err(|_| Damage::new(at, family, "the number of a family"))?;
    let at = decoder.at;
    read_key(decoder.bytes, &mut decoder.at, qualifier)?;
    if qualifier.len() > QUALIFIER_BYTES_MAX {
        let found = format!("a qualifier of {} bytes", qualifier.len());
        return Err(Damage::new(at, found, format!("at most {QUALIFIER_BYTES_MAX} bytes")));
    }
    let at = decoder.at;
    let granules = unzigzag(decoder.varint()?);
    if granules.checked_mul(TIMESTAMP_GRANULARITY_MICROS).is_none() {
        return Err(Damage::new(at, granules, "a time that fits into 64 bits"));
    }
    Ok(First { block: 0, family, qualifier_length: qualifier.len() as u16, qualifier_start: 0, granules })
}

/// Checks the length of a key. Keys share prefixes, so without a limit a small index could describe
/// a huge one.
fn check_key(at: usize, length: usize) -> Result<(), Damage> {
    if length > ROW_KEY_BYTES_MAX {
        return Err(Damage::new(
            at,
            format!("a row key of {length} bytes"),
            format!("at most {ROW_KEY_BYTES_MAX} bytes"),
        ));
    }
    Ok(())
}

/// An index that is being written.
#[derive(Debug, Default)]
pub(super) struct IndexBuilder {
    bytes: Vec<u8>,
    key: Vec<u8>,
    qualifier: Vec<u8>,
    count: u64,
}

impl IndexBuilder {
    /// Adds a block of `length` bytes. If it continues a row, `first` is its first cell: family,
    /// qualifier and time in granules.
    pub fn add(
        &mut self,
        first_key: &[u8],
        length: usize,
        rows: u32,
        cells: u32,
        first: Option<(FamilyId, &[u8], i64)>,
    ) {
        put_key(&mut self.bytes, &mut self.key, first_key);
        put_varint(&mut self.bytes, length as u64);
        put_varint(&mut self.bytes, rows.into());
        put_varint(&mut self.bytes, cells.into());
        put_varint(&mut self.bytes, first.is_some().into());
        if let Some((family, qualifier, granules)) = first {
            put_varint(&mut self.bytes, family.into());
            put_key(&mut self.bytes, &mut self.qualifier, qualifier);
            put_varint(&mut self.bytes, zigzag(granules));
        }
        self.count += 1;
    }

    pub fn finish(self, last_key: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len() + last_key.len() + 20);
        put_varint(&mut out, self.count);
        out.extend_from_slice(&self.bytes);
        put_varint(&mut out, last_key.len() as u64);
        out.extend_from_slice(last_key);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_beyond_the_limit_are_damage() {
        let opened = |length: usize, last: usize| {
            let mut builder = IndexBuilder::default();
            builder.add(&alloc::vec![7; length], 10, 1, 1, None);
            Index::decode(&builder.finish(&alloc::vec![7; last]), 0, 10, 2).is_ok()
        };
        let max = ROW_KEY_BYTES_MAX;
        assert!(opened(max, max) && !opened(max + 1, max) && !opened(max, max + 1));
    }

    #[test]
    fn an_index_of_version_1_names_no_cells() {
        // Two blocks of ten bytes: the key `k` whole, ten bytes, one row and one cell; then the
        // same key, which continues.
        let blocks = [&[2, 0, 1, b'k', 10, 1, 1, 0][..], &[1, 0, 10, 0, 1, 1], &[1, b'k']].concat();
        let index = Index::decode(&blocks, 0, 20, 1).unwrap();
        assert!(!index.names_cells() && index.first_cell(1).is_none());
        assert_eq!((index.seek(b"k"), index.last_of_row(0, b"k")), (0, 1));
        let wanted = CellKey { family: 0, qualifier: b"q", timestamp: 0 };
        assert_eq!(index.seek_cell(0, 1, &wanted), 0, "all blocks are read");
        assert!(Index::decode(&blocks, 0, 20, 2).is_err(), "version 2 names the cell");
        let mut builder = IndexBuilder::default();
        builder.add(b"k", 10, 1, 1, None);
        builder.add(b"k", 10, 0, 1, Some((0, b"q", 5)));
        let index = Index::decode(&builder.finish(b"k"), 0, 20, 2).unwrap();
        assert_eq!(index.first_cell(1), Some(CellKey { timestamp: 5_000, ..wanted }));
        assert_eq!(
            (index.seek_cell(0, 1, &wanted), index.seek_cell(0, 1, &CellKey { timestamp: 6_000, ..wanted })),
            (1, 0)
        );
        assert!(index.names_cells());
    }

    proptest! {
        #[test]
        fn searches_find_what_comparing_all_keys_finds(
            keys in prop::collection::btree_set(prop::collection::vec(prop_oneof![Just(0u8), Just(1), Just(255)], 0..14), 1..20),
            wanted in prop::collection::vec(prop_oneof![Just(0u8), Just(1), Just(255)], 0..14),
            head in prop::collection::vec(Just(7u8), 0..3),
        ) {
            let mut builder = IndexBuilder::default();
            let keys: Vec<Vec<u8>> = keys.iter().map(|key| [head.clone(), key.clone()].concat()).collect();
            keys.iter().for_each(|key| builder.add(key, 10, 1, 1, None));
            let index = Index::decode(&builder.finish(b"zz"), 0, keys.len() as u64 * 10, 2).unwrap();
            for wanted in [[head, wanted.clone()].concat(), wanted] {
                prop_assert_eq!(index.blocks_below(&wanted, false), keys.iter().filter(|key| **key < wanted).count());
                prop_assert_eq!(index.blocks_below(&wanted, true), keys.iter().filter(|key| **key <= wanted).count());
            }
            prop_assert_eq!(index.last_key(), b"zz");
        }
    }
}
