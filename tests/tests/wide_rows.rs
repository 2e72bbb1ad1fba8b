//! Rows of many blocks, in several runs: the engine answers like the reference, wherever it seeks,
//! skips and stops in them.

use std::ops::Bound;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use tabletop_engine::{Budget, Instance};
use tabletop_model::{
    AggregateInput, Bytes, CheckAndMutateRow, ColumnRange, Mutation, ReadModify, ReadModifyWriteRow,
    ReadModifyWriteRule, ReadRows, RowFilter, RowMutation, TableRequest, TableSettings, TableSpec,
    TimestampRange,
};
use tabletop_tests::arbitrary::{Operation, config, families, nested, plain_leaf, spec};
use tabletop_tests::{Database, Reference};

use crate::properties::{TABLE, moments, same, with_table};

/// Steps of a history.
#[derive(Clone, Debug)]
enum Step {
    Do(Operation),
    /// This many calls with so small a budget that a compaction stops within rows.
    Advance(usize, u64),
    Compact,
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn wide_rows_are_read_as_by_the_reference(spec in small(), steps in vec(step(), 1..30)) {
        let (mut engine, mut reference) = (with_table(Instance::new(), spec.clone()), with_table(Reference::default(), spec));
        for (now, step) in moments(steps) {
            match step {
                Step::Do(operation) => same(&mut engine, &mut reference, now, operation)?,
                Step::Advance(calls, bytes) => {
                    (0..calls).all(|_| engine.advance(now, Budget { bytes }));
                }
                Step::Compact => same(&mut engine, &mut reference, now, Operation::Compact)?,
            }
        }
        engine.settle(2_000_000_000_000_000);
        same(&mut engine, &mut reference, 0, Operation::Read(Box::default()))?;
    }
}

/// Blocks that hold few cells, and memtables that hold a part of a row.
fn small() -> impl Strategy<Value = TableSpec> {
    let sizes = (
        prop_oneof![Just(1_u32), 10_u32..300],
        prop_oneof![100_u64..3_000, Just(1 << 20)],
        1_u32..5,
        0_u64..3,
    );
    (spec(), sizes).prop_map(|(spec, (block_bytes, memtable_bytes_max, sstables_max, blocks))| TableSpec {
        settings: TableSettings {
            block_bytes,
            memtable_bytes_max,
            sstables_max,
            tablet_bytes_max: 1 << 30,
            cache_bytes_max: u64::from(block_bytes) * blocks,
            ..TableSettings::default()
        },
        ..spec
    })
}

fn step() -> impl Strategy<Value = Step> {
    let write = (key(), vec(mutation(), 1..150))
        .prop_map(|(key, mutations)| Operation::Mutate(vec![RowMutation { key, mutations }]));
    let rule = (select(vec!["g", "a"]), qualifier(), "[a-z]{0,3}").prop_map(|(family, qualifier, text)| {
        ReadModifyWriteRule {
            family: family.into(),
            qualifier,
            modify: ReadModify::Append(text.as_str().into()),
        }
    });
    let modify = (key(), vec(rule, 1..4))
        .prop_map(|(key, rules)| Operation::Modify(ReadModifyWriteRow { key, rules }));
    let check = (key(), proptest::option::of(filter()), vec(mutation(), 1..3), vec(mutation(), 1..3))
        .prop_map(|(key, predicate, on_match, otherwise)| {
            Operation::Check(Box::new(CheckAndMutateRow { key, predicate, on_match, otherwise }))
        });
    let read = (
        proptest::option::weighted(0.95, filter()),
        any::<bool>(),
        0_u64..3,
        prop_oneof![Just(0), 1_u64..400],
    )
        .prop_map(|(filter, reversed, rows_limit, slice_cells_max)| {
            Operation::Read(Box::new(ReadRows {
                filter,
                reversed,
                rows_limit,
                slice_cells_max,
                ..ReadRows::default()
            }))
        });
    prop_oneof![
        8 => write.prop_map(Step::Do),
        1 => modify.prop_map(Step::Do),
        1 => check.prop_map(Step::Do),
        8 => read.prop_map(Step::Do),
        3 => (1_usize..6, 1_u64..3_000).prop_map(|(calls, bytes)| Step::Advance(calls, bytes)),
        1 => Just(Step::Compact),
    ]
}

fn key() -> impl Strategy<Value = Bytes> {
    prop_oneof![4 => Just("wide"), 1 => Just("other")].prop_map(Bytes::from)
}

/// Hundreds of columns in numeric order, some of them prefixes of others.
fn qualifier() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        6 => (0..80).prop_map(|n| format!("q{n:02}").into_bytes().into()),
        1 => (0..9).prop_map(|n| format!("q{n}").into_bytes().into()),
        1 => select(vec![&b""[..], b"\xff", b"q", b"q5\xff"]).prop_map(Bytes::from),
    ]
}

