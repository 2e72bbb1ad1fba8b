//! Plans the reads of a choice of rows, in every space of a template.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{Error, Result, RowKey, RowRange, RowSet, limits};

use super::plan::Plan;
use super::{RowChoice, boxes, fields};
use crate::{Layout, Template};

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
}
