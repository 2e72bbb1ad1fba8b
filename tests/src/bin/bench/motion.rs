//! Measurements of what moves while the user works with the page: edits next to other designs,
//! scrolling, and going back in time. Each is also measured with page and worker slowed down four
//! times.

use std::path::Path;

use serde_json::{Value, json};
use tabletop_tests::browser::{Browser, Result};

use crate::figures::Figures;
use crate::first_load::median;
use crate::page::{EDIT, EDIT_BUDGETS, TEMPLATES, number, page};
use crate::slower::Slower;

/// Templates of the designs next to the edited one.
const OTHERS: [&str; 2] =
    ["{app_id},{user_token},{timestamp:iso}", "{salt(8)}-{timestamp:iso},{app_id},{user_token}"];
const EDITS: usize = 5;
/// Rows in the grid that is scrolled.
const ROWS: u32 = 100_000;
/// Moments that the slider moves to, as shares of the events: back and forward, near and far.
const MOMENTS: [f64; 6] = [0.5, 0.52, 0.1, 0.9, 0.88, 1.0];
/// Milliseconds of a frame at 60 frames per second, plus the two milliseconds by which a timer may
/// be late.
const FRAME: f64 = 1000.0 / 60.0 + 2.0;

/// Measures all of these.
pub fn motion(dist: &Path, figures: &mut Figures) -> Result<()> {
    // Finding and stopping the processes needs Linux.
    let speeds: &[u32] = if cfg!(target_os = "linux") { &[1, 4] } else { &[1] };
    for &slower in speeds {
        edits_next_to_other_designs(dist, slower, figures)?;
        scrolls(dist, slower, figures)?;
        scrubs(dist, slower, figures)?;
    }
    Ok(())
}

/// Measures from the input in the template's field to the repaint, in the view that compares
/// designs.
fn edits_next_to_other_designs(dist: &Path, slower: u32, figures: &mut Figures) -> Result<()> {
    let (_server, browser) = page(dist, "?view=compare")?;
    for (events, budget) in EDIT_BUDGETS {
        for others in 0..=OTHERS.len() {
            // Three designs may take twice as long.
            let budget = if others == 2 { 2.0 * budget } else { budget };
            open(&browser, events, &OTHERS[..others])?;
            let _slower = Slower::start(&browser, slower)?;
            let field = browser.by_role("textbox", "Row key template")?;
            let mut times = Vec::new();
            for edit in 0..EDITS {
                let template = TEMPLATES[(edit + 1) % 2];
                times.push(number(
                    &browser.run(EDIT, json!([field.as_argument(), template]))?,
                    "time of an edit",
                )?);
            }
            let name =
                format!("{} of {} designs, {events} events{}", "edit of one", others + 1, slowly(slower));
            figures.add("Compare", name, median(times), "ms", (slower == 1).then_some(budget));
        }
    }
    Ok(())
}

/// Measures frames while a grid of all rows is scrolled by a screen per frame, and while its pivot
/// is scrolled.
fn scrolls(dist: &Path, slower: u32, figures: &mut Figures) -> Result<()> {
    let (_server, browser) = page(dist, "")?;
    open(&browser, ROWS, &[])?;
    browser.run(READ_ALL, json!([ROWS]))?;
    for (view, name) in [("cells", "cells"), ("pivot", "a pivot")] {
        browser.run(SHOW, json!([view]))?;
        let frames = {
            let _slower = Slower::start(&browser, slower)?;
            browser.run(SCROLL, json!([]))?
        };
        let frames: Vec<f64> = serde_json::from_value(frames).map_err(|error| error.to_string())?;
        let mut sorted = frames;
        sorted.sort_by(f64::total_cmp);
        let late = *sorted.get(sorted.len() * 95 / 100).ok_or("no frames of a scroll")?;
        let name = |what| format!("{name} of {ROWS} rows, {what}{}", slowly(slower));
        figures.add("Scroll", name("median frame"), median(sorted), "ms", None);
        figures.add(
            "Scroll",
            name("frame of the slowest twentieth"),
            late,
            "ms",
            (slower == 1).then_some(FRAME),
        );
    }
    Ok(())
}

