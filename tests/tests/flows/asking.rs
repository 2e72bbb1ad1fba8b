//! Stories of events, queries and commands, and of what the page says about them.

use std::ops::Bound;

use tabletop_export::Export;
use tabletop_keys::RowChoice;
use tabletop_model::{RowFilter, RowRange};
use tabletop_protocol::LoadState;
use tabletop_views::{
    query::{RangeEnd, Spot, edit, filter::KINDS},
    share::PictureOf,
    workspaces::{About, AboutEvents, WorkspaceLine},
};
use tabletop_workspace::{Decoding, Example, NamedQuery, ResultColumns, ShareLink};

use super::*;
use crate::chrome::{banners, top_bar};
use crate::page::state::{Pane, SavedAction, WorkspacesLook};
use crate::panes::export::{ExportLook, export_dialog};
use crate::panes::share::Sharing;
use crate::panes::shell::Commands;
use crate::panes::workspaces::workspaces_dialog;

const CSV: &str =
    "user,at,amount\nada,2024-01-01T09:00:00Z,10\nbob,2024-01-01T10:00:00Z\neve,2024-01-01T11:00:00Z,12\n";

impl Page {
    fn unfold(&mut self, part: &'static str) {
        self.act(Action::Look(Box::new(move |look| look.unfolded.push(part))));
    }

    fn query(&mut self, change: impl FnOnce(&mut Query)) {
        let mut query = self.state.workspace.query.clone();
        change(&mut query);
        self.millis += 60_000.0;
        self.act(Action::Edit(Edit::Query(query), self.millis));
    }

    fn source(&self) -> Value {
        self.workspace()["source"].clone()
    }
}

#[test]
fn a_file_is_described_with_its_bad_line_and_its_types() {
    let mut page = Page::with(|_| {});
    page.load("orders.csv", CSV);
    let drawn = page.pane(Pane::Data);
    for text in
        ["2 events · orders.csv", "2 events · 3 fields", "1 line could not be read", "Line 3, column 25: "]
    {
        assert!(drawn.says(text), "{text}: {}", drawn.text());
    }
    page.fill("Type of amount", "Text").expect("it is a choice");
    assert_eq!(page.source()["own"]["fields"][2]["kind"], "text");
    page.pane(Pane::Data);
    page.press("Stop");
    assert_eq!(page.source()["own"]["on_bad_line"], "stop");
    page.load("again.csv", &format!("{CSV}zoe,soon,13\n"));
    let note = "at begins with times, but \"soon\" differs from ISO 8601: the field is read as text.";
    assert!(page.pane(Pane::Data).says(note), "{}", page.pane(Pane::Data).text());
    page.fill("Type of at", "Time").expect("it is a choice");
    assert!(!page.pane(Pane::Data).says("is read as text"));
}

#[test]
fn a_date_is_shown_as_it_is_read() {
    let mut page = Page::with(|_| {});
    page.load("dates.csv", "user,at\nada,03/04/2025 02:02\neve,05/06/2025 14:00\n");
    let drawn = page.pane(Pane::Data);
    for text in [
        "can be read as %d/%m/%Y %H:%M and as %m/%d/%Y %H:%M",
        "03/04/2025 02:02 is 2025-04-03T02:02:00.000Z",
        "Time format of at",
    ] {
        assert!(drawn.says(text), "{text}: {}", drawn.text());
    }
    let mut fields = page.state.data.fields.clone();
    fields[1].format = Some(tabletop_keys::time::DateFormat::new("%d.%m.%Y").expect("a format"));
    page.edit(move |workspace| {
        if let Source::Own(own) = &mut workspace.source {
            own.fields.clone_from(&fields);
        }
    });
    page.template("{at:iso}#{user}");
    let drawn = page.pane(Pane::Tablets);
    assert!(drawn.says("No rows: no event could be written"), "{}", drawn.text());
}

