//! Cells of a result: the row of one is changed manually, and a column has a decoding of its own.

use tabletop_texts::locale;
use tabletop_workspace::{Decoding, ResultColumns};

use super::story::Story;
use super::*;
use crate::page::state::Pane;
use crate::panes::results::by_hand::{RowTools, RowToolsProps};

/// Opens the tools for the row of the first cell of a table with a row for each user.
fn open() -> Story<RowTools> {
    let mut page = Page::with(|workspace| workspace.designs[0].template = "{user_token}".into());
    page.pane(Pane::Design);
    page.press("Row per entity");
    page.run_query();
    Story::open(page, |state, actions| {
        let row = state.result.row(0).expect("a row");
        let cell = &row.cells[0];
        RowToolsProps {
            row: row.key.clone(),
            family: cell.family.clone(),
            qualifier: cell.qualifier.to_vec(),
            column: format!("{}:{}", cell.family, cell.qualifier),
            on_write: actions.write.clone(),
            on_done: Callback::noop(),
            locale: locale(),
        }
    })
}

/// Returns the key of the first row, and the family, the qualifier, the time and the value of each
/// of its cells.
fn first_row(story: &mut Story<RowTools>) -> (String, Vec<[String; 4]>) {
    let query = Query { rows_limit: 1, ..story.page.state.workspace.query.clone() };
    let row = story.page.read(0, query).rows.swap_remove(0);
    let cell = |cell: &tabletop_model::Cell| {
        [cell.family.clone(), cell.qualifier.to_string(), cell.timestamp.to_string(), cell.value.to_string()]
    };
    (row.key.to_string(), row.cells.iter().map(cell).collect())
}

#[test]
fn a_column_a_family_and_a_row_are_deleted_and_undo_restores_them() {
    let mut story = open();
    let all = first_row(&mut story);
    let [family, qualifier, ..] = all.1[0].clone();
    story.press("Delete column");
    let question = format!("Delete all versions of {family}:{qualifier} in this row?");
    assert!(story.draw().says(&question), "{}", story.draw().text());
    story.press("Keep");
    assert!(!story.draw().says(&question));
    assert_eq!(first_row(&mut story), all, "nothing was deleted");
    let mut delete = |what: &str, is_left: &dyn Fn(&[String; 4]) -> bool| {
        story.press(what);
        story.press("Delete");
        story.draw();
        assert!(!story.page.can("Keep"), "the question has disappeared");
        let left: Vec<[String; 4]> = all.1.iter().filter(|cell| is_left(cell)).cloned().collect();
        let now = first_row(&mut story);
        if left.is_empty() {
            assert_ne!(now.0, all.0, "{what}");
        } else {
            assert!(left.len() < all.1.len());
            assert_eq!(now, (all.0.clone(), left), "{what}");
        }
        story.page.act(Action::Undo);
        assert_eq!(first_row(&mut story), all, "{what} is undone");
    };
    delete("Delete column", &|cell| cell[0] != family || cell[1] != qualifier);
    delete("Delete family", &|cell| cell[0] != family);
    delete("Delete row", &|_| false);
}

#[test]
fn a_cell_is_added_to_a_row_and_undo_removes_it() {
    let mut story = open();
    let all = first_row(&mut story);
    story.press("Add cell");
    story.fill("Qualifier", "manual").expect("a qualifier");
    story.fill("Value", "a new one").expect("a value");
    story.press("Save cell");
    let added: Vec<[String; 4]> =
        first_row(&mut story).1.into_iter().filter(|cell| !all.1.contains(cell)).collect();
    assert_eq!(added.len(), 1, "{added:?}");
    let [family, qualifier, _, value] = &added[0];
    assert_eq!([family, qualifier, value], [&all.1[0][0], "manual", "a new one"]);
    assert!(story.page.pane(Pane::Tablets).says("manual writes at 1 point"));
    story.page.act(Action::Undo);
    assert_eq!(first_row(&mut story), all);
}

#[test]
fn a_column_of_cells_has_a_decoding_of_its_own() {
    let mut page = Page::with(|_| {});
    page.pane(Pane::Design);
    page.press("Wide");
    page.run_query();
    let lines = |page: &mut Page| -> Vec<(String, String)> {
        let drawn = page.pane(Pane::Results);
        let (names, values) = (drawn.texts(".line .qualifier"), drawn.texts(".line .value"));
        assert_eq!(names.len(), values.len());
        names.into_iter().zip(values).filter(|(_, value)| !value.is_empty()).collect()
    };
    let before = lines(&mut page);
    let first = page.state.result.row(0).expect("a row").cells[0].clone();
    let (qualifier, column) = (first.qualifier.to_string(), format!("{}:{}", first.family, first.qualifier));
    let mut columns = ResultColumns::default();
    columns.set(&column, |column| column.values_as = Some(Decoding::Hex)).expect("a column");
    page.act(Action::Edit(Edit::Results(Some(Box::new(columns))), 9e6));
    let after = lines(&mut page);
    let is_hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit() || c == ' ' || c == '…');
    let (of_column, others) = (0..before.len()).partition::<Vec<usize>, _>(|at| before[*at].0 == qualifier);
    assert!(!of_column.is_empty() && others.len() > 3, "{before:?}");
    assert!(of_column.iter().all(|at| is_hex(&after[*at].1) && after[*at] != before[*at]), "{after:?}");
    assert!(others.iter().all(|at| after[*at] == before[*at]), "the decoding of other columns stays");
}
