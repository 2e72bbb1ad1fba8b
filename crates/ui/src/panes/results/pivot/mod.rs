//! The rows of a read as a pivot: one row per line, columns across, each with its newest value.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use tabletop_model::{Cell, CellPart, Row, escape};
use tabletop_objects::ObjectTypes;
use tabletop_texts::{Locale, locale, messages};
pub use tabletop_views::results::Column;
use tabletop_views::results::{
    ColumnCounts, ExportForm, ExportedRows, SHOWN, SHOWN_MAX, ValueKind, cell_preview, newest, offered,
    plain, shows,
};
use tabletop_workspace::{Decoding, ResultColumns};
use web_sys::HtmlInputElement;
use yew::{
    AttrValue, Callback, Event, Html, Properties, TargetCast, function_component, html, use_effect,
    use_force_update, use_mut_ref,
};

use super::chosen::{ColumnAction, ColumnEdits};
use super::export::{Exported, export_menu};
use super::key::key_line;
use super::marks::{Marking, marked};
use super::sheet::{Cells, PINNED_MAX, Sheet, SheetCells, SheetColumn, WIDTH};
use crate::kit::callback;
use crate::page::state::{KeyForm, QueryResult, StoredKeys};

/// Cells whose columns are counted before the page gets a turn.
const COUNT_CELLS: usize = 30_000;
/// Default widths of the key and of other columns, px.
const KEY_WIDTH: f64 = 280.0;
const COLUMN_WIDTH: f64 = 140.0;

/// Properties of [`Pivot`].
#[derive(Properties, PartialEq)]
pub struct PivotProps {
    /// The read and its rows so far.
    pub result: Rc<QueryResult>,
    /// The keys of the table.
    pub keys: Rc<StoredKeys>,
    /// What is chosen for columns.
    pub columns: Rc<ResultColumns>,
    /// The messages of families.
    pub types: Option<Rc<ObjectTypes>>,
    /// Changes the choices.
    pub edits: ColumnEdits,
    /// The matches of patterns.
    pub marking: Marking,
    /// The state of the marks: the number changes with them.
    pub marked: u32,
    /// The name of the table.
    pub table: AttrValue,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

#[derive(Default)]
struct PivotLook {
    counts: ColumnCounts,
    /// The result whose columns are counted, and how many of its rows are.
    counted: (Rc<QueryResult>, usize),
    said: &'static str,
}

/// Draws the pivot.
#[function_component]
pub fn Pivot(props: &PivotProps) -> Html {
    let look = use_mut_ref(PivotLook::default);
    let redraw = use_force_update();
    let counts_all = look.borrow_mut().count(&props.result);
    use_effect({
        let redraw = redraw.clone();
        move || {
            let later = (!counts_all).then(|| Timeout::new(0, move || redraw.force_update()));
            move || drop(later)
        }
    });
    let say = callback(&look, move |look, said| {
        look.borrow_mut().said = said;
        redraw.force_update();
    });
    let shown: Rc<Vec<Column>> =
        Rc::new(look.borrow().counts.shown(&props.columns).into_iter().cloned().collect());
    let cells = PivotCells {
        result: props.result.clone(),
        keys: props.keys.clone(),
        decodings: shown.iter().map(|column| props.columns.decoding(&column.name())).collect(),
        columns: shown.clone(),
        types: props.types.clone(),
        marking: props.marking.clone(),
    };
    let columns = sheet_columns(&shown, &props.columns);
    let on_width = {
        let (edits, shown) = (props.edits.clone(), shown.clone());
        Callback::from(move |(at, width): (usize, f64)| {
            let name = at.checked_sub(1).map_or(ResultColumns::KEY.into(), |at| shown[at].name());
            let usual = if at == 0 { KEY_WIDTH } else { COLUMN_WIDTH };
            edits.resize(&name, (width != usual).then_some(width));
        })
    };
    let on_column = {
        let (edits, shown, look) = (props.edits.clone(), shown.clone(), look.clone());
        Callback::from(move |(at, action): (usize, AttrValue)| {
            let name = shown[at - 1].name();
            edits.choose(&name, ColumnAction::of(&action), is_frequent(&look, &name));
        })
    };
    let rows = ExportedRows { columns: Some(shown.clone()), table: props.table.to_string() };
    let exported = Exported { result: props.result.clone(), rows };
    let not_kept = props.edits.chosen.borrow().said;
    let look = look.borrow();
    html! {
        <>
            <div class="pivot-tools">
                { choice_of_columns(props, &look, shown.len()) }
                { export_menu(ExportForm::OF_PIVOT, &exported, say) }
                <span class="soft small" role="status">{ if not_kept.is_empty() { look.said } else { not_kept } }</span>
            </div>
            <Sheet label={(messages().results.pivot.sheet)(props.result.rows() as u64, shown.len() as u64)} {columns} cells={Cells(Rc::new(cells))}
                about={props.result.query()} {on_width} {on_column} />
        </>
    }
}

/// Returns whether a column is among those that are shown by default.
fn is_frequent(look: &RefCell<PivotLook>, name: &str) -> bool {
    look.borrow().counts.by_rows().into_iter().take(SHOWN).any(|column| column.name() == name)
}

impl PivotLook {
    /// Counts the columns of some rows. Returns whether all are counted.
    fn count(&mut self, result: &Rc<QueryResult>) -> bool {
        if !result.continues(&self.counted.0) {
            self.counts = ColumnCounts::default();
            self.counted.1 = 0;
        }
        self.counted.0 = result.clone();
        let mut cells = 0;
        while let Some(row) = result.row(self.counted.1) {
            if cells >= COUNT_CELLS {
                return false;
            }
            self.counts.add(row);
            cells += row.cells.len().max(1);
            self.counted.1 += 1;
        }
        true
    }
}

fn sheet_columns(shown: &[Column], chosen: &ResultColumns) -> Vec<SheetColumn> {
    let width = |name: &str, usual: f64| chosen.width(name).unwrap_or(usual).clamp(WIDTH.start, WIDTH.end);
    let key = SheetColumn {
        name: messages().results.columns[0].into(),
        class: "key mono",
        width: width(ResultColumns::KEY, KEY_WIDTH),
        usual: KEY_WIDTH,
        pinned: true,
        menu: Vec::new(),
    };
    let mut pinned = 1;
    let column = |column: &Column| {
        let name = column.name();
        let of_column = chosen.get(&name);
        let is_pinned = of_column.is_some_and(|column| column.pinned) && pinned < PINNED_MAX;
        pinned += usize::from(is_pinned);
        SheetColumn {
            width: width(&name, COLUMN_WIDTH),
            class: if chosen.decoding(&name) == Decoding::Int64 {
                "value mono numbers"
            } else {
                "value mono"
            },
            name: name.into(),
            usual: COLUMN_WIDTH,
            pinned: is_pinned,
            menu: ColumnAction::menu(
                is_pinned,
                Some((of_column.and_then(|column| column.values_as), offered(chosen))),
            ),
        }
    };
    std::iter::once(key).chain(shown.iter().map(column).collect::<Vec<_>>()).collect()
}

/// Draws the list of columns, each with a check box.
fn choice_of_columns(props: &PivotProps, look: &PivotLook, shown: usize) -> Html {
    let says = &messages().results.pivot;
    let line = |(at, column): (usize, &Column)| {
        let name = column.name();
        let on_change = {
            let (edits, name) = (props.edits.clone(), name.clone());
            Callback::from(move |event: Event| {
                let is_shown = event.target_unchecked_into::<HtmlInputElement>().checked();
                edits.choose(&name, ColumnAction::Show(is_shown), at < SHOWN);
            })
        };
        html! {
            <label key={name.clone()} class="check">
                <input type="checkbox" checked={shows(props.columns.get(&name), at)} onchange={on_change} />
                <span class="mono">{ name }</span>
                <span class="soft num">{ (says.in_rows)(column.rows) }</span>
            </label>
        }
    };
    let all = look.counts.by_rows();
    html! {
        <details class="column-choice">
            <summary class="button">{ (says.columns)(shown as u64, all.len() as u64, look.counts.cut) }</summary>
            <div class="column-list" role="group" aria-label={says.columns_shown} tabindex="0">
                { for all.iter().copied().take(SHOWN_MAX).enumerate().map(line) }
                if all.len() > SHOWN_MAX { <p class="soft small">{ (says.rare)((all.len() - SHOWN_MAX) as u64) }</p> }
            </div>
        </details>
    }
}

struct PivotCells {
    result: Rc<QueryResult>,
    keys: Rc<StoredKeys>,
    columns: Rc<Vec<Column>>,
    /// How the values of each are decoded.
    decodings: Vec<Decoding>,
    types: Option<Rc<ObjectTypes>>,
    marking: Marking,
}

impl PivotCells {
    /// Draws the newest cell of a column; `line` and `index` say which one.
    fn cell(&self, row: &Row, at: usize, line: usize, index: usize, cell: &Cell) -> Html {
        let older = row.cells.iter().filter(|cell| self.columns[at].has(cell)).count() - 1;
        let says = &messages().results;
        let (kind, shown) =
            cell_preview(cell, self.decodings[at], self.types.as_deref(), self.keys.values.as_ref());
        let marks = match kind {
            ValueKind::Text | ValueKind::Json => {
                self.marking.book.borrow().of((line, index), CellPart::Value)
            }
            _ => Vec::new(),
        };
        html! {
            <>
                if kind == ValueKind::Empty {
                    <span class="soft">{says.kinds.empty}</span>
                } else if marks.is_empty() {
                    { shown }
                } else {
                    { marked(&cell.value, &marks) }
                }
                if older > 0 { <span class="versions soft num" title={(says.pivot.older)(older as u64)}>{ format!("+{older}") }</span> }
            </>
        }
    }
}

impl SheetCells for PivotCells {
    fn lines(&self) -> usize {
        self.result.rows()
    }

