//! Random tables, changes, filters and reads, from small alphabets so that they affect each other.
//! Some of each kind are invalid, so that refusals are compared, too.

use std::ops::Bound;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tabletop_model::sketch::Sketch;
use tabletop_model::{
    Aggregate, AggregateInput, Bytes, CheckAndMutateRow, ColumnFamily, ColumnRange, DropRowRange,
    FamilyModification, GcRule, Mutation, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows,
    RowFilter, RowMutation, RowRange, RowSet, TableSettings, TableSpec, TimestampRange, ValueRange,
};

/// The plain families of every random table in the order of their creation, which differs from the
/// order of their names.
pub const FAMILIES: [&str; 3] = ["g", "a", "f"];

/// The aggregate families, which follow the plain ones.
const AGGREGATES: [(&str, Aggregate); 3] =
    [("s", Aggregate::Sum), ("m", Aggregate::Max), ("d", Aggregate::DistinctCount)];

/// All families of every random table.
pub fn families() -> Vec<ColumnFamily> {
    let plain = FAMILIES.iter().map(|name| ColumnFamily::new(*name));
    let aggregate =
        |&(name, kind): &(&str, Aggregate)| ColumnFamily { aggregate: Some(kind), ..ColumnFamily::new(name) };
    plain.chain(AGGREGATES.iter().map(aggregate)).collect()
}

/// A table with these families in one or several locality groups, with sizes as in [`settings`].
pub fn spec() -> impl Strategy<Value = TableSpec> {
    let count = FAMILIES.len() + AGGREGATES.len();
    let groups = prop_oneof![1 => Just(vec![0; count]), 2 => vec(locality_group(), count)];
    (groups, settings()).prop_map(|(groups, settings)| {
        let families = families().into_iter().zip(groups);
        let families = families.map(|(family, locality_group)| ColumnFamily { locality_group, ..family });
        TableSpec { families: families.collect(), initial_splits: Vec::new(), settings }
    })
}

fn locality_group() -> impl Strategy<Value = u8> {
    select(vec![0, 0, 1, 2, 255])
}

/// Proptest settings: this number of cases, and no file of past failures. (A failure prints the
/// smallest input that causes it; turn it into a case file.) `PROPTEST_CASES` overrides the number
/// of cases.
pub fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { cases };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 4_000, ..default }
}

/// One operation on a table.
#[derive(Clone, Debug)]
pub enum Operation {
    /// One request mutates rows.
    Mutate(Vec<RowMutation>),
    /// A row is mutated depending on its contents.
    Check(Box<CheckAndMutateRow>),
    /// Cells are incremented or appended to.
    Modify(ReadModifyWriteRow),
    /// Rows are dropped.
    DropRows(DropRowRange),
    /// Families are created, changed and dropped.
    Families(Vec<FamilyModification>),
    /// Rows are read.
    Read(Box<ReadRows>),
    /// All pending work is done.
    Settle,
    /// A compaction to one SSTable per tablet is requested.
    Compact,
    /// Thresholds change.
    Settings(TableSettings),
}

/// Mostly changes, then reads. No families have GC rules.
pub fn operation() -> impl Strategy<Value = Operation> {
    some_operation(Just(GcRule::KeepAll).boxed())
}

/// Like [`operation`], but families may get GC rules.
pub fn operation_with_rules() -> impl Strategy<Value = Operation> {
    some_operation(gc_rule().boxed())
}

fn some_operation(rule: BoxedStrategy<GcRule>) -> impl Strategy<Value = Operation> {
    prop_oneof![
        12 => vec(row_mutation(), 1..6).prop_map(Operation::Mutate),
        2 => check_and_mutate().prop_map(|check| Operation::Check(Box::new(check))),
        2 => read_modify_write().prop_map(Operation::Modify),
        1 => drop_rows().prop_map(Operation::DropRows),
        1 => vec(modification(rule), 1..4).prop_map(Operation::Families),
        8 => read().prop_map(|read| Operation::Read(Box::new(read))),
        2 => Just(Operation::Settle),
        2 => Just(Operation::Compact),
        2 => settings().prop_map(Operation::Settings),
    ]
}

/// Rules with few versions and short ages, alone and nested.
pub fn gc_rule() -> impl Strategy<Value = GcRule> {
    let leaf = prop_oneof![
        1 => Just(GcRule::KeepAll),
        3 => (1..4).prop_map(GcRule::MaxVersions),
        // Operations are slightly more than a second apart, and some cells are written at the
        // server's time.
        3 => select(vec![1_000_000, 5_000_000, 1_699_999_999_997_500]).prop_map(|micros| GcRule::MaxAge { micros }),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..3).prop_map(GcRule::Union),
            vec(inner, 1..3).prop_map(GcRule::Intersection),
        ]
    })
}

