//! What a filter did: counts at its blocks, dropped cells with their reasons; and rows as a pivot.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "inspect: each block of a filter shows its cells in and out", run: counts_cells },
    Test { name: "inspect: a dropped cell names the block that dropped it", run: names_reasons },
    Test { name: "inspect: versions of a column are listed with their fate, edited and deleted by hand", run: edits_by_hand },
    Test { name: "inspect: a pivot has one row a line, and its columns are hidden, pinned and resized by keys", run: pivots },
];

const TEMPLATE: &str = "{app_id},{user_token},{timestamp:iso}";

fn wide(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.design(0, {{ template: '{TEMPLATE}', layout: {{ kind: 'wide', family_field: null }} }})"))?;
    page.open_pane(Pane::Query)
}

fn edits_by_hand(page: &Page) -> Result<()> {
    page.api(
        "tabletop.design(0, { template: '{user_token}', layout: { kind: 'row_per_entity', family_field: null },
            families: [{ family: 'click', gc_rule: { max_age: { micros: 14400000000n } } }] })",
    )?;
    page.open_pane(Pane::Results)?;
    let first = "(await tabletop.read(0, { rows_limit: 1 })).rows[0].cells";
    let column = format!(
        "{first}.filter((cell, _, all) => cell.family === all[0].family && String(cell.qualifier) === String(all[0].qualifier))"
    );
    page.until("there are cells", || Ok(!page.browser.all_by_role("gridcell", "")?.is_empty()))?;
    let versions = page.api(&format!("{column}.length"))?.as_u64().unwrap_or_default();
    let value = page.browser.by_css(".grid .line [role=gridcell]:last-child")?;
    value.click()?;
    let details = page.find("region", "Selected cell")?;
    page.until("the versions are listed", || Ok(details.text()?.contains(&format!("{versions} version"))))?;
    page.until("their fate is said", || Ok(details.text()?.contains("goes from 20")))?;
    page.check_accessible("the versions of a column")?;

    page.click("button", "Edit value")?;
    page.check_accessible("an edit of a value")?;
    page.fill("New value", "by hand")?;
    // What is typed belongs to its cell, whatever is chosen next.
    page.browser.by_css(".grid .line:nth-child(3) [role=gridcell]:last-child")?.click()?;
    page.until("the edited cell is named", || Ok(details.text()?.contains("This edits the version of")))?;
    page.click("button", "Save value")?;
    page.until("the value is written", || Ok(page.api(&format!("{first}[0].value"))? == json!("by hand")))?;
    page.until_text("1 moment with writes by hand")?;
    value.click()?;
    page.until("the page shows it", || Ok(details.text()?.contains("by hand")))?;
    page.browser.by_css(".version button")?.click()?;
    page.until("the version is gone", || {
        Ok(page.api(&format!("{first}.some(cell => cell.value === 'by hand')"))? == json!(false))
    })?;

    // Values that the filter has removed are not edited.
    page.open_pane(Pane::Query)?;
    page.fill("Filter as text", "strip_value(true)")?;
    page.ask()?;
    page.open_pane(Pane::Results)?;
    page.browser.by_css(".grid .line [role=gridcell]:last-child")?.click()?;
    let details = page.find("region", "Selected cell")?;
    page.until("no edit is offered", || {
        Ok(details.text()?.contains("of this column in the result") && !details.text()?.contains("Edit value"))
    })
}

