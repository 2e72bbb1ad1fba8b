//! More of a schema: user-defined columns, families that aggregate, and index tables.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE, same};

pub const TESTS: &[Test] =
    &[Test { name: "schema: an index table answers a pattern, and its cost counts", run: reads_an_index }];

fn reads_an_index(page: &Page) -> Result<()> {
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{app_id},{user_token},{timestamp:iso}")?;
    page.click("button", "Add index table")?;
    page.until_text("An index table of Design 1: each event is also written here.")?;
    let index = "{event_type},{timestamp:iso},{user_token}";
    page.fill("Row key template", index)?;
    page.until("the template is known", || {
        Ok(page.api("(await tabletop.workspace()).designs[1].template")? == json!(index))
    })?;
    page.api(
        "tabletop.open({ ...(await tabletop.workspace()),
            query: { rows: { fields: { equals: [['event_type', 'conversion']] } }, filter: null } })",
    )?;
    page.click("link", "Compare")?;
    page.until_text("Index table of Design 1")?;
    page.click("button", "Duplicate Design 1")?;
    page.find("button", "Rename Design 2")?;
    page.click("button", "Remove Design 1, index 2")?;
    page.click("button", "Load all")?;
    page.click("button", "Add the query in the Query pane")?;
    page.find_named("button", "Query 1 on Design 1:")?;
    let cell = |design: &str| page.name_with("button", &format!("Query 1 on {design}:"));
    page.until("the own table is scanned", || Ok(cell("Design 1")?.contains("full scan")))?;
    page.find("combobox", "Table of Design 1 that Query 1 reads")?.choose("Design 1, index")?;
    page.until("the index is read", || Ok(cell("Design 1")?.contains("1 range")))?;
    page.until("the other design has none", || Ok(cell("Design 2")?.contains("full scan")))?;
    page.until_text("wins")?;
    page.check_accessible("a design with an index table")?;
    let rows = "[...document.querySelectorAll('.compare-table tbody tr')].find(row => row.cells[0].innerText === 'Rows')";
    let rows = page
        .browser
        .run(&format!("return [...{rows}.cells].slice(1).map(cell => cell.innerText.trim())"), json!([]))?;
    same("rows of all tables", rows, json!(["40,000", "20,000"]))?;
    // The cell shows the table that was read.
    page.find_named("button", "Query 1 on Design 1:")?.click()?;
    page.until("the index is on the screen", || {
        Ok(page.find("combobox", "Design")?.property("selectedIndex")? == json!(1))
    })?;
    page.until_text("1 range")?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.check_accessible("an index table on a phone")?;
    page.browser.resize(WIDE.0, WIDE.1)
}
