//! The rows of a read as a grid in byte order. Only the visible lines are drawn.
//!
//! All lines have the same height, so that the position of line 99,999 is a product and not a
//! measurement: one line per cell, and in a narrow grid one more per row for the key. A spacer is
//! as high as all lines; the drawn lines are moved to their position in it. Both are set through
//! the CSSOM, because the page's policy forbids style attributes.

use std::ops::Range;
use std::rc::Rc;

use tabletop_texts::messages;
use tabletop_views::results::{CellColumns, CellPlace, Scroll, USUAL_CELL_COLUMNS};
use tabletop_workspace::Decoding;
use yew::{
    Event, Html, KeyboardEvent, MouseEvent, function_component, html, use_effect, use_force_update,
    use_mut_ref,
};

use super::cell_columns;
use super::cursor::Cursor;
use super::details::details;
use super::dom::{BoxSize, element, set_style};
use super::grid::{Grid, ResultGridProps};
use super::line::{LineDrawing, cell_id};
use super::look::GridLook;
use super::result_view::ResultView;
use super::stats::above_rows;
use super::view::other_view;
use crate::kit::callback;
use crate::page::state::KeyPlace;

/// Draws the figures, the rows, and the chosen cell.
#[function_component]
pub fn ResultGrid(props: &ResultGridProps) -> Html {
    let look = use_mut_ref(|| GridLook {
        view: ResultView::stored(),
        all_figures: super::stats::shows_all(),
        size: BoxSize::of_window(),
        ..GridLook::default()
    });
    let redraw = use_force_update();
    let grid = Rc::new(Grid { look, redraw, props: props.clone() });
    grid.look(|look| look.chosen.borrow_mut().follow(&grid.props.commands.table, &props.columns));
    grid.marking().follow(&grid.props.result);
    let view = grid.view();
    grid.notice_query();
    use_effect({
        let grid = grid.clone();
        move || grid.settle()
    });
    html! {
        <div class="results">
            { above_rows(&grid) }
            if view != ResultView::Cells { { other_view(&grid, view) } } else if grid.props.result.rows() > 0 { { grid.draw() } }
        </div>
    }
}

impl Grid {
    /// Requests the matches of patterns in the visible lines.
    #[inline(never)]
    fn request_marks(&self, scroll: &Scroll) {
        let key_place = self.key_place();
        let place = |line: usize| -> Option<CellPlace> {
            let line = self.props.result.line(line, key_place)?;
            Some((line.row_index, line.cell_index.unwrap_or(0)))
        };
        self.marking().request(scroll.window(self.look(|look| look.top)).filter_map(place));
    }

    /// Scrolls to the first row of another query; the same query keeps its position. Announces a
    /// read that has ended.
    fn notice_query(&self) {
        let mut look = self.look.borrow_mut();
        if !self.props.result.stale() && *look.asked != *self.props.result.query() {
            look.asked = self.props.result.query();
            look.begins = true;
            look.top = 0.0;
            look.cursor = Cursor::default();
        }
        if !self.props.result.running() {
            look.said = super::stats::status(&self.props.result);
        }
    }

    /// Updates the browser's objects after each drawing.
    fn settle(&self) {
        let (grid, spacer, window) =
            self.look(|look| (look.grid.clone(), look.spacer.clone(), look.window.clone()));
        let box_of_lines = element(&grid);
        self.look.borrow_mut().size.follow(box_of_lines.as_ref(), &self.redraw);
        let Some(box_of_lines) = box_of_lines else { return };
        if std::mem::take(&mut self.look.borrow_mut().begins) {
            box_of_lines.set_scroll_top(0);
        }
        let scroll = self.scroll();
        set_style(&spacer, "height", scroll.height());
        self.place_window(&scroll, &window);
        if self.props.complete {
            cell_columns::settle(self, &box_of_lines);
        }
        if self.has_marks() {
            self.request_marks(&scroll);
        }
    }

