//! Nothing on the page moves by itself while it starts and while it loads events, because the user
//! may be reading or about to click.

use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{PHONE, Page, Pane, WIDE};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "layout shift: nothing moves on a first visit, wide", run: |page| first_visit(page, WIDE) },
    Test {
        name: "layout shift: nothing moves on a first visit, on a phone",
        run: |page| first_visit(page, PHONE),
    },
    Test {
        name: "layout shift: nothing moves while a sample is loaded, wide",
        run: |page| sample(page, WIDE),
    },
    Test {
        name: "layout shift: nothing moves while a sample is loaded, on a phone",
        run: |page| sample(page, PHONE),
    },
];

/// The maximum sum of all layout shifts. Browsers call a page good below 0.1.
const SHIFT_MAX: f64 = 0.02;
/// Milliseconds after which a browser no longer attributes a shift to the user's input.
const INPUT_MILLIS: u64 = 550;
/// Collects the shifts that no input has caused, each with the elements that moved.
const COLLECT: &str = "
    window.shifts = [];
    const name = node => !node ? '?' : node.nodeType === 3 ? name(node.parentNode)
        : node.tagName.toLowerCase() + (node.getAttribute('class') ? '.' + node.getAttribute('class').replaceAll(' ', '.') : '');
    const box = rect => `${rect.x},${rect.y} ${rect.width}x${rect.height}`;
    new PerformanceObserver(list => {
        for (const shift of list.getEntries()) if (!shift.hadRecentInput) shifts.push([shift.value, shift.sources.map(source =>
            `${name(source.node)} from ${box(source.previousRect)} to ${box(source.currentRect)}`)]);
    }).observe({ type: 'layout-shift', buffered: true });";

fn first_visit(page: &Page, size: (u32, u32)) -> Result<()> {
    collecting(page, || {
        page.first_visit(size)?;
        page.until_text("current writes hit")?;
        until_rows(page)?;
        check(page)
    })
}

fn sample(page: &Page, size: (u32, u32)) -> Result<()> {
    collecting(page, || {
        page.first_visit(size)?;
        page.open_pane(Pane::Data)?;
        page.click("radio", "Sample")?;
        for title in ["Earthquakes", "Purchases", "Weather", "Clicks"] {
            page.find_named("radio", title)?.click()?;
            page.open_pane(Pane::Tablets)?;
            page.browser.run("shifts.length = 0", json!([]))?;
            until_rows(page)?;
            std::thread::sleep(std::time::Duration::from_millis(INPUT_MILLIS));
            check(page).map_err(|error| format!("{title}: {error}"))?;
            page.open_pane(Pane::Data)?;
        }
        Ok(())
    })
}

/// Waits until rows are on the screen: the rows of the query, or on a phone the tablets.
fn until_rows(page: &Page) -> Result<()> {
    let rows = "const shown = selector => [...document.querySelectorAll(selector)].some(each => each.checkVisibility());
        return shown('.keys-column li') && (shown('.single') || shown('[data-line]'));";
    page.until("rows are on the screen", || Ok(page.browser.run(rows, json!([]))? == json!(true)))
}

fn collecting(page: &Page, act: impl FnOnce() -> Result<()>) -> Result<()> {
    let script =
        page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": COLLECT }))?;
    let done = act();
    page.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", &script)?;
    done
}

fn check(page: &Page) -> Result<()> {
    let shifts = page.browser.run("return shifts", json!([]))?;
    let shifts = shifts.as_array().map(Vec::as_slice).unwrap_or_default();
    let sum: f64 = shifts.iter().filter_map(|shift| shift[0].as_f64()).sum();
    if sum < SHIFT_MAX {
        return Ok(());
    }
    let line = |shift: &Value| format!("{:.4} {:#}", shift[0].as_f64().unwrap_or(0.0), shift[1]);
    let lines: Vec<String> = shifts.iter().map(line).collect();
    Err(format!("parts of the page moved by {sum:.4}, {SHIFT_MAX} at most:\n{}", lines.join("\n")))
}
