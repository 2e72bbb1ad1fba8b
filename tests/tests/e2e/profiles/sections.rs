//! The ways to the sections of the view: its own list of sections, and the example of a migration,
//! which opens at its section and is followed to its end.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{PHONE, Page, WIDE, same};

use super::{BOTH_WRITTEN, COMPLETE, SWITCHED, arrived, backfill, press, until_at_last, until_in_sight};
use crate::e2e::run::Test;

pub const TESTS: &[Test] = &[
    Test {
        name: "profiles: the view says what it is, and each section is one press away",
        run: goes_to_sections,
    },
    Test {
        name: "profiles: the example of the migration is followed to its end while events arrive",
        run: follows_the_migration,
    },
];

fn view(page: &Page) -> Result<Value> {
    page.browser.run("return location.search", json!([]))
}

fn goes_to_sections(page: &Page) -> Result<()> {
    let tabs = [
        ("Narrow against wide", ".profiles-experiment"),
        ("The migration, live", ".profiles-migration"),
        ("Live profile", ".profiles-user"),
    ];
    // A key without users does not have pipelines. In their place, the page says what to do.
    page.click("link", "Profiles")?;
    page.until_text("Put app and user first in the key")?;
    page.find("tablist", "Sections of this view")?;
    page.click("tab", "The migration, live")?;
    until_shown(page, ".profiles-migration")?;
    page.click("tab", "Live profile")?;
    page.click("button", "Put app and user first in the key")?;
    page.find("button", "Play events")?;
    for (name, selector) in tabs {
        page.click("tab", name)?;
        until_shown(page, selector)?;
        same("the panel", page.find("tabpanel", name)?.attribute("class")?.contains("profiles"), true)?;
        let others = "return [...document.querySelectorAll('.profiles > :is(.profiles-user, .profiles-experiment, .profiles-migration)')].filter(part => part.checkVisibility()).length";
        same("sections on a tab", page.browser.run(others, json!([]))?, json!(1))?;
    }
    // The arrow keys go from tab to tab.
    page.browser.press(&["ArrowRight"])?;
    page.until("the next tab is selected", || {
        Ok(page.find("tab", "Narrow against wide")?.attribute("aria-selected")? == "true")
    })?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.click("tab", "The migration, live")?;
    until_shown(page, ".profiles-migration")?;
    page.check_accessible("the tabs of profiles on a phone")?;
    page.browser.resize(WIDE.0, WIDE.1)?;
    page.click("button", "Objects")?;
    until_in_sight(page, ".pane-results .results-tools")?;
    same("objects are in the results of a design", view(page)?, json!(""))?;
    page.find("combobox", "Show")?.choose("Objects")
}

/// Waits until a part of the view is on the screen. The focus stays on its tab.
fn until_shown(page: &Page, selector: &str) -> Result<()> {
    let is_shown = "const part = document.querySelector(arguments[0]);
        if (part === null) { return false; }
        const { top, bottom, height } = part.getBoundingClientRect();
        return height > 0 && top < innerHeight && bottom > 0";
    page.until(&format!("{selector} is on the screen"), || {
        Ok(page.browser.run(is_shown, json!([selector]))? == json!(true))
    })
}

/// Opens a profile example by its button, and waits until the section that its text mentions first
/// is on the screen.
fn open_example(page: &Page, title: &str, section: &str) -> Result<()> {
    page.click("button", "Examples")?;
    page.click("button", title)?;
    page.find("note", "What to look at")?;
    page.until("the engine has it", || Ok(page.api("(await tabletop.workspace()).name")? == json!(title)))?;
    same("the view", view(page)?, json!("?view=profiles"))?;
    until_in_sight(page, section)
}

fn follows_the_migration(page: &Page) -> Result<()> {
    open_example(page, "Migrate without downtime", ".profiles-migration")?;
    press(page, "Start with the old table")?;
    page.until_text("From Events to Events, Wide")?;
    press(page, "Start the stream")?;
    press(page, "Write to both tables")?;
    page.until_text(BOTH_WRITTEN)?;
    backfill(page)?;
    press(page, "Read from the new table")?;
    page.until_text(SWITCHED)?;
    press(page, "Start the stream")?;
    page.until_text("No differences:")?;
    press(page, "Pause the stream")?;
    press(page, "Drop the old table")?;
    until_at_last(page, COMPLETE)?;
    // The stream resumes.
    press(page, "Start the stream")?;
    let before = arrived(page)?;
    page.until("more events arrive", || Ok(arrived(page)? > before))?;
    press(page, "Pause the stream")
}
