//! The rows of a read as a grid in byte order, of which only what is visible is drawn.
//!
//! Every line has one height, so that the place of line 99,999 is a product and not a measurement: one line a cell, and
//! where the grid is narrow one more a row for the key. The list as a whole is a spacer; the drawn lines are moved to
//! their place. Both are set through the CSSOM, since the page's policy forbids style attributes.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::ClipboardEvent;
use yew::functional::UseForceUpdateHandle;
use yew::{
    Callback, Event, Html, KeyboardEvent, MouseEvent, NodeRef, Properties, function_component, html, use_effect,
    use_force_update, use_mut_ref,
};

use super::decode::Decoding;
use super::details::{Copied, column_text, details};
use super::dom::{Measures, SizeWatch, clicked, element, set_style, text_is_selected};
use super::line::{Cursor, Draw, cell_id};
use super::scroll::Scroll;
use super::stats::above_rows;
use crate::actions::ShellAction;
use crate::messages::messages;
use crate::shell::Commands;
use crate::state::{NoTable, QueryResult, StoredKeys};

/// Properties of [`ResultGrid`].
#[derive(Properties, PartialEq)]
pub struct ResultGridProps {
    /// The read and what it has given so far.
    pub result: Rc<QueryResult>,
    /// Why there is no table to read.
    pub no_table: Option<NoTable>,
    /// The keys that are in the table.
    pub keys: Rc<StoredKeys>,
    /// The question has patterns.
    pub patterns: bool,
    /// For what is shown as commands.
    pub commands: Commands,
    /// For what the shell is to do.
    pub on_action: Callback<ShellAction>,
}

/// Width below which a cell is stacked over two lines of text, in the page's type size: what the columns need.
const STACKED_BELOW_REM: f64 = 39.0;
/// Height of a line and of the header, in the page's type size: `.grid .line` in results.css.
const LINE_REM: f64 = 1.5;
/// The same where cells are stacked.
const STACKED_LINE_REM: f64 = 2.75;

/// How a person looks at the rows. One value that is changed in place: a hook for each of these would be a good part of the
/// page's program.
#[derive(Default)]
pub struct Look {
    /// How values are read.
    pub decoding: Decoding,
    /// Where the keyboard is.
    pub cursor: Cursor,
    /// The chosen cell is shown whole.
    pub open: bool,
    /// Its key is shown in hex, too.
    pub hex: bool,
    /// All that the engine has counted is shown.
    pub all_figures: bool,
    /// What was copied last, and whether the browser let it.
    pub copied: Option<(Copied, bool)>,
    /// What a screen reader was told last.
    pub said: String,
    /// How far the grid is scrolled, pixels.
    top: f64,
    measures: Measures,
    /// The question whose rows these are.
    asked: Rc<Vec<u8>>,
    /// Another question came: it begins at its first row.
    begins: bool,
    grid: NodeRef,
    spacer: NodeRef,
    window: NodeRef,
    watch: Option<SizeWatch>,
}

/// The look, the rows, and a way to draw them again.
#[derive(Clone)]
pub struct Grid {
    look: Rc<RefCell<Look>>,
    redraw: UseForceUpdateHandle,
    /// The rows.
    pub result: Rc<QueryResult>,
    /// Why there is no table to read.
    pub no_table: Option<NoTable>,
    /// Their keys.
    pub keys: Rc<StoredKeys>,
    /// They were chosen by patterns.
    pub patterns: bool,
    /// For what is shown as commands.
    pub commands: Commands,
    /// For what the shell is to do.
    pub on_action: Callback<ShellAction>,
}

/// Stats, rows, and the chosen cell.
#[function_component]
pub fn ResultGrid(props: &ResultGridProps) -> Html {
    let look = use_mut_ref(|| Look { all_figures: super::stats::shows_all(), ..Look::default() });
    let redraw = use_force_update();
    let (result, keys) = (props.result.clone(), props.keys.clone());
    let (commands, on_action) = (props.commands.clone(), props.on_action.clone());
    let grid =
        Rc::new(Grid { look, redraw, result, no_table: props.no_table, keys, patterns: props.patterns, commands, on_action });
    grid.notice_question();
    use_effect({
        let grid = grid.clone();
        move || grid.settle()
    });
    html! {
        <div class="results">
            { above_rows(&grid) }
            if grid.result.rows() > 0 { { grid.draw() } }
        </div>
    }
}

impl Grid {
    /// Looks at something of the look.
    pub fn look<T>(&self, at: impl FnOnce(&Look) -> T) -> T {
        at(&self.look.borrow())
    }

