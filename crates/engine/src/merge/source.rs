//! One source of a merge: a memtable or an SSTable, row by row and cell by cell.

use tabletop_model::Timestamp;

use crate::cell_key::CellKey;
use crate::columns::FamilyId;
use crate::filter::{ColumnVerdicts, Filter, Needed, Verdict};
use crate::key_range::Bounds;
use crate::memtable::{MemRow, Memtable, RowRange};
use crate::sstable::{CellPlace, StoredCursor, ValueKind};
use crate::storage::StorageError;
use crate::tombstones::Tombstones;

/// A source. It is positioned on a row, or beyond the last one.
pub(crate) enum Source<'a> {
    Memory(MemoryCursor<'a>),
    Stored(StoredCursor<'a>),
}

/// A cursor over a memtable. Its rows need only an iterator.
pub(crate) struct MemoryCursor<'a> {
    memtable: &'a Memtable,
    rows: RowRange<'a>,
    row: Option<&'a MemRow>,
    /// The part of the row with the next cell, and the index of the cell in it.
    part: usize,
    next: usize,
    /// The number of consecutive cells that the filter has dropped.
    dropped: u32,
    verdicts: ColumnVerdicts,
}

/// After this many dropped cells in a row, the next needed cell is searched for instead.
const DROPPED_MAX: u32 = 64;
/// Rows with more cells than this are passed on in batches.
const HAND_OUT_CELLS: u32 = 1_024;

impl Source<'_> {
    pub fn key(&self) -> Option<&[u8]> {
        match self {
            Source::Memory(cursor) => cursor.row.map(|row| cursor.memtable.key(row)),
            Source::Stored(cursor) => cursor.key(),
        }
    }

    /// Returns what the row deletes in older runs, or `None` for a memtable, which is asked cell by
    /// cell.
    pub fn tombstones(&self) -> Option<&Tombstones> {
        match self {
            Source::Memory(_) => None,
            Source::Stored(cursor) => cursor.tombstones(),
        }
    }

    /// Returns whether the row may delete anything in older runs.
    pub fn has_tombstones(&self) -> bool {
        match self {
            Source::Memory(cursor) => cursor.row.is_some_and(MemRow::has_tombstones),
            Source::Stored(cursor) => cursor.tombstones().is_some(),
        }
    }

    /// Returns whether the row is deleted in all older runs.
    pub fn hides_row(&self) -> bool {
        match self {
            Source::Memory(cursor) => cursor.row.is_some_and(MemRow::is_deleted),
            Source::Stored(cursor) => cursor.tombstones().is_some_and(|tombstones| tombstones.row),
        }
    }

    /// Returns whether a cell of the row is deleted in all older runs.
    pub fn hides(&self, family: FamilyId, qualifier: &[u8], timestamp: Timestamp) -> bool {
        match self {
            Source::Memory(cursor) => {
                cursor.row.is_some_and(|row| cursor.memtable.hides(row, family, qualifier, timestamp))
            }
            Source::Stored(cursor) => {
                cursor.tombstones().is_some_and(|tombstones| tombstones.hides(family, qualifier, timestamp))
            }
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

    /// Returns the next cell of the row. Parts of a long row that are not needed are skipped.
    pub fn next_cell(&mut self, needed: Needed<'_>) -> Result<Option<CellPlace>, StorageError> {
        match self {
            Source::Memory(cursor) => Ok(cursor.next_cell(needed)),
            Source::Stored(cursor) => cursor.next_cell(needed),
        }
    }

    /// Skips the cells of the row up to `place`, unless that reads needless blocks.
    pub fn skip_past(&mut self, place: &CellKey<'_>) -> Result<(), StorageError> {
        match self {
            Source::Memory(cursor) => {
                cursor.skip_past(place);
                Ok(())
            }
            Source::Stored(cursor) => cursor.skip_past(place),
        }
    }

    /// Returns whether cells in the middle of long rows are found without reading the cells before
    /// them.
    pub fn can_skip(&self) -> bool {
        match self {
            Source::Memory(_) => true,
            Source::Stored(cursor) => cursor.can_skip(),
        }
    }

    /// Makes the value of a cell readable, until the source moves on.
    #[inline]
    pub fn resolve(&mut self, place: &mut CellPlace) -> Result<(), StorageError> {
        match self {
            Source::Memory(_) => Ok(()),
            Source::Stored(cursor) => cursor.resolve(place),
        }
    }

    /// Returns the family, qualifier and value of a cell that is resolved.
    #[inline]
    pub fn content(&self, place: &CellPlace) -> (FamilyId, &[u8], &[u8]) {
        let (family, qualifier) = self.column(place);
        match self {
            Source::Memory(cursor) => {
                (family, qualifier, cursor.memtable.value(place.value_start, place.value_length))
            }
            Source::Stored(cursor) => (family, qualifier, cursor.value(place)),
        }
    }

    #[inline]
    pub fn column(&self, place: &CellPlace) -> (FamilyId, &[u8]) {
        match self {
            Source::Memory(cursor) => cursor.memtable.columns().get(place.column),
            Source::Stored(cursor) => cursor.column(place),
        }
    }

    /// Returns the position of a cell in its row.
    #[inline]
    pub fn cell_key(&self, place: &CellPlace) -> CellKey<'_> {
        CellKey::new(self.column(place), place.timestamp)
    }

    /// Returns the results of the filter's column tests for a cell.
    pub fn facts(&self, place: &CellPlace) -> &[u64] {
        match self {
            Source::Memory(cursor) => cursor.verdicts.facts(place.column),
            Source::Stored(cursor) => cursor.facts(place),
        }
    }

    pub fn verdict(&mut self, place: &CellPlace, filter: &mut Filter) -> Verdict {
        match self {
            Source::Memory(cursor) => cursor.verdict(place, filter),
            Source::Stored(cursor) => cursor.verdict(place, filter),
        }
    }
}

