//! No work is lost: a cancelled read, a stopped engine, a reopened page.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "resilience: a long read is cancelled", run: cancels_a_read },
    Test { name: "resilience: the engine stops, is restarted and has the same workspace", run: restarts },
    Test {
        name: "resilience: the user's data is restored with a restarted engine",
        run: restarts_with_own_data,
    },
    Test {
        name: "resilience: a file is dropped again while its traffic is simulated",
        run: replaces_simulated_events,
    },
    Test { name: "resilience: a script loads events while it simulates", run: replaces_events_by_script },
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

/// The load may come before the simulation has its table, which then is one of the new events. So
/// it comes later in each try, until it comes in the middle.
fn replaces_events_by_script(page: &Page) -> Result<()> {
    let outcome = page.api(
        "(async () => { const run = { nodes: 3, seconds: 600 };
        const traffic = { streams: [{ name: 'reads', what: 'point_reads', per_second: 20000 }], seed: 3, run };
        let [outcome, loaded] = ['', undefined];
        for (let wait = 100; outcome !== 'cancelled' && wait < 3000; wait += 200) {
            const simulated = tabletop.simulate(0, traffic).then(() => 'simulated', error => error.code);
            await new Promise(resolve => setTimeout(resolve, wait));
            loaded = await tabletop.load('user,at,amount\\na,2024-01-01T00:00:00Z,1\\n', { template: '{user}' });
            outcome = await simulated;
        }
        return [outcome, loaded.events, (await tabletop.read(0, {})).rows.length] })()",
    )?;
    same("the simulation, events, rows", outcome, json!(["cancelled", 1, 1]))
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
    page.open_pane(Pane::Design)?;
    page.fill("Row key template", "{user_token}~{timestamp:iso}")?;
    page.until("the table has the new keys", || {
        Ok(first_key(page)?.as_str().is_some_and(|key| key.contains('~')))
    })?;
    let key = first_key(page)?;
    page.stop_the_engine()?;
    page.until_text("The engine has stopped.")?;
    page.until_text("Your workspace is safe in this page.")?;
    page.find("button", "Save workspace file")?;
    page.click("button", "Restart the engine")?;
    page.until("the rows are the same", || Ok(first_key(page)? == key))?;
    page.until_value("Row key template", "{user_token}~{timestamp:iso}")?;
    page.until("the banner has disappeared", || Ok(!page.visible_text()?.contains("The engine has stopped.")))
}

fn restarts_with_own_data(page: &Page) -> Result<()> {
    page.api("tabletop.load('a,b\\n1,2\\n3,4\\n', { template: '{a}#{b}' })")?;
    page.stop_the_engine()?;
    page.click("button", "Restart the engine")?;
    page.until("the rows are the same", || {
        Ok(page.api("(await tabletop.read(0, {})).rows.map(row => row.key)")? == json!(["1#2", "3#4"]))
    })
}

fn first_key(page: &Page) -> Result<serde_json::Value> {
    page.api("(await tabletop.read(0, { rows_limit: 1 })).rows[0].key")
}
