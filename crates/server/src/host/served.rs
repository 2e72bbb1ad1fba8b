//! One instance that threads share.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tabletop_engine::{Budget, Instance};
use tabletop_model::limits::MUTATIONS_MAX;
use tabletop_model::{Code, Error, Mutation, Recovery, Request, Response, Result, RowMutation, TableRequest, Timestamp};

use super::{AnyStorage, Clock, blocking};
use crate::lock::lock;

/// The size of a slice of compaction, which holds the lock for about a millisecond.
const SLICE: Budget = Budget { bytes: 256 << 10 };
/// The pause between two slices in which waiting threads take the lock.
const PAUSE: Duration = Duration::from_micros(200);
/// The bytes of values that are written as one group. A small write neither waits for nor fails with many large ones.
const GROUP_BYTES_MAX: usize = 4 << 20;
/// The interval of checks for work that no call has caused, for example after a full storage has space again.
const IDLE: Duration = Duration::from_secs(1);

/// An instance, the writes that wait for it, and the thread that does its compactions.
pub struct Served {
    state: Mutex<ServedState>,
    /// The number of threads that wait for `state`.
    waiting: AtomicUsize,
    /// Writes that wait. They are done as a group, with one sync.
    writes: Mutex<Vec<Write>>,
    clock: Clock,
    seeds: AtomicU64,
    recovery: Recovery,
    is_durable: bool,
    maintenance: Arc<Maintenance>,
}

struct ServedState {
    instance: Instance<AnyStorage>,
    /// The error of all further calls, if the instance is unusable or closed.
    refusal: Option<Error>,
}

/// A write that waits.
struct Write {
    table: String,
    entries: Vec<RowMutation>,
    answer: Arc<Mutex<Option<Outcomes>>>,
}

/// The outcome of each entry, or the error of the whole write.
type Outcomes = Result<Vec<Option<Error>>>;

/// The signal of the compaction thread.
#[derive(Default)]
struct Maintenance {
    is_due: AtomicBool,
    is_over: Mutex<bool>,
    news: Condvar,
}

