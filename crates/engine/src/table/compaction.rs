//! Compaction in three steps: *choose* decides and changes nothing, *run* writes a file within a
//! budget ([`Merging`]), and *install* makes the result visible.
//!
//! A minor compaction writes a memtable as SSTables, one for each locality group. A merging
//! compaction makes one SSTable from the newest ones of a tablet's group. A major compaction takes
//! all of them, and removes what deletes hide and what GC rules collect. So does a collection,
//! which takes all runs that overlap. Deletes themselves are removed as soon as no older run can
//! have their row.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::{Error, Result, Timestamp};

use crate::columns::FamilyId;
use crate::families::FamilyKind;
use crate::gc::Collector;
use crate::sstable::{SsTable, Writer};
use crate::storage::{FileId, Storage, StorageError};
use crate::table::Table;
use crate::table::merging::{Merging, Progress, Sources};
use crate::table::overlap::{Overlapping, Span, count_to_merge, depth};
use crate::table::plan::{Choice, Compaction, Compactions, Inputs, Plan};
use crate::table::run::{Collected, Run};
use crate::table::tablet::{Tablet, Wanted};

/// The amount of work that a call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Approximate bytes of compaction. A step may end within a row. It may exceed this by some
    /// cells, or by the end of a file.
    pub bytes: u64,
}

/// A tablet has at most this many times `sstables_max` runs, even if they do not overlap: each run
/// takes memory and a file.
const APART: usize = 16;

impl Table {
    /// Runs splits, merges and compactions that are due, up to about `budget`; compactions only if
    /// they are to run here and not in the host. Returns `true` if more work is due.
    ///
    /// # Errors
    /// `DataLoss` and `Unavailable` from storage, the first of several: work that fails does not
    /// block other work. Work that was not installed is discarded, and chosen again by a later
    /// call.
    pub(crate) fn advance(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        budget: Budget,
        compactions: Compactions,
    ) -> Result<bool> {
        if self.is_read_only() {
            return Ok(false);
        }
        self.background.compactions = compactions;
        self.refresh_due();
        self.retry_deferred();
        let mut left = budget.bytes;
        let mut done: Result<()> = self.merge_idle(storage, now).map_err(Error::from);
        done = done.and(self.remove_unused(storage, Vec::new()).map_err(Error::from));
        // From the last tablet to the first, so that a split does not shift the indices still to
        // come.
        for work in self.background.due.take_checks() {
            let index = self.tablet_of(&work.start);
            if self.tablets[index].range.start == work.start {
                done = done.and(self.check(storage, now, index, &mut left).map_err(Error::from));
            }
        }
        if compactions == Compactions::Here {
            done = done.and(self.write_all_frozen(storage).map_err(Error::from));
        }
        done = done.and(self.look_for_garbage(storage, now, &mut left).map_err(Error::from));
        if compactions == Compactions::Here {
            done = done.and(self.compact_some(storage, Some(now), &mut left));
        }
        self.publish();
        if done.is_err() || compactions == Compactions::Here && !self.background.due.has_deferred() {
            self.background.error = done.as_ref().err().cloned();
        }
        done?;
        let is_here = compactions == Compactions::Here && !self.background.is_apart();
        let has_compaction =
            is_here && (self.background.compaction.is_some() || self.next_compaction().is_some());
        Ok(has_compaction || self.next_look() <= now)
    }

    /// Writes the memtable of a tablet and splits the tablet, if these are due; otherwise records
    /// that they must be done later.
    fn check(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        index: usize,
        left: &mut u64,
    ) -> core::result::Result<(), StorageError> {
        let tablet = &self.tablets[index];
        let bytes = tablet.memtable_bytes();
        let is_asked_for = bytes > 0 && tablet.wanted.as_ref().is_some_and(Wanted::has_rows);
        let mut done = Ok(());
        // A full memtable is written even when the budget is used up, because writes wait for it. A
        // memtable that only a requested compaction needs can wait for the next call.
        if self.is_full(index) || is_asked_for && *left > 0 {
            *left = left.saturating_sub(bytes);
            done = self.flush_full(storage, index);
        } else if is_asked_for {
            self.note_check(index);
        }
        // After storage has refused the memtable, it would refuse the split too: both wait for the
        // next call.
        let done = done.and_then(|()| self.split_if_due(storage, now, index));
        if done.is_err() {
            self.note_check(index);
        }
        done
    }

    /// Returns how many bytes of compaction a write to a tablet owes per byte of its own: some for
    /// each SSTable if far too many overlap, and some for a memtable that fills up before the host
    /// has written the frozen one.
    pub(crate) fn owed(&self, index: usize) -> u64 {
        let tablet = &self.tablets[index];
        let many = u64::from(tablet.depth).saturating_sub(u64::from(self.settings.sstables_max) * 2);
        let is_full = self.background.compactions == Compactions::Apart
            && tablet.frozen.is_some()
            && tablet.memtable.read().bytes() > self.settings.memtable_bytes_max;
        4 * (many + u64::from(is_full))
    }

