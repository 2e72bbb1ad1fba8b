//! An instance with threads that read, write and panic.

use tabletop_engine::CellRef;
use tabletop_engine::Limits;
use tabletop_model::TableSettings;
use tabletop_model::{
    ColumnFamily, FamilyModification, GcRule, Mutation, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule,
    Row, RowMutation, TableSpec,
};

use super::*;
use crate::files::FileStorage;
use crate::host::table_settings;

fn served(storage: AnyStorage) -> Arc<Served> {
    let clock: Clock = Arc::new(|| 1_000);
    let instance = match storage {
        AnyStorage::Memory(_) => Instance::on(storage),
        _ => Instance::open(storage, 0).unwrap().0,
    };
    let served = Served::new(
        instance,
        Recovery::default(),
        clock,
        SharedLimits::new(Limits::default()),
        Arc::default(),
    );
    let spec = TableSpec {
        families: vec![ColumnFamily::new("f")],
        settings: table_settings(),
        ..TableSpec::default()
    };
    served.change(|instance, now| instance.create_table(now, "t", spec)).unwrap();
    served
}

fn entry(key: &str, family: &str) -> RowMutation {
    let set = |family: &str| Mutation::SetCell {
        family: family.into(),
        qualifier: "q".into(),
        timestamp: 0,
        value: key.into(),
    };
    RowMutation { key: key.into(), mutations: vec![set(family)] }
}

#[test]
fn increments_of_many_threads_are_all_counted() {
    let folder = tempfile::tempdir().unwrap();
    let served = served(AnyStorage::Files(FileStorage::open(folder.path()).unwrap()));
    let increment = || {
        let modify = ReadModify::Increment(1);
        let rules = vec![ReadModifyWriteRule { family: "f".into(), qualifier: "q".into(), modify }];
        let row =
            served.read_modify_write_row("t".into(), ReadModifyWriteRow { key: "n".into(), rules }).unwrap();
        i64::from_be_bytes(row.cells[0].value.0[..].try_into().unwrap())
    };
    let mut values: Vec<i64> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| (0..50).map(|_| increment()).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    values.sort_unstable();
    assert_eq!(values, (1..=400).collect::<Vec<_>>());
}

#[test]
fn reads_of_two_threads_overlap() {
    struct Meeting<'a>(&'a std::sync::Barrier, usize);
    impl RowVisitor for Meeting<'_> {
        fn row(&mut self, _: &[u8]) {
            // Returns only when the other thread is here, too.
            self.0.wait();
            self.1 += 1;
        }
        fn cell(&mut self, _: CellRef<'_>) {}
    }
    let served = served(AnyStorage::in_memory());
    assert_eq!(served.mutate_rows("t".into(), vec![entry("r", "f"), entry("s", "f")]), Ok(vec![None, None]));
    let barrier = std::sync::Barrier::new(2);
    let read = || {
        let mut meeting = Meeting(&barrier, 0);
        let scan = served.read_into("t", &ReadRows::default(), &mut meeting).unwrap();
        (scan.stats.rows_returned, meeting.1)
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(read);
        assert_eq!((read(), other.join().unwrap()), ((2, 2), (2, 2)));
    });
    let view = served.with(|instance, now| Ok(instance.table("t")?.view(now))).unwrap();
    assert_eq!(view.tablets[0].reads, 4, "both are load");
}

#[test]
fn a_read_does_not_wait_for_a_change() {
    let served = served(AnyStorage::in_memory());
    assert_eq!(served.mutate_rows("t".into(), vec![entry("r", "f")]), Ok(vec![None]));
    let change = served.lock();
    let mut rows: Vec<Row> = Vec::new();
    served.read_into("t", &ReadRows::default(), &mut rows).unwrap();
    let samples = served.sample_row_keys("t").unwrap();
    drop(change);
    assert_eq!((rows.len(), samples.len()), (1, 1));
    assert_eq!(served.sample_row_keys("nope").unwrap_err().code, Code::NotFound);
}

