//! Backups, files of whole tables, and storage that is full.

use proptest::collection::vec;
use proptest::prelude::*;
use tabletop_engine::{Budget, Instance, Storage};
use tabletop_model::{
    BackupView, Code, ColumnFamily, DropRowRange, Error, ExportPiece, FamilyModification, Mutation, ReadRows,
    Request, Response, Row, RowKey, RowMutation, TableRequest, TableSettings, TableSpec,
};
use tabletop_tests::arbitrary::{FAMILIES, config, row_mutation, settings};
use tabletop_tests::faulty::{Fault, FaultKind, FaultyStorage, chance};
use tabletop_tests::{Database, read_all};

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn an_imported_table_is_the_exported_one(
        settings in settings(),
        entries in vec(row_mutation(), 1..100),
        piece_bytes in 1_usize..3_000,
        durable: bool,
    ) {
        let mut engine = open(&FaultyStorage::default());
        create(&mut engine, "t", settings);
        mutate(&mut engine, "t", entries);
        let (file, missing) = export(&mut engine, "t");
        prop_assert_eq!(missing, vec![]);
        if durable {
            let disk = FaultyStorage::default();
            let mut other = open(&disk);
            prop_assert_eq!(import(&mut other, "u", &file, piece_bytes), Ok(()));
            drop(other);
            prop_assert_eq!(rows(&mut open(&disk), "u"), rows(&mut engine, "t"));
        } else {
            let mut other = Instance::new();
            prop_assert_eq!(import(&mut other, "u", &file, piece_bytes), Ok(()));
            prop_assert_eq!(rows(&mut other, "u"), rows(&mut engine, "t"));
            prop_assert_eq!(export(&mut other, "u").1, vec![]);
        }
    }
}

#[test]
fn a_change_of_any_byte_of_an_export_is_found() {
    let mut engine = small_table(&FaultyStorage::default());
    let expected = rows(&mut engine, "t");
    let (file, _) = export(&mut engine, "t");
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 1 << (at % 8);
        let disk = FaultyStorage::default();
        let mut other = open(&disk);
        match import(&mut other, "t", &changed, 1_000) {
            Err(error) => assert_eq!(error.code, Code::DataLoss, "byte {at}: {error}"),
            // The synced length does not limit a read as a stream.
            Ok(()) => assert_eq!(rows(&mut other, "t"), expected, "byte {at}"),
        }
    }
    for length in 0..file.len() {
        let disk = FaultyStorage::default();
        let mut other = open(&disk);
        let error = import(&mut other, "t", &file[..length], 1_000).expect_err("it is not whole");
        assert_eq!(error.code, Code::DataLoss, "{length} bytes: {error}");
        assert!(disk.contents().is_empty(), "{length} bytes: what was imported is removed");
        create(&mut other, "t", TableSettings::default());
    }
}

#[test]
fn an_import_is_named_and_can_be_cancelled() {
    let mut engine = small_table(&FaultyStorage::default());
    let (file, _) = export(&mut engine, "t");
    let disk = FaultyStorage::default();
    let mut other = open(&disk);
    let begin = |other: &mut Instance<FaultyStorage>| {
        let piece = file[..file.len() - 10].to_vec().into();
        done(other, TableRequest::Import { piece, is_last: false }.of("t"));
    };
    begin(&mut other);
    assert_eq!((other.imports().collect::<Vec<_>>(), other.table_ids().count()), (vec!["t"], 0));
    assert_eq!(other.cancel_import("t"), Ok(()));
    assert!(disk.contents().is_empty());
    assert_eq!(
        (other.imports().count(), other.cancel_import("t").map_err(|error| error.code)),
        (0, Err(Code::NotFound))
    );
    begin(&mut other);
    assert_eq!(other.cancel_import("t"), Ok(()));
    assert_eq!(import(&mut other, "t", &file, 500), Ok(()));
}

