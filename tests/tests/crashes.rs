//! Random histories on a storage that fails or crashes: afterwards every acknowledged write is
//! found, no write is found in part, backups are unchanged, and the table accepts further
//! operations. The host has either one thread, which does all work in turn, or several: then writes
//! share syncs, and large writes and steps of compactions run concurrently with changes.
//!
//! `PROPTEST_CASES=10000` tests that many crash points.

mod full;
mod host;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use tabletop_engine::{Budget, Instance};
use tabletop_model::{
    Code, ColumnFamily, Error, Mutation, ReadRows, Request, Response, Row, RowMutation, TableRequest,
    TableSettings, TableSpec, Timestamp,
};
use tabletop_tests::arbitrary::{Operation, config, operation, spec};
use tabletop_tests::faulty::{Fault, FaultKind, FaultyStorage, chance};
use tabletop_tests::{Database, Reference, read_all};

use host::{Host, Threads, threads};

const TABLE: &str = "t";
/// A table that is restored from a backup, and shares its files.
const COPY: &str = "copy";

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_crash_loses_no_acknowledged_write(
        spec in spec(),
        operations in vec(operation(), 1..40),
        threads in threads(),
        at in 0_u64..400,
        seed: u64,
    ) {
        check(spec, &operations, threads, Limit::Fault(Fault { at, kind: FaultKind::Crash }), seed)?;
    }

    #[test]
    fn a_storage_failure_loses_no_acknowledged_write(
        spec in spec(),
        operations in vec(operation(), 1..40),
        threads in threads(),
        kind in select(vec![FaultKind::NotDone, FaultKind::Full, FaultKind::Unknown]),
        at in 0_u64..300,
        seed: u64,
    ) {
        check(spec, &operations, threads, Limit::Fault(Fault { at, kind }), seed)?;
    }

    #[test]
    fn a_full_storage_loses_no_acknowledged_write(
        spec in spec(),
        operations in vec(operation(), 1..60),
        threads in threads(),
        room in 2_000_u64..60_000,
        seed: u64,
    ) {
        check(spec, &operations, threads, Limit::Room(room), seed)?;
    }

    #[test]
    fn a_crash_loses_the_last_unsynced_writes_each_as_a_whole(
        spec in spec(),
        operations in vec(operation(), 1..40),
        seed: u64,
    ) {
        let disk = FaultyStorage::default();
        let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
        let mut certain = Expected::new(&mut engine, spec).certain;
        engine.table(TABLE).expect("it was just created").set_synced(false);
        let now = 1_700_000_000_000_000;
        let mut states = vec![Vec::new()];
        for operation in &operations {
            match operation {
                Operation::Mutate(entries) => {
                    let request = TableRequest::MutateRows(entries.clone()).of(TABLE);
                    engine.handle(now, request.clone());
                    certain.handle(now, request);
                    states.push(rows(&mut certain, now).unwrap());
                }
                Operation::Settle => engine.settle(now),
                Operation::Compact => drop(engine.handle(now, TableRequest::Compact.of(TABLE))),
                _ => {}
            }
        }
        drop(engine);
        disk.crash(chance(seed));
        let found = rows(&mut reopen(&disk, now)?, now).unwrap();
        prop_assert!(states.contains(&found), "{:?} was never so: {:?}", found, states);
    }
}

/// Fails at every storage call of some histories, and checks the same properties.
#[test]
fn every_call_of_storage_may_fail() {
    let mut runner = TestRunner::deterministic();
    let histories = (spec(), vec(operation(), 25));
    for threads in [Threads::One, Threads::Several] {
        let (spec, operations) = histories.new_tree(&mut runner).unwrap().current();
        for kind in [FaultKind::NotDone, FaultKind::Full, FaultKind::Unknown, FaultKind::Crash] {
            for at in 0.. {
                let fault = Fault { at, kind };
                match check(spec.clone(), &operations, threads, Limit::Fault(fault), at) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => panic!("{threads:?}, {fault:?}: {error}\n{spec:?}\n{operations:#?}"),
                }
            }
        }
    }
}

