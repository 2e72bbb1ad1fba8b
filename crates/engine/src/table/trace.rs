//! Reads whose filter is traced: what each of its nodes did with the cells.

use alloc::vec::Vec;

use tabletop_model::{ReadRows, Result, RowFilter, TracedRow};

use crate::filter::{Filter, Highlights, TraceDetail};
use crate::storage::Storage;
use crate::table::Table;

/// A traced read between two slices. It examines all cells of its rows, and the same rows as the
/// read without a trace. It counts neither as load nor in the table's counters.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The read without its filter.
    cells: ReadRows,
    filter: RowFilter,
    highlights: Highlights,
    detail: TraceDetail,
    /// Rows that may still be returned.
    left: u64,
    complete: bool,
}

impl Trace {
    /// Begins to trace a read. Without a filter, it traces a filter that passes all cells.
    pub fn new(read: ReadRows, detail: TraceDetail) -> Trace {
        let left = if read.rows_limit == 0 { u64::MAX } else { read.rows_limit };
        let filter = read.filter.unwrap_or(RowFilter::PassAll(true));
        let cells = ReadRows { filter: None, rows_limit: 0, unmetered: true, ..read };
        let highlights = Highlights::of(&filter);
        Trace { cells, filter, highlights, detail, left, complete: false }
    }

    /// Returns whether all rows are traced.
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

impl Table {
    /// Traces the rows of the next slice.
    ///
    /// # Errors
    /// Any error of [`Table::scan`]: the read is invalid or exceeds a limit, or storage fails.
    pub fn trace(&mut self, storage: &mut dyn Storage, trace: &mut Trace) -> Result<Vec<TracedRow>> {
        let mut filter = Filter::compile(&trace.filter, self.families.names(), trace.cells.sample_seed)?;
        // An unmetered read has no time.
        let chunk = self.read(storage, 0, &trace.cells)?;
        trace.complete = chunk.resume.is_none();
        trace.cells.resume = chunk.resume;
        let mut rows = Vec::with_capacity(chunk.rows.len());
        for row in chunk.rows {
            let row = filter.trace(row, self.families.names(), &trace.highlights, trace.detail)?;
            trace.left -= u64::from(row.returned);
            rows.push(row);
            if trace.left == 0 {
                trace.complete = true;
                break;
            }
        }
        Ok(rows)
    }
}
