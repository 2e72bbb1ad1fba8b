//! The heatmap of Traffic: its controls and prefixes, and a finger on a phone.

use serde_json::{Value, json};
use tabletop_tests::browser::{Element, Result};
use tabletop_tests::page::{PHONE, Page, same};

use super::run::Test;
use super::traffic::{open, open_with, seek};

pub const TESTS: &[Test] = &[
    Test {
        name: "traffic: the heatmap has brightness, borders and nodes, and prefixes zoom in and back",
        run: drills_in,
    },
    Test {
        name: "traffic: on a phone a tap on a prefix drills in, and a tap on a cell pins its figures",
        run: is_tapped,
    },
];

fn drills_in(page: &Page) -> Result<()> {
    let reads = json!({"name": "reads", "what": "point_reads", "per_second": 1_000});
    let run = json!({"nodes": 2, "seconds": 30, "changes": [{"at_seconds": 15, "what": {"fail": "B"}}]});
    open_with(page, &json!({"streams": [reads], "run": run}))?;
    let until_node_b = |second: u32, clock: &str, is_there: bool| {
        seek(page, second)?;
        page.name_with("image", &format!("At {clock}: "))?;
        page.until(&format!("B serves keys at {clock}: {is_there}"), || {
            let nodes = "return [...document.querySelectorAll('.heat-nodes g > title')].map(each => each.textContent)";
            let nodes = page.browser.run(nodes, json!([]))?;
            let has = |name: &str| nodes.as_array().is_some_and(|nodes| nodes.contains(&json!(name)));
            Ok(has("Node A") && has("Node B") == is_there)
        })
    };
    until_node_b(2, "0:01", true)?;
    until_node_b(30, "0:29", false)?;

    let read = |script: &str| page.browser.run(script, json!([]));
    let focus = |part: &Element| page.browser.run("arguments[0].focus()", json!([part.as_argument()]));
    let colors =
        "return [...document.querySelectorAll('.heat-colors rect')].map(each => each.getAttribute('fill'))";
    let before = read(colors)?;
    page.click("button", "Colours and borders")?;
    let brightness = page.find("slider", "Brightness")?;
    let until_brightness =
        |text: &str| page.until(text, || Ok(brightness.attribute("aria-valuetext")? == text));
    focus(&brightness)?;
    page.browser.press(&["ArrowRight"])?;
    until_brightness("2 times as bright")?;
    page.until("the scale has other colors", || Ok(read(colors)? != before))?;
    page.browser.press(&["ArrowLeft"])?;
    until_brightness("normal")?;
    page.until("the scale has its colors", || Ok(read(colors)? == before))?;

    let picture = "return document.querySelector('.heat canvas').toDataURL()";
    let before = read(picture)?;
    page.click("checkbox", "Tablet borders")?;
    page.until("the borders have disappeared", || Ok(read(picture)? != before))?;
    page.click("checkbox", "Tablet borders")?;
    page.until("the borders are back", || Ok(read(picture)? == before))?;

    let bars = "return [...document.querySelectorAll('.heat-prefix > rect')].map(bar => bar.getAttribute('y') + ' ' + bar.getAttribute('height'))";
    let whole = read(bars)?;
    let prefix = page.find_named("button", ": zoom to its ")?;
    let can_go_back = || -> Result<bool> {
        Ok(page.find("button", "Previous area")?.property("disabled")? == json!(false))
    };
    same("there is a way back", can_go_back()?, false)?;
    focus(&prefix)?;
    page.browser.press(&["Enter"])?;
    page.until("Enter on a prefix zooms to it", || Ok(read(bars)? != whole))?;
    page.until("there is a way back", can_go_back)?;
    page.click("button", "Previous area")?;
    page.until("all is shown", || Ok(read(bars)? == whole && !can_go_back()?))?;
    page.find_named("button", ": zoom to its ")?.click()?;
    page.until("a click on a prefix zooms to it", || Ok(read(bars)? != whole))?;
    focus(&page.find_named("application", "row keys from top to bottom")?)?;
    page.browser.press(&["Backspace"])?;
    page.until("Backspace goes back", || Ok(read(bars)? == whole))
}

