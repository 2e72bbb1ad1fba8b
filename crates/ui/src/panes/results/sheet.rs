//! A table of equal lines with columns that the user resizes, hides and pins. Only the visible
//! lines and columns are drawn.
//!
//! Widths are set through the CSSOM: as a template of all drawn columns, with one spacer for the
//! columns scrolled out on the left.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use tabletop_texts::{Locale, locale, messages};
use tabletop_views::results::Scroll;
use wasm_bindgen::JsCast;
use web_sys::ClipboardEvent;
use yew::functional::UseForceUpdateHandle;
use yew::{
    AttrValue, Callback, Event, Html, KeyboardEvent, MouseEvent, NodeRef, Properties, function_component,
    html, use_effect, use_force_update, use_mut_ref,
};

use super::cursor::Cursor;
use super::dom::{BoxSize, clicked, element, set_style, text_is_selected};
use crate::kit::{Direction, Icon, MenuButton, Separator, callback};

/// Minimum and maximum width of a column, px.
pub const WIDTH: Range<f64> = 48.0..1_200.0;
/// The maximum number of columns that stay when the others scroll: results.css has their positions.
pub const PINNED_MAX: usize = 4;
/// The greatest share of the width that they take. If they need more, as on a phone, they scroll as
/// well.
const PINNED_SHARE: f64 = 0.6;
/// Height of a line and of the header, in the page's type size: `.grid .line` in results.css.
pub const LINE_REM: f64 = 1.5;
/// Height of a line with two lines of text: `.sheet.tall .line` in results.css.
pub const TALL_LINE_REM: f64 = 2.75;
/// Lines before the last one at which more are requested.
const NEAR_END: usize = 100;

/// The cells of a sheet.
pub trait SheetCells {
    /// Returns the number of lines.
    fn lines(&self) -> usize;
    /// Returns the class of a line.
    fn class(&self, line: usize) -> &'static str;
    /// Draws some cells of a line. The first call for each line includes all the columns needed.
    fn draw(&self, line: usize, columns: &[usize]) -> Vec<Html>;
    /// Called after these lines and columns were drawn.
    fn drawn(&self, _lines: Range<usize>, _columns: &[usize]) {}
    /// Returns the text of a cell for the clipboard.
    fn text(&self, line: usize, column: usize) -> String;
}

/// A column of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetColumn {
    /// The column's name.
    pub name: AttrValue,
    /// The class of its cells.
    pub class: &'static str,
    /// px.
    pub width: f64,
    /// The width that a double click restores, px.
    pub usual: f64,
    /// Whether the column stays when the others scroll. Such columns are first.
    pub pinned: bool,
    /// The actions: value and text.
    pub menu: Vec<(AttrValue, AttrValue)>,
}

/// The cells, compared by identity.
#[derive(Clone)]
pub struct Cells(pub Rc<dyn SheetCells>);

