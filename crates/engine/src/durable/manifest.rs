//! What a table consists of: the only truth about its files.
//!
//! A manifest is a file of records (`record.rs`), each a list of facts that become true together once it is synced. The
//! first record tells everything; those behind it what has changed. When they have grown far beyond the first, all is told
//! again in a new file of the next generation, and the old one goes.
//!
//! A backup is such a file too, of one record that names the SSTables of a table at one moment, and perhaps of a second that
//! says that it was deleted. Facts are drawn in `manifest/fact.rs`, records in `record.rs`.

mod fact;
mod state;

use alloc::format;
use alloc::vec::Vec;

use crate::codec::Damage;
use crate::log::file_header::{FileHeader, FileKind};
use crate::log::record::{self, End, Place};
use crate::storage::{FileId, Storage, StorageError, may_have_happened};
pub(crate) use fact::{Fact, RunFact, SegmentFact, Spec, TabletFact, put_spec, read_spec};
use fact::{decode_facts, put_fact};
pub(crate) use state::State;

/// A manifest is rewritten when its changes take more than this, and more than `GROWTH` times what it began with.
const CHANGES_BYTES_MIN: u64 = 64 << 10;
const GROWTH: u64 = 4;

/// Bytes of a manifest whose end is not known.
const UNKNOWN_END: u64 = u64::MAX;

/// A manifest that is written to.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub file: FileId,
    pub uid: u64,
    pub generation: u64,
    /// Of the file; all of them synced.
    bytes: u64,
    /// Of header and first record.
    first_bytes: u64,
}

impl Manifest {
    /// Writes the first manifest of a table, which gets a uid of its own.
    pub fn create(storage: &mut impl Storage, facts: &[Fact]) -> Result<Manifest, StorageError> {
        let uid = new_uid(storage)?;
        let file = storage.create()?;
        Self::begin(storage, file, FileKind::Manifest, uid, 1, facts)
    }

    /// Writes a backup of the table `uid`.
    pub fn create_backup(storage: &mut impl Storage, uid: u64, facts: &[Fact]) -> Result<Manifest, StorageError> {
        let file = storage.create()?;
        Self::begin(storage, file, FileKind::Backup, uid, 1, facts)
    }

    /// Whether it has grown so far beyond its first record that it should be rewritten.
    pub fn is_long(&self) -> bool {
        self.bytes - self.first_bytes > CHANGES_BYTES_MIN.max(self.first_bytes * GROWTH)
    }

    /// Writes all that is true into a file of the next generation, which takes the place of this one. The old one is removed.
    pub fn renew(&mut self, storage: &mut impl Storage, facts: &[Fact]) -> Result<(), StorageError> {
        let file = storage.create()?;
        // One that fails may be there all the same: the next one is of another generation.
        self.generation += 1;
        let new = Self::begin(storage, file, FileKind::Manifest, self.uid, self.generation, facts)?;
        let old = core::mem::replace(self, new);
        // It stays as an orphan if it cannot be removed: the next one to open the table removes it.
        let _ = storage.remove(old.file);
        Ok(())
    }

    /// Makes facts true, all or none.
    ///
    /// # Errors
    /// `NotDone` and `Full` when none is, `Unknown` when they may be.
    pub fn add(&mut self, storage: &mut impl Storage, facts: &[Fact]) -> Result<(), StorageError> {
        let place = Place { uid: self.uid, offset: self.bytes, synced: self.bytes };
        let record = encode(facts, place)?;
        let length = record.len() as u64;
        let done = storage.append(self.file, record).and_then(|()| storage.sync(self.file).map_err(may_have_happened));
        match done {
            Ok(()) => self.bytes += length,
            // Nothing can be added where nobody knows how the file ends.
            Err(StorageError::Unknown(_)) => self.bytes = UNKNOWN_END,
            Err(_) => {}
        }
        done
    }

    /// Whether something else than whole records may stand at its end, so that nothing can be added.
    pub fn is_torn(&self) -> bool {
        self.bytes == UNKNOWN_END
    }

