//! Runs tests, and prints a verdict in the last lines.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::Result;
use crate::clients;
use crate::fuzz;
use crate::run::{ask, files_in, read, run as run_command, run_and_read, seconds, target_folder, write};
use crate::site;
use crate::skipped::Skipped;
use crate::tools::{Browser, Tools};

/// A kind of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Native tests.
    Native,
    /// Fuzz targets, for a minute.
    Fuzz,
    /// Tests that are compiled to wasm and run in a browser.
    Wasm,
    /// Tests that use the built page in a browser as a user does.
    EndToEnd,
}

impl Kind {
    /// All kinds, in the order of their duration.
    pub const ALL: [Kind; 4] = [Kind::Native, Kind::Fuzz, Kind::Wasm, Kind::EndToEnd];

    /// Parses the word of the command line.
    pub fn parse(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Native => "native",
            Kind::Fuzz => "fuzz",
            Kind::Wasm => "wasm",
            Kind::EndToEnd => "e2e",
        }
    }
}

/// Runs the tests of these kinds whose names contain `name`. All kinds run, even after one fails.
///
/// # Errors
/// When any test failed or could not be run.
pub fn run(kinds: &[Kind], name: Option<&str>) -> Result<()> {
    let mut verdicts = Vec::new();
    for kind in kinds {
        eprintln!("\nxtask: {} tests", kind.word());
        let start = Instant::now();
        let mut skipped = Skipped::default();
        let result = match kind {
            Kind::Native => native(name, &mut skipped),
            Kind::Fuzz => fuzz::all(name, fuzz::SECONDS_IN_TESTS),
            Kind::Wasm => wasm(name),
            Kind::EndToEnd => end_to_end(name, None),
        };
        verdicts.push((kind.word(), result, format!("{}{}", seconds(start.elapsed()), skipped.note())));
    }
    println!();
    for (kind, result, time) in &verdicts {
        match result {
            Ok(()) => println!("{kind:<7} passed in {time}"),
            Err(error) => println!("{kind:<7} FAILED in {time}: {error}; alone: cargo xtask test {kind}"),
        }
    }
    match verdicts.iter().filter(|(_, result, _)| result.is_err()).count() {
        0 => Ok(()),
        1 => Err("tests FAILED: 1 kind, see above".into()),
        failed => Err(format!("tests FAILED: {failed} kinds, see above")),
    }
}

/// The packages whose tests are compiled together. Without the benchmark's peers, whose C code takes
/// longer to compile than all of our code, and without the fuzz targets.
const WORKSPACE: [&str; 5] = ["--workspace", "--exclude", "tabletop-peers", "--exclude", "tabletop-fuzz"];

fn native(name: Option<&str>, skipped: &mut Skipped) -> Result<()> {
    if let Err(error) = corpus() {
        eprintln!("xtask: {error}\nxtask: the tests of the corpus FAIL without its packages.");
    }
    let mut cargo = crate::run::cargo(&["test", "--no-fail-fast"]);
    cargo.args(WORKSPACE).args(name);
    // Inline snapshots have their own variable.
    if std::env::var_os("UPDATE").is_some() {
        cargo.env("UPDATE_EXPECT", "1");
    }
    // The programs of tests write to a pipe, so they would not use colours.
    if std::io::stdout().is_terminal() {
        cargo.args(["--", "--color", "always"]);
    }
    let tested = run_and_read(cargo, |line| skipped.read(line));
    let is_asked = name.is_none_or(|name| "soak".contains(name));
    // Runs even after a failure, so that each failure is reported.
    let soaked = if is_asked { soak() } else { Ok(()) };
    tested.and(soaked)
}

/// Runs the soak test, unless the tests and their programs cannot be compiled.
fn soak() -> Result<()> {
    let mut cargo = crate::run::cargo(&["test", "--quiet", "--no-run"]);
    cargo.args(WORKSPACE);
    run_command(cargo)?;
    clients::soak_of_tests(clients::SOAK_SECONDS_IN_TESTS)
}

/// Fetches the packages with files of the corpus.
pub fn corpus() -> Result<()> {
    Tools::locate()?.corpus()
}

