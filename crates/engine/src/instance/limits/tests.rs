//! The limits of an instance, with many tables and tablets.

use super::*;
use crate::Budget;
use crate::storage::{FileId, MemoryStorage, StorageError};
use crate::table::run::Run;
use crate::table::tests::checked_storage::{Call, Check, CheckedStorage};
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use tabletop_model::{
    Code, ColumnFamily, Mutation, ReadRows, RowMutation, RowRange, RowSet, SortedMap, TableSettings,
    TableSpec,
};

const LIMITS: Limits = Limits {
    memtable_bytes_max: 64 << 10,
    log_bytes_max: 256 << 10,
    cache_bytes_max: 32 << 10,
    dictionary_bytes_max: 16 << 10,
};
const BUDGET: Budget = Budget { bytes: 1 << 20 };

fn spec(tablets: usize) -> TableSpec {
    let initial_splits = (1..tablets).map(|tablet| format!("{tablet:04}").as_str().into()).collect();
    let settings =
        TableSettings { tablet_load_max: f64::INFINITY, block_bytes: 1_024, ..TableSettings::default() };
    TableSpec { families: vec![ColumnFamily::new("f")], initial_splits, settings }
}

fn instance<S: Storage>(storage: S, tables: usize, tablets: usize) -> Instance<S> {
    let mut instance = Instance::open(storage, 0).unwrap().0;
    instance.set_limits(LIMITS);
    for table in 0..tables {
        instance.create_table(0, &format!("t{table}"), spec(tablets)).unwrap();
    }
    instance
}

/// Writes 100 bytes to a row of a tablet.
fn write<S: Storage>(instance: &mut Instance<S>, table: usize, tablet: usize, row: usize) -> Result<()> {
    let value = format!("{row:0100}").as_str().into();
    let set = Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value };
    let key = format!("{tablet:04}#{row}").as_str().into();
    instance.table(&format!("t{table}"))?.mutate_row(0, &RowMutation { key, mutations: vec![set] })
}

fn used<S: Storage>(instance: &Instance<S>) -> [u64; 3] {
    let sum = |used: fn(&Table) -> u64| instance.tables.iter().map(|(_, table)| used(table)).sum();
    [sum(Table::memtable_bytes), sum(Table::log_bytes), sum(|table| table.reading().cache.lock().bytes())]
}

fn rows<S: Storage>(instance: &mut Instance<S>) -> Vec<Vec<String>> {
    let ids: Vec<String> = instance.table_ids().map(ToString::to_string).collect();
    let mut rows_of = |id: String| instance.table(&id).unwrap().read(0, &ReadRows::default()).unwrap().rows;
    ids.into_iter()
        .map(|id| rows_of(id).iter().map(|row| format!("{} {}", row.key, row.cells[0].value)).collect())
        .collect()
}

#[test]
fn a_table_of_many_tablets_keeps_them_while_it_is_written_to() {
    let mut instance = instance(MemoryStorage::default(), 1, 500);
    let mut most = [0; 3];
    for number in 0..5_000 {
        write(&mut instance, 0, number * 7_919 % 500, number).unwrap();
        most = core::array::from_fn(|at| most[at].max(used(&instance)[at]));
    }
    // A segment of the log has up to 16 MiB, so all of it is in one.
    assert!(most[0] <= LIMITS.memtable_bytes_max + 500, "{most:?}");
    while instance.advance(0, BUDGET) {}
    let after = used(&instance);
    assert!(after[1] <= LIMITS.log_bytes_max, "{after:?}");
    let expected = rows(&mut instance);
    instance.advance(0, BUDGET);
    assert!(used(&instance)[2] <= LIMITS.cache_bytes_max, "{:?}", used(&instance));
    let mut again = Instance::open(instance.storage().clone(), 0).unwrap().0;
    assert_eq!((rows(&mut again), expected[0].len()), (expected, 5_000));
}

#[test]
fn many_tables_keep_them_together() {
    let mut instance = instance(MemoryStorage::default(), 40, 5);
    for number in 0..8_000 {
        write(&mut instance, number % 40, number % 5, number).unwrap();
        if number % 10 == 0 {
            instance.advance(0, BUDGET);
            let used = used(&instance);
            assert!(
                used[0] <= LIMITS.memtable_bytes_max && used[1] <= LIMITS.log_bytes_max,
                "{number}: {used:?}"
            );
        }
    }
    let expected = rows(&mut instance);
    instance.advance(0, BUDGET);
    assert!(used(&instance)[2] <= LIMITS.cache_bytes_max, "{:?}", used(&instance));
    let mut again = Instance::open(instance.storage().clone(), 0).unwrap().0;
    assert_eq!(rows(&mut again), expected);
}

