//! Random histories on a storage that fails or crashes: whatever was answered is there afterwards, nothing is there in part,
//! and the table goes on.
//!
//! `PROPTEST_CASES=10000` asks for as many crash points.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use tabletop_cluster::Instance;
use tabletop_model::{Code, Error, ReadRows, Request, Response, Row, RowMutation, TableSpec, Timestamp};
use tabletop_tests::arbitrary::{FAMILIES, Operation, config, operation, spec};
use tabletop_tests::faulty::{Fault, FaultKind, FaultyStorage};
use tabletop_tests::{Database, Reference, read_all};

const TABLE: &str = "t";

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_crash_loses_nothing_that_was_answered(
        spec in spec(),
        operations in vec(operation(), 1..40),
        at in 0_u64..400,
        seed: u64,
    ) {
        check(spec, &operations, Fault { at, kind: FaultKind::Crash }, seed)?;
    }

    #[test]
    fn a_failure_of_storage_loses_nothing_that_was_answered(
        spec in spec(),
        operations in vec(operation(), 1..40),
        kind in select(vec![FaultKind::NotDone, FaultKind::Full, FaultKind::Unknown]),
        at in 0_u64..300,
        seed: u64,
    ) {
        check(spec, &operations, Fault { at, kind }, seed)?;
    }
}

/// The same for every call of storage that some histories make.
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

/// Lets a history happen with one fault in it, then opens what is left. Whether the fault has happened.
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
    disk.fail(None);
    disk.crash(chance(seed));
    let mut engine = reopen(&disk, now)?;
    expected.compare(&mut engine, now)?;
    // And it goes on: with the rest, or with the same once more.
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

/// What the table may hold.
struct Expected {
    certain: Reference,
    /// With what was written when storage failed, which may have happened.
    perhaps: Option<Reference>,
}

impl Expected {
    fn new(engine: &mut Instance<FaultyStorage>, mut spec: TableSpec) -> Expected {
        // Those that aggregate are not of use here: a write that may have happened is tried again.
        spec.families.truncate(FAMILIES.len());
        let request = Request::CreateTable { table: TABLE.into(), spec };
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
            Operation::Compact => refused = refusal(engine.handle(now, Request::CompactTable { table: TABLE.into() })),
            Operation::Settings(settings) => {
                let request = Request::UpdateSettings { table: TABLE.into(), settings: settings.clone() };
                refused = refusal(engine.handle(now, request));
            }
            #[allow(unreachable_patterns)]
            _ => {}
        }
        prop_assert!(refused.as_ref().is_none_or(is_of_storage), "{:?}", refused);
        Ok(())
    }

    fn mutate(
        &mut self,
        engine: &mut Instance<FaultyStorage>,
        now: Timestamp,
        entries: &[RowMutation],
    ) -> Result<(), TestCaseError> {
        let request = |entries: &[RowMutation]| Request::MutateRows { table: TABLE.into(), entries: entries.to_vec() };
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
            // It goes on, so what was refused before did not happen.
            self.perhaps = None;
        }
        Ok(())
    }

    fn compare(&mut self, engine: &mut Instance<FaultyStorage>, now: Timestamp) -> Result<(), TestCaseError> {
        let found = rows(engine, now).map_err(|error| TestCaseError::fail(error.to_string()))?;
        if let Some(mut perhaps) = self.perhaps.take()
            && found == rows(&mut perhaps, now).unwrap()
        {
            self.certain = perhaps;
        }
        prop_assert_eq!(found, rows(&mut self.certain, now).unwrap());
        Ok(())
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

/// Numbers below a limit, from a seed (splitmix64).
fn chance(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |limit| {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }
}
