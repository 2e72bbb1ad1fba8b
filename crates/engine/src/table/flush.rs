//! Minor compactions: memtables become SSTables. Tablets whose memtables are written together share
//! the files, therefore a number of small memtables costs as much as one large one.
//!
//! A memtable is frozen first: it takes no more writes, and a new memtable takes them instead. It
//! is written at once, or by a step of the host that runs concurrently with reads and writes. Then
//! its runs replace it.

#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::result::Result;

use tabletop_model::Timestamp;
use tabletop_model::order::sorted;

use crate::log::LogPlace;
use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::flushing::{Flushing, Part, Written};
use crate::table::plan::Compactions;
use crate::table::run::Run;
use crate::table::tablet::{Frozen, Tablet, WantedRows};

/// Memtables are written together up to about this size, or the size of one memtable if that is
/// larger.
const TOGETHER_BYTES: u64 = 16 << 20;
/// A host that writes memtables concurrently with writes has fallen far behind when the newer
/// memtable of a tablet has this many times its limit: the next write then waits for the host.
const BEHIND: u64 = 8;

impl Table {
    /// Writes the memtable of a tablet as SSTables, one for each locality group with data in it;
    /// all of them, or none.
    pub(crate) fn minor_compaction(
        &mut self,
        storage: &mut dyn Storage,
        index: usize,
    ) -> Result<(), StorageError> {
        self.write_memtables(storage, &[index])
    }

    /// Writes the memtables of some tablets as SSTables, or freezes them if the host writes
    /// memtables.
    pub(crate) fn flush_soon(
        &mut self,
        storage: &mut dyn Storage,
        tablets: &[usize],
    ) -> Result<(), StorageError> {
        match self.background.compactions {
            Compactions::Here => self.flush(storage, tablets),
            Compactions::Apart => self.freeze(storage, tablets),
        }
    }

    /// Writes memtables, or freezes them if the host writes memtables and has not fallen behind.
    pub(crate) fn flush_some(
        &mut self,
        storage: &mut dyn Storage,
        tablets: &[usize],
        is_behind: bool,
    ) -> Result<(), StorageError> {
        if is_behind { self.flush(storage, tablets) } else { self.flush_soon(storage, tablets) }
    }

    /// Returns whether the host has frozen memtables to write.
    pub(crate) fn waits_for_flush(&self) -> bool {
        self.background.compactions == Compactions::Apart
            && (self.background.is_flushing || self.background.due.has_flushes())
    }

    /// Returns whether a memtable is so full that [`Table::flush_full`] must be called.
    pub(crate) fn is_full(&self, index: usize) -> bool {
        let (tablet, limit) = (&self.tablets[index], self.settings.memtable_bytes_max);
        match (self.background.compactions, &tablet.frozen) {
            (Compactions::Apart, Some(_)) => self.is_behind(index),
            _ => tablet.memtable_bytes() > limit,
        }
    }

    /// Writes a full memtable, or freezes it if the host writes memtables and has not fallen far
    /// behind.
    pub(crate) fn flush_full(&mut self, storage: &mut dyn Storage, index: usize) -> Result<(), StorageError> {
        self.flush_some(storage, &[index], self.is_behind(index))
    }

    /// Returns whether the host has fallen far behind in a tablet. Large writes do not count,
    /// because the host waits for each of them. The frozen memtable does not count either, because
    /// it may have one.
    fn is_behind(&self, index: usize) -> bool {
        let tablet = &self.tablets[index];
        let bytes = tablet.memtable.read().copied_bytes();
        tablet.frozen.is_some() && bytes > self.settings.memtable_bytes_max.saturating_mul(BEHIND)
    }

    /// Writes the memtables of some tablets, whose indices ascend. After an error, the memtables of
    /// the first ones may have been written.
    pub(crate) fn flush(&mut self, storage: &mut dyn Storage, tablets: &[usize]) -> Result<(), StorageError> {
        let mut rest = tablets;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |&&index: &&usize| {
                bytes += self.tablets[index].memory_bytes();
                bytes <= TOGETHER_BYTES
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (together, others) = rest.split_at(count);
            self.write_memtables(storage, together)?;
            rest = others;
        }
        Ok(())
    }

    /// Returns the tablets with the oldest rows in their memtables, until these have at least
    /// `bytes` or no tablet is left.
    pub(crate) fn oldest_memtables(&self, bytes: u64) -> Vec<usize> {
        let oldest = |(index, tablet): (usize, &Tablet)| Some((tablet.pins().next()?, index));
        let by_age: Vec<(LogPlace, usize)> = self.tablets.iter().enumerate().filter_map(oldest).collect();
        let mut found = 0;
        let mut oldest = Vec::new();
        for (_, index) in sorted(by_age, Ord::cmp) {
            if found >= bytes {
                break;
            }
            found += self.tablets[index].memory_bytes();
            oldest.push(index);
        }
        sorted(oldest, usize::cmp)
    }

