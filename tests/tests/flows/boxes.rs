//! A box of a Z-order: the rows inside of it, what its fields refuse, and which keys have one.

use serde_json::{Value, from_slice};
use tabletop_keys::{Layout, LayoutKind, RowChoice};
use tabletop_views::query::{BoxAxis, Notation, RangeEnd, Spot, edit};
use tabletop_workspace::Source;

use super::Page;
use crate::page::state::{Action, Edit, Pane};

const TEMPLATE: &str = "{zorder(longitude, latitude, bits=16, as=hex)},{time:iso},{id}";

/// Opens a table of earthquakes with this key, and chooses a box.
fn open(template: &'static str) -> Page {
    let mut page = Page::with(|workspace| {
        workspace.source = Source::Sample("earthquakes".into());
        let design = &mut workspace.designs[0];
        (design.template, design.layout) = (template.into(), Layout::new(LayoutKind::Narrow));
        workspace.query.rows_limit = 0;
    });
    page.pane(Pane::Query);
    page.press("Box");
    page
}

/// Types in a field of the box.
fn fill(page: &mut Page, spot: &Spot, text: &str) {
    let query = edit(&page.state.workspace.query, spot, text).expect("it is a value");
    page.millis += 60_000.0;
    page.act(Action::Edit(Edit::Query(query), page.millis));
}

/// Returns the rows of the table in the same steps of 16 bits as the edges of a box. Each value is
/// the whole event.
fn counted(page: &mut Page, x: [f64; 2], y: [f64; 2]) -> usize {
    let all = tabletop_keys::Query { rows: RowChoice::All, ..page.state.workspace.query.clone() };
    let step = |value: f64, min: f64, extent: f64| ((value - min) / extent * 65_536.0).floor().min(65_535.0);
    let is_between = |value: f64, [from, to]: [f64; 2], min: f64, extent: f64| {
        (step(from, min, extent)..=step(to, min, extent)).contains(&step(value, min, extent))
    };
    let rows = page.read(0, all).rows.into_iter();
    let is_inside = |row: &tabletop_model::Row| {
        let event: Value = from_slice(&row.cells[0].value).expect("an event");
        let number = |name: &str| match &event[name] {
            Value::String(text) => text.parse::<f64>().expect("a number"),
            other => other.as_f64().expect("a number"),
        };
        is_between(number("longitude"), x, -180.0, 360.0) && is_between(number("latitude"), y, -90.0, 180.0)
    };
    rows.filter(is_inside).count()
}

#[test]
fn a_box_that_is_typed_reads_the_rows_inside_of_it() {
    let mut page = open(TEMPLATE);
    let labels = page.pane(Pane::Query).texts(".field-label");
    for label in ["longitude from", "longitude to", "latitude from", "latitude to", "Depth"] {
        assert!(labels.contains(&label.into()), "{label}: {labels:?}");
    }
    for (axis, end, text) in [
        (BoxAxis::X, RangeEnd::Start, "-120"),
        (BoxAxis::X, RangeEnd::End, "-115"),
        (BoxAxis::Y, RangeEnd::Start, "33"),
        (BoxAxis::Y, RangeEnd::End, "40"),
    ] {
        fill(&mut page, &Spot::Edge(axis, end), text);
    }
    page.run_query();
    let inside = counted(&mut page, [-120.0, -115.0], [33.0, 40.0]);
    assert!(inside > 10, "{inside} earthquakes in California");
    assert_eq!(page.state.result.rows(), inside);
    assert!(page.pane(Pane::Results).says(&format!("Rows returned {inside} ")));
}

#[test]
fn a_box_says_what_is_wrong_with_it_or_with_the_key() {
    let mut page = open(TEMPLATE);
    let query = page.state.workspace.query.clone();
    assert_eq!(edit(&query, &Spot::Depth, "99"), None, "the last depth is used");
    let problems = Notation::Depth.canonical("99").expect_err("it is too deep");
    assert!(problems[0].message.contains("a depth is a whole number from 0 to 32, or empty"), "{problems:?}");
    fill(&mut page, &Spot::Edge(BoxAxis::X, RangeEnd::Start), "-120");
    let swapped = "An axis ends before it starts";
    assert!(!page.pane(Pane::Query).says(swapped), "{}", page.pane(Pane::Query).text());
    fill(&mut page, &Spot::Edge(BoxAxis::X, RangeEnd::End), "-121");
    assert!(page.pane(Pane::Query).says(swapped), "{}", page.pane(Pane::Query).text());
    fill(&mut page, &Spot::Edge(BoxAxis::X, RangeEnd::End), "-115");
    for (template, why) in [
        ("{longitude},{latitude},{time:iso}", "The key has no Z-order of longitude and latitude"),
        (
            "{zorder(longitude, latitude, bits=16, as=decimal)},{time:iso},{id}",
            "write it with as=hex or as=bytes",
        ),
    ] {
        assert!(!page.pane(Pane::Query).says(why));
        page.template(template);
        assert!(page.pane(Pane::Query).says(why), "{}", page.pane(Pane::Query).text());
    }
}

#[test]
fn the_map_has_a_hint_for_a_mouse_and_one_for_fingers() {
    let drawn = open(TEMPLATE).pane(Pane::Tablets);
    let hints = drawn.texts(".map .for-pointer span");
    assert!(
        hints.len() == 2
            && hints[0].starts_with("Drag a rectangle to read its rows")
            && hints[1].starts_with("Move a finger sideways"),
        "{hints:?}"
    );
    assert_eq!(drawn.attributes(".map .for-pointer span", "class"), ["touch"], "the second one");
}
