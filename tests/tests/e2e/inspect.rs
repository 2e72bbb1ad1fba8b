//! What a filter did: counts at its blocks, dropped cells with their reasons; and rows as a pivot.

use serde_json::{Value, json};
use tabletop_tests::browser::{Element, Result};

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE, same};

pub const TESTS: &[Test] = &[
    Test { name: "inspect: each block of a filter shows its cells in and out", run: counts_cells },
    Test {
        name: "inspect: versions of a column are listed with their expiry, edited and deleted manually",
        run: edits_by_hand,
    },
    Test { name: "inspect: what GC rules would collect now is counted and marked", run: counts_expired },
    Test {
        name: "inspect: a pivot has one row a line, and its columns are hidden, pinned and resized by keys",
        run: pivots,
    },
];

const TEMPLATE: &str = "{app_id},{user_token},{timestamp:iso}";

fn wide(page: &Page) -> Result<()> {
    page.api(&format!(
        "tabletop.design(0, {{ template: '{TEMPLATE}', layout: {{ kind: 'wide', family_field: null }} }})"
    ))?;
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
    let value = page.browser.by_css(".grid .line [role=gridcell]:last-child")?;
    value.click()?;
    let details = page.find("region", "Selected cell")?;
    // The table is still being built, or compacted under its GC rule.
    page.until("the versions are listed", || {
        let versions = page.api(&format!("{column}.length"))?.as_u64().unwrap_or_default();
        let text = details.text()?;
        if versions > 0 && text.contains(&format!("{versions} version")) {
            Ok(true)
        } else {
            Err(format!("{versions} versions in the table, and \"{text}\""))
        }
    })?;
    page.until("their fate is shown", || Ok(details.text()?.contains("expires 20")))?;
    page.check_accessible("the versions of a column")?;

    page.click("button", "Edit value")?;
    page.check_accessible("an edit of a value")?;
    page.fill("New value", "manual")?;
    // The typed text belongs to its cell, whatever the user chooses next.
    page.browser.by_css(".grid .line:nth-child(3) [role=gridcell]:last-child")?.click()?;
    page.until("the edited cell is named", || Ok(details.text()?.contains("This edits the version of")))?;
    page.click("button", "Save value")?;
    page.until("the value is written", || Ok(page.api(&format!("{first}[0].value"))? == json!("manual")))?;
    page.until_text("manual writes at 1 point")?;
    value.click()?;
    page.until("the page shows it", || Ok(details.text()?.contains("manual")))?;
    page.browser.by_css(".version button")?.click()?;
    page.until("the version has disappeared", || {
        Ok(page.api(&format!("{first}.some(cell => cell.value === 'manual')"))? == json!(false))
    })?;
    changes_a_row_by_keys(page, first)?;

    // Values that the filter has removed cannot be edited.
    page.open_pane(Pane::Query)?;
    page.fill("Filter as text", "strip_value(true)")?;
    page.ask()?;
    page.open_pane(Pane::Results)?;
    page.browser.by_css(".grid .line [role=gridcell]:last-child")?.click()?;
    let details = page.find("region", "Selected cell")?;
    page.until("no edit is offered", || {
        Ok(details.text()?.contains("of this column in the result")
            && !details.text()?.contains("Edit value"))
    })
}

/// Deletes a column and adds a cell with the keyboard: the question and then the fields have the
/// focus. Undo restores the row, whose cells `first` reads.
fn changes_a_row_by_keys(page: &Page, first: &str) -> Result<()> {
    let cells = || {
        page.api(&format!(
            "{first}.map(cell => [cell.family, String(cell.qualifier), String(cell.timestamp)])"
        ))
    };
    let all = cells()?;
    let undo = || -> Result<()> {
        page.click("button", "Undo")?;
        page.until("all cells are back", || Ok(cells()? == all))
    };
    choose_cell(page, 1)?;
    page.click("button", "Delete column")?;
    page.check_accessible("a question before a delete")?;
    page.browser.press(&["Tab", "Enter"])?;
    let is_left = |cell: &&Value| cell[0] != all[0][0] || cell[1] != all[0][1];
    let left: Value = all.as_array().into_iter().flatten().filter(is_left).cloned().collect();
    page.until("the column has disappeared", || Ok(cells()? == left))?;
    undo()?;
    choose_cell(page, 1)?;
    page.click("button", "Add cell")?;
    page.check_accessible("a new cell")?;
    page.until("the qualifier has the focus", || Ok(page.browser.focused()?.name()? == "Qualifier"))?;
    page.fill("Qualifier", "by-hand")?;
    page.fill("Value", "a new one")?;
    page.browser.press(&["Enter"])?;
    page.until("the cell is there", || {
        Ok(page.api(&format!(
            "{first}.some(cell => String(cell.qualifier) === 'by-hand' && cell.value === 'a new one')"
        ))? == json!(true))
    })?;
    undo()
}

