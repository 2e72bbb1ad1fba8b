//! A table: its families and its tablets in key order.

pub(crate) mod background;
pub(crate) mod compaction;
mod drop_range;
mod due;
mod expired;
pub(crate) mod flush;
pub(crate) mod flushing;
mod fork;
mod garbage;
mod held;
mod held_writes;
mod inside;
pub(crate) mod large_write;
pub(crate) mod load;
pub(crate) mod merging;
mod middle;
pub(crate) mod mutate;
mod overlap;
mod persistence;
mod pins;
pub(crate) mod plan;
mod publish;
mod read_write;
pub(crate) mod run;
pub(crate) mod scan;
pub(crate) mod size;
pub(crate) mod snapshot;
mod split;
pub(crate) mod tablet;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod touch;
pub(crate) mod trace;
pub(crate) mod unused;
mod upkeep;

use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::limits::ROW_KEY_BYTES_MAX;
use tabletop_model::{
    ColumnFamily, Error, FamilyModification, Result, RowKeySample, TableCounts, TableSettings, TableSpec,
    TableView, TableWork, TabletId, TabletMinute, Timestamp,
};

use crate::durable::Durable;
use crate::durable::headers::Headers;
use crate::durable::manifest::Fact;
use crate::families::Families;
use crate::key_range::KeyRange;
use crate::shared::Guarded;
use crate::storage::Storage;
use crate::table::background::Background;
use crate::table::held_writes::Held;
use crate::table::pins::Pins;
use crate::table::snapshot::Reading;
use crate::table::tablet::{Tablet, TabletData, Wanted, WantedRows};
use crate::table::unused::Unused;

/// A sorted map from row key, family, qualifier and timestamp to bytes, split into tablets.
///
/// Every method that reads or writes cells takes the storage, which several tables may share.
#[derive(Debug)]
pub struct Table {
    families: Arc<Families>,
    settings: TableSettings,
    /// The tablets, in key order and without gaps; never empty.
    tablets: Vec<Tablet>,
    background: Background,
    /// The bytes of all memtables, as last counted.
    memtable_bytes: u64,
    pins: Pins,
    counts: Counts,
    /// The state that reads see and share.
    reading: Arc<Reading>,
    /// Whether something has changed since [`Table::publish`] was last called.
    is_changed: bool,
    /// Writes that share a sync; `None` if each write is synced on its own.
    held: Option<Box<Held>>,
    /// Files of runs that were replaced, while a read, a backup or another table may still have
    /// them.
    unused: Unused,
    tablets_made: u64,
    sequences: u64,
    /// The log and manifest of a table that survives the process.
    durable: Option<Box<Durable>>,
}

/// Counts since the table was created.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub splits: u64,
    pub merges: u64,
    pub minor_compactions: u64,
    pub major_compactions: u64,
    pub work: TableWork,
}

impl Table {
    /// Creates an empty table; its tablets are created at `now`.
    ///
    /// # Errors
    /// `InvalidArgument` for invalid family names, splits or settings, `AlreadyExists` for a family
    /// that is named twice.
    pub fn new(now: Timestamp, spec: TableSpec) -> Result<Table> {
        spec.settings.validate()?;
        check_splits(&spec.initial_splits)?;
        let mut table = Table::stored(spec.settings, Families::default());
        let families: Vec<_> = spec.families.into_iter().map(FamilyModification::Create).collect();
        Arc::make_mut(&mut table.families).modify(&families)?;
        let mut start = Vec::new();
        let ends = spec.initial_splits.into_iter().map(|split| Some(split.0)).chain([None]);
        for end in ends {
            let next = end.clone().unwrap_or_default();
            let range = KeyRange { start: core::mem::replace(&mut start, next), end };
            let tablet = Tablet::new(table.new_tablet_id(), range, now, &table.settings);
            table.tablets.push(tablet);
        }
        Ok(table)
    }

    /// Creates a table whose tablets are added later.
    pub(crate) fn stored(settings: TableSettings, families: Families) -> Table {
        Table {
            families: Arc::new(families),
            reading: Reading::new(&settings),
            is_changed: true,
            held: None,
            unused: Unused::default(),
            settings,
            tablets: Vec::new(),
            background: Background::default(),
            memtable_bytes: 0,
            pins: Pins::default(),
            counts: Counts::default(),
            tablets_made: 0,
            sequences: 0,
            durable: None,
        }
    }

    /// Sets the log and manifest of a stored table.
    pub(crate) fn set_durable(&mut self, durable: Durable) {
        self.durable = Some(Box::new(durable));
    }

