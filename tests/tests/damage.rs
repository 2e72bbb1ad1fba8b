//! Any byte of any file may change, and any file may be truncated or missing. Each fault leads to
//! the right answer, to an error that names the location, or to a report, but never to a panic or a
//! wrong answer.

mod commit_log;
mod dictionaries;
mod trials;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use tabletop_engine::FileId;
use tabletop_engine::Instance;
use tabletop_model::{
    Code, ColumnFamily, DropRowRange, Error, Mutation, ReadRows, Recovery, Request, Response, Row, RowKey,
    RowMutation, RowRange, RowSet, TableRequest, TableSettings, TableSpec,
};
use tabletop_tests::arbitrary::config;
use tabletop_tests::faulty::{Fault, FaultKind, FaultyStorage};
use tabletop_tests::{Database, Reference, read_all};

const TABLE: &str = "t";
const BACKUP: &str = "b";
/// Index of the write after which the backup is made.
const BACKED_UP: usize = 30;

/// Bytes of a file's header.
const HEADER_BYTES: usize = 40;

/// Files by number.
type Files = BTreeMap<FileId, Vec<u8>>;

#[test]
fn a_change_of_any_byte_of_a_file_is_found() {
    let (files, states) = stored();
    for (file, bytes) in &files {
        for at in 0..bytes.len() {
            for change in [1 << (at % 8), 0xff] {
                let mut changed = files.clone();
                changed.get_mut(file).expect("it is there")[at] ^= change;
                check(&changed, &states, &format!("byte {at} of {} of file {}", bytes.len(), file.0));
            }
        }
    }
}

#[test]
fn a_truncated_file_is_found() {
    let (files, states) = stored();
    for (file, bytes) in &files {
        for length in 0..bytes.len() {
            // A file of records that is cut between two records looks like a shorter file, and a
            // truncated backup looks like an unfinished one.
            if length >= HEADER_BYTES && record_ends(bytes).contains(&length) || bytes.get(8) == Some(&4) {
                continue;
            }
            let mut changed = files.clone();
            changed.get_mut(file).expect("it is there").truncate(length);
            check(&changed, &states, &format!("file {} of {} bytes ends at {length}", file.0, bytes.len()));
        }
    }
}

#[test]
fn a_missing_file_other_than_the_last_manifest_is_found() {
    let (files, states) = stored();
    for file in files.keys() {
        let mut changed = files.clone();
        changed.remove(file);
        let (engine, report) = open(&changed);
        if files[file][8] == 4 {
            // No other file refers to a backup.
            continue;
        }
        if report.tables.is_empty() {
            // Without a manifest, the earlier contents are unknown.
            assert_eq!(files[file][8], 1, "file {} is a manifest", file.0);
        } else {
            check_opened(engine, &report, &states, &format!("file {} has vanished", file.0));
            assert!(!report.is_whole(), "file {}", file.0);
        }
    }
}

#[test]
fn files_of_a_newer_format_are_not_changed() {
    let (files, _) = stored();
    for (file, bytes) in &files {
        let mut changed = files.clone();
        let mut header = bytes[..24].to_vec();
        header[12] += 1;
        let checksum = xxhash_rust::xxh3::xxh3_64(&header).to_le_bytes();
        changed.get_mut(file).expect("it is there")[..32].copy_from_slice(&[&header[..], &checksum].concat());
        let disk = FaultyStorage::holding(&changed);
        let (_, report) = Instance::open(disk.clone(), 0).expect("damage is not an error");
        let reported = report.damage.iter().chain(report.tables.iter().flat_map(|table| &table.damage));
        let reported: Vec<&Error> = reported.collect();
        assert!(
            reported.iter().any(|error| error.message.contains("a newer release wrote this file")),
            "{reported:?}"
        );
        assert_eq!(disk.contents(), changed, "nothing was written or removed");
    }
}