/// The header of each file is read only once, however many tables there are.
#[test]
fn tables_are_created_and_deleted_without_a_look_into_all_files() {
    let disk = FaultyStorage::default();
    let mut engine = open(&disk);
    let calls = |engine: &mut Instance<FaultyStorage>, name: &str| {
        disk.fail(None);
        create(engine, name, TableSettings::default());
        let of_creation = disk.calls();
        disk.fail(None);
        done(engine, TableRequest::Delete.of(name));
        (of_creation, disk.calls())
    };
    let few = calls(&mut engine, "first");
    (0..100).for_each(|number| create(&mut engine, &format!("t{number}"), TableSettings::default()));
    calls(&mut engine, "second");
    assert_eq!(calls(&mut engine, "third"), few);
}

#[test]
fn an_import_that_was_not_finished_leaves_nothing() {
    let mut engine = small_table(&FaultyStorage::default());
    let (file, _) = export(&mut engine, "t");
    let disk = FaultyStorage::default();
    let mut other = open(&disk);
    let piece = file[..file.len() - 10].to_vec().into();
    let request = TableRequest::Import { piece, is_last: false }.of("t");
    assert_eq!(other.handle(0, request), Response::Done);
    assert!(!disk.contents().is_empty());
    drop(other);
    let (mut other, report) = Instance::open(disk.clone(), 0).expect("a disk without faults");
    assert!(report.tables.is_empty() && report.is_whole() && report.files_removed > 0, "{report:?}");
    assert!(disk.contents().is_empty());
    assert_eq!(import(&mut other, "t", &file, 500), Ok(()));
}

#[test]
fn the_undamaged_part_of_a_table_can_be_exported() {
    let disk = FaultyStorage::default();
    let mut engine = small_table(&disk);
    let expected = rows(&mut engine, "t").expect("nothing is damaged yet");
    drop(engine);
    let files = disk.contents();
    let mut exported = 0;
    for (file, bytes) in files.iter().filter(|(_, bytes)| bytes[8] == 3) {
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = files.clone();
            changed.get_mut(file).expect("it is there")[at] ^= 0x10;
            let mut engine = open(&FaultyStorage::holding(&changed));
            let (file, missing) = export(&mut engine, "t");
            let mut other = Instance::new();
            assert_eq!(import(&mut other, "t", &file, 4_000), Ok(()));
            let is_missing = |key: &RowKey| {
                missing.iter().any(|(start, end)| key >= start && (end.is_empty() || key < end))
            };
            let left: Vec<Row> = expected.iter().filter(|row| !is_missing(&row.key)).cloned().collect();
            assert_eq!(rows(&mut other, "t"), Ok(left), "byte {at}, missing {missing:?}");
            exported += usize::from(!missing.is_empty());
        }
    }
    assert!(exported > 50, "{exported} times something was missing");
}

#[test]
fn a_backup_holds_the_state_of_its_creation() {
    let disk = FaultyStorage::default();
    let mut engine = small_table(&disk);
    let before = rows(&mut engine, "t");
    done(&mut engine, TableRequest::BackUp { backup: "b".into() }.of("t"));
    let files = disk.contents().len();
    assert_eq!(
        refused(&mut engine, TableRequest::BackUp { backup: "b".into() }.of("t")),
        Code::AlreadyExists
    );
    mutate(&mut engine, "t", vec![set("a new row", "x"), set("user03", "changed")]);
    engine.settle(0);
    let after = rows(&mut engine, "t");
    assert_ne!(before, after);

    done(&mut engine, TableRequest::Restore { backup: "b".into() }.of("u"));
    assert_eq!(
        disk.contents().len(),
        files + 1,
        "the restored table has a manifest of its own, and shares the rest"
    );
    let mut engine = crash(engine, &disk);
    assert_eq!((rows(&mut engine, "u"), rows(&mut engine, "t")), (before.clone(), after));
    // Shared files stay as long as anything refers to them.
    done(&mut engine, TableRequest::Delete.of("t"));
    let mut engine = crash(engine, &disk);
    assert_eq!(rows(&mut engine, "u"), before);
    mutate(&mut engine, "u", vec![set("another new row", "y")]);
    done(&mut engine, TableRequest::Compact.of("u"));
    engine.settle(0);
    done(&mut engine, TableRequest::Restore { backup: "b".into() }.of("t"));
    assert_eq!(rows(&mut engine, "t"), before);
    done(&mut engine, TableRequest::Delete.of("t"));
    let views = backups(&mut engine);
    assert_eq!((views.len(), views[0].name.as_str(), views[0].table.as_str()), (1, "b", "t"));
    let mut engine = crash(engine, &disk);
    assert_eq!(backups(&mut engine), views);
    done(&mut engine, Request::DeleteBackup { backup: "b".into() });
    let mut engine = crash(engine, &disk);
    assert_eq!(backups(&mut engine), vec![]);
    assert_eq!(rows(&mut engine, "u").map(|rows| rows.len()), before.map(|rows| rows.len() + 1));
    done(&mut engine, TableRequest::Delete.of("u"));
    assert!(disk.contents().is_empty(), "nothing is left");
}

