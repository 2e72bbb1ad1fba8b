//! Access patterns on designs: suggested, added, weighted and limited in the grid of the view
//! Compare, and opened from there.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE, same};

pub const TESTS: &[Test] = &[
    Test {
        name: "scoreboard: suggested patterns are measured on each design, and a sentence names the best one",
        run: ranks_designs,
    },
    Test { name: "scoreboard: a cell shows its design with the plan and the rows", run: opens_a_cell },
    Test { name: "scoreboard: all works by keys", run: works_by_keys },
    Test { name: "scoreboard: a phone shows a block for each pattern", run: fits_a_phone },
];

/// Two designs: the time first, and the user first.
fn open(page: &Page) -> Result<()> {
    page.api("tabletop.design(1, { name: 'Users', template: '{user_token},{timestamp:iso},{app_id}' })")?;
    page.click("link", "Compare")?;
    page.find("heading", "Access patterns").map(drop)
}

fn open_with_patterns(page: &Page) -> Result<()> {
    open(page)?;
    page.click("button", "Add all 6")?;
    until_measured(page)
}

fn until_measured(page: &Page) -> Result<()> {
    page.until("all is measured", || {
        let text = sentence(page)?;
        Ok(text.contains(" wins") && !page.visible_text()?.contains("not measured yet"))
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

fn total(page: &Page, design: usize) -> Result<String> {
    let read = "return document.querySelector('.score-grid tfoot tr').cells[arguments[0] + 2].innerText.replace(/\\s+/g, ' ').trim()";
    let text = page.browser.run(read, json!([design]))?;
    Ok(text.as_str().unwrap_or_default().into())
}

fn until_cell(page: &Page, pattern: &str, design: &str, part: &str) -> Result<()> {
    let mut last = String::new();
    page.until(&format!("{pattern} on {design} says {part:?}"), || {
        last = cell(page, pattern, design)?;
        if last.contains(part) { Ok(true) } else { Err(last.clone()) }
    })
}

fn queries(page: &Page) -> Result<Value> {
    page.api("(await tabletop.workspace()).queries")
}

/// The counts of a read of a pattern on a design.
fn stats_of(page: &Page, design: usize, pattern: &str) -> Result<Value> {
    let read = format!(
        "const {{ query }} = (await tabletop.workspace()).queries.find(named => named.name === {pattern:?});
        return (await tabletop.read({design}, {{ ...query, rows_limit: Number(query.rows_limit) }})).stats;"
    );
    page.api(&format!("await (async () => {{ {read} }})()"))
}

fn until_patterns(page: &Page, expected: &[&str]) -> Result<()> {
    let names = || page.api("(await tabletop.workspace()).queries.map(named => named.name)");
    page.until(&format!("the patterns are {expected:?}"), || {
        same("they", names()?, json!(expected)).map(|()| true)
    })?;
    let shown = "return [...document.querySelectorAll('.score-name')].map(each => each.textContent)";
    page.until("the page shows them", || Ok(page.browser.run(shown, json!([]))? == json!(expected)))
}

const SUGGESTED: [&str; 6] = [
    "One user_token",
    "One user_token, 1 hour",
    "Latest of each user_token",
    "All of one app_id",
    "All of one event_type",
    "Everything in 1 hour",
];

fn ranks_designs(page: &Page) -> Result<()> {
    open(page)?;
    page.until_text("An access pattern is a query that your application sends repeatedly.")?;
    same("nothing is added by itself", queries(page)?, json!([]))?;
    page.click("button", "Add One user_token")?;
    until_patterns(page, &SUGGESTED[..1])?;
    page.until("its weight has the focus", || {
        Ok(page.browser.focused()?.name()? == "Reads per second of One user_token")
    })?;
    page.click("button", "Add all 5")?;
    until_patterns(page, &SUGGESTED)?;
    until_measured(page)?;
    until_cell(page, "One user_token", "Design 1", "full scan")?;
    until_cell(page, "One user_token", "Users", "1 range")?;
    until_cell(page, "Everything in 1 hour", "Design 1", "1 range")?;
    until_cell(page, "Everything in 1 hour", "Users", "full scan")?;
    // Each cell has the counts of a read of this query.
    for (at, design) in ["Design 1", "Users"].into_iter().enumerate() {
        for named in queries(page)?.as_array().into_iter().flatten() {
            let name = named["name"].as_str().unwrap_or_default();
            let stats = stats_of(page, at, name)?;
            let count =
                |figure: &str| stats[figure].as_str().unwrap_or_default().trim_end_matches('n').to_owned();
            let seen = format!("{} seen for {} row", count("rows_seen"), count("rows_returned"));
            let text = cell(page, name, design)?.replace(',', "");
            if count("rows_returned") == "0"
                || !text.contains(&seen)
                || !text.contains(&format!("{} cell", count("cells_seen")))
            {
                return Err(format!("{name} on {design} costs {stats}, but the page shows {text}"));
            }
        }
    }
    let said = sentence(page)?;
    for part in [
        "“Users” wins: it spreads its writes",
        "The writes of “Design 1” go to only a few tablets, and adding nodes does not help.",
        "It gains most from “One user_token",
        "full scan, ",
        "It loses on “Everything in 1 hour” (",
    ] {
        if !said.contains(part) {
            return Err(format!("the sentence has no {part:?}: {said}"));
        }
    }
    page.until("the best total is marked", || {
        Ok(total(page, 1)?.contains("fewest") && total(page, 0)?.contains('×'))
    })?;
    page.until_text("reads per second times the blocks of one read")?;
    // Neither design has a row for each user, so neither returns only the latest.
    let every_row = "every row, including older ones";
    until_cell(page, "Latest of each user_token", "Users", every_row)?;
    until_cell(page, "Latest of each user_token", "Design 1", every_row)?;
    page.until_text("asks for the latest of each, and no design has a row for each entity")?;
    page.click("button", "Undo")?;
    until_patterns(page, &SUGGESTED[..1])?;
    page.click("button", "Undo")?;
    page.until_text("An access pattern is a query that")?;
    page.click("button", "Redo")?;
    page.click("button", "Redo")?;
    until_patterns(page, &SUGGESTED)?;
    page.click("button", "Suggest designs")?;
    page.until_text("in 3 writes without a transaction")?;
    page.check_accessible("suggested index tables")
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
    same("the pattern", page.find("combobox", "Saved query")?.property("value")?, json!("2"))?;
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
        ("ArrowDown", "Latest of each user_token on Users:"),
        ("ArrowLeft", "Latest of each user_token on Design 1:"),
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
    page.until("the saved query has the focus", || Ok(page.browser.focused()?.name()? == "Saved query"))?;
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
    page.api("tabletop.design(1, { name: 'Users', template: '{user_token},{timestamp:iso},{app_id}' })")?;
    page.browser.resize(320, 640)?;
    page.click("link", "Compare")?;
    page.click("button", "Add all 6")?;
    until_measured(page)?;
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
    page.find_named("button", "One user_token on Users:")?.click()?;
    page.until("its rows are shown", || Ok(page.figure("Rows returned")? > 0))?;
    page.open_pane(Pane::Query)?;
    page.until_text("Becomes 1 range.")?;
    page.browser.resize(WIDE.0, WIDE.1)
}