/// A deletion frees space, but there is no space to record it. A step of a compaction may use some
/// of the files.
#[test]
fn what_was_deleted_on_a_full_disk_stays_deleted() {
    for seed in 0..80 {
        let (is_backup, has_step, is_put_back) = (seed % 2 == 0, seed % 3 == 0, seed % 5 == 0);
        let disk = FaultyStorage::default();
        let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
        let settings = TableSettings { memtable_bytes_max: 300, sstables_max: 1, ..TableSettings::default() };
        let spec = TableSpec { families: vec![ColumnFamily::new("f")], settings, ..TableSpec::default() };
        engine.create_table(0, TABLE, spec).unwrap();
        let write = |engine: &mut Instance<FaultyStorage>| {
            for row in 0..20 {
                let value = vec![7; 100].into();
                let set =
                    Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value };
                let row = RowMutation { key: format!("{row}").as_str().into(), mutations: vec![set] };
                engine.table(TABLE).unwrap().mutate_row(0, &row).unwrap();
            }
        };
        write(&mut engine);
        if is_backup {
            engine.back_up(0, TABLE, "b").unwrap();
            engine.delete_table(TABLE).unwrap();
        } else {
            engine.advance_apart(0, Budget { bytes: 1 << 20 });
        }
        let step = engine.take_step(0).filter(|_| has_step);
        let bytes: usize = disk.contents().values().map(Vec::len).sum();
        disk.limit(Some(bytes as u64));
        if is_backup {
            engine.delete_backup("b").unwrap();
        } else {
            engine.delete_table(TABLE).unwrap();
        }
        if let Some(step) = step.filter(|_| is_put_back) {
            engine.put_back(0, step).unwrap();
        }
        drop(engine);
        disk.limit(None);
        disk.crash(chance(seed));
        let (engine, report) = Instance::open(disk.clone(), 0).unwrap();
        assert!(report.is_whole(), "seed {seed}: {report:#?}");
        assert_eq!((engine.table_ids().count(), engine.backups().count()), (0, 0), "seed {seed}");
    }
}

/// What the storage refuses.
#[derive(Clone, Copy, Debug)]
enum Limit {
    Fault(Fault),
    /// All bytes beyond this number.
    Room(u64),
}

/// Runs a history with faults in it, then opens the remaining files. Returns whether the fault has
/// occurred.
fn check(
    spec: TableSpec,
    operations: &[Operation],
    threads: Threads,
    limit: Limit,
    seed: u64,
) -> Result<bool, TestCaseError> {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    let mut expected = Expected::new(&mut engine, spec);
    let mut host = Host::new(&disk, threads, seed);
    match limit {
        Limit::Fault(fault) => disk.fail(Some(fault)),
        Limit::Room(room) => disk.limit(Some(room)),
    }
    let mut rest = operations.iter();
    expected.act(&mut engine, &mut host, &mut rest)?;
    let happened = disk.is_down() || matches!(limit, Limit::Fault(fault) if disk.calls() > fault.at);
    disk.limit(None);
    drop(engine);
    // The program ends, and its steps end with it.
    host.steps.clear();
    expected.abandon(&mut host);
    if seed & 1 == 1 {
        // The power fails after the next program has read the files.
        disk.restart();
        let mut engine = reopen(&disk, host.now)?;
        expected.compare(&mut engine, &host)?;
    }
    disk.crash(chance(seed));
    let mut engine = reopen(&disk, host.now)?;
    expected.compare(&mut engine, &host)?;
    // The table must accept further operations: the rest, or the same ones again.
    let rest = if rest.len() == 0 { operations } else { rest.as_slice() };
    expected.act(&mut engine, &mut host, &mut rest.iter())?;
    expected.compare(&mut engine, &host)?;
    drop(engine);
    host.steps.clear();
    expected.abandon(&mut host);
    disk.crash(chance(seed ^ 1));
    let mut engine = reopen(&disk, host.now)?;
    expected.compare(&mut engine, &host)?;
    Ok(happened)
}

