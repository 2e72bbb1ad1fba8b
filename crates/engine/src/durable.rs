//! Durability: a commit log of a table's writes, and a manifest that names its files.
//!
//! A write is acknowledged when its log record is synced. The manifest decides which files a table
//! has: new files are synced first, then the manifest names them, then files that it no longer
//! names are removed.

pub(crate) mod backup;
pub(crate) mod export;
pub(crate) mod headers;
pub(crate) mod manifest;
pub(crate) mod recovery;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Code, Error};

use crate::change::Changes;
use crate::key_range::KeyRange;
use crate::log::LogPlace;
use crate::log::commit_log::{CommitLog, Segment};
use crate::log::log_space::LogSpace;
use crate::storage::{FileId, Storage, StorageError, may_have_happened};
use headers::Headers;
use manifest::{Fact, Manifest, ManifestState, SegmentFact};

/// Whether a later run of the program finds a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Visible,
    /// The table is not complete yet. A later run finds it only after it is shown.
    Hidden,
}

/// The log and the manifest of a table.
#[derive(Debug)]
pub(crate) struct Durable {
    name: String,
    manifest: Manifest,
    /// The UIDs of the tables that created the files from which this one was restored.
    shares: Vec<u64>,
    log: CommitLog,
    /// Whether each write is synced before it is acknowledged.
    syncs: bool,
    visibility: Visibility,
    /// Ranges whose last writes may be missing, because the log or the manifest is damaged.
    missing: Vec<KeyRange>,
    /// The reason why the table cannot be written to.
    refusal: Option<Error>,
}

/// The state of the table at the time that facts are recorded.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The first segment of the log that a memtable needs; `u64::MAX` if no memtable needs one.
    pub first_segment: u64,
    pub counters: Fact,
    /// All facts, if the manifest must be rewritten.
    pub all: Option<Vec<Fact>>,
}

/// The progress of the deletion of a table.
#[derive(Debug)]
pub(crate) struct Deletion {
    /// Whether the manifest records that the table was deleted.
    is_marked: bool,
    /// Whether there may be files that this table has no record of. The next run that opens the
    /// storage finds them through the manifest.
    is_uncertain: bool,
}

impl Durable {
    /// Creates a manifest with these facts of a table, and a log for its writes. The table `shares`
    /// files that these other tables created.
    pub fn create(
        storage: &mut dyn Storage,
        headers: &mut Headers,
        name: &str,
        facts_of_table: Vec<Fact>,
        visibility: Visibility,
        shares: Vec<u64>,
    ) -> Result<Durable, StorageError> {
        let mut facts = alloc::vec![Fact::Table { generation: 1, name: name.into() }];
        facts.extend(facts_of_table);
        facts.push(Fact::Shares(shares.clone()));
        if visibility == Visibility::Hidden {
            facts.push(Fact::Deleted);
        }
        let manifest = Manifest::create(storage, headers, &facts)?;
        let log = CommitLog::new(manifest.header.uid, Default::default(), 1);
        let name = name.into();
        Ok(Durable {
            name,
            manifest,
            shares,
            log,
            syncs: true,
            visibility,
            missing: Vec::new(),
            refusal: None,
        })
    }

    /// Continues the table that an earlier run left. With `damage`, the table is read-only.
    pub fn found(
        state: ManifestState,
        manifest: Manifest,
        log: CommitLog,
        missing: Vec<KeyRange>,
        damage: Option<&StorageError>,
    ) -> Durable {
        let refusal = damage.map(|error| damaged(&state.name, error));
        let ManifestState { name, shares, .. } = state;
        Durable {
            name,
            manifest,
            shares,
            log,
            syncs: true,
            visibility: Visibility::Visible,
            missing,
            refusal,
        }
    }

    /// Returns the uid in the headers of the table's files.
    pub fn uid(&self) -> u64 {
        self.manifest.header.uid
    }

    /// Returns the end of the log. The writes in memtables come before it.
    pub fn log_end(&self) -> LogPlace {
        self.log.end()
    }

    /// Returns the ranges of rows whose last writes may be missing.
    pub fn missing(&self) -> &[KeyRange] {
        &self.missing
    }

    /// Returns why the table cannot be written to, or `None` if it can.
    pub fn refusal(&self) -> Option<&Error> {
        self.refusal.as_ref()
    }

    /// Returns whether each write is synced before it is acknowledged.
    pub fn is_synced(&self) -> bool {
        self.syncs
    }

