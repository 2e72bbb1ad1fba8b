//! The view that compares designs: its address, the keys and limits of its list, the strips and
//! figures, and the sentence on the best one.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE, same};

pub const TESTS: &[Test] = &[
    Test {
        name: "compare: designs are moved and named by keys, and the focus stays with them",
        run: works_by_keys,
    },
    Test {
        name: "compare: the pointer on an event marks its tablet in each strip, and a row of the results chooses its event",
        run: points_at_events,
    },
    Test {
        name: "compare: long names of four designs are not cut, and only the tables scroll",
        run: shows_long_names,
    },
];

const USER_FIRST: &str = "{user_token},{timestamp:iso}";

fn open(page: &Page) -> Result<()> {
    page.click("link", "Compare")?;
    page.find("heading", "Compare designs").map(drop)
}

/// The names of the designs in the workspace.
fn names(page: &Page) -> Result<Value> {
    page.api("(await tabletop.workspace()).designs.map(design => design.name)")
}

fn until_names(page: &Page, expected: &[&str]) -> Result<()> {
    page.until(&format!("the designs are {expected:?}"), || {
        same("they", names(page)?, json!(expected)).map(|()| true)
    })?;
    let headings = "return [...document.querySelectorAll('.design-cards h3')].map(each => each.textContent)";
    page.until("the page shows them", || Ok(page.browser.run(headings, json!([]))? == json!(expected)))
}

fn works_by_keys(page: &Page) -> Result<()> {
    open(page)?;
    page.browser
        .run("arguments[0].focus()", json!([page.find("button", "Duplicate Design 1")?.as_argument()]))?;
    page.browser.press(&["Enter"])?;
    page.until("the copy has the focus", || Ok(page.browser.focused()?.name()? == "Rename Design 2"))?;
    page.browser.press(&["Enter"])?;
    page.until("its name is edited", || Ok(page.browser.focused()?.name()? == "Name of the design"))?;
    // A name that cannot be used is explained.
    for (name, why) in [("Design 1", "Another design is named Design 1."), (" ", "A design needs a name.")] {
        page.fill("Name of the design", name)?;
        page.until_text(why)?;
        let save = page.find("button", "Save name")?;
        same("whether it can be saved", save.property("disabled")?, json!(true))?;
    }
    page.click("button", "Cancel")?;
    page.until("the focus is back", || Ok(page.browser.focused()?.name()? == "Rename Design 2"))?;
    page.browser.press(&["Enter"])?;
    page.until("its name is edited", || Ok(page.browser.focused()?.name()? == "Name of the design"))?;
    page.browser.press(&["B", "Enter"])?;
    until_names(page, &["Design 1", "B"])?;
    page.until("the design has the focus", || Ok(page.browser.focused()?.name()? == "Rename B"))?;
    page.browser.press(&["Alt+ArrowUp"])?;
    until_names(page, &["B", "Design 1"])?;
    page.until("it is still the one with the focus", || {
        Ok(page.browser.focused()?.name()?.ends_with("B down"))
    })?;
    page.browser.press(&["Alt+ArrowDown"])?;
    until_names(page, &["Design 1", "B"])?;
    page.until("it still is", || Ok(page.browser.focused()?.name()?.ends_with("B up")))?;
    page.browser.press(&["Control+z"])?;
    until_names(page, &["B", "Design 1"])
}

