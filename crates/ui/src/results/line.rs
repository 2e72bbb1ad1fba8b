//! Draws one line of the grid, and decodes its value: only visible lines are drawn.

use tabletop_model::{Cell, escape};
use tabletop_schema::time;
use yew::{Html, html};

use super::decode::{Decoding, ValueKind, preview};
use super::key::key_line;
use crate::messages::messages;
use crate::state::{KeyForm, KeyPlace, ResultLine, StoredKeys};

/// The cursor of the keyboard.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Cursor {
    /// Counted from 0.
    pub line: usize,
    /// Counted from 0: key, family, qualifier, time, value.
    pub column: usize,
}

/// The values that the drawing of every line needs.
pub struct LineDrawing<'a> {
    /// The keys of the table.
    pub keys: &'a StoredKeys,
    /// How values are decoded.
    pub decoding: Decoding,
    /// The place of keys. Below a key, cells are stacked on two lines of text.
    pub key_place: KeyPlace,
    /// The cursor of the keyboard.
    pub cursor: Cursor,
    /// The first visible line. It shows its key even if the row begins further up.
    pub first: usize,
}

impl LineDrawing<'_> {
    fn stacked(&self) -> bool {
        self.key_place == KeyPlace::Above
    }

    /// Returns the column of a cursor in `column`: the line of a key has only one.
    pub fn column_of(&self, line: Option<ResultLine<'_>>, column: usize) -> usize {
        match line.and_then(|line| line.cell_index) {
            None => 0,
            Some(_) if self.stacked() => column.max(1),
            Some(_) => column,
        }
    }

    /// Draws the key of stacked cells whose line is out of sight.
    pub fn context(&self, line: Option<ResultLine<'_>>) -> Html {
        match line.filter(|line| line.cell_index.is_some()) {
            Some(line) => key_line(&self.keys.view(&line.row.key), &self.keys.colors, KeyForm::Text),
            None => html! { <span class="soft">{messages().results.key_and_cells}</span> },
        }
    }

    /// Draws the line with this index.
    pub fn line(&self, index: usize, line: ResultLine<'_>) -> Html {
        let here = (self.cursor.line == index).then(|| self.column_of(Some(line), self.cursor.column));
        let begins = line.cell_index.is_none_or(|cell| cell == 0 && !self.stacked());
        let mut class = String::from("line");
        for (holds, name) in [(begins, " begins"), (here.is_some(), " here"), (line.cell_index.is_none(), " key-line")] {
            if holds {
                class.push_str(name);
            }
        }
        // A key that is visible above is only for screen readers.
        let key = key_line(&self.keys.view(&line.row.key), &self.keys.colors, KeyForm::Text);
        // The key can be cut, but not its accessible name.
        let name = Some(escape(&line.row.key));
        let hidden = !begins && (self.stacked() || index != self.first);
        let key = if hidden {
            html! { <span class="visually-hidden">{ key }</span> }
        } else {
            key
        };
        let key_class = if self.stacked() && hidden { "visually-hidden" } else { "key mono" };
        let mut cells = vec![grid_cell(index, 0, here, key_class, name, key)];
        if let Some(cell) = line.cell() {
            let text = |text: String| html! { { text } };
            let (kind, shown) = preview(&cell.value, self.decoding);
            let value_class = if kind == ValueKind::Hex { "value mono hex" } else { "value mono" };
            cells.push(grid_cell(index, 1, here, "family", None, text(cell.family.clone())));
            cells.push(grid_cell(index, 2, here, "qualifier mono", None, text(escape(&cell.qualifier))));
            cells.push(grid_cell(index, 3, here, "time num", None, text(short_time(cell.timestamp))));
            cells.push(grid_cell(index, 4, here, value_class, None, value(line, cell, kind, shown)));
        }
        html! {
            <div key={index} role="row" {class} aria-rowindex={(index + 2).to_string()} data-line={index.to_string()}>{ cells }</div>
        }
    }
}

fn value(line: ResultLine<'_>, cell: &Cell, kind: ValueKind, shown: String) -> Html {
    let copy = line.cell_before() == Some(cell);
    let says = &messages().results;
    html! {
        <>
            if let Some(label) = &cell.label { <span class="label">{ label.clone() }</span> }
            if copy { <span class="label copy" title={says.duplicate_why}>{says.duplicate}</span> }
            if kind == ValueKind::Empty { <span class="soft">{says.kinds.empty}</span> } else { { shown } }
        </>
    }
}

/// Draws one cell of a line, marked if the cursor is on it.
fn grid_cell(line: usize, column: usize, here: Option<usize>, class: &str, name: Option<String>, content: Html) -> Html {
    let marked = here == Some(column);
    let class = if marked { format!("{class} cursor") } else { class.to_string() };
    html! {
        <div
            id={cell_id(line, column)}
            role={if column == 0 { "rowheader" } else { "gridcell" }}
            {class}
            aria-colindex={(column + 1).to_string()}
            aria-label={name}
            aria-selected={if marked { "true" } else { "false" }}
        >
            { content }
        </div>
    }
}

/// Returns a time as `2019-05-28 00:04:34.000`, always UTC.
pub fn short_time(timestamp: i64) -> String {
    time::format(timestamp).replace('T', " ").trim_end_matches('Z').to_string()
}

/// Returns the id of a cell's element.
pub fn cell_id(line: usize, column: usize) -> String {
    format!("cell-{line}-{column}")
}
