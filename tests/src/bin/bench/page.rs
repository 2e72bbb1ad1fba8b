//! Measurements in the page, without throttling.

use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tabletop_site_server::Server;
use tabletop_tests::browser::{Browser, Result};

use crate::figures::Figures;
use crate::first_load::{mark, median};

/// Two templates between which an edit moves the time to the end of the key and back to its start.
pub const TEMPLATES: [&str; 2] = ["{user_token},{timestamp:iso}", "{timestamp:iso},{user_token}"];
const EDITS: usize = 9;
/// Numbers of events, and the milliseconds that an edit may take among them.
pub const EDIT_BUDGETS: [(u32, f64); 2] = [(10_000, 50.0), (100_000, 250.0)];
const SETTLE: Duration = Duration::from_millis(1_500);

/// In the narrow layout each event is one cell.
pub const EVENTS: u32 = 1_000_000;

/// Scans for the worker and the native session, with their row limit (0 for none). The filtered
/// ones read every cell and return none, so that only the scan is measured, without the transfer of
/// rows.
pub const SCANS: [(&str, &str, u32); 4] = [
    ("first 100,000 rows, all that is in them", "", 100_000),
    ("all rows, none of whose columns pass a regex", "column_qualifier_regex(\"nothing\")", 0),
    ("all rows, none of whose values pass a regex", "value_regex(\".*nothing.*\")", 0),
    (
        "all rows, an interleave of two value ranges",
        "interleave(value_range(start=\"~\"), value_range(end=\" \"))",
        0,
    ),
];

/// Measures from the input in the template's field to the repaint of keys and tablets.
pub fn edits(dist: &Path, figures: &mut Figures) -> Result<()> {
    let (_server, browser) = page(dist, "")?;
    for (events, budget) in EDIT_BUDGETS {
        open_generated(&browser, events)?;
        let field = browser.by_role("textbox", "Row key template")?;
        let mut times = Vec::new();
        for edit in 0..EDITS {
            let template = TEMPLATES[(edit + 1) % 2];
            times.push(number(
                &browser.run(EDIT, json!([field.as_argument(), template]))?,
                "time of an edit",
            )?);
        }
        let name = format!("edit of the template -> keys and tablets redrawn, {events} events");
        figures.add("Edit", name, median(times), "ms", Some(budget));
    }
    Ok(())
}

/// Measures a load of a million cells, then scans of them in the worker.
pub fn load_and_scan(dist: &Path, figures: &mut Figures) -> Result<()> {
    let (_server, browser) = page(dist, "")?;
    browser.run(WATCH, json!([]))?;
    let seconds = open_generated(&browser, EVENTS)?;
    let cells = number(&browser.run(CELLS, json!([]))?, "cells of the table")?;
    figures.add("Load in the worker", "cells", cells, "cells", None);
    figures.add("Load in the worker", "cells a second", cells / seconds, "cells/s", None);
    let task = number(&browser.run("return longest", json!([]))?, "longest task")?;
    figures.add("Load in the worker", "longest task of the page's main thread", task, "ms", Some(50.0));
    for (name, filter, rows_limit) in SCANS {
        let answer = browser.run(SCAN, json!([filter, rows_limit]))?;
        let (seen, micros) = (number(&answer[0], "cells seen")?, number(&answer[1], "time of a scan")?);
        figures.add("Scan in the worker", name, seen / micros * 1e6, "cells/s", None);
    }
    Ok(())
}

/// Opens the page with these parameters, and waits until it is idle.
pub fn page(dist: &Path, parameters: &str) -> Result<(Server, Browser)> {
    let server = Server::start(dist, 0, "/").map_err(|error| format!("the server: {error}"))?;
    let browser = Browser::start()?;
    browser.open(&(server.url() + parameters))?;
    mark(&browser, "tabletop-interactive")?;
    // Work of the page after its start is excluded from the measurement.
    thread::sleep(SETTLE);
    Ok((server, browser))
}

/// Opens the workspace with this number of generated events. Returns the seconds until all are in
/// the table.
pub fn open_generated(browser: &Browser, events: u32) -> Result<f64> {
    number(&browser.run(OPEN, json!([events, TEMPLATES[0]]))?, "time of a load")
}

/// Returns a number from the page.
pub fn number(value: &Value, what: &str) -> Result<f64> {
    value.as_f64().ok_or_else(|| format!("{what}: the page returned {value}"))
}

const OPEN: &str = r#"
const [events, template] = arguments;
const workspace = await tabletop.workspace();
workspace.source = { generated: { ...workspace.source.generated, events } };
workspace.designs = [{ ...workspace.designs[0], template, layout: { kind: "narrow", family_field: null } }];
const start = performance.now();
await tabletop.open(workspace);
return (performance.now() - start) / 1000;
"#;

/// Types a template, and returns the milliseconds until keys and tablets are drawn.
pub const EDIT: &str = r#"
const [field, template] = arguments;
performance.clearMarks("tabletop-design-painted");
const start = performance.now();
Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, template);
field.dispatchEvent(new InputEvent("input", { bubbles: true }));
for (;;) {
  const painted = performance.getEntriesByName("tabletop-design-painted").at(-1);
  if (painted) return painted.startTime - start;
  if (performance.now() - start > 20000) throw new Error("no tabletop-design-painted after an edit");
  await new Promise((resolve) => setTimeout(resolve, 1));
}
"#;

/// The browser does not report tasks shorter than 50 ms, so a timer with a period of 4 ms is used,
/// too. If the timer pauses longer without a reported task, the machine did not give the page's
/// thread a processor.
pub const WATCH: &str = r#"
window.longest = 0;
const keep = (duration) => { window.longest = Math.max(window.longest, duration); };
new PerformanceObserver((list) => list.getEntries().forEach((entry) => keep(entry.duration))).observe({ type: "longtask" });
let last = performance.now();
setInterval(() => { const now = performance.now(); keep(Math.min(now - last - 4, 50)); last = now; }, 4);
"#;

const CELLS: &str = r#"
const view = await tabletop.tablets(0);
return view.tablets.reduce((sum, tablet) => sum + Number(tablet.cells), 0);
"#;

const SCAN: &str = r#"
const result = await tabletop.read(0, { filter: arguments[0], rows_limit: arguments[1] });
return [Number(result.stats.cells_seen), Number(result.elapsed_micros)];
"#;