#[test]
fn a_file_without_events_leaves_those_before_and_says_why() {
    for (text, why) in [
        ("", "The file is empty."),
        ("\u{0}\u{ffff}", "There is a header line and no record below it."),
        ("user,at\n", "There is a header line and no record below it."),
        ("<!DOCTYPE html>\n<title>a, b</title>", "The file is a web page (HTML)"),
    ] {
        let mut page = Page::with(|_| {});
        let before = page.state.workspace.source.clone();
        page.act(Action::Ready(Vec::new()));
        page.load("nothing.csv", text);
        let said = page.state.refusal.as_ref().map(|error| error.message.clone()).unwrap_or_default();
        assert!(said.starts_with(why) && said.ends_with("The events before are shown again."), "{said}");
        assert_eq!(page.state.workspace.source, before);
        assert!(page.pane(Pane::Tablets).says("All current writes hit"), "{text:?}");
    }
}

#[test]
fn the_numbers_of_the_generator_are_fields() {
    let mut page = Page::with(|_| {});
    let first = page.state.preview.clone();
    page.pane(Pane::Data);
    page.fill("Events", "3000").expect("it is within the limits");
    assert!(page.pane(Pane::Data).says("3,000 generated events"));
    page.fill("Seed", "7").expect("it is within the limits");
    assert_eq!(page.source()["generated"]["seed"], 7);
    assert_ne!(page.state.preview, first, "there are other events");
    page.press_in_bar("Undo");
    assert_eq!(page.state.preview, first, "the same seed makes the same events");
    for wrong in ["2000000", "-1"] {
        page.pane(Pane::Data);
        let why = "Enter a whole number from 1,000 to 1,000,000.".to_owned();
        assert_eq!(page.fill("Events", wrong), Err(why));
        assert_eq!(page.source()["generated"]["events"], 3_000, "{wrong} has no effect");
    }
}

#[test]
fn fields_of_other_events_leave_the_query() {
    let mut page = Page::with(|_| {});
    page.query(|query| {
        let equals = vec![("user_token".into(), "7".into())];
        query.rows = RowChoice::Fields { equals, from: None, until: None };
    });
    assert!(page.pane(Pane::Query).texts(".field-label").contains(&"user_token".into()));
    page.load("quakes.csv", "time,place\n2024-01-01T00:00:00Z,Berlin\n2024-01-02T00:00:00Z,Rome\n");
    page.pane(Pane::Query);
    page.press("Fields");
    let labels = page.pane(Pane::Query).texts(".field-label");
    assert!(labels.contains(&"From time".into()), "{labels:?}");
    assert!(!labels.contains(&"user_token".into()), "{labels:?}");
}

#[test]
fn a_query_is_code_in_each_language_and_follows_the_key() {
    let template = "{app_id},{user_token},{timestamp:iso}";
    let mut page = Page::with(move |workspace| workspace.designs[0].template = template.into());
    let first = page.state.view.first_keys[0].key.to_string();
    let user = first.rsplit_once(',').expect("a key of three parts").0.to_owned();
    let prefix = user.clone();
    page.query(move |query| query.rows = RowChoice::Prefix(prefix.as_str().into()));
    page.unfold("query-code");
    let expect = |page: &mut Page, texts: &[&str]| {
        let code = page.pane(Pane::Query).texts(".code-text").concat();
        texts.iter().for_each(|text| assert!(code.contains(text), "{text}: {code}"));
    };
    expect(&mut page, &["from google.cloud.bigtable.data import", &format!("b\"{user}\"")]);
    page.fill("Language", "Go").expect("it is a choice");
    expect(&mut page, &["package rowkey", &format!("{{\"{user}\", ")]);
    page.query(|query| query.rows_limit = 7);
    expect(&mut page, &["at most 7 rows"]);
    page.template(&format!("{{salt(8)}}-{template}"));
    expect(&mut page, &[&format!("{{\"0-{user}\", "), &format!("{{\"7-{user}\", ")]);
    page.fill("Language", "Node.js").expect("it is a choice");
    expect(&mut page, &[&format!("bytes(\"7-{user}\")")]);
}

