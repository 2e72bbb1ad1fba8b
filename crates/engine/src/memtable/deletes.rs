//! Deletes in a memtable. A delete removes the row's earlier cells, and stays as a tombstone that
//! hides cells of older runs.
//!
//! A delete is stored as a cell with a length that no value has:
//!
//! ```text
//! of a column   column, the complement of the first deleted time (so that ranges ascend), the end of the range in the arena
//! of a family   the family in the place of the column
//! of the row    nothing more; what the same write did before is removed
//! ```

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::Timestamp;

use super::Memtable;
use super::row::{MemCell, MemRow, WideRow};
use crate::columns::FamilyId;
use crate::families::FamilyKind;
use crate::tombstones::{ColumnTombstone, Tombstones};

const ROW_DELETE: u32 = u32::MAX;
const FAMILY_DELETE: u32 = u32::MAX - 1;
const COLUMN_DELETE: u32 = u32::MAX - 2;
/// Bytes of the end of a deleted range.
const END_BYTES: usize = size_of::<Timestamp>();

impl MemCell {
    pub fn column_delete(column: u32, start: Timestamp, end: Timestamp, arena: &mut Vec<u8>) -> MemCell {
        let value_start = arena.len();
        arena.extend_from_slice(&end.to_le_bytes());
        MemCell { column, value_length: COLUMN_DELETE, value_start, timestamp: !start }
    }

    pub fn family_delete(family: FamilyId) -> MemCell {
        MemCell { column: family.into(), value_length: FAMILY_DELETE, ..MemCell::default() }
    }

    pub fn row_delete() -> MemCell {
        MemCell { value_length: ROW_DELETE, ..MemCell::default() }
    }

    pub fn is_delete(&self) -> bool {
        self.value_length >= COLUMN_DELETE
    }
}

impl WideRow {
    fn hides_family(&self, family: FamilyId) -> bool {
        self.is_deleted || self.families.binary_search(&family).is_ok()
    }
}

impl MemRow {
    /// Returns the row with room for deletes and for several chunks.
    pub(super) fn widen(&mut self) -> &mut WideRow {
        let cells = &mut self.cells;
        self.wide.get_or_insert_with(|| {
            let cells = core::mem::take(cells);
            Box::new(WideRow {
                cells: Vec::from_iter((cells.count > 0).then_some(cells)),
                ..WideRow::default()
            })
        })
    }

    /// Returns whether the row hides anything in older runs.
    pub fn has_tombstones(&self) -> bool {
        let has =
            |wide: &WideRow| wide.is_deleted || !wide.families.is_empty() || !wide.tombstones.is_empty();
        self.wide.as_deref().is_some_and(has)
    }

    /// Returns whether the row hides the whole row in older runs.
    pub fn is_deleted(&self) -> bool {
        self.wide.as_ref().is_some_and(|wide| wide.is_deleted)
    }
}

impl Memtable {
    /// Returns whether a row hides a cell of older runs.
    pub fn hides(&self, row: &MemRow, family: FamilyId, qualifier: &[u8], timestamp: Timestamp) -> bool {
        let Some(wide) = &row.wide else { return false };
        if wide.hides_family(family) {
            return true;
        }
        let begins = |cell: &MemCell| {
            let (of, column) = self.columns.get(cell.column);
            (of, column, !cell.timestamp) <= (family, qualifier, timestamp)
        };
        let after = wide.tombstones.partition_point(|chunk| begins(&self.cells[chunk.first as usize]));
        let Some(chunk) = after.checked_sub(1).map(|at| &wide.tombstones[at]) else { return false };
        let cells = &self.cells[chunk.range()];
        let after = cells.partition_point(begins);
        let last = &cells[after - 1];
        self.columns.get(last.column) == (family, qualifier) && timestamp < self.end_of(last)
    }

    /// Returns what a row deletes in older runs.
    pub fn tombstones(&self, row: &MemRow) -> Option<Tombstones> {
        let wide = row.wide.as_ref().filter(|_| row.has_tombstones())?;
        let column = |cell: &MemCell| {
            let (family, qualifier) = self.columns.get(cell.column);
            ColumnTombstone {
                family,
                qualifier: qualifier.to_vec(),
                start: !cell.timestamp,
                end: self.end_of(cell),
            }
        };
        let cells = wide.tombstones.iter().flat_map(|chunk| &self.cells[chunk.range()]);
        Some(Tombstones {
            row: wide.is_deleted,
            families: wide.families.clone(),
            columns: cells.map(column).collect(),
        })
    }

    /// Applies a delete to the earlier cells and deletes of its row.
    pub(super) fn delete(&mut self, row: &mut WideRow, cell: MemCell, kinds: &[FamilyKind]) {
        match cell.value_length {
            COLUMN_DELETE => self.delete_column(row, cell, kinds),
            FAMILY_DELETE => self.delete_family(row, cell.column as FamilyId),
            _ => {
                self.remove_cells(row, &|_, _| Ordering::Equal);
                self.remove(&mut row.tombstones, &|_, _| Ordering::Equal, &mut |_, _| {});
                row.families.clear();
                row.is_deleted = true;
            }
        }
    }

    fn delete_family(&mut self, row: &mut WideRow, family: FamilyId) {
        let of_family =
            |memtable: &Memtable, cell: &MemCell| memtable.columns.get(cell.column).0.cmp(&family);
        self.remove_cells(row, &of_family);
        if !row.is_deleted
            && let Err(at) = row.families.binary_search(&family)
        {
            row.families.insert(at, family);
            self.remove(&mut row.tombstones, &of_family, &mut |_, _| {});
        }
    }

    fn delete_column(&mut self, row: &mut WideRow, delete: MemCell, kinds: &[FamilyKind]) {
        let (start, end) = (!delete.timestamp, self.end_of(&delete));
        self.remove_cells(row, &|memtable, cell| {
            let newer_first = || {
                if cell.timestamp >= end {
                    Ordering::Less
                } else if cell.timestamp >= start {
                    Ordering::Equal
                } else {
                    Ordering::Greater
                }
            };
            memtable.columns.compare(cell.column, delete.column).then_with(newer_first)
        });
        if row.hides_family(self.columns.get(delete.column).0) {
            return;
        }
        // Ranges that it overlaps or touches are merged into it.
        let (mut low, mut high) = (start, end);
        let overlaps = |memtable: &Memtable, other: &MemCell| {
            let range = || {
                if memtable.end_of(other) < start {
                    Ordering::Less
                } else if !other.timestamp <= end {
                    Ordering::Equal
                } else {
                    Ordering::Greater
                }
            };
            memtable.columns.compare(other.column, delete.column).then_with(range)
        };
        self.remove(&mut row.tombstones, &overlaps, &mut |memtable, other| {
            low = low.min(!other.timestamp);
            high = high.max(memtable.end_of(other));
        });
        self.arena[delete.value_start..][..END_BYTES].copy_from_slice(&high.to_le_bytes());
        self.insert_among(&mut row.tombstones, MemCell { timestamp: !low, ..delete }, kinds);
    }

    fn remove_cells(&mut self, row: &mut WideRow, place: &dyn Fn(&Memtable, &MemCell) -> Ordering) {
        let mut count = 0;
        self.remove(&mut row.cells, place, &mut |_, _| count += 1);
        self.live_cells -= count;
    }

    /// Returns the end of the range that a delete of a column removes.
    fn end_of(&self, cell: &MemCell) -> Timestamp {
        let bytes = self.arena[cell.value_start..].first_chunk::<END_BYTES>();
        Timestamp::from_le_bytes(*bytes.expect("its end is in the arena"))
    }
}
