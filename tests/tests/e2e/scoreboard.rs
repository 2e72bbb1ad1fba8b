//! Access patterns on designs in the grid of the view Compare: opened from there, by keys and on a
//! phone.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE, same};

pub const TESTS: &[Test] = &[
    Test { name: "scoreboard: a cell shows its design with the plan and the rows", run: opens_a_cell },
    Test { name: "scoreboard: all works by keys", run: works_by_keys },
    Test {
        name: "scoreboard: a phone shows a block for each pattern, and a cell its index table",
        run: fits_a_phone,
    },
];

/// Two designs: the time first, and the user first.
fn open(page: &Page) -> Result<()> {
    page.api("tabletop.design(1, { name: 'Users', template: '{user_token},{timestamp:iso},{app_id}' })")?;
    page.click("link", "Compare")?;
    page.find("heading", "Access patterns").map(drop)
}

fn open_with_patterns(page: &Page) -> Result<()> {
    open(page)?;
    page.click("button", "Add all 5")?;
    until_measured(page)
}

fn until_measured(page: &Page) -> Result<()> {
    page.until("all is measured", || {
        let text = sentence(page)?;
        let is_ranked = text.contains(" wins") || text.contains(" comes first");
        Ok(is_ranked && !page.visible_text()?.contains("not measured yet"))
    })
}

/// The sentence on the best design, with its reasons.
fn sentence(page: &Page) -> Result<String> {
    let text =
        page.browser.run("return document.querySelector('.score-sentence')?.innerText ?? ''", json!([]))?;
    Ok(text.as_str().unwrap_or_default().into())
}

/// The accessible name of the cell of a pattern on a design: its whole text.
fn cell(page: &Page, pattern: &str, design: &str) -> Result<String> {
    page.name_with("button", &format!("{pattern} on {design}:"))
}

fn until_cell(page: &Page, pattern: &str, design: &str, part: &str) -> Result<()> {
    let mut last = String::new();
    page.until(&format!("{pattern} on {design} says {part:?}"), || {
        last = cell(page, pattern, design)?;
        if last.contains(part) { Ok(true) } else { Err(last.clone()) }
    })
}

/// The counts of a read of a pattern on a design.
fn stats_of(page: &Page, design: usize, pattern: &str) -> Result<Value> {
    let read = format!(
        "const {{ query }} = (await tabletop.workspace()).queries.find(named => named.name === {pattern:?});
        return (await tabletop.read({design}, {{ ...query, rows_limit: Number(query.rows_limit) }})).stats;"
    );
    page.api(&format!("await (async () => {{ {read} }})()"))
}

fn opens_a_cell(page: &Page) -> Result<()> {
    open_with_patterns(page)?;
    let stats = stats_of(page, 1, "One user_token, 1 hour")?;
    let returned = stats["rows_returned"].as_str().unwrap_or_default().trim_end_matches('n');
    let returned: u64 = returned.parse().map_err(|_| format!("{stats}"))?;
    page.find_named("button", "One user_token, 1 hour on Users:")?.click()?;
    page.until("the view of the design is shown", || {
        Ok(page.browser.run("return location.search", json!([]))? == json!(""))
    })?;
    page.until_value("Row key template", "{user_token},{timestamp:iso},{app_id}")?;
    page.until_text("Becomes 1 range.")?;
    page.until_figure("Rows returned", returned)?;
    page.until_figure("Rows seen", returned)?;
    // The plan is next to the rows, and the strip marks the tablets that it reads, all without
    // scrolling.
    let in_sight = "const inside = element => {
            const box = element.getBoundingClientRect();
            return box.width > 0 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
        };
        return [document.querySelector('.pane-results .pane-summary'), document.querySelector('[role=grid] [role=row]'),
            document.querySelector('.strip .asked')].map(inside)";
    same(
        "plan, rows and mark are in sight",
        page.browser.run(in_sight, json!([]))?,
        json!([true, true, true]),
    )?;
    let plan = "return document.querySelector('.pane-results .pane-summary').innerText";
    same("the plan", page.browser.run(plan, json!([]))?, json!("Becomes 1 range."))?;
    let touched = stats_of(page, 1, "One user_token, 1 hour")?["tablets_touched"].clone();
    let marked = "return document.querySelectorAll('.strip .asked').length + 'n'";
    same("marked tablets are those that it touches", page.browser.run(marked, json!([]))?, touched)?;
    page.find_named("option", "; the query reads part of it")?;
    same("the pattern", page.find("combobox", "Access pattern")?.property("value")?, json!("2"))?;
    page.browser.run("history.back()", json!([]))?;
    until_measured(page)?;
    page.find_named("button", "One user_token, 1 hour on Design 1:")?.click()?;
    page.until_text("Becomes 1 range. It contains more than you asked for")?;
    let seen = stats_of(page, 0, "One user_token, 1 hour")?["rows_seen"].clone();
    page.until("its rows are others", || Ok(seen == json!(format!("{}n", page.figure("Rows seen")?))))?;
    page.until_figure("Rows returned", returned)
}

