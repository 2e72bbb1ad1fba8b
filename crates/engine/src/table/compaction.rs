//! Compaction in three steps: choose decides and changes nothing, run creates a file and writes its blocks within a budget,
//! install writes the rest of it in one step (dictionary, index and Bloom filter, some bytes per row), and makes it visible.
//!
//! A minor compaction writes a memtable as SSTables, one for each locality group. A merging compaction makes one SSTable from
//! the newest ones of a tablet's group. A major one takes all of them, and removes what deletes hide and what GC rules collect.
//! Deletes are removed as soon as no older run can have their row.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;

use tabletop_model::{Result, TabletId, Timestamp};

use crate::cache::Blocks;
use crate::families::Families;
use crate::gc::Collector;
use crate::key_range::KeyRange;
use crate::memtable::MemCell;
use crate::merge::{Batch, Merge};
use crate::sstable::{SsTable, Writer};
use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::run::Run;
use crate::table::tablet::Tablet;
use crate::table::unused::remove_unused;

/// The amount of work that a call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Approximate bytes of compaction: each step ends with the row that passes it.
    pub bytes: u64,
}

/// A merging or major compaction that was chosen.
#[derive(Debug)]
struct Plan {
    tablet: TabletId,
    /// The locality group whose runs it merges.
    group: u8,
    /// Newest first; adjacent among the runs of the group.
    inputs: Vec<Run>,
    /// The number of older runs of the group. A compaction with none is a major one.
    older: usize,
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
    /// The last row that was merged.
    done: Option<Vec<u8>>,
}

/// Cells that are merged and written together.
const BATCH_CELLS: usize = 1_024;

impl Table {
    /// Does splits, merges and compactions that are due, up to about `budget`. Returns `true` if more work is due.
    ///
    /// # Errors
    /// `DataLoss` and `Unavailable` from storage; what was not installed is discarded, and chosen again by a later call.
    pub fn advance(&mut self, storage: &mut dyn Storage, now: Timestamp, budget: Budget) -> Result<bool> {
        if self.is_read_only() {
            return Ok(false);
        }
        let mut left = budget.bytes;
        self.merge_idle(storage, now)?;
        if self.compacts_all {
            self.settle();
        }
        for index in (0..self.tablets.len()).rev() {
            let tablet = &self.tablets[index];
            let is_full = tablet.memtable.bytes() > self.settings.memtable_bytes_max;
            if is_full || self.compacts_all && left > 0 && (!tablet.is_tidy() || self.families.are_collected()) {
                left = left.saturating_sub(self.tablets[index].memtable.bytes());
                self.minor_compaction(storage, index)?;
            }
            self.split_if_due(storage, now, index)?;
        }
        self.compact_some(storage, Some(now), &mut left)?;
        Ok(self.compaction.is_some() || self.due().next().is_some())
    }

    /// Returns whether [`Table::advance`] would compact something.
    pub fn has_work(&self) -> bool {
        let is_full = |tablet: &Tablet| {
            let limit = if self.compacts_all { 0 } else { self.settings.memtable_bytes_max };
            tablet.memtable.bytes() > limit
        };
        !self.is_read_only() && (self.compaction.is_some() || self.tablets.iter().any(is_full) || self.due().next().is_some())
    }

