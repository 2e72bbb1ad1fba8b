//! The user's actions in the grid: scroll, move the cursor, click, copy.

use tabletop_texts::messages;
use tabletop_views::results::{CellColumns, column_text};
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, Event, KeyboardEvent, MouseEvent};

use super::cursor::Cursor;
use super::dom::{clicked, element, text_is_selected};
use super::grid::Grid;

impl Cursor {
    /// Returns the position to which a key moves the cursor, in a grid with these last line and
    /// column; `None` for any other key.
    pub fn moved(self, event: &KeyboardEvent, last: usize, right: usize, page: usize) -> Option<Cursor> {
        let far = event.ctrl_key() || event.meta_key();
        Some(match event.key().as_str() {
            "ArrowDown" => Cursor { line: (self.line + 1).min(last), ..self },
            "ArrowUp" => Cursor { line: self.line.saturating_sub(1), ..self },
            "PageDown" => Cursor { line: (self.line + page).min(last), ..self },
            "PageUp" => Cursor { line: self.line.saturating_sub(page), ..self },
            "ArrowRight" => Cursor { column: (self.column + 1).min(right), ..self },
            "ArrowLeft" => Cursor { column: self.column.saturating_sub(1), ..self },
            "Home" => Cursor { line: if far { 0 } else { self.line }, column: 0 },
            "End" => Cursor { line: if far { last } else { self.line }, column: right },
            _ => return None,
        })
    }
}

impl Grid {
    /// Redraws the grid when other lines become visible.
    pub fn on_scroll(&self) {
        let Some(grid) = element(&self.look(|look| look.grid.clone())) else { return };
        let scroll = self.scroll();
        let (before, now) = (self.look(|look| look.top), f64::from(grid.scroll_top()));
        self.look.borrow_mut().top = now;
        if scroll.first(before) == scroll.first(now) {
            // The lines of a list that is higher than the browser allows move with the scroll
            // position.
            self.place_window(&scroll, &self.look(|look| look.window.clone()));
        } else {
            self.redraw.force_update();
        }
    }

    /// Moves the cursor and scrolls until it is visible, in one drawing.
    fn go(&self, to: Cursor) {
        if let Some(grid) = element(&self.look(|look| look.grid.clone()))
            && let Some(wanted) = self.scroll().reveal(to.line, f64::from(grid.scroll_top()))
        {
            grid.set_scroll_top(wanted.round() as i32);
            self.look.borrow_mut().top = f64::from(grid.scroll_top());
        }
        self.change(|look| look.cursor = to);
    }

    /// Moves the cursor, and opens and closes the details.
    pub fn on_key(&self, event: &KeyboardEvent) {
        // The header has menus and separators with their own keys.
        let grid = element(&self.look(|look| look.grid.clone()));
        if event.target().and_then(|target| target.dyn_into().ok()) != grid {
            return;
        }
        let (at, scroll) = (self.cursor(), self.scroll());
        let (last, right) = (scroll.lines.saturating_sub(1), messages().results.columns.len() - 1);
        match event.key().as_str() {
            "Enter" if !event.ctrl_key() && !event.meta_key() => {
                // Only Escape closes what a click has opened.
                self.change(|look| look.open = true);
                self.tell_row();
                event.prevent_default();
            }
            "Escape" if self.look(|look| look.open) => {
                self.change(|look| look.open = false);
                event.stop_propagation();
            }
            _ => {
                if let Some(to) = at.moved(event, last, right, scroll.page()) {
                    event.prevent_default();
                    let chosen = self.chosen();
                    let is_usual = chosen.columns.is_empty();
                    let column = if is_usual {
                        to.column
                    } else {
                        CellColumns::of(&chosen).nearest(at.column, to.column)
                    };
                    self.go(Cursor { column, ..to });
                }
            }
        }
    }

    /// Copies the cell under the cursor, unless text is selected.
    pub fn on_copy(&self, event: Event) {
        let at = self.cursor();
        let event: ClipboardEvent = event.unchecked_into();
        let (Some(line), Some(clipboard)) =
            (self.props.result.line(at.line, self.key_place()), event.clipboard_data())
        else {
            return;
        };
        if !text_is_selected()
            && clipboard.set_data("text/plain", &column_text(&line.row.key, line.cell(), at.column)).is_ok()
        {
            event.prevent_default();
        }
    }

    /// Chooses the cell that was clicked.
    pub fn on_click(&self, event: &MouseEvent) {
        if let Some(to) = clicked(event)
            && !text_is_selected()
        {
            self.look.borrow_mut().open = true;
            self.go(to);
            self.tell_row();
        }
    }

    /// Tells the page which row was chosen: the strips mark its event.
    fn tell_row(&self) {
        if let Some(line) = self.props.result.line(self.cursor().line, self.key_place()) {
            self.props.on_row.emit(line.row.key.clone());
        }
    }

    /// Closes the details and moves the focus back to the rows.
    pub fn close(&self) {
        self.change(|look| look.open = false);
        if let Some(grid) = element(&self.look(|look| look.grid.clone())) {
            // The grid is in the page as long as there are rows.
            drop(grid.focus());
        }
    }
}
