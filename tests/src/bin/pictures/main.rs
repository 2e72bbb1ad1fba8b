//! `cargo xtask pictures`: takes the pictures of the README, light and dark. With a folder,
//! pictures of the page in its states, sizes and themes, for visual review; with a word, only the
//! states whose names contain it.

mod palette;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lexopt::{Arg, Parser, ValueExt};
use serde_json::json;
use tabletop_site_server::Server;
use tabletop_tests::browser::{Browser, Result, path_from};
use tabletop_tests::command_line;
use tabletop_tests::page::{Page, Pane};

/// Name, width, height.
const SIZES: [(&str, u32, u32); 4] =
    [("wide", 1440, 900), ("large", 2560, 1300), ("phone", 390, 844), ("small", 320, 568)];

/// A view of the page, and the actions that lead to it.
struct View {
    name: &'static str,
    /// The pane to show on a narrow page.
    pane: Pane,
    reach: fn(&Page) -> Result<()>,
}

const VIEWS: [View; 30] = [
    View { name: "first-paint", pane: Pane::Tablets, reach: first_paint },
    View { name: "loaded", pane: Pane::Tablets, reach: |_| Ok(()) },
    View { name: "mended", pane: Pane::Tablets, reach: mended },
    View { name: "samples", pane: Pane::Data, reach: samples },
    View { name: "map", pane: Pane::Tablets, reach: map },
    View { name: "own-bad-line", pane: Pane::Data, reach: own_bad_line },
    View { name: "design-warnings", pane: Pane::Design, reach: |_| Ok(()) },
    View { name: "design-mistake", pane: Pane::Design, reach: design_mistake },
    View { name: "design-chip", pane: Pane::Design, reach: design_chip },
    View { name: "query-filter", pane: Pane::Query, reach: query_filter },
    View { name: "results-facets", pane: Pane::Results, reach: results_facets },
    View { name: "results-empty", pane: Pane::Results, reach: results_empty },
    View { name: "compare-one", pane: Pane::Design, reach: compare_one },
    View { name: "compare-three", pane: Pane::Design, reach: compare_three },
    View { name: "compare-eight", pane: Pane::Design, reach: compare_eight },
    View { name: "scoreboard-empty", pane: Pane::Design, reach: scoreboard_empty },
    View { name: "scoreboard", pane: Pane::Design, reach: scoreboard },
    View { name: "scoreboard-limits", pane: Pane::Design, reach: scoreboard_limits },
    View { name: "tablet-rest", pane: Pane::Tablets, reach: tablet },
    View { name: "tablet-middle", pane: Pane::Tablets, reach: tablet_middle },
    View { name: "tablet-bytes", pane: Pane::Tablets, reach: tablet_bytes },
    View { name: "tablet-empty", pane: Pane::Tablets, reach: tablet_empty },
    View { name: "traffic", pane: Pane::Tablets, reach: traffic },
    View { name: "traffic-compared", pane: Pane::Tablets, reach: traffic_compared },
    View { name: "traffic-mistake", pane: Pane::Tablets, reach: traffic_mistake },
    View { name: "share", pane: Pane::Tablets, reach: share },
    View { name: "share-own", pane: Pane::Data, reach: share_own },
    View { name: "examples", pane: Pane::Tablets, reach: examples },
    View { name: "example-and-link", pane: Pane::Tablets, reach: example_and_link },
    View { name: "crash", pane: Pane::Tablets, reach: crash },
];

/// The theme and file of each picture of the README. The first one is also the preview of links to
/// the page.
const README: [(&str, &str); 2] = [("light", "www/tabletop.png"), ("dark", "www/tabletop-dark.png")];

/// What the command line requests.
enum Wanted {
    /// The pictures of the README, in the source folder.
    Readme,
    /// Pictures of the views whose names contain the word.
    Views { folder: PathBuf, word: String },
}

