//! Collection without a request, in virtual time: what is collected, how soon, and how many bytes
//! that writes.

use super::*;
use crate::storage::{MemoryStorage, Storage};
use crate::table::compaction::Budget;
use crate::table::due::tests::{LOOKS, check_due};
use crate::table::plan::Compactions;
use alloc::format;
use alloc::vec;
use tabletop_model::{
    ColumnFamily, DropRowRange, FamilyModification, Mutation, ReadRows, RowKey, RowMutation, TableSettings,
    TableSpec, TimestampRange,
};

const SECOND: i64 = 1_000_000;

struct Tested {
    table: Table,
    storage: MemoryStorage,
    now: i64,
    seed: u64,
}

impl Tested {
    fn new(rule: GcRule, tablets: usize) -> Tested {
        let settings = TableSettings {
            memtable_bytes_max: 1 << 20,
            sstables_max: 4,
            tablet_bytes_max: 8 << 20,
            tablet_load_max: f64::INFINITY,
            // No tablets are merged.
            load_window_seconds: u32::MAX,
            ..TableSettings::default()
        };
        let family = |name: &str| ColumnFamily { gc_rule: rule.clone(), ..ColumnFamily::new(name) };
        let initial_splits = (1..tablets).map(|number| format!("{number:06}").as_str().into()).collect();
        let spec =
            TableSpec { families: vec![family("f"), ColumnFamily::new("kept")], initial_splits, settings };
        Tested { table: Table::new(0, spec).unwrap(), storage: MemoryStorage::default(), now: 0, seed: 1 }
    }

    fn mutate(&mut self, key: &str, mutation: Mutation) {
        let row = RowMutation { key: key.into(), mutations: vec![mutation] };
        self.table.mutate_row(&mut self.storage, self.now, &row).unwrap();
    }

    /// Sets a cell at the current time, to random bytes.
    fn set(&mut self, key: &str, bytes: usize) {
        let timestamp = self.now / 1_000 * 1_000;
        let value = self.random(bytes);
        self.mutate(
            key,
            Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp, value: value.into() },
        );
    }

    fn random(&mut self, bytes: usize) -> Vec<u8> {
        let mut byte = || {
            self.seed =
                self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.seed >> 56) as u8
        };
        (0..bytes).map(|_| byte()).collect()
    }

    fn flush(&mut self) {
        (0..self.table.tablets.len())
            .for_each(|index| self.table.minor_compaction(&mut self.storage, index).unwrap());
    }

    /// Does all work that is due.
    fn settle(&mut self) {
        while self
            .table
            .advance(&mut self.storage, self.now, Budget { bytes: 64 << 10 }, Compactions::Here)
            .unwrap()
        {}
        if self.table.tablets.len() < 200 {
            check_due(&self.table);
        }
    }

    /// Lets time pass as a host does: it calls the table only when there is work.
    fn idle(&mut self, seconds: i64) {
        let until = self.now + seconds * SECOND;
        self.settle();
        for _ in 0..10_000 {
            if self.table.next_work() > until {
                self.now = until;
                return self.settle();
            }
            self.now = self.now.max(self.table.next_work());
            self.settle();
        }
        panic!("the work never ends");
    }

    fn stored(&self) -> u64 {
        self.storage.files().unwrap().into_iter().map(|file| self.storage.size(file).unwrap()).sum()
    }

    fn written(&self) -> u64 {
        self.table.counts.work.compaction_bytes_written
    }

    /// Returns the number of cells.
    fn cells(&mut self) -> usize {
        let rows = self.table.read(&mut self.storage, self.now, &ReadRows::default()).unwrap().rows;
        rows.iter().map(|row| row.cells.len()).sum()
    }

    /// Returns the times of the cells of a row, in seconds.
    fn times(&mut self, key: &str) -> Vec<i64> {
        let rows = self.table.read(&mut self.storage, self.now, &ReadRows::default()).unwrap().rows;
        let row = rows.into_iter().find(|row| row.key == RowKey::from(key));
        row.map_or(Vec::new(), |row| row.cells.iter().map(|cell| cell.timestamp / SECOND).collect())
    }
}

fn max_age(seconds: i64) -> GcRule {
    GcRule::MaxAge { micros: seconds * SECOND }
}

