//! The five columns of a list of cells: a person resizes, hides and pins them as those of a pivot. The header of a first visit has no
//! controls: they come with the later part of the program.

use std::rc::Rc;

use tabletop_schema::ResultColumns;
use tabletop_texts::messages;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::{AttrValue, Callback, Event, Html, TargetCast, html};

use super::chosen::ColumnAction;
use super::dom::Measures;
use super::export::{Exported, Form, export_menu};
use super::grid::Grid;
use super::sheet::WIDTH;
use crate::state::KeyPlace;
use crate::widgets::{Direction, Icon, MenuButton, Separator};

/// The number of columns.
pub const COUNT: usize = ResultColumns::OF_CELLS.len();
/// The widths below which columns without a chosen one never get, in the page's type size: `--track-0` and so on in results.css.
const LEAST_REM: [f64; COUNT] = [8.0, 5.5, 5.0, 10.5, 7.0];

/// What is chosen for the columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellColumns {
    /// The key always is.
    pub shown: [bool; COUNT],
    pinned: [bool; COUNT],
    widths: [Option<f64>; COUNT],
    /// Something is chosen: the browser does not divide the width as usual.
    pub sized: bool,
}

/// The columns of a person who has chosen nothing.
pub const USUAL: CellColumns = CellColumns { shown: [true; COUNT], pinned: [false; COUNT], widths: [None; COUNT], sized: false };

impl CellColumns {
    /// Reads what is chosen.
    #[inline(never)]
    pub fn of(chosen: &ResultColumns) -> CellColumns {
        let mut columns = USUAL;
        for (at, name) in ResultColumns::OF_CELLS.into_iter().enumerate() {
            if let Some(column) = chosen.get(name) {
                columns.shown[at] = at == 0 || column.shown != Some(false);
                columns.pinned[at] = column.pinned;
                columns.widths[at] = column.width;
            }
        }
        columns.sized = columns != USUAL;
        columns.pinned[0] = columns.sized;
        columns
    }

    /// Returns what pins the cells of a column.
    pub fn pin(&self, at: usize) -> &'static str {
        if self.pinned[at] {
            [" pinned pin-0", " pinned pin-1", " pinned pin-2", " pinned pin-3", " pinned pin-4"][at]
        } else {
            ""
        }
    }

    /// Returns the column to which a cursor moves: `to`, or the next one that is shown.
    pub fn nearest(&self, from: usize, to: usize) -> usize {
        let is_shown = |at: &usize| self.shown[*at];
        if to > from {
            (to..COUNT).find(is_shown).or_else(|| (0..to).rev().find(is_shown)).unwrap_or(from)
        } else {
            (0..=to).rev().find(is_shown).unwrap_or(from)
        }
    }

    /// Returns the tracks of the columns for CSS.
    fn tracks(&self) -> String {
        let track = |at: usize| self.widths[at].map_or_else(|| format!("var(--track-{at})"), |width| format!("{width}px"));
        (0..COUNT).filter(|&at| self.shown[at]).map(track).collect::<Vec<_>>().join(" ")
    }

    /// Returns the least width of a line, px.
    fn least_px(&self, rem_px: f64) -> f64 {
        (0..COUNT).filter(|&at| self.shown[at]).map(|at| self.widths[at].unwrap_or(LEAST_REM[at] * rem_px)).sum()
    }

    /// Returns the places of the pinned columns, given the widths on the screen: px from the left.
    fn lefts(&self, widths: &[f64; COUNT]) -> [f64; COUNT] {
        let mut left = 0.0;
        std::array::from_fn(|at| {
            let here = left;
            left += if self.pinned[at] && self.shown[at] { widths[at] } else { 0.0 };
            here
        })
    }
}

/// The columns as they were drawn last.
#[derive(Default)]
pub struct DrawnColumns {
    /// The box, its size, and what was chosen.
    of: Option<(HtmlElement, Measures, Rc<ResultColumns>)>,
    /// px.
    widths: [f64; COUNT],
}

/// Sets the tracks of the columns, and measures the columns. Lines that scroll change nothing of it.
#[inline(never)]
pub fn settle(grid: &Grid, element: &HtmlElement) {
    let chosen = grid.chosen();
    let measures = grid.look(|look| look.size.measures());
    let is_same =
        |of: &(HtmlElement, Measures, Rc<ResultColumns>)| of.0 == *element && of.1 == measures && Rc::ptr_eq(&of.2, &chosen);
    if grid.look(|look| look.drawn.of.as_ref().is_some_and(is_same)) || grid.key_place() == KeyPlace::Above {
        return;
    }
    let columns = CellColumns::of(&chosen);
    // Names and values are well formed, so this cannot fail.
    let set = |name: &str, value: &str| drop(element.style().set_property(name, value));
    set("--columns", &if columns.sized { columns.tracks() } else { "initial".into() });
    set("--sheet-width", &format!("{}px", columns.least_px(measures.rem_px)));
    let widths = measured(element, &columns);
    for (at, left) in columns.lefts(&widths).into_iter().enumerate().skip(1) {
        set(&format!("--left-{at}"), &format!("{left}px"));
    }
    let is_other = {
        let mut look = grid.look.borrow_mut();
        look.drawn.of = Some((element.clone(), measures, chosen));
        std::mem::replace(&mut look.drawn.widths, widths) != widths
    };
    if is_other {
        grid.redraw.force_update();
    }
}

