//! Compaction in three steps: choose decides and changes nothing, run creates a file and writes its blocks within a budget,
//! install writes the rest of it in one step (dictionary, index and Bloom filter, some bytes per row), and makes it visible.
//!
//! A minor compaction writes a memtable as SSTables, one for each locality group. A merging compaction makes one SSTable from
//! the newest ones of a tablet's group. A major one takes all of them, and removes what deletes hide and what GC rules collect.
//! So does a collection, which takes all runs that overlap. Deletes are removed as soon as no older run can have their row.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::{Error, Result, TabletId, Timestamp};

use crate::cache::Blocks;
use crate::cell_key::CellKey;
use crate::columns::FamilyId;
use crate::families::{Families, FamilyKind};
use crate::filter::Needed;
use crate::gc::Collector;
use crate::key_range::KeyRange;
use crate::merge::{Batch, BatchSize, Merge};
use crate::sstable::Writer;
use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::due::Work;
use crate::table::flush::may_hold;
use crate::table::garbage::Overlapping;
use crate::table::overlap::{Span, count_to_merge, depth};
use crate::table::run::{Collected, Run};
use crate::table::tablet::Tablet;

/// The amount of work that a call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Approximate bytes of compaction. A step may end within a row, and exceeds them by some cells, or by the end of a file.
    pub bytes: u64,
}

/// What to merge in a tablet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Choice {
    /// How many runs of the group overlap.
    depth: usize,
    group: u8,
    inputs: Inputs,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Inputs {
    /// Runs with garbage, and all that overlap them: their numbers among those of the group.
    Overlapping(Vec<usize>),
    /// So many of the newest are looked at.
    Newest(usize),
}

/// A merging or major compaction that was chosen.
#[derive(Debug)]
struct Plan {
    tablet: TabletId,
    /// The first key of the tablet.
    start: Vec<u8>,
    /// The locality group whose runs it merges.
    group: u8,
    /// Newest first. Runs of the group that are between them overlap none of them.
    inputs: Vec<Run>,
    /// The number of runs of the group that are older than all of them and may overlap them. A compaction with none is a major
    /// one.
    older: usize,
    /// When it was chosen; `None` for one that a write does.
    at: Option<Timestamp>,
    /// The GC rules at the moment at which it was chosen; for a major compaction only.
    collector: Option<Collector>,
    /// It was chosen after the last call of [`Table::compact`].
    is_asked_for: bool,
}

/// A merging or major compaction that is under way.
#[derive(Debug)]
pub(crate) struct Compaction {
    plan: Plan,
    writer: Writer,
    /// Where the last step ended.
    done: Option<Done>,
    batch: Batch,
}

/// The end of a step of a compaction.
#[derive(Debug)]
struct Done {
    /// The last row that was merged, or begun.
    key: Vec<u8>,
    /// The last of its cells that was merged, if there are more.
    cell: Option<(FamilyId, Vec<u8>, Timestamp)>,
}

/// A tablet has at most this many times `sstables_max` runs, also of those that do not overlap: each takes memory and a file.
const APART: usize = 16;
/// Cells that are merged and written together.
const BATCH: BatchSize = BatchSize { cells: 1_024, bytes: 32 << 10 };
/// Blocks that are written wait in memory, because storage cannot be read and written at once. After as many bytes they are
/// appended to the file.
const WAITING_BYTES_MAX: u64 = 4 << 20;

impl Table {
    /// Does splits, merges and compactions that are due, up to about `budget`. Returns `true` if more work is due.
    ///
    /// # Errors
    /// `DataLoss` and `Unavailable` from storage, the first of several: work that fails keeps no other work from being done. What
    /// was not installed is discarded, and chosen again by a later call.
    pub fn advance(&mut self, storage: &mut dyn Storage, now: Timestamp, budget: Budget) -> Result<bool> {
        if self.is_read_only() {
            return Ok(false);
        }
        self.refresh_due();
        self.retry_deferred();
        let mut left = budget.bytes;
        let mut done: Result<()> = self.merge_idle(storage, now).map_err(Error::from);
        done = done.and(self.remove_unused(storage, Vec::new()).map_err(Error::from));
        // From the last tablet, so that a split moves none that follows.
        let checks: Vec<Work> = core::mem::take(&mut self.due.checks).iter().rev().cloned().collect();
        for work in checks {
            let index = self.tablet_of(&work.start);
            if self.tablets[index].range.start == work.start {
                done = done.and(self.check(storage, now, index, &mut left).map_err(Error::from));
            }
        }
        done = done.and(self.look_for_garbage(storage, now, &mut left).map_err(Error::from));
        done = done.and(self.compact_some(storage, Some(now), &mut left));
        self.publish();
        if done.is_err() || !self.has_deferred() {
            self.work_error = done.as_ref().err().cloned();
        }
        done?;
        Ok(self.compaction.is_some() || self.next_compaction().is_some() || self.next_look() <= now)
    }

