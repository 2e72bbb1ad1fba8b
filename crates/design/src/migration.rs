//! Migrates a table from one design to another while events arrive, in the three steps of Algolia's
//! article.
//!
//! ```text
//! DualWrites ──> Backfilling ──> Verifying ──> Ready ──switch──> Switched ──finish──> Checking ──> Dropping ──> Done
//!      │              │              │           │  <──switch back──┘                     │
//!      └──────────────┴──────────────┴───undo────┴────────────────────────────────────────┴──> Undoing ──> (as before)
//! ```
//!
//! From the beginning of a migration, each event is written into both tables. The backfill then
//! copies the events that the old table had before, the verification compares the two tables, reads
//! are switched, and finally the old table is dropped. Until then every step can be undone. Right
//! before the drop, the events of the old table are looked up in the new one once more, in case
//! another writer has written into the old one.
//!
//! **A kill at any moment.** The state is a row in a separate table ([`STATE_TABLE`]), written with
//! a single mutation before the step that it describes. A batch of new events is first noted there
//! by its row keys, then written into the old table, then into the new one. Events that were in
//! flight at a kill, or when a write failed, are copied again from the old table before anything
//! else happens: so they are in both tables, or in neither. To copy a backfilled row twice is
//! harmless, because the second copy writes the same cells.
//!
//! Work is done in slices whose size the host chooses; [`Pace`] computes how large they may be next
//! to a stream.

mod convert;
mod pace;
mod run;
mod seen_rows;
mod state;
mod verify;

use tabletop_keys::{Field, FieldKind, Record};
use tabletop_model::{
    Code, Error, ReadRows, Result, Row, RowFilter, RowKey, RowMutation, RowRange, RowSet, Timestamp,
    TimestampRange,
};
use tabletop_workspace::Design;

use crate::tables::Tables;
use convert::Side;
pub use pace::Pace;
pub use run::{MigrationBegun, MigrationRun};
pub use state::STATE_TABLE;
pub use tabletop_protocol::migration::MigrationStage;
pub use verify::Difference;

/// What to migrate.
#[derive(Clone, Copy, Debug)]
pub struct MigrationPlan<'a> {
    /// The existing table, and its design.
    pub from: (&'a str, &'a Design),
    /// The new table, and its design.
    pub to: (&'a str, &'a Design),
    /// The fields of the events.
    pub fields: &'a [Field],
    /// Events before this time, in microseconds since 1970, are not migrated: the start of the
    /// retention period. 0 to migrate all.
    pub since: Timestamp,
}

/// The state of a migration between two slices.
pub struct Migration {
    from: Side,
    to: Side,
    fields: Vec<Field>,
    since: Timestamp,
    state: state::State,
    /// Fields that both tables keep.
    common: Vec<bool>,
    /// The fields that a table returns as numbers, without leading zeros of the event's text.
    numbers: Vec<usize>,
    /// The fields that are written to the new table in the form in which the old table returns
    /// them.
    plain: Vec<usize>,
    /// Rows of the other table that the comparison has already read.
    seen: seen_rows::SeenRows,
    /// Events that were copied or compared since the migration was opened.
    looked_at: u64,
    /// Events that were written, since the migration was opened, into the part of a table that the
    /// current pass has not reached.
    came_ahead: u64,
}

/// The progress of a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStatus {
    /// The current stage.
    pub stage: MigrationStage,
    /// Events that the backfill has copied. The count is saved together with the position of the
    /// backfill, so a kill does not count an event twice.
    pub copied: u64,
    /// Events that were written into both tables as they arrived. A write that is repeated after a
    /// kill or an error counts again.
    pub dual_written: u64,
    /// Events that the verification has compared.
    pub compared: u64,
    /// The key after which the stage resumes; empty at its beginning. Later rows are not done yet.
    pub after: RowKey,
    /// The first difference that the verification has found.
    pub difference: Option<Difference>,
    /// Fields that the new table keeps and the old one does not. Events that are copied do not have
    /// them.
    pub new_fields: Vec<String>,
    /// The table from which clients should currently read events.
    pub reads_from: String,
    /// Whether the migration was begun by an earlier run.
    pub is_resumed: bool,
}

