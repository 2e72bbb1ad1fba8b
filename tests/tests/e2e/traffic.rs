//! Traffic on a design: it runs, is edited, is shown at any moment, and its advice is followed to
//! the end.

pub mod charts;

use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{PHONE, Page, same};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "traffic: a first visit has a hotspot, and its fix removes it", run: mends_the_hotspot },
    Test { name: "traffic: all tablets of a node are shown, and moved by keyboard", run: shows_all_tablets },
    Test {
        name: "traffic: a tablet is dragged to a node, and the autoscaler adds nodes",
        run: drags_and_scales,
    },
    Test {
        name: "traffic: time has a speed and a pause, and tablets fly unless motion is reduced",
        run: plays_at_a_speed,
    },
    Test { name: "traffic: another design is shown next to it", run: compares },
    Test { name: "traffic: the user's own requests are replayed", run: replays },
];

const DONE: &str = "is executed";

/// Opens the view, and waits until the simulation is over.
pub fn open(page: &Page) -> Result<()> {
    page.click("link", "Traffic")?;
    page.until_text(DONE)
}

fn diagnoses(page: &Page) -> Result<String> {
    page.text("region", "Diagnoses")
}

/// Returns the workspace's traffic.
fn traffic(page: &Page) -> Result<Value> {
    page.api("(await tabletop.workspace()).traffic")
}

fn mends_the_hotspot(page: &Page) -> Result<()> {
    open(page)?;
    page.until("writes at the end of the keys are reported", || {
        Ok(diagnoses(page)?.contains("Sequential writes"))
    })?;
    // The place moves from tablet to tablet, as the clock does.
    page.until("all writes go to one place", || {
        Ok(diagnoses(page)?.contains("go to one place in the key space."))
    })?;
    page.find_named("button", "Move timestamp to the end")?.click()?;
    page.until("the report has disappeared", || {
        Ok(page.visible_text()?.contains(DONE)
            && diagnoses(page)?.contains("No hotspot at this load. The busiest node is at"))
    })?;
    let is_reported = diagnoses(page)?.contains("go to one place in the key space.");
    same("writes go to one place", is_reported, false)?;
    page.browser.run("document.querySelector('.traffic-thresholds').open = true", json!([]))?;
    page.check_accessible_in_both_themes("traffic")?;
    page.click("button", "Undo")?;
    page.until("it is back", || Ok(diagnoses(page)?.contains("Sequential writes")))
}

/// Passes a file to the view.
fn give_trace(page: &Page, name: &str, lines: &str) -> Result<()> {
    let give = "const files = new DataTransfer();
        files.items.add(new File([arguments[1]], arguments[0]));
        const input = document.querySelector('.traffic-streams input[type=file]');
        input.files = files.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));";
    page.browser.run(give, json!([name, lines])).map(drop)
}

fn replays(page: &Page) -> Result<()> {
    open(page)?;
    let key = page.first_key()?;
    let reads: String = (0..90).map(|at| format!("{}.5,read,\"{key}\"\n", at / 30)).collect();
    give_trace(page, "shop.csv", &format!("time,operation,key\n{reads}2.75,write,\"{key}\"\nsoon,read,a\n"))?;
    page.until_text("Replays 91 requests of 0:03 from the trace. It replaces the ")?;
    page.until_text("1 line is left out")?;
    page.until("its streams are in the workspace", || {
        let traffic = traffic(page)?;
        let names: Vec<&str> = traffic["streams"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|of| of["name"].as_str())
            .collect();
        Ok(names == ["shop: read", "shop: write"] && traffic["run"]["seconds"] == json!(3))
    })?;
    page.until_text(DONE)?;
    page.until("the figures are of the trace", || {
        let figures = page.text("region", "All requests so far")?;
        Ok(figures.contains("shop: read") && figures.contains("90"))
    })?;
    page.check_accessible("a trace")?;
    give_trace(page, "other.csv", "when,what\n1,2\n")?;
    page.until_text("The trace cannot be replayed")?;
    page.until_text("A trace needs the columns time, operation and key")?;
    same("streams stay", traffic(page)?["streams"].as_array().map(Vec::len), Some(2))?;
    page.click("button", "Undo")?;
    page.until("the first traffic is back", || Ok(traffic(page)? == Value::Null))?;
    page.click("button", "Redo")?;
    page.until("and the trace again", || Ok(traffic(page)?["streams"].as_array().map(Vec::len) == Some(2)))?;
    page.reopen()?;
    page.until(
        "it stays after a reload",
        || Ok(traffic(page)?["streams"].as_array().map(Vec::len) == Some(2)),
    )
}