#[test]
fn a_query_is_saved_with_limits_and_misses_one() {
    let mut page = Page::with(|_| {});
    page.query(|query| query.rows_limit = 7);
    page.pane(Pane::Query);
    page.press("Save as");
    page.pane(Pane::Query);
    page.fill("Name", "Seven rows").expect("it is a name");
    page.pane(Pane::Query);
    page.press("Save");
    page.act(Action::part(|look: &mut crate::panes::query::QueryLook| look.limits = true));
    page.pane(Pane::Query);
    page.fill("Rows returned, at least", "7").expect("it is a number");
    page.run_query();
    assert!(page.pane(Pane::Query).says("Within the limit."), "{}", page.pane(Pane::Query).text());
    page.fill("Cells seen", "3").expect("it is a number");
    let drawn = page.pane(Pane::Query);
    assert!(drawn.says("1 limit violated:") && drawn.says("Cells seen: 7, at most 3"), "{}", drawn.text());
    assert_eq!(page.workspace()["queries"][0]["limits"]["cells_seen_max"], 3);

    page.query(|query| query.rows_limit = 9);
    assert!(page.pane(Pane::Query).says("The query differs from the access pattern."));
    page.fill("Access pattern", "Seven rows").expect("it is a choice");
    assert_eq!(page.state.workspace.query.rows_limit, 7);
    page.pane(Pane::Query);
    page.press("Rename");
    page.pane(Pane::Query);
    page.fill("Name", "7").expect("it is a name");
    page.pane(Pane::Query);
    page.press("Save");
    assert_eq!(page.workspace()["queries"][0]["name"], "7");
    page.pane(Pane::Query);
    page.press("Delete the access pattern");
    assert_eq!(page.state.workspace.queries, []);
    page.press_in_bar("Undo");
    assert_eq!(page.state.workspace.queries.len(), 1);
}

#[test]
fn the_query_a_row_and_the_rows_are_commands() {
    let mut page = Page::with(|_| {});
    page.query(|query| (query.rows, query.rows_limit) = (RowChoice::Prefix("2019".into()), 2));
    page.unfold("query");
    let shown = page.pane(Pane::Query).texts(".commands-text").concat();
    assert!(shown.starts_with("read design-1") && shown.contains("prefix=2019"), "{shown}");
    assert!(shown.contains("count=2") && page.can("Run in shell"), "{shown}");
    let key = page.state.view.first_keys[0].key.clone();
    assert!(Commands::of(&page.state).lookup(&key).starts_with("lookup design-1"));
    page.unfold("rows");
    assert!(page.pane(Pane::Data).says("import design-1 rows.csv timestamp=value-encoded"));
    assert!(page.can("Download rows.csv"));
    // A range between two keys has both of its ends.
    page.query(|query| {
        let (start, end) = (Bound::Included("2019".into()), Bound::Excluded("2020".into()));
        (query.rows, query.filter) =
            (RowChoice::Range(RowRange { start, end }), Some(RowFilter::PassAll(true)));
    });
    let shown = Commands::of(&page.state).query(&page.state).expect("it is a command");
    assert!(shown.contains("start=2019") && shown.contains("end=2020"), "{shown}");
}

#[test]
fn a_design_is_exported_in_each_form() {
    let mut page = Page::with(|_| {});
    page.act(Action::part(|look: &mut ExportLook| look.open = true));
    page.draw(export_dialog);
    page.fill("Project", "acme-prod").expect("it is a name");
    page.draw(export_dialog);
    page.fill("Table", "events").expect("it is a name");
    assert_eq!(Export::ALL.len(), 14);
    for (what, file, text) in [
        ("cbt", "table.cbt.sh", "acme-prod"),
        ("gcloud", "table.gcloud.sh", "acme-prod"),
        ("Terraform", "table.tf", "google_bigtable_table"),
        ("HBase shell", "table.hbase", "events"),
        ("Row key in Java", "RowKey.java", "timestamp"),
        ("Queries in Go", "queries.go", "bigtable"),
        ("Queries in Python", "queries.py", "bigtable"),
        ("Row key in Node.js", "row_key.mjs", "timestamp"),
        ("Row key in Rust", "row_key.rs", "timestamp"),
    ] {
        page.draw(export_dialog);
        page.fill("What", what).expect("it is a choice");
        let drawn = page.draw(export_dialog);
        assert!(drawn.says(file) && page.can("Download"), "{what}: {}", drawn.text());
        assert!(drawn.texts(".export-text").concat().contains(text), "{what}");
    }
}

