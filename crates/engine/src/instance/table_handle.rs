//! One table of an instance, for callers in the same process.

use alloc::format;
use alloc::vec::Vec;

use tabletop_model::limits::MUTATIONS_MAX;
use tabletop_model::{
    CheckAndMutateRow, DropRowRange, Error, ExportPiece, ExportResume, FamilyModification, ReadModifyWriteRow, ReadRows, Result,
    Row, RowKeySample, RowMutation, RowsChunk, TableSettings, TableSpec, TableView, Timestamp,
};

use crate::storage::Storage;
use crate::table::Table;
use crate::table::scan::{RowVisitor, Scan};

/// A table and the storage that its files are on. Reads take `&mut` as writes do, for a memtable is sorted when it is first
/// read.
#[derive(Debug)]
pub struct TableHandle<'a, S> {
    pub(super) id: &'a str,
    pub(super) table: &'a mut Table,
    pub(super) storage: &'a mut S,
}

impl<S: Storage> TableHandle<'_, S> {
    /// Changes rows: of each all the mutations in order, or none of them. The answer says for each entry why it failed, if it
    /// did; the others are done.
    ///
    /// `now` stamps cells sent with [`tabletop_model::SERVER_TIME`], and says when tablets were busy.
    ///
    /// # Errors
    /// `InvalidArgument` without entries, or for more mutations than a request can have. Of an entry: as those of
    /// [`TableHandle::mutate_row`].
    pub fn mutate_rows(&mut self, now: Timestamp, entries: &[RowMutation]) -> Result<Vec<Option<Error>>> {
        check_entries(entries)?;
        Ok(self.table.mutate_rows(self.storage, now, entries))
    }

    /// Changes one row: all the mutations in order, or none of them.
    ///
    /// # Errors
    /// `InvalidArgument` for what breaks a limit, `NotFound` for a family that the table does not have, `Unavailable` and
    /// `ResourceExhausted` when storage refuses to take it; then nothing has changed.
    pub fn mutate_row(&mut self, now: Timestamp, row: &RowMutation) -> Result<()> {
        self.table.mutate_row(self.storage, now, row)
    }

    /// Changes a row by what a filter finds in it; whether it found anything.
    ///
    /// # Errors
    /// As those of a read and of [`TableHandle::mutate_row`]; then nothing has changed. What is wrong in the mutations that are
    /// not applied is not found.
    pub fn check_and_mutate_row(&mut self, now: Timestamp, check: &CheckAndMutateRow) -> Result<bool> {
        self.table.check_and_mutate_row(self.storage, now, check)
    }

    /// Appends to cells of a row and increments them; the new cells.
    ///
    /// # Errors
    /// As those of [`TableHandle::mutate_row`], `InvalidArgument` for an aggregate family and `FailedPrecondition` when a cell to
    /// be incremented is no number; then nothing has changed.
    pub fn read_modify_write_row(&mut self, now: Timestamp, row: &ReadModifyWriteRow) -> Result<Row> {
        self.table.read_modify_write_row(self.storage, now, row)
    }

    /// Removes all rows of a range. It takes little time, however many they are.
    ///
    /// # Errors
    /// `InvalidArgument` for an empty prefix; `Unavailable` and `ResourceExhausted` from storage: then no row has gone, unless
    /// the message says that it may have.
    pub fn drop_row_range(&mut self, range: &DropRowRange) -> Result<()> {
        self.table.drop_row_range(self.storage, range)
    }

    /// Answers a slice of a read, and counts it as load of the tablets if it is metered.
    ///
    /// # Errors
    /// As those of [`TableHandle::scan`].
    pub fn read(&mut self, now: Timestamp, read: &ReadRows) -> Result<RowsChunk> {
        self.table.read(self.storage, now, read)
    }

    /// As [`TableHandle::read`], with the rows handed to `visitor` instead of made.
    ///
    /// # Errors
    /// As those of [`TableHandle::scan`].
    pub fn read_into(&mut self, now: Timestamp, read: &ReadRows, visitor: &mut impl RowVisitor) -> Result<Scan> {
        self.table.read_into(self.storage, now, read, visitor)
    }

    /// Hands the rows of a read to `visitor` until it is complete, or its slice or the visitor is full. It is load of no tablet.
    ///
    /// # Errors
    /// `InvalidArgument` for an empty row key, a range that starts after its end and a filter that Bigtable refuses;
    /// `FailedPrecondition` for a row of more than 256 MiB after the filter; `ResourceExhausted` for a filter that makes
    /// too many copies; `DataLoss` and `Unavailable` from storage.
    pub fn scan(&mut self, read: &ReadRows, visitor: &mut impl RowVisitor) -> Result<Scan> {
        self.table.scan(self.storage, read, visitor)
    }

    /// Where tablets begin, and keys that cut them into parts of about equal size. The last one is the end of the table: an
    /// empty key.
    pub fn sample_row_keys(&mut self) -> Vec<RowKeySample> {
        self.table.sample_row_keys()
    }

    /// What the table would be created from to be as it is, but for its rows.
    pub fn describe(&self) -> TableSpec {
        self.table.describe()
    }

    /// The table's tablets and counts at `now`.
    pub fn view(&mut self, now: Timestamp) -> TableView {
        self.table.view(now)
    }

    /// Changes the thresholds. Answers stay the same; splits and compactions that become due are done with later calls.
    ///
    /// # Errors
    /// `InvalidArgument` for settings that make no sense; what storage refuses.
    pub fn update_settings(&mut self, settings: TableSettings) -> Result<()> {
        self.table.update_settings(self.storage, settings)
    }

    /// Creates, changes and drops families: all of it in order, or nothing. A new rule is about existing cells, too.
    ///
    /// # Errors
    /// `InvalidArgument` for a bad name or rule, `AlreadyExists` for a name that is taken, `NotFound` for one that does not
    /// exist; what storage refuses.
    pub fn modify_families(&mut self, modifications: &[FamilyModification]) -> Result<()> {
        self.table.modify_families(self.storage, modifications)
    }

    /// Lets [`Instance::advance`](super::Instance::advance) merge the SSTables of each tablet into one if they overlap, and
    /// collect what GC rules say, until the next write.
    pub fn compact(&mut self) {
        self.table.compact();
    }

    /// The next piece of the table as a file. What is damaged is left out, and named.
    ///
    /// # Errors
    /// `FailedPrecondition` when families have changed since the piece before; `Unavailable` when storage cannot be read now.
    pub fn export(&mut self, resume: Option<&ExportResume>) -> Result<ExportPiece> {
        self.table.export(self.storage, self.id, resume)
    }

    /// Whether writes are synced before they are answered; they are, unless this is called with `false`. Then a crash may take
    /// the last ones, each as a whole, and [`TableHandle::sync`] makes them safe.
    pub fn set_synced(&mut self, syncs: bool) {
        self.table.set_synced(syncs);
    }

    /// Makes all writes that were answered survive a crash.
    ///
    /// # Errors
    /// What storage refuses.
    pub fn sync(&mut self) -> Result<()> {
        self.table.sync(self.storage)
    }
}

/// What makes the whole request wrong, whatever its entries are.
fn check_entries(entries: &[RowMutation]) -> Result<()> {
    if entries.is_empty() {
        return Err(Error::invalid("Error in field 'entries' : no entries: send at least one"));
    }
    let mutations: usize = entries.iter().map(|entry| entry.mutations.len()).sum();
    if mutations > MUTATIONS_MAX {
        return Err(Error::invalid(format!(
            "Error in field 'entries' : {mutations} mutations, the limit of a request is {MUTATIONS_MAX}: send several \
             requests"
        )));
    }
    Ok(())
}