/// One thread writes each row again and again, while memtables, tablets and files change all the
/// time. Other threads read.
#[test]
fn reads_during_changes_see_all_rows_of_one_moment() {
    const ROWS: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let served = served(AnyStorage::Files(FileStorage::open(folder.path()).unwrap()));
    let settings = TableSettings {
        block_bytes: 256,
        memtable_bytes_max: 1 << 10,
        tablet_bytes_max: 4 << 10,
        cache_bytes_max: 2 << 10,
        sstables_max: 2,
        ..table_settings()
    };
    served.with(|instance, _| instance.table("t")?.update_settings(settings)).unwrap();
    let key = |row: usize| format!("{row:03}");
    let write = |row: usize, value: u64| {
        let value = format!("{value:050}").as_str().into();
        let set = Mutation::SetCell { family: "f".into(), qualifier: "q".into(), timestamp: 0, value };
        let entry =
            RowMutation { key: key(row).as_str().into(), mutations: vec![Mutation::DeleteFromRow, set] };
        assert_eq!(served.mutate_rows("t".into(), vec![entry]), Ok(vec![None]));
    };
    (0..ROWS).for_each(|row| write(row, 0));
    let written = AtomicU64::new(0);
    let is_over = AtomicBool::new(false);
    let read = |reversed: bool| {
        let mut reads = 0;
        while !is_over.load(Ordering::Acquire) || reads == 0 {
            let least = written.load(Ordering::Acquire);
            let mut rows: Vec<Row> = Vec::new();
            let read = ReadRows { reversed, ..ReadRows::default() };
            served.read_into("t", &read, &mut rows).unwrap();
            if reversed {
                rows.reverse();
            }
            let keys: Vec<String> = rows.iter().map(|row| row.key.to_string()).collect();
            assert_eq!(
                keys,
                (0..ROWS).map(key).collect::<Vec<_>>(),
                "no row is missing, and none is there twice"
            );
            for row in rows {
                assert_eq!(row.cells.len(), 1);
                let value: u64 = row.cells[0].value.to_string().parse().unwrap();
                assert!(value >= least, "{value} was answered before {least}");
            }
            reads += 1;
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| read(false));
        scope.spawn(|| read(true));
        for round in 1..=20 {
            (0..ROWS).for_each(|row| write(row, round));
            written.store(round, Ordering::Release);
        }
        is_over.store(true, Ordering::Release);
    });
    let view = served.with(|instance, now| Ok(instance.table("t")?.view(now))).unwrap();
    assert!(view.minor_compactions > 20 && view.major_compactions > 5, "{view:?}");
    // No file stays because a read had it: the work that is due removes the last ones.
    let count = || std::fs::read_dir(folder.path()).unwrap().count();
    served.finish_work();
    let left = count();
    served.close();
    let (instance, _) =
        Instance::open(AnyStorage::Files(FileStorage::open(folder.path()).unwrap()), 0).unwrap();
    assert_eq!((count(), instance.table_ids().count()), (left, 1));
}