#[test]
fn a_file_that_is_missing_or_incomplete_is_requested() {
    let mut page = Page::with(|_| {});
    page.load("gone.csv", CSV);
    page.act(Action::OwnMissing);
    let drawn = page.draw(banners);
    assert!(
        drawn.says("This workspace needs the file gone.csv. Its designs and queries are here"),
        "{}",
        drawn.text()
    );
    assert!(drawn.says("Choose gone.csv"));
    page.state.apply(Action::OwnFound);
    page.state.apply(Action::Refused(tabletop_model::Error::invalid("The link is incomplete.")));
    assert!(page.draw(banners).says("The link is incomplete."));
    page.press("Dismiss");
    assert!(!page.draw(banners).says("The link is incomplete."));
    let mut data = (*page.state.data).clone();
    data.state = LoadState::Interrupted;
    page.state.apply(Action::Data(data));
    let drawn = page.draw(banners);
    assert!(drawn.says("The load of gone.csv did not finish."), "{}", drawn.text());
    assert!(drawn.says("Choose gone.csv"));
}

#[test]
fn a_thousand_workspaces_are_listed_in_part_and_found_by_words() {
    let mut page = Page::with(|_| {});
    let line = |at: usize| {
        let name = format!("Number {at}");
        let events = AboutEvents::Generated(20_000);
        let about = About { units: 1, changed_millis: 0.0, designs: 1, events, name };
        WorkspaceLine { id: format!(".n{at}"), about: Ok(about) }
    };
    page.act(Action::part(move |look: &mut WorkspacesLook| {
        look.lines = Rc::new((0..1_001).map(line).collect());
    }));
    let drawn = page.draw(workspaces_dialog);
    assert_eq!(drawn.texts(".set-name").len(), 100);
    assert!(drawn.says("901 workspaces not shown") && drawn.says("1 design · 20,000 generated events"));
    page.act(Action::part(|look: &mut WorkspacesLook| look.typed = "number 777".into()));
    assert_eq!(page.draw(workspaces_dialog).texts(".set-name"), ["Number 777"]);
    assert!(page.can("Open"));
}

#[test]
fn a_long_load_shows_its_progress_and_is_cancelled() {
    let mut page = Page::with(|_| {});
    let lines: String = (0..2_000).map(|at| format!("user{},2024-01-01T00:00:00Z,{at}\n", at % 97)).collect();
    page.act(Action::OwnChosen(1_000_000));
    page.load_part("long.csv", &format!("user,at,n\n{lines}"), false);
    let drawn = page.pane(Pane::Data);
    assert_eq!(drawn.attributes("progress", "aria-label"), ["Loading events"]);
    page.press("Cancel the load");
    let drawn = page.pane(Pane::Data);
    assert!(drawn.says("load cancelled") && !page.can("Cancel the load"), "{}", drawn.text());
    page.template("{user}#{n}");
    page.query(|query| query.rows_limit = 5);
    page.run_query();
    assert_eq!(page.state.result.rows(), 5, "the events that were read can be queried");
}

#[test]
fn values_are_decoded_as_chosen_and_an_empty_result_is_explained() {
    let mut page = Page::with(|_| {});
    page.pane(Pane::Design);
    page.press("Wide");
    page.query(|query| query.rows_limit = 50);
    page.run_query();
    let values = |page: &mut Page| page.pane(Pane::Results).texts(".line .value");
    let is_hex = |text: &String| text.chars().all(|c| c.is_ascii_hexdigit() || c == ' ' || c == '…');
    assert!(!values(&mut page).iter().all(is_hex));
    let columns = ResultColumns { values_as: Decoding::Hex, ..ResultColumns::default() };
    page.act(Action::Edit(Edit::Results(Some(Box::new(columns))), 9e6));
    let hex = values(&mut page);
    assert!(hex.len() > 3 && hex.iter().all(is_hex), "{hex:?}");
    page.query(|query| query.filter = Some(RowFilter::ValueRegex("there is no such value".into())));
    page.run_query();
    let drawn = page.pane(Pane::Results);
    assert!(drawn.says("A row whose cells are all filtered out is not returned"), "{}", drawn.text());
}

