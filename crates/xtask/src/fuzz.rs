//! Fuzz targets, guided by coverage. Stable Rust can compile for libFuzzer: see
//! tests/fuzz/rustc.sh.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::Result;
use crate::run::{cargo, command, read, run as run_command, target_folder, timed};

/// The fuzz targets: programs of the package `tabletop-fuzz`.
pub const TARGETS: [&str; 4] = ["shell", "filter", "grpc", "folder"];

/// The duration of fuzzing as part of all tests.
pub const SECONDS_IN_TESTS: u32 = 60;

/// Runs one input of a target again.
pub fn run_input(target: &str, input: &Path) -> Result<()> {
    let mut program = command(build()?.join(target), &[]);
    // Relative to the caller's folder, not to the workspace.
    program.arg(std::path::absolute(input).map_err(|error| format!("{}: {error}", input.display()))?);
    run_command(program)
}

/// Runs all targets whose names contain `name` concurrently.
///
/// # Errors
/// The inputs that fail, with their paths.
pub fn all(name: Option<&str>, seconds: u32) -> Result<()> {
    let targets: Vec<&str> =
        TARGETS.into_iter().filter(|target| name.is_none_or(|name| target.contains(name))).collect();
    run(&targets, seconds)
}

/// Runs these targets concurrently.
///
/// # Errors
/// As [`all`].
pub fn run(targets: &[&str], seconds: u32) -> Result<()> {
    let programs = build()?;
    let folder = target_folder()?.join("fuzz-inputs");
    eprintln!("xtask: fuzzing {} for {seconds} s …", targets.join(", "));
    let mut running = Vec::new();
    for target in targets {
        running.push((*target, start(&programs.join(target), target, &folder, seconds)));
    }
    // All targets end before the report.
    let ended = running
        .into_iter()
        .map(|(target, child)| (target, child.and_then(|child| end(target, &folder, child))));
    let failed: Vec<String> =
        ended.collect::<Vec<_>>().into_iter().filter_map(|(_, result)| result.err()).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// Compiles the targets and returns their folder.
fn build() -> Result<PathBuf> {
    timed("instrumented build of the fuzz targets", || {
        // With a workspace wrapper, cargo compiles only our crates with other flags, and shares all
        // others with the tests.
        let mut cargo = cargo(&["build", "--quiet", "--package", "tabletop-fuzz"]);
        cargo
            .env("RUSTC_WORKSPACE_WRAPPER", crate::root().join("tests/fuzz/rustc.sh"))
            .env("CARGO_INCREMENTAL", "0");
        run_command(cargo)
    })?;
    Ok(target_folder()?.join("debug"))
}

/// Starts a target with the seeds and the inputs that earlier runs have kept.
fn start(program: &Path, target: &str, folder: &Path, seconds: u32) -> Result<Child> {
    let found = folder.join(target);
    fs::create_dir_all(&found).map_err(|error| format!("cannot make {}: {error}", found.display()))?;
    let log = log(folder, target);
    let cannot = |error| format!("cannot write {}: {error}", log.display());
    let output = File::create(&log).map_err(cannot)?;
    let mut program = Command::new(program);
    program.args([&found, &crate::root().join("tests/fuzz/seeds").join(target)]);
    program
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/{target}-", folder.display()));
    program.args(["-timeout=10", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1"]);
    let dictionary = crate::root().join("tests/fuzz/words").join(target);
    if dictionary.is_file() {
        program.arg(format!("-dict={}", dictionary.display()));
    }
    program.stdin(Stdio::null()).stdout(output.try_clone().map_err(cannot)?).stderr(output);
    program.spawn().map_err(|error| format!("the fuzz target {target} could not be started: {error}"))
}

fn end(target: &str, folder: &Path, mut child: Child) -> Result<()> {
    let status =
        child.wait().map_err(|error| format!("the fuzz target {target} cannot be waited for: {error}"))?;
    let text = read(&log(folder, target))?;
    let number =
        |name: &str| text.lines().rev().find_map(|line| line.strip_prefix(name)).map_or("?", str::trim);
    let reached =
        text.lines().rev().find_map(|line| line.split_once("cov: ")?.1.split(' ').next()).unwrap_or("?");
    eprintln!(
        "xtask: fuzz {target:<7} {} inputs, {reached} places reached",
        number("stat::number_of_executed_units:")
    );
    if status.success() {
        return Ok(());
    }
    let why: Vec<&str> = text.lines().filter(|line| !is_chatter(line)).take(12).collect();
    let input = text.lines().find_map(|line| line.split_once("Test unit written to ")).map(|(_, path)| path);
    let input = input
        .ok_or_else(|| format!("the fuzz target {target} failed, see {}", log(folder, target).display()))?;
    Err(format!(
        "{}\nthe fuzz target {target} failed on the input {input}; alone: cargo xtask fuzz {target} --input {input}",
        why.join("\n")
    ))
}

fn log(folder: &Path, target: &str) -> PathBuf {
    folder.join(format!("{target}.log"))
}

/// Reports whether a line of libFuzzer's output is not about a failure.
fn is_chatter(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || ["#", "INFO:", "NEW_FUNC", "WARNING: Failed to find function"]
            .iter()
            .any(|word| line.starts_with(word))
}
