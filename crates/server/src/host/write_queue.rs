//! Writes of many threads that share a sync. The first thread to arrive leads: it does all waiting
//! writes, its own among them, while the other threads sleep. Then one of the threads that have
//! arrived in the meantime leads.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use tabletop_engine::TableHandle;
use tabletop_model::{Code, Error, Result, Timestamp};

use super::blocking::blocking;
use crate::lock::lock;

/// Changes of one table, which store their own result.
pub(super) type Change = Box<dyn FnOnce(&mut TableHandle<'_>, Timestamp) -> Result<()> + Send>;

/// The waiting writes.
#[derive(Default)]
pub(super) struct WriteQueue {
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    writes: Vec<Write>,
    /// Whether a thread does writes, or is about to.
    has_leader: bool,
}

/// A waiting write.
pub(super) struct Write {
    pub table: String,
    pub change: Change,
    /// Where its thread waits.
    pub place: Arc<Place>,
}

/// The place where a thread waits for its outcome, or for its turn to lead.
#[derive(Default)]
pub(super) struct Place {
    answer: Mutex<Answer>,
    changed: Condvar,
}

#[derive(Default)]
enum Answer {
    #[default]
    None,
    Lead,
    Done(Result<()>),
}

impl WriteQueue {
    /// Does a write, together with other waiting writes. `lead` does the writes that
    /// [`WriteQueue::take`] returns, in order.
    ///
    /// # Errors
    /// The error of `change`, or of the sync.
    pub fn write(&self, table: String, change: Change, lead: impl FnOnce()) -> Result<()> {
        let place = Arc::new(Place::default());
        let leads = {
            let mut queue = lock(&self.queue);
            queue.writes.push(Write { table, change, place: place.clone() });
            !std::mem::replace(&mut queue.has_leader, true)
        };
        if !leads && let Some(outcome) = place.wait() {
            return outcome;
        }
        let turn = Turn { queue: &self.queue, place: &place };
        lead();
        drop(turn);
        // The leader has set the outcome of its own write, too.
        place.wait().unwrap_or(Ok(()))
    }

    /// Returns the number of waiting writes.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        lock(&self.queue).writes.len()
    }

    /// Takes all waiting writes, and the places of their threads.
    pub fn take(&self) -> (Vec<Write>, Places) {
        let writes = std::mem::take(&mut lock(&self.queue).writes);
        let places = writes.iter().map(|write| write.place.clone()).collect();
        (writes, Places(places))
    }
}

/// The turn of a thread to lead. When it ends, even by a panic, one of the waiting threads leads.
struct Turn<'a> {
    queue: &'a Mutex<Queue>,
    place: &'a Arc<Place>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = lock(self.queue);
        if std::thread::panicking() {
            // If the thread's own write is still in the queue, no thread waits for it.
            queue.writes.retain(|write| !Arc::ptr_eq(&write.place, self.place));
        }
        match queue.writes.first() {
            Some(next) => next.place.answer_with(Answer::Lead),
            None => queue.has_leader = false,
        }
    }
}

/// The places of writes that were taken. Places without an outcome get an error in the end, even
/// after a panic, because threads wait there.
pub(super) struct Places(Vec<Arc<Place>>);

impl Places {
    /// Sets the outcome of all places that have none.
    pub fn fail(&self, error: &Error) {
        self.0.iter().for_each(|place| place.set(Err(error.clone())));
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        self.fail(&our_bug("a write was left out"));
    }
}

impl Place {
    /// Sets the outcome, unless there is one.
    pub fn set(&self, outcome: Result<()>) {
        if !matches!(*lock(&self.answer), Answer::Done(_)) {
            self.answer_with(Answer::Done(outcome));
        }
    }

    fn answer_with(&self, answer: Answer) {
        *lock(&self.answer) = answer;
        self.changed.notify_one();
    }

    /// Waits for the outcome. Returns `None` when it is the thread's turn to lead.
    fn wait(&self) -> Option<Result<()>> {
        let ready = || {
            let mut answer = lock(&self.answer);
            loop {
                match std::mem::take(&mut *answer) {
                    Answer::None => {
                        answer = self.changed.wait(answer).unwrap_or_else(PoisonError::into_inner);
                    }
                    Answer::Lead => return None,
                    Answer::Done(outcome) => return Some(outcome),
                }
            }
        };
        blocking(ready)
    }
}

