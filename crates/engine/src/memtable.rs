//! The newest cells of a tablet, in memory until they become an SSTable.
//!
//! Writes are appended: keys and values to one arena of bytes, cells to another. When the memtable
//! is first read or written out, rows are sorted and the writes to the same row are combined; see
//! [`Memtable::settle`].
//!
//! ```text
//! bytes  key value value … key value …          cells  a b c │ d e │ f g h ·│ …     rows  by key, each with its range of cells
//! ```
//!
//! A row that receives many single cells stores them in several ranges ([`chunks`]), so that a
//! write and a read cost the same in every row. Deletes are stored as cells too ([`deletes`]): they
//! are appended like others, and applied when their row is settled.

mod chunks;
mod deletes;
mod order;
mod row;
mod rows;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::order::sorted;

use crate::aggregate;
use crate::cell_key::CellKey;
use crate::change::{Change, Op};
use crate::columns::{Columns, FamilyId};
use crate::families::FamilyKind;
use crate::key_range::{Bounds, KeyRange};
use row::{CHUNK_CELLS, Chunk};
pub(crate) use row::{MemCell, MemRow};
pub(crate) use rows::RowRange;
use rows::Rows;

#[derive(Clone, Debug, Default)]
pub(crate) struct Memtable {
    /// Settled rows, sorted by key.
    rows: Rows,
    /// Rows written since the last settling, in order. A row may occur several times.
    fresh: Vec<MemRow>,
    cells: Vec<MemCell>,
    /// The number of entries of `cells` that no longer belong to a row.
    cells_lost: usize,
    /// Keys and values.
    arena: Vec<u8>,
    /// Records of large writes, whose values are not copied, each with the total bytes of the
    /// records before it.
    adopted: Vec<(usize, Arc<Vec<u8>>)>,
    columns: Columns,
    bytes: u64,
    /// Bytes of the states of aggregates that were created when writes were combined. How often
    /// that happens depends on when reads happen.
    combined_bytes: u64,
    live_cells: u64,
    /// Whether anything was deleted, and whether versions were deleted that have older ones below
    /// them.
    pub has_deletes: bool,
    pub uncovers: bool,
    /// The number of cells that were compared and moved. Tests assert on it, because timings prove
    /// nothing.
    #[cfg(test)]
    work: core::cell::Cell<u64>,
}

/// Bytes counted for a row and a cell in addition to key and value: about what an SSTable needs for
/// them.
const ROW_BYTES: usize = 8;
const CELL_BYTES: usize = 8;
/// Bytes counted for a delete of a column.
const DELETE_BYTES: usize = 16;
/// Values at this place or beyond are in adopted records.
const ADOPTED: usize = 1 << (usize::BITS - 1);
/// Up to this many rows or cells are always inserted one at a time. More are merged, unless the
/// existing ones far outnumber them.
const FEW: u32 = 8;
/// The largest number of cells that are sorted by insertion.
const SHORT: usize = 32;

