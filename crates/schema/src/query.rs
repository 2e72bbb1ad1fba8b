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
mod stored;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Bound;

use serde::{Deserialize, Serialize};
use tabletop_model::{Error, Result, RowFilter, RowKey, RowRange, RowSet, limits};

use crate::salt::{PartSalt, salt_of};
use crate::template::Side;
use crate::{Layout, RowChoice, Template};

pub use boxes::{BoxDepth, BoxDepths, DEPTH_MAX as BOX_DEPTH_MAX, box_depths};
pub use merge::Merge;

/// The reads of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The row set of each read. The rows of each read are in logical order; [`Merge`] merges
    /// several reads. There is one read for each salt that the rows can have, then one for keys
    /// before a cut-over; none if no row can match the query. An empty set means the whole table,
    /// as in any read.
    pub parts: Vec<RowSet>,
    /// Whether rows or cells are read that do not match the query, and are then removed by the
    /// plan's filter.
    pub scans_more: bool,
    /// How often a range is interrupted to leave out salted keys.
    gaps: u32,
    /// Whether the ranges contain every row of the table.
    is_scan: bool,
    /// Conditions on cells. A cell that matches the query passes all of them.
    cells: Vec<RowFilter>,
    /// Conditions on rows. A row that matches the query has a cell that passes each of them.
    rows: Vec<RowFilter>,
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

/// A salt; `None` for keys without one.
type Space = Option<u32>;

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

    fn of(parts: Vec<RowSet>) -> Plan {
        Plan { parts, gaps: 0, scans_more: false, is_scan: false, cells: Vec::new(), rows: Vec::new() }
    }
}

impl Template {
    /// Plans the reads for `choice` in a table with `layout`.
    ///
    /// With user-defined columns, a query by a field that only some columns contain returns whole
    /// rows that have a cell with the value. Where events share rows, this includes cells of other
    /// events.
    ///
    /// Fields are compared as texts; the time (see `Roles`) as an instant, in milliseconds; a
    /// padded number as a number. Keys are only bytes: under `{a},{b}`, a row with `a` = `x,y` also
    /// matches a query for `a` = `x`, so the advice warns about separators within values.
    ///
    /// # Errors
    /// `InvalidArgument` if the query names an unknown field or an invalid time;
    /// `FailedPrecondition` if neither the key nor the cells of this layout contain what the query
    /// needs.
    pub fn plan(&self, choice: &RowChoice, layout: &Layout) -> Result<Plan> {
        let stored = self.stored(layout);
        let mut plan = stored.plan_parts(choice, layout)?;
        plan.is_scan = plan.parts == stored.scan(&RowRange::ALL).parts;
        Ok(plan)
    }

    /// Plans the reads. `self` is the template of the stored keys.
    fn plan_parts(&self, choice: &RowChoice, layout: &Layout) -> Result<Plan> {
        match choice {
            RowChoice::All => Ok(self.scan(&RowRange::ALL)),
            RowChoice::Keys(keys) => self.look_up(keys),
            RowChoice::Prefix(prefix) => Ok(self.scan(&RowRange::prefix(prefix.clone()))),
            RowChoice::Range(range) => {
                if let (
                    Bound::Included(start) | Bound::Excluded(start),
                    Bound::Included(end) | Bound::Excluded(end),
                ) = (&range.start, &range.end)
                    && start > end
                    && !end.is_empty()
                {
                    return Err(Error::invalid(format!(
                        "The range begins at {start}, after its end {end}: swap the two."
                    )));
                }
                Ok(self.scan(range))
            }
            RowChoice::Box { x, y, depth } => boxes::plan(self, x, y, *depth),
            RowChoice::Fields { equals, from, until } => {
                fields::plan(self, layout, equals, from.as_deref(), until.as_deref())
            }
        }
    }

    /// Plans the reads of a range of logical keys, in every space.
    fn scan(&self, range: &RowRange) -> Plan {
        if self.salt_parts().is_none() {
            let all = if *range == RowRange::ALL { RowSet::all() } else { RowSet::range(range.clone()) };
            return Plan::of(alloc::vec![all]);
        }
        self.scan_spaces(range)
    }

    #[inline(never)]
    fn scan_spaces(&self, range: &RowRange) -> Plan {
        let mut plan = Plan::of(Vec::new());
        for space in self.spaces(None, None) {
            let ranges = self.ranges_in(space, range, &mut plan.gaps);
            if ranges == [RowRange::ALL] {
                plan.parts.push(RowSet::all());
            } else if !ranges.is_empty() {
                plan.parts.push(RowSet { keys: Vec::new(), ranges });
            }
        }
        plan
    }

    /// Plans the reads of single rows by their logical keys.
    fn look_up(&self, keys: &[RowKey]) -> Result<Plan> {
        let mut parts: Vec<RowSet> = alloc::vec![RowSet::default(); self.scan_reads() as usize];
        for key in keys {
            if key.is_empty() {
                return Err(Error::invalid("A row key must not be empty: write one, or read all rows."));
            }
            if key.len() > limits::ROW_KEY_BYTES_MAX {
                return Err(Error::invalid(format!(
                    "A row key has at most {} bytes, this one has {}.",
                    limits::ROW_KEY_BYTES_MAX,
                    key.len()
                )));
            }
            for space in self.spaces(self.salt_of_key(key), self.side_of_key(key)) {
                parts[self.index_of(space)].keys.extend(self.key_in(space, key));
            }
        }
        parts.retain(|part| !part.is_all());
        Ok(Plan::of(parts))
    }

