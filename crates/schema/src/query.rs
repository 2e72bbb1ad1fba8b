//! Plans of queries on events: row ranges, N of them when the key is salted, whose results are merged in order.

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
use crate::{Layout, RowChoice, Template};

pub use boxes::{BoxDepth, BoxDepths, DEPTH_MAX as BOX_DEPTH_MAX, box_depths};
pub use merge::Merge;

/// The reads of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The row set of each read. Its rows are in logical order; [`Merge`] merges several reads. One for each salt that the rows
    /// can have; none when no row can match the query. An empty set means the whole table, as in any read.
    pub parts: Vec<RowSet>,
    /// Whether rows or cells are read that do not match the query and are removed by the plan's filter.
    pub scans_more: bool,
    /// Whether the ranges contain every row of the table.
    is_scan: bool,
    /// Cells that match the query pass all of these.
    cells: Vec<RowFilter>,
    /// Rows that match the query have a cell that passes each of these.
    rows: Vec<RowFilter>,
}

/// The way in which a plan finds its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanKind {
    /// No row can match: nothing is read.
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
    /// The filter of each read: the plan's own, then the person's. (After the plan's and not inside it: a sink is refused in a
    /// Condition.)
    pub fn filter(&self, own: Option<&RowFilter>) -> Option<RowFilter> {
        let whole_row = |predicate: &RowFilter| RowFilter::Condition {
            predicate: Box::new(predicate.clone()),
            on_true: Some(Box::new(RowFilter::PassAll(true))),
            on_false: None,
        };
        let rows = self.rows.iter().map(whole_row);
        let mut filters: Vec<RowFilter> = rows.chain(self.cells.iter().cloned()).chain(own.cloned()).collect();
        match filters.len() {
            0 | 1 => filters.pop(),
            _ => Some(RowFilter::Chain(filters)),
        }
    }

    /// Row keys and ranges over all parts; the whole table counts as one range.
    pub fn ranges(&self) -> u32 {
        self.parts.iter().map(|part| (part.keys.len() + part.ranges.len()).max(1) as u32).sum()
    }

    /// The way in which its rows are found.
    pub fn kind(&self) -> PlanKind {
        match (self.parts.iter().any(|part| !part.keys.is_empty()), self.parts.iter().any(|part| !part.ranges.is_empty())) {
            _ if self.parts.is_empty() => PlanKind::Nothing,
            _ if self.is_scan => PlanKind::Scan,
            (true, false) => PlanKind::Points,
            _ if self.ranges() == 1 => PlanKind::OneRange,
            _ => PlanKind::Ranges,
        }
    }

    fn of(parts: Vec<RowSet>) -> Plan {
        Plan { parts, scans_more: false, is_scan: false, cells: Vec::new(), rows: Vec::new() }
    }
}

impl Template {
    /// Plans the reads for `choice` in a table with `layout`.
    ///
    /// Fields are compared as texts; the time (see `Roles`) as an instant, in milliseconds; a padded number as a number. A key is
    /// read as it is written: a row of `a` = `x,y` also matches a query for `a` = `x` under `{a},{b}`, so advice warns of
    /// separators within values.
    ///
    /// # Errors
    /// `InvalidArgument` when the query names an unknown field or an invalid time; `FailedPrecondition` when neither the key
    /// nor the cells of this layout keep what the query needs.
    pub fn plan(&self, choice: &RowChoice, layout: &Layout) -> Result<Plan> {
        let stored = self.stored(layout);
        let mut plan = stored.plan_parts(choice, layout)?;
        plan.is_scan = stored.is_whole_table(&plan.parts);
        Ok(plan)
    }

