//! Plans of queries on events: row ranges, N of them if the key is salted, whose results are merged
//! in order.
//!
//! The row keys are in *spaces*: one for each salt, and one for the keys before a cut-over. Within
//! a space, rows are in logical order, so a range of logical keys is one read in each space. Salted
//! keys may sort among the keys from before the cut-over, so the reads of that space leave them
//! out. If a row has cells from both sides of a cut-over, a filter sees its two halves separately;
//! [`Merge`] joins them.

mod boxes;
mod fields;
mod merge;
mod newest;
mod plan;
mod planner;
mod spaces;
mod stored;
#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{Bytes, RowFilter, RowRange};

pub use boxes::{BoxDepth, BoxDepths, DEPTH_MAX as BOX_DEPTH_MAX, box_depths};
pub use merge::Merge;
pub use newest::{Newest, RowOrder};
pub use plan::{Plan, PlanKind};

/// A query on the events of one design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The rows to read.
    #[serde(default)]
    pub rows: RowChoice,
    /// The filter for their cells, if there is one.
    pub filter: Option<RowFilter>,
    /// The maximum number of rows to return; 0 for all.
    #[serde(default)]
    pub rows_limit: u64,
    /// Whether keys are in descending order.
    #[serde(default)]
    pub reversed: bool,
}

impl Query {
    /// Returns the query before the user has entered one: enough rows for a first look.
    pub fn on_screen() -> Query {
        Query { rows: RowChoice::All, filter: None, rows_limit: 100, reversed: false }
    }
}

/// A choice of rows by logical keys, that is, keys of the template without its salt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RowChoice {
    /// The whole table.
    #[default]
    All,
    /// Single rows.
    Keys(Vec<Bytes>),
    /// Rows that begin with these bytes.
    Prefix(Bytes),
    /// Rows between two keys.
    Range(RowRange),
    /// Rows of events with these values, and with a time in `[from, until)`.
    Fields {
        /// Field names, and the texts that the fields must have.
        #[serde(default)]
        equals: Vec<(String, String)>,
        /// A text of kind time. Inclusive.
        from: Option<String>,
        /// A text of kind time. Exclusive.
        until: Option<String>,
    },
    /// Rows of events whose two numbers are in a rectangle, with the precision of the key's
    /// Z-order: all points of the steps that the rectangle touches.
    Box {
        /// One number.
        x: AxisSpan,
        /// The other number.
        y: AxisSpan,
        /// How often the plane is divided into quarters, 0 to 32. Deeper means more ranges, and
        /// fewer rows outside of the rectangle. Without it, as deep as 64 ranges allow.
        #[serde(default)]
        depth: Option<u8>,
    },
}

/// The range of one number in a rectangle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AxisSpan {
    /// The field's name.
    pub field: String,
    /// Inclusive.
    pub from: f64,
    /// Inclusive.
    pub to: f64,
}