fn reopen(disk: &FaultyStorage, now: Timestamp) -> Result<Instance<FaultyStorage>, TestCaseError> {
    let (engine, report) =
        Instance::open(disk.clone(), now).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert!(report.is_whole(), "{report:#?}");
    Ok(engine)
}

/// The possible contents of the table.
struct Expected {
    certain: Reference,
    /// The contents including requests during which the storage failed, which may have been
    /// applied.
    perhaps: Vec<Reference>,
}

impl Expected {
    fn new(engine: &mut Instance<FaultyStorage>, spec: TableSpec) -> Expected {
        let request = TableRequest::Create(spec).of(TABLE);
        let mut certain = Reference::default();
        assert_eq!(
            (engine.handle(0, request.clone()), certain.handle(0, request)),
            (Response::Done, Response::Done)
        );
        Expected { certain, perhaps: Vec::new() }
    }

    /// Runs operations until the power fails.
    fn act(
        &mut self,
        engine: &mut Instance<FaultyStorage>,
        host: &mut Host,
        operations: &mut std::slice::Iter<'_, Operation>,
    ) -> Result<(), TestCaseError> {
        while !host.disk.is_down()
            && let Some(operation) = operations.next()
        {
            host.now += 1_234_567;
            host.work(engine);
            if host.large.is_some() && (host.chance)(4) == 0 {
                self.end_large(engine, host)?;
            }
            let now = host.now;
            let mut refused = None;
            match operation {
                Operation::Mutate(entries) if self.begin_large(engine, host, entries) => {}
                Operation::Mutate(_) | Operation::Check(_) | Operation::Modify(_) => {
                    let holds = host.threads == Threads::Several && (host.chance)(3) == 0;
                    let mut group: Vec<Request> = write_of(operation).into_iter().collect();
                    while holds
                        && group.len() < 5
                        && let Some(next) = operations.as_slice().first().and_then(write_of)
                    {
                        group.push(next);
                        operations.next();
                    }
                    self.write(engine, now, group, holds)?;
                }
                Operation::Read(_) => match rows(engine, now) {
                    Ok(found) => prop_assert_eq!(found, rows(&mut self.certain, now).unwrap()),
                    Err(error) => refused = Some(error),
                },
                Operation::Settle => host.settle(engine),
                Operation::Compact => refused = refusal(engine.handle(now, TableRequest::Compact.of(TABLE))),
                Operation::Settings(settings) => {
                    refused =
                        refusal(engine.handle(now, TableRequest::UpdateSettings(settings.clone()).of(TABLE)));
                }
                Operation::DropRows(range) => {
                    self.change(engine, now, TableRequest::DropRowRange(range.clone()).of(TABLE))?;
                }
                Operation::Families(modifications) => {
                    // Otherwise it would write into the families that existed when it began.
                    self.end_large(engine, host)?;
                    self.change(engine, now, TableRequest::ModifyFamilies(modifications.clone()).of(TABLE))?;
                }
            }
            prop_assert!(refused.as_ref().is_none_or(is_of_storage), "{:?}", refused);
            host.manage_backups(engine, &self.certain);
        }
        Ok(())
    }

