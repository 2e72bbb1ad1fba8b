//! Walks over the rows of one SSTable within a range, forwards or backwards; the cells of a row always come forwards.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::limits::{ROW_KEY_BYTES_MAX, TIMESTAMP_GRANULARITY_MICROS};
use tabletop_model::{Timestamp, escape};

use super::row::{BlockCell, RowCells, StoredValue};
use super::words::Decoded;
use super::{Block, Dictionary, SsTable, Writer};
use crate::cache::Blocks;
use crate::codec::Damage;
use crate::columns::FamilyId;
use crate::filter::{ColumnVerdicts, Filter, Pick, ShapeVerdicts, Verdict};
use crate::gc::Collector;
use crate::key_range::Bounds;
use crate::merge::{CellPlace, ValueKind};
use crate::storage::{Storage, StorageError};
use crate::tombstones::Tombstones;

/// What reads more blocks is a scan.
const SCAN_BLOCKS: u32 = 4;

/// Stands on a row, or beyond the last one.
#[derive(Debug)]
pub(crate) struct StoredCursor<'a, S> {
    blocks: &'a Blocks<'a, S>,
    table: &'a SsTable,
    bounds: Bounds<'a>,
    reversed: bool,
    /// The blocks that cells handed out lie in; the last one is being read.
    held: Vec<Held>,
    /// The number of the last held block, and of the row in it.
    block: usize,
    row: usize,
    /// Forwards: where the next key of the block lies.
    key_at: usize,
    /// The cells of the row that are still to come in that block.
    cells: RowCells,
    key: Vec<u8>,
    tombstones: Option<Tombstones>,
    has_row: bool,
    /// Backwards: the rows of block `home` that are still to come.
    home: usize,
    home_rows: usize,
    /// What a filter says of the file's columns and shapes.
    verdicts: ColumnVerdicts,
    shapes: ShapeVerdicts,
    /// Values of cells handed out that are stored as tokens.
    decoded: Decoded,
    blocks_read: u32,
}

#[derive(Debug)]
struct Held {
    block: Arc<Block>,
    /// On the columns that only this block has.
    verdicts: ColumnVerdicts,
}

impl<'a, S: Storage> StoredCursor<'a, S> {
    /// A cursor on the first row within the bounds, or on the last when `reversed`. These must not lie beside the table.
    pub fn new(blocks: &'a Blocks<'a, S>, table: &'a SsTable, bounds: Bounds<'a>, reversed: bool) -> Result<Self, StorageError> {
        let mut cursor = StoredCursor::unbegun(blocks, table, bounds, reversed);
        cursor.begin()?;
        Ok(cursor)
    }

    /// The same, which stands nowhere yet: what is large is not moved when it is begun where it stays.
    #[inline]
    pub fn unbegun(blocks: &'a Blocks<'a, S>, table: &'a SsTable, bounds: Bounds<'a>, reversed: bool) -> Self {
        StoredCursor {
            blocks,
            table,
            bounds,
            reversed,
            held: Vec::new(),
            block: 0,
            row: 0,
            key_at: 0,
            cells: RowCells::default(),
            key: Vec::new(),
            tombstones: None,
            has_row: false,
            home: 0,
            home_rows: 0,
            verdicts: ColumnVerdicts::default(),
            shapes: ShapeVerdicts::default(),
            decoded: Decoded::default(),
            blocks_read: 0,
        }
    }

    /// Goes to the first row of all.
    pub fn begin(&mut self) -> Result<(), StorageError> {
        let StoredCursor { table, bounds, .. } = *self;
        if self.reversed {
            let beyond = bounds.end.map_or(table.index.blocks.len(), |end| table.index.blocks_below(end, false));
            if beyond > 0 {
                self.home = beyond - 1;
                self.enter(beyond - 1)?;
                self.home_rows = match bounds.end {
                    Some(end) => self.seek(end)?,
                    None => self.block().row_count(),
                };
                self.previous_row()?;
            }
        } else {
            self.enter(table.index.seek(bounds.start))?;
            let row = self.seek(bounds.start)?;
            if row < self.block().row_count() {
                self.open_row(row)?;
            } else {
                self.row = row - 1;
                self.following_row()?;
            }
            // Only in a damaged file: its blocks do not begin where the index says.
            while self.has_row && *self.key < *bounds.start {
                self.next_row()?;
            }
        }
        Ok(())
    }

    /// The key of the row, or `None` beyond the last one.
    #[inline]
    pub fn key(&self) -> Option<&[u8]> {
        self.has_row.then_some(self.key.as_slice())
    }