#[test]
fn a_small_idle_table_is_collected_after_the_delay_and_then_left_alone() {
    for is_flushed in [false, true] {
        let mut tested = Tested::new(max_age(10), 1);
        tested.set("a", 10);
        tested.now = 5 * SECOND;
        tested.set("b", 10);
        if is_flushed {
            tested.flush();
        }
        tested.idle(6);
        assert_eq!((tested.now, tested.cells()), (11 * SECOND, 2), "the delay has not passed");
        tested.idle(2);
        assert_eq!(tested.cells(), 1, "{is_flushed}");
        tested.idle(5);
        assert_eq!((tested.cells(), tested.storage.file_count()), (0, 0));
        LOOKS.take();
        assert_eq!(tested.table.next_work(), Timestamp::MAX);
        (0..100).for_each(|_| {
            assert!(
                !tested
                    .table
                    .advance(&mut tested.storage, tested.now, Budget { bytes: 1 }, Compactions::Here)
                    .unwrap()
            );
        });
        assert_eq!(LOOKS.take(), 0);
    }
}

#[test]
fn surplus_versions_go_wherever_they_are() {
    for flushed in 0..4 {
        let mut tested = Tested::new(GcRule::MaxVersions(2), 1);
        for version in 0..3 {
            tested.now += SECOND / 2;
            tested.set("a", 10);
            if flushed >> version & 1 == 1 {
                tested.flush();
            }
        }
        tested.idle(5);
        assert_eq!(tested.cells(), 2, "{flushed}");
        let compactions = tested.table.counts;
        tested.idle(1_000_000);
        assert_eq!(tested.table.counts.major_compactions, compactions.major_compactions);
    }
}

#[test]
fn rules_that_mix_age_and_versions_are_carried_out_and_no_cell_is_written_again_and_again() {
    let mixed = GcRule::Intersection(vec![GcRule::MaxVersions(1), max_age(100)]);
    for rule in [mixed.clone(), GcRule::Union(vec![mixed, max_age(1_000_000)])] {
        let mut tested = Tested::new(rule, 1);
        tested.set("alone", 10);
        for _ in 0..20 {
            tested.now += 10 * SECOND;
            tested.set("many", 10);
            tested.set("kept", 10);
            tested.settle();
        }
        // 11 of 20 versions are at most 100 seconds old.
        assert!((11..=13).contains(&tested.times("many").len()), "{:?}", tested.times("many"));
        tested.idle(102);
        assert_eq!((tested.cells(), tested.times("many")), (3, vec![200]));
        let written = tested.table.counts.major_compactions;
        tested.idle(100_000);
        assert_eq!(tested.table.counts.major_compactions, written);
    }
}

#[test]
fn deleted_rows_take_less_than_a_tenth_of_their_space_after_two_idle_minutes() {
    type Delete = fn() -> Mutation;
    let row: Delete = || Mutation::DeleteFromRow;
    let family: Delete = || Mutation::DeleteFromFamily { family: "f".into() };
    let column: Delete = || {
        let range = TimestampRange { start: 0, end: 0 };
        Mutation::DeleteFromColumn { family: "f".into(), qualifier: "q".into(), range }
    };
    for delete in [row, family, column] {
        let mut tested = Tested::new(GcRule::KeepAll, 1);
        (0..8_000).for_each(|number| tested.set(&format!("{:06}", number * 7_919 % 8_000), 500));
        tested.idle(120);
        let full = tested.stored();
        (0..8_000).for_each(|number| tested.mutate(&format!("{number:06}"), delete()));
        tested.idle(120);
        assert!(tested.cells() == 0 && tested.stored() < full / 10, "{} of {full}", tested.stored());
    }
}

#[test]
fn a_few_deletes_in_a_large_table_wait_until_they_are_worth_it() {
    let mut tested = Tested::new(GcRule::KeepAll, 1);
    (0..10_000).for_each(|number| tested.set(&format!("{:06}", number * 7_919 % 10_000), 500));
    tested.table.compact();
    tested.settle();
    let (full, written) = (tested.stored(), tested.written());
    (0..100).for_each(|number| tested.mutate(&format!("{:06}", number * 97), Mutation::DeleteFromRow));
    tested.flush();
    tested.idle(600);
    assert_eq!(tested.written(), written, "a hundredth of 5 MiB does not go at once");
    tested.idle(600);
    assert!(
        tested.stored() <= full * 995 / 1_000 && tested.written() <= written + full,
        "but after some minutes"
    );
    let written = tested.written();
    tested.idle(1_000_000);
    assert_eq!(tested.written(), written);
}

#[test]
fn parts_of_files_that_nothing_needs_go() {
    let mut tested = Tested::new(GcRule::KeepAll, 1);
    (0..14_000).for_each(|number| tested.set(&format!("{:06}", number * 7_919 % 14_000), 500));
    tested.idle(120);
    tested.flush();
    let full = tested.stored();
    tested.table.drop_row_range(&mut tested.storage, &DropRowRange::Prefix("003".into())).unwrap();
    assert_eq!(tested.stored(), full);
    tested.idle(1_000);
    assert!(tested.stored() < full * 131 / 140, "{} of {full}", tested.stored());
    assert_eq!(tested.cells(), 13_000);
}

