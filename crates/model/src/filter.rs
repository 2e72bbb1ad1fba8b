//! The twenty filters of `google.bigtable.v2.RowFilter`.

mod text;
mod validate;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Bound;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Qualifier, TimestampRange};
pub use text::NodePlace;

/// Maps the ordered cells of ONE row to an ordered list of cells.
///
/// Its text form (see [`RowFilter::parse`]) is for people to write and read; JSON and JavaScript have the same names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RowFilter {
    /// The output of one is the input of the next. At least two.
    Chain(Vec<RowFilter>),
    /// Every branch gets the same input; outputs are merged in cell order, duplicates stay. At least two.
    Interleave(Vec<RowFilter>),
    /// `on_true` if the predicate lets any cell through, otherwise `on_false`; a missing branch has no output.
    Condition {
        /// The condition is true if it has any output cell; its output is not returned.
        predicate: Box<RowFilter>,
        /// Applied to the row if the condition is true.
        on_true: Option<Box<RowFilter>>,
        /// Applied to the row if it is not.
        on_false: Option<Box<RowFilter>>,
    },
    /// Cells go directly to the final output, and not to the rest of the chain. Must be `true`.
    Sink(bool),
    /// Every cell. Must be `true`.
    PassAll(bool),
    /// No cell. Must be `true`.
    BlockAll(bool),
    /// Rows whose whole key matches; RE2 over bytes, not empty.
    RowKeyRegex(Bytes),
    /// Families whose whole name matches; no `:`.
    FamilyNameRegex(String),
    /// Columns whose whole qualifier matches.
    ColumnQualifierRegex(Bytes),
    /// Cells whose whole value matches.
    ValueRegex(Bytes),
    /// Columns of one family between two qualifiers.
    ColumnRange(ColumnRange),
    /// Cells with a timestamp in `[start, end)`, whole milliseconds.
    TimestampRange(TimestampRange),
    /// Cells whose value is between two values.
    ValueRange(ValueRange),
    /// Skips the first n cells of the row.
    CellsPerRowOffset(i32),
    /// The first n cells of the row.
    CellsPerRowLimit(i32),
    /// The first (newest) n cells of each column.
    CellsPerColumnLimit(i32),
    /// Rows with probability 0 < p < 1, decided once per row.
    RowSample(f64),
    /// Replaces each value by an empty one. Must be `true`.
    StripValue(bool),
    /// Adds a label to each cell: 1 to 15 of `[a-z0-9-]`, at most one in a chain.
    ApplyLabel(String),
    /// Cells whose value has the mask's length and `value & mask == mask`.
    ValueBitmask(Bytes),
}

impl RowFilter {
    /// Returns the filters directly within it. A condition always has three, of which two can be absent.
    pub fn children(&self) -> Vec<Option<&RowFilter>> {
        match self {
            RowFilter::Chain(nodes) | RowFilter::Interleave(nodes) => nodes.iter().map(Some).collect(),
            RowFilter::Condition { predicate, on_true, on_false } => {
                Vec::from([Some(&**predicate), on_true.as_deref(), on_false.as_deref()])
            }
            _ => Vec::new(),
        }
    }

    /// Returns the number of its nodes: itself and those within it.
    pub fn nodes(&self) -> usize {
        1 + self.children().into_iter().flatten().map(RowFilter::nodes).sum::<usize>()
    }
}

/// Qualifiers of one family between two bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnRange {
    /// The family's name.
    pub family: String,
    /// The lower end.
    pub start: Bound<Qualifier>,
    /// The upper end.
    pub end: Bound<Qualifier>,
}

/// Values between two bounds, in byte order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueRange {
    /// The lower end.
    pub start: Bound<Bytes>,
    /// The upper end.
    pub end: Bound<Bytes>,
}
