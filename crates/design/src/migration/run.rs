//! A migration next to a stream of events, for a page: both tables, the stream, and the rows from
//! which another visit resumes.
//!
//! ```text
//! time of the stream   |write|slice|slice|  |write| slice  |write|
//! a group is due       ^                    ^           ^ waits
//! ```
//! Events arrive in groups at a fixed rate. Slices of the migration run between the groups; the
//! durations of the last slices decide how many fit and how large they may be. A group that is due
//! during a slice waits, so a latency is the time from the moment when a group is due to the moment
//! when it is stored. The time of the host between two calls does not count. If events lengthen a
//! pass over a table too much, they wait for it ([`Pace`]), so that every pass ends.
//!
//! Both tables have the same GC rule, a maximum age, measured from the time of the latest event.
//! Events that GC may remove are neither copied nor compared.

mod look;
mod saved;
mod stream;

use tabletop_keys::{Field, thousands, time::DAY_MILLIS};
use tabletop_model::{Code, Error, GcRule, Result, Timestamp};
use tabletop_protocol::migration::{MigrationChoice, MigrationDecision, MigrationOrder, MigrationStage};
use tabletop_workload::Events;
use tabletop_workload::stored_events::EventTexts;
use tabletop_workspace::{Design, Source, Workspace};

use super::convert::Side;
use super::pace::{Latencies, Pace};
use super::{Migration, MigrationPlan, state};
use crate::tables::Tables;
use saved::{RUN_TABLE, SavedRun};
use stream::{Stream, with_records};

/// The tables of the old and of the new design.
const OLD: &str = "migration_old";
const NEW: &str = "migration_new";
/// Microseconds after which a slice of work ends.
const SLICE_MICROS: Timestamp = 12_000;
/// The maximum time between two calls during which events become due.
const PAUSE_MICROS_MAX: Timestamp = 250_000;
/// Events that arrive together.
const GROUP: u64 = 16;
/// The maximum number of groups that are written together.
const GROUPS_MAX: u64 = 16;
/// Events that are written together before the stream begins.
const HISTORY_GROUP: u64 = 250;
/// The maximum number of cells of a backfill slice.
const CELLS_MAX: u64 = 5_000;
/// The share of the time until the next group that a slice may fill.
const GAP_USED: f64 = 0.75;
/// How often GC removes events while the time of a retention period passes.
const COLLECTIONS: i64 = 12;
/// Number of latencies that are kept from the time before dual writes.
const ALONE: usize = 200;

/// A migration, with its stream and its tables.
pub struct MigrationRun {
    saved: SavedRun,
    fields: Vec<Field>,
    /// The old table, until dual writes begin.
    old: Side,
    /// `None` before dual writes, and after an undo.
    migration: Option<Migration>,
    /// The latencies before dual writes, with the old table only.
    alone: Latencies,
    pace: Pace,
    /// The time of the stream, and when the next group is due, in microseconds.
    time: u64,
    due: u64,
    /// The approximate number of microseconds that a slice takes per cell.
    cell_micros: f64,
    /// Whether no slice has run since the last group.
    is_gap_whole: bool,
    /// The time before which the last requested compactions were to remove events.
    collected: Timestamp,
    /// When the last call ended.
    ended: Option<Timestamp>,
}

/// The outcome of a request to begin a migration.
pub enum MigrationBegun {
    /// The migration has begun.
    Run(Box<MigrationRun>),
    /// A stored migration of other events is in the way. The text names it, and nothing was
    /// changed.
    Occupied(String),
}

impl MigrationBegun {
    /// Returns the migration that has begun.
    ///
    /// # Errors
    /// The text of [`MigrationBegun::Occupied`].
    pub fn into_run(self) -> Result<MigrationRun, String> {
        match self {
            MigrationBegun::Run(run) => Ok(*run),
            MigrationBegun::Occupied(of_others) => Err(of_others),
        }
    }
}

