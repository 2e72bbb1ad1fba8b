//! One row's part of a block: its columns, times and values.
//!
//! ```text
//! row    = (shape + 1, or 0 for a list of columns) * 8 + (4 if packed) + (2 if times differ) + (1 if tombstones follow)
//!          [tombstones]
//!          [cell_count]                        with a list of columns
//!          [time]                              of all cells, if there are any and their times do not differ
//!          word:2*                             if packed: the shape is known, times are equal, every value is a word
//!          or cell*
//! tombstones = row_is_deleted family_count family* count (column start end)*
//! cell   = [column] [time] value               column with a list of columns, time if times differ
//! column = number * 2 + (1 if of the block's own columns)
//! time   = zigzag of the difference to base_time of the block, or to the time of the cell before
//! value  = word * 2 + 1
//!        | length * 4       bytes              the bytes themselves
//!        | length * 4 + 2   tokens             see words.rs
//! ```

use alloc::vec::Vec;

use tabletop_model::Timestamp;
use tabletop_model::limits::TIMESTAMP_GRANULARITY_MICROS;

use super::block::Block;
use super::dictionary::Dictionary;
use super::learn::{Code, Entry, Learner};
use crate::codec::{Damage, Decoder, put_varint, read_varint, unzigzag, zigzag};
use crate::columns::FamilyId;
use crate::tombstones::{ColumnTombstone, Tombstones};

pub(super) const HAS_TOMBSTONES: u64 = 1;
pub(super) const TIMES_DIFFER: u64 = 2;
pub(super) const PACKED: u64 = 4;
pub(super) const SHAPE_SHIFT: u32 = 3;

/// The number of a column in rows: in the file's dictionary, or in the block's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ColumnCode(pub u32);

impl ColumnCode {
    pub fn of_file(column: u32) -> Self {
        ColumnCode(column * 2)
    }

    pub fn of_block(column: u32) -> Self {
        ColumnCode(column * 2 + 1)
    }

    /// Returns its number in the file's dictionary, if it is there.
    pub fn in_file(self) -> Option<u32> {
        (self.0 & 1 == 0).then_some(self.0 / 2)
    }
}

/// The cells of a row that is being written.
#[derive(Debug, Default)]
pub(super) struct RowBuilder {
    cells: Vec<NewCell>,
    /// Raw values and streams of tokens.
    values: Vec<u8>,
    tombstones: Vec<u8>,
    /// Whether every value is a word.
    has_words_only: bool,
    /// Used instead of cells: the shape, the time in granules, and the number of cells, whose words
    /// are in `values`.
    packed: Option<(u32, i64, usize)>,
}

#[derive(Clone, Copy, Debug)]
struct NewCell {
    column: ColumnCode,
    granules: i64,
    code: Code,
    value_length: u32,
}

impl RowBuilder {
    pub fn clear(&mut self) {
        self.cells.clear();
        self.values.clear();
        self.tombstones.clear();
        self.has_words_only = true;
        self.packed = None;
    }

    /// Returns the approximate number of bytes that the row will take.
    pub fn bytes(&self) -> usize {
        self.cells.len() * 3 + self.values.len() + self.tombstones.len()
    }

    pub fn cell_count(&self) -> usize {
        self.packed.map_or(self.cells.len(), |(_, _, cells)| cells)
    }

    /// Returns the column and the time in granules of the first cell, unless the cells were set
    /// together.
    pub fn first(&self) -> Option<(ColumnCode, i64)> {
        self.cells.first().map(|cell| (cell.column, cell.granules))
    }

    pub fn is_empty(&self) -> bool {
        self.cell_count() == 0 && self.tombstones.is_empty()
    }

    pub fn tombstones(
        &mut self,
        tombstones: &Tombstones,
        mut column: impl FnMut(FamilyId, &[u8]) -> ColumnCode,
    ) {
        let out = &mut self.tombstones;
        put_varint(out, tombstones.row.into());
        put_varint(out, tombstones.families.len() as u64);
        tombstones.families.iter().for_each(|&family| put_varint(out, family.into()));
        put_varint(out, tombstones.columns.len() as u64);
        for tombstone in &tombstones.columns {
            put_varint(out, column(tombstone.family, &tombstone.qualifier).0.into());
            put_varint(out, granules(tombstone.start) as u64);
            put_varint(out, if tombstone.end == Timestamp::MAX { 0 } else { granules(tombstone.end) as u64 });
        }
    }