    /// Checks that the row comes behind another one, and that its key is not too long.
    pub fn check_row(&self, before: &[u8]) -> Result<(), StorageError> {
        if self.key.as_slice() > before && self.key.len() <= ROW_KEY_BYTES_MAX {
            return Ok(());
        }
        let expected = format!("a row of at most {ROW_KEY_BYTES_MAX} bytes behind \"{}\"", escape(before));
        Err(self.damage(Damage::new(self.block().first_key(), format!("row \"{}\"", escape(&self.key)), expected)))
    }

    #[inline]
    pub fn tombstones(&self) -> Option<&Tombstones> {
        self.tombstones.as_ref()
    }

    /// Whether the columns of the row, or of its part, of which no cell came yet, all lie in the file's dictionary.
    pub fn has_shape(&self) -> bool {
        self.cells.shape().is_some()
    }

    /// Goes to the next row in the cursor's direction. Cells that were handed out are gone.
    pub fn next_row(&mut self) -> Result<(), StorageError> {
        self.release();
        if self.reversed {
            self.previous_row()
        } else {
            self.skip_cells()?;
            self.following_row()
        }
    }

    /// Lets go of what only cells handed out before need.
    #[inline]
    pub fn release(&mut self) {
        if self.held.len() > 1 {
            self.held.drain(..self.held.len() - 1);
        }
        self.decoded.clear();
    }

    /// Forgets the values that were decoded for cells handed out before.
    #[inline]
    pub fn forget_values(&mut self) {
        self.decoded.clear();
    }

    /// The next cell of the row. Its value must be resolved before it is looked at.
    #[inline]
    pub fn next_cell(&mut self) -> Result<Option<CellPlace>, StorageError> {
        if !self.enter_part()? {
            return Ok(None);
        }
        let held = self.held.len() - 1;
        match self.cells.next(&self.held[held].block, &self.table.dictionary) {
            Ok(cell) => Ok(Some(place(held, cell, &self.table.dictionary))),
            Err(damage) => Err(self.damage(damage)),
        }
    }

    /// Makes the value of a cell readable, until the cursor goes on.
    pub fn resolve(&mut self, place: &mut CellPlace) -> Result<(), StorageError> {
        if place.kind != ValueKind::Tokens {
            return Ok(());
        }
        let block = &self.held[place.held as usize].block;
        match decode(&mut self.decoded, block, &self.table.dictionary, place.value_start, place.value_length) {
            Ok((start, length)) => {
                (place.kind, place.value_start, place.value_length) = (ValueKind::Decoded, start, length);
                Ok(())
            }
            Err(damage) => Err(self.damage(damage)),
        }
    }

    /// Whether cells of the row are still to come; those that lie in one block are a part, and the block is entered.
    #[inline]
    pub fn enter_part(&mut self) -> Result<bool, StorageError> {
        if self.cells.count > 0 { Ok(true) } else { self.enter_continuation() }
    }

    /// Passes the cells of the part without looking at them, and gives their number.
    pub fn pass_part(&mut self) -> u32 {
        core::mem::take(&mut self.cells.count)
    }

    /// Hands the cells of the part that the filter does not drop to `each`, their values resolved. Gives how many the part has.
    pub fn part(
        &mut self,
        mut filter: Option<&mut Filter>,
        mut each: impl FnMut(CellPlace, Verdict),
    ) -> Result<u32, StorageError> {
        let index = self.held.len() - 1;
        let StoredCursor { held, table, cells, verdicts, shapes, decoded, .. } = self;
        let Held { block, verdicts: own_verdicts } = &mut held[index];
        let dictionary = &table.dictionary;
        let count = cells.count;
        let picks = match (&mut filter, cells.shape()) {
            (Some(filter), Some(shape)) => {
                let columns = dictionary.shape(shape).unwrap_or_default();
                let judge = |column| verdicts.get(column, filter, || dictionary.column(column));
                Some(shapes.get(shape, columns, judge).picks.as_slice())
            }
            _ => None,
        };
        if picks.is_some_and(<[Pick]>::is_empty) {
            self.pass_part();
            return Ok(count);
        }
        let file_columns = dictionary.column_count() as u32;
        let mut picks = picks.map(|picks| picks.iter().peekable());
        let mut passed = Ok(());
        for at in 0..count {
            let cell = match cells.next(block, dictionary) {
                Ok(cell) => cell,
                Err(damage) => {
                    passed = Err(damage);
                    break;
                }
            };
            let verdict = match (&mut picks, &mut filter) {
                (Some(picks), _) => match picks.next_if(|pick| pick.place == at) {
                    Some(pick) => pick.verdict,
                    None => continue,
                },
                (None, Some(filter)) => match cell.column.checked_sub(file_columns) {
                    None => verdicts.get(cell.column, filter, || dictionary.column(cell.column)),
                    Some(own) => own_verdicts.get(own, filter, || block.column(cell.column, dictionary)),
                },
                (None, None) => Verdict::Keep,
            };
            if verdict == Verdict::Drop {
                continue;
            }
            let mut place = place(index, cell, dictionary);
            if place.kind == ValueKind::Tokens {
                match decode(decoded, block, dictionary, place.value_start, place.value_length) {
                    Ok((start, length)) => {
                        (place.kind, place.value_start, place.value_length) = (ValueKind::Decoded, start, length);
                    }
                    Err(damage) => {
                        passed = Err(damage);
                        break;
                    }
                }
            }
            each(place, verdict);
        }
        self.cells.count = 0;
        passed.map_err(|damage| self.damage(damage)).map(|()| count)
    }

