//! The view that compares designs: what it says of them, and what its controls change.

use tabletop_keys::{Layout, LayoutKind, Query, RowChoice, bytes};
use tabletop_protocol::DesignView;
use tabletop_texts::messages;
use tabletop_texts::numbers::thousands;
use tabletop_workspace::{Design, DesignList, DesignsChange, NamedQuery, ViewId, Workspace};

use super::Page;
use super::drawn::Drawn;
use crate::page::actions::EventsRequest;
use crate::page::state::{Action, ChosenEvent, Edit, Pane};

const USER_FIRST: &str = "{user_token},{timestamp:iso}";

fn design(workspace: &mut Workspace, at: usize, name: &str, template: &str, kind: LayoutKind) {
    let layout = Layout { family_field: None, ..Layout::new(kind) };
    let design = Design::new(name, template, layout);
    match workspace.designs.get_mut(at) {
        Some(old) => *old = design,
        None => workspace.designs.push(design),
    }
}

/// Opens the view with the design of a first visit, and one more that begins with the user.
fn open(kind: Option<LayoutKind>) -> Page {
    let mut page = Page::with(|workspace| {
        if let Some(kind) = kind {
            design(workspace, 1, "Users", USER_FIRST, kind);
        }
    });
    page.show(ViewId::Compare);
    page
}

/// Returns the cells of the line that begins with a name, in the table below a selector.
fn line(drawn: &Drawn, table: &str, name: &str) -> Vec<String> {
    let lines = drawn.rows(&format!("{table} tr"));
    let found = lines.into_iter().find(|line| line.first().is_some_and(|first| first == name));
    found.unwrap_or_else(|| panic!("no line {name} in {table}")).split_off(1)
}

fn figure(drawn: &Drawn, name: &str) -> Vec<String> {
    line(drawn, ".compare-table", name)
}

fn names(page: &mut Page) -> Vec<String> {
    page.view().texts(".design-cards h3")
}

#[test]
fn the_ninth_design_is_refused_with_the_reason() {
    let mut page = open(None);
    assert!(!page.view().says("the maximum") && !page.can("Remove Design 1"));
    for count in 2..=8 {
        page.press("Add design");
        assert_eq!(names(&mut page).len(), count);
    }
    assert!(page.view().says("There are already 8 designs, the maximum. Remove one first."));
    assert!(!page.can("Add design") && !page.can("Duplicate Design 8"));
    page.press("Remove Design 8");
    assert_eq!(names(&mut page).len(), 7);
    assert!(page.can("Add design") && page.can("Duplicate Design 7"));
}

#[test]
fn designs_are_added_named_copied_moved_and_removed_and_undo_restores_them() {
    let mut page = open(None);
    assert!(page.view().says("Duplicate the design, then change"));
    page.press("Add design");
    assert_eq!(names(&mut page), ["Design 1", "Design 2"]);
    assert_eq!(page.state.workspace.designs[1].template, "{user_token},{timestamp:iso}");
    let named = |name: &str| DesignsChange::Rename(1, name.into());
    let list = DesignList { designs: page.state.workspace.designs.clone(), shown: page.state.design };
    let why = |name: &str| list.prevents(&named(name)).map(|why| (messages().designs_problem)(&why));
    assert_eq!(why("Design 1").as_deref(), Some("Another design is named Design 1."));
    assert_eq!(why("").as_deref(), Some("A design needs a name."));
    assert_eq!(why("Users first"), None);
    page.act(Action::Edit(Edit::Designs(named("Users first")), 5e6));
    assert_eq!(names(&mut page), ["Design 1", "Users first"]);
    for (button, expected) in [
        ("Duplicate Users first", &["Design 1", "Users first", "Users first 2"][..]),
        ("Move Users first 2 up", &["Design 1", "Users first 2", "Users first"]),
        ("Remove Design 1", &["Users first 2", "Users first"]),
    ] {
        page.press(button);
        assert_eq!(names(&mut page), expected, "{button}");
    }
    for expected in [
        &["Design 1", "Users first 2", "Users first"][..],
        &["Design 1", "Users first", "Users first 2"],
        &["Design 1", "Users first"],
        &["Design 1", "Design 2"],
        &["Design 1"],
    ] {
        page.act(Action::Undo);
        assert_eq!(names(&mut page), expected);
    }
    assert!(!page.can("Remove Design 1"), "the last design stays");
    page.act(Action::Redo);
    assert_eq!(names(&mut page), ["Design 1", "Design 2"]);
}

