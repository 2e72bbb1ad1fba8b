//! axe-core finds no violation in any view, in both themes, and the page is usable at a width of
//! 320 pixels.

use serde_json::json;
use tabletop_tests::browser::Result;

use super::run::Test;
use tabletop_tests::page::{Page, Pane, WIDE, same};

pub const TESTS: &[Test] = &[
    Test { name: "accessibility: axe finds nothing on any view, light and dark", run: check_views },
    Test {
        name: "accessibility: axe finds nothing on what the page says about files, designs and objects",
        run: check_what_is_said,
    },
    Test { name: "accessibility: 320 pixels are wide enough", run: fits_small_screens },
    Test { name: "accessibility: targets are large enough", run: has_large_targets },
    Test { name: "accessibility: the theme is chosen and stored", run: keeps_the_theme },
];

fn check_views(page: &Page) -> Result<()> {
    page.check_accessible_in_both_themes("the first view")?;

    page.open_pane(Pane::Data)?;
    page.check_accessible_in_both_themes("the generator")?;
    page.click("radio", "Sample")?;
    page.check_accessible_in_both_themes("the samples")?;
    page.click("radio", "My data")?;
    page.fill("Paste CSV with a header line, or JSON lines", "user,at\nada,2024-01-01\nbob\n")?;
    page.click("button", "Load the text")?;
    page.until_text("1 line could not be read")?;
    page.find_named("DisclosureTriangle", "First events")?.click()?;
    page.check_accessible_in_both_themes("own data with a bad line")?;

    page.fresh()?;
    page.click("button", "Edit user_token")?;
    page.check_accessible_in_both_themes("a chip that is edited")?;
    page.fill("Row key template", "{user_tokn")?;
    page.until_text("Did you mean user_token?")?;
    page.check_accessible_in_both_themes("a template with a mistake")?;
    page.fill("Row key template", "{user_token},{timestamp:iso}")?;

    page.fill(
        "Filter as text",
        "chain(condition(pass_all, then=value_regex(\"x\")), cells_per_row_limit(0))",
    )?;
    page.until_text("argument must be positive")?;
    page.check_accessible_in_both_themes("a filter that is refused")?;
    page.fill("Filter as text", "interleave(pass_all, apply_label(\"again\"))")?;
    page.ask()?;
    page.browser.all_by_role("rowheader", "")?.first().ok_or("no row")?.click()?;
    page.browser.press(&["Enter"])?;
    page.check_accessible_in_both_themes("rows and one of them closely")?;
    page.fill("Filter as text", "block_all")?;
    page.ask()?;
    page.until_text("No rows match")?;
    page.check_accessible_in_both_themes("no rows")?;

    page.find_named("option", "Tablet 1 of")?.click()?;
    page.check_accessible_in_both_themes("a tablet")?;
    page.click("button", "Picture of the tablets")?;
    page.click("menuitem", "Table")?;
    page.check_accessible_in_both_themes("tablets as a table")?;
    page.click("button", "Menu")?;
    page.click("menuitem", "About")?;
    page.check_accessible_in_both_themes("about")?;
    page.click("button", "Close")?;
    page.click("button", "Share")?;
    page.check_accessible_in_both_themes("the link")?;
    page.click("button", "Close")?;
    page.click("button", "Examples")?;
    page.check_accessible_in_both_themes("the examples")?;
    page.click("button", "Newest first")?;
    page.find("note", "What to look at")?;
    page.check_accessible_in_both_themes("an example")?;
    page.click("button", "Undo")?;
    page.click("link", "Design")?;
    page.api("tabletop.load('a,b\\n1,x\\n', { name: 'kept.csv' })")?;
    page.click("button", "Menu")?;
    page.click("menuitem", "Data in this browser")?;
    page.until_text("1 event · ")?;
    page.click("button", "Delete")?;
    page.check_accessible_in_both_themes("the storage")?;
    page.click("button", "Close")?;

    check_shell_and_exports(page)?;

    page.click("link", "Compare")?;
    page.check_accessible_in_both_themes("one design in the comparison")?;
    page.click("button", "Duplicate Design 1")?;
    page.click("radio", "Wide")?;
    page.until_text("is best by these figures")?;
    page.check_accessible_in_both_themes("two designs in the comparison")?;
    page.click("button", "Rename Design 2")?;
    page.fill("Name of the design", "Design 1")?;
    page.until_text("Another design is named Design 1.")?;
    page.check_accessible_in_both_themes("a name of a design that cannot be used")?;
    page.click("button", "Cancel")?;
    page.browser.by_css(".scoreboard .tool-limits")?.click()?;
    page.until_text("blocks/s")?;
    page.check_accessible_in_both_themes("access patterns on designs")?;
    page.browser.resize(360, 740)?;
    page.check_accessible_in_both_themes("the comparison on a phone")?;
    page.click("link", "Design")?;

    for pane in Pane::ALL {
        page.open_pane(pane)?;
        page.check_accessible_in_both_themes(&format!("{pane:?} on a phone"))?;
    }
    page.click("button", "Examples")?;
    page.click("button", "Algolia, narrow")?;
    page.open_pane(Pane::Design)?;
    page.find("note", "What to look at")?;
    page.check_accessible("an example on a phone")
}

