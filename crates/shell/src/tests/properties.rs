//! Properties of any text and any request.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

use proptest::prelude::*;
use tabletop_model::{
    Aggregate, AggregateInput, Bytes, CheckAndMutateRow, ColumnFamily, ColumnRange, DropRowRange,
    FamilyModification, GcRule, Mutation, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows,
    Request, Response, RowFilter, RowMutation, RowRange, RowSet, TableRequest, TableSpec, TimestampRange,
};

use crate::{Language, Run, Settings, Step, complete, split, write};

fn settings(language: Language) -> Settings {
    Settings { language, utc_offset_seconds: |_| 0, now: || 0, read_formats: None }
}

fn language() -> impl Strategy<Value = Language> {
    prop_oneof![Just(Language::Cbt), Just(Language::HBase)]
}

/// Text of the pieces that commands are made of.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        prop::sample::select(vec![
            "read",
            "set",
            "lookup",
            "createtable",
            "setgcpolicy",
            "import",
            "checkandmutate",
            "scan",
            "put",
            "create",
            "alter",
            "get",
            "t",
            "f:q=v@1",
            "columns=",
            "filter=",
            "families=",
            "f:never:intsum",
            "splits=",
            "count=",
            "maxage=1d",
            "&&",
            "(",
            ")",
            "{",
            "}",
            "[",
            "]",
            "=>",
            "LIMIT",
            "FILTER",
            "\"",
            "'",
            "$'",
            "\\",
            "\\x",
            "#",
            ",",
            ";",
            " ",
            "\n",
            "5",
            "-1",
            "chain(",
            "AND ",
            "ValueFilter(",
            "=",
            "'binary:a'",
            "é",
            "true",
            "cbt",
            "-project",
        ])
        .prop_map(String::from),
        any::<String>(),
    ];
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

fn bytes() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        "[a-z#:=@,'\" !é\\\\-]{1,6}".prop_map(Bytes::from),
        prop::collection::vec(any::<u8>(), 1..5).prop_map(Bytes::from),
    ]
}

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9_.-]{1,5}"
}

fn rule() -> impl Strategy<Value = GcRule> {
    let leaf = prop_oneof![
        (0..1_000).prop_map(GcRule::MaxVersions),
        (1..100_000_i64).prop_map(|millis| GcRule::MaxAge { micros: millis * 1_000 }),
    ];
    let nested = leaf.prop_recursive(3, 8, 2, |inner| {
        let two = (inner.clone(), inner).prop_map(|(one, other)| vec![one, other]);
        prop_oneof![two.clone().prop_map(GcRule::Union), two.prop_map(GcRule::Intersection)]
    });
    prop_oneof![1 => Just(GcRule::KeepAll), 4 => nested]
}

fn family() -> impl Strategy<Value = ColumnFamily> {
    let kinds = vec![
        None,
        Some(Aggregate::Sum),
        Some(Aggregate::Min),
        Some(Aggregate::Max),
        Some(Aggregate::DistinctCount),
    ];
    (name(), rule(), prop::sample::select(kinds)).prop_map(|(name, gc_rule, aggregate)| ColumnFamily {
        gc_rule,
        aggregate,
        ..ColumnFamily::new(name)
    })
}

fn timestamp() -> impl Strategy<Value = i64> {
    prop_oneof![Just(-1), (0..5_000_000_i64).prop_map(|millis| millis * 1_000)]
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let column = || (name(), bytes());
    prop_oneof![
        (column(), timestamp(), bytes()).prop_map(|((family, qualifier), timestamp, value)| {
            Mutation::SetCell { family, qualifier, timestamp, value }
        }),
        (column(), timestamp(), any::<i64>()).prop_map(|((family, qualifier), timestamp, number)| {
            Mutation::AddToCell { family, qualifier, timestamp, input: AggregateInput::Int(number) }
        }),
        (column(), timestamp(), timestamp()).prop_map(|((family, qualifier), start, end)| {
            Mutation::DeleteFromColumn { family, qualifier, range: TimestampRange { start, end } }
        }),
        name().prop_map(|family| Mutation::DeleteFromFamily { family }),
        Just(Mutation::DeleteFromRow),
    ]
}

fn bound() -> impl Strategy<Value = Bound<Bytes>> {
    prop_oneof![Just(Bound::Unbounded), bytes().prop_map(Bound::Included), bytes().prop_map(Bound::Excluded)]
}

