//! The rows of a read as they arrive, and their lines in the grid.
//!
//! A grid that scrolls through 100,000 rows must find the cell of a line quickly, and a read that
//! arrives in slices must not copy the earlier ones. So slices are shared and never change, and
//! each has the number of cells before each of its rows.

use alloc::rc::Rc;
use alloc::vec::Vec;

use tabletop_keys::Query;
use tabletop_model::{Cell, Error, ReadStats, Row, wire};
use tabletop_protocol::QueryChunk;

/// The progress of a read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReadState {
    /// No query was run yet.
    #[default]
    NotAsked,
    /// More rows will follow.
    Running,
    /// All rows have arrived.
    Complete,
    /// The user has cancelled it. The rows so far stay.
    Cancelled,
    /// The read was refused or has failed. The rows so far stay.
    Failed(Error),
}

/// A read and its rows so far. Cloning is cheap: rows are shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryResult {
    /// The progress of the read.
    pub state: ReadState,
    /// The rows and cells that were seen and returned so far.
    pub stats: ReadStats,
    /// The number of row ranges and keys that were read.
    pub ranges: u32,
    /// Whether the template cannot serve the query by ranges alone.
    pub scans_more: bool,
    /// The microseconds that the worker has spent so far.
    pub elapsed_micros: u64,
    /// The query, encoded, for comparison with another one.
    query: Rc<Vec<u8>>,
    /// Whether the rows belong to the previous query, until the first slice of this one arrives.
    stale: bool,
    slices: Vec<Rc<Slice>>,
    /// The rows and cells before each slice.
    before: Vec<(usize, usize)>,
}

/// Rows that arrived together.
#[derive(Debug, PartialEq, Eq)]
struct Slice {
    rows: Vec<Row>,
    /// The number of cells up to the end of each row.
    cell_ends: Vec<usize>,
}

/// The position of a row's key in the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// On the line of the first cell.
    Left,
    /// On a line above the cells.
    Above,
}

impl KeyPlace {
    /// Returns the number of lines that a key adds to the lines of its cells.
    fn lines(self) -> usize {
        match self {
            KeyPlace::Left => 0,
            KeyPlace::Above => 1,
        }
    }
}

/// One line of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultLine<'a> {
    /// Index of the row in the whole result.
    pub row_index: usize,
    /// The row.
    pub row: &'a Row,
    /// Index of the cell in the row; `None` for the line of a key.
    pub cell_index: Option<usize>,
}

impl<'a> ResultLine<'a> {
    /// Returns the cell on this line, if it is not the line of a key.
    pub fn cell(&self) -> Option<&'a Cell> {
        self.row.cells.get(self.cell_index?)
    }

    /// Returns the previous cell of the row.
    pub fn cell_before(&self) -> Option<&'a Cell> {
        self.row.cells.get(self.cell_index?.checked_sub(1)?)
    }
}

impl QueryResult {
    /// Starts a new read. The rows of this one stay visible, marked as stale, until the new one has
    /// rows.
    pub fn again(&self, query: &Query) -> QueryResult {
        let query = Rc::new(wire::encode(query));
        QueryResult { state: ReadState::Running, stale: !self.slices.is_empty(), query, ..self.clone() }
    }

    /// Adds the next slice.
    pub fn with(&self, chunk: QueryChunk) -> QueryResult {
        let mut next = self.fresh();
        let (rows, cells) = (next.rows(), next.cells());
        next.state = if chunk.complete { ReadState::Complete } else { ReadState::Running };
        next.stats = chunk.stats;
        next.ranges = chunk.ranges;
        next.scans_more = chunk.scans_more;
        next.elapsed_micros = chunk.elapsed_micros;
        if !chunk.rows.is_empty() {
            next.before.push((rows, cells));
            next.slices.push(Rc::new(Slice::new(chunk.rows)));
        }
        next
    }

    /// Ends the read: the user has cancelled it.
    pub fn cancelled(&self) -> QueryResult {
        QueryResult { state: ReadState::Cancelled, ..self.fresh() }
    }

    /// Ends the read with an error.
    pub fn failed(&self, error: Error) -> QueryResult {
        QueryResult { state: ReadState::Failed(error), ..self.fresh() }
    }

    /// Returns the read without the rows and numbers of the previous query.
    fn fresh(&self) -> QueryResult {
        if self.stale {
            QueryResult { query: self.query.clone(), ..QueryResult::default() }
        } else {
            self.clone()
        }
    }

    /// Returns the encoded query, for comparison with another one.
    pub fn query(&self) -> Rc<Vec<u8>> {
        self.query.clone()
    }

    /// Returns whether more rows will follow.
    pub fn running(&self) -> bool {
        self.state == ReadState::Running
    }

    /// Returns whether all rows have arrived.
    pub fn complete(&self) -> bool {
        self.state == ReadState::Complete
    }

    /// Returns whether rows and numbers belong to the previous query.
    pub fn stale(&self) -> bool {
        self.stale
    }