    /// Hands the row's cells to `each`, with its key: the quick way for a row of a known shape and one time whose cells the
    /// filter keeps or drops by their columns. Gives how many cells it has, or `None`, and nothing was done, for other rows.
    #[inline]
    pub fn hand_out(
        &mut self,
        filter: Option<&mut Filter>,
        mut each: impl FnMut(&[u8], FamilyId, &[u8], Timestamp, &[u8]),
    ) -> Result<Option<u32>, StorageError> {
        let StoredCursor { held, table, cells, verdicts, shapes, decoded, key, .. } = self;
        let (Some(shape), Some(granules), [Held { block, .. }]) = (cells.shape(), cells.one_time(), held.as_slice()) else {
            return Ok(None);
        };
        if self.row + 1 == block.row_count() && table.index.blocks.get(self.block + 1).is_some_and(|next| next.continues) {
            return Ok(None);
        }
        let dictionary = &table.dictionary;
        let columns = dictionary.shape(shape).unwrap_or_default();
        // It was checked when the row was opened.
        let timestamp = granules.wrapping_mul(TIMESTAMP_GRANULARITY_MICROS);
        let mut hand = |column: u32, value: &[u8]| {
            let (family, qualifier) = dictionary.column(column);
            each(key, family, qualifier, timestamp, value);
        };
        let count = cells.count;
        let picks = match filter {
            Some(filter) => {
                let judge = |column| verdicts.get(column, filter, || dictionary.column(column));
                let verdict = shapes.get(shape, columns, judge);
                if verdict.needs_test {
                    return Ok(None);
                }
                Some(verdict.picks.as_slice())
            }
            None => None,
        };
        let done = match (cells.packed(block), picks) {
            (Some(words), None) => columns.iter().zip(words).try_for_each(|(&column, word)| {
                hand(column, dictionary.word(u16::from_le_bytes(*word).into())?);
                Some(())
            }),
            (Some(words), Some(picks)) => picks.iter().try_for_each(|pick| {
                let word = words.get(pick.place as usize)?;
                hand(pick.column, dictionary.word(u16::from_le_bytes(*word).into())?);
                Some(())
            }),
            (None, picks) => {
                decoded.clear();
                let mut hand_stored = |column: u32, value: StoredValue| {
                    match value {
                        StoredValue::Word(word) => hand(column, dictionary.word(word)?),
                        StoredValue::Raw { start, length } => hand(column, &block.bytes()[start..][..length as usize]),
                        StoredValue::Tokens { start, length } => {
                            let (start, length) = decoded.decode(&block.bytes()[start..][..length as usize], dictionary)?;
                            hand(column, decoded.get(start, length));
                        }
                    }
                    Some(())
                };
                match picks {
                    None => columns.iter().zip(cells.values(block)).try_for_each(|(&column, value)| hand_stored(column, value?)),
                    Some([]) => Some(()),
                    Some(picks) => {
                        let mut values = cells.values(block);
                        let mut at = 0;
                        picks.iter().try_for_each(|pick| {
                            let value = values.nth((pick.place - at) as usize)??;
                            at = pick.place + 1;
                            hand_stored(pick.column, value)
                        })
                    }
                }
            }
        };
        if done.is_none() {
            let damage = Damage::new(block.row_data(self.row).map_or(0, |data| data.0), "values that make no sense", "a row");
            return Err(self.damage(damage));
        }
        self.cells.count = 0;
        Ok(Some(count))
    }

