//! The comparison of the two tables: a scan of each, which looks its events up in the other, and ends at the first difference.
//!
//! The two tables may order events differently, so they are not merged row by row: the rows of a slice say which rows of the other
//! table should hold its events, and those are read together.

use std::collections::{BTreeMap, BTreeSet};

use tabletop_model::{ReadRows, Result, Row, RowKey, RowSet, escape};

use super::convert::Side;
use super::{Migration, MigrationStage};
use crate::tables::Tables;

/// The first event that one table holds and the other does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The table that holds it.
    pub table: String,
    /// The row there.
    pub key: RowKey,
    /// The event, as its fields and texts.
    pub event: String,
}

impl Migration {
    /// Compares a slice.
    pub(super) fn verify(&mut self, tables: &mut Tables, cells_max: u64) -> Result<()> {
        let stage = self.state.stage;
        let is_forward = stage != MigrationStage::VerifyingBack;
        let (one, other) = if is_forward { (&self.from, &self.to) } else { (&self.to, &self.from) };
        let (rows, after) = self.slice(tables, &one.table, cells_max)?;
        let (compared, difference) = self.compare(tables, one, other, &rows)?;
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
        Ok(())
    }

    /// Looks the events of some rows of `one` up in `other`. Returns their number, and the first that is not there.
    fn compare(&self, tables: &mut Tables, one: &Side, other: &Side, rows: &[Row]) -> Result<(u64, Option<Difference>)> {
        let mut wanted: Vec<(&RowKey, Vec<Option<String>>, RowKey)> = Vec::new();
        for row in rows {
            for event in one.stored.read(core::slice::from_ref(row))? {
                let there = other.write_texts(&self.fields, &event)?.key;
                wanted.push((&row.key, event, there));
            }
        }
        let keys: BTreeSet<&RowKey> = wanted.iter().map(|(_, _, there)| there).collect();
        let mut found: BTreeMap<RowKey, BTreeSet<Vec<String>>> = BTreeMap::new();
        if !keys.is_empty() {
            let rows = RowSet { keys: keys.into_iter().cloned().collect(), ranges: Vec::new() };
            for row in tables.read_all(&other.table, ReadRows { rows, filter: self.filter(), ..ReadRows::default() })? {
                let events = other.stored.read(core::slice::from_ref(&row))?;
                let texts = events.iter().map(|event| other.stored.canonical(event, &self.common)).collect();
                found.insert(row.key, texts);
            }
        }
        for (key, event, there) in &wanted {
            let is_there = found.get(there).is_some_and(|events| events.contains(&one.stored.canonical(event, &self.common)));
            if !is_there {
                let texts = self.fields.iter().zip(event).filter_map(|(field, text)| Some((&field.name, text.as_ref()?)));
                let event: Vec<String> = texts.map(|(name, text)| format!("{name} {text}")).collect();
                let difference = Difference { table: one.table.clone(), key: (*key).clone(), event: event.join(", ") };
                return Ok((wanted.len() as u64, Some(difference)));
            }
        }
        Ok((wanted.len() as u64, None))
    }
}

impl core::fmt::Display for Difference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "only table {} has the event of row {}: {}", self.table, escape(&self.key), self.event)
    }
}