    /// Writes the memtable of a tablet and splits it, if that is due; otherwise notes that it is to be done later.
    fn check(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        index: usize,
        left: &mut u64,
    ) -> core::result::Result<(), StorageError> {
        let tablet = &self.tablets[index];
        let bytes = tablet.memtable.read().bytes();
        let is_asked_for = bytes > 0 && tablet.wanted.as_ref().is_some_and(|wanted| wanted.has_rows);
        let mut done = Ok(());
        if bytes > self.settings.memtable_bytes_max || is_asked_for && *left > 0 {
            *left = left.saturating_sub(bytes);
            done = self.minor_compaction(storage, index);
        } else if is_asked_for {
            self.note_check(index);
        }
        let done = done.and_then(|()| self.split_if_due(storage, now, index));
        if done.is_err() {
            self.note_check(index);
        }
        done
    }

    /// Back-pressure: a write to a tablet in which far too many SSTables overlap does compaction in proportion to its bytes, and
    /// to the number of extra SSTables. It does a memtable's worth at a time, because small steps would read more than they write.
    pub(crate) fn catch_up(&mut self, storage: &mut dyn Storage, depth: usize, user_bytes: u64) {
        let allowed = (self.settings.sstables_max as usize).saturating_mul(2);
        if depth <= allowed {
            return;
        }
        self.debt += user_bytes * 4 * (depth - allowed) as u64;
        if self.debt < self.settings.memtable_bytes_max {
            return;
        }
        let mut left = self.debt;
        // Work that storage refuses is tried again by a later call: the write itself is done.
        let _ = self.compact_some(storage, None, &mut left);
        self.counts.work.writes_slowed += 1;
        self.counts.work.slowed_bytes += core::mem::take(&mut self.debt) - left;
    }

