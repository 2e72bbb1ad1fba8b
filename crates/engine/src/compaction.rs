//! Compaction in three steps: choose decides and does nothing, run writes a new file under a budget, install makes it
//! visible in constant time.
//!
//! A minor compaction writes a memtable as an SSTable. A merging compaction makes one SSTable of the newest ones of a
//! tablet; a major one takes all of them, and with that what deletes hide is gone, and what GC rules collect. Deletes go as soon as
//! no older run can have their row.

use alloc::vec::Vec;

use tabletop_model::{Result, TabletId, Timestamp};

use crate::cache::Blocks;
use crate::families::FamilyKind;
use crate::gc::Collector;
use crate::key_range::KeyRange;
use crate::memtable::Memtable;
use crate::merge::{Batch, Merge};
use crate::run::Run;
use crate::sstable::Writer;
use crate::storage::{Storage, StorageError};
use crate::table::{Table, remove_unused};
use crate::tablet::Tablet;

/// How much work a call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of compaction, about: each step ends with the row that passes it.
    pub bytes: u64,
}

/// A merging or major compaction that is under way.
#[derive(Debug)]
pub(crate) struct Compaction {
    tablet: TabletId,
    /// Newest first; neighbours in the tablet.
    inputs: Vec<Run>,
    /// How many older runs the tablet has. A compaction with none is a major one.
    older: usize,
    /// What it collects, by the moment at which it was chosen; a major one only.
    collector: Option<Collector>,
    /// It was chosen after [`Table::compact`] was called last.
    pub is_asked_for: bool,
    writer: Writer,
    /// The last row that is done.
    done: Option<Vec<u8>>,
}

/// Cells that are merged and written together.
const BATCH_CELLS: usize = 1_024;

