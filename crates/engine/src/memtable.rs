//! The newest cells of a tablet, in memory until they become an SSTable.
//!
//! Writes are appended: keys and values to one arena of bytes, cells to another. When the memtable is first read or written
//! out, rows are sorted and the writes to the same row are combined: [`Memtable::settle`].
//!
//! ```text
//! bytes  key value value … key value …          cells  a b c │ d e │ f g h ·│ …     rows  by key, each with its range of cells
//! ```

mod order;
mod rows;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::Timestamp;
use tabletop_model::order::sorted;

use crate::aggregate;
use crate::change::{Change, Op};
use crate::columns::{Columns, FamilyId};
use crate::families::FamilyKind;
use crate::key_range::{Bounds, KeyRange};
use crate::tombstones::{ColumnTombstone, Tombstones};
pub(crate) use rows::RowRange;
use rows::Rows;

#[derive(Clone, Debug, Default)]
pub(crate) struct Memtable {
    /// Settled rows, sorted by key.
    rows: Rows,
    /// Rows written since then, in order: one entry per write.
    fresh: Vec<MemRow>,
    cells: Vec<MemCell>,
    /// The number of `cells` that belong to no row any more.
    cells_lost: usize,
    /// Keys and values.
    arena: Vec<u8>,
    columns: Columns,
    bytes: u64,
    live_cells: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct MemRow {
    /// Deletes that hide cells in older runs.
    pub tombstones: Option<Box<Tombstones>>,
    key_start: usize,
    /// The index of its first cell. Families by creation, qualifiers by bytes, newest first; no two have the same column and
    /// time.
    first: u32,
    count: u32,
    /// Places after its cells that are reserved for it.
    room: u32,
    key_length: u16,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MemCell {
    pub column: u32,
    pub value_length: u32,
    pub value_start: usize,
    pub timestamp: Timestamp,
}

/// Bytes counted for a row and a cell in addition to key and value: about what an SSTable needs for them.
const ROW_BYTES: usize = 8;
const CELL_BYTES: usize = 8;
/// The largest number of rows or cells that are inserted one by one; more are merged.
const FEW: usize = 8;
/// The largest number of cells that are sorted by insertion.
const SHORT: usize = 32;

impl Memtable {
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 0 && self.fresh.is_empty()
    }

    /// Returns the approximate size in bytes. Overwritten and deleted values count until it becomes an SSTable.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of cells; exact once it is settled.
    pub fn cells(&self) -> u64 {
        self.live_cells
    }

    /// Returns the number of rows; exact once it is settled.
    pub fn row_count(&self) -> u64 {
        (self.rows.len() + self.fresh.len()) as u64
    }

    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    pub fn value(&self, start: usize, length: u32) -> &[u8] {
        &self.arena[start..][..length as usize]
    }

    pub fn key(&self, row: &MemRow) -> &[u8] {
        &self.arena[row.key_start..][..usize::from(row.key_length)]
    }

    pub fn cells_of(&self, row: &MemRow) -> &[MemCell] {
        &self.cells[row.range()]
    }

    /// Returns the rows of a range, from both ends. The memtable must be settled.
    pub fn range(&self, range: &KeyRange) -> RowRange<'_> {
        self.within(range.bounds())
    }

