//! Data folders that are in use, of a newer release, or with several instances.

use std::fs;
use std::path::Path;

use tabletop_server::DataFolder;
use xxhash_rust::xxh3::xxh3_64;

use super::{Folder, files_below, tabletop, tabletop_with};

const ROW: &str = r#"{"row":"r","cells":[{"family":"f","qualifier":"q","timestamp":1000,"value":"v"}]}"#;

fn import(data: &str) {
    tabletop_with(&["import", "--data", data, "--table", "t", "--format", "jsonl", "-"], ROW).ok();
}

#[test]
fn a_folder_in_use_is_refused() {
    let folder = Folder::new();
    let data = folder.path("data");
    import(&data);
    let held = DataFolder::open(&data).expect("it is not in use");
    for arguments in [vec!["export", "t"], vec!["cbt", "ls"], vec!["serve", "--address", "127.0.0.1:0"]] {
        let errors = tabletop(&[&arguments[..1], &["--data", &data], &arguments[1..]].concat()).failed(2);
        assert!(errors.contains("in use") && errors.contains(&data), "{errors}");
    }
    drop(held);
    tabletop(&["export", "--data", &data, "t"]).ok();
}

/// Without a handler, the signal that the operating system sends then would end the program without
/// a message.
#[cfg(unix)]
#[test]
fn a_limit_of_file_sizes_is_reported_like_a_full_disk() {
    let folder = Folder::new();
    let (data, file) = (
        folder.path("data"),
        folder.write("t.jsonl", ROW.replace("\"v\"", &format!("\"{}\"", "v".repeat(1 << 20)))),
    );
    let script = "ulimit -f 64; exec \"$0\" import --data \"$1\" \"$2\"";
    let ran = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_tabletop"), &data, &file])
        .output()
        .unwrap();
    let errors = String::from_utf8(ran.stderr).unwrap();
    assert!(
        ran.status.code() == Some(2) && errors.contains("the file would become too large"),
        "{:?} {errors}",
        ran.status
    );
    tabletop(&["import", "--data", &data, &file]).ok();
}

#[test]
fn files_of_a_newer_release_are_left_alone() {
    let folder = Folder::new();
    let data = folder.path("data");
    import(&data);
    let files: Vec<_> = files_below(Path::new(&data))
        .into_iter()
        .filter(|file| file.extension().is_some_and(|end| end == "table"))
        .collect();
    assert!(!files.is_empty());
    for file in &files {
        let mut bytes = fs::read(file).unwrap();
        bytes[12..16].copy_from_slice(&99_u32.to_le_bytes());
        let checksum = xxh3_64(&bytes[..24]);
        bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
        fs::write(file, bytes).unwrap();
    }
    let before: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    for arguments in [&["export", "--data", &data, "t"][..], &["cbt", "--data", &data, "ls"]] {
        let errors = tabletop(arguments).failed(2);
        assert!(errors.contains("newer release"), "{errors}");
    }
    let after: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    assert_eq!(before, after);
}

#[test]
fn an_instance_is_selected_by_name_or_is_the_only_one() {
    let folder = Folder::new();
    let data = folder.path("data");
    let import = |instance: &str, value: &str| {
        let row = ROW.replace("\"v\"", &format!("\"{value}\""));
        let place = [
            "--data",
            &data,
            "--project",
            "p",
            "--instance",
            instance,
            "--table",
            "t",
            "--format",
            "jsonl",
            "-",
        ];
        tabletop_with(&[&["import"][..], &place].concat(), &row).ok();
    };
    import("one", "first");
    assert!(tabletop(&["export", "--data", &data, "t"]).ok().contains("first"));
    import("two", "second");
    let errors = tabletop(&["export", "--data", &data, "t"]).failed(2);
    assert!(errors.contains("--project p --instance one") && errors.contains("--instance two"), "{errors}");
    assert!(tabletop(&["export", "--data", &data, "--instance", "two", "t"]).ok().contains("second"));
    let errors = tabletop(&["export", "--data", &folder.path("nowhere"), "t"]).failed(2);
    assert!(errors.contains("there is no data folder"), "{errors}");
    let errors = tabletop(&["export", "--data", &data, "--instance", "one", "other"]).failed(2);
    assert!(errors.contains("table \"other\" not found: create it first (tables: t)"), "{errors}");
}

/// Copies a folder, and makes the copy unchangeable.
#[cfg(unix)]
fn read_only_copy(from: &Path, to: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let copy = to.join(entry.file_name());
        if entry.path().is_dir() {
            read_only_copy(&entry.path(), &copy);
        } else {
            fs::copy(entry.path(), &copy).unwrap();
            fs::set_permissions(&copy, fs::Permissions::from_mode(0o444)).unwrap();
        }
    }
    fs::set_permissions(to, fs::Permissions::from_mode(0o555)).unwrap();
}

/// The superuser may write everywhere, so this test checks less when it runs as that user.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let (data, copy) = (folder.path("data"), folder.path("copy"));
    import(&data);
    read_only_copy(Path::new(&data), Path::new(&copy));
    assert!(tabletop(&["export", "--data", &copy, "t"]).ok().contains("\"row\":\"r\""));
    for (command, found) in [("ls", "t"), ("count t", "1"), ("read t", "\"v\"")] {
        assert!(tabletop(&["cbt", "--data", &copy, command]).ok().contains(found), "{command}");
    }
    let is_superuser = fs::File::create(Path::new(&copy).join("new")).is_ok();
    if !is_superuser {
        assert!(tabletop(&["cbt", "--data", &copy, "set t s f:q=v"]).failed(1).contains("read-only"));
        assert!(tabletop(&["serve", "--data", &copy, "--port", "0"]).failed(2).contains("read-only"));
    }
    for folder in ["", "tabletop", "tabletop/tabletop"] {
        fs::set_permissions(Path::new(&copy).join(folder), fs::Permissions::from_mode(0o755)).unwrap();
    }
}