fn works_by_keys(page: &Page) -> Result<()> {
    open_with_patterns(page)?;
    let focus = |name: &str| {
        let element = page.find_named("button", name)?;
        page.browser.run("arguments[0].focus()", json!([element.as_argument()])).map(drop)
    };
    focus("One user_token on Design 1:")?;
    for (key, expected) in [
        ("ArrowRight", "One user_token on Users:"),
        ("ArrowDown", "One user_token, 1 hour on Users:"),
        ("ArrowDown", "Last 10 of one user_token on Users:"),
        ("ArrowLeft", "Last 10 of one user_token on Design 1:"),
        ("ArrowUp", "One user_token, 1 hour on Design 1:"),
    ] {
        page.browser.press(&[key])?;
        page.until(&format!("the focus is on {expected}"), || {
            Ok(page.browser.focused()?.name()?.starts_with(expected))
        })?;
    }
    page.browser.press(&["Enter"])?;
    page.until("the cell is opened", || {
        Ok(page.browser.run("return location.search", json!([]))? == json!(""))
    })?;
    page.until("the access pattern has the focus", || {
        Ok(page.browser.focused()?.name()? == "Access pattern")
    })?;
    page.browser.run("history.back()", json!([]))?;
    focus("Rename One user_token, 1 hour")?;
    page.browser.press(&["Enter"])?;
    page.until("the name is edited", || Ok(page.browser.focused()?.name()? == "Name of the access pattern"))?;
    page.browser.press(&["X", "Escape"])?;
    page.until("the focus is back", || {
        Ok(page.browser.focused()?.name()? == "Rename One user_token, 1 hour")
    })?;
    focus("Limits of One user_token")?;
    page.browser.press(&["Enter"])?;
    page.until_text("Maximums unless noted")?;
    page.browser.press(&["Enter"])?;
    page.until("the limits are closed", || Ok(!page.visible_text()?.contains("Maximums unless noted")))
}

fn fits_a_phone(page: &Page) -> Result<()> {
    open(page)?;
    page.click("button", "Add an index table to Design 1")?;
    page.until("the index table is there", || {
        Ok(page.api("(await tabletop.workspace()).designs.length")? == json!(3))
    })?;
    page.api("tabletop.design(1, { template: '{event_type},{timestamp:iso},{user_token}' })")?;
    page.browser.resize(320, 640)?;
    page.click("button", "Add all 5")?;
    until_measured(page)?;
    let of_type = "All of one event_type";
    page.find("combobox", &format!("Table of Design 1 that {of_type} reads"))?.choose("Design 1, index")?;
    until_cell(page, of_type, "Design 1", "1 range")?;
    page.click("button", "Limits of One user_token")?;
    let wide = page.browser.run("return document.scrollingElement.scrollWidth", json!([]))?;
    same("the width of the page", wide, json!(320))?;
    let cut = "return [...document.querySelectorAll('.score-grid *')].filter(each => {
            const box = each.getBoundingClientRect();
            return box.right > innerWidth + 1 && !each.closest('thead');
        }).map(each => each.outerHTML.slice(0, 100))";
    same("what is cut off", page.browser.run(cut, json!([]))?, json!([]))?;
    page.check_accessible("access patterns on a phone")?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.click("button", "Suggest designs")?;
    page.until_text("in 3 writes without a transaction")?;
    page.check_accessible("suggested index tables on a phone")?;
    // The cell shows the table that was read.
    page.find_named("button", &format!("{of_type} on Design 1:"))?.click()?;
    page.until("its rows are shown", || Ok(page.figure("Rows returned")? > 0))?;
    page.open_pane(Pane::Query)?;
    page.until_text("Becomes 1 range.")?;
    page.browser.resize(WIDE.0, WIDE.1)?;
    page.until("the index is on the screen", || {
        Ok(page.find("combobox", "Design")?.property("selectedIndex")? == json!(1))
    })
}