impl PartialEq for Cells {
    fn eq(&self, other: &Cells) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Properties of [`Sheet`].
#[derive(Properties, PartialEq)]
pub struct SheetProps {
    /// The accessible name.
    pub label: AttrValue,
    /// The columns; the first one has the headers of the lines.
    pub columns: Vec<SheetColumn>,
    /// The cells of the sheet.
    pub cells: Cells,
    /// Lines of another value begin at the top.
    pub about: Rc<Vec<u8>>,
    /// The width of a column has changed, px.
    pub on_width: Callback<(usize, f64)>,
    /// An action of a column was chosen.
    #[prop_or_default]
    pub on_column: Callback<(usize, AttrValue)>,
    /// The last lines are near.
    #[prop_or_default]
    pub on_end: Callback<()>,
    /// The cursor has moved to a line.
    #[prop_or_default]
    pub on_line: Callback<usize>,
    /// Height of a line, in the page's type size: [`LINE_REM`] or [`TALL_LINE_REM`].
    #[prop_or(LINE_REM)]
    pub line_rem: f64,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

#[derive(Default)]
struct SheetLook {
    cursor: Cursor,
    top: f64,
    left: f64,
    size: BoxSize,
    about: Rc<Vec<u8>>,
    begins: bool,
    grid: NodeRef,
    spacer: NodeRef,
    window: NodeRef,
}

/// Draws the sheet.
#[function_component]
pub fn Sheet(props: &SheetProps) -> Html {
    let look = use_mut_ref(|| SheetLook { size: BoxSize::of_window(), ..SheetLook::default() });
    let redraw = use_force_update();
    {
        let mut look = look.borrow_mut();
        if look.about != props.about {
            let about = props.about.clone();
            *look = SheetLook {
                about,
                begins: true,
                top: 0.0,
                cursor: Cursor::default(),
                ..std::mem::take(&mut *look)
            };
        }
    }
    let (columns, cells) = (props.columns.clone(), props.cells.clone());
    let sheet = Rc::new(Drawn {
        look,
        redraw,
        columns,
        cells,
        on_line: props.on_line.clone(),
        line_rem: props.line_rem,
    });
    use_effect({
        let (sheet, on_end) = (sheet.clone(), props.on_end.clone());
        move || {
            sheet.settle();
            let drawn: Vec<usize> = (0..sheet.pinned()).chain(sheet.shown_columns()).collect();
            sheet.cells.0.drawn(sheet.scroll().window(sheet.look.borrow().top), &drawn);
            if sheet.scroll().window(sheet.look.borrow().top).end + NEAR_END >= sheet.cells.0.lines() {
                on_end.emit(());
            }
        }
    });
    sheet.draw(props)
}

struct Drawn {
    look: Rc<RefCell<SheetLook>>,
    redraw: UseForceUpdateHandle,
    columns: Vec<SheetColumn>,
    cells: Cells,
    on_line: Callback<usize>,
    line_rem: f64,
}

impl Drawn {
    fn scroll(&self) -> Scroll {
        let measures = self.look.borrow().size.measures();
        let (line_px, header_px) = (measures.rem_px * self.line_rem, measures.rem_px * LINE_REM);
        Scroll { lines: self.cells.0.lines(), line_px, view_px: (measures.height_px - header_px).max(0.0) }
    }

    /// Returns the number of columns that stay, as long as they leave room for others.
    fn pinned(&self) -> usize {
        let pinned = self.columns.iter().take_while(|column| column.pinned).count();
        let room = self.look.borrow().size.measures().width_px * PINNED_SHARE;
        if self.width_of(0..pinned) > room { 0 } else { pinned }
    }

    /// Returns the columns that are drawn in addition to the pinned ones.
    fn shown_columns(&self) -> Range<usize> {
        let look = self.look.borrow();
        visible(&self.columns, self.pinned(), look.left, look.size.measures().width_px)
    }

    fn width_of(&self, columns: Range<usize>) -> f64 {
        self.columns[columns].iter().map(|column| column.width).sum()
    }

    /// Updates the browser's objects after each drawing.
    fn settle(&self) {
        let (grid, spacer, window) = {
            let look = self.look.borrow();
            (look.grid.clone(), look.spacer.clone(), look.window.clone())
        };
        let grid_element = element(&grid);
        self.look.borrow_mut().size.follow(grid_element.as_ref(), &self.redraw);
        let Some(grid_element) = grid_element else { return };
        if std::mem::take(&mut self.look.borrow_mut().begins) {
            grid_element.set_scroll_top(0);
        }
        let (pinned, shown) = (self.pinned(), self.shown_columns());
        let mut template: Vec<String> = self.columns[..pinned].iter().map(px).collect();
        template.push(format!("{}px", self.width_of(pinned..shown.start)));
        template.extend(self.columns[shown].iter().map(px));
        // Names and values are well formed, so this cannot fail.
        let set = |name: &str, value: &str| drop(grid_element.style().set_property(name, value));
        set("--columns", &template.join(" "));
        for at in 1..pinned.max(1) {
            set(&format!("--left-{at}"), &format!("{}px", self.width_of(0..at)));
        }
        set("--sheet-width", &format!("{}px", self.width_of(0..self.columns.len())));
        let scroll = self.scroll();
        set_style(&spacer, "height", scroll.height());
        let top = self.look.borrow().top;
        set_style(&window, "top", scroll.offset(scroll.window(top).start, top));
    }

