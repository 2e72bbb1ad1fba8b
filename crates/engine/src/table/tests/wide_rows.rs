//! Rows that are far longer than a block: what a read needs is found without the rest, and no step
//! holds or merges a whole row.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use expect_test::expect;
use tabletop_model::{
    Aggregate, AggregateInput, CheckAndMutateRow, ColumnFamily, GcRule, Mutation, ReadModify,
    ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, ReadStats, RowFilter, RowMutation, TableSettings,
    TableSpec,
};

use xxhash_rust::xxh3::xxh3_64;

use crate::cache::most_held;
use crate::table::Table;
use crate::table::plan::Compactions;
use crate::{Budget, MemoryStorage};

const KEY: &str = "wide";

fn table(block_bytes: u32, gc_rule: GcRule) -> Table {
    let sum = ColumnFamily { aggregate: Some(Aggregate::Sum), ..ColumnFamily::new("sum") };
    let families =
        alloc::vec![ColumnFamily::new("e"), ColumnFamily { gc_rule, ..ColumnFamily::new("f") }, sum];
    let settings = TableSettings {
        block_bytes,
        memtable_bytes_max: 1 << 30,
        sstables_max: 8,
        tablet_bytes_max: 1 << 40,
        tablet_load_max: f64::INFINITY,
        cache_bytes_max: 0,
        ..TableSettings::default()
    };
    Table::new(0, TableSpec { families, initial_splits: Vec::new(), settings }).unwrap()
}

fn set(family: &str, qualifier: &str, timestamp: i64, value: &[u8]) -> Mutation {
    Mutation::SetCell {
        family: family.into(),
        qualifier: qualifier.into(),
        timestamp,
        value: value.to_vec().into(),
    }
}

fn write(table: &mut Table, storage: &mut MemoryStorage, mutations: Vec<Mutation>) {
    for part in mutations.chunks(50_000) {
        table.mutate_row(storage, 0, &RowMutation { key: KEY.into(), mutations: part.to_vec() }).unwrap();
    }
}

/// A row of 60,000 columns in family `f` in as many runs, a cell of `e` before them and a row
/// before and after it. The column `n030000` has 5,000 versions.
fn wide(runs: usize) -> (Table, MemoryStorage) {
    let (mut table, mut storage) = (table(2 << 10, GcRule::KeepAll), MemoryStorage::default());
    for run in 0..runs {
        let mut cells = alloc::vec![set("e", "first", 0, b"x")];
        for column in (run..60_000).step_by(runs) {
            cells.push(set("f", &format!("n{column:06}"), 0, b"value"));
        }
        for version in (run..5_000).step_by(runs) {
            cells.push(set("f", "n030000", version as i64 * 1_000, b"version"));
        }
        write(&mut table, &mut storage, cells);
        for key in ["before", "widf"] {
            let row = RowMutation {
                key: key.into(),
                mutations: alloc::vec![set("f", "q", run as i64 * 1_000, b"v")],
            };
            table.mutate_row(&mut storage, 0, &row).unwrap();
        }
        table.minor_compaction(&mut storage, 0).unwrap();
    }
    assert_eq!(table.view(0).tablets[0].sstables as usize, runs);
    (table, storage)
}

fn stats(table: &mut Table, storage: &mut MemoryStorage, key: Option<&str>, filter: &str) -> ReadStats {
    let (filter, problems) = RowFilter::parse(&filter.replace('\'', "\""));
    assert!(problems.is_empty(), "{problems:?}");
    let mut read = ReadRows { filter, ..ReadRows::default() };
    read.rows.keys.extend(key.map(Into::into));
    if let Some(key) = key {
        read.rows = tabletop_model::RowSet { keys: alloc::vec![key.into()], ranges: Vec::new() };
    }
    table.read(storage, 0, &read).unwrap().stats
}