    /// Returns the log and manifest of a table that survives the process.
    pub(crate) fn durable(&self) -> Option<&Durable> {
        self.durable.as_deref()
    }

    /// Returns the log and manifest of a table that survives the process, to change them.
    pub(crate) fn durable_mut(&mut self) -> Option<&mut Durable> {
        self.durable.as_deref_mut()
    }

    /// Adds a tablet above all others to a stored table.
    pub(crate) fn add_tablet(&mut self, tablet: Tablet) {
        self.tablets.push(tablet);
    }

    /// Returns the tablets in key order, without gaps.
    pub(crate) fn tablets(&self) -> &[Tablet] {
        &self.tablets
    }

    /// Returns the settings.
    pub(crate) fn settings(&self) -> &TableSettings {
        &self.settings
    }

    /// Returns the families, including dropped ones.
    pub(crate) fn all_families(&self) -> &Families {
        &self.families
    }

    /// Returns the state that reads share with the table.
    pub(crate) fn reading(&self) -> &Arc<Reading> {
        &self.reading
    }

    /// Returns the counts since the table was created.
    pub(crate) fn work_counts(&self) -> &Counts {
        &self.counts
    }

    /// Returns whether no memtable needs the log.
    pub(crate) fn needs_no_log(&self) -> bool {
        self.pins.is_empty()
    }

    /// Sets how long garbage that is worth a compaction may wait, in microseconds, and the time
    /// that GC rules use as the current time.
    pub(crate) fn set_gc(&mut self, delay: i64, time: Option<Timestamp>) {
        (self.background.gc_delay, self.background.gc_time) = (delay, time);
    }

    /// Records that any tablet may have work that is due.
    pub(crate) fn look_at_all(&mut self) {
        self.background.due.note_all();
    }

    /// Returns the families in the order of their creation.
    pub fn families(&self) -> impl Iterator<Item = &ColumnFamily> {
        self.families.iter()
    }

    /// Creates, changes and drops families: all modifications are applied in order, or none of
    /// them. A new GC rule also applies to existing cells.
    ///
    /// # Errors
    /// `InvalidArgument` for a bad name or rule, `AlreadyExists` for a name that is taken,
    /// `NotFound` for a family that does not exist.
    pub fn modify_families(
        &mut self,
        storage: &mut dyn Storage,
        modifications: &[FamilyModification],
    ) -> Result<()> {
        self.check_writable()?;
        let before = self.families.clone();
        let drops = Arc::make_mut(&mut self.families).modify(modifications)?;
        self.is_changed = true;
        if let Err(error) = self.record_spec(storage) {
            self.families = before;
            return Err(error.into());
        }
        let is_create =
            |modification: &FamilyModification| matches!(modification, FamilyModification::Create(_));
        self.background.due.note_all();
        if !modifications.iter().all(is_create) {
            for tablet in &mut self.tablets {
                tablet.wanted.iter_mut().for_each(|wanted| wanted.done.clear());
                tablet.runs.iter_mut().for_each(|run| run.collected = None);
            }
            if let Some(compaction) = self.background.compaction.take() {
                // The compaction would collect by the old rules. An error while removing its file
                // does not matter.
                let _ = self.abandon(storage, compaction);
            }
        }
        if drops {
            let kinds = self.families.kinds();
            for tablet in &mut self.tablets {
                let TabletData { memtable, frozen, .. } = &mut **tablet;
                let memtables =
                    [memtable].into_iter().chain(frozen.as_mut().map(|frozen| &mut frozen.memtable));
                for memtable in memtables {
                    // A read that has begun still holds the cells, so the memtable is copied.
                    let mut kept = memtable.read().clone();
                    kept.remove_dropped(kinds);
                    *memtable = Arc::new(Guarded::new(kept));
                }
                frozen.take_if(|frozen| frozen.memtable.read().is_empty());
            }
            (0..self.tablets.len()).for_each(|index| self.count_memtable(index));
            self.pins = Pins::default();
            self.tablets.iter().flat_map(Tablet::pins).for_each(|from| self.pins.add(from.segment));
        }
        self.publish();
        Ok(())
    }