    /// Runs writes. If they are held, they share a sync, and none is acknowledged before it.
    fn write(
        &mut self,
        engine: &mut Instance<FaultyStorage>,
        now: Timestamp,
        group: Vec<Request>,
        holds: bool,
    ) -> Result<(), TestCaseError> {
        if holds {
            engine.table(TABLE).expect("it was created").hold_writes();
        }
        let (mut next, mut perhaps, mut is_acknowledged) = (self.certain.clone(), Vec::new(), false);
        for request in group {
            let (answer, mut with) = (engine.handle(now, request.clone()), next.clone());
            let right = with.handle(now, request.clone());
            let done = match (answer, right, request) {
                (Response::Mutated(found), Response::Mutated(right), Request::Table { table, request }) => {
                    let TableRequest::MutateRows(entries) = request else {
                        unreachable!("its answer is that of one")
                    };
                    let (done, lost) = compare_outcomes(entries, found, right)?;
                    let apply = |entries| {
                        let mut with = next.clone();
                        with.handle(now, TableRequest::MutateRows(entries).of(&table));
                        with
                    };
                    if done.is_empty() && !lost.is_empty() {
                        perhaps.push(apply(lost));
                    }
                    (!done.is_empty()).then(|| apply(done))
                }
                (Response::Refused(error), right, _) if is_of_storage(&error) => {
                    if !matches!(right, Response::Refused(_)) {
                        perhaps.push(with);
                    }
                    None
                }
                (Response::Refused(error), Response::Refused(right), _) => {
                    prop_assert_eq!(error.code, right.code);
                    None
                }
                (answer, right, _) => {
                    prop_assert_eq!(answer, right);
                    Some(with)
                }
            };
            if let Some(done) = done {
                next = done;
                is_acknowledged = true;
                perhaps.push(next.clone());
            }
        }
        let released =
            if holds { engine.table(TABLE).expect("it was created").release_writes() } else { Ok(()) };
        match released {
            // The write is not visible now, but any part of it may be found later.
            Err(error) => prop_assert!(is_of_storage(&error), "{error}"),
            // The table accepts further operations, so the requests that failed before were not
            // applied.
            Ok(()) if is_acknowledged => (self.certain, self.perhaps) = (next, Vec::new()),
            Ok(()) => {}
        }
        self.perhaps.extend(perhaps);
        Ok(())
    }

    /// Begins a large write, if the operation changes one row and the host has several threads.
    /// Returns whether it was begun.
    fn begin_large(
        &mut self,
        engine: &mut Instance<FaultyStorage>,
        host: &mut Host,
        entries: &[RowMutation],
    ) -> bool {
        let [row] = entries else { return false };
        if host.threads == Threads::One || host.large.is_some() || (host.chance)(2) == 0 {
            return false;
        }
        let reader = engine.readers().table(TABLE).expect("it was created");
        let Ok(mut write) = reader.large_write(host.now, row) else { return false };
        let begun = engine.table(TABLE).expect("it was created").begin_large_write(&mut write);
        if begun.is_ok() {
            let request = TableRequest::MutateRows(entries.to_vec()).of(TABLE);
            host.large = Some((write, host.now, request));
        }
        begun.is_ok()
    }

    fn end_large(
        &mut self,
        engine: &mut Instance<FaultyStorage>,
        host: &mut Host,
    ) -> Result<(), TestCaseError> {
        let Some((mut write, begun, request)) = host.large.take() else { return Ok(()) };
        write.log(&mut host.disk.clone());
        match engine.table(TABLE).expect("it was created").end_large_write(write) {
            Ok(()) => {
                self.certain.handle(begun, request);
                self.perhaps.clear();
            }
            Err(error) => {
                prop_assert!(is_of_storage(&error), "{error}");
                self.add_perhaps(begun, &request);
            }
        }
        Ok(())
    }

    /// Notes a request that may or may not be found, after others that may or may not be found.
    fn add_perhaps(&mut self, now: Timestamp, request: &Request) {
        let states = [self.certain.clone()].into_iter().chain(core::mem::take(&mut self.perhaps));
        for state in states {
            let mut with = state.clone();
            with.handle(now, request.clone());
            self.perhaps.extend([state, with]);
        }
    }

    /// Notes the large write that the end of the program has interrupted. It may or may not be
    /// found.
    fn abandon(&mut self, host: &mut Host) {
        let Some((mut write, begun, request)) = host.large.take() else { return };
        write.log(&mut host.disk.clone());
        self.add_perhaps(begun, &request);
    }