impl Migration {
    /// Begins a migration, or resumes the migration of these two tables. Resuming first repairs the
    /// events that were in flight when the earlier run ended.
    ///
    /// # Errors
    /// `FailedPrecondition` for designs between which events cannot be copied or compared, or if an
    /// unfinished migration of the same tables has other designs; `NotFound` if the old table does
    /// not exist; `AlreadyExists` if the new table exists and was not created by a migration.
    pub fn open(tables: &mut Tables, plan: &MigrationPlan) -> Result<Migration> {
        let MigrationPlan { from: (from, from_design), to: (to, to_design), fields, since } = *plan;
        if from == to {
            return Err(Error::invalid(format!(
                "Both tables are {from}: a migration makes a new one. Name another."
            )));
        }
        let from = Side::new(from, from_design, fields)?;
        let to = Side::new(to, to_design, fields)?;
        to.check_written_from(&from)?;
        // A migration that an earlier build has begun is opened without these checks, so that it
        // can be undone.
        if !state::exists(tables, &from.table, &to.table)? {
            from.check_kept_by(&to)?;
        }
        let common =
            from.stored.kept().iter().zip(to.stored.kept()).map(|(one, other)| *one && *other).collect();
        let print = state::fingerprint(from_design, to_design, fields, since);
        let state = state::State::load(tables, &from.table, &to.table, print)?;
        let is_number = |at: &usize| fields[*at].kind != FieldKind::Time;
        let numbers = from.values_shared_with(&to).into_iter().filter(is_number).collect();
        let (plain, seen, fields) = (to.plain_from(&from), seen_rows::SeenRows::default(), fields.to_vec());
        let mut migration = Migration {
            from,
            to,
            fields,
            since,
            state,
            common,
            numbers,
            plain,
            seen,
            looked_at: 0,
            came_ahead: 0,
        };
        if migration.state.stage == MigrationStage::Creating {
            migration.create(tables)?;
        }
        migration.repair(tables)?;
        Ok(migration)
    }

    /// Returns whether a migration of these two tables has begun and was not undone.
    ///
    /// # Errors
    /// Any error from a request to the tables.
    pub fn has_begun(tables: &mut Tables, from: &str, to: &str) -> Result<bool> {
        state::exists(tables, from, to)
    }

    /// Excludes events before this time from copies and comparisons from now on. GC may remove such
    /// events from one table sooner than from the other.
    pub fn leave_behind(&mut self, before: Timestamp) {
        self.since = self.since.max(before);
    }

    /// Creates the new table. The state is saved before, so that a table of another program is
    /// never mistaken for it.
    fn create(&mut self, tables: &mut Tables) -> Result<()> {
        let names = tables.names()?;
        if !names.contains(&self.from.table) {
            return Err(Error::not_found(format!(
                "There is no table {}: name the table with the events.",
                self.from.table
            )));
        }
        if !self.state.is_resumed {
            if names.contains(&self.to.table) {
                let message = format!(
                    "Table {} exists already, and was not created by a migration: choose another name, or delete it.",
                    self.to.table
                );
                return Err(Error::new(Code::AlreadyExists, message));
            }
            self.state.save(tables)?;
        }
        tables.create_or_complete(&self.to.table, Vec::new())?;
        self.state.go_to(MigrationStage::DualWrites);
        self.state.save(tables)
    }

    /// Copies the events that were in flight when an earlier run was killed, or when the last write
    /// failed.
    fn repair(&mut self, tables: &mut Tables) -> Result<()> {
        let stage = self.state.stage;
        if self.state.pending.is_empty() || !stage.writes_both() {
            return Ok(());
        }
        let rows = RowSet { keys: self.state.pending.clone(), ranges: Vec::new() };
        let rows = tables
            .read_all(&self.from.table, ReadRows { rows, filter: self.filter(), ..ReadRows::default() })?;
        self.copy(tables, &rows)?;
        self.state.pending.clear();
        self.state.save(tables)
    }

