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

fn scrolls_sideways(page: &Page) -> Result<()> {
    const HINT: &str = "tablets do not fit in the pane: scroll sideways to see all";
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.open_pane(Pane::Tablets)?;
    same("a hint for a few tablets", page.visible_text()?.contains(HINT), false)?;
    page.click("button", "Simulation settings")?;
    page.find("combobox", "Tablets split at")?.choose("20.0 kB")?;
    page.until_text(HINT)?;
    let scrolled =
        "const strip = document.querySelector('.strip'); strip.scrollLeft = 40; return strip.scrollLeft;";
    // When the hint appears, the strip may be only some pixels wider than the pane. It grows while
    // tablets split.
    page.until("the strip scrolls", || Ok(page.browser.run(scrolled, json!([]))? == json!(40)))
}
