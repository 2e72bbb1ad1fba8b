//! Reads in slices, so that their output comes in parts.

use alloc::boxed::Box;
use alloc::string::String;

use tabletop_model::{ReadRows, ReadStats, Response, Result, Row, TableRequest};

use crate::task::{Next, Task, unexpected};

/// The cells that are read for one part of the output: initially, and at most.
const SLICE_CELLS: [u64; 2] = [1_000, 20_000];
/// The bytes of values in one part of the output. After a part with more, fewer cells are read for
/// the next one.
const SLICE_BYTES: usize = 1 << 22;

/// A running read.
pub(crate) struct Read<P> {
    table: String,
    read: ReadRows,
    is_complete: bool,
    printer: P,
    doing: &'static str,
}

/// The printer of the rows of a read.
pub(crate) trait Printer: 'static {
    /// Called before the first row, even if there is none.
    fn header(&mut self, _out: &mut String) {}
    /// Called for each row.
    fn row(&mut self, row: &Row, out: &mut String) -> Result<()>;
    /// Called after the last row.
    fn footer(&mut self, stats: &ReadStats, out: &mut String);
}

impl<P: Printer> Read<P> {
    pub fn new(table: String, mut read: ReadRows, doing: &'static str, printer: P) -> Read<P> {
        read.slice_cells_max = SLICE_CELLS[0];
        Read { table, read, is_complete: false, printer, doing }
    }

    pub fn task(table: String, read: ReadRows, doing: &'static str, printer: P) -> Box<dyn Task> {
        Box::new(Read::new(table, read, doing, printer))
    }

    pub fn printer(&mut self) -> &mut P {
        &mut self.printer
    }
}

impl<P: Printer> Task for Read<P> {
    fn next(&mut self, _out: &mut String) -> Next {
        if self.is_complete {
            return Next::Done;
        }
        Next::Request(Box::new(TableRequest::ReadRows(self.read.clone()).of(self.table.clone())))
    }

    fn take(&mut self, answer: Response, out: &mut String) -> Result<()> {
        let Response::Rows(chunk) = answer else { return Err(unexpected()) };
        if self.read.resume.is_none() {
            self.printer.header(out);
        }
        chunk.rows.iter().try_for_each(|row| self.printer.row(row, out))?;
        let bytes: usize = chunk.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.value.len()).sum();
        self.read.slice_cells_max = next_slice(self.read.slice_cells_max, bytes);
        self.is_complete = chunk.resume.is_none();
        self.read.resume = chunk.resume;
        if self.is_complete {
            self.printer.footer(&chunk.stats, out);
        }
        Ok(())
    }

    fn doing(&self) -> &'static str {
        self.doing
    }

    fn changes(&self) -> bool {
        false
    }
}

/// Returns the number of cells to read next, after `cells` cells had `bytes` bytes of values, so
/// that large values do not exhaust the memory.
fn next_slice(cells: u64, bytes: usize) -> u64 {
    match bytes {
        0..=SLICE_BYTES => (cells * 2).min(SLICE_CELLS[1]),
        _ => (cells / (bytes / SLICE_BYTES + 1) as u64).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_smaller_where_values_are_large() {
        assert_eq!(next_slice(1_000, 10_000), 2_000);
        assert_eq!(next_slice(20_000, 10_000), 20_000);
        assert_eq!(next_slice(20_000, 100 * SLICE_BYTES), 198);
        assert_eq!(next_slice(1, usize::MAX), 1);
    }
}
