//! The past and the known future of a design's table: checkpoints to go back to, the manual writes,
//! and the moments of its splits, merges and compactions.
//!
//! A moment is a number of events. To go to another moment, the table becomes a copy of the last
//! checkpoint before it, and the events in between are written again, slice by slice. Each slice
//! checks where to go, so the latest request wins.
//!
//! A manual write belongs to the moment at which the user made it. The table does not have it
//! before that moment, and the write is replayed when that moment is reached again. So no later
//! write is lost, however often the user goes back. A write in the past may change the outcome of
//! later writes, as it would have at the time; writes that are refused because of it are counted. A
//! write that the user undoes, or that does not fit the current form of rows, is set aside
//! (`hand_writes.rs`).
//!
//! At each moment the table has the same rows, whatever the path to it. It also has the same
//! tablets and SSTables as if its events and writes had been played straight to that moment, with
//! three exceptions: reads count as load when they are made, a manual write after the last event
//! interrupts the final compaction, and a flush or a compaction that the user requests is not
//! replayed.

use tabletop_protocol::TimelineView;

use crate::event_table::{EventTable, WorkCounts};
use crate::hand_writes::{Form, HandWrite, HandWrites};
use crate::supply::Supply;

/// Maximum number of checkpoints of a table. Above it, every second checkpoint is dropped.
const CHECKPOINTS_MAX: usize = 8;
/// Maximum number of bytes that were written to the tables of all checkpoints together. Above it,
/// every second checkpoint is dropped. They take less memory than this, because they share
/// SSTables.
const BYTES_MAX: u64 = 256 << 20;
/// Number of events between two checkpoints of a table that has never gone back. A native program
/// writes this many in half a second. The number doubles whenever checkpoints are dropped: so the
/// last of a million events are written again in half a second to two seconds, in slices, instead
/// of seven seconds.
const SPACING: u32 = 65_536;
/// Number of events between two checkpoints when a table without checkpoints first goes back.
const SPACING_IN_USE: u32 = 4_096;
/// Number of events from which it is faster to use a checkpoint ahead of the table than to write
/// the events in between.
const WORTH_EVENTS: u32 = 2_048;
/// Maximum number of moments of one kind in a view. A picture cannot show more of them separately.
const MOMENTS_MAX: u32 = 500;

/// The moments of one table, with its checkpoints and manual writes.
pub(crate) struct Timeline {
    /// The checkpoints, ordered by their number of events.
    checkpoints: Vec<EventTable>,
    /// The number of events after which the next checkpoint is kept.
    next: u32,
    spacing: u32,
    /// The manual writes, in the order in which they are applied.
    writes: Vec<HandWrite>,
    /// For each batch of events that has caused a split, merge or compaction: the number of events
    /// after it, and the counts so far.
    work: Vec<(u32, WorkCounts)>,
    /// The number of events up to which `work` is known.
    known: u32,
}

impl Default for Timeline {
    fn default() -> Self {
        Timeline {
            checkpoints: Vec::new(),
            next: SPACING,
            spacing: SPACING,
            writes: Vec::new(),
            work: Vec::new(),
            known: 0,
        }
    }
}

impl Timeline {
    /// Forgets everything except the manual writes, because the same events will make another table
    /// from now on.
    pub(crate) fn forget_tables(&mut self) {
        *self = Timeline { writes: std::mem::take(&mut self.writes), ..Timeline::default() };
    }

    /// Returns a timeline with the same manual writes, for a table that is rebuilt.
    pub(crate) fn writes_again(&self) -> Timeline {
        Timeline { writes: self.writes.clone(), ..Timeline::default() }
    }

    /// Notes that an event was written. After maintenance, notes what else the table has done and
    /// keeps a checkpoint if one is due. Then replays the manual writes of this moment.
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

    /// Makes checkpoints more frequent, before a table without checkpoints goes back.
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
        // Drop every second checkpoint, and keep new ones half as often. Example: of nine at 1 to 9
        // times the spacing, those at 2, 4, 6 and 8 stay.
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

