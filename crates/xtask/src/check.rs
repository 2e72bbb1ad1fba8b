//! `cargo xtask check`: checks of the sources that run no tests. All checks run, even after one
//! fails.

mod dependencies;
mod format;
mod licences;
mod unused;
mod words;

use std::time::Instant;

use crate::Result;
use crate::run::{cargo, run as run_command, seconds};
use crate::test::packages_with_wasm_tests;
use crate::toolchain::{self, Toolchain};
use crate::tools::Tools;
use dependencies::Workspace;
pub use format::format;

/// Crates that are compiled for a browser but have no tests there. Their dependencies are checked with them.
const IN_BROWSER: [&str; 2] = ["tabletop-app", "tabletop-ui"];
/// The tests of the page, which are no target of `cargo test` and so none of `--all-targets`.
const E2E_TESTS: [&str; 4] = ["--package", "tabletop-tests", "--test", "e2e"];

/// A check.
type Check = Box<dyn Fn() -> Result<()>>;

/// Runs all checks.
///
/// # Errors
/// When one of them finds something, after all of them have run.
pub fn run() -> Result<()> {
    // Clippy and rustdoc get new lints in each release, so only the pinned release's lints can fail
    // the check.
    let warnings = match toolchain::current()? {
        Toolchain::Pinned => "-Dwarnings",
        Toolchain::Other(note) => {
            eprintln!("xtask: {note}");
            "-Wwarnings"
        }
    };
    Tools::locate()?.target()?;
    let checks: [(&str, Check); 8] = [
        ("format", Box::new(|| format(&["--check"]))),
        ("licences and sources", Box::new(|| licences::check(&Workspace::read()?))),
        ("dependencies in use", Box::new(|| unused::check(&Workspace::read()?))),
        ("words", Box::new(|| words::check(&crate::root()))),
        ("clippy", Box::new(|| clippy(&["--workspace", "--all-targets"], warnings))),
        ("clippy for e2e", Box::new(|| clippy(&E2E_TESTS, warnings))),
        ("clippy for wasm", Box::new(|| clippy_for_wasm(warnings))),
        ("rustdoc", Box::new(|| rustdoc(warnings))),
    ];
    let mut verdicts = Vec::new();
    for (name, check) in checks {
        eprintln!("\nxtask: check: {name}");
        let start = Instant::now();
        let result = check();
        verdicts.push((name, result, seconds(start.elapsed())));
    }
    println!();
    for (name, result, time) in &verdicts {
        match result {
            Ok(()) => println!("{name:<21} passed in {time}"),
            Err(error) => println!("{name:<21} FAILED in {time}: {error}"),
        }
    }
    match verdicts.iter().filter(|(_, result, _)| result.is_err()).count() {
        0 => Ok(()),
        failed => Err(format!("checks FAILED: {failed} of {}, see above", verdicts.len())),
    }
}

fn clippy(scope: &[&str], warnings: &str) -> Result<()> {
    let mut command = cargo(&["clippy", "--quiet", "--locked"]);
    command.args(scope).args(["--", warnings]);
    run_command(command)
}

fn clippy_for_wasm(warnings: &str) -> Result<()> {
    let tested = packages_with_wasm_tests()?;
    let packages =
        IN_BROWSER.into_iter().chain(tested.iter().map(String::as_str)).flat_map(|name| ["--package", name]);
    let scope: Vec<&str> =
        ["--all-targets", "--target", crate::tools::TARGET].into_iter().chain(packages).collect();
    clippy(&scope, warnings)
}

fn rustdoc(warnings: &str) -> Result<()> {
    let mut command = cargo(&["doc", "--quiet", "--locked", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", warnings);
    run_command(command)
}
