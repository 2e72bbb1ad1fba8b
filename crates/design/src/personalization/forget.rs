//! The right to be forgotten: removes all rows of a user or an app, and verifies by a read that
//! they are removed.

use tabletop_keys::RowChoice;
use tabletop_model::{
    Code, DropRowRange, Error, Mutation, ReadRows, Result, RowFilter, RowKey, RowMutation, RowRange, RowSet,
};
use tabletop_workload::personalization::{app_prefix, job_key, profile_key};

use super::Personalization;
use crate::tables::Tables;

/// What was removed, as counted by reads before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// Rows of events before the removal.
    pub event_rows: u64,
    /// Rows of profiles before the removal.
    pub profile_rows: u64,
    /// Rows of both tables after the removal: always 0, because anything else is an error. No read
    /// returns the removed rows from now on; compactions remove their bytes from the files later.
    pub rows_left: u64,
}

/// The rows of one table that must be removed.
enum Doomed {
    /// Key by key. A prefix would also remove the rows of other users whose names begin with the
    /// same characters.
    Rows(Vec<RowKey>),
    /// By prefixes, one for each salt.
    Prefixes(Vec<RowKey>),
    All,
}

impl Personalization {
    /// Removes the events and profiles of an app.
    ///
    /// # Errors
    /// `InvalidArgument` for an app whose keys could belong to another app; otherwise any error
    /// from a request to the tables.
    pub fn forget_app(&self, tables: &mut Tables, app: &str) -> Result<Forgotten> {
        self.keys.check(app, "")?;
        let prefix = self.keys.app_prefix(app);
        let events = if prefix.is_empty() {
            Doomed::All
        } else {
            self.doomed(RowChoice::Prefix(prefix.to_vec().into()))?
        };
        let forgotten = self.forget(tables, events, Doomed::Prefixes(vec![app_prefix(app)]))?;
        let job = RowMutation { key: job_key(Some(app)), mutations: vec![Mutation::DeleteFromRow] };
        tables.write(&self.names.profiles, vec![job])?;
        Ok(forgotten)
    }

    /// Removes the events and the profile of a user.
    ///
    /// # Errors
    /// `InvalidArgument` for a user whose keys could belong to another user; otherwise any error
    /// from a request to the tables.
    pub fn forget_user(&self, tables: &mut Tables, app: &str, user: &str) -> Result<Forgotten> {
        self.keys.check(app, user)?;
        let key = self.keys.user_prefix(app, user);
        if key.is_empty() {
            return Err(Error::invalid("The user has no name, so there is nothing to remove."));
        }
        let is_one_row = self.keys.is_one_row();
        let rows =
            if is_one_row { RowChoice::Keys(vec![key]) } else { RowChoice::Prefix(key.to_vec().into()) };
        let events = self.doomed(rows)?;
        self.forget(tables, events, Doomed::Rows(vec![profile_key(app, user)]))
    }

    /// Returns the rows of events, for every salt.
    fn doomed(&self, rows: RowChoice) -> Result<Doomed> {
        let plan = self.template.plan(&rows, &self.layout)?;
        if let RowChoice::Keys(_) = rows {
            return Ok(Doomed::Rows(plan.parts.into_iter().flat_map(|part| part.keys).collect()));
        }
        // Where the plan excludes the salted keys from the range of a prefix, the first of its
        // parts still begins with the prefix.
        let starts = plan.parts.iter().filter_map(|part| part.ranges.first()).map(|range| range.ends().0);
        Ok(Doomed::Prefixes(starts.collect()))
    }

    fn forget(&self, tables: &mut Tables, events: Doomed, profiles: Doomed) -> Result<Forgotten> {
        let doomed = [(&self.names.events, &events), (&self.names.profiles, &profiles)];
        let mut before = [0; 2];
        for ((table, rows), before) in doomed.into_iter().zip(&mut before) {
            *before = count(tables, table, rows)?;
        }
        for (table, rows) in doomed {
            remove(tables, table, rows)?;
        }
        let mut left = 0;
        for (table, rows) in doomed {
            left += count(tables, table, rows)?;
        }
        if left > 0 {
            let message = format!(
                "{left} rows still exist after the removal: another writer may be writing them. Remove them again."
            );
            return Err(Error::new(Code::FailedPrecondition, message));
        }
        Ok(Forgotten { event_rows: before[0], profile_rows: before[1], rows_left: left })
    }
}

fn remove(tables: &mut Tables, table: &str, rows: &Doomed) -> Result<()> {
    match rows {
        Doomed::Rows(keys) => {
            let delete =
                |key: &RowKey| RowMutation { key: key.clone(), mutations: vec![Mutation::DeleteFromRow] };
            tables.write(table, keys.iter().map(delete).collect())
        }
        Doomed::Prefixes(prefixes) => prefixes
            .iter()
            .try_for_each(|prefix| tables.drop_rows(table, DropRowRange::Prefix(prefix.clone()))),
        Doomed::All => tables.drop_rows(table, DropRowRange::All),
    }
}

/// Counts the rows, without their values.
fn count(tables: &mut Tables, table: &str, rows: &Doomed) -> Result<u64> {
    // A set without keys and ranges would mean the whole table.
    if matches!(rows, Doomed::Rows(none) | Doomed::Prefixes(none) if none.is_empty()) {
        return Ok(0);
    }
    let rows = match rows {
        Doomed::Rows(keys) => RowSet { keys: keys.clone(), ranges: Vec::new() },
        Doomed::Prefixes(prefixes) => {
            RowSet { keys: Vec::new(), ranges: prefixes.iter().cloned().map(RowRange::prefix).collect() }
        }
        Doomed::All => RowSet::all(),
    };
    let filter = RowFilter::Chain(vec![RowFilter::CellsPerRowLimit(1), RowFilter::StripValue(true)]);
    let mut read = ReadRows { rows, filter: Some(filter), slice_cells_max: 10_000, ..ReadRows::default() };
    loop {
        let chunk = tables.read(table, read.clone())?;
        if chunk.resume.is_none() {
            return Ok(chunk.stats.rows_returned);
        }
        read.resume = chunk.resume;
    }
}
