//! Random histories on a storage that fails or crashes: every acknowledged write is found afterwards, no write is found in
//! part, and the table accepts further operations.
//!
//! `PROPTEST_CASES=10000` tests that many crash points.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use tabletop_engine::Instance;
use tabletop_model::{
    Code, ColumnFamily, Error, ReadRows, Request, Response, Row, RowMutation, TableRequest, TableSpec, Timestamp,
};
use tabletop_tests::arbitrary::{Operation, config, operation, spec};
use tabletop_tests::faulty::{Fault, FaultKind, FaultyStorage, chance};
use tabletop_tests::{Database, Reference, read_all};

const TABLE: &str = "t";

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_crash_loses_no_acknowledged_write(
        spec in spec(),
        operations in vec(operation(), 1..40),
        at in 0_u64..400,
        seed: u64,
    ) {
        check(spec, &operations, Fault { at, kind: FaultKind::Crash }, seed)?;
    }

    #[test]
    fn a_storage_failure_loses_no_acknowledged_write(
        spec in spec(),
        operations in vec(operation(), 1..40),
        kind in select(vec![FaultKind::NotDone, FaultKind::Full, FaultKind::Unknown]),
        at in 0_u64..300,
        seed: u64,
    ) {
        check(spec, &operations, Fault { at, kind }, seed)?;
    }

    #[test]
    fn a_crash_loses_the_last_unsynced_writes_each_as_a_whole(
        spec in spec(),
        operations in vec(operation(), 1..40),
        seed: u64,
    ) {
        let disk = FaultyStorage::default();
        let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
        let Expected { mut certain, .. } = Expected::new(&mut engine, spec);
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

/// Does the same at every call of storage in some histories.
#[test]
fn every_call_of_storage_may_fail() {
    let mut runner = TestRunner::deterministic();
    let histories = (spec(), vec(operation(), 25));
    for _ in 0..2 {
        let (spec, operations) = histories.new_tree(&mut runner).unwrap().current();
        for kind in [FaultKind::NotDone, FaultKind::Full, FaultKind::Unknown, FaultKind::Crash] {
            for at in 0.. {
                let fault = Fault { at, kind };
                match check(spec.clone(), &operations, fault, at) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => panic!("{fault:?}: {error}\n{spec:?}\n{operations:#?}"),
                }
            }
        }
    }
}

/// Runs a history with one fault in it, then opens what is left. Returns whether the fault has occurred.
fn check(spec: TableSpec, operations: &[Operation], fault: Fault, seed: u64) -> Result<bool, TestCaseError> {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    let mut expected = Expected::new(&mut engine, spec);
    disk.fail(Some(fault));
    let mut now = 1_700_000_000_000_000;
    let mut rest = operations.iter();
    for operation in rest.by_ref() {
        now += 1_234_567;
        expected.act(&mut engine, now, operation)?;
        if disk.is_down() {
            break;
        }
    }
    let happened = disk.calls() > fault.at || disk.is_down();
    drop(engine);
    if seed & 1 == 1 {
        // The program ends here. The power fails after the next one has read the files.
        disk.restart();
        let mut engine = reopen(&disk, now)?;
        expected.compare(&mut engine, now)?;
    }
    disk.crash(chance(seed));
    let mut engine = reopen(&disk, now)?;
    expected.compare(&mut engine, now)?;
    // The table accepts further operations: the rest, or the same ones again.
    let rest = if rest.len() == 0 { operations } else { rest.as_slice() };
    for operation in rest {
        now += 1_234_567;
        expected.act(&mut engine, now, operation)?;
    }
    expected.compare(&mut engine, now)?;
    drop(engine);
    disk.crash(chance(seed ^ 1));
    let mut engine = reopen(&disk, now)?;
    expected.compare(&mut engine, now)?;
    Ok(happened)
}

fn reopen(disk: &FaultyStorage, now: Timestamp) -> Result<Instance<FaultyStorage>, TestCaseError> {
    let (engine, report) = Instance::open(disk.clone(), now).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert!(report.is_whole(), "{report:#?}");
    Ok(engine)
}

/// The possible contents of the table.
struct Expected {
    certain: Reference,
    /// Including the request during which storage failed, which may have been applied.
    perhaps: Option<Reference>,
}

impl Expected {
    fn new(engine: &mut Instance<FaultyStorage>, spec: TableSpec) -> Expected {
        let request = TableRequest::Create(spec).of(TABLE);
        let mut certain = Reference::default();
        assert_eq!((engine.handle(0, request.clone()), certain.handle(0, request)), (Response::Done, Response::Done));
        Expected { certain, perhaps: None }
    }