    /// Changes the look and draws it.
    pub fn change(&self, how: impl FnOnce(&mut Look)) {
        how(&mut self.look.borrow_mut());
        self.redraw.force_update();
    }

    fn stacked(&self) -> bool {
        self.look(|look| look.measures.width_px < look.measures.rem_px * STACKED_BELOW_REM)
    }

    fn scroll(&self) -> Scroll {
        let stacked = self.stacked();
        let measures = self.look(|look| look.measures);
        Scroll {
            lines: self.result.lines(stacked),
            line_px: measures.rem_px * if stacked { STACKED_LINE_REM } else { LINE_REM },
            view_px: (measures.height_px - measures.rem_px * LINE_REM).max(0.0),
        }
    }

    /// The cursor, within the rows that are there.
    fn cursor(&self) -> Cursor {
        let last = self.result.lines(self.stacked()).saturating_sub(1);
        self.look(|look| Cursor { line: look.cursor.line.min(last), ..look.cursor })
    }

    /// Another question begins at its first row; the same one, asked again, stays where it is. A read that has ended is told.
    fn notice_question(&self) {
        let mut look = self.look.borrow_mut();
        if !self.result.stale() && *look.asked != *self.result.question() {
            look.asked = self.result.question();
            look.begins = true;
            look.top = 0.0;
            look.cursor = Cursor::default();
        }
        if !self.result.running() {
            look.said = super::stats::status(&self.result);
        }
    }

    /// After every drawing: what only the browser's objects can be told.
    fn settle(&self) {
        let (grid, spacer, window) = self.look(|look| (look.grid.clone(), look.spacer.clone(), look.window.clone()));
        let Some(box_of_lines) = element(&grid) else {
            self.look.borrow_mut().watch = None;
            return;
        };
        if !self.look(|look| look.watch.as_ref().is_some_and(|watch| watch.is_of(&box_of_lines))) {
            let (look, redraw) = (Rc::downgrade(&self.look), self.redraw.clone());
            let watch = SizeWatch::new(&box_of_lines, move |measures| {
                if let Some(look) = look.upgrade()
                    && look.borrow().measures != measures
                {
                    look.borrow_mut().measures = measures;
                    redraw.force_update();
                }
            });
            self.look.borrow_mut().watch = Some(watch);
        }
        if std::mem::take(&mut self.look.borrow_mut().begins) {
            box_of_lines.set_scroll_top(0);
        }
        let scroll = self.scroll();
        set_style(&spacer, "height", scroll.height());
        self.place_window(&scroll, &window);
    }

    fn place_window(&self, scroll: &Scroll, window: &NodeRef) {
        let top = self.look(|look| look.top);
        set_style(window, "top", scroll.offset(scroll.window(top).start, top));
    }

    fn on_scroll(&self) {
        let Some(grid) = element(&self.look(|look| look.grid.clone())) else { return };
        let scroll = self.scroll();
        let (before, now) = (self.look(|look| look.top), f64::from(grid.scroll_top()));
        self.look.borrow_mut().top = now;
        if scroll.first(before) == scroll.first(now) {
            // A list taller than the browser allows slides under its window.
            self.place_window(&scroll, &self.look(|look| look.window.clone()));
        } else {
            self.redraw.force_update();
        }
    }

    /// Moves the cursor, and the rows as far as it takes to show it; both in one drawing.
    fn go(&self, to: Cursor) {
        if let Some(grid) = element(&self.look(|look| look.grid.clone()))
            && let Some(wanted) = self.scroll().reveal(to.line, f64::from(grid.scroll_top()))
        {
            grid.set_scroll_top(wanted.round() as i32);
            self.look.borrow_mut().top = f64::from(grid.scroll_top());
        }
        self.change(|look| look.cursor = to);
    }

    fn on_key(&self, event: &KeyboardEvent) {
        let (at, scroll) = (self.cursor(), self.scroll());
        let (last, right) = (scroll.lines.saturating_sub(1), messages().results.columns.len() - 1);
        let far = event.ctrl_key() || event.meta_key();
        let to = match event.key().as_str() {
            "ArrowDown" => Cursor { line: (at.line + 1).min(last), ..at },
            "ArrowUp" => Cursor { line: at.line.saturating_sub(1), ..at },
            "PageDown" => Cursor { line: (at.line + scroll.page()).min(last), ..at },
            "PageUp" => Cursor { line: at.line.saturating_sub(scroll.page()), ..at },
            "ArrowRight" => Cursor { column: (at.column + 1).min(right), ..at },
            "ArrowLeft" => Cursor { column: at.column.saturating_sub(1), ..at },
            "Home" => Cursor { line: if far { 0 } else { at.line }, column: 0 },
            "End" => Cursor { line: if far { last } else { at.line }, column: right },
            "Enter" if !far => {
                // It never closes what a click has opened: Escape does.
                self.change(|look| look.open = true);
                return event.prevent_default();
            }
            "Escape" if self.look(|look| look.open) => {
                self.change(|look| look.open = false);
                return event.stop_propagation();
            }
            _ => return,
        };
        event.prevent_default();
        self.go(to);
    }