fn shows_all_tablets(page: &Page) -> Result<()> {
    let reads = json!({"name": "reads", "what": "point_reads", "per_second": 100});
    open_with(page, &json!({"streams": [reads], "run": {"nodes": 2, "seconds": 20, "tablets_min": 64}}))?;
    seek(page, 5)?;
    let chips =
        || page.browser.run("return document.querySelector('.node-tablets').children.length - 1", json!([]));
    page.until("a node has all of them", || Ok(chips()? == json!(24)))?;
    let more = page.find_named("button", " more")?;
    page.browser.run("arguments[0].focus()", json!([more.as_argument()]))?;
    page.browser.press(&["Enter"])?;
    page.until("all are shown", || Ok(chips()?.as_u64() > Some(24)))?;
    same("the button says so", more.attribute("aria-expanded")?, "true".to_owned())?;
    // The next element before the button is the last tablet.
    page.browser.press(&["Shift+Tab"])?;
    page.browser.press(&["Enter"])?;
    let choice = page.find_named("combobox", "Move tablet from")?;
    page.browser.resize(PHONE.0, PHONE.1)?;
    let is_seen = "const { left, right } = arguments[0].getBoundingClientRect(); return left >= 0 && right <= innerWidth";
    same("the choice is on a phone", page.browser.run(is_seen, json!([choice.as_argument()]))?, json!(true))?;
    choice.choose("to B")?;
    page.until("the move is in the workspace", || {
        Ok(traffic(page)?["run"]["changes"][0]["what"]["move"]["to"] == json!("B"))
    })?;
    page.check_accessible("all tablets of a node, on a phone")?;
    let width = page.browser.run("return document.documentElement.scrollWidth <= innerWidth", json!([]))?;
    same("the page is as wide as the screen", width, json!(true))?;
    page.click("button", "Show fewer")?;
    page.until("the others are counted", || Ok(chips()? == json!(24)))
}

fn drags_and_scales(page: &Page) -> Result<()> {
    let reads = json!({"name": "reads", "what": "point_reads", "per_second": 10_000});
    let run = json!({"nodes": 2, "seconds": 240, "thresholds": {"cpu_target": 0.1}});
    open_with(page, &json!({"streams": [reads], "run": run}))?;
    seek(page, 10)?;
    let drag = "const tablet = document.querySelector('.node-card [draggable=true]');
        const other = [...document.querySelectorAll('.node-card')].find(card => !card.contains(tablet));
        const data = new DataTransfer();
        tablet.dispatchEvent(new DragEvent('dragstart', { bubbles: true, dataTransfer: data }));
        other.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer: data }));
        setTimeout(() => other.dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer: data })), 200)";
    page.browser.run(drag, json!([]))?;
    page.until("the move is in the workspace", || {
        Ok(traffic(page)?["run"]["changes"][0]["what"]["move"] != Value::Null)
    })?;
    page.until_text(DONE)?;
    page.browser.run(
        "const select = [...document.querySelectorAll('.traffic-setup select')].find(each => [...each.options].some(one => one.text.includes('10')));
        select.selectedIndex = [...select.options].findIndex(one => /1.*10/.test(one.text));
        select.dispatchEvent(new Event('change', { bubbles: true }))",
        json!([]),
    )?;
    page.until("the range is in the workspace", || {
        Ok(traffic(page)?["run"]["autoscale"] == json!({ "nodes_min": 1, "nodes_max": 10 }))
    })?;
    page.until_text(DONE)?;
    seek(page, 240)?;
    page.until("nodes were added", || {
        Ok(page.browser.run("return document.querySelectorAll('.node-card').length", json!([]))?.as_u64()
            > Some(2))
    })
}

/// Opens a workspace whose key spreads the load, with this traffic, and its view.
pub fn open_with(page: &Page, traffic: &Value) -> Result<()> {
    page.api(&format!(
        "(async () => {{ const workspace = await tabletop.workspace();
        workspace.designs[0].template = '{{user_token}},{{timestamp:iso}}'; workspace.traffic = {traffic};
        await tabletop.open(workspace) }})()"
    ))?;
    open(page)
}