#[test]
fn on_a_narrow_page_a_design_is_edited_in_the_view_of_the_design() {
    let mut page = open(Some(LayoutKind::Narrow));
    page.view();
    page.press("Edit Users");
    assert_eq!((page.state.design, page.state.look.view), (1, ViewId::Compare), "there is room for both");
    page.press("Edit Design 1");
    page.act(Action::Look(Box::new(|look| look.narrow = true)));
    page.view();
    page.press("Edit Users");
    let look = &page.state.look;
    assert_eq!((page.state.design, look.view, look.pane), (1, ViewId::Design, Pane::Design));
    assert_eq!(page.pane(Pane::Design).texts("textarea"), [USER_FIRST]);
    assert!(page.pane(Pane::Tablets).says("Writes are spread over"));
}

/// Returns the declared colour of a class.
fn colour_of(class: &str) -> String {
    let style = |file: &str| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/style");
        std::fs::read_to_string(folder.join(file)).expect("a style sheet")
    };
    let between = |text: &str, start: &str, end: char| {
        let rest = text.split_once(start).unwrap_or_else(|| panic!("no {start}")).1;
        rest.split(end).next().expect("a text").trim().to_owned()
    };
    let token = between(&style("base.css"), &format!("\n.{class} {{ color: var("), ')');
    between(&style("tokens.css"), &format!("{token}:"), ';')
}

#[test]
fn a_field_has_one_colour_in_all_designs() {
    let mut page = open(None);
    for (at, template) in [USER_FIRST, "{salt(8)}-{app_id},{user_token}"].into_iter().enumerate() {
        page.view();
        page.press("Duplicate Design 1");
        page.act(Action::Edit(Edit::Template(template.into()), 1e8 * (at + 1) as f64));
    }
    // A token of a user is a UUID.
    let is_token =
        |text: &str| text.find('-') == Some(8) && text[..8].bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut found = std::collections::BTreeMap::<&str, std::collections::BTreeSet<String>>::new();
    let mut look = |drawn: &Drawn, parts: &str| {
        let (texts, classes) = (drawn.texts(parts), drawn.attributes(parts, "class"));
        assert_eq!(texts.len(), classes.len(), "each part has a class: {texts:?}");
        for (text, class) in texts.iter().zip(classes) {
            let field = match text.as_str() {
                text if text.starts_with("2019-") || text.contains("timestamp") => "timestamp",
                text if text.starts_with("app-") || text.contains("app_id") => "app_id",
                text if is_token(text) || text.contains("user_token") => "user_token",
                _ => continue,
            };
            found.entry(field).or_default().insert(colour_of(&class));
        }
    };
    look(&page.view(), ".anatomy-key span");
    for at in 0..3 {
        page.act(Action::SelectDesign(at));
        look(&page.pane(Pane::Design), ".template-mirror span");
    }
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.values().all(|colours| colours.len() == 1), "a field has one colour: {found:?}");
    let all: std::collections::BTreeSet<&String> = found.values().flatten().collect();
    assert_eq!(all.len(), 3, "no two fields have the same: {found:?}");
}