#[test]
fn rows_are_chosen_by_prefix_keys_and_range() {
    let mut page = Page::with(|workspace| {
        workspace.designs[0].template = "{app_id},{user_token},{timestamp:iso}".into();
    });
    let all = Query { rows_limit: 0, ..page.state.workspace.query.clone() };
    let keys: Vec<String> = page.read(0, all).rows.iter().map(|row| row.key.to_string()).collect();
    let user = keys[keys.len() / 2].rsplit_once(',').expect("a key of three parts").0.to_owned();
    let of_user: Vec<&String> = keys.iter().filter(|key| key.starts_with(&user)).collect();
    let mut expect = |button: &str, fills: &[(Spot, &str)], rows: usize, first: &str| {
        page.pane(Pane::Query);
        page.press(button);
        for (spot, text) in fills {
            let query = edit(&page.state.workspace.query, spot, text).expect("it is a value");
            page.query(|before| *before = query);
        }
        page.run_query();
        let drawn = page.pane(Pane::Results);
        assert!(drawn.says(&format!("Rows returned {rows} ")), "{button}: {}", drawn.text());
        assert_eq!(page.state.result.row(0).map(|row| row.key.to_string()).as_deref(), Some(first));
    };
    expect("Prefix", &[(Spot::Prefix, &user)], of_user.len(), of_user[0]);
    let some = format!("{}\n{}\nnone", keys[7], keys[3]);
    expect("Keys", &[(Spot::Keys, &some)], 2, &keys[3]);
    let range = [
        (Spot::Key(RangeEnd::Start), keys[10].as_str()),
        (Spot::Is(RangeEnd::End), "before"),
        (Spot::Key(RangeEnd::End), keys[20].as_str()),
    ];
    expect("Range", &range, 10, &keys[10]);
    page.query(|query| (query.reversed, query.rows_limit) = (true, 3));
    page.run_query();
    assert_eq!(page.state.result.rows(), 3);
    assert_eq!(page.state.result.row(0).map(|row| row.key.to_string()), Some(keys[19].clone()));
}

