//! The manifest: what a table consists of, and the only authority on its files.
//!
//! A manifest is a file of records (`record.rs`), each a list of facts that become true together
//! once the record is synced. The first record has all facts; later ones have changes, each
//! followed by a record without facts. When the changes are far longer than the first record, all
//! facts are written to a new file of the next generation, and the old file is removed.
//!
//! A backup is such a file too. It has one record that names the SSTables of a table at one moment,
//! and a second one if it was deleted. `manifest/fact.rs` specifies the facts, `record.rs` the
//! records.

mod fact;
mod state;

use alloc::format;
use alloc::vec::Vec;

use crate::codec::Damage;
use crate::durable::headers::Headers;
use crate::log::file_header::{FORMAT_VERSION, FileHeader, FileKind};
use crate::log::record::{self, End, RecordPosition};
use crate::storage::{FileId, Storage, StorageError, may_have_happened};
pub(crate) use fact::{Fact, RunFact, SegmentFact, Spec, TabletFact, put_spec, read_spec};
use fact::{decode_facts, put_fact};
pub(crate) use state::ManifestState;

/// A manifest is rewritten when its changes take more than this, and more than `GROWTH` times the
/// bytes of its first record.
const CHANGES_BYTES_MIN: u64 = 64 << 10;
const GROWTH: u64 = 4;

/// The size of a manifest whose end is not known.
const UNKNOWN_END: u64 = u64::MAX;

/// A manifest that is written to.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub file: FileId,
    pub header: FileHeader,
    pub generation: u64,
    /// Bytes of the file.
    bytes: u64,
    /// Bytes that are synced: all of the file, except perhaps a last record without facts.
    synced: u64,
    /// Bytes of the header and the first record.
    first_bytes: u64,
}

impl Manifest {
    /// Writes the first manifest of a table, with a new uid.
    pub fn create(
        storage: &mut dyn Storage,
        headers: &mut Headers,
        facts: &[Fact],
    ) -> Result<Manifest, StorageError> {
        let uid = headers.new_uid(storage)?;
        let file = storage.create()?;
        Self::begin(storage, file, FileKind::Manifest, uid, 1, facts)
    }

    /// Writes a backup of the table `uid`.
    pub fn create_backup(
        storage: &mut dyn Storage,
        uid: u64,
        facts: &[Fact],
    ) -> Result<Manifest, StorageError> {
        let file = storage.create()?;
        Self::begin(storage, file, FileKind::Backup, uid, 1, facts)
    }

    /// Returns whether the manifest is so much longer than its first record that it should be
    /// rewritten.
    pub fn is_long(&self) -> bool {
        self.bytes - self.first_bytes > CHANGES_BYTES_MIN.max(self.first_bytes * GROWTH)
    }

    /// Writes all facts to a file of the next generation, which replaces this one. The old file is
    /// removed.
    pub fn renew(&mut self, storage: &mut dyn Storage, facts: &[Fact]) -> Result<(), StorageError> {
        let file = storage.create()?;
        // A file that could not be written completely may still exist, so the next attempt uses
        // another generation.
        self.generation += 1;
        let new = Self::begin(storage, file, FileKind::Manifest, self.header.uid, self.generation, facts)?;
        let old = core::mem::replace(self, new);
        // If the file cannot be removed it stays as an orphan: the next run that opens the table
        // removes it.
        let _ = storage.remove(old.file);
        Ok(())
    }

    /// Records facts, all or none of them.
    ///
    /// # Errors
    /// `NotDone` and `Full` when no fact is recorded, `Unknown` when they may be.
    pub fn add(&mut self, storage: &mut dyn Storage, facts: &[Fact]) -> Result<(), StorageError> {
        let added = self.append(storage, facts);
        let done = added.and_then(|()| storage.sync(self.file).map_err(may_have_happened));
        // Nothing can be added to a file whose end is not known.
        match done {
            Ok(()) => {
                self.synced = self.bytes;
                self.confirm(storage);
            }
            Err(StorageError::Unknown(_)) => self.bytes = UNKNOWN_END,
            Err(_) => {}
        }
        done
    }

