//! Profiles of users: events become profiles, a strategy changes all of them, a user is forgotten, and a table is migrated.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{PHONE, Page, WIDE, same};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "profiles: a key without users says what to do, and its fix leads to profiles", run: makes_profiles },
    Test { name: "profiles: a strategy is changed, all profiles follow, and Undo takes it back", run: changes_the_strategy },
    Test { name: "profiles: an event that arrives twice counts once, and a user is forgotten", run: forgets },
    Test { name: "profiles: narrow is measured against wide, and charts and figures are saved", run: runs_the_experiment },
    Test { name: "profiles: a migration beside a stream goes on after a reload at each step", run: migrates },
    Test { name: "profiles: a migration is undone, and tried again", run: undoes_a_migration },
];

/// Opens the view with some events, and puts users first in the key by the page's own advice.
fn open(page: &Page) -> Result<()> {
    let few = "(async () => { const workspace = await tabletop.workspace();
        workspace.source = { generated: { ...workspace.source.generated, events: 2000 } };
        await tabletop.open(workspace); return null; })()";
    page.api(few)?;
    page.click("link", "Profiles")?;
    page.until_text("Put app and user first in the key")?;
    page.click("button", "Put app and user first in the key")?;
    // Nothing moves by itself in these tests.
    page.click("button", "Let events arrive")?;
    page.until_text("2,000 / 2,000")
}

/// Returns the scores on the screen, as texts.
fn scores(page: &Page) -> Result<Value> {
    page.browser.run("return [...document.querySelectorAll('.profiles-scores > li')].map(line => line.innerText)", json!([]))
}

fn items(page: &Page) -> Result<Value> {
    page.browser.run("return [...document.querySelectorAll('.profiles-items .name')].map(name => name.textContent)", json!([]))
}

