//! Recovery: opens what an earlier run left. File headers identify the tables, and manifests name
//! the files of each.
//!
//! Files that no manifest names belong to an unfinished operation and are removed. If anything is
//! damaged, nothing is removed, because a damaged manifest may name any file.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::order::sorted;
use tabletop_model::{Code, Error, Recovery, SortedMap, SortedSet, TableRecovery, Timestamp};

use crate::change::Changes;
use crate::codec::Damage;
use crate::durable::Durable;
use crate::durable::backup::Backup;
use crate::durable::manifest::{Loaded, Manifest, ManifestState, RunFact, TabletFact};
use crate::families::Families;
use crate::log::LogPlace;
use crate::log::commit_log::{self, CommitLog, Segment};
use crate::log::file_header::{FileHeader, FileKind, HEADER_BYTES};
use crate::log::record;
use crate::sstable::SsTable;
use crate::storage::{FileId, Storage, StorageError};
use crate::table::Table;
use crate::table::load::Counts;
use crate::table::run::Run;
use crate::table::tablet::Tablet;

/// All tables of a storage, and a report.
#[derive(Debug)]
pub struct RecoveredStorage {
    /// The tables, in the order of their names. Damaged tables are read-only, and the report lists
    /// the damage.
    pub tables: Vec<(String, Table)>,
    /// The backups, in the order of their names.
    pub backups: Vec<Backup>,
    /// The result of the recovery.
    pub report: Recovery,
}

/// Opens all tables of a storage at `now`. If one of the `expected` backups is not found, nothing
/// is removed.
///
/// # Errors
/// `Unavailable` when storage cannot be read now, or its contents cannot be synced. Damage is not
/// an error: the report lists it.
pub fn open(
    storage: &mut dyn Storage,
    now: Timestamp,
    expected: &[String],
) -> Result<RecoveredStorage, StorageError> {
    let mut found = Found::read(storage)?;
    let mut opened =
        RecoveredStorage { tables: Vec::new(), backups: Vec::new(), report: Recovery::default() };
    let mut sstables = SsTables::default();
    let mut deleted = Vec::new();
    let manifests = core::mem::take(&mut found.manifests);
    let present = manifests.iter().filter(|loaded| !loaded.state.is_deleted);
    let last: SortedMap<String, u64> =
        present.map(|loaded| (loaded.state.name.clone(), loaded.manifest.header.uid)).collect();
    for mut loaded in manifests {
        found.uids.extend(&loaded.state.shares);
        let uid = loaded.manifest.header.uid;
        let is_older = !loaded.state.is_deleted && last[&loaded.state.name] != uid;
        // If two tables have the same name, creating the first failed in a way that left it here.
        // That request was answered with an error.
        if loaded.state.is_deleted || is_older && !found.has_begun(uid) {
            deleted.push(loaded.manifest.file);
            continue;
        }
        if is_older {
            // The table was temporarily unreadable and its name was reused. It can still be
            // exported.
            let found = format!("another table \"{}\", which is newer", loaded.state.name);
            loaded.damage.get_or_insert(
                Damage::new(0, found, "one table of that name").in_file(loaded.manifest.file, 0),
            );
            loaded.state.name = format!("{}-{uid}", loaded.state.name);
        }
        found.named.extend(loaded.state.files().chain([loaded.manifest.file]));
        let lost = found.lost_segments(storage, &loaded)?;
        if loaded.torn > 0 {
            // The torn record may have named any of them.
            found
                .named
                .extend(found.begun.iter().filter(|(header, _)| header.uid == uid).map(|(_, file)| *file));
        }
        let (table, recovery) = open_table(storage, now, loaded, lost, &mut sstables)?;
        let at = opened.tables.partition_point(|(name, _)| *name <= recovery.table);
        opened.tables.insert(at, (recovery.table.clone(), table));
        opened.report.tables.insert(at, recovery);
    }
    for loaded in core::mem::take(&mut found.backups) {
        if loaded.state.is_deleted {
            // Some of its files may be left once no other table has them.
            found.uids.extend(loaded.state.shares.iter().chain([&loaded.manifest.header.uid]));
            deleted.push(loaded.manifest.file);
            continue;
        }
        found.named.extend(loaded.state.files().chain([loaded.manifest.file]));
        let damage = loaded.damage.clone();
        let backup = Backup::open(storage, loaded, &mut sstables)?;
        opened.report.damaged_backups.extend(damage.iter().chain(backup.damage()).cloned().map(Error::from));
        let at = opened.backups.partition_point(|other| other.name() <= backup.name());
        opened.backups.insert(at, backup);
    }
    let is_lost = |name: &&String| !opened.backups.iter().any(|backup| backup.name() == *name);
    opened.report.damaged_backups.extend(expected.iter().filter(is_lost).map(|name| lost_backup(name)));
    found.find_tables_without_manifest();
    opened.report.damage = found.damage.iter().cloned().map(Error::from).collect();
    if opened.report.is_whole() {
        let unnamed: Vec<FileId> =
            found.ours.iter().filter(|file| !found.named.contains(file)).copied().collect();
        // If storage refuses to remove a file, the next opening finds it again.
        if unnamed.iter().try_for_each(|file| storage.remove(*file)).is_ok() {
            opened.report.files_removed = unnamed.len() as u64;
            // A manifest that records a deletion is removed last, and only when it is certain that
            // no file can reappear.
            for file in deleted {
                if storage.sync(file).and_then(|()| storage.remove(file)).is_ok() {
                    opened.report.files_removed += 1;
                }
            }
        }
    }
    Ok(opened)
}

