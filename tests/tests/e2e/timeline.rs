//! The timeline: going back and forward, playing by a key, positions in links, and manual writes in
//! the past.

use serde_json::{Value, json};
use tabletop_tests::browser::{Element, Result};
use tabletop_tests::page::{PHONE, Page, Pane, same};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "timeline: the way back and forward ends at the same tablets", run: goes_back_and_forward },
    Test { name: "timeline: steps, and from split to split", run: steps },
    Test {
        name: "timeline: a space and a dot play and pause, outside of what uses them",
        run: plays_by_a_key,
    },
    Test { name: "timeline: a link and a reload open at the position", run: opens_at_the_position },
    Test { name: "timeline: a manual write stays at its position", run: keeps_writes },
    Test {
        name: "timeline: manual writes stay after a reload, and with their workspace",
        run: reloads_writes,
    },
    Test {
        name: "timeline: manual writes that an edit shelves are reported, and undo restores them",
        run: sets_writes_aside,
    },
    Test {
        name: "timeline: tablets that the user has emptied are merged, and marks show when",
        run: marks_merges,
    },
    Test { name: "timeline: events are played at their own times", run: plays_at_own_times },
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
    page.until_text("Last event: 2019-05-28T")?;
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
    page.check_accessible("the timeline")
}

fn steps(page: &Page) -> Result<()> {
    page.click("button", "Step back")?;
    until_at(page, 19_968)?;
    page.click("button", "Step back")?;
    until_at(page, 19_776)?;
    page.click("button", "Step forward")?;
    until_at(page, 19_968)?;
    let count = |page: &Page| -> Result<usize> { Ok(tablets(page)?.as_array().map_or(0, Vec::len)) };
    let before = count(page)?;
    page.click("button", "Previous split")?;
    page.until("it is the moment of a split", || Ok(slider(page)?.value()? != "19968"))?;
    let split: u32 = slider(page)?.value()?.parse().map_err(|error| format!("{error}"))?;
    until_at(page, split)?;
    same("splits between", count(page)?, before)?;
    page.click("button", "Previous split")?;
    page.until("one tablet less", || Ok(count(page)? + 1 == before))?;
    page.click("button", "Next split")?;
    until_at(page, split)?;
    // The same with the list of all actions.
    page.browser.press(&["Control+k"])?;
    page.fill("Find an action", "previous split")?;
    page.browser.press(&["Enter"])?;
    page.until("one tablet less", || Ok(count(page)? + 1 == before))
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

fn keeps_writes(page: &Page) -> Result<()> {
    let has = |page: &Page, row: &str| -> Result<bool> {
        let read = format!("(await tabletop.read(0, {{ rows: {{ prefix: '{row}' }} }})).rows.length");
        Ok(page.api(&read)? == json!(1))
    };
    page.browser.press(&["Control+`"])?;
    let run = |command: &str| -> Result<()> {
        page.fill("Shell command", command)?;
        page.browser.press(&["Enter"])?;
        page.until("the command is over", || {
            Ok(page.browser.all_by_role("button", "Cancel command")?.is_empty())
        })
    };
    run("set design-1 zz-late view:hand=1")?;
    page.until("the row is there", || has(page, "zz-late"))?;
    page.until_text("manual writes at 1 point")?;
    slider(page)?.click()?;
    page.browser.press(&["Home", "PageUp"])?;
    until_at(page, 1_920)?;
    page.until_text("1 manual write is later on the timeline")?;
    same("a row that was not written yet", has(page, "zz-late")?, false)?;
    run("set design-1 zz-early view:hand=1")?;
    page.until("the row is there", || has(page, "zz-early"))?;
    slider(page)?.click()?;
    page.browser.press(&["End"])?;
    until_at(page, 20_000)?;
    page.until("both rows are there", || Ok(has(page, "zz-early")? && has(page, "zz-late")?))?;
    page.until("nothing comes later", || Ok(!page.visible_text()?.contains("comes later")))
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
        page.click("button", "Workspace")?;
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

fn sets_writes_aside(page: &Page) -> Result<()> {
    let has = |row: &str| -> Result<bool> {
        let read = format!("(await tabletop.read(0, {{ rows: {{ prefix: '{row}' }} }})).rows.length");
        Ok(page.api(&read)? == json!(1))
    };
    slider(page)?;
    page.browser.press(&["Control+`"])?;
    for row in ["zz-one", "zz-two"] {
        page.fill("Shell command", &format!("set design-1 {row} view:hand=1"))?;
        page.browser.press(&["Enter"])?;
        page.until("the row is there", || has(row))?;
    }
    page.until_text("This browser stores them; files and links do not contain them.")?;
    page.fill("Row key template", "{user_token}")?;
    page.until_text("2 manual writes are shelved: made for another row key or layout. Undo restores them.")?;
    same("a row of the other design", has("zz-one")?, false)?;
    page.check_accessible("writes that are set aside")?;
    page.click("button", "Undo")?;
    page.until("the rows are back", || Ok(has("zz-one")? && has("zz-two")?))?;
    page.until("nothing is set aside", || Ok(!page.visible_text()?.contains("shelved: made for")))?;
    // The steps before are the writes themselves.
    page.click("button", "Undo")?;
    page.until("the second is undone", || Ok(has("zz-one")? && !has("zz-two")?))?;
    page.click("button", "Undo")?;
    page.until("the first is undone", || Ok(!has("zz-one")?))?;
    page.click("button", "Redo")?;
    page.until("the first is done again", || Ok(has("zz-one")? && !has("zz-two")?))
}

/// Returns the positions of the marks of merges, in thousandths of the slider, and the legend's
/// text about them.
fn merges(page: &Page) -> Result<(Vec<u32>, String)> {
    let read = "const marks = document.querySelector('.timeline path.moment-merge').getAttribute('d').matchAll(/M(\\d+) 4V12/g);
        const said = [...document.querySelectorAll('#moments .moment-count')].map(part => part.textContent);
        return [[...marks].map(([, place]) => Number(place)), said.find(text => text.includes('merges')) ?? '']";
    serde_json::from_value(page.browser.run(read, json!([]))?).map_err(|error| error.to_string())
}

fn marks_merges(page: &Page) -> Result<()> {
    let all = tablets(page)?;
    let count = |tablets: &Value| tablets.as_array().map_or(0, Vec::len);
    let focus = || page.browser.run("arguments[0].focus()", json!([slider(page)?.as_argument()]));
    focus()?;
    page.until("no tablets were merged", || {
        same("marks", merges(page)?, (Vec::new(), String::new())).map(|()| true)
    })?;
    page.browser.press(&["Home", "PageUp", "PageUp", "PageUp", "PageUp", "PageUp"])?;
    until_at(page, 9_600)?;
    let before = count(&tablets(page)?);
    same("there are many tablets", before > 8, true)?;
    page.browser.press(&["Control+`"])?;
    page.fill("Shell command", "deleteallrows design-1")?;
    page.browser.press(&["Enter"])?;
    page.until("no row is left", || {
        Ok(page.api("(await tabletop.read(0, { rows_limit: 1 })).rows.length")? == json!(0)
            && page.browser.all_by_role("button", "Cancel command")?.is_empty())
    })?;
    focus()?;
    page.browser.press(&["End"])?;
    until_at(page, 20_000)?;
    // Most of them have not been written for ten seconds of the table's clock, the time that 2,000
    // events take, so the next batch of 32 events merges them. The last ones follow.
    page.until("the marks are after the deletion", || {
        let (places, said) = merges(page)?;
        let moments =
            said.strip_prefix("merges at ").and_then(|of| of.split(' ').next()?.parse::<usize>().ok());
        let is_told = moments.is_some_and(|moments| moments >= places.len());
        let is_after = places.first().is_some_and(|first| (481..=600).contains(first));
        if is_told && is_after { Ok(true) } else { Err(format!("{places:?} are \"{said}\"")) }
    })?;
    page.until("half of the emptied tablets are merged", || {
        Ok(count(&tablets(page)?) + before / 2 <= count(&all))
    })?;
    // One tablet, one more for each split, one less for each merge.
    page.until("tablets, splits and merges add up", || {
        let text = page
            .browser
            .run("return document.querySelector('.table-counts summary').textContent", json!([]))?;
        let of = |unit: &str| {
            let parts = || text.as_str().unwrap_or_default().split(" · ");
            let part = parts()
                .find_map(|part| part.split_once(' ').filter(|(_, of)| of.trim_end_matches('s') == unit));
            part.and_then(|(count, _)| count.parse::<i64>().ok())
        };
        let (tablets, splits, merges) = (of("tablet"), of("split"), of("merge"));
        let (Some(tablets), Some(splits), Some(merges)) = (tablets, splits, merges) else {
            return Err(format!("{text}"));
        };
        Ok(merges > 0 && tablets == 1 + splits - merges)
    })?;
    page.check_accessible("the timeline with merges")?;
    page.click("button", "Undo")?;
    page.until("the rows are back", || same("tablets", tablets(page)?, all.clone()).map(|()| true))?;
    page.until("nothing was merged", || {
        same("marks", merges(page)?, (Vec::new(), String::new())).map(|()| true)
    })
}

fn plays_at_own_times(page: &Page) -> Result<()> {
    // 900 events in one second, and 100 in the 100 seconds after it.
    page.api(
        "tabletop.load('user,at\\n' + Array.from({ length: 1000 }, (_, at) =>
            `user-${at % 7},${new Date(1700000000000 + 1000 * Math.max(0, at - 899)).toISOString()}\\n`).join(''), { name: 'burst.csv' })",
    )?;
    page.until_text("1,000 of 1,000 events")?;
    page.click("button", "Restart")?;
    let mut first = 0;
    page.until("events arrive", || {
        first = slider(page)?.value()?.parse::<u32>().map_err(|error| error.to_string())?;
        Ok(first > 0 && first < 1_000)
    })?;
    same("the burst has arrived at once", first >= 900, true)?;
    page.until_text("at the events' own times")?;
    page.click("button", "Pause")?;
    page.until("it has no own times while it stands", || {
        Ok(!page.visible_text()?.contains("at the events' own times"))
    })?;
    let paused = slider(page)?.value()?;
    page.browser.run("document.activeElement.blur()", json!([]))?;
    page.browser.press(&["."])?;
    page.until("it resumes there", || {
        let at = slider(page)?.value()?;
        Ok(at != paused && at.parse::<u32>().is_ok_and(|at| at > 900))
    })?;
    page.until_text("1,000 of 1,000 events")
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