#[test]
fn each_design_has_its_figures_and_its_strip() {
    let mut page = open(Some(LayoutKind::Wide));
    let drawn = page.view();
    assert_eq!(page.summary(), "2 designs · the same 2,000 events");
    for (name, of) in [
        ("Rows", |view: &DesignView| view.table.tablets.iter().map(|tablet| tablet.rows).sum::<u64>()),
        ("Cells", |view| view.table.tablets.iter().map(|tablet| tablet.cells).sum()),
    ] as [(&str, fn(&_) -> u64); 2]
    {
        let tables = [0, 1].map(|at| thousands(of(&page.table(at))));
        assert_eq!(figure(&drawn, name), tables, "{name} as in the tables");
    }
    let splits = figure(&drawn, "Splits");
    for at in [0, 1] {
        assert!(splits[at].starts_with(&page.table(at as u32).table.splits.to_string()), "{splits:?}");
    }
    let read = |page: &mut Page, at| {
        let stats = page.read(at, Query { rows_limit: 0, ..Workspace::default().query }).stats;
        bytes(stats.bytes_returned)
    };
    for (at, size) in figure(&drawn, "Logical size").into_iter().enumerate() {
        let all = read(&mut page, at as u32);
        assert!(size.starts_with(&all), "{size}: a read of the whole table returns {all}");
    }
    let (share, key) = (figure(&drawn, "Hottest tablet"), figure(&drawn, "Longest key"));
    assert!(share[0].contains("100%") && share[1].contains("best"), "{share:?}");
    assert!(key[0].contains('+') && key[1].ends_with("best"), "{key:?}");
    let strips = drawn.attributes(".design-card svg[role=img]", "aria-label");
    assert_eq!(strips.len(), 2);
    let is_told =
        |strip: &String| strip.contains("tablets; the hottest takes") && strip.ends_with("of the writes");
    assert!(strips.iter().all(is_told), "{strips:?}");
    let before = figure(&drawn, "Size in this engine");
    page.edit(|workspace| workspace.designs[1].template = "{user_token:hash(8)},{timestamp:millis}".into());
    let after = figure(&page.view(), "Size in this engine");
    assert_eq!(before[0].split(' ').next(), after[0].split(' ').next(), "another design has its figures");
    assert_ne!(before[1], after[1]);
}

#[test]
fn a_sentence_names_the_best_design_and_where_it_loses() {
    let mut page = open(None);
    assert!(page.view().says("A comparison needs two designs with rows and valid templates"));
    page.press("Duplicate Design 1");
    assert!(page.view().says("These designs are equal in every figure that counts"));
    page.edit(|workspace| design(workspace, 1, "Users", USER_FIRST, LayoutKind::Wide));
    let drawn = page.view();
    for text in [
        "\u{201c}Users\u{201d} is best by these figures",
        "It is the only one whose writes are not concentrated on a few tablets. Its hottest tablet takes",
        "It loses on ",
        "logical size (",
        "The access patterns below compare reads.",
    ] {
        assert!(drawn.says(text), "{text:?} is not in {}", drawn.text());
    }
}

#[test]
fn an_edit_a_copy_and_a_removal_say_what_they_change() {
    let mut page = open(None);
    let said = |page: &mut Page| page.view().texts(".last-edit").join("|");
    assert_eq!(said(&mut page), "");
    page.press("Duplicate Design 1");
    let copied = said(&mut page);
    assert!(
        copied.contains("All tables:") && copied.contains("tables 1") && copied.contains("rows 2,000"),
        "{copied}"
    );
    page.act(Action::Edit(Edit::Template(USER_FIRST.into()), 1e9));
    let edited = said(&mut page);
    assert!(edited.contains("Last edit:") && edited.contains("hottest tablet 100%"), "{edited}");
    assert!(!edited.contains("All tables"), "only one of the two is reported: {edited}");
    page.view();
    page.press("Remove Design 1");
    let removed = said(&mut page);
    assert!(removed.contains("tables 2"), "{removed}");
}

