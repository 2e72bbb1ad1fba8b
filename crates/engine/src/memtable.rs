//! The newest cells of a tablet, sorted in memory until they become an SSTable.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Bound;

use tabletop_model::Timestamp;

use crate::change::{Change, Op};
use crate::columns::{Columns, FamilyId};
use crate::key_range::KeyRange;
use crate::tombstones::{ColumnTombstone, Tombstones};

/// Rows by key; the values lie together in one arena, the columns are numbered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memtable {
    rows: BTreeMap<Vec<u8>, MemRow>,
    columns: Columns,
    values: Vec<u8>,
    bytes: u64,
    cells: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct MemRow {
    /// Families by creation, qualifiers by bytes, newest first; no two of one column and timestamp.
    pub cells: Vec<MemCell>,
    /// What it hides in older runs.
    pub tombstones: Option<Box<Tombstones>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct MemCell {
    pub column: u32,
    pub value_length: u32,
    pub value_start: usize,
    pub timestamp: Timestamp,
}

/// Bytes that a row and a cell count beside their key and value: about what an SSTable spends on them.
const ROW_BYTES: usize = 8;
const CELL_BYTES: usize = 8;

impl Memtable {
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes that it holds, about; overwritten and deleted values count until it becomes an SSTable.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn cells(&self) -> u64 {
        self.cells
    }

    pub fn row_count(&self) -> u64 {
        self.rows.len() as u64
    }

    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    pub fn value(&self, start: usize, length: u32) -> &[u8] {
        &self.values[start..][..length as usize]
    }

    /// Rows of a range, from both ends.
    pub fn range<'a>(&'a self, range: &KeyRange) -> alloc::collections::btree_map::Range<'a, Vec<u8>, MemRow> {
        let end = match &range.end {
            // A map refuses a range that ends before it begins.
            Some(_) if range.is_empty() => Bound::Excluded(range.start.as_slice()),
            Some(end) => Bound::Excluded(end.as_slice()),
            None => Bound::Unbounded,
        };
        self.rows.range::<[u8], _>((Bound::Included(range.start.as_slice()), end))
    }

    /// The bytes that a row counts for: an estimate to find the middle with.
    pub fn row_bytes(&self, key: &[u8], row: &MemRow) -> u64 {
        let values: usize = row.cells.iter().map(|cell| cell.value_length as usize + CELL_BYTES).sum();
        (key.len() + ROW_BYTES + values) as u64
    }

    /// Does to a row what a write says.
    pub fn apply(&mut self, change: &Change<'_>) {
        let mut row = self.row(change.key.to_vec());
        row.reserve(change.ops.len());
        for op in change.ops {
            match *op {
                Op::Set { family, qualifier, timestamp, value } | Op::Add { family, qualifier, timestamp, input: value } => {
                    row.set(family, qualifier, timestamp, value);
                }
                Op::DeleteColumn { family, qualifier, start, end } => {
                    row.delete_column(ColumnTombstone { family, qualifier: qualifier.to_vec(), start, end });
                }
                Op::DeleteFamily(family) => row.delete_family(family),
                Op::DeleteRow => row.delete_row(),
            }
        }
    }

    /// A row to change, made if it is not there.
    fn row(&mut self, key: Vec<u8>) -> RowWriter<'_> {
        let Memtable { rows, columns, values, bytes, cells } = self;
        let key_bytes = key.len() + ROW_BYTES;
        let row = rows.entry(key).or_insert_with(|| {
            *bytes += key_bytes as u64;
            MemRow::default()
        });
        RowWriter { row, columns, values, bytes, cells, previous: u32::MAX }
    }
}

/// Changes one row of a memtable.
struct RowWriter<'a> {
    row: &'a mut MemRow,
    columns: &'a mut Columns,
    values: &'a mut Vec<u8>,
    bytes: &'a mut u64,
    cells: &'a mut u64,
    previous: u32,
}

