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
/// Its text form (see [`RowFilter::parse`]) is for users to write and read; JSON and JavaScript use
/// the same names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RowFilter {
    /// The output of each filter is the input of the next. At least two.
    Chain(Vec<RowFilter>),
    /// Every branch gets the same input. Outputs are merged in cell order, and duplicates are kept.
    /// At least two.
    Interleave(Vec<RowFilter>),
    /// Applies `on_true` if the predicate lets any cell through, otherwise `on_false`. A missing
    /// branch has no output.
    Condition {
        /// The condition is true if this has any output cell; the output itself is not returned.
        predicate: Box<RowFilter>,
        /// Applied to the row if the condition is true.
        on_true: Option<Box<RowFilter>>,
        /// Applied to the row if the condition is false.
        on_false: Option<Box<RowFilter>>,
    },
    /// Cells go directly to the final output, not to the rest of the chain. Must be `true`.
    Sink(bool),
    /// Every cell. Must be `true`.
    PassAll(bool),
    /// No cells. Must be `true`.
    BlockAll(bool),
    /// Rows whose whole key matches; RE2 over bytes, not empty.
    RowKeyRegex(Bytes),
    /// Families whose whole name matches. It must not contain `:`.
    FamilyNameRegex(String),
    /// Columns whose whole qualifier matches.
    ColumnQualifierRegex(Bytes),
    /// Cells whose whole value matches.
    ValueRegex(Bytes),
    /// Columns of one family between two qualifiers.
    ColumnRange(ColumnRange),
    /// Cells with a timestamp in `[start, end)`, in whole milliseconds.
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
    /// Returns the direct children of the filter. A condition always has three, of which two may be
    /// absent.
    pub fn children(&self) -> Vec<Option<&RowFilter>> {
        match self {
            RowFilter::Chain(nodes) | RowFilter::Interleave(nodes) => nodes.iter().map(Some).collect(),
            RowFilter::Condition { predicate, on_true, on_false } => {
                Vec::from([Some(&**predicate), on_true.as_deref(), on_false.as_deref()])
            }
            _ => Vec::new(),
        }
    }

    /// Returns the number of nodes: the filter itself and everything within it.
    pub fn nodes(&self) -> usize {
        1 + self.children().into_iter().flatten().map(RowFilter::nodes).sum::<usize>()
    }
}

/// Qualifiers of one family between two bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnRange {
    /// The name of the family.
    pub family: String,
    /// The lower bound.
    pub start: Bound<Qualifier>,
    /// The upper bound.
    pub end: Bound<Qualifier>,
}

/// Values between two bounds, in byte order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueRange {
    /// The lower bound.
    pub start: Bound<Bytes>,
    /// The upper bound.
    pub end: Bound<Bytes>,
}
