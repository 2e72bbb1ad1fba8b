//! One block: keys, then a directory of rows, then the rows, as specified in `mod.rs`.

use alloc::vec::Vec;

use super::dictionary::{Column, Dictionary, read_columns};
use super::heads::{Heads, common_length};
use super::intern::Interner;
use super::learn::{Learner, name_column, put_column};
use super::row::{ColumnCode, RowBuilder};
use super::{CHECKSUM_BYTES, checked, finish};
use crate::codec::{Damage, Decoder, put_varint, read_varint, unzigzag, zigzag};
use crate::columns::FamilyId;
use crate::storage::Slice;

/// The number of rows after which a key is stored whole again, so that a search decodes few keys.
pub(super) const RESTART_ROWS: usize = 16;

/// Collects rows until they fill a block.
#[derive(Debug, Default)]
pub(super) struct BlockBuilder {
    /// Columns that are not in the dictionary of the file.
    columns: Interner,
    keys: Vec<u8>,
    key: Vec<u8>,
    restarts: Vec<u32>,
    ends: Vec<u32>,
    data: Vec<u8>,
    /// The time of the block's very first cell, in granules.
    base: Option<i64>,
    scratch: Vec<u8>,
}

impl BlockBuilder {
    /// Returns the current bytes of the block, without its checksum.
    pub fn bytes(&self) -> usize {
        self.keys.len() + self.data.len() + self.columns.bytes() + self.ends.len() * 2
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of a column among the block's own columns, if it is one of them.
    pub fn known_column(&mut self, family: FamilyId, qualifier: &[u8]) -> Option<ColumnCode> {
        let hash = name_column(&mut self.scratch, family, qualifier);
        self.columns.find(hash, &self.scratch).map(ColumnCode::of_block)
    }

    /// Returns the number of a column among the block's own columns, and adds the column if it is
    /// missing.
    pub fn column(&mut self, family: FamilyId, qualifier: &[u8]) -> ColumnCode {
        let hash = name_column(&mut self.scratch, family, qualifier);
        let known = self.columns.find(hash, &self.scratch);
        ColumnCode::of_block(known.unwrap_or_else(|| self.columns.add(hash, &self.scratch)))
    }

    /// Returns the bytes that [`name_column`] produces for one of the block's own columns.
    pub fn column_name(&self, column: ColumnCode) -> &[u8] {
        self.columns.get(column.0 / 2)
    }

    /// Adds a row, or the part of it that is in this block.
    pub fn row(&mut self, key: &[u8], row: &mut RowBuilder, learner: &mut Learner) {
        if self.ends.len().is_multiple_of(RESTART_ROWS) {
            self.restarts.push(self.keys.len() as u32);
            self.key.clear();
        }
        put_key(&mut self.keys, &mut self.key, key);
        row.finish(learner, &mut self.base, &mut self.data);
        self.ends.push(self.data.len() as u32);
    }

    /// Returns the block as a section with its checksum, and empties the builder.
    pub fn finish(&mut self, seed: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes() + self.restarts.len() * 4 + 30 + CHECKSUM_BYTES);
        put_varint(&mut out, self.ends.len() as u64);
        put_varint(&mut out, zigzag(self.base.unwrap_or(0)));
        put_varint(&mut out, self.keys.len() as u64);
        put_varint(&mut out, self.data.len() as u64);
        put_varint(&mut out, self.columns.len() as u64);
        for column in self.columns.iter() {
            put_column(&mut out, column);
        }
        out.extend_from_slice(&self.keys);
        let width = width(self.keys.len(), self.data.len());
        for offset in self.restarts.iter().chain(&self.ends) {
            out.extend_from_slice(&offset.to_le_bytes()[..width]);
        }
        out.extend_from_slice(&self.data);
        finish(&mut out, seed);
        self.columns.clear();
        self.keys.clear();
        self.restarts.clear();
        self.ends.clear();
        self.data.clear();
        self.base = None;
        out
    }
}

/// Returns how many bytes an offset in the directory takes.
pub(super) fn width(keys: usize, data: usize) -> usize {
    if keys.max(data) < 1 << 16 { 2 } else { 4 }
}

