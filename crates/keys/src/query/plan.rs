//! The reads of a query, as values.

use alloc::boxed::Box;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{RowFilter, RowSet};

/// The reads of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The row set of each read. The rows of each read are in logical order; [`super::Merge`] merges
    /// several reads. There is one read for each salt that the rows can have, then one for keys
    /// before a cut-over; none if no row can match the query. An empty set means the whole table,
    /// as in any read.
    pub parts: Vec<RowSet>,
    /// Whether rows or cells are read that do not match the query, and are then removed by the
    /// plan's filter.
    pub scans_more: bool,
    /// How often a range is interrupted to leave out salted keys.
    pub(super) gaps: u32,
    /// Whether the ranges contain every row of the table.
    pub(super) is_scan: bool,
    /// Conditions on cells. A cell that matches the query passes all of them.
    pub(super) cells: Vec<RowFilter>,
    /// Conditions on rows. A row that matches the query has a cell that passes each of them.
    pub(super) rows: Vec<RowFilter>,
}

/// How a plan finds its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanKind {
    /// No row can match, so nothing is read.
    Nothing,
    /// Single rows by their keys.
    Points,
    /// One range of keys.
    OneRange,
    /// Several ranges, or ranges and keys.
    Ranges,
    /// The whole table, under every salt.
    Scan,
}

impl Plan {
    /// Returns the filter of each read: the plan's own filter, then the user's. The user's filter
    /// comes second instead of being nested in the plan's, because a sink is refused inside a
    /// Condition.
    pub fn filter(&self, own: Option<&RowFilter>) -> Option<RowFilter> {
        let whole_row = |predicate: &RowFilter| RowFilter::Condition {
            predicate: Box::new(predicate.clone()),
            on_true: Some(Box::new(RowFilter::PassAll(true))),
            on_false: None,
        };
        let rows = self.rows.iter().map(whole_row);
        let mut filters: Vec<RowFilter> =
            rows.chain(self.cells.iter().cloned()).chain(own.cloned()).collect();
        match filters.len() {
            0 | 1 => filters.pop(),
            _ => Some(RowFilter::Chain(filters)),
        }
    }

    /// Returns the number of row keys and ranges of all parts. The whole table counts as one range,
    /// and so does a range of keys before a cut-over, however often it is interrupted to leave out
    /// salted keys.
    pub fn ranges(&self) -> u32 {
        let all: u32 =
            self.parts.iter().map(|part| (part.keys.len() + part.ranges.len()).max(1) as u32).sum();
        all - self.gaps
    }

    /// Returns how the rows are found.
    pub fn kind(&self) -> PlanKind {
        match (
            self.parts.iter().any(|part| !part.keys.is_empty()),
            self.parts.iter().any(|part| !part.ranges.is_empty()),
        ) {
            _ if self.parts.is_empty() => PlanKind::Nothing,
            _ if self.is_scan => PlanKind::Scan,
            (true, false) => PlanKind::Points,
            _ if self.ranges() == 1 => PlanKind::OneRange,
            _ => PlanKind::Ranges,
        }
    }

    pub(super) fn of(parts: Vec<RowSet>) -> Plan {
        Plan { parts, gaps: 0, scans_more: false, is_scan: false, cells: Vec::new(), rows: Vec::new() }
    }
}
