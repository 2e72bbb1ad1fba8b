//! The log and manifest of a table, from the table's side. A table without these is volatile: it
//! works the same way in memory.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::{Error, Result, SortedMap, TableSpec, Timestamp};

use super::Table;
use super::plan::Compaction;
use super::run::Run;
use super::tablet::Tablet;
use crate::change::Changes;
use crate::durable::headers::Headers;
use crate::durable::manifest::{Fact, RunFact, Spec, TabletFact};
use crate::durable::{Durable, Snapshot, Visibility, remove_unnamed};
use crate::log::LogPlace;
use crate::sstable::SsTable;
use crate::storage::{FileId, Storage, StorageError};

/// A segment of the commit log ends when it has as many bytes as this many memtables may have,
/// within these limits.
const SEGMENT_MEMTABLES: u64 = 4;
const SEGMENT_BYTES: core::ops::RangeInclusive<u64> = 4 << 10..=16 << 20;

/// A record that a table was deleted, with a header in front of it, has fewer bytes.
const DELETION_BYTES_MAX: u64 = 512;

impl Table {
    /// Creates an empty table. Once this has returned, the table survives the end of the process.
    ///
    /// # Errors
    /// The errors of [`Table::new`]: `InvalidArgument` and `AlreadyExists`; `Unavailable` and
    /// `ResourceExhausted` from storage.
    pub(crate) fn create(
        storage: &mut dyn Storage,
        headers: &mut Headers,
        now: Timestamp,
        name: &str,
        spec: TableSpec,
    ) -> Result<Table> {
        Table::new(now, spec)?.made_durable(storage, headers, name, Visibility::Visible, Vec::new())
    }

    /// Returns this table with a log and a manifest, as [`Durable::create`] makes them.
    pub(crate) fn made_durable(
        mut self,
        storage: &mut dyn Storage,
        headers: &mut Headers,
        name: &str,
        visibility: Visibility,
        shares: Vec<u64>,
    ) -> Result<Table> {
        self.durable =
            Some(Box::new(Durable::create(storage, headers, name, self.facts(), visibility, shares)?));
        Ok(self)
    }

    /// Makes a table that was hidden visible to later runs of the program.
    pub(crate) fn show(&mut self, storage: &mut dyn Storage) -> Result<()> {
        let snapshot = self.snapshot(&[]);
        Ok(self.durable.as_mut().map_or(Ok(()), |durable| durable.show(storage, snapshot))?)
    }

    /// Returns the UID in the headers of the table's files; 0 for a table without a commit log.
    pub(crate) fn uid(&self) -> u64 {
        self.durable.as_ref().map_or(0, |durable| durable.uid())
    }

    /// Sets whether writes are synced before they are acknowledged; the default is `true`. Without
    /// syncs, a crash may lose the last writes, each of them as a whole; [`Table::sync`] makes them
    /// safe.
    pub fn set_synced(&mut self, syncs: bool) {
        if let Some(durable) = &mut self.durable {
            durable.set_synced(syncs);
        }
    }

    /// Syncs all acknowledged writes, so that they survive a crash.
    ///
    /// # Errors
    /// `Unavailable` when some of them may be lost. The table then rejects reads and writes until
    /// it is opened again.
    pub fn sync(&mut self, storage: &mut dyn Storage) -> Result<()> {
        let synced = self.durable.as_mut().map_or(Ok(()), |durable| durable.sync(storage));
        // Writes that were already readable may be lost.
        self.is_changed |= synced.is_err();
        self.publish();
        Ok(synced?)
    }

    /// Marks the writes in the log as synced, so that later damage to the last of them can be told
    /// from a crash.
    pub(crate) fn confirm(&mut self, storage: &mut dyn Storage) {
        if let Some(durable) = &mut self.durable {
            durable.confirm(storage);
        }
    }

    /// Returns why the table cannot be written to, or `None` if it can.
    pub fn refusal(&self) -> Option<&Error> {
        self.durable.as_ref()?.refusal()
    }

    /// Returns whether nothing in the table may change from now on.
    pub(crate) fn is_read_only(&self) -> bool {
        self.refusal().is_some()
    }

    pub(crate) fn check_writable(&self) -> Result<()> {
        self.refusal().cloned().map_or(Ok(()), Err)
    }

    /// Returns the end of the log. The writes in memtables come before it.
    pub(crate) fn log_end(&self) -> LogPlace {
        self.durable.as_ref().map_or(LogPlace::default(), |durable| durable.log_end())
    }

    /// Logs the changes of one request. Returns where their record begins. A table that is not
    /// durable logs nothing.
    ///
    /// # Errors
    /// `Unavailable`, `ResourceExhausted` and `DataLoss`; the message says whether the changes may
    /// have happened.
    pub(crate) fn log(&mut self, storage: &mut dyn Storage, changes: &Changes<'_>) -> Result<LogPlace> {
        self.continue_log(storage)?;
        let Some(durable) = &mut self.durable else { return Ok(LogPlace::default()) };
        let place = durable.append(storage, changes)?;
        if durable.is_synced() && self.held.is_none() {
            durable.sync(storage)?;
        }
        // Records of one segment are adjacent.
        self.counts.work.logged_bytes += durable.log_end().offset - place.offset;
        Ok(place)
    }