/// Each of these requests is interrupted at each of its storage calls. Afterwards it must be either
/// done completely or not at all.
#[test]
fn a_crash_leaves_a_backup_or_none() {
    let (back_up, restore, delete, delete_table, import_piece): (
        Request,
        Request,
        Request,
        Request,
        Request,
    ) = (
        TableRequest::BackUp { backup: "b".into() }.of("t"),
        TableRequest::Restore { backup: "b".into() }.of("u"),
        Request::DeleteBackup { backup: "b".into() },
        TableRequest::Delete.of("t"),
        TableRequest::Import {
            piece: export(&mut small_table(&FaultyStorage::default()), "t").0.into(),
            is_last: true,
        }
        .of("v"),
    );
    for (at, seed) in (0..200).flat_map(|at| (0..4).map(move |seed| (at, at * 4 + seed))) {
        for kind in [FaultKind::Crash, FaultKind::Unknown, FaultKind::NotDone, FaultKind::Full] {
            let disk = FaultyStorage::default();
            let mut engine = small_table(&disk);
            let expected = rows(&mut engine, "t");
            disk.fail(Some(Fault { at, kind }));
            let mut answers = Vec::new();
            for request in [&back_up, &restore, &delete, &delete_table, &import_piece] {
                let mut answer = engine.handle(0, request.clone());
                if matches!(&answer, Response::Refused(error) if error.code == Code::Unavailable) {
                    // A client retries a request that is refused with a retryable code.
                    answer = engine.handle(0, request.clone());
                }
                answers.push(answer);
            }
            drop(engine);
            disk.crash(chance(seed));
            let what = format!("call {at}, {kind:?}, seed {seed}, {answers:?}");
            let mut engine = reopen(&disk, &what);
            for (table, made, deleted) in [("t", None, Some(3)), ("u", Some(1), None), ("v", Some(4), None)] {
                match rows(&mut engine, table) {
                    Ok(rows) => {
                        assert_eq!(Ok(rows), expected, "{what}, table {table}");
                        assert!(deleted.is_none_or(|index| answers[index] != Response::Done), "{what}");
                    }
                    Err(error) => {
                        assert_eq!(error.code, Code::NotFound, "{what}: {error}");
                        assert!(made.is_none_or(|index| answers[index] != Response::Done), "{what}");
                    }
                }
            }
            go_on(engine, &disk, chance(seed + 1), &expected, &what);
        }
    }
}

/// Uses the remaining tables, and checks that they survive the next crash.
fn go_on(
    mut engine: Instance<FaultyStorage>,
    disk: &FaultyStorage,
    chance: impl FnMut(u64) -> u64,
    expected: &Result<Vec<Row>, Error>,
    what: &str,
) {
    let Response::Tables(tables) = engine.handle(0, Request::ListTables) else { panic!("{what}") };
    assert!(tables.is_sorted_by(|a, b| a < b), "{what}: {tables:?}");
    create(&mut engine, "new", TableSettings::default());
    mutate(&mut engine, "new", vec![set("key", "value")]);
    for view in backups(&mut engine) {
        done(&mut engine, Request::DeleteBackup { backup: view.name });
    }
    for table in &tables {
        done(&mut engine, TableRequest::Compact.of(table.clone()));
    }
    engine.settle(0);
    drop(engine);
    disk.crash(chance);
    let mut engine = reopen(disk, what);
    assert_eq!(backups(&mut engine), vec![], "{what}");
    for table in &tables {
        assert_eq!(rows(&mut engine, table), *expected, "{what}, table {table}");
    }
    assert_eq!(rows(&mut engine, "new").map(|rows| rows.len()), Ok(1), "{what}");
}

