//! What all rows of a read have in common: their families and their sizes.

use std::rc::Rc;

use tabletop_schema::objects::{OBJECT_BYTES_MAX, Object};

use crate::state::QueryResult;

/// Cells that are counted before the page gets a turn.
const COUNT_CELLS: usize = 30_000;
/// The most families that are kept.
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
    /// Counts some rows of a read that goes on or is another one. Returns whether all are counted.
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

#[cfg(test)]
mod tests {
    use tabletop_model::{Cell, ReadStats, Row};
    use tabletop_schema::{QueryChunk, ReadId};

    use super::*;

    #[test]
    fn sizes_and_families_add_up_over_slices() {
        let row = |key: &str, family: &str, bytes: usize| Row {
            key: key.into(),
            cells: vec![Cell {
                family: family.into(),
                qualifier: "".into(),
                timestamp: 0,
                value: vec![0; bytes].into(),
                label: None,
            }],
        };
        let chunk = |rows| QueryChunk {
            read: ReadId(1),
            rows,
            stats: ReadStats::default(),
            ranges: 1,
            scans_more: false,
            elapsed_micros: 0,
            complete: false,
        };
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
