//! The code for a real Bigtable makes the tables on the screen, and reads the ranges of the query.

use tabletop_keys::{AxisSpan, Layout, LayoutKind, Query, RowChoice};
use tabletop_model::{Response, TableRequest};
use tabletop_protocol::{Answer, Ask};
use tabletop_workspace::{Source, ViewId};

use super::Page;
use crate::page::state::{Action, ShellEvent, ShellPlace};
use crate::panes::export::{ExportLook, export_dialog};

/// Returns the content of the file in the dialog.
fn content(page: &mut Page, what: Option<&str>) -> String {
    // What the dialog asks for when it opens.
    let tables = page.state.workspace.table_ids().into_iter().filter_map(|table| {
        let request = TableRequest::Describe.of(table.clone());
        match page.ask(Ask::Request { request, now: 0 }) {
            Answer::Response(Response::Spec(spec)) => Some((table, spec)),
            _ => None,
        }
    });
    let known = ShellEvent::Known(tables.collect());
    page.act(Action::Shell(ShellPlace::Page, known));
    page.act(Action::part(|look: &mut ExportLook| look.open = true));
    page.draw(export_dialog);
    if let Some(what) = what {
        page.fill("What", what).expect("a choice");
    }
    page.draw(export_dialog).texts(".export-text").concat()
}

#[test]
fn a_copy_and_an_index_table_are_exported_under_their_own_names() {
    let mut page = Page::with(|_| {});
    page.show(ViewId::Compare);
    for (button, table) in [
        ("Duplicate Design 1", "design-2"),
        ("Edit Design 1", "design-1"),
        ("Add an index table to Design 1", "design-1-index"),
    ] {
        page.view();
        page.press(button);
        let content = content(&mut page, None);
        assert!(content.contains(&format!("createtable {table} ")), "{table} is not in {content}");
    }
}

/// Returns the number of ranges that the exported code in Python reads, and the rows of the table in
/// them.
fn read_by_python(page: &mut Page) -> (u64, u64) {
    let code = content(page, Some("Queries in Python"));
    let function = code.split("def read_current_query(table):").nth(1).expect("a function");
    let sets = function.split("row_filter").next().expect("row sets");
    let texts: Vec<&str> = sets.split("b\"").skip(1).filter_map(|text| text.split('"').next()).collect();
    let ranges: Vec<&[&str]> = texts.chunks(2).collect();
    let all = Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false };
    let keys: Vec<String> = page.read(0, all).rows.iter().map(|row| row.key.to_string()).collect();
    let is_read =
        |key: &&String| ranges.iter().any(|range| range[0] <= key.as_str() && key.as_str() < range[1]);
    (ranges.len() as u64, keys.iter().filter(is_read).count() as u64)
}

#[test]
fn the_code_of_a_box_reads_its_ranges_at_each_depth() {
    let mut page = Page::with(|workspace| {
        workspace.source = Source::Sample("earthquakes".into());
        let design = &mut workspace.designs[0];
        design.template = "{zorder(longitude, latitude, bits=16, as=hex)},{time:iso},{id}".into();
        design.layout = Layout::new(LayoutKind::Narrow);
    });
    let found = [None, Some(4)].map(|depth| {
        page.edit(move |workspace| {
            let span = |field: &str, from, to| AxisSpan { field: field.into(), from, to };
            let (x, y) = (span("longitude", -120.0, -115.0), span("latitude", 33.0, 40.0));
            let rows = RowChoice::Box { x, y, depth };
            workspace.query = Query { rows, filter: None, rows_limit: 0, reversed: false };
        });
        let read = page.read(0, page.state.workspace.query.clone());
        let python = read_by_python(&mut page);
        assert_eq!(python, (read.ranges.into(), read.stats.rows_seen), "ranges and rows at depth {depth:?}");
        python
    });
    assert!(found[0].0 > 1, "there are several ranges");
    assert!(found[0].1 < found[1].1, "a depth reads more: {found:?}");
}
