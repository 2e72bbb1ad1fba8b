//! Compares the two tables: a scan of each looks its events up in the other, and ends at the first
//! difference.
//!
//! The two tables may order events differently, so they are not merged row by row. Instead, the
//! rows of a slice determine which rows of the other table should hold its events, and those rows
//! are read together. Long rows are read once for all slices ([`SeenRows`]).

use std::collections::BTreeSet;

use tabletop_model::{ReadRows, Result, Row, RowKey, RowSet, escape};
use tabletop_workload::stored_events::EventTexts;

use super::convert::Side;
use super::seen_rows::{EventMark, SeenRows};
use super::{Migration, MigrationStage};
use crate::tables::Tables;

/// The first event that one table has and the other does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The table that has the event.
    pub table: String,
    /// The row of the event in that table.
    pub key: RowKey,
    /// The event, as its fields and texts.
    pub event: String,
}

/// An event of one table that the other one should have.
struct Wanted<'a> {
    /// The row of the event.
    key: &'a RowKey,
    event: EventTexts,
    mark: EventMark,
    /// The row that should have the event in the other table.
    there: RowKey,
}

impl Migration {
    /// Compares the next slice.
    pub(super) fn verify(&mut self, tables: &mut Tables, cells_max: u64) -> Result<()> {
        let stage = self.state.stage;
        let is_forward = stage != MigrationStage::VerifyingBack;
        let (one, other) = if is_forward { (&self.from, &self.to) } else { (&self.to, &self.from) };
        if !is_forward {
            // Only a migration that an earlier build has begun can get here without this check.
            self.from.check_kept_by(&self.to)?;
        }
        // Rows that an earlier stage has read may have changed since.
        let is_first = self.state.after.is_empty();
        let mut seen = if is_first { SeenRows::default() } else { core::mem::take(&mut self.seen) };
        let (rows, after) = self.slice(tables, &one.table, cells_max)?;
        if stage == MigrationStage::Verifying {
            // Checks the events that have arrived since the backfill.
            self.from.check_rows_found_from(&self.to, &rows)?;
        }
        let (compared, difference) = self.compare(tables, [one, other], &rows, &mut seen)?;
        self.looked_at += compared;
        if stage == MigrationStage::Verifying {
            self.state.compared += compared;
        }
        self.state.difference = difference;
        match (&self.state.difference, after) {
            (Some(_), _) => {}
            (None, Some(after)) => self.state.after = after,
            (None, None) => self.state.go_to(match stage {
                MigrationStage::Checking => MigrationStage::Dropping,
                MigrationStage::Verifying => MigrationStage::VerifyingBack,
                _ => MigrationStage::Ready,
            }),
        }
        if !self.state.after.is_empty() {
            self.seen = seen;
        }
        Ok(())
    }

    /// Looks up the events of some rows of `one` in `other`. Returns the number of events, and the
    /// first one that is missing.
    fn compare(
        &self,
        tables: &mut Tables,
        [one, other]: [&Side; 2],
        rows: &[Row],
        seen: &mut SeenRows,
    ) -> Result<(u64, Option<Difference>)> {
        let mark = |side: &Side, event: &EventTexts| {
            if self.numbers.is_empty() {
                return EventMark::of(&side.stored.canonical(event, &self.common));
            }
            let mut event = event.clone();
            side.stored.make_plain(&self.numbers, &mut event);
            EventMark::of(&side.stored.canonical(&event, &self.common))
        };
        let mut wanted = Vec::new();
        for row in rows {
            for event in one.stored.read(core::slice::from_ref(row))? {
                let there = other.write_texts(&self.fields, &event)?.key;
                wanted.push(Wanted { key: &row.key, mark: mark(one, &event), event, there });
            }
        }
        let unseen: BTreeSet<&RowKey> = wanted
            .iter()
            .filter(|wanted| !seen.has(&wanted.there, wanted.mark))
            .map(|wanted| &wanted.there)
            .collect();
        if !unseen.is_empty() {
            unseen.iter().for_each(|key| seen.forget(key));
            let rows = RowSet { keys: unseen.into_iter().cloned().collect(), ranges: Vec::new() };
            for row in tables
                .read_all(&other.table, ReadRows { rows, filter: self.filter(), ..ReadRows::default() })?
            {
                let events = other.stored.read(core::slice::from_ref(&row))?;
                seen.note(row.key, events.iter().map(|event| mark(other, event)).collect());
            }
        }
        let missing = wanted.iter().find(|wanted| !seen.has(&wanted.there, wanted.mark));
        let difference = missing.map(|missing| {
            let texts = self
                .fields
                .iter()
                .zip(&missing.event)
                .filter_map(|(field, text)| Some((&field.name, text.as_ref()?)));
            let event: Vec<String> = texts.map(|(name, text)| format!("{name} {text}")).collect();
            Difference { table: one.table.clone(), key: missing.key.clone(), event: event.join(", ") }
        });
        seen.end_slice();
        Ok((wanted.len() as u64, difference))
    }
}

impl core::fmt::Display for Difference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "only table {} has the event of row {}: {}", self.table, escape(&self.key), self.event)
    }
}