/// Does writes of one table, in order, with one sync. If the sync fails, each of them may or may
/// not have happened.
pub(super) fn write_all(table: &mut TableHandle<'_>, now: Timestamp, writes: Vec<Write>) {
    let shares_sync = writes.len() > 1;
    if shares_sync {
        table.hold_writes();
    }
    let outcomes: Vec<(Arc<Place>, Result<()>)> =
        writes.into_iter().map(|write| (write.place, (write.change)(table, now))).collect();
    let synced = if shares_sync { table.release_writes() } else { Ok(()) };
    for (place, outcome) in outcomes {
        place.set(outcome.and(synced.clone()));
    }
}

/// Returns the error for a situation that cannot happen.
pub(super) fn our_bug(what: &str) -> Error {
    Error::new(Code::Internal, format!("this is a bug of Tabletop, please report it: {what}"))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use tabletop_engine::{FileId, Instance, MemoryStorage, Storage, StorageError, storage::Slice};
    use tabletop_model::{
        CheckAndMutateRow, Code, ColumnFamily, Mutation, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule,
        ReadRows, RowMutation, TableSpec,
    };

    use super::*;

    /// Counts syncs, and refuses them on request.
    #[derive(Debug, Default)]
    struct Counting {
        storage: MemoryStorage,
        syncs: usize,
        /// The number of the next syncs that fail.
        refuses: Rc<Cell<usize>>,
    }

    type Done<T> = std::result::Result<T, StorageError>;

    impl Storage for Counting {
        fn files(&self) -> Done<Vec<FileId>> {
            self.storage.files()
        }

        fn create(&mut self) -> Done<FileId> {
            self.storage.create()
        }

        fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Done<()> {
            self.storage.append(file, bytes)
        }

        fn sync(&mut self, file: FileId) -> Done<()> {
            self.syncs += 1;
            let fails = self.refuses.get() > 0;
            self.refuses.set(self.refuses.get().saturating_sub(1));
            if fails {
                Err(StorageError::NotDone("the disk does not answer".into()))
            } else {
                self.storage.sync(file)
            }
        }

        fn read(&self, file: FileId, offset: u64, length: usize) -> Done<Slice> {
            self.storage.read(file, offset, length)
        }

        fn size(&self, file: FileId) -> Done<u64> {
            self.storage.size(file)
        }

        fn remove(&mut self, file: FileId) -> Done<()> {
            self.storage.remove(file)
        }
    }

    fn set(family: &str) -> Vec<Mutation> {
        vec![Mutation::SetCell {
            family: family.into(),
            qualifier: "q".into(),
            timestamp: 0,
            value: vec![0; 8].into(),
        }]
    }

    fn group() -> Vec<Change> {
        let row = |family: &str| RowMutation { key: "r".into(), mutations: set(family) };
        let check =
            CheckAndMutateRow { key: "s".into(), predicate: None, on_match: vec![], otherwise: set("f") };
        let rules = vec![ReadModifyWriteRule {
            family: "f".into(),
            qualifier: "q".into(),
            modify: ReadModify::Increment(7),
        }];
        let add = ReadModifyWriteRow { key: "r".into(), rules };
        let [good, bad] = [row("f"), row("nope")];
        vec![
            Box::new(move |table, now| table.mutate_row(now, &good)),
            Box::new(move |table, now| table.mutate_row(now, &bad)),
            Box::new(move |table, now| table.check_and_mutate_row(now, &check).map(drop)),
            Box::new(move |table, now| table.read_modify_write_row(now, &add).map(drop)),
        ]
    }

    /// Does the group, and returns the codes of its outcomes.
    fn do_group(instance: &mut Instance<Counting>) -> Vec<Option<Code>> {
        let write = |change| Write { table: "t".into(), change, place: Arc::default() };
        let writes: Vec<Write> = group().into_iter().map(write).collect();
        let places: Vec<Arc<Place>> = writes.iter().map(|write| write.place.clone()).collect();
        write_all(&mut instance.table("t").unwrap(), 1_000, writes);
        places.iter().map(|place| place.wait().unwrap().err().map(|error| error.code)).collect()
    }

    fn instance() -> Instance<Counting> {
        let mut instance = Instance::open(Counting::default(), 0).unwrap().0;
        let spec = TableSpec { families: vec![ColumnFamily::new("f")], ..TableSpec::default() };
        instance.create_table(0, "t", spec).unwrap();
        // The first write creates a segment of the log, which is synced too.
        instance
            .table("t")
            .unwrap()
            .mutate_row(0, &RowMutation { key: "first".into(), mutations: set("f") })
            .unwrap();
        instance
    }

    fn keys(instance: &mut Instance<impl Storage>) -> Result<Vec<String>> {
        let chunk = instance.table("t")?.read(0, &ReadRows::default())?;
        Ok(chunk.rows.iter().map(|row| row.key.to_string()).collect())
    }

    #[test]
    fn writes_of_all_kinds_share_a_sync_and_each_has_its_outcome() {
        let mut instance = instance();
        let before = instance.storage().syncs;
        assert_eq!(do_group(&mut instance), [None, Some(Code::NotFound), None, None]);
        assert_eq!(instance.storage().syncs, before + 1);
        assert_eq!(keys(&mut instance).unwrap(), ["first", "r", "s"]);
        let mut again = Instance::open(instance.storage().storage.clone(), 0).unwrap().0;
        assert_eq!(keys(&mut again).unwrap(), ["first", "r", "s"]);
    }

    #[test]
    fn a_sync_that_fails_fails_all_and_nothing_of_them_is_read() {
        let mut instance = instance();
        instance.storage().refuses.set(1);
        let outcomes = do_group(&mut instance);
        assert_eq!(
            outcomes,
            [Some(Code::Unavailable), Some(Code::NotFound), Some(Code::Unavailable), Some(Code::Unavailable)]
        );
        assert_eq!(keys(&mut instance).unwrap(), ["first"]);
    }

    /// Two threads write. The first one leads: it waits until both writes have arrived, and panics.
    /// Returns the outcome of the other.
    fn outcome_next_to_a_panic(queue: &Arc<WriteQueue>, takes: bool) -> Result<()> {
        let write =
            |queue: &WriteQueue, lead: &dyn Fn()| queue.write("t".into(), Box::new(|_, _| Ok(())), lead);
        let (first, second) = (queue.clone(), queue.clone());
        let leader = std::thread::spawn(move || {
            let lead = || {
                while first.len() < 2 {
                    std::thread::yield_now();
                }
                let _taken = takes.then(|| first.take());
                panic!("a bug");
            };
            write(&first, &lead)
        });
        while queue.len() < 1 {
            std::thread::yield_now();
        }
        let (sender, outcome) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let lead = || second.take().0.into_iter().for_each(|write| write.place.set(Ok(())));
            sender.send(write(&second, &lead))
        });
        let outcome =
            outcome.recv_timeout(std::time::Duration::from_secs(10)).expect("the other waits forever");
        leader.join().unwrap_err();
        outcome
    }

    #[test]
    fn a_leader_that_panics_lets_no_other_wait_forever() {
        let queue = Arc::new(WriteQueue::default());
        assert_eq!(
            outcome_next_to_a_panic(&queue, true).unwrap_err().code,
            Code::Internal,
            "it may have happened or not"
        );
        assert_eq!(outcome_next_to_a_panic(&queue, false), Ok(()), "it leads next");
        assert_eq!(queue.len(), 0, "the write of the thread that panicked is left out");
    }

    #[test]
    fn a_sync_that_succeeds_after_one_that_has_failed_proves_nothing() {
        let mut instance = instance();
        let mut table = instance.table("t").unwrap();
        table.set_synced(false);
        table.mutate_row(0, &RowMutation { key: "r".into(), mutations: set("f") }).unwrap();
        instance.storage().refuses.set(1);
        let mut sync = || instance.table("t").unwrap().sync().is_err();
        assert_eq!([sync(), sync()], [true, true]);
    }
}
