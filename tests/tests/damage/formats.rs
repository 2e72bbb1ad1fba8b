//! The formats of files: those of all versions that are still read, from golden files, and those of
//! a newer release, which are not changed.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

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