    /// Sets whether each write is synced before it is acknowledged.
    pub fn set_synced(&mut self, syncs: bool) {
        self.syncs = syncs;
    }

    /// Syncs all writes that were logged, so that they survive a crash. After an error, no row can
    /// be read.
    pub fn sync(&mut self, storage: &mut dyn Storage) -> Result<(), StorageError> {
        let synced = self.log.sync(storage);
        if synced.is_err() && !self.syncs {
            // Writes that were already readable may be lost, so from now on no row can be read.
            self.missing = alloc::vec![KeyRange::all()];
        }
        self.checked(synced)
    }

    /// Marks the writes in the log as synced, so that later damage to the last of them can be told
    /// from a crash.
    pub fn confirm(&mut self, storage: &mut dyn Storage) {
        if self.refusal.is_none() {
            // Nothing is lost if storage refuses.
            let done = self.log.confirm(storage);
            let _ = self.checked(done);
        }
    }

    /// Returns the bytes of all segments of the log.
    pub fn log_bytes(&self) -> u64 {
        self.log.bytes()
    }

    /// Logs the changes of one request, without a sync. Returns where their record begins.
    pub fn append(
        &mut self,
        storage: &mut dyn Storage,
        changes: &Changes<'_>,
    ) -> Result<LogPlace, StorageError> {
        let done = self.log.append(storage, changes);
        self.checked(done)
    }

    /// Returns whether the log needs a new segment: none is open, or the open one has at least
    /// `segment_bytes`.
    pub fn needs_segment(&self, segment_bytes: u64) -> bool {
        // While a large write prepares a segment, that one is the next.
        self.log.open().is_none_or(|open| open.bytes >= segment_bytes && !self.log.is_preparing())
    }

    /// Begins a new segment of the log for later writes.
    pub fn begin_segment(
        &mut self,
        storage: &mut dyn Storage,
        snapshot: Snapshot,
    ) -> Result<(), StorageError> {
        // The manifest is about to record all of the segment as synced.
        self.sync(storage)?;
        // A crash during a large write leaves two segments that are written to.
        let ended = self.log.segments().skip(self.log.segments().count().saturating_sub(2));
        let ended: Vec<Fact> = ended.map(|(segment, _)| segment_fact(segment, false)).collect();
        let segment = self.log.create_segment(storage)?;
        let facts: Vec<Fact> = ended.into_iter().chain([segment_fact(segment, true)]).collect();
        if let Err(error) = self.record(storage, facts, snapshot) {
            remove_unnamed(storage, segment.file, &error);
            return Err(error);
        }
        self.log.open_segment(segment);
        Ok(())
    }

    /// Ends the last segment of the log: the next write begins a new one.
    pub fn end_segment(&mut self, storage: &mut dyn Storage) -> Result<(), StorageError> {
        self.sync(storage)?;
        // The segment that a large write prepares must be the next one.
        if !self.log.is_preparing() {
            self.log.end_segment();
        }
        Ok(())
    }

    /// Begins the next segment of the log for one large write. Other writes go to the open segment
    /// until [`Durable::use_prepared`].
    ///
    /// # Errors
    /// `NotDone` while another segment is prepared, and the errors of [`Durable::record`]:
    /// `NotDone`, `Full` and `Unknown`.
    pub fn prepare_segment(
        &mut self,
        storage: &mut dyn Storage,
        snapshot: Snapshot,
    ) -> Result<LogSpace, StorageError> {
        if self.log.is_preparing() {
            return Err(StorageError::NotDone("another large write is being logged".into()));
        }
        let given_up = self.log.give_up_prepared().map(|segment| Fact::SegmentGone(segment.number));
        let segment = self.log.create_segment(storage)?;
        let facts: Vec<Fact> = given_up.into_iter().chain([segment_fact(segment, true)]).collect();
        if let Err(error) = self.record(storage, facts, snapshot) {
            remove_unnamed(storage, segment.file, &error);
            return Err(error);
        }
        self.log.forget_prepared(storage);
        self.log.prepare(segment);
        Ok(LogSpace { uid: self.uid(), segment })
    }

