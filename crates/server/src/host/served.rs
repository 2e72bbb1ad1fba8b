//! One instance that threads share.

mod writes;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tabletop_engine::{Budget, Instance, Readers, RowVisitor, Scan, TableReader};
use tabletop_model::{
    Code, Error, ReadRows, Recovery, Request, Response, Result, RowKeySample, TableCounts, TableRequest,
    Timestamp, printable,
};

use super::blocking::blocking;
use super::clock::Clock;
use super::limits::SharedLimits;
use super::pace::Pace;
use super::storage::AnyStorage;
use super::write_queue::{WriteQueue, our_bug};
use crate::lock::lock;
use crate::reserve::Reserve;

/// The size of other background work in one call, which holds the lock. A memtable is written as a
/// whole.
const SLICE: Budget = Budget { bytes: 256 << 10 };
/// The size of a step of a compaction, which holds no lock.
const STEP: Budget = Budget { bytes: 1 << 20 };
/// The pause between two slices, during which waiting threads take the lock.
const PAUSE: Duration = Duration::from_micros(200);
/// The interval of checks for work that no call has caused, for example after a full storage has
/// space again.
const IDLE: Duration = Duration::from_secs(1);
/// The shortest pause before work whose time is known.
const PAUSE_MIN: Duration = Duration::from_millis(5);

/// An instance, the writes that wait for it, and the thread that runs its compactions.
pub struct Served {
    state: Mutex<ServedState>,
    /// The tables, for reads, which do not wait for `state`.
    readers: Readers,
    /// The files of the tables, for reads.
    files: Mutex<AnyStorage>,
    /// The number of threads that wait for `state`.
    waiting: AtomicUsize,
    writes: WriteQueue,
    /// Held during a large write.
    large: Mutex<()>,
    clock: Clock,
    seeds: AtomicU64,
    recovery: Recovery,
    limits: SharedLimits,
    reserve: Arc<Reserve>,
    is_durable: bool,
    maintenance: Arc<Maintenance>,
    pace: Pace,
}

struct ServedState {
    instance: Instance<AnyStorage>,
    /// The error of all further calls, if the instance is unusable or closed.
    refusal: Option<Error>,
}