fn reopen(disk: &FaultyStorage, what: &str) -> Instance<FaultyStorage> {
    let (engine, report) = Instance::open(disk.clone(), 0).expect("the fault is over");
    assert!(report.is_whole(), "{what}: {report:#?}");
    engine
}

/// Files of a restored table that are no longer shared: after a crash at any point, they must not
/// count as damage.
#[test]
fn shared_files_outlive_the_table_that_wrote_them() {
    for at in 0..400 {
        let disk = FaultyStorage::default();
        let mut engine = small_table(&disk);
        let expected = rows(&mut engine, "t");
        done(&mut engine, TableRequest::BackUp { backup: "b".into() }.of("t"));
        done(&mut engine, TableRequest::Restore { backup: "b".into() }.of("u"));
        done(&mut engine, TableRequest::Delete.of("t"));
        disk.fail(Some(Fault { at, kind: FaultKind::Crash }));
        engine.handle(0, Request::DeleteBackup { backup: "b".into() });
        engine.handle(0, TableRequest::Compact.of("u"));
        engine.settle(0);
        engine.handle(0, TableRequest::BackUp { backup: "c".into() }.of("u"));
        engine.handle(0, Request::DeleteBackup { backup: "c".into() });
        drop(engine);
        // Every removed file that can reappear does reappear.
        disk.crash(|_| 0);
        let mut engine = reopen(&disk, &format!("call {at}"));
        assert_eq!(rows(&mut engine, "u"), expected, "call {at}");
    }
}

/// In a damaged log, the rows that it had are unknown.
#[test]
fn an_export_reports_where_writes_may_be_missing() {
    let disk = FaultyStorage::default();
    let mut engine = open(&disk);
    create(&mut engine, "t", TableSettings::default());
    for index in 0..9 {
        mutate(&mut engine, "t", vec![set(&format!("{index}"), "x")]);
    }
    drop(engine);
    let mut files = disk.contents();
    let log = files.values_mut().find(|bytes| bytes[8] == 2).expect("a commit log");
    log[60] ^= 1;
    let mut engine = open(&FaultyStorage::holding(&files));
    assert_eq!(export(&mut engine, "t").1, vec![(RowKey::default(), RowKey::default())]);
}

#[test]
fn a_full_storage_can_be_read_and_is_writable_once_there_is_space() {
    let disk = FaultyStorage::default();
    let mut engine = small_table(&disk);
    create(&mut engine, "other", TableSettings::default());
    mutate(
        &mut engine,
        "other",
        (0..100).map(|index| set(&format!("{index:03}"), &"x".repeat(100))).collect(),
    );
    let room = disk.contents().values().map(|bytes| bytes.len() as u64).sum::<u64>() + 2_000;
    disk.limit(Some(room));
    let mut acknowledged = rows(&mut engine, "t").expect("there is room").len();
    let error = loop {
        let request = TableRequest::MutateRows(vec![set(&format!("more{acknowledged:03}"), "value")]).of("t");
        match engine.handle(0, request) {
            Response::Mutated(outcomes) => match outcomes.into_iter().next().flatten() {
                None => acknowledged += 1,
                Some(error) => break error,
            },
            other => panic!("{other:?}"),
        }
        assert!(acknowledged < 1_000, "it becomes full");
    };
    assert_eq!(error.code, Code::ResourceExhausted);
    assert!(error.message.contains("storage is full") && error.message.contains("make room"), "{error}");
    assert_eq!(rows(&mut engine, "t").map(|rows| rows.len()), Ok(acknowledged));
    done(&mut engine, TableRequest::Delete.of("other"));
    mutate(&mut engine, "t", vec![set("and on", "it goes")]);
    engine.settle(0);
    let mut engine = crash(engine, &disk);
    assert_eq!(rows(&mut engine, "t").map(|rows| rows.len()), Ok(acknowledged + 1));
}

