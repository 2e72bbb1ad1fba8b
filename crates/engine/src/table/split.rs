//! Splitting and merging of tablets. A split shares the SSTables between both halves; no SSTable is
//! rewritten.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::{Error, Result, Timestamp};

use crate::durable::manifest::Fact;
use crate::key_range::KeyRange;
use crate::shared::Shared;
use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::load::TabletLoad;
use crate::table::plan::Compactions;
use crate::table::run::Run;
use crate::table::scan::Scan;
use crate::table::tablet::{Tablet, Wanted};
use tabletop_model::order::sorted;

/// A memtable of this many bytes is written within a few milliseconds.
pub(crate) const QUICK_BYTES: u64 = 256 << 10;

/// Tablets whose memtables had to be written before a request, once each, with the results.
#[derive(Debug, Default)]
pub(crate) struct FlushAttempts(Vec<(usize, Result<()>)>);

impl Table {
    /// Writes a memtable that could not be written when it became full, before a write to the row
    /// `key`.
    pub(crate) fn make_room(
        &mut self,
        storage: &mut dyn Storage,
        key: &[u8],
        attempts: &mut FlushAttempts,
    ) -> Result<()> {
        self.check_writable()?;
        let index = self.tablet_of(key);
        if !self.is_full(index) {
            return Ok(());
        }
        let limit = self.settings.memtable_bytes_max;
        if let Some((_, answer)) = attempts.0.iter().find(|(tablet, _)| *tablet == index) {
            return answer.clone();
        }
        let answer = match self.flush_full(storage, index).map_err(Error::from) {
            Err(Error { code, message, .. })
                if self.tablets[index].memtable_bytes() > limit.saturating_mul(2) =>
            {
                let message = alloc::format!(
                    "the memtable is full and could not be written, so nothing has changed: {message}"
                );
                Err(Error::new(code, message))
            }
            _ => Ok(()),
        };
        attempts.0.push((index, answer.clone()));
        answer
    }

    /// Does the work that is due immediately after a write. If storage fails, nothing has changed,
    /// and the work is retried later.
    pub(crate) fn maintain(&mut self, storage: &mut dyn Storage, now: Timestamp, index: usize) {
        let written = if self.is_full(index) { self.flush_full(storage, index) } else { Ok(()) };
        if written.and_then(|()| self.split_if_due(storage, now, index)).is_err() {
            self.note_check(index);
        }
    }

    /// Splits the tablets of a read that have become hot. If storage fails, nothing has changed,
    /// and the split is retried later: the read itself has succeeded.
    pub(crate) fn split_read(&mut self, storage: &mut dyn Storage, now: Timestamp, scan: &Scan) {
        let tablet_rows = &scan.tablet_rows;
        // From the last tablet to the first, so that a split does not shift the indices still to
        // come. A read goes up or down, never both.
        let ascends = tablet_rows.first() <= tablet_rows.last();
        // After a concurrent read there may be fewer tablets by now; a neighbour is then checked
        // instead.
        let exists = |index: &usize| *index < self.tablets.len();
        let mut indices: Vec<usize> = tablet_rows.iter().map(|(index, _)| *index).filter(exists).collect();
        if ascends {
            indices.reverse();
        }
        for index in indices {
            if self.split_if_due(storage, now, index).is_err() {
                self.note_check(index);
            }
        }
        self.publish();
    }

    /// Halves a tablet that has become too large or too busy. Where the host writes memtables, the
    /// split waits until the tablet's memtable is written, unless that is quick.
    pub(crate) fn split_if_due(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        index: usize,
    ) -> core::result::Result<(), StorageError> {
        let waits = self.background.compactions == Compactions::Apart
            && self.tablets[index].memtable_bytes() > QUICK_BYTES;
        if waits && self.tablets[index].is_split_due(&self.settings) {
            return self.freeze(storage, &[index]);
        }
        self.split_now(storage, now, index)
    }

    /// Halves a tablet that has become too large or too busy. A tablet with damage at its middle is
    /// not split: a read of those rows returns the error.
    pub(crate) fn split_now(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        index: usize,
    ) -> core::result::Result<(), StorageError> {
        match self.try_split(storage, now, index) {
            Err(StorageError::Corrupt { .. }) => {
                self.tablets[index].unsplittable_bytes = u64::MAX;
                self.is_changed = true;
                Ok(())
            }
            done => done,
        }
    }

    fn try_split(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        index: usize,
    ) -> core::result::Result<(), StorageError> {
        if self.is_read_only() || !self.tablets[index].is_split_due(&self.settings) {
            return Ok(());
        }
        self.tablets[index].settle(self.families.kinds());
        let (tablet, settings) = (&self.tablets[index], &self.settings);
        let bytes = tablet.bytes();
        // A split by load that leaves all of the load in one half spreads nothing: an ever-growing
        // key is hot wherever it is split.
        let spreads = |key: &[u8]| {
            let load = tablet.load.lock();
            let (low, high) = load.split(key);
            // The quieter half must take at least a sixteenth of the load.
            low.rate().min(high.rate()) * 16.0 >= load.rate()
        };
        match tablet.middle(storage, self.families.kinds())? {
            Some(key) if bytes > settings.tablet_bytes_max || spreads(&key) => {
                self.split(storage, now, index, &key)
            }
            _ => {
                // The next attempt waits until the tablet has grown: until then, it would find the
                // same.
                let step = settings.tablet_bytes_max / 8;
                self.tablets[index].unsplittable_bytes = bytes + step.max(1);
                self.is_changed = true;
                Ok(())
            }
        }
    }

