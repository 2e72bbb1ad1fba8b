//! A filter, compiled once per request and applied to the cells of each row as they are read.
//!
//! A cell passes up to three tests, cheap ones first: does the row's key drop the whole row; does
//! the column drop or keep the cell (decided once for each distinct column of an SSTable); and what
//! do value, time and counts decide for the remaining cells.

mod automaton;
mod compile;
mod evaluate;
mod highlight;
mod judge;
mod marks;
mod matcher;
mod needs;
mod re2;
mod trace;
mod verdicts;

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::ops::Bound;

use tabletop_model::{Bytes, TimestampRange};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::columns::FamilyId;
pub(crate) use highlight::Highlights;
pub use marks::Marker;
use matcher::Matcher;
use needs::Needs;
pub(crate) use needs::{Needed, Rest};
pub use trace::TraceDetail;
pub(crate) use verdicts::{ColumnVerdicts, Pick, ShapeVerdicts};

/// A compiled filter and its state for the current row.
#[derive(Debug)]
pub(crate) struct Filter {
    root: Node,
    tests: Tests,
    state: RowState,
    seed: u64,
    labels: Vec<String>,
    needs_whole_row: bool,
    /// The number of families of the table.
    families: usize,
    /// The columns that the filter needs, computed when the first long row is met.
    needs: OnceCell<Needs>,
}

/// The verdict on a cell, by its column alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Not decided yet.
    #[default]
    Unknown,
    /// The cell is never in the output, and nothing depends on it.
    Drop,
    /// The cell is in the output once, unchanged.
    Keep,
    /// The cell must go through [`Filter::apply`].
    Test,
}

/// A cell of the output: its index in the input, and the changes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// The cell's index in the input.
    pub cell: u32,
    /// The index of its label plus 1; 0 for none.
    pub label: u16,
    /// Whether its value was replaced by an empty one.
    pub stripped: bool,
}

/// The cells that a filter is applied to: part of a row in order, or all of it.
pub(crate) trait Cells {
    fn count(&self) -> u32;
    /// Returns the results of the column tests, one bit each.
    fn facts(&self, cell: u32) -> &[u64];
    fn timestamp(&self, cell: u32) -> i64;
    fn value(&self, cell: u32) -> &[u8];
    /// Returns a number that is equal for cells of one column, and differs between adjacent
    /// columns, over the whole row.
    fn column_ordinal(&self, cell: u32) -> u32;
}

/// A filter as it is evaluated: tests of the row key and of columns are bits.
#[derive(Debug)]
enum Node {
    Chain(Vec<Node>),
    Interleave(Vec<Node>),
    Condition {
        predicate: alloc::boxed::Box<Node>,
        on_true: Option<alloc::boxed::Box<Node>>,
        on_false: Option<alloc::boxed::Box<Node>>,
    },
    Sink,
    PassAll,
    BlockAll,
    /// The index of a row test.
    Row(usize),
    /// The index of a column test.
    Column(usize),
    /// The index of a value matcher.
    Value(usize),
    ValueRange(Bound<Bytes>, Bound<Bytes>),
    ValueBitmask(Bytes),
    TimestampRange(TimestampRange),
    /// The index of a counter, and the limit.
    RowOffset(usize, u64),
    RowLimit(usize, u64),
    ColumnLimit(usize, u64),
    StripValue,
    /// The index of the label plus 1.
    Label(u16),
}

#[derive(Debug, Default)]
struct Tests {
    rows: Vec<RowTest>,
    columns: Vec<ColumnTest>,
    values: Vec<Matcher>,
}

#[derive(Debug)]
enum RowTest {
    Key(Matcher),
    /// Rows whose hash is below this number.
    Sample(u64),
}

#[derive(Debug)]
enum ColumnTest {
    /// One bit per family, by its number.
    Family(Vec<bool>),
    Qualifier(Matcher),
    Range {
        family: Option<FamilyId>,
        start: Bound<Bytes>,
        end: Bound<Bytes>,
    },
}

/// The state for one row.
#[derive(Debug, Default)]
struct RowState {
    /// The results of the row tests.
    row_facts: Vec<bool>,
    counters: Vec<Counter>,
    sunk: Vec<Item>,
    /// Vectors that are kept for reuse.
    spare: Vec<Vec<Item>>,
    overflow: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    /// The column that is being counted, where that matters.
    column: u32,
    count: u64,
}

impl Filter {
    /// Begins a row. Returns `false` if the row has no output, whatever its cells are.
    pub fn begin_row(&mut self, key: &[u8]) -> bool {
        let RowState { row_facts, counters, .. } = &mut self.state;
        row_facts.clear();
        row_facts.extend(self.tests.rows.iter_mut().map(|test| match test {
            RowTest::Key(matcher) => matcher.matches(key),
            RowTest::Sample(below) => xxh3_64_with_seed(key, self.seed) < *below,
        }));
        counters.fill(Counter { column: u32::MAX, count: 0 });
        row_facts.is_empty() || !judge::drops_row(&self.root, row_facts)
    }

    /// Returns the number of 64-bit words of facts that [`Filter::judge_column`] fills.
    pub fn fact_words(&self) -> usize {
        self.tests.columns.len().div_ceil(64)
    }

    /// Decides what can be decided by the column alone, and sets `facts` to what [`Cells::facts`]
    /// must return for its cells.
    pub fn judge_column(&mut self, family: FamilyId, qualifier: &[u8], facts: &mut [u64]) -> Verdict {
        for (index, test) in self.tests.columns.iter_mut().enumerate() {
            let passes = match test {
                ColumnTest::Family(families) => families.get(usize::from(family)).copied().unwrap_or(false),
                ColumnTest::Qualifier(matcher) => matcher.matches(qualifier),
                ColumnTest::Range { family: of, start, end } => {
                    *of == Some(family) && within(qualifier, start, end)
                }
            };
            facts[index / 64] |= u64::from(passes) << (index % 64);
        }
        judge::column(&self.root, facts)
    }

    /// Returns whether any output can depend on cells of a family. The qualifier is not known, so
    /// it may return `true` needlessly.
    pub fn needs_family(&self, family: FamilyId) -> bool {
        let facts = self.tests.columns.iter().map(|test| match test {
            ColumnTest::Family(families) => Some(families.get(usize::from(family)).copied().unwrap_or(false)),
            ColumnTest::Range { family: of, .. } if *of != Some(family) => Some(false),
            ColumnTest::Qualifier(_) | ColumnTest::Range { .. } => None,
        });
        !judge::always_drops(&self.root, &facts.collect::<Vec<_>>())
    }

    /// Returns whether [`Filter::apply`] must see all cells of a row together, because a condition
    /// depends on all of them.
    pub fn needs_whole_row(&self) -> bool {
        self.needs_whole_row
    }

    /// Returns the label of an item.
    pub fn label(&self, item: &Item) -> Option<&str> {
        item.label.checked_sub(1).map(|index| self.labels[usize::from(index)].as_str())
    }
}

fn within(bytes: &[u8], start: &Bound<Bytes>, end: &Bound<Bytes>) -> bool {
    let after_start = match start {
        Bound::Included(start) => bytes >= start.as_slice(),
        Bound::Excluded(start) => bytes > start.as_slice(),
        Bound::Unbounded => true,
    };
    let before_end = match end {
        Bound::Included(end) => bytes <= end.as_slice(),
        Bound::Excluded(end) => bytes < end.as_slice(),
        Bound::Unbounded => true,
    };
    after_start && before_end
}

fn fact(facts: &[u64], index: usize) -> bool {
    facts[index / 64] >> (index % 64) & 1 == 1
}
