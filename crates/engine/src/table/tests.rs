//! A table compared with a map: with any sizes of memtables, compactions and storage, reads return
//! what the map has.

pub(crate) mod checked_storage;
mod wide_rows;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;

use proptest::prelude::*;
use tabletop_model::{
    ColumnFamily, DropRowRange, FamilyModification, Mutation, ReadModify, ReadModifyWriteRow,
    ReadModifyWriteRule, ReadRows, Row, RowFilter, RowMutation, RowRange, RowSet, TableSettings, TableSpec,
    TimestampRange,
};

use crate::cache::Blocks;
use crate::key_range::KeyRange;
use crate::merge::{Batch, BatchSize, Merge};
use crate::sstable::Counter;
use crate::table::Table;
use crate::table::due::tests::check_due;
use crate::table::plan::Compactions;
use crate::{Budget, CellRef, MemoryStorage, RowVisitor, Storage, StorageError};
use checked_storage::{Call, Check, CheckedStorage};

const FAMILIES: [&str; 2] = ["f", "e"];

#[derive(Clone, Debug)]
enum Step {
    Mutate(RowMutation),
    Flush,
    Advance(u64),
}

/// Family, qualifier and time, newest first.
type Column = (usize, Vec<u8>, Reverse<i64>);
type Model = BTreeMap<Vec<u8>, BTreeMap<Column, Vec<u8>>>;

fn apply(model: &mut Model, row: &RowMutation) {
    let family = |name: &str| FAMILIES.iter().position(|family| *family == name).unwrap();
    let cells = model.entry(row.key.0.clone()).or_default();
    for mutation in &row.mutations {
        match mutation {
            Mutation::SetCell { family: f, qualifier, timestamp, value } => {
                cells.insert((family(f), qualifier.0.clone(), Reverse(*timestamp)), value.0.clone());
            }
            Mutation::DeleteFromColumn { family: f, qualifier, range } => {
                cells.retain(|(of, q, time), _| {
                    *of != family(f) || *q != qualifier.0 || !range.contains(time.0)
                });
            }
            Mutation::DeleteFromFamily { family: f } => cells.retain(|(of, _, _), _| *of != family(f)),
            Mutation::DeleteFromRow => cells.clear(),
            other => unreachable!("aggregates have tests of their own: {other:?}"),
        }
    }
    model.retain(|_, cells| !cells.is_empty());
}

fn drop_last_family(table: &mut Table, storage: &mut dyn Storage, model: &mut Model) {
    let family = FAMILIES[1].to_string();
    table.modify_families(storage, &[FamilyModification::Drop { family }]).unwrap();
    model.values_mut().for_each(|cells| cells.retain(|(family, _, _), _| *family == 0));
    model.retain(|_, cells| !cells.is_empty());
}

fn show_model(model: &Model) -> Vec<String> {
    let cell = |((family, qualifier, time), value): (&Column, &Vec<u8>)| {
        format!("{}:{}@{}={}", FAMILIES[*family], qualifier.escape_ascii(), time.0, value.escape_ascii())
    };
    model.iter().map(|(key, cells)| show(key, cells.iter().map(cell).collect())).collect()
}

fn show_rows(rows: &[Row]) -> Vec<String> {
    let cell = |cell: &tabletop_model::Cell| {
        format!(
            "{}:{}@{}={}",
            cell.family,
            cell.qualifier.escape_ascii(),
            cell.timestamp,
            cell.value.escape_ascii()
        )
    };
    rows.iter().map(|row| show(&row.key, row.cells.iter().map(cell).collect())).collect()
}

fn show(key: &[u8], cells: Vec<String>) -> String {
    format!("{} {}", key.escape_ascii(), cells.join(" "))
}