    /// Back-pressure: a write runs the compaction that it owes. It runs a memtable's worth at a
    /// time, because small steps would read more than they write. If the host runs compactions, it
    /// delays the write by that amount instead.
    pub(crate) fn catch_up(&mut self, storage: &mut dyn Storage, owed: u64, user_bytes: u64) {
        if self.background.compactions == Compactions::Apart {
            *self.reading.owed.lock() = owed;
            self.counts.work.writes_slowed += u64::from(owed > 0);
            self.counts.work.slowed_bytes += user_bytes * owed;
            return;
        }
        self.background.debt += user_bytes * owed;
        if owed == 0 || self.background.debt < self.settings.memtable_bytes_max {
            return;
        }
        let mut left = self.background.debt;
        // Work that storage refuses is retried by a later call: the write itself has succeeded.
        let _ = self.compact_some(storage, None, &mut left);
        self.counts.work.writes_slowed += 1;
        self.counts.work.slowed_bytes += core::mem::take(&mut self.background.debt) - left;
    }

    /// Runs merging and major compactions that are due, up to a budget. With `now`, they collect
    /// what GC rules allow at that time. A write passes no time and collects nothing.
    fn compact_some(
        &mut self,
        storage: &mut dyn Storage,
        now: Option<Timestamp>,
        left: &mut u64,
    ) -> Result<()> {
        while *left > 0
            && !self.is_read_only()
            && let Some((file, merging)) = self.next_merging(storage, now)?
        {
            let progress = merging.run(storage, left);
            self.go_on(storage, file, progress)?;
        }
        Ok(())
    }

    /// Takes the compaction that is in progress, or the next one, out of the table: the host runs a
    /// step of it and passes the result to [`Table::go_on`]. Returns `None` if no compaction is
    /// due.
    pub(crate) fn take_step(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
    ) -> Option<(FileId, Box<Merging>)> {
        if self.is_read_only() {
            return None;
        }
        let next = self.next_merging(storage, Some(now));
        self.background.error = next.as_ref().err().cloned().or(self.background.error.take());
        next.ok().flatten()
    }

    /// Takes back a step that the host has run.
    pub(crate) fn put_back(
        &mut self,
        storage: &mut dyn Storage,
        file: FileId,
        progress: core::result::Result<Progress, StorageError>,
    ) -> Result<()> {
        let done = self.go_on(storage, file, progress);
        if done.is_err() || !self.background.due.has_deferred() {
            self.background.error = done.as_ref().err().cloned();
        }
        self.publish();
        done
    }

    /// Returns the compaction that is in progress, or begins the next one.
    fn next_merging(
        &mut self,
        storage: &mut dyn Storage,
        now: Option<Timestamp>,
    ) -> Result<Option<(FileId, Box<Merging>)>> {
        if self.background.is_apart() {
            return Ok(None);
        }
        let is_moved = |compaction: &Compaction| {
            // The tablet was split or merged since the compaction was chosen.
            self.tablets[self.tablet_of(&compaction.plan.start)].id != compaction.plan.tablet
        };
        if self.background.compaction.as_ref().is_some_and(is_moved)
            && let Some(compaction) = self.background.compaction.take()
        {
            self.abandon(storage, compaction)?;
        }
        if self.background.compaction.is_none() {
            let Some((index, plan)) = self.choose(now) else { return Ok(None) };
            let number = self.new_sequence() << 8;
            let writer = Writer::new(storage, self.settings.block_bytes, self.uid(), number);
            let writer = writer.inspect_err(|_| self.defer_compaction(index))?;
            let collector =
                plan.at.filter(|_| plan.collects).and_then(|now| Collector::new(&self.families, now));
            let file = writer.file();
            let merging = Merging::new(
                Sources {
                    range: self.tablets[index].range.clone(),
                    group: plan.group,
                    inputs: plan.inputs.clone(),
                    older: plan.older.clone(),
                    families: self.families.clone(),
                    collector,
                },
                writer,
            );
            self.background.compaction = Some(Compaction { plan, file, merging: Some(Box::new(merging)) });
        }
        Ok(self
            .background
            .compaction
            .as_mut()
            .and_then(|compaction| Some((compaction.file, compaction.merging.take()?))))
    }