    fn act(&mut self, engine: &mut Instance<FaultyStorage>, now: Timestamp, operation: &Operation) -> Result<(), TestCaseError> {
        let mut refused = None;
        match operation {
            Operation::Mutate(entries) => self.mutate(engine, now, entries)?,
            Operation::Read(_) => match rows(engine, now) {
                Ok(found) => prop_assert_eq!(found, rows(&mut self.certain, now).unwrap()),
                Err(error) => refused = Some(error),
            },
            Operation::Settle => engine.settle(now),
            Operation::Compact => refused = refusal(engine.handle(now, TableRequest::Compact.of(TABLE))),
            Operation::Settings(settings) => {
                let request = TableRequest::UpdateSettings(settings.clone()).of(TABLE);
                refused = refusal(engine.handle(now, request));
            }
            Operation::Check(check) => {
                let mut check = check.as_ref().clone();
                // The reference has no way to compute which rows a sample selects.
                check.predicate = check.predicate.filter(|predicate| !format!("{predicate:?}").contains("RowSample"));
                self.change(engine, now, TableRequest::CheckAndMutateRow(check).of(TABLE))?;
            }
            Operation::Modify(row) => {
                self.change(engine, now, TableRequest::ReadModifyWriteRow(row.clone()).of(TABLE))?;
            }
            Operation::DropRows(range) => {
                self.change(engine, now, TableRequest::DropRowRange(range.clone()).of(TABLE))?;
            }
            Operation::Families(modifications) => {
                let modifications = modifications.clone();
                self.change(engine, now, TableRequest::ModifyFamilies(modifications).of(TABLE))?;
            }
        }
        prop_assert!(refused.as_ref().is_none_or(is_of_storage), "{:?}", refused);
        Ok(())
    }

    /// Runs a request that is applied completely or not at all.
    fn change(&mut self, engine: &mut Instance<FaultyStorage>, now: Timestamp, request: Request) -> Result<(), TestCaseError> {
        let mut next = self.certain.clone();
        let right = next.handle(now, request.clone());
        match (engine.handle(now, request), right) {
            (Response::Refused(error), right) if is_of_storage(&error) => {
                if !matches!(right, Response::Refused(_)) && self.perhaps.is_none() {
                    self.perhaps = Some(next);
                }
            }
            (Response::Refused(error), Response::Refused(right)) => prop_assert_eq!(error.code, right.code),
            (answer, right) => {
                prop_assert_eq!(answer, right);
                // The table accepts further operations, so the failed request was not applied.
                (self.certain, self.perhaps) = (next, None);
            }
        }
        Ok(())
    }

    fn mutate(
        &mut self,
        engine: &mut Instance<FaultyStorage>,
        now: Timestamp,
        entries: &[RowMutation],
    ) -> Result<(), TestCaseError> {
        let request = |entries: &[RowMutation]| TableRequest::MutateRows(entries.to_vec()).of(TABLE);
        let outcomes = match engine.handle(now, request(entries)) {
            Response::Mutated(outcomes) => outcomes,
            other => return Err(TestCaseError::fail(format!("{other:?}"))),
        };
        let Response::Mutated(right) = self.certain.clone().handle(now, request(entries)) else { unreachable!() };
        let (mut done, mut lost) = (Vec::new(), Vec::new());
        for ((entry, outcome), right) in entries.iter().zip(outcomes).zip(right) {
            match (outcome, right) {
                (None, None) => done.push(entry.clone()),
                (Some(error), None) if is_of_storage(&error) => lost.push(entry.clone()),
                (outcome, right) => prop_assert_eq!(outcome.map(|error| error.code), right.map(|error| error.code)),
            }
        }
        if !done.is_empty() {
            self.certain.handle(now, request(&done));
        } else if !lost.is_empty() && self.perhaps.is_none() {
            let mut perhaps = self.certain.clone();
            perhaps.handle(now, request(&lost));
            self.perhaps = Some(perhaps);
        }
        if !done.is_empty() {
            // The table accepts further operations, so the failed request was not applied.
            self.perhaps = None;
        }
        Ok(())
    }

    fn compare(&mut self, engine: &mut Instance<FaultyStorage>, now: Timestamp) -> Result<(), TestCaseError> {
        let found = rows(engine, now).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let families = families_of(engine, now);
        if let Some(mut perhaps) = self.perhaps.take()
            && found == rows(&mut perhaps, now).unwrap()
            && families == families_of(&mut perhaps, now)
        {
            self.certain = perhaps;
        }
        prop_assert_eq!(found, rows(&mut self.certain, now).unwrap());
        prop_assert_eq!(families, families_of(&mut self.certain, now));
        Ok(())
    }
}

fn families_of(database: &mut impl Database, now: Timestamp) -> Vec<ColumnFamily> {
    match database.handle(now, TableRequest::Describe.of(TABLE)) {
        Response::Spec(spec) => spec.families,
        other => panic!("{other:?}"),
    }
}

fn rows(database: &mut impl Database, now: Timestamp) -> Result<Vec<Row>, Error> {
    read_all(database, now, TABLE, &ReadRows { unmetered: true, ..ReadRows::default() }).map(|chunk| chunk.rows)
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
