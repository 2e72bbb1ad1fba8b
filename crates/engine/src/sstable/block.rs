//! One block, built and read: see the drawing in the module above.

use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::Timestamp;
use tabletop_model::limits::TIMESTAMP_GRANULARITY_MICROS;
use xxhash_rust::xxh3::xxh3_64;

use super::{CHECKSUM_BYTES, checked};
use crate::codec::{Damage, Decoder, put_varint, unzigzag, zigzag};
use crate::columns::{Columns, FamilyId};
use crate::storage::Slice;
use crate::tombstones::{ColumnTombstone, Tombstones};

/// Gathers rows until they are a block's worth.
#[derive(Debug, Default)]
pub(crate) struct BlockBuilder {
    columns: Columns,
    column_bytes: usize,
    heads: Vec<u8>,
    values: Vec<u8>,
    key: Vec<u8>,
    /// The cells of the row that is open; its head names their number, so they wait.
    row_cells: Vec<u8>,
    row_cell_count: u64,
    row_tombstones: Vec<u8>,
    column: u32,
    granules: i64,
}

impl BlockBuilder {
    /// Bytes of the block as it stands, without its checksum.
    pub fn bytes(&self) -> usize {
        self.heads.len() + self.row_cells.len() + self.row_tombstones.len() + self.values.len() + self.column_bytes
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    pub fn tombstones(&mut self, tombstones: &Tombstones) {
        let out = &mut self.row_tombstones;
        put_varint(out, tombstones.row.into());
        put_varint(out, tombstones.families.len() as u64);
        tombstones.families.iter().for_each(|&family| put_varint(out, family.into()));
        put_varint(out, tombstones.columns.len() as u64);
        for tombstone in &tombstones.columns {
            let column = number(&mut self.columns, &mut self.column_bytes, tombstone.family, &tombstone.qualifier, 0);
            put_varint(out, column.into());
            put_varint(out, granules(tombstone.start) as u64);
            put_varint(out, if tombstone.end == Timestamp::MAX { 0 } else { granules(tombstone.end) as u64 });
        }
    }

    /// Adds a cell to the row that [`BlockBuilder::end_row`] will name.
    #[inline]
    pub fn cell(&mut self, family: FamilyId, qualifier: &[u8], timestamp: Timestamp, value: &[u8]) {
        self.column = number(&mut self.columns, &mut self.column_bytes, family, qualifier, self.column);
        put_varint(&mut self.row_cells, self.column.into());
        let granules = granules(timestamp);
        put_varint(&mut self.row_cells, zigzag(granules.wrapping_sub(self.granules)));
        self.granules = granules;
        put_varint(&mut self.row_cells, value.len() as u64);
        self.values.extend_from_slice(value);
        self.row_cell_count += 1;
    }

    /// Closes the row, or the part of it that lies in this block.
    pub fn end_row(&mut self, key: &[u8]) {
        put_key(&mut self.heads, &mut self.key, key);
        put_varint(&mut self.heads, self.row_cell_count * 2 + u64::from(!self.row_tombstones.is_empty()));
        self.heads.append(&mut self.row_tombstones);
        self.heads.append(&mut self.row_cells);
        self.row_cell_count = 0;
    }

    /// The block as a section with its checksum; the builder is as new.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes() + 20 + CHECKSUM_BYTES);
        put_varint(&mut out, self.heads.len() as u64);
        put_varint(&mut out, self.columns.len() as u64);
        for column in 0..self.columns.len() as u32 {
            let (family, qualifier) = self.columns.get(column);
            put_varint(&mut out, family.into());
            put_varint(&mut out, qualifier.len() as u64);
            out.extend_from_slice(qualifier);
        }
        out.extend_from_slice(&self.heads);
        out.extend_from_slice(&self.values);
        let checksum = xxh3_64(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        self.columns.clear();
        self.heads.clear();
        self.values.clear();
        self.key.clear();
        (self.column_bytes, self.column, self.granules) = (0, 0, 0);
        out
    }
}

fn number(columns: &mut Columns, bytes: &mut usize, family: FamilyId, qualifier: &[u8], previous: u32) -> u32 {
    let known = columns.len();
    let column = columns.number(family, qualifier, previous);
    if columns.len() > known {
        *bytes += qualifier.len() + 2;
    }
    column
}

fn granules(timestamp: Timestamp) -> i64 {
    debug_assert!(timestamp % TIMESTAMP_GRANULARITY_MICROS == 0, "{timestamp} is on the granularity");
    timestamp / TIMESTAMP_GRANULARITY_MICROS
}

/// Writes `key` against `previous`, and remembers it there.
pub(super) fn put_key(out: &mut Vec<u8>, previous: &mut Vec<u8>, key: &[u8]) {
    let shared = previous.iter().zip(key).take_while(|(a, b)| a == b).count();
    put_varint(out, shared as u64);
    put_varint(out, (key.len() - shared) as u64);
    out.extend_from_slice(&key[shared..]);
    previous.truncate(shared);
    previous.extend_from_slice(&key[shared..]);
}

/// Reads a key that [`put_key`] wrote; `key` holds the one before.
#[inline]
pub(super) fn read_key(decoder: &mut Decoder<'_>, key: &mut Vec<u8>) -> Result<(), Damage> {
    let start = decoder.at;
    let shared = decoder.varint()?;
    if shared > key.len() as u64 {
        return Err(Damage::new(start, shared, "a prefix of the key before"));
    }
    let rest = decoder.count(1)?;
    key.truncate(shared as usize);
    key.extend_from_slice(decoder.slice(rest)?);
    Ok(())
}

/// A block that is being read: its bytes and its dictionary.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    bytes: Slice,
    columns: Vec<BlockColumn>,
    heads: Range<usize>,
    values: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
struct BlockColumn {
    family: FamilyId,
    start: u32,
    length: u32,
}

/// Where the next row of a block begins, and what its head is told against.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub head: usize,
    pub value: usize,
    granules: i64,
}

