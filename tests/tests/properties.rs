//! Random histories on the engine: it answers like the reference model, with any sizes.

use std::collections::BTreeSet;
use std::ops::Bound;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tabletop_engine::Instance;
use tabletop_model::{
    Bytes, Cell, Code, Error, FamilyModification, GcRule, Mutation, ReadRows, Response, Row, RowFilter,
    RowMutation, RowRange, RowSet, RowsChunk, SERVER_TIME, TableRequest, TableSettings, TableSpec, Timestamp,
};
use tabletop_tests::arbitrary::{
    FAMILIES, Operation, config, families, filter, gc_rule, operation, operation_with_rules, read, regex,
    row_mutation, settings, spec,
};
use tabletop_tests::{Database, Reference, read_all};

pub(crate) const TABLE: &str = "t";

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn the_engine_answers_as_the_reference(spec in spec(), operations in vec(operation(), 1..40)) {
        let (mut engine, mut reference) = (with_table(Instance::new(), spec.clone()), with_table(Reference::default(), spec));
        for (now, operation) in moments(operations) {
            match operation {
                Operation::Settle => engine.settle(now),
                operation => same(&mut engine, &mut reference, now, operation)?,
            }
        }
    }

    /// A major compaction of all tablets collects all cells that the rules allow at its time, and
    /// no others.
    #[test]
    fn compaction_collects_the_cells_that_the_reference_collects(
        spec in spec(),
        operations in vec(operation_with_rules(), 1..40),
    ) {
        let (mut engine, mut reference) = (with_table(Instance::new(), spec.clone()), with_table(Reference::default(), spec));
        for (now, operation) in moments(operations) {
            match operation {
                Operation::Settle | Operation::Compact => {
                    for database in [&mut engine as &mut dyn Database, &mut reference] {
                        database.handle(now, TableRequest::Compact.of(TABLE));
                        database.settle(now);
                    }
                    let all = Operation::Read(Box::default());
                    same(&mut engine, &mut reference, now, all)?;
                }
                operation => same(&mut engine, &mut reference, now, operation)?,
            }
        }
    }

    /// Compactions run at any time. Before and after them, the table has only cells that were
    /// written, and all cells that no rule can collect.
    #[test]
    fn collection_takes_no_more_than_rules_allow(
        spec in spec(),
        rules in vec(gc_rule(), FAMILIES.len()),
        operations in vec(operation(), 1..40),
    ) {
        let (mut engine, mut reference) = (with_table(Instance::new(), spec.clone()), with_table(Reference::default(), spec));
        let update = |(family, gc_rule): (&&str, GcRule)| FamilyModification::Update { family: (*family).into(), gc_rule };
        let modifications = FAMILIES.iter().zip(rules).map(update).collect();
        same(&mut engine, &mut reference, 0, Operation::Families(modifications))?;
        // Cells that may have been collected since they were written.
        let mut collectable = BTreeSet::new();
        for (now, operation) in moments(operations) {
            match operation {
                Operation::Mutate(entries) => {
                    let done = reference.clone().handle(now, TableRequest::MutateRows(entries.clone()).of(TABLE));
                    let Response::Mutated(results) = done else { continue };
                    let done = entries.iter().zip(results).filter(|(_, result)| result.is_none());
                    for (row, _) in done {
                        for mutation in &row.mutations {
                            if let Mutation::SetCell { family, qualifier, timestamp, .. } = mutation {
                                let time = if *timestamp == SERVER_TIME { now - now % 1_000 } else { *timestamp };
                                collectable.remove(&(row.key.clone(), family.clone(), qualifier.clone(), time));
                            }
                        }
                    }
                    same(&mut engine, &mut reference, now, Operation::Mutate(entries))?;
                }
                Operation::DropRows(_) | Operation::Settings(_) => same(&mut engine, &mut reference, now, operation)?,
                Operation::Settle | Operation::Compact => {
                    collectable.extend(reference.collectable(TABLE, now));
                    if matches!(operation, Operation::Compact) {
                        engine.handle(now, TableRequest::Compact.of(TABLE));
                    }
                    engine.settle(now);
                }
                // The effects of these depend on the contents.
                Operation::Check(_) | Operation::Modify(_) | Operation::Families(_) => {}
                Operation::Read(_) => {
                    let cells = |database: &mut dyn Database| -> Vec<_> {
                        let Response::Rows(chunk) = database.handle(now, TableRequest::ReadRows(ReadRows::default()).of(TABLE))
                        else { panic!("a read was refused") };
                        let cells = chunk.rows.into_iter().flat_map(|row| row.cells.into_iter().map(move |cell| (row.key.clone(), cell)));
                        cells.collect()
                    };
                    let (found, all) = (cells(&mut engine), cells(&mut reference));
                    for cell in &found {
                        prop_assert!(all.contains(cell), "{:?} was not written", cell);
                    }
                    for (key, cell) in &all {
                        let may_go = collectable.contains(&(key.clone(), cell.family.clone(), cell.qualifier.clone(), cell.timestamp));
                        prop_assert!(may_go || found.contains(&(key.clone(), cell.clone())), "{:?} {:?} is gone", key, cell);
                    }
                }
            }
        }
    }

    #[test]
    fn sizes_change_no_answer(
        sizes in (spec(), settings()),
        entries in vec(row_mutation(), 1..150),
        reads in vec(read(), 1..8),
    ) {
        let mut small = with_table(Instance::new(), sizes.0);
        let mut large = with_table(Instance::new(), plain());
        let mut changing = with_table(Instance::new(), plain());
        for (now, entries) in moments(entries.chunks(7)) {
            for engine in [&mut small, &mut large, &mut changing] {
                engine.handle(now, TableRequest::MutateRows(entries.to_vec()).of(TABLE));
            }
            small.settle(now);
        }
        update(&mut changing, 1, sizes.1);
        changing.settle(1);
        for read in reads {
            let expected = comparable(read_all(&mut large, 1, TABLE, &read));
            prop_assert_eq!(comparable(read_all(&mut small, 1, TABLE, &read)), expected.clone());
            prop_assert_eq!(comparable(read_all(&mut changing, 1, TABLE, &read)), expected);
        }
    }

    #[test]
    fn exact_counts_are_those_of_a_scan(spec in spec(), entries in vec(row_mutation(), 1..150), compact: bool) {
        let has_one_group = spec.families.iter().all(|family| family.locality_group == spec.families[0].locality_group);
        let mut engine = with_table(Instance::new(), spec);
        for entry in entries {
            let mutations = entry.mutations.into_iter().filter(|mutation| matches!(mutation, Mutation::SetCell { .. })).collect();
            let entries = vec![RowMutation { mutations, ..entry }];
            engine.handle(0, TableRequest::MutateRows(entries).of(TABLE));
        }
        if compact {
            engine.handle(0, TableRequest::Compact.of(TABLE));
        }
        engine.settle(0);
        let Response::Table(view) = engine.handle(0, TableRequest::View.of(TABLE)) else { unreachable!() };
        prop_assert!(!compact || !has_one_group || view.tablets.iter().all(|tablet| tablet.exact));
        for tablet in view.tablets {
            let range = RowRange { start: Bound::Included(tablet.start), end: Bound::Excluded(tablet.end) };
            let read = ReadRows { rows: RowSet::range(range), unmetered: true, ..ReadRows::default() };
            let found = read_all(&mut engine, 0, TABLE, &read).unwrap().rows;
            let found = (found.len() as u64, found.iter().map(|row| row.cells.len() as u64).sum::<u64>());
            let reported = (tablet.rows, tablet.cells);
            // A row with parts in several locality groups is counted once.
            let is_most = reported.1 >= found.1 && (reported.0 >= found.0 || !has_one_group);
            prop_assert!(if tablet.exact { reported == found } else { is_most }, "counted {:?}, found {:?}", reported, found);
        }
    }

    #[test]
    fn a_read_is_the_same_in_slices_backwards_and_cut(
        spec in spec(),
        entries in vec(row_mutation(), 1..80),
        filter in proptest::option::of(filter()),
        slice in 1_u64..20,
        limit in 1_u64..20,
    ) {
        let mut engine = with_table(Instance::new(), spec);
        engine.handle(0, TableRequest::MutateRows(entries).of(TABLE));
        let plain = ReadRows { filter, sample_seed: 7, ..ReadRows::default() };
        let mut rows = |read: ReadRows| read_all(&mut engine, 1, TABLE, &read).map(|chunk| chunk.rows);
        let Ok(expected) = rows(plain.clone()) else { return Ok(()) };
        prop_assert_eq!(rows(ReadRows { slice_cells_max: slice, ..plain.clone() }).unwrap(), expected.clone());
        let cut: Vec<Row> = expected.iter().take(limit as usize).cloned().collect();
        prop_assert_eq!(rows(ReadRows { rows_limit: limit, ..plain.clone() }).unwrap(), cut.clone());
        prop_assert_eq!(rows(ReadRows { rows_limit: limit, slice_cells_max: slice, ..plain.clone() }).unwrap(), cut);
        let backwards: Vec<Row> = expected.iter().rev().cloned().collect();
        prop_assert_eq!(rows(ReadRows { reversed: true, ..plain.clone() }).unwrap(), backwards.clone());
        prop_assert_eq!(rows(ReadRows { reversed: true, slice_cells_max: slice, ..plain }).unwrap(), backwards);
    }

    #[test]
    fn patterns_match_as_in_the_reference(pattern in regex(), values in vec(matched(), 1..30)) {
        let mut engine = with_table(Instance::new(), plain());
        let mut reference = with_table(Reference::default(), plain());
        let entries = values.into_iter().enumerate().map(|(index, value)| set(&format!("r{index}"), value)).collect();
        let request = TableRequest::MutateRows(entries).of(TABLE);
        prop_assert_eq!(codes(engine.handle(0, request.clone())), codes(reference.handle(0, request)));
        let read = ReadRows { filter: Some(RowFilter::ValueRegex(pattern)), ..ReadRows::default() };
        let (actual, expected) = (read_all(&mut engine, 0, TABLE, &read), read_all(&mut reference, 0, TABLE, &read));
        prop_assert_eq!(comparable(actual), comparable(expected));
    }

    #[test]
    fn tablets_and_samples_cover_the_table(spec in spec(), entries in vec(row_mutation(), 1..150)) {
        let mut engine = with_table(Instance::new(), spec);
        for (now, entries) in moments(entries.chunks(10)) {
            engine.handle(now, TableRequest::MutateRows(entries.to_vec()).of(TABLE));
            engine.settle(now);
        }
        let Response::Table(view) = engine.handle(1, TableRequest::View.of(TABLE)) else { panic!("no view") };
        let tablets = &view.tablets;
        prop_assert!(tablets[0].start.is_empty() && tablets[tablets.len() - 1].end.is_empty());
        for pair in tablets.windows(2) {
            prop_assert_eq!(&pair[0].end, &pair[1].start);
            prop_assert!(pair[0].start < pair[0].end);
        }
        let ids: BTreeSet<_> = tablets.iter().map(|tablet| tablet.id).collect();
        prop_assert_eq!(ids.len(), tablets.len());
        prop_assert_eq!(view.splits, tablets.len() as u64 - 1 + view.merges);

        let Response::RowKeySamples(samples) = engine.handle(1, TableRequest::SampleRowKeys.of(TABLE)) else { panic!("no samples") };
        let (end, keys) = samples.split_last().expect("the end of the table");
        prop_assert!(end.key.is_empty());
        prop_assert!(keys.windows(2).all(|pair| pair[0].key < pair[1].key) && keys.iter().all(|sample| !sample.key.is_empty()));
        prop_assert!(samples.windows(2).all(|pair| pair[0].offset_bytes <= pair[1].offset_bytes));
    }
}