fn lost_backup(name: &str) -> Error {
    let why =
        "its file is missing or truncated. SSTables that it may have named are kept until it is deleted";
    Error::new(Code::DataLoss, format!("backup \"{name}\" cannot be restored: {why}"))
}

/// The files of a storage, by their headers.
#[derive(Debug, Default)]
struct Found {
    /// The newest manifest of each table.
    manifests: Vec<Loaded>,
    backups: Vec<Loaded>,
    /// Files that are removed unless a manifest names them.
    ours: Vec<FileId>,
    named: SortedSet<FileId>,
    /// Files by their table. A table in this list has more than a manifest, so its creation was
    /// finished.
    begun: Vec<(FileHeader, FileId)>,
    /// Tables that have a manifest, and tables whose files others share and whose manifest may no
    /// longer exist.
    uids: SortedSet<u64>,
    damage: Vec<StorageError>,
}

impl Found {
    fn read(storage: &mut dyn Storage) -> Result<Found, StorageError> {
        let mut found = Found::default();
        let mut manifests: SortedMap<u64, Vec<(FileId, FileHeader)>> = SortedMap::new();
        for file in storage.files()? {
            let header = FileHeader::read(storage, file);
            // The process may have ended between a write and its sync. What is read here and acted
            // on must survive a crash. (An SSTable is named only once it is synced.)
            if let Ok(FileHeader {
                kind: FileKind::Manifest | FileKind::Backup | FileKind::CommitLog, ..
            }) = header
            {
                storage.sync(file)?;
            }
            match header {
                Ok(header @ FileHeader { kind: FileKind::Manifest, uid, .. }) => {
                    manifests.get_or_default(uid).push((file, header));
                }
                // Tables that do not survive the process have no UID; their files are of no use.
                Ok(FileHeader { kind: FileKind::CommitLog | FileKind::SsTable, uid: 0, .. }) => {
                    found.ours.push(file);
                }
                Ok(header @ FileHeader { kind: FileKind::CommitLog | FileKind::SsTable, .. }) => {
                    found.ours.push(file);
                    found.begun.push((header, file));
                }
                Ok(header @ FileHeader { kind: FileKind::Backup, .. }) => match Manifest::open(storage, file)
                {
                    Ok(loaded) => found.backups.push(loaded),
                    // The file is unfinished.
                    Err(StorageError::Corrupt { .. })
                        if is_certain(record::is_cut_off(storage, file, header))? =>
                    {
                        found.ours.push(file);
                    }
                    Err(error @ StorageError::Corrupt { .. }) => found.damage.push(error),
                    Err(error) => return Err(error),
                },
                Ok(FileHeader { kind: FileKind::Export, .. }) => {}
                Err(StorageError::Corrupt { .. }) if is_certain(was_never_written(storage, file))? => {
                    found.ours.push(file);
                }
                Err(error @ StorageError::Corrupt { .. }) => found.damage.push(error),
                Err(error) => return Err(error),
            }
        }
        for (uid, files) in manifests {
            found.uids.insert(uid);
            found.add_table(storage, uid, files)?;
        }
        Ok(found)
    }