fn any_mutation() -> impl Strategy<Value = Mutation> {
    let family = prop::sample::select(&FAMILIES[..]).prop_map(ToString::to_string);
    let qualifier = prop::sample::select(&["", "a", "ab", "b"][..]).prop_map(Into::into);
    let time = (0..6i64).prop_map(|time| time * 1000);
    let range = (0..5i64, 1..4i64, any::<bool>()).prop_map(|(start, length, open)| TimestampRange {
        start: start * 1000,
        end: if open { 0 } else { (start + length) * 1000 },
    });
    let value =
        prop::sample::select(&["", "v", "a longer value that fills a block"][..]).prop_map(Into::into);
    prop_oneof![
        8 => (family.clone(), qualifier.clone(), time, value)
            .prop_map(|(family, qualifier, timestamp, value)| Mutation::SetCell { family, qualifier, timestamp, value }),
        2 => (family.clone(), qualifier, range)
            .prop_map(|(family, qualifier, range)| Mutation::DeleteFromColumn { family, qualifier, range }),
        1 => family.prop_map(|family| Mutation::DeleteFromFamily { family }),
        1 => Just(Mutation::DeleteFromRow),
    ]
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let key = prop::sample::select(&["a", "b", "ba", "c", "d"][..]);
    let row = (key, prop::collection::vec(any_mutation(), 1..5))
        .prop_map(|(key, mutations)| Step::Mutate(RowMutation { key: key.into(), mutations }));
    let step = prop_oneof![6 => row, 2 => Just(Step::Flush), 1 => (1..200u64).prop_map(Step::Advance)];
    prop::collection::vec(step, 1..40)
}

fn table(block_bytes: u32) -> Table {
    grouped_table(block_bytes, [0, 0])
}

fn grouped_table(block_bytes: u32, groups: [u8; 2]) -> Table {
    let families = FAMILIES.iter().zip(groups);
    let families = families
        .map(|(name, locality_group)| ColumnFamily { locality_group, ..ColumnFamily::new(*name) })
        .collect();
    let settings = TableSettings {
        block_bytes,
        memtable_bytes_max: 1 << 20,
        sstables_max: 2,
        tablet_bytes_max: 1 << 30,
        tablet_load_max: f64::INFINITY,
        ..TableSettings::default()
    };
    Table::new(0, TableSpec { families, initial_splits: Vec::new(), settings }).unwrap()
}

fn read(table: &mut Table, storage: &mut dyn Storage, rows: RowSet, reversed: bool) -> Vec<String> {
    show_rows(&table.read(storage, 0, &ReadRows { rows, reversed, ..ReadRows::default() }).unwrap().rows)
}

