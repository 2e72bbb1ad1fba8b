//! Executes a request on the engine, and measures its work.

use alloc::vec::Vec;

use tabletop_engine::{CellRef, RowVisitor, TableHandle};
use tabletop_model::{ReadModifyWriteRow, ReadRows, Result, RowKey, RowMutation, Timestamp};

use crate::cost::Work;

/// A request to a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A read, in one slice.
    Read(ReadRows),
    /// A write of one row.
    Write(RowMutation),
    /// A read-modify-write of one row.
    ReadModifyWrite(ReadModifyWriteRow),
}

impl Operation {
    /// Returns whether it changes a row.
    pub fn writes(&self) -> bool {
        !matches!(self, Operation::Read(_))
    }

    /// Returns the row, or the first of several; empty for the first row of the table.
    pub fn first_row(&self) -> RowKey {
        match self {
            Operation::Write(row) => row.key.clone(),
            Operation::ReadModifyWrite(row) => row.key.clone(),
            Operation::Read(read) => first_row_of(read),
        }
    }
}

/// Returns the first row that a read asks for; empty for the first row of the table.
pub(crate) fn first_row_of(read: &ReadRows) -> RowKey {
    let keys = read.rows.keys.iter().cloned();
    keys.chain(read.rows.ranges.iter().map(|range| range.ends().0)).min().unwrap_or_default()
}

/// What the engine did for a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Executed {
    /// The work that the engine counted.
    pub work: Work,
    /// The row, or the first of several, which may not exist.
    pub first_row: RowKey,
    /// For a read, the number of rows that were examined, by the index of their tablet in key
    /// order, as the tablets were before the read.
    pub tablet_rows: Vec<(usize, u64)>,
    /// For a read, the bytes of the keys, qualifiers, times and values of the largest row that was
    /// returned.
    pub row_bytes_max: u64,
}

/// Measures the sizes of rows; for everything else, the engine's counts are enough.
#[derive(Default)]
struct Sizes {
    /// Bytes of the current row.
    bytes: u64,
    max: u64,
}

impl RowVisitor for Sizes {
    fn row(&mut self, key: &[u8]) {
        self.max = self.max.max(self.bytes);
        self.bytes = key.len() as u64;
    }

    fn cell(&mut self, cell: CellRef<'_>) {
        self.bytes += (cell.qualifier.len() + size_of::<Timestamp>() + cell.value.len()) as u64;
    }

    fn takes_long_rows(&self) -> bool {
        true
    }
}

/// Executes a request on the engine at the time `now`, in microseconds.
///
/// # Errors
/// Errors of the engine.
pub fn execute(table: &mut TableHandle<'_>, now: Timestamp, operation: &Operation) -> Result<Executed> {
    let before = table.work();
    let mut executed = Executed { first_row: operation.first_row(), ..Executed::default() };
    match operation {
        Operation::Read(read) => {
            let whole = ReadRows { slice_cells_max: 0, resume: None, ..read.clone() };
            let mut sizes = Sizes::default();
            let scan = table.read_into(now, &whole, &mut sizes)?;
            executed.row_bytes_max = sizes.max.max(sizes.bytes);
            (executed.work, executed.tablet_rows) = (Work::of_read(&scan.stats), scan.tablet_rows);
            return Ok(executed);
        }
        Operation::Write(row) => table.mutate_row(now, row)?,
        Operation::ReadModifyWrite(row) => {
            // The engine does not count this read, which examines the cells that it changes.
            let read = table.read_modify_write_row(now, row)?;
            (executed.work.rows_seen, executed.work.cells_seen) = (1, read.cells.len() as u64);
        }
    }
    executed.work.rows_written = 1;
    executed.work.charge(&before, &table.work());
    Ok(executed)
}