    /// Adds a record without facts, which marks everything before it as synced. A later change of
    /// the last facts is then detected as damage and not mistaken for the torn end of a crash. The
    /// record itself is not synced, and nothing depends on it.
    fn confirm(&mut self, storage: &mut dyn Storage) {
        if let Err(StorageError::Unknown(_)) = self.append(storage, &[]) {
            self.bytes = UNKNOWN_END;
        }
    }

    fn append(&mut self, storage: &mut dyn Storage, facts: &[Fact]) -> Result<(), StorageError> {
        let position = RecordPosition { header: self.header, offset: self.bytes, synced: self.synced };
        let record = encode(facts, position)?;
        let length = record.len() as u64;
        storage.append(self.file, record)?;
        self.bytes += length;
        Ok(())
    }

    /// Returns whether the file may end in anything but complete records, so that nothing can be
    /// added.
    pub fn is_torn(&self) -> bool {
        self.bytes == UNKNOWN_END
    }

    fn begin(
        storage: &mut dyn Storage,
        file: FileId,
        kind: FileKind,
        uid: u64,
        generation: u64,
        facts: &[Fact],
    ) -> Result<Manifest, StorageError> {
        let header = FileHeader::new(kind, uid, generation);
        let written =
            encode(facts, RecordPosition { header, offset: header.bytes(), synced: 0 }).and_then(|record| {
                let bytes = [header.encode(), record].concat();
                let length = bytes.len() as u64;
                storage.append(file, bytes)?;
                storage.sync(file).map_err(may_have_happened)?;
                Ok(length)
            });
        match written {
            Ok(bytes) => Ok(Manifest { file, header, generation, bytes, synced: bytes, first_bytes: bytes }),
            // If the removal may have happened, a crash may bring the file back until something
            // else is synced.
            Err(error) => {
                let _ = storage.remove(file);
                Err(error)
            }
        }
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// `Corrupt` when the first record is incomplete, or tablets are missing.
    pub fn open(storage: &dyn Storage, file: FileId) -> Result<Loaded, StorageError> {
        let header = FileHeader::read(storage, file)?;
        let mut state = ManifestState::default();
        let (mut count, mut first_bytes) = (0, 0);
        let (mut makes_sense, mut checks_each) = (true, false);
        let end = loop {
            let end = record::read(storage, file, header, 0, None, |offset, payload| {
                if count == 1 {
                    first_bytes = offset;
                }
                let facts = decode_facts(&payload, count == 0)?;
                facts.into_iter().for_each(|fact| state.add(fact));
                let checked = if checks_each { state.check() } else { Ok(()) };
                makes_sense = checked.is_ok();
                count += u64::from(makes_sense);
                checked
            });
            // A check takes as long as reading all facts, so each record is checked only if the
            // final state is not consistent.
            if checks_each || state.check().is_ok() {
                break end;
            }
            (state, count, checks_each) = (ManifestState::default(), 0, true);
        };
        if !makes_sense {
            // All facts of a record apply, or none.
            state = ManifestState::default();
            let mut left = count;
            let again = record::read(storage, file, header, 0, None, |_, payload| {
                if left > 0 {
                    decode_facts(&payload, left == count)?.into_iter().for_each(|fact| state.add(fact));
                    left -= 1;
                }
                Ok(())
            });
            // Damage after these records was already found.
            if let Err(error @ (StorageError::NotDone(_) | StorageError::Unknown(_))) = again {
                return Err(error);
            }
        }
        let (end, damage) = match end {
            Ok(end) => (end, None),
            Err(damage @ StorageError::Corrupt { .. }) if count > 0 => {
                (End { whole: UNKNOWN_END, torn: 0 }, Some(damage))
            }
            Err(error) => return Err(error),
        };
        if count == 0 {
            let (found, expected) =
                (format!("{} bytes of a torn record", end.torn), "a first record that is whole");
            return Err(Damage::new(0, found, expected).in_file(file, end.whole));
        }
        if count == 1 {
            first_bytes = end.whole;
        }
        // Nothing can be added after a torn tail, or to a file of an older format version. Such a
        // file counts as long, so that it is rewritten first.
        let bytes = if end.torn == 0 && header.version == FORMAT_VERSION { end.whole } else { UNKNOWN_END };
        // The file was synced before it was read.
        let manifest =
            Manifest { file, header, generation: state.generation, bytes, synced: bytes, first_bytes };
        Ok(Loaded { manifest, state, torn: end.torn, damage })
    }
}

/// A manifest that was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub manifest: Manifest,
    /// The state that its facts describe, up to the first damage.
    pub state: ManifestState,
    /// Bytes of a torn end. They are left out because their writes were never acknowledged.
    pub torn: u64,
    pub damage: Option<StorageError>,
}