/// Few names, so that dropped families are created again.
fn modification(rule: BoxedStrategy<GcRule>) -> impl Strategy<Value = FamilyModification> {
    let kind = prop_oneof![2 => Just(None), 1 => select(AGGREGATES.map(|(_, kind)| Some(kind)).to_vec())];
    let create = (family(), kind, rule.clone(), locality_group()).prop_map(
        |(name, aggregate, gc_rule, locality_group)| {
            FamilyModification::Create(ColumnFamily { name, gc_rule, aggregate, locality_group })
        },
    );
    prop_oneof![
        4 => create,
        3 => (family(), rule).prop_map(|(family, gc_rule)| FamilyModification::Update { family, gc_rule }),
        1 => family().prop_map(|family| FamilyModification::Drop { family }),
    ]
}

fn check_and_mutate() -> impl Strategy<Value = CheckAndMutateRow> {
    let mutations = || vec(mutation(), 0..4);
    (row_key(), proptest::option::of(filter()), mutations(), mutations()).prop_map(
        |(key, predicate, on_match, otherwise)| CheckAndMutateRow { key, predicate, on_match, otherwise },
    )
}

fn read_modify_write() -> impl Strategy<Value = ReadModifyWriteRow> {
    // Random values rarely have eight bytes, so an incremented cell has usually been incremented
    // before.
    let number = (plain_family(), any::<i64>()).prop_map(|(family, amount)| ReadModifyWriteRule {
        family,
        qualifier: "number".into(),
        modify: ReadModify::Increment(amount),
    });
    let modify =
        prop_oneof![any::<i64>().prop_map(ReadModify::Increment), value().prop_map(ReadModify::Append)];
    let any = (family(), qualifier(), modify).prop_map(|(family, qualifier, modify)| ReadModifyWriteRule {
        family,
        qualifier,
        modify,
    });
    (row_key(), vec(prop_oneof![3 => number, 2 => any], 0..4))
        .prop_map(|(key, rules)| ReadModifyWriteRow { key, rules })
}

/// Drops all rows only rarely.
pub fn drop_rows() -> impl Strategy<Value = DropRowRange> {
    prop_oneof![
        8 => row_key().prop_map(DropRowRange::Prefix),
        2 => select(vec!["user#", "a", "u"]).prop_map(|prefix| DropRowRange::Prefix(prefix.into())),
        1 => Just(DropRowRange::Prefix(Bytes::default())),
        1 => Just(DropRowRange::All),
    ]
}

/// Sizes at which even little data passes through memtables, blocks, compactions and splits.
pub fn settings() -> impl Strategy<Value = TableSettings> {
    // Small sizes are more frequent, so that rows are soon in several SSTables and blocks.
    let block = prop_oneof![select(vec![1, 50]), 1_u32..2_000];
    let memtable = prop_oneof![select(vec![1, 100]), 1_u64..4_000];
    let tablet = prop_oneof![select(vec![100, 1_000_000]), 100_u64..20_000];
    let sizes = (block, memtable, 1_u32..5, tablet);
    (sizes, select(vec![1.0, 50.0, 1e9])).prop_map(|((block, memtable, sstables, tablet), load)| {
        TableSettings {
            block_bytes: block,
            memtable_bytes_max: memtable,
            sstables_max: sstables,
            tablet_bytes_max: tablet,
            tablet_load_max: load,
            load_window_seconds: 10,
            // No cache, or one with room for only a few blocks.
            cache_bytes_max: u64::from(block) * u64::from(sstables - 1),
        }
    })
}

