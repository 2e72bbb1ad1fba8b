//! Profiles of users, computed from the events of one design and stored in a separate table: one as
//! each event arrives ([`Personalization::stream`]), and all of them after a change of the strategy
//! ([`Batch`]). `workload::personalization` defines what a profile is.
//!
//! Both pipelines read the same rows with the same filter and add up the same cells, so they
//! compute equal profiles. Events that are not in order have defined results:
//!
//! | event | result |
//! |---|---|
//! | late, out of order | counts as if it had arrived in time, while it is within the window |
//! | older than the window | stored, but does not count |
//! | the same event twice | the same row, column and timestamp: counts as one event |
//! | from up to ten minutes in the future | counts at once: clocks differ |
//! | from further in the future | stored, and counts once its time has passed and the profile is recomputed |
//! | the first of a user | a profile of this event |
//!
//! A profile changes only when it is computed, not when it is read: expired events leave it with
//! the user's next event, or with the next batch.

mod batch;
mod forget;
mod run;
mod scan;

use tabletop_keys::{
    FamilyRule, Field, Layout, LayoutWriter, Query, Record, Roles, RowChoice, Template, time,
};
use tabletop_model::{
    Code, ColumnFamily, Error, Mutation, ReadRows, Result, RowMutation, SortedSet, Timestamp,
};
use tabletop_workload::personalization::{
    EventReader, Profile, StoredProfile, UserKeys, UserRoles, Window, profile_families, profile_key,
    profile_mutations, read_profile,
};
use tabletop_workspace::{Design, Strategy};

use crate::tables::Tables;
pub use batch::{Batch, BatchPhase, BatchProgress};
pub use forget::Forgotten;
pub use run::ProfilesRun;
pub(crate) use scan::Scan;

/// The names of the tables with events and with profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalTables {
    /// The table with the events of a design.
    pub events: String,
    /// The table with a row for each app and user.
    pub profiles: String,
}

/// Computes profiles from the events of a design.
pub struct Personalization {
    names: PersonalTables,
    fields: Vec<Field>,
    roles: UserRoles,
    /// The field with the time of an event.
    time: usize,
    keys: UserKeys,
    template: Template,
    /// The layout, which queries by fields use.
    layout: Layout,
    families: Vec<FamilyRule>,
    writer: LayoutWriter,
    reader: EventReader,
    strategy: Strategy,
    /// Families that exist in the table of events.
    known: SortedSet<String>,
}

/// What an event has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Streamed {
    /// The app of the event; empty if events do not have an app.
    pub app: String,
    /// The user of the event.
    pub user: String,
    /// The profile that was written.
    pub profile: Profile,
}

impl Personalization {
    /// Prepares the pipelines for a design, events with these fields, and a strategy.
    ///
    /// # Errors
    /// `FailedPrecondition` for a design or events from which profiles cannot be computed,
    /// `InvalidArgument` for a strategy with problems: the message says what to change.
    pub fn new(
        design: &Design,
        fields: &[Field],
        strategy: &Strategy,
        names: PersonalTables,
    ) -> Result<Personalization> {
        strategy.check()?;
        let (template, problems) = Template::parse(&design.template, fields);
        if let Some(problem) = problems.first() {
            let message = format!("The row key of {} has a problem: {}", design.name, problem.message);
            return Err(Error::new(Code::FailedPrecondition, message));
        }
        let reader = EventReader::new(&design.layout, fields, strategy)?;
        let roles = UserRoles::of(fields)?;
        let keys = UserKeys::of(&template, &design.layout, roles)?;
        let Some(time) = Roles::of(fields).time else {
            return Err(Error::new(
                Code::FailedPrecondition,
                "Profiles need events with a time: correct the kind of its field.",
            ));
        };
        Ok(Personalization {
            names,
            fields: fields.to_vec(),
            roles,
            time,
            keys,
            writer: LayoutWriter::new(&design.layout, fields, &template).with_families(&design.families),
            template,
            layout: design.readable_layout().into_owned(),
            families: design.families.clone(),
            reader,
            strategy: strategy.clone(),
            known: SortedSet::default(),
        })
    }

    /// Changes the strategy. Stored profiles remain those of the previous strategy until an event
    /// of their user streams in or a [`Batch`] recomputes them.
    ///
    /// # Errors
    /// `InvalidArgument` for a strategy with problems; then the previous strategy stays.
    pub fn set_strategy(&mut self, strategy: &Strategy) -> Result<()> {
        strategy.check()?;
        self.reader = EventReader::new(&self.layout, &self.fields, strategy)?;
        self.strategy.clone_from(strategy);
        Ok(())
    }

    /// The strategy in use.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// Creates the tables that do not exist yet. Each profile is one row, whose families keep one
    /// version.
    ///
    /// # Errors
    /// Any error from a request to the tables.
    pub fn create_tables(&self, tables: &mut Tables) -> Result<()> {
        tables.create_or_complete(&self.names.events, Vec::new())?;
        tables.create_or_complete(&self.names.profiles, profile_families())
    }

