//! The batch pipeline: recomputes all profiles after a change of the strategy, in slices.
//!
//! A job scans the events by users in key order and writes each profile when it has read the user's
//! last event. It then passes over the profiles, and removes those of users without any event
//! within the window. After each slice its state is saved as a row of the table of profiles
//! ([`job_key`]), so a job that was killed resumes there: at most one slice of users is recomputed,
//! with the same result.
//!
//! If the streaming pipeline has computed a profile with the same strategy since the job began,
//! that profile is newer, and stays.

use tabletop_keys::{RowChoice, time};
use tabletop_model::{
    CheckAndMutateRow, ColumnRange, DropRowRange, Mutation, ReadRows, Result, Row, RowFilter, RowKey,
    RowMutation, RowRange, RowSet, Timestamp,
};
use tabletop_workload::personalization::{
    JOB_FAMILY, MARK_FAMILY, Profile, Window, app_prefix, digest, is_current, job_key, profile_key,
    profile_mutations, read_profile, split_key,
};

use core::ops::Bound;

use super::Personalization;
use super::scan::Scan;
use crate::tables::Tables;

/// A job between two slices.
pub struct Batch {
    app: Option<String>,
    /// The time at which all profiles of the job are computed.
    at: Timestamp,
    phase: BatchPhase,
    /// The logical key of events, or the key of profiles, from which the phase resumes.
    next: RowKey,
    scan: Option<Scan>,
    /// The user whose events are currently being read.
    user: Option<(String, String, Profile)>,
    /// Whether the job was resumed from a stored state.
    is_resumed: bool,
    /// The counts of this run, and of earlier runs before it was resumed.
    counts: Counts,
    /// Users of earlier runs.
    users_before: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    users: u64,
    cells: u64,
    removed: u64,
}

/// What a job is currently doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchPhase {
    /// The batch computes profiles.
    Computing,
    /// The batch removes profiles of users without an event within the window.
    Removing,
    /// The batch is complete.
    Done,
}

/// The progress of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchProgress {
    /// What the job is currently doing.
    pub phase: BatchPhase,
    /// Users whose profile has been computed.
    pub users: u64,
    /// Cells from which these profiles were computed.
    pub cells: u64,
    /// Profiles that were removed.
    pub removed: u64,
    /// Users per second of this run; `None` at its beginning.
    pub users_per_second: Option<f64>,
    /// The share of the table that this run has read, from 0 to 1; `None` if the table is too small
    /// for an estimate.
    pub share: Option<f64>,
    /// Microseconds until the job is complete at the current rate; `None` at its beginning.
    pub remaining_micros: Option<u64>,
    /// Whether the job was resumed from where an earlier run has ended.
    pub is_resumed: bool,
}

impl Batch {
    /// Begins a job for the profiles of one app, or of all apps. An interrupted job for the same
    /// strategy is resumed, and keeps the time at which it was begun.
    ///
    /// # Errors
    /// Any error from a request to the tables.
    pub fn start(
        tables: &mut Tables,
        personal: &Personalization,
        app: Option<&str>,
        now: Timestamp,
    ) -> Result<Batch> {
        let row = tables.read_row(&personal.names.profiles, job_key(app))?;
        let mut batch = Batch {
            app: app.map(Into::into),
            // Rounded in the same way as the time that is stored with a profile.
            at: now.div_euclid(1_000) * 1_000,
            phase: BatchPhase::Computing,
            next: RowKey::default(),
            scan: None,
            user: None,
            is_resumed: false,
            counts: Counts::default(),
            users_before: 0,
        };
        if let Some(row) = row {
            batch.resume(&row, personal);
        }
        batch.save(tables, personal)?;
        Ok(batch)
    }

    /// Does a slice of work: about `cells_max` cells. Returns whether work remains. A job can be
    /// dropped between two slices, and resumed with [`Batch::start`].
    ///
    /// # Errors
    /// Any error from a request to the tables. The slice can be retried with a new
    /// [`Batch::start`].
    pub fn step(&mut self, tables: &mut Tables, personal: &Personalization, cells_max: u64) -> Result<bool> {
        match self.phase {
            BatchPhase::Computing => self.compute(tables, personal, cells_max)?,
            BatchPhase::Removing => self.remove(tables, personal, cells_max)?,
            BatchPhase::Done => return Ok(false),
        }
        self.save(tables, personal)?;
        Ok(self.phase != BatchPhase::Done)
    }

