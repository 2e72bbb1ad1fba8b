//! A migration: it is paused, undone, counts what GC removes, and names a difference.

use tabletop_keys::{Layout, LayoutKind};
use tabletop_texts::locale;
use tabletop_workspace::{Design, Source, ViewId};

use super::Page;
use super::drawn::Drawn;
use super::story::Story;
use crate::views::profiles::migration::{MigrationProps, MigrationView, Msg};

const KEY: &str = "{app_id},{user_token},{timestamp:iso}";
const BOTH_WRITTEN: &str = "Both tables are written. Older events are in the old one only.";
const EQUAL: &str = "Both tables hold the same events. Reads are from the old one.";
const SWITCHED: &str = "Reads are from the new table. Both are written.";

fn open(mut page: Page) -> Story<MigrationView> {
    page.show(ViewId::Profiles);
    Story::open(page, |state, actions| MigrationProps {
        workspace: state.workspace.clone(),
        design: state.design,
        events: state.view.events_total,
        jobs: actions.jobs.clone(),
        locale: locale(),
    })
}

fn open_with_few() -> Story<MigrationView> {
    open(Page::with(|_| {}))
}

/// Presses buttons one after the other.
fn press(story: &mut Story<MigrationView>, buttons: &[&str]) -> Drawn {
    buttons.iter().for_each(|button| story.press(button));
    story.draw()
}

/// Lets the stream arrive until this many events have, as its timer does.
fn stream(story: &mut Story<MigrationView>, events: u64) {
    story.press("Start the stream");
    while arrived(&story.draw()) < events {
        story.send(Msg::Next);
    }
    story.press("Pause the stream");
}

