//! Sets `TABLETOP_VERSION`, the text of `tabletop --version`: the version, and the commit and its date if git has them.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    let commit = git(&["show", "--no-patch", "--abbrev=10", "--date=short", "--format=%h %cd", "HEAD"]);
    let text = commit.map_or_else(|| version.to_string(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=TABLETOP_VERSION={text}");
    // The log of HEAD grows with each commit and each change of branch. Cargo would run this every time for a path that does not
    // exist.
    println!("cargo::rerun-if-changed=build.rs");
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).is_file()) {
        println!("cargo::rerun-if-changed={log}");
    }
}

/// Returns git's output in this folder; `None` without git, or if the sources are not a checkout of this repository.
fn git(arguments: &[&str]) -> Option<String> {
    // Another repository may hold these sources without their history.
    let top = run(&["rev-parse", "--show-prefix"])?;
    if top != "crates/cli/" {
        return None;
    }
    run(arguments)
}

fn run(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}
