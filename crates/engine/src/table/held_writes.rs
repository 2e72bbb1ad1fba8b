//! Writes that are logged and wait for a sync that they share.

use alloc::vec::Vec;

use tabletop_model::Timestamp;

use crate::change::Changes;
use crate::columns::Columns;
use crate::families::FamilyKind;
use crate::log::LogPlace;
use crate::log::commit_log::{decode, encode};
use crate::memtable::Memtable;
use crate::storage::StorageError;

/// Writes that are logged, but may not be synced.
#[derive(Debug, Default)]
pub(crate) struct Held {
    writes: Vec<HeldWrite>,
    bytes: usize,
    /// The changes, for requests that read.
    memtable: Memtable,
    /// The number of writes that are in `memtable`.
    in_memtable: usize,
    /// The error of the first sync that has failed since writes are held.
    error: Option<StorageError>,
}

/// The changes of one request.
#[derive(Debug)]
pub(crate) struct HeldWrite {
    /// Where the log has them.
    pub place: LogPlace,
    pub now: Timestamp,
    /// The changes, encoded as in the log.
    pub encoded: Vec<u8>,
}

/// After this many bytes the writes are synced, because they are in memory twice.
const BYTES_MAX: usize = 4 << 20;

impl Held {
    /// Adds a write that was logged. Returns whether the held writes have grown enough that they
    /// must be synced.
    pub fn add(&mut self, now: Timestamp, changes: &Changes<'_>, place: LogPlace) -> bool {
        let mut encoded = Vec::new();
        encode(&mut encoded, changes, &mut Columns::default());
        self.bytes += encoded.len();
        self.writes.push(HeldWrite { place, now, encoded });
        self.bytes > BYTES_MAX
    }

    /// Takes the writes out, for a sync.
    pub fn take_writes(&mut self) -> Vec<HeldWrite> {
        if self.writes.is_empty() {
            return Vec::new();
        }
        let Held { writes, error, .. } = core::mem::take(self);
        self.error = error;
        writes
    }

    /// Records the result of a sync. The first error is kept.
    pub fn note_sync(&mut self, synced: &Result<(), StorageError>) {
        self.error = self.error.take().or(synced.clone().err());
    }

    /// Returns the error of the first sync that has failed since writes are held.
    pub fn into_error(self) -> Option<StorageError> {
        self.error
    }

    /// Returns the changes of all writes, as the newest rows of the table.
    pub fn settled(&mut self, kinds: &[FamilyKind]) -> &Memtable {
        for write in &self.writes[self.in_memtable..] {
            // The engine has just encoded it, so it can be decoded.
            let changes = decode(&write.encoded).unwrap_or_default();
            changes.iter().for_each(|change| self.memtable.apply(&change));
        }
        self.in_memtable = self.writes.len();
        self.memtable.settle(kinds);
        &self.memtable
    }
}