fn encode(facts: &[Fact], position: RecordPosition) -> Result<Vec<u8>, StorageError> {
    let mut record = record::begin(facts.len() * 64);
    facts.iter().for_each(|fact| put_fact(&mut record, fact));
    record::finish(&mut record, position)?;
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_range::KeyRange;
    use crate::log::LogPlace;
    use crate::storage::MemoryStorage;
    use alloc::string::ToString;
    use alloc::vec;
    use tabletop_model::TabletId;

    fn tablet(id: u64, start: &[u8], end: Option<&[u8]>) -> Fact {
        Fact::Tablet(TabletFact {
            id: TabletId(id),
            parent: None,
            range: KeyRange { start: start.to_vec(), end: end.map(<[u8]>::to_vec) },
            log_mark: LogPlace::default(),
            reads: 0,
            writes: 0,
            runs: Vec::new(),
        })
    }

    /// The record that marks the last facts as synced is not synced itself. The power fails while
    /// the next facts are written: their page reaches the disk, but not the page of the record
    /// before them.
    #[test]
    fn a_crash_during_a_sync_is_not_damage() {
        let mut storage = MemoryStorage::default();
        let first = [Fact::Table { generation: 1, name: "t".into() }, tablet(1, b"", None)];
        let mut manifest = Manifest::create(&mut storage, &mut Headers::default(), &first).unwrap();
        manifest.add(&mut storage, &[Fact::Counters(vec![7])]).unwrap();
        let (synced, size) = (manifest.synced, manifest.bytes);
        manifest.append(&mut storage, &[Fact::Counters(vec![8])]).unwrap();
        let mut bytes = storage.read(manifest.file, 0, manifest.bytes as usize).unwrap().to_vec();
        bytes[synced as usize..size as usize].fill(0);
        let mut crashed = MemoryStorage::default();
        let file = crashed.create().unwrap();
        crashed.append(file, bytes).unwrap();
        let loaded = Manifest::open(&crashed, file).unwrap();
        assert_eq!(
            (loaded.damage, loaded.torn, loaded.state.counters),
            (None, manifest.bytes - synced, vec![7])
        );
    }

    #[test]
    fn a_manifest_is_checked_once_and_a_record_that_makes_no_sense_is_found() {
        let mut storage = MemoryStorage::default();
        let first = [Fact::Table { generation: 1, name: "t".into() }, tablet(1, b"", None)];
        let mut manifest = Manifest::create(&mut storage, &mut Headers::default(), &first).unwrap();
        for id in 2..100 {
            manifest.add(&mut storage, &[Fact::TabletGone(TabletId(id - 1)), tablet(id, b"", None)]).unwrap();
        }
        state::CHECKS.take();
        let loaded = Manifest::open(&storage, manifest.file).unwrap();
        assert_eq!((loaded.damage, state::CHECKS.take()), (None, 1));

        let whole = manifest.bytes;
        let half = [Fact::TabletGone(TabletId(99)), tablet(100, b"", Some(b"m"))];
        manifest.add(&mut storage, &half).unwrap();
        manifest.add(&mut storage, &[Fact::Counters(vec![7])]).unwrap();
        let loaded = Manifest::open(&storage, manifest.file).unwrap();
        let Some(StorageError::Corrupt { offset, found, .. }) = loaded.damage else {
            panic!("{:?}", loaded.damage)
        };
        assert!(
            offset > whole && offset < whole + 32 && found.contains("no last tablet"),
            "{offset}: {found}"
        );
        let tablets: Vec<_> = loaded.state.tablets.keys().map(|id| id.0.to_string()).collect();
        assert_eq!(
            (tablets, loaded.state.counters),
            (vec!["99".to_string()], vec![]),
            "the state before that record"
        );
    }
}
