//! Data recorded by earlier builds must open in the page: the storage of a browser, and links.
//! `/tests/golden/builds/README.md` describes the recordings.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{Page, same};

use super::run::Test;

pub const TESTS: &[Test] = &[Test {
    name: "earlier builds: the workspaces, events and preferences of a browser are there",
    run: opens_a_browser,
}];

fn recorded() -> Result<Vec<PathBuf>> {
    let builds = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/builds");
    let entries = fs::read_dir(builds).map_err(|error| error.to_string())?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
}

fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Stores what a browser has recorded, as the page and the worker would have stored it, while
/// neither is open.
fn store(page: &Page, browser: &Path) -> Result<()> {
    page.forget(&[("prefers-reduced-motion", "reduce")])?;
    page.browser.open(&format!("{}robots.txt", page.url()))?;
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(browser.join("files")).map_err(|error| error.to_string())?.flatten() {
        let bytes = fs::read(entry.path()).map_err(|error| error.to_string())?;
        let name = entry.file_name().to_string_lossy().into_owned();
        files.insert(name, BASE64_STANDARD.encode(bytes));
    }
    let local: Value = serde_json::from_str(&text(&browser.join("local_storage.json"))?)
        .map_err(|error| error.to_string())?;
    let script = "const [local, files] = arguments;
        const directory = new URL('.', location.href).pathname;
        for (const [name, text] of Object.entries(local)) localStorage[`${directory}tabletop.${name}`] = text;
        const root = await navigator.storage.getDirectory();
        const folder = await root.getDirectoryHandle(`tabletop ${encodeURIComponent(directory)}`, { create: true });
        for (const [name, base64] of Object.entries(files)) {
            const out = await (await folder.getFileHandle(name, { create: true })).createWritable();
            await out.write(Uint8Array.from(atob(base64), letter => letter.charCodeAt(0)));
            await out.close();
        }";
    page.browser.run(script, json!([local, files]))?;
    // The text has no icon.
    page.browser.complaints().map(drop)
}

fn first_key(page: &Page) -> Result<Value> {
    page.api("(await tabletop.read(0, {})).rows[0].key")
}

/// Opens a workspace of the list.
fn open(page: &Page, name: &str) -> Result<()> {
    page.click("button", "Menu")?;
    page.click("menuitem", "Workspaces…")?;
    page.find("group", &format!("Open {name}"))?.by_role("button", "Open")?.click()
}

fn opens_a_browser(page: &Page) -> Result<()> {
    for build in recorded()? {
        store(page, &build.join("browser"))?;
        page.reopen()?;
        let has = |what: &str, expression: &str, expected: Value| {
            page.until(what, || same("it", page.api(expression)?, expected.clone()).map(|()| true))
        };
        let theme = page.browser.run("return document.documentElement.dataset.theme", json!([]))?;
        same("the theme", theme, json!("dark"))?;
        page.find("textbox", "Shell command")?;
        let sets = json!([
            ["orders.csv", 60, "loaded"],
            ["visits 雪.jsonl", 79, "loaded"],
            ["squares.csv", 323, "cancelled"],
            ["interrupted.csv", 1_000, "interrupted"]
        ]);
        has(
            "the sets are there",
            "(await tabletop.storage()).sets.map(set => [set.own.name, set.events, set.state])",
            sets,
        )?;

        // The workspace that was open last. Its events are restored together with a migration
        // between its designs.
        page.until_value("Row key template", "{user_token},{app_id},{timestamp:iso}")?;
        page.click("link", "Profiles")?;
        page.click("tab", "The migration, live")?;
        page.until_text("From By user to By app")?;
        page.click("link", "Design")?;

        open(page, "Bestellungen 雪")?;
        page.until_text("60 events")?;
        let keys =
            "(async () => (await tabletop.read(1, { rows: { prefix: 'zz' } })).rows.map(row => row.key))()";
        has("the manual writes are there", keys, json!(["zz-hand"]))?;
        open(page, "Visits")?;
        page.until_text("79 events")?;
        page.until_value("Row key template", "{who}#{at:iso}")?;
        page.until("its first row is there", || {
            Ok(first_key(page)? == json!("ü-0#2026-03-01T00:00:00.000Z"))
        })?;
    }
    Ok(())
}
