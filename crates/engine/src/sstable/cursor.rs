//! Walks over the rows of one SSTable within a range, forwards or backwards; the cells of a row always come forwards.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::block::RowCells;
use super::{Block, SsTable};
use crate::codec::Damage;
use crate::filter::ColumnVerdicts;
use crate::key_range::KeyRange;
use crate::merge::CellPlace;
use crate::storage::{Storage, StorageError};
use crate::tombstones::Tombstones;

/// Stands on a row, or beyond the last one.
#[derive(Debug)]
pub(crate) struct StoredCursor<'a, S> {
    storage: &'a S,
    table: &'a SsTable,
    range: KeyRange,
    reversed: bool,
    /// The blocks that cells handed out lie in; the last one is being read.
    held: Vec<Held>,
    /// The number of the last held block.
    block: usize,
    /// The cells of the row that are still to come in that block.
    cells: RowCells,
    key: Vec<u8>,
    tombstones: Option<Tombstones>,
    has_row: bool,
    /// Backwards: the rows that begin in `home` and are still to come, in ascending order.
    home: usize,
    home_rows: Vec<RowStart>,
    home_block: Option<Arc<Block>>,
    pub blocks_read: u64,
}

#[derive(Debug)]
struct Held {
    block: Arc<Block>,
    verdicts: ColumnVerdicts,
}

/// A row that was walked over: where its cells begin.
#[derive(Debug)]
struct RowStart {
    key: Vec<u8>,
    cells: RowCells,
    tombstones: Option<Tombstones>,
}

impl<'a, S: Storage> StoredCursor<'a, S> {
    /// A cursor on the first row of the range, or on the last when `reversed`. The range must not lie beside the table.
    pub fn new(storage: &'a S, table: &'a SsTable, range: KeyRange, reversed: bool) -> Result<Self, StorageError> {
        let mut cursor = StoredCursor {
            storage,
            table,
            reversed,
            held: Vec::new(),
            block: 0,
            cells: RowCells::default(),
            key: Vec::new(),
            tombstones: None,
            has_row: false,
            home: 0,
            home_rows: Vec::new(),
            home_block: None,
            blocks_read: 0,
            range,
        };
        if reversed {
            let end = cursor.range.end.as_deref();
            let beyond = table.partition(|first| end.is_none_or(|end| first < end));
            if beyond > 0 {
                cursor.enter_backwards(beyond - 1)?;
                cursor.previous_row()?;
            }
        } else {
            cursor.enter(table.seek(&cursor.range.start))?;
            loop {
                cursor.following_row()?;
                if !cursor.has_row || cursor.key >= cursor.range.start {
                    break;
                }
                cursor.skip_cells()?;
            }
        }
        Ok(cursor)
    }

    /// The key of the row, or `None` beyond the last one.
    pub fn key(&self) -> Option<&[u8]> {
        self.has_row.then_some(self.key.as_slice())
    }

    pub fn tombstones(&self) -> Option<&Tombstones> {
        self.tombstones.as_ref()
    }

    /// Goes to the next row in the cursor's direction. Cells that were handed out are gone.
    pub fn next_row(&mut self) -> Result<(), StorageError> {
        if self.reversed {
            self.previous_row()
        } else {
            self.skip_cells()?;
            self.release();
            self.following_row()
        }
    }

    /// Lets go of the blocks that only cells handed out before lie in.
    pub fn release(&mut self) {
        self.held.drain(..self.held.len().saturating_sub(1));
    }

    /// The next cell of the row; the block that it lies in is the last one held.
    #[inline]
    pub fn next_cell(&mut self) -> Result<Option<CellPlace>, StorageError> {
        if !self.enter_part()? {
            return Ok(None);
        }
        let held = self.held.len() - 1;
        match self.held[held].block.cell(&mut self.cells) {
            Ok(cell) => Ok(Some(CellPlace::new(held, cell))),
            Err(damage) => Err(self.damage(damage)),
        }
    }

    /// Whether cells of the row are still to come; those that lie in one block are a part, and the block is entered.
    #[inline]
    pub fn enter_part(&mut self) -> Result<bool, StorageError> {
        if self.cells.count > 0 { Ok(true) } else { self.enter_continuation() }
    }

    /// Hands the cells of the part to `each`.
    pub fn part(&mut self, mut each: impl FnMut(CellPlace, &Block, &mut ColumnVerdicts)) -> Result<(), StorageError> {
        let index = self.held.len() - 1;
        let Held { block, verdicts } = &mut self.held[index];
        let mut cells = self.cells;
        let passed = block.each_cell(&mut cells, |cell| each(CellPlace::new(index, cell), block, verdicts));
        self.cells = cells;
        passed.map_err(|damage| self.damage(damage))
    }

    /// Passes the cells of the part without looking at them, and gives their number.
    pub fn pass_part(&mut self) -> u32 {
        core::mem::take(&mut self.cells.count)
    }

    /// The block that the part lies in, and what a filter says of its columns.
    pub fn part_block(&mut self) -> (&Block, &mut ColumnVerdicts) {
        self.held(self.held.len() as u32 - 1)
    }

    pub fn block(&self, held: u32) -> &Block {
        &self.held[held as usize].block
    }

    pub fn verdicts(&self, held: u32) -> &ColumnVerdicts {
        &self.held[held as usize].verdicts
    }

