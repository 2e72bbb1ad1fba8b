//! Profiles of users: they are computed from events, a strategy changes all of them, a user is
//! forgotten, and a table is migrated.

pub mod sections;

use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{PHONE, Page, WIDE, same};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test {
        name: "profiles: a key without users says what to do, and its fix leads to profiles",
        run: makes_profiles,
    },
    Test {
        name: "profiles: narrow is measured against wide, and charts and figures are saved",
        run: runs_the_experiment,
    },
    Test {
        name: "profiles: a migration during a stream resumes after a reload at each step, and is undone",
        run: migrates,
    },
];

/// Opens the view with some events.
pub fn open_with_few(page: &Page) -> Result<()> {
    let few = "(async () => { const workspace = await tabletop.workspace();
        workspace.source = { generated: { ...workspace.source.generated, events: 2000 } };
        await tabletop.open(workspace); return null; })()";
    page.api(few)?;
    page.click("link", "Profiles")
}

/// Opens the view with some events, and moves the user to the front of the key, as the page itself
/// recommends.
fn open(page: &Page) -> Result<()> {
    open_with_few(page)?;
    page.until_text("Put app and user first in the key")?;
    page.click("button", "Put app and user first in the key")?;
    // Nothing moves by itself in these tests.
    page.click("button", "Play events")?;
    page.until_text("2,000 / 2,000")
}

/// Returns the scores on the screen, as texts.
fn scores(page: &Page) -> Result<Value> {
    page.browser.run(
        "return [...document.querySelectorAll('.profiles-scores > li')].map(line => line.innerText)",
        json!([]),
    )
}

fn makes_profiles(page: &Page) -> Result<()> {
    open(page)?;
    page.until("a profile has scores", || {
        Ok(scores(page)?.as_array().is_some_and(|scores| !scores.is_empty()))
    })?;
    page.until_text("One profile reads")?;
    page.check_accessible_in_both_themes("profiles")?;
    press_both(page, "Recompute all", "Interrupt")?;
    page.find("button", "Resume")?;
    page.check_accessible("a batch that was interrupted")?;
    // The view continues in another layout of the page.
    let before = scores(page)?;
    let mark = "return document.querySelector('.profiles').goes_on ??= arguments[0]";
    page.browser.run(mark, json!(["as it was"]))?;
    for (size, layout) in
        [(PHONE, ".single .profiles"), (WIDE, ".workbench .profiles"), (PHONE, ".single .profiles")]
    {
        page.browser.resize(size.0, size.1)?;
        page.until(&format!("the page has {layout}"), || {
            Ok(page.browser.run("return document.querySelector(arguments[0]) !== null", json!([layout]))?
                == json!(true))
        })?;
        same("the view", page.browser.run(mark, json!(["another one"]))?, json!("as it was"))?;
        page.until_text("2,000 / 2,000")?;
        same("the profile", scores(page)?, before.clone())?;
    }
    page.until_text("The shop for this user")?;
    page.check_accessible("profiles on a phone")?;
    page.browser.resize(WIDE.0, WIDE.1)?;
    // The same with other cells.
    page.click("radio", "Wide")?;
    page.until_text("2,000 / 2,000")?;
    page.until("the wide layout gives the same profile", || Ok(scores(page)? == before))?;
    // A slider is moved by a key, and the number next to it follows.
    page.browser.by_css(".profiles-strategy-scores > summary")?.click()?;
    let slider = page.find("slider", "Score of color")?;
    let score: u32 = slider.value()?.parse().map_err(|_| "the slider has a number")?;
    page.browser.run("arguments[0].focus()", json!([slider.as_argument()]))?;
    page.browser.press(&["ArrowLeft"])?;
    page.until_value("Score of color as a number", &(score - 1).to_string())?;
    page.until("all profiles change", || Ok(scores(page)? != before))
}