fn check_what_is_said(page: &Page) -> Result<()> {
    let enter = |field: &str, text: &str| {
        page.fill(field, text)?;
        page.browser.press(&["Enter"])
    };
    page.api(
        "tabletop.load('user,at\\nada,03/04/2025 02:02\\neve,05/06/2025 14:00\\n', { name: 'dates.csv' })",
    )?;
    page.open_pane(Pane::Data)?;
    page.until_text("03/04/2025 02:02 is 2025-04-03T02:02:00.000Z")?;
    page.check_accessible("a time format")?;
    enter("Time format of at", "%m/%d/%Y %q")?;
    page.until_text("%q is not a directive of a time format")?;
    page.check_accessible("a time format with a mistake")?;
    page.click("button", "Share")?;
    page.until_text("Your events are not in the link.")?;
    page.check_accessible("the dialog that shares own events")?;
    page.click("button", "Close")?;
    page.api(
        "(async () => tabletop.open({ ...await tabletop.workspace(),
            source: { own: { name: 'orders.csv', format: 'csv', fields: [], on_bad_line: 'skip' } } }))()",
    )?;
    page.until_text("This workspace needs the file orders.csv.")?;
    page.check_accessible("a file that is missing")?;

    page.fresh()?;
    page.api("tabletop.design(0, { template: '{user_token}', layout: { kind: 'row_per_entity', family_field: null } })")?;
    page.open_pane(Pane::Design)?;
    page.click("button", "Encoding, families, GC rules")?;
    enter("GC rule of click", "maxversions=1")?;
    page.until_text("Collects cells that are older than the newest version of their column.")?;
    page.check_accessible("GC rules")?;
    enter("GC rule of view", "maxversion=1")?;
    page.until_text("Did you mean maxversions?")?;
    page.check_accessible("a GC rule with a mistake")?;
    page.find("combobox", "Values of click")?.choose("Sum")?;
    page.find("combobox", "Encoding")?.choose("MessagePack")?;
    page.until_text("Filters cannot match values.")?;
    page.check_accessible("a family that aggregates, and values in MessagePack")?;
    page.click("radio", "Columns")?;
    page.find("group", "Column 7")?;
    enter("Qualifier of column 1", "{event")?;
    page.until_text("This brace is not closed")?;
    page.check_accessible("a column with a mistake")?;

    let load = "(async () => { const body = 'x'.repeat(40000), day = n => String(n + 1).padStart(2, '0');
        const large = Array.from({ length: 30 }, (_, n) => `large,2024-01-${day(n)}T00:00:00Z,${body}`);
        await tabletop.load(['id,at,body', ...large, ''].join('\\n'),
            { name: 'large.csv', template: '{id}', layout: { kind: 'wide', family_field: null } });
        return null; })()";
    page.api(load)?;
    page.open_pane(Pane::Query)?;
    page.ask()?;
    page.open_pane(Pane::Results)?;
    page.find("combobox", "Show")?.choose("Objects")?;
    page.until_text("is more than 1 MB")?;
    page.check_accessible("an object over 1 MB")?;
    page.click("button", "Examples")?;
    page.click("button", "An ad profile as an object")?;
    page.open_pane(Pane::Query)?;
    page.ask()?;
    page.open_pane(Pane::Results)?;
    page.until_text("Data types: 3 of 3 families with a message")?;
    page.check_accessible("an ad profile as an object")?;
    check_a_difference(page)
}

/// 2,000 events in 60 days. Events 1,000 and 1,001, on day 30, are of one user in two apps in the
/// same millisecond, so a key without the app makes a single cell of them.
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
    return null; })()";

/// Checks a migration that has found a difference between its tables.
fn check_a_difference(page: &Page) -> Result<()> {
    page.fresh()?;
    page.api(TWO_APPS)?;
    page.click("link", "Profiles")?;
    page.click("tab", "The migration, live")?;
    page.until_text("on a live stream of 2,000 events")?;
    page.find("combobox", "From")?.choose("Design 1")?;
    page.until("the other design is offered", || {
        page.find("combobox", "To")?.choose("Without the app").map(|()| true)
    })?;
    page.fill("Retention (days)", "10")?;
    page.browser.press(&["Enter"])?;
    for button in ["Start with the old table", "Write to both tables", "Backfill"] {
        page.until(&format!("{button} can be pressed"), || {
            Ok(page.find("button", button)?.property("disabled")? == json!(false))
        })?;
        page.click("button", button)?;
    }
    page.until_text("First difference: only the old table has the event of row books,ann,")?;
    page.check_accessible("a difference of two tables")
}

