//! A table that survives: its writes go into a commit log, and what it consists of into a manifest.
//!
//! A write is answered when its record of the log is synced. Files come and go by the manifest: new files are synced first,
//! then the manifest names them, then those that it names no more are removed.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Code, Error, Result, TableSpec, Timestamp};

use crate::change::Changes;
use crate::commit_log::{CommitLog, Segment};
use crate::file_header::FileHeader;
use crate::key_range::KeyRange;
use crate::manifest::{Fact, LogPlace, Manifest, RunFact, SegmentFact, Spec, TabletFact};
use crate::run::Run;
use crate::storage::{Storage, StorageError};
use crate::table::{Table, remove_unused};
use crate::tablet::Tablet;

/// A segment of the commit log ends when it has grown to so many memtables, within these bytes.
const SEGMENT_MEMTABLES: u64 = 4;
const SEGMENT_BYTES: core::ops::RangeInclusive<u64> = 4 << 10..=16 << 20;

/// What a durable table has beside what every table has.
#[derive(Debug)]
pub(crate) struct Durable {
    pub name: String,
    pub manifest: Manifest,
    /// Tables that made the files which it was restored with.
    pub shares: Vec<u64>,
    pub log: CommitLog,
    /// Whether each write is synced before it is answered.
    pub syncs: bool,
    /// The table is not complete yet: a later opening of the storage finds none.
    pub is_hidden: bool,
    /// Ranges whose last writes may be missing, for the log or the manifest is damaged.
    pub missing: Vec<KeyRange>,
    /// Why the table cannot be written to.
    pub refusal: Option<Error>,
}

impl Table {
    /// An empty table that survives what happens to the program, once this has returned.
    ///
    /// # Errors
    /// As for [`Table::new`]; `Unavailable` and `ResourceExhausted` from storage.
    pub fn create(storage: &mut impl Storage, now: Timestamp, name: &str, spec: TableSpec) -> Result<Table> {
        Table::new(now, spec)?.made_durable(storage, name, false, Vec::new())
    }

    /// The same table with a manifest, and a commit log for what is written to it from now on. One that `is_hidden` is there
    /// for later runs only once it is shown. It `shares` files that these other tables made.
    pub(crate) fn made_durable(
        mut self,
        storage: &mut impl Storage,
        name: &str,
        is_hidden: bool,
        shares: Vec<u64>,
    ) -> Result<Table> {
        let mut facts = self.all_facts(name, 1);
        facts.push(Fact::Shares(shares.clone()));
        if is_hidden {
            facts.push(Fact::Deleted);
        }
        let manifest = Manifest::create(storage, &facts)?;
        let log = CommitLog::new(manifest.uid, Default::default(), 1);
        self.durable = Some(Box::new(Durable {
            name: name.into(),
            manifest,
            shares,
            log,
            syncs: true,
            is_hidden,
            missing: Vec::new(),
            refusal: None,
        }));
        Ok(self)
    }

    /// Lets later runs find a table that was hidden.
    pub(crate) fn show(&mut self, storage: &mut impl Storage) -> Result<()> {
        self.record(storage, alloc::vec![Fact::Present], &[])?;
        if let Some(durable) = &mut self.durable {
            durable.is_hidden = false;
        }
        Ok(())
    }

    /// What the table's files are marked with; 0 for a table without a commit log.
    pub(crate) fn uid(&self) -> u64 {
        self.durable.as_ref().map_or(0, |durable| durable.manifest.uid)
    }

    /// Whether writes are synced before they are answered; they are, unless this is told `false`. Then a crash may take the
    /// last ones, each as a whole, and [`Table::sync`] makes them safe.
    pub fn set_synced(&mut self, syncs: bool) {
        if let Some(durable) = &mut self.durable {
            durable.syncs = syncs;
        }
    }

    /// Makes all writes that were answered survive a crash.
    ///
    /// # Errors
    /// `Unavailable` when some of them may not; then the table refuses writes until it is opened again.
    pub fn sync(&mut self, storage: &mut impl Storage) -> Result<()> {
        let Some(durable) = &mut self.durable else { return Ok(()) };
        let synced = durable.log.sync(storage);
        Ok(self.heed(synced)?)
    }