fn filter() -> impl Strategy<Value = RowFilter> {
    let leaf = prop_oneof![
        (1..9).prop_map(RowFilter::CellsPerColumnLimit),
        bytes().prop_map(RowFilter::RowKeyRegex),
        bytes().prop_map(RowFilter::ColumnQualifierRegex),
        name().prop_map(RowFilter::FamilyNameRegex),
        Just(RowFilter::StripValue(true)),
        (name(), bytes()).prop_map(|(family, qualifier)| RowFilter::ColumnRange(ColumnRange {
            family,
            start: Bound::Included(qualifier.clone()),
            end: Bound::Included(qualifier)
        })),
        (0..9_000_i64)
            .prop_map(|millis| RowFilter::TimestampRange(TimestampRange { start: 0, end: millis * 1_000 })),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(RowFilter::Chain),
            prop::collection::vec(inner.clone(), 2..4).prop_map(RowFilter::Interleave),
            (inner.clone(), inner).prop_map(|(predicate, on_true)| RowFilter::Condition {
                predicate: Box::new(predicate),
                on_true: Some(Box::new(on_true)),
                on_false: None
            }),
        ]
    })
}

fn read() -> impl Strategy<Value = ReadRows> {
    let range = prop_oneof![
        bytes().prop_map(RowRange::prefix),
        (bound(), bound()).prop_map(|(start, end)| RowRange { start, end }),
    ];
    let rows = prop_oneof![
        Just(RowSet::all()),
        range.clone().prop_map(RowSet::range),
        (prop::collection::vec(bytes(), 0..3), prop::collection::vec(range, 0..3))
            .prop_map(|(keys, ranges)| RowSet { keys, ranges }),
    ];
    (rows, prop::option::of(filter()), 0..3_u64, any::<bool>()).prop_map(
        |(rows, filter, rows_limit, reversed)| ReadRows {
            rows,
            filter,
            rows_limit,
            reversed,
            ..ReadRows::default()
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    let entry = (bytes(), prop::collection::vec(mutation(), 1..4))
        .prop_map(|(key, mutations)| RowMutation { key, mutations });
    let sets = || {
        prop::collection::vec(
            mutation().prop_filter("a set", |one| matches!(one, Mutation::SetCell { .. })),
            0..3,
        )
    };
    let table = name;
    prop_oneof![
        (table(), prop::collection::vec(family(), 0..3), prop::collection::vec(bytes(), 0..3)).prop_map(
            |(table, families, mut initial_splits)| {
                // Commands take them in any order, but requests have them sorted.
                initial_splits.sort_unstable();
                TableRequest::Create(TableSpec { families, initial_splits, ..TableSpec::default() }).of(table)
            }
        ),
        table().prop_map(|table| TableRequest::Delete.of(table)),
        Just(Request::ListTables),
        table().prop_map(|table| TableRequest::Describe.of(table)),
        (table(), family()).prop_map(|(table, family)| TableRequest::ModifyFamilies(vec![
            FamilyModification::Create(family)
        ])
        .of(table)),
        (table(), name(), rule()).prop_map(|(table, family, gc_rule)| TableRequest::ModifyFamilies(vec![
            FamilyModification::Update { family, gc_rule }
        ])
        .of(table)),
        (table(), prop::collection::vec(entry, 1..3))
            .prop_map(|(table, entries)| TableRequest::MutateRows(entries).of(table)),
        (table(), bytes(), prop::option::of(filter()), sets(), sets()).prop_map(
            |(table, key, predicate, on_match, otherwise)| {
                TableRequest::CheckAndMutateRow(CheckAndMutateRow { key, predicate, on_match, otherwise })
                    .of(table)
            }
        ),
        (
            table(),
            bytes(),
            name(),
            bytes(),
            prop_oneof![bytes().prop_map(ReadModify::Append), any::<i64>().prop_map(ReadModify::Increment)]
        )
            .prop_map(|(table, key, family, qualifier, modify)| TableRequest::ReadModifyWriteRow(
                ReadModifyWriteRow { key, rules: vec![ReadModifyWriteRule { family, qualifier, modify }] }
            )
            .of(table)),
        (table(), bytes())
            .prop_map(|(table, prefix)| TableRequest::DropRowRange(DropRowRange::Prefix(prefix)).of(table)),
        table().prop_map(|table| TableRequest::DropRowRange(DropRowRange::All).of(table)),
        (table(), read()).prop_map(|(table, read)| TableRequest::ReadRows(read).of(table)),
        table().prop_map(|table| TableRequest::SampleRowKeys.of(table)),
        table().prop_map(|table| TableRequest::Compact.of(table)),
        table().prop_map(|table| TableRequest::View.of(table)),
    ]
}

/// Returns the requests of a command, from a host that only answers "done".
fn asked(language: Language, line: &str) -> Vec<Request> {
    let mut run =
        Run::start(&settings(language), line).unwrap_or_else(|problems| panic!("{line}: {problems:?}"));
    let mut requests = Vec::new();
    while let Step::Request(request) = run.step() {
        // `alter` first requests the family, whose rule it changes.
        let response = match &*request {
            Request::Table { request: TableRequest::Describe, .. } => Response::Spec(known(line)),
            Request::Table { request: TableRequest::ReadRows(_), .. } => Response::Rows(Default::default()),
            _ => Response::Done,
        };
        requests.push(*request);
        run.answer(response);
    }
    requests
}

fn known(line: &str) -> TableSpec {
    // Only a change of a family has both attributes, even with default values.
    let name = line.split('\'').nth(3).unwrap_or_default();
    let is_update = line.contains("MIN_VERSIONS") && line.contains("TTL") && line.contains("TTL => ");
    let families = if is_update { vec![ColumnFamily::new(name)] } else { Vec::new() };
    TableSpec { families, ..TableSpec::default() }
}

/// Removes what the languages leave out, and joins adjacent mutations of one row.
fn plain(requests: Vec<Request>) -> Vec<Request> {
    let mut out: Vec<Request> = Vec::new();
    for mut request in requests {
        match &mut request {
            Request::Table { request: TableRequest::ReadRows(read), .. } => {
                read.slice_cells_max = 0;
                read.rows.ranges.iter_mut().for_each(half_open);
                read.rows.ranges.retain(|range| *range != RowRange::ALL);
            }
            Request::Table { request: TableRequest::MutateRows(entries), .. } => {
                let mut joined: Vec<RowMutation> = Vec::new();
                for entry in core::mem::take(entries) {
                    match joined.last_mut().filter(|last| last.key == entry.key) {
                        Some(last) => last.mutations.extend(entry.mutations),
                        None => joined.push(entry),
                    }
                }
                *entries = joined;
            }
            _ => {}
        }
        out.push(request);
    }
    out
}

/// Converts bounds to the form that cbt has.
fn half_open(range: &mut RowRange) {
    let successor = |key: &Bytes| Bytes([key.as_slice(), b"\0"].concat());
    if let Bound::Excluded(key) = &range.start {
        range.start = Bound::Included(successor(key));
    }
    if let Bound::Included(key) = &range.end {
        range.end = Bound::Excluded(successor(key));
    }
}

/// Joins the requests of several commands into one request.
fn together(requests: Vec<Request>) -> Option<Request> {
    let mut whole: Option<Request> = None;
    for request in requests {
        match (&mut whole, request) {
            (None, request) => whole = Some(request),
            (
                Some(Request::Table { request: TableRequest::MutateRows(entries), .. }),
                Request::Table { request: TableRequest::MutateRows(more), .. },
            ) => entries.extend(more),
            (
                Some(Request::Table { request: TableRequest::ReadRows(read), .. }),
                Request::Table { request: TableRequest::ReadRows(more), .. },
            ) => {
                read.rows.keys.extend(more.rows.keys);
                read.rows.ranges.extend(more.rows.ranges);
            }
            (Some(whole), other) => panic!("{whole:?} and {other:?}"),
        }
    }
    whole
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(language in language(), text in text(), at in 0_usize..60) {
        for place in split(language, &text) {
            let line = &text[place.start as usize..place.end as usize];
            match Run::start(&settings(language), line) {
                Ok(mut run) => {
                    for _ in 0..3 {
                        match run.step() {
                            Step::Request(_) => run.answer(Response::Done),
                            Step::Open(_) => run.file(Ok(text.as_bytes())),
                            Step::Done => break,
                        }
                    }
                }
                Err(problems) => {
                    for problem in problems {
                        let (start, end) = (problem.span.start as usize, problem.span.end as usize);
                        prop_assert!(line.get(start..end).is_some(), "{line:?}: {problem:?}");
                    }
                }
            }
        }
        let known = [(String::from("t"), vec![String::from("f")])];
        for completion in complete(language, &text, at, &known) {
            prop_assert!(text.get(completion.span.start as usize..completion.span.end as usize).is_some());
        }
    }

    #[test]
    fn written_commands_make_the_same_request(language in language(), request in request()) {
        let lines = write(language, &request);
        let text = lines.join("\n");
        prop_assert_eq!(split(language, &text).len(), lines.len(), "{}", text);
        let asked: Vec<Request> = lines.iter().map(|line| asked(language, line).pop().expect("a request")).collect();
        if let Some(asked) = together(plain(asked)) {
            let asked = format!("{:?}", plain(vec![asked]));
            prop_assert_eq!(asked, format!("{:?}", plain(vec![request])), "{}", text);
        }
    }
}