    /// Back-pressure: a write to a tablet that has far too many SSTables does compaction in proportion to its bytes, and to the
    /// number of extra SSTables. It does a memtable's worth at a time, because small steps would read more than they write.
    pub(crate) fn catch_up(&mut self, storage: &mut dyn Storage, runs: usize, user_bytes: u64) {
        let allowed = (self.settings.sstables_max as usize).saturating_mul(2);
        if runs <= allowed {
            return;
        }
        self.debt += user_bytes * 4 * (runs - allowed) as u64;
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
            let mut compaction = match self.compaction.take() {
                Some(compaction) => compaction,
                None => match self.choose(now) {
                    Some(plan) => {
                        let number = self.new_sequence() << 8;
                        Compaction {
                            plan,
                            writer: Writer::new(storage, self.settings.block_bytes, self.uid(), number)?,
                            done: None,
                        }
                    }
                    None => return Ok(()),
                },
            };
            let Some(tablet) = self.tablets.iter().position(|tablet| tablet.id == compaction.plan.tablet) else {
                // The tablet was split or merged meanwhile.
                compaction.abandon(storage)?;
                continue;
            };
            let ran = compaction.run(storage, &self.tablets[tablet], &self.families, left);
            match ran {
                Ok(true) => {
                    let installed = self.install(storage, tablet, compaction);
                    installed.inspect_err(|_| self.tablets[tablet].compaction_failed(false))?;
                }
                Ok(false) => self.compaction = Some(compaction),
                Err(error) => {
                    // Its file is of no use; an error when it is removed adds nothing.
                    let _ = compaction.abandon(storage);
                    let is_damaged = matches!(error, StorageError::Corrupt { .. });
                    self.tablets[tablet].compaction_failed(is_damaged);
                    if !is_damaged {
                        return Err(error.into());
                    }
                    // The other tablets are compacted.
                    self.trouble = Some(error.into());
                }
            }
        }
        Ok(())
    }

    /// Writes a tablet's memtable as SSTables, all or none.
    pub(crate) fn minor_compaction(&mut self, storage: &mut dyn Storage, index: usize) -> core::result::Result<(), StorageError> {
        if self.is_read_only() {
            return Ok(());
        }
        let tablet = &mut self.tablets[index];
        if tablet.memtable.is_empty() {
            return Ok(());
        }
        tablet.memtable.settle(self.families.kinds());
        let sequence = self.new_sequence();
        let written = self.write_memtable(storage, &self.tablets[index], sequence)?;
        let bytes: u64 = written.iter().map(|(_, table)| storage.size(table.file).unwrap_or(0)).sum();
        let log_mark = self.log_end();
        let tablet = &self.tablets[index];
        let new = written.iter().map(|(group, table)| Run::whole(table.clone(), tablet.range.clone(), sequence, *group));
        let runs: Vec<Run> = new.chain(tablet.runs.iter().cloned()).collect();
        if let Err(error) = self.record(storage, alloc::vec![tablet.fact_with(&runs, log_mark)], &[index]) {
            written.iter().for_each(|(_, table)| self.forget_file(storage, table.file, &error));
            return Err(error);
        }
        let tablet = &mut self.tablets[index];
        (tablet.runs, tablet.log_mark) = (runs, log_mark);
        tablet.memtable = Default::default();
        self.counts.minor_compactions += 1;
        self.counts.work.flushed_bytes += bytes;
        Ok(())
    }

    /// Returns the next merging or major compaction that is due.
    fn choose(&self, now: Option<Timestamp>) -> Option<Plan> {
        // The group with the most runs, where reads are most expensive; one that failed comes after the others.
        let worth = |(tablet, group, _): &(&Tablet, u8, usize)| (Reverse(tablet.failures), tablet.runs_of(*group).count());
        let (tablet, group, count) = self.due().max_by_key(worth)?;
        let runs: Vec<Run> = tablet.runs_of(group).cloned().collect();
        let older = runs.len() - count;
        Some(Plan {
            tablet: tablet.id,
            group,
            inputs: runs.into_iter().take(count).collect(),
            older,
            collector: now.filter(|_| older == 0).and_then(|now| Collector::new(&self.families, now)),
            is_asked_for: self.compacts_all,
        })
    }

    /// Returns the locality groups of tablets that have runs to merge, and how many of the newest ones to merge.
    fn due(&self) -> impl Iterator<Item = (&Tablet, u8, usize)> {
        let tablets = self.tablets.iter().filter(|tablet| tablet.failures < u32::MAX);
        let groups = tablets.flat_map(|tablet| tablet.groups().into_iter().map(move |group| (tablet, group)));
        groups.filter_map(|(tablet, group)| Some((tablet, group, self.choose_runs(tablet, group)?)))
    }

    /// Returns how many of the newest runs to merge: as many as needed, and further as long as the next one is no larger than
    /// those before it together. Large runs are rarely rewritten; small ones often are, because few runs are allowed.
    fn choose_runs(&self, tablet: &Tablet, group: u8) -> Option<usize> {
        let bytes: Vec<u64> = tablet.runs_of(group).map(|run| run.size.bytes).collect();
        let allowed = self.settings.sstables_max as usize;
        if bytes.len() <= allowed {
            let collects = self.families.are_collected() && !tablet.collected.contains(&group);
            return (self.compacts_all && (collects || !tablet.is_group_tidy(group))).then_some(bytes.len());
        }
        let mut count = (bytes.len() - allowed + 1).max(2).min(bytes.len());
        let mut sum: u64 = bytes[..count].iter().sum();
        while count < bytes.len() && bytes[count] <= sum {
            sum += bytes[count];
            count += 1;
        }
        Some(count)
    }

    fn install(&mut self, storage: &mut dyn Storage, index: usize, compaction: Compaction) -> Result<()> {
        let Compaction { plan: Plan { group, inputs, older, is_asked_for, .. }, writer, .. } = compaction;
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
        runs.extend(merged.map(|table| Run::whole(table, tablet.range.clone(), sequence, group)));
        let mut replaced = Vec::with_capacity(inputs.len());
        for run in &tablet.runs[first..] {
            let is_input = run.group == group && replaced.len() < inputs.len();
            if is_input { replaced.push(run.clone()) } else { runs.push(run.clone()) }
        }
        if let Err(error) = self.record(storage, alloc::vec![tablet.fact_with(&runs, tablet.log_mark)], &[]) {
            self.forget_file(storage, file, &error);
            return Err(error.into());
        }
        self.tablets[index].runs = runs;
        self.tablets[index].failures = 0;
        drop(inputs);
        if older == 0 && is_asked_for && !self.tablets[index].collected.contains(&group) {
            self.tablets[index].collected.push(group);
        }
        self.counts.major_compactions += 1;
        self.counts.work.compaction_bytes_read += read;
        self.counts.work.compaction_bytes_written += written;
        Ok(remove_unused(storage, replaced, |file| self.cache.forget(file))?)
    }
}

