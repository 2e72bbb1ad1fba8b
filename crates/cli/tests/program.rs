//! Runs the program `tabletop` as a user or a script does.

mod damage;
mod examples;
mod experiment;
mod files;
mod folder;
mod load;
mod load_examples;
mod manual;
mod migrate;
mod page;
mod profile_examples;
mod reading;
mod run;
mod run_on_instance;
mod serve;
mod serving;
mod shell;
mod simulate;
mod stats;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The folder of one test. Dropping it removes the folder.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a path that is text").into()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        fs::write(self.0.path().join(name), text).expect("a file");
        self.path(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).expect("a file")
    }
}

/// The result of a run of the program.
#[derive(Debug)]
pub(crate) struct ProgramOutput {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) errors: String,
}

impl ProgramOutput {
    /// Asserts success, and returns the output.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// Asserts this exit code, and returns the messages.
    #[track_caller]
    pub(crate) fn failed(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        self.errors
    }
}

pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabletop"));
    command.env("TZ", "UTC").env_remove("BIGTABLE_EMULATOR_HOST");
    command
}

/// Runs the program with an input.
pub(crate) fn tabletop_with(arguments: &[&str], input: &str) -> ProgramOutput {
    let mut command = program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut stdin = child.stdin.take().expect("an input");
    let input = input.to_owned();
    // On its own thread, because the program may print before it has read everything.
    let feed = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().expect("it ends");
    feed.join().expect("the input was written");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints text");
    ProgramOutput {
        code: output.status.code().expect("a code"),
        out: text(output.stdout),
        errors: text(output.stderr),
    }
}

/// Runs the program without an input.
pub(crate) fn tabletop(arguments: &[&str]) -> ProgramOutput {
    tabletop_with(arguments, "")
}

/// Returns the files of a folder and of its subfolders.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(files_below(&path)),
            path => files.push(path),
        }
    }
    files
}
