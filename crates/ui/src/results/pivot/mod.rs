//! The rows of a read as a pivot: one row a line, columns across, each with its newest value.

mod columns;
mod text;

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use tabletop_model::{Cell, Row, escape};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::functional::UseForceUpdateHandle;
use yew::{
    AttrValue, Callback, Event, Html, Properties, TargetCast, function_component, html, use_effect, use_force_update, use_mut_ref,
};

use super::decode::{Decoding, ValueKind, preview};
use super::details::plain;
use super::key::key_line;
use super::sheet::{Cells, PINNED_MAX, Sheet, SheetCells, SheetColumn, WIDTH};
use crate::browser;
use crate::messages::messages;
use crate::state::{KeyForm, QueryResult, StoredKeys};
use crate::widgets::MenuButton;
use columns::{Choice, Column, ColumnCounts, KEY, SHOWN_MAX};
use text::{Form, newest, text_of};

/// The stored name of the choice of columns.
const CHOICE: &str = "pivot-columns";
/// Cells whose columns are counted before the page gets a turn.
const COUNT_CELLS: usize = 30_000;
/// Usual widths of the key and of other columns, px.
const KEY_WIDTH: f64 = 280.0;
const COLUMN_WIDTH: f64 = 140.0;

/// Properties of [`Pivot`].
#[derive(Properties, PartialEq)]
pub struct PivotProps {
    /// The read and its rows so far.
    pub result: Rc<QueryResult>,
    /// The keys of the table.
    pub keys: Rc<StoredKeys>,
    /// How values are decoded.
    pub decoding: Decoding,
    /// The name of the table.
    pub table: AttrValue,
}

#[derive(Default)]
struct PivotLook {
    choice: Choice,
    counts: ColumnCounts,
    /// The result whose columns are counted, and how many of its rows are.
    counted: (Rc<QueryResult>, usize),
    said: &'static str,
}

