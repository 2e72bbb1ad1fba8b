//! The map of a Z-order, and the query for a box.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{PHONE, Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test {
        name: "map: a rectangle that is dragged becomes a query, and its depths have their costs",
        run: drags_a_box,
    },
    Test { name: "map: on a phone the map fits, and its hint is for fingers", run: fits_a_phone },
];

const TEMPLATE: &str = "{zorder(longitude, latitude, bits=16, as=hex)},{time:iso},{id}";

fn quakes(page: &Page) -> Result<()> {
    page.api(&format!("tabletop.sample('earthquakes', {{ template: '{TEMPLATE}' }})"))?;
    page.until_all_arrived()
}

/// Returns the number of rows of a box, counted by the script over all rows. Each value is the
/// whole event.
fn counted(page: &Page, choice: &serde_json::Value) -> Result<u64> {
    let span = |axis: &str| choice["box"][axis].clone();
    // A point within one step of the edge may be in another step than the edge.
    let counts = page.api(&format!(
        "(async () => {{ const x = {}, y = {}; const rows = (await tabletop.read(0, {{ rows_limit: 0 }})).rows;
          const step = (value, min, extent) => Math.min(Math.floor((value - min) / extent * 65536), 65535);
          const between = (value, span, min, extent) => step(value, min, extent) >= step(span.from, min, extent)
              && step(value, min, extent) <= step(span.to, min, extent);
          return rows.filter(row => {{ const event = JSON.parse(row.cells[0].value);
              return between(+event.longitude, x, -180, 360) && between(+event.latitude, y, -90, 180); }}).length; }})()",
        span("x"),
        span("y")
    ))?;
    Ok(counts.as_u64().unwrap_or_default())
}

fn drags_a_box(page: &Page) -> Result<()> {
    quakes(page)?;
    let map = page.find_named("image", "1,707 points in")?;
    page.browser.run("arguments[0].scrollIntoView({ block: 'center' })", json!([map.as_argument()]))?;
    let place = page.browser.run(
        "const b = arguments[0].getBoundingClientRect(); return [b.x, b.y, b.width, b.height]",
        json!([map.as_argument()]),
    )?;
    let part = |at: usize| place[at].as_f64().unwrap_or_default();
    let point = |x: f64, y: f64| (part(0) + part(2) * x, part(1) + part(3) * y);
    let mouse = |kind: &str, (x, y): (f64, f64)| {
        let buttons = u32::from(kind != "mouseReleased");
        page.browser.devtools(
            "Input.dispatchMouseEvent",
            &json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 }),
        )
    };
    // Around Alaska.
    mouse("mousePressed", point(0.02, 0.1))?;
    mouse("mouseMoved", point(0.1, 0.15))?;
    mouse("mouseMoved", point(0.14, 0.25))?;
    mouse("mouseReleased", point(0.14, 0.25))?;
    let choice = || page.api("(await tabletop.workspace()).query.rows");
    page.until("the query is a box", || Ok(choice()?.get("box").is_some()))?;
    let rows = choice()?;
    let near = |axis: &str, end: &str, expected: f64| {
        let value = rows["box"][axis][end].as_f64().unwrap_or_default();
        same(&format!("{axis} {end} of {rows}"), (value - expected).abs() < 1.0, true)
    };
    near("x", "from", -172.8)?;
    near("x", "to", -129.6)?;
    near("y", "from", 45.0)?;
    near("y", "to", 72.0)?;
    let expected = counted(page, &rows)?;
    same("there are earthquakes in Alaska", expected > 100, true)?;
    page.fill("Limit", "0")?;
    page.ask()?;
    page.until_figure("Rows returned", expected)?;

    // A depth costs what the table of depths says.
    page.open_pane(Pane::Tablets)?;
    page.browser.by_css(".map-depths summary")?.click()?;
    page.check_accessible_in_both_themes("the map with its depths")?;
    let line = page.find("button", "Read at depth 4")?;
    let seen = page.browser.run(
        "return arguments[0].closest('tr').cells[2].textContent.replaceAll(',', '') * 1",
        json!([line.as_argument()]),
    )?;
    let seen = seen.as_u64().unwrap_or_default();
    page.click("button", "Read at depth 4")?;
    page.until("the query has the depth", || Ok(choice()?["box"]["depth"] == json!(4)))?;
    page.open_pane(Pane::Query)?;
    page.ask()?;
    page.until_figure("Rows seen", seen)?;
    page.until_figure("Rows returned", expected)?;
    // The fields of the box, with mistakes.
    page.fill("Depth", "99")?;
    page.until_text("a depth is a whole number from 0 to 32, or empty")?;
    page.fill("longitude to", "-179")?;
    page.until_text("An axis ends before it starts")?;
    page.check_accessible("the fields of a box")
}

fn fits_a_phone(page: &Page) -> Result<()> {
    quakes(page)?;
    let until_hint = |text: &str| {
        page.until(&format!("the hint is {text:?}"), || {
            let hint = page
                .browser
                .run("return document.querySelector('.map .for-pointer')?.innerText", json!([]))?;
            Ok(hint.as_str().is_some_and(|hint| hint.starts_with(text)))
        })
    };
    until_hint("Drag a rectangle to read its rows")?;
    let metrics = json!({ "width": PHONE.0, "height": PHONE.1, "deviceScaleFactor": 1, "mobile": true });
    let on_a_phone = || {
        page.browser.devtools("Emulation.setTouchEmulationEnabled", &json!({ "enabled": true }))?;
        page.browser.devtools("Emulation.setDeviceMetricsOverride", &metrics)?;
        page.open_pane(Pane::Tablets)?;
        until_hint("Move a finger sideways")?;
        let map = page.find_named("image", "1,707 points in")?;
        let fits = page.browser.run(
            "const b = arguments[0].getBoundingClientRect(); return b.width > 200 && b.right <= innerWidth",
            json!([map.as_argument()]),
        )?;
        same("the map fits", fits, json!(true))?;
        page.check_accessible("the map on a phone")
    };
    let result = on_a_phone();
    // Later tests in this browser use a mouse, even if a step has failed. So both are requested
    // before either result is checked.
    let touch = page.browser.devtools("Emulation.setTouchEmulationEnabled", &json!({ "enabled": false }));
    let metrics = page.browser.devtools("Emulation.clearDeviceMetricsOverride", &json!({}));
    result.and(touch).and(metrics).map(drop)
}