/// Measures from the input of the slider until the page shows that moment.
fn scrubs(dist: &Path, slower: u32, figures: &mut Figures) -> Result<()> {
    let (_server, browser) = page(dist, "")?;
    for events in [10_000, 100_000] {
        open(&browser, events, &[])?;
        let slider = browser.by_role("slider", "Position in the events")?;
        let _slower = Slower::start(&browser, slower)?;
        let mut times = Vec::new();
        for share in MOMENTS {
            let at = f64::from(events) * share;
            times.push(number(
                &browser.run(SCRUB, json!([slider.as_argument(), at]))?,
                "time of a move in time",
            )?);
        }
        let slowest = times.iter().copied().fold(0.0, f64::max);
        let name = |what| format!("{what} move among {events} events{}", slowly(slower));
        figures.add("Scrub", name("median"), median(times), "ms", None);
        figures.add("Scrub", name("longest"), slowest, "ms", None);
    }
    Ok(())
}

fn slowly(slower: u32) -> String {
    if slower == 1 { String::new() } else { format!(", {slower} times slower") }
}

/// Opens the workspace with this number of events and designs, and waits until all events are in
/// all tables.
fn open(browser: &Browser, events: u32, others: &[&str]) -> Result<Value> {
    let templates: Vec<&str> = std::iter::once(TEMPLATES[0]).chain(others.iter().copied()).collect();
    browser.run(OPEN, json!([events, templates]))
}

const OPEN: &str = r#"
const [events, templates] = arguments;
const workspace = await tabletop.workspace();
workspace.source = { generated: { ...workspace.source.generated, events } };
const layout = { kind: "narrow", family_field: null };
workspace.designs = templates.map((template, at) => ({ name: `Design ${at + 1}`, template, layout, families: [] }));
await tabletop.open(workspace);
"#;

/// The query of the panel, with all rows.
const READ_ALL: &str = r#"
const workspace = await tabletop.workspace();
workspace.query = { rows: "all", filter: null, rows_limit: arguments[0], reversed: false };
await tabletop.open(workspace);
const run = [...document.querySelectorAll("button")].find((button) => button.textContent.trim() === "Run");
run.click();
const start = performance.now();
for (;;) {
  const grid = document.querySelector("[role=grid]");
  if (grid && Number(grid.getAttribute("aria-rowcount")) > arguments[0]) return;
  if (performance.now() - start > 60000) throw new Error("the rows are not in the grid");
  await new Promise((resolve) => setTimeout(resolve, 50));
}
"#;

const SHOW: &str = r#"
const choice = [...document.querySelectorAll("select")].find((select) => [...select.options].some((option) => option.text === "Pivot"));
const at = [...choice.options].findIndex((option) => option.text.toLowerCase() === arguments[0]);
choice.selectedIndex = at;
choice.dispatchEvent(new Event("change", { bubbles: true }));
await new Promise((resolve) => setTimeout(resolve, 500));
"#;

/// Measures the times between frames. Each frame scrolls the rows by a screen, and every tenth one
/// jumps elsewhere.
const SCROLL: &str = r#"
const grid = document.querySelector("[role=grid]");
const frames = [];
const extent = grid.scrollHeight - grid.clientHeight;
let last = await new Promise(requestAnimationFrame);
for (let frame = 0; frame < 180; frame += 1) {
  const far = frame % 10 === 0 ? (frame * 7919) % extent : grid.scrollTop + grid.clientHeight;
  grid.scrollTop = Math.min(far, extent);
  const now = await new Promise(requestAnimationFrame);
  frames.push(now - last);
  last = now;
}
return frames;
"#;

const SCRUB: &str = r#"
const [slider, at] = arguments;
const start = performance.now();
Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(slider, at);
slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
slider.dispatchEvent(new Event("change", { bubbles: true }));
const goal = Math.round(Number(slider.value)).toLocaleString("en-US");
for (;;) {
  await new Promise(requestAnimationFrame);
  const text = document.querySelector(".playback")?.textContent ?? document.body.textContent;
  if (text.includes(`${goal} of `)) return performance.now() - start;
  if (performance.now() - start > 20000) throw new Error(`the page does not show ${goal} events: ${text.slice(0, 200)}`);
}
"#;
