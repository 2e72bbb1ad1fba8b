//! The sources of events: samples, the user's own files and texts, the generator.

use std::path::PathBuf;

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, same};

pub const TESTS: &[Test] = &[
    Test { name: "data: a file is picked, and another one is dropped", run: picks_and_drops_files },
    Test {
        name: "data: a number that is typed while events arrive stays, also one that is refused",
        run: types_while_events_arrive,
    },
    Test {
        name: "data: a file leads to a question whose answer is compared",
        run: answers_what_is_looked_up,
    },
];

/// Each hour, one of 40 customers orders in one of 12 shops.
fn answers_what_is_looked_up(page: &Page) -> Result<()> {
    let line = |n: u32| {
        let (day, hour, random) = (1 + n / 24, n % 24, n.wrapping_mul(2_654_435_761) >> 16);
        let (customer, shop) = (random % 40, random / 40 % 12);
        format!("C{customer:02},S{shop:02},2024-01-{day:02}T{hour:02}:00:00Z,{}.5\n", random % 900)
    };
    let text = std::iter::once("customer,shop,at,euros\n".to_owned()).chain((0..720).map(line));
    let path = file("orders.csv", &text.collect::<String>())?;
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    page.find_named("button", "Choose a file")?.write(&path.to_string_lossy())?;
    page.until_text("720 events · orders.csv")?;
    page.until_text("What do you look up?")?;
    page.find("checkbox", "One customer")?;
    page.check_accessible_in_both_themes("the question what is looked up")?;
    // Plans may be long, as that of a reverse scan.
    let cut = "return [...document.querySelectorAll('.look-up .check > span')]
        .filter((name) => name.clientWidth < name.scrollWidth).map((name) => name.textContent);";
    same("names of patterns that are cut", page.browser.run(cut, json!([]))?, json!([]))?;
    page.find("combobox", "What do you look up?")?.choose("shop")?;
    page.until("the patterns are about shops", || Ok(page.find("checkbox", "One shop").is_ok()))?;
    page.click("link", "Compare")?;
    page.until_text("One shop")
}

const CSV: &str =
    "user,at,amount\nada,2024-01-01T09:00:00Z,10\nbob,2024-01-01T10:00:00Z\neve,2024-01-01T11:00:00Z,12\n";

fn picks_and_drops_files(page: &Page) -> Result<()> {
    let path = file("purchases.csv", CSV)?;
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    page.click("button", "Load the text")?;
    page.until_text("No text yet")?;
    page.find_named("button", "Choose a file")?.write(&path.to_string_lossy())?;
    page.until_text("2 events · purchases.csv")?;
    page.until_text("saved in this browser")?;
    drop_a_file(page)
}

/// A driver cannot drag from outside of the page, so a script sends the events that the browser
/// would send.
fn drop_a_file(page: &Page) -> Result<()> {
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

fn types_while_events_arrive(page: &Page) -> Result<()> {
    page.fresh_in_motion()?;
    page.open_pane(Pane::Data)?;
    for wrong in ["2000000", "-1"] {
        page.fill("Events", wrong)?;
        page.browser.press(&["Enter"])?;
        page.until_text("Enter a whole number from 1,000 to 1,000,000. 20,000 is still in use.")?;
        let before = page.visible_text()?;
        page.until("the page is drawn again", || Ok(page.visible_text()? != before))?;
        same("the field", page.field("Events")?.value()?.as_str(), wrong)?;
    }
    page.check_accessible("a number out of range")?;
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
    })?;
    same("events", page.api("(await tabletop.workspace()).source.generated.events")?, json!(20_000))
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
