//! One table of an instance, for callers in the same process.

use alloc::format;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use tabletop_model::limits::MUTATIONS_MAX;
use tabletop_model::{
    CheckAndMutateRow, CountExpired, DropRowRange, Error, ExpiredCells, ExportPiece, ExportResume,
    FamilyModification, Inspect, Inspected, ReadModifyWriteRow, ReadRows, Result, Row, RowKey, RowKeySample,
    RowMutation, RowsChunk, SortedMap, TableSettings, TableSpec, TableView, TableWork, TabletId, Timestamp,
    TracedRow,
};

use super::Limits;
use crate::durable::export::Salvage;
use crate::shared::Shared;
use crate::storage::Storage;
use crate::table::Table;
use crate::table::large_write::LargeWrite;
use crate::table::scan::{RowVisitor, Scan};
use crate::table::snapshot::Reading;
use crate::table::touch::TouchedChunk;
use crate::table::trace::Trace;

/// A table with the storage of its files. Other threads read it with a [`TableReader`].
pub struct TableHandle<'a> {
    pub(super) id: &'a str,
    pub(super) table: &'a mut Table,
    pub(super) storage: &'a mut dyn Storage,
    pub(super) limits: Limits,
    /// The bytes of the memtables of the other tables that can be written to.
    pub(super) memtable_bytes_elsewhere: u64,
}