/// The last record of a manifest may be the only one that refers to a file.
#[test]
fn a_changed_manifest_loses_no_rows_and_no_files() {
    let (files, states) = stored();
    let (manifest, bytes) = files.iter().find(|(_, bytes)| bytes[8] == 1).expect("a manifest");
    for at in HEADER_BYTES..bytes.len() {
        let mut changed = files.clone();
        changed.get_mut(manifest).expect("it is there")[at] ^= 1 << (at % 8);
        let disk = FaultyStorage::holding(&changed);
        let (mut engine, report) = Instance::open(disk.clone(), 0).expect("damage is not an error");
        assert_eq!(disk.contents(), changed, "byte {at} of {}", bytes.len());
        if report.is_whole() {
            assert_eq!(
                read(&mut engine).as_ref(),
                Ok(&states[states.len() - 1]),
                "byte {at} of {}",
                bytes.len()
            );
        } else {
            assert_eq!(
                read(&mut engine).map_err(|error| error.code),
                Err(Code::DataLoss),
                "byte {at} of {}",
                bytes.len()
            );
        }
    }
    let ends = record_ends(bytes);
    for length in HEADER_BYTES..bytes.len() {
        let mut changed = files.clone();
        changed.get_mut(manifest).expect("it is there").truncate(length);
        let disk = FaultyStorage::holding(&changed);
        let (mut engine, report) = Instance::open(disk.clone(), 0).expect("damage is not an error");
        let is_log = |file: &FileId| files[file][8] == 2;
        let after = disk.contents();
        let mut removed = changed.keys().filter(|file| !after.contains_key(*file));
        // A file that is cut between two records looks complete.
        assert!(
            removed.all(|file| ends.contains(&length) && !is_log(file)),
            "{length} of {} bytes",
            bytes.len()
        );
        if report.is_whole() {
            assert_eq!(
                read(&mut engine).as_ref(),
                Ok(&states[states.len() - 1]),
                "{length} of {} bytes",
                bytes.len()
            );
        }
    }
}

#[test]
fn unreadable_bytes_are_damage_of_their_place_only() {
    let (files, states) = stored();
    for (&file, bytes) in &files {
        for start in (0..bytes.len() as u64).step_by(50) {
            let disk = FaultyStorage::holding(&files);
            disk.lose(file, start..start + 50);
            let (engine, report) = Instance::open(disk.clone(), 0).expect("damage is not an error");
            assert_eq!(disk.contents(), files);
            let what = format!("bytes from {start} on of {} of file {} are lost", bytes.len(), file.0);
            check_opened(engine, &report, &states, &what);
        }
    }
}

#[test]
fn a_tablet_that_cannot_be_compacted_keeps_no_other_waiting() {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    let settings =
        TableSettings { memtable_bytes_max: 1_000, tablet_load_max: 1e9, ..TableSettings::default() };
    create(&mut engine, vec!["m".into()], settings);
    let fill = |engine: &mut Instance<FaultyStorage>, key: &str| {
        for index in 0..60 {
            write(engine, &format!("{key}{index:02}"), &"v".repeat(200))
                .expect("a table that is not read-only");
        }
    };
    fill(&mut engine, "a");
    // The first block of the first SSTable.
    let files = disk.contents();
    let (first, _) = files.iter().find(|(_, bytes)| bytes[8] == 3).expect("an SSTable");
    disk.lose(*first, HEADER_BYTES as u64..HEADER_BYTES as u64 + 10);
    for round in 0..3 {
        fill(&mut engine, "a");
        fill(&mut engine, "z");
        engine.settle(0);
        let mut table = engine.table(TABLE).expect("it is there");
        let view = table.view(0);
        assert_eq!(view.read_only, None);
        assert_eq!(view.work_error.as_ref().map(|error| error.code), Some(Code::DataLoss));
        assert!(view.tablets[0].sstables > 4 && view.tablets[1].sstables <= 4, "{view:?}");
        let damage = engine.take_new_damage();
        assert_eq!(damage.len(), usize::from(round == 0), "{damage:?}");
    }
    let rows = RowSet::range(RowRange::prefix("z"));
    let read = read_all(&mut engine, 0, TABLE, &ReadRows { rows, ..ReadRows::default() });
    assert_eq!(read.map(|chunk| chunk.rows.len()), Ok(60));
}