    /// Begins a segment of the log if there is none, or if the last one is full.
    pub(crate) fn continue_log(&mut self, storage: &mut dyn Storage) -> Result<()> {
        self.check_writable()?;
        let segment_bytes = self.settings.memtable_bytes_max.saturating_mul(SEGMENT_MEMTABLES);
        let segment_bytes = segment_bytes.clamp(*SEGMENT_BYTES.start(), *SEGMENT_BYTES.end());
        if self.durable.as_ref().is_some_and(|durable| durable.needs_segment(segment_bytes)) {
            self.sync_held(storage)?;
            let snapshot = self.snapshot(&[]);
            self.durable.as_mut().map_or(Ok(()), |durable| durable.begin_segment(storage, snapshot))?;
            let memtables = self.settings.memtable_bytes_max.saturating_mul(self.tablets.len() as u64 * 2);
            self.shorten_log(storage, memtables.max(segment_bytes.saturating_mul(4)));
            self.check_writable()?;
        }
        Ok(())
    }

    /// Returns the bytes of the log's files.
    pub(crate) fn log_bytes(&self) -> u64 {
        self.durable.as_ref().map_or(0, |durable| durable.log_bytes())
    }

    /// Writes all memtables as SSTables, and removes the log up to its current end. If the host
    /// writes memtables, the log is removed after it has done so.
    pub(crate) fn end_log(&mut self, storage: &mut dyn Storage) -> core::result::Result<(), StorageError> {
        let has_waited = self.waits_for_flush();
        self.flush_soon(storage, &Vec::from_iter(0..self.tablets.len()))?;
        if has_waited {
            return Ok(());
        }
        self.durable.as_mut().map_or(Ok(()), |durable| durable.end_segment(storage))?;
        self.record(storage, Vec::new(), &[])
    }

    /// Shortens a log of more than `bytes_max`: writes the memtables that need its oldest segments
    /// as SSTables. A later call retries work that storage refuses.
    pub(crate) fn shorten_log(&mut self, storage: &mut dyn Storage, bytes_max: u64) {
        while !self.is_read_only()
            && let Some(oldest) =
                self.durable.as_ref().and_then(|durable| durable.segment_too_many(bytes_max))
        {
            let holds = |tablet: &Tablet| tablet.pins().any(|from| from.segment <= oldest.number);
            let pinning: Vec<usize> =
                (0..self.tablets.len()).filter(|&index| holds(&self.tablets[index])).collect();
            // A segment that no memtable needs is removed when facts are recorded next.
            let is_free = pinning.is_empty();
            let done = if is_free {
                self.record(storage, Vec::new(), &[])
            } else {
                self.flush_soon(storage, &pinning)
            };
            // Segments of memtables that the host writes are removed once it has written them.
            if done.is_err() || !is_free && self.waits_for_flush() {
                return;
            }
        }
    }

    /// Records facts in the manifest, all or none of them, and removes log segments that only the
    /// frozen memtables of `flushed` tablets needed. A table that is not durable records nothing.
    ///
    /// # Errors
    /// `NotDone` and `Full` when nothing has changed. After `Unknown`, the table rejects writes.
    pub(crate) fn record(
        &mut self,
        storage: &mut dyn Storage,
        facts: Vec<Fact>,
        flushed: &[usize],
    ) -> core::result::Result<(), StorageError> {
        if self.durable.is_none() {
            return Ok(());
        }
        let snapshot = self.snapshot(flushed);
        self.durable
            .as_mut()
            .map_or(Ok(()), |durable| {
                if !flushed.is_empty() && durable.refusal().is_none() {
                    // If a request also changed rows of other tablets, only the log has those
                    // changes.
                    durable.sync(storage)?;
                }
                durable.record(storage, facts, snapshot)
            })
            .inspect_err(|_| self.is_changed = true)
    }

    /// Returns the state of the table once the frozen memtables of `flushed` tablets are stored.
    pub(crate) fn snapshot(&self, flushed: &[usize]) -> Snapshot {
        let frozen = |&index: &usize| self.tablets[index].frozen.as_ref();
        let flushed_of = |segment: u64| {
            flushed.iter().filter_map(frozen).filter(|frozen| frozen.from.segment == segment).count() as u32
        };
        let first_segment = self.pins.first_beyond(flushed_of).unwrap_or(u64::MAX);
        let all = self.durable.as_ref().and_then(|durable| durable.facts_to_renew(|| self.facts()));
        Snapshot { first_segment, counters: self.counters(), all }
    }