fn check_shell_and_exports(page: &Page) -> Result<()> {
    page.open_pane(Pane::Shell)?;
    page.check_accessible_in_both_themes("an empty shell")?;
    for command in ["ls", "raed t", "count nothing"] {
        page.fill("Shell command", command)?;
        page.browser.press(&["Enter"])?;
    }
    page.until_text("count nothing")?;
    page.fill("Shell command", "create")?;
    page.browser.press(&["Tab"])?;
    page.find("listbox", "Completions")?;
    page.check_accessible_in_both_themes("a shell with output, errors and completions")?;
    page.browser.press(&["Escape"])?;
    page.click("button", "Shell")?;
    page.click("button", "Save as")?;
    page.click("button", "Save")?;
    page.click("button", "Limits")?;
    page.find_named("button", "Query as")?.click()?;
    page.fill("Cells seen", "0")?;
    page.browser.press(&["Enter"])?;
    page.ask()?;
    page.check_accessible_in_both_themes("an access pattern that violates a limit")?;
    page.click("button", "Export to Bigtable…")?;
    page.find("button", "Download")?;
    page.check_accessible_in_both_themes("exports")?;
    page.click("button", "Close")
}

fn fits_small_screens(page: &Page) -> Result<()> {
    // A realistic template of that length, and one tablet among several.
    page.api(
        "tabletop.design(0, { template: '{salt(16, user_token)}-{app_id},{user_token:hash(8)},{timestamp:reverse_time}' })",
    )?;
    page.browser.resize(320, 640)?;
    for pane in Pane::ALL {
        page.open_pane(pane)?;
        let wide = page.browser.run(
            "const wide = document.scrollingElement.scrollWidth;
             if (wide <= innerWidth) return null;
             const widest = [...document.querySelectorAll('main *, header *')].filter(each => each.getBoundingClientRect().right > innerWidth + 1);
             return [wide, ...widest.slice(0, 3).map(each => each.outerHTML.slice(0, 100))];",
            json!([]),
        )?;
        if !wide.is_null() {
            return Err(format!("{pane:?} is wider than 320 pixels: {wide:#}"));
        }
    }
    page.click("link", "Compare")?;
    for _ in 1..4 {
        page.click("button", "Duplicate Design 1")?;
    }
    same(
        "the width of the comparison",
        page.browser.run("return document.scrollingElement.scrollWidth", json!([]))?,
        json!(320),
    )?;
    page.click("link", "Design")?;
    page.open_pane(Pane::Query)?;
    page.click("button", "Run")?;
    page.open_pane(Pane::Results)?;
    page.until("rows are shown", || Ok(!page.browser.all_by_role("row", "")?.is_empty()))?;
    page.browser.resize(WIDE.0, WIDE.1)
}

fn has_large_targets(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    for (width, height) in [WIDE, (360, 740)] {
        page.browser.resize(width, height)?;
        let small = page.browser.run(
            "const targets = document.querySelectorAll('button, select, input:not(.visually-hidden), textarea, summary, [role=radio], [role=tab]');
             return [...targets].filter(each => {
                 const target = each.type === 'checkbox' || each.type === 'radio' ? each.closest('label') ?? each : each;
                 const box = target.getBoundingClientRect();
                 return box.width > 0 && (box.width < 23.5 || box.height < 23.5);
             }).map(each => `${each.outerHTML.slice(0, 90)} ${each.getBoundingClientRect().width}x${each.getBoundingClientRect().height}`);",
            json!([]),
        )?;
        if small.as_array().is_none_or(|small| !small.is_empty()) {
            return Err(format!("smaller than 24 pixels: {small:#}"));
        }
    }
    Ok(())
}

fn keeps_the_theme(page: &Page) -> Result<()> {
    let ink = || page.browser.run("return getComputedStyle(document.body).color", json!([]));
    page.browser.media(&[("prefers-color-scheme", "light"), ("prefers-reduced-motion", "reduce")])?;
    let light = ink()?;
    page.click("button", "Menu")?;
    page.click("menuitem", "Dark theme")?;
    page.until("the page is dark", || Ok(ink()? != light))?;
    let dark = ink()?;
    page.reopen()?;
    page.until("the page is still dark", || Ok(ink()? == dark))?;
    page.click("button", "Menu")?;
    page.click("menuitem", "System theme")?;
    page.until("the page is light", || Ok(ink()? == light))
}
