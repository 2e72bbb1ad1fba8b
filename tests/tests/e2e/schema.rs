//! More of a schema: user-defined columns, families that aggregate, and index tables.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE, same};

pub const TESTS: &[Test] = &[
    Test {
        name: "schema: columns are described, are wrong in place, and are undone",
        run: describes_columns,
    },
    Test { name: "schema: a family adds up, and the anatomy and the report say so", run: adds_up },
    Test { name: "schema: an index table answers a pattern, and its cost counts", run: reads_an_index },
    Test { name: "schema: index tables go with their design", run: moves_index_tables },
];

fn fill(page: &Page, name: &str, text: &str) -> Result<()> {
    page.fill(name, text)?;
    page.browser.press(&["Enter"])
}

/// The columns of the cells of the first row.
fn columns(page: &Page) -> Result<Value> {
    page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].cells.map(cell => `${cell.family}:${cell.qualifier}`)")
}

fn until_columns(page: &Page, expected: &[&str]) -> Result<()> {
    let mut last = Value::Null;
    page.until(&format!("the columns are {expected:?}"), || {
        last = columns(page)?;
        if last == json!(expected) { Ok(true) } else { Err(last.to_string()) }
    })
}

/// Removes all columns except the first one.
fn leave_one(page: &Page) -> Result<()> {
    (2..=7).rev().try_for_each(|column| {
        page.click("button", &format!("Remove column {column}"))?;
        let is_gone = || Ok(page.browser.all_by_role("group", &format!("Column {column}"))?.is_empty());
        page.until("it has disappeared", is_gone)
    })
}

fn describes_columns(page: &Page) -> Result<()> {
    page.open_pane(Pane::Design)?;
    page.click("radio", "Columns")?;
    page.find("group", "Column 7")?;
    until_columns(
        page,
        &[
            "d:app_id",
            "d:event_name",
            "d:event_type",
            "d:facets",
            "d:object_id",
            "d:timestamp",
            "d:user_token",
        ],
    )?;
    leave_one(page)?;
    fill(page, "Family of column 1", "{event_type}")?;
    fill(page, "Qualifier of column 1", "{timestamp:hour}")?;
    fill(page, "Value of column 1", "{*}")?;
    let cell = "(await tabletop.read(0, { rows_limit: 1 })).rows[0].cells.map(cell =>
        [cell.family, String(cell.qualifier), JSON.parse(cell.value).event_type])";
    page.until("a value is a family, and a time is a qualifier", || {
        let cells = page.api(cell)?;
        let first = cells.pointer("/0").cloned().unwrap_or_default();
        Ok(first[0] == first[2] && first[1].as_str().is_some_and(|hour| hour.starts_with("2019-05-")))
    })?;
    page.check_accessible("columns")?;

    fill(page, "Qualifier of column 1", "{event")?;
    page.until_text("This brace is not closed")?;
    page.until("the field is wrong", || {
        Ok(page.field("Qualifier of column 1")?.attribute("aria-invalid")?.as_str() == "true")
    })?;
    page.check_accessible("a column with a mistake")?;
    let built = page
        .api("(await tabletop.tablets(0)).tablets.reduce((sum, tablet) => sum + Number(tablet.rows), 0)")?;
    same("the last table stays", built != json!(0), true)?;
    page.click("button", "Remove column 1")?;
    page.until_text("A layout of columns needs a column: add one.")?;
    page.click("button", "Undo")?;
    page.click("button", "Undo")?;
    page.until_value("Qualifier of column 1", "{timestamp:hour}")?;
    page.click("radio", "Narrow")?;
    page.click("radio", "Columns")?;
    page.until_value("Qualifier of column 1", "{timestamp:hour}")
}

fn adds_up(page: &Page) -> Result<()> {
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{app_id}")?;
    page.click("radio", "Columns")?;
    page.find("group", "Column 7")?;
    leave_one(page)?;
    fill(page, "Family of column 1", "count")?;
    fill(page, "Qualifier of column 1", "{event_type}")?;
    fill(page, "Value of column 1", "1")?;
    page.find("combobox", "Time")?.choose("None: one cell")?;
    page.until_text("3 rows · 9 cells")?;
    page.click("button", "Families and GC rules")?;
    page.find("combobox", "Values of count")?.choose("Sum")?;
    // Bytes are texts with escapes; the lower two bytes of a sum are enough here.
    let sum = r"(await tabletop.read(0, {})).rows.flatMap(row => row.cells).reduce((sum, cell) => {
        const bytes = [];
        for (let at = 0; at < cell.value.length; at++) {
            const one = cell.value[at];
            if (one !== '\\') { bytes.push(...new TextEncoder().encode(one)); continue; }
            const kind = cell.value[++at];
            if (kind === 'x') { bytes.push(parseInt(cell.value.slice(at + 1, at + 3), 16)); at += 2; }
            else bytes.push({ n: 10, r: 13, t: 9, '\\': 92 }[kind]);
        }
        return sum + bytes[6] * 256 + bytes[7];
    }, 0)";
    page.until("the sums are the events", || {
        let found = page.api(sum)?;
        if found == json!(20_000) { Ok(true) } else { Err(found.to_string()) }
    })?;
    page.check_accessible("a family that aggregates")?;
    page.click("button", "Table as cbt")?;
    page.until_text("intsum")?;
    fill(page, "Value of column 1", "{app_id}")?;
    page.until_text("Family count aggregates whole numbers of 64 bits")?;
    page.click("button", "Undo")?;
    page.click("link", "Compare")?;
    page.until_text("count: sum")?;
    page.until_text("+ 1")
}

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

fn moves_index_tables(page: &Page) -> Result<()> {
    let names = || {
        page.api("(await tabletop.workspace()).designs.map(each => (each.index_of ? `${each.index_of}/` : '') + each.name)")
    };
    let until = |expected: Value| {
        let mut last = Value::Null;
        page.until(&format!("the tables are {expected}"), || {
            last = names()?;
            if last == expected { Ok(true) } else { Err(last.to_string()) }
        })
    };
    page.click("link", "Compare")?;
    page.click("button", "Add an index table to Design 1")?;
    until(json!(["Design 1", "Design 1/Design 1, index"]))?;
    page.click("button", "Add design")?;
    until(json!(["Design 1", "Design 1/Design 1, index", "Design 2"]))?;
    page.click("button", "Move Design 2 up")?;
    until(json!(["Design 2", "Design 1", "Design 1/Design 1, index"]))?;
    page.click("button", "Rename Design 1")?;
    page.fill("Name of the design", "Events")?;
    page.browser.press(&["Enter"])?;
    until(json!(["Design 2", "Events", "Events/Design 1, index"]))?;
    page.click("button", "Remove Events")?;
    until(json!(["Design 2"]))?;
    page.click("button", "Undo")?;
    until(json!(["Design 2", "Events", "Events/Design 1, index"]))
}
