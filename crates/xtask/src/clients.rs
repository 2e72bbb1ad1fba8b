//! Runs other programs against the server: Google's clients, clients that continue while the server
//! is killed, and a benchmark.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::Result;
use crate::run::{cargo, command, run, target_folder, timed};
use crate::test;
use crate::tools::Tools;

/// The duration of the soak test as part of all tests.
pub const SOAK_SECONDS_IN_TESTS: u64 = 20;

/// A part of the names of the end-to-end tests with Google's client.
const OF_PAGE: &str = "Google's client";

/// Builds `tabletop`, and calls its whole API with Google's client for Python, tables and rows with
/// those for Node.js and Go, and generated code with those for Python and Node.js; uses Google's
/// emulator as a Bigtable. Then the client for Python writes while the server's page looks. Runs
/// only the tests whose names contain `name`.
pub fn official(name: Option<&str>) -> Result<()> {
    let tools = Tools::locate()?;
    let python = tools.python_with_client()?;
    if name.is_some_and(|name| OF_PAGE.contains(name)) {
        return test::end_to_end(Some(OF_PAGE), Some(&python));
    }
    let mut tests = command(python.clone(), &["tests/clients/main.py"]);
    // Python must write no files into the source folders.
    tests.arg(server("dev")?).args(name).env("PYTHONDONTWRITEBYTECODE", "1");
    tests.env("PATH", &tools.path).env("TABLETOP_NODE_MODULES", tools.node_client()?);
    let sources = ["google.go", "emulator.go"].map(|name| crate::root().join("tests/clients").join(name));
    let programs = target_folder()?.join("go");
    if tools.go_programs(&sources, &programs)? {
        tests.env("TABLETOP_GO_PROGRAMS", programs);
    }
    run(tests)?;
    if name.is_none() { test::end_to_end(Some(OF_PAGE), Some(&python)) } else { Ok(()) }
}

/// Runs mixed traffic with kills and restarts, and checks that all acknowledged writes are there.
pub fn soak(seconds: u64, seed: Option<u64>) -> Result<()> {
    let program = server("dev")?;
    let mut soak = cargo(&["run", "--quiet", "--package", "tabletop-tests", "--bin", "soak", "--"]);
    soak.args(["--seconds", &seconds.to_string()]).env("TABLETOP", program);
    if let Some(seed) = seed {
        soak.args(["--seed", &seed.to_string()]);
    }
    run(soak)
}

/// Like [`soak`], with the programs that the native tests have built. Cargo would build them alone
/// with other features of their dependencies, and compile most of the workspace again.
pub fn soak_of_tests(seconds: u64) -> Result<()> {
    let mut soak = command(program("dev", "soak")?, &["--seconds", &seconds.to_string()]);
    soak.env("TABLETOP", program("dev", "tabletop")?);
    run(soak)
}

/// `cargo xtask bench serve`: runs the optimised server, and a client in another process.
pub fn bench(options: &[OsString]) -> Result<()> {
    let program = server("release")?;
    let bench = ["--quiet", "--release", "--package", "tabletop-tests", "--bin", "serve-bench"];
    timed("optimized build of the client (the first time 2 to 4 minutes)", || {
        run(cargo(&[&["build"], &bench[..]].concat()))
    })?;
    let mut bench = cargo(&[&["run"], &bench[..], &["--"]].concat());
    bench.args(options).env("TABLETOP", program);
    run(bench)
}

/// `cargo xtask bench large`: a model of 100 GB of data in one process.
pub fn bench_large(options: &[OsString]) -> Result<()> {
    let bench = ["--quiet", "--release", "--package", "tabletop-tests", "--bin", "large-bench"];
    timed("optimized build of the host (the first time 2 to 4 minutes)", || {
        run(cargo(&[&["build"], &bench[..]].concat()))
    })?;
    let mut bench = cargo(&[&["run"], &bench[..], &["--"]].concat());
    bench.args(options);
    run(bench)
}

/// Builds the program `tabletop`.
fn server(profile: &str) -> Result<PathBuf> {
    timed(&format!("build of tabletop, profile {profile}"), || {
        run(cargo(&[
            "build",
            "--quiet",
            "--profile",
            profile,
            "--package",
            "tabletop-cli",
            "--bin",
            "tabletop",
        ]))
    })?;
    program(profile, "tabletop")
}

/// Returns the path of a program that was built with a profile.
fn program(profile: &str, name: &str) -> Result<PathBuf> {
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(target_folder()?.join(folder).join(name).with_extension(std::env::consts::EXE_EXTENSION))
}
