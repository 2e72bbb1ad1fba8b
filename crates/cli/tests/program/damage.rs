//! Data folders with damaged files: what can be read is read, what cannot is reported, and nothing
//! is removed.

use std::fs;
use std::path::{Path, PathBuf};

use tabletop_model::{Response, TableRequest};
use tabletop_server::{Host, system_clock};

use super::{Folder, files_below, tabletop, tabletop_with};

/// The kinds of files, as in the engine's `file_header.rs`.
const MANIFEST: u8 = 1;
const LOG: u8 = 2;
const SSTABLE: u8 = 3;

/// Makes a folder with a table `u` of 200 rows, in two commit logs, and a table `other` of one.
fn folder() -> (Folder, String) {
    let folder = Folder::new();
    let data = folder.path("data");
    let rows = |rows: std::ops::Range<u32>| {
        rows.map(|row| format!("set u row{row:03} f:q=v{row}\n")).collect::<String>()
    };
    for script in [
        format!("createtable u families=f\n{}", rows(0..100)),
        format!("{}createtable other families=f\nset other r f:q=v\n", rows(100..200)),
    ] {
        tabletop_with(&["cbt", "--data", &data], &script).ok();
    }
    (folder, data)
}

/// Returns the files of a kind, of the table `u` first.
fn of_kind(data: &str, kind: u8) -> Vec<PathBuf> {
    let mut files = files_below(Path::new(data));
    files.retain(|file| {
        fs::read(file).unwrap().get(8) == Some(&kind) && file.extension().is_some_and(|end| end == "table")
    });
    files.sort();
    files
}

fn flip(file: &Path, at: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 1;
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_changed_bit_at_the_end_of_a_manifest_loses_nothing() {
    let (_folder, data) = folder();
    let manifest = &of_kind(&data, MANIFEST)[0];
    flip(manifest, fs::read(manifest).unwrap().len() - 10);
    let logs = of_kind(&data, LOG);
    let counted = tabletop(&["cbt", "--data", &data, "count", "u"]);
    assert_eq!(of_kind(&data, LOG), logs);
    assert_eq!(counted.out.trim(), "200");
    assert!(counted.errors.contains("table u: the last 24 bytes"), "{}", counted.errors);
}

#[test]
fn a_damaged_log_is_told_by_every_command() {
    let (_folder, data) = folder();
    flip(&of_kind(&data, LOG)[0], 1_000);
    for command in [&["count", "u"][..], &["read", "u"], &["lookup", "u", "row000"]] {
        let read = tabletop(&[&["cbt", "--data", &data], command].concat());
        assert!(read.code == 1 && read.errors.contains("table u is damaged"), "{read:?}");
    }
    assert_eq!(tabletop(&["cbt", "--data", &data, "count", "other"]).ok().trim(), "1");
    let exported = tabletop(&["export", "--data", &data, "u"]);
    assert_eq!(exported.code, 1);
    assert!(
        exported.errors.contains("up to the end of the table are in the file, and may lack"),
        "{}",
        exported.errors
    );
    assert_eq!(exported.out.lines().count(), 1 + 100, "the rows of the other log");
    tabletop(&["export", "--data", &data, "other"]).ok();
}

#[test]
fn a_damaged_manifest_does_not_look_like_no_table() {
    let (_folder, data) = folder();
    let manifest = &of_kind(&data, MANIFEST)[0];
    flip(manifest, 60);
    let before = files_below(Path::new(&data)).len();
    let errors = tabletop(&["export", "--data", &data, "u"]).failed(2);
    assert!(errors.contains("may be in damaged files") && !errors.contains("create it first"), "{errors}");
    assert!(tabletop(&["export", "--data", &data, "other"]).ok().contains("\"row\":\"r\""));
    // It is unknown what else the damaged files hold.
    tabletop(&["cbt", "--data", &data, "createtable", "u"]).failed(2);
    assert_eq!(files_below(Path::new(&data)).len(), before);
}

/// The damage is reported, and the tables can be used.
#[test]
fn a_damaged_backup_does_not_block_the_tables() {
    let (_folder, data) = folder();
    let host = Host::open(data.as_ref(), system_clock).unwrap();
    let name = host.instances().unwrap().remove(0);
    let backup = TableRequest::BackUp { backup: "b".into() }.of("u");
    assert!(matches!(host.instance(&name).unwrap().handle(backup), Response::Done));
    host.close();
    drop(host);
    // Its files now belong to the backup alone.
    tabletop(&["cbt", "--data", &data, "deletetable", "u"]).ok();
    let sstable = &of_kind(&data, SSTABLE)[0];
    flip(sstable, fs::read(sstable).unwrap().len() - 10);
    let counted = tabletop(&["cbt", "--data", &data, "count", "other"]);
    assert!(counted.errors.contains("a backup is damaged"), "{}", counted.errors);
    assert_eq!(counted.ok().trim(), "1");
    tabletop(&["cbt", "--data", &data, "set", "other", "s", "f:q=v"]).ok();
    assert_eq!(tabletop(&["export", "--data", &data, "other"]).ok().lines().count(), 1 + 2);
    assert!(sstable.exists(), "nothing is removed while there is damage");
}
