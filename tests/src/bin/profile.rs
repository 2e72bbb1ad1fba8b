//! Records which functions of the page's program run early: `cargo xtask profile`, which builds a
//! page that records them.
//!
//! Early functions run before the rows of a visit are on the screen, or during what most users do
//! first. They are fetched before anything else; the rest is fetched when the page can be used.
//! Visits differ, so there are several: the first one, a later one, and one on a phone. A visit
//! with stored events is not among them, because it finds the later part in the browser's cache.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use lexopt::{Arg, Parser};
use serde_json::json;
use tabletop_site_server::Server;
use tabletop_tests::browser::{Browser, Result, path_from};
use tabletop_tests::command_line;
use tabletop_tests::page::Page;

const TELEPHONE: (u32, u32) = (360, 740);
/// The functions that run differ slightly from visit to visit, because hash maps have a new key in
/// each.
const VISITS: usize = 2;
/// Enough time for tablets to split and SSTables to be compacted.
const PLAYBACK: Duration = Duration::from_secs(5);
/// Enough time for the work that a click starts.
const SETTLE: Duration = Duration::from_millis(1_200);

fn main() -> ExitCode {
    command_line::run("profile FIRST RAN", parse, record)
}

/// The files to write: the functions that a first visit runs, and those that all visits run.
struct Files {
    first: PathBuf,
    all: PathBuf,
}

fn parse(parser: &mut Parser) -> std::result::Result<Option<Files>, lexopt::Error> {
    let mut paths = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(path) => paths.push(PathBuf::from(path)),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    let [first, all] = <[PathBuf; 2]>::try_from(paths).map_err(|_| "two files are to be written")?;
    Ok(Some(Files { first, all }))
}

fn record(files: Files) -> Result<()> {
    let names = path_from("TABLETOP_NAMES")?;
    let names = std::fs::read_to_string(&names).map_err(|error| format!("{}: {error}", names.display()))?;
    let server = Server::start(&path_from("TABLETOP_DIST")?, 0, "/")
        .map_err(|error| format!("the server: {error}"))?;
    let browser = Browser::start()?;
    let page = Page::new(&browser, server.url(), String::new())?;
    let mut profile = Profile { names: names.lines().collect(), early: BTreeSet::new() };

    for _ in 0..VISITS {
        page.fresh_in_motion()?;
        thread::sleep(SETTLE);
        profile.add(&page, "a first visit")?;
    }
    profile.write(&files.first)?;
    thread::sleep(PLAYBACK);
    profile.add(&page, "events arrive")?;
    uses(&page)?;
    profile.add(&page, "template and tablet are used")?;
    page.reopen()?;
    thread::sleep(PLAYBACK);
    profile.add(&page, "a second visit")?;
    page.fresh()?;
    profile.add(&page, "a visit without motion")?;

    page.fresh_in_motion()?;
    page.browser.resize(TELEPHONE.0, TELEPHONE.1)?;
    page.reopen()?;
    // Other panes are opened once the rest of the program has arrived.
    thread::sleep(SETTLE);
    profile.add(&page, "a visit on a telephone")?;

    profile.write(&files.all)
}

/// Does what most users do first.
fn uses(page: &Page) -> Result<()> {
    page.browser.run("arguments[0].focus()", json!([page.field("Row key template")?.as_argument()]))?;
    page.browser.press(&["End", "x", "Backspace"])?;
    thread::sleep(SETTLE);
    // Searching and clicking must be one step, because a moving element may have disappeared in
    // between.
    let click = "const tablet = document.querySelector('[role=option][aria-label^=\"Tablet 2 of\"]');
        tablet?.dispatchEvent(new MouseEvent('click', { bubbles: true })); return tablet !== null;";
    page.until("a tablet is clicked", || Ok(page.browser.run(click, json!([]))? == json!(true)))?;
    thread::sleep(SETTLE);
    Ok(())
}

struct Profile<'a> {
    /// The names of all functions, in the order of the records.
    names: Vec<&'a str>,
    early: BTreeSet<&'a str>,
}

impl Profile<'_> {
    /// Adds the functions that the open page and its worker have run.
    fn add(&mut self, page: &Page, what: &str) -> Result<()> {
        let recorded = page.browser.run("return await tabletopRecorded()", json!([]))?;
        let before = self.early.len();
        for program in recorded.as_array().into_iter().flatten() {
            let marks = program.as_str().unwrap_or_default().bytes();
            self.early
                .extend(self.names.iter().zip(marks).filter(|(_, mark)| *mark == b'1').map(|(name, _)| name));
        }
        eprintln!("profile: {what}: {} functions, {} more", self.early.len(), self.early.len() - before);
        Ok(())
    }

    /// Writes the names, one per line.
    fn write(&self, file: &Path) -> Result<()> {
        let lines: String = self.early.iter().map(|name| format!("{name}\n")).collect();
        std::fs::write(file, lines).map_err(|error| format!("cannot write {}: {error}", file.display()))
    }
}
