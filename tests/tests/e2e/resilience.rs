//! No work is lost: a cancelled read, a stopped engine, a reopened page.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "resilience: a long read is cancelled", run: cancels_a_read },
    Test {
        name: "resilience: the engine stops, is restarted and has the same workspace and events",
        run: restarts,
    },
    Test {
        name: "resilience: a file is dropped again while its traffic is simulated",
        run: replaces_simulated_events,
    },
];

/// The view begins to simulate the file's traffic, and is not finished when the same file replaces
/// the events.
fn replaces_simulated_events(page: &Page) -> Result<()> {
    let drop = "const line = at => `user${at % 97},2024-01-01T${String(at % 24).padStart(2, '0')}:00:00Z,${at % 13}`;
        const text = 'user,at,amount\\n' + Array.from({ length: arguments[0] }, (_, at) => line(at)).join('\\n');
        const items = new DataTransfer();
        items.items.add(new File([text], 'dropped.csv', { type: 'text/csv' }));
        for (const kind of ['dragenter', 'dragover', 'drop']) {
            const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: items });
            (document.querySelector('.drop-overlay') ?? document.body).dispatchEvent(event);
        }";
    page.click("link", "Traffic")?;
    page.browser.run(drop, json!([3_000]))?;
    page.until_text("3,000 events · dropped.csv")?;
    for events in [2_999, 3_000, 40] {
        page.until("the view simulates, or has just ended", || {
            let text = page.visible_text()?;
            Ok(text.contains("simulated 0:") || text.contains("is executed"))
        })?;
        page.browser.run(drop, json!([events]))?;
    }
    page.until_text("40 events · dropped.csv")?;
    page.until("the engine answers", || {
        Ok(page.api("(await tabletop.read(0, { rows_limit: 5 })).rows.length")? == json!(5))
    })?;
    same("the engine has not stopped", page.visible_text()?.contains("The engine has stopped"), false)
}

fn cancels_a_read(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    page.fill("Events", "300000")?;
    page.browser.press(&["Enter"])?;
    page.until_text("of 300,000 events")?;
    page.click("button", "Load all")?;
    page.until_text("300,000 of 300,000 events")?;
    page.open_pane(Pane::Query)?;
    page.fill("Limit", "0")?;
    page.click("button", "Run")?;
    page.click("button", "Cancel")?;
    page.until_text("Cancelled after")?;
    // The engine is free for the next read.
    page.fill("Limit", "5")?;
    page.ask()?;
    page.until_figure("Rows returned", 5)
}

fn restarts(page: &Page) -> Result<()> {
    page.api("tabletop.load('a,b\\n1,2\\n3,4\\n', { template: '{a}#{b}' })")?;
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{a}~{b}")?;
    let until_rows = || {
        page.until("the table has the keys", || {
            Ok(page.api("(await tabletop.read(0, {})).rows.map(row => row.key)")? == json!(["1~2", "3~4"]))
        })
    };
    until_rows()?;
    page.stop_the_engine()?;
    page.until_text("The engine has stopped.")?;
    page.until_text("Your workspace is safe in this page.")?;
    page.find("button", "Save workspace file")?;
    page.click("button", "Restart the engine")?;
    until_rows()?;
    page.until_value("Row key template", "{a}~{b}")?;
    page.until("the banner has disappeared", || Ok(!page.visible_text()?.contains("The engine has stopped.")))
}