    /// Changes the settings. Results of reads stay the same. Later calls run the splits and
    /// compactions that become due.
    ///
    /// # Errors
    /// `InvalidArgument` for invalid settings.
    pub fn update_settings(&mut self, storage: &mut dyn Storage, settings: TableSettings) -> Result<()> {
        settings.validate()?;
        self.check_writable()?;
        let before = core::mem::replace(&mut self.settings, settings.clone());
        let recorded = self.record_spec(storage);
        self.settings = before;
        recorded?;
        if settings.load_window_seconds != self.settings.load_window_seconds {
            for tablet in &self.tablets {
                let mut load = tablet.load.lock();
                *load = load.with_window(settings.load_window_seconds);
            }
        }
        self.tablets.iter_mut().for_each(|tablet| tablet.unsplittable_bytes = 0);
        self.reading.cache.lock().resize(settings.cache_bytes_max);
        self.settings = settings;
        self.background.due.note_all();
        self.is_changed = true;
        self.publish();
        Ok(())
    }

    /// Removes all blocks from the cache.
    pub fn forget_blocks(&self) {
        self.reading.cache.lock().shrink(0);
    }

    /// Requests a major compaction of every tablet whose rows are in several sources or that has
    /// cells to collect; [`Table::advance`] runs it. It covers the rows that exist now: later
    /// writes neither cancel it nor extend it.
    pub fn compact(&mut self) {
        (0..self.tablets.len()).for_each(|index| self.want_compaction(index));
        if let Some(compaction) = &mut self.background.compaction {
            compaction.supersede();
        }
    }

    /// Requests a major compaction of one tablet.
    pub(crate) fn want_compaction(&mut self, index: usize) {
        let tablet = &mut self.tablets[index];
        let rows = match &tablet.frozen {
            _ if !tablet.memtable.read().is_empty() => WantedRows::Memtable,
            Some(_) => WantedRows::Frozen,
            None => WantedRows::Written,
        };
        tablet.wanted = Some(Wanted { rows, done: Vec::new() });
        self.background.due.note_all();
    }

    /// Returns the specification that would create the table as it is, without its rows.
    pub fn describe(&self) -> TableSpec {
        TableSpec {
            families: self.families().cloned().collect(),
            initial_splits: self.tablets[1..]
                .iter()
                .map(|tablet| tablet.range.start.clone().into())
                .collect(),
            settings: self.settings.clone(),
        }
    }

    /// Returns a view of the table at `now`.
    pub fn view(&mut self, now: Timestamp) -> TableView {
        self.settle();
        let reads = *self.reading.counts.lock();
        TableView {
            tablets: self.tablets.iter().map(|tablet| tablet.view(now)).collect(),
            splits: self.counts.splits,
            merges: self.counts.merges,
            minor_compactions: self.counts.minor_compactions,
            major_compactions: self.counts.major_compactions,
            blocks_read: reads.blocks.blocks_read,
            bytes_read: reads.blocks.bytes_read,
            cache_hits: reads.blocks.cache_hits,
            bytes_returned: reads.bytes_returned,
            bloom_skips: reads.bloom_skips,
            work: self.counts.work,
            read_only: self.refusal().cloned(),
            work_error: self.background.last_error(),
        }
    }

    /// Returns the table's figures, in the time it takes to sum over its tablets.
    pub fn counts(&self) -> TableCounts {
        let reads = *self.reading.counts.lock();
        TableCounts {
            tablets: self.tablets.len() as u64,
            sstables: self.tablets.iter().map(|tablet| tablet.runs.len() as u64).sum(),
            bytes: self.tablets.iter().map(|tablet| tablet.bytes()).sum(),
            memtable_bytes: self.memtable_bytes(),
            log_bytes: self.log_bytes(),
            cache_bytes: self.reading.cache.lock().bytes(),
            splits: self.counts.splits,
            merges: self.counts.merges,
            minor_compactions: self.counts.minor_compactions,
            major_compactions: self.counts.major_compactions,
            blocks_read: reads.blocks.blocks_read,
            bytes_read: reads.blocks.bytes_read,
            bytes_returned: reads.bytes_returned,
            cache_hits: reads.blocks.cache_hits,
            bloom_skips: reads.bloom_skips,
            work: self.counts.work,
            read_only: self.refusal().cloned(),
        }
    }

    /// Returns the load of each tablet in each minute of the load window that had any.
    pub fn tablet_minutes(&self, now: Timestamp) -> Vec<TabletMinute> {
        let of_tablet = |tablet: &Tablet| -> Vec<TabletMinute> {
            let minutes = tablet.load.lock().minutes(now);
            let minute = |(second, counts): (i64, load::Counts)| TabletMinute {
                tablet: tablet.id,
                start: tablet.range.start.clone().into(),
                end: tablet.range.end.clone().unwrap_or_default().into(),
                from: second.saturating_mul(1_000_000),
                scans: counts.scans,
                rows_read: counts.reads,
                rows_written: counts.writes,
            };
            minutes.into_iter().map(minute).collect()
        };
        self.tablets.iter().flat_map(of_tablet).collect()
    }

