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
    row_values: usize,
    row_tombstones: Vec<u8>,
    column: u32,
    /// The time of the first cell of all, in granules.
    base: Option<i64>,
    /// The time of the cell before in the row.
    previous: Option<i64>,
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
        let base = *self.base.get_or_insert(granules);
        put_varint(&mut self.row_cells, zigzag(granules.wrapping_sub(self.previous.unwrap_or(base))));
        self.previous = Some(granules);
        put_varint(&mut self.row_cells, value.len() as u64);
        self.values.extend_from_slice(value);
        self.row_cell_count += 1;
    }

    /// Closes the row, or the part of it that lies in this block.
    pub fn end_row(&mut self, key: &[u8]) {
        put_key(&mut self.heads, &mut self.key, key);
        put_varint(&mut self.heads, self.row_cell_count * 2 + u64::from(!self.row_tombstones.is_empty()));
        put_varint(&mut self.heads, self.row_cells.len() as u64);
        put_varint(&mut self.heads, (self.values.len() - self.row_values) as u64);
        self.heads.append(&mut self.row_tombstones);
        self.heads.append(&mut self.row_cells);
        (self.row_cell_count, self.row_values, self.previous) = (0, self.values.len(), None);
    }

    /// The block as a section with its checksum; the builder is as new.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes() + 30 + CHECKSUM_BYTES);
        put_varint(&mut out, self.heads.len() as u64);
        put_varint(&mut out, zigzag(self.base.unwrap_or(0)));
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
        (self.column_bytes, self.column, self.row_values, self.base) = (0, 0, 0, None);
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
    base: i64,
}

#[derive(Clone, Copy, Debug)]
struct BlockColumn {
    family: FamilyId,
    start: u32,
    length: u32,
}

/// A place between two rows of a block, as offsets into it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub head: usize,
    value: usize,
}

/// The cells of a row that are still to come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowCells {
    pub count: u32,
    place: Place,
    /// Where they end: the place of the next row.
    pub end: Place,
    granules: i64,
}

impl RowCells {
    /// No cells; the next row is at `place`.
    pub fn none_before(place: Place) -> Self {
        RowCells { end: place, place, ..RowCells::default() }
    }

    /// Bytes of the cells' heads and of their values.
    pub fn lengths(&self) -> (usize, usize) {
        (self.end.head - self.place.head, self.end.value - self.place.value)
    }
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
        let base = unzigzag(decoder.varint()?);
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
        Ok(Block { bytes: section, columns, heads: at..values, values: values..end, base })
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
        Place { head: self.heads.start, value: self.values.start }
    }

    pub fn is_at_end(&self, place: &Place) -> bool {
        place.head >= self.heads.end
    }

    /// The row at a place: its key goes into `key`, which holds the one before. Gives its cells in this block and its
    /// tombstones.
    #[inline]
    pub fn row(&self, place: &Place, key: &mut Vec<u8>) -> Result<(RowCells, Option<Tombstones>), Damage> {
        let mut decoder = Decoder { bytes: &self.bytes[..self.heads.end], at: place.head };
        read_key(&mut decoder, key)?;
        let at = decoder.at;
        let count = decoder.varint()?;
        let heads_length = decoder.count(1)?;
        let values_at = decoder.at;
        let values_length = decoder.varint()?;
        if values_length > (self.values.end - place.value) as u64 {
            return Err(Damage::new(values_at, values_length, "a length of values that fits into the block"));
        }
        let tombstones = if count & 1 == 1 { Some(self.tombstones(&mut decoder)?) } else { None };
        let end = Place { head: decoder.at + heads_length, value: place.value + values_length as usize };
        if end.head > self.heads.end || count / 2 > (heads_length / 3) as u64 {
            return Err(Damage::new(at, count / 2, "a number of cells that fits into the row"));
        }
        let place = Place { head: decoder.at, value: place.value };
        Ok((RowCells { count: (count / 2) as u32, place, end, granules: self.base }, tombstones))
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

    #[inline(always)]
    fn known_column(&self, decoder: &mut Decoder<'_>) -> Result<u32, Damage> {
        let at = decoder.at;
        let column = decoder.u32()?;
        if (column as usize) < self.columns.len() {
            Ok(column)
        } else {
            Err(Damage::new(at, column, "a column of the block's dictionary"))
        }
    }

    /// The next cell of a row that has one.
    #[inline]
    pub fn cell(&self, cells: &mut RowCells) -> Result<BlockCell, Damage> {
        self.cell_of(&self.bytes[..cells.end.head], cells)
    }

    /// All cells of a row that are still to come.
    #[inline]
    pub fn each_cell(&self, cells: &mut RowCells, mut each: impl FnMut(BlockCell)) -> Result<(), Damage> {
        let heads = &self.bytes[..cells.end.head];
        while cells.count > 0 {
            each(self.cell_of(heads, cells)?);
        }
        Ok(())
    }

    #[inline(always)]
    fn cell_of(&self, heads: &[u8], cells: &mut RowCells) -> Result<BlockCell, Damage> {
        let mut decoder = Decoder { bytes: heads, at: cells.place.head };
        let column = self.known_column(&mut decoder)?;
        let granules = cells.granules.wrapping_add(unzigzag(decoder.varint()?));
        let length_at = decoder.at;
        let value_length = decoder.u32()?;
        let value_start = cells.place.value;
        if value_length as usize > cells.end.value - value_start {
            return Err(Damage::new(length_at, value_length, "a value that ends within the row"));
        }
        let Some(timestamp) = granules.checked_mul(TIMESTAMP_GRANULARITY_MICROS) else {
            return Err(Damage::new(cells.place.head, granules, "a time that fits into 64 bits"));
        };
        cells.place = Place { head: decoder.at, value: value_start + value_length as usize };
        cells.granules = granules;
        cells.count -= 1;
        Ok(BlockCell { column, value_length, value_start, timestamp })
    }
}