/// The signal of the compaction thread.
#[derive(Default)]
struct Maintenance {
    is_due: AtomicBool,
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl Served {
    pub(super) fn new(
        mut instance: Instance<AnyStorage>,
        recovery: Recovery,
        clock: Clock,
        limits: SharedLimits,
        reserve: Arc<Reserve>,
    ) -> Arc<Served> {
        instance.set_limits(limits.part());
        let is_durable = !matches!(instance.storage(), AnyStorage::Memory(_));
        let served = Arc::new(Served {
            readers: instance.readers(),
            files: Mutex::new(instance.storage().clone()),
            state: Mutex::new(ServedState { instance, refusal: None }),
            waiting: AtomicUsize::new(0),
            writes: WriteQueue::default(),
            large: Mutex::default(),
            clock,
            seeds: AtomicU64::new(0),
            recovery,
            limits,
            reserve,
            is_durable,
            maintenance: Arc::default(),
            pace: Pace::default(),
        });
        let (weak, maintenance) = (Arc::downgrade(&served), served.maintenance.clone());
        // Without the thread, writes run the compaction. That is slower, but correct.
        let _ = std::thread::Builder::new().name("compaction".into()).spawn(move || maintenance.run(&weak));
        served
    }

    /// Returns the report of opening the instance.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Returns the time of the host's clock.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Answers one request. It may wait for other requests and for a disk.
    pub fn handle(&self, request: Request) -> Response {
        let Request::Table { table, request } = request else { return self.answer(request) };
        match request {
            TableRequest::MutateRows(entries) => {
                self.mutate_rows(table, entries).map_or_else(Response::Refused, Response::Mutated)
            }
            TableRequest::CheckAndMutateRow(check) => self
                .check_and_mutate_row(table, check)
                .map_or_else(Response::Refused, Response::PredicateMatched),
            TableRequest::ReadModifyWriteRow(row) => {
                self.read_modify_write_row(table, row).map_or_else(Response::Refused, Response::Row)
            }
            TableRequest::SampleRowKeys => {
                self.sample_row_keys(&table).map_or_else(Response::Refused, Response::RowKeySamples)
            }
            TableRequest::DropRowRange(range) => {
                self.drop_row_range(&table, &range).map_or_else(Response::Refused, |()| Response::Done)
            }
            request => self.answer(request.of(table)),
        }
    }

    fn answer(&self, request: Request) -> Response {
        self.change(|instance, now| Ok(instance.handle(now, request))).unwrap_or_else(Response::Refused)
    }

    /// Calls `act` with exclusive access to the instance, and then wakes the compaction thread.
    ///
    /// # Errors
    /// The errors of [`Served::with`].
    pub fn change<T>(
        &self,
        act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> Result<T>,
    ) -> Result<T> {
        let done = self.with(act);
        self.maintenance.wake();
        done
    }

    /// Calls `act` with exclusive access to the instance.
    ///
    /// # Errors
    /// The error of `act`; `Internal` when it panics; `Unavailable` when the instance has been
    /// closed.
    pub fn with<T>(&self, act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> Result<T>) -> Result<T> {
        self.act(&mut self.lock(), act)
    }

    /// Returns a table that can be read concurrently with changes.
    pub(crate) fn reader(&self, table: &str) -> Option<TableReader> {
        self.readers.table(table)
    }

    /// Reads a slice of a table's rows, concurrently with other reads and with changes.
    ///
    /// # Errors
    /// The errors of the engine's [`TableReader::read_into`], and of [`Served::with`].
    pub fn read_into(&self, table: &str, read: &ReadRows, visitor: &mut impl RowVisitor) -> Result<Scan> {
        // This comes before the table: an instance that is being closed loses its tables first,
        // then its files.
        let files = lock(&self.files).clone();
        let Some(reader) = self.readers.table(table) else {
            // The instance knows the reason.
            return self.with(|instance, now| instance.table(table)?.read_into(now, read, visitor));
        };
        let done = guarded(|| reader.read_into(&files, self.now(), read, visitor));
        if done.is_err() {
            // If the instance was closed or deleted in the meantime, that error explains the other.
            self.with(|_, _| Ok(()))?;
        }
        let (scan, is_hot) = done?;
        if is_hot {
            // Without the split, the rows are the same.
            let _ = self.change(|instance, now| {
                instance.table(table)?.split_hot(now, &scan);
                Ok(())
            });
        }
        Ok(scan)
    }

    /// Returns keys that divide a table into parts of about the same size. It can run concurrently
    /// with changes.
    ///
    /// # Errors
    /// `NotFound` when there is no such table; the errors of [`Served::with`].
    pub fn sample_row_keys(&self, table: &str) -> Result<Vec<RowKeySample>> {
        match self.readers.table(table) {
            Some(reader) => guarded(|| Ok(reader.sample_row_keys())),
            // The instance knows the reason.
            None => self.with(|instance, _| Ok(instance.table(table)?.sample_row_keys())),
        }
    }

    /// Calls `visit` with each table and its figures.
    ///
    /// # Errors
    /// The errors of [`Served::with`].
    pub(crate) fn table_counts(&self, mut visit: impl FnMut(&str, &TableCounts)) -> Result<()> {
        self.with(|instance, _| {
            instance.table_counts().for_each(|(table, counts)| visit(table, &counts));
            Ok(())
        })
    }

    /// Checks that the instance and all of its tables can be written to. A closed instance has no
    /// problem.
    ///
    /// # Errors
    /// The reason why one of them cannot be written to.
    pub(crate) fn health(&self) -> Result<()> {
        let state = self.lock();
        match (&state.refusal, state.instance.first_refusal()) {
            (Some(refusal), _) if refusal.code == Code::Internal => Err(refusal.clone()),
            (None, Some((table, error))) => {
                Err(Error::new(error.code, format!("table {table} cannot be written to: {}", error.message)))
            }
            _ => Ok(()),
        }
    }

    /// Returns a pseudorandom seed for a sample of rows.
    pub fn new_seed(&self) -> u64 {
        // The time makes the seeds of different processes differ, and the count makes those of one
        // process differ.
        let count = self.seeds.fetch_add(1, Ordering::Relaxed);
        (self.now() as u64 ^ count.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    /// Closes the instance: waits for work in progress, closes the files and rejects further calls.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        if state.refusal.is_none() {
            state.instance.confirm();
        }
        state.refusal = Some(Error::new(
            Code::Unavailable,
            "the instance has been closed or deleted: nothing was changed",
        ));
        state.instance = Instance::on(AnyStorage::in_memory());
        self.readers.close();
        *lock(&self.files) = AnyStorage::in_memory();
        drop(state);
        self.maintenance.end();
        // A step of a compaction has the files open, and so has a large write.
        self.pace.wait_for_steps();
        drop(self.begin_large());
    }

    /// Waits until no other large write is in progress.
    fn begin_large(&self) -> MutexGuard<'_, ()> {
        blocking(|| lock(&self.large))
    }