impl MigrationRun {
    /// Begins with an empty table, and replaces an earlier migration.
    ///
    /// # Errors
    /// `FailedPrecondition` for designs between which events cannot be copied or compared: nothing
    /// is removed then. `InvalidArgument` without events or a retention period.
    pub fn begin(
        tables: &mut Tables,
        choice: &MigrationChoice,
        source: &Source,
        events: &Events,
    ) -> Result<MigrationBegun> {
        if events.is_empty() || choice.retention_days == 0 {
            return Err(Error::invalid(
                "A migration needs events, and a retention period of at least one day.",
            ));
        }
        let in_workspace = |design: &Design| Design { index_of: None, results: None, ..design.clone() };
        let workspace = Workspace {
            source: source.clone(),
            designs: vec![in_workspace(&choice.from), in_workspace(&choice.to)],
            ..Workspace::default()
        };
        let saved = SavedRun { workspace, retention_days: choice.retention_days, stream: Stream::of(events) };
        let run = MigrationRun::of(saved, events.fields())?;
        let new = Side::new(NEW, &choice.to, events.fields())?;
        new.check_written_from(&run.old)?;
        run.old.check_kept_by(&new)?;
        run.old.check_found_from(&new, || {
            // The events of the first round have the texts of the workspace, unless times are
            // stretched. Events that a design cannot write are counted later.
            let stream = &run.saved.stream;
            let events = stream.clone().take(events, stream.round).into_iter();
            let row = |event: &EventTexts| {
                run.old.write_texts(&run.fields, event).and(new.write_texts(&run.fields, event))
            };
            let writable = events.filter(|event| row(event).is_ok());
            writable.map(|event| Ok((run.old.write_texts(&run.fields, &event)?.key, event))).collect()
        })?;
        if !choice.replaces_other
            && let Some(of_others) = stored_of_others(tables, source)?
        {
            return Ok(MigrationBegun::Occupied(of_others));
        }
        MigrationRun::remove(tables)?;
        tables.create_or_complete(OLD, Vec::new())?;
        run.saved.create(tables)?;
        Ok(MigrationBegun::Run(Box::new(run)))
    }

    /// Resumes the migration of these events that an earlier visit has left, if there is one.
    /// Removes the remains of a removal or a beginning that was killed or has failed.
    ///
    /// # Errors
    /// `FailedPrecondition` if the events have changed since; otherwise the errors of
    /// [`Migration::open`].
    pub fn find(tables: &mut Tables, source: &Source, events: &Events) -> Result<Option<MigrationRun>> {
        let Some(saved) = SavedRun::load(tables)? else {
            // An error here is ignored: the next migration that begins removes the remains, and
            // reports an error.
            drop(MigrationRun::remove(tables));
            return Ok(None);
        };
        if !saved.workspace.source.same_events(source) {
            return Ok(None);
        }
        let mut run = MigrationRun::of(saved, events.fields())?;
        run.check_events(events)?;
        if Migration::has_begun(tables, OLD, NEW)? {
            run.open(tables)?;
        }
        Ok(Some(run))
    }

    /// Removes the tables and the states, whatever they contain.
    ///
    /// # Errors
    /// Any storage error. The remains are removed by another call, or by the next
    /// [`MigrationRun::find`].
    pub fn remove(tables: &mut Tables) -> Result<()> {
        // The row goes first: without it, a migration does not count as stored.
        tables.delete(RUN_TABLE)?;
        tables.delete(NEW)?;
        tables.delete(OLD)?;
        state::forget(tables, OLD, NEW)
    }

    fn of(saved: SavedRun, fields: &[Field]) -> Result<MigrationRun> {
        let old = Side::new(OLD, &saved.workspace.designs[0], fields)?;
        Ok(MigrationRun {
            saved,
            fields: fields.to_vec(),
            old,
            migration: None,
            alone: Latencies::new(ALONE),
            pace: Pace::new(CELLS_MAX),
            time: 0,
            due: 0,
            cell_micros: 0.0,
            is_gap_whole: true,
            collected: 0,
            ended: None,
        })
    }

    /// Begins the migration, or resumes it.
    fn open(&mut self, tables: &mut Tables) -> Result<()> {
        let [from, to] = self.saved.workspace.designs.as_slice() else {
            return Err(Error::invalid("A migration needs two designs."));
        };
        let plan = MigrationPlan { from: (OLD, from), to: (NEW, to), fields: &self.fields, since: 0 };
        self.migration = Some(Migration::open(tables, &plan)?);
        self.pace = Pace::new(CELLS_MAX);
        Ok(())
    }

    fn check_events(&self, events: &Events) -> Result<()> {
        if Stream::round_of(events) as u64 == self.saved.stream.round && events.fields() == self.fields {
            return Ok(());
        }
        let message = format!(
            "The migration has begun with {} events, and now there are {}, or their fields have changed: start over.",
            self.saved.stream.round,
            events.len()
        );
        Err(Error::new(Code::FailedPrecondition, message))
    }

    /// The current time for GC: the time of the latest event, in microseconds since 1970.
    pub fn now(&self) -> Timestamp {
        self.saved.stream.now
    }

