//! Memtables that are written together.

use super::*;
use crate::sstable::SsTable;
use crate::storage::MemoryStorage;
use crate::table::compaction::{Budget, Compactions};
use crate::table::due::tests::check_due;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use tabletop_model::{ColumnFamily, Mutation, ReadRows, RowMutation, TableSettings, TableSpec};

const TABLETS: usize = 50;

fn table(storage: &mut dyn Storage) -> Table {
    let settings = TableSettings { tablet_load_max: f64::INFINITY, ..TableSettings::default() };
    let initial_splits = (1..TABLETS).map(|tablet| format!("{tablet:03}").as_str().into()).collect();
    let families = vec![ColumnFamily::new("f"), ColumnFamily { locality_group: 1, ..ColumnFamily::new("g") }];
    Table::create(storage, 0, "t", TableSpec { families, initial_splits, settings }).unwrap()
}

fn write(table: &mut Table, storage: &mut dyn Storage, family: &str, tablet: usize, row: usize) {
    let value = format!("{row}").as_str().into();
    let set = Mutation::SetCell { family: family.into(), qualifier: "q".into(), timestamp: 0, value };
    let key = format!("{tablet:03}#{row:05}").as_str().into();
    table.mutate_row(storage, 0, &RowMutation { key, mutations: vec![set] }).unwrap();
}

fn rows(table: &mut Table, storage: &mut dyn Storage) -> Vec<String> {
    let rows = table.read(storage, 0, &ReadRows::default()).unwrap().rows;
    let shown = |cell: &tabletop_model::Cell| format!("{}={}", cell.family, cell.value);
    rows.iter().map(|row| format!("{} {:?}", row.key, row.cells.iter().map(shown).collect::<Vec<_>>())).collect()
}

#[test]
fn tablets_share_a_file_of_each_group() {
    let mut storage = MemoryStorage::default();
    let mut table = table(&mut storage);
    for tablet in (0..TABLETS).filter(|tablet| tablet % 5 != 0) {
        (0..30).for_each(|row| write(&mut table, &mut storage, "f", tablet, row));
        if tablet % 2 == 0 {
            write(&mut table, &mut storage, "g", tablet, 7);
        }
    }
    let (before, files) = (rows(&mut table, &mut storage), storage.files().unwrap().len());
    table.flush(&mut storage, &Vec::from_iter(0..TABLETS)).unwrap();
    check_due(&table);
    assert_eq!(storage.files().unwrap().len(), files + 2);
    assert_eq!((rows(&mut table, &mut storage), table.memtable_bytes(), table.counts.minor_compactions), (before, 0, 1));
    for (index, tablet) in table.tablets.iter().enumerate() {
        let groups = match index {
            index if index % 5 == 0 => vec![],
            index if index % 2 == 0 => vec![(0, 30, 30), (1, 1, 1)],
            _ => vec![(0, 30, 30)],
        };
        let sizes = tablet.runs.iter().map(|run| (run.group, run.size.rows, run.size.cells));
        assert_eq!(Vec::from_iter(sizes), groups, "tablet {index}");
    }
    let of_runs: u64 = table.tablets.iter().flat_map(|tablet| &tablet.runs).map(|run| run.size.bytes).sum();
    let runs = table.tablets.iter().flat_map(|tablet| &tablet.runs);
    let mut tables: Vec<&Arc<SsTable>> = runs.map(|run| &run.table).collect();
    tables.sort_by_key(|table| table.file);
    tables.dedup_by(|one, other| Arc::ptr_eq(one, other));
    let of_files = tables.iter().flat_map(|table| &table.index.blocks).map(|block| u64::from(block.length)).sum::<u64>();
    assert_eq!((tables.len(), of_runs), (2, of_files), "each block is in one run");
}

#[test]
fn shared_files_are_merged_and_removed() {
    let mut storage = MemoryStorage::default();
    let mut table = table(&mut storage);
    for round in 0..10 {
        (0..TABLETS).for_each(|tablet| write(&mut table, &mut storage, "f", tablet, round));
        table.flush(&mut storage, &Vec::from_iter(0..TABLETS)).unwrap();
    }
    let before = rows(&mut table, &mut storage);
    while table.advance(&mut storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap() {}
    table.compact();
    while table.advance(&mut storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap() {}
    assert_eq!(rows(&mut table, &mut storage), before);
    assert!(table.tablets.iter().all(|tablet| tablet.runs.len() == 1));
    let named: usize = table.tablets.iter().map(|tablet| tablet.runs.len()).sum();
    assert!(storage.files().unwrap().len() <= named + 3, "{} files", storage.files().unwrap().len());
}

#[test]
fn the_oldest_are_written_first() {
    let mut storage = MemoryStorage::default();
    let mut table = table(&mut storage);
    for tablet in (0..TABLETS).rev() {
        write(&mut table, &mut storage, "f", tablet, 0);
    }
    let one = table.memtable_bytes() / TABLETS as u64;
    let oldest = table.oldest_memtables(one * 10);
    table.flush(&mut storage, &oldest).unwrap();
    let written: Vec<usize> = (0..TABLETS).filter(|&index| table.tablets[index].memtable.read().is_empty()).collect();
    assert_eq!(written, Vec::from_iter(TABLETS - 10..TABLETS));
    assert_eq!(table.memtable_bytes(), one * 40);
}