/// A mutation of one row. About one in twenty fails.
pub fn row_mutation() -> impl Strategy<Value = RowMutation> {
    let key = prop_oneof![60 => row_key(), 1 => Just(Bytes::default())];
    (key, prop_oneof![60 => vec(mutation(), 1..5), 1 => Just(Vec::new())])
        .prop_map(|(key, mutations)| RowMutation { key, mutations })
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let time = || prop_oneof![40 => timestamp(), 1 => select(vec![-2, 1_500, -1_000])];
    let set =
        (plain_family(), qualifier(), time(), value()).prop_map(|(family, qualifier, timestamp, value)| {
            Mutation::SetCell { family, qualifier, timestamp, value }
        });
    let input = prop_oneof![
        5 => (-3_i64..4).prop_map(AggregateInput::Int),
        1 => any::<i64>().prop_map(AggregateInput::Int),
        1 => value().prop_map(AggregateInput::Bytes),
    ];
    let own_time = || prop_oneof![40 => select(vec![0, 1_000, 2_000]), 1 => Just(-1)];
    let add = (aggregate_family(), qualifier(), own_time(), input).prop_map(
        |(family, qualifier, timestamp, input)| Mutation::AddToCell { family, qualifier, timestamp, input },
    );
    let state = prop_oneof![
        3 => any::<i64>().prop_map(|number| Bytes(number.to_be_bytes().to_vec())),
        3 => any::<u64>().prop_map(|hash| Bytes(Sketch::of(hash).encode())),
        1 => value(),
    ];
    let merge = (aggregate_family(), qualifier(), own_time(), state).prop_map(
        |(family, qualifier, timestamp, input)| Mutation::MergeToCell { family, qualifier, timestamp, input },
    );
    let range = prop_oneof![Just(TimestampRange::ALL), timestamp_range(), wrong_timestamp_range()];
    let column = (family(), qualifier(), range)
        .prop_map(|(family, qualifier, range)| Mutation::DeleteFromColumn { family, qualifier, range });
    prop_oneof![
        24 => set,
        6 => add,
        1 => merge,
        6 => column,
        2 => family().prop_map(|family| Mutation::DeleteFromFamily { family }),
        2 => Just(Mutation::DeleteFromRow),
    ]
}

fn family() -> impl Strategy<Value = String> {
    prop_oneof![20 => select(FAMILIES.to_vec()), 20 => aggregate_name(), 1 => Just("none")]
        .prop_map(String::from)
}

fn plain_family() -> impl Strategy<Value = String> {
    prop_oneof![60 => select(FAMILIES.to_vec()), 1 => aggregate_name(), 1 => Just("none")]
        .prop_map(String::from)
}

fn aggregate_family() -> impl Strategy<Value = String> {
    prop_oneof![40 => aggregate_name(), 1 => select(FAMILIES.to_vec())].prop_map(String::from)
}

fn aggregate_name() -> impl Strategy<Value = &'static str> {
    select(AGGREGATES.map(|(name, _)| name).to_vec())
}

/// About sixty different keys, some of them prefixes of others. Half of the time it is one of four
/// keys, so that changes affect each other.
pub fn row_key() -> impl Strategy<Value = Bytes> {
    let first = select(vec!["a", "b", "user#1", "user#2", "\u{e9}"]);
    let tail = select(vec![
        &b""[..],
        b"\x00",
        b"\xff",
        b"0",
        b"01",
        b"1\n",
        b",x",
        b"\xff\xff",
        b"z",
        b"\\",
        b"10",
        b"9",
    ]);
    let many = (first, tail).prop_map(|(first, tail)| Bytes([first.as_bytes(), tail].concat()));
    prop_oneof![many, select(vec!["a", "a0", "b", "user#1"]).prop_map(Bytes::from)]
}

fn qualifier() -> impl Strategy<Value = Bytes> {
    select(vec![&b""[..], b"a", b"ab", b"b", b"click,home,color", b"\xff", b"a\nb"]).prop_map(Bytes::from)
}

fn value() -> impl Strategy<Value = Bytes> {
    let short = select(vec![
        &b""[..],
        b"1",
        b"12",
        b"x",
        b"\x01",
        b"\x03\x00",
        b"\xff\xff",
        b"a\nb",
        b"{\"color\":1}",
        b"\xc3\xa9",
    ]);
    prop_oneof![9 => short.prop_map(Bytes::from), 1 => (any::<u8>(), 20_usize..400).prop_map(|(byte, length)| Bytes(vec![byte; length]))]
}

fn timestamp() -> impl Strategy<Value = i64> {
    select(vec![-1, 0, 1_000, 2_000, 3_000, 4_000, 1_700_000_000_000_000])
}

fn timestamp_range() -> impl Strategy<Value = TimestampRange> {
    (0_i64..4, 1_i64..5, any::<bool>()).prop_map(|(start, length, endless)| TimestampRange {
        start: start * 1_000,
        end: if endless { 0 } else { (start + length) * 1_000 },
    })
}

