//! The past and the known future of a design's table: checkpoints to go back to, the writes that people made by hand, and the
//! moments of its splits, merges and compactions.
//!
//! A moment is a number of events. To go to another one, the table becomes a copy of the last checkpoint before it, and the events in
//! between are written again, slice by slice. The next slice looks where to go, so the newest wish counts.
//!
//! A write by hand belongs to the moment at which it was made. It is not in the table before that moment, and is done again when
//! that moment is reached again: nothing that is written later is lost, however often one goes back. What such a write changes may
//! change the outcome of later ones, as it would have at the time; those that are refused then are counted. A write that is taken back,
//! or whose rows have the form of another design, is set aside (`hand_writes.rs`).
//!
//! The table of a moment has the same rows on every way there. It has the same tablets and SSTables, too, as if its events and writes
//! had been played straight to that moment, with three exceptions: reads count as load when they are made, a write by hand after the
//! last event interrupts the final compaction, and a flush or a compaction that a person asks for is not done again.

use tabletop_schema::TimelineView;

use crate::event_table::{EventTable, WorkCounts};
use crate::hand_writes::{Form, HandWrite, HandWrites};
use crate::supply::Supply;

/// Most checkpoints of a table. With more, every second one is dropped.
const CHECKPOINTS_MAX: usize = 8;
/// Most bytes that were written to the tables of all checkpoints, together: with more, every second one is dropped. They take less
/// memory, because they share SSTables.
const BYTES_MAX: u64 = 256 << 20;
/// Events between two checkpoints of a table that was never taken to an earlier moment. A native program writes this many in half a
/// second. The number doubles whenever checkpoints are dropped: then the last of a million events are written again in half a second to two
/// seconds, in slices, and not in seven.
const SPACING: u32 = 65_536;
/// The same for a table without checkpoints, from the first time on that it goes back.
const SPACING_IN_USE: u32 = 4_096;
/// A checkpoint that is at least this number of events ahead is faster than the events in between.
const WORTH_EVENTS: u32 = 2_048;
/// The most moments of one kind in a view. A picture cannot show more of them separately.
const MOMENTS_MAX: u32 = 500;

/// The moments of one table, and what belongs to them.
pub(crate) struct Timeline {
    /// In the order of their events.
    checkpoints: Vec<EventTable>,
    /// The number of events after which the next checkpoint is kept.
    next: u32,
    spacing: u32,
    /// In the order in which they are done.
    writes: Vec<HandWrite>,
    /// Numbers of splits, merges and compactions after batches of events that have changed them.
    work: Vec<(u32, WorkCounts)>,
    /// Events up to which they are known.
    known: u32,
}

impl Default for Timeline {
    fn default() -> Self {
        Timeline { checkpoints: Vec::new(), next: SPACING, spacing: SPACING, writes: Vec::new(), work: Vec::new(), known: 0 }
    }
}

impl Timeline {
    /// Forgets all but the writes by hand: the same events make another table from now on.
    pub(crate) fn forget_tables(&mut self) {
        *self = Timeline { writes: std::mem::take(&mut self.writes), ..Timeline::default() };
    }

    /// Returns the same writes by hand, for a table that is built again.
    pub(crate) fn writes_again(&self) -> Timeline {
        Timeline { writes: self.writes.clone(), ..Timeline::default() }
    }

    /// Takes an event that was written: after maintenance notes what else the table has done and keeps a checkpoint when one is due,
    /// and does the writes of this moment.
    #[inline]
    pub(crate) fn after_event(&mut self, table: &mut EventTable) {
        if table.is_maintained() {
            self.pass(table);
        }
        if self.is_write_due(table) {
            self.write(table);
        }
    }

    fn pass(&mut self, table: &mut EventTable) {
        if table.built() > self.known {
            self.known = table.built();
            let done = table.work_done();
            if self.work.last().map_or([0; 3], |(_, before)| *before) != done {
                self.work.push((table.built(), done));
            }
        }
        if table.built() >= self.next {
            self.keep(table);
        }
    }

    /// Makes checkpoints more frequent before a table without any goes back.
    pub(crate) fn refine(&mut self) {
        if self.checkpoints.is_empty() {
            (self.spacing, self.next) = (SPACING_IN_USE, SPACING_IN_USE);
        }
    }

    /// Keeps a checkpoint, unless the table is being compacted: then the next batch tries again.
    #[inline(never)]
    fn keep(&mut self, table: &EventTable) {
        let Some(checkpoint) = table.fork() else { return };
        self.checkpoints.push(checkpoint);
        let bytes = self.checkpoints.iter().map(EventTable::bytes).sum::<u64>();
        if self.checkpoints.len() > CHECKPOINTS_MAX || bytes > BYTES_MAX {
            self.spacing = self.spacing.saturating_mul(2);
            let mut at = 0;
            self.checkpoints.retain(|_| {
                at += 1;
                at % 2 == 0
            });
        }
        self.next = (table.built() / self.spacing).saturating_add(1).saturating_mul(self.spacing);
    }