/// Writes `key` as its difference from `previous`, and stores it there.
pub(super) fn put_key(out: &mut Vec<u8>, previous: &mut Vec<u8>, key: &[u8]) {
    let shared = common_length(previous, key);
    put_varint(out, shared as u64);
    put_varint(out, (key.len() - shared) as u64);
    out.extend_from_slice(&key[shared..]);
    previous.truncate(shared);
    previous.extend_from_slice(&key[shared..]);
}

/// Reads a key that [`put_key`] wrote at `at`; `key` holds the previous one.
#[inline]
pub(super) fn read_key(bytes: &[u8], at: &mut usize, key: &mut Vec<u8>) -> Result<(), Damage> {
    let start = *at;
    match key_parts(bytes, at) {
        Some((shared, rest)) if shared <= key.len() => {
            key.truncate(shared);
            key.extend_from_slice(rest);
            Ok(())
        }
        _ => Err(Damage::new(start, "no such key", "a key, as far as it differs from the one before")),
    }
}

#[inline(always)]
fn key_parts<'b>(bytes: &'b [u8], at: &mut usize) -> Option<(usize, &'b [u8])> {
    let shared = read_varint(bytes, at)?;
    let length = read_varint(bytes, at)?;
    let rest = bytes.get(*at..)?.get(..usize::try_from(length).ok()?)?;
    *at += rest.len();
    Some((usize::try_from(shared).ok()?, rest))
}

/// A block that is being read.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    bytes: Slice,
    /// Columns that are not in the dictionary of the file.
    columns: Vec<Column>,
    rows: usize,
    base: i64,
    keys_at: usize,
    /// The offset of the directory: restarts, then ends.
    directory_at: usize,
    data_at: usize,
    width: usize,
    /// The offsets of the keys that are stored whole, and their heads.
    restarts: Vec<u32>,
    heads: Heads,
}

impl Block {
    /// Opens a section as a block, and checks its checksum and its frame. Rows are checked as they
    /// are read.
    pub fn open(section: Slice, seed: u64) -> Result<Block, Damage> {
        let end = checked(&section, seed)?;
        let mut decoder = Decoder::new(&section[..end]);
        let rows = decoder.count(2)?;
        if rows == 0 {
            return Err(Damage::new(0, "no rows", "the rows of a block"));
        }
        let base = unzigzag(decoder.varint()?);
        let at = decoder.at;
        let (keys, data) = (decoder.count(1)?, decoder.count(1)?);
        let columns = read_columns(&mut decoder)?;
        let width = width(keys, data);
        let directory = (rows.div_ceil(RESTART_ROWS) + rows) * width;
        let keys_at = decoder.at;
        if keys_at + keys + directory + data != end {
            return Err(Damage::new(at, keys + directory + data, "lengths that fill the block"));
        }
        let directory_at = keys_at + keys;
        let data_at = directory_at + directory;
        let (restarts, heads) = (Vec::new(), Heads::default());
        let mut block = Block {
            bytes: section,
            columns,
            rows,
            base,
            keys_at,
            directory_at,
            data_at,
            width,
            restarts,
            heads,
        };
        for restart in 0..block.restart_count() {
            let at = keys_at + block.offset(restart);
            if !matches!(key_parts(&block.bytes[..directory_at], &mut at.clone()), Some((0, _))) {
                return Err(Damage::new(directory_at, at, "the offset of a whole key"));
            }
            block.restarts.push(at as u32);
        }
        block.heads = Heads::new(block.restart_count(), |restart| block.restart_key(restart));
        Ok(block)
    }

    /// Returns the block's section, with the checksum.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// Returns the base time, relative to which the times of rows are stored.
    pub fn base(&self) -> i64 {
        self.base
    }

    /// Returns the number of a column. Numbers of the block's own columns follow those of the
    /// dictionary.
    #[inline]
    pub(super) fn column_of(&self, code: ColumnCode, dictionary: &Dictionary) -> Option<u32> {
        let number = (code.0 / 2) as usize;
        if code.0 & 1 == 0 {
            (number < dictionary.column_count()).then_some(number as u32)
        } else {
            (number < self.columns.len()).then(|| (dictionary.column_count() + number) as u32)
        }
    }

