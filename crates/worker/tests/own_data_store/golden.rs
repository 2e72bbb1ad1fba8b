//! Stored sets of earlier builds must be readable.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tabletop_engine::{FileId, Instance};
use tabletop_model::ReadRows;
use tabletop_protocol::{Ask, LoadState};
use tabletop_worker::SharedStorage;
use tabletop_workspace::OnBadLine;

use super::faulty_files::FaultyFiles;
use super::{Files, export, open, storage};
use crate::host::csv;

/// Number of lines of the file that is loaded completely. One of them is invalid.
const LINES: usize = 20;
/// Number of lines of the file whose load is interrupted. The events of a whole group are stored.
const INTERRUPTED_LINES: usize = 1_001;
const STORED: usize = 1_000;

/// When this fails, the format of the sets or of the engine's files has changed. If it is the sets,
/// raise `VERSION` in `worker/src/stored_sets/about.rs`. Run this with `UPDATE=1`: it writes files
/// of the new version to a new folder. Folders of versions that are still read are not changed.
#[test]
fn sets_of_all_versions_are_read() {
    let files = stored();
    let folder = golden().join(version_of(&files));
    if std::env::var_os("UPDATE").is_some() && !folder.exists() {
        fs::create_dir_all(&folder).expect("the folder of golden files");
        for (file, bytes) in files.borrow().contents() {
            fs::write(folder.join(format!("{}.table", file.0)), bytes).expect("a golden file");
        }
    }
    assert!(folder.exists(), "{} has no files of this build, see above", folder.display());
    for folder in fs::read_dir(golden()).expect("the folder of golden files") {
        check(&folder.expect("an entry").path());
    }
}

/// Checks the sets in a folder: a complete one with its bad line, and the stored events of the
/// interrupted one.
fn check(folder: &Path) {
    let entries =
        fs::read_dir(folder).expect("a folder of golden files").map(|entry| entry.expect("an entry").path());
    let contents: BTreeMap<FileId, Vec<u8>> = entries
        .map(|path| {
            let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).expect("a number");
            (FileId(number), fs::read(&path).expect("a golden file"))
        })
        .collect();
    let files: Files = Rc::new(RefCell::new(FaultyFiles::holding(&contents)));
    assert_eq!(Path::new(&version_of(&files)), folder.file_name().expect("a name"));
    let mut host = open(&files);
    let sets = storage(&mut host, Ask::Storage).sets;
    let found: Vec<_> = sets
        .iter()
        .map(|set| (set.set, set.events as usize, set.state.clone(), set.trouble.clone()))
        .collect();
    let expected = [(1, LINES - 1, LoadState::Loaded, None), (2, STORED, LoadState::Interrupted, None)];
    assert_eq!(found, expected, "{}", folder.display());
    let first_lines =
        ["{\"who\":\"user-000\",\"at\":\"2026-03-01T00:00:00Z\",\"what\":\"buy\"}", "{\"number\":1000}"];
    for (set, first_line) in sets.iter().zip(first_lines) {
        assert_eq!(set.own.name, "events.csv");
        let (lines, unreadable) = export(&mut host, set.set);
        assert_eq!((lines.lines().count(), unreadable), (set.events as usize, 0));
        assert_eq!(lines.lines().next(), Some(first_line));
    }
    // A new load is stored next to them, and replaces the interrupted one.
    host.load(&numbers(), OnBadLine::Skip, 1_000);
    host.settle();
    let sets = storage(&mut host, Ask::Storage).sets;
    let found: Vec<_> = sets.iter().map(|set| (set.set, set.events as usize)).collect();
    assert_eq!(found, [(1, LINES - 1), (3, INTERRUPTED_LINES)], "{}", folder.display());
}

/// Stores a complete set, and a set whose load is interrupted.
fn stored() -> Files {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(LINES, Some(7)), OnBadLine::Skip, 1_000);
    host.settle();
    host.begin_own(OnBadLine::Skip);
    host.ask(Ask::OwnBytes { bytes: numbers().into_bytes().into(), last: false });
    host.settle();
    drop(host);
    files.borrow_mut().crash();
    files
}

fn numbers() -> String {
    let numbers = (1_000..1_000 + INTERRUPTED_LINES).map(|number| format!("{number}\n"));
    std::iter::once("number\n".to_string()).chain(numbers).collect()
}

/// Returns the name of the folder for these files: the version of the sets and the version of the
/// engine's files.
fn version_of(files: &Files) -> String {
    let contents = files.borrow().contents();
    let file_version = contents.values().map(|bytes| bytes[12]).max().expect("a file");
    let copy = SharedStorage(Rc::new(RefCell::new(FaultyFiles::holding(&contents))));
    let (mut instance, _) = Instance::open(copy, 0).expect("files without faults");
    let rows =
        instance.table("set-00000001").expect("a set").read(0, &ReadRows::default()).expect("rows").rows;
    let about = rows.iter().find(|row| row.key == "about".into()).expect("the row about the set");
    let version = about.cells.iter().find(|cell| cell.qualifier.0 == b"version").expect("its version");
    format!("sets-{}-files-{file_version}", String::from_utf8_lossy(&version.value))
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}