    fn begin(
        storage: &mut impl Storage,
        file: FileId,
        kind: FileKind,
        uid: u64,
        generation: u64,
        facts: &[Fact],
    ) -> Result<Manifest, StorageError> {
        let header = FileHeader { kind, uid }.encode();
        let offset = header.len() as u64;
        let written = encode(facts, Place { uid, offset, synced: 0 }).and_then(|record| {
            let bytes = [header, record].concat();
            let length = bytes.len() as u64;
            storage.append(file, bytes)?;
            storage.sync(file).map_err(may_have_happened)?;
            Ok(length)
        });
        match written {
            Ok(bytes) => Ok(Manifest { file, uid, generation, bytes, first_bytes: bytes }),
            // Where it may have happened, a crash may bring the file back until something else is synced.
            Err(error) => {
                let _ = storage.remove(file);
                Err(error)
            }
        }
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// `Corrupt` when its first record is not whole, or tablets are missing.
    pub fn open(storage: &impl Storage, file: FileId) -> Result<Loaded, StorageError> {
        let uid = FileHeader::read(storage, file)?.uid;
        let mut state = State::default();
        let (mut count, mut first_bytes) = (0, 0);
        let mut makes_sense = true;
        let end = record::read(storage, file, uid, None, |offset, payload| {
            if count == 1 {
                first_bytes = offset;
            }
            let facts = decode_facts(&payload, count == 0)?;
            facts.into_iter().for_each(|fact| state.add(fact));
            let checked = state.check();
            makes_sense = checked.is_ok();
            count += u64::from(makes_sense);
            checked
        });
        if !makes_sense {
            // All facts of a record or none.
            state = State::default();
            let mut left = count;
            let again = record::read(storage, file, uid, None, |_, payload| {
                if left > 0 {
                    decode_facts(&payload, left == count)?.into_iter().for_each(|fact| state.add(fact));
                    left -= 1;
                }
                Ok(())
            });
            // Damage behind these records was found already.
            if let Err(error @ (StorageError::NotDone(_) | StorageError::Unknown(_))) = again {
                return Err(error);
            }
        }
        let (end, damage) = match end {
            Ok(end) => (end, None),
            Err(damage @ StorageError::Corrupt { .. }) if count > 0 => (End { whole: UNKNOWN_END, torn: 0 }, Some(damage)),
            Err(error) => return Err(error),
        };
        if count == 0 {
            let (found, expected) = (format!("{} bytes of a torn record", end.torn), "a first record that is whole");
            return Err(Damage::new(0, found, expected).in_file(file, end.whole));
        }
        if count == 1 {
            first_bytes = end.whole;
        }
        // Behind a torn tail nothing can be added: it counts as long, so that it is rewritten first.
        let bytes = if end.torn == 0 { end.whole } else { UNKNOWN_END };
        let manifest = Manifest { file, uid, generation: state.generation, bytes, first_bytes };
        Ok(Loaded { manifest, state, torn: end.torn, damage })
    }
}

/// A manifest that was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub manifest: Manifest,
    /// What it says, up to where it is damaged.
    pub state: State,
    /// Bytes of its end that are left out, for nobody was answered for them.
    pub torn: u64,
    pub damage: Option<StorageError>,
}

/// A uid that no file has, nor had: storage may give the number of a file once more after it was opened again, so that of the
/// new file alone would not do.
fn new_uid(storage: &impl Storage) -> Result<u64, StorageError> {
    let mut last = 0;
    for file in storage.files()? {
        let uid = match FileHeader::read(storage, file) {
            Ok(header) => header.uid,
            Err(StorageError::Corrupt { .. }) => 0,
            Err(error) => return Err(error),
        };
        last = last.max(file.0).max(uid);
    }
    // Tables count from one, so nothing but a header that was made up can say that there is no number left.
    last.checked_add(1).ok_or_else(|| StorageError::NotDone("a file has the highest number that a table can have".into()))
}

fn encode(facts: &[Fact], place: Place) -> Result<Vec<u8>, StorageError> {
    let mut record = record::begin(facts.len() * 64);
    facts.iter().for_each(|fact| put_fact(&mut record, fact));
    record::finish(&mut record, place)?;
    Ok(record)
}