fn number(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn arrived(drawn: &Drawn) -> u64 {
    let at = drawn.texts("dt").iter().position(|term| term == "Events arrived").expect("a figure");
    number(&drawn.texts("dd")[at]).expect("a number")
}

/// Returns what the dashboard shows for the old and the new table; `None` for no number.
fn both(drawn: &Drawn, name: &str) -> [Option<u64>; 2] {
    let line = drawn.rows("table tbody tr").into_iter().find(|line| line[0] == name);
    let line = line.unwrap_or_else(|| panic!("no line {name}"));
    [number(&line[1]), number(&line[2])]
}

#[test]
fn a_backfill_is_paused_and_resumed() {
    let mut story = open_with_few();
    assert!(story.draw().says("on a live stream of 2,000 events"));
    story.fill("Retention (days)", "60").expect("days");
    assert!(press(&mut story, &["Start with the old table"]).says("Rows removed by GC, older than 60 days"));
    assert!(press(&mut story, &["Write to both tables"]).says(BOTH_WRITTEN));
    story.press_both("Backfill", "Pause the backfill");
    assert!(!story.draw().says(EQUAL));
    let drawn = press(&mut story, &["Resume the backfill"]);
    assert!(drawn.says(EQUAL) && drawn.says("No differences:"));
    let rate = "Stream events per second";
    let refused = Err("Enter a whole number from 50 to 5,000.".to_owned());
    assert_eq!(story.fill(rate, "10"), refused);
    story.fill(rate, "2000").expect("a rate");
    story.draw();
    assert_eq!(story.fill(rate, "10"), refused);
    let before = arrived(&story.draw());
    stream(&mut story, before + 1);
    assert!(story.draw().says(EQUAL));
}

#[test]
fn a_migration_is_undone_and_tried_again() {
    let mut story = open_with_few();
    let undone = press(
        &mut story,
        &["Start with the old table", "Write to both tables", "Backfill", "Undo the migration"],
    );
    assert!(undone.says("Only the old table is written."));
    assert!(press(&mut story, &["Write to both tables", "Backfill"]).says(EQUAL));
    assert!(press(&mut story, &["Read from the new table"]).says(SWITCHED));
    assert!(press(&mut story, &["Read from the old table again"]).says(EQUAL));
}

#[test]
fn rows_that_gc_removes_are_counted() {
    // A round of the stream has 60 days, and 36 of them are written before it begins.
    let mut story = open_with_few();
    story.fill("Retention (days)", "10").expect("days");
    story.press("Start with the old table");
    story.fill("Stream events per second", "100").expect("a rate");
    let removed = "Rows removed by GC, older than 10 days";
    story.press("Start the stream");
    while both(&story.draw(), removed)[0] <= Some(500) {
        story.send(Msg::Next);
    }
    let drawn = press(&mut story, &["Pause the stream"]);
    let all = |drawn: &Drawn, table: usize| {
        let (rows, removed) = (both(drawn, "Rows")[table], both(drawn, removed)[table]);
        assert!(removed > Some(500), "{removed:?}");
        assert_eq!(rows.zip(removed).map(|(rows, removed)| rows + removed), Some(arrived(drawn)));
    };
    all(&drawn, 0);
    assert_eq!(both(&drawn, "Rows")[1], None, "a new table that is not there has no rows");
    // Events that GC may remove are neither copied nor compared, so they are not a difference.
    let drawn = press(&mut story, &["Write to both tables"]);
    assert!(drawn.says(BOTH_WRITTEN) && drawn.says("Rows not yet in the new table"));
    let drawn = press(&mut story, &["Backfill"]);
    assert!(drawn.says(EQUAL) && !drawn.says("Rows not yet in the new table"));
    all(&drawn, 0);
    assert!(both(&drawn, "Rows")[1] > Some(0));
    assert_eq!(both(&drawn, removed)[1], None, "what is missing may not have been copied yet");
    let drawn = press(&mut story, &["Read from the new table"]);
    assert!(drawn.says(SWITCHED));
    all(&drawn, 1);
}

#[test]
fn a_stored_migration_of_other_events_is_replaced_when_that_is_confirmed() {
    let mut story = open_with_few();
    let drawn = press(&mut story, &["Start with the old table"]);
    assert!(drawn.says("Both tables and the current step are stored in this browser"));
    story.page.edit(|workspace| {
        let Source::Generated(generated) = &mut workspace.source else { panic!("generated events") };
        generated.events = 1_000;
    });
    story.follow();
    assert!(story.draw().says("on a live stream of 1,000 events"));
    let what = "This browser stores a migration of other events, from “Design 1” to “Design 1, Wide”: ";
    assert!(press(&mut story, &["Start with the old table"]).says(what));
    assert!(!press(&mut story, &["Keep"]).says(what));
    press(&mut story, &["Start with the old table", "Replace it"]);
    assert!(story.page.can("Write to both tables"));
}

/// 2,000 events in 60 days. Events 1,000 and 1,001, on day 30, are of one user in two apps in the
/// same millisecond, so a key without the app makes a single cell of them.
fn two_apps() -> String {
    let line = |at: i64| {
        let is_ann = at == 1_000 || at == 1_001;
        let user = if is_ann { "ann".to_owned() } else { format!("user-{}", at % 50) };
        let millis = (if is_ann { 1_000 } else { at }) * 2_592_000 + 1_704_067_200_000;
        let (app, brand) = if at % 2 == 1 { ("shoes", "Sony") } else { ("books", "Apple") };
        format!("{app},{user},{millis},click,search,brand:{brand}|color:Black\n")
    };
    let head = "app_id,user_token,timestamp,event_type,event_name,facets\n".to_owned();
    head + &(0..2_000).map(line).collect::<String>()
}

#[test]
fn a_difference_is_named_until_the_tables_are_equal() {
    // Two designs have a key without the app; one of them keeps the app in its values.
    let other = |name: &str, kind| {
        let layout = Layout { family_field: None, ..Layout::new(kind) };
        Design::new(name, "{user_token},{timestamp:iso}", layout)
    };
    let page = Page::with_own(two_apps(), |workspace| {
        workspace.designs[0].template = KEY.into();
        workspace.designs.push(other("Without the app", LayoutKind::RowPerEntity));
        workspace.designs.push(other("Loses the app", LayoutKind::Wide));
    });
    let mut story = open(page);
    story.fill("From", "Design 1").expect("a design");
    story.fill("To", "Loses the app").expect("a design");
    story.fill("Retention (days)", "10").expect("days");
    let drawn = press(&mut story, &["Start with the old table"]);
    assert!(
        drawn.says("The table of Loses the app would lose app_id, which the row key of Design 1 needs"),
        "{}",
        drawn.text()
    );
    story.fill("To", "Without the app").expect("a design");
    assert!(press(&mut story, &["Start with the old table"]).says("From Design 1 to Without the app"));
    assert!(press(&mut story, &["Write to both tables"]).says(BOTH_WRITTEN));
    let drawn = press(&mut story, &["Backfill"]);
    let difference = "First difference: only the old table has the event of row books,ann,2024-01-31T00:00:00.000Z: \
                      app_id books, user_token ann, ";
    assert!(drawn.says(difference), "{}", drawn.text());
    assert!(!story.page.can("Read from the new table"));
    // Ten days later, GC may remove both events. They come again with event 3,000, in the next
    // round.
    story.fill("Stream events per second", "100").expect("a rate");
    stream(&mut story, 1_400);
    assert!(story.draw().says(difference), "it is still there");
    let drawn = press(&mut story, &["Copy and compare again"]);
    assert!(drawn.says(EQUAL) && drawn.says("No differences:") && !drawn.says("First difference"));
    assert!(arrived(&drawn) < 3_000, "the next round has not come to both events");
}