fn main() -> ExitCode {
    command_line::run("pictures [FOLDER [WORD]]", parse, |wanted| {
        let server = Server::start(&path_from("TABLETOP_DIST")?, 0, "/tabletop/")
            .map_err(|error| error.to_string())?;
        let browser = Browser::start()?;
        let page = Page::new(&browser, server.url(), String::new())?;
        match wanted {
            Wanted::Readme => take_readme(&page),
            Wanted::Views { folder, word } => take_views(&page, &folder, &word),
        }
    })
}

fn parse(parser: &mut Parser) -> std::result::Result<Option<Wanted>, lexopt::Error> {
    let (mut folder, mut word) = (None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(path) if folder.is_none() => folder = Some(path.into()),
            Arg::Value(text) if word.is_none() => word = Some(text.string()?),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    let views = |folder| Wanted::Views { folder, word: word.unwrap_or_default() };
    Ok(Some(folder.map_or(Wanted::Readme, views)))
}

/// The row keys that the README's pictures show in turn, for how many milliseconds, and what the page
/// says of them.
const KEYS: [(&str, u16, &str); 3] = [
    ("{timestamp:iso},{app_id},{user_token}", 2_500, "All current writes hit 1 of"),
    ("{app_id},{timestamp:iso},{user_token}", 2_500, "tablets can take writes at a time"),
    ("{app_id},{user_token},{timestamp:iso}", 3_500, "are spread over"),
];

/// Takes the pictures of the first example, in the middle of its events: a key that begins with the
/// time, and its hot tablet; then the key is edited, and the hot spot moves and is gone.
fn take_readme(page: &Page) -> Result<()> {
    page.fresh()?;
    let slider = page.find("slider", "Position in the events")?;
    slider.click()?;
    page.browser.press(&["PageUp"; 4])?;
    page.until("the table is at the slider's position", || {
        Ok(page.visible_text()?.replace(',', "").contains(&format!("{} of 20000 events", slider.value()?)))
    })?;
    let mut frames = README.map(|_| Vec::new());
    for (key, millis, text) in KEYS {
        if key != KEYS[0].0 {
            page.fill("Row key template", key)?;
        }
        page.until_text(text)?;
        // No element may be marked as focused or as below the pointer.
        page.browser.run("document.activeElement.blur()", json!([]))?;
        for ((theme, _), frames) in README.iter().zip(&mut frames) {
            show(page, theme)?;
            frames.push((page.browser.picture()?, millis));
        }
    }
    for ((_, file), frames) in README.iter().zip(frames) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
        write(&file, &palette::animated(&frames)?)?;
    }
    Ok(())
}

