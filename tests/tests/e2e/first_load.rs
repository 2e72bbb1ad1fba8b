//! The part of the program that is fetched before the first rows, and the later part.

use std::fs;

use serde_json::{Value, json};
use tabletop_site_server::Server;
use tabletop_tests::EARLY_GZIP_BYTES_MAX;
use tabletop_tests::browser::{Result, path_from};
use tabletop_tests::page::{Page, same};
use tabletop_tests::site_copy::copy_of;

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "first load: the program that is fetched before the first rows is small", run: is_small },
    Test { name: "first load: the first rows need nothing of the later part", run: is_enough },
    Test {
        name: "first load: a later function that is needed early waits for its part",
        run: waits_for_later_functions,
    },
    Test {
        name: "first load: a program in one part, as Trunk builds it, shows all of the page",
        run: works_whole,
    },
    Test { name: "first load: the page works on without a network", run: works_offline },
];

/// A part of the name of the later part: crates/xtask/src/page.rs.
const LATER: &str = "-later-";

/// Runs a function of the worker that a first visit does not need: a regex.
const READ: &str =
    "(await tabletop.read(0, { filter: 'value_regex(\".*nothing.*\")', rows_limit: 1 })).rows.length";

fn is_small(page: &Page) -> Result<()> {
    let names = "return performance.getEntriesByType('resource').map(entry => new URL(entry.name).pathname.split('/').at(-1))";
    let names = page.browser.run(names, json!([]))?;
    let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
    let early: Vec<&str> = names.filter(|name| name.ends_with(".wasm") && !name.contains(LATER)).collect();
    let [name] = early[..] else {
        return Err(format!("the early part of the program is one file, not {early:?}"));
    };
    let twin = path_from("TABLETOP_DIST")?.join(format!("{name}.gz"));
    let size = fs::metadata(&twin).map_err(|error| format!("{}: {error}", twin.display()))?.len();
    if size > EARLY_GZIP_BYTES_MAX {
        return Err(format!(
            "the part of the program that is fetched before the first rows has {size} bytes (gzip), of at most \
             {EARLY_GZIP_BYTES_MAX}. See what runs early: the names in target/profile-program/program.ran."
        ));
    }
    Ok(())
}

/// A first visit to a site that has no later part.
fn is_enough(page: &Page) -> Result<()> {
    let dist = path_from("TABLETOP_DIST")?;
    let site = copy_of(&dist, |name| !name.contains(LATER))
        .map_err(|error| format!("{}: {error}", dist.display()))?;
    let server = Server::start(site.path(), 0, "/").map_err(|error| format!("the server: {error}"))?;
    let visit = page.at(server.url());
    let result = visit
        .fresh_in_motion()
        .and_then(|()| visit.until("a row is there", || visit.first_key().map(|key| !key.is_empty())))
        .map_err(|error| {
            format!(
                "{error}. A first visit needs functions that crates/app/early.txt does not list: run \
                 `cargo xtask test e2e` without the variable CI, which writes the list, and commit it"
            )
        });
    // The page fetches the part when the rows are there, which fails.
    let complaints = page.browser.complaints()?;
    page.fresh()?;
    result?;
    match complaints.iter().find(|complaint| !(complaint.contains(LATER) && complaint.contains("404"))) {
        Some(complaint) => Err(format!("the console has: {complaint}")),
        None => Ok(()),
    }
}

fn waits_for_later_functions(page: &Page) -> Result<()> {
    let never = "WebAssembly.compileStreaming = () => new Promise(() => {});";
    let script =
        page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": never }))?;
    let result = page.reopen().and_then(|()| page.api(READ));
    page.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", &script)?;
    if result? != json!(0) {
        return Err("a filter that no cell passes returned rows".into());
    }
    let fetched = "return performance.getEntriesByType('resource').filter(entry => entry.initiatorType === 'xmlhttprequest').length";
    match page.browser.run(fetched, json!([]))?.as_u64() {
        Some(1) => Ok(()),
        count => Err(format!("the later part was fetched {count:?} times by the page")),
    }
}

/// A first visit to a site whose program has no later part. The timeline is what such a part draws
/// when it arrives.
fn works_whole(page: &Page) -> Result<()> {
    let site = path_from("TABLETOP_WHOLE")?;
    let server = Server::start(&site, 0, "/").map_err(|error| format!("the server: {error}"))?;
    let visit = page.at(server.url());
    visit.fresh_in_motion()?;
    visit.find("slider", "Position in the events")?;
    visit.until("a row is there", || visit.first_key().map(|key| !key.is_empty()))?;
    let files =
        "return performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.wasm')).length";
    same("parts of the program", page.browser.run(files, json!([]))?, json!(1))?;
    visit.check_quiet()?;
    page.fresh()
}

fn works_offline(page: &Page) -> Result<()> {
    until_later_is_fetched(page)?;
    let line = |offline: bool| {
        let line =
            json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        page.browser.devtools("Network.emulateNetworkConditions", &line)
    };
    page.browser.devtools("Network.enable", &json!({}))?;
    line(true)?;
    let read = page
        .api(READ)
        .and_then(|_| page.fill("Filter as text", "value_regex(\"a\")"))
        .and_then(|()| page.ask());
    line(false)?;
    read
}

fn until_later_is_fetched(page: &Page) -> Result<()> {
    let ended = "return performance.getEntriesByType('resource').some(entry => entry.name.includes('-later-') && entry.responseEnd > 0)";
    page.until("the later part is fetched", || Ok(page.browser.run(ended, json!([]))? == json!(true)))
}