/// Rows in memory do not need room if none of their tablet's rows stay.
#[test]
fn a_full_storage_can_be_emptied() {
    for range in [DropRowRange::All, DropRowRange::Prefix("m".into())] {
        let disk = FaultyStorage::default();
        let mut engine = open(&disk);
        let families = FAMILIES.iter().map(|name| ColumnFamily::new(*name)).collect();
        let initial_splits = vec!["m".into(), "n".into()];
        let spec = TableSpec { families, initial_splits, ..TableSpec::default() };
        done(&mut engine, TableRequest::Create(spec).of("t"));
        let entries = |prefix: &str| {
            (0..50).map(|index| set(&format!("{prefix}{index}"), &"x".repeat(1_000))).collect()
        };
        ["a", "m", "z"].iter().for_each(|prefix| mutate(&mut engine, "t", entries(prefix)));
        let room = disk.contents().values().map(|bytes| bytes.len() as u64).sum::<u64>() + 1_000;
        disk.limit(Some(room));
        done(&mut engine, TableRequest::DropRowRange(range.clone()).of("t"));
        let left = if range == DropRowRange::All { 0 } else { 100 };
        assert_eq!(rows(&mut engine, "t").map(|rows| rows.len()), Ok(left), "{range:?}");
        // The log has room for rows again.
        let is_empty = left == 0;
        let bytes: usize = disk.contents().values().map(Vec::len).sum();
        assert_eq!(bytes < 2_000, is_empty, "{range:?}: {bytes} bytes");
        disk.limit(None);
        let mut engine = crash(engine, &disk);
        assert_eq!(rows(&mut engine, "t").map(|rows| rows.len()), Ok(left), "{range:?}");
        mutate(&mut engine, "t", entries("m"));
        engine.settle(0);
        let mut engine = crash(engine, &disk);
        assert_eq!(rows(&mut engine, "t").map(|rows| rows.len()), Ok(left + 50), "{range:?}");
    }
}

/// A file that cannot be removed now, for example because a virus scanner has it open, stays. Its
/// table must not reappear.
#[test]
fn a_deleted_table_stays_deleted_if_a_removal_is_refused() {
    for after in 0.. {
        let disk = FaultyStorage::default();
        let mut engine = open(&disk);
        create(&mut engine, "t", TableSettings { memtable_bytes_max: 1, ..TableSettings::default() });
        disk.refuse_removal(Some(after));
        // Enough rows that the manifest is rewritten.
        for n in 0..400 {
            mutate(&mut engine, "t", vec![set(&format!("a key of some length {n}"), "v")]);
            engine.advance(0, Budget { bytes: 1 << 20 });
        }
        done(&mut engine, TableRequest::Delete.of("t"));
        create(&mut engine, "u", TableSettings::default());
        drop(engine);
        let was_refused = disk.refuse_removal(None);
        disk.crash(chance(after));
        let (mut engine, report) = Instance::open(disk.clone(), 0).expect("storage answers");
        assert!(report.is_whole(), "removal {after}: {report:#?}");
        assert_eq!(
            engine.handle(0, Request::ListTables),
            Response::Tables(vec!["u".into()]),
            "removal {after}"
        );
        // The log of an empty table is created by its first write.
        assert_eq!(disk.contents().len(), 1, "removal {after}: no other file is left");
        if !was_refused {
            break;
        }
    }
}

#[test]
fn an_export_ends_when_families_change() {
    let mut engine = small_table(&FaultyStorage::default());
    mutate(&mut engine, "t", (0..3_000).map(|n| set(&format!("long {n}"), &"v".repeat(1_000))).collect());
    let Response::Exported(first) = engine.handle(0, TableRequest::Export { resume: None }.of("t")) else {
        panic!("the table can be exported");
    };
    assert!(first.resume.is_some(), "there is more");
    let modifications = vec![FamilyModification::Create(ColumnFamily::new("new"))];
    done(&mut engine, TableRequest::ModifyFamilies(modifications).of("t"));
    assert_eq!(
        refused(&mut engine, TableRequest::Export { resume: first.resume }.of("t")),
        Code::FailedPrecondition
    );
}

fn open(disk: &FaultyStorage) -> Instance<FaultyStorage> {
    Instance::open(disk.clone(), 0).expect("a disk without faults").0
}

