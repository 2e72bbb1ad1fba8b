//! Profiles of users: events become profiles, a strategy changes all of them, and a user is forgotten.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{PHONE, Page, WIDE, same};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "profiles: a key without users says what to do, and its fix leads to profiles", run: makes_profiles },
    Test { name: "profiles: a strategy is changed, all profiles follow, and Undo takes it back", run: changes_the_strategy },
    Test { name: "profiles: an event that arrives twice counts once, and a user is forgotten", run: forgets },
    Test { name: "profiles: narrow is measured against wide, and charts and figures are saved", run: runs_the_experiment },
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
    // Another layout of the page begins again.
    page.browser.resize(PHONE.0, PHONE.1)?;
    page.click("button", "Let events arrive")?;
    page.until_text("The shop for this user")?;
    page.check_accessible("profiles on a phone")?;
    page.browser.resize(WIDE.0, WIDE.1)?;
    page.click("button", "Let events arrive")?;
    page.until_text("2,000 / 2,000")?;
    page.until("the profile is there", || Ok(scores(page)?.as_array().is_some_and(|scores| !scores.is_empty())))?;
    // The same with other cells.
    let before = scores(page)?;
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