    #[inline]
    pub fn cell(&mut self, learner: &mut Learner, column: ColumnCode, timestamp: Timestamp, value: &[u8]) {
        let start = self.values.len();
        let code = learner.value(value, &mut self.values);
        self.push(column, granules(timestamp), code, start);
    }

    /// Adds a cell whose value was appended to [`RowBuilder::values`], beginning at `start`.
    #[inline]
    pub fn push(&mut self, column: ColumnCode, granules: i64, code: Code, start: usize) {
        self.has_words_only &= matches!(code, Code::Word(_));
        self.cells.push(NewCell { column, granules, code, value_length: (self.values.len() - start) as u32 });
    }

    pub fn values(&mut self) -> &mut Vec<u8> {
        &mut self.values
    }

    /// Sets all cells of the row together: a shape, one time, and words. Returns `false`, and does
    /// nothing, if one of the words is missing.
    #[inline]
    pub fn pack(&mut self, shape: u32, granules: i64, words: impl Iterator<Item = Option<u32>>) -> bool {
        debug_assert!(self.cells.is_empty(), "the row was just begun");
        let mut count = 0;
        for word in words {
            let Some(word) = word else {
                self.values.clear();
                return false;
            };
            self.values.extend_from_slice(&(word as u16).to_le_bytes());
            count += 1;
        }
        self.packed = Some((shape, granules, count));
        true
    }

    /// Appends the row's part of the block. `base` is the block's base time.
    pub fn finish(&mut self, learner: &mut Learner, base: &mut Option<i64>, out: &mut Vec<u8>) {
        let RowBuilder { cells, values, tombstones, has_words_only, packed } = self;
        if let Some((shape, granules, _)) = *packed {
            let tombstones_flag = if tombstones.is_empty() { 0 } else { HAS_TOMBSTONES };
            put_varint(out, (u64::from(shape) + 1) << SHAPE_SHIFT | PACKED | tombstones_flag);
            out.extend_from_slice(tombstones);
            put_varint(out, zigzag(granules.wrapping_sub(*base.get_or_insert(granules))));
            out.extend_from_slice(values);
            self.clear();
            return;
        }
        let in_file = cells.iter().all(|cell| cell.column.in_file().is_some());
        let shape = if in_file && !cells.is_empty() {
            learner.shape(cells.iter().map(|cell| cell.column.0 / 2), Entry::IfRepeated)
        } else {
            None
        };
        let times_differ = cells.windows(2).any(|pair| pair[0].granules != pair[1].granules);
        let is_packed = *has_words_only && shape.is_some() && !times_differ;
        let mut head = shape.map_or(0, |shape| u64::from(shape) + 1) << SHAPE_SHIFT;
        head |= if tombstones.is_empty() { 0 } else { HAS_TOMBSTONES };
        head |= if times_differ { TIMES_DIFFER } else { 0 };
        head |= if is_packed { PACKED } else { 0 };
        put_varint(out, head);
        out.extend_from_slice(tombstones);
        if shape.is_none() {
            put_varint(out, cells.len() as u64);
        }
        if let Some(first) = cells.first() {
            let mut previous = *base.get_or_insert(first.granules);
            if !times_differ {
                put_varint(out, zigzag(first.granules.wrapping_sub(previous)));
            }
            let mut at = 0;
            for cell in cells.iter() {
                if let (true, Code::Word(word)) = (is_packed, cell.code) {
                    out.extend_from_slice(&(word as u16).to_le_bytes());
                    continue;
                }
                if shape.is_none() {
                    put_varint(out, cell.column.0.into());
                }
                if times_differ {
                    put_varint(out, zigzag(cell.granules.wrapping_sub(previous)));
                    previous = cell.granules;
                }
                match cell.code {
                    Code::Word(word) => put_varint(out, u64::from(word) * 2 + 1),
                    Code::Raw => put_varint(out, u64::from(cell.value_length) * 4),
                    Code::Tokens => put_varint(out, u64::from(cell.value_length) * 4 + 2),
                }
                out.extend_from_slice(&values[at..][..cell.value_length as usize]);
                at += cell.value_length as usize;
            }
        }
        self.clear();
    }
}