    /// Runs a request that must be applied completely or not at all.
    fn change(
        &mut self,
        engine: &mut Instance<FaultyStorage>,
        now: Timestamp,
        request: Request,
    ) -> Result<(), TestCaseError> {
        let mut next = self.certain.clone();
        let right = next.handle(now, request.clone());
        match (engine.handle(now, request), right) {
            (Response::Refused(error), right) if is_of_storage(&error) => {
                if !matches!(right, Response::Refused(_)) {
                    self.perhaps.push(next);
                }
            }
            (Response::Refused(error), Response::Refused(right)) => prop_assert_eq!(error.code, right.code),
            (answer, right) => {
                prop_assert_eq!(answer, right);
                (self.certain, self.perhaps) = (next, Vec::new());
            }
        }
        Ok(())
    }

    fn compare(&mut self, engine: &mut Instance<FaultyStorage>, host: &Host) -> Result<(), TestCaseError> {
        let now = host.now;
        let found = rows(engine, now).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let families = families_of(engine, now);
        let is_so = |perhaps: &mut Reference| {
            found == rows(perhaps, now).unwrap() && families == families_of(perhaps, now)
        };
        if let Some(perhaps) =
            std::mem::take(&mut self.perhaps).iter_mut().find_map(|perhaps| is_so(perhaps).then_some(perhaps))
        {
            self.certain = perhaps.clone();
        }
        prop_assert_eq!(&found, &rows(&mut self.certain, now).unwrap());
        prop_assert_eq!(&families, &families_of(&mut self.certain, now));
        for (name, right) in &host.backups {
            let restored = engine.restore_table(now, name, "restored");
            restored.map_err(|error| TestCaseError::fail(error.to_string()))?;
            let read = ReadRows { unmetered: true, ..ReadRows::default() };
            let found = read_all(engine, now, "restored", &read)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(found.rows, rows(&mut right.clone(), now).unwrap());
            engine.delete_table("restored").map_err(|error| TestCaseError::fail(error.to_string()))?;
        }
        Ok(())
    }
}

/// Returns the request of an operation that writes rows.
fn write_of(operation: &Operation) -> Option<Request> {
    Some(match operation {
        Operation::Mutate(entries) => TableRequest::MutateRows(entries.clone()).of(TABLE),
        Operation::Check(check) => {
            let mut check = check.as_ref().clone();
            // The reference cannot compute which rows a sample selects.
            check.predicate =
                check.predicate.filter(|predicate| !format!("{predicate:?}").contains("RowSample"));
            TableRequest::CheckAndMutateRow(check).of(TABLE)
        }
        Operation::Modify(row) => TableRequest::ReadModifyWriteRow(row.clone()).of(TABLE),
        _ => return None,
    })
}

/// Returns the entries that were applied, and those that the storage refused.
fn compare_outcomes(
    entries: Vec<RowMutation>,
    found: Vec<Option<Error>>,
    right: Vec<Option<Error>>,
) -> Result<(Vec<RowMutation>, Vec<RowMutation>), TestCaseError> {
    let (mut done, mut lost) = (Vec::new(), Vec::new());
    for ((entry, found), right) in entries.into_iter().zip(found).zip(right) {
        match (found, right) {
            (None, None) => done.push(entry),
            (Some(error), None) if is_of_storage(&error) => lost.push(entry),
            (found, right) => prop_assert_eq!(found.map(|error| error.code), right.map(|error| error.code)),
        }
    }
    Ok((done, lost))
}

fn families_of(database: &mut impl Database, now: Timestamp) -> Vec<ColumnFamily> {
    match database.handle(now, TableRequest::Describe.of(TABLE)) {
        Response::Spec(spec) => spec.families,
        other => panic!("{other:?}"),
    }
}

fn rows(database: &mut impl Database, now: Timestamp) -> Result<Vec<Row>, Error> {
    read_all(database, now, TABLE, &ReadRows { unmetered: true, ..ReadRows::default() })
        .map(|chunk| chunk.rows)
}

fn refusal(response: Response) -> Option<Error> {
    match response {
        Response::Refused(error) => Some(error),
        _ => None,
    }
}

fn is_of_storage(error: &Error) -> bool {
    matches!(error.code, Code::Unavailable | Code::ResourceExhausted)
}
