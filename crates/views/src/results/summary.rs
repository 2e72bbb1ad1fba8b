//! What all rows of a read share: their families, their sizes and their time.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_objects::{OBJECT_BYTES_MAX, Object, READ_MICROS_P99_MAX};

use super::read::QueryResult;

/// Cells that are counted before the page gets a turn.
const COUNT_CELLS: usize = 30_000;
/// The maximum number of families that are kept.
const FAMILIES_MAX: usize = 100;

/// The figures of the rows that are counted so far.
#[derive(Default)]
pub struct Summary {
    of: Rc<QueryResult>,
    /// The number of rows.
    pub rows: usize,
    /// In the order of their first cells.
    pub families: Vec<String>,
    /// Bytes of the largest object.
    pub largest: u64,
    /// Objects over the limit.
    pub over: usize,
}

impl Summary {
    /// Counts some rows of a read that continues or is new. Returns whether all are counted.
    pub fn count(&mut self, result: &Rc<QueryResult>) -> bool {
        if !result.continues(&self.of) {
            *self = Summary::default();
        }
        self.of = result.clone();
        let mut cells = 0;
        while let Some(row) = result.row(self.rows) {
            if cells >= COUNT_CELLS {
                return false;
            }
            cells += row.cells.len().max(1);
            self.rows += 1;
            let bytes = Object::bytes_of(row);
            self.largest = self.largest.max(bytes);
            self.over += usize::from(bytes > OBJECT_BYTES_MAX);
            for cell in &row.cells {
                if self.families.len() < FAMILIES_MAX && !self.families.contains(&cell.family) {
                    self.families.push(cell.family.clone());
                }
            }
        }
        true
    }
}

/// The time that a read has taken for each of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadTime {
    /// The mean of the objects so far, rounded down.
    pub micros: u64,
    /// Whether it is below the limit of an object. The limit is for 99 of 100 reads, which a single
    /// read cannot measure.
    pub is_kept: bool,
}

impl ReadTime {
    /// Returns the time of a read, if it has objects.
    pub fn of(result: &QueryResult) -> Option<ReadTime> {
        let micros = result.elapsed_micros.checked_div(result.rows() as u64)?;
        Some(ReadTime { micros, is_kept: micros < READ_MICROS_P99_MAX })
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::vec;

    use tabletop_model::{Cell, ReadStats, Row};
    use tabletop_protocol::QueryChunk;

    use super::*;
    use tabletop_texts::messages;

    fn row(key: &str, family: &str, bytes: usize) -> Row {
        let cell = Cell {
            family: family.into(),
            qualifier: "".into(),
            timestamp: 0,
            value: vec![0; bytes].into(),
            label: None,
        };
        Row { key: key.into(), cells: vec![cell] }
    }

    /// A slice of a read that has taken the time so far.
    fn chunk_after(elapsed_micros: u64, rows: Vec<Row>) -> QueryChunk {
        QueryChunk {
            rows,
            stats: ReadStats::default(),
            ranges: 1,
            scans_more: false,
            elapsed_micros,
            complete: false,
        }
    }

    #[test]
    fn the_time_of_a_read_is_shared_by_its_objects() {
        let none = QueryResult::default().with(chunk_after(90_000, Vec::new()));
        assert_eq!(ReadTime::of(&none), None);
        let one = none.with(chunk_after(90_000, vec![row("a", "f", 1)]));
        assert_eq!(ReadTime::of(&one), Some(ReadTime { micros: 90_000, is_kept: false }));
        let three = one.with(chunk_after(90_001, vec![row("b", "f", 1), row("c", "f", 1)]));
        assert_eq!(ReadTime::of(&three), Some(ReadTime { micros: 30_000, is_kept: false }));
        let more = |elapsed| three.with(chunk_after(elapsed, vec![row("d", "f", 1), row("e", "f", 1)]));
        assert_eq!(
            ReadTime::of(&more(100_000)),
            Some(ReadTime { micros: 20_000, is_kept: false }),
            "less than 20 ms is asked for"
        );
        assert_eq!(ReadTime::of(&more(99_999)), Some(ReadTime { micros: 19_999, is_kept: true }));
        // The clock of the worker has a resolution of 0.1 ms.
        assert_eq!(ReadTime::of(&more(0)), Some(ReadTime { micros: 0, is_kept: true }));
        let said = [(0, true), (30_000, false)]
            .map(|(micros, is_kept)| (messages().objects.read_time)(micros, is_kept));
        assert_eq!(
            said,
            [
                "Average time per object in this read: < 0.1 ms. The limit of 20 ms is met.",
                "Average time per object in this read: 30.0 ms. The limit of 20 ms is exceeded."
            ]
        );
    }

    #[test]
    fn sizes_and_families_add_up_over_slices() {
        let chunk = |rows| chunk_after(0, rows);
        let first = Rc::new(QueryResult::default().with(chunk(vec![row("a", "f", 1_000_000)])));
        let mut summary = Summary::default();
        assert!(summary.count(&first));
        assert_eq!((summary.rows, summary.largest, summary.over), (1, 1_000_000, 0));
        let more = Rc::new(first.with(chunk(vec![row("b", "g", 1_000_001), row("c", "f", 1)])));
        assert!(summary.count(&more));
        assert_eq!((summary.rows, summary.largest, summary.over), (3, 1_000_001, 1));
        assert_eq!(summary.families, ["f", "g"]);
        let other = Rc::new(QueryResult::default().with(chunk(vec![row("a", "h", 1)])));
        assert!(summary.count(&other));
        assert_eq!((summary.rows, &summary.families[..]), (1, &["h".to_owned()][..]));
    }
}
