//! Background work that is due. It is recorded when a tablet changes, so that a call with nothing
//! to do costs the same for any number of tablets.

#[cfg(test)]
pub(crate) mod tests;

use alloc::vec::Vec;
use core::mem::take;

use tabletop_model::{SortedSet, Timestamp};

/// The work that may be due. Entries may be outdated, so the tablet of an entry is checked again
/// before the work begins.
#[derive(Clone, Debug)]
pub(crate) struct Due {
    is_stale: bool,
    /// Tablets whose memtable may have to be written, or that may have to be split; their depth is
    /// not used.
    checks: SortedSet<Work>,
    /// The first keys of tablets whose frozen memtable must be written.
    flushes: SortedSet<Vec<u8>>,
    /// Tablets with SSTables to merge.
    compactions: SortedSet<Work>,
    /// Tablets whose compaction has failed; it is retried after all others.
    deferred: Vec<Work>,
    /// The earliest time at which tablets can be merged.
    merges_from: Timestamp,
    /// Tablets that may have garbage, each with the time to look for it.
    looks: SortedSet<(Timestamp, Vec<u8>)>,
}

/// A tablet with work, by its first key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Work {
    /// How many SSTables overlap: reads are most expensive where most do.
    pub depth: u32,
    pub start: Vec<u8>,
}

impl Default for Due {
    fn default() -> Self {
        Due {
            is_stale: true,
            checks: SortedSet::default(),
            flushes: SortedSet::default(),
            compactions: SortedSet::default(),
            deferred: Vec::new(),
            merges_from: Timestamp::MIN,
            looks: SortedSet::default(),
        }
    }
}

impl Due {
    /// Records that all tablets must be checked, because what is due has changed for all of them.
    pub fn note_all(&mut self) {
        self.is_stale = true;
    }

    /// Returns whether all tablets must be checked.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Clears all work: the caller checks all tablets.
    pub fn refresh(&mut self) {
        *self = Due { is_stale: false, merges_from: Timestamp::MAX, ..Due::default() };
    }

    /// Records that the memtable of a tablet may have to be written, or that the tablet may have to
    /// be split.
    pub fn note_check(&mut self, start: Vec<u8>) {
        self.checks.insert(Work { depth: 0, start });
    }

    /// Returns the first keys of the tablets to check.
    pub fn checks(&self) -> impl Iterator<Item = &[u8]> {
        self.checks.iter().map(|work| work.start.as_slice())
    }

    /// Takes the tablets to check, the last one first.
    pub fn take_checks(&mut self) -> Vec<Work> {
        take(&mut self.checks).iter().rev().cloned().collect()
    }

    /// Records that the frozen memtable of a tablet must be written.
    pub fn note_flush(&mut self, start: Vec<u8>) {
        self.flushes.insert(start);
    }

    /// Records that the frozen memtable of a tablet was written.
    pub fn end_flush(&mut self, start: &Vec<u8>) {
        self.flushes.remove(start);
    }

    /// Returns whether there are frozen memtables to write.
    pub fn has_flushes(&self) -> bool {
        !self.flushes.is_empty()
    }

    /// Returns the first keys of the tablets whose frozen memtable must be written.
    pub fn flushes(&self) -> Vec<Vec<u8>> {
        self.flushes.iter().cloned().collect()
    }

    /// Takes the first keys of the tablets whose frozen memtable must be written.
    pub fn take_flushes(&mut self) -> SortedSet<Vec<u8>> {
        take(&mut self.flushes)
    }

    /// Records that a tablet has SSTables to merge.
    pub fn note_compaction(&mut self, work: Work) {
        self.compactions.insert(work);
    }

    /// Returns the tablet whose compaction is due first.
    pub fn next_compaction(&self) -> Option<Work> {
        self.compactions.iter().next_back().cloned()
    }

    /// Removes a compaction that is no longer due.
    pub fn end_compaction(&mut self, work: &Work) {
        self.compactions.remove(work);
    }

    /// Defers a compaction that has failed, so that it does not block the compactions of other
    /// tablets.
    pub fn defer(&mut self, work: Work) {
        if self.compactions.remove(&work) {
            self.deferred.push(work);
        }
    }

    /// Makes the compactions that have failed due again.
    pub fn retry_deferred(&mut self) {
        let deferred = take(&mut self.deferred);
        self.compactions.extend(deferred);
    }

    /// Returns whether any compaction has failed and was not retried.
    pub fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Returns the earliest time at which tablets can be merged.
    pub fn merges_from(&self) -> Timestamp {
        self.merges_from
    }

    /// Records that two tablets can be merged from a time on.
    pub fn note_merge(&mut self, from: Timestamp) {
        self.merges_from = self.merges_from.min(from);
    }

    /// Sets the earliest time at which tablets can be merged, after all pairs were checked.
    pub fn set_merges_from(&mut self, from: Timestamp) {
        self.merges_from = from;
    }

    /// Moves the time at which a tablet is checked for garbage.
    pub fn move_look(&mut self, before: Timestamp, at: Timestamp, start: &[u8]) {
        self.looks.remove(&(before, start.to_vec()));
        self.looks.insert((at, start.to_vec()));
    }

    /// Returns the next time at which a tablet is checked for garbage.
    pub fn next_look(&self) -> Timestamp {
        self.looks.iter().next().map_or(Timestamp::MAX, |(at, _)| *at)
    }

    /// Takes the next tablet that must be checked by `now`, with its time.
    pub fn take_look(&mut self, now: Timestamp) -> Option<(Timestamp, Vec<u8>)> {
        let entry = self.looks.iter().next().filter(|(at, _)| *at <= now).cloned()?;
        self.looks.remove(&entry);
        Some(entry)
    }
}
