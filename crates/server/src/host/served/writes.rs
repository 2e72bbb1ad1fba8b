//! Changes of rows: small ones wait for each other and share a sync, large requests are done in
//! parts, and a large row is written while other calls use the instance.

use std::sync::{Arc, Mutex};

use tabletop_engine::{Instance, TableHandle, TableReader, check_entries};
use tabletop_model::{
    CheckAndMutateRow, Code, DropRowRange, Error, Mutation, ReadModifyWriteRow, Result, Row, RowMutation,
    Timestamp,
};

use super::{IDLE, Served, guarded};
use crate::host::blocking::blocking;
use crate::host::storage::AnyStorage;
use crate::host::write_queue::{Write, our_bug, write_all};
use crate::lock::lock;

/// The size of a part of a request: its rows are written together, without other writes between
/// them.
const PART_BYTES: u64 = 4 << 20;
/// The maximum number of steps of compactions that dropping rows waits for.
const DROP_STEPS_MAX: usize = 16;

impl Served {
    /// Changes rows. All waiting writes, including those of the next two methods, are done together
    /// with one sync. A large request is done in parts, between which other writes are done.
    ///
    /// # Errors
    /// The error of the whole write; `Internal` when a thread panics; `Unavailable` when the
    /// instance has been closed. The error of an entry is at its index in the answer.
    pub fn mutate_rows(&self, table: String, entries: Vec<RowMutation>) -> Result<Vec<Option<Error>>> {
        let bytes_of = |entry: &RowMutation| entry.key.len() as u64 + bytes_of(&entry.mutations);
        let bytes = entries.iter().map(bytes_of).sum::<u64>();
        if bytes <= PART_BYTES {
            return self.mutate_part(table, bytes, entries);
        }
        check_entries(&entries)?;
        let mut outcomes = Vec::with_capacity(entries.len());
        let mut rest = entries.into_iter().peekable();
        while let Some(first) = rest.next() {
            let mut bytes = bytes_of(&first);
            let mut part = vec![first];
            while let Some(entry) = rest.next_if(|next| bytes + bytes_of(next) <= PART_BYTES) {
                bytes += bytes_of(&entry);
                part.push(entry);
            }
            let count = part.len();
            match self.mutate_part(table.clone(), bytes, part) {
                Ok(done) => outcomes.extend(done),
                Err(error) if outcomes.is_empty() => return Err(error),
                // The previous parts are done.
                Err(error) => {
                    outcomes.resize(outcomes.len() + count + rest.len(), Some(error));
                    break;
                }
            }
        }
        Ok(outcomes)
    }

    fn mutate_part(
        &self,
        table: String,
        bytes: u64,
        mut entries: Vec<RowMutation>,
    ) -> Result<Vec<Option<Error>>> {
        if bytes > PART_BYTES
            && let Some(reader) = self.readers.table(&table)
        {
            // The part has one row; several rows would make several parts.
            let done: Result<()> =
                entries.drain(..).try_for_each(|row| self.mutate_large_row(&table, &reader, bytes, row));
            return Ok(vec![done.err()]);
        }
        self.write(table, bytes, move |table, now| table.mutate_rows(now, &entries))
    }

    /// Changes a row without holding the lock while much data is copied, logged and synced.
    fn mutate_large_row(
        &self,
        table: &str,
        reader: &TableReader,
        bytes: u64,
        row: RowMutation,
    ) -> Result<()> {
        let alone = self.begin_large();
        // The memtable of the previous large row stays in memory until it is written.
        self.pace.wait_for_steps();
        let mut write = guarded(|| reader.large_write(self.now(), &row))?;
        drop(row);
        self.with(|instance, _| instance.table(table)?.begin_large_write(&mut write))?;
        let mut files = lock(&self.files).clone();
        // Without a complete record, the table rejects writes.
        let logged = guarded(|| {
            blocking(|| write.log(&mut files));
            Ok(())
        });
        drop(files);
        let mut is_open = false;
        let ended = self.change(|instance, _| {
            is_open = true;
            instance.table(table)?.end_large_write(write)
        });
        drop(alone);
        let closed = "the instance was closed during the write, which may be found when it is opened again";
        logged.and(if is_open { ended } else { Err(Error::new(Code::Unavailable, closed)) })?;
        self.pace.wait(bytes.saturating_mul(reader.compaction_owed()));
        Ok(())
    }

