//! Minor compactions: memtables become SSTables. Tablets whose memtables are written together share the files, so that many
//! small memtables cost as much as a large one.

#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::result::Result;

use tabletop_model::order::sorted;

use crate::key_range::KeyRange;
use crate::log::LogPlace;
use crate::memtable::MemCell;
use crate::sstable::{SsTable, Writer};
use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::run::Run;
use crate::table::tablet::Tablet;

/// Memtables are written together up to about this size, or that of one memtable if that is more. A write that must wait for
/// them waits some tenths of a second.
const TOGETHER_BYTES: u64 = 16 << 20;

impl Table {
    /// Writes the memtable of a tablet as SSTables, one for each locality group with data in it, all or none.
    pub(crate) fn minor_compaction(&mut self, storage: &mut dyn Storage, index: usize) -> Result<(), StorageError> {
        self.write_memtables(storage, &[index])
    }

    /// Writes the memtables of some tablets, whose indices ascend. After an error those of the first ones may be written.
    pub(crate) fn flush(&mut self, storage: &mut dyn Storage, tablets: &[usize]) -> Result<(), StorageError> {
        let mut rest = tablets;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |&&index: &&usize| {
                bytes += self.tablets[index].memtable.read().bytes();
                bytes <= TOGETHER_BYTES
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (together, others) = rest.split_at(count);
            self.write_memtables(storage, together)?;
            rest = others;
        }
        Ok(())
    }

    /// Writes the memtables with the oldest rows, until these had at least `bytes`, or there are none.
    pub(crate) fn flush_oldest(&mut self, storage: &mut dyn Storage, bytes: u64) -> Result<(), StorageError> {
        let full = self.tablets.iter().enumerate().filter(|(_, tablet)| !tablet.memtable.read().is_empty());
        let by_age: Vec<(LogPlace, usize)> = full.map(|(index, tablet)| (tablet.memtable_from, index)).collect();
        let mut found = 0;
        let mut oldest = Vec::new();
        for (_, index) in sorted(by_age, Ord::cmp) {
            if found >= bytes {
                break;
            }
            found += self.tablets[index].memtable.read().bytes();
            oldest.push(index);
        }
        self.flush(storage, &sorted(oldest, usize::cmp))
    }

    /// Returns the bytes of all memtables.
    pub(crate) fn memtable_bytes(&self) -> u64 {
        self.memtable_bytes
    }

    /// Counts the bytes of a memtable that has changed.
    pub(crate) fn count_memtable(&mut self, index: usize) {
        let tablet = &mut self.tablets[index];
        let bytes = tablet.memtable.read().bytes();
        self.memtable_bytes = self.memtable_bytes - core::mem::replace(&mut tablet.counted_bytes, bytes) + bytes;
    }