/// Changes each byte of the first file of this kind, one at a time. Each time, the table must have
/// this number of rows, or a read of it must return `DataLoss`.
fn check_each_changed_byte(files: &Files, kind: u8, rows_expected: usize) {
    let (file, bytes) = files.iter().find(|(_, bytes)| bytes[8] == kind).expect("a file of this kind");
    for at in HEADER_BYTES..bytes.len() {
        let mut changed = files.clone();
        changed.get_mut(file).expect("it is there")[at] ^= 1 << (at % 8);
        let (mut engine, report) = open(&changed);
        match read(&mut engine) {
            Ok(rows) => {
                assert!(rows.len() == rows_expected && report.is_whole(), "byte {at} of {}", bytes.len());
            }
            Err(error) => assert_eq!(error.code, Code::DataLoss),
        }
    }
}

/// An idle host, or one that ends, confirms the last writes.
#[test]
fn a_change_in_the_last_writes_is_damage() {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    create(&mut engine, Vec::new(), TableSettings::default());
    for key in ["a", "b", "c"] {
        write(&mut engine, key, "new").expect("a disk without faults");
    }
    engine.confirm();
    let files = disk.contents();
    engine.confirm();
    assert_eq!(disk.contents(), files, "once is enough");
    check_each_changed_byte(&files, 2, 3);
}

/// Only the last record of the manifest knows of the drop.
#[test]
fn dropped_rows_do_not_come_back() {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    create(&mut engine, Vec::new(), TableSettings::default());
    for key in ["a", "b", "c"] {
        write(&mut engine, key, "old").expect("a disk without faults");
    }
    let drop = TableRequest::DropRowRange(DropRowRange::Prefix("b".into()));
    assert_eq!(engine.handle(0, drop.of(TABLE)), Response::Done);
    let files = disk.contents();
    check_each_changed_byte(&files, 1, 2);
}

#[test]
fn a_log_that_ends_before_what_was_synced_is_damage() {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    create(&mut engine, Vec::new(), TableSettings::default());
    for key in ["a", "b", "c"] {
        write(&mut engine, key, "old").expect("a disk without faults");
    }
    // This writes the data in memory to an SSTable, so that the manifest names the end of the log.
    assert_eq!(engine.handle(0, TableRequest::BackUp { backup: BACKUP.into() }.of(TABLE)), Response::Done);
    let files = disk.contents();
    let (log, bytes) = files.iter().find(|(_, bytes)| bytes[8] == 2).expect("a log");
    for length in 0..bytes.len() {
        let mut changed = files.clone();
        changed.get_mut(log).expect("it is there").truncate(length);
        let (mut engine, report) = open(&changed);
        assert!(!report.is_whole(), "{length} of {} bytes", bytes.len());
        assert_eq!(read(&mut engine).map_err(|error| error.code), Err(Code::DataLoss));
    }
}

#[test]
fn rows_that_may_lack_writes_are_not_read_and_the_others_are() {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    let settings = TableSettings { memtable_bytes_max: 1_000, ..TableSettings::default() };
    create(&mut engine, vec!["m".into()], settings);
    write(&mut engine, "z", "in the first segment of the log").expect("a disk without faults");
    for index in 0..60 {
        write(&mut engine, &format!("a{index:02}"), &"v".repeat(100)).expect("a disk without faults");
    }
    let mut files = disk.contents();
    let logs: Vec<FileId> = files.iter().filter(|(_, bytes)| bytes[8] == 2).map(|(file, _)| *file).collect();
    assert!(logs.len() > 1, "one segment");
    files.get_mut(&logs[0]).expect("it is there")[HEADER_BYTES + 20] ^= 1;
    let (mut engine, report) = open(&files);
    assert!(!report.is_whole());
    let read = |engine: &mut Instance<FaultyStorage>, rows: RowSet| {
        let read = ReadRows { rows, ..ReadRows::default() };
        read_all(engine, 0, TABLE, &read).map(|chunk| chunk.rows.len()).map_err(|error| error.code)
    };
    assert_eq!(read(&mut engine, RowSet::range(RowRange::prefix("a"))), Ok(60));
    for rows in [RowSet::all(), RowSet::range(RowRange::prefix("z")), RowSet::range(RowRange::prefix("x"))] {
        assert_eq!(read(&mut engine, rows), Err(Code::DataLoss));
    }
    let mut table = engine.table(TABLE).expect("it is there");
    assert_eq!(table.outdated(), [("m".into(), "".into())]);
    let salvaged = table.salvage(&"".into()).expect("rows");
    assert_eq!((salvaged.rows.len(), salvaged.next, salvaged.missing), (60, None, None));
}

