//! A segment of the commit log that begins with one large record, written concurrently with other
//! writes.

use alloc::vec::Vec;

use crate::change::Changes;
use crate::columns::Columns;
use crate::log::commit_log::{Segment, encode};
use crate::log::file_header::{FileHeader, FileKind};
use crate::log::record::{self, RecordPosition};
use crate::storage::{Storage, StorageError, may_have_happened};

/// Bytes that are appended at a time.
const PIECE_BYTES: usize = 1 << 20;
/// Bytes that are synced at a time, so that the syncs of other writes do not wait longer than that.
const SYNC_BYTES: usize = 8 << 20;

/// The end of a segment that the manifest names and that receives no other writes.
#[derive(Debug)]
pub(crate) struct LogSpace {
    pub uid: u64,
    pub segment: Segment,
}

/// Begins a record whose place is not known yet.
pub(crate) fn begin_record(changes: &Changes<'_>) -> Vec<u8> {
    let mut record = record::begin(changes.iter().map(|change| change.bytes() as usize).sum());
    encode(&mut record, changes, &mut Columns::default());
    record
}

impl LogSpace {
    /// Completes a record that [`begin_record`] began, appends it and syncs it. Returns the bytes
    /// of the segment.
    ///
    /// # Errors
    /// `NotDone` and `Full` when the record is incomplete, `Unknown` when it may be complete.
    pub fn write(&self, storage: &mut dyn Storage, record: &mut Vec<u8>) -> Result<u64, StorageError> {
        let Segment { number, file, bytes } = self.segment;
        let header = FileHeader::new(FileKind::CommitLog, self.uid, number);
        record::finish(record, RecordPosition { header, offset: bytes, synced: bytes })?;
        let mut unsynced = 0;
        for piece in record.chunks(PIECE_BYTES) {
            storage.append(file, piece.to_vec())?;
            unsynced += piece.len();
            if unsynced >= SYNC_BYTES {
                storage.sync(file).map_err(may_have_happened)?;
                unsynced = 0;
            }
        }
        storage.sync(file).map_err(may_have_happened)?;
        Ok(bytes + record.len() as u64)
    }
}