    /// Writes events as they arrive, into the tables that the current stage requires. They are
    /// stored when this returns. After an error or a kill, some of them may be stored; the next
    /// call first makes sure that these are in both tables. Writing the events again changes
    /// nothing.
    ///
    /// # Errors
    /// `InvalidArgument` for an event that one of the designs cannot write: then no event is
    /// written. Otherwise any error from a request to the tables.
    pub fn write(&mut self, tables: &mut Tables, events: &[Record]) -> Result<()> {
        self.repair(tables)?;
        let stage = self.state.stage;
        let old = events.iter().map(|event| self.from.write(event)).collect::<Result<Vec<RowMutation>>>()?;
        let new = events
            .iter()
            .map(|event| self.to.write_plain(&self.plain, event))
            .collect::<Result<Vec<RowMutation>>>()?;
        if stage.writes_both() {
            let mut keys: Vec<RowKey> = old.iter().map(|row| row.key.clone()).collect();
            keys.sort_unstable();
            keys.dedup();
            self.state.pending = keys;
            self.state.dual_written += events.len() as u64;
            self.state.save(tables)?;
        }
        let ahead =
            |rows: &[RowMutation]| rows.iter().filter(|row| row.key > self.state.after).count() as u64;
        let came_ahead = match stage {
            MigrationStage::Backfilling | MigrationStage::Verifying | MigrationStage::Checking => ahead(&old),
            MigrationStage::VerifyingBack => ahead(&new),
            _ => 0,
        };
        if stage.writes_old() {
            self.from.store(tables, old)?;
        }
        if stage.writes_new() {
            self.to.store(tables, new)?;
        }
        self.came_ahead += came_ahead;
        self.state.pending.clear();
        Ok(())
    }

    /// Does a slice of the current stage's work: about `cells_max` cells. Returns whether work
    /// remains that does not need a decision: `false` when the migration is ready to switch, waits
    /// for [`Migration::finish`], has found a difference, or is complete.
    ///
    /// # Errors
    /// `DataLoss` for a row that the table's design cannot have written; `FailedPrecondition` for
    /// an event that could not be looked up from the new table, and for a migration of an earlier
    /// build whose tables cannot be compared; otherwise any error from a request to the tables.
    pub fn step(&mut self, tables: &mut Tables, cells_max: u64) -> Result<bool> {
        self.repair(tables)?;
        match self.state.stage {
            MigrationStage::Creating | MigrationStage::DualWrites => {
                self.state.go_to(MigrationStage::Backfilling);
            }
            MigrationStage::Backfilling => self.backfill(tables, cells_max)?,
            MigrationStage::Verifying | MigrationStage::VerifyingBack | MigrationStage::Checking => {
                if self.state.difference.is_some() {
                    return Ok(false);
                }
                self.verify(tables, cells_max)?;
            }
            MigrationStage::Dropping => {
                tables.delete(&self.from.table)?;
                self.state.go_to(MigrationStage::Done);
            }
            MigrationStage::Undoing => {
                tables.delete(&self.to.table)?;
                // The state is removed last: after an error, the next step still knows what remains
                // to be removed.
                self.state.remove(tables)?;
                self.state.go_to(MigrationStage::Undone);
                return Ok(false);
            }
            MigrationStage::Ready
            | MigrationStage::Switched
            | MigrationStage::Done
            | MigrationStage::Undone => return Ok(false),
        }
        self.state.save(tables)?;
        let waits = matches!(self.state.stage, MigrationStage::Ready | MigrationStage::Done)
            || self.state.difference.is_some();
        Ok(!waits)
    }

    /// Copies a slice of the old table's rows.
    fn backfill(&mut self, tables: &mut Tables, cells_max: u64) -> Result<()> {
        let (rows, after) = self.slice(tables, &self.from.table.clone(), cells_max)?;
        // A repair skips this check: a migration that cannot end must still open, so that it can be
        // undone.
        self.from.check_rows_found_from(&self.to, &rows)?;
        let copied = self.copy(tables, &rows)?;
        self.state.copied += copied;
        self.looked_at += copied;
        match after {
            Some(after) => self.state.after = after,
            None => self.state.go_to(MigrationStage::Verifying),
        }
        Ok(())
    }

    /// Writes the events of rows of the old table into the new one. Returns the number of events.
    fn copy(&mut self, tables: &mut Tables, rows: &[Row]) -> Result<u64> {
        let events = self.from.stored.read(rows)?;
        let new = events
            .iter()
            .map(|event| self.to.write_texts(&self.fields, event))
            .collect::<Result<Vec<RowMutation>>>()?;
        self.to.store(tables, new)?;
        Ok(events.len() as u64)
    }

    /// Reads a slice of a table, after the row that the state names. Returns the rows, and the last
    /// row of the slice if more rows follow.
    fn slice(&self, tables: &mut Tables, table: &str, cells_max: u64) -> Result<(Vec<Row>, Option<RowKey>)> {
        let start = if self.state.after.is_empty() {
            core::ops::Bound::Unbounded
        } else {
            core::ops::Bound::Excluded(self.state.after.clone())
        };
        let read = ReadRows {
            rows: RowSet::range(RowRange { start, end: core::ops::Bound::Unbounded }),
            filter: self.filter(),
            slice_cells_max: cells_max.max(1),
            ..ReadRows::default()
        };
        let chunk = tables.read(table, read)?;
        Ok((chunk.rows, chunk.resume.map(|resume| resume.after)))
    }