fn granules(timestamp: Timestamp) -> i64 {
    debug_assert!(timestamp % TIMESTAMP_GRANULARITY_MICROS == 0, "{timestamp} is on the granularity");
    timestamp / TIMESTAMP_GRANULARITY_MICROS
}

/// The remaining cells of a row, or of its part in one block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowCells {
    /// Remaining cells.
    pub count: u32,
    /// Cells that were already read.
    passed: u32,
    /// The number of the shape, plus 1.
    shape: u32,
    is_packed: bool,
    times_differ: bool,
    /// The time of the previous cell, or of all cells if they share one.
    granules: i64,
    /// The offset of the next cell, and the end of the row.
    at: usize,
    end: usize,
}

/// One cell of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockCell {
    /// The number: first the columns in the dictionary of the file, then the block's own.
    pub column: u32,
    pub timestamp: Timestamp,
    pub value: StoredValue,
}

/// The place of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredValue {
    Word(u32),
    /// In the block, as bytes.
    Raw {
        start: usize,
        length: u32,
    },
    /// In the block, as tokens.
    Tokens {
        start: usize,
        length: u32,
    },
}

impl RowCells {
    /// Reads the head of a row's part.
    #[inline]
    pub fn open(
        block: &Block,
        dictionary: &Dictionary,
        start: usize,
        end: usize,
    ) -> Result<(RowCells, Option<Tombstones>), Damage> {
        let bytes = block.bytes();
        let bytes =
            bytes.get(..end).ok_or_else(|| Damage::new(start, end, "a row that ends in the block"))?;
        let mut at = start;
        let cut = || Damage::new(start, "the end of the row", "more bytes");
        let head = read_varint(bytes, &mut at).ok_or_else(cut)?;
        let tombstones = if head & HAS_TOMBSTONES != 0 {
            let mut decoder = Decoder { bytes, at };
            let tombstones = read_tombstones(block, dictionary, &mut decoder)?;
            at = decoder.at;
            Some(tombstones)
        } else {
            None
        };
        let is_packed = head & PACKED != 0;
        let times_differ = head & TIMES_DIFFER != 0;
        let shape = head >> SHAPE_SHIFT;
        let count = if shape == 0 {
            let mut decoder = Decoder { bytes, at };
            // Each cell takes at least two bytes, so a damaged count cannot ask for more cells than
            // fit.
            let count = decoder.count(2)?;
            at = decoder.at;
            count
        } else {
            match u32::try_from(shape - 1).ok().and_then(|shape| dictionary.shape(shape)) {
                Some(columns) => columns.len(),
                None => return Err(Damage::new(start, shape, "the number of a shape")),
            }
        };
        let mut granules = block.base();
        if !times_differ && count > 0 {
            granules = granules.wrapping_add(unzigzag(read_varint(bytes, &mut at).ok_or_else(cut)?));
            // Checked once here, so that the fast path for whole rows does not check it for each
            // cell.
            if granules.checked_mul(TIMESTAMP_GRANULARITY_MICROS).is_none() {
                return Err(Damage::new(start, granules, "a time that fits into 64 bits"));
            }
        }
        // A packed row is nothing but words of two bytes, so its length follows from its shape.
        if is_packed && (shape == 0 || times_differ || end - at != count * 2) {
            return Err(Damage::new(start, count, "a packed row of two bytes a cell"));
        }
        let cells = RowCells {
            count: count as u32,
            passed: 0,
            shape: shape as u32,
            is_packed,
            times_differ,
            granules,
            at,
            end,
        };
        Ok((cells, tombstones))
    }

    /// Returns the shape of a row of which no cell has been read yet.
    #[inline]
    pub fn shape(&self) -> Option<u32> {
        if self.passed == 0 { self.shape.checked_sub(1) } else { None }
    }

    /// Returns the time of all cells, in granules, if they share one.
    #[inline]
    pub fn one_time(&self) -> Option<i64> {
        (!self.times_differ).then_some(self.granules)
    }

