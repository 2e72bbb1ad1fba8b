//! Queries: rows, filters and results.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "query: by prefix, keys and range", run: chooses_rows },
    Test { name: "query: by fields and times", run: queries_by_fields },
    Test {
        name: "query: a field of the key that is not at its start scans more, and the page reports it",
        run: scans_more,
    },
    Test { name: "query: every filter can be built of blocks", run: builds_each_filter },
    Test { name: "query: blocks and text are in step", run: keeps_blocks_and_text_in_step },
    Test { name: "query: menus open where there is room", run: opens_menus_in_sight },
    Test { name: "query: input for other events is removed", run: forgets_other_events },
    Test { name: "query: a refused filter shows production's message", run: shows_refusals },
    Test { name: "query: a wide table filtered by two facets with an interleave", run: filters_by_facet },
    Test { name: "query: a salted table gives the same rows as an unsalted one", run: salts },
    Test { name: "query: the query is shown as code in a language, and follows the key", run: shows_code },
    Test { name: "query: a query is saved by keys", run: saves_by_keys },
    Test {
        name: "query: figures keep their position, and all of them are shown on demand",
        run: folds_figures,
    },
    Test {
        name: "query: values are decoded, the row is inspected, an empty result explained",
        run: reads_the_grid,
    },
];

/// For generated events; the template of the first visit.
const TEMPLATE: &str = "{app_id},{user_token},{timestamp:iso}";

fn chooses_rows(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.design(0, {{ template: '{TEMPLATE}' }})"))?;
    let keys = page.api("(await tabletop.read(0, {})).rows.map(row => row.key)")?;
    let keys: Vec<&str> = keys.as_array().into_iter().flatten().filter_map(|key| key.as_str()).collect();
    let user = keys[keys.len() / 2].rsplit_once(',').ok_or("a key of three parts")?.0;

    page.open_pane(Pane::Query)?;
    page.click("radio", "Prefix")?;
    page.fill("Row key prefix", user)?;
    page.ask()?;
    let of_user: Vec<&str> = keys.iter().copied().filter(|key| key.starts_with(user)).collect();
    page.until_figure("Rows returned", of_user.len().min(100) as u64)?;
    page.until_first_key(of_user[0])?;

    page.click("radio", "Keys")?;
    page.fill("One key per line", &format!("{}\n{}\nnone", keys[7], keys[3]))?;
    page.ask()?;
    page.until_figure("Rows returned", 2)?;
    page.until_first_key(keys[3])?;

    page.click("radio", "Range")?;
    page.fill("Start", keys[10])?;
    page.find("combobox", "End is")?.choose("before")?;
    page.fill("End", keys[20])?;
    page.ask()?;
    page.until_figure("Rows returned", 10)?;

    page.click("checkbox", "Reverse order")?;
    page.fill("Limit", "3")?;
    page.ask()?;
    page.until_figure("Rows returned", 3)?;
    page.until_first_key(keys[19])
}

fn queries_by_fields(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.design(0, {{ template: '{TEMPLATE}' }})"))?;
    let key = page.api("(await tabletop.read(0, { rows_limit: 1, reversed: true })).rows[0].key")?;
    let key = key.as_str().ok_or("a key")?;
    let parts: Vec<&str> = key.splitn(3, ',').collect();
    page.open_pane(Pane::Query)?;
    page.click("radio", "Fields")?;
    page.fill("app_id", parts[0])?;
    page.fill("user_token", parts[1])?;
    let all = page.api(&format!(
        "(await tabletop.read(0, {{ rows: {{ prefix: '{},{},' }} }})).rows.length",
        parts[0], parts[1]
    ))?;
    let all = all.as_u64().ok_or("a number of rows")?;
    page.ask()?;
    page.until_figure("Rows returned", all)?;
    page.until_figure("Rows seen", all)?;
    page.fill("From timestamp", parts[2])?;
    page.ask()?;
    page.until_figure("Rows returned", 1)?;
    page.until_first_key(key)
}

