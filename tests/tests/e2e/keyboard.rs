//! The main flow without a mouse: everything is reached by Tab and operated by keys.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test {
        name: "keyboard: sample, row key, salt, layout, query, filter, rows, tablets, undo",
        run: does_everything,
    },
    Test { name: "keyboard: a template and a filter are completed while they are typed", run: completes },
    Test { name: "keyboard: focus is always visible", run: shows_the_focus },
    Test { name: "keyboard: Ctrl+K finds any action, and ? lists the keys", run: finds_actions },
    Test { name: "keyboard: what is chosen with Ctrl+K happens", run: does_what_is_chosen },
];

fn completes(page: &Page) -> Result<()> {
    let field = page.field("Row key template")?;
    field.click()?;
    page.browser.press(&["Control+a"])?;
    type_text(page, "{us")?;
    let list = page.find("listbox", "Suggestions")?;
    page.until("the field is suggested", || Ok(list.text()?.contains("user_token")))?;
    page.check_accessible("suggestions for a template")?;
    // Without a selected suggestion, Enter goes to the text.
    page.browser.press(&["Enter"])?;
    page.until_value("Row key template", "{us")?;
    page.browser.press(&["ArrowDown", "Enter"])?;
    page.until_value("Row key template", "{user_token}")?;
    // The caret is before the brace.
    type_text(page, ":hash")?;
    page.browser.press(&["Escape"])?;
    page.until("the list is closed", || Ok(page.browser.all_by_role("listbox", "Suggestions")?.is_empty()))?;
    page.until_value("Row key template", "{user_token:hash}")?;

    page.open_pane(Pane::Query)?;
    page.field("Filter as text")?.click()?;
    type_text(page, "cells_per_row_l")?;
    page.until("the filter is suggested", || {
        let lists = page.browser.all_by_role("listbox", "Suggestions")?;
        lists.first().map_or(Ok(false), |list| Ok(list.text()?.contains("cells_per_row_limit")))
    })?;
    page.check_accessible("suggestions for a filter")?;
    page.browser.press(&["ArrowDown", "Tab"])?;
    type_text(page, "2")?;
    page.until_value("Filter as text", "cells_per_row_limit(2)")
}

/// More than the number of focusable elements on the page.
const STOPS_MAX: usize = 150;

fn does_everything(page: &Page) -> Result<()> {
    let press = |keys: &[&str]| page.browser.press(keys);
    // A sample.
    tab_to(page, "Data")?;
    press(&["Enter"])?;
    tab_to(page, "Generated")?;
    press(&["ArrowRight"])?;
    page.until("the next source has the focus", || Ok(page.browser.focused()?.name()? == "Sample"))?;
    press(&["Tab"])?;
    let quakes = "Earthquakes";
    for _ in 0..10 {
        if page.browser.focused()?.name()?.contains(quakes) {
            break;
        }
        press(&["ArrowDown"])?;
    }
    press(&["Space"])?;
    page.until("the earthquakes are loaded", || {
        Ok(page.api("(await tabletop.workspace()).source")? == json!({ "sample": "earthquakes" }))
    })?;
    page.until_all_arrived()?;

    // A row key as text, a salt, a layout.
    tab_to(page, "Row key template")?;
    press(&["Control+a"])?;
    type_text(page, "{time:hour}#{id}")?;
    page.until("the table has the new keys", || {
        let key = page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key")?;
        Ok(key.as_str().is_some_and(|key| key.as_bytes().get(13) == Some(&b'#')))
    })?;
    tab_to(page, "Off")?;
    press(&["ArrowRight"])?;
    page.until_value("Row key template", "{salt(4)}-{time:hour}#{id}")?;
    tab_to(page, "Narrow")?;
    press(&["ArrowRight"])?;
    page.until(
        "the layout is wide",
        || Ok(page.find("radio", "Wide")?.attribute("aria-checked")? == "true"),
    )?;

    // A query, and its rows.
    tab_to(page, "All")?;
    press(&["ArrowRight"])?;
    page.until("the next choice has the focus", || Ok(page.browser.focused()?.name()? == "Keys"))?;
    press(&["ArrowRight"])?;
    page.until("the prefix has the focus", || Ok(page.browser.focused()?.name()? == "Prefix"))?;
    tab_to(page, "Row key prefix")?;
    let prefix = page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key.slice(2, 15)")?;
    type_text(page, prefix.as_str().unwrap_or_default())?;
    build_a_filter(page)?;
    press(&["Control+Enter"])?;
    page.until_figure("Ranges", 4)?;
    page.until("rows of that hour came back", || {
        Ok(page.first_key()?.contains(prefix.as_str().unwrap_or_default()))
    })?;
    until_focused(page, |name, role| role == "grid" && name.contains("row"))?;
    press(&["ArrowDown", "ArrowRight", "Enter"])?;
    page.find_named("region", "Selected cell")?;
    press(&["Escape"])?;

    // A tablet.
    press(&["Control+Home"])?;
    page.browser.run("document.activeElement.blur()", json!([]))?;
    tab_to(page, "Tablets, in key order")?;
    press(&["Home", "Enter"])?;
    page.find_named("region", "Tablet 1")?;
    press(&["Enter"])?;

    // Undo.
    press(&["Control+z"])?;
    page.until("a change is undone", || Ok(page.visible_text()?.contains("Tablets")))
}