    /// Plans the reads. This is the template of the stored keys.
    fn plan_parts(&self, choice: &RowChoice, layout: &Layout) -> Result<Plan> {
        match choice {
            RowChoice::All => Ok(self.scan(&RowRange::ALL)),
            RowChoice::Keys(keys) => self.look_up(keys),
            RowChoice::Prefix(prefix) => Ok(self.scan(&RowRange::prefix(prefix.clone()))),
            RowChoice::Range(range) => {
                if let (Bound::Included(start) | Bound::Excluded(start), Bound::Included(end) | Bound::Excluded(end)) =
                    (&range.start, &range.end)
                    && start > end
                    && !end.is_empty()
                {
                    return Err(Error::invalid(format!("The range begins at {start}, after its end {end}: swap the two.")));
                }
                Ok(self.scan(range))
            }
            RowChoice::Box { x, y, depth } => boxes::plan(self, x, y, *depth),
            RowChoice::Fields { equals, from, until } => fields::plan(self, layout, equals, from.as_deref(), until.as_deref()),
        }
    }

    /// Whether these parts contain every row.
    fn is_whole_table(&self, parts: &[RowSet]) -> bool {
        let is_all = |(salt, part): (u32, &RowSet)| {
            part.is_all() || (part.keys.is_empty() && part.ranges == [self.salted_range(salt, &RowRange::ALL)])
        };
        parts.len() == self.salts() as usize && (0..).zip(parts).all(is_all)
    }

    /// Plans the reads of a range of logical keys under every salt.
    fn scan(&self, range: &RowRange) -> Plan {
        let part = |salt: u32| match self.salted_range(salt, range) {
            RowRange::ALL => RowSet::all(),
            range => RowSet::range(range),
        };
        Plan::of((0..self.salts()).map(part).collect())
    }

    /// Plans the reads of single rows by their logical keys.
    fn look_up(&self, keys: &[RowKey]) -> Result<Plan> {
        let mut parts: Vec<RowSet> = alloc::vec![RowSet::default(); self.salts() as usize];
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
            match self.salt_of_key(key) {
                Some(salt) => parts[salt as usize].keys.push(self.salted(salt, key)),
                None => (0..self.salts()).for_each(|salt| parts[salt as usize].keys.push(self.salted(salt, key))),
            }
        }
        parts.retain(|part| !part.is_all());
        Ok(Plan::of(parts))
    }

    /// The salt of a row with this logical key, if the key determines it.
    fn salt_of_key(&self, logical: &[u8]) -> Option<u32> {
        let Some((buckets, over)) = self.salt_parts() else {
            return Some(0);
        };
        if over.is_empty() {
            return Some(salt_of(logical, buckets));
        }
        let physical = self.salted(0, logical);
        let borders = self.borders(&physical);
        let mut salt = PartSalt::new();
        for &part in over {
            salt.add(&physical[borders[part]?..borders[part + 1]?]);
        }
        Some(salt.salt(buckets))
    }

    /// The row key of a logical key under one salt.
    fn salted(&self, salt: u32, logical: &[u8]) -> RowKey {
        let mut key = Vec::with_capacity(logical.len() + 4);
        self.push_salt_prefix(salt, &mut key);
        key.extend_from_slice(logical);
        RowKey::from(key)
    }

    /// The range of row keys under one salt of a range of logical keys.
    fn salted_range(&self, salt: u32, range: &RowRange) -> RowRange {
        if self.salts() == 1 {
            return range.clone();
        }
        let all = RowRange::prefix(self.salted(salt, &[]));
        let bound = |bound: &Bound<RowKey>, open: Bound<RowKey>| match bound {
            Bound::Included(key) => Bound::Included(self.salted(salt, key)),
            Bound::Excluded(key) => Bound::Excluded(self.salted(salt, key)),
            Bound::Unbounded => open,
        };
        // An empty end is no end, as in the protos. With a salt, it would be the beginning.
        let end = match &range.end {
            Bound::Included(key) | Bound::Excluded(key) if key.is_empty() => all.end,
            end => bound(end, all.end),
        };
        RowRange { start: bound(&range.start, all.start), end }
    }
}
