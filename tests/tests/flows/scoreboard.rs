//! Access patterns on designs: weighted, limited, edited in place and measured again.

use tabletop_keys::{Layout, LayoutKind, Query, RowChoice};
use tabletop_model::RowFilter;
use tabletop_workspace::{Design, NamedQuery, ViewId};

use super::Page;
use crate::browser::used;
use crate::page::state::{Action, Edit, Pane};
use crate::panes::query::named_queries;

const HOUR: &str = "Everything in 1 minute";

/// Opens the view with two designs and the suggested access patterns: a salt and the time first, so
/// that the design is not hot, and the user first.
fn open_with_salt() -> Page {
    let mut page = open("{salt(8)}-{timestamp:iso},{app_id},{user_token}");
    page.view();
    page.press("Add all 5");
    assert!(cell(&mut page, HOUR, "Design 1").contains("8 ranges"));
    assert!(sentence(&mut page).starts_with("“Users” comes first with "), "blocks decide");
    page
}

fn open(template: &'static str) -> Page {
    let mut page = Page::with(|workspace| {
        workspace.designs[0].template = template.into();
        let layout = Layout { family_field: None, ..Layout::new(LayoutKind::Narrow) };
        workspace.designs.push(Design::new("Users", "{user_token},{timestamp:iso},{app_id}", layout));
    });
    page.show(ViewId::Compare);
    page
}

fn sentence(page: &mut Page) -> String {
    page.view().texts(".score-sentence").concat()
}

/// Returns the text of the cell of a pattern on a design.
fn cell(page: &mut Page, pattern: &str, design: &str) -> String {
    let cells = page.view().texts("button.score-cell");
    let name = format!("{pattern} on {design}:");
    cells.into_iter().find(|cell| cell.starts_with(&name)).unwrap_or_else(|| panic!("no cell {name}"))
}

fn blocks(page: &mut Page) -> String {
    let total = page.view().rows(".score-grid tfoot tr").swap_remove(0).swap_remove(3);
    total.split(" blocks/s").next().unwrap_or_default().to_owned()
}

fn patterns(page: &mut Page) -> Vec<String> {
    page.view().texts(".score-name")
}

