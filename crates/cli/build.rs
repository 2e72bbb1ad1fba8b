//! Sets `TABLETOP_VERSION`, the text of `tabletop --version`: the version, plus the commit and its
//! date if git has them. Writes `page.rs`, the files of the page as an array of names and contents:
//! the files of the folder named by the variable `TABLETOP_PAGE` (`cargo xtask install` sets it),
//! or none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    write_page();
    let version = env!("CARGO_PKG_VERSION");
    let commit = git(&["show", "--no-patch", "--abbrev=10", "--date=short", "--format=%h %cd", "HEAD"]);
    let text = commit.map_or_else(|| version.to_string(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=TABLETOP_VERSION={text}");
    // The log of HEAD grows with each commit and each change of branch. If the path did not exist,
    // Cargo would run this script every time.
    println!("cargo::rerun-if-changed=build.rs");
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).is_file()) {
        println!("cargo::rerun-if-changed={log}");
    }
}

/// Returns git's output in this folder, or `None` without git or if the sources are not a checkout
/// of this repository.
fn git(arguments: &[&str]) -> Option<String> {
    // Another repository may contain these sources without their history.
    let top = run(&["rev-parse", "--show-prefix"])?;
    if top != "crates/cli/" {
        return None;
    }
    run(arguments)
}

fn run(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}

/// The extensions of compressed versions of a file; the first one is kept instead of the file
/// itself.
const TWINS: [&str; 2] = ["br", "gz"];

fn write_page() {
    println!("cargo::rerun-if-env-changed=TABLETOP_PAGE");
    let mut list = String::from("&[\n");
    if let Some(folder) =
        std::env::var_os("TABLETOP_PAGE").filter(|folder| !folder.is_empty()).map(PathBuf::from)
    {
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files = Vec::new();
        collect(&folder, &mut files);
        files.sort();
        assert!(
            files.iter().any(|file| is_page(&folder, file)),
            "TABLETOP_PAGE names {}, which has no index.html",
            folder.display()
        );
        let twin = |file: &Path, kind: &str| PathBuf::from(format!("{}.{kind}", file.display()));
        for file in &files {
            let is_other_twin = file.extension().is_some_and(|kind| kind == TWINS[1])
                && files.contains(&file.with_extension(""));
            if is_other_twin || files.contains(&twin(file, TWINS[0])) {
                continue;
            }
            let name = file.strip_prefix(&folder).expect("it is in the folder");
            let name: Vec<String> = name.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let path = file
                .canonicalize()
                .unwrap_or_else(|error| panic!("{} cannot be read: {error}", file.display()));
            list +=
                &format!("    ({:?}, include_bytes!({:?})),\n", name.join("/"), path.display().to_string());
        }
    }
    list += "]\n";
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo sets it")).join("page.rs");
    fs::write(&out, list).unwrap_or_else(|error| panic!("{} cannot be written: {error}", out.display()));
}

fn is_page(folder: &Path, file: &Path) -> bool {
    file.strip_prefix(folder)
        .is_ok_and(|name| name == Path::new("index.html") || name == Path::new("index.html.br"))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display()));
    for entry in entries {
        let path =
            entry.unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display())).path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