    /// Without a selection of text the cell of the cursor is what is copied.
    fn on_copy(&self, event: Event) {
        let at = self.cursor();
        let event: ClipboardEvent = event.unchecked_into();
        let (Some(line), Some(clipboard)) = (self.result.line(at.line, self.stacked()), event.clipboard_data()) else { return };
        if !text_is_selected() && clipboard.set_data("text/plain", &column_text(line.row, line.cell(), at.column)).is_ok() {
            event.prevent_default();
        }
    }

    fn on_click(&self, event: &MouseEvent) {
        if let Some(to) = clicked(event)
            && !text_is_selected()
        {
            self.look.borrow_mut().open = true;
            self.go(to);
        }
    }

    /// Closes the chosen cell; the keyboard goes back to the rows.
    pub fn close(&self) {
        self.change(|look| look.open = false);
        if let Some(grid) = element(&self.look(|look| look.grid.clone())) {
            // The grid is there as long as its rows are.
            drop(grid.focus());
        }
    }

    fn draw(self: &Rc<Self>) -> Html {
        let (scroll, stacked, cursor) = (self.scroll(), self.stacked(), self.cursor());
        let (top, decoding, open) = self.look(|look| (look.top, look.decoding, look.open));
        let (grid, spacer, window) = self.look(|look| (look.grid.clone(), look.spacer.clone(), look.window.clone()));
        let lines = scroll.window(top);
        let draw = Draw { keys: &self.keys, decoding, stacked, cursor, first: scroll.first(top) };
        let chosen = self.result.line(cursor.line, stacked);
        let column = draw.column_of(chosen, cursor.column);
        let class = match (stacked, decoding) {
            (true, _) => "grid stacked",
            (false, Decoding::Int64) => "grid numbers",
            (false, _) => "grid",
        };
        let (onscroll, onkeydown, oncopy, onclick) = (
            Callback::from({
                let this = self.clone();
                move |_: Event| this.on_scroll()
            }),
            Callback::from({
                let this = self.clone();
                move |event: KeyboardEvent| this.on_key(&event)
            }),
            Callback::from({
                let this = self.clone();
                move |event: Event| this.on_copy(event)
            }),
            Callback::from({
                let this = self.clone();
                move |event: MouseEvent| this.on_click(&event)
            }),
        );
        html! {
            <div class="grid-and-details">
                <div
                    ref={grid}
                    {class}
                    role="grid"
                    tabindex="0"
                    aria-label={(messages().results.grid)(self.result.rows() as u64)}
                    aria-rowcount={(scroll.lines + 1).to_string()}
                    aria-colcount="5"
                    aria-activedescendant={lines.contains(&cursor.line).then(|| cell_id(cursor.line, column))}
                    {onscroll}
                    {onkeydown}
                    {oncopy}
                >
                    <div role="row" aria-rowindex="1" class="line grid-header">
                        { for messages().results.columns.iter().map(|name| html! {
                            <div role="columnheader" class={if stacked { "visually-hidden" } else { "" }}>{*name}</div>
                        }) }
                        if stacked { <div class="mono" aria-hidden="true">{ draw.context(self.result.line(draw.first, true)) }</div> }
                    </div>
                    <div ref={spacer} role="presentation" class="grid-spacer" {onclick}>
                        <div ref={window} role="rowgroup" class="grid-window">{ self.lines(lines, &draw) }</div>
                    </div>
                </div>
                // Not `for`: that would make it a sibling of the grid, which Yew would then draw again, without the focus.
                if let Some(line) = chosen.filter(|_| open) { { details(self, line, decoding, column == 0) } }
            </div>
        }
    }

    fn lines(&self, lines: Range<usize>, draw: &Draw) -> Html {
        lines.filter_map(|index| Some(draw.line(index, self.result.line(index, draw.stacked)?))).collect()
    }
}