impl Table {
    /// Does splits, merges and compactions that wait, up to about `budget`. `true` if more work waits.
    ///
    /// # Errors
    /// `DataLoss` and `Unavailable` from storage; what was not installed is forgotten, and chosen again by a later call.
    pub fn advance(&mut self, storage: &mut impl Storage, now: Timestamp, budget: Budget) -> Result<bool> {
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
            if is_full || self.compacts_all && left > 0 && (!tablet.is_exact() || self.families.are_collected()) {
                left = left.saturating_sub(self.tablets[index].memtable.bytes());
                self.minor_compaction(storage, index)?;
            }
            self.split_if_due(storage, now, index)?;
        }
        self.compact_some(storage, Some(now), &mut left)?;
        Ok(self.compaction.is_some() || self.tablets.iter().any(|tablet| self.choose_runs(tablet).is_some()))
    }

    /// Back-pressure: a write to a tablet that has far too many SSTables does compaction in proportion to its bytes, the more
    /// the further compaction has fallen behind; a memtable's worth at a time, for small steps would read more than they write.
    pub(crate) fn catch_up(&mut self, storage: &mut impl Storage, runs: usize, user_bytes: u64) {
        let allowed = self.settings.sstables_max as usize * 2;
        if runs <= allowed {
            return;
        }
        self.debt += user_bytes * 4 * (runs - allowed) as u64;
        if self.debt < self.settings.memtable_bytes_max {
            return;
        }
        let mut left = self.debt;
        // What storage refuses is tried again by a later call: the write itself is done.
        let _ = self.compact_some(storage, None, &mut left);
        self.counts.work.writes_slowed += 1;
        self.counts.work.slowed_bytes += core::mem::take(&mut self.debt) - left;
    }

    /// Does merging and major compactions that are due, up to a budget. Those that begin at a moment collect what GC rules allow
    /// then; a write collects nothing.
    fn compact_some(&mut self, storage: &mut impl Storage, now: Option<Timestamp>, left: &mut u64) -> Result<()> {
        while *left > 0 && !self.is_read_only() {
            let Some(mut compaction) =
                self.compaction.take().map(Ok).or_else(|| self.choose(storage, now).transpose()).transpose()?
            else {
                return Ok(());
            };
            let Some(tablet) = self.tablets.iter().position(|tablet| tablet.id == compaction.tablet) else {
                // The tablet was split or merged meanwhile.
                compaction.abandon(storage)?;
                continue;
            };
            let ran = compaction.run(storage, &self.tablets[tablet], self.families.kinds(), left);
            match self.heed_damage(ran) {
                Ok(true) => self.install(storage, tablet, compaction)?,
                Ok(false) => self.compaction = Some(compaction),
                Err(error) => {
                    // Its file is of no use; that it cannot be removed now says nothing new.
                    let _ = compaction.abandon(storage);
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }

    /// Writes a tablet's memtable as an SSTable.
    pub(crate) fn minor_compaction(
        &mut self,
        storage: &mut impl Storage,
        index: usize,
    ) -> core::result::Result<(), StorageError> {
        if self.is_read_only() {
            return Ok(());
        }
        let tablet = &mut self.tablets[index];
        if tablet.memtable.is_empty() {
            return Ok(());
        }
        tablet.memtable.settle(self.families.kinds());
        let tablet = &self.tablets[index];
        let mut writer = Writer::new(storage, self.settings.block_bytes, self.uid())?;
        let file = writer.file();
        write_memtable(&mut writer, &tablet.memtable, &tablet.runs);
        let table = match writer.finish(storage) {
            Ok(table) => table,
            Err(error) => {
                let _ = storage.remove(file);
                return Err(error);
            }
        };
        let bytes = table.as_ref().map_or(0, |table| storage.size(table.file).unwrap_or(0));
        let sequence = self.new_sequence();
        let log_mark = self.log_end();
        let tablet = &self.tablets[index];
        let mut runs = tablet.runs.clone();
        if let Some(table) = table {
            runs.insert(0, Run::whole(table, tablet.range.clone(), sequence));
        }
        if let Err(error) = self.record(storage, alloc::vec![tablet.fact_with(&runs, log_mark)], &[index]) {
            self.forget_file(storage, file, &error);
            return Err(error);
        }
        let tablet = &mut self.tablets[index];
        (tablet.runs, tablet.log_mark) = (runs, log_mark);
        tablet.memtable = Default::default();
        self.counts.minor_compactions += 1;
        self.counts.work.flushed_bytes += bytes;
        Ok(())
    }

    /// The next merging or major compaction that is due.
    fn choose(
        &self,
        storage: &mut impl Storage,
        now: Option<Timestamp>,
    ) -> core::result::Result<Option<Compaction>, StorageError> {
        let due = self.tablets.iter().filter_map(|tablet| Some((tablet, self.choose_runs(tablet)?)));
        // Where reads have to look into most of them.
        let Some((tablet, count)) = due.max_by_key(|(tablet, _)| tablet.runs.len()) else { return Ok(None) };
        Ok(Some(Compaction {
            tablet: tablet.id,
            inputs: tablet.runs[..count].to_vec(),
            older: tablet.runs.len() - count,
            collector: now.filter(|_| count == tablet.runs.len()).and_then(|now| Collector::new(&self.families, now)),
            is_asked_for: self.compacts_all,
            writer: Writer::new(storage, self.settings.block_bytes, self.uid())?,
            done: None,
        }))
    }

    /// How many of the newest runs to merge: as many as needed, and further as long as the next one is no larger than those
    /// before it together, so that large runs are rarely written again; small ones are, for few runs are allowed.
    fn choose_runs(&self, tablet: &Tablet) -> Option<usize> {
        let runs = &tablet.runs;
        let allowed = self.settings.sstables_max as usize;
        if runs.len() <= allowed {
            let collects = self.families.are_collected() && !tablet.is_collected && !runs.is_empty();
            return (self.compacts_all && (collects || !tablet.is_exact())).then_some(runs.len());
        }
        let mut count = (runs.len() - allowed + 1).max(2).min(runs.len());
        let mut bytes: u64 = runs[..count].iter().map(|run| run.size.bytes).sum();
        while count < runs.len() && runs[count].size.bytes <= bytes {
            bytes += runs[count].size.bytes;
            count += 1;
        }
        Some(count)
    }

    fn install(&mut self, storage: &mut impl Storage, index: usize, compaction: Compaction) -> Result<()> {
        let Compaction { inputs, older, is_asked_for, writer, .. } = compaction;
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
        // Minor compactions may have put newer runs before them.
        let first = tablet.runs.len() - (tablet.runs.iter().rev().take_while(|run| run.sequence <= inputs[0].sequence).count());
        let sequence = inputs[0].sequence;
        let merged = merged.map(|table| Run::whole(table, tablet.range.clone(), sequence));
        let mut runs = tablet.runs.clone();
        runs.splice(first..first + inputs.len(), merged);
        if let Err(error) = self.record(storage, alloc::vec![tablet.fact_with(&runs, tablet.log_mark)], &[]) {
            self.forget_file(storage, file, &error);
            return Err(error.into());
        }
        let mut replaced = core::mem::replace(&mut self.tablets[index].runs, runs);
        let replaced: Vec<Run> = replaced.drain(first..first + inputs.len()).collect();
        replaced.iter().for_each(|run| self.cache.forget(run.table.file));
        drop(inputs);
        self.tablets[index].is_collected |= older == 0 && is_asked_for;
        self.counts.major_compactions += 1;
        self.counts.work.compaction_bytes_read += read;
        self.counts.work.compaction_bytes_written += written;
        Ok(remove_unused(storage, replaced)?)
    }
}

impl Compaction {
    pub fn is_of(&self, tablet: TabletId) -> bool {
        self.tablet == tablet
    }

    /// Merges rows until they are done or the budget is used up. `true` when they are done.
    fn run(
        &mut self,
        storage: &mut impl Storage,
        tablet: &Tablet,
        kinds: &[FamilyKind],
        budget: &mut u64,
    ) -> core::result::Result<bool, StorageError> {
        let Compaction { inputs, older, collector, writer, done, .. } = self;
        let older = &tablet.runs[tablet.runs.len().saturating_sub(*older)..];
        let range = match done {
            Some(key) => tablet.range.beyond(key, false),
            None => tablet.range.clone(),
        };
        let blocks = Blocks::uncached(storage);
        let mut merge = Merge::new(false, kinds);
        for run in inputs.iter() {
            merge.add_sstable(&blocks, &run.table, range.bounds().meet(run.range.bounds()))?;
        }
        let mut batch = Batch::default();
        let mut is_finished = true;
        while merge.next_row()? {
            let before = writer.bytes();
            let tombstones = merge.tombstones().filter(|_| may_hold(older, merge.key()));
            writer.begin_row(merge.key(), tombstones.as_ref());
            let mut work = 1;
            let is_copied = collector.is_none() && merge.copy(writer)?;
            collector.iter_mut().for_each(Collector::begin_row);
            while !is_copied {
                let more = merge.fill(&mut batch, None, false, BATCH_CELLS)?;
                work += batch.looked_at * 8;
                for cell in &batch.cells {
                    let (family, qualifier, value) = merge.content(cell);
                    let time = cell.place.timestamp;
                    if collector.as_mut().is_some_and(|collector| collector.collects(family, cell.ordinal, time)) {
                        continue;
                    }
                    writer.cell(family, qualifier, cell.place.timestamp, value);
                }
                if !more {
                    break;
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

    /// Forgets it and what it has written.
    pub fn abandon(self, storage: &mut impl Storage) -> core::result::Result<(), StorageError> {
        let file = self.writer.file();
        storage.remove(file)?;
        remove_unused(storage, self.inputs)
    }
}

/// Whether any of the runs may have the row. If not, deletes have nothing to hide there.
fn may_hold(runs: &[Run], key: &[u8]) -> bool {
    runs.iter().any(|run| run.may_hold(key))
}

fn write_memtable(writer: &mut Writer, memtable: &Memtable, older: &[Run]) {
    for row in memtable.range(&KeyRange::all()) {
        let key = memtable.key(row);
        writer.begin_row(key, row.tombstones.as_deref().filter(|_| may_hold(older, key)));
        for cell in memtable.cells_of(row) {
            let (family, qualifier) = memtable.columns().get(cell.column);
            writer.cell(family, qualifier, cell.timestamp, memtable.value(cell.value_start, cell.value_length));
        }
        writer.end_row();
    }
}