    /// Does a slice of work. `clock` counts microseconds. After an error, only the stored rows are
    /// reliable: call [`MigrationRun::find`] again.
    ///
    /// # Errors
    /// `FailedPrecondition` for a decision that is not possible now, or if the events have changed;
    /// `DataLoss` for a row that its design cannot have written; otherwise any error from a request
    /// to the tables.
    pub fn go(
        &mut self,
        tables: &mut Tables,
        events: &Events,
        order: MigrationOrder,
        clock: &dyn Fn() -> Timestamp,
    ) -> Result<()> {
        self.check_events(events)?;
        let begun = clock();
        let mut pause = self.ended.map_or(0, |ended| (begun - ended).clamp(0, PAUSE_MICROS_MAX)) as u64;
        if let Some(decision) = order.decision {
            self.decide(tables, decision)?;
        }
        let mut works = order.works && self.migration.is_some();
        if order.decision.is_some() || !works {
            self.pace.begin_pass();
        }
        let mut now = begun;
        while now - begun < SLICE_MICROS {
            let streams = order.events_per_second > 0 && !self.saved.stream.is_over(&self.fields);
            if !streams {
                self.due = self.time;
            }
            let room = if works { self.room(streams) } else { None };
            if self.saved.stream.arrived < self.saved.stream.history() {
                self.arrive(tables, events, HISTORY_GROUP)?;
                now = clock();
            } else if streams && self.due <= self.time && !(room.is_some() && self.pace.goes_first()) {
                let interval = (GROUP * 1_000_000 / u64::from(order.events_per_second)).max(1);
                // Groups that are late are written together.
                let groups = ((self.time - self.due) / interval + 1).min(GROUPS_MAX);
                let before = self.came_ahead();
                self.arrive(tables, events, GROUP * groups)?;
                if works {
                    self.pace.arrive(self.came_ahead() - before);
                }
                self.pass(&mut now, clock);
                self.note(self.time - self.due);
                self.is_gap_whole = true;
                self.due += groups * interval;
            } else if let Some(room) = room {
                let (cells, before) = (self.pace.next_slice().min(room), self.time);
                works = self.step(tables, cells)?;
                self.pass(&mut now, clock);
                self.cell_micros = ((self.time - before) as f64 / cells as f64).max(self.cell_micros * 0.9);
                self.is_gap_whole = false;
            } else if streams && pause > 0 {
                let passes = pause.min(self.due - self.time);
                pause -= passes;
                self.time += passes;
            } else {
                break;
            }
        }
        self.collect(tables)?;
        self.saved.note(tables)?;
        self.ended = Some(clock());
        Ok(())
    }

    /// Returns the number of events that have arrived in the part of a table that the current pass
    /// has not reached.
    fn came_ahead(&self) -> u64 {
        self.migration.as_ref().map_or(0, |migration| migration.came_ahead)
    }

    /// Returns the maximum number of cells of a slice that ends before the next group is due.
    /// `None` while no slice may run.
    fn room(&self, streams: bool) -> Option<u64> {
        if !streams || self.pace.is_outrun() {
            return Some(CELLS_MAX);
        }
        let gap = self.due.saturating_sub(self.time) as f64;
        let fits = (gap * GAP_USED / self.cell_micros.max(f64::MIN_POSITIVE)) as u64;
        // If a gap is too short even for the smallest slice, that slice still runs once per gap.
        // Otherwise a busy stream would stop the migration.
        let has_room = fits >= Pace::CELLS_MIN || self.is_gap_whole;
        (has_room && !self.pace.rests()).then_some(fits.max(Pace::CELLS_MIN))
    }

    /// Adds the time since `now` to the time of the stream.
    fn pass(&mut self, now: &mut Timestamp, clock: &dyn Fn() -> Timestamp) {
        let before = core::mem::replace(now, clock());
        self.time += (*now - before).max(0) as u64;
    }

    fn note(&mut self, micros: u64) {
        match &self.migration {
            None => self.alone.note(micros),
            Some(_) => self.pace.note(micros),
        }
    }

    fn decide(&mut self, tables: &mut Tables, decision: MigrationDecision) -> Result<()> {
        let Some(migration) = &mut self.migration else {
            if decision == MigrationDecision::DualWrites {
                return self.open(tables);
            }
            return Err(Error::new(
                Code::FailedPrecondition,
                "This is not possible now: dual writes have not begun.",
            ));
        };
        match decision {
            MigrationDecision::DualWrites => Ok(()),
            MigrationDecision::Switch => migration.switch(tables),
            MigrationDecision::SwitchBack => migration.switch_back(tables),
            MigrationDecision::Drop => migration.finish(tables),
            MigrationDecision::Undo => migration.undo(tables),
            MigrationDecision::CopyAgain => migration.copy_again(tables),
        }
    }

