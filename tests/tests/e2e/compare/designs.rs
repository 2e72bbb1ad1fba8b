//! The list of designs that are compared, while it changes: manually, next to the other designs, and
//! by the page's suggestions for the access patterns. The page says what each change does.

use serde_json::json;
use tabletop_tests::browser::Result;
use tabletop_tests::page::{PHONE, Page, Pane, same};

use super::{USER_FIRST, line, open, until_names};
use crate::e2e::run::Test;

pub const TESTS: &[Test] = &[
    Test {
        name: "compare: designs are added, named, copied, moved and removed, and undo restores them",
        run: changes_the_list,
    },
    Test { name: "compare: an edit, a copy and a removal say what they change", run: says_what_changed },
    Test {
        name: "compare: designs are suggested for the access patterns, added, and measured",
        run: suggests_designs,
    },
    Test {
        name: "compare: index tables are suggested for what the key cannot answer, added, and measured",
        run: suggests_index_tables,
    },
    Test {
        name: "compare: a design is edited next to the others, and on a phone in its own view",
        run: edits_a_design,
    },
];

fn changes_the_list(page: &Page) -> Result<()> {
    open(page)?;
    page.until_text("Duplicate the design, then change")?;
    page.click("button", "Add design")?;
    until_names(page, &["Design 1", "Design 2"])?;
    same(
        "a new design",
        page.api("(await tabletop.workspace()).designs[1].template")?,
        json!("{app_id},{timestamp:iso}"),
    )?;
    page.click("button", "Rename Design 2")?;
    page.fill("Name of the design", " Users first ")?;
    page.click("button", "Save name")?;
    until_names(page, &["Design 1", "Users first"])?;
    page.click("button", "Duplicate Users first")?;
    until_names(page, &["Design 1", "Users first", "Users first 2"])?;
    page.click("button", "Move Users first 2 up")?;
    until_names(page, &["Design 1", "Users first 2", "Users first"])?;
    page.click("button", "Remove Design 1")?;
    until_names(page, &["Users first 2", "Users first"])?;
    for expected in [
        &["Design 1", "Users first 2", "Users first"][..],
        &["Design 1", "Users first", "Users first 2"],
        &["Design 1", "Users first"],
        &["Design 1", "Design 2"],
        &["Design 1"],
    ] {
        page.click("button", "Undo")?;
        until_names(page, expected)?;
    }
    let last = page.find("button", "Remove Design 1")?;
    same("whether the last design can be removed", last.property("disabled")?, json!(true))?;
    page.click("button", "Redo")?;
    until_names(page, &["Design 1", "Design 2"])
}

fn says_what_changed(page: &Page) -> Result<()> {
    open(page)?;
    page.until("all rows are counted", || {
        Ok(line(page, "Logical size")?.iter().all(|size| size.contains("MB")))
    })?;
    let said = || -> Result<String> {
        let read = "const shown = (part) => [...part.childNodes].filter(node => !node.classList?.contains('visually-hidden')).map(node => node.textContent).join('');
            return [...document.querySelectorAll('.pane-compare .last-edit')].map(each => [...each.children].map(shown).join(' ').replace(/\\s+/g, ' ')).join('|')";
        Ok(page.browser.run(read, json!([]))?.as_str().unwrap_or_default().to_owned())
    };
    let says = |text: &str| page.until(text, || same("it", said()?.contains(text), true).map(|()| true));
    same("before an edit", said()?, String::new())?;
    page.click("button", "Duplicate Design 1")?;
    says("All tables: tables 1 \u{2192} 2")?;
    says("rows 20,000 \u{2192} 40,000")?;
    page.fill("Row key template", "{user_token},{timestamp:iso}")?;
    says("Last edit: hottest tablet 100% \u{2192}")?;
    same("only one of the two is reported", said()?.contains("All tables"), false)?;
    page.until("all rows are counted", || {
        Ok(line(page, "Logical size")?.iter().all(|size| size.contains("MB")))
    })?;
    page.click("button", "Remove Design 1")?;
    says("tables 2 \u{2192} 1")
}

