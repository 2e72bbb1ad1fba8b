//! The examples: each one opens at the beginning of its panes and says what to look at.

use serde_json::json;
use tabletop_tests::browser::Result;
use tabletop_tests::page::{Page, same};

use super::run::Test;
use super::share::{link, location, visit};

pub const TESTS: &[Test] = &[
    Test { name: "examples: each one opens, and says what to look at", run: opens_examples },
    Test {
        name: "examples: one opens at the beginning of its panes",
        run: opens_an_example_at_its_beginning,
    },
];

/// Returns the titles of all examples, and their texts.
fn examples(page: &Page) -> Result<Vec<[String; 2]>> {
    let read = "return [...document.querySelectorAll('.examples li')].map(each =>
        [each.querySelector('button').textContent, each.querySelector('p').textContent])";
    let found = page.browser.run(read, json!([]))?;
    serde_json::from_value(found).map_err(|error| error.to_string())
}

fn opens_examples(page: &Page) -> Result<()> {
    page.click("button", "Examples")?;
    page.until("there are examples", || Ok(!examples(page)?.is_empty()))?;
    page.check_accessible("the examples")?;
    let all = examples(page)?;
    same("examples", all.len(), 31)?;
    for (at, [title, about]) in all.iter().enumerate() {
        if at > 0 {
            page.click("button", "Examples")?;
        }
        page.click("button", title)?;
        page.until_text(about)?;
        page.until("the engine has it", || {
            Ok(page.api("(await tabletop.workspace()).name")? == json!(title))
        })?;
        let designs = page.api("(await tabletop.workspace()).designs.length")?.as_u64().unwrap_or(0);
        let has_traffic = page.api("(await tabletop.workspace()).traffic !== null")? == json!(true);
        let has_strategy = page.api("(await tabletop.workspace()).strategy !== null")? == json!(true);
        let view = match designs {
            _ if has_traffic => "?view=traffic",
            _ if has_strategy => "?view=profiles",
            0 | 1 => "",
            _ => "?view=compare",
        };
        same("the view", location(page, "search")?, json!(view))?;
        // Its text is about all events, or about a simulation that begins with all of them.
        if has_traffic {
            let drawn = "return document.querySelector('.heat-plane .heat-empty') === null && document.querySelector('.heat-plane') !== null";
            page.until("it is simulated", || Ok(page.browser.run(drawn, json!([]))? == json!(true)))?;
        } else if has_strategy {
            // Profiles use the events of the source, not only those that have arrived in the table.
            page.until_text("Narrow against wide")?;
        } else {
            page.until_all_arrived()?;
        }
        let read =
            "(await tabletop.read(0, { rows: (await tabletop.workspace()).query.rows })).rows.length > 0";
        page.until("its query returns rows", || Ok(page.api(read)? == json!(true)))?;
        follow_places(page, title)?;
    }
    page.check_accessible("the note on an example")?;
    page.click("button", "Close this note")?;
    page.until("the note is closed", || Ok(!page.visible_text()?.contains(&all[all.len() - 1][1])))?;
    // The note is part of a link to the example.
    page.click("button", "Undo")?;
    page.until_text(&all[all.len() - 2][1])?;
    let link = link(page)?;
    page.forget(&[("prefers-reduced-motion", "reduce")])?;
    visit(page, &link)?;
    page.until_text(&all[all.len() - 2][1])
}

/// Presses each phrase of a note that points at a part of the page, and waits until that part is on
/// the screen with the focus.
fn follow_places(page: &Page, title: &str) -> Result<()> {
    let count = page
        .browser
        .run("return document.querySelectorAll('.example-place').length", json!([]))?
        .as_u64()
        .unwrap_or(0);
    same(&format!("{title}: it points at something"), count > 0, true)?;
    for at in 0..count {
        // The ring disappears after some seconds, so the page itself waits for it.
        let press = "document.querySelector('[data-pointed]')?.removeAttribute('data-pointed');
            document.activeElement.blur();
            const phrase = document.querySelectorAll('.example-place')[arguments[0]];
            phrase.click();
            for (const end = performance.now() + 15000; performance.now() < end;) {
                const part = document.querySelector('[data-pointed]');
                if (part !== null && part === document.activeElement) {
                    const { top, bottom, height } = part.getBoundingClientRect();
                    if (height > 0 && top < innerHeight && bottom > 0) { return [phrase.textContent, true]; }
                }
                await new Promise(requestAnimationFrame);
            }
            return [phrase.textContent, false]";
        let pointed = page.browser.run(press, json!([at]))?;
        same(&format!("{title}: {} is pointed at", pointed[0]), &pointed[1], &json!(true))?;
    }
    Ok(())
}

fn opens_an_example_at_its_beginning(page: &Page) -> Result<()> {
    page.browser.resize(1280, 600)?;
    page.click("button", "Examples")?;
    page.click("button", "Twitter's three row keys")?;
    page.until_all_arrived()?;
    let scrolled = |pane: &str, to: u32| {
        let scroll = "const pane = document.querySelector(arguments[0]); pane.scrollTop = arguments[1]; return pane.scrollTop";
        page.browser.run(scroll, json!([pane, to]))
    };
    for pane in [".centre.view", ".side"] {
        same(&format!("{pane} can be scrolled"), scrolled(pane, 150)?, json!(150))?;
    }
    page.click("button", "Examples")?;
    page.click("button", "Index tables and counters")?;
    page.until("the engine has it", || {
        Ok(page.api("(await tabletop.workspace()).name")? == json!("Index tables and counters"))
    })?;
    let tops = "return ['.centre.view', '.side'].map(pane => document.querySelector(pane)?.scrollTop ?? 0)";
    same("the places of the panes", page.browser.run(tops, json!([]))?, json!([0, 0]))
}