fn makes_profiles(page: &Page) -> Result<()> {
    open(page)?;
    page.until("a profile has scores", || Ok(scores(page)?.as_array().is_some_and(|scores| !scores.is_empty())))?;
    page.until_text("One profile reads")?;
    page.check_accessible("profiles")?;
    // The view goes on in another layout of the page.
    let before = scores(page)?;
    let mark = "return document.querySelector('.profiles').goes_on ??= arguments[0]";
    page.browser.run(mark, json!(["as it was"]))?;
    for (size, layout) in [(PHONE, ".single .profiles"), (WIDE, ".workbench .profiles"), (PHONE, ".single .profiles")] {
        page.browser.resize(size.0, size.1)?;
        page.until(&format!("the page has {layout}"), || {
            Ok(page.browser.run("return document.querySelector(arguments[0]) !== null", json!([layout]))? == json!(true))
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
    page.until("the wide layout gives the same profile", || Ok(scores(page)? == before))
}

fn changes_the_strategy(page: &Page) -> Result<()> {
    open(page)?;
    page.until("a profile has scores", || Ok(scores(page)?.as_array().is_some_and(|scores| !scores.is_empty())))?;
    let (before, items_before) = (scores(page)?, items(page)?);
    page.fill("Score of brand as a number", "0")?;
    page.browser.press(&["Enter"])?;
    page.until_text("done")?;
    page.until("no brand counts", || Ok(!scores(page)?.to_string().contains("brand:")))?;
    page.until("the shop has another order", || Ok(items(page)? != items_before))?;
    page.until("the score is in the workspace", || {
        let facets = page.api("(await tabletop.workspace()).strategy.facets.map(facet => facet.facet)")?;
        Ok(!facets.to_string().contains("brand"))
    })?;
    page.click("button", "Undo")?;
    page.until("the profile is as before", || Ok(scores(page)? == before))
}

fn forgets(page: &Page) -> Result<()> {
    open(page)?;
    page.until("a profile has scores", || Ok(scores(page)?.as_array().is_some_and(|scores| !scores.is_empty())))?;
    let before = scores(page)?;
    page.click("button", "Last event arrives again")?;
    page.click("button", "Forget this user")?;
    page.until_text("removed. A read of the same rows returns 0.")?;
    page.until_text("No profile: no event of this user counts.")?;
    same("scores of nobody", scores(page)?, json!([]))?;
    // Others have theirs; from the start, so has this one.
    page.click("button", "Begin again with empty tables")?;
    page.until("the events made the same profile", || Ok(scores(page)? == before))
}

/// Measures with few repetitions; more of them take longer, and nothing else.
fn runs_the_experiment(page: &Page) -> Result<()> {
    open(page)?;
    for (name, value) in [("Facets asked for", "2"), ("Sizes", "2"), ("Rounds", "1")] {
        page.fill(name, value)?;
        page.browser.press(&["Enter"])?;
    }
    page.click("button", "Run the experiment")?;
    page.until_text("9.0e9 events would take")?;
    let drawn = page.browser.run(
        "return [...document.querySelectorAll('.experiment-chart svg[role=img]')].map(svg => svg.querySelectorAll('circle, rect').length > 6)",
        json!([]),
    )?;
    same("charts with curves or bars", drawn, json!([true, true, true, true]))?;
    page.until_text("The article: wide is 3 times faster than narrow.")?;
    page.check_accessible("the experiment")?;
    let keep = "const address = URL.createObjectURL.bind(URL);
        URL.createObjectURL = blob => { window.offered = blob; return address(blob); };
        HTMLAnchorElement.prototype.click = function () { window.file = this.download; };";
    page.browser.run(keep, json!([]))?;
    let files = [
        ("PNG of: Time of the batch, 2 facets asked for", "tabletop-experiment-1.png", "PNG"),
        ("SVG of: Time of the batch, 2 facets asked for", "tabletop-experiment-1.svg", "the fitted line</text>"),
        ("CSV of all runs", "tabletop-experiment.csv", "wide,2000,2,"),
    ];
    for (button, file, part) in files {
        page.click("button", button)?;
        page.until(&format!("{file} is offered"), || Ok(page.browser.run("return window.file", json!([]))? == json!(file)))?;
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
    page.until("the figures are gone", || {
        Ok(page.browser.run("return document.querySelectorAll('.experiment-chart').length", json!([]))? == json!(0))
    })
}

const BOTH_WRITTEN: &str = "Both tables are written. Older events are in the old one only.";
const EQUAL: &str = "Both tables hold the same events. Reads are from the old one.";
const SWITCHED: &str = "Reads are from the new table. Both are written.";
const COMPLETE: &str = "The migration is complete: only the new table is left.";

/// Waits until a button can be pressed, and presses it.
fn press(page: &Page, name: &str) -> Result<()> {
    page.until(&format!("\"{name}\" can be pressed"), || Ok(page.find("button", name)?.property("disabled")? == json!(false)))?;
    page.click("button", name)
}

/// Waits until both tables were copied and compared, which takes longer than a click.
fn until_equal(page: &Page) -> Result<()> {
    page.until_text(EQUAL).or_else(|_| page.until_text(EQUAL)).or_else(|_| page.until_text(EQUAL))
}

fn migrates(page: &Page) -> Result<()> {
    page.click("link", "Profiles")?;
    press(page, "Begin with the old table")?;
    page.until_text("Both tables and the step are in this browser's storage")?;
    press(page, "Start the stream")?;
    press(page, "Write into both tables")?;
    page.until_text(BOTH_WRITTEN)?;
    let profiles = page.at(format!("{}?view=profiles", page.url()));
    let reload = |stage: &str| {
        profiles.reopen()?;
        page.until_text("An earlier visit has begun this.")?;
        page.until_text(stage)
    };
    reload(BOTH_WRITTEN)?;
    press(page, "Start the stream")?;
    press(page, "Backfill")?;
    until_equal(page)?;
    page.until_text("No difference:")?;
    press(page, "Pause the stream")?;
    reload(EQUAL)?;
    press(page, "Read from the new table")?;
    page.until_text(SWITCHED)?;
    reload(SWITCHED)?;
    press(page, "Drop the old table")?;
    page.until_text(COMPLETE)?;
    reload(COMPLETE)?;
    press(page, "Remove both tables")?;
    page.find("button", "Begin with the old table").map(drop)
}

fn undoes_a_migration(page: &Page) -> Result<()> {
    page.click("link", "Profiles")?;
    press(page, "Begin with the old table")?;
    press(page, "Write into both tables")?;
    press(page, "Backfill")?;
    press(page, "Undo the migration")?;
    page.until_text("Only the old table is written.")?;
    page.check_accessible("a migration that was undone")?;
    press(page, "Write into both tables")?;
    press(page, "Backfill")?;
    until_equal(page)?;
    press(page, "Read from the new table")?;
    page.until_text(SWITCHED)?;
    press(page, "Read from the old table again")?;
    page.until_text(EQUAL)?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.check_accessible("a migration on a phone")
}