    fn draw(self: &Rc<Self>, props: &SheetProps) -> Html {
        let (scroll, pinned, shown) = (self.scroll(), self.pinned(), self.shown_columns());
        let (top, cursor, grid, spacer, window) = {
            let look = self.look.borrow();
            (look.top, look.cursor, look.grid.clone(), look.spacer.clone(), look.window.clone())
        };
        let lines = scroll.window(top);
        let drawn: Vec<usize> = (0..pinned).chain(shown).collect();
        let active = lines.contains(&cursor.line) && drawn.contains(&cursor.column);
        let on = |act: fn(&Drawn, Event)| callback(self, move |drawn, event: Event| act(drawn, event));
        let on_key = callback(self, |drawn, event: KeyboardEvent| drawn.on_key(&event));
        let on_click = callback(self, |drawn, event: MouseEvent| {
            if let Some(to) = clicked(&event)
                && !text_is_selected()
            {
                drawn.go(to);
            }
        });
        html! {
            <div
                ref={grid}
                class={if self.line_rem == TALL_LINE_REM { "grid sheet tall" } else { "grid sheet" }}
                role="grid"
                tabindex="0"
                aria-label={props.label.clone()}
                aria-rowcount={(scroll.lines + 1).to_string()}
                aria-colcount={self.columns.len().to_string()}
                aria-activedescendant={active.then(|| cell_id(cursor.line, cursor.column))}
                onscroll={on(|this, _| this.on_scroll())}
                onkeydown={on_key}
                oncopy={on(Drawn::on_copy)}
            >
                <div role="row" aria-rowindex="1" class="line grid-header with-tools">
                    { for drawn.iter().enumerate().map(|(place, &at)| html! {
                        // With its own key, a column stays the same element, with the focus, when
                        // others scroll into or out of sight.
                        <key={self.columns[at].name.to_string()}>
                            if place == pinned { { gap() } }
                            { self.header(props, at) }
                        </>
                    }) }
                </div>
                <div ref={spacer} role="presentation" class="grid-spacer" onclick={on_click}>
                    <div ref={window} role="rowgroup" class="grid-window">
                        { for lines.map(|line| self.line(line, &drawn, pinned, cursor)) }
                    </div>
                </div>
            </div>
        }
    }

    fn header(&self, props: &SheetProps, at: usize) -> Html {
        let column = &self.columns[at];
        let says = &messages().results.sheet;
        let on_width = props.on_width.reform(move |width: f64| (at, width));
        let on_select = props.on_column.reform(move |action: AttrValue| (at, action));
        html! {
            <div
                role="columnheader"
                class={self.class(at, column.class, false)}
                aria-colindex={(at + 1).to_string()}
                aria-label={column.name.clone()}
            >
                <span class="column-name" title={column.name.clone()}>{ column.name.clone() }</span>
                if !column.menu.is_empty() {
                    <MenuButton label={(says.column_actions)(&column.name)} icon={Icon::More} icon_only=true end=true items={column.menu.clone()} {on_select} />
                }
                <Separator label={(says.column_width)(&column.name)} direction={Direction::Vertical} value={column.width} usual={column.usual}
                    min={WIDTH.start} max={WIDTH.end} on_change={on_width} />
            </div>
        }
    }

    fn class(&self, at: usize, class: &str, marked: bool) -> String {
        let pin = if at < self.pinned() { format!(" pinned pin-{at}") } else { String::new() };
        format!("{class}{pin}{}", if marked { " cursor" } else { "" })
    }

    fn line(&self, line: usize, drawn: &[usize], pinned: usize, cursor: Cursor) -> Html {
        let here = cursor.line == line;
        let class = format!("line {}{}", self.cells.0.class(line), if here { " here" } else { "" });
        let contents = self.cells.0.draw(line, drawn);
        let cell = |(place, (&at, content)): (usize, (&usize, Html))| {
            let marked = here && cursor.column == at;
            html! {
                <key={at}>
                    if place == pinned { { gap() } }
                    <div
                        id={cell_id(line, at)}
                        role={if at == 0 { "rowheader" } else { "gridcell" }}
                        class={self.class(at, self.columns[at].class, marked)}
                        aria-colindex={(at + 1).to_string()}
                        aria-selected={if marked { "true" } else { "false" }}
                    >
                        { content }
                    </div>
                </>
            }
        };
        html! {
            <div key={line} role="row" {class} aria-rowindex={(line + 2).to_string()} data-line={line.to_string()}>
                { for drawn.iter().zip(contents).enumerate().map(cell) }
            </div>
        }
    }