impl Memtable {
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 0 && self.fresh.is_empty()
    }

    /// Returns the approximate size in bytes, which depends only on what was written. Overwritten
    /// and deleted values count until the memtable becomes an SSTable.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the approximate bytes of memory in use.
    pub fn memory_bytes(&self) -> u64 {
        self.bytes + self.combined_bytes
    }

    /// Returns the number of cells; exact once the memtable is settled.
    pub fn cells(&self) -> u64 {
        self.live_cells
    }

    /// Returns the number of rows; exact once the memtable is settled.
    pub fn row_count(&self) -> u64 {
        (self.rows.len() + self.fresh.len()) as u64
    }

    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    pub fn value(&self, start: usize, length: u32) -> &[u8] {
        match self.arena.get(start..).and_then(|rest| rest.get(..length as usize)) {
            Some(value) => value,
            None => self.adopted_value(start, length),
        }
    }

    /// Returns the size in bytes without adopted records.
    pub fn copied_bytes(&self) -> u64 {
        let adopted = self.adopted.last().map_or(0, |(before, record)| before + record.len());
        self.bytes.saturating_sub(adopted as u64)
    }

    /// Takes over a record of the log. The values of changes that are decoded from it are not
    /// copied.
    pub fn adopt(&mut self, record: Arc<Vec<u8>>) {
        let before = self.adopted.last().map_or(0, |(before, record)| before + record.len());
        self.adopted.push((before, record));
    }

    #[cold]
    fn adopted_value(&self, start: usize, length: u32) -> &[u8] {
        let at = start - ADOPTED;
        let (before, record) = &self.adopted[self.adopted.partition_point(|(before, _)| *before <= at) - 1];
        &record[at - before..][..length as usize]
    }

    /// Stores a value and returns where it is.
    fn put_value(&mut self, value: &[u8]) -> usize {
        if let Some((before, record)) = self.adopted.last()
            && record.as_ptr_range().contains(&value.as_ptr())
        {
            return ADOPTED + before + (value.as_ptr() as usize - record.as_ptr() as usize);
        }
        let start = self.arena.len();
        self.arena.extend_from_slice(value);
        start
    }

    pub fn key(&self, row: &MemRow) -> &[u8] {
        &self.arena[row.key_start..][..usize::from(row.key_length)]
    }

    /// Returns the cells of a row: families in the order of their creation, then qualifiers by
    /// bytes, then newest first. No two have the same column and time.
    pub fn cells_of(&self, row: &MemRow) -> impl Iterator<Item = &MemCell> {
        row.chunks().iter().flat_map(|chunk| &self.cells[chunk.range()])
    }

    /// Returns a part of the row's cells by its number, or `None` beyond the last part.
    pub fn part_of(&self, row: &MemRow, part: usize) -> Option<&[MemCell]> {
        row.chunks().get(part).map(|chunk| &self.cells[chunk.range()])
    }

    /// Returns a cell by its part and its index there. Beyond the part's end it is the first cell
    /// of the next part.
    pub fn cell_at(&self, row: &MemRow, part: usize, index: usize) -> Option<&MemCell> {
        let cells = self.part_of(row, part)?;
        cells.get(index).or_else(|| self.part_of(row, part + 1)?.first())
    }

    /// Returns the part and index of the first cell, at or after the given place, for which
    /// `before` is false. Cells for which `before` is true must precede all others.
    pub fn seek_cell(
        &self,
        row: &MemRow,
        part: usize,
        index: usize,
        before: impl Fn(&CellKey<'_>) -> bool,
    ) -> (usize, usize) {
        let before = |cell: &MemCell| {
            self.count_work(1);
            before(&CellKey::new(self.columns.get(cell.column), cell.timestamp))
        };
        let Some(chunks) = row.chunks().get(part..) else { return (part, index) };
        let passed =
            chunks.partition_point(|chunk| chunk.range().last().is_none_or(|last| before(&self.cells[last])));
        let from = if passed == 0 { index } else { 0 };
        let rest =
            chunks.get(passed).and_then(|chunk| self.cells[chunk.range()].get(from..)).unwrap_or_default();
        (part + passed, from + rest.partition_point(before))
    }

    /// Returns whether a row has more than `count` cells.
    pub fn is_longer(&self, row: &MemRow, count: u32) -> bool {
        let mut counts = row.chunks().iter().map(|chunk| chunk.count);
        counts.try_fold(count, u32::checked_sub).is_none()
    }

    /// Returns the rows of a range, from both ends. The memtable must be settled.
    pub fn range(&self, range: &KeyRange) -> RowRange<'_> {
        self.within(range.bounds())
    }

    /// Returns the rows within borrowed bounds. The memtable must be settled.
    pub fn within(&self, bounds: Bounds<'_>) -> RowRange<'_> {
        debug_assert!(self.fresh.is_empty(), "a memtable is settled before it is read");
        let seek = |key: &[u8]| self.rows.seek(|row| self.key(row) < key);
        let start = seek(bounds.start);
        let end = match bounds.end {
            None => self.rows.end(),
            // A single row is searched for only once.
            Some(_) if bounds.is_row() => match self.rows.get(start) {
                Some(row) if self.key(row) == bounds.start => start.next(),
                _ => start,
            },
            Some(end) => seek(end),
        };
        self.rows.range(start, end.max(start))
    }

    /// Returns the bytes that a row counts for: an estimate for finding the middle.
    pub fn row_bytes(&self, row: &MemRow) -> u64 {
        let values: usize = self.cells_of(row).map(|cell| cell.value_length as usize + CELL_BYTES).sum();
        (usize::from(row.key_length) + ROW_BYTES + values) as u64
    }

    /// Applies a change to a row.
    pub fn apply(&mut self, change: &Change<'_>) {
        if change.ops.is_empty() {
            return;
        }
        let first = self.cells.len();
        let columns_before = self.columns.qualifier_bytes();
        // Consecutive writes of one row become one.
        if self.fresh.last().is_none_or(|last| self.key(last) != change.key) {
            let (key_start, key_length) = (self.arena.len(), change.key.len() as u16);
            self.arena.extend_from_slice(change.key);
            let cells = Chunk { first: first as u32, ..Chunk::default() };
            self.fresh.push(MemRow { cells, key_start, key_length, ..MemRow::default() });
        }
        let mut bytes = change.key.len() + ROW_BYTES;
        let (mut column, mut deletes) = (u32::MAX, 0);
        for op in change.ops {
            let cell = match *op {
                Op::Set { family, qualifier, timestamp, value } => {
                    column = self.columns.number(family, qualifier, column);
                    bytes += value.len() + CELL_BYTES;
                    MemCell {
                        column,
                        value_length: value.len() as u32,
                        value_start: self.put_value(value),
                        timestamp,
                    }
                }
                Op::Add { family, qualifier, timestamp, input } => {
                    column = self.columns.number(family, qualifier, column);
                    bytes += input.len() + CELL_BYTES;
                    // The value is combined in place.
                    let value_start = self.arena.len();
                    self.arena.extend_from_slice(input);
                    MemCell { column, value_length: input.len() as u32, value_start, timestamp }
                }
                Op::DeleteColumn { family, qualifier, start, end } => {
                    column = self.columns.number(family, qualifier, column);
                    bytes += DELETE_BYTES;
                    self.uncovers |= start > 0;
                    MemCell::column_delete(column, start, end, &mut self.arena)
                }
                Op::DeleteFamily(family) => {
                    bytes += size_of::<FamilyId>();
                    MemCell::family_delete(family)
                }
                Op::DeleteRow => {
                    self.cells.truncate(first);
                    deletes = 0;
                    MemCell::row_delete()
                }
            };
            deletes += u32::from(cell.is_delete());
            self.cells.push(cell);
        }
        let count = (self.cells.len() - first) as u32;
        bytes += self.columns.qualifier_bytes() - columns_before;
        self.bytes += bytes as u64;
        self.live_cells += u64::from(count - deletes);
        self.has_deletes |= deletes > 0;
        if let Some(row) = self.fresh.last_mut() {
            row.cells.count += count;
            row.has_deletes |= deletes > 0;
        }
    }

    /// Returns whether nothing was written since the last call of [`Memtable::settle`].
    pub fn is_settled(&self) -> bool {
        self.fresh.is_empty()
    }

    /// Sorts what was written since the last read, and combines the writes to the same row.
    pub fn settle(&mut self, kinds: &[FamilyKind]) {
        if self.fresh.is_empty() {
            return;
        }
        let mut fresh = core::mem::take(&mut self.fresh);
        let is_many = fresh.len() > FEW as usize && fresh.len() >= self.rows.len() / 32;
        if is_many {
            // Ranking pays off if there are many rows per column.
            if self.columns.len() <= fresh.len() * FEW as usize {
                self.columns.rank();
            }
            fresh.iter_mut().for_each(|row| self.arrange_row(row, kinds));
            self.settle_many(fresh, kinds);
        } else {
            for mut row in fresh {
                self.arrange_row(&mut row, kinds);
                self.settle_one(row, kinds);
            }
        }
        if self.cells_lost > self.cells.len() / 2 + 1_024 {
            self.tidy();
        }
    }

    /// Removes the cells of dropped families, and rows that have nothing else.
    pub fn remove_dropped(&mut self, kinds: &[FamilyKind]) {
        self.settle(kinds);
        let mut rows = core::mem::take(&mut self.rows);
        rows.retain(|row| {
            let is_dropped = |cell: &MemCell| {
                FamilyKind::of(kinds, self.columns.get(cell.column).0) == FamilyKind::Dropped
            };
            for chunk in row.chunks_mut() {
                let (first, mut kept) = (chunk.first as usize, 0);
                for at in chunk.range() {
                    let cell = self.cells[at];
                    self.cells[first + kept] = cell;
                    kept += usize::from(!is_dropped(&cell));
                }
                self.live_cells -= chunk.shorten(kept);
            }
            if let Some(wide) = &mut row.wide {
                wide.cells.retain(|chunk| chunk.count > 0);
            }
            row.chunks().iter().any(|chunk| chunk.count > 0) || row.has_tombstones()
        });
        self.rows = rows;
        if self.is_empty() {
            // The memtable is never written out, so its counts would never return to zero.
            *self = Memtable::default();
        }
    }

    /// Sorts the cells of a fresh row, unless some are deletes, which apply to the cells written
    /// before them.
    fn arrange_row(&mut self, row: &mut MemRow, kinds: &[FamilyKind]) {
        if !row.has_deletes {
            self.arrange(&mut row.cells, kinds);
        }
    }

    /// Sorts cells. Cells with the same column and time become one.
    fn arrange(&mut self, chunk: &mut Chunk, kinds: &[FamilyKind]) {
        let cells = &mut self.cells[chunk.range()];
        let order = |a: &MemCell, b: &MemCell| {
            self.columns.compare(a.column, b.column).then(b.timestamp.cmp(&a.timestamp))
        };
        if cells.is_sorted_by(|a, b| order(a, b) == Ordering::Less) {
            return;
        }
        if cells.len() > SHORT {
            cells.copy_from_slice(&sorted(cells.to_vec(), order));
        } else {
            for at in 1..cells.len() {
                let mut place = at;
                while place > 0 && order(&cells[place - 1], &cells[place]) == Ordering::Greater {
                    cells.swap(place - 1, place);
                    place -= 1;
                }
            }
        }
        // Equal cells are in the order in which they were written.
        let (first, end) = (chunk.first as usize, chunk.range().end);
        let mut last = first;
        for at in first + 1..end {
            let cell = self.cells[at];
            if self.order(&self.cells[last], &cell) == Ordering::Equal {
                self.cells[last] = self.replace(self.cells[last], cell, kinds);
            } else {
                last += 1;
                self.cells[last] = cell;
            }
        }
        self.live_cells -= chunk.shorten(last + 1 - first);
    }

    fn settle_one(&mut self, row: MemRow, kinds: &[FamilyKind]) {
        let key = self.key(&row);
        let place = self.rows.seek(|other| self.key(other) < key);
        match self.rows.get(place).filter(|other| self.key(other) == key) {
            Some(_) => {
                let mut older = core::mem::take(self.rows.get_mut(place));
                self.join(&mut older, row, kinds);
                *self.rows.get_mut(place) = older;
            }
            None => {
                let row = self.settled(row, kinds);
                self.rows.insert(place, row);
            }
        }
    }

    fn settle_many(&mut self, mut fresh: Vec<MemRow>, kinds: &[FamilyKind]) {
        let order = order::by_key(&fresh, |row| self.key(row));
        let mut old = core::mem::take(&mut self.rows).into_rows().peekable();
        let mut merged = Rows::default();
        for index in order {
            let row = core::mem::take(&mut fresh[index as usize]);
            while let Some(before) = old.next_if(|old| self.key(old) <= self.key(&row)) {
                merged.push(before);
            }
            match merged.last_mut().filter(|last| self.key(last) == self.key(&row)) {
                Some(older) => self.join(older, row, kinds),
                None => merged.push(self.settled(row, kinds)),
            }
        }
        old.for_each(|row| merged.push(row));
        self.rows = merged;
    }

    /// Returns the settled form of a row that was written for the first time.
    fn settled(&mut self, row: MemRow, kinds: &[FamilyKind]) -> MemRow {
        if !row.has_deletes {
            return row;
        }
        let mut settled =
            MemRow { key_start: row.key_start, key_length: row.key_length, ..MemRow::default() };
        self.join(&mut settled, row, kinds);
        settled
    }

    /// Applies a later write of a row to the existing row. A write without deletes is sorted
    /// already.
    fn join(&mut self, older: &mut MemRow, newer: MemRow, kinds: &[FamilyKind]) {
        let mut cells = newer.cells;
        let (begin, end) = (cells.first as usize, cells.first as usize + cells.places());
        if newer.has_deletes {
            // Up to the last delete, cells and deletes take effect one at a time in the order of
            // writing. What follows it is sorted and merged as a whole.
            let after_deletes =
                cells.range().rev().find(|&at| self.cells[at].is_delete()).map_or(begin, |last| last + 1);
            for at in begin..after_deletes {
                self.put(older, self.cells[at], kinds);
            }
            cells = Chunk { first: after_deletes as u32, count: (end - after_deletes) as u32, room: 0 };
            self.arrange(&mut cells, kinds);
        }
        let is_few = cells.count <= FEW.max(older.cells.count / 32)
            && (cells.count <= older.cells.room || older.cells.count > FEW);
        match older.wide.as_deref_mut() {
            // The first cells of a row stay where they are.
            Some(wide) if wide.cells.is_empty() && cells.count > 0 => {
                wide.cells.push(cells);
                self.cells_lost += cells.first as usize - begin;
                return;
            }
            None if !is_few => self.merge(&mut older.cells, &cells, kinds),
            _ => cells.range().for_each(|at| self.put(older, self.cells[at], kinds)),
        }
        // Cells at the end of the arena are removed, so that a write that is read immediately
        // leaves no unused cells.
        if end == self.cells.len() { self.cells.truncate(begin) } else { self.cells_lost += end - begin }
    }

    /// Applies one later cell or delete to a row.
    fn put(&mut self, row: &mut MemRow, cell: MemCell, kinds: &[FamilyKind]) {
        if cell.is_delete() {
            self.delete(row.widen(), cell, kinds);
        } else if row.wide.is_none() && row.cells.count < CHUNK_CELLS {
            self.insert(&mut row.cells, cell, kinds);
        } else {
            self.insert_among(&mut row.widen().cells, cell, kinds);
        }
    }

    fn merge(&mut self, older: &mut Chunk, newer: &Chunk, kinds: &[FamilyKind]) {
        let (mut old, mut new) = (older.range().peekable(), newer.range().peekable());
        let mut merged = Vec::with_capacity((older.count + newer.count) as usize);
        while let (Some(&a), Some(&b)) = (old.peek(), new.peek()) {
            let (a, b) = (self.cells[a], self.cells[b]);
            let order = self.order(&a, &b);
            merged.push(match order {
                Ordering::Less => a,
                Ordering::Equal => self.replace(a, b, kinds),
                Ordering::Greater => b,
            });
            if order != Ordering::Greater {
                old.next();
            }
            if order != Ordering::Less {
                new.next();
            }
        }
        merged.extend(old.chain(new).map(|at| self.cells[at]));
        self.count_work(merged.len());
        self.live_cells -= u64::from(older.count + newer.count) - merged.len() as u64;
        if merged.len() <= older.places() {
            older.room = (older.places() - merged.len()) as u32;
            older.count = merged.len() as u32;
            self.cells[older.range()].copy_from_slice(&merged);
        } else {
            self.move_cells(older, &merged);
        }
    }

    /// Returns the result of an older and a newer cell of the same column and time.
    fn replace(&mut self, older: MemCell, newer: MemCell, kinds: &[FamilyKind]) -> MemCell {
        let (family, _) = self.columns.get(older.column);
        let FamilyKind::Aggregate(kind) = FamilyKind::of(kinds, family) else { return newer };
        let values = (
            self.value(older.value_start, older.value_length),
            self.value(newer.value_start, newer.value_length),
        );
        let state = aggregate::combine(kind, values.0, values.1);
        if state.len() == older.value_length as usize {
            self.arena[older.value_start..][..state.len()].copy_from_slice(&state);
            return older;
        }
        let value_start = self.arena.len();
        self.arena.extend_from_slice(&state);
        self.combined_bytes += state.len() as u64;
        MemCell { value_start, value_length: state.len() as u32, ..older }
    }

    /// Copies the cells that belong to a row, and drops the rest.
    fn tidy(&mut self) {
        let old = core::mem::replace(&mut self.cells, Vec::with_capacity(self.live_cells as usize));
        self.rows.each(|row| {
            let tombstones = row.wide.as_deref_mut().map(|wide| wide.tombstones.as_mut_slice());
            for chunk in tombstones.unwrap_or_default() {
                chunk.copy(&old, &mut self.cells);
            }
            for chunk in row.chunks_mut() {
                chunk.copy(&old, &mut self.cells);
            }
        });
        self.count_work(self.cells.len());
        self.cells_lost = 0;
    }

    fn order(&self, a: &MemCell, b: &MemCell) -> Ordering {
        self.count_work(1);
        self.columns.compare(a.column, b.column).then(b.timestamp.cmp(&a.timestamp))
    }

    /// Counts cells that are compared or moved, in tests only.
    #[inline]
    fn count_work(&self, _cells: usize) {
        #[cfg(test)]
        self.work.set(self.work.get() + _cells as u64);
    }
}

impl MemRow {
    fn chunks(&self) -> &[Chunk] {
        self.wide.as_deref().map_or(core::slice::from_ref(&self.cells), |wide| &wide.cells)
    }

    fn chunks_mut(&mut self) -> &mut [Chunk] {
        match &mut self.wide {
            Some(wide) => &mut wide.cells,
            None => core::slice::from_mut(&mut self.cells),
        }
    }
}
