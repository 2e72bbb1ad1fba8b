//! A replica: a table of the engine, its part of the replication log, and what it knows of the
//! others.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_engine::{Budget, Instance, MemoryStorage};
use tabletop_model::limits::TIMESTAMP_GRANULARITY_MICROS;
use tabletop_model::{
    CheckAndMutateRow, GcRule, Mutation, ReadModifyWriteRow, ReadRows, Result, Row, RowKey, RowMutation,
    RowSet, RowsChunk, SERVER_TIME, TableSpec, Timestamp,
};

use super::entry::{Entry, ReplicaId, Stamp, WriteId};
use super::planted::{Fault, Planted};
use super::versions::Versions;

/// The table of each replica's instance.
const TABLE: &str = "table";
/// Bytes that a step of a replica's compactions reads and writes.
const COMPACTION_BYTES: u64 = 64 << 10;

/// A write of one row, as a client sends it.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Mutations of a row.
    Mutate(RowMutation),
    /// Changes of cells that depend on their values.
    ReadModifyWrite(ReadModifyWriteRow),
    /// Mutations of a row that depend on a filter.
    CheckAndMutate(CheckAndMutateRow),
}

impl Change {
    /// Returns the row.
    pub fn key(&self) -> &RowKey {
        match self {
            Change::Mutate(row) => &row.key,
            Change::ReadModifyWrite(row) => &row.key,
            Change::CheckAndMutate(row) => &row.key,
        }
    }
}

/// What a replica has of the writes of one origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// All writes up to this sequence number are applied.
    pub applied: u64,
    /// The low watermark: all writes with a commit time up to this one are applied.
    pub watermark: Timestamp,
}

impl Progress {
    pub(super) const NONE: Progress = Progress { applied: 0, watermark: Timestamp::MIN };
}

/// The writes of one origin at a replica.
#[derive(Clone, Debug, Default)]
struct OriginLog {
    /// Entries that some replica may lack.
    entries: BTreeMap<u64, Arc<Entry>>,
    /// Applied entries after the first gap.
    beyond: BTreeSet<u64>,
    /// Promises that wait for entries: with all writes up to `applied`, those up to `watermark` are
    /// here.
    promises: Vec<Progress>,
}

/// The state of a replica, all of which survives a stop: the engine's files, and next to them the
/// log, the commit times and what is known of the other replicas.
#[derive(Debug)]
pub(super) struct Replica {
    pub id: ReplicaId,
    instance: Instance<MemoryStorage>,
    /// Whether GC rules may collect cells. Then compactions run only at the moment of a collection.
    collects: bool,
    versions: Versions,
    logs: Vec<OriginLog>,
    /// By replica and origin. The row of the replica itself is the truth, the others are what it has
    /// heard.
    known: Vec<Vec<Progress>>,
    /// No write is committed up to this time any more.
    promised: Timestamp,
    planted: Planted,
}

impl Replica {
    /// Creates a replica of an empty table. `replicas` is the number of replicas so far.
    pub fn new(
        id: ReplicaId,
        spec: &TableSpec,
        replicas: usize,
        now: Timestamp,
        planted: Planted,
    ) -> Result<Replica> {
        let (mut instance, _) = Instance::open(MemoryStorage::default(), now)?;
        instance.create_table(now, TABLE, spec.clone())?;
        Ok(Replica {
            id,
            instance,
            collects: spec.families.iter().any(|family| family.gc_rule != GcRule::KeepAll),
            versions: Versions::new(spec.families.iter().map(|family| family.name.clone()).collect()),
            logs: vec![OriginLog::default(); replicas],
            known: vec![vec![Progress::NONE; replicas]; replicas],
            promised: Timestamp::MIN,
            planted,
        })
    }