    fn draw(self: &Rc<Self>) -> Html {
        let (scroll, key_place, cursor) = (self.scroll(), self.key_place(), self.cursor());
        let stacked = key_place == KeyPlace::Above;
        let (top, open) = self.look(|look| (look.top, look.open));
        let (chosen_columns, types) = (self.chosen(), self.types());
        let decoding = chosen_columns.values_as;
        let columns = if chosen_columns.columns.is_empty() {
            USUAL_CELL_COLUMNS
        } else {
            CellColumns::of(&chosen_columns)
        };
        let book = self.look(|look| look.marks.clone());
        let book = book.borrow();
        let marks = self.has_marks().then_some(&*book);
        let has_tools = self.props.complete && !stacked && self.look(|look| look.has_tools);
        let (grid, spacer, window) =
            self.look(|look| (look.grid.clone(), look.spacer.clone(), look.window.clone()));
        let lines = scroll.window(top);
        let draw = LineDrawing {
            keys: &self.props.keys,
            chosen: &chosen_columns,
            types: types.as_deref(),
            columns,
            marks,
            key_place,
            cursor,
            first: scroll.first(top),
        };
        let chosen = self.props.result.line(cursor.line, key_place);
        let column = draw.column_of(chosen, cursor.column);
        let class = match (stacked, decoding) {
            (true, _) => "grid stacked",
            (false, Decoding::Int64) if columns.sized => "grid sized numbers",
            (false, Decoding::Int64) => "grid numbers",
            (false, _) if columns.sized => "grid sized",
            (false, _) => "grid",
        };
        let (onscroll, onkeydown, oncopy, onclick) = (
            callback(self, |grid, _: Event| grid.on_scroll()),
            callback(self, |grid, event: KeyboardEvent| grid.on_key(&event)),
            callback(self, |grid, event: Event| grid.on_copy(event)),
            callback(self, |grid, event: MouseEvent| grid.on_click(&event)),
        );
        html! {
            <div class="grid-and-details">
                <div
                    ref={grid}
                    {class}
                    role="grid"
                    tabindex="0"
                    aria-label={(messages().results.grid)(self.props.result.rows() as u64)}
                    aria-rowcount={(scroll.lines + 1).to_string()}
                    aria-colcount="5"
                    aria-activedescendant={lines.contains(&cursor.line).then(|| cell_id(cursor.line, column))}
                    {onscroll}
                    {onkeydown}
                    {oncopy}
                >
                    <div role="row" aria-rowindex="1" class={if has_tools { "line grid-header with-tools" } else { "line grid-header" }}>
                        { for messages().results.columns.iter().enumerate().filter(|(at, _)| columns.shown[*at]).map(|(at, name)| html! {
                            <div
                                role="columnheader"
                                class={if stacked { "visually-hidden" } else { columns.pin(at) }}
                                aria-colindex={has_tools.then(|| (at + 1).to_string())}
                                aria-label={has_tools.then_some(*name)}
                            >
                                if has_tools { { cell_columns::header(self, at, &columns) } } else { {*name} }
                            </div>
                        }) }
                        if stacked { <div class="mono" aria-hidden="true">{ draw.context(self.props.result.line(draw.first, KeyPlace::Above)) }</div> }
                    </div>
                    <div ref={spacer} role="presentation" class="grid-spacer" {onclick}>
                        <div ref={window} role="rowgroup" class="grid-window">{ self.lines(lines, &draw) }</div>
                    </div>
                </div>
                // With `for` it would be a sibling of the grid, which Yew would then rebuild
                // without the focus.
                if let Some(line) = chosen.filter(|_| open) { { details(self, line, column) } }
            </div>
        }
    }

    fn lines(&self, lines: Range<usize>, draw: &LineDrawing) -> Html {
        lines
            .filter_map(|index| Some(draw.line(index, self.props.result.line(index, draw.key_place)?)))
            .collect()
    }
}