    /// Why the table cannot be written to, if it cannot.
    pub fn refusal(&self) -> Option<&Error> {
        self.durable.as_ref()?.refusal.as_ref()
    }

    /// Whether nothing of it may change any more.
    pub(crate) fn is_read_only(&self) -> bool {
        self.refusal().is_some()
    }

    pub(crate) fn check_writable(&self) -> Result<()> {
        self.refusal().cloned().map_or(Ok(()), Err)
    }

    /// Where the log ends: what is in memtables lies before.
    pub(crate) fn log_end(&self) -> LogPlace {
        self.durable.as_ref().map_or(LogPlace::default(), |durable| durable.log.end())
    }

    /// Logs the changes of one request; where their record lies. A table that is not durable logs nothing.
    ///
    /// # Errors
    /// `Unavailable`, `ResourceExhausted` and `DataLoss`; the message says whether the changes may have happened.
    pub(crate) fn log(&mut self, storage: &mut impl Storage, changes: &Changes<'_>) -> Result<LogPlace> {
        self.check_writable()?;
        let Some(durable) = &self.durable else { return Ok(LogPlace::default()) };
        let segment_bytes = self.settings.memtable_bytes_max.saturating_mul(SEGMENT_MEMTABLES);
        let segment_bytes = segment_bytes.clamp(*SEGMENT_BYTES.start(), *SEGMENT_BYTES.end());
        if durable.log.open().is_none_or(|open| open.bytes >= segment_bytes) {
            self.begin_segment(storage)?;
            self.shorten_log(storage, segment_bytes);
            self.check_writable()?;
        }
        let Some(durable) = &mut self.durable else { return Ok(LogPlace::default()) };
        let mut done = durable.log.append(storage, changes);
        if durable.syncs
            && let Ok(place) = done
        {
            done = durable.log.sync(storage).map(|()| place);
        }
        let place = self.heed(done)?;
        // Records of one segment follow each other without gaps.
        self.counts.work.logged_bytes += self.log_end().offset - place.offset;
        Ok(place)
    }

    /// Writes go into a new segment from now on.
    fn begin_segment(&mut self, storage: &mut impl Storage) -> core::result::Result<(), StorageError> {
        let Some(durable) = &mut self.durable else { return Ok(()) };
        // The manifest is going to say that all of it is synced.
        let synced = durable.log.sync(storage);
        self.heed(synced)?;
        let Some(durable) = &self.durable else { return Ok(()) };
        let ended = durable.log.segments().last().map(|(last, _)| segment_fact(last, false));
        let segment = durable.log.create_segment(storage)?;
        let facts: Vec<Fact> = ended.into_iter().chain([segment_fact(segment, true)]).collect();
        if let Err(error) = self.record(storage, facts, &[]) {
            self.forget_file(storage, segment.file, &error);
            return Err(error);
        }
        if let Some(durable) = &mut self.durable {
            durable.log.open_segment(segment);
        }
        Ok(())
    }

    /// Writes memtables as SSTables that keep the oldest segments of a log that has become too long. What storage refuses is
    /// tried again with the next segment.
    fn shorten_log(&mut self, storage: &mut impl Storage, segment_bytes: u64) {
        let memtables = self.settings.memtable_bytes_max.saturating_mul(self.tablets.len() as u64 * 2);
        let bytes_max = memtables.max(segment_bytes.saturating_mul(4));
        loop {
            let oldest = self.durable.as_ref().filter(|durable| durable.log.bytes() > bytes_max);
            let Some((oldest, false)) = oldest.and_then(|durable| durable.log.segments().next()) else { return };
            let holds = |tablet: &Tablet| !tablet.memtable.is_empty() && tablet.memtable_from.segment <= oldest.number;
            let pinning: Vec<usize> = (0..self.tablets.len()).filter(|&index| holds(&self.tablets[index])).collect();
            for &index in &pinning {
                if self.minor_compaction(storage, index).is_err() {
                    return;
                }
            }
            // A segment that nobody needs goes with the next facts that are recorded.
            if pinning.is_empty() && self.record(storage, Vec::new(), &[]).is_err() {
                return;
            }
        }
    }

