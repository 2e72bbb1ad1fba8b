//! Background work, measured by counts of checks of tablets, of SSTables and of bytes.

use super::*;
use crate::storage::{MemoryStorage, Storage, StorageError};
use crate::table::Table;
use crate::table::compaction::Budget;
use crate::table::plan::Compactions;
use crate::table::tests::checked_storage::{Call, Check, CheckedStorage};
use alloc::format;
use alloc::vec;
use core::cell::Cell;
use tabletop_model::{
    Code, ColumnFamily, DropRowRange, FamilyModification, Mutation, ReadRows, RowMutation, RowSet,
    TableSettings, TableSpec,
};

std::thread_local! {
    /// How often this thread has checked a tablet.
    pub static LOOKS: Cell<u64> = const { Cell::new(0) };
}

/// Checks that all work that is due is recorded, by examining all tablets.
pub(crate) fn check_due(table: &Table) {
    let mut pins: Vec<u64> = Vec::new();
    for (index, tablet) in table.tablets.iter().enumerate() {
        pins.extend(tablet.pins().map(|from| from.segment));
        if table.background.due.is_stale || table.is_read_only() {
            continue;
        }
        let is_this =
            |work: &&Work| work.start == tablet.range.start && [0, tablet.depth].contains(&work.depth);
        let is_noted = table.background.due.flushes.contains(&tablet.range.start);
        assert!(
            tablet.frozen.is_none() || table.background.is_flushing || is_noted,
            "tablet {index} has a frozen memtable"
        );
        assert!(
            !table.is_full(index) || table.background.due.checks.iter().any(|work| is_this(&work)),
            "tablet {index} is full"
        );
        let mut compactions = table.background.due.compactions.iter().chain(&table.background.due.deferred);
        assert!(
            table.compaction_of(index).is_none() || compactions.any(|work| is_this(&work)),
            "tablet {index} has runs to merge"
        );
        let from = table.mergeable_from(index);
        assert!(
            from.is_none_or(|from| from >= table.background.due.merges_from),
            "tablet {index} can be merged with the next"
        );
    }
    pins.sort_unstable();
    assert!(table.pins.all().eq(pins), "{:?}", table.pins);
}

const SETTINGS: fn() -> TableSettings = || TableSettings {
    memtable_bytes_max: 1 << 20,
    sstables_max: 2,
    tablet_bytes_max: 1 << 30,
    tablet_load_max: f64::INFINITY,
    ..TableSettings::default()
};

fn table(tablets: usize) -> Table {
    let families = vec![ColumnFamily::new("f")];
    let initial_splits = (1..tablets).map(|number| format!("{number:06}").as_str().into()).collect();
    Table::new(0, TableSpec { families, initial_splits, settings: SETTINGS() }).unwrap()
}

fn write(table: &mut Table, storage: &mut dyn Storage, key: &str, value: &[u8]) {
    let set =
        Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value: value.into() };
    table.mutate_row(storage, 0, &RowMutation { key: key.into(), mutations: vec![set] }).unwrap();
}

/// Each tablet gets four SSTables of the same row.
fn filled(tablets: usize, storage: &mut MemoryStorage) -> Table {
    let mut table = table(tablets);
    for _ in 0..4 {
        for index in 0..tablets {
            write(&mut table, storage, &format!("{index:06}"), b"v");
            table.minor_compaction(storage, index).unwrap();
        }
    }
    table
}

#[test]
fn a_call_with_nothing_to_do_looks_at_no_tablet() {
    let mut storage = MemoryStorage::default();
    for request in [|_: &mut Table| {}, Table::compact] {
        let mut table = filled(1_000, &mut storage);
        request(&mut table);
        while table.advance(&mut storage, 0, Budget { bytes: 1 << 10 }, Compactions::Here).unwrap() {}
        table.advance(&mut storage, 0, Budget { bytes: 1 << 10 }, Compactions::Here).unwrap();
        LOOKS.take();
        for _ in 0..100 {
            assert!(
                !table.has_work()
                    && !table.advance(&mut storage, 0, Budget { bytes: 1 << 10 }, Compactions::Here).unwrap()
            );
        }
        assert_eq!((LOOKS.take(), table.counts.major_compactions), (0, 1_000));
        table.discard(&mut storage, &mut Default::default()).unwrap();
    }
}