    fn split(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        index: usize,
        key: &[u8],
    ) -> core::result::Result<(), StorageError> {
        let (low_load, high_load) = self.tablets[index].load.lock().split(key);
        // With an empty memtable only the runs have to be divided, and both halves share their
        // files.
        self.minor_compaction(storage, index)?;
        let tablet = &self.tablets[index];
        let (mut low_runs, mut high_runs) = (Vec::new(), Vec::new());
        for run in &tablet.runs {
            let (low, high) = run.split(storage, key)?;
            low_runs.extend(low);
            high_runs.extend(high);
        }
        let (parent, range, log_mark) = (tablet.id, tablet.range.clone(), tablet.log_mark);
        let (wanted, garbage_since) = (tablet.wanted.clone(), tablet.garbage_since);
        let mut half = |range: KeyRange, runs: Vec<Run>, load: TabletLoad| {
            let half = Tablet::new(self.new_tablet_id(), range, now, &self.settings);
            let mut half =
                Tablet { parent: Some(parent), log_mark, wanted: wanted.clone(), garbage_since, ..half };
            (half.runs, half.load) = (runs, Arc::new(Shared::new(load)));
            half
        };
        let low = half(KeyRange { start: range.start, end: Some(key.to_vec()) }, low_runs, low_load);
        let high = half(KeyRange { start: key.to_vec(), end: range.end }, high_runs, high_load);
        // One record, so that a crash leaves either the tablet or both of its halves.
        self.record(storage, alloc::vec![Fact::TabletGone(parent), low.fact(), high.fact()], &[])?;
        self.tablets.splice(index..=index, [low, high]);
        self.note_change(index);
        self.note_change(index + 1);
        self.counts.splits += 1;
        Ok(())
    }

    /// Merges adjacent tablets that were idle for a whole window and are small together.
    ///
    /// # Errors
    /// The first error of storage. Merges that failed are retried after a second.
    pub(crate) fn merge_idle(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
    ) -> core::result::Result<(), StorageError> {
        if now < self.background.due.merges_from() {
            return Ok(());
        }
        let mut done = Ok(());
        let (mut index, mut next) = (0, Timestamp::MAX);
        while index + 1 < self.tablets.len() {
            let from = self.mergeable_from(index).unwrap_or(Timestamp::MAX);
            let waits = self.background.compactions == Compactions::Apart
                && self.tablets[index..index + 2].iter().any(|tablet| tablet.memtable_bytes() > QUICK_BYTES);
            let merged = if from > now {
                Ok(false)
            } else if waits {
                // The host writes large memtables; the merge is retried a second later.
                self.freeze(storage, &[index, index + 1]).map(|()| false)
            } else {
                self.merge(storage, now, index).map(|()| true)
            };
            match merged {
                // The tablet that is now at this index may be merged with the next one.
                Ok(true) => continue,
                Ok(false) if from > now => next = next.min(from),
                _ => next = next.min(now.saturating_add(1_000_000)),
            }
            done = done.and(merged.map(drop));
            index += 1;
        }
        self.background.due.set_merges_from(next);
        done
    }

    /// Merges a tablet with the next one.
    fn merge(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        index: usize,
    ) -> core::result::Result<(), StorageError> {
        self.flush(storage, &[index, index + 1])?;
        let (low, high) = (&self.tablets[index], &self.tablets[index + 1]);
        let range = KeyRange { start: low.range.start.clone(), end: high.range.end.clone() };
        let runs = join_runs(&low.runs, &high.runs);
        // It counts as created when its newer half was, so that more than two can become one.
        let made_at = low.made_at.max(high.made_at);
        let wanted = low.wanted.as_ref().or(high.wanted.as_ref()).map(|_| Wanted::default());
        let garbage_since = low.garbage_since.min(high.garbage_since);
        let (low, high, log_mark) = (low.id, high.id, low.log_mark.max(high.log_mark));
        let merged = Tablet::new(self.new_tablet_id(), range, now, &self.settings);
        let mut merged = Tablet { made_at, log_mark, wanted, garbage_since, ..merged };
        merged.runs = runs;
        self.record(storage, alloc::vec![Fact::TabletGone(low), Fact::TabletGone(high), merged.fact()], &[])?;
        self.tablets.splice(index..index + 2, [merged]);
        self.note_change(index);
        self.counts.merges += 1;
        Ok(())
    }
}

/// Returns the runs of two adjacent tablets, newest first. Parts of one SSTable that touch become
/// one run again.
fn join_runs(low: &[Run], high: &[Run]) -> Vec<Run> {
    let runs = low.iter().chain(high).cloned().collect();
    let order = |a: &Run, b: &Run| {
        let newer = b.sequence.cmp(&a.sequence);
        newer.then(a.group.cmp(&b.group)).then_with(|| a.range.start.cmp(&b.range.start))
    };
    let runs = sorted(runs, order);
    let mut joined: Vec<Run> = Vec::with_capacity(runs.len());
    for run in runs {
        match joined.last().and_then(|last| last.join(&run)) {
            Some(both) => *joined.last_mut().expect("there is a last one") = both,
            None => joined.push(run),
        }
    }
    joined
}