#[test]
fn a_table_whose_manifest_is_damaged_does_not_look_like_none() {
    let (mut files, _) = stored();
    let manifest = files.values_mut().find(|bytes| bytes[8] == 1).expect("a manifest");
    manifest[HEADER_BYTES + 20] ^= 1;
    let (mut engine, report) = open(&files);
    assert!(report.tables.is_empty() && !report.damage.is_empty());
    let error = read(&mut engine).expect_err("a table that cannot be read");
    assert_eq!(error.code, Code::DataLoss);
    assert!(!error.message.contains("create it first"), "{error}");
    create(&mut engine, Vec::new(), TableSettings::default());
    assert_eq!(read(&mut engine), Ok(Vec::new()));
}

proptest! {
    #![proptest_config(config(300))]

    /// A byte fuzzer on stable Rust, for every kind of file. `PROPTEST_CASES` sets the number of
    /// cases. The layers below the checksums are fuzzed with their decoders, in the engine's own
    /// tests.
    #[test]
    fn random_bytes_are_damage_without_a_panic(edits in vec((any::<Index>(), any::<Index>(), any::<Index>(), 0_u8..5), 1..6), settle: bool) {
        let (files, states) = stored();
        let mut changed = files.clone();
        for (file, at, other, kind) in edits {
            let source = (*other.get(&files.values().collect::<Vec<_>>())).clone();
            let mut targets: Vec<&mut Vec<u8>> = changed.values_mut().collect();
            let target = file.index(targets.len());
            let bytes = &mut targets[target];
            let at = at.index(bytes.len() + 1);
            let length = source.len().min(1 + other.index(200));
            match kind {
                0 => bytes.truncate(at),
                1 => bytes[at..].iter_mut().take(length).for_each(|byte| *byte = 0),
                2 => bytes.extend_from_slice(&source[..length]),
                3 => drop(bytes.splice(at..at, source[source.len() - length..].iter().copied())),
                _ => bytes[at..].iter_mut().zip(&source).take(length).for_each(|(byte, other)| *byte ^= other),
            }
        }
        let (mut engine, _) = open(&changed);
        if settle {
            engine.settle(0);
        }
        match read(&mut engine) {
            Ok(rows) => prop_assert!(rows.iter().all(|row| states.iter().any(|state| state.contains(row)))),
            Err(error) => prop_assert!(matches!(error.code, Code::DataLoss | Code::NotFound), "{}", error),
        }
    }
}

/// The version of the golden files of this build.
const FORMAT: &str = "2";

/// Files of this build must be readable by later builds. When this fails, the format has changed:
/// raise `FORMAT_VERSION` in `engine/src/log/file_header.rs`, draw the new format above the writer,
/// and run this with `UPDATE=1`. It writes files of the new version to a new folder. Folders of
/// versions that are still read are not changed.
#[test]
fn files_of_all_formats_are_read_and_written() {
    let (files, states) = stored();
    let folder = golden(FORMAT);
    if std::env::var_os("UPDATE").is_some() && !folder.exists() {
        fs::create_dir_all(&folder).expect("the folder of golden files");
        for (file, bytes) in &files {
            fs::write(folder.join(format!("{}.table", file.0)), bytes).expect("a golden file");
        }
    }
    for version in ["1", FORMAT] {
        let disk = FaultyStorage::holding(&golden_files(version));
        let (mut engine, report) = Instance::open(disk.clone(), 0).expect("a disk without faults");
        assert!(report.is_whole(), "the format has changed, see above: {report:#?}");
        assert_eq!(read(&mut engine).as_ref(), states.last().ok_or(&Error::new(Code::Internal, "no states")));
        // New writes go into files of this version, next to the others.
        write(&mut engine, "new", "x").expect("a table that is not damaged");
        let rows = read(&mut engine);
        for settled in [false, true] {
            if settled {
                engine.settle(0);
            }
            let (mut again, report) =
                Instance::open(FaultyStorage::holding(&disk.contents()), 0).expect("no faults");
            assert!(report.is_whole(), "{report:#?}");
            assert_eq!(read(&mut again), rows);
        }
    }
}

fn golden(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(version)
}