fn wrong_timestamp_range() -> impl Strategy<Value = TimestampRange> {
    let (start, end) = (select(vec![-1_000, 1, 3_000]), select(vec![3_000, 1_001]));
    (start, end).prop_map(|(start, end)| TimestampRange { start, end })
}

/// Keys, ranges, limits, both directions, sliced or not. Some have a filter.
pub fn read() -> impl Strategy<Value = ReadRows> {
    let rows = prop_oneof![2 => Just(RowSet::all()), 3 => row_set()];
    let slices = prop_oneof![Just(0), 1_u64..30];
    let limit = prop_oneof![2 => Just(0), 1 => 1_u64..10];
    (rows, proptest::option::of(filter()), limit, any::<bool>(), slices, any::<u64>()).prop_map(
        |(rows, filter, rows_limit, reversed, slice_cells_max, sample_seed)| ReadRows {
            rows,
            filter,
            rows_limit,
            reversed,
            unmetered: false,
            may_be_outdated: false,
            sample_seed,
            slice_cells_max,
            resume: None,
        },
    )
}

fn row_set() -> impl Strategy<Value = RowSet> {
    let key = || prop_oneof![60 => row_key(), 1 => Just(Bytes::default())];
    let range = prop_oneof![
        // Half of the random ranges are inverted. Most of these are turned around, a few are kept.
        (bound(row_key()), bound(row_key()), 0..20).prop_map(|(start, end, keep)| match keep {
            0 => RowRange { start, end },
            _ => in_order(start, end),
        }),
        row_key().prop_map(RowRange::prefix),
    ];
    (vec(key(), 0..4), vec(range, 0..4)).prop_map(|(keys, ranges)| RowSet { keys, ranges })
}

fn bound(bytes: impl Strategy<Value = Bytes>) -> impl Strategy<Value = Bound<Bytes>> {
    (bytes, 0..5).prop_map(|(bytes, kind)| match kind {
        0 | 1 => Bound::Included(bytes),
        2 | 3 => Bound::Excluded(bytes),
        _ => Bound::Unbounded,
    })
}

fn in_order(start: Bound<Bytes>, end: Bound<Bytes>) -> RowRange {
    let is_turned = match (&start, &end) {
        (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b) | Bound::Excluded(b)) => a > b,
        _ => false,
    };
    if is_turned { RowRange { start: end, end: start } } else { RowRange { start, end } }
}

/// Any of the twenty filters, nested, about values that are in the tables. A few are refused.
pub fn filter() -> impl Strategy<Value = RowFilter> {
    let ends = |bytes: BoxedStrategy<Bytes>| {
        (bound(bytes.clone()), bound(bytes)).prop_map(|(start, end)| {
            let RowRange { start, end } = in_order(start, end);
            (start, end)
        })
    };
    let column_range =
        (select(FAMILIES.to_vec()), ends(qualifier().boxed())).prop_map(|(family, (start, end))| {
            RowFilter::ColumnRange(ColumnRange { family: family.into(), start, end })
        });
    let leaf = prop_oneof![
        plain_leaf(),
        regex().prop_map(RowFilter::RowKeyRegex),
        select(vec!["a", "g|a", "[a-f]", "[sm]|d", ".*", "", "x", "\\C", "^f$"])
            .prop_map(|regex| RowFilter::FamilyNameRegex(regex.into())),
        regex().prop_map(RowFilter::ColumnQualifierRegex),
        regex().prop_map(RowFilter::ValueRegex),
        column_range,
        timestamp_range().prop_map(RowFilter::TimestampRange),
        ends(value().boxed()).prop_map(|(start, end)| RowFilter::ValueRange(ValueRange { start, end })),
        (0..4).prop_map(RowFilter::CellsPerRowOffset),
        prop_oneof![20 => 1..5, 1 => -1..1].prop_map(RowFilter::CellsPerRowLimit),
        prop_oneof![20 => 1..4, 1 => -1..1].prop_map(RowFilter::CellsPerColumnLimit),
        prop_oneof![20 => select(vec![0.1, 0.5, 0.9]), 1 => select(vec![0.0, 1.0, -0.5])]
            .prop_map(RowFilter::RowSample),
        select(vec!["x", "label-1"]).prop_map(|label| RowFilter::ApplyLabel(label.into())),
        select(vec![&b"\x01"[..], b"\x00\x00", b"1", b""])
            .prop_map(|mask| RowFilter::ValueBitmask(mask.into())),
    ];
    nested(leaf.boxed())
}