    /// Returns the error of the read.
    pub fn error(&self) -> Option<&Error> {
        match &self.state {
            ReadState::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Returns whether this has the rows of an earlier result, and maybe more.
    pub fn continues(&self, earlier: &QueryResult) -> bool {
        let is_same = |(slice, other): (&Rc<Slice>, &Rc<Slice>)| Rc::ptr_eq(slice, other);
        self.slices.len() >= earlier.slices.len() && self.slices.iter().zip(&earlier.slices).all(is_same)
    }

    /// Returns a row by its index.
    pub fn row(&self, at: usize) -> Option<&Row> {
        let slice = self.before.partition_point(|(rows, _)| *rows <= at).checked_sub(1)?;
        self.slices[slice].rows.get(at - self.before[slice].0)
    }

    /// Returns all rows so far.
    pub fn all_rows(&self) -> impl Iterator<Item = &Row> {
        self.slices.iter().flat_map(|slice| &slice.rows)
    }

    /// Returns the number of rows so far.
    pub fn rows(&self) -> usize {
        self.before.last().map_or(0, |before| before.0)
            + self.slices.last().map_or(0, |slice| slice.rows.len())
    }

    /// Returns the number of cells so far.
    pub fn cells(&self) -> usize {
        self.before.last().map_or(0, |before| before.1) + self.slices.last().map_or(0, |slice| slice.cells())
    }

    /// Returns the number of lines of the grid: one per cell, and one per key that is above its
    /// cells.
    pub fn lines(&self, keys: KeyPlace) -> usize {
        self.cells() + self.rows() * keys.lines()
    }

    /// Returns the line with this index, counted from 0.
    pub fn line(&self, at: usize, keys: KeyPlace) -> Option<ResultLine<'_>> {
        let extra = keys.lines();
        let slice_index =
            self.before.partition_point(|(rows, cells)| cells + rows * extra <= at).checked_sub(1)?;
        let (rows_before, cells_before) = self.before[slice_index];
        let slice = &self.slices[slice_index];
        let at = at - cells_before - rows_before * extra;
        let index = partition_point(slice.rows.len(), |row| slice.cell_ends[row] + (row + 1) * extra <= at);
        let row = slice.rows.get(index)?;
        let start = if index == 0 { 0 } else { slice.cell_ends[index - 1] + index * extra };
        Some(ResultLine { row_index: rows_before + index, row, cell_index: (at - start).checked_sub(extra) })
    }
}

impl Slice {
    fn new(rows: Vec<Row>) -> Self {
        let mut cells = 0;
        let cell_ends = rows
            .iter()
            .map(|row| {
                cells += row.cells.len();
                cells
            })
            .collect();
        Slice { rows, cell_ends }
    }

    fn cells(&self) -> usize {
        self.cell_ends.last().copied().unwrap_or(0)
    }
}

/// Returns the first index below `len` for which `before` is false.
fn partition_point(len: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::{format, vec};

    use tabletop_keys::RowChoice;

    use super::*;

    fn row(key: &str, cells: usize) -> Row {
        let cell = |n: usize| Cell {
            family: "f".into(),
            qualifier: format!("q{n}").as_str().into(),
            timestamp: 0,
            value: "v".into(),
            label: None,
        };
        Row { key: key.into(), cells: (0..cells).map(cell).collect() }
    }

    fn more(rows: Vec<Row>) -> QueryChunk {
        QueryChunk {
            rows,
            stats: ReadStats::default(),
            ranges: 1,
            scans_more: false,
            elapsed_micros: 1,
            complete: false,
        }
    }

    fn last(rows: Vec<Row>) -> QueryChunk {
        QueryChunk { complete: true, ..more(rows) }
    }

    /// Returns all lines as `key` or `key/cell`.
    fn lines(result: &QueryResult, keys: KeyPlace) -> String {
        (0..result.lines(keys) + 1)
            .map(|at| match result.line(at, keys) {
                None => "-".to_string(),
                Some(line) => match line.cell() {
                    None => line.row.key.to_string(),
                    Some(cell) => format!("{}/{}", line.row.key, cell.qualifier),
                },
            })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn each_line_knows_its_cell_across_slices() {
        let result = QueryResult::default()
            .with(more(vec![row("a", 2), row("b", 1)]))
            .with(more(vec![]))
            .with(last(vec![row("c", 3)]));
        assert_eq!((result.rows(), result.cells()), (3, 6));
        assert_eq!(lines(&result, KeyPlace::Left), "a/q0 a/q1 b/q0 c/q0 c/q1 c/q2 -");
        assert_eq!(lines(&result, KeyPlace::Above), "a a/q0 a/q1 b b/q0 c c/q0 c/q1 c/q2 -");
        assert_eq!(result.line(3, KeyPlace::Left).map(|line| line.row_index), Some(2));
        let keys = |at| result.row(at).map(|row| row.key.to_string());
        assert_eq!(
            [keys(0), keys(1), keys(2), keys(3)],
            [Some("a".into()), Some("b".into()), Some("c".into()), None]
        );
        assert_eq!(result.all_rows().count(), 3);
        let later = result.with(last(vec![row("d", 1)]));
        assert!(
            later.continues(&result)
                && !result.continues(&later)
                && result.continues(&QueryResult::default())
        );
    }

    #[test]
    fn nothing_has_no_lines() {
        assert_eq!(lines(&QueryResult::default(), KeyPlace::Left), "-");
        assert_eq!(lines(&QueryResult::default().with(last(vec![])), KeyPlace::Above), "-");
    }

    #[test]
    fn old_rows_stay_until_the_new_question_has_an_answer() {
        let old = QueryResult::default().with(last(vec![row("a", 1)]));
        let query = |rows_limit| Query { rows: RowChoice::All, filter: None, rows_limit, reversed: false };
        let again = old.again(&query(1));
        assert!(again.running() && again.stale() && again.rows() == 1);
        let new = again.with(more(vec![row("b", 1)])).with(last(vec![row("c", 1)]));
        assert_eq!((lines(&new, KeyPlace::Left).as_str(), new.stale()), ("b/q0 c/q0 -", false));
        assert_eq!(again.failed(Error::invalid("no")).rows(), 0);
        assert_eq!(new.cancelled().rows(), 2);
        assert_eq!(new.query(), new.again(&query(1)).query());
        assert_ne!(new.query(), new.again(&query(2)).query());
    }
}