#[test]
fn suggested_patterns_are_measured_on_each_design_and_a_sentence_names_the_best() {
    let mut page = open("{timestamp:iso},{app_id},{user_token}");
    page.view();
    page.press("Add One user_token");
    assert_eq!(patterns(&mut page), ["One user_token"]);
    assert_eq!(used::take_focus().as_deref(), Some("#pattern-0 .score-weight input"), "its weight");
    page.press("Add all 4");
    let names = patterns(&mut page);
    assert_eq!(names.len(), 5);
    for (pattern, design, plan) in [
        ("One user_token", "Design 1", "full scan"),
        ("One user_token", "Users", "1 range"),
        (HOUR, "Design 1", "1 range"),
        (HOUR, "Users", "full scan"),
    ] {
        let cell = cell(&mut page, pattern, design);
        assert!(cell.contains(plan), "{pattern} on {design}: {cell}");
    }
    // Each cell has the counts of a read of this query.
    for (index, design) in [(0, "Design 1"), (1, "Users")] {
        for named in page.state.workspace.queries.clone() {
            let stats = page.read(index, named.query.clone()).stats;
            let text = cell(&mut page, &named.name, design).replace(',', "");
            let seen = format!("{} seen for {} row", stats.rows_seen, stats.rows_returned);
            let cells = format!("{} cell", stats.cells_seen);
            assert!(
                stats.rows_returned > 0 && text.contains(&seen) && text.contains(&cells),
                "{} on {design} costs {stats:?}: {text}",
                named.name
            );
        }
    }
    let said = sentence(&mut page);
    for part in [
        "“Users” comes first: it spreads its writes",
        "The writes of “Design 1” go to only a few tablets, and adding nodes does not help.",
        "It gains most from “One user_token",
        "full scan, ",
        &format!("It loses on “{HOUR}” ("),
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let drawn = page.view();
    let totals = drawn.rows(".score-grid tfoot tr").swap_remove(0);
    assert!(totals[2].contains('×') && totals[3].contains("fewest"), "the best total is marked: {totals:?}");
    assert!(drawn.says("reads per second times the blocks of one read"));
    // Neither design has a row for each user, so neither returns only the latest.
    page.edit(|workspace| {
        let filter = Some(RowFilter::CellsPerColumnLimit(1));
        let query = Query { rows: RowChoice::All, filter, rows_limit: 0, reversed: false };
        workspace.queries.push(NamedQuery::new("Latest of each user_token", query));
    });
    for design in ["Users", "Design 1"] {
        let cell = cell(&mut page, "Latest of each user_token", design);
        assert!(cell.contains("every row, including older ones"), "{cell}");
    }
    assert!(page.view().says("asks for the latest of each, and no design has a row for each entity"));
    page.act(Action::Undo);
    page.act(Action::Undo);
    assert_eq!(patterns(&mut page), ["One user_token"]);
    page.act(Action::Undo);
    assert!(patterns(&mut page).is_empty(), "nothing is added by itself");
    page.act(Action::Redo);
    page.act(Action::Redo);
    assert_eq!(patterns(&mut page), names);
    page.press("Suggest designs");
    assert!(page.view().says("in 3 writes without a transaction"));
}

#[test]
fn a_pattern_reads_an_index_table_and_its_cost_counts() {
    let mut page = Page::with(|workspace| {
        workspace.designs[0].template = "{app_id},{user_token},{timestamp:iso}".into();
    });
    page.act(Action::Look(Box::new(|look| look.unfolded.push("gc"))));
    page.pane(Pane::Design);
    page.press("Add index table");
    let about = "An index table of Design 1: each event is also written here.";
    assert!(page.pane(Pane::Design).says(about));
    page.edit(|workspace| {
        workspace.designs[1].template = "{event_type},{timestamp:iso},{user_token}".into();
        let equals = vec![("event_type".into(), "conversion".into())];
        workspace.query.rows = RowChoice::Fields { equals, from: None, until: None };
    });
    page.show(ViewId::Compare);
    assert!(page.view().says("Index table of Design 1"));
    page.press("Duplicate Design 1");
    page.view();
    page.press("Remove Design 1, index 2");
    page.view();
    page.press("Add the query in the Query pane");
    let of = |page: &mut Page, design: &str| cell(page, "Query 1", design);
    assert!(of(&mut page, "Design 1").contains("full scan"), "its own table is scanned");
    page.fill("Table of Design 1 that Query 1 reads", "Design 1, index").expect("a table");
    assert!(of(&mut page, "Design 1").contains("1 range"), "{}", of(&mut page, "Design 1"));
    assert!(of(&mut page, "Design 2").contains("full scan"), "the other design has no index");
    let said = sentence(&mut page);
    assert!(said.contains(" wins") || said.contains(" comes first"), "{said}");
    let rows = page.view().rows(".compare-table tbody tr");
    let rows = rows.into_iter().find(|row| row[0] == "Rows").expect("a figure");
    assert_eq!(rows[1..], ["4,000", "2,000"], "rows of all tables of each design");
}

#[test]
fn a_weight_changes_the_totals_and_the_winner() {
    let mut page = open_with_salt();
    let (before, said) = (blocks(&mut page), sentence(&mut page));
    page.fill("Reads per second of All of one event_type", "7").expect("a weight");
    assert_ne!(blocks(&mut page), before);
    page.fill(&format!("Reads per second of {HOUR}"), "1000000").expect("a weight");
    assert!(sentence(&mut page).starts_with("“Design 1” comes first with "), "the time first wins");
    assert_eq!(
        page.fill("Reads per second of One user_token", "-1"),
        Err("Enter a number from 0 to 1,000,000,000.".into())
    );
    assert_eq!(page.state.workspace.queries[0].reads_per_second, 100.0);
    page.act(Action::Undo);
    page.act(Action::Undo);
    assert_eq!((sentence(&mut page), blocks(&mut page)), (said, before));
}

#[test]
fn a_limit_is_met_or_missed_in_words_and_decides() {
    let mut page = open_with_salt();
    let limits = page.named(&format!("of {HOUR}"));
    assert!(!page.view().says("Maximums unless noted"));
    page.press(&format!("Limits of {HOUR}"));
    assert!(page.view().says("Maximums unless noted"), "{limits}");
    page.fill("Rows seen per row returned", "1").expect("a limit");
    assert!(cell(&mut page, HOUR, "Design 1").contains("limit met"));
    let missed = cell(&mut page, HOUR, "Users");
    assert!(
        missed.contains("1 limit violated") && missed.contains("Rows seen per row returned: "),
        "{missed}"
    );
    assert!(
        sentence(&mut page)
            .starts_with("“Design 1” comes first: it meets the limits of most access patterns")
    );
    assert_eq!(page.state.workspace.queries[4].limits.rows_seen_per_row_max, Some(1.0));
    page.act(Action::Undo);
    assert!(sentence(&mut page).starts_with("“Users” comes first with "), "without it, blocks decide");
    page.press(&format!("Limits of {HOUR}"));
    assert!(!page.view().says("Maximums unless noted"));
}

#[test]
fn patterns_are_named_edited_and_deleted_in_place() {
    let mut page = open("{timestamp:iso},{app_id},{user_token}");
    for name in ["One user_token", HOUR] {
        page.view();
        page.press(&format!("Add {name}"));
    }
    assert_eq!(patterns(&mut page), ["One user_token", HOUR]);
    page.press("Rename One user_token");
    page.view();
    let field = "Name of the access pattern";
    assert_eq!(page.fill(field, HOUR), Err(format!("Another access pattern is named {HOUR}.")));
    page.fill(field, "Profile").expect("a name");
    assert_eq!(patterns(&mut page), ["Profile", HOUR]);
    page.press("Edit the query Profile");
    assert_eq!(used::take_focus().as_deref(), Some(".named select"), "the query pane has the focus");
    let limited = |page: &Page, rows_limit| {
        Action::Edit(
            Edit::Query(tabletop_keys::Query { rows_limit, ..page.state.workspace.query.clone() }),
            1e9,
        )
    };
    page.act(limited(&page, 3));
    let drawn = page.draw(named_queries);
    assert_eq!(drawn.attributes(".named select option[selected]", "value"), ["1"], "it shows the pattern");
    page.press("Save changes");
    assert!(cell(&mut page, "Profile", "Users").contains("3 seen for 3 rows"));
    assert!(page.view().says("at most 3 rows"));
    page.press("Delete Profile");
    assert_eq!(patterns(&mut page), [HOUR]);
    assert_eq!(used::take_focus().as_deref(), Some("#pattern-0 .tool-remove"), "the next one has the focus");
    assert!(page.can("Add One user_token"), "it is suggested again");
    page.act(Action::Undo);
    assert_eq!(patterns(&mut page), ["Profile", HOUR]);
    page.act(limited(&page, 5));
    page.view();
    page.press("Add the query in the Query pane");
    assert_eq!(patterns(&mut page), ["Profile", HOUR, "Query 3"]);
    assert_eq!(page.state.workspace.queries[2].query.rows_limit, 5);
}

#[test]
fn a_design_that_changes_is_measured_again() {
    let mut page = open("{timestamp:iso},{app_id},{user_token}");
    page.view();
    page.press("Add all 5");
    let template = |page: &mut Page, text: &'static str| {
        page.edit(move |workspace| workspace.designs[0].template = text.into());
    };
    let user = "One user_token";
    assert!(cell(&mut page, user, "Design 1").contains("full scan"));
    // Until then, no costs are shown: the measured ones belong to the earlier key.
    page.state.apply(Action::Edit(Edit::Template("{user_token},{app_id}".into()), 1e9));
    let drawn = page.view();
    assert!(drawn.texts("span.score-cell").contains(&"events are missing".into()), "{}", drawn.text());
    assert!(cell(&mut page, user, "Users").contains("1 range"), "the other design keeps its costs");
    template(&mut page, "{user_token:hash(4)}{user_token},{timestamp:millis},{app_id}");
    assert!(cell(&mut page, user, "Design 1").contains("1 range"));
    template(&mut page, "{salt(8)}-{user_token},{timestamp:millis},{app_id}");
    assert!(cell(&mut page, user, "Design 1").contains("8 ranges"));
    let said = sentence(&mut page);
    assert!(said.contains(" wins") || said.contains(" comes first"), "{said}");
    template(&mut page, "{user_token");
    let drawn = page.view();
    assert!(drawn.texts("span.score-cell").contains(&"template has an error".into()));
    assert!(drawn.says("A comparison needs two designs"));
    assert!(cell(&mut page, user, "Users").contains("1 range"), "the other design keeps its costs");
    // A design that cannot answer says why.
    page.edit(|workspace| workspace.designs[0].layout.family_field = None);
    template(&mut page, "{user_token:hash(4)},{timestamp:millis},{app_id}");
    let refused = cell(&mut page, user, "Design 1");
    let why = "Neither the row key nor the cells of this layout contain user_token in full";
    assert!(refused.contains("no answer") && refused.contains(why), "{refused}");
    assert!(sentence(&mut page).starts_with("“Users” comes first: it answers the most access patterns"));
}

#[test]
fn each_suggestion_is_a_pattern_of_its_own() {
    let mut page = open("{timestamp:iso},{app_id},{user_token}");
    assert!(page.view().says("An access pattern is a query that your application sends repeatedly."));
    page.press("Add all 5");
    let names: Vec<String> =
        page.state.workspace.queries.iter().map(|named: &NamedQuery| named.name.clone()).collect();
    assert_eq!(patterns(&mut page), names);
    page.act(Action::Undo);
    assert!(page.view().says("An access pattern is a query that"));
}