/// Random keys, then ascending ones: the lower tablets share files with the upper ones, which are
/// compacted, and are idle.
#[test]
fn files_are_not_kept_for_the_idle_half_of_a_split() {
    let mut tested = Tested::new(GcRule::KeepAll, 1);
    for number in 0..15_000 {
        tested.set(&format!("{:06}", number * 7_919 % 15_000), 500);
        tested.settle();
    }
    for number in 0..15_000 {
        tested.set(&format!("{:06}", 20_000 + number * 7_919 % 15_000), 500);
        tested.settle();
    }
    tested.idle(120);
    let before = tested.stored();
    assert!(tested.table.tablets.len() > 2);
    tested.table.compact();
    tested.settle();
    assert!(before * 100 <= tested.stored() * 115, "{before} instead of {}", tested.stored());
}

#[test]
fn a_file_that_a_backup_needs_is_not_garbage() {
    let mut tested = Tested::new(GcRule::KeepAll, 1);
    (0..4_000).for_each(|number| tested.set(&format!("{number:06}"), 500));
    let mut backup = tested.table.back_up(&mut tested.storage, 0, "t", "b").unwrap();
    tested.table.drop_row_range(&mut tested.storage, &DropRowRange::Prefix("003".into())).unwrap();
    let written = tested.written();
    tested.idle(1_000_000);
    assert_eq!(tested.written(), written);
    backup.delete(&mut tested.storage).unwrap();
    tested.table.background.due.note_all();
    tested.idle(1_000);
    assert!(tested.written() > written);
}

#[test]
fn the_cells_of_a_dropped_family_go() {
    let mut tested = Tested::new(GcRule::KeepAll, 1);
    (0..2_000).for_each(|number| tested.set(&format!("{number:06}"), 500));
    tested.flush();
    let full = tested.stored();
    let drop = [FamilyModification::Drop { family: "f".into() }];
    tested.table.modify_families(&mut tested.storage, &drop).unwrap();
    tested.idle(10);
    assert!(tested.stored() < full / 100);
}

#[test]
fn a_new_rule_is_about_what_is_there() {
    let mut tested = Tested::new(GcRule::KeepAll, 1);
    for second in 1..=3 {
        tested.now = second * SECOND;
        tested.set("a", 10);
    }
    tested.idle(100);
    let update = [FamilyModification::Update { family: "f".into(), gc_rule: GcRule::MaxVersions(1) }];
    tested.table.modify_families(&mut tested.storage, &update).unwrap();
    tested.idle(3);
    assert_eq!(tested.times("a"), [3]);
}

/// Cells live for an hour, and as many expire as are written.
#[test]
fn collection_under_load_writes_a_bounded_number_of_bytes() {
    for scatter in [1, 7_919] {
        let mut tested = Tested::new(max_age(3_600), 1);
        for number in 0..12_000 {
            tested.now += 2 * SECOND;
            tested.set(&format!("{:08}", number * scatter % 12_000), 5_000);
            if number % 50 == 0 {
                tested.settle();
            }
        }
        // 1,800 cells live.
        let work = tested.table.counts.work;
        let amplification =
            (work.flushed_bytes + work.compaction_bytes_written) as f64 / work.flushed_bytes as f64;
        assert!(amplification < if scatter == 1 { 3.0 } else { 10.0 }, "{amplification}");
        assert!(tested.cells() < 2_300, "{} cells of which 1,800 live", tested.cells());
        tested.idle(3_600 + 60);
        assert_eq!(tested.cells(), 0);
        assert!(tested.stored() < 1_000);
    }
}

#[test]
fn many_tablets_that_wait_for_their_time_cost_nothing() {
    for tablets in [100, 1_000] {
        let mut tested = Tested::new(max_age(1_000), tablets);
        (0..tablets).for_each(|number| tested.set(&format!("{number:06}"), 10));
        tested.flush();
        tested.settle();
        tested.now = 900 * SECOND;
        tested.settle();
        assert_eq!(tested.table.next_work(), 1_000 * SECOND + 1);
        LOOKS.take();
        (0..100).for_each(|_| {
            assert!(
                !tested
                    .table
                    .advance(&mut tested.storage, tested.now, Budget { bytes: 1 }, Compactions::Here)
                    .unwrap()
            );
        });
        assert_eq!(LOOKS.take(), 0);
        // Sixteen tablets in two seconds.
        tested.idle(if tablets == 100 { 114 } else { 226 });
        let looks = LOOKS.take();
        assert_eq!(tested.cells(), 0);
        assert!(looks < 40 * tablets as u64, "{looks}");
    }
}

