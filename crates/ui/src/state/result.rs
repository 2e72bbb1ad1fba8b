//! The rows of a read as they come in, and where each of them stands on the screen.
//!
//! A grid that scrolls through 100,000 rows needs to know which line holds which cell without walking there, and a read
//! that comes in slices must not copy what came before. So slices are shared and never change, and each knows the number
//! of cells before each of its rows.

use std::rc::Rc;

use tabletop_model::{Cell, Error, ReadStats, Row, wire};
use tabletop_schema::{Query, QueryChunk};

/// How far a read has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReadState {
    /// Nothing was asked yet.
    #[default]
    NotAsked,
    /// Rows are still coming.
    Running,
    /// All are here.
    Complete,
    /// A person stopped it; the rows until then stay.
    Cancelled,
    /// It was refused or failed; the rows until then stay.
    Failed(Error),
}

/// A read and what it has given so far. Cloning is cheap: rows are shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryResult {
    /// How far it has come.
    pub state: ReadState,
    /// What was looked at and given so far.
    pub stats: ReadStats,
    /// Row ranges and keys that the question became.
    pub ranges: u32,
    /// The template could not serve the question by ranges alone.
    pub scans_more: bool,
    /// Microseconds that the worker spent on it so far.
    pub elapsed_micros: u64,
    /// The question, encoded: all that is done with it is to see whether it is another one.
    question: Rc<Vec<u8>>,
    /// The rows are those of the question before: the first slice of this one takes their place.
    stale: bool,
    slices: Vec<Rc<Slice>>,
    /// For each slice, the rows and cells before it.
    before: Vec<(usize, usize)>,
}

/// Rows that came together.
#[derive(Debug, PartialEq, Eq)]
struct Slice {
    rows: Vec<Row>,
    /// For each row, the cells of this slice up to its end.
    cell_ends: Vec<usize>,
}

/// Where the key of a row stands in the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// On the line of the first cell.
    Beside,
    /// On a line above the cells.
    Above,
}

impl KeyPlace {
    /// Lines that a key adds to those of its cells.
    fn lines(self) -> usize {
        match self {
            KeyPlace::Beside => 0,
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
    /// Index of the cell in the row, or nothing for a line of its own for the key.
    pub cell_index: Option<usize>,
}

impl<'a> ResultLine<'a> {
    /// The cell on this line, if it is not the line of a key.
    pub fn cell(&self) -> Option<&'a Cell> {
        self.row.cells.get(self.cell_index?)
    }

    /// The cell before it in the row.
    pub fn cell_before(&self) -> Option<&'a Cell> {
        self.row.cells.get(self.cell_index?.checked_sub(1)?)
    }
}

impl QueryResult {
    /// A new read begins. What this one gave stays on the screen, marked as stale, until the new one has something.
    pub fn again(&self, question: &Query) -> QueryResult {
        let question = Rc::new(wire::encode(question));
        QueryResult { state: ReadState::Running, stale: !self.slices.is_empty(), question, ..self.clone() }
    }

    /// The next slice has come.
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

    /// A person stopped the read.
    pub fn cancelled(&self) -> QueryResult {
        QueryResult { state: ReadState::Cancelled, ..self.fresh() }
    }

    /// The read was refused or failed.
    pub fn failed(&self, error: Error) -> QueryResult {
        QueryResult { state: ReadState::Failed(error), ..self.fresh() }
    }

    /// Without the rows and numbers of the question before.
    fn fresh(&self) -> QueryResult {
        if self.stale { QueryResult { question: self.question.clone(), ..QueryResult::default() } } else { self.clone() }
    }

    /// What tells this question from another.
    pub fn question(&self) -> Rc<Vec<u8>> {
        self.question.clone()
    }

    /// Whether rows are still coming.
    pub fn running(&self) -> bool {
        self.state == ReadState::Running
    }

    /// Whether all of the answer is there.
    pub fn complete(&self) -> bool {
        self.state == ReadState::Complete
    }

    /// Whether rows and numbers are those of the question before.
    pub fn stale(&self) -> bool {
        self.stale
    }

    /// What was refused or failed.
    pub fn error(&self) -> Option<&Error> {
        match &self.state {
            ReadState::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Rows that have come.
    pub fn rows(&self) -> usize {
        self.before.last().map_or(0, |before| before.0) + self.slices.last().map_or(0, |slice| slice.rows.len())
    }

    /// Cells that have come.
    pub fn cells(&self) -> usize {
        self.before.last().map_or(0, |before| before.1) + self.slices.last().map_or(0, |slice| slice.cells())
    }

    /// Lines of the grid: one for each cell, and one for each key that has a line of its own.
    pub fn lines(&self, keys: KeyPlace) -> usize {
        self.cells() + self.rows() * keys.lines()
    }

    /// What stands on a line, counted from 0.
    pub fn line(&self, at: usize, keys: KeyPlace) -> Option<ResultLine<'_>> {
        let extra = keys.lines();
        let slice_index = self.before.partition_point(|(rows, cells)| cells + rows * extra <= at).checked_sub(1)?;
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

/// The first index below `len` for which `before` no longer holds.
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
    use tabletop_schema::{ReadId, RowChoice};

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
            read: ReadId(1),
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

    /// Every line as `key` or `key/cell`.
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
        let result =
            QueryResult::default().with(more(vec![row("a", 2), row("b", 1)])).with(more(vec![])).with(last(vec![row("c", 3)]));
        assert_eq!((result.rows(), result.cells()), (3, 6));
        assert_eq!(lines(&result, KeyPlace::Beside), "a/q0 a/q1 b/q0 c/q0 c/q1 c/q2 -");
        assert_eq!(lines(&result, KeyPlace::Above), "a a/q0 a/q1 b b/q0 c c/q0 c/q1 c/q2 -");
        assert_eq!(result.line(3, KeyPlace::Beside).map(|line| line.row_index), Some(2));
    }

    #[test]
    fn nothing_has_no_lines() {
        assert_eq!(lines(&QueryResult::default(), KeyPlace::Beside), "-");
        assert_eq!(lines(&QueryResult::default().with(last(vec![])), KeyPlace::Above), "-");
    }

    #[test]
    fn old_rows_stay_until_the_new_question_has_an_answer() {
        let old = QueryResult::default().with(last(vec![row("a", 1)]));
        let question = |rows_limit| Query { rows: RowChoice::All, filter: None, rows_limit, reversed: false };
        let again = old.again(&question(1));
        assert!(again.running() && again.stale() && again.rows() == 1);
        let new = again.with(more(vec![row("b", 1)])).with(last(vec![row("c", 1)]));
        assert_eq!((lines(&new, KeyPlace::Beside).as_str(), new.stale()), ("b/q0 c/q0 -", false));
        assert_eq!(again.failed(Error::invalid("no")).rows(), 0);
        assert_eq!(new.cancelled().rows(), 2);
        assert_eq!(new.question(), new.again(&question(1)).question());
        assert_ne!(new.question(), new.again(&question(2)).question());
    }
}
