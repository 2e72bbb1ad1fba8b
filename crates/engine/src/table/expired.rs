//! Counts the cells that GC rules would collect now: a read in slices, through the collector that
//! compactions use.

#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::{CountExpired, ExpiredCell, ExpiredCells, ReadRows, Result, RowSet, Timestamp};

use crate::columns::FamilyId;
use crate::gc::Collector;
use crate::storage::Storage;
use crate::table::Table;
use crate::table::scan::{CellRef, RowVisitor};

/// A count in progress.
struct Count<'a> {
    collector: Option<Collector>,
    families: &'a [String],
    found: ExpiredCells,
    listed_max: usize,
    /// The last cell's column: the number of its family, its qualifier, and a number that is unique
    /// in the row.
    family: FamilyId,
    qualifier: Vec<u8>,
    ordinal: u32,
    /// Whether a cell of the row has expired.
    row_has_expired: bool,
}

impl Table {
    /// Counts, in a slice of the rows, the cells that the GC rules would collect. Deleted cells,
    /// which a compaction also removes, are not counted. The read counts neither as load nor in the
    /// table's counters.
    ///
    /// # Errors
    /// Any error of [`Table::scan`]: the read is invalid or exceeds a limit, or storage fails.
    pub(crate) fn count_expired(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        ask: &CountExpired,
    ) -> Result<ExpiredCells> {
        let now = self.background.gc_time.unwrap_or(now);
        let rows = match &ask.row {
            Some(key) => RowSet { keys: vec![key.clone()], ranges: Vec::new() },
            None => RowSet::all(),
        };
        let read = ReadRows {
            rows,
            unmetered: true,
            slice_cells_max: ask.slice_cells_max,
            resume: ask.resume.clone(),
            ..ReadRows::default()
        };
        let families = self.families.clone();
        let mut count = Count {
            collector: Collector::new(&families, now),
            families: families.names(),
            found: ExpiredCells::default(),
            listed_max: ask.listed_max as usize,
            family: 0,
            qualifier: Vec::new(),
            ordinal: 0,
            row_has_expired: false,
        };
        let scan = self.read_into(storage, now, &read, &mut count)?;
        Ok(ExpiredCells { resume: scan.resume, now, ..count.found })
    }
}

impl RowVisitor for Count<'_> {
    fn row(&mut self, _: &[u8]) {
        self.found.rows_seen += 1;
        (self.ordinal, self.row_has_expired) = (0, false);
        self.collector.iter_mut().for_each(Collector::begin_row);
    }

    fn takes_long_rows(&self) -> bool {
        true
    }

    fn cell(&mut self, cell: CellRef<'_>) {
        let bytes =
            (cell.family.len() + cell.qualifier.len() + size_of::<Timestamp>() + cell.value.len()) as u64;
        self.found.cells_seen += 1;
        self.found.bytes_seen += bytes;
        let is_family = self.families.get(usize::from(self.family)).is_some_and(|name| name == cell.family);
        if self.ordinal == 0 || !is_family || self.qualifier != cell.qualifier {
            let named = self.families.iter().position(|name| name == cell.family);
            self.family = named.unwrap_or_default() as FamilyId;
            self.qualifier.clear();
            self.qualifier.extend_from_slice(cell.qualifier);
            self.ordinal += 1;
        }
        let (family, ordinal) = (self.family, self.ordinal);
        if self
            .collector
            .as_mut()
            .is_some_and(|collector| collector.collects(family, ordinal, cell.timestamp))
        {
            self.found.cells += 1;
            self.found.bytes += bytes;
            if self.found.listed.len() < self.listed_max {
                let CellRef { family, qualifier, timestamp, .. } = cell;
                self.found.listed.push(ExpiredCell {
                    family: family.into(),
                    qualifier: qualifier.into(),
                    timestamp,
                });
            }
            self.found.rows += u64::from(!core::mem::replace(&mut self.row_has_expired, true));
        }
    }
}