/// Builds a filter of blocks that lets all cells through.
fn build_a_filter(page: &Page) -> Result<()> {
    let press = |keys: &[&str]| page.browser.press(keys);
    tab_to(page, "Add a filter")?;
    press(&["Enter"])?;
    for _ in 0..20 {
        if page.browser.focused()?.text()? == "Interleave" {
            break;
        }
        press(&["ArrowDown"])?;
    }
    press(&["Enter"])?;
    page.until_value("Filter as text", "interleave(pass_all, block_all)")?;
    tab_to(page, "Block 1.1 actions")?;
    press(&["Alt+ArrowDown"])?;
    page.until_value("Filter as text", "interleave(block_all, pass_all)")
}

fn shows_the_focus(page: &Page) -> Result<()> {
    // Each stop has an outline or a shadow, and is within the window.
    let look = "const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
        const ring = [element, ...element.querySelectorAll('*'), element.parentElement].some(each => {
            const style = getComputedStyle(each);
            return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== 'none';
        });
        const seen = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
        return element === document.body ? null : { ring, seen, what: element.outerHTML.slice(0, 120) };";
    for _ in 0..STOPS_MAX {
        page.browser.press(&["Tab"])?;
        let stop = page.browser.run(look, json!([]))?;
        if stop.is_null() {
            return Ok(());
        }
        if stop["ring"] != true || stop["seen"] != true {
            return Err(format!("the focus cannot be seen on {}", stop["what"]));
        }
    }
    Err("Tab does not return to the start".into())
}

