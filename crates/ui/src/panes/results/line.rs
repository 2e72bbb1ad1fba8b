//! Draws one line of the grid, and decodes its value: only visible lines are drawn.

use tabletop_keys::time;
use tabletop_model::{Cell, CellPart, escape};
use tabletop_objects::ObjectTypes;
use tabletop_texts::messages;
use tabletop_views::results::{CellColumns, MarkBook, ValueKind, cell_preview};
use tabletop_workspace::{Decoding, ResultColumns};
use yew::{Html, html};

use super::cursor::Cursor;
use super::key::key_line;
use super::marks::marked;
use crate::page::state::{KeyForm, KeyPlace, ResultLine, StoredKeys};

/// The values that the drawing of every line needs.
pub struct LineDrawing<'a> {
    /// The keys of the table.
    pub keys: &'a StoredKeys,
    /// What is chosen for columns.
    pub chosen: &'a ResultColumns,
    /// The messages of families, if the user has defined what values mean.
    pub types: Option<&'a ObjectTypes>,
    /// The choices for the columns of the list.
    pub columns: CellColumns,
    /// The matches of patterns, if there are any.
    pub marks: Option<&'a MarkBook>,
    /// The position of keys. Below a key, cells are stacked on two lines of text.
    pub key_place: KeyPlace,
    /// The keyboard cursor.
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
            Some(_) if self.columns.shown[column] => column,
            Some(_) => 0,
        }
    }

    /// Draws the key of stacked cells whose line is out of sight.
    pub fn context(&self, line: Option<ResultLine<'_>>) -> Html {
        match line.filter(|line| line.cell_index.is_some()) {
            Some(line) => key_line(&self.keys.view(&line.row.key), &self.keys.colors, KeyForm::Text, &[]),
            None => html! { <span class="soft">{messages().results.key_and_cells}</span> },
        }
    }

    fn pin(&self, column: usize) -> &'static str {
        if self.stacked() { "" } else { self.columns.pin(column) }
    }

    /// Returns how the value of a cell is decoded.
    fn decoding(&self, cell: &Cell) -> Decoding {
        if self.chosen.columns.is_empty() { self.chosen.values_as } else { decoding_of(self.chosen, cell) }
    }

    /// Draws a part of the cell of a line, with the matches of patterns marked.
    fn text(&self, line: ResultLine<'_>, part: CellPart, bytes: &[u8], shown: String) -> Html {
        let marks =
            self.marks.zip(line.cell_index).map(|(marks, cell)| marks.of((line.row_index, cell), part));
        match marks.filter(|marks| !marks.is_empty()) {
            Some(marks) => marked(bytes, &marks),
            None => html! { { shown } },
        }
    }

    /// Draws the line with this index.
    pub fn line(&self, index: usize, line: ResultLine<'_>) -> Html {
        let here = (self.cursor.line == index).then(|| self.column_of(Some(line), self.cursor.column));
        let begins = line.cell_index.is_none_or(|cell| cell == 0 && !self.stacked());
        let mut class = String::from("line");
        for (holds, name) in
            [(begins, " begins"), (here.is_some(), " here"), (line.cell_index.is_none(), " key-line")]
        {
            if holds {
                class.push_str(name);
            }
        }
        // A key that is visible above is only for screen readers.
        let key_marks =
            self.marks.map(|marks| marks.of((line.row_index, line.cell_index.unwrap_or(0)), CellPart::Key));
        let key_marks = key_marks.unwrap_or_default();
        let key = key_line(&self.keys.view(&line.row.key), &self.keys.colors, KeyForm::Text, &key_marks);
        // The key can be cut, but not its accessible name.
        let name = Some(escape(&line.row.key));
        let hidden = !begins && (self.stacked() || index != self.first);
        let key = if hidden {
            html! { <span class="visually-hidden">{ key }</span> }
        } else {
            key
        };
        let key_class = if self.stacked() && hidden { "visually-hidden" } else { "key mono" };
        let mut cells = vec![grid_cell(index, 0, here, key_class, self.pin(0), name, key)];
        if let Some(cell) = line.cell() {
            let mut push = |column: usize, class: &str, content: Html| {
                if self.columns.shown[column] {
                    cells.push(grid_cell(index, column, here, class, self.pin(column), None, content));
                }
            };
            push(1, "family", self.text(line, CellPart::Family, cell.family.as_bytes(), cell.family.clone()));
            push(
                2,
                "qualifier mono",
                self.text(line, CellPart::Qualifier, &cell.qualifier, escape(&cell.qualifier)),
            );
            let time = short_time(cell.timestamp);
            push(3, "time num", html! { { time } });
            let (kind, shown) =
                cell_preview(cell, self.decoding(cell), self.types, self.keys.values.as_ref());
            let value_class = if kind == ValueKind::Hex { "value mono hex" } else { "value mono" };
            let content = match kind {
                ValueKind::Empty => html! { <span class="soft">{messages().results.kinds.empty}</span> },
                ValueKind::Text | ValueKind::Json => self.text(line, CellPart::Value, &cell.value, shown),
                ValueKind::Int64 | ValueKind::Hex | ValueKind::Protobuf | ValueKind::Encoded(_) => {
                    html! { { shown } }
                }
            };
            push(4, value_class, value(line, cell, content));
        }
        html! {
            <div key={index} role="row" {class} aria-rowindex={(index + 2).to_string()} data-line={index.to_string()}>{ cells }</div>
        }
    }
}

fn value(line: ResultLine<'_>, cell: &Cell, content: Html) -> Html {
    let copy = line.cell_before() == Some(cell);
    let says = &messages().results;
    html! {
        <>
            if let Some(label) = &cell.label { <span class="label">{ label.clone() }</span> }
            if copy { <span class="label copy" title={says.duplicate_why}>{says.duplicate}</span> }
            { content }
        </>
    }
}

/// Returns how the value of a cell is decoded by what is chosen for its column.
#[inline(never)]
pub fn decoding_of(chosen: &ResultColumns, cell: &Cell) -> Decoding {
    chosen.decoding(&column_name(cell))
}

/// Returns the displayed name of the column of a cell, which is also its name in [`ResultColumns`].
pub fn column_name(cell: &Cell) -> String {
    format!("{}:{}", cell.family, escape(&cell.qualifier))
}

/// Draws one cell of a line, marked if the cursor is on it.
fn grid_cell(
    line: usize,
    column: usize,
    here: Option<usize>,
    class: &str,
    pin: &'static str,
    name: Option<String>,
    content: Html,
) -> Html {
    let marked = here == Some(column);
    let mut class = class.to_string();
    class.push_str(pin);
    if marked {
        class.push_str(" cursor");
    }
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