#[test]
fn one_event_is_shown_as_each_design_stores_it() {
    let mut page = open(Some(LayoutKind::Wide));
    let first = page.read(0, Query { rows_limit: 2, ..Workspace::default().query }).rows;
    let [key, second] = [0, 1].map(|at| first[at].key.to_string());
    let user = key.rsplit(',').next().expect("a user").to_owned();
    let drawn = page.view();
    let [narrow, wide] = [0, 1].map(|at| drawn.texts("article.anatomy-design").swap_remove(at));
    assert!(narrow.contains(&key) && narrow.contains("1 cell,"), "{narrow}");
    assert!(wide.contains(&user) && wide.contains(" cells,") && wide.contains("e:"), "{wide}");
    let count: usize =
        wide.split(" cells,").next().and_then(|text| text.rsplit(' ').next()?.parse().ok()).expect("cells");
    assert_eq!(drawn.texts(".anatomy-cells li").len(), 1 + count, "all cells can be seen");
    let marks = |drawn: &Drawn| drawn.attributes(".design-card .event-mark", "x1");
    let before = marks(&drawn);
    assert_eq!(before.len(), 2, "one in each strip");
    // The list chooses by keys and clicks (views/compare/event_list.rs).
    page.act(Action::part(|chosen: &mut ChosenEvent| chosen.choose(1)));
    assert!(page.view().texts("article.anatomy-design")[0].contains(&second));
    page.act(Action::part(|chosen: &mut ChosenEvent| chosen.choose(49)));
    assert_ne!(marks(&page.view()), before, "another tablet has the last event of the list");
}

#[test]
fn any_event_is_reached_by_its_number() {
    let mut page = open(Some(LayoutKind::Narrow));
    let last = page.read(0, Query { rows_limit: 1, reversed: true, ..Workspace::default().query }).rows[0]
        .key
        .to_string();
    assert!(page.view().says("Events 1 to 50 of 2,000."));
    assert!(!page.can("Earlier events") && page.can("Later events"));
    page.fill("Event", "2000").expect("an event");
    let drawn = page.view();
    assert!(
        drawn.says("Events 1,951 to 2,000 of 2,000.") && drawn.says("How each design stores event 2,000")
    );
    assert!(drawn.texts("article.anatomy-design")[0].contains(&last));
    assert!(!page.can("Later events"));
    page.press("Earlier events");
    assert!(page.view().says("Events 1,901 to 1,950 of 2,000."));
    assert!(page.fill("Event", "2001").is_err());
}

#[test]
fn a_row_of_the_results_chooses_its_event_in_each_design() {
    let mut page = open(Some(LayoutKind::Narrow));
    let last = Query { rows_limit: 1, reversed: true, ..Workspace::default().query };
    let key = page.read(0, last).rows.swap_remove(0).key;
    let has_event = |page: &mut Page| {
        let names = page.pane(Pane::Tablets).attributes("[role=option]", "aria-label");
        names.iter().any(|name| name.ends_with("it has the chosen event"))
    };
    assert!(!has_event(&mut page));
    page.actions.events.emit(EventsRequest::OfRow(key.clone()));
    page.settle();
    assert!(has_event(&mut page), "its tablet is marked");
    let drawn = page.view();
    assert!(drawn.says("How each design stores event 2,000"), "{}", drawn.texts("h3").join(", "));
    assert!(drawn.texts("article.anatomy-design")[0].contains(&key.to_string()));
    assert_eq!(drawn.attributes(".design-card .event-mark", "x1").len(), 2, "one in each strip");
}

#[test]
fn all_events_of_one_entity_are_read_from_each_design() {
    let mut page = open(Some(LayoutKind::RowPerEntity));
    let key = page.read(0, Query { rows_limit: 1, ..Workspace::default().query }).rows[0].key.to_string();
    let user = key.rsplit(',').next().expect("a user").to_owned();
    page.view();
    page.press(&format!("Read all of user_token {user}"));
    let rows =
        RowChoice::Fields { equals: vec![("user_token".into(), user.clone())], from: None, until: None };
    let query = Query { rows, rows_limit: 0, ..Workspace::default().query };
    let (rows, entity) = (page.read(0, query.clone()).rows.len(), page.read(1, query).rows.len());
    assert_eq!(entity, 1);
    let read = page.view().texts(".entity article");
    let has = |text: &str, part: &str| assert!(text.contains(part), "{part:?} is not in {text}");
    has(&read[0], &format!("full scan: {rows} rows of 2,000 seen, {rows} cells, from "));
    has(&read[0], "the whole table");
    has(&read[1], &format!("1 range: 1 row, {rows} cells, from 1 tablet"));
    has(&read[1], &user);
}

