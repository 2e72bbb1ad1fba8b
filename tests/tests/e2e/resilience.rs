//! No work is lost: a cancelled read, a stopped engine, a reopened page.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane};

pub const TESTS: &[Test] = &[
    Test { name: "resilience: a long read is cancelled", run: cancels_a_read },
    Test { name: "resilience: the engine stops, is restarted and has the same workspace", run: restarts },
    Test { name: "resilience: own data comes back with a restarted engine", run: restarts_with_own_data },
    Test { name: "resilience: a reload keeps the workspace", run: restores_the_workspace },
];

fn cancels_a_read(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    page.fill("Events", "300000")?;
    page.browser.press(&["Enter"])?;
    page.until_text("of 300,000 events")?;
    page.click("button", "Load all")?;
    page.until_text("300,000 of 300,000 events")?;
    page.open_pane(Pane::Query)?;
    page.fill("Limit", "0")?;
    page.click("button", "Run")?;
    page.click("button", "Cancel")?;
    page.until_text("Cancelled after")?;
    // The engine is free for the next read.
    page.fill("Limit", "5")?;
    page.ask()?;
    page.until_figure("Rows returned", 5)
}

fn restarts(page: &Page) -> Result<()> {
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{user_token}~{timestamp:iso}")?;
    page.until("the table has the new keys", || Ok(first_key(page)?.as_str().is_some_and(|key| key.contains('~'))))?;
    let key = first_key(page)?;
    page.stop_the_engine()?;
    page.until_text("The engine has stopped.")?;
    page.until_text("Your workspace is safe in this page.")?;
    page.find("button", "Save workspace file")?;
    page.click("button", "Restart the engine")?;
    page.until("the rows are the same", || Ok(first_key(page)? == key))?;
    page.until_value("Row key template", "{user_token}~{timestamp:iso}")?;
    page.until("the banner is gone", || Ok(!page.visible_text()?.contains("The engine has stopped.")))
}

fn restarts_with_own_data(page: &Page) -> Result<()> {
    page.api("tabletop.load('a,b\\n1,2\\n3,4\\n', { template: '{a}#{b}' })")?;
    page.stop_the_engine()?;
    page.click("button", "Restart the engine")?;
    page.until("the rows are the same", || {
        Ok(page.api("(await tabletop.read(0, {})).rows.map(row => row.key)")? == json!(["1#2", "3#4"]))
    })
}

fn restores_the_workspace(page: &Page) -> Result<()> {
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{user_token}~{timestamp:iso}")?;
    page.click("radio", "Wide")?;
    page.open_pane(Pane::Query)?;
    page.fill("Filter as text", "cells_per_row_limit(2)")?;
    page.reopen()?;
    page.until_value("Row key template", "{user_token}~{timestamp:iso}")?;
    page.until_value("Filter as text", "cells_per_row_limit(2)")?;
    page.until("the layout is wide", || Ok(page.find("radio", "Wide")?.attribute("aria-checked")? == "true"))
}

fn first_key(page: &Page) -> Result<serde_json::Value> {
    page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key")
}
