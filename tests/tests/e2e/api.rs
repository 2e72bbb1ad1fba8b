//! `window.tabletop`, the API for scripts of the page.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, same};

pub const TESTS: &[Test] = &[Test {
    name: "api: a sample is loaded, a design changed, rows are read, and a refusal gives a reason",
    run: designs_and_reads,
}];

fn designs_and_reads(page: &Page) -> Result<()> {
    page.api("(globalThis.seen = [], tabletop.sample('earthquakes', { on_progress: how_far => seen.push(how_far) }))")?;
    let last = page.api("seen.at(-1)")?;
    same("the last progress", last["events_built"].clone(), last["events"].clone())?;
    let narrow = page.api("tabletop.read(0, {})")?;
    let events = page.api("(await tabletop.ready).find(sample => sample.name === 'earthquakes').events")?;
    same("cells in a narrow table", narrow["stats"]["cells_returned"].clone(), json!(format!("{events}n")))?;

    let template = "{zorder(longitude, latitude)}#{time:iso}";
    let view = page.api(&format!(
        "tabletop.design(0, {{ template: '{template}', layout: {{ kind: 'wide', family_field: null }} }})"
    ))?;
    same("problems of the template", view["problems"].clone(), json!([]))?;
    same("the table is built", view["events_built"].clone(), events)?;
    let read = page.api("tabletop.read(0, { rows_limit: 3, filter: 'cells_per_row_limit(1)' })")?;
    same("rows", json!(read["rows"].as_array().map(Vec::len)), json!(3))?;
    let row = &read["rows"][0];
    let cell = &row["cells"][0];
    let is_big = cell["timestamp"].as_str().is_some_and(|time| time.ends_with('n'));
    if !is_big
        || !row["key_bytes"].is_array()
        || !cell["value_bytes"].is_array()
        || row["cells"].as_array().map(Vec::len) != Some(1)
    {
        return Err(format!("a row is {row:#}"));
    }
    let reversed = page.api("tabletop.read(0, { rows_limit: 1, reversed: true })")?;
    if reversed["rows"][0]["key"].as_str() <= row["key"].as_str() {
        return Err(format!("the last row is {} and the first {}", reversed["rows"][0]["key"], row["key"]));
    }
    let tablets = page.api("tabletop.tablets(0)")?;
    let tablets = tablets["tablets"].as_array().ok_or("no tablets")?;
    same("the first tablet begins", tablets[0]["start"].clone(), json!(""))?;
    refuses(page)
}

/// The parser of the page, the engine and the types of the API refuse, each with a reason.
fn refuses(page: &Page) -> Result<()> {
    let refusal = |call: &str| {
        page.api(&format!("{call}.then(() => 'done', error => [error.name, error.code, error.message])"))
    };
    let refused = |call: &str, code: &str, word: &str| {
        let error = refusal(call)?;
        let names_cause = error[2].as_str().is_some_and(|message| message.contains(word));
        if error[0] == "TabletopError" && error[1] == code && names_cause {
            Ok(())
        } else {
            Err(format!("{call}: {error}"))
        }
    };
    refused("tabletop.sample('nothing')", "not_found", "earthquakes")?;
    refused("tabletop.read(0, { filter: 'pas_all' })", "invalid_argument", "pass_all")?;
    refused("tabletop.design(9, { template: 'x' })", "not_found", "")?;
    refused("tabletop.load('a,b\\n1,2', { on_bad_line: 'ask' })", "invalid_argument", "skip")?;
    refused("tabletop.open({ version: 999 })", "invalid_argument", "")
}