    /// Changes a row depending on whether a filter matches any of its cells. Returns whether it
    /// did.
    ///
    /// # Errors
    /// The errors of the engine's
    /// [`TableHandle::check_and_mutate_row`](tabletop_engine::TableHandle::check_and_mutate_row),
    /// and of [`Served::mutate_rows`].
    pub fn check_and_mutate_row(&self, table: String, check: CheckAndMutateRow) -> Result<bool> {
        let bytes = bytes_of(&check.on_match).max(bytes_of(&check.otherwise));
        self.write(table, bytes, move |table, now| table.check_and_mutate_row(now, &check))
    }

    /// Appends to cells of a row and increments them. Returns the new cells.
    ///
    /// # Errors
    /// The errors of the engine's
    /// [`TableHandle::read_modify_write_row`](tabletop_engine::TableHandle::read_modify_write_row),
    /// and of [`Served::mutate_rows`].
    pub fn read_modify_write_row(&self, table: String, row: ReadModifyWriteRow) -> Result<Row> {
        self.write(table, 0, move |table, now| table.read_modify_write_row(now, &row))
    }

    /// Removes all rows of a range, even on a full disk.
    ///
    /// # Errors
    /// The errors of the engine's
    /// [`TableHandle::drop_row_range`](tabletop_engine::TableHandle::drop_row_range), and of
    /// [`Served::with`].
    pub fn drop_row_range(&self, table: &str, range: &DropRowRange) -> Result<()> {
        self.reserve.spend(|| {
            for _ in 0..DROP_STEPS_MAX {
                if !self.with(|instance, _| instance.table(table)?.prepare_drop(range))? {
                    break;
                }
                // The instance's own thread may help. Writes that arrive in the meantime are
                // written with the lock held.
                if self.advance() == Some(IDLE) {
                    // Storage refused the step, and would refuse it again.
                    break;
                }
                self.pace.wait_for_steps();
            }
            self.change(|instance, _| instance.table(table)?.drop_row_range(range))
        })
    }

    /// Does a write of about this many bytes, together with other waiting writes.
    pub(super) fn write<T: Send + 'static>(
        &self,
        table: String,
        bytes: u64,
        act: impl FnOnce(&mut TableHandle<'_>, Timestamp) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let answer = Arc::new(Mutex::new(None));
        let answered = answer.clone();
        let change = move |table: &mut TableHandle<'_>, now| {
            *lock(&answered) = Some(act(table, now)?);
            Ok(())
        };
        let reader = self.readers.table(&table);
        self.writes.write(table, Box::new(change), || self.write_waiting())?;
        if let Some(owed) = reader.map(|reader| reader.compaction_owed()).filter(|owed| *owed > 0) {
            self.pace.wait(bytes.saturating_mul(owed));
        }
        lock(&answer).take().ok_or_else(|| our_bug("a write has no answer"))
    }

    /// Does all waiting writes.
    fn write_waiting(&self) {
        let mut state = self.lock();
        let (writes, places) = self.writes.take();
        let done = self.act(&mut state, |instance, now| {
            write_groups(instance, now, writes);
            Ok(())
        });
        drop(state);
        self.maintenance.wake();
        // After a panic, the other writes may or may not have happened.
        done.unwrap_or_else(|error| places.fail(&error));
    }
}

/// Does writes in order. Consecutive writes to one table share a sync.
fn write_groups(instance: &mut Instance<AnyStorage>, now: Timestamp, writes: Vec<Write>) {
    let mut writes = writes.into_iter().peekable();
    while let Some(first) = writes.next() {
        let id = first.table.clone();
        let mut group = vec![first];
        group.extend(std::iter::from_fn(|| writes.next_if(|next| next.table == id)));
        match instance.table(&id) {
            Ok(mut table) => write_all(&mut table, now, group),
            Err(error) => group.iter().for_each(|write| write.place.set(Err(error.clone()))),
        }
    }
}

/// Returns the number of bytes that mutations write.
fn bytes_of(mutations: &[Mutation]) -> u64 {
    let bytes = |mutation: &Mutation| match mutation {
        Mutation::SetCell { qualifier, value, .. } => qualifier.len() + value.len(),
        _ => 0,
    };
    mutations.iter().map(bytes).sum::<usize>() as u64
}