    /// Returns segments of a table's log that the manifest should name but does not: a segment is
    /// written to only once a synced record names it. (A segment that is no longer needed has a
    /// lower number. In format version 1, no segment has a number.)
    fn lost_segments(&self, storage: &dyn Storage, loaded: &Loaded) -> Result<Vec<Segment>, StorageError> {
        let (state, mut last) = (&loaded.state, loaded.state.last_segment());
        let mut lost = Vec::new();
        for &(header, file) in &self.begun {
            let is_of_table = header.uid == loaded.manifest.header.uid && header.kind == FileKind::CommitLog;
            let is_newer = header.number > last || header.version == 1 && loaded.torn > 0;
            let is_named = state.segments.values().any(|segment| segment.file == file);
            if is_of_table && is_newer && !is_named && storage.size(file)? > header.bytes() {
                lost.push((header.number, file));
            }
        }
        let segment = |(number, file): (u64, FileId)| {
            last = number.max(last + 1);
            Segment { number: last, file, bytes: 0 }
        };
        Ok(sorted(lost, Ord::cmp).into_iter().map(segment).collect())
    }

    fn has_begun(&self, uid: u64) -> bool {
        self.begun.iter().any(|(header, _)| header.uid == uid)
    }

    /// Reports files that no manifest names, of tables whose manifest is missing.
    fn find_tables_without_manifest(&mut self) {
        for (header, file) in &self.begun {
            if !self.uids.contains(&header.uid) && !self.named.contains(file) {
                let missing =
                    Damage::new(0, "a file of a table that has no manifest", "a manifest of that table");
                self.damage.push(missing.in_file(*file, 0));
            }
        }
    }

    /// Takes the manifest of the highest generation whose first record is complete.
    fn add_table(
        &mut self,
        storage: &dyn Storage,
        uid: u64,
        files: Vec<(FileId, FileHeader)>,
    ) -> Result<(), StorageError> {
        let mut newest: Option<Loaded> = None;
        let mut damage = Vec::new();
        for (file, header) in files {
            match Manifest::open(storage, file) {
                Ok(loaded) => match &newest {
                    Some(other) if other.state.generation > loaded.state.generation => self.ours.push(file),
                    _ => self.ours.extend(newest.replace(loaded).map(|older| older.manifest.file)),
                },
                Err(error @ StorageError::Corrupt { .. }) => damage.push((file, header, error)),
                Err(error) => return Err(error),
            }
        }
        for (file, header, error) in damage {
            // The rewrite, or the creation of the table, was not finished.
            let may_be_unfinished = newest.is_some() || !self.has_begun(uid);
            if may_be_unfinished && is_certain(record::is_cut_off(storage, file, header))? {
                self.ours.push(file);
                continue;
            }
            match &mut newest {
                // The damaged manifest may be newer: the facts of the older one are all that is
                // left, and may be outdated.
                Some(loaded) => drop(loaded.damage.get_or_insert(error)),
                None => self.damage.push(error),
            }
        }
        self.manifests.extend(newest);
        Ok(())
    }
}

/// Returns what is known of a file, or `false` if the file cannot be read.
fn is_certain(known: Result<bool, StorageError>) -> Result<bool, StorageError> {
    known.or_else(|error| if matches!(error, StorageError::Corrupt { .. }) { Ok(false) } else { Err(error) })
}

