//! Records the background work that becomes due when tablets change, and looks for garbage when its
//! time has come.

use alloc::vec::Vec;
use core::mem::take;

use tabletop_model::Timestamp;

use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::due::Work;
use crate::table::garbage::Garbage;
use crate::table::overlap::{Span, depth};
use crate::table::plan::{Choice, Compactions};
use crate::table::tablet::{Wanted, WantedRows};

/// A call looks for garbage in at most this many tablets.
const LOOKS_MAX: usize = 256;
/// After work that failed, a tablet is not checked for this long, even without a delay: one second.
const RETRY_MICROS: i64 = 1_000_000;
/// Memtables larger than this are checked less often.
const LOOK_BYTES: u64 = 256 << 10;

impl Table {
    /// Checks all tablets, if what is due may have changed for all of them.
    pub(crate) fn refresh_due(&mut self) {
        if self.background.due.is_stale() {
            self.background.due.refresh();
            self.tablets.iter_mut().for_each(|tablet| tablet.look_at = Timestamp::MAX);
            (0..self.tablets.len()).for_each(|index| self.note_change(index));
        }
    }

    /// Records that a tablet or its runs have changed.
    pub(crate) fn note_change(&mut self, index: usize) {
        self.is_changed = true;
        self.end_request(index);
        self.note_check(index);
        self.tablets[index].collects = None;
        if self.tablets[index].frozen.is_some() {
            self.background.due.note_flush(self.tablets[index].range.start.clone());
        }
        self.note_look(index, Timestamp::MIN);
        let tablet = &self.tablets[index];
        let spans = |group| depth(&tablet.runs_of(group).map(Span::counted).collect::<Vec<_>>());
        let depth = tablet.groups().into_iter().map(spans).max().unwrap_or_default() as u32;
        self.tablets[index].depth = depth;
        if self.compaction_of(index).is_some() {
            let work = self.work(index);
            self.background.due.note_compaction(work);
        }
        for low in [index.wrapping_sub(1), index] {
            if let Some(from) = self.mergeable_from(low) {
                self.background.due.note_merge(from);
            }
        }
    }

    /// Records that the memtable of a tablet may have to be written, or that the tablet may have to
    /// be split.
    pub(crate) fn note_check(&mut self, index: usize) {
        let start = self.tablets[index].range.start.clone();
        self.background.due.note_check(start);
    }

    /// Returns whether [`Table::advance`] would write a memtable or compact something.
    pub fn has_work(&mut self) -> bool {
        if self.is_read_only() {
            return false;
        }
        self.refresh_due();
        let is_to_be_written = |start: &[u8]| {
            let index = self.tablet_of(start);
            self.is_full(index) || self.tablets[index].wanted.as_ref().is_some_and(Wanted::has_rows)
        };
        self.background.compaction.is_some()
            || self.background.due.has_flushes()
            || self.background.due.checks().any(is_to_be_written)
            || self.next_compaction().is_some()
    }

    /// Ends a requested compaction of a tablet if nothing is left to do.
    fn end_request(&mut self, index: usize) {
        let tablet = &mut self.tablets[index];
        let is_in_memory = tablet.pins().next().is_some();
        let Some(wanted) = &mut tablet.wanted else { return };
        if !is_in_memory {
            // Dropping a family may have emptied the memtable.
            wanted.rows = WantedRows::Written;
        } else if wanted.has_rows() {
            tablet.settle(self.families.kinds());
        }
        let tablet = &self.tablets[index];
        let Some(wanted) = &tablet.wanted else { return };
        // Merging runs may result in one whose key range spans the rows of others.
        let merges = self.compaction_of(index).is_some_and(|choice| !wanted.done.contains(&choice.group));
        let is_open = if wanted.has_rows() {
            self.families.are_collected() || !tablet.is_tidy() || merges
        } else {
            merges || tablet.groups().into_iter().any(|group| self.is_wanted(tablet, group))
        };
        if !is_open {
            self.tablets[index].wanted = None;
        }
    }

