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
    for (name, why) in [("Design 1", "Another design is named Design 1."), (" ", "A design needs a name.")] {
        page.fill("Name of the design", name)?;
        page.until_text(why)?;
        let save = page.find("button", "Save name")?;
        same("whether it can be saved", save.property("disabled")?, json!(true))?;
    }
    page.click("button", "Cancel")?;
    page.until("the focus is back", || Ok(page.browser.focused()?.name()? == "Rename Design 2"))?;
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

fn edits_a_design(page: &Page) -> Result<()> {
    open(page)?;
    page.click("button", "Duplicate Design 1")?;
    until_names(page, &["Design 1", "Design 2"])?;
    same(
        "the copy is edited",
        page.find("button", "Edit Design 2")?.attribute("aria-pressed")?.as_str(),
        "true",
    )?;
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
