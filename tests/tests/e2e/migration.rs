//! A migration in the page: what GC removes during it, and a difference between the two tables.

use serde_json::json;
use tabletop_tests::browser::Result;
use tabletop_tests::page::{Page, same};

use super::profiles::{BOTH_WRITTEN, SWITCHED, arrived, open_with_few, press, until_at_last, until_equal};
use super::run::Test;

pub const TESTS: &[Test] = &[
    Test {
        name: "profiles: rows that GC removes during a migration are counted in its dashboard",
        run: counts_what_gc_removes,
    },
    Test {
        name: "profiles: a migration names a difference of its tables, and copies and compares again",
        run: names_a_difference,
    },
    Test {
        name: "profiles: a stored migration of other events is replaced when that is confirmed",
        run: asks_before_it_replaces,
    },
];

/// What the dashboard shows at one moment for the old and the new table; `None` where it does not
/// show a number.
#[derive(Debug)]
struct Figures {
    rows: [Option<u64>; 2],
    removed: [Option<u64>; 2],
    arrived: u64,
}

/// Reads the dashboard of a migration that keeps ten days.
fn figures(page: &Page) -> Result<Figures> {
    let table = page.find("table", "The two tables")?;
    let read = "const number = text => { const digits = text.replace(/\\D/g, ''); return digits === '' ? null : Number(digits); };
        const line = name => [...arguments[0].querySelectorAll('tbody tr')].find(line => line.cells[0].textContent === name);
        const both = name => [...line(name).cells].slice(1).map(cell => number(cell.textContent));
        const arrived = [...document.querySelectorAll('.profiles-migration dt')].find(term => term.textContent === 'Events arrived');
        return [both('Rows'), both('Rows removed by GC, older than 10 days'), number(arrived.nextElementSibling.textContent)]";
    let found = page.browser.run(read, json!([table.as_argument()]))?;
    let (rows, removed, arrived) = serde_json::from_value(found).map_err(|error| error.to_string())?;
    Ok(Figures { rows, removed, arrived })
}

/// Lets three days pass in a second of the stream.
fn slow_down(page: &Page) -> Result<()> {
    let rate = "Stream events per second";
    page.fill(rate, "100")?;
    page.browser.press(&["Enter"])?;
    page.until_value(rate, "100")
}

fn counts_what_gc_removes(page: &Page) -> Result<()> {
    // A round of the stream has 60 days, and 36 of them are written before it begins.
    open_with_few(page)?;
    page.until_text("on a live stream of 2,000 events")?;
    page.fill("Retention (days)", "10")?;
    page.browser.press(&["Enter"])?;
    press(page, "Start with the old table")?;
    slow_down(page)?;
    press(page, "Start the stream")?;
    page.until("GC has removed rows of the old table", || Ok(figures(page)?.removed[0] > Some(500)))?;
    press(page, "Pause the stream")?;
    let until_all = |what: &str, table: usize| {
        page.until(&format!("each event is a row of the {what} table, or one that GC has removed"), || {
            let Figures { rows, removed, arrived } = figures(page)?;
            let all = rows[table]
                .zip(removed[table].filter(|removed| *removed > 500))
                .map(|(rows, removed)| rows + removed);
            same("rows and removed ones", all, Some(arrived)).map(|()| true)
        })
    };
    until_all("old", 0)?;
    same("rows of a new table that is not there", figures(page)?.rows[1], None)?;
    // Events that GC may remove are neither copied nor compared, so they are not a difference.
    press(page, "Write to both tables")?;
    page.until_text(BOTH_WRITTEN)?;
    let missing = || Ok::<bool, String>(page.visible_text()?.contains("Rows not yet in the new table"));
    page.until("the dashboard counts rows that the new table lacks", missing)?;
    press(page, "Backfill")?;
    until_equal(page)?;
    page.until("the comparison alone says that none is missing", || Ok(!missing()?))?;
    until_all("old", 0)?;
    // Events that the new table lacks may simply not have been copied yet, as long as reads do not
    // use it.
    let Figures { rows, removed, .. } = figures(page)?;
    same(
        "the new table has rows, and none of them counts as removed",
        (rows[1] > Some(0), removed[1]),
        (true, None),
    )?;
    press(page, "Read from the new table")?;
    page.until_text(SWITCHED)?;
    until_all("new", 1)
}