impl TableHandle<'_> {
    /// Changes rows. For each entry, all of its mutations are applied in order, or none of them.
    /// Returns the error of each entry that failed; the others are applied.
    ///
    /// `now` stamps cells sent with [`tabletop_model::SERVER_TIME`], and the load of tablets.
    ///
    /// # Errors
    /// `InvalidArgument` without entries, or for more mutations than a request can have. An entry
    /// fails with the errors of [`TableHandle::mutate_row`].
    pub fn mutate_rows(&mut self, now: Timestamp, entries: &[RowMutation]) -> Result<Vec<Option<Error>>> {
        check_entries(entries)?;
        self.make_room()?;
        Ok(self.table.mutate_rows(self.storage, now, entries))
    }

    /// Changes one row: all of the mutations are applied in order, or none of them.
    ///
    /// # Errors
    /// `InvalidArgument` for a mutation that breaks a limit, `NotFound` for a family that the table
    /// does not have, `Unavailable` and `ResourceExhausted` when storage refuses the write. After
    /// an error, nothing has changed.
    pub fn mutate_row(&mut self, now: Timestamp, row: &RowMutation) -> Result<()> {
        self.make_room()?;
        self.table.mutate_row(self.storage, now, row)
    }

    /// Prepares the log for a large write, which [`LargeWrite::log`] then logs concurrently with
    /// reads and other writes.
    ///
    /// # Errors
    /// `NotFound` when this is not the table of the write, `Unavailable` while another large write
    /// is in progress, and the errors of [`TableHandle::mutate_row`]. After an error, nothing has
    /// changed.
    pub fn begin_large_write(&mut self, write: &mut LargeWrite) -> Result<()> {
        self.make_room()?;
        self.table.begin_large_write(self.storage, write)
    }

    /// Makes a large write visible. Every write that was begun must be ended, even after a failure.
    ///
    /// # Errors
    /// `NotFound` when the table was deleted since the write began, and the errors of
    /// [`TableHandle::mutate_row`]. The message says whether the write may be found when the table
    /// is opened again.
    pub fn end_large_write(&mut self, write: LargeWrite) -> Result<()> {
        self.table.end_large_write(self.storage, write)
    }

    /// Changes a row depending on whether a filter matches any of its cells. Returns whether it
    /// did.
    ///
    /// # Errors
    /// The errors of [`TableHandle::scan`] and of [`TableHandle::mutate_row`]. After an error,
    /// nothing has changed. Errors in the mutations that are not applied go unnoticed.
    pub fn check_and_mutate_row(&mut self, now: Timestamp, check: &CheckAndMutateRow) -> Result<bool> {
        self.make_room()?;
        self.table.check_and_mutate_row(self.storage, now, check)
    }

    /// Appends to cells of a row and increments them. Returns the new cells.
    ///
    /// # Errors
    /// The errors of [`TableHandle::mutate_row`], `InvalidArgument` for an aggregate family and
    /// `FailedPrecondition` when a cell to increment does not hold a number. After an error,
    /// nothing has changed.
    pub fn read_modify_write_row(&mut self, now: Timestamp, row: &ReadModifyWriteRow) -> Result<Row> {
        self.make_room()?;
        self.table.read_modify_write_row(self.storage, now, row)
    }

    /// Removes all rows of a range. This takes little time, regardless of their number.
    ///
    /// # Errors
    /// `InvalidArgument` for an empty prefix; `Unavailable` and `ResourceExhausted` from storage.
    /// After an error, no row was removed, unless the message says that rows may have been removed.
    pub fn drop_row_range(&mut self, range: &DropRowRange) -> Result<()> {
        self.table.drop_row_range(self.storage, range)
    }

    /// Prepares [`TableHandle::drop_row_range`] where the host runs compactions with
    /// [`CompactionStep`](super::CompactionStep). Returns whether the host should run some first,
    /// so that the range is dropped quickly: memtables of tablets that keep some rows must be
    /// written.
    ///
    /// # Errors
    /// The errors of [`TableHandle::drop_row_range`]; no row was removed.
    pub fn prepare_drop(&mut self, range: &DropRowRange) -> Result<bool> {
        self.table.prepare_drop(self.storage, range)
    }

    /// Answers a slice of a read. A metered read counts as load of the tablets.
    ///
    /// # Errors
    /// Any error of [`TableHandle::scan`]: the read is invalid or exceeds a limit, or storage
    /// fails.
    pub fn read(&mut self, now: Timestamp, read: &ReadRows) -> Result<RowsChunk> {
        self.table.read(self.storage, now, read)
    }

    /// Answers a slice of a read as [`TableHandle::read`] does, but passes the rows to `visitor`
    /// instead of returning them.
    ///
    /// # Errors
    /// Any error of [`TableHandle::scan`]: the read is invalid or exceeds a limit, or storage
    /// fails.
    pub fn read_into(
        &mut self,
        now: Timestamp,
        read: &ReadRows,
        visitor: &mut impl RowVisitor,
    ) -> Result<Scan> {
        self.table.read_into(self.storage, now, read, visitor)
    }

    /// Passes the rows of a read to `visitor` until the read is complete, or the slice or the
    /// visitor is full. This does not count as load.
    ///
    /// # Errors
    /// `InvalidArgument` for an empty row key, a range that starts after its end or a filter that
    /// Bigtable rejects; `FailedPrecondition` for a row of more than 256 MiB after the filter;
    /// `ResourceExhausted` for a filter that makes too many copies; `DataLoss` and `Unavailable`
    /// from storage.
    pub fn scan(&mut self, read: &ReadRows, visitor: &mut impl RowVisitor) -> Result<Scan> {
        self.table.scan(self.storage, read, visitor)
    }

    /// Returns what the filter of a read did with the rows of the next slice, node by node. All
    /// rows are returned, including rows of which the filter left no cell.
    ///
    /// # Errors
    /// Any error of [`TableHandle::scan`]: the read is invalid or exceeds a limit, or storage
    /// fails.
    pub fn trace(&mut self, trace: &mut Trace) -> Result<Vec<TracedRow>> {
        self.table.trace(self.storage, trace)
    }

    /// Answers a slice of a read and reports what it touches of the SSTables. The read is unmetered
    /// and leaves the cache unchanged: a block that an earlier slice has read counts as not cached
    /// again.
    ///
    /// # Errors
    /// Any error of [`TableHandle::scan`]: the read is invalid or exceeds a limit, or storage
    /// fails.
    pub fn touch(&mut self, read: &ReadRows) -> Result<TouchedChunk> {
        self.table.touch(self.storage, read)
    }

    /// Counts, in a slice of the rows, the cells that the GC rules collect now: at the time of
    /// [`crate::Instance::set_gc_time`], or at `now`.
    ///
    /// # Errors
    /// Any error of [`TableHandle::scan`]: the read is invalid or exceeds a limit, or storage
    /// fails.
    pub fn count_expired(&mut self, now: Timestamp, ask: &CountExpired) -> Result<ExpiredCells> {
        self.table.count_expired(self.storage, now, ask)
    }

    /// Returns a view of a part of the table's internals.
    ///
    /// # Errors
    /// `NotFound` for a tablet, an SSTable or a block that does not exist, or no longer exists;
    /// `Unavailable` from storage.
    pub fn inspect(&mut self, look: Inspect) -> Result<Inspected> {
        self.table.inspect(self.storage, look)
    }

    /// Writes the memtables of a tablet as SSTables, now. A tablet without rows in memory is left
    /// unchanged.
    ///
    /// # Errors
    /// `NotFound` for a tablet that does not exist, or no longer exists; the reason why the table
    /// cannot be written to; errors of storage.
    pub fn flush(&mut self, tablet: TabletId) -> Result<()> {
        self.table.flush_tablet(self.storage, tablet)
    }

    /// Requests a major compaction of one tablet, as [`TableHandle::compact`] does for all.
    ///
    /// # Errors
    /// `NotFound` for a tablet that does not exist, or no longer exists; the reason why the table
    /// cannot be written to.
    pub fn compact_tablet(&mut self, tablet: TabletId) -> Result<()> {
        self.table.compact_tablet(tablet)
    }

    /// Splits the tablets that a scan has made hot.
    pub fn split_hot(&mut self, now: Timestamp, scan: &Scan) {
        self.table.split_read(self.storage, now, scan);
    }

    /// Returns the split points of the tablets, and keys that divide the tablets into parts of
    /// about equal size. The last key is empty: it stands for the end of the table.
    pub fn sample_row_keys(&mut self) -> Vec<RowKeySample> {
        self.table.sample_row_keys()
    }

    /// Returns the specification that would create the table as it is, without its rows.
    pub fn describe(&self) -> TableSpec {
        self.table.describe()
    }

    /// Removes the table's blocks from the cache. Answers stay the same; the next reads read from
    /// storage.
    pub fn forget_blocks(&self) {
        self.table.forget_blocks();
    }

    /// Returns how often tablets were split, merged and compacted since the table was created, in
    /// this order. It costs less than [`TableHandle::view`].
    pub fn work_counts(&self) -> [u64; 3] {
        let counts = self.table.work_counts();
        [counts.splits, counts.merges, counts.minor_compactions + counts.major_compactions]
    }

    /// Returns the bytes that the table has written and read so far, by purpose. It costs less than
    /// [`TableHandle::view`].
    pub fn work(&self) -> TableWork {
        self.table.work_counts().work
    }

    /// Returns the table's tablets and counts at `now`.
    pub fn view(&mut self, now: Timestamp) -> TableView {
        self.table.view(now)
    }

    /// Changes the settings. Results of reads stay the same. Later calls run the splits and
    /// compactions that become due.
    ///
    /// # Errors
    /// `InvalidArgument` for invalid settings; errors of storage.
    pub fn update_settings(&mut self, settings: TableSettings) -> Result<()> {
        self.table.update_settings(self.storage, settings)
    }

    /// Creates, changes and drops families: all modifications are applied in order, or none of
    /// them. A new GC rule also applies to existing cells.
    ///
    /// # Errors
    /// `InvalidArgument` for a bad name or rule, `AlreadyExists` for a name that is taken,
    /// `NotFound` for a family that does not exist; errors of storage.
    pub fn modify_families(&mut self, modifications: &[FamilyModification]) -> Result<()> {
        self.table.modify_families(self.storage, modifications)
    }

    /// Requests a major compaction of each tablet, which
    /// [`Instance::advance`](super::Instance::advance) runs: overlapping SSTables become one, and
    /// GC rules are applied. It covers the rows that exist now.
    pub fn compact(&mut self) {
        self.table.compact();
    }

    /// Returns the next piece of the table's export. Damaged ranges are left out and listed.
    ///
    /// # Errors
    /// `FailedPrecondition` when families have changed since the last piece; `Unavailable` when
    /// storage cannot be read now.
    pub fn export(&mut self, resume: Option<&ExportResume>) -> Result<ExportPiece> {
        self.table.export(self.storage, self.id, resume)
    }

    /// Reads some rows starting at a key, and leaves out damaged rows. Rows in the ranges of
    /// [`TableHandle::outdated`] are included.
    ///
    /// # Errors
    /// `Unavailable` when storage cannot be read now.
    pub fn salvage(&mut self, from: &RowKey) -> Result<Salvage> {
        self.table.salvage(self.storage, from)
    }

    /// Returns the ranges of rows whose last writes may be missing because the table is damaged. An
    /// empty end key means the end of the table.
    pub fn outdated(&self) -> Vec<(RowKey, RowKey)> {
        self.table.outdated()
    }

    /// Sets whether writes are synced before they are acknowledged; the default is `true`. Without
    /// syncs, a crash may lose the last writes, each of them as a whole; [`TableHandle::sync`]
    /// makes them safe.
    pub fn set_synced(&mut self, syncs: bool) {
        self.table.set_synced(syncs);
    }

    /// Holds the writes that follow until [`TableHandle::release_writes`], so that they share a
    /// sync. They are logged but not visible, except to requests that read before they write.
    pub fn hold_writes(&mut self) {
        self.table.hold_writes();
    }

    /// Syncs the held writes and makes them visible.
    ///
    /// # Errors
    /// `Unavailable` when some may be lost: none of them is visible, but they may be found when the
    /// table is opened again. Until then the table rejects writes.
    pub fn release_writes(&mut self) -> Result<()> {
        self.table.release_writes(self.storage)
    }

    /// Syncs all acknowledged writes, so that they survive a crash.
    ///
    /// # Errors
    /// Errors of storage.
    pub fn sync(&mut self) -> Result<()> {
        self.table.sync(self.storage)
    }
}