/// Changes the theme and waits until nothing moves.
fn show(page: &Page, theme: &str) -> Result<()> {
    page.browser.media(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")])?;
    let at_rest = "return document.getAnimations().length === 0";
    page.until("nothing moves", || Ok(page.browser.run(at_rest, json!([]))? == json!(true)))
}

fn write(file: &Path, picture: &[u8]) -> Result<()> {
    std::fs::write(file, picture).map_err(|error| format!("{}: {error}", file.display()))
}

fn take_views(page: &Page, folder: &Path, word: &str) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut failures = Vec::new();
    for view in VIEWS.iter().filter(|view| view.name.contains(word)) {
        page.fresh()?;
        let reached = (view.reach)(page);
        failures.extend(reached.err().map(|error| format!("{}: {error}", view.name)));
        for (size, width, height) in SIZES {
            page.browser.resize(width, height)?;
            page.open_pane(view.pane)?;
            if view.name.starts_with("scoreboard") {
                // Another layout of the page begins at its top.
                page.until("the section is there", || to_patterns(page).map(|()| true))?;
            }
            for theme in ["light", "dark"] {
                show(page, theme)?;
                write(&folder.join(format!("{}-{size}-{theme}.png", view.name)), &page.browser.picture()?)?;
            }
        }
        println!("{}", view.name);
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn first_paint(page: &Page) -> Result<()> {
    page.fresh_in_motion()?;
    page.until_text("All current writes hit 1 of")
}

fn mended(page: &Page) -> Result<()> {
    page.find_named("button", "Move timestamp to the end")?.click()?;
    page.until_text("are spread over")
}

fn samples(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    page.click("radio", "Sample")
}

/// Shows the points of a Z-order on their plane.
fn map(page: &Page) -> Result<()> {
    let template = "{zorder(longitude, latitude, bits=16, as=hex)},{time:iso},{id}";
    page.api(&format!("tabletop.sample('earthquakes', {{ template: '{template}' }})"))?;
    page.until_all_arrived()?;
    page.find_named("image", "1,707 points in").map(drop)
}

fn own_bad_line(page: &Page) -> Result<()> {
    page.open_pane(Pane::Data)?;
    page.click("radio", "My data")?;
    let text = "user,at,amount\nada,2024-01-01T09:00:00Z,10\nbob,2024-01-01T10:00:00Z\neve,2024-01-01T11:00:00Z,12\n";
    page.fill("Paste CSV with a header line, or JSON lines", text)?;
    page.click("button", "Load the text")?;
    page.until_text("1 line could not be read")
}

fn design_mistake(page: &Page) -> Result<()> {
    page.fill("Row key template", "{app_id},{usr_token},{timestamp:isoo}")?;
    page.until_text("Did you mean")
}

fn design_chip(page: &Page) -> Result<()> {
    page.fill("Row key template", "{salt(8)}-{user_token:hash(8)},{timestamp:reverse_time}")?;
    page.find_named("button", "Edit user_token")?.click()
}

fn query_filter(page: &Page) -> Result<()> {
    let filter = r#"chain(condition(value_regex("x.*"), then=pass_all, else=cells_per_row_limit(0)), interleave(strip_value, apply_label("again")))"#;
    page.fill("Filter as text", filter)?;
    page.until_text("argument must be positive")
}

fn results_facets(page: &Page) -> Result<()> {
    page.fill("Row key template", "{app_id},{user_token},{timestamp:iso}")?;
    page.click("radio", "Wide")?;
    let filter = r#"interleave(column_qualifier_regex(".*,brand"), column_qualifier_regex(".*,color"))"#;
    page.fill("Filter as text", filter)?;
    page.ask()?;
    page.until("rows came back", || Ok(page.figure("Rows returned")? > 0))?;
    page.browser.all_by_role("rowheader", "")?.first().ok_or("no row")?.click()?;
    page.browser.press(&["Enter"])
}

fn results_empty(page: &Page) -> Result<()> {
    page.fill("Filter as text", "value_regex(\"no such value\")")?;
    page.ask()?;
    page.until_text("No rows match")
}

fn compare_one(page: &Page) -> Result<()> {
    page.click("link", "Compare")?;
    page.until_text("Duplicate the design, then change")
}

fn compare_three(page: &Page) -> Result<()> {
    let add = "(async () => {
        await tabletop.design(0, { name: 'Time first' });
        await tabletop.design(1, { name: 'User, then time', template: '{user_token},{timestamp:iso},{app_id}' });
        await tabletop.design(2, { name: 'Salted, wide', template: '{salt(8)}-{timestamp:iso},{app_id},{user_token}',
            layout: { kind: 'wide', family_field: null } });
    })()";
    page.api(add)?;
    page.click("link", "Compare")?;
    page.until_text("3 designs")?;
    page.until("all is counted", || {
        Ok(!page.visible_text()?.contains("will change") && page.visible_text()?.contains("is best by"))
    })
}

fn compare_eight(page: &Page) -> Result<()> {
    compare_three(page)?;
    for _ in 3..8 {
        page.click("button", "Duplicate User, then time")?;
    }
    page.click("button", "Rename Salted, wide")?;
    page.fill("Name of the design", "Time first")?;
    page.until_text("Another design is named Time first.")
}

/// Scrolls the access patterns to the top.
fn to_patterns(page: &Page) -> Result<()> {
    page.browser.run("document.querySelector('.scoreboard').scrollIntoView()", json!([])).map(drop)
}