fn counts_cells(page: &Page) -> Result<()> {
    wide(page)?;
    page.fill("Limit", "20")?;
    page.fill("Filter as text", "chain(cells_per_row_offset(1), cells_per_row_limit(3))")?;
    page.ask()?;
    let rows =
        "(await tabletop.read(0, { rows_limit: 20, filter: 'chain(cells_per_row_offset(1), cells_per_row_limit(3))' })).rows";
    let out = page.api(&format!("{rows}.reduce((sum, row) => sum + row.cells.length, 0)"))?;
    let block = page.find("group", "Block 1.2, First cells of a row")?;
    page.until("the last block lets through what is returned", || {
        Ok(block.text()?.contains(&format!("→ {out}")) && page.figure("Cells returned")? == out.as_u64().unwrap_or_default())
    })?;
    // The text has the same counts, each with its filter, and shows where the filter is.
    let list = page.find("list", "Cells in and out of each filter of the text")?;
    page.until("each filter of the text has a line", || {
        let lines = list.all_by_role("button")?.iter().map(|line| line.name()).collect::<Result<Vec<_>>>()?;
        let ends: [(&str, String); 3] = [
            ("chain ", format!(", {out} out")),
            ("cells_per_row_offset(1) ", " out".into()),
            ("cells_per_row_limit(3) ", format!(", {out} out")),
        ];
        let fits = |(line, (start, end)): (&String, &(&str, String))| line.starts_with(start) && line.ends_with(end);
        Ok(lines.len() == 3 && lines.iter().zip(&ends).all(fits))
    })?;
    let marked = || page.browser.run("return document.querySelector('.text-mirror mark')?.textContent ?? null", json!([]));
    same("without the focus", marked()?, Value::Null)?;
    let line = &list.all_by_role("button")?[2];
    page.browser.run("arguments[0].focus()", json!([line.as_argument()]))?;
    page.until("the place is marked", || Ok(marked()? == json!("cells_per_row_limit(3)")))?;
    page.check_accessible("a marked filter of the text")?;
    page.browser.press(&["Enter"])?;
    let selected = "const area = document.activeElement; return area.value?.slice(area.selectionStart, area.selectionEnd)";
    same("the selection", page.browser.run(selected, json!([]))?, json!("cells_per_row_limit(3)"))?;
    // An edit of a block marks the counts; then those of the new answer come.
    page.fill("Filter as text", "chain(cells_per_row_offset(1), block_all)")?;
    page.ask()?;
    let block = page.find("group", "Block 1.2, Block all")?;
    page.until("the other block lets nothing through", || Ok(block.text()?.contains("→ 0")))?;
    page.check_accessible("a filter with counts")
}

fn names_reasons(page: &Page) -> Result<()> {
    wide(page)?;
    page.fill("Filter as text", "chain(cells_per_row_limit(2), value_regex(\"there is no such value\"))")?;
    page.ask()?;
    page.open_pane(Pane::Results)?;
    page.until_text("No rows match")?;
    page.find("combobox", "Show")?.choose("Dropped cells")?;
    page.until("the value drops the first cells, and the limit drops others", || {
        let text = page.visible_text()?;
        Ok(text.contains("dropped by 1.2 value_regex(\"there is no such value\")")
            && text.contains("dropped by 1.1 cells_per_row_limit(2)"))
    })?;
    page.check_accessible("dropped cells")?;
    // Rows further down are traced when they are scrolled to.
    let grid = page.find_named("grid", "cells that were read")?;
    let count = || number(&grid.attribute("aria-rowcount")?);
    let before = count()?;
    grid.click()?;
    page.browser.press(&["Control+End"])?;
    page.until("more cells are traced", || Ok(count()? > before))
}

fn pivots(page: &Page) -> Result<()> {
    wide(page)?;
    page.fill("Limit", "30")?;
    page.ask()?;
    page.open_pane(Pane::Results)?;
    page.until_figure("Rows returned", 30)?;
    page.find("combobox", "Show")?.choose("Pivot")?;
    let grid = page.find_named("grid", "30 rows in")?;
    same("one line for each row, and the header", grid.attribute("aria-rowcount")?, "31".to_string())?;
    page.check_accessible("a pivot")?;
    let columns = || number(&grid.attribute("aria-colcount")?);
    let all = columns()?;
    // By keys: the separator has the focus.
    let name = page.name_with("separator", "Width of column e:")?;
    let separator = page.find("separator", &name)?;
    let first = name.trim_start_matches("Width of column ");
    let before = separator.attribute("aria-valuenow")?;
    page.browser.run("arguments[0].focus()", json!([separator.as_argument()]))?;
    page.browser.press(&["ArrowRight"])?;
    page.until("the column is wider", || Ok(separator.attribute("aria-valuenow")? != before))?;
    page.click("button", &format!("Actions of column {first}"))?;
    page.click("menuitem", "Pin beside the key")?;
    page.click("button", &format!("Actions of column {first}"))?;
    page.find("menuitem", "Unpin")?;
    page.click("menuitem", "Hide column")?;
    page.until("the column is gone", || Ok(columns()? == all - 1))?;
    // The choice outlasts the visit.
    page.reopen()?;
    page.open_pane(Pane::Results)?;
    page.find_named("grid", "rows in")?;
    page.click("button", "Copy or download")?;
    page.click("menuitem", "Download CSV")?;
    page.until_text("The file is in your downloads.")
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| format!("{text} is no number"))
}