fn suggests_designs(page: &Page) -> Result<()> {
    open(page)?;
    page.click("button", "Suggest designs")?;
    page.until_text("Save an access pattern first")?;
    page.click("button", "Close the suggestions")?;
    let key = page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key")?;
    let user = key.as_str().and_then(|key| key.rsplit(',').next()).unwrap_or_default();
    let query = json!({
        "name": "One user",
        "query": { "rows": { "fields": { "equals": [["user_token", user]], "from": null, "until": null } }, "filter": null }
    });
    page.api(&format!(
        "(async () => {{ const all = await tabletop.workspace(); all.queries = [{query}]; await tabletop.open(all); }})()"
    ))?;
    page.click("button", "Suggest designs")?;
    page.until_text("The pattern by fields reads one range.")?;
    page.click("button", "Add By user_token, timestamp")?;
    until_names(page, &["Design 1", "By user_token, timestamp"])?;
    page.until("the best design is the one that was suggested", || {
        Ok(page.visible_text()?.contains("\u{201c}By user_token, timestamp\u{201d} is best by these figures"))
    })?;
    // A design that exists is not suggested again.
    same(
        "proposals of the same name",
        page.browser.all_by_role("button", "Add By user_token, timestamp")?.len(),
        0,
    )?;
    page.click("button", "Undo")?;
    until_names(page, &["Design 1"])
}

fn suggests_index_tables(page: &Page) -> Result<()> {
    open(page)?;
    let key = page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key")?;
    let parts: Vec<&str> = key.as_str().unwrap_or_default().split(',').collect();
    let query = |name: &str, field: &str, value: &str| json!({ "name": name, "query": { "rows": { "fields": { "equals": [[field, value]], "from": null, "until": null } }, "filter": null } });
    let queries = json!([query("One user", "user_token", parts[2]), query("One app", "app_id", parts[1])]);
    page.api(&format!(
        "(async () => {{ const all = await tabletop.workspace(); all.queries = {queries}; await tabletop.open(all); }})()"
    ))?;
    page.click("button", "Suggest designs")?;
    page.until_text("in 2 writes without a transaction")?;
    page.check_accessible("suggested index tables")?;
    let (add, name) = {
        let named = page.find_named("button", ", indexed")?;
        let add = named.name()?;
        (named, add.trim_start_matches("Add ").to_owned())
    };
    add.click()?;
    page.until("the design has an index table", || {
        Ok(page.api(&format!(
            "(await tabletop.workspace()).designs.filter(each => each.index_of === '{name}').length"
        ))? == json!(1))
    })?;
    // One of the patterns reads it. There are no full scans any more: one range, or one for each
    // salt of the index table.
    page.until("one pattern reads the index table", || {
        Ok(page
            .api("(await tabletop.workspace()).queries.filter(each => each.tables.length === 1).length")?
            == json!(1))
    })?;
    page.until("both are measured", || {
        let cells =
            ["One user", "One app"].map(|pattern| page.name_with("button", &format!("{pattern} on {name}")));
        Ok(cells
            .into_iter()
            .all(|cell| cell.is_ok_and(|text| text.contains("1 range") || text.contains("8 ranges"))))
    })?;
    // What exists is not suggested again, and a single undo removes all of it.
    page.until("it is not suggested again", || {
        Ok(page.browser.all_by_role("button", &format!("Add {name}"))?.is_empty())
    })?;
    page.click("button", "Undo")?;
    page.until("it is gone, and no pattern reads it", || {
        let left = "(await tabletop.workspace()).designs.length + (await tabletop.workspace()).queries.filter(each => each.tables.length).length";
        Ok(page.api(left)? == json!(1))
    })
}

fn edits_a_design(page: &Page) -> Result<()> {
    open(page)?;
    page.click("button", "Duplicate Design 1")?;
    until_names(page, &["Design 1", "Design 2"])?;
    same(
        "the copy is edited",
        page.find("button", "Edit Design 2")?.attribute("aria-pressed")?.as_str(),
        "true",
    )?;
    page.fill("Row key template", "{user_token")?;
    page.until_text("The template has an error: edit the design")?;
    // The table still uses another template, so it does not have figures.
    page.until("the column says why it has no figures", || {
        Ok(line(page, "Stored size")?[1] == "–"
            && line(page, "Figure")?[1].ends_with("the template has an error"))
    })?;
    page.fill("Row key template", USER_FIRST)?;
    // The status line reports it, too.
    let spread = "return [...document.querySelectorAll('.design-card .headline')].filter(line => line.textContent.includes('Writes are spread over')).length";
    page.until("its writes are spread", || Ok(page.browser.run(spread, json!([]))? == json!(1)))?;
    page.click("button", "Edit Design 1")?;
    page.until_value("Row key template", "{timestamp:iso},{app_id},{user_token}")?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.click("button", "Edit Design 2")?;
    page.until_value("Row key template", USER_FIRST)?;
    same("the view", page.browser.run("return location.search", json!([]))?, json!(""))?;
    page.open_pane(Pane::Tablets)?;
    page.until_text("Writes are spread over")
}
