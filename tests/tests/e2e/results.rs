//! How results are shown: columns and decodings in the workspace, copies with all versions, marks
//! of patterns, reasons that can be read.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE, same};

pub const TESTS: &[Test] = &[
    Test {
        name: "results: columns of cells are resized by pointer and keys, hidden, pinned and decoded",
        run: columns_of_cells,
    },
    Test { name: "results: all matches of a pattern are marked in cells and in a pivot", run: marks },
    Test {
        name: "results: the outcome of a cell can be read on any screen, and more are found by scrolling",
        run: reasons_are_readable,
    },
    Test {
        name: "results: rows are objects with decoded messages, and the schema goes with the workspace",
        run: shows_objects,
    },
];

fn wide(page: &Page) -> Result<()> {
    let template = "{app_id},{user_token},{timestamp:iso}";
    page.api(&format!(
        "tabletop.design(0, {{ template: '{template}', layout: {{ kind: 'wide', family_field: null }} }})"
    ))?;
    page.open_pane(Pane::Query)?;
    page.ask()?;
    page.open_pane(Pane::Results)
}

/// Returns the choices for one column, in the workspace of the engine.
fn column(page: &Page, name: &str) -> Result<Value> {
    page.api(&format!(
        "(await tabletop.workspace()).designs[0].results?.columns.find(column => column.name === '{name}') ?? null"
    ))
}

fn until_column(page: &Page, name: &str, member: &str, value: &Value) -> Result<()> {
    page.until(&format!("{member} of {name} is {value} in the workspace"), || {
        Ok(column(page, name)?[member] == *value)
    })
}

fn columns_of_cells(page: &Page) -> Result<()> {
    wide(page)?;
    page.click("button", "Values and columns")?;
    let separator = page.find("separator", "Width of column Qualifier")?;
    let width = || separator.attribute("aria-valuenow")?.parse::<u32>().map_err(|error| error.to_string());
    page.until("the column is measured", || Ok(width()? >= 48))?;
    let before = width()?;
    page.browser.run("arguments[0].focus()", json!([separator.as_argument()]))?;
    page.browser.press(&["ArrowRight"])?;
    page.until("the column is wider", || Ok(width()? == before + 16))?;
    until_column(page, "qualifier", "width", &json!(before + 16))?;
    // With the pointer, in one step of the history.
    let drag = "const [line] = arguments, { x, y, height } = line.getBoundingClientRect();
        const send = (type, dx) => line.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, clientX: x + dx, clientY: y + height / 2 }));
        send('pointerdown', 0);
        for (const dx of [10, 20, 40]) send('pointermove', dx);
        send('pointerup', 40);";
    page.browser.run(drag, json!([separator.as_argument()]))?;
    until_column(page, "qualifier", "width", &json!(before + 56))?;
    let shown = "return document.querySelector('.grid-header > [aria-label=Qualifier]').getBoundingClientRect().width";
    same("the width on the screen", page.browser.run(shown, json!([]))?, json!(before + 56))?;
    page.click("button", "Undo")?;
    until_column(page, "qualifier", "width", &json!(before + 16))?;

    page.click("button", "Actions for column Time")?;
    page.click("menuitem", "Hide column")?;
    page.until("the time has disappeared", || {
        Ok(page.browser.all_by_role("columnheader", "Time")?.is_empty())
    })?;
    until_column(page, "time", "shown", &json!(false))?;
    page.click("button", "Actions for column Family")?;
    page.click("menuitem", "Pin next to the key")?;
    until_column(page, "family", "pinned", &json!(true))?;
    page.check_accessible("cells with a hidden and a pinned column")?;
    // Pinned cells stay visible when the others scroll.
    page.browser.run(
        "arguments[0].focus()",
        json!([page.find("separator", "Width of column Value")?.as_argument()]),
    )?;
    page.browser.press(&["End"])?;
    until_column(page, "value", "width", &json!(1200))?;
    let left = "const grid = document.querySelector('.grid'); grid.scrollLeft = arguments[0];
        return grid.querySelector('.line .family').getBoundingClientRect().x - grid.getBoundingClientRect().x";
    let at_rest = page.browser.run(left, json!([0]))?;
    same("the place of a pinned cell", page.browser.run(left, json!([400]))?, at_rest)?;
    // The cursor skips hidden columns: key, family, qualifier, value.
    page.find_named("grid", "Cells of")?.click()?;
    page.browser.press(&["Home"])?;
    page.browser.press(&["ArrowRight"])?;
    page.browser.press(&["ArrowRight"])?;
    page.browser.press(&["ArrowRight"])?;
    let column = "return document.querySelector('.grid .cursor')?.getAttribute('aria-colindex')";
    page.until("the cursor is on the value", || Ok(page.browser.run(column, json!([]))? == json!("5")))?;
    // The list brings the column back.
    page.browser.by_css(".column-choice > summary")?.click()?;
    page.click("checkbox", "Time")?;
    page.find("columnheader", "Time")?;
    decode_a_column(page)
}

