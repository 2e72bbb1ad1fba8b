//! `cargo xtask bench engine`: compares the engine with other embedded stores.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::Result;
use crate::program;
use crate::run::{cargo, copy, run, target_folder, timed};
use crate::tools::Tools;

/// The files from npm packages that the benchmark's pages need.
const FROM_NPM: [&str; 7] = [
    "@sqlite.org/sqlite-wasm/dist",
    "@duckdb/duckdb-wasm/dist/duckdb-browser.mjs",
    "@duckdb/duckdb-wasm/dist/duckdb-browser-eh.worker.js",
    "@duckdb/duckdb-wasm/dist/duckdb-eh.wasm",
    "apache-arrow",
    "flatbuffers/mjs",
    "tslib/tslib.es6.mjs",
];

/// The program that measures, in calls of cargo.
const PROGRAM: [&str; 6] = ["--release", "--quiet", "--package", "tabletop-peers", "--bin", "peers"];

/// A comparison of the engine with its peers.
#[derive(Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Whether it is done natively.
    pub natively: bool,
    /// Whether it is done in a browser, too.
    pub in_browser: bool,
    /// Options of the program that measures.
    pub options: Vec<OsString>,
}

/// Builds and runs the program of the package `tabletop-peers`, and builds its pages if it measures
/// in a browser too.
pub fn bench(comparison: &Comparison) -> Result<()> {
    let features = features(comparison)?;
    let program = [&PROGRAM[..], features].concat();
    timed("optimized build of the engine and its peers (the first time 1 to 3 minutes)", || {
        run(cargo(&[&["build"], &program[..]].concat()))
    })?;
    let mut bench = cargo(&[&["run"], &program[..], &["--"]].concat());
    if comparison.natively {
        match Tools::locate()?.duckdb() {
            Ok(packages) => _ = bench.env("TABLETOP_DUCKDB", packages),
            Err(error) => eprintln!("xtask: {error}\nxtask: DuckDB is NOT measured natively."),
        }
    }
    if comparison.in_browser {
        let tools = Tools::for_build()?;
        let browser = tools.browser()?;
        let site = timed("the same for a browser (the first time 1 to 3 minutes)", || site(&tools))?;
        bench.env("TABLETOP_PEERS", site);
        bench.env("TABLETOP_CHROMIUM", browser.chromium).env("TABLETOP_CHROMEDRIVER", browser.chromedriver);
    }
    bench.args(&comparison.options);
    run(bench)
}

/// Returns the features that the program can have here: RocksDB, if its C++ compiles. It is
/// measured natively.
fn features(comparison: &Comparison) -> Result<&'static [&'static str]> {
    const ROCKSDB: [&str; 2] = ["--features", "rocksdb"];
    if !comparison.natively {
        return Ok(&[]);
    }
    let built = Tools::locate()?.cpp_with_libclang().and_then(|()| {
        timed("RocksDB (the first time 10 to 20 minutes)", || {
            run(cargo(&[&["build"], &PROGRAM[..], &ROCKSDB].concat()))
        })
    });
    match built {
        Ok(()) => Ok(&ROCKSDB),
        Err(error) => {
            eprintln!("xtask: {error}\nxtask: RocksDB is NOT measured.");
            Ok(&[])
        }
    }
}

/// Builds the pages and returns their folder.
fn site(tools: &Tools) -> Result<PathBuf> {
    let target = target_folder()?;
    let site = target.join("peers-site");
    let wasm = target.join("wasm32-unknown-unknown/browser/in_browser.wasm");
    let build = ["build", "--quiet", "--profile", "browser", "--target", "wasm32-unknown-unknown"];
    run(tools.cargo(&[&build[..], &["--package", "tabletop-peers", "--bin", "in_browser"]].concat()))?;
    program::bind(&wasm, &site, "engine")?;
    // The same level as for the page.
    tools.wasm_opt(&site.join("engine_bg.wasm"), &["-O2".to_string()])?;
    let source = crate::root().join("tests/peers/browser");
    copy(&source, &site)?;
    let fold = ["fold.wat", "fold.wasm"].map(|name| site.join(name).to_string_lossy().into_owned());
    run(tools.command("wasm-as", &[&fold[0], "-o", &fold[1]]))?;
    let packages = tools.peers()?;
    FROM_NPM.iter().try_for_each(|path| copy(&packages.join(path), &site.join("node_modules").join(path)))?;
    Ok(site)
}