#[test]
fn nodes_storage_and_cost_are_estimated_at_the_users_rates() {
    let mut page = open(Some(LayoutKind::Narrow));
    let [nodes, writes, reads, stored, cost] = [0, 1, 2, 4, 5];
    let cells = |page: &mut Page, design: &str| line(&page.view(), ".estimate", design);
    let before = cells(&mut page, "Users");
    assert_eq!([&before[nodes], &before[cost]], ["\u{2013}"; 2]);
    assert!(page.view().says("The loaded events: ") && page.can("Use these rates"));
    page.press("Use these rates");
    let rates = page.state.workspace.rates.clone().expect("rates");
    assert!(rates.events_per_day.is_some_and(|per_day| per_day > 1_000.0), "{rates:?}");
    assert_eq!(rates.days_kept, None, "the sample does not tell how long events are kept");
    assert!(!page.view().says("The loaded events: ") && !page.can("Use these rates"));
    assert_ne!(cells(&mut page, "Users")[writes], "\u{2013}");
    page.edit(|workspace| workspace.rates = None);
    let fill = |page: &mut Page, rates: &[(&str, &str)]| {
        for (name, value) in rates {
            page.view();
            page.fill(name, value).expect("a rate");
        }
        cells(page, "Users")
    };
    let known = fill(
        &mut page,
        &[("Events/s, busiest minute", "20000"), ("Events per day", "100000000"), ("Days kept", "30")],
    );
    // 20,000 / (14,000 x 0.6).
    assert_eq!(
        [&known[nodes], &known[writes], &known[reads], &known[cost]],
        ["3", "2.38", "\u{2013}", "\u{2013}"]
    );
    assert!(known[stored].ends_with('B'), "{known:?}");
    assert!(cells(&mut page, "Design 1")[nodes].contains("one tablet needs more than a node"));
    for (rate, expected) in [
        (("Price per GB-month", "0"), ["3", "\u{2013}"]),
        (("Price per node-hour", "1"), ["3", "2,190"]),
        (("Price per node-hour", "2"), ["3", "4,380"]),
        (("Clusters", "2"), ["6", "8,760"]),
    ] {
        let cells = fill(&mut page, &[rate]);
        assert_eq!([&cells[nodes], &cells[cost]], expected, "{rate:?}");
    }
    let cells = fill(&mut page, &[("Price per GB-month", "0.5")]);
    assert!(cells[cost].replace(',', "").parse::<u64>().is_ok_and(|cost| cost > 8_760), "{cells:?}");
    let large = fill(&mut page, &[("Events per day", "1000000000000000"), ("Days kept", "100000")]);
    let separated = |text: &String| {
        text.split(',').skip(1).all(|part| part.chars().filter(char::is_ascii_digit).count() == 3)
    };
    assert!(large.iter().all(separated) && large[nodes].len() >= "1,000,000,000".len(), "{large:?}");
    assert_eq!(page.fill("Days kept", "100001"), Err("Enter a number from 0 to 100,000.".into()));
    assert_eq!(page.state.workspace.rates.as_ref().and_then(|rates| rates.gigabyte_month_price), Some(0.5));
}

fn by_field(name: &str, field: &str, value: &str) -> NamedQuery {
    let rows = RowChoice::Fields { equals: vec![(field.into(), value.into())], from: None, until: None };
    NamedQuery::new(name, Query { rows, ..Workspace::default().query })
}

