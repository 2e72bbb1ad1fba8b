//! The figures of a design for a comparison with others, and the count of its logical bytes.

use tabletop_model::{ReadRows, Resume, RowSet, TableView};
use tabletop_schema::{Arrival, DesignFigures, Verdict, judge};

use crate::design_table::{DesignTable, Supply};

/// Cells that one request counts: some milliseconds.
const COUNTED_CELLS: u64 = 10_000;

/// The count of a table's logical bytes, slice by slice.
pub(crate) struct SizeCount {
    /// The table's first revision, its events and its edits. A count of another table begins again.
    of: (u64, u32, u64),
    resume: Option<Resume>,
    /// Bytes so far.
    bytes: u64,
    complete: bool,
}

impl DesignTable {
    /// Returns the current figures of the design. Once all events are in the table, each call also counts a slice of its rows,
    /// until all are counted.
    pub fn figures(&mut self, supply: Supply) -> DesignFigures {
        let complete = supply.total == Some(self.table.built);
        let may_grow = !complete || self.is_settling(supply);
        if !may_grow && self.mapping.is_some() {
            self.count_size();
        }
        let counted = self.size.as_ref().filter(|size| !may_grow && size.complete);
        let logical_bytes = counted.map(|size| size.bytes);
        let is_counting = !may_grow && self.mapping.is_some() && counted.is_none();
        let table = self.tablets();
        let verdict = self.verdict(supply, &table);
        DesignFigures {
            design: self.design.clone(),
            problems: self.problems.clone(),
            events_built: self.table.built,
            events_refused: self.table.refused.events,
            events_total: supply.total.unwrap_or(supply.events.len() as u32),
            changes: supply.playing || self.is_behind(supply) || self.is_settling(supply) || is_counting,
            verdict,
            key_bytes_max: self.key_bytes_max(),
            logical_bytes,
            table,
            indexes: Vec::new(),
        }
    }

    /// Judges the design by its tablets.
    pub(crate) fn verdict(&self, supply: Supply, table: &TableView) -> Verdict {
        let arrival = if supply.total == Some(self.table.built) { Arrival::Complete } else { Arrival::Ongoing };
        let verdict = judge(&self.pictures.advice, table, arrival);
        if self.problems.is_empty() { verdict } else { verdict.of_last_valid() }
    }

    /// Counts the next slice of rows, unless all are counted.
    fn count_size(&mut self) {
        let of = (self.table.begun, self.table.built, self.table.edits);
        let size = self.size.take().filter(|size| size.of == of);
        let mut size = size.unwrap_or(SizeCount { of, resume: None, bytes: 0, complete: false });
        if !size.complete {
            let read = ReadRows {
                rows: RowSet::all(),
                slice_cells_max: COUNTED_CELLS,
                // A count is no load.
                unmetered: true,
                resume: size.resume.take(),
                ..ReadRows::default()
            };
            if let Ok(chunk) = self.read(&read) {
                size.bytes = chunk.stats.bytes_returned;
                size.complete = chunk.resume.is_none();
                size.resume = chunk.resume;
            }
        }
        self.size = Some(size);
    }
}
