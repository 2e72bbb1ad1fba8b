//! Builds the static site into `dist/`, serves it, and measures it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tabletop_site_server::Server;

use crate::Result;
use crate::page;
use crate::program;
use crate::run::{cargo, command, copy, run, target_folder, timed};
use crate::tools::Tools;

/// The ports that are tried if none is named.
const PORTS: std::ops::Range<u16> = 8080..8100;

/// Builds the site and returns its folder. With the address "./", the site works under any path.
pub fn dist(public_url: &str) -> Result<PathBuf> {
    let tools = Tools::for_build()?;
    build(&tools, public_url)
}

/// Builds the page, and installs `tabletop` with its files: build.rs of the program reads the
/// folder that the variable names.
pub fn install() -> Result<()> {
    let page = dist("./")?;
    let mut install = cargo(&["install", "--locked", "--path", "crates/cli"]);
    install.env("TABLETOP_PAGE", page);
    run(install)
}

/// Builds the site as [`dist`] does, with tools that are installed already.
pub fn build(tools: &Tools, public_url: &str) -> Result<PathBuf> {
    let base = if public_url.ends_with('/') { public_url.to_string() } else { format!("{public_url}/") };
    let source = crate::root();
    let program = program::split(tools, &page::wasm_opt_options(&source)?)?;
    let folder = source.join("dist");
    timed(
        "files of the page into dist/, and compressed (some seconds; the first time half a minute)",
        || {
            // The new site is built in another folder and replaces the old one when it is complete.
            let new = empty(target_folder()?.join("page-site"))?;
            page::write_site(&source, &program, &new, &base)?;
            program::compress(&new, &folder)?;
            copy(&new, &empty(folder.clone())?)?;
            remove(&new)
        },
    )?;
    folder.canonicalize().map_err(|error| format!("the build has not made {}: {error}", folder.display()))
}

/// Builds the site with a program in one part, as plain Trunk does, and returns its folder.
pub fn build_whole() -> Result<PathBuf> {
    let folder = empty(target_folder()?.join("whole-site"))?;
    page::write_site(&crate::root(), &program::whole()?, &folder, "./")?;
    Ok(folder)
}

/// Builds the site with the pseudo-locale, and returns its folder.
pub fn build_with_pseudo_locale() -> Result<PathBuf> {
    let folder = empty(target_folder()?.join("pseudo-site"))?;
    page::write_site(&crate::root(), &program::with_pseudo_locale()?, &folder, "./")?;
    Ok(folder)
}

fn empty(folder: PathBuf) -> Result<PathBuf> {
    remove(&folder)?;
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    Ok(folder)
}

fn remove(folder: &Path) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    fs::remove_dir_all(folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))
}

/// How the site is served.
#[derive(Debug, PartialEq, Eq)]
pub struct Serve {
    /// The port; without one, the first free one of a range.
    pub port: Option<u16>,
    /// Whether the page is opened in the user's browser.
    pub open: bool,
}

/// Builds and serves the site until the user stops it.
pub fn serve(options: &Serve) -> Result<()> {
    // Before the build, which takes minutes, so that a port in use is reported first.
    let folder = crate::root().join("dist");
    let server = match options.port {
        Some(port) => Server::start(&folder, port, "/").map_err(|error| format!("port {port}: {error}")),
        None => PORTS.into_iter().find_map(|port| Server::start(&folder, port, "/").ok()).ok_or_else(|| {
            format!("no port from {} to {} is free: name one with --port", PORTS.start, PORTS.end - 1)
        }),
    }?;
    dist("./")?;
    println!("Tabletop is at {} (stop with Ctrl+C)", server.url());
    if options.open {
        let (opener, words): (&str, &[&str]) = match std::env::consts::OS {
            "macos" => ("open", &[]),
            "windows" => ("cmd", &["/C", "start"]),
            _ => ("xdg-open", &[]),
        };
        if let Err(error) = run(command(opener, &[words, &[&server.url()]].concat())) {
            eprintln!("xtask: {error}: open the address yourself");
        }
    }
    loop {
        std::thread::park();
    }
}

/// Builds the site, and measures it with the program `bench` of the tests.
pub fn bench(options: &[OsString]) -> Result<()> {
    let tools = Tools::for_build()?;
    let folder = build(&tools, "./")?;
    let mut bench = tools.with_browser(&[
        "run",
        "--release",
        "--quiet",
        "--package",
        "tabletop-tests",
        "--bin",
        "bench",
        "--",
    ])?;
    bench.args(options).env("TABLETOP_DIST", folder);
    run(bench)
}

/// Builds the site, and takes the pictures of the README, or those of the page's states into a
/// folder, with the program `pictures` of the tests.
pub fn pictures(options: &[OsString]) -> Result<()> {
    let tools = Tools::for_build()?;
    let folder = build(&tools, "./")?;
    let mut pictures =
        tools.with_browser(&["run", "--quiet", "--package", "tabletop-tests", "--bin", "pictures", "--"])?;
    pictures.args(options).env("TABLETOP_DIST", folder);
    run(pictures)
}

/// Records which functions run early, and writes their list again if it is wrong: builds a page
/// that records them, and uses it as people do.
pub fn profile(tools: &Tools) -> Result<()> {
    let recording = program::recording()?;
    let folder = empty(target_folder()?.join("profile-site"))?;
    page::write_site(&crate::root(), &recording.program, &folder, "./")?;
    let mut recorder =
        tools.with_browser(&["run", "--package", "tabletop-tests", "--bin", "profile", "--"])?;
    recorder.args(&recording.ran).env("TABLETOP_DIST", folder).env("TABLETOP_NAMES", &recording.names);
    timed("first visits in a browser, to record which functions run early (half a minute)", || {
        run(recorder)
    })?;
    program::correct_early_list(&recording)
}

/// Writes the list of early functions from one recording only.
pub fn profile_again() -> Result<()> {
    let tools = Tools::for_build()?;
    program::forget_early_list()?;
    profile(&tools)
}