fn wasm(name: Option<&str>) -> Result<()> {
    let packages = packages_with_wasm_tests()?;
    let tools = Tools::for_wasm_tests()?;
    let browser = tools.browser()?;
    let mut cargo = tools.cargo(&["test", "--target", "wasm32-unknown-unknown", "--no-fail-fast"]);
    for package in &packages {
        cargo.args(["--package", package]);
    }
    let capabilities = target_folder()?.join("wasm-test-capabilities.json");
    write(&capabilities, &capabilities_json(&browser))?;
    cargo
        .args(name)
        .env("CHROMEDRIVER", &browser.chromedriver)
        // In seconds, for all tests of a package: 20 are too few on a slow machine.
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", &capabilities);
    run_command(cargo).and(types(&tools))
}

/// Checks the types of the JavaScript API with an example of correct and wrong uses.
fn types(tools: &Tools) -> Result<()> {
    let mut compiler = tools.typescript()?;
    compiler.args(["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom"]);
    compiler.arg("crates/client/tests/types/example.ts");
    run_command(compiler)
}

/// The start of the names of the tests that need a list of the functions that run early in this
/// very program.
const FIRST_LOAD: &str = "first load: ";

/// The start of the names of the tests that need a page with a pseudo-locale.
const LANGUAGE: &str = "language: ";

/// Runs the end-to-end tests whose names contain `name`; those with Google's client only with a
/// Python that has it.
pub fn end_to_end(name: Option<&str>, python: Option<&Path>) -> Result<()> {
    let tools = Tools::for_build()?;
    let axe = tools.axe()?;
    let cargo = |options: &[&str]| {
        // With the other packages, their code is compiled once for these and for the native tests.
        let mut cargo = tools.with_browser(&["test", "--test", "e2e"])?;
        cargo.args(WORKSPACE).args(name).args(options).envs(python.map(|python| ("TABLETOP_PYTHON", python)));
        Ok::<_, String>(cargo)
    };
    // The compiled tests know which of them the name selects.
    run_command(cargo(&["--no-run"])?)?;
    let selected = ask(cargo(&["--", "--list"])?).ok_or("the end-to-end tests do not list their names")?;
    let selects = |start: &str| selected.lines().any(|test| test.starts_with(start));
    // So no other change breaks the tests of the first load. In CI, they test the list of the commit,
    // because sites are built with it.
    if selects(FIRST_LOAD) && std::env::var_os("CI").is_none() {
        site::profile(&tools)?;
    }
    let folder = site::build(&tools, "./")?;
    let mut tests = cargo(&[])?;
    tests.env("TABLETOP_DIST", folder).env("TABLETOP_WHOLE", site::build_whole()?).env("TABLETOP_AXE", axe);
    if selects(LANGUAGE) {
        tests.env("TABLETOP_PSEUDO", site::build_with_pseudo_locale()?);
    }
    run_command(tests)
}

/// Returns the crates that depend on `wasm-bindgen-test`.
pub fn packages_with_wasm_tests() -> Result<Vec<String>> {
    let folders = files_in(&crate::root().join("crates"))?.into_iter();
    let mut manifests: Vec<PathBuf> = folders.map(|folder| folder.join("Cargo.toml")).collect();
    manifests.retain(|manifest| read(manifest).is_ok_and(|text| text.contains("wasm-bindgen-test")));
    let name = |manifest: &PathBuf| {
        let text = read(manifest)?;
        let name = text.split_once("name = \"").and_then(|(_, rest)| rest.split('"').next());
        name.map(str::to_string).ok_or_else(|| format!("{} has no name", manifest.display()))
    };
    let names: Vec<String> = manifests.iter().map(name).collect::<Result<_>>()?;
    if names.is_empty() { Err("no crate depends on wasm-bindgen-test".into()) } else { Ok(names) }
}

/// Returns the options with which the test runner starts the browser: without a screen, and as root
/// in a container.
fn capabilities_json(browser: &Browser) -> String {
    let flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ];
    let binary = format!("{:?}", browser.chromium.to_string_lossy());
    format!("{{\"goog:chromeOptions\": {{\"binary\": {binary}, \"args\": {flags:?}}}}}")
}
