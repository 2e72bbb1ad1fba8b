//! The still of `index.html`, the static first view that is shown until the page's program runs, must look like the page.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{Page, WIDE};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "first paint: the still looks like the page", run: is_the_first_view },
    Test { name: "first paint: the still shows how much of the program has arrived", run: shows_progress },
];

/// The program is fetched and never starts.
const NO_PROGRAM: &str = "WebAssembly.instantiateStreaming = WebAssembly.instantiate = () => new Promise(() => {});";
/// The program runs, and its engine never answers.
const NO_ENGINE: &str = "window.Worker = class extends EventTarget { postMessage() {} terminate() {} };";
/// The greatest difference of a box in px.
const DIFFERENCE_MAX: f64 = 3.0;
/// The sizes of the window: a desktop and a phone.
const SIZES: [(u32, u32); 2] = [WIDE, (390, 800)];
/// Returns the name and the box of each visible part.
const BOXES: &str = "
    const seen = [...document.querySelectorAll('.topbar, .tabs, .pane, .pane h2, .strip, .parts, .playback, .results-tools')];
    return seen.filter(each => each.checkVisibility()).map(each => {
        const { x, y, width, height } = each.getBoundingClientRect();
        return [each.matches('h2') ? each.innerText : each.getAttribute('class'), x, y, width, height];
    });";

fn is_the_first_view(page: &Page) -> Result<()> {
    for size in SIZES {
        page.browser.resize(size.0, size.1)?;
        let still = boxes(page, NO_PROGRAM, "return document.querySelector('#starting') !== null")?;
        let live =
            boxes(page, NO_ENGINE, "return document.querySelector('.pane') !== null && !document.querySelector('#starting')")?;
        if still.len() < 8 || still.len() != live.len() {
            return Err(format!("at {size:?} the still has {} boxes, the page has {}", still.len(), live.len()));
        }
        if let Some((still, live)) = still.iter().zip(&live).find(|(still, live)| !are_alike(still, live)) {
            return Err(format!("at {size:?} the still has {still}, the page has {live}: change index.html"));
        }
    }
    Ok(())
}

fn shows_progress(page: &Page) -> Result<()> {
    let script = page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": NO_PROGRAM }))?;
    let whole = "const [, some, all] = document.querySelector('#fetched').textContent.match(/^(\\d+) of (\\d+) kB$/) ?? [];
        return some !== undefined && Number(all) > 100 && some === all";
    let shown = page
        .browser
        .open(page.url())
        .and_then(|()| page.until("all of the program has arrived", || Ok(page.browser.run(whole, json!([]))? == json!(true))));
    page.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", &script)?;
    shown
}

/// Returns the boxes of a fresh page with this script, as soon as it is `ready`.
fn boxes(page: &Page, script: &str, ready: &str) -> Result<Vec<Value>> {
    // Data of an earlier visit would change the first view.
    page.browser.run("localStorage.clear(); sessionStorage.clear();", json!([]))?;
    let script = page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": script }))?;
    let seen = page.browser.open(page.url()).and_then(|()| {
        page.until("the page shows", || Ok(page.browser.run(ready, json!([]))? == json!(true)))?;
        page.browser.run(BOXES, json!([]))
    });
    page.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", &script)?;
    Ok(seen?.as_array().cloned().unwrap_or_default())
}

fn are_alike(still: &Value, live: &Value) -> bool {
    let near = |at: usize| match (still[at].as_f64(), live[at].as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= DIFFERENCE_MAX,
        _ => false,
    };
    still[0] == live[0] && (1..5).all(near)
}
