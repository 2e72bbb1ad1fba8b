//! A cursor over the rows of one SSTable within a range, forwards or backwards. The cells of a row
//! are always read forwards.

mod cells;

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::limits::ROW_KEY_BYTES_MAX;
use tabletop_model::{Timestamp, escape};

use super::row::RowCells;
use super::words::Decoded;
use super::{Block, Dictionary, SsTable};
use crate::cache::{self, Blocks};
use crate::cell_key::CellKey;
use crate::codec::Damage;
use crate::filter::{ColumnVerdicts, Needed, ShapeVerdicts};
use crate::key_range::Bounds;
use crate::storage::StorageError;
use crate::tombstones::Tombstones;

/// A cursor that reads more than this many blocks is a scan.
const SCAN_BLOCKS: u32 = 4;
/// After this many dropped cells in a row, the next needed cell is searched for instead.
const DROPPED_MAX: u32 = 64;

/// A cursor. It is positioned on a row, or beyond the last one.
pub(crate) struct StoredCursor<'a> {
    blocks: &'a Blocks<'a>,
    table: &'a SsTable,
    /// The dictionary; present once the first block is read.
    dictionary: Option<Arc<Dictionary>>,
    bounds: Bounds<'a>,
    reversed: bool,
    /// The blocks of the cells that were passed on; the last one is being read.
    held: Vec<HeldBlock<'a>>,
    /// The number of the last held block.
    block: usize,
    row: usize,
    /// Forwards: the offset of the next key of the block.
    key_at: usize,
    /// The remaining cells of the row in that block.
    cells: RowCells,
    /// The number of consecutive cells that the filter has dropped by their column.
    dropped: u32,
    key: Vec<u8>,
    tombstones: Option<Tombstones>,
    has_row: bool,
    /// Backwards: the block whose remaining rows come next.
    home: usize,
    home_rows: usize,
    /// The filter's verdicts on the file's columns and shapes.
    verdicts: ColumnVerdicts,
    shapes: ShapeVerdicts,
    /// Values of cells that were passed on and are stored as tokens.
    decoded: Decoded,
    blocks_read: u32,
}

struct HeldBlock<'a> {
    block: cache::HeldBlock<'a>,
    /// The verdicts on the columns that only this block has.
    verdicts: ColumnVerdicts,
}

impl<'a> StoredCursor<'a> {
    /// Creates a cursor on the first row within the bounds, or on the last one when `reversed`. The
    /// bounds must overlap the table.
    pub fn new(
        blocks: &'a Blocks<'a>,
        table: &'a SsTable,
        bounds: Bounds<'a>,
        reversed: bool,
    ) -> Result<Self, StorageError> {
        let mut cursor = StoredCursor::unbegun(blocks, table, bounds, reversed);
        cursor.begin()?;
        Ok(cursor)
    }