    /// Does merging and major compactions that are due, up to a budget. With `now` they collect what GC rules allow at that
    /// time; a write, which passes none, collects nothing.
    fn compact_some(&mut self, storage: &mut dyn Storage, now: Option<Timestamp>, left: &mut u64) -> Result<()> {
        while *left > 0 && !self.is_read_only() {
            let compaction = match self.compaction.take() {
                Some(compaction) => compaction,
                None => {
                    let Some((index, plan)) = self.choose(now) else { return Ok(()) };
                    let number = self.new_sequence() << 8;
                    let writer = Writer::new(storage, self.settings.block_bytes, self.uid(), number);
                    let writer = writer.inspect_err(|_| self.defer_compaction(index))?;
                    Compaction { plan, writer, done: None, batch: Batch::default() }
                }
            };
            let index = self.tablet_of(&compaction.plan.start);
            if self.tablets[index].id != compaction.plan.tablet {
                // The tablet was split or merged meanwhile.
                self.abandon(storage, compaction)?;
                continue;
            }
            if let Err(error) = self.go_on(storage, index, compaction, left) {
                self.defer_compaction(index);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Does a part of a compaction.
    fn go_on(&mut self, storage: &mut dyn Storage, index: usize, mut compaction: Compaction, left: &mut u64) -> Result<()> {
        match compaction.run(storage, &self.tablets[index], &self.families, left) {
            Ok(true) => self.install(storage, index, compaction),
            Ok(false) => {
                self.compaction = Some(compaction);
                Ok(())
            }
            Err(error) => {
                // Its file is of no use; an error when it is removed adds nothing.
                let _ = self.abandon(storage, compaction);
                if !matches!(error, StorageError::Corrupt { .. }) {
                    return Err(error.into());
                }
                // The other tablets are compacted.
                self.tablets[index].has_damaged_run = true;
                (self.compaction_damage, self.has_new_damage) = (Some(error.into()), true);
                Ok(())
            }
        }
    }

    /// Returns the next merging or major compaction that is due, and the index of its tablet.
    fn choose(&mut self, now: Option<Timestamp>) -> Option<(usize, Plan)> {
        let (index, Choice { depth, group, inputs }) = self.next_compaction()?;
        let tablet = &self.tablets[index];
        let all: Vec<&Run> = tablet.runs_of(group).collect();
        let (newest, older) = match &inputs {
            Inputs::Newest(count) => (all[..*count].to_vec(), all.len() - count),
            Inputs::Overlapping(runs) => (runs.iter().map(|at| all[*at]).collect(), 0),
        };
        let is_asked_for = self.is_wanted(tablet, group);
        // A delete in the memtable may have uncovered versions that the rules keep now.
        let is_uncovered = tablet.memtable.read().uncovers && !is_asked_for && self.families.count_versions();
        // A large run that overlaps no other one is not written again, unless all are: there are too many runs, or some are collected.
        let overlaps = |run: &Run| newest.iter().any(|other| !other.is(run) && Span::of(other).overlaps(&Span::of(run)));
        let takes_all = older == 0 || depth <= self.settings.sstables_max as usize;
        let plan = Plan {
            tablet: tablet.id,
            start: tablet.range.start.clone(),
            group,
            inputs: newest.iter().filter(|run| takes_all || !run.is_large() || overlaps(run)).map(|run| (*run).clone()).collect(),
            older,
            at: now.filter(|_| older == 0 && !is_uncovered),
            collector: now.filter(|_| older == 0 && !is_uncovered).and_then(|now| Collector::new(&self.families, now)),
            is_asked_for,
        };
        Some((index, plan))
    }

    /// Returns what to merge in a tablet: of several locality groups, the one in which most runs overlap, where reads are most
    /// expensive. Nothing is merged in a tablet that has a damaged run.
    pub(crate) fn compaction_of(&self, index: usize) -> Option<Choice> {
        let tablet = Some(&self.tablets[index]).filter(|tablet| !tablet.has_damaged_run)?;
        let merges = tablet.groups().into_iter().filter_map(|group| self.choose_runs(tablet, group)).max();
        merges.or_else(|| {
            let Overlapping { group, runs } = tablet.collects.clone()?;
            Some(Choice { depth: 0, group, inputs: Inputs::Overlapping(runs) })
        })
    }

    /// Returns whether a requested compaction of a tablet's group is still to be done.
    pub(crate) fn is_wanted(&self, tablet: &Tablet, group: u8) -> bool {
        let is_open = tablet.wanted.as_ref().is_some_and(|wanted| !wanted.has_rows && !wanted.done.contains(&group));
        let is_dropped = |family: &FamilyId| FamilyKind::of(self.families.kinds(), *family) == FamilyKind::Dropped;
        let may_have_dropped = |run: &Run| {
            let contents = run.table.contents.as_ref();
            contents.is_none_or(|contents| contents.families.keys().any(is_dropped)) && self.families.are_collected()
        };
        is_open && (self.families.have_rules() || !tablet.are_runs_tidy(group) || tablet.runs_of(group).any(may_have_dropped))
    }

    /// Chooses the newest runs: as many as needed, and further as long as the next one is no larger than those before it
    /// together. Large runs are rarely rewritten; small ones often are, because few may overlap.
    fn choose_runs(&self, tablet: &Tablet, group: u8) -> Option<Choice> {
        let runs: Vec<&Run> = tablet.runs_of(group).collect();
        let spans: Vec<Span<'_>> = runs.iter().map(|run| Span::counted(run)).collect();
        let (depth, allowed) = (depth(&spans), self.settings.sstables_max as usize);
        let are_too_many = runs.len() > allowed.saturating_mul(APART);
        if depth <= allowed && !are_too_many {
            return self.is_wanted(tablet, group).then_some(Choice { depth, group, inputs: Inputs::Newest(runs.len()) });
        }
        let mut count = count_to_merge(&spans, allowed, allowed.saturating_mul(APART));
        let mut sum: u64 = runs[..count].iter().map(|run| run.size.bytes).sum();
        let mut span = runs[..count].iter().map(|run| Span::of(run)).reduce(Span::join)?;
        while count < runs.len() && runs[count].size.bytes <= sum {
            let next = Span::of(runs[count]);
            if runs[count].is_large() && !are_too_many && !next.overlaps(&span) {
                break;
            }
            span = span.join(next);
            sum += runs[count].size.bytes;
            count += 1;
        }
        Some(Choice { depth, group, inputs: Inputs::Newest(count) })
    }

    /// Discards a collection of a tablet if a delete has just uncovered versions there: the rules may keep them now, and readers
    /// see them. Its garbage is looked for again like new garbage, so that many such deletes begin few collections.
    pub(crate) fn keep_uncovered(&mut self, storage: &mut dyn Storage, now: Timestamp, index: usize) {
        let tablet = &mut self.tablets[index];
        if tablet.memtable.read().uncovers && self.families.count_versions() {
            if tablet.collects.take().is_some() {
                tablet.garbage_since = Some(now);
            }
            let collects = |compaction: &mut Compaction| {
                compaction.is_of(tablet.id) && compaction.plan.collector.is_some() && !compaction.plan.is_asked_for
            };
            if let Some(compaction) = self.compaction.take_if(collects) {
                // Its file is of no use; an error when it is removed adds nothing.
                let _ = self.abandon(storage, compaction);
            }
        }
    }

    /// Notes that files of runs that are gone may have parts that no run names: other tablets that need the files are looked at.
    pub(crate) fn note_cut(&mut self, gone: &[Run]) {
        for run in gone.iter().filter(|run| Arc::strong_count(&run.table) > 1) {
            self.tablets_with(&run.table).for_each(|index| self.note_look(index, Timestamp::MIN));
        }
    }

    /// Discards a compaction and its file.
    pub(crate) fn abandon(
        &mut self,
        storage: &mut dyn Storage,
        compaction: Compaction,
    ) -> core::result::Result<(), StorageError> {
        let Compaction { writer, plan, .. } = compaction;
        let removed = storage.remove(writer.file());
        // Inputs that only the compaction still holds are removed all the same.
        removed.and(self.remove_unused(storage, plan.inputs))
    }

    fn install(&mut self, storage: &mut dyn Storage, index: usize, compaction: Compaction) -> Result<()> {
        let Compaction { plan: Plan { group, inputs, older, at, collector, is_asked_for, .. }, writer, .. } = compaction;
        let file = writer.file();
        let merged = match writer.finish(storage) {
            Ok(merged) => merged,
            Err(error) => {
                let _ = storage.remove(file);
                return Err(error.into());
            }
        };
        let read: u64 = inputs.iter().map(|run| run.size.bytes).sum();
        let written = merged.as_ref().map_or(0, |table| storage.size(table.file).unwrap_or(0));
        let tablet = &self.tablets[index];
        let sequence = inputs[0].sequence;
        // Minor compactions may have added newer runs before them.
        let is_other = |run: &&Run| run.group != group || run.sequence > sequence;
        let first = tablet.runs.iter().take_while(is_other).count();
        let mut runs = tablet.runs[..first].to_vec();
        let next = collector.as_ref().map_or(Timestamp::MAX, Collector::next);
        let collected = at.map(|at| Collected { at, next });
        runs.extend(merged.map(|table| Run { collected, ..Run::whole(table, tablet.range.clone(), sequence, group) }));
        let is_input = |run: &&Run| inputs.iter().any(|input| input.is(run));
        let replaced: Vec<Run> = tablet.runs[first..].iter().filter(is_input).cloned().collect();
        runs.extend(tablet.runs[first..].iter().filter(|run| !is_input(run)).cloned());
        if let Err(error) = self.record(storage, alloc::vec![tablet.fact_with(&runs, tablet.log_mark)], &[]) {
            self.forget_file(storage, file, &error);
            return Err(error.into());
        }
        let tablet = &mut self.tablets[index];
        tablet.runs = runs;
        drop(inputs);
        if let Some(wanted) = tablet.wanted.as_mut().filter(|_| older == 0 && is_asked_for) {
            wanted.done.push(group);
        }
        tablet.garbage_since = at.or(tablet.garbage_since);
        self.note_change(index);
        self.note_cut(&replaced);
        self.counts.major_compactions += 1;
        self.counts.work.compaction_bytes_read += read;
        self.counts.work.compaction_bytes_written += written;
        self.publish();
        Ok(self.remove_unused(storage, replaced)?)
    }
}

impl Compaction {
    pub fn is_of(&self, tablet: TabletId) -> bool {
        self.plan.tablet == tablet
    }

    /// Returns the runs that it merges.
    pub fn inputs(&self) -> impl Iterator<Item = &Run> {
        self.plan.inputs.iter()
    }

    /// Marks that it was chosen before the last call of [`Table::compact`], and so does not fulfil that request.
    pub fn supersede(&mut self) {
        self.plan.is_asked_for = false;
    }

    /// Merges rows until they are done or the budget is used up. Returns `true` when they are done.
    fn run(
        &mut self,
        storage: &mut dyn Storage,
        tablet: &Tablet,
        families: &Families,
        budget: &mut u64,
    ) -> core::result::Result<bool, StorageError> {
        while *budget > 0 {
            let mut part = WAITING_BYTES_MAX.min(*budget);
            *budget -= part;
            let is_finished = self.merge(storage, tablet, families, &mut part)?;
            *budget += part;
            self.writer.flush(storage)?;
            if is_finished {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Merges rows into the writer until they are done or the budget is used up; it can stop within a row. Returns `true` when
    /// they are done.
    fn merge(
        &mut self,
        storage: &dyn Storage,
        tablet: &Tablet,
        families: &Families,
        budget: &mut u64,
    ) -> core::result::Result<bool, StorageError> {
        let Compaction { plan: Plan { group, inputs, older, collector, .. }, writer, done, batch } = self;
        let older: Vec<&Run> = tablet.runs_of(*group).rev().take(*older).collect();
        let mut within = None;
        let range = match done.take() {
            Some(Done { key, cell: Some(cell) }) => {
                within = Some(cell);
                KeyRange { start: key, end: tablet.range.end.clone() }
            }
            Some(Done { key, cell: None }) => tablet.range.beyond(&key, false),
            None => tablet.range.clone(),
        };
        let blocks = Blocks::uncached(storage);
        let mut merge = Merge::new(inputs.len(), false, families.kinds());
        for run in inputs.iter() {
            merge.add_sstable(&blocks, &run.table, range.bounds().meet(run.range.bounds()));
        }
        while merge.next_row()? {
            let before = writer.bytes();
            let mut more = true;
            if let Some((family, qualifier, timestamp)) = within.take() {
                merge.skip_past(&CellKey { family, qualifier: &qualifier, timestamp }, Needed::All)?;
            } else {
                merge.check_row(writer.last_key())?;
                let tombstones = merge.tombstones().filter(|_| may_hold(&older, merge.key()));
                let tombstones = tombstones.as_ref().map(|tombstones| families.groups().part(*group, tombstones));
                writer.begin_row(merge.key(), tombstones.as_deref());
                more = !merge.copy(writer, collector.as_mut())?;
                collector.iter_mut().for_each(Collector::begin_row);
            }
            let mut work = 1;
            while more {
                more = merge.fill(batch, None, false, BATCH)?;
                work += batch.looked_at * 8;
                for cell in &batch.cells {
                    let (family, qualifier, value) = merge.content(cell);
                    let time = cell.place.timestamp;
                    if collector.as_mut().is_some_and(|collector| collector.collects(family, cell.ordinal, time)) {
                        continue;
                    }
                    writer.cell(family, qualifier, time, value);
                }
                if more && work + writer.bytes() - before >= *budget && merge.can_skip() {
                    let last = merge.last_cell().map(|cell| (cell.family, cell.qualifier.to_vec(), cell.timestamp));
                    if last.is_some() {
                        merge.note_last(batch);
                        *done = Some(Done { key: merge.key().to_vec(), cell: last });
                        *budget = 0;
                        return Ok(false);
                    }
                }
            }
            writer.end_row();
            *budget = budget.saturating_sub(work + writer.bytes() - before);
            if *budget == 0 {
                *done = Some(Done { key: merge.key().to_vec(), cell: None });
                return Ok(false);
            }
        }
        Ok(true)
    }
}
