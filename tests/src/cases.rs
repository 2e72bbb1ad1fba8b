//! Case files: commands, a line `----`, their answer, an empty line. All commands of a file run in
//! order on one database.
//!
//! With the environment variable `UPDATE=1`, a run writes the actual answers to the files instead
//! of comparing them. Check the changes against the facts: an actual answer may be wrong.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Database;
use crate::script::Script;

/// Runs every case file of a folder below `tests/cases/`, each on its own database.
///
/// # Panics
/// If an answer differs from the file, or the folder has no case files.
pub fn check_folder<D: Database>(folder: &str, make: impl Fn() -> D) {
    each_file(folder, |path, text| {
        let actual = replay(text, make());
        if actual == text {
            return;
        }
        if std::env::var_os("UPDATE").is_some() {
            fs::write(path, actual).expect("a case file can be written");
        } else {
            panic!("{} (UPDATE=1 writes the actual answers):\n{}", path.display(), difference(text, &actual));
        }
    });
}

/// Like [`check_folder`], but compares only the codes of errors, for the reference model.
pub fn check_folder_by_codes<D: Database>(folder: &str, make: impl Fn() -> D) {
    each_file(folder, |path, text| {
        let (expected, actual) = (without_messages(text), without_messages(&replay(text, make())));
        assert!(actual == expected, "{}:\n{}", path.display(), difference(&expected, &actual));
    });
}

/// Returns the names of the folders with case files.
pub fn folders() -> Vec<String> {
    let entries = fs::read_dir(root()).expect("the folder of the case files");
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

fn each_file(folder: &str, check: impl Fn(&Path, &str)) {
    let entries = fs::read_dir(root().join(folder)).expect("the folder of the case files");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "there is no case in {folder}");
    for path in paths {
        check(&path, &fs::read_to_string(&path).expect("a case file can be read"));
    }
}

/// Returns the text of a case file with the actual answers.
fn replay<D: Database>(text: &str, database: D) -> String {
    let mut script = Script::new(database);
    let blocks: Vec<String> =
        text.split("\n\n").map(|block| replay_block(block.trim_matches('\n'), &mut script)).collect();
    blocks.join("\n\n") + "\n"
}

fn replay_block<D: Database>(block: &str, script: &mut Script<D>) -> String {
    let is_comment = block.lines().all(|line| line.starts_with('#'));
    if is_comment {
        return block.into();
    }
    // A block without an answer gets one.
    let commands = block.split("\n----").next().unwrap_or(block);
    format!("{commands}\n----\n{}", script.run(commands)).trim_end().into()
}

fn without_messages(text: &str) -> String {
    let code = |line: &str| match line.split_once(" desc =") {
        Some((before, _)) if before.contains("rpc error: code = ") => before.to_string(),
        _ => line.to_string(),
    };
    text.lines().map(|line| code(line) + "\n").collect()
}

/// Returns the lines around the first difference.
fn difference(expected: &str, actual: &str) -> String {
    let (expected, actual): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let first = expected.iter().zip(&actual).take_while(|(expected, actual)| expected == actual).count();
    let mut out = String::new();
    for line in &expected[first.saturating_sub(6)..first] {
        out += &format!("  {line}\n");
    }
    let some = |lines: &[&str], sign: &str| -> String {
        lines[first.min(lines.len())..].iter().take(12).map(|line| format!("{sign} {line}\n")).collect()
    };
    out + &some(&expected, "-") + &some(&actual, "+")
}