    /// Returns the progress after `elapsed_micros` of this run.
    pub fn progress(&self, elapsed_micros: u64) -> BatchProgress {
        let share = match self.phase {
            BatchPhase::Computing => self.scan.as_ref().and_then(Scan::share),
            BatchPhase::Removing | BatchPhase::Done => Some(1.0),
        };
        let users = self.counts.users - self.users_before;
        let rate = (elapsed_micros > 0 && users > 0).then(|| users as f64 / elapsed_micros as f64 * 1e6);
        let remaining =
            share.filter(|share| *share > 0.0).map(|share| elapsed_micros as f64 * (1.0 - share) / share);
        BatchProgress {
            phase: self.phase,
            users: self.counts.users,
            cells: self.counts.cells,
            removed: self.counts.removed,
            users_per_second: rate,
            share,
            remaining_micros: remaining.map(|micros| micros as u64),
            is_resumed: self.is_resumed,
        }
    }

    /// Returns the rows and cells of events that this run has looked at.
    pub fn seen(&self) -> (u64, u64) {
        let stats = self.scan.as_ref().map_or_else(Default::default, |scan| scan.stats().0);
        (stats.rows_seen, stats.cells_seen)
    }

    fn compute(&mut self, tables: &mut Tables, personal: &Personalization, cells_max: u64) -> Result<()> {
        let window = Window::at(self.at, &personal.strategy);
        let mut scan = match self.scan.take() {
            Some(scan) => scan,
            None => personal.scan(tables, self.rows(personal), window)?,
        };
        let (rows, is_complete) = scan.next(tables, &personal.names.events, cells_max)?;
        self.scan = Some(scan);
        for row in rows {
            let Some((app, user)) = personal.keys.split(personal.writer.template().logical(&row.key)) else {
                continue;
            };
            if self.user.as_ref().is_none_or(|(known_app, known, _)| (&**known_app, &**known) != (app, user))
            {
                self.finish_user(tables, personal)?;
                self.user = Some((app.into(), user.into(), Profile::default()));
            }
            if let Some((.., profile)) = &mut self.user {
                row.cells.iter().for_each(|cell| personal.reader.add(window, cell.into(), profile));
            }
        }
        if is_complete {
            self.finish_user(tables, personal)?;
            (self.phase, self.next) = (BatchPhase::Removing, RowKey::default());
        }
        Ok(())
    }

    /// Returns the rows that remain to be read.
    fn rows(&self, personal: &Personalization) -> RowChoice {
        let all =
            self.app.as_ref().map_or(RowRange::ALL, |app| RowRange::prefix(personal.keys.app_prefix(app)));
        let start = if self.next.is_empty() { all.start } else { Bound::Included(self.next.clone()) };
        RowChoice::Range(RowRange { start, end: all.end })
    }

    /// Writes the profile of the user whose events were read, unless the table has a newer one for
    /// the same strategy.
    fn finish_user(&mut self, tables: &mut Tables, personal: &Personalization) -> Result<()> {
        let Some((app, user, profile)) = self.user.take() else { return Ok(()) };
        let otherwise = profile_mutations(&profile, self.at, &personal.strategy);
        self.replace_older(tables, personal, profile_key(&app, &user), otherwise)?;
        self.counts.users += 1;
        self.counts.cells += profile.cells;
        self.next = personal.keys.after_user(&app, &user);
        Ok(())
    }

    /// Changes the row of a profile, if it is older than the job. Returns whether the row was
    /// changed.
    fn replace_older(
        &self,
        tables: &mut Tables,
        personal: &Personalization,
        key: RowKey,
        otherwise: Vec<Mutation>,
    ) -> Result<bool> {
        let predicate = Some(is_current(&personal.strategy, self.at));
        let change = CheckAndMutateRow { key, predicate, on_match: Vec::new(), otherwise };
        Ok(!tables.check_and_mutate(&personal.names.profiles, change)?)
    }