    fn act<T>(
        &self,
        state: &mut ServedState,
        act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> Result<T>,
    ) -> Result<T> {
        if let Some(refusal) = &state.refusal {
            return Err(refusal.clone());
        }
        let now = self.now();
        let mut has_panicked = true;
        let done = guarded(|| {
            let done = act(&mut state.instance, now);
            has_panicked = false;
            done
        });
        if let Err(error) = &done
            && has_panicked
            && self.is_durable
        {
            // The state in memory may differ from the state on the disk, which is intact. A restart
            // reads the disk.
            state.refusal = Some(error.clone());
            self.readers.close();
        }
        done
    }

    fn lock(&self) -> MutexGuard<'_, ServedState> {
        if let Ok(state) = self.state.try_lock() {
            return state;
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // The holder may be writing much, or waiting for a disk.
        let state = blocking(|| lock(&self.state));
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        state
    }

    /// Does all background work that is due now or in progress.
    pub fn finish_work(&self) {
        loop {
            let is_done = self.advance().is_some();
            if self.pace.wait_for_steps() == 0 && is_done {
                return;
            }
        }
    }

    /// Does background work that is due, and a step of a compaction, which holds no lock. Returns
    /// how long to wait before the next call, or `None` if more work is waiting.
    pub(super) fn advance(&self) -> Option<Duration> {
        let begun = self.with(|instance, now| {
            // Instances may have been opened or closed since. This runs at least once a second.
            instance.set_limits(self.limits.part());
            let more = instance.advance_apart(now, SLICE);
            let step = instance.take_step(now);
            // The instance cannot be closed here.
            self.pace.begin(step.is_some());
            Ok((more, step))
        });
        let Ok((more, step)) = begun else { return Some(IDLE) };
        let has_step = step.is_some();
        let done = step.map(|step| {
            let mut files = lock(&self.files).clone();
            catch_unwind(AssertUnwindSafe(|| step.run(&mut files, STEP)))
        });
        let mut is_refused = false;
        let ended = self.with(|instance, now| {
            if let Some(done) = done {
                // A panic makes the instance unusable, as a panic in any change does.
                let done = instance.put_back(now, done.unwrap_or_else(|panic| resume_unwind(panic)));
                is_refused = done.is_err();
            }
            let wait = Duration::from_micros(instance.next_work().saturating_sub(now).max(0) as u64);
            Ok((wait, instance.take_new_damage()))
        });
        if has_step {
            self.pace.end(STEP.bytes);
        }
        let (wait, damage) = ended.unwrap_or((IDLE, Vec::new()));
        for (table, error) in damage {
            let error = error.to_string();
            eprintln!(
                "table {table}: the tablets with damaged rows are not compacted until the next start: {}",
                printable(&error)
            );
        }
        if is_refused {
            // For example, the disk is full. The work is retried later.
            return Some(IDLE);
        }
        (!has_step && !more).then_some(wait.clamp(PAUSE_MIN, IDLE))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.maintenance.end();
    }
}

impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Served").field("is_durable", &self.is_durable).finish_non_exhaustive()
    }
}

impl Maintenance {
    /// Signals that there may be work.
    fn wake(&self) {
        if !self.is_due.swap(true, Ordering::AcqRel) {
            // The waiting thread holds this lock until it waits, so it cannot miss the signal.
            drop(lock(&self.is_over));
            self.changed.notify_one();
        }
    }

    fn end(&self) {
        *lock(&self.is_over) = true;
        self.changed.notify_one();
    }

    fn run(&self, served: &Weak<Served>) {
        let mut wait = IDLE;
        loop {
            let mut is_over = lock(&self.is_over);
            if !*is_over && !self.is_due.load(Ordering::Acquire) {
                is_over = self.changed.wait_timeout(is_over, wait).unwrap_or_else(PoisonError::into_inner).0;
            }
            if *is_over {
                return;
            }
            drop(is_over);
            self.is_due.store(false, Ordering::Release);
            while let Some(served) = served.upgrade() {
                if let Some(idle) = served.advance() {
                    wait = idle;
                    break;
                }
                if served.waiting.load(Ordering::Relaxed) > 0 {
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }
}

/// Calls `act`, and turns a panic into an error.
fn guarded<T>(act: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| Err(our_bug(panic_text(&*panic))))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests;