    /// Selects the cells within the retention period.
    fn filter(&self) -> Option<RowFilter> {
        let start = self.since.div_euclid(1_000).max(0) * 1_000;
        (start > 0).then_some(RowFilter::TimestampRange(TimestampRange { start, end: 0 }))
    }

    /// Switches reads to the new table. Events are still written to both.
    ///
    /// # Errors
    /// Returns an error in a stage that cannot switch, or if the stage cannot be stored.
    pub fn switch(&mut self, tables: &mut Tables) -> Result<()> {
        self.decide(
            tables,
            &[MigrationStage::Ready],
            MigrationStage::Switched,
            "the new table has not been verified to hold all events",
        )
    }

    /// Switches reads back to the old table.
    ///
    /// # Errors
    /// `FailedPrecondition` if reads are not switched, or the old table is being dropped.
    pub fn switch_back(&mut self, tables: &mut Tables) -> Result<()> {
        self.decide(tables, &[MigrationStage::Switched], MigrationStage::Ready, "reads are not switched")
    }

    /// Starts the end of the migration: the next steps look up the events of the old table once
    /// more, stop the writes into it, and drop it. The drop cannot be undone.
    ///
    /// # Errors
    /// `FailedPrecondition` before reads are switched.
    pub fn finish(&mut self, tables: &mut Tables) -> Result<()> {
        self.decide(tables, &[MigrationStage::Switched], MigrationStage::Checking, "reads are not switched")
    }

    /// Abandons the migration: the next step drops the new table. The old table keeps all events.
    ///
    /// # Errors
    /// `FailedPrecondition` once the old table is being dropped.
    pub fn undo(&mut self, tables: &mut Tables) -> Result<()> {
        let can_be = [
            MigrationStage::DualWrites,
            MigrationStage::Backfilling,
            MigrationStage::Verifying,
            MigrationStage::VerifyingBack,
            MigrationStage::Ready,
            MigrationStage::Switched,
            MigrationStage::Checking,
        ];
        self.decide(tables, &can_be, MigrationStage::Undoing, "the old table is dropped, or being dropped")
    }

    /// Copies and compares all rows again, after a difference, or after another writer has written
    /// events into the old table.
    ///
    /// # Errors
    /// `FailedPrecondition` while reads are switched, unless the old table is about to be dropped:
    /// in that case reads are switched back to it.
    pub fn copy_again(&mut self, tables: &mut Tables) -> Result<()> {
        let stages = [
            MigrationStage::DualWrites,
            MigrationStage::Backfilling,
            MigrationStage::Verifying,
            MigrationStage::VerifyingBack,
            MigrationStage::Ready,
            MigrationStage::Checking,
        ];
        self.decide(
            tables,
            &stages,
            MigrationStage::Backfilling,
            "reads are switched, or the migration has ended",
        )
    }

    fn decide(
        &mut self,
        tables: &mut Tables,
        from: &[MigrationStage],
        to: MigrationStage,
        why_not: &str,
    ) -> Result<()> {
        if !from.contains(&self.state.stage) {
            return Err(Error::new(
                Code::FailedPrecondition,
                format!("This is not possible now: {why_not}."),
            ));
        }
        // An undo does not need the repair, so a migration can be abandoned even if its new table
        // is damaged.
        if to != MigrationStage::Undoing {
            self.repair(tables)?;
        }
        self.state.go_to(to);
        self.state.save(tables)
    }

    /// Returns the progress of the migration.
    pub fn status(&self) -> MigrationStatus {
        let state = &self.state;
        let new_fields = self.fields.iter().zip(self.to.stored.kept()).zip(self.from.stored.kept());
        MigrationStatus {
            stage: state.stage,
            copied: state.copied,
            dual_written: state.dual_written,
            compared: state.compared,
            after: state.after.clone(),
            difference: state.difference.clone(),
            new_fields: new_fields
                .filter(|((_, new), old)| **new && !**old)
                .map(|((field, _), _)| field.name.clone())
                .collect(),
            reads_from: if state.stage.reads_new() { self.to.table.clone() } else { self.from.table.clone() },
            is_resumed: state.is_resumed,
        }
    }
}

#[cfg(test)]
mod tests;