    /// Makes facts true in the manifest, all or none, and lets segments of the log go that only the memtables of `flushed`
    /// tablets needed. A table that is not durable records nothing.
    ///
    /// # Errors
    /// `NotDone` and `Full` when nothing has changed; after `Unknown` the table refuses writes.
    pub(crate) fn record(
        &mut self,
        storage: &mut impl Storage,
        mut facts: Vec<Fact>,
        flushed: &[usize],
    ) -> core::result::Result<(), StorageError> {
        let Some(durable) = &mut self.durable else { return Ok(()) };
        if let Some(refusal) = &durable.refusal {
            return Err(StorageError::NotDone(refusal.message.clone()));
        }
        if !flushed.is_empty() {
            // Of a request that changed rows of other tablets too, the log has the rest.
            let synced = durable.log.sync(storage);
            self.heed(synced)?;
        }
        let Some(durable) = &self.durable else { return Ok(()) };
        let memtables = self.tablets.iter().enumerate();
        let needed = memtables.filter(|(index, tablet)| !flushed.contains(index) && !tablet.memtable.is_empty());
        let needed = needed.map(|(_, tablet)| tablet.memtable_from.segment).min().unwrap_or(u64::MAX);
        facts.extend(durable.log.before(needed).map(Fact::SegmentGone));
        facts.push(self.counters());
        let all = durable.manifest.is_long().then(|| self.all_facts(&durable.name, durable.manifest.generation + 1));
        let Some(durable) = &mut self.durable else { return Ok(()) };
        let renewed = all.map_or(Ok(()), |all| durable.manifest.renew(storage, &all));
        let done = renewed.and_then(|()| durable.manifest.add(storage, &facts));
        self.heed(done)?;
        if let Some(durable) = &mut self.durable {
            durable.log.forget_before(storage, needed);
        }
        Ok(())
    }

    /// Removes a file that was to be named by facts whose recording failed, unless they may have been recorded.
    pub(crate) fn forget_file(&self, storage: &mut impl Storage, file: crate::FileId, error: &StorageError) {
        if !matches!(error, StorageError::Unknown(_)) || self.durable.is_none() {
            // It stays as an orphan if it cannot be removed: the next one to open the table removes it.
            let _ = storage.remove(file);
        }
    }

    /// After a failure that leaves open what has happened, or that shows damage, the table refuses writes.
    pub(crate) fn heed<T>(&mut self, done: core::result::Result<T, StorageError>) -> core::result::Result<T, StorageError> {
        if let (Err(error), Some(durable)) = (&done, &mut self.durable) {
            let refusal = match error {
                StorageError::NotDone(_) | StorageError::Full(_) => None,
                StorageError::Unknown(_) => Some(Error::new(
                    Code::Unavailable,
                    format!(
                        "table \"{}\" refuses writes until it is opened again, which says what is stored: {error}",
                        durable.name
                    ),
                )),
                StorageError::Corrupt { .. } => Some(damaged(&durable.name, error)),
            };
            if durable.refusal.is_none() {
                durable.refusal = refusal;
            }
        }
        done
    }

    /// Damage that work in the background meets makes the table read-only: it would be met again and again.
    pub(crate) fn heed_damage<T>(
        &mut self,
        done: core::result::Result<T, StorageError>,
    ) -> core::result::Result<T, StorageError> {
        match done {
            Err(error @ StorageError::Corrupt { .. }) => self.heed(Err(error)),
            done => done,
        }
    }