    /// Whether some of the row's cells may be collected, as far as its shape and time tell.
    pub fn may_lose(&self, collector: &Collector) -> bool {
        let dictionary = &self.table.dictionary;
        let Some(columns) = self.cells.shape().and_then(|shape| dictionary.shape(shape)) else { return true };
        let timestamp = self.cells.one_time().map(|granules| granules.wrapping_mul(TIMESTAMP_GRANULARITY_MICROS));
        // Versions of a column differ in their times.
        let has_versions = timestamp.is_none() && columns.windows(2).any(|pair| pair[0] == pair[1]);
        has_versions || columns.iter().any(|&column| collector.may_collect_newest(dictionary.column(column).0, timestamp))
    }

    /// Copies the row to an SSTable that is being written, in which it was begun. `false`, and nothing was done, when it does
    /// not lie in one block.
    pub fn copy(&mut self, writer: &mut Writer) -> Result<bool, StorageError> {
        let [Held { block, .. }] = self.held.as_slice() else { return Ok(false) };
        let goes_on =
            self.row + 1 == block.row_count() && self.table.index.blocks.get(self.block + 1).is_some_and(|next| next.continues);
        if goes_on {
            return Ok(false);
        }
        let copied = writer.copy(self.table, block, self.cells);
        self.cells.count = 0;
        copied.map(|()| true).map_err(|damage| self.damage(damage))
    }

    #[inline]
    pub fn column(&self, place: &CellPlace) -> (FamilyId, &[u8]) {
        self.held[place.held as usize].block.column(place.column, &self.table.dictionary)
    }

    /// The value of a cell that is resolved.
    #[inline]
    pub fn value(&self, place: &CellPlace) -> &[u8] {
        let CellPlace { value_start, value_length, .. } = *place;
        match place.kind {
            ValueKind::Word => self.table.dictionary.word_at(value_start, value_length),
            ValueKind::Decoded => self.decoded.get(value_start, value_length),
            ValueKind::Plain | ValueKind::Tokens => {
                debug_assert!(place.kind == ValueKind::Plain, "the value is resolved");
                &self.held[place.held as usize].block.bytes()[value_start..][..value_length as usize]
            }
        }
    }

    /// What the filter's column tests said of a cell.
    pub fn facts(&self, place: &CellPlace) -> &[u64] {
        match place.column.checked_sub(self.table.dictionary.column_count() as u32) {
            None => self.verdicts.facts(place.column),
            Some(own) => self.held[place.held as usize].verdicts.facts(own),
        }
    }

    pub fn verdict(&mut self, place: &CellPlace, filter: &mut Filter) -> Verdict {
        let dictionary = &self.table.dictionary;
        let Held { block, verdicts } = &mut self.held[place.held as usize];
        match place.column.checked_sub(dictionary.column_count() as u32) {
            None => self.verdicts.get(place.column, filter, || dictionary.column(place.column)),
            Some(own) => verdicts.get(own, filter, || block.column(place.column, dictionary)),
        }
    }

    /// Cells of the row, and bytes that it takes. Its cells are gone then.
    pub fn size_of_row(&mut self) -> Result<(u64, u64), StorageError> {
        let (mut cells, mut bytes) = (0, self.key.len() as u64 + 3);
        loop {
            bytes += self.block().row_bytes(self.row).map_err(|damage| self.damage(damage))? as u64;
            cells += u64::from(self.pass_part());
            self.release();
            if !self.enter_continuation()? {
                return Ok((cells, bytes));
            }
        }
    }

    fn block(&self) -> &Block {
        &self.held[self.held.len() - 1].block
    }

    fn read(&mut self, block: usize) -> Result<Held, StorageError> {
        self.blocks_read += 1;
        let block = self.blocks.read(self.table, block, self.blocks_read > SCAN_BLOCKS)?;
        Ok(Held { block, verdicts: ColumnVerdicts::default() })
    }

    /// Reads a block and holds only that one.
    fn enter(&mut self, block: usize) -> Result<(), StorageError> {
        self.held.clear();
        let read = self.read(block)?;
        self.held.push(read);
        self.block = block;
        Ok(())
    }

    /// The first row of the block at or after a key, whose key is read; the number of all rows if there is none.
    fn seek(&mut self, wanted: &[u8]) -> Result<usize, StorageError> {
        let mut key = core::mem::take(&mut self.key);
        let found = self.block().seek(wanted, &mut key);
        self.key = key;
        let (row, at) = found.map_err(|damage| self.damage(damage))?;
        self.key_at = at;
        Ok(row)
    }