/// Chooses the value of a line of the grid, and returns the pane of its details.
fn choose_cell<'a>(page: &Page<'a>, line: u32) -> Result<Element<'a>> {
    page.browser.by_css(&format!(".grid .line:nth-child({line}) [role=gridcell]:last-child"))?.click()?;
    page.find("region", "Selected cell")
}

fn counts_expired(page: &Page) -> Result<()> {
    page.api(
        "tabletop.design(0, { template: '{app_id}', layout: { kind: 'row_per_entity', family_field: null },
            families: ['click', 'view', 'conversion'].map(family => ({ family, gc_rule: { max_versions: 1 } })) })",
    )?;
    page.find("slider", "Position in the events")?.click()?;
    page.browser.press(&["Home", "PageUp"])?;
    page.until_text("1,920 of 20,000 events")?;
    // Versions of a column after its newest one, in all rows and in the first.
    let older = |cells: &str| {
        page.api(&format!(
            "{cells}.filter((cell, at, all) => at > 0 && all[at - 1].row === cell.row && all[at - 1].family === cell.family
                && String(all[at - 1].qualifier) === String(cell.qualifier)).length"
        ))
    };
    let rows = "(await tabletop.read(0, { rows_limit: 0 })).rows";
    let in_table = older(&format!(
        "{rows}.flatMap(row => row.cells.map(cell => ({{ ...cell, row: String(row.key) }})))"
    ))?;
    same("versions that go", in_table.as_u64() > Some(0), true)?;
    let thousands = |number: u64| match (number / 1_000, number % 1_000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{thousands},{rest:03}"),
    };

    page.open_pane(Pane::Design)?;
    page.click("button", "Encoding, families, GC rules")?;
    page.click("button", "Count what would be collected now")?;
    page.until_text(&format!(
        "A major compaction would collect {} of",
        thousands(in_table.as_u64().unwrap_or_default())
    ))?;
    page.check_accessible("a count of the cells that go")?;

    page.open_pane(Pane::Results)?;
    let first = format!("{rows}[0].cells");
    let (in_row, of_row) = (older(&first)?, page.api(&format!("{first}.length"))?);
    let column = format!(
        "{first}.filter((cell, _, all) => cell.family === all[0].family && String(cell.qualifier) === String(all[0].qualifier))"
    );
    let in_column = page.api(&format!("Math.min({column}.length, 100) - 1"))?;
    page.until("the rows belong to this moment", || {
        let cells = page.browser.all_by_role("gridcell", "")?;
        Ok(!cells.is_empty())
    })?;
    let details = choose_cell(page, 1)?;
    let said = match in_row.as_u64() {
        Some(0) | None => "GC rules would collect none of the".to_owned(),
        Some(goes) => {
            format!(
                "GC rules would collect {} of the {} cells",
                thousands(goes),
                thousands(of_row.as_u64().unwrap_or_default())
            )
        }
    };
    page.until("the count of the row is shown", || Ok(details.text()?.contains(&said)))?;
    page.until("its versions are marked", || {
        Ok(page.browser.run("return document.querySelectorAll('.version .collected').length", json!([]))?
            == in_column)
    })?;
    page.check_accessible("versions that go")
}