/// The tables of an instance, for threads that read them while another thread changes them.
#[derive(Clone, Debug, Default)]
pub struct Readers(Arc<Shared<SortedMap<String, Arc<Reading>>>>);

impl Readers {
    /// Returns the table with this ID, if there is one.
    pub fn table(&self, id: &str) -> Option<TableReader> {
        self.0.lock().get(id).cloned().map(TableReader)
    }

    /// Removes all tables. Reads that have begun complete as usual.
    pub fn close(&self) {
        *self.0.lock() = SortedMap::default();
    }

    pub(super) fn insert(&self, id: &str, table: &mut Table) {
        table.publish();
        self.0.lock().insert(id.into(), table.reading().clone());
    }

    pub(super) fn remove(&self, id: &str) {
        self.0.lock().remove(id);
    }
}

/// A table that several threads may read at once, even while it is changed: a reader sees a row as
/// it was before a change, or after it.
#[derive(Clone, Debug)]
pub struct TableReader(Arc<Reading>);

/// Tells a table from a later one with the same ID. It does not keep the table alive.
#[derive(Clone, Debug)]
pub struct TableMark(Weak<Reading>);

impl TableReader {
    /// Returns the mark of this table.
    pub fn mark(&self) -> TableMark {
        TableMark(Arc::downgrade(&self.0))
    }