/// Presses a button, and then another one as soon as it can be pressed: before the worker answers
/// the first one, which the second may end.
fn press_both(page: &Page, first: &str, second: &str) -> Result<()> {
    page.until(&format!("\"{first}\" can be pressed"), || {
        Ok(page.find("button", first)?.property("disabled")? == json!(false))
    })?;
    let press = "const named = name => [...document.querySelectorAll('.profiles button')]
            .find(button => button.textContent.trim() === name && !button.disabled);
        const [first, second] = arguments, all = { subtree: true, childList: true, characterData: true, attributes: true };
        new MutationObserver((_, observer) => {
            const button = named(second);
            if (button) { observer.disconnect(); button.click(); }
        }).observe(document.querySelector('.profiles'), all);
        named(first)?.click()";
    page.browser.run(press, json!([first, second])).map(drop)
}

/// Measures with few repetitions, which would only take longer, and with as many sizes as an
/// extrapolation needs.
fn runs_the_experiment(page: &Page) -> Result<()> {
    open(page)?;
    page.click("tab", "Narrow against wide")?;
    for (name, value) in [("Facets requested", "2"), ("Sizes", "4"), ("Rounds", "1")] {
        page.fill(name, value)?;
        page.browser.press(&["Enter"])?;
    }
    page.click("button", "Run the experiment")?;
    // On a busy machine the times may scatter too much to be extrapolated.
    page.until_text("(R\u{b2} = ")?;
    let drawn = page.browser.run(
        "return [...document.querySelectorAll('.experiment-chart svg[role=img]')].map(svg => ['circle', 'rect'].map(shape => svg.querySelectorAll(shape).length))",
        json!([]),
    )?;
    // Points and rectangles: three designs with four sizes, two designs against the first for each
    // number of facets, three designs for each number of facets, and three bars. Each design also
    // has a rectangle in the legend.
    same("points and bars of the charts", drawn, json!([[12, 3], [24, 2], [36, 3], [0, 6]]))?;
    page.until_text("The article: wide is 3 times faster than narrow.")?;
    page.click("checkbox", "Add a network")?;
    page.field("Round trip (ms)")?;
    page.check_accessible("the experiment with a network")?;
    let keep = "const address = URL.createObjectURL.bind(URL);
        URL.createObjectURL = blob => { window.offered = blob; return address(blob); };
        HTMLAnchorElement.prototype.click = function () { window.file = this.download; };";
    page.browser.run(keep, json!([]))?;
    let files = [
        ("PNG of: Batch time, 2 facets requested", "tabletop-experiment-1.png", "PNG"),
        ("SVG of: Batch time, 2 facets requested", "tabletop-experiment-1.svg", "fitted line</text>"),
        ("CSV of all runs", "tabletop-experiment.csv", "wide,2000,2,"),
    ];
    for (button, file, part) in files {
        page.click("button", button)?;
        page.until(&format!("{file} is offered"), || {
            Ok(page.browser.run("return window.file", json!([]))? == json!(file))
        })?;
        let text = page.browser.run("return await window.offered.text()", json!([]))?;
        if !text.as_str().unwrap_or_default().contains(part) {
            return Err(format!("{file} has no {part:?}: {text}"));
        }
    }
    // Figures of other events are outdated.
    page.api(
        "(async () => { const workspace = await tabletop.workspace(); workspace.source.generated.events = 1000;
        await tabletop.open(workspace); return null; })()",
    )?;
    page.until("the figures have disappeared", || {
        Ok(page.browser.run("return document.querySelectorAll('.experiment-chart').length", json!([]))?
            == json!(0))
    })
}

pub const BOTH_WRITTEN: &str = "Both tables are written. Older events are in the old one only.";
const EQUAL: &str = "Both tables hold the same events. Reads are from the old one.";
pub const SWITCHED: &str = "Reads are from the new table. Both are written.";
const COMPLETE: &str = "The migration is complete: only the new table is left.";

/// Waits until a button can be pressed, and presses it.
pub fn press(page: &Page, name: &str) -> Result<()> {
    page.until(&format!("\"{name}\" can be pressed"), || {
        Ok(page.find("button", name)?.property("disabled")? == json!(false))
    })?;
    page.click("button", name)
}

