//! The number of things in the first view, and the clicks that common tasks need.
//!
//! Clicks are counted from the first view of a first visit at 1440 x 900. Typing is not a click; a
//! choice in a browser's own list is one. "Before" is the page of 28 November 2026 with 63 tab stops
//! and 235 words.
//!
//! | task | before | now |
//! |---|---|---|
//! | cure the hot tablet with the best fix | 1 | 1 |
//! | compare the design with the one before that fix | 2 | 2 |
//! | let all events arrive | 1 | 1 |
//! | read the rows of one user | 2 | 2 |
//! | store one cell per facet | 1 | 1 |
//! | compare the design with its best fix | 2 | 2 |
//! | see what traffic does to the design | 1 | 1 |
//! | change the rate of that traffic, which was three screens below | 2 | 2 |
//! | export the design to a real Bigtable | 1 | 1 |
//! | open an example | 2 | 2 |

use std::cell::Cell;

use serde_json::{Value, json};
use tabletop_tests::browser::Result;
use tabletop_tests::page::{Page, WIDE, same};

use super::run::Test;

pub const TESTS: &[Test] = &[
    Test { name: "first view: it has few controls and words", run: is_simple },
    Test { name: "first view: ten tasks need few clicks", run: needs_few_clicks },
];

/// The maximum number of tab stops of the first view, and of elements that can take the focus at
/// all, such as the choices of a radio group.
const TAB_STOPS_MAX: usize = 45;
const FOCUSABLE_MAX: usize = 52;
/// The maximum number of words, half of those that the view once had. Row keys, values and other
/// texts in the monospaced face do not count.
const WORDS_MAX: usize = 140;

/// Returns the names of the tab stops on the screen, the number of elements that can take the
/// focus, and the words on the screen.
const COUNT: &str = r"
    const isSeen = box => box.width > 0 && box.height > 0 && box.top < innerHeight && box.bottom > 0 && box.left < innerWidth && box.right > 0;
    const isShown = element => element.checkVisibility({ visibilityProperty: true }) && isSeen(element.getBoundingClientRect());
    const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]')]
        .filter(element => isShown(element) && !element.disabled && !element.closest('[inert]'));
    const stops = controls.filter(element => element.tabIndex >= 0);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const words = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(text);
        const parent = text.parentElement;
        if (parent.closest('.visually-hidden') || !isShown(parent) || !isSeen(range.getBoundingClientRect()) || getComputedStyle(parent).fontFamily.includes('mono')) continue;
        words.push(...text.data.split(/\s+/).filter(word => /\p{L}/u.test(word)));
    }
    return [stops.map(stop => stop.getAttribute('aria-label') || stop.innerText || stop.tagName), controls.length, words];";

fn is_simple(page: &Page) -> Result<()> {
    page.first_visit(WIDE)?;
    // The fixes are measured, and rows are shown.
    page.find("button", "Move timestamp to the end")?;
    page.find_named("grid", "Cells of")?;
    page.find("button", "Copy or download")?;
    let found = page.browser.run(COUNT, json!([]))?;
    let [stops, focusable, words] = [&found[0], &found[1], &found[2]];
    let count = |list: &Value| list.as_array().map_or(usize::MAX, Vec::len);
    println!("first view: {} tab stops, {focusable} focusable, {} words", count(stops), count(words));
    let checks = [
        ("tab stops", count(stops), TAB_STOPS_MAX, stops),
        (
            "elements that can take the focus",
            focusable.as_u64().unwrap_or(u64::MAX) as usize,
            FOCUSABLE_MAX,
            stops,
        ),
        ("words", count(words), WORDS_MAX, words),
    ];
    for (what, found, most, list) in checks {
        if found > most {
            return Err(format!("the first view has {found} {what}, of at most {most}: {list}"));
        }
    }
    same("a page without controls is not simple", count(stops) > 20, true)
}

/// Counts the clicks of a task.
struct Clicks<'a> {
    page: &'a Page<'a>,
    count: Cell<u32>,
}

impl Clicks<'_> {
    fn on(&self, role: &str, name: &str) -> Result<()> {
        self.count.set(self.count.get() + 1);
        self.page.click(role, name)
    }
}

/// A task: what it is, the clicks that it needed before, and how it is done now.
type Task = (&'static str, u32, fn(&Clicks) -> Result<()>);

const TASKS: [Task; 10] = [
    ("cure the hot tablet with the best fix", 1, |clicks| {
        clicks.on("button", "Move timestamp to the end")?;
        clicks.page.until_text("are spread over")
    }),
    ("compare the design with the one before that fix", 2, |clicks| {
        clicks.on("button", "Move timestamp to the end")?;
        clicks.on("button", "Compare with the key before")?;
        clicks.page.find("heading", "Compare designs").map(drop)
    }),
    ("let all events arrive", 1, |clicks| {
        clicks.on("button", "Load all")?;
        clicks.page.until_all_arrived()
    }),
    ("read the rows of one user", 2, |clicks| {
        clicks.on("button", "Query")?;
        clicks.on("radio", "Fields")?;
        clicks.page.until("a field has the focus", || {
            Ok(["app_id", "user_token"].contains(&clicks.page.browser.focused()?.name()?.as_str()))
        })
    }),
    ("store one cell per facet", 1, |clicks| {
        clicks.on("radio", "Wide")?;
        clicks.page.until_text("One cell per facet")
    }),
    ("compare the design with its best fix", 2, |clicks| {
        clicks.on("link", "Compare")?;
        clicks.on("button", "Compare with: Move timestamp to the end")?;
        clicks.page.find("button", "Edit Move timestamp to the end").map(drop)
    }),
    ("see what traffic does to the design", 1, |clicks| {
        clicks.on("link", "Traffic")?;
        clicks.page.find("heading", "Nodes").map(drop)
    }),
    ("change the rate of that traffic", 2, |clicks| {
        clicks.on("link", "Traffic")?;
        clicks.page.find("heading", "Streams")?;
        let rates = clicks.page.browser.all_by_role("spinbutton", "Per second")?;
        let rate = rates.first().ok_or("the first stream has a rate")?;
        clicks.count.set(clicks.count.get() + 1);
        rate.click()?;
        rate.fill("2000")?;
        clicks.page.browser.press(&["Enter"])?;
        clicks.page.until("the traffic has the rate", || {
            let streams = clicks.page.api("(await tabletop.workspace()).traffic?.streams")?;
            Ok(streams[0]["per_second"] == json!(2000))
        })
    }),
    ("export the design to a real Bigtable", 1, |clicks| {
        clicks.on("button", "Export to Bigtable…")?;
        clicks.page.find("dialog", "Export to Bigtable").map(drop)
    }),
    ("open an example", 2, |clicks| {
        clicks.on("button", "Examples")?;
        clicks.on("button", "Salt of the whole key")?;
        clicks.page.find("note", "What to look at").map(drop)
    }),
];

fn needs_few_clicks(page: &Page) -> Result<()> {
    for (task, before, run) in TASKS {
        page.first_visit(WIDE)?;
        page.find("button", "Move timestamp to the end")?;
        let clicks = Clicks { page, count: Cell::new(0) };
        run(&clicks).map_err(|error| format!("{task}: {error}"))?;
        println!("{task}: {} clicks, {before} before", clicks.count.get());
        if clicks.count.get() > before {
            return Err(format!("{task}: {} clicks, of {before} before", clicks.count.get()));
        }
    }
    Ok(())
}
