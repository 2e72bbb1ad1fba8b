//! The timeline: going back and forward, playing by a key, positions in links, and manual writes in
//! the past.

use serde_json::{Value, json};
use tabletop_tests::browser::{Element, Result};
use tabletop_tests::page::{PHONE, Page, Pane, same};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "timeline: the way back and forward ends at the same tablets", run: goes_back_and_forward },
    Test {
        name: "timeline: a space and a dot play and pause, outside of what uses them",
        run: plays_by_a_key,
    },
    Test { name: "timeline: a link and a reload open at the position", run: opens_at_the_position },
    Test {
        name: "timeline: manual writes stay after a reload, and with their workspace",
        run: reloads_writes,
    },
    Test { name: "timeline: it fits a small phone, and moves nothing when it appears", run: fits },
];

fn slider<'a>(page: &Page<'a>) -> Result<Element<'a>> {
    page.find("slider", "Position in the events")
}

/// Waits until the table has this number of events.
fn until_at(page: &Page, events: u32) -> Result<()> {
    let thousands = match (events / 1_000, events % 1_000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{thousands},{rest:03}"),
    };
    page.until_text(&format!("{thousands} of 20,000 events"))
}

/// Returns the start key of each tablet.
fn tablets(page: &Page) -> Result<Value> {
    page.api("(await tabletop.tablets(0)).tablets.map(({ start }) => start)")
}

fn goes_back_and_forward(page: &Page) -> Result<()> {
    let all = tablets(page)?;
    slider(page)?.click()?;
    page.until("the middle of the slider is the middle of the events", || {
        let at = slider(page)?.value()?.parse::<u32>().map_err(|error| error.to_string())?;
        Ok((9_500..10_500).contains(&at))
    })?;
    page.click("button", "Simulation settings")?;
    page.until_text("Last event: 2019-05-28T")?;
    slider(page)?.click()?;
    page.browser.press(&["Home"])?;
    until_at(page, 0)?;
    same("tablets without events", tablets(page)?.as_array().map(Vec::len), Some(1))?;
    page.browser.press(&["PageUp", "PageUp", "ArrowRight"])?;
    until_at(page, 21 * 192)?;
    let earlier = tablets(page)?;
    same(
        "the position in words",
        slider(page)?.attribute("aria-valuetext")?.starts_with("4,032 of 20,000 events, 2019-05-28T"),
        true,
    )?;
    page.browser.press(&["End"])?;
    until_at(page, 20_000)?;
    page.until("the tablets of all events", || same("they", tablets(page)?, all.clone()).map(|()| true))?;
    for _ in 0..9 {
        page.browser.press(&["PageDown"])?;
    }
    until_at(page, 20_000 - 90 * 192)?;
    page.browser.press(&["Home", "PageUp", "PageUp", "ArrowRight"])?;
    until_at(page, 21 * 192)?;
    same("the tablets of before", tablets(page)?, earlier)?;
    page.check_accessible("the timeline")?;
    // The list of all actions goes to splits, too.
    page.browser.press(&["Control+k"])?;
    page.fill("Find an action", "previous split")?;
    page.browser.press(&["Enter"])?;
    page.until("an earlier split is shown", || {
        Ok(slider(page)?.value()?.parse::<u32>().is_ok_and(|at| (1..21 * 192).contains(&at)))
    })
}

fn plays_by_a_key(page: &Page) -> Result<()> {
    page.find("slider", "Position in the events")?;
    page.browser.run("document.activeElement.blur()", json!([]))?;
    page.browser.press(&["Space"])?;
    page.find("button", "Pause")?;
    page.browser.press(&["."])?;
    page.find("button", "Play")?;
    page.until("it has begun at the first event", || {
        Ok(slider(page)?.value()?.parse::<u32>().is_ok_and(|at| at < 19_000))
    })?;
    let paused = slider(page)?.value()?;
    // Buttons and text fields use these keys themselves.
    page.fill("Row key template", "{user_token}")?;
    page.browser.press(&["Space", "."])?;
    page.until_value("Row key template", "{user_token} .")?;
    same("nothing plays", page.browser.all_by_role("button", "Pause")?.len(), 0)?;
    same("nothing has moved", slider(page)?.value()?, paused)?;
    page.browser.run("document.activeElement.blur()", json!([]))?;
    page.browser.press(&["?"])?;
    page.until_text("Play and pause the events")?;
    let single = page.find_named("checkbox", "Keys without Ctrl or Alt")?;
    single.click()?;
    page.click("button", "Close")?;
    page.browser.run("document.activeElement.blur()", json!([]))?;
    page.browser.press(&["Space"])?;
    same("nothing plays", page.browser.all_by_role("button", "Pause")?.len(), 0)
}