fn shows_code(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.design(0, {{ template: '{TEMPLATE}' }})"))?;
    let user =
        page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key.split(',').slice(0, 2).join(',')")?;
    let user = user.as_str().ok_or("a key of three parts")?;
    page.open_pane(Pane::Query)?;
    page.click("radio", "Prefix")?;
    page.fill("Row key prefix", user)?;
    page.find_named("button", "This query as code")?.click()?;
    let until_code = |text: &str| {
        page.until(&format!("the code has {text}"), || {
            Ok(page.text("group", "Code of the query")?.contains(text))
        })
    };
    until_code("from google.cloud.bigtable.data import")?;
    until_code(&format!("b\"{user}\""))?;
    page.find("combobox", "Language")?.choose("Go")?;
    until_code("package rowkey")?;
    until_code(&format!("{{\"{user}\", "))?;
    page.fill("Limit", "7")?;
    until_code("at most 7 rows")?;
    // A salted table has a range for each salt.
    page.api(&format!("tabletop.design(0, {{ template: '{{salt(8)}}-{TEMPLATE}' }})"))?;
    until_code(&format!("{{\"0-{user}\", "))?;
    until_code(&format!("{{\"7-{user}\", "))?;
    page.find("combobox", "Language")?.choose("Node.js")?;
    until_code(&format!("bytes(\"7-{user}\")"))
}

fn saves_by_keys(page: &Page) -> Result<()> {
    page.open_pane(Pane::Query)?;
    page.click("button", "Save as")?;
    page.until("the name has the focus", || Ok(page.browser.focused()?.name()? == "Name"))?;
    page.browser.press(&["b", "y", "Escape"])?;
    page.until("the field has disappeared", || Ok(page.browser.all_by_role("textbox", "Name")?.is_empty()))?;
    page.click("button", "Save as")?;
    page.until("the name has the focus", || Ok(page.browser.focused()?.name()? == "Name"))?;
    // A workspace with such a name could not be reopened.
    page.fill("Name", &"x".repeat(101))?;
    page.until_text("A name has at most 100 characters.")?;
    page.browser.press(&["Enter"])?;
    same("nothing is saved", page.api("(await tabletop.workspace()).queries.length")?, json!(0))?;
    page.fill("Name", "al")?;
    page.browser.press(&["l", "Enter"])?;
    page.until("it is saved", || {
        Ok(page.api("(await tabletop.workspace()).queries.map(each => each.name)")? == json!(["all"]))
    })?;
    page.until("the list has the focus", || Ok(page.browser.focused()?.role()? == "combobox"))
}

fn folds_figures(page: &Page) -> Result<()> {
    page.until_figure("Rows returned", 100)?;
    let shown = |name: &str| -> Result<bool> { Ok(page.visible_text()?.lines().any(|line| line == name)) };
    for name in ["Rows seen", "Rows returned", "Ranges", "Time"] {
        if !shown(name)? {
            return Err(format!("{name} is not shown"));
        }
    }
    same("Cache hits are shown at first", shown("Cache hits")?, false)?;
    same("Bytes are shown at first", shown("Bytes returned")?, false)?;
    let top = || {
        page.browser
            .run("return document.querySelector('[role=grid]').getBoundingClientRect().top", json!([]))
    };
    let before = top()?;
    for _ in 0..3 {
        page.ask()?;
        same("the top of the grid", top()?, before.clone())?;
    }
    page.click("button", "All figures")?;
    page.until("all figures are shown", || shown("Bloom skips"))?;
    page.reopen()?;
    page.until("they are shown after a reload", || shown("Bloom skips"))
}

fn scans_more(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.design(0, {{ template: '{TEMPLATE}' }})"))?;
    let user = page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key.split(',')[1]")?;
    page.open_pane(Pane::Query)?;
    page.click("radio", "Fields")?;
    page.fill("user_token", user.as_str().unwrap_or_default())?;
    page.ask()?;
    page.until_text("more rows were scanned than you asked for")?;
    page.until("some of the rows come back", || {
        let (seen, returned) = (page.figure("Rows seen")?, page.figure("Rows returned")?);
        Ok(returned > 0 && seen > returned)
    })
}