    /// Returns the bytes of all memtables.
    pub(crate) fn memtable_bytes(&self) -> u64 {
        self.memtable_bytes
    }

    /// Updates the count of the bytes of a tablet's memtables, which have changed.
    pub(crate) fn count_memtable(&mut self, index: usize) {
        let tablet = &mut self.tablets[index];
        let bytes = tablet.memory_bytes();
        self.memtable_bytes =
            self.memtable_bytes - core::mem::replace(&mut tablet.counted_bytes, bytes) + bytes;
    }

    /// Writes memtables as SSTables that the tablets share: memtables that were frozen earlier
    /// first, then the others. After an error they stay frozen, and a later call writes them.
    fn write_memtables(&mut self, storage: &mut dyn Storage, tablets: &[usize]) -> Result<(), StorageError> {
        if self.is_read_only() {
            return Ok(());
        }
        self.write_frozen(storage, tablets)?;
        self.freeze(storage, tablets)?;
        self.write_frozen(storage, tablets)
    }

    /// Freezes the memtables of some tablets, which are written next, except where a frozen one is
    /// already waiting.
    pub(crate) fn freeze(
        &mut self,
        storage: &mut dyn Storage,
        tablets: &[usize],
    ) -> Result<(), StorageError> {
        // A memtable that is written must have all changes up to the end of the log.
        self.sync_held(storage)?;
        let until = self.log_end();
        for &index in tablets {
            let tablet = &mut self.tablets[index];
            if tablet.frozen.is_some() || tablet.memtable.read().is_empty() {
                continue;
            }
            let from = tablet.memtable_from;
            let memtable = core::mem::take(&mut tablet.memtable);
            tablet.frozen = Some(Frozen { memtable, from, until });
            if let Some(wanted) = tablet.wanted.as_mut().filter(|wanted| wanted.rows == WantedRows::Memtable)
            {
                wanted.rows = WantedRows::Frozen;
            }
            self.background.due.note_flush(tablet.range.start.clone());
            self.is_changed = true;
        }
        Ok(())
    }

    /// Writes the frozen memtables of some tablets: one file for each locality group with data in
    /// them, and one record of the manifest.
    fn write_frozen(&mut self, storage: &mut dyn Storage, tablets: &[usize]) -> Result<(), StorageError> {
        let flushing = self.flushing(tablets);
        if flushing.parts.is_empty() {
            return Ok(());
        }
        let written = flushing.run(storage)?;
        self.install_flush(storage, flushing, written).map(drop)
    }

    fn flushing(&mut self, tablets: &[usize]) -> Flushing {
        let part = |&index: &usize| {
            let tablet = &self.tablets[index];
            let memtable = tablet.frozen.as_ref()?.memtable.clone();
            Some(Part { start: tablet.range.start.clone(), memtable, older: tablet.runs.clone() })
        };
        let parts: Vec<Part> = tablets.iter().filter_map(part).collect();
        let sequence = if parts.is_empty() { 0 } else { self.new_sequence() };
        Flushing {
            parts,
            sequence,
            families: self.families.clone(),
            block_bytes: self.settings.block_bytes,
            uid: self.uid(),
        }
    }

    /// Writes the memtables that are still frozen because storage refused them or the host has not
    /// written them.
    pub(crate) fn write_all_frozen(&mut self, storage: &mut dyn Storage) -> Result<(), StorageError> {
        let starts = self.background.due.flushes();
        starts.iter().try_for_each(|start| self.write_frozen(storage, &[self.tablet_of(start)]))
    }