    fn on_scroll(&self) {
        let Some(grid) = element(&self.look.borrow().grid) else { return };
        let scroll = self.scroll();
        let before = (scroll.first(self.look.borrow().top), self.shown_columns());
        {
            let mut look = self.look.borrow_mut();
            (look.top, look.left) = (f64::from(grid.scroll_top()), f64::from(grid.scroll_left()));
        }
        let top = self.look.borrow().top;
        if before == (scroll.first(top), self.shown_columns()) {
            set_style(&self.look.borrow().window, "top", scroll.offset(scroll.window(top).start, top));
        } else {
            self.redraw.force_update();
        }
    }

    /// Moves the cursor and scrolls until it is visible.
    fn go(&self, to: Cursor) {
        if let Some(grid) = element(&self.look.borrow().grid) {
            if let Some(wanted) = self.scroll().reveal(to.line, f64::from(grid.scroll_top())) {
                grid.set_scroll_top(wanted.round() as i32);
            }
            let pinned = self.pinned();
            if to.column >= pinned {
                let (start, width) = (self.width_of(pinned..to.column), self.columns[to.column].width);
                let room = self.look.borrow().size.measures().width_px - self.width_of(0..pinned);
                let left = f64::from(grid.scroll_left());
                if start < left || start + width > left + room {
                    grid.set_scroll_left(
                        if start < left { start } else { (start + width - room).min(start) }.round() as i32,
                    );
                }
            }
        }
        self.look.borrow_mut().cursor = to;
        self.on_line.emit(to.line);
        self.on_scroll();
        self.redraw.force_update();
    }

    fn on_key(&self, event: &KeyboardEvent) {
        // The header has menus and separators with their own keys.
        let grid = element(&self.look.borrow().grid);
        if event.target().and_then(|target| target.dyn_into().ok()) != grid {
            return;
        }
        let (at, scroll) = (self.look.borrow().cursor, self.scroll());
        let (last, right) = (scroll.lines.saturating_sub(1), self.columns.len().saturating_sub(1));
        if let Some(to) = at.moved(event, last, right, scroll.page()) {
            event.prevent_default();
            self.go(to);
        }
    }

    fn on_copy(&self, event: Event) {
        let at = self.look.borrow().cursor;
        let event: ClipboardEvent = event.unchecked_into();
        let Some(clipboard) = event.clipboard_data().filter(|_| at.line < self.cells.0.lines()) else {
            return;
        };
        if !text_is_selected()
            && clipboard.set_data("text/plain", &self.cells.0.text(at.line, at.column)).is_ok()
        {
            event.prevent_default();
        }
    }
}

/// The space of the columns that are scrolled out.
fn gap() -> Html {
    html! { <div role="presentation" class="gap" /> }
}

fn px(column: &SheetColumn) -> String {
    format!("{}px", column.width)
}

fn cell_id(line: usize, column: usize) -> String {
    format!("sheet-{line}-{column}")
}

/// Returns the columns after the pinned ones that a box of `width` px shows at the scroll position
/// `left`.
fn visible(columns: &[SheetColumn], pinned: usize, left: f64, width: f64) -> Range<usize> {
    let room = width - columns[..pinned].iter().map(|column| column.width).sum::<f64>();
    let (mut start, mut end, mut x) = (columns.len(), pinned, 0.0);
    for (at, column) in columns.iter().enumerate().skip(pinned) {
        if x + column.width > left {
            start = start.min(at);
        }
        if x < left + room.max(0.0) {
            end = at + 1;
        }
        x += column.width;
    }
    start.min(end)..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_columns_in_sight_are_drawn() {
        let column = |at: usize| SheetColumn {
            name: at.to_string().into(),
            class: "",
            width: 100.0,
            usual: 100.0,
            pinned: at == 0,
            menu: Vec::new(),
        };
        let columns: Vec<SheetColumn> = (0..50).map(column).collect();
        assert_eq!(visible(&columns, 1, 0.0, 400.0), 1..4);
        assert_eq!(visible(&columns, 1, 150.0, 400.0), 2..6);
        assert_eq!(visible(&columns, 1, 4_600.0, 400.0), 47..50);
        assert_eq!(visible(&columns, 1, 0.0, 50.0), 1..1, "no room next to the pinned ones");
        assert_eq!(visible(&columns[..1], 1, 0.0, 400.0), 1..1);
    }
}