    /// Returns the words of all cells, if the row is packed.
    #[inline]
    pub fn packed<'b>(&self, block: &'b Block) -> Option<&'b [[u8; 2]]> {
        if !self.is_packed || self.passed > 0 {
            return None;
        }
        Some(block.bytes().get(self.at..self.end)?.as_chunks::<2>().0)
    }

    /// Reads the next cell; there must be one.
    #[inline]
    pub fn next(&mut self, block: &Block, dictionary: &Dictionary) -> Result<BlockCell, Damage> {
        let start = self.at;
        match self.try_next(block, dictionary) {
            Some(cell) => Ok(cell),
            None => Err(Damage::new(start, "an invalid cell", "a column, a time and a value of the row")),
        }
    }

    #[inline(always)]
    fn try_next(&mut self, block: &Block, dictionary: &Dictionary) -> Option<BlockCell> {
        let bytes = &block.bytes()[..self.end];
        let column = if self.shape > 0 {
            *dictionary.shape(self.shape - 1)?.get(self.passed as usize)?
        } else {
            let code = u32::try_from(read_varint(bytes, &mut self.at)?).ok()?;
            block.column_of(ColumnCode(code), dictionary)?
        };
        if self.times_differ {
            self.granules = self.granules.wrapping_add(unzigzag(read_varint(bytes, &mut self.at)?));
        }
        let timestamp = self.granules.checked_mul(TIMESTAMP_GRANULARITY_MICROS)?;
        let value = self.next_value(bytes)?;
        if let StoredValue::Word(word) = value
            && word as usize >= dictionary.word_count()
        {
            return None;
        }
        self.count = self.count.checked_sub(1)?;
        self.passed += 1;
        Some(BlockCell { column, timestamp, value })
    }

    /// Reads the place of the next value.
    #[inline(always)]
    fn next_value(&mut self, bytes: &[u8]) -> Option<StoredValue> {
        if self.is_packed {
            let word = bytes.get(self.at..)?.first_chunk::<2>()?;
            self.at += 2;
            return Some(StoredValue::Word(u16::from_le_bytes(*word).into()));
        }
        // The lowest bits are the kind of the value: 7 is word 3, 20 begins 5 bytes, and 22 begins
        // 5 bytes of tokens.
        let code = read_varint(bytes, &mut self.at)?;
        if code & 1 != 0 {
            return Some(StoredValue::Word(u32::try_from(code / 2).ok()?));
        }
        let (start, length) = (self.at, code / 4);
        if length > (bytes.len() - start) as u64 {
            return None;
        }
        self.at += length as usize;
        let length = length as u32;
        Some(if code & 2 == 0 {
            StoredValue::Raw { start, length }
        } else {
            StoredValue::Tokens { start, length }
        })
    }

    /// Returns, in order, the values of a row of a known shape with one time. The caller has the
    /// columns.
    #[inline]
    pub fn values<'b>(mut self, block: &'b Block) -> impl Iterator<Item = Option<StoredValue>> + use<'b> {
        let bytes = &block.bytes()[..self.end];
        (0..self.count).map(move |_| self.next_value(bytes))
    }
}

fn read_tombstones(
    block: &Block,
    dictionary: &Dictionary,
    decoder: &mut Decoder<'_>,
) -> Result<Tombstones, Damage> {
    let mut tombstones = Tombstones { row: decoder.varint()? != 0, ..Tombstones::default() };
    for _ in 0..decoder.count(1)? {
        let at = decoder.at;
        let family = decoder.varint()?;
        tombstones
            .families
            .push(FamilyId::try_from(family).map_err(|_| Damage::new(at, family, "the number of a family"))?);
    }
    for _ in 0..decoder.count(3)? {
        let at = decoder.at;
        let code = decoder.u32()?;
        let column = block.column_of(ColumnCode(code), dictionary);
        let column = column.ok_or_else(|| Damage::new(at, code, "a column of a dictionary"))?;
        let (family, qualifier) = block.column(column, dictionary);
        let at = decoder.at;
        let (start, end) = (decoder.varint()?, decoder.varint()?);
        let micros = |granules: u64| {
            i64::try_from(granules)
                .ok()
                .and_then(|granules| granules.checked_mul(TIMESTAMP_GRANULARITY_MICROS))
                .ok_or_else(|| Damage::new(at, granules, "a time"))
        };
        let end = if end == 0 { Timestamp::MAX } else { micros(end)? };
        tombstones.columns.push(ColumnTombstone {
            family,
            qualifier: qualifier.to_vec(),
            start: micros(start)?,
            end,
        });
    }
    Ok(tombstones)
}
