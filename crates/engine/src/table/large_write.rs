//! Large writes to one row. A host with several threads logs them concurrently with reads and other
//! writes: the record is the first one of the next segment of the log, and other writes go to the
//! previous segment until it is synced. Then the write becomes visible, and the log continues after
//! it.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::{Error, Result, RowMutation, Timestamp};

use crate::change::Changes;
use crate::log::LogPlace;
use crate::log::commit_log::decode;
use crate::log::log_space::{LogSpace, begin_record};
use crate::log::record;
use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::held::damaged_in_memory;
use crate::table::mutate::{Inputs, check_row, resolve};
use crate::table::snapshot::Reading;
use crate::table::split::FlushAttempts;

/// A large write to one row, which is logged separately from others: see
/// [`TableReader::large_write`](crate::TableReader::large_write).
#[derive(Debug)]
pub struct LargeWrite {
    /// Identifies its table, which another one of the same name may have replaced.
    reading: Arc<Reading>,
    now: Timestamp,
    key: Vec<u8>,
    record: Vec<u8>,
    payload: Range<usize>,
    /// The space in the log; `None` for a table that logs nothing.
    space: Option<LogSpace>,
    /// The bytes of the segment with the record.
    logged: core::result::Result<u64, StorageError>,
}

impl LargeWrite {
    pub(crate) fn new(reading: &Arc<Reading>, now: Timestamp, row: &RowMutation) -> Result<LargeWrite> {
        let RowMutation { key, mutations } = row;
        check_row(key, mutations)?;
        let families = &reading.snapshot().families;
        let inputs = Inputs::of(mutations, families);
        let mut changes = Changes::with_capacity(mutations.len());
        resolve(mutations, &inputs, families, now, &mut changes)?;
        changes.end_row(key);
        let record = begin_record(&changes);
        let payload = record::payload_of(&record);
        let logged = Err(StorageError::Unknown("a large write was not completed".into()));
        Ok(LargeWrite {
            reading: reading.clone(),
            now,
            key: key.0.clone(),
            record,
            payload,
            space: None,
            logged,
        })
    }

    /// Logs the write. It needs nothing of its table: the host calls it without a lock, between
    /// [`TableHandle::begin_large_write`](crate::TableHandle::begin_large_write) and
    /// [`TableHandle::end_large_write`](crate::TableHandle::end_large_write). `storage` is the
    /// storage of the instance.
    pub fn log(&mut self, storage: &mut dyn Storage) {
        self.logged = self.space.as_ref().map_or(Ok(0), |space| space.write(storage, &mut self.record));
    }
}

impl Table {
    /// Prepares a segment of the log for a write.
    ///
    /// # Errors
    /// `NotFound` when this is not the table of the write, `Unavailable` while another large write
    /// is in progress, and the errors of [`Table::mutate_row`]. After an error, nothing has
    /// changed.
    pub(crate) fn begin_large_write(
        &mut self,
        storage: &mut dyn Storage,
        write: &mut LargeWrite,
    ) -> Result<()> {
        self.check_owner(write)?;
        self.make_room(storage, &write.key, &mut FlushAttempts::default())?;
        let begun = self.continue_log(storage).and_then(|()| {
            let snapshot = self.snapshot(&[]);
            Ok(self.durable.as_mut().map(|durable| durable.prepare_segment(storage, snapshot)).transpose()?)
        });
        self.is_changed |= begun.is_err();
        self.publish();
        write.space = begun?;
        Ok(())
    }

    /// Makes a logged write visible, and does the work that is then due.
    ///
    /// # Errors
    /// `NotFound` when the table was deleted since the write began; `Unavailable`,
    /// `ResourceExhausted` and `DataLoss` when it could not be logged. The message says whether the
    /// write may still be found when the table is opened again.
    pub(crate) fn end_large_write(&mut self, storage: &mut dyn Storage, write: LargeWrite) -> Result<()> {
        self.check_owner(&write)?;
        let LargeWrite { now, key, record, payload, space, logged, .. } = write;
        // Writes that precede it in the log become visible before it.
        let held = self.sync_held(storage);
        let logged = held.and(logged).and_then(|bytes| match &mut self.durable {
            Some(_) if space.is_none() => Err(StorageError::NotDone("the write was not begun".into())),
            _ => Ok(bytes),
        });
        let snapshot = self.snapshot(&[]);
        let place = match &mut self.durable {
            Some(durable) if space.is_some() => durable.use_prepared(storage, logged, snapshot),
            _ => logged.map(|_| LogPlace::default()),
        };
        self.is_changed |= place.is_err();
        let record = Arc::new(record);
        let done = place.map_err(Error::from).and_then(|place| {
            let changes = decode(&record[payload]).map_err(|_| Error::from(damaged_in_memory()))?;
            self.counts.work.logged_bytes += space.as_ref().map_or(0, |_| record.len() as u64);
            let index = self.tablet_of(&key);
            self.tablets[index].memtable.write().adopt(record.clone());
            let touched = self.apply_writes(storage, &[(now, place, &changes)]);
            self.maintain_touched(storage, now, touched);
            Ok(())
        });
        self.publish();
        done
    }

    fn check_owner(&self, write: &LargeWrite) -> Result<()> {
        if Arc::ptr_eq(&self.reading, &write.reading) {
            return Ok(());
        }
        Err(Error::not_found("the table was deleted during the write"))
    }
}