fn points_at_events(page: &Page) -> Result<()> {
    page.api(&format!(
        "tabletop.design(1, {{ name: 'Wide', template: '{USER_FIRST}', layout: {{ kind: 'wide', family_field: null }} }})"
    ))?;
    open(page)?;
    // Strips in the list mark the event under the pointer; the strips below mark the chosen event.
    let marks = "return ['.design-card', '.anatomy-design'].map(of =>
        [...document.querySelectorAll(of + ' .event-mark')].map(mark => mark.getAttribute('x1')))";
    let until_marks = |what: &str, are_same: bool| {
        page.until(what, || {
            let marks = page.browser.run(marks, json!([]))?;
            let is_in_each =
                marks.as_array().is_some_and(|of| of.iter().all(|of| of.as_array().map(Vec::len) == Some(2)));
            Ok(is_in_each && (marks[0] == marks[1]) == are_same)
        })
    };
    let point = |part: &str| {
        let place = "const part = document.querySelector(arguments[0]);
            part.scrollIntoView({ block: 'center' });
            const box = part.getBoundingClientRect();
            return [box.x + 12, box.y + box.height / 2]";
        let place = page.browser.run(place, json!([part]))?;
        let to = json!({ "type": "mouseMoved", "x": place[0], "y": place[1] });
        page.browser.devtools("Input.dispatchMouseEvent", &to).map(drop)
    };
    until_marks("each strip marks the tablet of the chosen event", true)?;
    // Figures that arrive may move the elements below them.
    page.until("the pointer is on the event", || {
        point("#event-49")?;
        let is_there = "return document.querySelector('#event-49').matches(':hover')";
        Ok(page.browser.run(is_there, json!([]))? == json!(true))
    })?;
    until_marks("each strip marks the tablet of the event below the pointer", false)?;
    page.find("heading", "How each design stores event 1")?;
    point("#anatomy-title")?;
    until_marks("each strip marks the tablet of the chosen event again", true)?;
    page.browser.run("document.querySelector('#event-49').click()", json!([]))?;
    page.find("heading", "How each design stores event 50")?;
    until_marks("each strip marks the tablet of the event that was clicked", true)?;
    // The same with the keyboard.
    page.browser
        .run("arguments[0].focus()", json!([page.find("listbox", "Choose an event")?.as_argument()]))?;
    page.browser.press(&["ArrowUp"])?;
    page.find("heading", "How each design stores event 49")?;
    // A row of the results of one design is the same event in the others. The last row by time is
    // that of the last event.
    page.click("link", "Design")?;
    let last = page.api("(await tabletop.read(0, { rows_limit: 1, reversed: true })).rows[0].key")?;
    let last = last.as_str().unwrap_or_default();
    page.open_pane(Pane::Query)?;
    page.click("radio", "Keys")?;
    page.fill("One key per line", last)?;
    page.until_first_key(last)?;
    page.browser.by_css(".grid .line [role=gridcell]:last-child")?.click()?;
    page.find_named("option", "it has the chosen event")?;
    page.check_accessible("the tablet of a chosen event")?;
    page.click("link", "Compare")?;
    page.until_text("How each design stores event 20,000")
}

fn shows_long_names(page: &Page) -> Result<()> {
    // They differ at their ends only, and one of them is a single word.
    let names =
        ["By user_token, timestamp, app_id", "By user_token, timestamp, app_id, wide", &"user_".repeat(12)];
    for (at, name) in names.iter().enumerate() {
        page.api(&format!("tabletop.design({}, {{ name: '{name}', template: '{USER_FIRST}' }})", at + 1))?;
    }
    open(page)?;
    page.click("button", "Add all 5")?;
    page.until("patterns are measured", || {
        Ok(!page.browser.all_by_role("button", "Delete One user_token")?.is_empty())
    })?;
    for size in [WIDE, (1280, 800), (800, 600), PHONE] {
        page.browser.resize(size.0, size.1)?;
        let cut = "return ['.compare-table', '.score-grid'].flatMap(table => [...document.querySelectorAll(table + ' thead th')])
            .filter(head => head.closest('thead').clientWidth > 1 && head.scrollWidth > head.clientWidth)
            .map(head => head.textContent)";
        page.until("no name is cut", || {
            same("names", page.browser.run(cut, json!([]))?, json!([])).map(|()| true)
        })?;
        let wide = "return ['.pane-compare', 'html'].filter(of => {
            const part = document.querySelector(of);
            return part.scrollWidth > part.clientWidth;
        })";
        page.until(&format!("nothing else scrolls sideways at {size:?}"), || {
            same("what else scrolls", page.browser.run(wide, json!([]))?, json!([])).map(|()| true)
        })?;
    }
    // With the keyboard, to the last column.
    let table = page.find("region", "Figures of the designs")?;
    page.browser.run("arguments[0].focus()", json!([table.as_argument()]))?;
    let left = || page.browser.run("return arguments[0].scrollLeft", json!([table.as_argument()]));
    same("the first column", left()?, json!(0))?;
    page.browser.press(&["ArrowRight"])?;
    page.until("it scrolls", || Ok(left()?.as_f64() > Some(0.0)))
}