#[test]
fn row_sample_takes_about_its_share() {
    let mut engine = with_table(Instance::new(), plain());
    let entries = (0..20_000).map(|index| set(&format!("user{index:06}"), Bytes::default())).collect();
    engine.handle(0, TableRequest::MutateRows(entries).of(TABLE));
    let mut before = BTreeSet::new();
    for (probability, share) in [(0.01, 150..250), (0.5, 9_700..10_300), (0.99, 19_750..19_850)] {
        let rows = sampled(&mut engine, 0, probability, 1);
        assert!(share.contains(&rows.len()), "{} of 20,000 rows are {probability} of them", rows.len());
        assert!(before.is_subset(&rows), "a larger share has all rows of a smaller one");
        assert_ne!(rows, sampled(&mut engine, 0, probability, 2), "another seed takes other rows");
        before = rows;
    }
}

/// Both databases apply the operation and must return the same answer.
pub(crate) fn same(
    engine: &mut Instance,
    reference: &mut Reference,
    now: Timestamp,
    operation: Operation,
) -> Result<(), TestCaseError> {
    let table = TABLE.to_string();
    let request = match operation {
        Operation::Mutate(entries) => TableRequest::MutateRows(entries).of(table),
        Operation::Check(check) => {
            take_samples(engine, reference, now, check.predicate.as_ref(), 0);
            TableRequest::CheckAndMutateRow(*check).of(table)
        }
        Operation::Modify(row) => TableRequest::ReadModifyWriteRow(row).of(table),
        Operation::DropRows(range) => TableRequest::DropRowRange(range).of(table),
        Operation::Families(modifications) => TableRequest::ModifyFamilies(modifications).of(table),
        Operation::Settings(settings) => TableRequest::UpdateSettings(settings).of(table),
        Operation::Read(read) => {
            let actual = read_all(engine, now, TABLE, &read);
            if actual.is_ok() {
                take_samples(engine, reference, now, read.filter.as_ref(), read.sample_seed);
            }
            let expected = read_all(reference, now, TABLE, &read);
            if let (Ok(actual), Ok(expected)) = (&actual, &expected) {
                let seen = |chunk: &RowsChunk| (chunk.stats.rows_seen, chunk.stats.cells_seen);
                let (actual, expected) = (seen(actual), seen(expected));
                // Data that the filter does not need and that is skipped does not count as seen:
                // SSTables of other locality groups, and blocks in the middle of a row.
                let may_skip = read.filter.is_some();
                let is_right =
                    actual == expected || may_skip && actual.0 <= expected.0 && actual.1 <= expected.1;
                prop_assert!(is_right, "saw {:?} of {:?}", actual, expected);
            }
            prop_assert_eq!(comparable(actual), comparable(expected));
            return Ok(());
        }
        Operation::Compact => TableRequest::Compact.of(table),
        Operation::Settle => unreachable!("each test handles it itself: the reference has no such work"),
    };
    let (actual, expected) = (engine.handle(now, request.clone()), reference.handle(now, request));
    prop_assert_eq!(without_messages(actual), without_messages(expected));
    Ok(())
}