fn builds_each_filter(page: &Page) -> Result<()> {
    // With its initial values, each block reads a table of the usual shape without an error.
    let kinds = [
        ("Row key matches", "row_key_regex"),
        ("Family matches", "family_name_regex"),
        ("Qualifier matches", "column_qualifier_regex"),
        ("Column range", "column_range"),
        ("Time range", "timestamp_range"),
        ("Value matches", "value_regex"),
        ("Value range", "value_range"),
        ("Value bit mask", "value_bitmask"),
        ("Skip cells of a row", "cells_per_row_offset"),
        ("First cells of a row", "cells_per_row_limit"),
        ("Newest cells of a column", "cells_per_column_limit"),
        ("Row sample", "row_sample"),
        ("Strip values", "strip_value"),
        ("Apply label", "apply_label"),
        ("Pass all", "pass_all"),
        ("Block all", "block_all"),
        ("Sink", "sink"),
        ("Chain", "chain"),
        ("Interleave", "interleave"),
        ("Condition", "condition"),
    ];
    page.open_pane(Pane::Query)?;
    for (title, name) in kinds {
        page.click("button", "Add a filter")?;
        page.click("menuitem", title)?;
        let text = page.field("Filter as text")?.value()?;
        if !text.starts_with(name) {
            return Err(format!("{title} became {text}"));
        }
        page.ask()?;
        if !page.browser.all_by_role("alert", "")?.is_empty() {
            return Err(format!("{text} was refused: {}", page.browser.all_by_role("alert", "")?[0].text()?));
        }
        let asked = page.api(&format!(
            "(await tabletop.read(0, {{ rows_limit: 100, filter: {} }})).stats.cells_returned",
            json!(text)
        ))?;
        let asked = asked
            .as_str()
            .and_then(|count| count.trim_end_matches('n').parse().ok())
            .ok_or("no count of cells")?;
        page.until_figure("Cells returned", asked).map_err(|error| format!("{text}: {error}"))?;
        page.click("button", "Clear filter")?;
    }
    Ok(())
}