    /// Returns the salt of a row with this logical key; `None` if the key does not determine it.
    fn salt_of_key(&self, logical: &[u8]) -> Option<u32> {
        let (buckets, over) = self.salt_parts()?;
        if over.is_empty() {
            return Some(salt_of(logical, buckets));
        }
        let physical = self.with_prefix(Some(0), logical);
        let borders = self.borders(&physical);
        let mut salt = PartSalt::new();
        for &part in over {
            salt.add(&physical[borders[part]?..borders[part + 1]?]);
        }
        Some(salt.salt(buckets))
    }

    /// Returns the spaces with rows of one side of the cut-over, under one salt; `None` means any
    /// salt or side.
    fn spaces(&self, salt: Option<u32>, side: Option<Side>) -> Vec<Space> {
        if self.salt_parts().is_none() {
            return alloc::vec![None];
        }
        let salts = match salt {
            _ if side == Some(Side::Before) => 0..0,
            Some(salt) => salt..salt + 1,
            None => 0..self.salts(),
        };
        let unsalted = (self.cut_over().is_some() && side != Some(Side::After)).then_some(None);
        salts.map(Some).chain(unsalted).collect()
    }

    /// Returns the index of a space in the list of all spaces.
    fn index_of(&self, space: Space) -> usize {
        space.unwrap_or(self.scan_reads() - 1) as usize
    }

    /// Returns a logical key with the bytes that precede it in a space.
    fn with_prefix(&self, space: Space, logical: &[u8]) -> RowKey {
        let mut key = Vec::with_capacity(logical.len() + 4);
        if let Some(salt) = space {
            self.push_salt_prefix(salt, &mut key);
        }
        key.extend_from_slice(logical);
        RowKey::from(key)
    }

    /// Returns the row key of a logical key in a space. `None` for a key before the cut-over that
    /// looks like a salted key: such a key is never written.
    fn key_in(&self, space: Space, logical: &[u8]) -> Option<RowKey> {
        let key = self.with_prefix(space, logical);
        (space.is_some() || self.cut_over().is_none() || self.is_unsalted(&key)).then_some(key)
    }

    /// Returns the ranges of row keys in a space that a range of logical keys consists of: one, or
    /// several with gaps for the salted keys. Adds the number of gaps to `gaps`.
    fn ranges_in(&self, space: Space, range: &RowRange, gaps: &mut u32) -> Vec<RowRange> {
        if space.is_none() {
            let ranges = if self.cut_over().is_some() {
                self.without_salted(range)
            } else {
                alloc::vec![range.clone()]
            };
            *gaps += ranges.len().saturating_sub(1) as u32;
            return ranges;
        }
        let all = RowRange::prefix(self.with_prefix(space, &[]));
        let bound = |bound: &Bound<RowKey>, open: Bound<RowKey>| match bound {
            Bound::Included(key) => Bound::Included(self.with_prefix(space, key)),
            Bound::Excluded(key) => Bound::Excluded(self.with_prefix(space, key)),
            Bound::Unbounded => open,
        };
        // An empty end means the end of the table, as in the protos. With a salt before it, it
        // would mean the beginning of the salt's keys.
        let end = match &range.end {
            Bound::Included(key) | Bound::Excluded(key) if key.is_empty() => all.end,
            end => bound(end, all.end),
        };
        alloc::vec![RowRange { start: bound(&range.start, all.start), end }]
    }

    /// Returns a range of row keys, without the keys that look like salted ones.
    fn without_salted(&self, range: &RowRange) -> Vec<RowRange> {
        let (mut start, end) = range.ends();
        let mut pieces = Vec::new();
        // Cut the salted keys out of the range, in ascending order. Example: with two salts and `-`
        // after them, everything before `2` becomes [`` to `0-`), [`0.` to `1-`) and [`1.` to `2`),
        // because `.` follows `-` in ASCII.
        for salt in 0..self.salts() {
            let (low, high) = RowRange::prefix(self.with_prefix(Some(salt), &[])).ends();
            let Some(high) = high.filter(|high| *high > start) else { continue };
            if end.as_ref().is_some_and(|end| *end <= low) {
                break;
            }
            if start < low {
                pieces.push(RowRange { start: start_at(start), end: Bound::Excluded(low) });
            }
            start = high;
        }
        if pieces.is_empty() && (&start, &end) == (&range.ends().0, &range.ends().1) {
            return alloc::vec![range.clone()];
        }
        if end.as_ref().is_none_or(|end| start < *end) {
            pieces.push(RowRange {
                start: start_at(start),
                end: end.map_or(Bound::Unbounded, Bound::Excluded),
            });
        }
        pieces
    }
}

fn start_at(start: RowKey) -> Bound<RowKey> {
    if start.is_empty() { Bound::Unbounded } else { Bound::Included(start) }
}
