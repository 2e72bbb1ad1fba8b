//! Memtables that are written together.

use super::*;
use crate::durable::headers::Headers;
use crate::sstable::SsTable;
use crate::storage::MemoryStorage;
use crate::table::compaction::Budget;
use crate::table::due::tests::check_due;
use crate::table::plan::Compactions;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use tabletop_model::{ColumnFamily, DropRowRange, Mutation, ReadRows, RowMutation, TableSettings, TableSpec};

const TABLETS: usize = 50;

fn table(storage: &mut dyn Storage) -> Table {
    let settings = TableSettings { tablet_load_max: f64::INFINITY, ..TableSettings::default() };
    let initial_splits = (1..TABLETS).map(|tablet| format!("{tablet:03}").as_str().into()).collect();
    let families = vec![ColumnFamily::new("f"), ColumnFamily { locality_group: 1, ..ColumnFamily::new("g") }];
    Table::create(storage, &mut Headers::default(), 0, "t", TableSpec { families, initial_splits, settings })
        .unwrap()
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
    rows.iter()
        .map(|row| format!("{} {:?}", row.key, row.cells.iter().map(shown).collect::<Vec<_>>()))
        .collect()
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
    assert_eq!(
        (rows(&mut table, &mut storage), table.memtable_bytes(), table.counts.minor_compactions),
        (before, 0, 1)
    );
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
    let of_files =
        tables.iter().flat_map(|table| &table.index.blocks).map(|block| u64::from(block.length)).sum::<u64>();
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
    let written: Vec<usize> =
        (0..TABLETS).filter(|&index| table.tablets[index].memtable.read().is_empty()).collect();
    assert_eq!(written, Vec::from_iter(TABLETS - 10..TABLETS));
    assert_eq!(table.memtable_bytes(), one * 40);
}

const MEMTABLE: u64 = 64 << 10;

/// Returns a table of one tablet whose host writes memtables.
fn table_apart(storage: &mut dyn Storage, tablet_bytes_max: u64) -> Table {
    let settings =
        TableSettings { memtable_bytes_max: MEMTABLE, tablet_bytes_max, ..TableSettings::default() };
    let families = vec![ColumnFamily::new("f")];
    let mut table = Table::create(
        storage,
        &mut Headers::default(),
        0,
        "t",
        TableSpec { families, settings, ..TableSpec::default() },
    )
    .unwrap();
    table.advance(storage, 0, Budget { bytes: 1 }, Compactions::Apart).unwrap();
    table
}

/// Writes rows of 1 KiB whose values have nothing in common.
fn fill(table: &mut Table, storage: &mut dyn Storage, rows: core::ops::Range<u64>) {
    for row in rows {
        let value: Vec<u8> = (0..128)
            .flat_map(|at| (row * 128 + at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes())
            .collect();
        let set = Mutation::SetCell {
            family: "f".into(),
            qualifier: "q".into(),
            timestamp: 0,
            value: value.into(),
        };
        let key = format!("{row:06}").as_str().into();
        table.mutate_row(storage, 0, &RowMutation { key, mutations: vec![set] }).unwrap();
    }
}

fn count(table: &mut Table, storage: &mut dyn Storage) -> usize {
    table.read(storage, 0, &ReadRows::default()).unwrap().rows.len()
}

#[test]
fn a_write_of_many_memtables_is_not_written_by_itself() {
    let mut storage = MemoryStorage::default();
    let mut table = table_apart(&mut storage, u64::MAX);
    let value = vec![7; 20 * MEMTABLE as usize].into();
    let set = Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value };
    table.mutate_row(&mut storage, 0, &RowMutation { key: "r".into(), mutations: vec![set] }).unwrap();
    assert!(table.counts.minor_compactions == 0 && table.tablets[0].frozen.is_some());
    write_during_flush(&mut table, &mut storage);
    assert_eq!((table.counts.minor_compactions, count(&mut table, &mut storage)), (1, 1));
}

/// Runs the step that a host would run.
fn write_during_flush(table: &mut Table, storage: &mut dyn Storage) {
    let flushing = table.take_flush().unwrap();
    assert!(table.take_flush().is_none(), "one at a time");
    let written = flushing.run(storage);
    table.put_back_flush(storage, 0, flushing, Some(written)).unwrap();
    check_due(table);
}

#[test]
fn a_host_writes_a_full_memtable_during_writes() {
    let mut storage = MemoryStorage::default();
    let mut table = table_apart(&mut storage, 1 << 30);
    fill(&mut table, &mut storage, 0..1);
    let before = storage.files().unwrap().len();
    fill(&mut table, &mut storage, 1..100);
    check_due(&table);
    assert_eq!(storage.files().unwrap().len(), before, "the write that fills the memtable writes no file");
    let rows_frozen = table.tablets[0].frozen.as_ref().unwrap().memtable.read().row_count();
    assert!((60..70).contains(&rows_frozen), "{rows_frozen}");
    assert_eq!(count(&mut table, &mut storage), 100);
    // Rows are overwritten, and added, while the step is out.
    let flushing = table.take_flush().unwrap();
    let written = flushing.run(&mut storage);
    fill(&mut table, &mut storage, 50..120);
    assert_eq!(count(&mut table, &mut storage), 120);
    table.put_back_flush(&mut storage, 0, flushing, Some(written)).unwrap();
    check_due(&table);
    assert_eq!((count(&mut table, &mut storage), table.tablets[0].runs.len()), (120, 1));
    // Logged rows that were written as SSTables are not replayed.
    let (mut again, _) = crate::Instance::open(storage, 0).unwrap();
    let rows = again.table("t").unwrap().read(0, &ReadRows::default()).unwrap().rows;
    assert_eq!(rows.len(), 120);
}