#[test]
fn the_compaction_of_many_tablets_looks_at_each_a_few_times() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(2_000, &mut storage);
    LOOKS.take();
    while table.advance(&mut storage, 0, Budget { bytes: 1 << 10 }, Compactions::Here).unwrap() {}
    assert_eq!(table.counts.major_compactions, 2_000);
    let looks = LOOKS.take();
    assert!(looks < 40 * 2_000, "{looks} looks at 2,000 tablets");
}

#[test]
fn work_that_becomes_due_is_noted() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(20, &mut storage);
    let mut finish = |table: &mut Table, now: i64| {
        check_due(table);
        while table.advance(&mut storage, now, Budget { bytes: 300 }, Compactions::Here).unwrap() {
            check_due(table);
        }
        check_due(table);
        (table.counts.minor_compactions, table.counts.major_compactions, table.tablets.len())
    };
    assert_eq!(finish(&mut table, 0), (80, 20, 20));
    table
        .update_settings(&mut MemoryStorage::default(), TableSettings { sstables_max: 1, ..SETTINGS() })
        .unwrap();
    assert_eq!(finish(&mut table, 0), (80, 20, 20), "one SSTable each is enough");
    let second = 1_000_000;
    table.tablets[3].load.lock().count(15 * second, 1, 0);
    let window = i64::from(table.settings.load_window_seconds) * second;
    assert_eq!(finish(&mut table, window - 1).2, 20);
    assert_eq!(finish(&mut table, window).2, 3, "the fourth was read in the meantime");
    assert_eq!(finish(&mut table, window + 15 * second).2, 1);
    let family = "f".into();
    table.modify_families(&mut MemoryStorage::default(), &[FamilyModification::Drop { family }]).unwrap();
    table.compact();
    assert!(finish(&mut table, 0).1 > 20, "the cells of the dropped family are removed");
}

#[test]
fn dropped_rows_leave_nothing_due() {
    let mut storage = MemoryStorage::default();
    let mut table = filled(4, &mut storage);
    assert!(table.has_work());
    table.drop_row_range(&mut storage, &DropRowRange::All).unwrap();
    check_due(&table);
    assert!(!table.has_work());
}

/// Storage of limited size.
struct Small {
    bytes_max: u64,
}

impl Small {
    fn storage() -> CheckedStorage<Small> {
        CheckedStorage::new(Small { bytes_max: u64::MAX })
    }
}

impl Check for Small {
    fn check(&mut self, storage: &MemoryStorage, call: Call) -> Result<(), StorageError> {
        match call {
            Call::Append(bytes) if bytes_of(storage) + bytes as u64 > self.bytes_max => {
                Err(StorageError::Full("no space left".into()))
            }
            _ => Ok(()),
        }
    }
}

fn bytes_of(storage: &MemoryStorage) -> u64 {
    let files = storage.files().unwrap();
    files.into_iter().map(|file| storage.size(file).unwrap()).sum()
}