    /// Records a write: its tablet may have garbage now, and is checked when the delay has passed.
    /// More writes until then, or writes to a large memtable, cause no further checks.
    pub(crate) fn note_write(&mut self, now: Timestamp, index: usize) {
        let tablet = &mut self.tablets[index];
        tablet.written_at = tablet.written_at.or(Some(now));
        let waits = (tablet.memtable.read().bytes() / LOOK_BYTES).max(1) as i64;
        let at = now.saturating_add(self.background.gc_delay.saturating_mul(waits));
        if tablet.look_at > at {
            self.note_look(index, at);
        }
    }

    /// Records a time at which to check a tablet for garbage, unless an earlier one is set.
    pub(crate) fn note_look(&mut self, index: usize, at: Timestamp) {
        let tablet = &mut self.tablets[index];
        // Garbage that would wait forever is not looked for.
        if at < tablet.look_at && self.background.gc_delay < Timestamp::MAX {
            self.background.due.move_look(tablet.look_at, at, &tablet.range.start);
            tablet.look_at = at;
        }
    }

    /// Returns the time from which [`Table::advance`] has work that no request causes: to look for
    /// garbage, or to merge tablets. Returns `Timestamp::MAX` for never.
    pub fn next_work(&self) -> Timestamp {
        match self.is_read_only() {
            true => Timestamp::MAX,
            false if self.background.due.is_stale() => Timestamp::MIN,
            false => self.next_look().min(self.background.due.merges_from()),
        }
    }

    /// Returns the next time at which a tablet is checked for garbage.
    pub(crate) fn next_look(&self) -> Timestamp {
        self.background.due.next_look()
    }

    /// Checks the tablets that may have garbage. Garbage that is worth it is recorded as a
    /// compaction; a memtable is written first.
    pub(crate) fn look_for_garbage(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        left: &mut u64,
    ) -> core::result::Result<(), StorageError> {
        let mut done = Ok(());
        for _ in 0..LOOKS_MAX {
            let Some((at, start)) = self.background.due.take_look(now) else { break };
            let index = self.tablet_of(&start);
            // The tablet may have been split or merged.
            if self.tablets[index].look_at == at && self.tablets[index].range.start == start {
                self.tablets[index].look_at = Timestamp::MAX;
                // A host may be late. A check without a set time finds garbage that is as old as
                // the check itself.
                let planned = if at == Timestamp::MIN { now } else { at };
                done = done.and(self.look(storage, now, planned, index, left));
            }
        }
        done
    }