fn finds_actions(page: &Page) -> Result<()> {
    let press = |keys: &[&str]| page.browser.press(keys);
    let focus_is = |name: &str| {
        page.until(&format!("{name} has the focus"), || Ok(page.browser.focused()?.name()? == name))
    };
    press(&["Control+k"])?;
    focus_is("Find an action")?;
    page.check_accessible("all actions")?;
    type_text(page, "row lay")?;
    press(&["Enter"])?;
    page.until("the layout has changed", || {
        Ok(page.find("radio", "Row per entity")?.attribute("aria-checked")? == "true")
    })?;
    // Arrow keys choose, words are found in any order, and impossible actions are not offered.
    press(&["Control+k"])?;
    focus_is("Find an action")?;
    page.until_text("Salt: 8")?;
    type_text(page, "8 salt")?;
    press(&["Enter"])?;
    page.until_value("Row key template", "{salt(8)}-{timestamp:iso},{app_id},{user_token}")?;
    press(&["Control+k"])?;
    focus_is("Find an action")?;
    type_text(page, "salt")?;
    page.until("the salt of the key is not offered", || {
        let offered =
            page.browser.run("return [...document.querySelectorAll('#palette li')].map(each => each.innerText).filter(each => each.startsWith('Salt:'))", json!([]))?;
        Ok(offered == json!(["Salt: Off", "Salt: 4", "Salt: 16", "Salt: 32"]))
    })?;
    // Fixes with this word come first.
    page.until("the salt is chosen", || {
        press(&["ArrowDown"])?;
        let chosen = "return document.querySelector('#palette li[aria-selected=true]')?.innerText";
        Ok(page.browser.run(chosen, json!([]))? == json!("Salt: 16"))
    })?;
    press(&["Enter"])?;
    page.until_value("Row key template", "{salt(16)}-{timestamp:iso},{app_id},{user_token}")?;
    press(&["Control+k"])?;
    focus_is("Find an action")?;
    type_text(page, "no such action")?;
    page.until_text("No matching actions.")?;
    press(&["Escape"])?;
    page.until("the dialog is closed", || Ok(page.browser.all_by_role("dialog", "All actions")?.is_empty()))?;

    for (words, part) in [("estimate", ".estimate"), ("gc rules", "#unfolded-gc")] {
        press(&["Control+k"])?;
        focus_is("Find an action")?;
        type_text(page, words)?;
        press(&["Enter"])?;
        page.until("the part is pointed at", || {
            let is_there = "return document.activeElement === document.querySelector(arguments[0]) && document.activeElement.getBoundingClientRect().height > 0";
            Ok(page.browser.run(is_there, json!([part]))? == json!(true))
        })?;
    }
    press(&["Control+k"])?;
    focus_is("Find an action")?;
    type_text(page, "view compare")?;
    press(&["Enter"])?;
    page.find("heading", "Compare designs")?;
    press(&["?"])?;
    page.find("dialog", "Keyboard shortcuts")?;
    page.check_accessible("keys")?;
    page.click("checkbox", "Keys without Ctrl or Alt, such as ? and Space, work outside fields")?;
    press(&["Escape"])?;
    page.until("the dialog is closed", || {
        Ok(page.browser.all_by_role("dialog", "Keyboard shortcuts")?.is_empty())
    })?;
    press(&["?"])?;
    press(&["Control+k"])?;
    focus_is("Find an action")?;
    same("dialogs of keys", page.browser.all_by_role("dialog", "Keyboard shortcuts")?.len(), 0)
}

fn does_what_is_chosen(page: &Page) -> Result<()> {
    // A choice of a list, an item of a menu, a field, a file of Share.
    let run = |words: &str| -> Result<()> {
        page.browser.press(&["Control+k"])?;
        page.until("the list is open", || Ok(page.browser.focused()?.name()? == "Find an action"))?;
        type_text(page, words)?;
        page.browser.press(&["Enter"])
    };
    // The list has the controls of the view on the screen.
    page.click("link", "Traffic")?;
    page.until("the view is drawn", || page.find("combobox", "Speed").map(|_| true))?;
    run("speed 120")?;
    page.until("the speed is chosen", || page.find("combobox", "Speed")?.value().map(|value| value == "4"))?;
    run("view design")?;
    run("add part app_id")?;
    page.until_value("Row key template", "{timestamp:iso},{app_id},{user_token},{app_id}")?;
    run("query limit")?;
    page.until("the field has the focus", || Ok(page.browser.focused()?.name()? == "Limit"))?;
    run("share report")?;
    page.find("dialog", "Share this workspace")?;
    page.until_text("Downloaded")
}

/// Presses Tab until the element with this name has the focus.
fn tab_to(page: &Page, name: &str) -> Result<()> {
    until_focused(page, |focused, _| focused == name)
        .map_err(|seen| format!("Tab does not reach {name}, but {seen}"))
}

fn until_focused(page: &Page, is_it: impl Fn(&str, &str) -> bool) -> Result<()> {
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..STOPS_MAX {
        page.browser.press(&["Tab"])?;
        let focused = page.browser.focused()?;
        let name = focused.name()?;
        if is_it(&name, &focused.role()?) {
            return Ok(());
        }
        seen.push(name);
    }
    seen.dedup();
    Err(seen.join(" · "))
}

fn type_text(page: &Page, text: &str) -> Result<()> {
    let keys: Vec<String> = text.chars().map(String::from).collect();
    page.browser.press(&keys.iter().map(String::as_str).collect::<Vec<_>>())
}