/// Waits for a text that takes longer to appear than after a click.
pub fn until_at_last(page: &Page, text: &str) -> Result<()> {
    page.until_text(text).or_else(|_| page.until_text(text)).or_else(|_| page.until_text(text))
}

/// Copies events during the stream, and compares them without it: on a machine that is busy with
/// other tests, the stream may arrive faster than events are compared. The page says so.
fn backfill(page: &Page) -> Result<()> {
    press(page, "Backfill")?;
    let copied =
        "return /[1-9][\\d,]* events copied/.test(document.querySelector('.migration-steps').innerText)";
    page.until("events are copied", || Ok(page.browser.run(copied, json!([]))? == json!(true)))?;
    press(page, "Pause the stream")?;
    until_equal(page)
}

/// Waits until both tables were copied and compared.
pub fn until_equal(page: &Page) -> Result<()> {
    until_at_last(page, EQUAL)
}

fn migrates(page: &Page) -> Result<()> {
    open_with_few(page)?;
    page.click("tab", "The migration, live")?;
    press(page, "Start with the old table")?;
    page.until_text("Both tables and the current step are stored in this browser")?;
    press(page, "Start the stream")?;
    press(page, "Write to both tables")?;
    page.until_text(BOTH_WRITTEN)?;
    // The button has disappeared, so the focus is on the next one.
    until_in_sight(page, ".migration-steps > .now")?;
    let profiles = page.at(format!("{}?view=profiles", page.url()));
    let reload = |stage: &str| {
        profiles.reopen()?;
        page.click("tab", "The migration, live")?;
        page.until_text("Resumed from an earlier visit.")?;
        page.until_text(stage)
    };
    reload(BOTH_WRITTEN)?;
    press(page, "Start the stream")?;
    backfill(page)?;
    page.until_text("No differences:")?;
    reload(EQUAL)?;
    press(page, "Read from the new table")?;
    page.until_text(SWITCHED)?;
    reload(SWITCHED)?;
    press(page, "Drop the old table")?;
    page.until_text(COMPLETE)?;
    reload(COMPLETE)?;
    // The page asks first, and the user can decide to keep the tables.
    press(page, "Remove both tables")?;
    page.until_text("Remove permanently")?;
    page.check_accessible("the question whether both tables are removed")?;
    press(page, "Keep")?;
    page.until_text(COMPLETE)?;
    press(page, "Remove both tables")?;
    press(page, "Remove permanently")?;
    press(page, "Start with the old table")?;
    press(page, "Write to both tables")?;
    press_both(page, "Backfill", "Pause the backfill")?;
    page.find("button", "Resume the backfill")?;
    page.check_accessible("a backfill that was paused")?;
    press(page, "Undo the migration")?;
    page.until_text("Only the old table is written.")?;
    page.check_accessible("a migration that was undone")?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.check_accessible("a migration on a phone")
}

/// Returns the number of events that have arrived in the migration's stream.
pub fn arrived(page: &Page) -> Result<Option<u64>> {
    let read = "const terms = [...document.querySelectorAll('.profiles-migration dt')];
        const term = terms.find(term => term.textContent === 'Events arrived');
        return Number(term.nextElementSibling.textContent.replaceAll(',', ''))";
    page.browser.run(read, json!([])).map(|number| number.as_u64())
}

/// Waits until a part of the page has the focus and is on the screen.
fn until_in_sight(page: &Page, selector: &str) -> Result<()> {
    let is_in_sight = "const part = document.querySelector(arguments[0]);
        if (part === null || part !== document.activeElement) { return false; }
        const { top, bottom, height } = part.getBoundingClientRect();
        return height > 0 && top < innerHeight && bottom > 0";
    page.until(&format!("{selector} is in sight"), || {
        Ok(page.browser.run(is_in_sight, json!([selector]))? == json!(true))
    })
}