fn counts_cells(page: &Page) -> Result<()> {
    wide(page)?;
    page.fill("Limit", "20")?;
    page.fill("Filter as text", "chain(cells_per_row_offset(1), cells_per_row_limit(3))")?;
    page.ask()?;
    let rows = "(await tabletop.read(0, { rows_limit: 20, filter: 'chain(cells_per_row_offset(1), cells_per_row_limit(3))' })).rows";
    let out = page.api(&format!("{rows}.reduce((sum, row) => sum + row.cells.length, 0)"))?;
    let block = page.find("group", "Block 1.2, First cells of a row")?;
    page.until("the last block lets through what is returned", || {
        Ok(block.text()?.contains(&format!("→ {out}"))
            && page.figure("Cells returned")? == out.as_u64().unwrap_or_default())
    })?;
    // The text has the same counts, each with its filter, and shows where the filter is.
    let list = page.find("list", "Cells in and out of each filter of the text")?;
    page.until("each filter of the text has a line", || {
        let lines = list.all_by_role("button")?.iter().map(Element::name).collect::<Result<Vec<_>>>()?;
        let ends: [(&str, String); 3] = [
            ("chain ", format!(", {out} out")),
            ("cells_per_row_offset(1) ", " out".into()),
            ("cells_per_row_limit(3) ", format!(", {out} out")),
        ];
        let fits =
            |(line, (start, end)): (&String, &(&str, String))| line.starts_with(start) && line.ends_with(end);
        Ok(lines.len() == 3 && lines.iter().zip(&ends).all(fits))
    })?;
    for (width, height) in [WIDE, PHONE] {
        page.browser.resize(width, height)?;
        page.open_pane(Pane::Query)?;
        let outside = "const pane = document.querySelector('.query-panel').getBoundingClientRect();
            const counts = [...document.querySelectorAll('.filter-line-count > span')].map(each => each.getBoundingClientRect());
            return [counts.length, counts.filter(each => each.right > pane.right + 0.5 || each.width === 0).length]";
        page.until(&format!("the counts are inside of the pane at {width} px"), || {
            same("counts, and those outside", page.browser.run(outside, json!([]))?, json!([6, 0]))
                .map(|()| true)
        })?;
    }
    page.browser.resize(WIDE.0, WIDE.1)?;
    let marked = || {
        page.browser.run("return document.querySelector('.text-mirror mark')?.textContent ?? null", json!([]))
    };
    same("without the focus", marked()?, Value::Null)?;
    let list = page.find("list", "Cells in and out of each filter of the text")?;
    let line = &list.all_by_role("button")?[2];
    page.browser.run("arguments[0].focus()", json!([line.as_argument()]))?;
    page.until("the place is marked", || Ok(marked()? == json!("cells_per_row_limit(3)")))?;
    page.check_accessible("a marked filter of the text")?;
    page.browser.press(&["Enter"])?;
    let selected = "const area = document.activeElement; return area.value?.slice(area.selectionStart, area.selectionEnd)";
    same("the selection", page.browser.run(selected, json!([]))?, json!("cells_per_row_limit(3)"))?;
    // An edit of a block marks the counts as outdated, until the counts of the new answer arrive.
    page.fill("Filter as text", "chain(cells_per_row_offset(1), block_all)")?;
    page.ask()?;
    let block = page.find("group", "Block 1.2, Block all")?;
    page.until("the other block lets nothing through", || Ok(block.text()?.contains("→ 0")))?;
    page.check_accessible("a filter with counts")
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
    // With the keyboard: the separator has the focus.
    let name = page.name_with("separator", "Width of column e:")?;
    let separator = page.find("separator", &name)?;
    let first = name.trim_start_matches("Width of column ");
    let before = separator.attribute("aria-valuenow")?;
    page.browser.run("arguments[0].focus()", json!([separator.as_argument()]))?;
    page.browser.press(&["ArrowRight"])?;
    page.until("the column is wider", || Ok(separator.attribute("aria-valuenow")? != before))?;
    page.click("button", &format!("Actions for column {first}"))?;
    page.click("menuitem", "Pin next to the key")?;
    page.click("button", &format!("Actions for column {first}"))?;
    page.click("menuitem", "Values as Hex")?;
    let chosen = format!(
        "(await tabletop.workspace()).designs[0].results?.columns.find(column => column.name === '{first}')"
    );
    page.until("the choices are in the workspace", || {
        Ok(page.api(&format!("[{chosen}?.values_as, {chosen}?.pinned]"))? == json!(["hex", true]))
    })?;
    page.check_accessible_in_both_themes("a pivot with a pinned column of hex values")?;
    page.click("button", &format!("Actions for column {first}"))?;
    page.find("menuitem", "Unpin")?;
    page.find("menuitem", "Same as other columns")?;
    page.click("menuitem", "Hide column")?;
    page.until("the column has disappeared", || Ok(columns()? == all - 1))?;
    // The choice is kept for the next visit.
    page.reopen()?;
    page.open_pane(Pane::Results)?;
    page.until("the hidden column stays hidden", || {
        Ok(number(&page.find_named("grid", "rows in")?.attribute("aria-colcount")?)? == all - 1)
    })?;
    page.click("button", "Copy or download")?;
    page.click("menuitem", "Download CSV, newest values")?;
    page.until_text("The file is in your downloads.")
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| format!("{text} is no number"))
}
