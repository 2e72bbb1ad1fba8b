//! The sources of events: samples, the user's own files and texts, the generator.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "data: each sample is picked, loaded and keyed", run: picks_each_sample },
    Test { name: "data: the user's CSV with a bad line, skipped or stopping", run: reads_csv },
    Test { name: "data: the user's JSON lines, pasted", run: reads_json },
    Test { name: "data: a text without records says so", run: refuses_a_text_without_records },
    Test {
        name: "data: dates as people write them are times, and their format can be changed",
        run: reads_dates,
    },
    Test { name: "data: a number out of range stays, is explained and has no effect", run: refuses_numbers },
    Test { name: "data: a file without events says why there is no table", run: explains_no_events },
    Test { name: "data: a detected type is corrected", run: corrects_kinds },
    Test { name: "data: a file is picked", run: picks_a_file },
    Test { name: "data: a file is dropped", run: drops_a_file },
    Test { name: "data: a long load shows progress and is cancelled", run: cancels },
    Test { name: "data: the generator's settings", run: generates },
    Test { name: "data: a number is typed while events arrive", run: types_while_events_arrive },
];

const CSV: &str =
    "user,at,amount\nada,2024-01-01T09:00:00Z,10\nbob,2024-01-01T10:00:00Z\neve,2024-01-01T11:00:00Z,12\n";

fn picks_each_sample(page: &Page) -> Result<()> {
    let samples =
        page.api("(await tabletop.ready).map(sample => [sample.name, sample.title, sample.events])")?;
    for sample in samples.as_array().into_iter().flatten() {
        let (name, title) = (sample[0].as_str().unwrap_or_default(), sample[1].as_str().unwrap_or_default());
        page.open_pane(Pane::Data)?;
        page.click("radio", "Sample")?;
        page.find_named("radio", title)?.click()?;
        page.until(&format!("{name} is loaded"), || {
            let loaded = page
                .api("[(await tabletop.workspace()).source.sample, (await tabletop.read(0, { rows_limit: 1 })).rows.length]")?;
            Ok(loaded == json!([name, 1]))
        })?;
        page.until_all_arrived()?;
        page.until("the number of its events is shown", || {
            let count = sample[2].as_u64().unwrap_or_default();
            Ok(page.visible_text()?.replace(',', "").contains(&format!("{count} of {count} events")))
        })?;
        let template = page.find("textbox", "Row key template")?;
        same("what is wrong with its template", template.attribute("aria-invalid")?.as_str(), "false")?;
    }
    Ok(())
}

fn reads_csv(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    page.fill("Paste CSV with a header line, or JSON lines", CSV)?;
    page.click("button", "Load the text")?;
    page.until_text("1 line could not be read")?;
    // The second event has too few fields: the position is the end of the record.
    page.until_text("Line 3, column 25: ")?;
    page.until_text("2 events · 3 fields")?;
    // A note about a type is not a lost line, and disappears when the type is set.
    page.fill("Paste CSV with a header line, or JSON lines", &format!("{CSV}zoe,soon,13\n"))?;
    page.click("button", "Load the text")?;
    page.until_text("at begins with times, but \"soon\" differs from ISO 8601: the field is read as text.")?;
    page.until_text("1 line could not be read")?;
    page.find("combobox", "Type of at")?.choose("Time")?;
    page.until("the note has disappeared", || Ok(!page.visible_text()?.contains("is read as text")))?;
    page.until_text("1 line could not be read")?;
    page.fill("Paste CSV with a header line, or JSON lines", CSV)?;
    page.click("button", "Load the text")?;
    page.until_text("2 events · 3 fields")?;
    page.click("radio", "Stop")?;
    page.until_text("1 event · 3 fields")?;
    page.click("radio", "Skip")?;
    page.until_text("2 events · 3 fields")
}

fn reads_json(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    let text = "{\"who\":\"ada\",\"when\":\"2024-01-01\",\"n\":1}\n{\"who\":\"bob\",\"when\":\"2024-01-02\",\"n\":2}\n";
    page.fill("Paste CSV with a header line, or JSON lines", text)?;
    page.click("button", "Load the text")?;
    page.until_text("2 events · 3 fields")?;
    page.until("the template names the new fields", || {
        Ok(page.find("textbox", "Row key template")?.value()?.contains("{who}"))
    })?;
    page.until("rows can be read", || Ok(page.api("(await tabletop.read(0, {})).rows.length")? == json!(2)))
}