    /// Removes a file whose facts could not be recorded, unless they may have been recorded after
    /// all.
    pub(crate) fn forget_file(&self, storage: &mut dyn Storage, file: FileId, error: &StorageError) {
        if self.durable.is_some() {
            remove_unnamed(storage, file, error);
        } else {
            let _ = storage.remove(file);
        }
    }

    /// Removes the table permanently, with its files.
    pub(crate) fn delete(
        &mut self,
        storage: &mut dyn Storage,
        headers: &mut Headers,
    ) -> core::result::Result<(), StorageError> {
        let has_step = self.background.is_apart() || self.background.is_flushing;
        let is_held = has_step || self.reading.is_read() || !self.unused.is_empty();
        let completed = !is_held || self.freed_bytes() >= DELETION_BYTES_MAX;
        let deletion =
            self.durable.as_mut().map(|durable| durable.mark_deleted(storage, completed)).transpose()?;
        let mut done = Ok(());
        if let Some(compaction) = self.background.compaction.take() {
            done = self.abandon(storage, compaction);
        }
        let runs = self.tablets.iter_mut().flat_map(|tablet| core::mem::take(&mut tablet.runs)).collect();
        self.publish_deleted();
        done = done.and(self.remove_unused(storage, runs));
        if !self.unused.is_empty() || has_step {
            // The manifest keeps naming these files until the storage is opened again.
            done = done.and(Err(StorageError::NotDone("a read has files of the table".into())));
        }
        if let (Some(durable), Some(deletion)) = (&mut self.durable, deletion) {
            durable.remove(storage, headers, &deletion, done);
            return Ok(());
        }
        done
    }

    /// Returns the bytes of the files that a deletion of the table removes at once: those that only
    /// this table has.
    fn freed_bytes(&self) -> u64 {
        let compaction = self.background.compaction.iter().filter(|compaction| compaction.merging.is_some());
        let inputs = compaction.flat_map(Compaction::runs);
        let mut files: SortedMap<FileId, (&Arc<SsTable>, usize)> = SortedMap::new();
        for run in self.tablets.iter().flat_map(|tablet| &tablet.runs).chain(inputs) {
            match files.get_mut(&run.table.file) {
                Some((_, holders)) => *holders += 1,
                None => drop(files.insert(run.table.file, (&run.table, 1))),
            }
        }
        let is_own = |(table, holders): &&(&Arc<SsTable>, usize)| Arc::strong_count(table) == *holders;
        let own: u64 = files.values().filter(is_own).map(|(table, _)| table.block_bytes()).sum();
        // A read holds all files of the table as it was.
        self.log_bytes() + if self.reading.is_read() || self.unused.is_waiting() { 0 } else { own }
    }

    /// Removes the files of replaced runs as soon as nothing has them open.
    pub(crate) fn remove_unused(
        &mut self,
        storage: &mut dyn Storage,
        replaced: Vec<Run>,
    ) -> core::result::Result<(), StorageError> {
        self.unused.add(replaced);
        self.unused.remove(storage, |file| self.reading.cache.lock().forget(file))
    }

    /// Stores the current families and settings.
    pub(crate) fn record_spec(
        &mut self,
        storage: &mut dyn Storage,
    ) -> core::result::Result<(), StorageError> {
        let facts = if self.durable.is_some() { alloc::vec![Fact::Spec(self.spec())] } else { Vec::new() };
        self.record(storage, facts, &[])
    }

    /// Returns families, settings, counters and tablets as facts.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        let tablets = self.tablets.iter().map(Tablet::fact);
        [Fact::Spec(self.spec()), self.counters()].into_iter().chain(tablets).collect()
    }

    fn spec(&self) -> Spec {
        Spec { families: self.families.all().to_vec(), settings: self.settings.clone() }
    }
}

impl Tablet {
    /// Returns the stored facts of the tablet.
    pub fn fact(&self) -> Fact {
        let total = self.load.lock().total;
        Fact::Tablet(TabletFact {
            id: self.id,
            parent: self.parent,
            range: self.range.clone(),
            log_mark: self.log_mark,
            reads: total.reads,
            writes: total.writes,
            runs: self.runs.iter().map(Run::fact).collect(),
        })
    }

    /// Returns the stored facts with these runs instead, as if all rows before `log_mark` were in
    /// them.
    pub fn fact_with(&self, runs: &[Run], log_mark: LogPlace) -> Fact {
        match self.fact() {
            Fact::Tablet(fact) => {
                Fact::Tablet(TabletFact { runs: runs.iter().map(Run::fact).collect(), log_mark, ..fact })
            }
            other => other,
        }
    }
}

impl Run {
    fn fact(&self) -> RunFact {
        let Run { table, range, sequence, group, size, collected: _ } = self;
        RunFact {
            file: table.file,
            number: table.header.number,
            range: range.clone(),
            sequence: *sequence,
            group: *group,
            size: *size,
        }
    }
}