/// Checks the counts of all SSTables by reading their cells.
fn check_contents(table: &Table, storage: &dyn Storage) {
    let blocks = Blocks::uncached(storage);
    for run in table.tablets.iter().flat_map(|tablet| &tablet.runs) {
        let (all, kinds) = (KeyRange::all(), table.families.kinds());
        let kinds = alloc::vec![crate::families::FamilyKind::Plain; kinds.len()];
        let mut merge = Merge::new(1, false, &kinds);
        merge.add_sstable(&blocks, &run.table, all.bounds());
        let (mut counter, mut batch) = (Counter::default(), Batch::default());
        while merge.next_row().unwrap() {
            merge.tombstones().iter().for_each(|tombstones| counter.tombstones(tombstones));
            let mut more = true;
            while more {
                more = merge.fill(&mut batch, None, false, BatchSize::ALL).unwrap();
                for (at, cell) in batch.cells.iter().enumerate() {
                    let is_older = at > 0 && batch.cells[at - 1].ordinal == cell.ordinal;
                    counter.cell(merge.column(cell).0, is_older, cell.place.timestamp);
                }
            }
        }
        let (counted, stored) = (counter.finish(), run.table.contents.clone().unwrap());
        assert_eq!(
            (stored.row_deletes, stored.column_deletes),
            (counted.row_deletes, counted.column_deletes)
        );
        assert!(stored.families.keys().eq(counted.families.keys()));
        assert!(stored.families.values().eq(counted.families.values()), "{stored:?} {counted:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn runs_and_compactions_change_no_answer(
        steps in any_steps(),
        block_bytes in prop_oneof![Just(1u32), 20..200u32],
        groups in prop::sample::select(&[[0, 0], [0, 1], [7, 3]][..]),
        drop_at in 0..80usize,
    ) {
        let (mut table, mut storage, mut model) = (grouped_table(block_bytes, groups), MemoryStorage::default(), Model::new());
        // Major compactions before the family was dropped: its cells are in the runs until the next
        // one.
        let mut before_drop = 0;
        for (at, step) in steps.iter().enumerate() {
            if at == drop_at {
                drop_last_family(&mut table, &mut storage, &mut model);
                before_drop = table.counts.major_compactions;
            }
            match step {
                Step::Mutate(row) => {
                    if table.mutate_row(&mut storage, 0, row).is_ok() {
                        apply(&mut model, row);
                    } else {
                        prop_assert!(at >= drop_at);
                    }
                }
                Step::Flush => table.minor_compaction(&mut storage, 0).unwrap(),
                Step::Advance(bytes) => {
                    table.advance(&mut storage, 0, Budget { bytes: *bytes }, Compactions::Here).unwrap();
                }
            }
            check_due(&table);
            check_contents(&table, &storage);
            let mut expected = show_model(&model);
            prop_assert_eq!(&read(&mut table, &mut storage, RowSet::all(), false), &expected);
            expected.reverse();
            prop_assert_eq!(&read(&mut table, &mut storage, RowSet::all(), true), &expected);
        }
        for key in ["a", "b", "ba", "c", "d", "e"] {
            let expected: Vec<_> = show_model(&model).into_iter().filter(|row| row.starts_with(&format!("{key} "))).collect();
            let one = RowSet { keys: alloc::vec![key.into()], ranges: Vec::new() };
            prop_assert_eq!(read(&mut table, &mut storage, one, false), expected);
        }
        let range = RowSet::range(RowRange::closed_open("b", "c"));
        let expected: Vec<_> = show_model(&model).into_iter().filter(|row| row.starts_with('b')).collect();
        prop_assert_eq!(read(&mut table, &mut storage, range, false), expected);

        // Everything is in one run, which has no deleted cells, no deletes and no files that were
        // merged.
        table.update_settings(&mut storage, TableSettings { sstables_max: 1, ..table.settings.clone() }).unwrap();
        table.minor_compaction(&mut storage, 0).unwrap();
        while table.advance(&mut storage, 0, Budget { bytes: 100 }, Compactions::Here).unwrap() {}
        let cells: usize = model.values().map(BTreeMap::len).sum();
        let view = &table.view(0).tablets[0];
        if view.sstables <= 1 && table.counts.major_compactions > before_drop && groups[0] == groups[1] {
            prop_assert_eq!((view.rows as usize, view.cells as usize), (model.len(), cells));
        }
        // Every group is merged whole, so its deleted cells are removed too.
        if table.counts.minor_compactions > 2 {
            table.compact();
            while table.advance(&mut storage, 0, Budget { bytes: 100 }, Compactions::Here).unwrap() {}
            let view = &table.view(0).tablets[0];
            prop_assert!(table.tablets[0].depth <= 1 && view.cells as usize == cells, "{:?}, {} cells", view, cells);
        }
        // The cells of a dropped family are collected once.
        if drop_at >= steps.len() {
            drop_last_family(&mut table, &mut storage, &mut model);
            prop_assert_eq!(&read(&mut table, &mut storage, RowSet::all(), false), &show_model(&model));
        }
        let mut compactions = Vec::new();
        for _ in 0..2 {
            table.compact();
            while table.advance(&mut storage, 0, Budget { bytes: 100 }, Compactions::Here).unwrap() {}
            compactions.push(table.counts.major_compactions);
        }
        prop_assert_eq!(compactions[0], compactions[1]);
        prop_assert_eq!(&read(&mut table, &mut storage, RowSet::all(), false), &show_model(&model));
        prop_assert_eq!(table.view(0).tablets[0].cells as usize, model.values().map(BTreeMap::len).sum::<usize>());
        let view = &table.view(0).tablets[0];
        prop_assert_eq!(storage.file_count(), view.sstables as usize);
        table.discard(&mut storage, &mut Default::default()).unwrap();
        prop_assert_eq!(storage.file_count(), 0);
    }

    /// A storage that fails occasionally: an acknowledged write is found, a rejected one is not,
    /// and once storage works again everything continues.
    #[test]
    fn failures_of_storage_lose_nothing(steps in any_steps(), failures in prop::collection::vec(any::<bool>(), 1..20)) {
        let mut table = table(50);
        table.settings.memtable_bytes_max = 60;
        table.settings.tablet_bytes_max = 400;
        let mut storage = Failing::storage(failures);
        let mut model = Model::new();
        for step in &steps {
            match step {
                Step::Mutate(row) => match table.mutate_row(&mut storage, 0, row) {
                    Ok(()) => apply(&mut model, row),
                    Err(error) => prop_assert_eq!(error.code, tabletop_model::Code::Unavailable),
                },
                Step::Flush => {
                    let _ = table.minor_compaction(&mut storage, 0);
                }
                Step::Advance(bytes) => {
                    let _ = table.advance(&mut storage, 0, Budget { bytes: *bytes }, Compactions::Here);
                }
            }
            check_due(&table);
        }
        storage.check.works = true;
        prop_assert_eq!(read(&mut table, &mut storage, RowSet::all(), false), show_model(&model));
        while table.advance(&mut storage, 0, Budget { bytes: 1000 }, Compactions::Here).unwrap() {}
        prop_assert_eq!(read(&mut table, &mut storage, RowSet::all(), false), show_model(&model));
    }
}

/// The blocks and rows that are read for filters on a table whose families are in two locality
/// groups.
#[test]
fn a_read_opens_the_groups_that_its_filter_needs() {
    let (mut table, mut storage) = (grouped_table(1 << 14, [0, 1]), MemoryStorage::default());
    for key in ["a", "b"] {
        let set = |family: &str| Mutation::SetCell {
            family: family.into(),
            qualifier: "q".into(),
            timestamp: 0,
            value: "v".into(),
        };
        table
            .mutate_row(
                &mut storage,
                0,
                &RowMutation { key: key.into(), mutations: FAMILIES.map(set).to_vec() },
            )
            .unwrap();
    }
    table.minor_compaction(&mut storage, 0).unwrap();
    let view = &table.view(0).tablets[0];
    assert_eq!((view.sstables, view.rows, view.cells, view.exact), (2, 2, 4, false));
    let mut read = |filter: &str| {
        table.reading.cache.lock().resize(0);
        let filter = RowFilter::parse(&filter.replace('\'', "\"")).0;
        let chunk = table.read(&mut storage, 0, &ReadRows { filter, ..ReadRows::default() }).unwrap();
        (chunk.stats.blocks_read, chunk.stats.cells_seen, chunk.stats.cells_returned)
    };
    let one = (1, 2, 2);
    assert_eq!(read("pass_all"), (2, 4, 4));
    assert_eq!(read("family_name_regex('f')"), one);
    assert_eq!(read("family_name_regex('.')"), (2, 4, 4));
    assert_eq!(read("column_range('e', start='q')"), one);
    assert_eq!(read("chain(family_name_regex('f'), value_regex('v'))"), one);
    let counted = read("chain(cells_per_row_offset(1), family_name_regex('e'))");
    assert_eq!(counted, (2, 4, 2), "cells of the other family count too");
    assert_eq!(read("chain(family_name_regex('f'), cells_per_row_limit(2))"), one);
    assert_eq!(read("interleave(family_name_regex('f'), column_range('f', start='x'))"), one);
    assert_eq!(read("block_all"), (0, 0, 0));
}

/// A copy takes twelve bytes, and a filter of 20 kB has room for thousands of sinks.
#[test]
fn sinks_take_no_more_copies_than_interleaves_make() {
    let (mut table, mut storage) = (table(1 << 10), MemoryStorage::default());
    let set = |n: u32| Mutation::SetCell {
        family: FAMILIES[0].into(),
        qualifier: n.to_be_bytes().to_vec().into(),
        timestamp: 0,
        value: "".into(),
    };
    table
        .mutate_row(
            &mut storage,
            0,
            &RowMutation { key: "r".into(), mutations: (0..1_024).map(set).collect() },
        )
        .unwrap();
    let doubled = RowFilter::Interleave(alloc::vec![RowFilter::PassAll(true); 2]);
    let mut stages = alloc::vec![doubled; 9];
    stages.push(RowFilter::Interleave(alloc::vec![RowFilter::Sink(true); 4]));
    let read = ReadRows { filter: Some(RowFilter::Chain(stages)), ..ReadRows::default() };
    let refusal = table.read(&mut storage, 0, &read).map(|chunk| chunk.stats.cells_returned).unwrap_err();
    assert_eq!(refusal.code, tabletop_model::Code::ResourceExhausted);
}

/// A filter that names such qualifiers would exceed the limit of users' filters.
#[test]
fn columns_of_long_qualifiers_are_read_and_written() {
    let (mut table, mut storage) = (table(1 << 10), MemoryStorage::default());
    let rule = |end: u8| {
        let qualifier = [alloc::vec![b'q'; (16 << 10) - 1], alloc::vec![end]].concat().into();
        ReadModifyWriteRule { family: "f".into(), qualifier, modify: ReadModify::Increment(2) }
    };
    let request = ReadModifyWriteRow { key: "r".into(), rules: alloc::vec![rule(1), rule(2)] };
    for sum in [2i64, 4] {
        let row = table.read_modify_write_row(&mut storage, 0, &request).unwrap();
        assert!(row.cells.len() == 2 && row.cells.iter().all(|cell| cell.value.0 == sum.to_be_bytes()));
    }
}

/// The tablet was split and its rows were dropped during the compaction, so only the compaction
/// holds the files.
#[test]
fn an_abandoned_compaction_releases_its_files() {
    let mut table = table(1 << 10);
    let mut storage = Failing::storage(alloc::vec![true]);
    storage.check.works = true;
    for key in ["a", "b", "c", "d"] {
        let set =
            Mutation::SetCell { family: "f".into(), qualifier: "".into(), timestamp: 0, value: "v".into() };
        for key in [key, "e"] {
            table
                .mutate_row(
                    &mut storage,
                    0,
                    &RowMutation { key: key.into(), mutations: alloc::vec![set.clone()] },
                )
                .unwrap();
        }
        table.minor_compaction(&mut storage, 0).unwrap();
    }
    assert!(table.advance(&mut storage, 0, Budget { bytes: 1 }, Compactions::Here).unwrap());
    table.update_settings(&mut storage, TableSettings { tablet_bytes_max: 1, ..table.settings }).unwrap();
    table.split_if_due(&mut storage, 0, 0).unwrap();
    table.drop_row_range(&mut storage, &DropRowRange::All).unwrap();
    assert!(table.tablets.len() > 1 && table.background.compaction.is_some());
    storage.check =
        Failing { failures: alloc::vec![false, true, false, false, false, false], calls: 0, works: false };
    assert!(table.advance(&mut storage, 0, Budget { bytes: 1 }, Compactions::Here).is_err());
    assert_eq!(storage.inner.file_count(), 1, "what it has written could not be removed");
}

/// The bytes of the 2,048 cells of a slice, at their largest, would not fit in a browser.
#[test]
fn pieces_of_an_export_are_bounded_by_bytes() {
    let (mut table, mut storage) = (table(1 << 14), MemoryStorage::default());
    for n in 0..20u8 {
        let value = alloc::vec![n; 300 << 10].into();
        let set = Mutation::SetCell { family: "f".into(), qualifier: "".into(), timestamp: 0, value };
        table
            .mutate_row(
                &mut storage,
                0,
                &RowMutation { key: format!("r{n}").as_str().into(), mutations: alloc::vec![set] },
            )
            .unwrap();
    }
    let (mut resume, mut pieces) = (None, Vec::new());
    while pieces.is_empty() || resume.is_some() {
        let piece = table.export(&storage, "t", resume.as_ref()).unwrap();
        pieces.push(piece.bytes.len());
        resume = piece.resume;
    }
    assert!(pieces.len() >= 3 && pieces.iter().all(|piece| *piece < 5 << 19), "{pieces:?}");
}

#[test]
fn a_read_is_answered_when_the_split_that_it_makes_due_fails() {
    let mut table = table(1 << 10);
    let mut storage = Failing::storage(alloc::vec![true]);
    table.update_settings(&mut storage, TableSettings { tablet_bytes_max: 10, ..table.settings }).unwrap();
    for key in ["a", "b", "c"] {
        let set =
            Mutation::SetCell { family: "f".into(), qualifier: "".into(), timestamp: 0, value: "v".into() };
        table
            .mutate_row(&mut storage, 0, &RowMutation { key: key.into(), mutations: alloc::vec![set] })
            .unwrap();
    }
    assert_eq!(read(&mut table, &mut storage, RowSet::all(), false).len(), 3);
    storage.check.works = true;
    assert_eq!(read(&mut table, &mut storage, RowSet::all(), false).len(), 3);
    assert_eq!(table.view(0).splits, 1);
}

/// An interleave makes copies that take no memory, so a row of 96 MiB can be returned as one of 288
/// MiB.
#[test]
fn a_row_that_is_too_long_to_read_is_named() {
    let (mut table, mut storage) = (table(1000), MemoryStorage::default());
    let value = alloc::vec![b'v'; 96 << 20];
    let set =
        Mutation::SetCell { family: "f".into(), qualifier: "".into(), timestamp: 0, value: value.into() };
    table
        .mutate_row(&mut storage, 0, &RowMutation { key: "long".into(), mutations: alloc::vec![set] })
        .unwrap();
    let mut scan = |copies: usize| {
        let filter = Some(RowFilter::Interleave(alloc::vec![RowFilter::PassAll(true); copies]));
        table.scan(&storage, &ReadRows { filter, ..ReadRows::default() }, &mut Discard)
    };
    assert_eq!(scan(2).unwrap().stats.bytes_returned, 2 * (96 << 20) + 4 + 2 * 9);
    let error = scan(3).unwrap_err();
    assert_eq!(error.code, tabletop_model::Code::FailedPrecondition);
    assert!(error.message.contains("row \"long\", which exceeds the limit of 256 MiB"), "{}", error.message);
}

struct Discard;

impl RowVisitor for Discard {
    fn row(&mut self, _: &[u8]) {}
    fn cell(&mut self, _: CellRef<'_>) {}
}

/// Fails each call that changes storage for which `failures` is true, in a cycle, until `works` is
/// set.
struct Failing {
    failures: Vec<bool>,
    calls: usize,
    works: bool,
}

impl Failing {
    fn storage(failures: Vec<bool>) -> CheckedStorage<Failing> {
        CheckedStorage::new(Failing { failures, calls: 0, works: false })
    }
}

impl Check for Failing {
    fn check(&mut self, _: &MemoryStorage, _: Call) -> Result<(), StorageError> {
        self.calls += 1;
        if !self.works && self.failures[self.calls % self.failures.len()] {
            return Err(StorageError::Unknown("no space left".into()));
        }
        Ok(())
    }
}

/// Loads rows of 1 kB in ascending keys. Returns the bytes of each run and of its dictionary, and
/// how many bytes compactions have written per byte.
fn load(mut value: impl FnMut(u64) -> String) -> (Vec<(u64, u64)>, f64) {
    const BUDGET: Budget = Budget { bytes: 1 << 20 };
    let settings =
        TableSettings { memtable_bytes_max: 5 << 19, tablet_bytes_max: 1 << 40, ..TableSettings::default() };
    let settings = TableSettings { tablet_load_max: f64::INFINITY, ..settings };
    let spec = TableSpec { families: alloc::vec![ColumnFamily::new("f")], settings, ..TableSpec::default() };
    let (mut storage, mut table) = (MemoryStorage::default(), Table::new(0, spec).unwrap());
    for row in 0..30_000 {
        let value = value(row).as_str().into();
        let set = Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value };
        let row = RowMutation { key: format!("{row:08}").as_str().into(), mutations: alloc::vec![set] };
        table.mutate_row(&mut storage, 0, &row).unwrap();
        while table.advance(&mut storage, 0, BUDGET, Compactions::Here).unwrap() {}
    }
    let runs = table.tablets[0].runs.iter();
    let sizes = runs.map(|run| (run.table.block_bytes(), run.table.dictionary_bytes())).collect();
    let work = table.view(0).work;
    (sizes, work.compaction_bytes_written as f64 / work.flushed_bytes as f64)
}

#[test]
fn files_are_merged_until_their_dictionaries_are_small() {
    let mut seed = 1_u64;
    let mut chance = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed >> 16
    };
    let (runs, written) = load(|_| (0..75).map(|_| format!("{:012x} ", chance())).collect());
    assert!(
        runs.len() >= 10 && written == 0.0,
        "nothing is repeated, and nothing overlaps: {runs:?}, {written}"
    );
    let (runs, written) =
        load(|_| (0..40).map(|_| format!("{:012x} word-{:05} ", chance(), chance() % 20_000)).collect());
    let sum = |part: fn(&(u64, u64)) -> u64| runs.iter().map(part).sum::<u64>();
    let share = sum(|run| run.1) as f64 / sum(|run| run.0) as f64;
    assert!(runs.len() <= 6 && share < 0.06, "{runs:?}, {share}");
    assert!((0.3..1.3).contains(&written), "{written}");
}