/// Returns the same instance after a crash that loses all unsynced data.
fn crash(engine: Instance<FaultyStorage>, disk: &FaultyStorage) -> Instance<FaultyStorage> {
    drop(engine);
    disk.crash(|_| 0);
    let (engine, report) = Instance::open(disk.clone(), 0).expect("a disk without faults");
    assert!(report.is_whole(), "{report:#?}");
    engine
}

/// A table `t` of several tablets, SSTables and blocks.
fn small_table(disk: &FaultyStorage) -> Instance<FaultyStorage> {
    let mut engine = open(disk);
    let settings = TableSettings {
        block_bytes: 100,
        memtable_bytes_max: 400,
        tablet_bytes_max: 1_500,
        tablet_load_max: 1e9,
        ..TableSettings::default()
    };
    create(&mut engine, "t", settings);
    for index in 0..30 {
        mutate(&mut engine, "t", vec![set(&format!("user{:02}", index * 7 % 23), &format!("value {index}"))]);
    }
    engine
}

fn create<S: Storage>(engine: &mut Instance<S>, table: &str, settings: TableSettings) {
    let families = FAMILIES.iter().map(|name| ColumnFamily::new(*name)).collect();
    done(engine, TableRequest::Create(TableSpec { families, settings, ..TableSpec::default() }).of(table));
}

fn mutate<S: Storage>(engine: &mut Instance<S>, table: &str, entries: Vec<RowMutation>) {
    let answer = engine.handle(0, TableRequest::MutateRows(entries).of(table));
    let Response::Mutated(outcomes) = answer else { panic!("{answer:?}") };
    let is_of_storage = |error: &Error| !matches!(error.code, Code::InvalidArgument | Code::NotFound);
    assert!(!outcomes.iter().flatten().any(is_of_storage), "{outcomes:?}");
}

fn set(key: &str, value: &str) -> RowMutation {
    let (family, qualifier) = (FAMILIES[0].into(), "q".into());
    RowMutation {
        key: key.into(),
        mutations: vec![Mutation::SetCell { family, qualifier, timestamp: 1_000, value: value.into() }],
    }
}

fn rows<S: Storage>(engine: &mut Instance<S>, table: &str) -> Result<Vec<Row>, Error> {
    read_all(engine, 0, table, &ReadRows { unmetered: true, ..ReadRows::default() }).map(|chunk| chunk.rows)
}

fn done<S: Storage>(engine: &mut Instance<S>, request: Request) {
    assert_eq!(engine.handle(0, request), Response::Done);
}

fn refused<S: Storage>(engine: &mut Instance<S>, request: Request) -> Code {
    match engine.handle(0, request) {
        Response::Refused(error) => error.code,
        other => panic!("{other:?}"),
    }
}

fn backups<S: Storage>(engine: &mut Instance<S>) -> Vec<BackupView> {
    match engine.handle(0, Request::ListBackups) {
        Response::Backups(views) => views,
        other => panic!("{other:?}"),
    }
}

/// Exports a table. Returns the file, and the ranges that are missing in it.
fn export<S: Storage>(engine: &mut Instance<S>, table: &str) -> (Vec<u8>, Vec<(RowKey, RowKey)>) {
    let (mut file, mut resume) = (Vec::new(), None);
    loop {
        match engine.handle(0, TableRequest::Export { resume }.of(table)) {
            Response::Exported(ExportPiece { bytes, resume: next, missing, .. }) => {
                file.extend_from_slice(&bytes);
                if next.is_none() {
                    return (file, missing);
                }
                resume = next;
            }
            other => panic!("{other:?}"),
        }
    }
}

fn import<S: Storage>(
    engine: &mut Instance<S>,
    table: &str,
    file: &[u8],
    piece_bytes: usize,
) -> Result<(), Error> {
    let pieces = file.chunks(piece_bytes).map(|piece| (piece, false)).chain([(&[][..], true)]);
    for (piece, is_last) in pieces {
        let request = TableRequest::Import { piece: piece.to_vec().into(), is_last }.of(table);
        match engine.handle(0, request) {
            Response::Done => {}
            Response::Refused(error) => return Err(error),
            other => panic!("{other:?}"),
        }
    }
    Ok(())
}