    /// Returns a copy of this replica for a new cluster.
    ///
    /// # Errors
    /// Errors of the engine when it opens the copied files.
    pub fn copy(&self, id: ReplicaId, now: Timestamp) -> Result<Replica> {
        let (instance, _) = Instance::open(self.instance.storage().clone(), now)?;
        let mut known = self.known.clone();
        known[id.at()] = known[self.id.at()].clone();
        let row = &known[id.at()];
        // Deletes up to the watermarks may be forgotten already, so the new replica's writes are
        // committed after them.
        let promised = row.iter().map(|progress| progress.watermark).max().unwrap_or(Timestamp::MIN);
        Ok(Replica {
            id,
            instance,
            collects: self.collects,
            versions: self.versions.clone(),
            logs: self.logs.clone(),
            known,
            promised,
            planted: self.planted,
        })
    }

    /// Returns the number of replicas that this one knows, including destroyed ones.
    pub fn replicas(&self) -> usize {
        self.logs.len()
    }

    /// Makes room for another replica.
    pub fn add_replica(&mut self) {
        self.logs.push(OriginLog::default());
        self.known.iter_mut().for_each(|row| row.push(Progress::NONE));
        self.known.push(vec![Progress::NONE; self.logs.len()]);
    }

    /// Opens the table again from its files, as after a crash.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn reopen(&mut self, now: Timestamp) -> Result<()> {
        let (instance, _) = Instance::open(self.instance.storage().clone(), now)?;
        self.instance = instance;
        if self.planted.has(Fault::PromiseForgotten) {
            self.promised = Timestamp::MIN;
        }
        Ok(())
    }

    /// Returns the bytes of the replica's files.
    pub fn stored_bytes(&self) -> u64 {
        self.instance.storage().bytes()
    }

    /// Commits a client's write and adds it to the log. `clock` is the cluster's own clock, `now`
    /// the time for the engine's maintenance. Returns the write; for a check, whether the filter
    /// matched; for a read-modify-write, the new cells.
    ///
    /// # Errors
    /// The engine's errors, after which nothing has changed.
    pub fn write(&mut self, now: Timestamp, clock: Timestamp, change: &Change) -> Result<Written> {
        let after = self.promised.max(self.versions.newest(change.key()).unwrap_or(Timestamp::MIN));
        let commit = clock.max(after.saturating_add(1));
        let mut table = self.instance.table(TABLE)?;
        let (mutations, matched, cells) = match change {
            Change::Mutate(row) => {
                let fixed = RowMutation { key: row.key.clone(), mutations: fix(&row.mutations, commit) };
                table.mutate_row(now, &fixed)?;
                (fixed.mutations, None, None)
            }
            Change::ReadModifyWrite(row) => {
                let cells = table.read_modify_write_row(commit, row)?;
                (cells.cells.iter().map(set).collect(), None, Some(cells))
            }
            Change::CheckAndMutate(check) => {
                let fixed = CheckAndMutateRow {
                    on_match: fix(&check.on_match, commit),
                    otherwise: fix(&check.otherwise, commit),
                    ..check.clone()
                };
                let matched = table.check_and_mutate_row(commit, &fixed)?;
                (if matched { fixed.on_match } else { fixed.otherwise }, Some(matched), None)
            }
        };
        self.promised = commit;
        let own = self.id.at();
        let sequence = self.known[own][own].applied + 1;
        let stamp = Stamp { commit, tie_breaker: i32::from(self.id.0) };
        let id = WriteId { origin: self.id, sequence };
        let entry = Arc::new(Entry { id, stamp, key: change.key().clone(), mutations });
        self.versions.add(&entry, self.planted, || None);
        self.logs[own].entries.insert(sequence, entry.clone());
        self.known[own][own] = Progress { applied: sequence, watermark: commit };
        Ok(Written { entry, matched, cells })
    }

    /// Applies a write of another replica. Returns `false` for a write that was applied before.
    pub fn apply(&mut self, now: Timestamp, entry: &Arc<Entry>) -> bool {
        let WriteId { origin, sequence } = entry.id;
        let own = self.id.at();
        if self.has(entry.id) && !self.planted.has(Fault::RepeatsApplied) {
            return false;
        }
        let instance = &mut self.instance;
        let stored = || {
            let rows = RowSet { keys: vec![entry.key.clone()], ranges: Vec::new() };
            let read = ReadRows { rows, unmetered: true, ..ReadRows::default() };
            instance.table(TABLE).and_then(|mut table| table.read(now, &read)).ok()?.rows.pop()
        };
        let effect = self.versions.add(entry, self.planted, stored);
        let mutations = effect.unwrap_or_else(|| entry.mutations.clone());
        if !mutations.is_empty() {
            let row = RowMutation { key: entry.key.clone(), mutations };
            let applied = self.instance.table(TABLE).and_then(|mut table| table.mutate_row(now, &row));
            assert_eq!(applied, Ok(()), "the origin's table has accepted write {:?}", entry.id);
        }
        let log = &mut self.logs[origin.at()];
        log.entries.insert(sequence, entry.clone());
        log.beyond.insert(sequence);
        let progress = &mut self.known[own][origin.at()];
        while log.beyond.first() == Some(&(progress.applied + 1)) {
            log.beyond.pop_first();
            progress.applied += 1;
        }
        self.keep_promises(origin);
        true
    }

    /// Returns whether a write is applied here.
    pub fn has(&self, write: WriteId) -> bool {
        write.sequence <= self.known[self.id.at()][write.origin.at()].applied
            || self.logs[write.origin.at()].beyond.contains(&write.sequence)
    }

    /// Promises that no write up to the time of the clock will be committed any more. Returns the
    /// row to send to the other replicas.
    pub fn beat(&mut self, clock: Timestamp) -> Vec<Progress> {
        let own = self.id.at();
        self.promised = self.promised.max(clock);
        self.known[own][own].watermark = self.promised;
        self.known[own].clone()
    }

    /// Learns what another replica has: a row that it has sent, maybe a while ago. Returns `false`
    /// if nothing in it is new.
    ///
    /// "All writes up to this time have sequence numbers up to this one" is true everywhere, so
    /// each row is also a promise for this replica.
    pub fn learn(&mut self, of: ReplicaId, row: &[Progress]) -> bool {
        let own = self.id.at();
        let mut is_new = false;
        for (origin, heard) in row.iter().enumerate() {
            let known = &mut self.known[of.at()][origin];
            if heard.applied <= known.applied && heard.watermark <= known.watermark {
                continue;
            }
            is_new = true;
            known.applied = known.applied.max(heard.applied);
            known.watermark = known.watermark.max(heard.watermark);
            let mine = &mut self.known[own][origin];
            if heard.watermark <= mine.watermark || origin == own {
                continue;
            }
            if heard.applied <= mine.applied || self.planted.has(Fault::PromiseTrusted) {
                mine.watermark = heard.watermark;
            } else {
                self.logs[origin].add_promise(*heard);
            }
        }
        is_new
    }

    fn keep_promises(&mut self, origin: ReplicaId) {
        let mine = &mut self.known[self.id.at()][origin.at()];
        self.logs[origin.at()].promises.retain(|promise| {
            let is_kept = promise.applied <= mine.applied;
            if is_kept {
                mine.watermark = mine.watermark.max(promise.watermark);
            }
            !is_kept
        });
    }

    /// Returns what this replica has of an origin's writes.
    pub fn progress(&self, origin: ReplicaId) -> Progress {
        self.known[self.id.at()][origin.at()]
    }

    /// Returns the entries of an origin, up to a sequence number, that another replica lacks as far
    /// as this one knows.
    pub fn lacking(&self, of: ReplicaId, origin: ReplicaId, up_to: u64) -> impl Iterator<Item = &Arc<Entry>> {
        let from = self.known[of.at()][origin.at()].applied + 1;
        let entries = &self.logs[origin.at()].entries;
        (from <= up_to).then(|| entries.range(from..=up_to)).into_iter().flatten().map(|(_, entry)| entry)
    }

    /// Returns the largest sequence number of an origin that is applied here.
    pub fn last(&self, origin: ReplicaId) -> u64 {
        let applied = self.progress(origin).applied;
        self.logs[origin.at()].beyond.last().copied().unwrap_or(applied)
    }

    /// Returns whether this replica has exactly the same writes of an origin as another one.
    pub fn has_same(&self, other: &Replica, origin: ReplicaId) -> bool {
        self.progress(origin).applied == other.progress(origin).applied
            && self.logs[origin.at()].beyond == other.logs[origin.at()].beyond
    }

    /// Forgets what no member can lack any more: entries that all have applied, and commit times and
    /// deletes that every low watermark has passed. `origins` are the replicas whose writes may
    /// still arrive.
    pub fn forget(&mut self, members: &[ReplicaId], origins: &[ReplicaId]) {
        for origin in origins {
            let heard = members.iter().map(|member| self.known[member.at()][origin.at()].applied);
            let everywhere = if self.planted.has(Fault::LogCutEarly) { heard.max() } else { heard.min() };
            let entries = &mut self.logs[origin.at()].entries;
            while let Some(first) = entries.first_entry()
                && Some(*first.key()) <= everywhere
            {
                first.remove();
            }
        }
        let pairs = members
            .iter()
            .flat_map(|member| origins.iter().map(|origin| self.known[member.at()][origin.at()].watermark));
        let passed =
            if self.planted.has(Fault::DeletesForgottenEarly) { Some(self.promised) } else { pairs.min() };
        if let Some(passed) = passed {
            self.versions.settle(passed);
        }
    }

    /// Removes the log of an origin of which no other write can arrive.
    pub fn close(&mut self, origin: ReplicaId) {
        let log = &mut self.logs[origin.at()];
        log.entries.clear();
        log.promises.clear();
    }

    /// Runs some of the compactions that are due.
    pub fn compact(&mut self, now: Timestamp) {
        if !self.collects {
            self.instance.advance(now, Budget { bytes: COMPACTION_BYTES });
        }
    }

    /// Collects all cells that GC rules have expired at `now`.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn collect(&mut self, now: Timestamp) -> Result<()> {
        self.instance.set_gc_time(Some(now));
        self.instance.table(TABLE)?.compact();
        while self.instance.advance(now, Budget { bytes: u64::MAX }) {}
        Ok(())
    }

    /// Reads rows as they are here.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn read(&mut self, now: Timestamp, read: &ReadRows) -> Result<RowsChunk> {
        self.instance.table(TABLE)?.read(now, read)
    }

    /// Returns the numbers of entries, deletes and commit times that are kept.
    pub fn kept(&self) -> Kept {
        Kept {
            entries: self.logs.iter().map(|log| log.entries.len()).sum(),
            deletes: self.versions.deletes(),
            commit_times: self.versions.cells(),
        }
    }
}