fn refuses_a_text_without_records(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    page.click("button", "Load the text")?;
    page.until_text("No text yet")?;
    page.fill("Paste CSV with a header line, or JSON lines", "user,at,amount\n")?;
    page.click("button", "Load the text")?;
    page.until_text("There is a header line and no record below it.")?;
    page.fill("Paste CSV with a header line, or JSON lines", CSV)?;
    page.click("button", "Load the text")?;
    page.until_text("2 events · 3 fields")
}

fn corrects_kinds(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    page.fill("Paste CSV with a header line, or JSON lines", "shop,at\n01234,2024-01-01\n99,2024-01-02\n")?;
    page.click("button", "Load the text")?;
    page.until_text("2 events · 2 fields")?;
    let kind = "(await tabletop.workspace()).source.own.fields[0].kind";
    page.find("combobox", "Type of shop")?.choose("Integer")?;
    page.until("the kind is an integer", || Ok(page.api(kind)? == json!("int")))?;
    page.fill("Row key template", "{shop:pad(6)}#{at}")?;
    page.until("its text is padded", || {
        Ok(page.api("(await tabletop.read(0, {})).rows.map(row => row.key)")?
            == json!(["000099#2024-01-02", "001234#2024-01-01"]))
    })?;
    page.find("combobox", "Type of shop")?.choose("Text")?;
    page.until("the kind is text", || Ok(page.api(kind)? == json!("text")))
}

fn reads_dates(page: &Page) -> Result<()> {
    page.api(
        "tabletop.load('user,at\\nada,03/04/2025 02:02\\neve,05/06/2025 14:00\\n', { name: 'dates.csv' })",
    )?;
    page.open_pane(Pane::Data)?;
    page.until_text("can be read as %d/%m/%Y %H:%M and as %m/%d/%Y %H:%M")?;
    page.until_text("03/04/2025 02:02 is 2025-04-03T02:02:00.000Z")?;
    page.fill("Row key template", "{at:iso}#{user}")?;
    let key = "(await tabletop.read(0, { rows_limit: 1 })).rows[0].key";
    page.until("the day comes first", || Ok(page.api(key)? == json!("2025-04-03T02:02:00.000Z#ada")))?;
    page.check_accessible("a time format")?;
    page.fill("Time format of at", "%m/%d/%Y %q")?;
    page.browser.press(&["Enter"])?;
    page.until_text("%q is not a directive of a time format")?;
    page.check_accessible("a time format with a mistake")?;
    page.fill("Time format of at", "%m/%d/%Y %H:%M")?;
    page.browser.press(&["Enter"])?;
    page.until("the month comes first", || Ok(page.api(key)? == json!("2025-03-04T02:02:00.000Z#ada")))?;
    page.until("the note has disappeared", || Ok(!page.visible_text()?.contains("can be read as")))?;
    page.fill("Time format of at", "%d.%m.%Y")?;
    page.browser.press(&["Enter"])?;
    page.until_text("No rows: no event could be written")?;
    page.fill("Time format of at", "")?;
    page.browser.press(&["Enter"])?;
    page.until("the format is detected again", || {
        Ok(page.api(key)? == json!("2025-04-03T02:02:00.000Z#ada"))
    })?;
    page.until_text("can be read as %d/%m/%Y %H:%M and as %m/%d/%Y %H:%M")
}

fn refuses_numbers(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    for wrong in ["2000000", "-1"] {
        page.fill("Events", wrong)?;
        page.browser.press(&["Enter"])?;
        page.until_text("Enter a whole number from 1,000 to 1,000,000. 20,000 is still in use.")?;
        same("the field", page.field("Events")?.value()?.as_str(), wrong)?;
    }
    page.check_accessible("a number out of range")?;
    same("events", page.api("(await tabletop.workspace()).source.generated.events")?, json!(20_000))
}

/// Neither the template nor a read is the cause, so neither is mentioned.
fn explains_no_events(page: &Page) -> Result<()> {
    for (text, headline) in [
        ("", "No events: the file is empty"),
        ("\\u0000\\uffff", "No events: nothing in the file could be read"),
    ] {
        page.api(&format!("tabletop.load(\"{text}\", {{ name: 'nothing.csv' }}).catch(() => null)"))?;
        page.until_text(headline)?;
        let text = page.visible_text()?;
        if text.contains("The read failed") || text.contains("Fix the row key") {
            return Err(format!("the page names another cause: {text}"));
        }
    }
    // An invalid template is reported even then.
    page.fill("Row key template", "{user")?;
    page.until_text("This brace is not closed")
}