fn golden_files(version: &str) -> Files {
    let entries = fs::read_dir(golden(version))
        .expect("the folder of golden files")
        .map(|entry| entry.expect("an entry").path());
    let golden = entries.map(|path| {
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).expect("a number");
        (FileId(number), fs::read(&path).expect("a golden file"))
    });
    golden.collect()
}

/// The offsets at which the first record of a manifest or a commit log begins and each record ends.
fn record_ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = HEADER_BYTES;
    if bytes[8] == 3 {
        return ends;
    }
    while let Some(length) = bytes.get(at..at + 4) {
        ends.push(at);
        at += 24 + u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
    }
    ends
}

/// Opens damaged files, and fails if the answers are wrong.
fn check(files: &Files, states: &[Vec<Row>], what: &str) {
    let (engine, report) = open(files);
    check_opened(engine, &report, states, what);
}

fn open(files: &Files) -> (Instance<FaultyStorage>, Recovery) {
    Instance::open(FaultyStorage::holding(files), 0).expect("damage is not an error")
}

fn check_opened(mut engine: Instance<FaultyStorage>, report: &Recovery, states: &[Vec<Row>], what: &str) {
    let last = states.last().expect("a write was made");
    check_backup(&mut engine, report, states, what);
    if report.tables.is_empty() {
        assert!(!report.damage.is_empty(), "{what}: the table has vanished");
        return;
    }
    let is_whole = report.is_whole();
    let reports_torn_bytes = report.tables.iter().any(|table| table.torn_bytes > 0);
    for settled in [false, true] {
        match read(&mut engine) {
            Ok(rows) if rows == *last => {}
            Ok(rows) if is_whole => {
                assert!(reports_torn_bytes, "{what}: missing rows are not reported");
                assert!(states.contains(&rows), "{what}: rows that never were");
            }
            Ok(rows) => {
                let known = |row: &Row| states.iter().any(|state| state.contains(row));
                assert!(rows.iter().all(known), "{what}: rows that never were");
            }
            Err(error) => assert_eq!(error.code, Code::DataLoss, "{what}: {error}"),
        }
        if report.tables.iter().any(|table| !table.damage.is_empty()) {
            let error = write(&mut engine, "new", "x").expect_err("a damaged table is read-only");
            assert_eq!(error.code, Code::DataLoss, "{what}: {error}");
        }
        if !settled {
            engine.settle(0);
        }
    }
}

/// A backup is unchanged, or cannot be restored, or its damage is reported.
fn check_backup(engine: &mut Instance<FaultyStorage>, report: &Recovery, states: &[Vec<Row>], what: &str) {
    match engine.handle(0, TableRequest::Restore { backup: BACKUP.into() }.of("restored")) {
        Response::Done => match read_table(engine, "restored") {
            Ok(rows) => assert_eq!(rows, states[BACKED_UP + 1], "{what}: the backup has changed"),
            Err(error) => assert_eq!(error.code, Code::DataLoss, "{what}: {error}"),
        },
        Response::Refused(error) if error.code == Code::DataLoss => {
            assert!(!report.is_whole(), "{what}: {error}");
        }
        Response::Refused(error) => {
            assert_eq!(error.code, Code::NotFound, "{what}: {error}");
            assert!(!report.is_whole(), "{what}: the backup has vanished");
        }
        other => panic!("{what}: {other:?}"),
    }
    engine.handle(0, TableRequest::Delete.of("restored"));
}