    /// Takes the result of a step of the compaction that writes `file`.
    pub(crate) fn go_on(
        &mut self,
        storage: &mut dyn Storage,
        file: FileId,
        progress: core::result::Result<Progress, StorageError>,
    ) -> Result<()> {
        let Some(mut compaction) = self.background.compaction.take_if(|compaction| compaction.file == file)
        else {
            // The compaction was abandoned during the step. The caller removes the files that only
            // the step had open.
            return Ok(storage.remove(file)?);
        };
        let index = self.tablet_of(&compaction.plan.start);
        if self.tablets[index].id != compaction.plan.tablet {
            drop(progress);
            return Ok(self.abandon(storage, compaction)?);
        }
        let done = match progress {
            Ok(Progress::More(merging)) => {
                compaction.merging = Some(merging);
                self.background.compaction = Some(compaction);
                Ok(())
            }
            Ok(Progress::Done { merged, next, sources }) => {
                // The files of runs can be removed only when nothing holds the runs.
                drop(sources);
                self.install(storage, index, compaction, merged, next)
            }
            Err(error) => {
                // Its file is of no use. An error while removing it does not matter.
                let _ = self.abandon(storage, compaction);
                if matches!(error, StorageError::Corrupt { .. }) {
                    // The other tablets are still compacted.
                    self.tablets[index].has_damaged_run = true;
                    self.background.note_damage(error.into());
                    return Ok(());
                }
                Err(error.into())
            }
        };
        done.inspect_err(|_| self.defer_compaction(index))
    }

    /// Returns the next merging or major compaction that is due, and the index of its tablet.
    fn choose(&mut self, now: Option<Timestamp>) -> Option<(usize, Plan)> {
        let (index, Choice { depth, group, inputs }) = self.next_compaction()?;
        let tablet = &self.tablets[index];
        let all: Vec<&Run> = tablet.runs_of(group).collect();
        let (newest, older) = match &inputs {
            Inputs::Newest(count) => (all[..*count].to_vec(), &all[*count..]),
            Inputs::Overlapping(runs) => (runs.iter().map(|at| all[*at]).collect(), &all[..0]),
        };
        let is_major = older.is_empty();
        let is_asked_for = self.is_wanted(tablet, group);
        // A delete in the memtable may have uncovered versions that the rules now keep.
        let is_uncovered = tablet.uncovers() && !is_asked_for && self.families.count_versions();
        // A large run that overlaps no other run is not rewritten unless all runs are: if there are
        // too many, or if some are collected.
        let overlaps =
            |run: &Run| newest.iter().any(|other| !other.is(run) && Span::of(other).overlaps(&Span::of(run)));
        let takes_all = is_major || depth <= self.settings.sstables_max as usize;
        let plan = Plan {
            tablet: tablet.id,
            start: tablet.range.start.clone(),
            group,
            inputs: newest
                .iter()
                .filter(|run| takes_all || !run.is_large() || overlaps(run))
                .map(|run| (*run).clone())
                .collect(),
            older: older.iter().map(|run| (*run).clone()).collect(),
            at: now.filter(|_| is_major && !is_uncovered).map(|now| self.background.gc_time.unwrap_or(now)),
            collects: self.families.have_rules() && is_major && now.is_some() && !is_uncovered,
            is_asked_for,
        };
        Some((index, plan))
    }

    /// Returns what to merge in a tablet. Of several locality groups it takes the one in which the
    /// most runs overlap, because reads are most expensive there. Nothing is merged in a tablet
    /// that has a damaged run.
    pub(crate) fn compaction_of(&self, index: usize) -> Option<Choice> {
        let tablet = Some(&self.tablets[index]).filter(|tablet| !tablet.has_damaged_run)?;
        let merges = tablet.groups().into_iter().filter_map(|group| self.choose_runs(tablet, group)).max();
        merges.or_else(|| {
            let Overlapping { group, runs } = tablet.collects.clone()?;
            Some(Choice { depth: 0, group, inputs: Inputs::Overlapping(runs) })
        })
    }

    /// Returns whether a requested compaction of a tablet's group still has to run.
    pub(crate) fn is_wanted(&self, tablet: &Tablet, group: u8) -> bool {
        let is_open =
            tablet.wanted.as_ref().is_some_and(|wanted| !wanted.has_rows() && !wanted.done.contains(&group));
        let is_dropped =
            |family: &FamilyId| FamilyKind::of(self.families.kinds(), *family) == FamilyKind::Dropped;
        let may_have_dropped = |run: &Run| {
            let contents = run.table.contents.as_ref();
            contents.is_none_or(|contents| contents.families.keys().any(is_dropped))
                && self.families.are_collected()
        };
        is_open
            && (self.families.have_rules()
                || !tablet.are_runs_tidy(group)
                || tablet.runs_of(group).any(may_have_dropped))
    }