/// Saves access patterns by the fields of the first row: the user, and the app.
fn save_patterns(page: &mut Page, with_app: bool) {
    let key = page.read(0, Query { rows_limit: 1, ..Workspace::default().query }).rows[0].key.to_string();
    let parts: Vec<&str> = key.split(',').collect();
    let mut queries = vec![by_field("One user", "user_token", parts[2])];
    queries.extend(with_app.then(|| by_field("One app", "app_id", parts[1])));
    page.edit(move |workspace| workspace.queries.clone_from(&queries));
}

#[test]
fn designs_are_suggested_for_access_patterns_added_and_measured() {
    let mut page = open(None);
    page.view();
    page.press("Suggest designs");
    assert!(page.view().says("Choose what you look up first"));
    page.press("Close the suggestions");
    assert!(!page.view().says("Choose what you look up first"));
    save_patterns(&mut page, false);
    page.view();
    page.press("Suggest designs");
    assert!(page.view().says("The access pattern that selects by fields reads a single range."));
    page.press("Add By user_token, timestamp");
    assert_eq!(names(&mut page), ["Design 1", "By user_token, timestamp"]);
    assert!(page.view().says("\u{201c}By user_token, timestamp\u{201d} is best by these figures"));
    assert!(!page.can("Add By user_token, timestamp"), "a design that exists is not suggested again");
    page.act(Action::Undo);
    assert_eq!(names(&mut page), ["Design 1"]);
}

#[test]
fn index_tables_are_suggested_for_what_the_key_cannot_answer() {
    let mut page = open(None);
    save_patterns(&mut page, true);
    page.view();
    page.press("Suggest designs");
    assert!(page.view().says("in 2 writes without a transaction"));
    let add = page.named(", indexed");
    let name = add.trim_start_matches("Add ").to_owned();
    page.press(&add);
    let count = |page: &Page| {
        let Workspace { designs, queries, .. } = &*page.state.workspace;
        let of = designs.iter().filter(|each| each.index_of.as_ref() == Some(&name)).count();
        (of, queries.iter().filter(|each| each.tables.len() == 1).count())
    };
    assert_eq!(count(&page), (1, 1), "one index table, and one pattern reads it");
    let cells = page.view().texts("button.score-cell");
    for pattern in ["One user", "One app"] {
        let cell =
            cells.iter().find(|cell| cell.starts_with(&format!("{pattern} on {name}"))).expect("a cell");
        assert!(cell.contains("1 range") || cell.contains("8 ranges"), "{cell}");
    }
    assert!(!page.can(&add), "it is not suggested again");
    page.act(Action::Undo);
    assert_eq!(
        (count(&page), page.state.workspace.designs.len()),
        ((0, 0), 1),
        "one step takes all of it back"
    );
}

#[test]
fn an_edited_copy_says_why_it_has_no_figures() {
    let mut page = open(None);
    page.view();
    page.press("Duplicate Design 1");
    assert_eq!(page.state.design, 1, "the copy is edited");
    assert_eq!(page.view().attributes(".tool-edit", "aria-pressed"), ["false", "true"]);
    page.act(Action::Edit(Edit::TemplateTyping("{user_token".into()), 1e9));
    let drawn = page.view();
    assert!(drawn.says("The template has an error: edit the design"));
    assert_eq!(figure(&drawn, "Size in this engine")[1], "\u{2013}");
    assert!(line(&drawn, ".compare-table", "Figure")[1].ends_with("the template has an error"));
    page.act(Action::Edit(Edit::TemplateTyping(USER_FIRST.into()), 2e9));
    let spread = page.view().texts(".design-card .headline");
    assert_eq!(spread.iter().filter(|text| text.contains("Writes are spread over")).count(), 1);
    page.press("Edit Design 1");
    assert_eq!(
        (page.state.design, page.state.design().template.as_str()),
        (0, "{timestamp:iso},{app_id},{user_token}")
    );
}
