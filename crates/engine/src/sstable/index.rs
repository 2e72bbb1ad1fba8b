//! The index of an SSTable: the places of its blocks, and their first keys.
//!
//! ```text
//! index = block_count (shared_length rest_length rest  length rows cells continues)*
//!         last_key_length last_key
//! ```

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::limits::ROW_KEY_BYTES_MAX;

use super::block::{put_key, read_key};
use super::heads::Heads;
use crate::codec::{Damage, Decoder, put_varint};

/// The index of an open SSTable.
#[derive(Debug)]
pub(crate) struct Index {
    /// Never empty; in key order.
    pub blocks: Vec<BlockMeta>,
    /// The heads of the first keys.
    heads: Heads,
    keys: Vec<u8>,
    last_key: Range<usize>,
}

/// The index entry of one block.
#[derive(Clone, Debug)]
pub(crate) struct BlockMeta {
    pub offset: u64,
    /// Includes the checksum.
    pub length: u32,
    /// Rows that begin in it.
    pub rows: u32,
    pub cells: u32,
    /// Its first row began in the block before.
    pub continues: bool,
    key_start: u32,
    key_length: u32,
}

impl Index {
    /// Reads an index of blocks that are adjacent from `start` to `end`.
    pub fn decode(bytes: &[u8], start: u64, end: u64) -> Result<Index, Damage> {
        let mut decoder = Decoder::new(bytes);
        let count = decoder.count(6)?;
        let mut blocks = Vec::with_capacity(count);
        let (mut keys, mut key, mut offset) = (Vec::new(), Vec::new(), start);
        for _ in 0..count {
            let at = decoder.at;
            read_key(bytes, &mut decoder.at, &mut key)?;
            check_key(at, key.len())?;
            let (key_start, key_length) = (keys.len() as u32, key.len() as u32);
            keys.extend_from_slice(&key);
            let (length, rows, cells) = (decoder.u32()?, decoder.u32()?, decoder.u32()?);
            let continues = decoder.varint()? != 0;
            if continues && blocks.is_empty() {
                return Err(Damage::new(at, "a row that continues", "the beginning of a row in the first block"));
            }
            blocks.push(BlockMeta { offset, length, rows, cells, continues, key_start, key_length });
            offset += u64::from(length);
            if offset > end || keys.len() > u32::MAX as usize / 2 {
                return Err(Damage::new(at, format!("a block that ends at {offset}"), "blocks that end before the dictionary"));
            }
        }
        if blocks.is_empty() || offset != end {
            return Err(Damage::new(0, format!("{count} blocks up to {offset}"), "blocks up to the dictionary"));
        }
        let at = decoder.at;
        let length = decoder.count(1)?;
        check_key(at, length)?;
        let last_key = keys.len()..keys.len() + length;
        keys.extend_from_slice(decoder.slice(length)?);
        if !decoder.is_at_end() {
            return Err(Damage::new(decoder.at, "more bytes", "the end of the index"));
        }
        let mut index = Index { blocks, heads: Heads::default(), keys, last_key };
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
        let beyond = self.blocks_below(key, true);
        let mut block = beyond.saturating_sub(1);
        while block > 0 && self.blocks[block].continues && self.first_key(block) == key {
            block -= 1;
        }
        block
    }

    /// Returns how many blocks begin below `key`, or also at it.
    pub fn blocks_below(&self, key: &[u8], or_at: bool) -> usize {
        self.heads.below(key, or_at, |block| self.first_key(block))
    }
}

/// Checks the length of a key. Keys share prefixes: without a limit a small index could describe a large one.
fn check_key(at: usize, length: usize) -> Result<(), Damage> {
    if length > ROW_KEY_BYTES_MAX {
        return Err(Damage::new(at, format!("a row key of {length} bytes"), format!("at most {ROW_KEY_BYTES_MAX} bytes")));
    }
    Ok(())
}

/// An index that is being written.
#[derive(Debug, Default)]
pub(super) struct IndexBuilder {
    bytes: Vec<u8>,
    key: Vec<u8>,
    count: u64,
}

impl IndexBuilder {
    pub fn add(&mut self, first_key: &[u8], length: usize, rows: u32, cells: u32, continues: bool) {
        put_key(&mut self.bytes, &mut self.key, first_key);
        put_varint(&mut self.bytes, length as u64);
        put_varint(&mut self.bytes, rows.into());
        put_varint(&mut self.bytes, cells.into());
        put_varint(&mut self.bytes, continues.into());
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
            builder.add(&alloc::vec![7; length], 10, 1, 1, false);
            Index::decode(&builder.finish(&alloc::vec![7; last]), 0, 10).is_ok()
        };
        let max = ROW_KEY_BYTES_MAX;
        assert!(opened(max, max) && !opened(max + 1, max) && !opened(max, max + 1));
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
            keys.iter().for_each(|key| builder.add(key, 10, 1, 1, false));
            let index = Index::decode(&builder.finish(b"zz"), 0, keys.len() as u64 * 10).unwrap();
            for wanted in [[head, wanted.clone()].concat(), wanted] {
                prop_assert_eq!(index.blocks_below(&wanted, false), keys.iter().filter(|key| **key < wanted).count());
                prop_assert_eq!(index.blocks_below(&wanted, true), keys.iter().filter(|key| **key <= wanted).count());
            }
            prop_assert_eq!(index.last_key(), b"zz");
        }
    }
}