/// 2,000 events in 60 days. Events 1,000 and 1,001, on day 30, are of one user in two apps in the
/// same millisecond, so a key without the app makes a single cell of them. Two designs have such a
/// key; one of them keeps the app in its values.
const TWO_APPS: &str = "(async () => {
    const line = (_, at) => {
        const is_ann = at === 1000 || at === 1001, time = new Date(Date.UTC(2024, 0, 1) + (is_ann ? 1000 : at) * 2592000);
        const [app, brand] = at % 2 ? ['shoes', 'Sony'] : ['books', 'Apple'];
        return `${app},${is_ann ? 'ann' : `user-${at % 50}`},${time.toISOString()},click,search,brand:${brand}|color:Black`;
    };
    const lines = ['app_id,user_token,timestamp,event_type,event_name,facets', ...Array.from({ length: 2000 }, line), ''];
    await tabletop.load(lines.join('\\n'), { name: 'two-apps.csv', template: '{app_id},{user_token},{timestamp:iso}' });
    await tabletop.design(1, { name: 'Without the app', template: '{user_token},{timestamp:iso}',
        layout: { kind: 'row_per_entity', family_field: null } });
    await tabletop.design(2, { name: 'Loses the app', template: '{user_token},{timestamp:iso}',
        layout: { kind: 'wide', family_field: null } });
    return null; })()";

fn names_a_difference(page: &Page) -> Result<()> {
    page.api(TWO_APPS)?;
    page.click("link", "Profiles")?;
    page.until_text("on a live stream of 2,000 events")?;
    page.find("combobox", "From")?.choose("Design 1")?;
    let choose = |name: &str| {
        page.until(&format!("{name} is offered"), || page.find("combobox", "To")?.choose(name).map(|()| true))
    };
    choose("Loses the app")?;
    page.fill("Retention (days)", "10")?;
    page.browser.press(&["Enter"])?;
    press(page, "Start with the old table")?;
    page.until_text("The table of Loses the app would lose app_id, which the row key of Design 1 needs")?;
    choose("Without the app")?;
    press(page, "Start with the old table")?;
    page.until_text("From Design 1 to Without the app")?;
    press(page, "Write to both tables")?;
    page.until_text(BOTH_WRITTEN)?;
    press(page, "Backfill")?;
    let difference = "First difference: only the old table has the event of row books,ann,2024-01-31T00:00:00.000Z: \
                      app_id books, user_token ann, ";
    until_at_last(page, difference)?;
    same(
        "buttons that switch reads",
        page.browser.all_by_role("button", "Read from the new table")?.len(),
        0,
    )?;
    page.check_accessible("a difference of two tables")?;
    // Ten days later, GC may remove both events. They come again with event 3,000, in the next
    // round.
    slow_down(page)?;
    press(page, "Start the stream")?;
    page.until("it is day 42", || Ok(arrived(page)? >= Some(1_400)))?;
    press(page, "Pause the stream")?;
    same("the difference is still there", page.visible_text()?.contains(difference), true)?;
    press(page, "Copy and compare again")?;
    until_equal(page)?;
    page.until_text("No differences:")?;
    same("a difference is shown", page.visible_text()?.contains("First difference"), false)?;
    same("the next round has come to both events", arrived(page)? >= Some(3_000), false)
}

fn asks_before_it_replaces(page: &Page) -> Result<()> {
    open_with_few(page)?;
    press(page, "Start with the old table")?;
    page.until_text("Both tables and the current step are stored in this browser")?;
    let other = "(async () => { const workspace = await tabletop.workspace();
        workspace.source = { generated: { ...workspace.source.generated, events: 1000 } };
        await tabletop.open(workspace); return null; })()";
    page.api(other)?;
    page.until_text("on a live stream of 1,000 events")?;
    press(page, "Start with the old table")?;
    let what = "This browser stores a migration of other events, from “Design 1” to “Design 1, Wide”: ";
    page.until_text(what)?;
    page.check_accessible("the question whether a migration is replaced")?;
    press(page, "Keep")?;
    page.until("the question has disappeared", || Ok(!page.visible_text()?.contains(what)))?;
    press(page, "Start with the old table")?;
    press(page, "Replace it")?;
    page.find("button", "Write to both tables").map(drop)
}