impl OriginLog {
    fn add_promise(&mut self, promise: Progress) {
        // A later promise for the same entries replaces this one.
        match self.promises.iter_mut().find(|known| known.applied == promise.applied) {
            Some(known) => known.watermark = known.watermark.max(promise.watermark),
            None => self.promises.push(promise),
        }
    }
}

/// What a replica keeps only until all others have caught up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Entries of the log that some replica may lack.
    pub entries: usize,
    /// Deletes before which some write may still arrive.
    pub deletes: usize,
    /// Commit times of cells and inputs before which some write may still arrive.
    pub commit_times: usize,
}

/// A committed write and the response to its client.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub entry: Arc<Entry>,
    pub matched: Option<bool>,
    pub cells: Option<Row>,
}

/// Replaces the server's time with the commit time, truncated as the engine does.
fn fix(mutations: &[Mutation], commit: Timestamp) -> Vec<Mutation> {
    let mut mutations = mutations.to_vec();
    for mutation in &mut mutations {
        if let Mutation::SetCell { timestamp, .. } = mutation
            && *timestamp == SERVER_TIME
        {
            *timestamp = commit - commit.rem_euclid(TIMESTAMP_GRANULARITY_MICROS);
        }
    }
    mutations
}

/// Returns the mutation that sets a cell.
fn set(cell: &tabletop_model::Cell) -> Mutation {
    Mutation::SetCell {
        family: cell.family.clone(),
        qualifier: cell.qualifier.clone(),
        timestamp: cell.timestamp,
        value: cell.value.clone(),
    }
}