#[test]
fn a_tablet_is_split_when_its_memtable_is_written() {
    let mut storage = MemoryStorage::default();
    let mut table = table_apart(&mut storage, 600 << 10);
    table.settings.memtable_bytes_max = 1 << 20;
    fill(&mut table, &mut storage, 0..700);
    assert_eq!((table.tablets.len(), table.tablets[0].frozen.is_some()), (1, true));
    write_during_flush(&mut table, &mut storage);
    assert_eq!((table.tablets.len(), count(&mut table, &mut storage)), (2, 700));
}

#[test]
fn writes_owe_and_then_wait_when_the_host_is_behind() {
    let mut storage = MemoryStorage::default();
    let mut table = table_apart(&mut storage, 1 << 30);
    fill(&mut table, &mut storage, 0..100);
    assert_eq!(*table.reading.owed.lock(), 0);
    fill(&mut table, &mut storage, 100..200);
    assert_eq!((*table.reading.owed.lock(), table.tablets[0].runs.len()), (4, 0));
    fill(&mut table, &mut storage, 200..600);
    assert_eq!(
        table.tablets[0].runs.len(),
        2,
        "all was written when the newer memtable had eight times its bytes"
    );
    assert!(table.take_flush().is_none() && count(&mut table, &mut storage) == 600);
}

#[test]
fn a_step_whose_memtable_was_written_otherwise_leaves_nothing() {
    let mut storage = MemoryStorage::default();
    let mut table = table_apart(&mut storage, 1 << 30);
    fill(&mut table, &mut storage, 0..100);
    let flushing = table.take_flush().unwrap();
    let written = flushing.run(&mut storage);
    table.flush(&mut storage, &[0]).unwrap();
    let (runs, files) = (table.tablets[0].runs.len(), storage.files().unwrap().len());
    table.put_back_flush(&mut storage, 0, flushing, Some(written)).unwrap();
    assert_eq!((table.tablets[0].runs.len(), storage.files().unwrap().len(), runs), (2, files - 1, 2));
    check_due(&table);
}

#[test]
fn memtables_that_storage_refuses_are_written_later() {
    let mut storage = MemoryStorage::default();
    let mut table = table_apart(&mut storage, 1 << 30);
    fill(&mut table, &mut storage, 0..100);
    let flushing = table.take_flush().unwrap();
    let refused = Err(StorageError::NotDone("no room".into()));
    table.put_back_flush(&mut storage, 0, flushing, Some(refused)).unwrap_err();
    check_due(&table);
    assert!(table.background.error.is_some() && count(&mut table, &mut storage) == 100);
    write_during_flush(&mut table, &mut storage);
    assert!(table.background.error.is_none() && table.tablets[0].runs.len() == 1);
    fill(&mut table, &mut storage, 100..200);
    table.advance(&mut storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap();
    assert_eq!((table.tablets[0].frozen.is_some(), count(&mut table, &mut storage)), (false, 200));
}

#[test]
fn deletes_that_keep_coming_are_written_once_in_a_delay() {
    let mut storage = MemoryStorage::default();
    let mut table = table_apart(&mut storage, 1 << 30);
    fill(&mut table, &mut storage, 0..40);
    table.flush(&mut storage, &[0]).unwrap();
    let mut written = 0;
    for step in 0..100 {
        // Rows that no run has.
        let now = step * 100_000;
        let key = format!("x{step}").as_str().into();
        table
            .mutate_row(&mut storage, now, &RowMutation { key, mutations: vec![Mutation::DeleteFromRow] })
            .unwrap();
        table.advance(&mut storage, now, Budget { bytes: 1 << 20 }, Compactions::Apart).unwrap();
        if let Some(flushing) = table.take_flush() {
            let done = flushing.run(&mut storage);
            // Another delete arrives during the step.
            let key = format!("y{step}").as_str().into();
            table
                .mutate_row(&mut storage, now, &RowMutation { key, mutations: vec![Mutation::DeleteFromRow] })
                .unwrap();
            table.put_back_flush(&mut storage, now, flushing, Some(done)).unwrap();
            written += 1;
        }
    }
    assert!((1..=6).contains(&written), "{written} in 10 seconds");
}

#[test]
fn a_drop_of_rows_waits_for_the_host_to_write_memtables() {
    let mut storage = MemoryStorage::default();
    let mut table = table_apart(&mut storage, 1 << 30);
    table.settings.memtable_bytes_max = 1 << 20;
    fill(&mut table, &mut storage, 0..500);
    let range = DropRowRange::Prefix("0001".into());
    assert_eq!(table.prepare_drop(&mut storage, &range), Ok(true));
    assert_eq!(table.prepare_drop(&mut storage, &DropRowRange::All), Ok(false), "no tablet keeps rows");
    fill(&mut table, &mut storage, 500..510);
    assert_eq!((table.counts.minor_compactions, count(&mut table, &mut storage)), (0, 510));
    write_during_flush(&mut table, &mut storage);
    assert_eq!(table.prepare_drop(&mut storage, &range), Ok(false));
    let flushed = table.counts.work.flushed_bytes;
    table.drop_row_range(&mut storage, &range).unwrap();
    assert!(
        table.counts.work.flushed_bytes - flushed < flushed / 10,
        "only what has arrived since is written"
    );
    assert_eq!(count(&mut table, &mut storage), 410);
    check_due(&table);
    let (mut again, _) = crate::Instance::open(storage, 0).unwrap();
    assert_eq!(again.table("t").unwrap().read(0, &ReadRows::default()).unwrap().rows.len(), 410);
}