    /// Removes the profiles that are older than the job: it has found no events of their users.
    fn remove(&mut self, tables: &mut Tables, personal: &Personalization, cells_max: u64) -> Result<()> {
        let all = self.app.as_ref().map_or(RowRange::ALL, |app| RowRange::prefix(app_prefix(app)));
        let start = if self.next.is_empty() { all.start } else { Bound::Excluded(self.next.clone()) };
        let mark = ColumnRange { family: MARK_FAMILY.into(), start: Bound::Unbounded, end: Bound::Unbounded };
        let read = ReadRows {
            rows: RowSet::range(RowRange { start, end: all.end }),
            filter: Some(RowFilter::ColumnRange(mark)),
            slice_cells_max: cells_max.max(1),
            ..ReadRows::default()
        };
        let chunk = tables.read(&personal.names.profiles, read)?;
        for row in chunk.rows {
            let stored = read_profile(&row);
            let is_older = stored.strategy != digest(&personal.strategy) || stored.at < self.at;
            if is_older && split_key(&row.key).is_ok() {
                let removed = self.replace_older(tables, personal, row.key, vec![Mutation::DeleteFromRow])?;
                self.counts.removed += u64::from(removed);
            }
        }
        match chunk.resume {
            Some(resume) => self.next = resume.after,
            None => (self.phase, self.next) = (BatchPhase::Done, RowKey::default()),
        }
        Ok(())
    }

    /// Writes the state of the job with a single mutation of its row.
    fn save(&self, tables: &mut Tables, personal: &Personalization) -> Result<()> {
        let counts = &self.counts;
        let phase = match self.phase {
            BatchPhase::Computing => "computing",
            BatchPhase::Removing => "removing",
            BatchPhase::Done => "done",
        };
        let cells: [(&str, Vec<u8>); 7] = [
            ("at", time::format(self.at).into_bytes()),
            ("cells", counts.cells.to_string().into_bytes()),
            ("next", self.next.to_vec()),
            ("phase", phase.into()),
            ("removed", counts.removed.to_string().into_bytes()),
            ("strategy", format!("{:016x}", digest(&personal.strategy)).into_bytes()),
            ("users", counts.users.to_string().into_bytes()),
        ];
        let cell = |(qualifier, value): (&str, Vec<u8>)| Mutation::SetCell {
            family: JOB_FAMILY.into(),
            qualifier: qualifier.as_bytes().into(),
            timestamp: 0,
            value: value.into(),
        };
        let row = RowMutation { key: job_key(self.app.as_deref()), mutations: cells.map(cell).into() };
        tables.write(&personal.names.profiles, vec![row])
    }

    /// Resumes the job of a row, if it is incomplete and for the same strategy.
    fn resume(&mut self, row: &Row, personal: &Personalization) {
        let value = |qualifier: &str| {
            row.cells
                .iter()
                .find(|cell| cell.qualifier.as_slice() == qualifier.as_bytes())
                .map(|cell| &cell.value)
        };
        let text = |qualifier: &str| value(qualifier).and_then(|value| core::str::from_utf8(value).ok());
        let number = |qualifier: &str| text(qualifier).and_then(|text| text.parse().ok());
        let phase = match text("phase") {
            Some("computing") => BatchPhase::Computing,
            Some("removing") => BatchPhase::Removing,
            _ => return,
        };
        let is_same = text("strategy") == Some(&*format!("{:016x}", digest(&personal.strategy)));
        let (Some(at), Some(next)) = (text("at").and_then(time::parse), value("next")) else { return };
        let (Some(users), Some(cells), Some(removed)) = (number("users"), number("cells"), number("removed"))
        else {
            return;
        };
        if is_same {
            (self.at, self.phase, self.next) = (at, phase, RowKey::from(next.to_vec()));
            self.counts = Counts { users, cells, removed };
            (self.users_before, self.is_resumed) = (users, true);
        }
    }
}

impl Personalization {
    /// Removes all profiles and jobs.
    ///
    /// # Errors
    /// Any error from a request to the table of profiles.
    pub fn drop_profiles(&self, tables: &mut Tables) -> Result<()> {
        tables.drop_rows(&self.names.profiles, DropRowRange::All)
    }
}