/// Returns the widths of the columns on the screen.
fn measured(element: &HtmlElement, columns: &CellColumns) -> [f64; COUNT] {
    let mut widths = [0.0; COUNT];
    let Ok(headers) = element.query_selector_all(".grid-header > [role=columnheader]") else { return widths };
    for (place, at) in (0..COUNT).filter(|&at| columns.shown[at]).enumerate() {
        let header = headers.get(place as u32).and_then(|header| header.dyn_into::<HtmlElement>().ok());
        widths[at] = header.map_or(0.0, |header| header.get_bounding_client_rect().width().round());
    }
    widths
}

/// Draws the name of a column with its controls.
#[inline(never)]
pub fn header(grid: &Rc<Grid>, at: usize, columns: &CellColumns) -> Html {
    let says = &messages().results;
    let (name, text) = (ResultColumns::OF_CELLS[at], says.columns[at]);
    let width = grid.look(|look| look.drawn.widths[at]);
    let edits = grid.edits();
    let on_change = {
        let edits = edits.clone();
        Callback::from(move |width: f64| edits.resize(name, Some(width)))
    };
    let on_usual = {
        let edits = edits.clone();
        Callback::from(move |()| edits.resize(name, None))
    };
    let on_select = Callback::from(move |action: AttrValue| edits.choose(name, ColumnAction::of(&action), true));
    html! {
        <>
            <span class="column-name" title={text}>{ text }</span>
            if at > 0 {
                <MenuButton label={(says.sheet.column_actions)(text)} icon={Icon::More} icon_only=true end=true
                    items={ColumnAction::menu(columns.pinned[at], None)} {on_select} />
            }
            <Separator label={(says.sheet.column_width)(text)} direction={Direction::Vertical} value={width} usual={width}
                min={WIDTH.start} max={WIDTH.end} {on_change} {on_usual} />
        </>
    }
}

/// Draws the choice of columns, and the ways to copy and download the cells.
#[inline(never)]
pub fn tools(grid: &Rc<Grid>) -> Html {
    let says = &messages().results;
    let columns = CellColumns::of(&grid.chosen());
    let line = |at: usize| {
        let (edits, name) = (grid.edits(), ResultColumns::OF_CELLS[at]);
        let on_change = Callback::from(move |event: Event| {
            let is_shown = event.target_unchecked_into::<HtmlInputElement>().checked();
            edits.choose(name, ColumnAction::Show(is_shown), true);
        });
        html! {
            <label key={at} class="check">
                <input type="checkbox" checked={columns.shown[at]} onchange={on_change} />
                <span>{ says.columns[at] }</span>
            </label>
        }
    };
    let say = {
        let grid = grid.clone();
        Callback::from(move |said: &'static str| grid.change(|look| look.exported = said))
    };
    let exported = Exported { result: grid.result.clone(), columns: None, table: grid.commands.table.clone() };
    let not_kept = grid.look(|look| look.chosen.borrow().said);
    let said = if not_kept.is_empty() { grid.look(|look| look.exported) } else { not_kept };
    let shown = columns.shown.iter().filter(|shown| **shown).count();
    html! {
        <div class="pivot-tools">
            <details class="column-choice">
                <summary class="button">{ (says.pivot.columns)(shown as u64, COUNT as u64, false) }</summary>
                <div class="column-list" role="group" aria-label={says.pivot.columns_shown} tabindex="0">{ for (1..COUNT).map(line) }</div>
            </details>
            { export_menu(Form::OF_CELLS, &exported, say) }
            <span class="soft small" role="status">{ said }</span>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use tabletop_schema::ResultColumn;

    use super::*;

    fn columns(columns: Vec<ResultColumn>) -> CellColumns {
        CellColumns::of(&ResultColumns { columns, ..ResultColumns::default() })
    }

    fn column(name: &str) -> ResultColumn {
        ResultColumn { name: name.into(), ..ResultColumn::default() }
    }

    #[test]
    fn what_is_chosen_gives_the_tracks() {
        assert_eq!(columns(vec![]), USUAL);
        assert_eq!(columns(vec![ResultColumn { width: Some(90.0), ..column("f:q") }]), USUAL, "a column of a pivot");
        let chosen = columns(vec![
            ResultColumn { shown: Some(false), ..column("family") },
            ResultColumn { shown: Some(false), ..column("key") },
            ResultColumn { width: Some(200.0), pinned: true, ..column("time") },
        ]);
        assert_eq!(chosen.tracks(), "var(--track-0) var(--track-2) 200px var(--track-4)");
        assert_eq!(chosen.least_px(10.0), 80.0 + 50.0 + 200.0 + 70.0);
        assert_eq!(chosen.lefts(&[100.0, 0.0, 50.0, 200.0, 300.0]), [0.0, 100.0, 100.0, 100.0, 300.0]);
        assert_eq!((chosen.pin(0), chosen.pin(2), chosen.pin(3)), (" pinned pin-0", "", " pinned pin-3"));
    }

    #[test]
    fn a_cursor_steps_over_what_is_hidden() {
        let hides =
            |names: &[&str]| columns(names.iter().map(|name| ResultColumn { shown: Some(false), ..column(name) }).collect());
        assert_eq!((USUAL.nearest(0, 1), USUAL.nearest(4, 4)), (1, 4));
        let two = hides(&["family", "value"]);
        assert_eq!((two.nearest(0, 1), two.nearest(2, 1), two.nearest(3, 4), two.nearest(0, 4)), (2, 0, 3, 3));
    }
}