    /// A held block, and what a filter says of its columns.
    pub fn held(&mut self, held: u32) -> (&Block, &mut ColumnVerdicts) {
        let Held { block, verdicts } = &mut self.held[held as usize];
        (block, verdicts)
    }

    /// Cells of the row, and bytes of its key, cells and values. Its cells are gone then.
    pub fn size_of_row(&mut self) -> Result<(u64, u64), StorageError> {
        let (mut cells, mut bytes) = (0, self.key.len() as u64 + 3);
        while self.enter_part()? {
            let (heads_length, values_length) = self.cells.lengths();
            bytes += (heads_length + values_length) as u64;
            cells += u64::from(self.pass_part());
            self.release();
        }
        Ok((cells, bytes))
    }

    fn read(&mut self, block: usize) -> Result<Arc<Block>, StorageError> {
        self.blocks_read += 1;
        self.table.read_block(self.storage, block).map(Arc::new)
    }

    fn hold(&mut self, number: usize, block: Arc<Block>) {
        self.block = number;
        self.cells = RowCells::none_before(block.first());
        self.held.push(Held { verdicts: ColumnVerdicts::new(block.column_count()), block });
    }

    fn enter(&mut self, block: usize) -> Result<(), StorageError> {
        let read = self.read(block)?;
        self.hold(block, read);
        Ok(())
    }

    /// When the row goes on in the next block: goes there.
    fn enter_continuation(&mut self) -> Result<bool, StorageError> {
        while self.cells.count == 0 {
            let at_end = self.held.last().is_some_and(|held| held.block.is_at_end(&self.cells.end));
            let next = self.block + 1;
            if !self.has_row || !at_end || !self.table.blocks.get(next).is_some_and(|block| block.continues) {
                return Ok(false);
            }
            let block = self.read(next)?;
            self.hold(next, block.clone());
            let mut key = Vec::new();
            let place = block.first();
            let (cells, _) = block.row(&place, &mut key).map_err(|damage| self.damage(damage))?;
            if key != self.key {
                let found = tabletop_model::escape(&key);
                return Err(self.damage(Damage::new(place.head, found, "the key of the row that goes on in this block")));
            }
            self.cells = cells;
        }
        Ok(true)
    }

    fn skip_cells(&mut self) -> Result<(), StorageError> {
        while self.enter_part()? {
            self.pass_part();
            self.release();
        }
        Ok(())
    }

    /// Forwards: the row behind this one, or the first of the next block.
    fn following_row(&mut self) -> Result<(), StorageError> {
        self.has_row = false;
        while self.held.last().is_some_and(|held| held.block.is_at_end(&self.cells.end)) {
            if self.block + 1 == self.table.blocks.len() {
                return Ok(());
            }
            self.held.clear();
            self.key.clear();
            self.enter(self.block + 1)?;
        }
        let Some(held) = self.held.last() else { return Ok(()) };
        (self.cells, self.tombstones) = match held.block.row(&self.cells.end, &mut self.key) {
            Ok(row) => row,
            Err(damage) => return Err(self.damage(damage)),
        };
        self.has_row = !self.range.ends_before(&self.key);
        Ok(())
    }

    /// Backwards: walks over the rows that begin in a block, to take them from the last one on.
    fn enter_backwards(&mut self, number: usize) -> Result<(), StorageError> {
        self.home = number;
        self.home_rows.clear();
        let block = self.read(number)?;
        let mut place = block.first();
        let mut key = Vec::new();
        let mut is_continuation = self.table.blocks[number].continues;
        while !block.is_at_end(&place) {
            let damaged = |damage| self.table.damage(number, damage);
            let (cells, tombstones) = block.row(&place, &mut key).map_err(damaged)?;
            if self.range.ends_before(&key) {
                break;
            }
            place = cells.end;
            if !is_continuation && key >= self.range.start {
                self.home_rows.push(RowStart { key: key.clone(), cells, tombstones });
            }
            is_continuation = false;
        }
        self.home_block = Some(block);
        Ok(())
    }

    fn previous_row(&mut self) -> Result<(), StorageError> {
        self.has_row = false;
        let row = loop {
            if let Some(row) = self.home_rows.pop() {
                break row;
            }
            // Rows before this block are below the range if the block begins at or below its start.
            let meta_first = self.table.first_key(self.home);
            let reached_start = meta_first < self.range.start.as_slice()
                || (meta_first == self.range.start.as_slice() && !self.table.blocks[self.home].continues);
            if self.home == 0 || self.home_block.is_none() || reached_start {
                self.held.clear();
                return Ok(());
            }
            self.enter_backwards(self.home - 1)?;
        };
        let block = self.home_block.clone().expect("rows come from a block");
        // Verdicts on the block's columns are kept while its rows follow each other.
        let keep = self.held.first().is_some_and(|held| Arc::ptr_eq(&held.block, &block));
        if keep {
            self.held.truncate(1);
            self.block = self.home;
        } else {
            self.held.clear();
            self.hold(self.home, block);
        }
        (self.key, self.cells, self.tombstones) = (row.key, row.cells, row.tombstones);
        self.has_row = true;
        Ok(())
    }

    #[cold]
    fn damage(&self, damage: Damage) -> StorageError {
        self.table.damage(self.block, damage)
    }
}