fn keeps_blocks_and_text_in_step(page: &Page) -> Result<()> {
    page.open_pane(Pane::Query)?;
    page.fill("Filter as text", r#"chain(family_name_regex("click"), cells_per_column_limit(1))"#)?;
    page.until_value("Block 1.1 Pattern", "click")?;
    page.fill("Block 1.2 Cells", "3")?;
    page.until_value("Filter as text", r#"chain(family_name_regex("click"), cells_per_column_limit(3))"#)?;
    page.find("combobox", "Block 1 does")?.choose("Interleave")?;
    page.until_value(
        "Filter as text",
        r#"interleave(family_name_regex("click"), cells_per_column_limit(3))"#,
    )?;
    // Half-typed text stays in its field with an error message, and the blocks do not change.
    page.fill("Filter as text", "chain(famly_name_regex(\"click\"), pass_all)")?;
    page.until_text("did you mean `family_name_regex`?")?;
    page.until_value("Block 1.1 Pattern", "click")?;
    let unused = "The filter has an error; Run uses the last valid one.";
    page.until_text(unused)?;
    // The blocks belong to the previous text, and an edit of one keeps the typed text.
    page.until_text("Blocks, counts and rows show the last valid text.")?;
    let half = page.field("Filter as text")?.value()?;
    page.click("button", "Clear filter")?;
    page.until_text("Another change replaced this unfinished text:")?;
    page.check_accessible("an unfinished filter that was replaced")?;
    page.click("button", "Restore it")?;
    page.until_value("Filter as text", &half)?;
    page.until_text(unused)?;
    page.fill("Filter as text", "pass_all")?;
    page.until("Run uses what is written", || Ok(!page.visible_text()?.contains(unused)))?;
    // The engine refuses the last text that can be parsed. Nothing may say that it is used, and its
    // error is only shown with the rows.
    page.fill("Filter as text", r#"family_name_regex("(")"#)?;
    page.ask()?;
    let refusal = "return document.querySelector('.query-panel .refusal')?.checkVisibility() ?? null";
    page.until("the panel has the error", || Ok(page.browser.run(refusal, json!([]))? == json!(true)))?;
    page.fill("Filter as text", "chain(")?;
    page.until_text("The filter has an error; Run uses the previous one, which is refused as well.")?;
    same("a false sentence", page.visible_text()?.contains(unused), false)?;
    same(
        "the earlier error next to the error of the text",
        page.browser.run(refusal, json!([]))?,
        json!(false),
    )
}

fn opens_menus_in_sight(page: &Page) -> Result<()> {
    let look = "const inside = element => {
            const box = element.getBoundingClientRect();
            return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
        };
        const item = document.activeElement, list = item.closest('[role=menu]');
        return [inside(list), inside(item), list.clientHeight > 180];";
    for (width, height) in [(1440, 900), (360, 740), (320, 568)] {
        page.browser.resize(width, height)?;
        for (pane, name) in [(Pane::Query, "Add a filter"), (Pane::Design, "Add part")] {
            page.open_pane(pane)?;
            page.click("button", name)?;
            for key in ["Home", "ArrowUp"] {
                page.browser.press(&[key])?;
                let what = format!("{name} at {width}: list and item in sight, and room for some");
                same(&what, page.browser.run(look, json!([]))?, json!([true, true, true]))?;
            }
            page.browser.press(&["Escape"])?;
        }
    }
    Ok(())
}

fn forgets_other_events(page: &Page) -> Result<()> {
    page.open_pane(Pane::Query)?;
    page.click("radio", "Fields")?;
    page.fill("user_token", "7")?;
    page.open_pane(Pane::Data)?;
    page.click("radio", "Sample")?;
    page.find_named("radio", "Earthquakes")?.click()?;
    page.until_all_arrived()?;
    page.click("radio", "Fields")?;
    page.field("From time")?;
    // Without suggested values it would be a text box.
    same("fields of other events", page.browser.all_by_role("textbox", "user_token")?.len(), 0)
}

fn shows_refusals(page: &Page) -> Result<()> {
    page.open_pane(Pane::Query)?;
    for (filter, text) in [
        ("chain(pass_all)", "Error in field 'chain' : Chain must contain at least two filters"),
        ("cells_per_row_limit(0)", "Error in field 'cells_per_row_limit_filter' : argument must be positive"),
        ("condition(pass_all, then=sink)", "sink must not be used within a Condition filter"),
        ("pass_all(false)", "Error in field 'pass_all_filter' : must be true"),
    ] {
        page.fill("Filter as text", filter)?;
        page.until_text(text)?;
    }
    // Only the engine parses patterns.
    page.fill("Filter as text", "value_regex(\"(\")")?;
    page.click("button", "Run")?;
    page.until_text("value_regex_filter")
}

fn filters_by_facet(page: &Page) -> Result<()> {
    page.api(&format!(
        "tabletop.design(0, {{ template: '{TEMPLATE}', layout: {{ kind: 'wide', family_field: null }} }})"
    ))?;
    page.open_pane(Pane::Query)?;
    page.fill(
        "Filter as text",
        r#"interleave(column_qualifier_regex("[^,]*,[^,]*,brand"), column_qualifier_regex("[^,]*,[^,]*,color"))"#,
    )?;
    page.ask()?;
    page.until("some of the cells come back", || {
        let (seen, returned) = (page.figure("Cells seen")?, page.figure("Cells returned")?);
        Ok(returned > 0 && seen > returned)
    })?;
    let others = "(await tabletop.read(0, { filter: 'interleave(column_qualifier_regex(\"[^,]*,[^,]*,brand\"), column_qualifier_regex(\"[^,]*,[^,]*,color\"))' }))
        .rows.flatMap(row => row.cells).filter(cell => !/,(brand|color)$/.test(cell.qualifier)).length";
    same("cells of other facets", page.api(others)?, json!(0))
}

fn salts(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.design(0, {{ template: '{TEMPLATE}' }})"))?;
    let user =
        page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key.split(',').slice(0, 2).join(',')")?;
    let read = format!("tabletop.read(0, {{ rows: {{ prefix: {user} }} }})");
    // Without the salt. Cells are text, to be compared as a whole.
    let rows = format!(
        "(await {read}).rows.map(row => [row.key.replace(/^\\d-/, ''), ...row.cells.map(cell => cell.value)].join(' '))"
    );
    let before = page.api(&rows)?;
    page.open_pane(Pane::Design)?;
    page.find("radiogroup", "Salt")?.by_role("radio", "8")?.click()?;
    page.until("the table is salted", || {
        let key = page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key")?;
        Ok(key.as_str().is_some_and(|key| key.as_bytes()[0].is_ascii_digit() && key.as_bytes()[1] == b'-'))
    })?;
    page.until("the number of rows is the same", || {
        let after = page.api(&rows)?;
        same("rows", after.as_array().map(Vec::len), before.as_array().map(Vec::len)).map(|()| true)
    })?;
    same("the rows", page.api(&rows)?, before.clone())?;
    same("one range for each salt", page.api(&format!("(await {read}).ranges"))?, json!(8))?;
    page.open_pane(Pane::Query)?;
    page.click("radio", "Prefix")?;
    page.fill("Row key prefix", user.as_str().unwrap_or_default())?;
    page.ask()?;
    page.until_figure("Ranges", 8)?;
    // A query has logical keys.
    let user = user.as_str().unwrap_or_default();
    page.fill("Row key prefix", &format!("3-{user}"))?;
    page.until_text(&format!("Enter keys without the salt: {user}, not 3-{user}."))?;
    // A salt of new events only.
    page.open_pane(Pane::Design)?;
    page.click("button", "Edit salt(8)")?;
    page.fill("Salted from", "2019-05-28T03:00:00Z")?;
    page.browser.press(&["Enter"])?;
    page.until_value(
        "Row key template",
        &TEMPLATE.replace("{app_id}", "{salt(8, from=2019-05-28T03:00:00Z)}-{app_id}"),
    )?;
    page.until("the number of rows is the same", || {
        let keys = page
            .api("(await tabletop.read(0, { rows_limit: 1000 })).rows.map(row => /^\\d-/.test(row.key))")?;
        let has = |salted: bool| keys.as_array().is_some_and(|keys| keys.contains(&json!(salted)));
        let after = page.api(&rows)?;
        Ok(has(true) && has(false) && after.as_array().map(Vec::len) == before.as_array().map(Vec::len))
    })?;
    same("the rows", page.api(&rows)?, before)?;
    same("a range for each salt, and one without", page.api(&format!("(await {read}).ranges"))?, json!(9))?;
    let until = "(await tabletop.read(0, { rows: { fields: { equals: [], until: '2019-05-28T03:00:00Z' } } })).ranges";
    same("ranges before the cut-over", page.api(until)?, json!(1))
}

fn reads_the_grid(page: &Page) -> Result<()> {
    page.api(&format!(
        "tabletop.design(0, {{ template: '{TEMPLATE}', layout: {{ kind: 'wide', family_field: null }} }})"
    ))?;
    page.open_pane(Pane::Query)?;
    page.fill("Limit", "50")?;
    page.ask()?;
    page.find("combobox", "Values as")?.choose("Hex")?;
    page.until("values are shown in hex", || {
        let cells = page.browser.all_by_role("gridcell", "")?;
        Ok(cells.len() > 3 && cells[3].text()?.chars().all(|c| c.is_ascii_hexdigit() || c == ' ' || c == '…'))
    })?;
    page.browser.all_by_role("rowheader", "")?[0].click()?;
    page.browser.press(&["Enter"])?;
    page.until_text("Bytes")?;
    page.fill("Filter as text", "value_regex(\"there is no such value\")")?;
    page.ask()?;
    page.until_text("A row whose cells are all filtered out is not returned")
}
