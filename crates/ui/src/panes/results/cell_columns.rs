//! The five columns of a list of cells: the user resizes, hides and pins them like those of a
//! pivot. The header of a first visit has no controls: they come with the later part of the
//! program.

use std::rc::Rc;

use tabletop_texts::messages;
use tabletop_views::results::{CELL_COLUMNS, CellColumns, ExportForm, ExportedRows};
use tabletop_workspace::ResultColumns;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::{AttrValue, Callback, Event, Html, TargetCast, html};

use super::chosen::ColumnAction;
use super::dom::Measures;
use super::export::{Exported, export_menu};
use super::grid::Grid;
use super::sheet::WIDTH;
use crate::kit::{Direction, Icon, MenuButton, Separator, callback};
use crate::page::state::KeyPlace;

/// The columns as they were drawn last.
#[derive(Default)]
pub struct DrawnColumns {
    /// The box, its size, and what was chosen.
    pub of: Option<(HtmlElement, Measures, Rc<ResultColumns>)>,
    /// px.
    pub widths: [f64; CELL_COLUMNS],
}

/// Sets the tracks of the columns, and measures the columns. Scrolling lines do not affect them.
#[inline(never)]
pub fn settle(grid: &Grid, element: &HtmlElement) {
    let chosen = grid.chosen();
    let measures = grid.look(|look| look.size.measures());
    let is_same = |of: &(HtmlElement, Measures, Rc<ResultColumns>)| {
        of.0 == *element && of.1 == measures && Rc::ptr_eq(&of.2, &chosen)
    };
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

/// Returns the current widths of the columns.
fn measured(element: &HtmlElement, columns: &CellColumns) -> [f64; CELL_COLUMNS] {
    let mut widths = [0.0; CELL_COLUMNS];
    let Ok(headers) = element.query_selector_all(".grid-header > [role=columnheader]") else { return widths };
    for (place, at) in (0..CELL_COLUMNS).filter(|&at| columns.shown[at]).enumerate() {
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
    let on_change = callback(&edits, move |edits, width: f64| edits.resize(name, Some(width)));
    let on_usual = callback(&edits, move |edits, ()| edits.resize(name, None));
    let on_select =
        Callback::from(move |action: AttrValue| edits.choose(name, ColumnAction::of(&action), true));
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
    let say = callback(grid, move |grid, said: &'static str| grid.change(|look| look.exported = said));
    let rows = ExportedRows { columns: None, table: grid.props.commands.table.clone() };
    let exported = Exported { result: grid.props.result.clone(), rows };
    let not_kept = grid.look(|look| look.chosen.borrow().said);
    let said = if not_kept.is_empty() { grid.look(|look| look.exported) } else { not_kept };
    let shown = columns.shown.iter().filter(|shown| **shown).count();
    let has_tools = grid.look(|look| look.has_tools);
    html! {
        <div class="pivot-tools">
            if has_tools {
                <details class="column-choice">
                    <summary class="button">{ (says.pivot.columns)(shown as u64, CELL_COLUMNS as u64, false) }</summary>
                    <div class="column-list" role="group" aria-label={says.pivot.columns_shown} tabindex="0">{ for (1..CELL_COLUMNS).map(line) }</div>
                </details>
            }
            { export_menu(ExportForm::OF_CELLS, &exported, say) }
            <span class="soft small" role="status">{ said }</span>
        </div>
    }
}