/// Draws the pivot.
#[function_component]
pub fn Pivot(props: &PivotProps) -> Html {
    let look = use_mut_ref(|| {
        let choice = browser::stored(CHOICE).map(|text| Choice::parse(&text)).unwrap_or_default();
        PivotLook { choice, ..PivotLook::default() }
    });
    let redraw = use_force_update();
    let counts_all = look.borrow_mut().count(&props.result);
    use_effect({
        let redraw = redraw.clone();
        move || {
            let later = (!counts_all).then(|| Timeout::new(0, move || redraw.force_update()));
            move || drop(later)
        }
    });
    let pivot = Changes { look: look.clone(), redraw };
    let look = look.borrow();
    let shown: Rc<Vec<Column>> = Rc::new(look.counts.shown(&look.choice).into_iter().cloned().collect());
    let cells =
        PivotCells { result: props.result.clone(), keys: props.keys.clone(), decoding: props.decoding, columns: shown.clone() };
    let columns = sheet_columns(&shown, &look.choice);
    let says = &messages().results.pivot;
    let (on_width, on_column) = (
        {
            let (pivot, shown) = (pivot.clone(), shown.clone());
            Callback::from(move |(at, width): (usize, f64)| {
                let name = at.checked_sub(1).map_or(KEY.into(), |at| shown[at].name());
                pivot.choose(|choice, _| choice.resize(&name, width));
            })
        },
        {
            let (pivot, shown) = (pivot.clone(), shown.clone());
            Callback::from(move |(at, action): (usize, AttrValue)| {
                let name = shown[at - 1].name();
                pivot.choose(|choice, ranked| match action.as_str() {
                    "pin" => choice.pin(&name),
                    _ => choice.show(&name, ranked.iter().position(|other| *other == name).unwrap_or(0), false),
                });
            })
        },
    );
    html! {
        <>
            <div class="pivot-tools">
                { choice_of_columns(&pivot, &look, shown.len()) }
                <MenuButton label={says.copy_or_download} items={export_items()} end=true on_select={export(&pivot, props, &shown)} />
                <span class="soft small" role="status">{ look.said }</span>
            </div>
            <Sheet label={(says.sheet)(props.result.rows() as u64, shown.len() as u64)} {columns} cells={Cells(Rc::new(cells))}
                about={props.result.query()} {on_width} {on_column} />
        </>
    }
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

/// Changes what a person has chosen.
#[derive(Clone)]
struct Changes {
    look: Rc<RefCell<PivotLook>>,
    redraw: UseForceUpdateHandle,
}

impl Changes {
    /// Changes the choice, given the names of the columns with most rows first, and stores it.
    fn choose(&self, change: impl FnOnce(&mut Choice, &[String])) {
        let mut look = self.look.borrow_mut();
        let ranked: Vec<String> = look.counts.by_rows().into_iter().map(Column::name).collect();
        change(&mut look.choice, &ranked);
        browser::store(CHOICE, &look.choice.text());
        drop(look);
        self.redraw.force_update();
    }

    fn say(&self, said: &'static str) {
        self.look.borrow_mut().said = said;
        self.redraw.force_update();
    }
}

fn sheet_columns(shown: &[Column], choice: &Choice) -> Vec<SheetColumn> {
    let says = &messages().results.pivot;
    let width = |name: &str, usual: f64| choice.width(name).unwrap_or(usual).clamp(WIDTH.start, WIDTH.end);
    let key = SheetColumn {
        name: messages().results.columns[0].into(),
        class: "key mono",
        width: width(KEY, KEY_WIDTH),
        usual: KEY_WIDTH,
        pinned: true,
        menu: Vec::new(),
    };
    let mut pinned = 1;
    let column = |column: &Column| {
        let name = column.name();
        let is_pinned = choice.pinned.contains(&name) && pinned < PINNED_MAX;
        pinned += usize::from(is_pinned);
        let pin = if is_pinned { says.unpin } else { says.pin };
        SheetColumn {
            width: width(&name, COLUMN_WIDTH),
            name: name.into(),
            class: "value mono",
            usual: COLUMN_WIDTH,
            pinned: is_pinned,
            menu: vec![("pin".into(), pin.into()), ("hide".into(), says.hide.into())],
        }
    };
    std::iter::once(key).chain(shown.iter().map(column).collect::<Vec<_>>()).collect()
}

/// Draws the list of columns, each with a check box.
fn choice_of_columns(pivot: &Changes, look: &PivotLook, shown: usize) -> Html {
    let says = &messages().results.pivot;
    let line = |(at, column): (usize, &Column)| {
        let name = column.name();
        let on_change = {
            let (pivot, name) = (pivot.clone(), name.clone());
            Callback::from(move |event: Event| {
                let is_shown = event.target_unchecked_into::<HtmlInputElement>().checked();
                pivot.choose(|choice, _| choice.show(&name, at, is_shown));
            })
        };
        html! {
            <label key={name.clone()} class="check">
                <input type="checkbox" checked={look.choice.shows(&name, at)} onchange={on_change} />
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

/// Returns the ways to copy and download, by their indices.
fn export_items() -> Vec<(AttrValue, AttrValue)> {
    let says = &messages().results.pivot;
    let texts = says.copies.iter().chain(&says.downloads);
    texts.enumerate().map(|(at, text)| (at.to_string().into(), AttrValue::Static(text))).collect()
}

fn export(pivot: &Changes, props: &PivotProps, shown: &Rc<Vec<Column>>) -> Callback<AttrValue> {
    let (pivot, shown, result, table) = (pivot.clone(), shown.clone(), props.result.clone(), props.table.clone());
    Callback::from(move |way: AttrValue| {
        let Ok(at) = way.parse::<usize>() else { return };
        let form = Form::ALL[at % Form::ALL.len()];
        let (pivot, shown, result, table) = (pivot.clone(), shown.clone(), result.clone(), table.clone());
        spawn_local(async move {
            let says = &messages().results.pivot;
            let text = text_of(form, &result, &shown, &table).await;
            pivot.say(if at < Form::ALL.len() {
                if browser::copy(&text).await { says.copied } else { messages().common.copy_forbidden }
            } else {
                let (file, kind) = form.file();
                match browser::download(file, kind, &text) {
                    Ok(()) => says.downloaded,
                    Err(_) => messages().common.download_forbidden,
                }
            });
        });
    })
}

struct PivotCells {
    result: Rc<QueryResult>,
    keys: Rc<StoredKeys>,
    decoding: Decoding,
    columns: Rc<Vec<Column>>,
}

impl PivotCells {
    fn cell(&self, cell: &Cell, row: &Row, column: &Column) -> Html {
        let is_in = |cell: &&Cell| cell.family == column.family && cell.qualifier == column.qualifier;
        let older = row.cells.iter().filter(is_in).count() - 1;
        let says = &messages().results;
        let (kind, shown) = preview(&cell.value, self.decoding);
        html! {
            <>
                if kind == ValueKind::Empty { <span class="soft">{says.kinds.empty}</span> } else { { shown } }
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
        let draw = |&at: &usize| match at.checked_sub(1).map(|at| &self.columns[at]) {
            None => key_line(&self.keys.view(&row.key), &self.keys.colors, KeyForm::Text),
            Some(column) => newest(row, column).map(|cell| self.cell(cell, row, column)).unwrap_or_default(),
        };
        columns.iter().map(draw).collect()
    }

    fn text(&self, line: usize, column: usize) -> String {
        let Some(row) = self.result.row(line) else { return String::new() };
        match column.checked_sub(1) {
            None => escape(&row.key),
            Some(at) => newest(row, &self.columns[at]).map(|cell| plain(&cell.value)).unwrap_or_default(),
        }
    }
}