#[test]
fn a_request_to_compact_is_not_cancelled_by_writes() {
    let mut tested = Tested::new(GcRule::KeepAll, 20);
    for _ in 0..2 {
        (0..20).for_each(|number| tested.set(&format!("{number:06}"), 100));
        tested.flush();
    }
    tested.table.compact();
    while tested.table.advance(&mut tested.storage, 0, Budget { bytes: 100 }, Compactions::Here).unwrap() {
        tested.set("000003", 10);
        check_due(&tested.table);
    }
    assert_eq!(tested.table.counts.major_compactions, 20);
    assert!(tested.table.tablets.iter().all(|tablet| tablet.runs.len() == 1 && tablet.wanted.is_none()));
    tested.settle();
    assert_eq!(tested.table.counts.major_compactions, 20, "later writes are not part of the request");
}

/// A table that keeps one version, with one run for each of the first two seconds: each has a
/// version of row `a`, and `rows` other rows.
fn two_versions(rows: usize) -> Tested {
    let mut tested = Tested::new(GcRule::MaxVersions(1), 1);
    for second in 1..=2 {
        tested.now = second * SECOND;
        tested.set("a", 10);
        (0..rows).for_each(|number| tested.set(&format!("b{number:06}"), 100));
        tested.flush();
    }
    tested
}

/// Deletes the version of a row that was written in a given second.
fn delete_version(tested: &mut Tested, key: &str, second: i64) {
    let range = TimestampRange { start: second * SECOND, end: (second + 1) * SECOND };
    tested.mutate(key, Mutation::DeleteFromColumn { family: "f".into(), qualifier: "q".into(), range });
}

/// A compaction that was not requested must not remove what a reader sees, except by a rule.
#[test]
fn versions_that_a_delete_uncovers_are_kept() {
    let mut tested = two_versions(0);
    delete_version(&mut tested, "a", 2);
    assert_eq!(tested.times("a"), [1]);
    tested
        .table
        .update_settings(
            &mut tested.storage,
            TableSettings { sstables_max: 1, ..tested.table.settings.clone() },
        )
        .unwrap();
    tested.settle();
    assert_eq!(tested.times("a"), [1], "a merge of all runs");
    tested.idle(1_000);
    assert_eq!(tested.times("a"), [1], "a collection");
}

#[test]
fn versions_that_are_uncovered_during_a_collection_are_kept() {
    let mut tested = two_versions(2_000);
    let mut is_deleted = false;
    for _ in 0..1_000 {
        tested.now += SECOND / 10;
        tested
            .table
            .advance(&mut tested.storage, tested.now, Budget { bytes: 10_000 }, Compactions::Here)
            .unwrap();
        if tested.table.background.compaction.is_some() && !is_deleted {
            delete_version(&mut tested, "a", 2);
            assert!(tested.table.background.compaction.is_none());
            is_deleted = true;
        }
        assert_eq!(tested.times("a"), if is_deleted { vec![1] } else { vec![2, 1] });
    }
    assert_eq!((is_deleted, tested.cells()), (true, 2_001));
    // Instead of it, nothing is merged that collects nothing.
    assert_eq!((tested.table.counts.minor_compactions, tested.table.counts.major_compactions), (3, 1));
}

/// Some old versions in a tablet of 4 MB, where garbage waits for minutes.
#[test]
fn a_collection_that_is_discarded_waits_again() {
    let mut tested = Tested::new(GcRule::MaxVersions(1), 1);
    let settings = TableSettings { sstables_max: 100, ..tested.table.settings.clone() };
    tested.table.update_settings(&mut tested.storage, settings).unwrap();
    for second in 1..=2 {
        tested.now = second * SECOND;
        (0..100).for_each(|number| tested.set(&format!("a{number:06}"), 100));
        (0..4_000).for_each(|number| tested.set(&format!("b{second}{number:06}"), 500));
        tested.flush();
    }
    let begin = |tested: &mut Tested| {
        for second in 0..100_000 {
            if tested.table.background.compaction.is_some() {
                return second;
            }
            tested.now += SECOND;
            while tested
                .table
                .advance(&mut tested.storage, tested.now, Budget { bytes: 1 }, Compactions::Here)
                .unwrap()
                && tested.table.background.compaction.is_none()
            {}
        }
        panic!("nothing is collected");
    };
    let first = begin(&mut tested);
    assert!(first > 60, "{first}");
    delete_version(&mut tested, "a000001", 2);
    assert!(tested.table.background.compaction.is_none() && tested.table.tablets[0].collects.is_none());
    assert!(begin(&mut tested) > first / 2);
    // A collection that was chosen and has not begun is discarded too.
    let begun = tested.table.background.compaction.take().unwrap();
    tested.table.abandon(&mut tested.storage, begun).unwrap();
    delete_version(&mut tested, "a000001", 2);
    assert!(tested.table.tablets[0].collects.is_none() && !tested.table.has_work());
}