/// The first of three tablets has a memtable that does not fit. The second has some SSTables of one
/// small row. The third, which is compacted first, has many SSTables of a row that does not fit
/// again.
#[test]
fn work_that_fails_on_a_full_storage_keeps_no_other_from_making_room() {
    let mut storage = Small::storage();
    let mut table = table(3);
    // Writes run no compaction.
    table.update_settings(&mut storage, TableSettings { sstables_max: 60, ..SETTINGS() }).unwrap();
    let value = |seed: u32, length: u32| -> Vec<u8> {
        (0..length).map(|at| ((at * 31 + seed).wrapping_mul(2_654_435_761) >> 24) as u8).collect()
    };
    for seed in 0..12 {
        write(&mut table, &mut storage, "000002", &value(seed, 100_000));
        table.minor_compaction(&mut storage, 2).unwrap();
        if seed < 6 {
            write(&mut table, &mut storage, "000001", &value(seed, 2_000));
            table.minor_compaction(&mut storage, 1).unwrap();
        }
    }
    write(&mut table, &mut storage, "000000", &value(0, 100_000));
    let update = TableSettings { memtable_bytes_max: 1 << 10, sstables_max: 3, ..SETTINGS() };
    table.update_settings(&mut storage, update).unwrap();
    storage.check.bytes_max = bytes_of(&storage.inner) + 50_000;
    let full = bytes_of(&storage.inner);
    let mut errors = Vec::new();
    for _ in 0..4 {
        errors.extend(table.advance(&mut storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).err());
        check_due(&table);
    }
    assert!(
        errors.len() == 4 && errors.iter().all(|error| error.code == Code::ResourceExhausted),
        "{errors:?}"
    );
    assert_eq!(table.view(0).work_error, errors.pop());
    assert!(
        bytes_of(&storage.inner) < full - 5_000 && table.tablets[1].runs.len() <= 3,
        "{} of {full} bytes",
        bytes_of(&storage.inner)
    );
    storage.check.bytes_max = u64::MAX;
    while table.advance(&mut storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap() {}
    assert_eq!((table.view(0).work_error, table.tablets[2].depth), (None, 1));
    assert_eq!(table.read(&mut storage, 0, &ReadRows::default()).unwrap().rows.len(), 3);
}

/// A memtable with garbage that does not fit, and a host without a delay.
#[test]
fn a_look_that_fails_waits_for_the_next_call() {
    let mut storage = Small::storage();
    let mut table = table(1);
    table.background.gc_delay = 0;
    write(&mut table, &mut storage, "a", b"v");
    table.minor_compaction(&mut storage, 0).unwrap();
    let delete = RowMutation { key: "a".into(), mutations: vec![Mutation::DeleteFromRow] };
    table.mutate_row(&mut storage, 0, &delete).unwrap();
    storage.check.bytes_max = bytes_of(&storage.inner);
    LOOKS.take();
    assert_eq!(
        table.advance(&mut storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap_err().code,
        Code::ResourceExhausted
    );
    let looks = LOOKS.take();
    assert!(looks < 10, "{looks}");
    assert!(table.next_work() > 0, "the host does not call again immediately");
    storage.check.bytes_max = u64::MAX;
    let later = table.next_work();
    while table.advance(&mut storage, later, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap() {}
    assert_eq!((table.view(later).work_error, table.tablets[0].runs.len()), (None, 0));
}

/// Writes rows in ascending order, ten into each of `tables` SSTables of more than 1 MiB.
fn ascending(storage: &mut MemoryStorage, sstables_max: u32, tables: usize, disorder: usize) -> Table {
    let mut table = table(1);
    table
        .update_settings(storage, TableSettings { sstables_max, memtable_bytes_max: 1 << 30, ..SETTINGS() })
        .unwrap();
    let mut state = 1_u64;
    for number in 0..tables * 10 {
        // Some rows arrive a little late.
        let late = if number % 10 == 0 { disorder } else { 0 };
        let byte = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        let value: Vec<u8> = (0..110_000).map(byte).collect();
        write(&mut table, storage, &format!("{:08}", number.saturating_sub(late)), &value);
        if number % 10 == 9 {
            table.minor_compaction(storage, 0).unwrap();
            while table.advance(storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap() {}
        }
    }
    table
}

#[test]
fn large_sstables_of_rows_in_order_are_written_once() {
    for disorder in [0, 9] {
        let mut storage = MemoryStorage::default();
        let mut table = ascending(&mut storage, 3, 20, disorder);
        assert_eq!(table.counts.major_compactions, 0, "{disorder}");
        assert!(table.tablets[0].runs.len() == 20 && table.tablets[0].depth <= 2);
        let mut read = |read: ReadRows| table.read(&mut storage, 0, &read).unwrap();
        let first = read(ReadRows { rows_limit: 1, ..ReadRows::default() });
        assert_eq!(
            (first.rows.len(), first.stats.blocks_read),
            (1, 1),
            "a read that ends early opens no later SSTable"
        );
        let last = read(ReadRows { rows_limit: 1, reversed: true, ..ReadRows::default() });
        assert_eq!((last.rows.len(), last.stats.blocks_read), (1, 1));
        let one = RowSet { keys: vec!["00000054".into()], ranges: vec![] };
        let one = read(ReadRows { rows: one, ..ReadRows::default() });
        assert!(one.rows.len() == 1 && one.stats.bloom_skips <= 1, "{:?}", one.stats);
        let whole = read(ReadRows::default());
        let backwards = read(ReadRows { reversed: true, ..ReadRows::default() });
        assert!(whole.rows.iter().rev().eq(&backwards.rows) && whole.rows.len() >= 180);
    }
}

#[test]
fn the_number_of_sstables_that_do_not_overlap_is_limited() {
    let mut storage = MemoryStorage::default();
    let mut table = ascending(&mut storage, 1, 20, 0);
    assert_eq!((table.counts.major_compactions, table.tablets[0].runs.len()), (1, 4), "17 became one");
    assert_eq!(table.read(&mut storage, 0, &ReadRows::default()).unwrap().rows.len(), 200);
}

#[test]
fn small_sstables_are_merged_even_if_they_do_not_overlap() {
    let mut storage = MemoryStorage::default();
    let mut table = table(1);
    for number in 0..50 {
        write(&mut table, &mut storage, &format!("{number:08}"), b"v");
        table.minor_compaction(&mut storage, 0).unwrap();
        while table.advance(&mut storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap() {}
        assert!(table.tablets[0].runs.len() <= 2);
    }
}

#[test]
fn a_requested_compaction_takes_a_row_between_runs_that_are_merged() {
    let (mut table, mut storage) = (table(1), MemoryStorage::default());
    for key in ["a", "e", "g"] {
        write(&mut table, &mut storage, key, b"");
        table.flush(&mut storage, &[0]).unwrap();
    }
    write(&mut table, &mut storage, "c", b"");
    table.compact();
    while table.advance(&mut storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap() {}
    let tablet = &table.tablets[0];
    assert_eq!((tablet.memtable.read().is_empty(), tablet.runs.len(), tablet.is_exact()), (true, 1, true));
}

#[test]
fn a_requested_compaction_takes_the_runs_between_those_that_are_merged_first() {
    let (mut table, mut storage) = (table(1), MemoryStorage::default());
    table.settings.sstables_max = 3;
    for (key, value) in [("z", b"".as_slice()), ("b", &[0; 50]), ("a", b""), ("c", b"")] {
        write(&mut table, &mut storage, key, value);
        table.flush(&mut storage, &[0]).unwrap();
    }
    assert!(table.tablets[0].is_tidy() && table.compaction_of(0).is_some());
    table.compact();
    while table.advance(&mut storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap() {}
    let tablet = &table.tablets[0];
    assert_eq!((tablet.wanted.is_none(), tablet.is_exact()), (true, true), "{} runs", tablet.runs.len());
}

#[test]
fn a_requested_compaction_is_done_after_a_dropped_family_has_emptied_the_memtable() {
    let (mut table, mut storage) = (table(1), MemoryStorage::default());
    let create = FamilyModification::Create(ColumnFamily::new("g"));
    table.modify_families(&mut storage, &[create]).unwrap();
    for key in ["a", "a"] {
        write(&mut table, &mut storage, key, b"");
        table.flush(&mut storage, &[0]).unwrap();
    }
    let set = Mutation::SetCell { family: "g".into(), qualifier: "q".into(), timestamp: 0, value: "".into() };
    table.mutate_row(&mut storage, 0, &RowMutation { key: "b".into(), mutations: vec![set] }).unwrap();
    table.compact();
    table.refresh_due();
    table.modify_families(&mut storage, &[FamilyModification::Drop { family: "g".into() }]).unwrap();
    while table.advance(&mut storage, 0, Budget { bytes: 1 << 20 }, Compactions::Here).unwrap() {}
    let tablet = &table.tablets[0];
    assert_eq!((tablet.wanted.is_none(), tablet.runs.len(), tablet.is_exact()), (true, 1, true));
}