    /// Lets some events arrive. After an error, none of them has arrived.
    fn arrive(&mut self, tables: &mut Tables, events: &Events, count: u64) -> Result<()> {
        let before = self.saved.stream.clone();
        let group = self.saved.stream.take(events, count);
        let written = self.write(tables, &group);
        if written.is_err() {
            self.saved.stream = before;
        }
        written
    }

    /// Writes events into the tables that the stage requires. Events that a design cannot write are
    /// counted.
    fn write(&mut self, tables: &mut Tables, group: &[EventTexts]) -> Result<()> {
        let (old, migration) = (&mut self.old, &mut self.migration);
        let written = with_records(&self.fields, group, |records| match migration {
            Some(migration) => migration.write(tables, records),
            None => {
                let rows = records.iter().map(|event| old.write(event)).collect::<Result<Vec<_>>>()?;
                old.store(tables, rows)
            }
        });
        match written {
            Err(error) if error.code == Code::InvalidArgument => match group {
                [_] => {
                    self.saved.stream.refuse(error);
                    Ok(())
                }
                // At least one event of the group is invalid. Written one by one, only the invalid
                // ones are refused.
                group => group.iter().try_for_each(|event| self.write(tables, core::slice::from_ref(event))),
            },
            written => written,
        }
    }

    /// Does a slice of the current step. Returns whether work remains that does not need a
    /// decision.
    fn step(&mut self, tables: &mut Tables, cells_max: u64) -> Result<bool> {
        let since = self.since();
        let Some(migration) = &mut self.migration else { return Ok(false) };
        migration.leave_behind(since);
        let (stage, looked_at) = (migration.state.stage, migration.looked_at);
        let is_more = migration.step(tables, cells_max)?;
        if migration.state.stage == stage {
            self.pace.look_at(migration.looked_at - looked_at);
        } else {
            self.pace.begin_pass();
        }
        if migration.state.stage == MigrationStage::Undone {
            self.migration = None;
        }
        Ok(is_more)
    }

    fn retention(&self) -> i64 {
        i64::from(self.saved.retention_days).saturating_mul(DAY_MILLIS * 1_000)
    }

    /// Returns the time before which GC may have removed events, in microseconds since 1970; 0 if
    /// it has removed none.
    fn since(&self) -> Timestamp {
        let oldest = self.now().saturating_sub(self.retention());
        // Cells have whole milliseconds, and GC keeps a cell of exactly the maximum age.
        if oldest > 0 { (oldest / 1_000 + 1) * 1_000 } else { 0 }
    }

    /// Sets the GC rule of new families, and requests compactions at intervals. They must be
    /// requested, because the engine itself would look for old cells at intervals of the host's
    /// time.
    fn collect(&mut self, tables: &mut Tables) -> Result<()> {
        let rule = GcRule::MaxAge { micros: self.retention() };
        let since = self.since();
        let is_due = self.has_old_events() && since >= self.collected + self.retention() / COLLECTIONS;
        for table in self.names(tables)? {
            tables.set_gc_rule(table, &rule)?;
            if is_due {
                tables.compact(table)?;
            }
        }
        if is_due {
            self.collected = since;
        }
        Ok(())
    }

    /// Returns whether events that GC removes have arrived.
    fn has_old_events(&self) -> bool {
        self.saved.stream.first.is_some_and(|first| first < self.since())
    }

    /// Returns the names of the tables that exist.
    fn names(&self, tables: &mut Tables) -> Result<Vec<&'static str>> {
        let names = tables.names()?;
        Ok([OLD, NEW].into_iter().filter(|name| names.iter().any(|known| known == name)).collect())
    }
}

/// Describes the stored migration of other events, if there is one. A migration that cannot be read
/// does not count, because it cannot be resumed.
fn stored_of_others(tables: &mut Tables, source: &Source) -> Result<Option<String>> {
    match SavedRun::load(tables) {
        Ok(Some(saved)) if !saved.workspace.source.same_events(source) => {
            let names =
                saved.workspace.designs.iter().map(|design| format!("\u{201c}{}\u{201d}", design.name));
            Ok(Some(format!(
                "This browser stores a migration of other events, from {}: {} arrived. A new migration removes its tables.",
                names.collect::<Vec<_>>().join(" to "),
                if saved.stream.arrived == 1 {
                    "1 event has".into()
                } else {
                    format!("{} events have", thousands(saved.stream.arrived))
                }
            )))
        }
        Err(error) if error.code != Code::DataLoss => Err(error),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests;
