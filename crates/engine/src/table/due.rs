//! Background work that is due. It is noted when a tablet changes, so that a call with nothing to do costs the same for any
//! number of tablets.

#[cfg(test)]
pub(crate) mod tests;

use alloc::vec::Vec;
use core::mem::take;

use tabletop_model::{SortedSet, Timestamp};

use crate::table::Table;
use crate::table::compaction::Choice;
use crate::table::overlap::{Span, depth};

/// The work that may be due. Entries may be outdated, so the tablet of an entry is looked at again before its work.
#[derive(Debug)]
pub(crate) struct Due {
    /// All tablets must be looked at: what is due has changed for all of them.
    pub is_stale: bool,
    /// Tablets whose memtable may have to be written, or that may have to be split; without depth.
    pub checks: SortedSet<Work>,
    /// Tablets with SSTables to merge.
    compactions: SortedSet<Work>,
    /// Those whose compaction has failed: it is tried again after all others.
    deferred: Vec<Work>,
    /// No tablets can be merged before.
    pub merges_from: Timestamp,
}

/// A tablet with work, by its first key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Work {
    /// How many SSTables overlap: reads are most expensive where most do.
    depth: u32,
    pub start: Vec<u8>,
}

impl Default for Due {
    fn default() -> Self {
        Due {
            is_stale: true,
            checks: SortedSet::default(),
            compactions: SortedSet::default(),
            deferred: Vec::new(),
            merges_from: Timestamp::MIN,
        }
    }
}

impl Table {
    /// Looks at all tablets, if what is due may have changed for all of them.
    pub(crate) fn refresh_due(&mut self) {
        if self.due.is_stale {
            self.due = Due { is_stale: false, merges_from: Timestamp::MAX, ..Due::default() };
            (0..self.tablets.len()).for_each(|index| self.note_change(index));
        }
    }

    /// Notes that a tablet or its runs have changed.
    pub(crate) fn note_change(&mut self, index: usize) {
        if self.compacts_all {
            self.tablets[index].memtable.settle(self.families.kinds());
        }
        self.note_check(index);
        let tablet = &self.tablets[index];
        let spans = |group| depth(&tablet.runs_of(group).map(Span::counted).collect::<Vec<_>>());
        let depth = tablet.groups().into_iter().map(spans).max().unwrap_or_default() as u32;
        self.tablets[index].depth = depth;
        if self.compaction_of(index).is_some() {
            self.due.compactions.insert(self.work(index));
        }
        for low in [index.wrapping_sub(1), index] {
            if let Some(from) = self.mergeable_from(low) {
                self.due.merges_from = self.due.merges_from.min(from);
            }
        }
    }

    /// Notes that the memtable of a tablet may have to be written, or that it may have to be split.
    pub(crate) fn note_check(&mut self, index: usize) {
        let start = self.tablets[index].range.start.clone();
        self.due.checks.insert(Work { depth: 0, start });
    }

    /// Returns whether [`Table::advance`] would write a memtable or compact something.
    pub fn has_work(&mut self) -> bool {
        if self.is_read_only() {
            return false;
        }
        self.refresh_due();
        let limit = if self.compacts_all { 0 } else { self.settings.memtable_bytes_max };
        let is_full = |work: &Work| self.tablets[self.tablet_of(&work.start)].memtable.bytes() > limit;
        self.compaction.is_some() || self.due.checks.iter().any(is_full) || self.next_compaction().is_some()
    }

    /// Returns the tablet whose compaction is due first, and what to merge.
    pub(crate) fn next_compaction(&mut self) -> Option<(usize, Choice)> {
        self.refresh_due();
        loop {
            let work = self.due.compactions.iter().next_back().cloned()?;
            let index = self.tablet_of(&work.start);
            if let Some(choice) = self.compaction_of(index).filter(|_| self.work(index) == work) {
                return Some((index, choice));
            }
            self.due.compactions.remove(&work);
        }
    }

    /// Puts off the compaction of a tablet, which has failed, so that those of others are not kept from being done.
    pub(crate) fn defer_compaction(&mut self, index: usize) {
        let work = self.work(index);
        if self.due.compactions.remove(&work) {
            self.due.deferred.push(work);
        }
    }

    /// Tries compactions that have failed again, once no other one is due.
    pub(crate) fn retry_deferred(&mut self) {
        if !self.due.deferred.is_empty() && self.next_compaction().is_none() {
            let deferred = take(&mut self.due.deferred);
            self.due.compactions.extend(deferred);
        }
    }

    /// Returns whether any compaction has failed and was not tried again.
    pub(crate) fn has_deferred(&self) -> bool {
        !self.due.deferred.is_empty()
    }

    /// Returns the moment from which a tablet and the next one can be merged, if nothing is read or written there: they are
    /// small together, at most half the size at which a tablet is split, so that the result is not split again immediately.
    pub(crate) fn mergeable_from(&self, low: usize) -> Option<Timestamp> {
        count_look();
        let (low, high) = (self.tablets.get(low)?, self.tablets.get(low.wrapping_add(1))?);
        let window = i64::from(self.settings.load_window_seconds).saturating_mul(1_000_000);
        let is_small = low.bytes() + high.bytes() < self.settings.tablet_bytes_max / 2;
        let idle = [low, high].map(|tablet| tablet.made_at.saturating_add(window).max(tablet.load.idle_from()));
        is_small.then(|| idle[0].max(idle[1]))
    }

    fn work(&self, index: usize) -> Work {
        count_look();
        let tablet = &self.tablets[index];
        Work { depth: tablet.depth, start: tablet.range.start.clone() }
    }
}

/// Counts a look at a tablet, in tests only.
fn count_look() {
    #[cfg(test)]
    tests::LOOKS.set(tests::LOOKS.get() + 1);
}
