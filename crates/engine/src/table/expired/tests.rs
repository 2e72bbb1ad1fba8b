use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::{
    ColumnFamily, CountExpired, ExpiredCells, GcRule, Mutation, ReadRows, RowMutation, RowSet, TableSettings,
    TableSpec, Timestamp,
};

use crate::storage::MemoryStorage;
use crate::table::Table;
use crate::table::compaction::Budget;
use crate::table::plan::Compactions;

const SECOND: Timestamp = 1_000_000;

/// Ten rows with four versions in each of two columns, one per second. The first family keeps two
/// versions, the second keeps three seconds, the third keeps everything.
fn table() -> (Table, MemoryStorage) {
    let rules = [
        ("two", GcRule::MaxVersions(2)),
        ("young", GcRule::MaxAge { micros: 3 * SECOND }),
        ("all", GcRule::KeepAll),
    ];
    let families = rules.map(|(name, gc_rule)| ColumnFamily { gc_rule, ..ColumnFamily::new(name) });
    let spec = TableSpec {
        families: families.into(),
        initial_splits: vec!["row5".into()],
        settings: TableSettings::default(),
    };
    let (mut table, mut storage) = (Table::new(0, spec).unwrap(), MemoryStorage::default());
    for second in 1..=4 {
        for row in 0..10 {
            let set = |family: &str, qualifier: &str| Mutation::SetCell {
                family: family.into(),
                qualifier: qualifier.into(),
                timestamp: second * SECOND,
                value: "12345".into(),
            };
            let mutations = ["two", "young", "all"]
                .iter()
                .flat_map(|family| [set(family, "a"), set(family, "b")])
                .collect();
            let row = RowMutation { key: format!("row{row}").as_str().into(), mutations };
            table.mutate_row(&mut storage, 0, &row).unwrap();
        }
    }
    (table, storage)
}

fn counted(
    table: &mut Table,
    storage: &mut MemoryStorage,
    now: Timestamp,
    row: Option<&str>,
    slice: u64,
) -> (ExpiredCells, u32) {
    let mut ask =
        CountExpired { row: row.map(Into::into), slice_cells_max: slice, listed_max: 3, resume: None };
    let mut sum = ExpiredCells::default();
    for slices in 1.. {
        sum.add(table.count_expired(storage, now, &ask).unwrap());
        ask.resume = sum.resume.clone();
        if ask.resume.is_none() {
            return (sum, slices);
        }
    }
    unreachable!("a count ends")
}

#[test]
fn the_count_is_what_a_major_compaction_collects() {
    let (mut table, mut storage) = table();
    // At 5.5 s the cells of 1 s and 2 s are older than three seconds.
    let now = 5 * SECOND + SECOND / 2;
    let (found, slices) = counted(&mut table, &mut storage, now, None, 0);
    let of_cell = |family: &str| (family.len() + 1 + 8 + 5) as u64;
    assert_eq!((found.rows, found.cells, slices), (10, 10 * 2 * (2 + 2), 1));
    assert_eq!(found.bytes, 10 * 2 * 2 * (of_cell("two") + of_cell("young")));
    assert_eq!((found.rows_seen, found.cells_seen, found.now), (10, 10 * 2 * 3 * 4, now));

    let stored = |table: &mut Table, storage: &mut MemoryStorage| {
        let read = ReadRows { rows: RowSet::all(), unmetered: true, ..ReadRows::default() };
        table.read(storage, 0, &read).unwrap().stats.cells_returned
    };
    let before = stored(&mut table, &mut storage);
    table.background.gc_time = Some(now);
    table.compact();
    while table.advance(&mut storage, now, Budget { bytes: 64 << 10 }, Compactions::Here).unwrap() {}
    assert_eq!(before - stored(&mut table, &mut storage), found.cells);
    let (after, _) = counted(&mut table, &mut storage, now, None, 0);
    assert_eq!((after.rows, after.cells, after.bytes, after.cells_seen), (0, 0, 0, before - found.cells));
}

#[test]
fn slices_add_up_and_a_row_is_counted_alone() {
    let (mut table, mut storage) = table();
    let now = 5 * SECOND + SECOND / 2;
    let (whole, _) = counted(&mut table, &mut storage, now, None, 0);
    let (sliced, slices) = counted(&mut table, &mut storage, now, None, 30);
    assert!(slices > 3, "{slices}");
    assert_eq!(ExpiredCells { listed: whole.listed.clone(), ..sliced }, whole);
    let (row, _) = counted(&mut table, &mut storage, now, Some("row7"), 0);
    assert_eq!((row.rows, row.rows_seen, row.cells, row.bytes * 10), (1, 1, 8, whole.bytes));
    let listed: Vec<_> =
        row.listed.iter().map(|cell| (&*cell.family, &**cell.qualifier, cell.timestamp / SECOND)).collect();
    assert_eq!(
        listed,
        [("two", &b"a"[..], 2), ("two", b"a", 1), ("two", b"b", 2)],
        "the first three of eight"
    );
    let (none, _) = counted(&mut table, &mut storage, now, Some("no_family"), 0);
    assert_eq!(none, ExpiredCells { now, ..ExpiredCells::default() });
    // Earlier, only versions count, and the time of the rules is before the time of the clock.
    table.background.gc_time = Some(2 * SECOND);
    let (early, _) = counted(&mut table, &mut storage, now, None, 0);
    assert_eq!((early.cells, early.now), (10 * 2 * 2, 2 * SECOND));
    let delete = RowMutation { key: "row0".into(), mutations: vec![Mutation::DeleteFromRow] };
    table.mutate_row(&mut storage, 0, &delete).unwrap();
    let (less, _) = counted(&mut table, &mut storage, now, None, 0);
    assert_eq!((less.rows, less.cells), (9, 9 * 2 * 2), "a deleted cell is none of them");
}