/// For each filter: blocks of the wide row that are read when it is in one run and in three, cells
/// seen in both cases, cells returned.
#[test]
fn few_blocks_of_a_wide_row_are_read() {
    let (mut one, mut one_storage) = wide(1);
    let (mut three, mut three_storage) = wide(3);
    let mut shown = alloc::string::String::new();
    for filter in [
        "column_range('f', start='n059000', end='n059000')",
        "chain(family_name_regex('f'), column_qualifier_regex('n000500'))",
        "column_qualifier_regex('n0012(33|34)')",
        "column_qualifier_regex('n00123[3-4].*')",
        "interleave(column_range('f', start='n050000', end='n050002'), column_range('f', start='n059000', end='n059001'))",
        "chain(column_range('f', start='n030000', end='n030000'), cells_per_column_limit(1))",
        "chain(cells_per_column_limit(2), column_range('f', start='n029999', end='n030001'))",
        "family_name_regex('e')",
        "family_name_regex('nothing')",
        "cells_per_row_limit(1)",
        "chain(cells_per_row_offset(10), cells_per_row_limit(5))",
        "chain(column_range('f', start='n01'), value_regex('v.*'), cells_per_row_limit(1))",
        "interleave(chain(family_name_regex('e'), apply_label('x')), cells_per_row_limit(1))",
        "row_key_regex('other')",
        "block_all",
    ] {
        let (a, b) = (
            stats(&mut one, &mut one_storage, Some(KEY), filter),
            stats(&mut three, &mut three_storage, Some(KEY), filter),
        );
        assert_eq!(a.cells_returned, b.cells_returned, "{filter}");
        shown += &format!(
            "{} and {} blocks, {} and {} cells, {} returned: {filter}\n",
            a.blocks_read, b.blocks_read, a.cells_seen, b.cells_seen, a.cells_returned
        );
    }
    let whole = stats(&mut one, &mut one_storage, Some(KEY), "pass_all");
    shown += &format!("{} blocks, {} cells: the whole row\n", whole.blocks_read, whole.cells_seen);
    expect![[r#"
        2 and 6 blocks, 129 and 385 cells, 1 returned: column_range('f', start='n059000', end='n059000')
        2 and 3 blocks, 129 and 385 cells, 1 returned: chain(family_name_regex('f'), column_qualifier_regex('n000500'))
        3 and 9 blocks, 130 and 386 cells, 2 returned: column_qualifier_regex('n0012(33|34)')
        3 and 9 blocks, 133 and 388 cells, 2 returned: column_qualifier_regex('n00123[3-4].*')
        3 and 9 blocks, 238 and 613 cells, 5 returned: interleave(column_range('f', start='n050000', end='n050002'), column_range('f', start='n059000', end='n059001'))
        2 and 6 blocks, 428 and 256 cells, 1 returned: chain(column_range('f', start='n030000', end='n030000'), cells_per_column_limit(1))
        3 and 9 blocks, 494 and 449 cells, 4 returned: chain(cells_per_column_limit(2), column_range('f', start='n029999', end='n030001'))
        1 and 3 blocks, 65 and 193 cells, 1 returned: family_name_regex('e')
        1 and 3 blocks, 64 and 192 cells, 0 returned: family_name_regex('nothing')
        1 and 3 blocks, 340 and 64 cells, 1 returned: cells_per_row_limit(1)
        1 and 3 blocks, 340 and 64 cells, 5 returned: chain(cells_per_row_offset(10), cells_per_row_limit(5))
        2 and 6 blocks, 321 and 256 cells, 1 returned: chain(column_range('f', start='n01'), value_regex('v.*'), cells_per_row_limit(1))
        180 and 180 blocks, 65000 and 65000 cells, 2 returned: interleave(chain(family_name_regex('e'), apply_label('x')), cells_per_row_limit(1))
        1 and 3 blocks, 340 and 1018 cells, 0 returned: row_key_regex('other')
        1 and 3 blocks, 64 and 192 cells, 0 returned: block_all
        180 blocks, 65000 cells: the whole row
    "#]].assert_eq(&shown);
}

/// A read that skips cells returns the same cells as a read of all of them, with versions and with
/// deletes in newer runs.
#[test]
fn a_part_of_a_wide_row_is_that_of_the_whole_row() {
    for runs in [1, 3] {
        let (mut table, mut storage) = wide(runs);
        let delete = |column: u32| Mutation::DeleteFromColumn {
            family: "f".into(),
            qualifier: format!("n{column:06}").as_str().into(),
            range: tabletop_model::TimestampRange::default(),
        };
        write(&mut table, &mut storage, (0..60_000).step_by(7).map(delete).collect());
        let mut cells = |filter: Option<RowFilter>| {
            let rows = tabletop_model::RowSet { keys: alloc::vec![KEY.into()], ranges: Vec::new() };
            let read = ReadRows { rows, filter, ..ReadRows::default() };
            let mut rows = table.read(&mut storage, 0, &read).unwrap().rows;
            rows.pop().map_or(Vec::new(), |row| row.cells)
        };
        let all = cells(None);
        for number in 0..150u64 {
            // Mixed bits of the number: pseudorandom, and the same each time.
            let start = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let (start, length) = (start % 60_000, [0, 1, 90, 500, 3_000][number as usize % 5]);
            let name = |column: u64| format!("n{column:06}");
            let (start, end) = (name(start), name(start + length));
            let (filter, _) =
                RowFilter::parse(&format!("column_range(\"f\", start=\"{start}\", end=\"{end}\")"));
            let is_between = |cell: &&tabletop_model::Cell| {
                cell.family == "f" && (start.as_bytes()..=end.as_bytes()).contains(&cell.qualifier.as_slice())
            };
            let expected: Vec<_> = all.iter().filter(is_between).cloned().collect();
            assert_eq!(cells(filter), expected, "{runs} runs, {start} to {end}");
        }
    }
}

/// The rows after a wide row of which only a part was read.
#[test]
fn the_next_row_is_found_without_the_rest_of_a_wide_row() {
    for runs in [1, 3] {
        let (mut table, mut storage) = wide(runs);
        let read = stats(&mut table, &mut storage, None, "cells_per_row_limit(1)");
        assert_eq!(read.rows_returned, 3);
        assert!(read.blocks_read <= 3 * runs as u64, "{} blocks", read.blocks_read);
    }
}

#[test]
fn an_increment_in_a_wide_row_reads_few_blocks() {
    for runs in [1, 3] {
        let (mut table, mut storage) = wide(runs);
        let rule = |qualifier: &str| ReadModifyWriteRule {
            family: "f".into(),
            qualifier: qualifier.into(),
            modify: ReadModify::Append("!".into()),
        };
        let request =
            ReadModifyWriteRow { key: KEY.into(), rules: alloc::vec![rule("n030000"), rule("n045000")] };
        let row = table.read_modify_write_row(&mut storage, 0, &request).unwrap();
        assert_eq!(row.cells.iter().map(|cell| cell.value.len()).sum::<usize>(), 8 + 6);
        let blocks = table.view(0).blocks_read;
        assert!(blocks <= 5 * runs as u64, "{blocks} blocks");
        for (predicate, is_found) in
            [(None, true), (Some("column_range('f', start='n04', end='n041')"), true)]
        {
            let request = CheckAndMutateRow {
                key: KEY.into(),
                predicate: predicate.and_then(|text| RowFilter::parse(&text.replace('\'', "\"")).0),
                on_match: alloc::vec![set("e", "found", 0, b"")],
                otherwise: alloc::vec![set("e", "absent", 0, b"")],
            };
            let before = table.view(0).blocks_read;
            assert_eq!(table.check_and_mutate_row(&mut storage, 0, &request).unwrap(), is_found);
            let blocks = table.view(0).blocks_read - before;
            assert!(blocks <= 5 * runs as u64, "{blocks} blocks");
        }
    }
}

/// A row that is still in the memtable, written in one request or cell by cell.
#[test]
fn few_cells_of_a_wide_row_in_the_memtable_are_seen() {
    for one_by_one in [false, true] {
        let (mut table, mut storage) = (table(2 << 10, GcRule::KeepAll), MemoryStorage::default());
        let cell =
            |n: i64| [set("f", &format!("n{n:06}"), 0, b"value"), set("f", "t", n * 1_000, b"version")];
        if one_by_one {
            (0..20_000).for_each(|n| write(&mut table, &mut storage, cell(n).to_vec()));
            stats(&mut table, &mut storage, Some(KEY), "block_all");
        } else {
            write(&mut table, &mut storage, (0..20_000).flat_map(cell).collect());
        }
        for (filter, returned) in [
            ("column_range('f', start='n019000', end='n019000')", 1),
            ("column_qualifier_regex('n00123.')", 10),
            ("chain(column_range('f', start='t', end='t'), cells_per_column_limit(1))", 1),
            ("chain(cells_per_column_limit(1), family_name_regex('f'), column_qualifier_regex('t'))", 1),
            ("cells_per_row_limit(1)", 1),
            ("row_key_regex('other')", 0),
        ] {
            let read = stats(&mut table, &mut storage, Some(KEY), filter);
            assert_eq!(read.cells_returned, returned, "{filter}");
            assert!(read.cells_seen <= 300, "{} cells: {filter}", read.cells_seen);
        }
        let found = CheckAndMutateRow {
            key: KEY.into(),
            predicate: None,
            on_match: alloc::vec![set("e", "found", 0, b"")],
            otherwise: Vec::new(),
        };
        assert!(table.check_and_mutate_row(&mut storage, 0, &found).unwrap());
    }
}

/// Runs of one row of 8 MB: a sum in each of its columns, versions, deletes.
fn heavy(runs: usize, gc_rule: GcRule) -> (Table, MemoryStorage) {
    let (mut table, mut storage) = (table(4 << 10, gc_rule), MemoryStorage::default());
    for run in 0..runs {
        let mut cells = Vec::new();
        for column in 0..2_000usize {
            let value: Vec<u8> = (0..125u64)
                .flat_map(|at| {
                    xxh3_64(&[at, column as u64, run as u64].map(u64::to_be_bytes).concat()).to_be_bytes()
                })
                .collect();
            let qualifier = format!("n{column:06}");
            cells.push(set("f", &qualifier, run as i64 * 1_000, &value));
            if column % 5 == run {
                cells.push(set("f", &qualifier, 0, b"again"));
            }
            let input = AggregateInput::Int(run as i64 + 1);
            cells.push(Mutation::AddToCell {
                family: "sum".into(),
                qualifier: qualifier.as_str().into(),
                timestamp: 0,
                input,
            });
            if column % 7 == run {
                cells.push(Mutation::DeleteFromColumn {
                    family: "f".into(),
                    qualifier: format!("n{:06}", column / 2).as_str().into(),
                    range: tabletop_model::TimestampRange { start: 0, end: 1_000 },
                });
            }
        }
        write(&mut table, &mut storage, cells);
        table.minor_compaction(&mut storage, 0).unwrap();
    }
    (table, storage)
}

/// A step of a compaction can end anywhere within a row, and the cells are the same as before.
#[test]
fn a_wide_row_is_merged_in_steps() {
    for (budget, rule, least_steps) in [
        (64 << 10, GcRule::KeepAll, 60),
        (1 << 30, GcRule::KeepAll, 0),
        (16 << 10, GcRule::MaxVersions(1), 50),
    ] {
        let (mut table, mut storage) = heavy(4, rule.clone());
        most_held::take();
        let read = table.read(&mut storage, 0, &ReadRows::default()).unwrap();
        let held = most_held::take();
        assert!(held < 2 << 20, "{held} bytes of blocks are held by a read");
        table.compact();
        let mut steps = 0;
        let mut most_written = 0;
        let mut before = 0;
        while table.advance(&mut storage, 0, Budget { bytes: budget }, Compactions::Here).unwrap() {
            steps += 1;
            let written = storage.bytes();
            if steps > 1 {
                most_written = most_written.max(written.saturating_sub(before));
            }
            before = written;
        }
        let held = most_held::take();
        assert!(held < 2 << 20, "{held} bytes of blocks are held by a compaction");
        assert!(steps >= least_steps, "{steps} steps");
        assert!(steps < 2 || most_written < budget + (64 << 10), "a step of {most_written} bytes");
        assert_eq!(table.view(0).tablets[0].sstables, 1);
        let after = table.read(&mut storage, 0, &ReadRows::default()).unwrap();
        if rule == GcRule::KeepAll {
            assert!(after.rows == read.rows, "other cells");
        } else {
            let mut expected = read.rows.clone();
            let mut last = None;
            expected[0].cells.retain(|cell| {
                cell.family != "f" || last.replace(cell.qualifier.clone()) != Some(cell.qualifier.clone())
            });
            assert!(after.rows == expected, "the newest versions");
        }
    }
}

#[test]
fn qualifiers_of_any_bytes_are_found() {
    let (mut table, mut storage) = (table(1, GcRule::KeepAll), MemoryStorage::default());
    let qualifiers: Vec<Vec<u8>> = (0..=255u8)
        .flat_map(|byte| {
            [alloc::vec![byte], alloc::vec![byte, 0], alloc::vec![255, byte], alloc::vec![255, 255, byte]]
        })
        .collect();
    let cell = |qualifier: &Vec<u8>| Mutation::SetCell {
        family: "f".to_string(),
        qualifier: qualifier.clone().into(),
        timestamp: 0,
        value: "v".into(),
    };
    write(&mut table, &mut storage, qualifiers.iter().map(cell).collect());
    table.minor_compaction(&mut storage, 0).unwrap();
    for prefix in [&b""[..], b"\x00", b"a", b"\xff", b"\xff\xff", b"\xfe\xff"] {
        // The second pattern is not a plain prefix.
        for end in ["\\C*", "(?:\\C*|x)"] {
            let pattern = format!("{}{end}", tabletop_model::pattern::literal(prefix));
            let filter = Some(RowFilter::ColumnQualifierRegex(pattern.into_bytes().into()));
            let rows = table.read(&mut storage, 0, &ReadRows { filter, ..ReadRows::default() }).unwrap().rows;
            let found: Vec<_> =
                rows.iter().flat_map(|row| &row.cells).map(|cell| cell.qualifier.0.clone()).collect();
            let mut expected: Vec<_> =
                qualifiers.iter().filter(|qualifier| qualifier.starts_with(prefix)).cloned().collect();
            expected.sort();
            expected.dedup();
            assert_eq!(found, expected, "{prefix:?}");
        }
    }
}