fn scoreboard_empty(page: &Page) -> Result<()> {
    compare_three(page)?;
    page.find("button", "Add all 6").map(drop)
}

fn scoreboard(page: &Page) -> Result<()> {
    compare_three(page)?;
    page.click("button", "Add all 6")?;
    page.until_text(" wins")
}

fn scoreboard_limits(page: &Page) -> Result<()> {
    scoreboard(page)?;
    page.click("button", "Limits of Everything in 1 hour")?;
    page.fill("Rows seen per row returned", "1")?;
    page.browser.press(&["Enter"])?;
    page.until_text("1 limit violated")
}

fn tablet(page: &Page) -> Result<()> {
    page.click("link", "Storage")?;
    page.until_text("Memtable")
}

fn tablet_middle(page: &Page) -> Result<()> {
    page.api("tabletop.design(0, { template: '{user_token},{timestamp:iso}' })")?;
    tablet(page)?;
    page.find("slider", "Position in the events")?.click()?;
    page.until("there are SSTables in the middle", || Ok(page.visible_text()?.contains("newer")))?;
    page.click("button", "Run the query")?;
    page.click("button", "Show the first one")?;
    page.until_text("read from")
}

fn tablet_bytes(page: &Page) -> Result<()> {
    tablet(page)?;
    page.find_named("button", "SSTable ")?.click()?;
    page.click("button", "Block 0")?;
    page.until_text("number of rows")
}

fn tablet_empty(page: &Page) -> Result<()> {
    page.api("tabletop.load('a,b\\n', { name: 'none.csv' }).catch(() => null)")?;
    page.click("link", "Storage")?;
    page.find("heading", "Inside a tablet").map(drop)
}

fn traffic(page: &Page) -> Result<()> {
    page.click("link", "Traffic")?;
    page.until_text("is executed")
}

fn traffic_compared(page: &Page) -> Result<()> {
    page.api("tabletop.design(1, { name: 'User first', template: '{user_token},{timestamp:iso}' })")?;
    traffic(page)?;
    page.browser.run(
        "const select = [...document.querySelectorAll('.traffic-top select')][0];
        select.value = '1'; select.dispatchEvent(new Event('change', { bubbles: true }))",
        json!([]),
    )?;
    page.until("both are simulated", || {
        Ok(page.browser.all_by_role("slider", "Position in time")?.len() == 1)
    })?;
    page.until_text("is executed")
}

fn traffic_mistake(page: &Page) -> Result<()> {
    traffic(page)?;
    page.fill("Name", "  ")?;
    page.until_text("Fix the traffic")
}

fn share(page: &Page) -> Result<()> {
    page.browser.run("navigator.clipboard.writeText = async () => {}", json!([]))?;
    page.click("button", "Share")?;
    page.click("button", "Copy link")?;
    page.until_text("Link copied")
}

fn share_own(page: &Page) -> Result<()> {
    page.api("tabletop.load('user,at\\nada,2024-01-01T09:00:00Z\\n', { name: 'orders.csv', template: '{user}#{at:iso}' })")?;
    page.until_text("1 event")?;
    page.click("button", "Share")?;
    page.until_text("Your events are not in the link.")
}

fn examples(page: &Page) -> Result<()> {
    page.click("button", "Examples")
}

/// Shows the note on an example, and the note on a workspace that was opened from a link.
fn example_and_link(page: &Page) -> Result<()> {
    page.fill("Row key template", "{user_token}")?;
    page.click("button", "Examples")?;
    page.click("button", "Algolia, narrow")?;
    page.click("button", "Share")?;
    let link = page.field("Link")?.value()?;
    page.click("button", "Close")?;
    page.click("button", "Undo")?;
    page.browser.open("about:blank")?;
    page.at(link).reopen()?;
    page.click("button", "Load all")?;
    page.until_all_arrived()?;
    page.until_text("This workspace came from a link.")
}

fn crash(page: &Page) -> Result<()> {
    page.stop_the_engine()?;
    page.until_text("The engine has stopped.")
}