impl Compaction {
    pub fn is_of(&self, tablet: TabletId) -> bool {
        self.plan.tablet == tablet
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
        let Compaction { plan: Plan { group, inputs, older, collector, .. }, writer, done } = self;
        let older: Vec<&Run> = tablet.runs_of(*group).rev().take(*older).collect();
        let range = match done {
            Some(key) => tablet.range.beyond(key, false),
            None => tablet.range.clone(),
        };
        let blocks = Blocks::uncached(storage);
        let mut merge = Merge::new(inputs.len(), false, families.kinds());
        for run in inputs.iter() {
            merge.add_sstable(&blocks, &run.table, range.bounds().meet(run.range.bounds()))?;
        }
        let mut batch = Batch::default();
        let mut is_finished = true;
        while merge.next_row()? {
            merge.check_row(writer.last_key())?;
            let before = writer.bytes();
            let tombstones = merge.tombstones().filter(|_| may_hold(&older, merge.key()));
            let tombstones = tombstones.as_ref().map(|tombstones| families.groups().part(*group, tombstones));
            writer.begin_row(merge.key(), tombstones.as_deref());
            let mut work = 1;
            let mut more = !merge.copy(writer, collector.as_ref())?;
            collector.iter_mut().for_each(Collector::begin_row);
            while more {
                more = merge.fill(&mut batch, None, false, BATCH_CELLS)?;
                work += batch.looked_at * 8;
                for cell in &batch.cells {
                    let (family, qualifier, value) = merge.content(cell);
                    let time = cell.place.timestamp;
                    if collector.as_mut().is_some_and(|collector| collector.collects(family, cell.ordinal, time)) {
                        continue;
                    }
                    writer.cell(family, qualifier, time, value);
                }
            }
            writer.end_row();
            *budget = budget.saturating_sub(work + writer.bytes() - before);
            if *budget == 0 {
                *done = Some(merge.key().to_vec());
                is_finished = false;
                break;
            }
        }
        drop(merge);
        writer.flush(storage)?;
        Ok(is_finished)
    }

    /// Discards the compaction and its file.
    pub fn abandon(self, storage: &mut dyn Storage) -> core::result::Result<(), StorageError> {
        let removed = storage.remove(self.writer.file());
        // Inputs that only the compaction still holds are removed all the same.
        let rest = remove_unused(storage, self.plan.inputs, |_| {});
        removed.and(rest)
    }
}

/// Returns whether any of the runs may have the row. If not, deletes have nothing to hide there.
fn may_hold(runs: &[&Run], key: &[u8]) -> bool {
    runs.iter().any(|run| run.may_hold(key))
}

impl Table {
    /// Writes an SSTable for each locality group with data in a tablet's memtable, all or none. Their numbers begin with
    /// `sequence`.
    fn write_memtable(
        &self,
        storage: &mut dyn Storage,
        tablet: &Tablet,
        sequence: u64,
    ) -> core::result::Result<Vec<(u8, Arc<SsTable>)>, StorageError> {
        let mut written = Vec::new();
        for &group in self.families.groups().used() {
            match self.write_group(storage, tablet, group, sequence << 8 | u64::from(group)) {
                Ok(table) => written.extend(table.map(|table| (group, table))),
                Err(error) => {
                    written.iter().for_each(|(_, table)| drop(storage.remove(table.file)));
                    return Err(error);
                }
            }
        }
        Ok(written)
    }

    fn write_group(
        &self,
        storage: &mut dyn Storage,
        tablet: &Tablet,
        group: u8,
        number: u64,
    ) -> core::result::Result<Option<Arc<SsTable>>, StorageError> {
        let (memtable, groups) = (&tablet.memtable, self.families.groups());
        let older: Vec<&Run> = tablet.runs_of(group).collect();
        let mut writer: Option<Writer> = None;
        for row in memtable.range(&KeyRange::all()) {
            let key = memtable.key(row);
            let tombstones = if may_hold(&older, key) { memtable.tombstones(row) } else { None };
            let tombstones = tombstones.as_ref().map(|tombstones| groups.part(group, tombstones));
            let is_of_group = |cell: &&MemCell| groups.holds(group, memtable.columns().get(cell.column).0);
            let mut cells = memtable.cells_of(row).filter(is_of_group).peekable();
            if cells.peek().is_none() && tombstones.as_ref().is_none_or(|tombstones| tombstones.is_empty()) {
                continue;
            }
            let writer = match &mut writer {
                Some(writer) => writer,
                none => none.insert(Writer::new(storage, self.settings.block_bytes, self.uid(), number)?),
            };
            writer.begin_row(key, tombstones.as_deref());
            for cell in cells {
                let (family, qualifier) = memtable.columns().get(cell.column);
                writer.cell(family, qualifier, cell.timestamp, memtable.value(cell.value_start, cell.value_length));
            }
            writer.end_row();
        }
        let Some(writer) = writer else { return Ok(None) };
        let file = writer.file();
        writer.finish(storage).inspect_err(|_| {
            let _ = storage.remove(file);
        })
    }
}