fn plays_at_a_speed(page: &Page) -> Result<()> {
    let reads = json!({"name": "reads", "what": "point_reads", "per_second": 100});
    let run = json!({"nodes": 2, "seconds": 600, "changes": [{"at_seconds": 20, "what": {"fail": "B"}}]});
    open_with(page, &json!({"streams": [reads], "run": run}))?;
    let count = "const animate = Element.prototype.animate;
        window.flights = 0;
        Element.prototype.animate = function (...all) {
            if (this.matches('.tablet-chip')) { window.flights += 1; }
            return animate.apply(this, all);
        }";
    page.browser.run(count, json!([]))?;
    let flights = || page.browser.run("return window.flights", json!([]));
    let time = || page.find("slider", "Position in time")?.attribute("aria-valuetext");
    page.until_text("10:00 of 10:00")?;
    // At this speed it takes ten minutes.
    page.find("combobox", "Speed")?.choose("1\u{d7}")?;
    page.click("button", "From the start")?;
    page.until_text("0:00 of 10:00")?;
    page.click("button", "Play traffic")?;
    page.until("the time advances", || Ok(time()? != "0:00 of 10:00"))?;
    page.click("button", "Pause traffic")?;
    page.find("button", "Play traffic")?;
    let paused = time()?;
    same("it is the end", paused == "10:00 of 10:00", false)?;
    page.find("combobox", "Speed")?.choose("120\u{d7}")?;
    page.api("tabletop.read(0, { rows_limit: 1 })")?;
    same("the time after the pause", time()?, paused)?;
    page.click("button", "Play traffic")?;
    page.until_text("10:00 of 10:00")?;
    page.find("button", "Play traffic")?;
    same("flights with reduced motion", flights()?, json!(0))?;
    // A view that is opened in motion plays from the start.
    page.browser.media(&[("prefers-reduced-motion", "no-preference")])?;
    page.click("link", "Design")?;
    page.until("the view is closed", || {
        Ok(page.browser.run("return document.querySelector('.traffic-player') === null", json!([]))?
            == json!(true))
    })?;
    page.click("link", "Traffic")?;
    page.find("button", "Pause traffic")?;
    page.until("the tablets of the node that fails fly to the other", || Ok(flights()?.as_u64() > Some(0)))
}

pub fn seek(page: &Page, second: u32) -> Result<()> {
    page.browser.run(
        "const slider = document.querySelector('.traffic-player input[type=range]');
        slider.value = arguments[0];
        slider.dispatchEvent(new InputEvent('input', { bubbles: true }))",
        json!([second]),
    )?;
    Ok(())
}

fn compares(page: &Page) -> Result<()> {
    page.api("tabletop.design(1, { name: 'User first', template: '{user_token},{timestamp:iso}' })")?;
    open(page)?;
    choose_comparison(page, "User first")?;
    page.until("both are there", || {
        Ok(page.browser.all_by_role("region", "All requests so far")?.len() == 2)
    })?;
    page.until("both have the same requests", || {
        let arrived = "return [...document.querySelectorAll('.traffic-totals tbody tr:first-child td:nth-child(2)')].map(each => each.textContent)";
        let arrived = page.browser.run(arrived, json!([]))?;
        Ok(arrived[0] == arrived[1] && arrived[0].as_str().is_some_and(|text| text.starts_with("1,2")))
    })?;
    page.browser.run("document.querySelector('.heat-busiest').open = true", json!([]))?;
    let apart = "return ['.heat-plane', '.traffic-nodes', '.traffic-chart svg', '.traffic-totals'].filter(part => {
        const [one, other] = [...document.querySelectorAll('.traffic-variant')].map(of => of.querySelector(part).getBoundingClientRect().top);
        return Math.abs(one - other) > 0.5;
    })";
    same("parts at different heights", page.browser.run(apart, json!([]))?, json!([]))
}

fn choose_comparison(page: &Page, name: &str) -> Result<()> {
    page.find("combobox", "Compare with")?;
    page.browser
        .run(
            "const select = document.querySelector('.traffic-top select');
        select.value = [...select.options].find(option => option.text === arguments[0]).value;
        select.dispatchEvent(new Event('change', { bubbles: true }))",
            json!([name]),
        )
        .map(drop)
}