impl<'a> MemoryCursor<'a> {
    /// Creates a cursor on the first row of the range, or on the last when `reversed`.
    pub fn new(memtable: &'a Memtable, bounds: Bounds<'_>, reversed: bool) -> Self {
        let rows = memtable.within(bounds);
        let mut cursor = MemoryCursor {
            memtable,
            rows,
            row: None,
            part: 0,
            next: 0,
            dropped: 0,
            verdicts: ColumnVerdicts::default(),
        };
        cursor.next_row(reversed);
        cursor
    }

    pub fn is_on_row(&self) -> bool {
        self.row.is_some()
    }

    fn next_row(&mut self, reversed: bool) {
        self.row = if reversed { self.rows.next_back() } else { self.rows.next() };
        (self.part, self.next, self.dropped) = (0, 0, 0);
    }

    pub fn next_cell(&mut self, needed: Needed<'_>) -> Option<CellPlace> {
        if self.dropped >= DROPPED_MAX {
            self.dropped = 0;
            self.skip_unneeded(needed)?;
        }
        let mut cells = self.memtable.part_of(self.row?, self.part)?;
        if self.next == cells.len() {
            (self.part, self.next) = (self.part + 1, 0);
            cells = self.memtable.part_of(self.row?, self.part)?;
        }
        let cell = cells.get(self.next)?;
        self.next += 1;
        self.dropped += u32::from(matches!(needed, Needed::Nothing));
        Some(CellPlace {
            held: 0,
            column: cell.column,
            value_length: cell.value_length,
            kind: ValueKind::Plain,
            value_start: cell.value_start,
            timestamp: cell.timestamp,
        })
    }

    /// Moves to the first cell, at or after the next one, whose column is needed. Returns `None` if
    /// there is none.
    fn skip_unneeded(&mut self, needed: Needed<'_>) -> Option<()> {
        let cell = self.memtable.cell_at(self.row?, self.part, self.next)?;
        let column = self.memtable.columns().get(cell.column);
        let wanted = needed.next(column)?;
        if wanted != column {
            let wanted = CellKey::new(wanted, Timestamp::MAX);
            (self.part, self.next) =
                self.memtable.seek_cell(self.row?, self.part, self.next, |cell| *cell < wanted);
        }
        Some(())
    }

    pub fn skip_past(&mut self, place: &CellKey<'_>) {
        if let Some(row) = self.row {
            (self.part, self.next) = self.memtable.seek_cell(row, self.part, self.next, |cell| cell <= place);
        }
    }

    /// Passes the row's cells to `each`, with its key, and returns their number. Returns `None`,
    /// and does nothing, if the filter needs more than their columns, or the row is long.
    #[inline]
    pub fn hand_out(
        &mut self,
        mut filter: Option<&mut Filter>,
        mut each: impl FnMut(&[u8], FamilyId, &[u8], Timestamp, &[u8]),
    ) -> Option<u32> {
        let MemoryCursor { memtable, row, verdicts, .. } = self;
        let row = (*row)?;
        let key = memtable.key(row);
        if memtable.is_longer(row, HAND_OUT_CELLS) {
            return None;
        }
        let parts = || (0..).map_while(|part| memtable.part_of(row, part));
        let mut verdict = |column| match &mut filter {
            Some(filter) => verdicts.get(column, filter, || memtable.columns().get(column)),
            None => Verdict::Keep,
        };
        if parts().any(|cells| cells.iter().any(|cell| verdict(cell.column) == Verdict::Test)) {
            return None;
        }
        let mut count = 0;
        for cells in parts() {
            for cell in cells.iter().filter(|cell| verdict(cell.column) == Verdict::Keep) {
                let (family, qualifier) = memtable.columns().get(cell.column);
                each(
                    key,
                    family,
                    qualifier,
                    cell.timestamp,
                    memtable.value(cell.value_start, cell.value_length),
                );
            }
            count += cells.len();
        }
        (self.part, self.next) = (usize::MAX, 0);
        Some(count as u32)
    }

    pub fn verdict(&mut self, place: &CellPlace, filter: &mut Filter) -> Verdict {
        let verdict = self.verdicts.get(place.column, filter, || self.memtable.columns().get(place.column));
        self.dropped = if verdict == Verdict::Drop { self.dropped + 1 } else { 0 };
        verdict
    }
}