fn picks_a_file(page: &Page) -> Result<()> {
    let path = file("purchases.csv", CSV)?;
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    page.find_named("button", "Choose a file")?.write(&path.to_string_lossy())?;
    page.until_text("2 events · purchases.csv")?;
    page.fill("Row key template", "{user}#{at:iso}")?;
    page.until("the rows have the new key", || {
        let keys = page.api("(await tabletop.read(0, {})).rows.map(row => row.key)")?;
        Ok(keys == json!(["ada#2024-01-01T09:00:00.000Z", "eve#2024-01-01T11:00:00.000Z"]))
    })?;
    page.until_text("saved in this browser")
}

/// A driver cannot drag from outside of the page, so a script sends the events that the browser
/// would send.
fn drops_a_file(page: &Page) -> Result<()> {
    let drag = "const items = new DataTransfer();
        items.items.add(new File([arguments[0]], 'dropped.csv', { type: 'text/csv' }));
        for (const kind of arguments[1]) {
            const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: items });
            (document.querySelector('.drop-overlay') ?? document.body).dispatchEvent(event);
        }";
    page.browser.run(drag, json!([CSV, ["dragenter", "dragover"]]))?;
    page.until_text("Drop the file to load its events.")?;
    page.browser.run(drag, json!([CSV, ["drop"]]))?;
    page.until_text("2 events · dropped.csv")?;
    page.until("the overlay has disappeared", || Ok(!page.visible_text()?.contains("Drop the file")))
}

fn cancels(page: &Page) -> Result<()> {
    let mut text = String::from("user,at,page\n");
    for index in 0..1_500_000 {
        writeln!(text, "user{},{},/shop/{}", index % 9_973, 1_700_000_000 + index, index % 211)
            .expect("writing to a string cannot fail");
    }
    let path = file("long.csv", &text)?;
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    page.find_named("button", "Choose a file")?.write(&path.to_string_lossy())?;
    page.find("progressbar", "Loading events")?;
    page.click("button", "Cancel the load")?;
    page.until_text("load cancelled")?;
    std::fs::remove_file(path).map_err(|error| error.to_string())?;
    page.until("the events that were read can be queried", || {
        let rows = page.api("(await tabletop.read(0, { rows_limit: 5 })).rows.length")?;
        Ok(rows == json!(5))
    })
}

fn generates(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    page.fill("Events", "2000")?;
    page.browser.press(&["Enter"])?;
    page.until_text("of 2,000 events")?;
    page.click("button", "Load all")?;
    page.until_text("2,000 of 2,000 events")?;
    let first = page.api("(await tabletop.read(0, { rows_limit: 3 })).rows")?;
    page.fill("Seed", "7")?;
    page.browser.press(&["Enter"])?;
    page.until("there are other events", || {
        Ok(page.api("(await tabletop.read(0, { rows_limit: 3 })).rows")? != first)
    })?;
    page.click("button", "Undo")?;
    page.until("the same seed makes the same events", || {
        Ok(page.api("(await tabletop.read(0, { rows_limit: 3 })).rows")? == first)
    })
}

fn types_while_events_arrive(page: &Page) -> Result<()> {
    page.fresh_in_motion()?;
    page.open_pane(Pane::Data)?;
    let field = page.field("Seed")?;
    field.fill("4")?;
    let before = page.visible_text()?;
    page.until("the page is drawn again", || Ok(page.visible_text()? != before))?;
    page.browser.press(&["2"])?;
    let before = page.visible_text()?;
    page.until("the page is drawn again", || Ok(page.visible_text()? != before))?;
    same("what was typed", field.value()?.as_str(), "42")?;
    page.browser.press(&["Enter"])?;
    page.until("the number is used", || {
        Ok(page.api("(await tabletop.workspace()).source.generated.seed")? == json!("42n"))
    })
}

/// A file to pick.
fn file(name: &str, text: &str) -> Result<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("e2e-files");
    let path = folder.join(name);
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|error| error.to_string())?;
    Ok(path)
}