/// Returns whether a file has no header because of a crash before it was synced: it ends early, or
/// nothing was written.
fn was_never_written(storage: &dyn Storage, file: FileId) -> Result<bool, StorageError> {
    let size = storage.size(file)?;
    if size < HEADER_BYTES as u64 {
        return Ok(true);
    }
    Ok(storage.read(file, 0, HEADER_BYTES)?.iter().all(|byte| *byte == 0))
}

/// Open SSTables, each opened once, regardless of the number of tablets and tables that share it.
pub(crate) type SsTables = SortedMap<FileId, Result<Arc<SsTable>, StorageError>>;

/// Opens an SSTable named by a table or backup with this UID that shares files of others. If the
/// file no longer exists, its number may now belong to a file of another table.
pub(crate) fn open_sstable(
    storage: &dyn Storage,
    run: &RunFact,
    uid: u64,
    shares: &[u64],
    opened: &mut SsTables,
) -> Result<Arc<SsTable>, StorageError> {
    let file = run.file;
    let uids: Vec<u64> = [uid].iter().chain(shares).copied().collect();
    if !opened.contains_key(&file) {
        opened.insert(file, SsTable::open(storage, file).map(Arc::new));
    }
    let table = opened[&file].clone()?;
    table.header.check_owner(file, &uids, run.number)?;
    Ok(table)
}

fn open_table(
    storage: &dyn Storage,
    now: Timestamp,
    loaded: Loaded,
    lost: Vec<Segment>,
    sstables: &mut SsTables,
) -> Result<(Table, TableRecovery), StorageError> {
    let Loaded { manifest, state, torn, damage } = loaded;
    let mut recovery =
        TableRecovery { table: state.name.clone(), torn_bytes: torn, ..TableRecovery::default() };
    let mut damage = Vec::from_iter(damage);
    if let (Some(segment), []) = (lost.first(), &damage[..]) {
        let found = Damage::new(0, "a commit log that is in use", "a manifest that names it");
        damage.push(found.in_file(segment.file, 0));
    }
    // A damaged manifest may affect any row.
    let mut damaged_at = damage.first().map(|_| LogPlace::MAX);
    let (mut table, more) = assemble(storage, now, manifest.header.uid, &state, sstables)?;
    damage.extend(more);
    let mut segments = VecDeque::new();
    let named = state.segments.iter().map(|&(number, ref fact)| Segment {
        number,
        file: fact.file,
        bytes: fact.bytes,
    });
    for segment in named.chain(lost) {
        let replayed = table.replay_segment(storage, manifest.header.uid, segment)?;
        recovery.rows_replayed += replayed.rows;
        recovery.torn_bytes += replayed.torn;
        damaged_at = damaged_at.max(replayed.damaged_at);
        damage.extend(replayed.damage);
        segments.push_back(Segment { bytes: replayed.bytes, ..segment });
    }
    let marks = state.tablets.values().map(|tablet| tablet.log_mark.segment);
    let last = marks.fold(state.last_segment(), u64::max);
    // A tablet misses nothing if its SSTables have all rows up to a place after the damage.
    let is_missing = |tablet: &&Tablet| damaged_at.is_some_and(|place| tablet.log_mark <= place);
    let missing = table.tablets().iter().filter(is_missing).map(|tablet| tablet.range.clone()).collect();
    let log = CommitLog::new(manifest.header.uid, segments, last + 1);
    table.set_durable(Durable::found(state, manifest, log, missing, damage.first()));
    recovery.damage = damage.into_iter().map(Error::from).collect();
    Ok((table, recovery))
}

/// Builds a table from its stored facts, without the rows that are only in the log. Returns the
/// table with the damage of its SSTables.
pub(crate) fn assemble(
    storage: &dyn Storage,
    now: Timestamp,
    uid: u64,
    state: &ManifestState,
    sstables: &mut SsTables,
) -> Result<(Table, Vec<StorageError>), StorageError> {
    let mut damage = Vec::new();
    let mut table = Table::stored(state.spec.settings.clone(), Families::stored(state.spec.families.clone()));
    table.set_counters(&state.counters);
    for fact in state.tablets_in_order() {
        let mut open = |run: &RunFact| open_sstable(storage, run, uid, &state.shares, sstables);
        let tablet = open_tablet(now, &table, fact, &mut open)?;
        damage.extend(tablet.damaged.iter().map(|(_, error)| error.clone()));
        table.add_tablet(tablet);
    }
    Ok((table, damage))
}