    #[inline]
    pub fn column<'b>(&'b self, column: u32, dictionary: &'b Dictionary) -> (FamilyId, &'b [u8]) {
        match (column as usize).checked_sub(dictionary.column_count()) {
            None => dictionary.column(column),
            Some(own) => {
                let column = self.columns[own];
                (column.family, &self.bytes[column.start as usize..][..column.length as usize])
            }
        }
    }

    /// Returns the range of a row's data.
    #[inline]
    pub fn row_data(&self, row: usize) -> Result<(usize, usize), Damage> {
        let end = self.offset(self.restart_count() + row);
        let start = if row == 0 { 0 } else { self.offset(self.restart_count() + row - 1) };
        if start < end && self.data_at + end + CHECKSUM_BYTES <= self.bytes.len() {
            Ok((self.data_at + start, self.data_at + end))
        } else {
            Err(Damage::new(self.directory_at, end, "ascending ends of rows in the block"))
        }
    }

    /// Returns the bytes that a row takes.
    pub fn row_bytes(&self, row: usize) -> Result<usize, Damage> {
        self.row_data(row).map(|(start, end)| end - start)
    }

    /// Reads the key at `at` of the row after the one whose key `key` holds. The first key is at
    /// [`Block::first_key`].
    #[inline]
    pub fn next_key(&self, at: &mut usize, key: &mut Vec<u8>) -> Result<(), Damage> {
        read_key(&self.bytes[..self.directory_at], at, key)
    }

    pub fn first_key(&self) -> usize {
        self.keys_at
    }

    /// Reads the key of any row. Returns the offset of the next key.
    pub fn key(&self, row: usize, key: &mut Vec<u8>) -> Result<usize, Damage> {
        let restart = row / RESTART_ROWS;
        let mut at = self.restarts[restart] as usize;
        key.clear();
        for _ in restart * RESTART_ROWS..=row {
            self.next_key(&mut at, key)?;
        }
        Ok(at)
    }

    /// Returns the number of the first row at or after `wanted`, or the number of rows if there is
    /// none, with the offset of the next key. Sets `key` to the key of that row, or of the last
    /// row.
    pub fn seek(&self, wanted: &[u8], key: &mut Vec<u8>) -> Result<(usize, usize), Damage> {
        key.clear();
        // Finds the last restart whose key is not above `wanted`.
        let low = self.heads.below(wanted, true, |restart| self.restart_key(restart)).saturating_sub(1);
        let bytes = &self.bytes[..self.directory_at];
        let mut at = self.restarts[low] as usize;
        let mut row = low * RESTART_ROWS;
        // `equal` is the number of bytes that the previous key, which is below `wanted`, shares
        // with it, and `length` is that key's length. Keys are not decoded on the way: the one that
        // is found begins with a part of `wanted`.
        let (mut equal, mut length) = (0, 0);
        while row < self.rows {
            let start = at;
            let Some((shared, rest)) = key_parts(bytes, &mut at).filter(|parts| parts.0 <= length) else {
                return Err(Damage::new(
                    start,
                    "no such key",
                    "a key, as far as it differs from the one before",
                ));
            };
            length = shared + rest.len();
            // Let `wanted` be `bce`, and the previous key `bcd`, with which it has two bytes in
            // common. A key that shares only one byte with `bcd`, such as `bd`, is above both. One
            // that shares all three, such as `bcda`, is below `wanted` as `bcd` is. One that shares
            // exactly two must be compared from there on.
            let mut is_found = shared < equal;
            if shared == equal {
                let more = common_length(rest, &wanted[equal..]);
                equal += more;
                is_found = rest.get(more) >= wanted.get(equal);
            }
            if is_found {
                key.extend_from_slice(&wanted[..shared]);
                key.extend_from_slice(rest);
                return Ok((row, at));
            }
            row += 1;
        }
        at = self.key(row - 1, key)?;
        Ok((row, at))
    }

    /// Returns a key that is stored whole, which was read when the block was opened.
    #[inline]
    fn restart_key(&self, restart: usize) -> &[u8] {
        let mut at = self.restarts[restart] as usize;
        key_parts(&self.bytes[..self.directory_at], &mut at).map_or(&[], |parts| parts.1)
    }

    fn restart_count(&self) -> usize {
        self.rows.div_ceil(RESTART_ROWS)
    }

    /// Returns an entry of the directory.
    #[inline]
    fn offset(&self, entry: usize) -> usize {
        let at = self.directory_at + entry * self.width;
        match self.bytes[at..at + self.width] {
            [low, high] => u16::from_le_bytes([low, high]).into(),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]) as usize,
            _ => unreachable!("offsets have two bytes or four"),
        }
    }
}