/// Any filter that can be written, with any bytes in it, valid or not, to test the text form.
pub fn wild_filter() -> impl Strategy<Value = RowFilter> {
    let bytes =
        || prop_oneof![vec(any::<u8>(), 0..12), ".{0,12}".prop_map(String::into_bytes)].prop_map(Bytes);
    let column_range = (".{0,5}", bound(bytes()), bound(bytes()))
        .prop_map(|(family, start, end)| RowFilter::ColumnRange(ColumnRange { family, start, end }));
    let leaf = prop_oneof![
        plain_leaf(),
        any::<bool>().prop_map(RowFilter::PassAll),
        any::<bool>().prop_map(RowFilter::StripValue),
        bytes().prop_map(RowFilter::RowKeyRegex),
        ".*".prop_map(RowFilter::FamilyNameRegex),
        bytes().prop_map(RowFilter::ColumnQualifierRegex),
        bytes().prop_map(RowFilter::ValueRegex),
        column_range,
        any::<(i64, i64)>().prop_map(|(start, end)| RowFilter::TimestampRange(TimestampRange { start, end })),
        (bound(bytes()), bound(bytes()))
            .prop_map(|(start, end)| RowFilter::ValueRange(ValueRange { start, end })),
        any::<i32>().prop_map(RowFilter::CellsPerRowOffset),
        any::<i32>().prop_map(RowFilter::CellsPerRowLimit),
        any::<i32>().prop_map(RowFilter::CellsPerColumnLimit),
        select(vec![0.5, 0.1, 1e-9, 0.0, -1.0, 1e300, f64::INFINITY]).prop_map(RowFilter::RowSample),
        ".*".prop_map(RowFilter::ApplyLabel),
        bytes().prop_map(RowFilter::ValueBitmask),
    ];
    nested(leaf.boxed())
}

/// Leaves that pass all cells, or none, or change them.
pub fn plain_leaf() -> impl Strategy<Value = RowFilter> {
    prop_oneof![
        3 => Just(RowFilter::PassAll(true)),
        2 => Just(RowFilter::BlockAll(true)),
        2 => Just(RowFilter::Sink(true)),
        2 => Just(RowFilter::StripValue(true)),
    ]
}

/// Leaves in chains, interleaves and conditions.
pub fn nested(leaf: BoxedStrategy<RowFilter>) -> impl Strategy<Value = RowFilter> {
    leaf.prop_recursive(4, 24, 4, |inner| {
        let branch = || proptest::option::weighted(0.8, inner.clone().prop_map(Box::new));
        prop_oneof![
            4 => vec(inner.clone(), 2..5).prop_map(RowFilter::Chain),
            4 => vec(inner.clone(), 2..4).prop_map(RowFilter::Interleave),
            2 => (inner.clone(), branch(), branch()).prop_map(|(predicate, on_true, on_false)| RowFilter::Condition {
                predicate: Box::new(predicate),
                on_true,
                on_false,
            }),
        ]
    })
}

/// RE2 patterns, some of which match values of the alphabets above.
pub fn regex() -> impl Strategy<Value = Bytes> {
    let atom = select(vec![
        &b"a"[..],
        b"b",
        b"1",
        b"x",
        b".",
        b"\\C",
        b"\\d",
        b"\\w",
        b"\\W",
        b"[ab]",
        b"[^a]",
        b"#",
        b",",
        b"user",
        b"\\x00",
        b"\\n",
        b"\xff",
        b"\xc3\xa9",
        b"\\xff",
        b"(?i:A)",
        b"\\\\",
        b"[[:alpha:]]",
        b"^",
        b"$",
        b"\\b",
        b"\\ ",
        b"\\\x00",
        b"[\\\x7f\\,]",
        b"\\<",
        b"\\\xff",
    ]);
    let repeat = select(vec![&b""[..], b"", b"", b"*", b"+", b"?", b"{1,2}", b"*?"]);
    let piece = (atom, repeat).prop_map(|(atom, repeat)| [atom, repeat].concat());
    let pieces = vec(piece, 0..5).prop_map(|pieces| pieces.concat());
    let alternatives = vec(pieces, 1..3).prop_map(|all| all.join(&b'|'));
    let whole = select(vec![
        &b".*"[..],
        b"\\C*",
        b"(?s).*",
        b"a.*",
        b".*1",
        b"(",
        b"a)(b",
        b"[b-a]",
        b"",
        b"user#\\d.*",
    ]);
    prop_oneof![3 => alternatives, 2 => whole.prop_map(<[u8]>::to_vec)].prop_map(Bytes)
}
