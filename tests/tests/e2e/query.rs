//! Queries: rows, filters and results.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "query: blocks and text are in step", run: keeps_blocks_and_text_in_step },
    Test { name: "query: menus open where there is room", run: opens_menus_in_sight },
    Test { name: "query: a query is saved by keys", run: saves_by_keys },
    Test {
        name: "query: figures keep their position, and all of them are shown on demand",
        run: folds_figures,
    },
];

fn saves_by_keys(page: &Page) -> Result<()> {
    page.open_pane(Pane::Query)?;
    page.fill("Limit", "7")?;
    page.click("button", "Save as")?;
    page.until("the name has the focus", || Ok(page.browser.focused()?.name()? == "Name"))?;
    // The name is not part of the query: undo there changes only the name.
    page.browser.press(&["b", "y", "Control+z"])?;
    page.until_value("Limit", "7")?;
    page.browser.press(&["Escape"])?;
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
    page.until_text("Did you mean `family_name_regex`?")?;
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