    /// Creates a cursor without a position, so that it can be put in its final place before it
    /// begins: it is a large value to move.
    #[inline]
    pub fn unbegun(blocks: &'a Blocks<'a>, table: &'a SsTable, bounds: Bounds<'a>, reversed: bool) -> Self {
        StoredCursor {
            blocks,
            table,
            dictionary: None,
            bounds,
            reversed,
            held: Vec::new(),
            block: 0,
            row: 0,
            key_at: 0,
            cells: RowCells::default(),
            dropped: 0,
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

    /// Moves to the first row in the cursor's direction.
    pub fn begin(&mut self) -> Result<(), StorageError> {
        let StoredCursor { table, bounds, .. } = *self;
        if self.reversed {
            let beyond =
                bounds.end.map_or(table.index.blocks.len(), |end| table.index.blocks_below(end, false));
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
            // This happens only in a damaged file, where a block does not begin as the index says.
            while self.has_row && *self.key < *bounds.start {
                self.next_row()?;
            }
        }
        Ok(())
    }

    /// Returns the key of the row, or `None` beyond the last one.
    #[inline]
    pub fn key(&self) -> Option<&[u8]> {
        self.has_row.then_some(self.key.as_slice())
    }

    /// Checks that the row follows `before`, and that its key is not too long.
    pub fn check_row(&self, before: &[u8]) -> Result<(), StorageError> {
        if self.key.as_slice() > before && self.key.len() <= ROW_KEY_BYTES_MAX {
            return Ok(());
        }
        let expected = format!("a row of at most {ROW_KEY_BYTES_MAX} bytes after \"{}\"", escape(before));
        Err(self.damage(Damage::new(
            self.block().first_key(),
            format!("row \"{}\"", escape(&self.key)),
            expected,
        )))
    }

    #[inline]
    pub fn tombstones(&self) -> Option<&Tombstones> {
        self.tombstones.as_ref()
    }

    /// Moves to the next row in the cursor's direction. Cells that were passed on become invalid.
    pub fn next_row(&mut self) -> Result<(), StorageError> {
        self.release();
        if self.reversed {
            return self.previous_row();
        }
        self.pass_part();
        if self.has_row && self.goes_on() {
            let index = &self.table.index;
            let last = index.last_of_row(self.block + 1, &self.key);
            if index.blocks[last].rows == 0 {
                self.has_row = false;
                return self.enter_row_of(last + 1);
            }
            self.continue_in(last)?;
            self.release();
        }
        self.following_row()
    }

    /// Releases blocks and values that only cells passed on earlier need.
    #[inline]
    pub fn release(&mut self) {
        if self.held.len() > 1 {
            self.held.drain(..self.held.len() - 1);
        }
        self.decoded.clear();
    }

    /// Returns whether the row has more needed cells; there may also be others. A part is the cells
    /// in one block, and the block is entered. Blocks without a needed cell are skipped.
    #[inline]
    pub fn enter_part(&mut self, needed: Needed<'_>) -> Result<bool, StorageError> {
        if self.dropped >= DROPPED_MAX {
            self.skip_unneeded(needed)?;
        }
        if self.cells.count > 0 { Ok(true) } else { self.enter_continuation(needed) }
    }

    /// Returns whether [`StoredCursor::skip_past`] finds a cell in the middle of a row of any
    /// length.
    pub fn can_skip(&self) -> bool {
        self.table.index.names_cells()
    }

    /// Skips the cells of the row up to `place`. The blocks in between are not read if the file
    /// names first cells. Cells that were passed on before stay valid.
    pub fn skip_past(&mut self, place: &CellKey<'_>) -> Result<(), StorageError> {
        if self.has_row && self.goes_on() {
            let index = &self.table.index;
            let block = index.seek_cell(self.block, index.last_of_row(self.block + 1, &self.key), place);
            if block > self.block {
                self.pass_part();
                self.continue_in(block)?;
            }
        }
        let (block, dictionary) = (&self.held[self.held.len() - 1].block, loaded(&self.dictionary));
        let mut cells = self.cells;
        while cells.count > 0 {
            let cell = match cells.next(block, dictionary) {
                Ok(cell) => cell,
                Err(damage) => return Err(self.damage(damage)),
            };
            if CellKey::new(block.column(cell.column, dictionary), cell.timestamp) > *place {
                break;
            }
            self.cells = cells;
        }
        Ok(())
    }

    /// Skips the cells of the row up to the next one whose column is needed, without evaluating
    /// them.
    #[cold]
    fn skip_unneeded(&mut self, needed: Needed<'_>) -> Result<(), StorageError> {
        self.dropped = 0;
        if self.cells.count == 0 {
            return Ok(());
        }
        let (block, dictionary) = (self.block(), self.dictionary());
        let cell = self.cells.clone().next(block, dictionary).map_err(|damage| self.damage(damage))?;
        let column = block.column(cell.column, dictionary);
        match needed.next(column) {
            None => drop(self.pass_part()),
            Some(wanted) if wanted != column => {
                let (family, qualifier) = (wanted.0, wanted.1.to_vec());
                self.skip_past(&CellKey::new((family, &qualifier), Timestamp::MAX))?;
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Skips the remaining cells of the part, and returns their number.
    pub fn pass_part(&mut self) -> u32 {
        core::mem::take(&mut self.cells.count)
    }

    /// Returns the number of the row's cells and its approximate bytes, and skips the cells. Blocks
    /// that have no other row are not read.
    pub fn size_of_row(&mut self) -> Result<(u64, u64), StorageError> {
        let (mut cells, mut bytes) = (0, self.key.len() as u64 + 3);
        loop {
            bytes += self.block().row_bytes(self.row).map_err(|damage| self.damage(damage))? as u64;
            cells += u64::from(self.pass_part());
            self.release();
            if !self.has_row || !self.goes_on() {
                return Ok((cells, bytes));
            }
            let next = self.block + 1;
            let last = self.table.index.last_of_row(next, &self.key);
            for between in &self.table.index.blocks[next..last] {
                cells += u64::from(between.cells);
                bytes += u64::from(between.length);
            }
            self.continue_in(last)?;
        }
    }

    #[inline]
    fn block(&self) -> &Block {
        &self.held[self.held.len() - 1].block
    }

    #[inline]
    fn dictionary(&self) -> &Dictionary {
        loaded(&self.dictionary)
    }

    /// Returns whether the row continues in the next block.
    #[inline]
    fn goes_on(&self) -> bool {
        self.row + 1 == self.block().row_count()
            && self.table.index.blocks.get(self.block + 1).is_some_and(|next| next.continues)
    }

    fn read(&mut self, block: usize) -> Result<HeldBlock<'a>, StorageError> {
        if self.dictionary.is_none() {
            self.dictionary = Some(self.blocks.dictionary(self.table)?);
        }
        self.blocks_read += 1;
        let block = self.blocks.hold(self.table, block, self.blocks_read > SCAN_BLOCKS)?;
        Ok(HeldBlock { block, verdicts: ColumnVerdicts::default() })
    }

    /// Reads a block and holds only that one.
    fn enter(&mut self, block: usize) -> Result<(), StorageError> {
        self.held.clear();
        let read = self.read(block)?;
        self.held.push(read);
        self.block = block;
        Ok(())
    }

    /// Returns the first row of the block at or after a key, and reads its key. Returns the number
    /// of rows if there is none.
    fn seek(&mut self, wanted: &[u8]) -> Result<usize, StorageError> {
        let mut key = core::mem::take(&mut self.key);
        let found = self.block().seek(wanted, &mut key);
        self.key = key;
        let (row, at) = found.map_err(|damage| self.damage(damage))?;
        self.key_at = at;
        Ok(row)
    }

    /// Moves to a row of the block whose key has already been read.
    #[inline]
    fn open_row(&mut self, row: usize) -> Result<(), StorageError> {
        (self.row, self.dropped) = (row, 0);
        self.has_row = !self.bounds.ends_before(&self.key);
        if !self.has_row {
            // No row beyond the end is read.
            (self.cells, self.tombstones) = (RowCells::default(), None);
            return Ok(());
        }
        let block = &self.held[self.held.len() - 1].block;
        let opened =
            block.row_data(row).and_then(|(start, end)| RowCells::open(block, self.dictionary(), start, end));
        match opened {
            Ok(opened) => {
                (self.cells, self.tombstones) = opened;
                Ok(())
            }
            Err(damage) => Err(self.damage(damage)),
        }
    }

    /// Moves to the next block with needed cells of the row.
    fn enter_continuation(&mut self, needed: Needed<'_>) -> Result<bool, StorageError> {
        while self.cells.count == 0 {
            if !self.has_row || !self.goes_on() || matches!(needed, Needed::Nothing) {
                return Ok(false);
            }
            let index = &self.table.index;
            let mut next = self.block + 1;
            if let (Needed::By(_), Some(first)) = (needed, index.first_cell(next)) {
                let Some(column) = needed.next(first.column()) else { return Ok(false) };
                if column != first.column() {
                    let last = index.last_of_row(next, &self.key);
                    next = index.seek_cell(next, last, &CellKey::new(column, Timestamp::MAX));
                }
            }
            self.continue_in(next)?;
        }
        Ok(true)
    }

    /// Moves to the part of the row in a later block. The blocks in between are not read.
    fn continue_in(&mut self, number: usize) -> Result<(), StorageError> {
        let read = self.read(number)?;
        self.held.push(read);
        self.block = number;
        self.key_at = self.block().first_key();
        let mut key = Vec::new();
        self.block().next_key(&mut self.key_at.clone(), &mut key).map_err(|damage| self.damage(damage))?;
        if key != self.key {
            let found = escape(&key);
            return Err(self.damage(Damage::new(
                self.key_at,
                found,
                "the key of the row that continues in this block",
            )));
        }
        let tombstones = self.tombstones.take();
        // The key is the first of the block, and stored whole.
        self.key_at = self.block().key(0, &mut key).map_err(|damage| self.damage(damage))?;
        self.open_row(0)?;
        self.tombstones = tombstones;
        let Some(named) = self.table.index.first_cell(number) else { return Ok(()) };
        let (block, dictionary) = (&self.held[self.held.len() - 1].block, self.dictionary());
        let mut cells = self.cells;
        let begins = cells.count > 0 && {
            let cell = cells.next(block, dictionary).map_err(|damage| self.damage(damage))?;
            CellKey::new(block.column(cell.column, dictionary), cell.timestamp) == named
        };
        if begins {
            Ok(())
        } else {
            Err(self.damage(Damage::new(self.key_at, "another cell", "the cell that the index names")))
        }
    }

    /// Forwards: moves to the next row, which may be the first of the next block.
    #[inline]
    fn following_row(&mut self) -> Result<(), StorageError> {
        self.has_row = false;
        let row = self.row + 1;
        if row == self.block().row_count() {
            return self.enter_row_of(self.block + 1);
        }
        self.open_next_row(row)
    }

    /// Forwards: moves to the first row of a block, if there is one.
    fn enter_row_of(&mut self, block: usize) -> Result<(), StorageError> {
        if block == self.table.index.blocks.len() {
            return Ok(());
        }
        self.enter(block)?;
        self.key.clear();
        self.key_at = self.block().first_key();
        self.open_next_row(0)
    }

    #[inline]
    fn open_next_row(&mut self, row: usize) -> Result<(), StorageError> {
        let block = &self.held[self.held.len() - 1].block;
        if let Err(damage) = block.next_key(&mut self.key_at, &mut self.key) {
            return Err(self.damage(damage));
        }
        self.open_row(row)
    }

    fn previous_row(&mut self) -> Result<(), StorageError> {
        self.has_row = false;
        loop {
            // A row that continues at the beginning of a block belongs to the block before.
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

#[inline]
fn loaded(dictionary: &Option<Arc<Dictionary>>) -> &Dictionary {
    dictionary.as_deref().expect("a block was read")
}