    /// Returns whether a manual write is due at the current moment of the table.
    fn is_write_due(&self, table: &EventTable) -> bool {
        self.writes.get(table.edits() as usize).is_some_and(|write| write.at() <= table.built())
    }

    /// Replays the manual writes of the table's current moment.
    #[inline(never)]
    pub(crate) fn write(&self, table: &mut EventTable) {
        while self.is_write_due(table) {
            table.write_by_hand(self.writes[table.edits() as usize].request().clone());
        }
    }

    /// Adds a write that was just made. What is known of later moments is forgotten, except for
    /// later writes.
    #[inline(never)]
    pub(crate) fn add_write(&mut self, table: &EventTable, write: HandWrite) {
        let place = table.edits() as usize;
        self.writes.insert(place, write);
        self.forget_from(place, table.built());
    }

    /// Forgets what is known of tables with more than `at` events, or with more than `place` manual
    /// writes.
    #[inline(never)]
    pub(crate) fn forget_from(&mut self, place: usize, at: u32) {
        self.checkpoints
            .retain(|checkpoint| checkpoint.built() <= at && checkpoint.edits() as usize <= place);
        self.work.retain(|(moment, _)| *moment <= at);
        self.known = self.known.min(at);
        let last = self.checkpoints.last().map_or(0, EventTable::built);
        self.next = (last / self.spacing).saturating_add(1).saturating_mul(self.spacing);
    }

    /// Returns whether a checkpoint is far enough ahead of the table that it is faster than to
    /// write the events in between.
    pub(crate) fn has_shortcut(&self, built: u32, supply: Supply) -> bool {
        !self.checkpoints.is_empty()
            && supply.arrived - built >= WORTH_EVENTS
            && self.nearest(supply).is_some_and(|checkpoint| checkpoint.built() >= built + WORTH_EVENTS)
    }

    /// Returns the writes in the order in which they are applied.
    pub(crate) fn writes(&self) -> &[HandWrite] {
        &self.writes
    }

    /// Marks exactly the writes with these numbers as undone.
    pub(crate) fn take_back(&mut self, numbers: &[u32]) {
        self.writes.iter_mut().for_each(|write| write.take_back(numbers));
    }

    /// Removes and returns all writes.
    pub(crate) fn take_writes(&mut self) -> HandWrites {
        std::mem::take(&mut self.writes).into()
    }

    /// Sorts the writes into those that are applied in the table, whose rows have this form, and
    /// those that are set aside. Returns the first index in the order of the former at which the
    /// write has changed, with the moment of the change.
    pub(crate) fn settle_writes(
        &mut self,
        aside: &mut HandWrites,
        form: Option<&Form>,
    ) -> Option<(usize, u32)> {
        let before: Vec<(u32, u32)> = self.writes.iter().map(HandWrite::place).collect();
        aside.append(self.take_writes());
        self.writes = aside.take_wanted(form);
        let after = self.writes.iter().map(HandWrite::place);
        // Example: the writes were [10, 20], as numbers of events, and the one at 10 is undone.
        // They differ from index 0 on, and the table must be replayed from moment 10, the smaller
        // of 10 and 20.
        let place =
            before.iter().copied().zip(after.clone()).take_while(|(before, after)| before == after).count();
        let at =
            before.get(place).into_iter().copied().chain(after.skip(place).take(1)).map(|(at, _)| at).min();
        at.map(|at| (place, at))
    }

    /// Returns the last checkpoint from which a table with this supply can reach its moment.
    pub(crate) fn nearest(&self, supply: Supply) -> Option<&EventTable> {
        let reached = self.checkpoints.iter().rev().find(|checkpoint| checkpoint.built() <= supply.arrived);
        // A checkpoint that was made when fewer events were known has other split thresholds.
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

/// Returns at most [`MOMENTS_MAX`] moments: the first in each interval of the time.
fn thinned(moments: impl Iterator<Item = u32>, total: u32) -> Vec<u32> {
    let part = (total / MOMENTS_MAX).max(1);
    let mut all: Vec<u32> = moments.collect();
    all.dedup();
    if all.len() > MOMENTS_MAX as usize {
        all.dedup_by_key(|moment| *moment / part);
    }
    all
}