impl RowWriter<'_> {
    /// Makes room for cells to come.
    pub fn reserve(&mut self, cells: usize) {
        self.row.cells.reserve_exact(cells);
    }

    pub fn set(&mut self, family: FamilyId, qualifier: &[u8], timestamp: Timestamp, value: &[u8]) {
        let known = self.columns.len();
        let column = self.columns.number(family, qualifier, self.previous);
        self.previous = column;
        if self.columns.len() > known {
            *self.bytes += qualifier.len() as u64;
        }
        *self.bytes += (value.len() + CELL_BYTES) as u64;
        let cell = MemCell { column, value_length: value.len() as u32, value_start: self.values.len(), timestamp };
        self.values.extend_from_slice(value);
        let order = |a: &MemCell| self.columns.compare(a.column, column).then(timestamp.cmp(&a.timestamp));
        // Loads write in order mostly, so the end is tried before a search.
        match self.row.cells.last().map(&order) {
            None | Some(Ordering::Less) => self.row.cells.push(cell),
            Some(_) => match self.row.cells.binary_search_by(order) {
                Ok(at) => {
                    self.row.cells[at] = cell;
                    return;
                }
                Err(at) => self.row.cells.insert(at, cell),
            },
        }
        *self.cells += 1;
    }

    pub fn delete_column(&mut self, tombstone: ColumnTombstone) {
        let column = self.columns.number(tombstone.family, &tombstone.qualifier, self.previous);
        self.retain(|_, cell| cell.column != column || cell.timestamp < tombstone.start || cell.timestamp >= tombstone.end);
        self.hide(|tombstones| tombstones.delete_column(tombstone));
    }

    pub fn delete_family(&mut self, family: FamilyId) {
        self.retain(|columns, cell| columns.get(cell.column).0 != family);
        self.hide(|tombstones| tombstones.delete_family(family));
    }

    pub fn delete_row(&mut self) {
        self.retain(|_, _| false);
        self.hide(Tombstones::delete_row);
    }

    fn retain(&mut self, keep: impl Fn(&Columns, &MemCell) -> bool) {
        let before = self.row.cells.len();
        self.row.cells.retain(|cell| keep(self.columns, cell));
        *self.cells -= (before - self.row.cells.len()) as u64;
    }

    fn hide(&mut self, change: impl FnOnce(&mut Tombstones)) {
        let tombstones = self.row.tombstones.get_or_insert_default();
        let before = tombstones.bytes();
        change(tombstones);
        *self.bytes += tombstones.bytes().saturating_sub(before) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::{format, vec};

    fn show(memtable: &Memtable) -> Vec<String> {
        let mut lines = Vec::new();
        for (key, row) in memtable.range(&KeyRange::all()) {
            for cell in &row.cells {
                let (family, qualifier) = memtable.columns().get(cell.column);
                let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                lines.push(format!(
                    "{} {family}:{}@{}={}",
                    text(key),
                    text(qualifier),
                    cell.timestamp,
                    text(memtable.value(cell.value_start, cell.value_length))
                ));
            }
        }
        lines
    }

    #[test]
    fn cells_lie_in_order_however_they_came() {
        let mut memtable = Memtable::default();
        for (family, qualifier, time) in [(1, "a", 1), (0, "b", 2), (0, "a", 1), (0, "b", 3), (0, "a", 4), (0, "b", 3)] {
            memtable.row(b"r".to_vec()).set(family, qualifier.as_bytes(), time, b"v");
        }
        assert_eq!(show(&memtable), ["r 0:a@4=v", "r 0:a@1=v", "r 0:b@3=v", "r 0:b@2=v", "r 1:a@1=v"]);
        assert_eq!((memtable.cells(), memtable.row_count()), (5, 1));
    }

    #[test]
    fn a_delete_hides_what_was_before_and_not_what_comes_after() {
        let mut memtable = Memtable::default();
        let mut row = memtable.row(b"r".to_vec());
        (1..5).for_each(|time| row.set(0, b"a", time, b"old"));
        row.delete_column(ColumnTombstone { family: 0, qualifier: b"a".to_vec(), start: 2, end: 4 });
        row.set(0, b"a", 3, b"new");
        assert_eq!(show(&memtable), ["r 0:a@4=old", "r 0:a@3=new", "r 0:a@1=old"]);
        memtable.row(b"r".to_vec()).delete_row();
        assert_eq!((show(&memtable), memtable.cells()), (vec![], 0));
    }
}