    /// Writes memtables as SSTables that the tablets share, all or none: one file for each locality group with data in them, and
    /// one record of the manifest.
    fn write_memtables(&mut self, storage: &mut dyn Storage, tablets: &[usize]) -> Result<(), StorageError> {
        // A memtable that is written must hold all changes up to the end of the log.
        self.sync_held(storage)?;
        let tablets: Vec<usize> =
            tablets.iter().copied().filter(|&index| !self.tablets[index].memtable.read().is_empty()).collect();
        if self.is_read_only() || tablets.is_empty() {
            return Ok(());
        }
        tablets.iter().for_each(|&index| self.tablets[index].settle(self.families.kinds()));
        let sequence = self.new_sequence();
        let written = self.write_groups(storage, &tablets, sequence)?;
        let bytes: u64 = written.iter().map(|(_, table)| storage.size(table.file).unwrap_or(0)).sum();
        let log_mark = self.log_end();
        let runs_of = |tablet: &Tablet| -> Vec<Run> {
            let new = written.iter().filter_map(|(group, table)| match *tablets {
                [_] => Some(Run::whole(table.clone(), tablet.range.clone(), sequence, *group)),
                _ => Run::part(table.clone(), tablet.range.clone(), sequence, *group),
            });
            new.chain(tablet.runs.iter().cloned()).collect()
        };
        let runs: Vec<Vec<Run>> = tablets.iter().map(|&index| runs_of(&self.tablets[index])).collect();
        let facts = tablets.iter().zip(&runs).map(|(&index, runs)| self.tablets[index].fact_with(runs, log_mark)).collect();
        if let Err(error) = self.record(storage, facts, &tablets) {
            written.iter().for_each(|(_, table)| self.forget_file(storage, table.file, &error));
            return Err(error);
        }
        for (&index, runs) in tablets.iter().zip(runs) {
            let tablet = &mut self.tablets[index];
            (tablet.runs, tablet.log_mark) = (runs, log_mark);
            // A read that has begun still has the rows here.
            tablet.memtable = Arc::default();
            tablet.wanted.iter_mut().for_each(|wanted| wanted.has_rows = false);
            let segment = tablet.memtable_from.segment;
            let pinned = self.pins.remove(&segment).filter(|memtables| *memtables > 1);
            self.pins.extend(pinned.map(|memtables| (segment, memtables - 1)));
            self.count_memtable(index);
            self.note_change(index);
        }
        self.counts.minor_compactions += 1;
        self.counts.work.flushed_bytes += bytes;
        self.publish();
        Ok(())
    }

    /// Writes an SSTable for each locality group with data in the memtables of some tablets, all or none. Their numbers begin
    /// with `sequence`.
    fn write_groups(
        &self,
        storage: &mut dyn Storage,
        tablets: &[usize],
        sequence: u64,
    ) -> Result<Vec<(u8, Arc<SsTable>)>, StorageError> {
        let mut written = Vec::new();
        for &group in self.families.groups().used() {
            match self.write_group(storage, tablets, group, sequence << 8 | u64::from(group)) {
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
        tablets: &[usize],
        group: u8,
        number: u64,
    ) -> Result<Option<Arc<SsTable>>, StorageError> {
        let mut writer: Option<Writer> = None;
        for &index in tablets {
            if let Some(writer) = &mut writer {
                // The parts of two tablets share no block.
                writer.end_block();
            }
            self.write_rows(storage, &self.tablets[index], group, number, &mut writer)?;
        }
        let Some(writer) = writer else { return Ok(None) };
        let file = writer.file();
        writer.finish(storage).inspect_err(|_| {
            let _ = storage.remove(file);
        })
    }

    /// Writes a tablet's rows of a locality group. Makes the writer when there is the first row.
    fn write_rows(
        &self,
        storage: &mut dyn Storage,
        tablet: &Tablet,
        group: u8,
        number: u64,
        writer: &mut Option<Writer>,
    ) -> Result<(), StorageError> {
        let (memtable, groups) = (&*tablet.memtable.read(), self.families.groups());
        let older: Vec<&Run> = tablet.runs_of(group).collect();
        for row in memtable.range(&KeyRange::all()) {
            let key = memtable.key(row);
            let tombstones = if may_hold(&older, key) { memtable.tombstones(row) } else { None };
            let tombstones = tombstones.as_ref().map(|tombstones| groups.part(group, tombstones));
            let is_of_group = |cell: &&MemCell| groups.holds(group, memtable.columns().get(cell.column).0);
            let mut cells = memtable.cells_of(row).filter(is_of_group).peekable();
            if cells.peek().is_none() && tombstones.as_ref().is_none_or(|tombstones| tombstones.is_empty()) {
                continue;
            }
            let writer = match &mut *writer {
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
        Ok(())
    }
}

/// Returns whether any of the runs may have the row. If not, deletes have nothing to hide there.
pub(crate) fn may_hold(runs: &[&Run], key: &[u8]) -> bool {
    runs.iter().any(|run| run.may_hold(key))
}