/// The number of a missing file may be assigned to a file of another table.
#[test]
fn a_file_of_another_table_is_damage() {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    for table in ["a", "b"] {
        let families = vec![ColumnFamily::new("f")];
        let create = TableRequest::Create(TableSpec { families, ..TableSpec::default() }).of(table);
        assert_eq!(engine.handle(0, create), Response::Done);
        for (qualifier, next) in [("stored", true), ("logged", false)] {
            let (family, value) = ("f".into(), table.into());
            let mutations =
                vec![Mutation::SetCell { family, qualifier: qualifier.into(), timestamp: 0, value }];
            let entries = vec![RowMutation { key: "k".into(), mutations }];
            assert_eq!(
                engine.handle(0, TableRequest::MutateRows(entries).of(table)),
                Response::Mutated(vec![None])
            );
            if next {
                // This writes the data in memory to an SSTable.
                let back_up = TableRequest::BackUp { backup: table.into() }.of(table);
                assert_eq!(engine.handle(0, back_up), Response::Done);
                assert_eq!(engine.handle(0, Request::DeleteBackup { backup: table.into() }), Response::Done);
            }
        }
    }
    drop(engine);
    // Commit logs, then SSTables.
    for kind in [2, 3] {
        let mut files = disk.contents();
        let of_kind: Vec<FileId> =
            files.iter().filter(|(_, bytes)| bytes[8] == kind).map(|(file, _)| *file).collect();
        let [first, second] = of_kind[..] else { panic!("{} files of kind {kind}", of_kind.len()) };
        let bytes = files.insert(first, files[&second].clone()).expect("it is there");
        files.insert(second, bytes);
        let (mut engine, report) = open(&files);
        assert!(report.tables.iter().all(|table| !table.damage.is_empty()), "{report:#?}");
        for table in ["a", "b"] {
            match read_table(&mut engine, table) {
                Ok(rows) => {
                    assert!(
                        rows.iter().flat_map(|row| &row.cells).all(|cell| *cell.value == *table.as_bytes()),
                        "{rows:?}"
                    );
                }
                Err(error) => assert_eq!(error.code, Code::DataLoss),
            }
        }
    }
}

/// A table with all kinds of data and a backup of it, and the rows after each of its writes.
fn stored() -> (Files, Vec<Vec<Row>>) {
    let disk = FaultyStorage::default();
    let (mut engine, _) = Instance::open(disk.clone(), 0).expect("an empty disk");
    let settings = TableSettings {
        block_bytes: 100,
        memtable_bytes_max: 400,
        sstables_max: 3,
        tablet_bytes_max: 1_500,
        tablet_load_max: 1e9,
        ..TableSettings::default()
    };
    let families = ["f", "e"].map(ColumnFamily::new).to_vec();
    let create = TableRequest::Create(TableSpec { families, settings, ..TableSpec::default() }).of(TABLE);
    let mut reference = Reference::default();
    assert_eq!(
        (engine.handle(0, create.clone()), reference.handle(0, create)),
        (Response::Done, Response::Done)
    );
    let mut states = vec![Vec::new()];
    for index in 0..40 {
        let key = format!("user{:02}", index * 7 % 23);
        write(&mut engine, &key, &format!("value {index}")).expect("a disk without faults");
        write(&mut reference, &key, &format!("value {index}")).expect("the same");
        states.push(read(&mut reference).expect("a table"));
        if index == BACKED_UP {
            engine.settle(0);
            let back_up = TableRequest::BackUp { backup: BACKUP.into() }.of(TABLE);
            assert_eq!(engine.handle(0, back_up), Response::Done);
        }
    }
    assert_eq!(read(&mut engine).as_ref(), Ok(&states[states.len() - 1]));
    let files = disk.contents();
    assert!((5..40).contains(&files.len()), "{} files", files.len());
    (files, states)
}

fn create(engine: &mut Instance<FaultyStorage>, initial_splits: Vec<RowKey>, settings: TableSettings) {
    let families = ["f", "e"].map(ColumnFamily::new).to_vec();
    let create = TableRequest::Create(TableSpec { families, initial_splits, settings }).of(TABLE);
    assert_eq!(engine.handle(0, create), Response::Done);
}

fn write(database: &mut impl Database, key: &str, value: &str) -> Result<(), Error> {
    let set = |family: &str| Mutation::SetCell {
        family: family.into(),
        qualifier: "q".into(),
        timestamp: 1_000,
        value: value.into(),
    };
    let mutations = vec![set("f"), Mutation::DeleteFromFamily { family: "e".into() }, set("e")];
    let entries = vec![RowMutation { key: key.into(), mutations }];
    match database.handle(0, TableRequest::MutateRows(entries).of(TABLE)) {
        Response::Mutated(mut outcomes) => outcomes.remove(0).map_or(Ok(()), Err),
        Response::Refused(error) => Err(error),
        other => panic!("{other:?}"),
    }
}

fn read(database: &mut impl Database) -> Result<Vec<Row>, Error> {
    read_table(database, TABLE)
}

fn read_table(database: &mut impl Database, table: &str) -> Result<Vec<Row>, Error> {
    read_all(database, 0, table, &ReadRows { unmetered: true, ..ReadRows::default() }).map(|chunk| chunk.rows)
}