#[test]
fn no_memtable_is_small_enough_for_a_limit_of_nothing() {
    let mut instance = instance(MemoryStorage::default(), 2, 5);
    (0..20).for_each(|number| write(&mut instance, number % 2, number % 5, number).unwrap());
    instance.set_limits(Limits { memtable_bytes_max: 0, ..LIMITS });
    instance.advance(0, BUDGET);
    assert_eq!(used(&instance)[0], 0);
}

/// Storage that creates no files while it is full, and syncs nothing while it is broken.
#[derive(Debug, Default)]
struct Full {
    is_full: bool,
    is_broken: bool,
}

impl Check for Full {
    fn check(&mut self, _: &MemoryStorage, call: Call) -> core::result::Result<(), StorageError> {
        match call {
            Call::Create if self.is_full => Err(StorageError::Full("no room".into())),
            Call::Sync if self.is_broken => Err(StorageError::Unknown("broken".into())),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_full_storage_refuses_writes_before_the_memory_is_full() {
    let mut instance = instance(CheckedStorage::new(Full::default()), 1, 500);
    // The first write makes the first segment of the log.
    write(&mut instance, 0, 0, 0).unwrap();
    instance.storage.check.is_full = true;
    let refused = (1..5_000).find_map(|number| write(&mut instance, 0, number % 500, number).err()).unwrap();
    assert_eq!(refused.code, Code::ResourceExhausted, "{refused}");
    assert!(refused.message.contains("nothing has changed"), "{refused}");
    assert!(used(&instance)[0] <= LIMITS.memtable_bytes_max * 2 + 500);
    instance.storage.check.is_full = false;
    write(&mut instance, 0, 0, 9_999).unwrap();
    assert!(used(&instance)[0] <= LIMITS.memtable_bytes_max * 2);
}

#[test]
fn a_table_that_cannot_be_written_to_keeps_no_other_from_being_shortened() {
    let mut instance = instance(CheckedStorage::new(Full::default()), 2, 10);
    (0..100).for_each(|number| write(&mut instance, 0, number % 10, number).unwrap());
    instance.storage.check.is_broken = true;
    write(&mut instance, 0, 0, 0).unwrap_err();
    instance.storage.check.is_broken = false;
    (0..50).for_each(|number| write(&mut instance, 1, number % 10, number).unwrap());
    instance.set_limits(Limits {
        memtable_bytes_max: 1 << 10,
        log_bytes_max: 1 << 10,
        cache_bytes_max: 0,
        ..LIMITS
    });
    instance.advance(0, BUDGET);
    let used =
        |table: usize| (instance.tables[table].1.memtable_bytes(), instance.tables[table].1.log_bytes());
    assert!(used(0).0 > 10_000 && used(0).1 > 10_000, "{:?}", used(0));
    assert!(used(1).0 <= 1 << 10 && used(1).1 <= 1 << 10, "{:?}", used(1));
    write(&mut instance, 0, 0, 0).unwrap_err();
}

#[test]
fn the_memtables_of_a_table_that_cannot_be_written_to_take_no_room_of_others() {
    let mut instance = instance(CheckedStorage::new(Full::default()), 2, 10);
    instance.set_limits(Limits::default());
    (0..1_200).for_each(|number| write(&mut instance, 0, number % 10, number).unwrap());
    instance.storage.check.is_broken = true;
    write(&mut instance, 0, 0, 0).unwrap_err();
    instance.storage.check.is_broken = false;
    write(&mut instance, 1, 0, 0).unwrap();
    instance.set_limits(LIMITS);
    instance.storage.check.is_full = true;
    // Less than the limit, while the other table has more than twice as much.
    (0..300).for_each(|number| write(&mut instance, 1, number % 10, number).unwrap());
    let used = |table: usize| instance.tables[table].1.memtable_bytes();
    assert!(used(0) > LIMITS.memtable_bytes_max * 2 && used(1) > 30_000, "{} and {}", used(0), used(1));
    assert!(used(1) <= LIMITS.memtable_bytes_max);
}

/// Returns the bytes of the dictionaries that are in memory, found through their files.
fn dictionaries_in_memory(instance: &Instance) -> u64 {
    let runs = instance.tables.iter().flat_map(|(_, table)| table.tablets()).flat_map(|tablet| &tablet.runs);
    // Several runs may share one file.
    let files: SortedMap<FileId, &Run> = runs.map(|run| (run.table.file, run)).collect();
    let dictionaries = files.values().filter_map(|run| run.table.loaded.lock().dictionary.upgrade());
    dictionaries.map(|dictionary| dictionary.bytes()).sum()
}

#[test]
fn dictionaries_of_many_files_share_one_limit() {
    const TABLES: usize = 4;
    const TABLETS: usize = 50;
    let mut instance = instance(MemoryStorage::default(), TABLES, TABLETS);
    for table in 0..TABLES {
        // Tablets are written one at a time, each to its own file.
        let settings = TableSettings { memtable_bytes_max: 400, ..spec(1).settings };
        instance.table(&format!("t{table}")).unwrap().update_settings(settings).unwrap();
    }
    for number in 0..TABLES * TABLETS * 10 {
        // Each file has distinct words.
        let (table, tablet, row) = (number % TABLES, number / TABLES % TABLETS, number / TABLES / TABLETS);
        let value =
            format!("\"word {tablet} of {table}\",\"another {tablet}\",\"and one more, of {tablet}\",{row}");
        let value = value.as_str().into();
        let set = Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value };
        let key = format!("{tablet:04}#{row}").as_str().into();
        instance
            .table(&format!("t{table}"))
            .unwrap()
            .mutate_row(0, &RowMutation { key, mutations: vec![set] })
            .unwrap();
    }
    instance.set_limits(Limits { memtable_bytes_max: 0, ..LIMITS });
    while instance.advance(0, BUDGET) {}
    assert_eq!(dictionaries_in_memory(&instance), 0, "none was needed");
    // A limit too high to matter.
    instance.set_limits(Limits::default());
    let expected = rows(&mut instance);
    let all = dictionaries_in_memory(&instance);
    assert!(
        all > LIMITS.dictionary_bytes_max * 4 && all == instance.dictionaries.lock().bytes(),
        "{all} bytes"
    );
    instance.set_limits(LIMITS);
    for step in 0..2_000 {
        let number = step * 7_919 % (TABLES * TABLETS);
        let (table, tablet) = (number % TABLES, number / TABLES);
        let read = ReadRows {
            rows: RowSet::range(RowRange::prefix(format!("{tablet:04}").as_bytes())),
            ..ReadRows::default()
        };
        let found = instance.table(&format!("t{table}")).unwrap().read(0, &read).unwrap().rows;
        assert!(
            found.len() == 10
                && found
                    .iter()
                    .all(|row| expected[table].contains(&format!("{} {}", row.key, row.cells[0].value)))
        );
        let held = dictionaries_in_memory(&instance);
        assert!(
            held <= LIMITS.dictionary_bytes_max && held == instance.dictionaries.lock().bytes(),
            "step {step}: {held} bytes"
        );
    }
    assert!(dictionaries_in_memory(&instance) > LIMITS.dictionary_bytes_max / 2, "the room is used");
    // Dictionaries of files that were replaced or whose table was deleted do not stay in memory for
    // long.
    instance.table("t0").unwrap().compact();
    (1..TABLES).for_each(|table| instance.delete_table(&format!("t{table}")).unwrap());
    for _ in 0..500 {
        instance.advance(0, BUDGET);
    }
    assert_eq!(instance.dictionaries.lock().bytes(), dictionaries_in_memory(&instance));
    assert_eq!(rows(&mut instance), expected[..1]);
}

#[test]
fn a_log_that_no_memtable_needs_goes() {
    let mut instance = instance(MemoryStorage::default(), 1, 1);
    instance.set_limits(Limits::default());
    let settings = TableSettings { memtable_bytes_max: 4 << 20, ..spec(1).settings };
    instance.table("t0").unwrap().update_settings(settings).unwrap();
    for number in 0..20_000 {
        write(&mut instance, 0, 0, number).unwrap();
    }
    instance.advance(0, BUDGET);
    assert!(used(&instance)[0] > 0 && used(&instance)[1] > UNNEEDED_LOG_BYTES_MAX, "{:?}", used(&instance));
    let expected = rows(&mut instance);
    instance.set_limits(Limits { memtable_bytes_max: 0, ..Limits::default() });
    instance.advance(0, BUDGET);
    assert!(used(&instance)[1] < 100, "{:?}", used(&instance));
    let files = instance.storage().files().unwrap();
    instance.advance(0, BUDGET);
    assert_eq!(instance.storage().files().unwrap(), files, "once is enough");
    write(&mut instance, 0, 0, 20_000).unwrap();
    let mut again = Instance::open(instance.storage().clone(), 0).unwrap().0;
    assert_eq!(rows(&mut again)[0].len(), expected[0].len() + 1);
}