    /// Makes the record of a large write the last one of the log. It was synced in the prepared
    /// segment. Returns where it begins.
    ///
    /// # Errors
    /// The errors of [`Durable::record`]: `NotDone`, `Full` and `Unknown`. After an error, the
    /// record does not count.
    pub fn use_prepared(
        &mut self,
        storage: &mut dyn Storage,
        logged: Result<u64, StorageError>,
        snapshot: Snapshot,
    ) -> Result<LogPlace, StorageError> {
        let Snapshot { first_segment, counters, all } = snapshot;
        let after = Snapshot { first_segment, counters: counters.clone(), all: None };
        let bytes = match self.checked(logged) {
            Ok(bytes) => bytes,
            Err(error) => {
                // The record is incomplete, so a later run that finds it leaves it out.
                let _ = self.give_up_prepared(storage, after);
                return Err(error);
            }
        };
        let ended = self.log.open().map(|open| segment_fact(open, false));
        let snapshot = Snapshot { first_segment, counters, all };
        let done =
            self.sync(storage).and_then(|()| self.record(storage, ended.into_iter().collect(), snapshot));
        if let Err(error) = done {
            let given_up = self.give_up_prepared(storage, after);
            // Otherwise a later run that opens the table would find the write.
            return self.checked(given_up.map_err(may_have_happened)).and(Err(error));
        }
        self.log
            .open_prepared(bytes)
            .ok_or_else(|| StorageError::NotDone("no segment of the log was prepared".into()))
    }

    /// Records that the prepared segment does not count. If the storage is full it may refuse that,
    /// and the next large write does it.
    fn give_up_prepared(
        &mut self,
        storage: &mut dyn Storage,
        snapshot: Snapshot,
    ) -> Result<(), StorageError> {
        let Some(segment) = self.log.give_up_prepared() else { return Ok(()) };
        self.record(storage, alloc::vec![Fact::SegmentGone(segment.number)], snapshot)?;
        self.log.forget_prepared(storage);
        Ok(())
    }

    /// Returns the oldest segment of a log that is larger than `bytes_max`, unless it is still
    /// written to.
    pub fn segment_too_many(&self, bytes_max: u64) -> Option<Segment> {
        let (oldest, is_open) = self.log.segments().next().filter(|_| self.log.bytes() > bytes_max)?;
        (!is_open).then_some(oldest)
    }

    /// Records facts in the manifest, all or none of them, and removes log segments that no
    /// memtable needs.
    ///
    /// # Errors
    /// `NotDone` and `Full` when nothing has changed. After `Unknown`, the table rejects writes.
    pub fn record(
        &mut self,
        storage: &mut dyn Storage,
        mut facts: Vec<Fact>,
        snapshot: Snapshot,
    ) -> Result<(), StorageError> {
        if let Some(refusal) = &self.refusal {
            return Err(StorageError::NotDone(refusal.message.clone()));
        }
        let Snapshot { first_segment, counters, all } = snapshot;
        facts.extend(self.log.before(first_segment).map(Fact::SegmentGone));
        facts.push(counters);
        let renewed = all.map_or(Ok(()), |all| self.manifest.renew(storage, &all));
        let done = renewed.and_then(|()| self.manifest.add(storage, &facts));
        self.checked(done)?;
        self.log.forget_before(storage, first_segment);
        Ok(())
    }

    /// Makes a table that was hidden visible to later runs of the program.
    pub fn show(&mut self, storage: &mut dyn Storage, snapshot: Snapshot) -> Result<(), StorageError> {
        self.record(storage, alloc::vec![Fact::Present], snapshot)?;
        self.visibility = Visibility::Visible;
        Ok(())
    }

    /// Returns all facts of the manifest, if it has grown enough to be rewritten.
    pub fn facts_to_renew(&self, facts_of_table: impl FnOnce() -> Vec<Fact>) -> Option<Vec<Fact>> {
        if !self.manifest.is_long() {
            return None;
        }
        let mut facts = alloc::vec![self.name_fact()];
        facts.extend(facts_of_table());
        facts.push(self.shares_fact());
        facts.extend((self.visibility == Visibility::Hidden).then_some(Fact::Deleted));
        // Keeps the number of the last segment from being reused.
        facts.extend(self.log.last_number().map(Fact::SegmentGone));
        facts.extend(self.log.named().map(|(segment, is_open)| segment_fact(segment, is_open)));
        Some(facts)
    }

    /// Returns the fact that names the tables whose files this one shares.
    pub fn shares_fact(&self) -> Fact {
        Fact::Shares(self.shares.clone())
    }

    /// Returns the fact with the table's name, for the next generation of the manifest.
    fn name_fact(&self) -> Fact {
        Fact::Table { generation: self.manifest.generation + 1, name: self.name.clone() }
    }