/// Tells the reference which rows the samples of a filter select.
pub(crate) fn take_samples(
    engine: &mut Instance,
    reference: &mut Reference,
    now: Timestamp,
    filter: Option<&RowFilter>,
    seed: u64,
) {
    // A refused filter selects none.
    for probability in filter.map(samples).unwrap_or_default().into_iter().filter(|p| *p > 0.0 && *p < 1.0) {
        let rows = sampled(engine, now, probability, seed);
        reference.samples.insert(probability.to_bits(), rows);
    }
}

fn without_messages(response: Response) -> Response {
    let without = |error: Error| Error::new(error.code, "");
    match response {
        Response::Mutated(results) => {
            Response::Mutated(results.into_iter().map(|result| result.map(without)).collect())
        }
        Response::Refused(error) => Response::Refused(without(error)),
        other => other,
    }
}

/// Bytes for the random patterns.
fn matched() -> impl Strategy<Value = Bytes> {
    let pieces = select(vec![
        &b"a"[..],
        b"b",
        b"A",
        b"1",
        b"12",
        b"x",
        b"#",
        b",",
        b"user",
        b"\n",
        b"\x00",
        b"\xff",
        b"\xc3\xa9",
        b"\\",
        b"_",
        b" ",
    ]);
    vec(pieces, 0..5).prop_map(|pieces| Bytes(pieces.concat()))
}