fn open_tablet(
    now: Timestamp,
    table: &Table,
    fact: &TabletFact,
    open: &mut dyn FnMut(&RunFact) -> Result<Arc<SsTable>, StorageError>,
) -> Result<Tablet, StorageError> {
    let mut tablet = Tablet::new(fact.id, fact.range.clone(), now, table.settings());
    tablet.parent = fact.parent;
    tablet.log_mark = fact.log_mark;
    tablet.load.lock().total = Counts { reads: fact.reads, writes: fact.writes, scans: 0 };
    for run in &fact.runs {
        match open(run) {
            Ok(table) => {
                let RunFact { range, sequence, group, size, .. } = run.clone();
                tablet.runs.push(Run { table, range, sequence, group, size, collected: None });
            }
            Err(error @ StorageError::Corrupt { .. }) => tablet.damaged.push((run.range.clone(), error)),
            Err(error) => return Err(error),
        }
    }
    Ok(tablet)
}

/// What was found in one segment of the log.
#[derive(Default)]
struct Replayed {
    rows: u64,
    /// Bytes of the file up to the end of its last complete record.
    bytes: u64,
    torn: u64,
    damage: Vec<StorageError>,
    /// The last record that may have held writes and cannot be read.
    damaged_at: Option<LogPlace>,
}

impl Table {
    /// Applies what tablets have not stored of a segment. Bytes that all of them have stored are
    /// not read. After damage, it continues at the next place from which a tablet needs the log,
    /// because a record begins there.
    fn replay_segment(
        &mut self,
        storage: &dyn Storage,
        uid: u64,
        segment: Segment,
    ) -> Result<Replayed, StorageError> {
        let Segment { number, file, bytes } = segment;
        let is_open = bytes == 0;
        let marks = self.tablets().iter().map(|tablet| tablet.log_mark).filter(|mark| mark.segment <= number);
        let needed = marks.map(|mark| if mark.segment == number { mark.offset } else { 0 });
        let needed = sorted(needed.filter(|from| is_open || *from < bytes).collect(), u64::cmp);
        // A mark is recorded only after the log was synced up to it.
        let synced = needed.last().copied().unwrap_or(0);
        let mut found = Replayed { bytes, ..Replayed::default() };
        let mut from = needed.first().copied();
        while let Some(start) = from {
            let replayed = commit_log::replay(storage, uid, segment, is_open, start, |place, changes| {
                commit_log::check(changes, self.all_families().all().len())?;
                found.rows += self.replay(place, changes);
                Ok(())
            });
            let replayed = replayed.and_then(|end| {
                let expected = format!("{synced} bytes, which were synced");
                let damage = Damage::new(0, "the end of the log", expected).in_file(file, end.whole);
                if end.whole < synced { Err(damage) } else { Ok(end) }
            });
            from = match replayed {
                Ok(end) => {
                    (found.bytes, found.torn) = (end.whole, end.torn);
                    None
                }
                Err(error) => {
                    let StorageError::Corrupt { offset, .. } = error else { return Err(error) };
                    found.damage.push(error);
                    let next = needed.iter().copied().find(|from| *from > offset.max(start));
                    // A log whose end is not known may have had more records.
                    let offset = if next.is_some() { offset } else { u64::MAX };
                    found.damaged_at = Some(LogPlace { segment: number, offset });
                    next
                }
            };
        }
        Ok(found)
    }

    /// Applies the changes of a record to the tablets that have not stored them. Returns the number
    /// of rows.
    fn replay(&mut self, place: LogPlace, changes: &Changes<'_>) -> u64 {
        let mut rows = 0;
        for change in changes.iter() {
            if place >= self.tablets()[self.tablet_of(change.key)].log_mark {
                self.apply(change, place);
                rows += 1;
            }
        }
        rows
    }
}
