//! One line of the grid, drawn: only the lines in sight are, so this is where values are decoded.

use tabletop_model::{Cell, escape};
use tabletop_schema::{Template, time};
use yew::{Html, classes, html};

use super::decode::{Decoding, Kind, preview};
use super::key::key_parts;
use super::result::Line;

/// Where the keyboard is.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Cursor {
    /// Counted from 0.
    pub line: usize,
    /// Counted from 0: key, family, qualifier, time, value.
    pub column: usize,
}

/// What drawing a line needs to know.
pub struct Draw<'a> {
    /// Of the keys.
    pub template: &'a Template,
    /// How values are read.
    pub decoding: Decoding,
    /// Keys stand on lines of their own, cells over two lines of text.
    pub stacked: bool,
    /// Where the keyboard is.
    pub cursor: Cursor,
    /// The first line in sight: it names its row even if the row began further up.
    pub first: usize,
}

impl Draw<'_> {
    /// The column that a cursor in `column` is on: a line of its own for the key has no other.
    pub fn column_of(&self, line: Option<Line<'_>>, column: usize) -> usize {
        match line.and_then(|line| line.cell_index) {
            None => 0,
            Some(_) if self.stacked => column.max(1),
            Some(_) => column,
        }
    }

    /// Above stacked cells: whose they are, once the line of their key is out of sight.
    pub fn context(&self, line: Option<Line<'_>>) -> Html {
        match line.filter(|line| line.cell_index.is_some()) {
            Some(line) => key_parts(&self.template.key_view(&line.row.key), false),
            None => html! { <span class="soft">{"Row key, and its cells below"}</span> },
        }
    }

    /// The line with this index.
    pub fn line(&self, index: usize, line: Line<'_>) -> Html {
        let here = (self.cursor.line == index).then(|| self.column_of(Some(line), self.cursor.column));
        let begins = line.cell_index.is_none_or(|cell| cell == 0 && !self.stacked);
        let class = classes!(
            "line",
            begins.then_some("begins"),
            (line.row_index % 2 == 1).then_some("odd"),
            here.is_some().then_some("here"),
            line.cell_index.is_none().then_some("key-line")
        );
        let cell = |column: usize, role: &'static str, class: &'static str, content: Html| {
            let class = classes!(class, (here == Some(column)).then_some("cursor"));
            html! {
                <div id={cell_id(index, column)} {role} {class} aria-colindex={(column + 1).to_string()} aria-selected={(here == Some(column)).to_string()}>
                    {content}
                </div>
            }
        };
        // A key that stands above already is only heard.
        let key = || {
            let text = key_parts(&self.template.key_view(&line.row.key), false);
            if begins || index == self.first {
                text
            } else {
                html! { <span class="visually-hidden">{text}</span> }
            }
        };
        html! {
            <div key={index} role="row" {class} aria-rowindex={(index + 2).to_string()} data-line={index.to_string()}>
                { cell(0, "rowheader", if self.stacked && line.cell_index.is_some() { "visually-hidden" } else { "key mono" }, key()) }
                if let Some(content) = line.cell() { { self.cell(line, content, cell) } }
            </div>
        }
    }

    fn cell(&self, line: Line<'_>, content: &Cell, cell: impl Fn(usize, &'static str, &'static str, Html) -> Html) -> Html {
        let (kind, text) = preview(&content.value, self.decoding);
        let copy = line.cell_before() == Some(content);
        let value = html! {
            <>
                if let Some(label) = &content.label { <span class="label">{ label.clone() }</span> }
                if copy { <span class="label copy" title="The same cell once more: an interleave let it through twice">{"again"}</span> }
                if kind == Kind::Empty { <span class="soft">{"empty"}</span> } else { {text} }
            </>
        };
        html! {
            <>
                { cell(1, "gridcell", "family", html! { content.family.clone() }) }
                { cell(2, "gridcell", "qualifier mono", html! { escape(&content.qualifier) }) }
                { cell(3, "gridcell", "time num", html! { short_time(content.timestamp) }) }
                { cell(4, "gridcell", value_class(kind), value) }
            </>
        }
    }
}

fn value_class(kind: Kind) -> &'static str {
    match kind {
        Kind::Hex => "value mono hex",
        _ => "value mono",
    }
}

/// `2019-05-28 00:04:34.000`: the zone is always UTC, and the header of the details says so.
fn short_time(timestamp: i64) -> String {
    time::format(timestamp).replace('T', " ").trim_end_matches('Z').to_string()
}

/// Id of the element of a cell.
pub fn cell_id(line: usize, column: usize) -> String {
    format!("cell-{line}-{column}")
}