#[test]
fn the_dialog_says_what_others_see_and_warns_of_a_long_link() {
    let mut page = Page::with(|_| {});
    let open = |page: &mut Page| {
        page.state.apply(Action::part(|sharing: &mut Sharing| sharing.dialog = Some(Default::default())));
        page.draw(top_bar)
    };
    let drawn = open(&mut page);
    assert!(drawn.says("Anyone with the link sees 1 design, the current query and the same events."));
    assert!(!drawn.says("Some services cut links"));
    // Digits that do not compress.
    let long: String =
        (1_u64..800).map(|at| format!("{:x}", at.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    page.template(&format!("{long}{{user_token}}"));
    let drawn = open(&mut page);
    let link = drawn.texts(".share-link").concat();
    assert!(link.len() > 8_000 && drawn.says("Some services cut links of more than 8,000 characters."));
    page.press_in_bar("Undo");
    page.ask(Ask::Play(Playback::Seek(640)));
    page.look();
    assert!(open(&mut page).says("Incomplete: the tables had 640 of 2,000 events."));
    page.press("Load all events");
    assert!(!open(&mut page).says("Incomplete"));
    page.load("orders.csv", "user,at\nada,2024-01-01T09:00:00Z\n");
    let drawn = open(&mut page);
    assert!(drawn.says("Your events are not in the link."), "{}", drawn.text());
    assert!(drawn.says("Others are asked for orders.csv before they see any rows"), "{}", drawn.text());
}

#[test]
fn pictures_of_what_the_designs_have_are_offered_on_both_backgrounds() {
    let mut page = Page::with(|_| {});
    page.act(Action::part(|sharing: &mut Sharing| sharing.dialog = Some(Default::default())));
    page.draw(top_bar);
    for picture in ["Map", "Access patterns", "Save access patterns (CSV)"] {
        assert!(!page.can(picture), "{picture} of a key without a Z-order, and without patterns");
    }
    page.edit(|workspace| {
        workspace.designs[0].template = "{zorder(app_id, user_token, bits=8, as=hex)}".into();
        workspace.queries.push(NamedQuery::new("all", workspace.query.clone()));
    });
    let look = |page: &Page| page.state.look.part::<Sharing>().dialog.clone().expect("it is open");
    for (button, picture) in
        [("Map", PictureOf::Map), ("Access patterns", PictureOf::Patterns), ("Tablets", PictureOf::Tablets)]
    {
        page.press_in_bar(button);
        assert_eq!(look(&page).picture, picture);
    }
    for (button, dark) in [("Dark background", true), ("Light background", false)] {
        page.press_in_bar(button);
        assert_eq!(look(&page).dark, Some(dark));
    }
    assert!(page.can("Save access patterns (CSV)"));
}

#[test]
fn another_file_than_that_of_a_link_keeps_the_designs_until_the_right_one_is_given() {
    const TEMPLATE: &str = "{user}#{at:iso}";
    const ORDERS: &str = "user,at\nada,2024-01-01T09:00:00Z\n";
    let mut page = Page::with(|_| {});
    page.load("orders.csv", ORDERS);
    page.template(TEMPLATE);
    let link = page.state.workspace.clone();
    let mut page = Page::with(|_| {});
    page.act(Action::Saved(SavedAction::Visit(link, 0)));
    page.act(Action::OwnMissing);
    assert!(page.draw(banners).says(
        "This workspace needs the file orders.csv. A link contains designs and queries, but not the events of a file."
    ));
    page.load("sales.csv", "user,amount\nada,1\nbob,2\n");
    let drawn = page.draw(banners);
    assert!(
        drawn.says("sales.csv is not orders.csv, the file this workspace was made with."),
        "{}",
        drawn.text()
    );
    assert!(
        drawn.says("It lacks the field at, which the designs use. Choose orders.csv, change the designs,")
    );
    assert_eq!(page.state.design().template, TEMPLATE);
    page.press("New design for this file");
    assert_ne!(page.state.design().template, TEMPLATE);
    assert_eq!(page.state.view.events_built, 2);
    assert!(!page.draw(banners).says("the file this workspace was made with"));
    page.press_in_bar("Undo");
    assert_eq!(page.state.design().template, TEMPLATE);
    page.press_in_bar("Undo");
    page.act(Action::OwnMissing);
    assert!(page.draw(banners).says("This workspace needs the file orders.csv."));
    page.load("orders.csv", ORDERS);
    assert!(page.pane(Pane::Data).says("1 event · orders.csv"));
    assert_eq!(page.state.view.first_keys[0].key.to_string(), "ada#2024-01-01T09:00:00.000Z");
    page.draw(banners);
    assert!(!page.can("New design for this file") && page.state.design().template == TEMPLATE);
}

#[test]
fn each_filter_of_the_menu_is_a_block_that_reads() {
    let mut page = Page::with(|_| {});
    for kind in &KINDS {
        page.pane(Pane::Query);
        page.press(kind.title());
        let filter = page.state.workspace.query.filter.clone().expect("a filter");
        assert!(filter.text().starts_with(kind.name), "{}", filter.text());
        page.run_query();
        let drawn = page.pane(Pane::Results);
        assert!(page.state.result.complete() && drawn.texts(".results-error").is_empty(), "{}", kind.name);
        let cells = page.state.result.cells();
        assert!(drawn.says(&format!("Cells returned {cells} ")), "{}: {}", kind.name, drawn.text());
        page.query(|query| query.filter = None);
    }
}

#[test]
fn objects_are_flagged_over_the_limit_and_have_the_messages_of_their_families() {
    used::store("result-view", "objects");
    let mut page = Page::with(|_| {});
    let body = "x".repeat(40_000);
    let large: String = (1..=30).map(|day| format!("large,2024-01-{day:02}T00:00:00Z,{body}\n")).collect();
    page.load("large.csv", &format!("id,at,body\n{large}small,2024-01-01T00:00:00Z,x\n"));
    page.template("{id}");
    page.pane(Pane::Design);
    page.press("Wide");
    page.run_query();
    let drawn = page.pane(Pane::Results);
    assert!(drawn.says("2 objects, the largest with 1.20 MB. 1 object is over 1 MB."), "{}", drawn.text());
    assert_eq!(drawn.texts(".object-over").len(), 1);
    assert!(drawn.says("over 1 MB") && drawn.says("is more than 1 MB"), "the first one is shown");
    page.query(|query| query.rows = RowChoice::Keys(vec!["small".into()]));
    page.run_query();
    let drawn = page.pane(Pane::Results);
    assert!(drawn.says("Not over 1 MB") && !drawn.says("is more than 1 MB"), "{}", drawn.text());

    let workspace = Workspace::from_json(Example::AdProfile.json()).expect("a workspace");
    let mut page = Page::with(move |first| *first = workspace);
    page.finish();
    page.act(Action::Look(Box::new(|look| look.is_complete = true)));
    page.run_query();
    let drawn = page.pane(Pane::Results);
    for text in ["Data types: 3 of 3 families with a message", "Object u042", "owner ads-serving", "consent"]
    {
        assert!(drawn.says(text), "{text}: {}", drawn.text());
    }
    let names = drawn.attributes("svg", "aria-label").concat() + &drawn.text();
    assert!(names.contains("24 numbers from "), "{names}");
}

#[test]
fn a_link_to_own_data_shows_what_its_sender_has_measured() {
    const RECORD: &str = "Add the measured figures and the verdict";
    const MEASURED: &str = "Measured by the sender on 27 November 2026.";
    let mut page = Page::with(|_| {});
    let rows: String = (0..60).map(|at| format!("user{},2024-01-01T09:{at:02}:00Z\n", at % 7)).collect();
    page.load("orders.csv", &format!("user,at\n{rows}"));
    page.template("{user}#{at:iso}");
    page.show(ViewId::Compare);
    page.act(Action::part(|sharing: &mut Sharing| sharing.dialog = Some(Default::default())));
    page.look();
    let link = |page: &mut Page| {
        let text = page.draw(top_bar).texts(".share-link").concat();
        ShareLink::read(&text).expect("a link")
    };
    assert_eq!(link(&mut page).recorded, "", "nothing without consent");
    page.fill(RECORD, "true").expect("it is asked");
    let figures = link(&mut page).recorded;
    assert!(figures.starts_with("2026-11-27\nD\tDesign 1\t{user}#{at:iso}\nP\t"), "{figures}");
    assert!(!figures.contains("user3"), "events need a consent of their own: {figures}");
    page.fill("Add the first 50 events", "true").expect("it is asked");
    let sent = link(&mut page);
    assert!(sent.recorded.contains("user3"), "{}", sent.recorded);
    assert!(sent.write().expect("a link").len() < 8_000);

    let workspace = Rc::new(Workspace::from_json(&sent.json).expect("a workspace"));
    let mut page = Page::with(|_| {});
    used::store("recorded", &sent.recorded);
    page.act(Action::Saved(SavedAction::Visit(workspace, 0)));
    assert!(!page.draw(banners).says(MEASURED), "the events may be here");
    page.act(Action::OwnMissing);
    let drawn = page.draw(banners);
    assert!(drawn.says(MEASURED) && drawn.says("This page has not measured it"), "{}", drawn.text());
    assert!(page.can("Load 50 events of the sender"));
    page.template("{user}");
    assert!(!page.draw(banners).says(MEASURED), "another design was not measured");
    page.press_in_bar("Undo");
    page.act(Action::OwnMissing);
    assert!(page.draw(banners).says(MEASURED));
    page.load("orders.csv", &format!("user,at\n{rows}"));
    assert!(!page.draw(banners).says(MEASURED), "it is measured here");
}