    /// Returns the rows within borrowed bounds.
    pub fn within(&self, bounds: Bounds<'_>) -> RowRange<'_> {
        debug_assert!(self.fresh.is_empty(), "a memtable is settled before it is read");
        let seek = |key: &[u8]| self.rows.seek(|row| self.key(row) < key);
        let start = seek(bounds.start);
        let end = match bounds.end {
            None => self.rows.end(),
            // A single row is searched only once.
            Some(_) if bounds.is_row() => match self.rows.get(start) {
                Some(row) if self.key(row) == bounds.start => start.next(),
                _ => start,
            },
            Some(end) => seek(end),
        };
        self.rows.range(start, end.max(start))
    }

    /// Returns the bytes that a row counts for: an estimate to find the middle with.
    pub fn row_bytes(&self, row: &MemRow) -> u64 {
        let values: usize = self.cells_of(row).iter().map(|cell| cell.value_length as usize + CELL_BYTES).sum();
        (usize::from(row.key_length) + ROW_BYTES + values) as u64
    }

    /// Applies a change to a row.
    pub fn apply(&mut self, change: &Change<'_>) {
        if change.ops.is_empty() {
            return;
        }
        let first = self.cells.len();
        let mut tombstones: Option<Box<Tombstones>> = None;
        let (key_start, columns_before) = (self.arena.len(), self.columns.qualifier_bytes());
        self.arena.extend_from_slice(change.key);
        let mut bytes = change.key.len() + ROW_BYTES;
        let mut column = u32::MAX;
        for op in change.ops {
            match *op {
                Op::Set { family, qualifier, timestamp, value } | Op::Add { family, qualifier, timestamp, input: value } => {
                    column = self.columns.number(family, qualifier, column);
                    let (value_start, value_length) = (self.arena.len(), value.len() as u32);
                    self.arena.extend_from_slice(value);
                    bytes += value.len() + CELL_BYTES;
                    self.cells.push(MemCell { column, value_length, value_start, timestamp });
                }
                Op::DeleteColumn { family, qualifier, start, end } => {
                    tombstones.get_or_insert_default().delete_column(ColumnTombstone {
                        family,
                        qualifier: qualifier.to_vec(),
                        start,
                        end,
                    });
                    self.hide_from(first, |of, q, time| of == family && q == qualifier && start <= time && time < end);
                }
                Op::DeleteFamily(family) => {
                    tombstones.get_or_insert_default().delete_family(family);
                    self.hide_from(first, |of, _, _| of == family);
                }
                Op::DeleteRow => {
                    tombstones.get_or_insert_default().delete_row();
                    self.cells.truncate(first);
                }
            }
        }
        let count = (self.cells.len() - first) as u32;
        bytes += self.columns.qualifier_bytes() - columns_before + tombstones.as_ref().map_or(0, |t| t.bytes());
        self.bytes += bytes as u64;
        self.live_cells += u64::from(count);
        let key_length = change.key.len() as u16;
        // The index of an empty range may be out of bounds later.
        let first = if count == 0 { 0 } else { first as u32 };
        self.fresh.push(MemRow { tombstones, key_start, first, count, room: 0, key_length });
    }

    /// Sorts what was written since the last read, and combines the writes to the same row.
    pub fn settle(&mut self, kinds: &[FamilyKind]) {
        if self.fresh.is_empty() {
            return;
        }
        let mut fresh = core::mem::take(&mut self.fresh);
        let is_many = fresh.len() > FEW && fresh.len() >= self.rows.len() / 32;
        if is_many {
            // Ranking pays off where there are many rows per column.
            if self.columns.len() <= fresh.len() * FEW {
                self.columns.rank();
            }
            fresh.iter_mut().for_each(|row| self.arrange(row, kinds));
            self.settle_many(fresh, kinds);
        } else {
            for mut row in fresh {
                self.arrange(&mut row, kinds);
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
            self.retain(row, |columns, cell| FamilyKind::of(kinds, columns.get(cell.column).0) != FamilyKind::Dropped);
            row.count > 0 || row.tombstones.is_some()
        });
        self.rows = rows;
        if self.is_empty() {
            // It is never written out, so its count would never return to zero.
            *self = Memtable::default();
        }
    }

    /// Removes those of the last cells that a delete of the same write hides.
    fn hide_from(&mut self, first: usize, hides: impl Fn(FamilyId, &[u8], Timestamp) -> bool) {
        let mut kept = first;
        for at in first..self.cells.len() {
            let cell = self.cells[at];
            let (family, qualifier) = self.columns.get(cell.column);
            if !hides(family, qualifier, cell.timestamp) {
                self.cells[kept] = cell;
                kept += 1;
            }
        }
        self.cells.truncate(kept);
    }

    /// Sorts the cells of a fresh row. Of cells with the same column and time the last one stays.
    fn arrange(&mut self, row: &mut MemRow, kinds: &[FamilyKind]) {
        let cells = &mut self.cells[row.range()];
        let order = |a: &MemCell, b: &MemCell| self.columns.compare(a.column, b.column).then(b.timestamp.cmp(&a.timestamp));
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
        // Equal ones are in the order in which they were written.
        let (first, end) = (row.first as usize, row.range().end);
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
        let lost = (end - last - 1) as u32;
        row.count -= lost;
        row.room += lost;
        self.live_cells -= u64::from(lost);
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
            None => self.rows.insert(place, row),
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
                None => merged.push(row),
            }
        }
        old.for_each(|row| merged.push(row));
        self.rows = merged;
    }

    /// Applies a later write of a row to the existing row. Both are arranged.
    fn join(&mut self, older: &mut MemRow, newer: MemRow, kinds: &[FamilyKind]) {
        if let Some(mut tombstones) = newer.tombstones.clone() {
            self.retain(older, |columns, cell| {
                let (family, qualifier) = columns.get(cell.column);
                !tombstones.hides(family, qualifier, cell.timestamp)
            });
            if let Some(before) = &older.tombstones {
                tombstones.add_older(before);
            }
            older.tombstones = Some(tombstones);
        }
        if newer.count as usize <= FEW && (newer.count <= older.room || older.count as usize > FEW) {
            for at in newer.range() {
                self.insert(older, self.cells[at], kinds);
            }
        } else {
            self.merge(older, &newer, kinds);
        }
        // Cells at the end are removed, so that a write that is read immediately leaves no lost ones.
        let is_last = newer.first as usize + newer.places() == self.cells.len();
        if is_last { self.cells.truncate(newer.first as usize) } else { self.cells_lost += newer.places() }
    }

    /// Inserts one newer cell among those of a row.
    fn insert(&mut self, row: &mut MemRow, cell: MemCell, kinds: &[FamilyKind]) {
        let place = self.cells[row.range()].binary_search_by(|other| self.order(other, &cell));
        match place {
            Ok(at) => {
                let at = row.first as usize + at;
                self.cells[at] = self.replace(self.cells[at], cell, kinds);
                self.live_cells -= 1;
            }
            Err(at) => {
                if row.room == 0 {
                    let cells = self.cells[row.range()].to_vec();
                    self.move_cells(row, &cells);
                }
                let (at, end) = (row.first as usize + at, row.range().end);
                self.cells.copy_within(at..end, at + 1);
                self.cells[at] = cell;
                row.count += 1;
                row.room -= 1;
            }
        }
    }

    fn merge(&mut self, older: &mut MemRow, newer: &MemRow, kinds: &[FamilyKind]) {
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
        self.live_cells -= u64::from(older.count + newer.count) - merged.len() as u64;
        if merged.len() <= older.places() {
            older.room = (older.places() - merged.len()) as u32;
            older.count = merged.len() as u32;
            self.cells[older.range()].copy_from_slice(&merged);
        } else {
            self.move_cells(older, &merged);
        }
    }

    /// Moves the cells of a row to a new place, with room for half of their number more.
    fn move_cells(&mut self, row: &mut MemRow, cells: &[MemCell]) {
        self.cells_lost += row.places();
        row.first = self.cells.len() as u32;
        row.count = cells.len() as u32;
        row.room = row.count / 2 + 2;
        self.cells.extend_from_slice(cells);
        self.cells.resize(row.first as usize + row.places(), MemCell::default());
    }

    /// Returns the result of an older cell and a newer one of the same column and time.
    fn replace(&mut self, older: MemCell, newer: MemCell, kinds: &[FamilyKind]) -> MemCell {
        let (family, _) = self.columns.get(older.column);
        let FamilyKind::Aggregate(kind) = FamilyKind::of(kinds, family) else { return newer };
        let values = (self.value(older.value_start, older.value_length), self.value(newer.value_start, newer.value_length));
        let state = aggregate::combine(kind, values.0, values.1);
        if state.len() == older.value_length as usize {
            self.arena[older.value_start..][..state.len()].copy_from_slice(&state);
            return older;
        }
        let value_start = self.arena.len();
        self.arena.extend_from_slice(&state);
        self.bytes += state.len() as u64;
        MemCell { value_start, value_length: state.len() as u32, ..older }
    }

    fn retain(&mut self, row: &mut MemRow, keep: impl Fn(&Columns, &MemCell) -> bool) {
        let mut kept = row.first as usize;
        for at in row.range() {
            let cell = self.cells[at];
            if keep(&self.columns, &cell) {
                self.cells[kept] = cell;
                kept += 1;
            }
        }
        let lost = (row.range().end - kept) as u32;
        row.count -= lost;
        row.room += lost;
        self.live_cells -= u64::from(lost);
    }

    /// Copies the cells that belong to a row, and drops the others.
    fn tidy(&mut self) {
        let old = core::mem::replace(&mut self.cells, Vec::with_capacity(self.live_cells as usize));
        self.rows.each(|row| {
            let cells = &old[row.range()];
            (row.first, row.room) = (self.cells.len() as u32, 0);
            self.cells.extend_from_slice(cells);
        });
        self.cells_lost = 0;
    }

    fn order(&self, a: &MemCell, b: &MemCell) -> Ordering {
        self.columns.compare(a.column, b.column).then(b.timestamp.cmp(&a.timestamp))
    }
}

impl MemRow {
    fn range(&self) -> core::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    fn places(&self) -> usize {
        (self.count + self.room) as usize
    }
}
