//! One source of a merge: a memtable or an SSTable, row by row and cell by cell.

use tabletop_model::Timestamp;

use crate::columns::FamilyId;
use crate::filter::{ColumnVerdicts, Filter, Verdict};
use crate::key_range::KeyRange;
use crate::memtable::{MemRow, Memtable, RowRange};
use crate::sstable::{BlockCell, StoredCursor};
use crate::storage::{Storage, StorageError};
use crate::tombstones::Tombstones;

/// Stands on a row, or beyond the last one.
pub(crate) enum Source<'a, S> {
    Memory(MemoryCursor<'a>),
    Stored(StoredCursor<'a, S>),
}

/// The same for a memtable, whose rows need no more than an iterator.
pub(crate) struct MemoryCursor<'a> {
    memtable: &'a Memtable,
    rows: RowRange<'a>,
    row: Option<&'a MemRow>,
    next: usize,
    verdicts: ColumnVerdicts,
}

/// Where a cell lies within its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellPlace {
    pub held: u32,
    pub column: u32,
    pub value_length: u32,
    pub value_start: usize,
    pub timestamp: Timestamp,
}

impl<S: Storage> Source<'_, S> {
    pub fn key(&self) -> Option<&[u8]> {
        match self {
            Source::Memory(cursor) => cursor.row.map(|row| cursor.memtable.key(row)),
            Source::Stored(cursor) => cursor.key(),
        }
    }

    pub fn tombstones(&self) -> Option<&Tombstones> {
        match self {
            Source::Memory(cursor) => cursor.row.and_then(|row| row.tombstones.as_deref()),
            Source::Stored(cursor) => cursor.tombstones(),
        }
    }

    pub fn next_row(&mut self, reversed: bool) -> Result<(), StorageError> {
        match self {
            Source::Memory(cursor) => {
                cursor.next_row(reversed);
                Ok(())
            }
            Source::Stored(cursor) => cursor.next_row(),
        }
    }

    pub fn next_cell(&mut self) -> Result<Option<CellPlace>, StorageError> {
        match self {
            Source::Memory(cursor) => Ok(cursor.next_cell()),
            Source::Stored(cursor) => cursor.next_cell(),
        }
    }

    /// Family, qualifier and value of a cell.
    #[inline]
    pub fn content(&self, place: &CellPlace) -> (FamilyId, &[u8], &[u8]) {
        let CellPlace { held, column, value_start, value_length, .. } = *place;
        match self {
            Source::Memory(MemoryCursor { memtable, .. }) => {
                let (family, qualifier) = memtable.columns().get(column);
                (family, qualifier, memtable.value(value_start, value_length))
            }
            Source::Stored(cursor) => {
                let block = cursor.block(held);
                let (family, qualifier) = block.column(column);
                (family, qualifier, block.value(value_start, value_length))
            }
        }
    }

    #[inline]
    pub fn column(&self, place: &CellPlace) -> (FamilyId, &[u8]) {
        match self {
            Source::Memory(cursor) => cursor.memtable.columns().get(place.column),
            Source::Stored(cursor) => cursor.block(place.held).column(place.column),
        }
    }

    /// What the filter's column tests said of a cell.
    pub fn facts(&self, place: &CellPlace) -> &[u64] {
        match self {
            Source::Memory(cursor) => cursor.verdicts.facts(place.column),
            Source::Stored(cursor) => cursor.verdicts(place.held).facts(place.column),
        }
    }

    pub fn verdict(&mut self, place: &CellPlace, filter: &mut Filter) -> Verdict {
        match self {
            Source::Memory(cursor) => cursor.verdict(place, filter),
            Source::Stored(cursor) => {
                let (block, verdicts) = cursor.held(place.held);
                verdicts.get(place.column, filter, || block.column(place.column))
            }
        }
    }
}

impl<'a> MemoryCursor<'a> {
    /// On the first row of the range, or on the last when `reversed`.
    pub fn new(memtable: &'a Memtable, range: &KeyRange, reversed: bool) -> Self {
        let rows = memtable.range(range);
        let verdicts = ColumnVerdicts::new(memtable.columns().len());
        let mut cursor = MemoryCursor { memtable, rows, row: None, next: 0, verdicts };
        cursor.next_row(reversed);
        cursor
    }

    fn next_row(&mut self, reversed: bool) {
        self.row = if reversed { self.rows.next_back() } else { self.rows.next() };
        self.next = 0;
    }

    pub fn next_cell(&mut self) -> Option<CellPlace> {
        let cell = self.memtable.cells_of(self.row?).get(self.next)?;
        self.next += 1;
        Some(CellPlace {
            held: 0,
            column: cell.column,
            value_length: cell.value_length,
            value_start: cell.value_start,
            timestamp: cell.timestamp,
        })
    }

    pub fn verdict(&mut self, place: &CellPlace, filter: &mut Filter) -> Verdict {
        self.verdicts.get(place.column, filter, || self.memtable.columns().get(place.column))
    }
}

impl CellPlace {
    /// A cell of the block that is held at this index.
    #[inline]
    pub fn new(held: usize, cell: BlockCell) -> Self {
        let BlockCell { column, value_length, value_start, timestamp } = cell;
        CellPlace { held: held as u32, column, value_length, value_start, timestamp }
    }
}