    fn look(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        planned: Timestamp,
        index: usize,
        left: &mut u64,
    ) -> core::result::Result<(), StorageError> {
        count_look();
        let tablet = &mut self.tablets[index];
        // With a frozen memtable, the tablet is checked after that is written.
        if tablet.has_damaged_run || tablet.frozen.is_some() {
            return Ok(());
        }
        tablet.settle(self.families.kinds());
        let written_at = tablet.written_at.take();
        let was_frozen = take(&mut tablet.is_frozen_for_garbage);
        let runs = self.garbage_of_runs(index, now);
        let tablet = &self.tablets[index];
        let memtable = if tablet.memtable.read().is_empty() {
            Garbage::NONE
        } else {
            self.garbage_of_memtable(index, now)
        };
        let patience = |garbage: &Garbage| garbage.patience(self.tablets.len());
        let worst =
            runs.iter().filter(|(_, garbage)| garbage.bytes > 0).min_by_key(|(_, garbage)| patience(garbage));
        let next =
            runs.iter().map(|(_, garbage)| garbage.next).min().unwrap_or(Timestamp::MAX).min(memtable.next);
        let of_runs = worst.map(|(_, garbage)| patience(garbage));
        let of_memtable = Some(patience(&memtable)).filter(|_| memtable.bytes > 0);
        let Some(least) = of_runs.into_iter().chain(of_memtable).min() else {
            self.tablets[index].garbage_since = None;
            // What a read holds does not count as garbage.
            let soon = if self.unused.is_waiting() {
                now.saturating_add(self.background.gc_delay.max(RETRY_MICROS))
            } else {
                next
            };
            self.note_look(index, next.min(soon));
            return Ok(());
        };
        let uncovers = tablet.memtable.read().uncovers && self.families.count_versions();
        let since = match tablet.garbage_since {
            // The garbage of a new memtable waits too; otherwise many small memtables would be
            // written.
            Some(_) if was_frozen && (worst.is_none() || uncovers) => written_at.unwrap_or(now),
            Some(since) => since,
            None => written_at.unwrap_or(planned).min(planned),
        };
        let due = since.saturating_add(self.background.gc_delay.saturating_mul(least));
        // Whichever waits less goes first: the runs are collected, or the memtable is written.
        let collects = worst.filter(|_| of_runs == Some(least)).map(|(runs, _)| runs.clone());
        self.tablets[index].garbage_since = Some(since);
        if now < due {
            // The amount of garbage grows with time, so the tablet is checked again before it is
            // due.
            let soon = now.saturating_add(self.background.gc_delay.max((due - now) / 4));
            self.note_look(index, next.min(soon).min(due));
            return Ok(());
        }
        let tablet = &self.tablets[index];
        if collects.is_none() || uncovers {
            *left = left.saturating_sub(tablet.memtable.read().bytes());
            let later = now.saturating_add(self.background.gc_delay.max(RETRY_MICROS));
            self.tablets[index].is_frozen_for_garbage = self.background.compactions == Compactions::Apart;
            return self.flush_soon(storage, &[index]).inspect_err(|_| self.note_look(index, later));
        }
        self.tablets[index].collects = collects;
        let work = self.work(index);
        self.background.due.note_compaction(work);
        Ok(())
    }

    /// Returns the tablet whose compaction is due first, and what to merge.
    pub(crate) fn next_compaction(&mut self) -> Option<(usize, Choice)> {
        self.refresh_due();
        loop {
            let work = self.background.due.next_compaction()?;
            let index = self.tablet_of(&work.start);
            if let Some(choice) = self.compaction_of(index).filter(|_| self.work(index) == work) {
                return Some((index, choice));
            }
            self.background.due.end_compaction(&work);
        }
    }

    /// Defers the compaction of a tablet, which has failed, so that it does not block the
    /// compactions of others.
    pub(crate) fn defer_compaction(&mut self, index: usize) {
        let work = self.work(index);
        self.background.due.defer(work);
    }

    /// Retries compactions that have failed, once no other one is due.
    pub(crate) fn retry_deferred(&mut self) {
        if self.background.due.has_deferred() && self.next_compaction().is_none() {
            self.background.due.retry_deferred();
        }
    }

    /// Returns the time from which a tablet and the next one can be merged, if nothing is read or
    /// written there. They must be small together, at most half the size at which a tablet is
    /// split, so that the result is not split again immediately.
    pub(crate) fn mergeable_from(&self, low: usize) -> Option<Timestamp> {
        count_look();
        let (low, high) = (self.tablets.get(low)?, self.tablets.get(low.wrapping_add(1))?);
        let window = i64::from(self.settings.load_window_seconds).saturating_mul(1_000_000);
        let is_small = low.bytes() + high.bytes() < self.settings.tablet_bytes_max / 2;
        let idle = [low, high]
            .map(|tablet| tablet.made_at.saturating_add(window).max(tablet.load.lock().idle_from()));
        is_small.then(|| idle[0].max(idle[1]))
    }

    fn work(&self, index: usize) -> Work {
        count_look();
        let tablet = &self.tablets[index];
        Work { depth: tablet.depth, start: tablet.range.start.clone() }
    }
}

/// Counts a check of a tablet, in tests only.
fn count_look() {
    #[cfg(test)]
    super::due::tests::LOOKS.set(super::due::tests::LOOKS.get() + 1);
}
