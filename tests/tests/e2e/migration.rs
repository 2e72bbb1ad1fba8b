//! A migration in the page that finds a difference between the two tables.

use tabletop_tests::browser::Result;
use tabletop_tests::page::{Page, same};

use super::profiles::{BOTH_WRITTEN, press, until_at_last};
use super::run::Test;

pub const TESTS: &[Test] =
    &[Test { name: "profiles: a migration names a difference of its tables", run: names_a_difference }];

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
    page.check_accessible("a difference of two tables")
}
