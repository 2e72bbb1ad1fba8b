//! The run that counts rows by their size.

use tabletop_model::ReadRows;
use tabletop_protocol::row_sizes::{RowSizes, RowSizesChunk, RowSizesRequest, SizeClass};
use tabletop_protocol::{Begin, Clock, JobError, Progress, Run};

use super::{DesignHost, find, table_at};
use crate::read::{SLICE_CELLS, TableOf, row_bytes};

/// Reads all rows of a table, and counts them in classes of powers of two.
pub struct RowSizesRun {
    of: TableOf,
    read: ReadRows,
    counted: RowSizesChunk,
}

impl<H: DesignHost + ?Sized> Begin<H> for RowSizesRun {
    fn begin(host: &mut H, request: RowSizesRequest, _: Clock) -> Result<RowSizesRun, JobError> {
        let of = TableOf::now(table_at(host.parts().2, request.index)?);
        let read = ReadRows { slice_cells_max: SLICE_CELLS, unmetered: true, ..ReadRows::default() };
        Ok(RowSizesRun { of, read, counted: RowSizesChunk::default() })
    }
}

impl<H: DesignHost + ?Sized> Run<H> for RowSizesRun {
    type Job = RowSizes;

    fn next(&mut self, host: &mut H, (): (), _: Clock) -> Result<Progress<RowSizes>, JobError> {
        let chunk = find(self.of, host.parts().2)?.read(&self.read)?;
        chunk.rows.iter().map(row_bytes).for_each(|bytes| add(&mut self.counted.classes, bytes));
        self.counted.complete = chunk.resume.is_none();
        self.read.resume = chunk.resume;
        Ok(Progress::of(self.counted.clone(), self.counted.complete))
    }

    fn is_current(&self, host: &H) -> bool {
        self.of.find(host.tables()).is_some()
    }
}

/// Counts a row of this size. 100 bytes are in class 6, which begins at 64 bytes.
fn add(classes: &mut Vec<SizeClass>, bytes: u64) {
    let class = bytes.max(1).ilog2() as usize;
    if classes.len() <= class {
        classes.resize(class + 1, SizeClass::default());
    }
    classes[class].rows += 1;
    classes[class].bytes += bytes;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_ends_before_the_next_power_of_two() {
        let mut classes = Vec::new();
        [64, 127, 128, 1].into_iter().for_each(|bytes| add(&mut classes, bytes));
        let counted = |class: usize| (classes[class].rows, classes[class].bytes);
        assert_eq!((classes.len(), counted(0), counted(6), counted(7)), (8, (1, 1), (2, 191), (1, 128)));
    }
}