/// Chooses a decoding for one column, in the details of a cell.
fn decode_a_column(page: &Page) -> Result<()> {
    let value = page.browser.by_css(".grid .line .value")?;
    let text = value.text()?;
    value.click()?;
    let name = page.name_with("combobox", "Values of ")?;
    page.find("combobox", &name)?.choose("Hex")?;
    page.until("the value is shown in hex", || {
        let shown = page.browser.by_css(".grid .line .value")?.text()?;
        Ok(shown != text && shown.chars().all(|c| c.is_ascii_hexdigit() || c == ' ' || c == '…'))
    })?;
    let column = name.trim_start_matches("Values of ").trim_end_matches(" as");
    until_column(page, column, "values_as", &json!("hex"))?;
    let other = page.api("(await tabletop.workspace()).designs[0].results.values_as")?;
    same("the decoding of other columns", other, json!("auto"))
}

fn marks(page: &Page) -> Result<()> {
    page.open_pane(Pane::Query)?;
    page.fill("Filter as text", r#"value_regex("\\C*e\\C*")"#)?;
    page.ask()?;
    page.open_pane(Pane::Results)?;
    let marks = "return [...document.querySelectorAll('.grid .line:not(.grid-header) .value')].filter(value => value.textContent).slice(0, 5).map(value => [...value.querySelectorAll('mark')].map(mark => mark.textContent))";
    // Two adjacent letters are one mark.
    let is_e = |mark: &Value| {
        mark.as_str().is_some_and(|text| !text.is_empty() && text.chars().all(|letter| letter == 'e'))
    };
    let all_marked = |least: usize| -> Result<bool> {
        let found = page.browser.run(marks, json!([]))?;
        let lines = found.as_array().cloned().unwrap_or_default();
        let marked = |line: &Value| {
            line.as_array().is_some_and(|marks| marks.len() >= least && marks.iter().all(is_e))
        };
        Ok(!lines.is_empty() && lines.iter().all(marked))
    };
    page.until("each line in sight has several marks", || all_marked(2))?;
    page.check_accessible("marked values")?;
    // Lines far down are only marked once they are scrolled into view.
    page.find_named("grid", "Cells of")?.click()?;
    page.browser.press(&["Control+End"])?;
    page.until("the last lines are marked", || {
        let last = "return [...document.querySelectorAll('.grid .line:not(.grid-header) .value')].at(-1).querySelectorAll('mark').length";
        Ok(page.browser.run(last, json!([]))?.as_u64() > Some(1))
    })?;
    page.find("combobox", "Show")?.choose("Pivot")?;
    // A narrow column shows less of a value.
    page.until("the values of the pivot are marked", || all_marked(1))?;
    // Another filter has other marks; a filter without patterns has none.
    page.open_pane(Pane::Query)?;
    page.fill("Filter as text", "cells_per_row_limit(1)")?;
    page.ask()?;
    page.open_pane(Pane::Results)?;
    page.until("nothing is marked", || {
        Ok(page.browser.run("return document.querySelectorAll('.grid mark').length", json!([]))? == json!(0))
    })
}

fn reasons_are_readable(page: &Page) -> Result<()> {
    wide(page)?;
    page.open_pane(Pane::Query)?;
    page.fill("Filter as text", r#"value_regex("there is no such value")"#)?;
    page.ask()?;
    for size in [WIDE, (1024, 768), PHONE] {
        page.browser.resize(size.0, size.1)?;
        page.open_pane(Pane::Results)?;
        page.find("combobox", "Show")?.choose("Dropped cells")?;
        let fits =
            "const fate = document.querySelector('.grid .line:not(.grid-header) .fate'), grid = document.querySelector('.grid');
            if (!fate?.textContent.includes('there is no such value')) return 'no reason yet';
            const [inner, outer] = [fate.getBoundingClientRect(), grid.getBoundingClientRect()];
            if (inner.right > outer.left + grid.clientWidth + 1) return `it ends at ${inner.right} of ${outer.right}`;
            if (fate.scrollWidth > fate.clientWidth || fate.scrollHeight > fate.clientHeight) return 'it is cut off';
            return 'it fits'";
        let mut last = Value::Null;
        let fitted = page.until(&format!("a reason can be read in a window of {size:?}"), || {
            last = page.browser.run(fits, json!([]))?;
            Ok(last == json!("it fits"))
        });
        fitted.map_err(|error| format!("{error}: {last}"))?;
        page.browser.by_css(".grid .line:not(.grid-header) .fate")?.click()?;
        page.until("the whole reason is below", || {
            let whole = "return document.querySelector('.fate-whole')?.textContent ?? ''";
            let text = page.browser.run(whole, json!([]))?;
            Ok(text
                .as_str()
                .is_some_and(|text| text.contains("dropped by 1 value_regex(\"there is no such value\")")))
        })?;
        page.check_accessible("reasons")?;
    }
    page.browser.resize(WIDE.0, WIDE.1)?;
    // Rows further down are only traced once they are scrolled into view.
    page.open_pane(Pane::Results)?;
    let grid = page.find_named("grid", "cells read, including")?;
    let count = || grid.attribute("aria-rowcount")?.parse::<u64>().map_err(|error| error.to_string());
    let before = count()?;
    grid.click()?;
    page.browser.press(&["Control+End"])?;
    page.until("more cells are traced", || Ok(count()? > before))
}

const PROTO: &str = "message Event { string name = 1; repeated float vector = 2; }";

/// Writes a row that sorts before all others, with a message: the text `hi`, and three floats whose
/// bytes are letters of ASCII.
fn write_objects(page: &Page) -> Result<()> {
    page.api(
        "tabletop.design(0, { template: '{user_token}', layout: { kind: 'narrow', family_field: null } })",
    )?;
    page.open_pane(Pane::Query)?;
    page.ask()?;
    page.open_pane(Pane::Shell)?;
    // The families of the layout are the types of events.
    page.fill("Shell command", r#"set design-1 0-object click:v1=$'\n\x02hi\x12\x0c   ?  0?  \x00>'"#)?;
    page.browser.press(&["Enter"])?;
    page.until("the command is over", || Ok(page.browser.all_by_role("button", "Cancel command")?.is_empty()))
}

/// Returns the schema in the workspace of the engine.
fn schema(page: &Page) -> Result<Value> {
    page.api("(await tabletop.workspace()).designs[0].results?.objects ?? null")
}

fn shows_objects(page: &Page) -> Result<()> {
    write_objects(page)?;
    page.open_pane(Pane::Query)?;
    page.ask()?;
    page.open_pane(Pane::Results)?;
    page.find("combobox", "Show")?.choose("Objects")?;
    page.until_text("None is over 1 MB.")?;
    page.until_text("Average time per object in this read:")?;
    page.check_accessible("objects without a schema")?;
    page.find_named("DisclosureTriangle", "Data types")?.click()?;
    // A mistake is reported with its position.
    page.fill("Messages (.proto)", "message Event { strng name = 1; }")?;
    page.browser.press(&["Tab"])?;
    page.until_text("Line 1, column 17: strng is not declared here. Did you mean string?")?;
    page.check_accessible("a schema with a mistake")?;
    page.fill("Messages (.proto)", PROTO)?;
    page.browser.press(&["Tab"])?;
    page.until("the schema is in the workspace", || Ok(schema(page)?["proto"] == json!(PROTO)))?;
    page.find("combobox", "Message of click")?.choose("Event")?;
    page.until("the type is in the workspace", || {
        Ok(schema(page)?["data_types"][0]["message"] == json!("Event"))
    })?;
    page.fill("Owner of click", "ads")?;
    page.browser.press(&["Tab"])?;
    page.until("the owner is in the workspace", || {
        Ok(schema(page)?["data_types"][0]["owner"] == json!("ads"))
    })?;
    // The first row is the one that was written, and its message has a text and a vector.
    let object = || page.text("region", "Object 0-object");
    page.until("the fields are read", || Ok(object()?.contains("\"hi\"")))?;
    page.until("the data type has its owner", || {
        Ok(object()?.contains("Event") && object()?.contains("owner ads"))
    })?;
    page.find_named("image", "3 numbers")?;
    page.check_accessible("an object with a vector")?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.open_pane(Pane::Results)?;
    page.check_accessible("an object on a phone")?;
    page.browser.resize(WIDE.0, WIDE.1)?;
    // The same message on a line of cells, by its type, and as bytes.
    page.find("combobox", "Show")?.choose("Cells")?;
    page.until_text("name: \"hi\" vector: [")?;
    page.click("button", "Values and columns")?;
    page.find("combobox", "Values as")?.choose("Hex")?;
    page.until_text("0a 02 68 69")?;
    page.find("combobox", "Values as")?.choose("Protobuf")?;
    page.until_text("name: \"hi\" vector: [")?;
    page.click("button", "Undo")?;
    page.click("button", "Undo")?;
    page.until("the owner is still there", || Ok(schema(page)?["data_types"][0]["owner"] == json!("ads")))?;
    page.click("button", "Undo")?;
    page.until("Undo takes the owner back", || Ok(schema(page)?["data_types"][0]["owner"] == json!("")))
}