/// One cell's place in a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockCell {
    pub column: u32,
    pub value_length: u32,
    pub value_start: usize,
    pub timestamp: Timestamp,
}

impl Block {
    /// A section's block, its checksum and its dictionary checked. Rows are checked as they are read.
    pub fn open(section: Slice) -> Result<Block, Damage> {
        let end = checked(&section)?;
        let mut decoder = Decoder::new(&section[..end]);
        let heads_length = decoder.varint()?;
        let count = decoder.count(2)?;
        let mut columns = Vec::with_capacity(count);
        for _ in 0..count {
            let at = decoder.at;
            let family = decoder.varint()?;
            let Ok(family) = FamilyId::try_from(family) else {
                return Err(Damage::new(at, family, "the number of a family"));
            };
            let length = decoder.count(1)?;
            let start = decoder.at as u32;
            decoder.slice(length)?;
            columns.push(BlockColumn { family, start, length: length as u32 });
        }
        let at = decoder.at;
        if heads_length > (end - at) as u64 {
            return Err(Damage::new(0, heads_length, "a length of heads that fits into the block"));
        }
        let values = at + heads_length as usize;
        Ok(Block { bytes: section, columns, heads: at..values, values: values..end })
    }

    pub fn column_count(&self) -> usize {
        self.columns.len()
    }

    #[inline]
    pub fn column(&self, column: u32) -> (FamilyId, &[u8]) {
        let column = self.columns[column as usize];
        (column.family, &self.bytes[column.start as usize..][..column.length as usize])
    }

    #[inline]
    pub fn value(&self, start: usize, length: u32) -> &[u8] {
        &self.bytes[start..][..length as usize]
    }

    pub fn first(&self) -> Place {
        Place { head: self.heads.start, value: self.values.start, granules: 0 }
    }

    pub fn is_at_end(&self, place: &Place) -> bool {
        place.head >= self.heads.end
    }

    /// Moves over a row's key, into `key`, which holds the one before. Gives the number of its cells in this block and its
    /// tombstones.
    #[inline]
    pub fn row(&self, place: &mut Place, key: &mut Vec<u8>) -> Result<(u32, Option<Tombstones>), Damage> {
        let mut decoder = Decoder { bytes: &self.bytes[..self.heads.end], at: place.head };
        read_key(&mut decoder, key)?;
        let at = decoder.at;
        let count = decoder.varint()?;
        let tombstones = if count & 1 == 1 { Some(self.tombstones(&mut decoder)?) } else { None };
        let left = (self.heads.end - decoder.at) as u64;
        if count / 2 > left / 3 {
            return Err(Damage::new(at, count / 2, "a number of cells that fits into the block"));
        }
        place.head = decoder.at;
        Ok(((count / 2) as u32, tombstones))
    }

    fn tombstones(&self, decoder: &mut Decoder<'_>) -> Result<Tombstones, Damage> {
        let mut tombstones = Tombstones { row: decoder.varint()? != 0, ..Tombstones::default() };
        for _ in 0..decoder.count(1)? {
            let at = decoder.at;
            let family = decoder.varint()?;
            tombstones.families.push(FamilyId::try_from(family).map_err(|_| Damage::new(at, family, "the number of a family"))?);
        }
        for _ in 0..decoder.count(3)? {
            let (family, qualifier) = self.column(self.known_column(decoder)?);
            let at = decoder.at;
            let (start, end) = (decoder.varint()?, decoder.varint()?);
            let micros = |granules: u64| {
                i64::try_from(granules)
                    .ok()
                    .and_then(|granules| granules.checked_mul(TIMESTAMP_GRANULARITY_MICROS))
                    .ok_or_else(|| Damage::new(at, granules, "a time"))
            };
            let end = if end == 0 { Timestamp::MAX } else { micros(end)? };
            tombstones.columns.push(ColumnTombstone { family, qualifier: qualifier.to_vec(), start: micros(start)?, end });
        }
        Ok(tombstones)
    }

    fn known_column(&self, decoder: &mut Decoder<'_>) -> Result<u32, Damage> {
        let at = decoder.at;
        let column = decoder.u32()?;
        if (column as usize) < self.columns.len() {
            Ok(column)
        } else {
            Err(Damage::new(at, column, "a column of the block's dictionary"))
        }
    }

    /// Moves over a cell.
    #[inline]
    pub fn cell(&self, place: &mut Place) -> Result<BlockCell, Damage> {
        let mut decoder = Decoder { bytes: &self.bytes[..self.heads.end], at: place.head };
        let column = self.known_column(&mut decoder)?;
        place.granules = place.granules.wrapping_add(unzigzag(decoder.varint()?));
        let length_at = decoder.at;
        let value_length = decoder.u32()?;
        let value_start = place.value;
        if value_length as usize > self.values.end - value_start {
            return Err(Damage::new(length_at, value_length, "a value that ends within the block"));
        }
        let Some(timestamp) = place.granules.checked_mul(TIMESTAMP_GRANULARITY_MICROS) else {
            return Err(Damage::new(place.head, place.granules, "a time that fits into 64 bits"));
        };
        place.head = decoder.at;
        place.value = value_start + value_length as usize;
        Ok(BlockCell { column, value_length, value_start, timestamp })
    }
}