    fn class(&self, _: usize) -> &'static str {
        "begins"
    }

    fn draw(&self, line: usize, columns: &[usize]) -> Vec<Html> {
        let Some(row) = self.result.row(line) else { return Vec::new() };
        let draw = |&at: &usize| match at.checked_sub(1) {
            None => {
                let marks = self.marking.book.borrow().of((line, 0), CellPart::Key);
                key_line(&self.keys.view(&row.key), &self.keys.colors, KeyForm::Text, &marks)
            }
            Some(at) => match newest(row, &self.columns[at]) {
                Some((index, cell)) => self.cell(row, at, line, index, cell),
                None => Html::default(),
            },
        };
        columns.iter().map(draw).collect()
    }

    fn text(&self, line: usize, column: usize) -> String {
        let Some(row) = self.result.row(line) else { return String::new() };
        match column.checked_sub(1) {
            None => escape(&row.key),
            Some(at) => {
                newest(row, &self.columns[at]).map(|(_, cell)| plain(&cell.value)).unwrap_or_default()
            }
        }
    }

    fn drawn(&self, lines: Range<usize>, columns: &[usize]) {
        let places = |line: usize| {
            let row = self.result.row(line);
            let of_column = move |column: &usize| match column.checked_sub(1) {
                None => Some((line, 0)),
                Some(at) => newest(row?, &self.columns[at]).map(|(index, _)| (line, index)),
            };
            columns.iter().filter_map(of_column)
        };
        self.marking.request(lines.flat_map(places));
    }
}