impl Served {
    pub(super) fn new(instance: Instance<AnyStorage>, recovery: Recovery, clock: Clock) -> Arc<Served> {
        let is_durable = matches!(instance.storage(), AnyStorage::Files(_));
        let served = Arc::new(Served {
            state: Mutex::new(ServedState { instance, refusal: None }),
            waiting: AtomicUsize::new(0),
            writes: Mutex::default(),
            clock,
            seeds: AtomicU64::new(0),
            recovery,
            is_durable,
            maintenance: Arc::default(),
        });
        let (weak, maintenance) = (Arc::downgrade(&served), served.maintenance.clone());
        // Without the thread, writes do the compaction. That is slower, but correct.
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

    /// Answers one request. May wait for other requests and for a disk.
    pub fn handle(&self, request: Request) -> Response {
        if let Request::Table { table, request: TableRequest::MutateRows(entries) } = request {
            return self.mutate_rows(table, entries).map_or_else(Response::Refused, Response::Mutated);
        }
        self.change(|instance, now| Ok(instance.handle(now, request))).unwrap_or_else(Response::Refused)
    }

    /// Does the same as [`Served::with`], and wakes the compaction.
    ///
    /// # Errors
    /// Those of [`Served::with`].
    pub fn change<T>(&self, act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> Result<T>) -> Result<T> {
        let done = self.with(act);
        self.maintenance.wake();
        done
    }

    /// Calls `act` with exclusive access to the instance.
    ///
    /// # Errors
    /// Those of `act`; `Internal` when it panics; `Unavailable` when the instance has been closed.
    pub fn with<T>(&self, act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> Result<T>) -> Result<T> {
        self.act(&mut self.lock(), act)
    }

    /// Returns a pseudorandom seed for a sample of rows.
    pub fn new_seed(&self) -> u64 {
        // The time makes the seeds of different processes differ, and the count those of one process.
        let count = self.seeds.fetch_add(1, Ordering::Relaxed);
        (self.now() as u64 ^ count.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    /// Closes the instance: waits for work in progress, closes the files and refuses further calls.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        if state.refusal.is_none() {
            state.instance.confirm();
        }
        state.refusal = Some(Error::new(Code::Unavailable, "the instance has been closed or deleted: nothing was done"));
        state.instance = Instance::on(AnyStorage::Memory(Default::default()));
        self.maintenance.end();
    }

    /// Changes rows. Writes that arrive during another one are done together by the next thread.
    ///
    /// # Errors
    /// The error of the whole write; `Internal` when a thread panics; `Unavailable` when the instance has been closed. The error
    /// of an entry is at its index in the answer.
    pub fn mutate_rows(&self, table: String, entries: Vec<RowMutation>) -> Result<Vec<Option<Error>>> {
        let answer = Arc::new(Mutex::new(None));
        lock(&self.writes).push(Write { table, entries, answer: answer.clone() });
        let mut state = self.lock();
        if lock(&answer).is_none() {
            let writes = std::mem::take(&mut *lock(&self.writes));
            let done = self.act(&mut state, |instance, now| {
                write_all(instance, now, writes);
                Ok(())
            });
            drop(state);
            self.maintenance.wake();
            if let Err(error) = done {
                return lock(&answer).take().unwrap_or(Err(error));
            }
        }
        // If there is no answer, the thread that had taken the write has panicked.
        lock(&answer).take().unwrap_or_else(|| Err(our_bug("another request")))
    }

    fn act<T>(&self, state: &mut ServedState, act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> Result<T>) -> Result<T> {
        if let Some(refusal) = &state.refusal {
            return Err(refusal.clone());
        }
        let now = self.now();
        match catch_unwind(AssertUnwindSafe(|| act(&mut state.instance, now))) {
            Ok(done) => done,
            Err(panic) => {
                let error = our_bug(panic_text(&*panic));
                if self.is_durable {
                    // The state in memory may differ from that on the disk, which is intact. A restart reads the disk.
                    state.refusal = Some(error.clone());
                }
                Err(error)
            }
        }
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

    /// Does a slice of compaction, and reports whether more work waits.
    fn advance(&self) -> bool {
        let done = self.with(|instance, now| Ok((instance.advance(now, SLICE), instance.take_new_damage())));
        let (more, damage) = done.unwrap_or_default();
        for (table, error) in damage {
            eprintln!("table {table}: rows beside damaged ones are not compacted until the next start: {error}");
        }
        more
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
            self.news.notify_one();
        }
    }

    fn end(&self) {
        *lock(&self.is_over) = true;
        self.news.notify_one();
    }

    fn run(&self, served: &Weak<Served>) {
        loop {
            let mut is_over = lock(&self.is_over);
            if !*is_over && !self.is_due.load(Ordering::Acquire) {
                is_over = self.news.wait_timeout(is_over, IDLE).unwrap_or_else(PoisonError::into_inner).0;
            }
            if *is_over {
                return;
            }
            drop(is_over);
            self.is_due.store(false, Ordering::Release);
            while let Some(served) = served.upgrade() {
                if !served.advance() {
                    break;
                }
                if served.waiting.load(Ordering::Relaxed) > 0 {
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }
}

/// Does writes in order. Consecutive writes to one table are done as one, up to the limits of a request.
fn write_all(instance: &mut Instance<AnyStorage>, now: Timestamp, writes: Vec<Write>) {
    let mut writes = writes.into_iter().peekable();
    while let Some(first) = writes.next() {
        let (table, mut entries) = (first.table, first.entries);
        let mut parts = vec![(entries.len(), first.answer)];
        let (mut mutations, mut bytes) = (mutations_of(&entries), bytes_of(&entries));
        // A write without entries is refused as a whole, so it is not grouped.
        let fits = |write: &Write, mutations: usize, bytes: usize| {
            write.table == table
                && !write.entries.is_empty()
                && mutations + mutations_of(&write.entries) <= MUTATIONS_MAX
                && bytes + bytes_of(&write.entries) <= GROUP_BYTES_MAX
        };
        while !entries.is_empty()
            && let Some(next) = writes.next_if(|next| fits(next, mutations, bytes))
        {
            mutations += mutations_of(&next.entries);
            bytes += bytes_of(&next.entries);
            parts.push((next.entries.len(), next.answer));
            entries.extend(next.entries);
        }
        match instance.table(&table).and_then(|mut table| table.mutate_rows(now, &entries)) {
            Ok(outcomes) => {
                let mut outcomes = outcomes.into_iter();
                for (count, answer) in parts {
                    *lock(&answer) = Some(Ok(outcomes.by_ref().take(count).collect()));
                }
            }
            Err(error) => parts.into_iter().for_each(|(_, answer)| *lock(&answer) = Some(Err(error.clone()))),
        }
    }
}

fn mutations_of(entries: &[RowMutation]) -> usize {
    entries.iter().map(|entry| entry.mutations.len()).sum()
}

fn bytes_of(entries: &[RowMutation]) -> usize {
    let value = |mutation: &Mutation| if let Mutation::SetCell { value, .. } = mutation { value.len() } else { 0 };
    entries.iter().flat_map(|entry| &entry.mutations).map(value).sum()
}

fn our_bug(what: &str) -> Error {
    Error::new(Code::Internal, format!("this is a bug of Tabletop, please report it: {what}"))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use tabletop_model::{ColumnFamily, TableSpec};

    use super::*;
    use crate::files::FileStorage;
    use crate::host::table_settings;

    fn served(storage: AnyStorage) -> Arc<Served> {
        let clock: Clock = Arc::new(|| 1_000);
        let instance = match storage {
            AnyStorage::Memory(_) => Instance::on(storage),
            AnyStorage::Files(_) => Instance::open(storage, 0).unwrap().0,
        };
        let served = Served::new(instance, Recovery::default(), clock);
        let spec = TableSpec { families: vec![ColumnFamily::new("f")], settings: table_settings(), ..TableSpec::default() };
        served.change(|instance, now| instance.create_table(now, "t", spec)).unwrap();
        served
    }

    fn entry(key: &str, family: &str) -> RowMutation {
        let set =
            |family: &str| Mutation::SetCell { family: family.into(), qualifier: "q".into(), timestamp: 0, value: key.into() };
        RowMutation { key: key.into(), mutations: vec![set(family)] }
    }

    #[test]
    fn waiting_writes_share_a_sync_and_each_has_its_answer() {
        let served = served(AnyStorage::Memory(Default::default()));
        let write = |table: &str, entries| Write { table: table.into(), entries, answer: Arc::default() };
        let many = |count: usize| RowMutation { mutations: vec![entry("m", "f").mutations[0].clone(); count], key: "m".into() };
        let writes = vec![
            write("t", vec![entry("a", "f"), entry("b", "nope")]),
            write("t", vec![entry("c", "f")]),
            write("t", vec![]),
            write("x", vec![entry("d", "f")]),
            write("t", vec![many(MUTATIONS_MAX)]),
            write("t", vec![many(MUTATIONS_MAX + 1)]),
            write("t", vec![entry("e", "nope"), entry("f", "f")]),
        ];
        let answers: Vec<_> = writes.iter().map(|write| write.answer.clone()).collect();
        let done = served.with(|instance, now| {
            write_all(instance, now, writes);
            Ok(())
        });
        done.unwrap();
        let outcomes: Vec<String> = answers
            .iter()
            .map(|answer| match lock(answer).take().unwrap() {
                Ok(outcomes) => outcomes.iter().map(|outcome| if outcome.is_none() { '+' } else { '-' }).collect(),
                Err(error) => format!("{:?}", error.code),
            })
            .collect();
        assert_eq!(outcomes, ["+-", "+", "InvalidArgument", "NotFound", "+", "InvalidArgument", "-+"]);
    }

    #[test]
    fn a_panic_ends_one_request_and_a_durable_instance_until_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let panics = |served: &Served| served.with::<()>(|_, _| panic!("a bug")).unwrap_err();
        let write = |served: &Served| served.mutate_rows("t".into(), vec![entry("r", "f")]);
        let in_memory = served(AnyStorage::Memory(Default::default()));
        assert!(panics(&in_memory).message.contains("a bug"));
        assert_eq!(write(&in_memory), Ok(vec![None]));
        let durable = served(AnyStorage::Files(FileStorage::open(folder.path()).unwrap()));
        assert_eq!(write(&durable), Ok(vec![None]));
        assert_eq!(panics(&durable).code, Code::Internal);
        assert!(matches!(write(&durable), Err(error) if error.message.contains("a bug")));
    }
}