    /// Replaces frozen memtables with runs, all of them or none. Skips a tablet whose memtable was
    /// written in another way since. Returns the indices of the others.
    fn install_flush(
        &mut self,
        storage: &mut dyn Storage,
        flushing: Flushing,
        written: Written,
    ) -> Result<Vec<usize>, StorageError> {
        let Flushing { parts, sequence, .. } = flushing;
        let waits = |part: &Part| {
            let index = self.tablet_of(&part.start);
            let frozen = self.tablets[index].frozen.as_ref()?;
            Arc::ptr_eq(&frozen.memtable, &part.memtable).then_some((index, frozen.until))
        };
        let waiting: Vec<(usize, LogPlace)> = parts.iter().filter_map(waits).collect();
        let is_shared = parts.len() > 1;
        drop(parts);
        if waiting.is_empty() {
            return written.iter().try_for_each(|(_, table)| storage.remove(table.file)).map(|()| Vec::new());
        }
        let bytes: u64 = written.iter().map(|(_, table)| storage.size(table.file).unwrap_or(0)).sum();
        let runs_of = |tablet: &Tablet| -> Vec<Run> {
            let new = written.iter().filter_map(|(group, table)| {
                let (table, range) = (table.clone(), tablet.range.clone());
                if is_shared {
                    Run::part(table, range, sequence, *group)
                } else {
                    Some(Run::whole(table, range, sequence, *group))
                }
            });
            new.chain(tablet.runs.iter().cloned()).collect()
        };
        let runs: Vec<Vec<Run>> = waiting.iter().map(|&(index, _)| runs_of(&self.tablets[index])).collect();
        let facts = waiting
            .iter()
            .zip(&runs)
            .map(|(&(index, until), runs)| self.tablets[index].fact_with(runs, until))
            .collect();
        let tablets: Vec<usize> = waiting.iter().map(|(index, _)| *index).collect();
        if let Err(error) = self.record(storage, facts, &tablets) {
            written.iter().for_each(|(_, table)| self.forget_file(storage, table.file, &error));
            return Err(error);
        }
        for (&index, runs) in tablets.iter().zip(runs) {
            let tablet = &mut self.tablets[index];
            tablet.runs = runs;
            // A read that has begun still has the rows.
            let Some(Frozen { from, until, .. }) = tablet.frozen.take() else { continue };
            tablet.log_mark = until;
            if let Some(wanted) = tablet.wanted.as_mut().filter(|wanted| wanted.rows == WantedRows::Frozen) {
                wanted.rows = WantedRows::Written;
            }
            self.background.due.end_flush(&tablet.range.start);
            self.pins.remove(from.segment);
            self.count_memtable(index);
            self.note_change(index);
        }
        self.counts.minor_compactions += 1;
        self.counts.work.flushed_bytes += bytes;
        self.publish();
        Ok(tablets)
    }

    /// Takes frozen memtables out of the table: the host writes them and passes the result to
    /// [`Table::put_back_flush`]. Returns `None` if there are none, or if the host already has
    /// some.
    pub(crate) fn take_flush(&mut self) -> Option<Flushing> {
        if self.background.is_flushing || self.is_read_only() {
            return None;
        }
        let starts = self.background.due.take_flushes();
        let frozen = starts.iter().filter_map(|start| {
            let index = self.tablet_of(start);
            let tablet = Some(&self.tablets[index]).filter(|tablet| tablet.range.start == *start)?;
            Some((tablet.frozen.as_ref()?.from, index))
        });
        // The oldest come first, because segments of the log wait for them.
        let (mut together, mut bytes) = (Vec::new(), 0);
        for (_, index) in sorted(frozen.collect(), Ord::cmp) {
            let tablet = &self.tablets[index];
            bytes += tablet.frozen.as_ref().map_or(0, |frozen| frozen.memtable.read().bytes());
            if together.is_empty() || bytes <= TOGETHER_BYTES {
                together.push(index);
            } else {
                self.background.due.note_flush(tablet.range.start.clone());
            }
        }
        let together = sorted(together, usize::cmp);
        let flushing = Some(self.flushing(&together)).filter(|flushing| !flushing.parts.is_empty());
        self.background.is_flushing = flushing.is_some();
        flushing
    }

    /// Takes back what the host has written, and splits the tablets that have waited for it.
    /// Memtables that it has not written, or could not write, are written by a later step.
    pub(crate) fn put_back_flush(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        flushing: Flushing,
        written: Option<Result<Written, StorageError>>,
    ) -> Result<(), StorageError> {
        self.background.is_flushing = false;
        let starts: Vec<Vec<u8>> = flushing.parts.iter().map(|part| part.start.clone()).collect();
        let installed =
            written.map_or(Ok(Vec::new()), |written| self.install_flush(storage, flushing, written?));
        for start in starts {
            // The tablet may have another memtable by now.
            let index = self.tablet_of(&start);
            if self.tablets[index].frozen.is_some() {
                self.background.due.note_flush(self.tablets[index].range.start.clone());
            }
        }
        if installed.is_err() || !self.background.due.has_deferred() {
            self.background.error = installed.as_ref().err().cloned().map(Into::into);
        }
        // From the last tablet to the first, so that a split does not shift the indices still to
        // come.
        let done = installed.map(|installed| {
            installed.into_iter().rev().for_each(|index| {
                if self.split_now(storage, now, index).is_err() {
                    self.note_check(index);
                }
            });
        });
        self.publish();
        done
    }
}