    /// Runs the streaming pipeline for one event: writes the event, reads the events of its user
    /// within the window that ends at `now`, with the strategy's filter, and writes the profile.
    ///
    /// # Errors
    /// `InvalidArgument` for an event without a time, an app or a user, or whose app and user
    /// cannot be told apart from others in row keys: then nothing is written. Otherwise any error
    /// from a request to the tables. After such an error the event may be written without its
    /// profile; the same event again, or the user's next event, repairs that.
    pub fn stream(&mut self, tables: &mut Tables, now: Timestamp, record: &Record) -> Result<Streamed> {
        self.write(tables, record)?;
        let (app, user) = self.roles.of_event(record)?;
        let profile = self.refresh(tables, now, app, user)?;
        Ok(Streamed { app: app.into(), user: user.into(), profile })
    }

    /// Writes an event, without its profile.
    ///
    /// # Errors
    /// The errors of [`Personalization::stream`].
    pub fn write(&mut self, tables: &mut Tables, record: &Record) -> Result<()> {
        let (app, user) = self.roles.of_event(record)?;
        self.keys.check(app, user)?;
        let field = &self.fields[self.time];
        let text = record.values.get(self.time).copied().flatten().unwrap_or_default();
        if field.micros(text).is_none() {
            return Err(Error::invalid(format!("The event has no time: {} is \"{text}\".", field.name)));
        }
        let row = self.writer.write(record, 0)?;
        self.create_families(tables, &row)?;
        tables.write(&self.names.events, vec![row])
    }

    /// Computes the profile of a user at `now` and writes it. The profile of a user without events
    /// is empty.
    ///
    /// # Errors
    /// Any error from a request to the tables.
    pub fn refresh(&self, tables: &mut Tables, now: Timestamp, app: &str, user: &str) -> Result<Profile> {
        let profile = self.compute(tables, now, app, user)?;
        let row = RowMutation {
            key: profile_key(app, user),
            mutations: profile_mutations(&profile, now, &self.strategy),
        };
        tables.write(&self.names.profiles, vec![row])?;
        Ok(profile)
    }

    /// Computes the profile of a user at `now`.
    ///
    /// # Errors
    /// Any error from a request to the table of events.
    pub fn compute(&self, tables: &mut Tables, now: Timestamp, app: &str, user: &str) -> Result<Profile> {
        let window = Window::at(now, &self.strategy);
        let name = |field: usize| self.fields[field].name.clone();
        let app_is = self.roles.app.map(|field| (name(field), app.to_owned()));
        let equals = app_is.into_iter().chain([(name(self.roles.user), user.to_owned())]).collect();
        let (from, until) = (Some(time::format(window.from)), Some(time::format(window.until)));
        let mut profile = Profile::default();
        for read in self.reads(RowChoice::Fields { equals, from, until }, window)? {
            for row in tables.read_all(&self.names.events, read)? {
                row.cells.iter().for_each(|cell| self.reader.add(window, cell.into(), &mut profile));
            }
        }
        Ok(profile)
    }

    /// Reads the stored profile of a user, as an application does at query time.
    ///
    /// # Errors
    /// Any error from a request to the table of profiles.
    pub fn stored(&self, tables: &mut Tables, app: &str, user: &str) -> Result<Option<StoredProfile>> {
        Ok(tables.read_row(&self.names.profiles, profile_key(app, user))?.map(|row| read_profile(&row)))
    }

    /// Returns the reads of the cells that the strategy names, in some rows.
    fn reads(&self, rows: RowChoice, window: Window) -> Result<Vec<ReadRows>> {
        let query = Query { rows, filter: Some(self.reader.filter(window)), rows_limit: 0, reversed: false };
        let plan = self.template.plan(&query.rows, &self.layout)?;
        // The conditions of the plan can make a filter too long. Then the strategy's filter is left
        // out, because the reader ignores the same cells.
        let filter = plan
            .filter(query.filter.as_ref())
            .filter(|filter| filter.validate().is_ok())
            .or_else(|| plan.filter(None));
        Ok(plan
            .parts
            .into_iter()
            .map(|rows| ReadRows { rows, filter: filter.clone(), ..ReadRows::default() })
            .collect())
    }

    /// Begins a scan of the events of some rows, in the order of logical keys.
    fn scan(&self, tables: &mut Tables, rows: RowChoice, window: Window) -> Result<Scan> {
        let samples = tables.samples(&self.names.events)?;
        Ok(Scan::new(self.writer.template(), self.reads(rows, window)?, samples))
    }

    fn create_families(&mut self, tables: &mut Tables, row: &RowMutation) -> Result<()> {
        let new: Vec<&str> = row
            .mutations
            .iter()
            .filter_map(Mutation::family)
            .filter(|family| !self.known.contains(*family))
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        let family = |name: &&str| {
            let rule = self.families.iter().find(|rule| rule.family == **name);
            let gc_rule = rule.map(|rule| rule.gc_rule.clone()).unwrap_or_default();
            ColumnFamily {
                gc_rule,
                aggregate: rule.and_then(|rule| rule.aggregate),
                ..ColumnFamily::new(*name)
            }
        };
        let distinct: SortedSet<&str> = new.into_iter().collect();
        tables.add_families(&self.names.events, distinct.iter().map(family).collect())?;
        distinct.iter().for_each(|name| _ = self.known.insert((*name).to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
