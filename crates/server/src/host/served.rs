//! One instance that many threads ask at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tabletop_engine::{Budget, Instance};
use tabletop_model::limits::MUTATIONS_MAX;
use tabletop_model::{Code, Error, Mutation, Recovery, Request, Response, Result, RowMutation, TableRequest, Timestamp};

use super::{AnyStorage, Clock, blocking};
use crate::lock::lock;

/// Compaction of one slice: the lock is held for about a millisecond.
const SLICE: Budget = Budget { bytes: 256 << 10 };
/// How long others have the lock for themselves between two slices, when they wait.
const PAUSE: Duration = Duration::from_micros(200);
/// Bytes of values of writes that are done together: a small one does not wait for, nor fail with, many large ones.
const GROUP_BYTES_MAX: usize = 4 << 20;
/// How often work is looked for that nobody has caused just now, like a storage that was full and is not any more.
const IDLE: Duration = Duration::from_secs(1);

/// An instance, the writes that wait for it, and the thread that does its compactions.
pub struct Served {
    state: Mutex<State>,
    /// Threads that want the state and have found it taken.
    waiting: AtomicUsize,
    /// Writes that are done together: one sync answers many.
    writes: Mutex<Vec<Write>>,
    clock: Clock,
    seeds: AtomicU64,
    recovery: Recovery,
    is_durable: bool,
    chores: Arc<Chores>,
}

struct State {
    instance: Instance<AnyStorage>,
    /// Why nothing is answered any more.
    refusal: Option<Error>,
}

/// A write that waits.
struct Write {
    table: String,
    entries: Vec<RowMutation>,
    answer: Arc<Mutex<Option<Outcomes>>>,
}

/// Why each entry of a write failed, or why all of it was refused.
type Outcomes = Result<Vec<Option<Error>>>;

/// What the thread of an instance waits for.
#[derive(Default)]
struct Chores {
    is_asked: AtomicBool,
    is_over: Mutex<bool>,
    news: Condvar,
}

impl Served {
    pub(super) fn new(instance: Instance<AnyStorage>, recovery: Recovery, clock: Clock) -> Arc<Served> {
        let is_durable = matches!(instance.storage(), AnyStorage::Files(_));
        let served = Arc::new(Served {
            state: Mutex::new(State { instance, refusal: None }),
            waiting: AtomicUsize::new(0),
            writes: Mutex::default(),
            clock,
            seeds: AtomicU64::new(0),
            recovery,
            is_durable,
            chores: Arc::default(),
        });
        let (weak, chores) = (Arc::downgrade(&served), served.chores.clone());
        // Without the thread compaction is done by writes, when they come: slower, and right all the same.
        let _ = std::thread::Builder::new().name("compaction".into()).spawn(move || chores.run(&weak));
        served
    }

    /// What was found when it was opened.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// One request, one answer. It may wait for other requests, and for a disk.
    pub fn handle(&self, request: Request) -> Response {
        if let Request::Table { table, request: TableRequest::MutateRows(entries) } = request {
            return self.mutate_rows(table, entries).map_or_else(Response::Refused, Response::Mutated);
        }
        self.change(|instance, now| Ok(instance.handle(now, request))).unwrap_or_else(Response::Refused)
    }

    /// As [`Served::with`], for what may leave work for compaction.
    ///
    /// # Errors
    /// Those of [`Served::with`].
    pub fn change<T>(&self, act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> Result<T>) -> Result<T> {
        let done = self.with(act);
        self.chores.ask();
        done
    }

    /// Does something with the instance, alone.
    ///
    /// # Errors
    /// Those of `act`; `Internal` when it panics; `NotFound` when the instance has gone.
    pub fn with<T>(&self, act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> Result<T>) -> Result<T> {
        self.act(&mut self.lock(), act)
    }

