//! The page on a first visit: a key that begins with the time, and its hot tablet.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test {
        name: "first paint: all new writes fall into one tablet, and one click fixes it",
        run: shows_a_hotspot,
    },
    Test {
        name: "first paint: a salt removes the warning, and no other follows when all events are loaded",
        run: salts_for_good,
    },
    Test {
        name: "first paint: tablets split while events arrive; pause, play, restart, load all",
        run: splits_live,
    },
    Test { name: "first paint: a tablet is inspected, the strip read as a table", run: inspects },
    Test {
        name: "first paint: a strip that is wider than its pane says so, and scrolls",
        run: scrolls_sideways,
    },
];

fn shows_a_hotspot(page: &Page) -> Result<()> {
    page.fresh_in_motion()?;
    page.until_text("All current writes hit 1 of")?;
    let hot = page.name_with("option", ", hot")?;
    // In key order the newest rows are the last ones.
    let words: Vec<&str> = hot.split([' ', ',']).collect();
    if words.get(1) != words.get(3) {
        return Err(format!("the hot tablet is not the last one: {hot}"));
    }
    page.until_text("The key starts with timestamp")?;
    let (template, fix) = (
        page.find("textbox", "Row key template")?.value()?,
        page.find_named("button", "Move timestamp to the end")?,
    );
    fix.click()?;
    page.until("the template has changed", || {
        Ok(page.find("textbox", "Row key template")?.value()? != template)
    })?;
    page.until_text("are spread over")?;
    page.until("the hint has disappeared", || {
        Ok(!page.visible_text()?.contains("The key starts with timestamp"))
    })?;
    page.click("button", "Undo")?;
    page.until_value("Row key template", &template)
}

fn salts_for_good(page: &Page) -> Result<()> {
    page.fresh_in_motion()?;
    page.until_text("All current writes hit 1 of")?;
    page.open_pane(Pane::Design)?;
    page.find_named("button", "Salt with 8")?.click()?;
    page.click("button", "Load all")?;
    page.until_all_arrived()?;
    page.until_text("8 tablets, one for each salt, share all writes evenly")?;
    let text = page.visible_text()?;
    match ["hot 1", "current writes hit", "salt the key"].into_iter().find(|alarm| text.contains(alarm)) {
        Some(alarm) => Err(format!("the page still shows {alarm}")),
        None => Ok(()),
    }
}

fn splits_live(page: &Page) -> Result<()> {
    page.fresh_in_motion()?;
    page.until("there are several tablets", || Ok(tablets(page)? > 2))?;
    let before = tablets(page)?;
    page.until("a tablet splits", || Ok(tablets(page)? > before))?;
    page.click("button", "Pause")?;
    page.find("button", "Play")?;
    let paused = position(page)?;
    page.click("button", "Play")?;
    page.until("more events arrive", || Ok(position(page)? > paused))?;
    page.click("button", "Restart")?;
    page.until("events begin again", || Ok(position(page)? < paused))?;
    page.click("button", "Load all")?;
    page.until_all_arrived()
}

fn inspects(page: &Page) -> Result<()> {
    page.find_named("option", "Tablet 2 of")?.click()?;
    let inspector = page.find_named("region", "Tablet 2")?;
    let text = inspector.text()?;
    for part in ["Start, inclusive", "End, exclusive", "Rows", "SSTables", "Writes per second"] {
        if !text.contains(part) {
            return Err(format!("the inspector does not show {part}: {text}"));
        }
    }
    inspector.by_role("button", "Close the inspector")?.click()?;
    page.click("button", "Table")?;
    let lines = page.find("region", "Tablets as a table")?.text()?;
    if lines.lines().count() < 3 {
        return Err(format!("the table has too few lines: {lines}"));
    }
    page.find_named("DisclosureTriangle", "compactions")?.click()?;
    page.until_text("Write amplification")
}

fn scrolls_sideways(page: &Page) -> Result<()> {
    const HINT: &str = "tablets are wider than the pane: scroll sideways to see all";
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.open_pane(Pane::Tablets)?;
    same("a hint for a few tablets", page.visible_text()?.contains(HINT), false)?;
    page.find("combobox", "Tablets split at")?.choose("20.0 kB")?;
    page.until_text(HINT)?;
    let scrolled =
        "const strip = document.querySelector('.strip'); strip.scrollLeft = 40; return strip.scrollLeft;";
    // When the hint appears, the strip may be only some pixels wider than the pane. It grows while
    // tablets split.
    page.until("the strip scrolls", || Ok(page.browser.run(scrolled, json!([]))? == json!(40)))
}

/// Number of tablets in the strip.
fn tablets(page: &Page) -> Result<usize> {
    let options = page.find("listbox", "Tablets, in key order")?.all_by_role("option")?;
    Ok(options.len())
}

/// Number of events in the table.
fn position(page: &Page) -> Result<u64> {
    let text = page.visible_text()?;
    let line =
        text.lines().find(|line| line.contains(" of ") && line.ends_with(" events")).ok_or("no position")?;
    let number = line.split(' ').next().unwrap_or_default().replace(',', "");
    number.parse().map_err(|_| format!("no position in {line}"))
}