fn opens_at_the_position(page: &Page) -> Result<()> {
    page.click("button", "Simulation settings")?;
    page.click("button", "Step back")?;
    slider(page)?.click()?;
    page.browser.press(&["Home", "PageUp", "PageUp"])?;
    until_at(page, 3_840)?;
    page.until("the workspace has the position", || {
        same("its position", page.api("(await tabletop.workspace()).arrived")?, json!(3_840)).map(|()| true)
    })?;
    same(
        "a position is no step of the history",
        page.find("button", "Undo")?.attribute("disabled")?.is_empty(),
        false,
    )?;
    page.click("button", "Share")?;
    let link = page.field("Link")?.value()?;
    page.reopen()?;
    until_at(page, 3_840)?;

    page.forget(&[("prefers-reduced-motion", "no-preference")])?;
    page.browser.open("about:blank")?;
    page.at(link).reopen()?;
    until_at(page, 3_840)?;
    page.find("button", "Play")?;
    page.until_text("3,840 of 20,000 events")?;
    // An example with the same events begins with all of them.
    page.click("button", "Examples")?;
    page.click("button", "Algolia, wide")?;
    until_at(page, 20_000)
}

fn reloads_writes(page: &Page) -> Result<()> {
    let has = |row: &str| -> Result<bool> {
        let read = format!("(await tabletop.read(0, {{ rows: {{ prefix: '{row}' }} }})).rows.length");
        Ok(page.api(&read)? == json!(1))
    };
    let write = |row: &str| -> Result<()> {
        page.fill("Shell command", &format!("set design-1 {row} view:hand=1"))?;
        page.browser.press(&["Enter"])?;
        page.until("the row is there", || has(row))
    };
    let is_kept = |count: usize| {
        let read = "return Object.keys(localStorage).filter(name => name.includes('writes')).map(name => JSON.parse(localStorage[name]).designs.flatMap(of => of.writes).length)";
        page.until(&format!("{count} are kept"), || Ok(page.browser.run(read, json!([]))? == json!([count])))
    };
    slider(page)?;
    page.browser.press(&["Control+`"])?;
    for row in ["zz-one", "zz-two", "zz-three"] {
        write(row)?;
    }
    page.click("button", "Undo")?;
    page.until("the third is undone", || Ok(!has("zz-three")?))?;
    is_kept(2)?;
    page.fill("Row key template", "{user_token}")?;
    page.until_text("2 manual writes are shelved: made for another row key or layout. Undo restores them.")?;
    page.check_accessible("writes that are shelved")?;
    page.click("button", "Undo")?;
    page.until("they are back", || Ok(has("zz-one")? && has("zz-two")?))?;
    is_kept(2)?;
    page.reopen()?;
    page.until("the others are there after a reload", || {
        Ok(has("zz-one")? && has("zz-two")? && !has("zz-three")?)
    })?;
    same("they are no steps", page.find("button", "Undo")?.property("disabled")?, json!(true))?;
    // A name of the design that is given later is known, too.
    page.api("tabletop.design(0, { name: 'Shop' })")?;
    page.browser.press(&["Control+`"])?;
    page.until("the shell is open", || {
        Ok(!page.browser.all_by_role("textbox", "Shell command")?.is_empty())
    })?;
    page.fill("Shell command", "set shop zz-four view:hand=1")?;
    page.browser.press(&["Enter"])?;
    page.until("the row is there", || has("zz-four"))?;
    is_kept(3)?;
    page.reopen()?;
    page.until("all are there after another reload", || {
        Ok(has("zz-one")? && has("zz-two")? && has("zz-four")?)
    })?;
    // Another workspace has none, and the first one has them again when it is reopened.
    let open_list = || -> Result<()> {
        page.click("button", "Menu")?;
        page.click("menuitem", "Workspaces…")
    };
    open_list()?;
    page.click("button", "New workspace")?;
    page.until("another workspace has no manual writes", || Ok(!has("zz-one")?))?;
    open_list()?;
    page.find("group", "Open Untitled")?.by_role("button", "Open")?.click()?;
    page.until("they are there again", || Ok(has("zz-one")? && has("zz-four")?))?;
    // Data that cannot be read is reported, and the page has everything else.
    let damage = "for (const store of [localStorage, sessionStorage])
        for (const name of Object.keys(store)) if (name.includes('writes')) store[name] = store[name].replace('designs', 'desigos')";
    page.browser.run(damage, json!([]))?;
    page.reopen()?;
    page.until_text("the manual writes stored in this browser cannot be read")?;
    page.until("the events are there, and no manual write", || {
        Ok(page.visible_text()?.contains("20,000 of 20,000") && !has("zz-one")?)
    })
}

fn fits(page: &Page) -> Result<()> {
    for size in [(320, 640), PHONE] {
        page.first_visit(size)?;
        page.open_pane(Pane::Tablets)?;
        slider(page)?;
        let room = "const filled = document.querySelector('.timeline');
            const box = filled.getBoundingClientRect();
            const right = Math.max(...[...filled.querySelectorAll('*')].map(each => each.getBoundingClientRect().right));
            const empty = filled.cloneNode(false);
            filled.after(empty);
            const { height } = empty.getBoundingClientRect();
            empty.remove();
            return [Math.abs(height - box.height) < 1, right <= innerWidth, document.documentElement.scrollWidth <= innerWidth];";
        same(
            "height before, width of the content, of the page",
            page.browser.run(room, json!([]))?,
            json!([true, true, true]),
        )?;
    }
    Ok(())
}