    /// A number that the one before says nothing about: what a sample of rows is drawn by.
    pub fn new_seed(&self) -> u64 {
        // The time tells runs of the program apart, the count reads of one run.
        let count = self.seeds.fetch_add(1, Ordering::Relaxed);
        (self.now() as u64 ^ count.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    /// Ends it: what is at work is finished first, then files are closed, and new calls are refused.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.refusal = Some(Error::new(Code::Unavailable, "the instance has been closed or deleted: nothing was done"));
        state.instance = Instance::on(AnyStorage::Memory(Default::default()));
        self.chores.end();
    }

    /// Changes rows. Writes of threads that come while another one is at work are done together by the next.
    ///
    /// # Errors
    /// What makes the whole write wrong; `Internal` when a thread panics; `Unavailable` when the instance has been closed. Why an
    /// entry failed is in its place of the answer.
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
            self.chores.ask();
            if let Err(error) = done {
                return lock(&answer).take().unwrap_or(Err(error));
            }
        }
        // Without an answer the thread that had taken it has panicked.
        lock(&answer).take().unwrap_or_else(|| Err(our_bug("another request")))
    }

    fn act<T>(&self, state: &mut State, act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> Result<T>) -> Result<T> {
        if let Some(refusal) = &state.refusal {
            return Err(refusal.clone());
        }
        let now = self.now();
        match catch_unwind(AssertUnwindSafe(|| act(&mut state.instance, now))) {
            Ok(done) => done,
            Err(panic) => {
                let error = our_bug(panic_text(&*panic));
                if self.is_durable {
                    // What is in memory may not be what is on the disk, which is whole: a restart reads that.
                    state.refusal = Some(error.clone());
                }
                Err(error)
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        if let Ok(state) = self.state.try_lock() {
            return state;
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // Who has it may be writing much, or waiting for a disk.
        let state = blocking(|| lock(&self.state));
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        state
    }

    /// A slice of compaction; whether more waits.
    fn advance(&self) -> bool {
        let more = self.with(|instance, now| Ok(instance.advance(now, SLICE)));
        more.unwrap_or(false)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.chores.end();
    }
}

impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Served").field("is_durable", &self.is_durable).finish_non_exhaustive()
    }
}

impl Chores {
    /// There may be work.
    fn ask(&self) {
        if !self.is_asked.swap(true, Ordering::AcqRel) {
            // Who waits has the lock until it does, so it cannot miss this.
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
            if !*is_over && !self.is_asked.load(Ordering::Acquire) {
                is_over = self.news.wait_timeout(is_over, IDLE).unwrap_or_else(PoisonError::into_inner).0;
            }
            if *is_over {
                return;
            }
            drop(is_over);
            self.is_asked.store(false, Ordering::Release);
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

/// Does writes in order; those of one table that follow each other as one, up to the limit of a request.
fn write_all(instance: &mut Instance<AnyStorage>, now: Timestamp, writes: Vec<Write>) {
    let mut writes = writes.into_iter().peekable();
    while let Some(first) = writes.next() {
        let (table, mut entries) = (first.table, first.entries);
        let mut parts = vec![(entries.len(), first.answer)];
        let (mut mutations, mut bytes) = (mutations_of(&entries), bytes_of(&entries));
        // One without entries is refused as a whole, so it is alone.
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
    fn writes_that_wait_are_one_and_each_has_its_answer() {
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
        let told: Vec<String> = answers
            .iter()
            .map(|answer| match lock(answer).take().unwrap() {
                Ok(outcomes) => outcomes.iter().map(|outcome| if outcome.is_none() { '+' } else { '-' }).collect(),
                Err(error) => format!("{:?}", error.code),
            })
            .collect();
        assert_eq!(told, ["+-", "+", "InvalidArgument", "NotFound", "+", "InvalidArgument", "-+"]);
    }

    #[test]
    fn a_panic_ends_one_request_and_a_durable_instance_until_a_restart() {
        let folder = std::env::temp_dir().join(format!("tabletop-served-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let panics = |served: &Served| served.with::<()>(|_, _| panic!("a bug")).unwrap_err();
        let write = |served: &Served| served.mutate_rows("t".into(), vec![entry("r", "f")]);
        let in_memory = served(AnyStorage::Memory(Default::default()));
        assert!(panics(&in_memory).message.contains("a bug"));
        assert_eq!(write(&in_memory), Ok(vec![None]));
        let durable = served(AnyStorage::Files(FileStorage::open(&folder).unwrap()));
        assert_eq!(write(&durable), Ok(vec![None]));
        assert_eq!(panics(&durable).code, Code::Internal);
        assert!(matches!(write(&durable), Err(error) if error.message.contains("a bug")));
        drop(durable);
        let _ = std::fs::remove_dir_all(&folder);
    }
}