    /// Returns whether this is the table with this mark, that is, it was not created again,
    /// restored or reopened since.
    pub fn is_marked(&self, mark: &TableMark) -> bool {
        core::ptr::eq(Arc::as_ptr(&self.0), mark.0.as_ptr())
    }

    /// Answers a slice of a read as [`TableHandle::read_into`] does. `storage` is the storage of
    /// the instance. Also returns whether a tablet may have become hot; if so, call
    /// [`TableHandle::split_hot`] to split it.
    ///
    /// # Errors
    /// Any error of [`TableHandle::scan`]: the read is invalid or exceeds a limit, or storage
    /// fails.
    pub fn read_into(
        &self,
        storage: &dyn Storage,
        now: Timestamp,
        read: &ReadRows,
        visitor: &mut impl RowVisitor,
    ) -> Result<(Scan, bool)> {
        let scan = self.0.scan(storage, read, None, visitor)?;
        let is_hot = !read.unmetered && self.0.count_load(now, &scan);
        Ok((scan, is_hot))
    }

    /// Returns a change of one row, to be logged concurrently with reads and other writes:
    /// [`TableHandle::begin_large_write`], [`LargeWrite::log`] and [`TableHandle::end_large_write`]
    /// follow. The first and the last hold the lock of the instance only briefly. It costs a few
    /// more syncs than [`TableHandle::mutate_row`], so it is meant for megabytes.
    ///
    /// # Errors
    /// `InvalidArgument` for a mutation that breaks a limit, `NotFound` for a family that the table
    /// does not have.
    pub fn large_write(&self, now: Timestamp, row: &RowMutation) -> Result<LargeWrite> {
        LargeWrite::new(&self.0, now, row)
    }

    /// Returns the split points of the tablets, and keys that divide them into parts of about equal
    /// size, as [`TableHandle::sample_row_keys`] does.
    pub fn sample_row_keys(&self) -> Vec<RowKeySample> {
        self.0.sample_row_keys()
    }

    /// Returns the bytes of compaction that the last write should have waited for, per byte that it
    /// wrote. It is 0 unless too many SSTables overlap where it wrote. A host that runs compactions
    /// with [`CompactionStep`](super::CompactionStep) delays writes by it.
    pub fn compaction_owed(&self) -> u64 {
        *self.0.owed.lock()
    }
}

/// Checks a request as a whole, independently of its entries.
///
/// # Errors
/// `InvalidArgument` without entries, or for more mutations than a request can have.
pub fn check_entries(entries: &[RowMutation]) -> Result<()> {
    if entries.is_empty() {
        return Err(Error::invalid("Error in field 'entries' : no entries: send at least one"));
    }
    let mutations: usize = entries.iter().map(|entry| entry.mutations.len()).sum();
    if mutations > MUTATIONS_MAX {
        return Err(Error::invalid(format!(
            "Error in field 'entries' : {mutations} mutations; the limit of a request is {MUTATIONS_MAX}: send several \
             requests"
        )));
    }
    Ok(())
}