    /// Removes the table for good, with its files.
    pub(crate) fn delete(&mut self, storage: &mut impl Storage) -> core::result::Result<(), StorageError> {
        // Files may be there that this table does not know of: the next one to open the storage finds them by the manifest.
        let is_uncertain = self.is_read_only();
        let mut is_marked = true;
        if let Some(durable) = &mut self.durable {
            let generation = durable.manifest.generation + 1;
            let table = Fact::Table { generation, name: durable.name.clone() };
            let facts = [table, Fact::Shares(durable.shares.clone()), Fact::Deleted];
            let recorded = if is_uncertain || durable.manifest.is_long() {
                durable.manifest.renew(storage, &facts)
            } else {
                durable.manifest.add(storage, &facts[2..])
            };
            match recorded {
                // Without room for that, the manifest goes last: what is left after a crash is a table without files.
                Ok(()) => {}
                Err(StorageError::Full(_)) => is_marked = false,
                Err(error) => return self.heed(Err(error)),
            }
        }
        let mut done = Ok(());
        if let Some(compaction) = self.compaction.take() {
            done = compaction.abandon(storage);
        }
        let runs = self.tablets.iter_mut().flat_map(|tablet| core::mem::take(&mut tablet.runs)).collect();
        done = done.and(remove_unused(storage, runs, |_| {}));
        let Some(durable) = &self.durable else { return done };
        done = durable.log.segments().map(|(segment, _)| storage.remove(segment.file)).fold(done, core::result::Result::and);
        // The manifest goes last, and not before it is certain that no file comes back. What storage has refused to remove, now
        // or before, goes when it is opened again, and so do files that backups share.
        let is_last = done.is_ok() && !is_uncertain && !(is_marked && has_others(storage, &durable.manifest));
        if is_last && storage.sync(durable.manifest.file).is_ok() {
            let _ = storage.remove(durable.manifest.file);
        }
        Ok(())
    }

    fn spec(&self) -> Spec {
        Spec { families: self.families.all().to_vec(), settings: self.settings.clone() }
    }

    /// Stores families and settings as they are now.
    pub(crate) fn record_spec(&mut self, storage: &mut impl Storage) -> core::result::Result<(), StorageError> {
        let facts = if self.durable.is_some() { alloc::vec![Fact::Spec(self.spec())] } else { Vec::new() };
        self.record(storage, facts, &[])
    }

    pub(crate) fn all_facts(&self, name: &str, generation: u64) -> Vec<Fact> {
        let mut facts = alloc::vec![Fact::Table { generation, name: name.into() }, Fact::Spec(self.spec()), self.counters()];
        facts.extend(self.tablets.iter().map(Tablet::fact));
        facts.extend(self.durable.iter().map(|durable| Fact::Shares(durable.shares.clone())));
        facts.extend(self.durable.iter().filter(|durable| durable.is_hidden).map(|_| Fact::Deleted));
        let segments = self.durable.iter().flat_map(|durable| durable.log.segments());
        facts.extend(segments.map(|(segment, is_open)| segment_fact(segment, is_open)));
        facts
    }
}

impl Tablet {
    /// What is stored of it.
    pub fn fact(&self) -> Fact {
        Fact::Tablet(TabletFact {
            id: self.id,
            parent: self.parent,
            range: self.range.clone(),
            log_mark: self.log_mark,
            reads: self.load.total.reads,
            writes: self.load.total.writes,
            runs: self.runs.iter().map(Run::fact).collect(),
        })
    }

    /// The same with these runs instead, and all rows before `log_mark` in them.
    pub fn fact_with(&self, runs: &[Run], log_mark: LogPlace) -> Fact {
        match self.fact() {
            Fact::Tablet(fact) => Fact::Tablet(TabletFact { runs: runs.iter().map(Run::fact).collect(), log_mark, ..fact }),
            other => other,
        }
    }
}

impl Run {
    fn fact(&self) -> RunFact {
        let Run { table, range, sequence, group, size } = self;
        RunFact { file: table.file, range: range.clone(), sequence: *sequence, group: *group, size: *size }
    }
}

/// What a damaged table says to a writer.
pub(crate) fn damaged(name: &str, error: &StorageError) -> Error {
    Error::new(
        Code::DataLoss,
        format!(
            "table \"{name}\" is read-only, for it is damaged: {error}. What is not damaged can be read; export it, and import it \
             as a new table"
        ),
    )
}

/// Whether there are other files of the manifest's table, or may be.
fn has_others(storage: &impl Storage, manifest: &Manifest) -> bool {
    let is_other = |file| file != manifest.file && FileHeader::read(storage, file).is_ok_and(|header| header.uid == manifest.uid);
    storage.files().is_ok_and(|files| files.into_iter().any(is_other))
}

fn segment_fact(segment: Segment, is_open: bool) -> Fact {
    let bytes = if is_open { 0 } else { segment.bytes };
    Fact::Segment(segment.number, SegmentFact { file: segment.file, bytes })
}