    /// Whether a write is to be done at the moment of the table.
    fn is_write_due(&self, table: &EventTable) -> bool {
        self.writes.get(table.edits() as usize).is_some_and(|write| write.at() <= table.built())
    }

    /// Does the writes that belong to the moment of the table.
    #[inline(never)]
    pub(crate) fn write(&self, table: &mut EventTable) {
        while self.is_write_due(table) {
            table.write_by_hand(self.writes[table.edits() as usize].request().clone());
        }
    }

    /// Adds a write that was just done. What is known of later moments is forgotten, except for later writes.
    #[inline(never)]
    pub(crate) fn add_write(&mut self, table: &EventTable, write: HandWrite) {
        let place = table.edits() as usize;
        self.writes.insert(place, write);
        self.forget_from(place, table.built());
    }

    /// Forgets what is known of a table that has more events than `at`, or more writes by hand than `place`.
    #[inline(never)]
    pub(crate) fn forget_from(&mut self, place: usize, at: u32) {
        self.checkpoints.retain(|checkpoint| checkpoint.built() <= at && checkpoint.edits() as usize <= place);
        self.work.retain(|(moment, _)| *moment <= at);
        self.known = self.known.min(at);
        let last = self.checkpoints.last().map_or(0, EventTable::built);
        self.next = (last / self.spacing).saturating_add(1).saturating_mul(self.spacing);
    }

    /// Returns whether a checkpoint is so far ahead of the table that it is faster than the events in between.
    pub(crate) fn has_shortcut(&self, built: u32, supply: Supply) -> bool {
        !self.checkpoints.is_empty()
            && supply.arrived - built >= WORTH_EVENTS
            && self.nearest(supply).is_some_and(|checkpoint| checkpoint.built() >= built + WORTH_EVENTS)
    }

    /// Returns the writes in the order in which they are done.
    pub(crate) fn writes(&self) -> &[HandWrite] {
        &self.writes
    }

    /// Takes the writes with these numbers back, and no others.
    pub(crate) fn take_back(&mut self, numbers: &[u32]) {
        self.writes.iter_mut().for_each(|write| write.take_back(numbers));
    }

    /// Takes all writes out.
    pub(crate) fn take_writes(&mut self) -> HandWrites {
        std::mem::take(&mut self.writes).into()
    }

    /// Puts each write where it belongs: to those that are done in the table, whose rows have this form, or aside. Returns the first
    /// place in the order of the former that has another write than before, with its moment.
    pub(crate) fn settle_writes(&mut self, aside: &mut HandWrites, form: Option<&Form>) -> Option<(usize, u32)> {
        let before: Vec<(u32, u32)> = self.writes.iter().map(HandWrite::place).collect();
        aside.append(self.take_writes());
        self.writes = aside.take_wanted(form);
        let after = self.writes.iter().map(HandWrite::place);
        let place = before.iter().copied().zip(after.clone()).take_while(|(before, after)| before == after).count();
        let at = before.get(place).into_iter().copied().chain(after.skip(place).take(1)).map(|(at, _)| at).min();
        at.map(|at| (place, at))
    }

    /// Returns the last checkpoint at which a table with this supply can begin to go to its moment.
    pub(crate) fn nearest(&self, supply: Supply) -> Option<&EventTable> {
        let reached = self.checkpoints.iter().rev().find(|checkpoint| checkpoint.built() <= supply.arrived);
        // A table that was begun when fewer events were known has other thresholds.
        reached.filter(|checkpoint| checkpoint.scaled_for() == supply.total)
    }

    pub(crate) fn view(&self, table: &EventTable, total: u32, writes_aside: u32) -> TimelineView {
        let befores = std::iter::once([0; 3]).chain(self.work.iter().map(|(_, counts)| *counts));
        let steps: Vec<_> = self.work.iter().zip(befores).collect();
        let [splits, merges, compactions] = [0, 1, 2].map(|kind| {
            let changes = steps.iter().filter(|((_, counts), before)| counts[kind] != before[kind]);
            thinned(changes.map(|((moment, _), _)| *moment), total)
        });
        TimelineView {
            splits,
            merges,
            compactions,
            writes: thinned(self.writes.iter().map(HandWrite::at), total),
            writes_later: (self.writes.len() as u32).saturating_sub(table.edits() as u32),
            writes_refused: table.edits_refused(),
            writes_aside,
            known: self.known,
            event_time: None,
            by_event_time: false,
        }
    }
}

/// Returns at most [`MOMENTS_MAX`] moments, the first of each part of the time.
fn thinned(moments: impl Iterator<Item = u32>, total: u32) -> Vec<u32> {
    let part = (total / MOMENTS_MAX).max(1);
    let mut all: Vec<u32> = moments.collect();
    all.dedup();
    if all.len() > MOMENTS_MAX as usize {
        all.dedup_by_key(|moment| *moment / part);
    }
    all
}