fn time() -> impl Strategy<Value = i64> {
    prop_oneof![3 => Just(0), 2 => (0_i64..30).prop_map(|time| time * 1_000)]
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let value =
        prop_oneof![4 => "[xy]{0,3}", 1 => "[a-z0-9 ]{20,60}"].prop_map(|value| Bytes::from(value.as_str()));
    let set = (select(vec!["g", "a", "f"]), qualifier(), time(), value).prop_map(
        |(family, qualifier, timestamp, value)| Mutation::SetCell {
            family: family.into(),
            qualifier,
            timestamp,
            value,
        },
    );
    let add = (qualifier(), 0_i64..2, -3_i64..4).prop_map(|(qualifier, time, number)| Mutation::AddToCell {
        family: "s".into(),
        qualifier,
        timestamp: time * 1_000,
        input: AggregateInput::Int(number),
    });
    let delete = (select(vec!["g", "a", "f", "s"]), qualifier(), 0_i64..20, 0_i64..10).prop_map(
        |(family, qualifier, start, length)| Mutation::DeleteFromColumn {
            family: family.into(),
            qualifier,
            range: TimestampRange {
                start: start * 1_000,
                end: if length == 0 { 0 } else { (start + length) * 1_000 },
            },
        },
    );
    prop_oneof![
        6_000 => set,
        1_600 => add,
        300 => delete,
        2 => select(vec!["g", "a", "s"]).prop_map(|family| Mutation::DeleteFromFamily { family: family.into() }),
        1 => Just(Mutation::DeleteFromRow),
    ]
}

fn filter() -> impl Strategy<Value = RowFilter> {
    let end = || 0..3;
    let column_range = (select(vec!["g", "a", "s"]), qualifier(), end(), qualifier(), end()).prop_map(
        |(family, a, at_a, b, at_b)| {
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            let bound = |kind: i32, qualifier: Bytes| match kind {
                0 => Bound::Included(qualifier),
                1 => Bound::Excluded(qualifier),
                _ => Bound::Unbounded,
            };
            // A range of one column must include that column.
            let (at_a, at_b) = if a == b { (0, 0) } else { (at_a, at_b) };
            RowFilter::ColumnRange(ColumnRange {
                family: family.into(),
                start: bound(at_a, a),
                end: bound(at_b, b),
            })
        },
    );
    let patterns =
        vec!["q17", "q3.*", "q(11|22|65)", "(?:q4.*|q5)", ".*5", "^q6[0-4]", "\\C*", "q7\\d+", "", "q5\\C+"];
    let leaf = prop_oneof![
        1 => plain_leaf(),
        5 => column_range,
        4 => select(patterns).prop_map(|pattern| RowFilter::ColumnQualifierRegex(pattern.into())),
        3 => select(vec!["g", "a", "g|s", "f|a", "d", "x"]).prop_map(|pattern| RowFilter::FamilyNameRegex(pattern.into())),
        2 => select(vec!["x.*", "y?", "[a-m].*"]).prop_map(|pattern| RowFilter::ValueRegex(pattern.into())),
        2 => (0_i64..20, 0_i64..10).prop_map(|(start, length)| RowFilter::TimestampRange(TimestampRange {
            start: start * 1_000,
            end: if length == 0 { 0 } else { (start + length) * 1_000 },
        })),
        2 => select(vec![1, 5, 70, 200]).prop_map(RowFilter::CellsPerRowOffset),
        3 => select(vec![1, 2, 10, 63, 64, 65, 300]).prop_map(RowFilter::CellsPerRowLimit),
        3 => select(vec![1, 2, 4, 10]).prop_map(RowFilter::CellsPerColumnLimit),
        1 => Just(RowFilter::ApplyLabel("x".into())),
        1 => Just(RowFilter::RowKeyRegex("w.*".into())),
    ];
    nested(leaf.boxed())
}

/// Checks that the rows of the property above have several blocks; otherwise it would not test
/// anything.
#[test]
fn the_rows_of_the_property_are_wide() {
    let mut engine = with_table(Instance::new(), TableSpec { families: families(), ..TableSpec::default() });
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mutations = (0..600).map(|_| mutation().new_tree(&mut runner).unwrap().current());
    let mutations = mutations.filter(|mutation| matches!(mutation, Mutation::SetCell { .. })).collect();
    let settings = TableSettings { block_bytes: 100, memtable_bytes_max: 100, ..TableSettings::default() };
    engine.handle(0, TableRequest::UpdateSettings(settings).of(TABLE));
    engine.handle(0, TableRequest::MutateRows(vec![RowMutation { key: "wide".into(), mutations }]).of(TABLE));
    engine.settle(0);
    let whole = tabletop_tests::read_all(&mut engine, 0, TABLE, &ReadRows::default()).unwrap().stats;
    assert!(whole.cells_seen > 100 && whole.blocks_read + whole.cache_hits > 10, "{whole:?}");
    let filter = RowFilter::ColumnQualifierRegex("q7.*".into());
    let part = tabletop_tests::read_all(
        &mut engine,
        0,
        TABLE,
        &ReadRows { filter: Some(filter), ..ReadRows::default() },
    )
    .unwrap()
    .stats;
    assert!(part.cells_seen < whole.cells_seen / 2 && part.cells_returned > 0, "{part:?}");
}