    /// Records in the manifest that the table was deleted.
    ///
    /// # Errors
    /// Errors of storage, except `Full` if the removal of the table's files can be `completed`: the
    /// deletion is then recorded when they are removed, and a crash before that leaves a table
    /// without files. Otherwise the manifest would stay and name files that others may remove.
    pub fn mark_deleted(
        &mut self,
        storage: &mut dyn Storage,
        completed: bool,
    ) -> Result<Deletion, StorageError> {
        let is_uncertain = self.refusal.is_some();
        let recorded = self.record_deletion(storage, is_uncertain);
        match recorded {
            Ok(()) => Ok(Deletion { is_marked: true, is_uncertain }),
            Err(StorageError::Full(_)) if completed => Ok(Deletion { is_marked: false, is_uncertain }),
            Err(error) => self.checked(Err(error)),
        }
    }

    fn record_deletion(&mut self, storage: &mut dyn Storage, is_uncertain: bool) -> Result<(), StorageError> {
        let facts = [self.name_fact(), self.shares_fact(), Fact::Deleted];
        if is_uncertain || self.manifest.is_long() {
            self.manifest.renew(storage, &facts)
        } else {
            self.manifest.add(storage, &facts[2..])
        }
    }

    /// Removes the log and manifest of a table. `removed` is the result of the removal of its
    /// SSTables.
    pub fn remove(
        &mut self,
        storage: &mut dyn Storage,
        headers: &mut Headers,
        deletion: &Deletion,
        removed: Result<(), StorageError>,
    ) {
        let segments =
            self.log.named().map(|(segment, _)| storage.remove(segment.file)).fold(Ok(()), Result::and);
        // The manifest is removed last, and only when it is certain that no file can reappear.
        // Files that storage refused to remove, and files shared with backups, are removed when the
        // storage is opened again.
        let is_done = removed.is_ok() && segments.is_ok() && !deletion.is_uncertain;
        // Removing files has made room. Without this mark, a manifest that stays or reappears would
        // name files that no longer exist.
        let is_marked = deletion.is_marked || self.record_deletion(storage, deletion.is_uncertain).is_ok();
        let is_last = is_done && !(is_marked && headers.has_others(storage, self.uid(), self.manifest.file));
        if is_last && storage.sync(self.manifest.file).is_ok() {
            remove_deleted(storage, self.manifest.file, is_marked);
        }
    }

    /// Passes a result on. After a failure with an unknown outcome, or one that shows damage, the
    /// table rejects writes.
    pub fn checked<T>(&mut self, done: Result<T, StorageError>) -> Result<T, StorageError> {
        if let Err(error) = &done
            && self.refusal.is_none()
        {
            self.refusal = match error {
                StorageError::NotDone(_) | StorageError::Full(_) => None,
                StorageError::Unknown(_) => Some(Error::new(
                    Code::Unavailable,
                    format!(
                        "table \"{}\" rejects writes until it is opened again, which shows what is stored: {error}",
                        self.name
                    ),
                )),
                StorageError::Corrupt { .. } => Some(damaged(&self.name, error)),
            };
        }
        done
    }
}

/// Removes a file whose facts could not be recorded, unless they may have been recorded after all.
pub(crate) fn remove_unnamed(storage: &mut dyn Storage, file: FileId, error: &StorageError) {
    if !matches!(error, StorageError::Unknown(_)) {
        // If the file cannot be removed it stays as an orphan: the next run that opens the table
        // removes it.
        let _ = storage.remove(file);
    }
}

/// Removes the file of a manifest or a backup that was deleted. If storage refuses, the file is
/// removed when the storage is opened again.
pub(crate) fn remove_deleted(storage: &mut dyn Storage, file: FileId, is_marked: bool) {
    let is_gone = storage.remove(file).is_ok();
    // Any sync keeps a crash from bringing back a file that does not record the deletion.
    if is_gone
        && !is_marked
        && let Some(file) = storage.files().unwrap_or_default().first()
    {
        let _ = storage.sync(*file);
    }
}

/// Returns the error for a write to a damaged table.
fn damaged(name: &str, error: &StorageError) -> Error {
    Error::new(
        Code::DataLoss,
        format!(
            "table \"{name}\" is damaged and read-only: {error}. Rows that may lack writes cannot be read; export the others, \
             and import them as a new table"
        ),
    )
}

fn segment_fact(segment: Segment, is_open: bool) -> Fact {
    let bytes = if is_open { 0 } else { segment.bytes };
    Fact::Segment(segment.number, SegmentFact { file: segment.file, bytes })
}