    /// Chooses the newest runs: as many as needed, and more while the next one is no larger than
    /// all chosen before it together. Large runs are thus rarely rewritten. Small ones are
    /// rewritten often, because only a few may overlap.
    fn choose_runs(&self, tablet: &Tablet, group: u8) -> Option<Choice> {
        let runs: Vec<&Run> = tablet.runs_of(group).collect();
        let spans: Vec<Span<'_>> = runs.iter().map(|run| Span::counted(run)).collect();
        let (depth, allowed) = (depth(&spans), self.settings.sstables_max as usize);
        let are_too_many = runs.len() > allowed.saturating_mul(APART);
        if depth <= allowed && !are_too_many {
            return self.is_wanted(tablet, group).then_some(Choice {
                depth,
                group,
                inputs: Inputs::Newest(runs.len()),
            });
        }
        let mut count = count_to_merge(&spans, allowed, allowed.saturating_mul(APART));
        let mut sum: u64 = runs[..count].iter().map(|run| run.size.bytes).sum();
        let mut span = runs[..count].iter().map(|run| Span::of(run)).reduce(Span::join)?;
        // For example, let runs have 1, 1, 2 and 9 MiB, newest first, of which three may overlap.
        // Two must be merged, which makes 2 MiB. The third is no larger than that and is added,
        // which makes 4 MiB. The fourth is larger and stays.
        while count < runs.len() && runs[count].size.bytes <= sum {
            let next = Span::of(runs[count]);
            // Rewriting this run would not make any read cheaper.
            if runs[count].is_large() && !are_too_many && !next.overlaps(&span) {
                break;
            }
            span = span.join(next);
            sum += runs[count].size.bytes;
            count += 1;
        }
        Some(Choice { depth, group, inputs: Inputs::Newest(count) })
    }

    /// Discards a collection of a tablet if a delete has just uncovered versions there: the rules
    /// may keep them now, and readers see them. Its garbage then waits like new garbage, so that
    /// many such deletes start few collections.
    pub(crate) fn keep_uncovered(&mut self, storage: &mut dyn Storage, now: Timestamp, index: usize) {
        let tablet = &mut self.tablets[index];
        if tablet.uncovers() && self.families.count_versions() {
            if tablet.collects.take().is_some() {
                tablet.garbage_since = Some(now);
            }
            let collects = |compaction: &mut Compaction| {
                compaction.is_of(tablet.id) && compaction.plan.collects && !compaction.plan.is_asked_for
            };
            if let Some(compaction) = self.background.compaction.take_if(collects) {
                // Its file is of no use. An error while removing it does not matter.
                let _ = self.abandon(storage, compaction);
            }
        }
    }

    /// Records that files of the removed runs may have parts that no run names: other tablets that
    /// need those files are checked for garbage.
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
        let Compaction { plan, file, merging } = compaction;
        drop(merging);
        let removed = storage.remove(file);
        // Runs that only the compaction still holds are removed nevertheless.
        let runs = plan.inputs.iter().chain(&*plan.older).cloned().collect();
        drop(plan);
        removed.and(self.remove_unused(storage, runs))
    }

    /// Makes the result of a compaction visible. `next` is the earliest time at which a rule
    /// expires one of its cells.
    fn install(
        &mut self,
        storage: &mut dyn Storage,
        index: usize,
        compaction: Compaction,
        merged: Option<Arc<SsTable>>,
        next: Timestamp,
    ) -> Result<()> {
        let Compaction { plan: Plan { group, inputs, older, at, is_asked_for, .. }, file, .. } = compaction;
        let read: u64 = inputs.iter().map(|run| run.size.bytes).sum();
        let written = merged.as_ref().map_or(0, |table| storage.size(table.file).unwrap_or(0));
        let tablet = &self.tablets[index];
        let sequence = inputs[0].sequence;
        // Minor compactions may have added newer runs before them.
        let is_other = |run: &&Run| run.group != group || run.sequence > sequence;
        let first = tablet.runs.iter().take_while(is_other).count();
        let mut runs = tablet.runs[..first].to_vec();
        let collected = at.map(|at| Collected { at, next });
        runs.extend(
            merged.map(|table| Run { collected, ..Run::whole(table, tablet.range.clone(), sequence, group) }),
        );
        let is_input = |run: &&Run| inputs.iter().any(|input| input.is(run));
        let replaced: Vec<Run> = tablet.runs[first..].iter().filter(is_input).cloned().collect();
        runs.extend(tablet.runs[first..].iter().filter(|run| !is_input(run)).cloned());
        if let Err(error) = self.record(storage, alloc::vec![tablet.fact_with(&runs, tablet.log_mark)], &[]) {
            self.forget_file(storage, file, &error);
            return Err(error.into());
        }
        let tablet = &mut self.tablets[index];
        tablet.runs = runs;
        let is_major = older.is_empty();
        drop((inputs, older));
        if let Some(wanted) = tablet.wanted.as_mut().filter(|_| is_major && is_asked_for) {
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