/// A row with one cell.
fn set(key: &str, value: Bytes) -> RowMutation {
    let cell = Mutation::SetCell { family: FAMILIES[0].into(), qualifier: "q".into(), timestamp: 0, value };
    RowMutation { key: key.into(), mutations: vec![cell] }
}

/// Operations are slightly more than a second apart.
pub(crate) fn moments<T>(things: impl IntoIterator<Item = T>) -> impl Iterator<Item = (Timestamp, T)> {
    things
        .into_iter()
        .enumerate()
        .map(|(index, thing)| (1_700_000_000_000_000 + index as Timestamp * 1_234_567, thing))
}

/// A table of all families in one locality group, with default sizes.
fn plain() -> TableSpec {
    TableSpec { families: families(), ..TableSpec::default() }
}

pub(crate) fn with_table<D: Database>(mut database: D, spec: TableSpec) -> D {
    assert_eq!(database.handle(0, TableRequest::Create(spec).of(TABLE)), Response::Done);
    database
}

fn update(engine: &mut Instance, now: Timestamp, settings: TableSettings) {
    assert_eq!(engine.handle(now, TableRequest::UpdateSettings(settings).of(TABLE)), Response::Done);
}

/// Reduces an answer to a mutation to its codes.
fn codes(response: Response) -> Result<Vec<Option<Code>>, Code> {
    match response {
        Response::Mutated(results) => {
            Ok(results.into_iter().map(|result| result.map(|error| error.code)).collect())
        }
        Response::Refused(error) => Err(error.code),
        other => panic!("a mutation was answered with {other:?}"),
    }
}