/// Touches the middle of an element with one finger, and lifts it.
fn tap(page: &Page, element: &Element) -> Result<()> {
    let place = "arguments[0].scrollIntoView({ block: 'center' });
        const { x, y, width, height } = arguments[0].getBoundingClientRect(), middle = [x + width / 2, y + height / 2];
        return arguments[0].contains(document.elementFromPoint(...middle)) ? middle : null";
    let place = page.browser.run(place, json!([element.as_argument()]))?;
    let (Some(x), Some(y)) = (place[0].as_f64(), place[1].as_f64()) else {
        return Err("another element covers what is tapped".into());
    };
    let touch = |kind: &str, fingers: Value| {
        page.browser.devtools("Input.dispatchTouchEvent", &json!({ "type": kind, "touchPoints": fingers }))
    };
    touch("touchStart", json!([{ "x": x, "y": y }]))?;
    touch("touchEnd", json!([])).map(drop)
}

/// Returns the value of each bar next to the picture, and its distance from the left.
fn bars(page: &Page) -> Result<Value> {
    let read = "return [...document.querySelectorAll('.heat-prefix')].map(bar =>
        [bar.querySelector('title').textContent.split(':')[0], bar.querySelector('rect').getAttribute('x')])";
    page.browser.run(read, json!([]))
}

fn drill_in_and_out(page: &Page) -> Result<()> {
    page.api("tabletop.design(0, { template: '{app_id},{user_token},{timestamp:iso}' })")?;
    open(page)?;
    let plane = page.find_named("application", "row keys from top to bottom")?;
    // There is no room for the users of an app next to the apps.
    let whole = json!([["app-00", "0.5"], ["app-01", "0.5"], ["app-02", "0.5"]]);
    page.until("the prefixes are the apps", || same("they", bars(page)?, whole.clone()).map(|()| true))?;
    let back = page.find("button", "Previous area")?;
    same("there is no way back", back.property("disabled")?, json!(true))?;
    let drill = || -> Result<Value> {
        tap(page, &page.find_named("button", "app-01: zoom to its ")?)?;
        page.until("the users of the app have the room of the apps", || {
            let bars = bars(page)?;
            let is_user = |bar: &Value| {
                bar[1] == "0.5" && bar[0].as_str().is_some_and(|name| !name.starts_with("app-"))
            };
            Ok(bars.as_array().is_some_and(|bars| bars.len() > 1 && bars.iter().all(is_user)))
        })?;
        bars(page)
    };
    let users = drill()?;
    page.check_accessible("a heatmap on a phone that is drilled into")?;
    tap(page, &page.find_named("button", ": zoom to its ")?)?;
    page.until("a part of the users, or of one user, is drilled into", || {
        let bars = bars(page)?;
        Ok(bars != users
            && bars.as_array().is_some_and(|bars| !bars.is_empty() && bars.iter().all(|bar| bar[1] == "0.5")))
    })?;
    let go_back = || page.find("button", "Previous area").and_then(|back| tap(page, &back));
    go_back()?;
    page.until("the users are back", || same("they", bars(page)?, users.clone()).map(|()| true))?;
    go_back()?;
    page.until("all apps are back", || same("they", bars(page)?, whole.clone()).map(|()| true))?;
    drill()?;
    // One finger scrolls, so a tap is all that a cell needs.
    tap(page, &plane)?;
    let figures = page.find("group", "Cell")?;
    page.until("the cell is one of the app", || {
        let text = figures.text()?;
        Ok(text.contains("From (inclusive)") && text.contains("app-01,") && !text.contains("app-00,"))
    })?;
    let is_below =
        "return arguments[0].getBoundingClientRect().top >= arguments[1].getBoundingClientRect().bottom";
    let is_below = page.browser.run(is_below, json!([figures.as_argument(), plane.as_argument()]))?;
    same("the figures are below the picture", is_below, json!(true))?;
    let is_seen = "return arguments[0].getBoundingClientRect().bottom <= innerHeight";
    page.until("the figures are scrolled to", || {
        Ok(page.browser.run(is_seen, json!([figures.as_argument()]))? == json!(true))
    })?;
    page.check_accessible("the figures of a cell on a phone")?;
    tap(page, &figures.by_role("button", "Show these rows")?)?;
    page.until("the query reads rows of the app", || {
        let range = page.api("(await tabletop.workspace()).query.rows.range")?;
        Ok(range.to_string().contains("app-01,"))
    })?;
    page.until("the view is that of the design", || {
        Ok(page.browser.run("return location.search", json!([]))? == json!(""))
    })
}

fn is_tapped(page: &Page) -> Result<()> {
    page.browser.resize(PHONE.0, PHONE.1)?;
    let finger = |is_there: bool| {
        page.browser.devtools("Emulation.setTouchEmulationEnabled", &json!({ "enabled": is_there })).map(drop)
    };
    finger(true)?;
    let result = drill_in_and_out(page);
    // Later tests in this browser have a mouse.
    finger(false)?;
    result
}