    /// Returns the damage that a compaction has found since the last call.
    pub fn take_new_damage(&mut self) -> Option<Error> {
        self.background.take_new_damage()
    }

    /// Returns the split points of the tablets, and keys that divide the tablets into parts of
    /// about a quarter of `tablet_bytes_max`. The last key is empty: it stands for the end of the
    /// table. (In production, the result includes the split points that a table was created with;
    /// clients that read in parallel rely on it.)
    pub fn sample_row_keys(&mut self) -> Vec<RowKeySample> {
        self.publish();
        self.reading.sample_row_keys()
    }

    /// Removes the table's files. The table cannot be used afterwards.
    ///
    /// # Errors
    /// For a table that survives the process, `Unavailable` when it still exists, or may still
    /// exist. For other tables, the first error of storage; the other files are removed
    /// nevertheless.
    pub(crate) fn discard(&mut self, storage: &mut dyn Storage, headers: &mut Headers) -> Result<()> {
        Ok(self.delete(storage, headers)?)
    }

    /// Returns the counters that survive the process.
    pub(crate) fn counters(&self) -> Fact {
        let mut copy = (self.tablets_made, self.sequences, self.counts);
        Fact::Counters(in_order(&mut copy).into_iter().map(|counter| *counter).collect())
    }

    /// Sets the counters of a stored table; missing ones are 0.
    pub(crate) fn set_counters(&mut self, stored: &[u64]) {
        let mut copy = (self.tablets_made, self.sequences, self.counts);
        in_order(&mut copy).into_iter().zip(stored).for_each(|(counter, stored)| *counter = *stored);
        (self.tablets_made, self.sequences, self.counts) = copy;
    }

    /// Sorts the writes to the memtables since the last read.
    pub(crate) fn settle(&mut self) {
        let kinds = self.families.kinds();
        self.tablets.iter().for_each(|tablet| tablet.settle(kinds));
    }

    /// Returns the indices of the tablets that a range of rows touches.
    pub(crate) fn tablets_of(&self, range: &KeyRange) -> core::ops::Range<usize> {
        snapshot::tablets_of(&self.tablets, range)
    }

    /// Returns the index of the tablet with a key.
    pub(crate) fn tablet_of(&self, key: &[u8]) -> usize {
        snapshot::tablet_of(&self.tablets, key)
    }

    pub(crate) fn new_tablet_id(&mut self) -> TabletId {
        self.tablets_made += 1;
        TabletId(self.tablets_made)
    }

    /// Returns a sequence for a run that is newer than all others.
    pub(crate) fn new_sequence(&mut self) -> u64 {
        self.sequences += 1;
        self.sequences
    }
}

/// Tablets created, sequences and counts, in the order in which they are stored. New ones are added
/// at the end.
fn in_order((tablets_made, sequences, counts): &mut (u64, u64, Counts)) -> [&mut u64; 13] {
    let Counts { splits, merges, minor_compactions, major_compactions, work } = counts;
    let TableWork {
        user_bytes,
        logged_bytes,
        flushed_bytes,
        compaction_bytes_read,
        compaction_bytes_written,
        writes_slowed,
        slowed_bytes,
    } = work;
    [
        tablets_made,
        sequences,
        splits,
        merges,
        minor_compactions,
        major_compactions,
        user_bytes,
        logged_bytes,
        flushed_bytes,
        compaction_bytes_read,
        compaction_bytes_written,
        writes_slowed,
        slowed_bytes,
    ]
}

fn check_splits(splits: &[tabletop_model::RowKey]) -> Result<()> {
    for (index, key) in splits.iter().enumerate() {
        if key.is_empty() || key.len() > ROW_KEY_BYTES_MAX {
            return Err(Error::invalid(format!(
                "Error in field 'initial_splits' : Error in element #{index} : a split key has 1 to {ROW_KEY_BYTES_MAX} \
                 bytes, found {}",
                key.len()
            )));
        }
        if index > 0 && splits[index - 1] >= *key {
            return Err(Error::invalid(format!(
                "Error in field 'initial_splits' : Error in element #{index} : \"{key}\" does not sort after \"{}\": split \
                 keys ascend, each once",
                splits[index - 1]
            )));
        }
    }
    Ok(())
}