/// Returns the part of an answer that must be equal: rows, production's counts of returned rows,
/// the code of a refusal. Cells that an interleave or a sink has duplicated may be in any order.
fn comparable(answer: Result<RowsChunk, Error>) -> Result<(Vec<Row>, [u64; 3]), Code> {
    let mut chunk = answer.map_err(|error| error.code)?;
    for row in &mut chunk.rows {
        let is_copy = |a: &Cell, b: &Cell| {
            a.family == b.family && a.qualifier == b.qualifier && a.timestamp == b.timestamp
        };
        for copies in row.cells.chunk_by_mut(is_copy) {
            copies.sort_by(|a, b| (&a.label, &a.value).cmp(&(&b.label, &b.value)));
        }
    }
    let stats = chunk.stats;
    let counts = [stats.rows_returned, stats.cells_returned, stats.bytes_returned];
    Ok((chunk.rows, counts))
}

/// Returns the probabilities of all `row_sample`s in a filter.
fn samples(filter: &RowFilter) -> Vec<f64> {
    match filter {
        RowFilter::RowSample(probability) => vec![*probability],
        RowFilter::Chain(filters) | RowFilter::Interleave(filters) => {
            filters.iter().flat_map(samples).collect()
        }
        RowFilter::Condition { predicate, on_true, on_false } => {
            let branches = [Some(predicate), on_true.as_ref(), on_false.as_ref()];
            branches.into_iter().flatten().flat_map(|filter| samples(filter)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the rows of the table that a sample selects.
fn sampled(engine: &mut Instance, now: Timestamp, probability: f64, seed: u64) -> BTreeSet<Vec<u8>> {
    let read = ReadRows {
        filter: Some(RowFilter::RowSample(probability)),
        sample_seed: seed,
        ..ReadRows::default()
    };
    let chunk = read_all(engine, now, TABLE, &read).expect("a sample is a valid filter");
    chunk.rows.into_iter().map(|row| row.key.0).collect()
}