#[test]
fn a_read_that_panics_harms_no_other_request() {
    struct Panics;
    impl RowVisitor for Panics {
        fn row(&mut self, _: &[u8]) {
            panic!("a bug");
        }
        fn cell(&mut self, _: CellRef<'_>) {}
    }
    let folder = tempfile::tempdir().unwrap();
    let served = served(AnyStorage::Files(FileStorage::open(folder.path()).unwrap()));
    assert_eq!(served.mutate_rows("t".into(), vec![entry("r", "f")]), Ok(vec![None]));
    let error = served.read_into("t", &ReadRows::default(), &mut Panics).unwrap_err();
    assert!(error.code == Code::Internal && error.message.contains("a bug"), "{error}");
    let mut rows: Vec<Row> = Vec::new();
    served.read_into("t", &ReadRows::default(), &mut rows).unwrap();
    assert_eq!((rows.len(), served.mutate_rows("t".into(), vec![entry("s", "f")])), (1, Ok(vec![None])));
}

#[test]
fn a_write_that_panics_ends_those_that_share_its_sync() {
    let served = served(AnyStorage::in_memory());
    let outcomes: Vec<Result<()>> = std::thread::scope(|scope| {
        // The writes wait for this lock, and then for one leader.
        let state = served.lock();
        let write = |panics: bool| {
            served.write("t".into(), 0, move |table, now| {
                assert!(!panics, "a bug");
                table.mutate_row(now, &entry("r", "f"))
            })
        };
        let threads: Vec<_> =
            [false, true, false].map(|panics| scope.spawn(move || write(panics))).into_iter().collect();
        while served.writes.len() < 3 {
            std::thread::yield_now();
        }
        drop(state);
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(
        outcomes.iter().all(|outcome| matches!(outcome, Err(error) if error.code == Code::Internal)),
        "{outcomes:?}"
    );
    assert_eq!(served.mutate_rows("t".into(), vec![entry("r", "f")]), Ok(vec![None]));
}

#[test]
fn the_compaction_wakes_when_the_next_cells_expire() {
    let served = served(AnyStorage::in_memory());
    assert_eq!(served.advance(), Some(IDLE));
    let update =
        FamilyModification::Update { family: "f".into(), gc_rule: GcRule::MaxAge { micros: 300_000 } };
    served
        .change(|instance, _| {
            instance.set_gc_delay(200_000);
            instance.table("t")?.modify_families(&[update])
        })
        .unwrap();
    while served.advance().is_none() {}
    assert_eq!(served.mutate_rows("t".into(), vec![entry("a", "f")]), Ok(vec![None]));
    assert_eq!(served.advance(), Some(Duration::from_millis(200)), "then the memtable is looked at");
}

#[test]
fn a_panic_ends_one_request_and_a_durable_instance_until_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let panics = |served: &Served| served.with::<()>(|_, _| panic!("a bug")).unwrap_err();
    let write = |served: &Served| served.mutate_rows("t".into(), vec![entry("r", "f")]);
    let in_memory = served(AnyStorage::in_memory());
    assert!(panics(&in_memory).message.contains("a bug"));
    assert_eq!((write(&in_memory), in_memory.health()), (Ok(vec![None]), Ok(())));
    let durable = served(AnyStorage::Files(FileStorage::open(folder.path()).unwrap()));
    assert_eq!((write(&durable), durable.health()), (Ok(vec![None]), Ok(())));
    assert_eq!(panics(&durable).code, Code::Internal);
    assert!(durable.health().is_err_and(|error| error.message.contains("a bug")));
    assert!(matches!(write(&durable), Err(error) if error.message.contains("a bug")));
    durable.close();
    assert_eq!(durable.health(), Ok(()), "an instance that was closed needs no storage");
}

#[test]
fn others_write_between_the_parts_of_a_large_write() {
    let served = served(AnyStorage::in_memory());
    let value =
        |row: usize| (0..1 << 20).map(|at: usize| (at.wrapping_mul(row + 7) >> 3) as u8).collect::<Vec<_>>();
    let large = |row: usize| {
        let set = Mutation::SetCell {
            family: "f".into(),
            qualifier: "q".into(),
            timestamp: 0,
            value: value(row).into(),
        };
        RowMutation { key: format!("{row:04}").as_str().into(), mutations: vec![set] }
    };
    let mut entries: Vec<RowMutation> = (0..64).map(large).collect();
    entries[40].mutations.clear();
    let is_over = AtomicBool::new(false);
    let (outcomes, between) = std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let mut between = 0;
            while !is_over.load(Ordering::Relaxed) {
                served.mutate_rows("t".into(), vec![entry("r", "f")]).unwrap();
                let rows = tabletop_model::RowSet::range(tabletop_model::RowRange::prefix("0000"));
                let mut found: Vec<Row> = Vec::new();
                served.read_into("t", &ReadRows { rows, ..ReadRows::default() }, &mut found).unwrap();
                between += found.len();
            }
            between
        });
        let outcomes = served.mutate_rows("t".into(), entries).unwrap();
        is_over.store(true, Ordering::Relaxed);
        (outcomes, others.join().unwrap())
    });
    assert!(between > 8, "{between} other writes");
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_some()).count(), 1);
    assert!(outcomes[40].as_ref().is_some_and(|error| error.message.contains("No mutations")));
    // The limit applies to the request.
    let many = |row: usize| RowMutation { mutations: vec![large(row).mutations.remove(0); 1], ..large(row) };
    let mut entries: Vec<RowMutation> = (0..8).map(many).collect();
    entries[7].mutations = vec![Mutation::DeleteFromRow; 100_000];
    assert_eq!(served.mutate_rows("t".into(), entries).unwrap_err().code, Code::InvalidArgument);
}

#[test]
fn others_write_while_a_large_cell_is_logged() {
    let folder = tempfile::tempdir().unwrap();
    let served = served(AnyStorage::Files(FileStorage::open(folder.path()).unwrap()));
    let large = |value: Vec<u8>| {
        let set = Mutation::SetCell {
            family: "f".into(),
            qualifier: "q".into(),
            timestamp: 0,
            value: value.into(),
        };
        served.mutate_rows("t".into(), vec![RowMutation { key: "large".into(), mutations: vec![set] }])
    };
    let is_over = AtomicBool::new(false);
    let others = std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let mut others = 0;
            while !is_over.load(Ordering::Relaxed) {
                assert_eq!(served.mutate_rows("t".into(), vec![entry("r", "f")]), Ok(vec![None]));
                others += 1;
            }
            others
        });
        let outcomes = [1, 2].map(|version| large(vec![version; 60 << 20]));
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(outcomes, [Ok(vec![None]), Ok(vec![None])]);
        others.join().unwrap()
    });
    assert!(others > 10, "{others} other writes");
    assert_eq!(large(vec![3; 101 << 20]).unwrap().remove(0).unwrap().code, Code::InvalidArgument);
    served.close();
    assert_eq!(large(vec![3; 60 << 20]).unwrap_err().code, Code::Unavailable);
    drop(served);
    let (mut instance, report) =
        Instance::open(AnyStorage::Files(FileStorage::open(folder.path()).unwrap()), 0).unwrap();
    let rows = instance.table("t").unwrap().read(0, &ReadRows::default()).unwrap().rows;
    assert!(
        report.is_whole() && rows.len() == 2 && rows[0].cells[0].value.0 == vec![2; 60 << 20],
        "{report:?}"
    );
}