    /// Stands on a row of the block whose key is read already.
    #[inline]
    fn open_row(&mut self, row: usize) -> Result<(), StorageError> {
        self.row = row;
        self.has_row = !self.bounds.ends_before(&self.key);
        if !self.has_row {
            // Nobody asks for a row beyond the end.
            (self.cells, self.tombstones) = (RowCells::default(), None);
            return Ok(());
        }
        let block = &self.held[self.held.len() - 1].block;
        let opened = block.row_data(row).and_then(|(start, end)| RowCells::open(block, &self.table.dictionary, start, end));
        match opened {
            Ok(opened) => {
                (self.cells, self.tombstones) = opened;
                Ok(())
            }
            Err(damage) => Err(self.damage(damage)),
        }
    }

    /// When the row goes on in the next block: goes there.
    fn enter_continuation(&mut self) -> Result<bool, StorageError> {
        while self.cells.count == 0 {
            let at_end = self.held.last().is_some_and(|held| self.row + 1 == held.block.row_count());
            let next = self.block + 1;
            if !self.has_row || !at_end || !self.table.index.blocks.get(next).is_some_and(|block| block.continues) {
                return Ok(false);
            }
            let read = self.read(next)?;
            self.held.push(read);
            self.block = next;
            let mut key = Vec::new();
            self.key_at = self.block().first_key();
            self.block().next_key(&mut self.key_at.clone(), &mut key).map_err(|damage| self.damage(damage))?;
            if key != self.key {
                let found = escape(&key);
                return Err(self.damage(Damage::new(self.key_at, found, "the key of the row that goes on in this block")));
            }
            let tombstones = self.tombstones.take();
            // The key was the first of the block, and is read whole.
            self.key_at = self.block().key(0, &mut key).map_err(|damage| self.damage(damage))?;
            self.open_row(0)?;
            self.tombstones = tombstones;
        }
        Ok(true)
    }

    fn skip_cells(&mut self) -> Result<(), StorageError> {
        self.pass_part();
        while self.enter_continuation()? {
            self.pass_part();
            self.release();
        }
        Ok(())
    }

    /// Forwards: the row behind this one, or the first of the next block.
    #[inline]
    fn following_row(&mut self) -> Result<(), StorageError> {
        self.has_row = false;
        let mut row = self.row + 1;
        if row == self.block().row_count() {
            if self.block + 1 == self.table.index.blocks.len() {
                return Ok(());
            }
            self.enter(self.block + 1)?;
            self.key.clear();
            self.key_at = self.block().first_key();
            row = 0;
        }
        let block = &self.held[self.held.len() - 1].block;
        if let Err(damage) = block.next_key(&mut self.key_at, &mut self.key) {
            return Err(self.damage(damage));
        }
        self.open_row(row)
    }

    fn previous_row(&mut self) -> Result<(), StorageError> {
        self.has_row = false;
        loop {
            // The first row of a block that goes on with one belongs to the block before.
            let continues = self.table.index.blocks[self.home].continues;
            if self.home_rows > usize::from(continues) {
                break;
            }
            if self.home == 0 || self.table.index.first_key(self.home) < self.bounds.start {
                return Ok(());
            }
            self.home -= 1;
            self.enter(self.home)?;
            self.home_rows = self.block().row_count();
        }
        if self.block != self.home {
            self.enter(self.home)?;
        }
        self.home_rows -= 1;
        let mut key = core::mem::take(&mut self.key);
        let found = self.block().key(self.home_rows, &mut key);
        self.key = key;
        found.map_err(|damage| self.damage(damage))?;
        if *self.key < *self.bounds.start {
            // No row before it is in the range either.
            (self.home, self.home_rows) = (0, 0);
            return Ok(());
        }
        self.open_row(self.home_rows)
    }

    #[cold]
    fn damage(&self, damage: Damage) -> StorageError {
        self.table.damage(self.block, damage)
    }
}

/// A cell of the block that is held at this index.
#[inline]
fn place(held: usize, cell: BlockCell, dictionary: &Dictionary) -> CellPlace {
    let (kind, value_start, value_length) = match cell.value {
        StoredValue::Word(word) => {
            let (start, length) = dictionary.word_place(word).unwrap_or_default();
            (ValueKind::Word, start, length)
        }
        StoredValue::Raw { start, length } => (ValueKind::Plain, start, length),
        StoredValue::Tokens { start, length } => (ValueKind::Tokens, start, length),
    };
    CellPlace { held: held as u32, column: cell.column, value_length, kind, value_start, timestamp: cell.timestamp }
}

fn decode(
    decoded: &mut Decoded,
    block: &Block,
    dictionary: &Dictionary,
    start: usize,
    length: u32,
) -> Result<(usize, u32), Damage> {
    decoded
        .decode(&block.bytes()[start..][..length as usize], dictionary)
        .ok_or_else(|| Damage::new(start, "tokens that make no sense", "the tokens of a value"))
}
