//! The rows of a read as a grid in byte order, of which only what is visible is drawn.
//!
//! Every line has one height, so that the place of line 99,999 is a product and not a measurement: one line a cell, and
//! where the grid is narrow one more a row for the key. The list as a whole is a spacer; the drawn lines are moved to
//! their place. Both are set through the CSSOM, since the page's policy forbids style attributes.

use std::rc::Rc;

use tabletop_model::Cell;
use tabletop_schema::{Template, time};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{ClipboardEvent, HtmlElement, ResizeObserver};
use yew::{
    AttrValue, Callback, Event, Html, KeyboardEvent, MouseEvent, NodeRef, Properties, classes, function_component, html,
    use_effect, use_effect_with, use_mut_ref, use_node_ref, use_state_eq,
};

use super::decode::{Decoding, Kind, preview};
use super::details::{Details, column_text};
use super::key::key_parts;
use super::result::Line;
use super::scroll::Scroll;
use super::stats::{stats_line, status, why_empty};
use super::{QueryResult, ReadState};
use crate::widgets::{Icon, IconView, Select};

/// Properties of [`ResultGrid`].
#[derive(Properties, PartialEq)]
pub struct ResultGridProps {
    /// The read and what it has given so far.
    pub result: Rc<QueryResult>,
    /// Of the keys that are in the table.
    pub template: Rc<Template>,
}

/// Names of the columns, in their order.
const COLUMNS: [&str; 5] = ["Row key", "Family", "Qualifier", "Time", "Value"];
/// Width below which a cell is stacked over two lines of text, pixels.
const STACKED_BELOW_PX: f64 = 560.0;
/// Height of a line, in the page's type size: `.grid .line` in results.css.
const LINE_REM: f64 = 1.5;
/// The same where cells are stacked.
const STACKED_LINE_REM: f64 = 2.75;

/// The box of the grid, as last measured.
#[derive(Clone, Copy, Default, PartialEq)]
struct Measures {
    width_px: f64,
    height_px: f64,
    rem_px: f64,
}

/// Where the keyboard is.
#[derive(Clone, Copy, Default, PartialEq)]
struct Cursor {
    line: usize,
    column: usize,
}

/// Stats, rows, and the chosen cell.
#[function_component]
pub fn ResultGrid(props: &ResultGridProps) -> Html {
    let decoding = use_state_eq(Decoding::default);
    let options = Decoding::ALL.map(|decoding| (AttrValue::Static(decoding.name()), AttrValue::Static(decoding.name()))).to_vec();
    let on_decoding = {
        let decoding = decoding.clone();
        Callback::from(move |name: AttrValue| {
            decoding.set(Decoding::ALL.into_iter().find(|decoding| decoding.name() == name).unwrap_or_default());
        })
    };
    let result = &props.result;
    // Said once a read has ended: each slice of it would be too much to listen to.
    let said = use_mut_ref(String::new);
    if !result.running() {
        *said.borrow_mut() = status(result);
    }
    html! {
        <div class="results">
            { stats_line(result) }
            <div class="results-tools">
                <p class="results-status">{ status(result) }</p>
                <p role="status" class="visually-hidden">{ said.borrow().clone() }</p>
                <Select label="Values as" {options} selected={decoding.name()} on_select={on_decoding} />
                if result.running() { <progress class="results-progress" aria-label="Reading rows" /> }
            </div>
            if let Some(error) = result.error() {
                <div class="results-error" role="alert">
                    <IconView icon={Icon::Error} />
                    <p>{ error.message.clone() }</p>
                </div>
            }
            if result.scans_more && result.state != ReadState::NotAsked {
                <p class="results-note">
                    <IconView icon={Icon::Warning} />
                    {"The key cannot answer this by ranges alone: more rows were scanned than asked for."}
                </p>
            }
            if result.rows() == 0 {
                if result.error().is_none() {
                    <div class="empty">
                        <p class="empty-title">{ why_empty(result).0 }</p>
                        <p class="soft">{ why_empty(result).1 }</p>
                    </div>
                }
            } else {
                <Grid result={result.clone()} template={props.template.clone()} decoding={*decoding} />
            }
        </div>
    }
}

/// Properties of [`Grid`].
#[derive(Properties, PartialEq)]
struct GridProps {
    result: Rc<QueryResult>,
    template: Rc<Template>,
    decoding: Decoding,
}

#[function_component]
fn Grid(props: &GridProps) -> Html {
    let measures = use_state_eq(Measures::default);
    // The first line in sight: only a change of it has to draw anew. The exact position is not part of the picture.
    let first = use_state_eq(|| 0);
    let top = use_mut_ref(|| 0.0);
    let cursor = use_state_eq(Cursor::default);
    let open = use_state_eq(|| false);
    let asked = use_mut_ref(|| props.result.question());
    let (grid, spacer, window) = (use_node_ref(), use_node_ref(), use_node_ref());

    let result = &props.result;
    let stacked = measures.width_px < STACKED_BELOW_PX;
    // The header is a line too; where cells are stacked there is none.
    let header_px = if stacked { 0.0 } else { measures.rem_px * LINE_REM };
    let scroll = Scroll {
        lines: result.lines(stacked),
        line_px: measures.rem_px * if stacked { STACKED_LINE_REM } else { LINE_REM },
        view_px: (measures.height_px - header_px).max(0.0),
    };
    let drawn = scroll.window(*top.borrow());
    let at = Cursor { line: cursor.line.min(scroll.lines.saturating_sub(1)), column: cursor.column };

    use_effect_with((), {
        let (grid, measures) = (grid.clone(), measures.clone());
        move |()| observe_size(grid, Callback::from(move |now| measures.set(now)))
    });
    // After every drawing: the list's height and the window's place.
    use_effect({
        let (spacer, window, top, start) = (spacer.clone(), window.clone(), top.clone(), drawn.start);
        move || {
            set_style(&spacer, "height", &format!("{}px", scroll.height()));
            set_style(&window, "transform", &format!("translateY({}px)", scroll.offset(start, *top.borrow())));
        }
    });

    // Another question begins at its first row; the same one, asked again, stays where it is.
    use_effect_with(if result.stale() { None } else { Some(result.question()) }, {
        let (grid, cursor, asked) = (grid.clone(), cursor.clone(), asked.clone());
        move |question: &Option<Rc<Vec<u8>>>| {
            let Some(question) = question else { return };
            if asked.replace(question.clone()) != *question
                && let Some(element) = grid.cast::<HtmlElement>()
            {
                element.set_scroll_top(0);
                cursor.set(Cursor::default());
            }
        }
    });

    let onscroll = {
        let (grid, window, top, first, start) = (grid.clone(), window.clone(), top.clone(), first.clone(), drawn.start);
        Callback::from(move |_: Event| {
            let Some(element) = grid.cast::<HtmlElement>() else { return };
            *top.borrow_mut() = f64::from(element.scroll_top());
            // A list taller than the browser allows slides under its window.
            set_style(&window, "transform", &format!("translateY({}px)", scroll.offset(start, *top.borrow())));
            first.set(scroll.first(*top.borrow()));
        })
    };
    let go = {
        let (grid, cursor) = (grid.clone(), cursor.clone());
        move |to: Cursor| {
            cursor.set(to);
            if let Some(element) = grid.cast::<HtmlElement>()
                && let Some(wanted) = scroll.reveal(to.line, f64::from(element.scroll_top()))
            {
                element.set_scroll_top(wanted.round() as i32);
            }
        }
    };
    let onkeydown = {
        let (open, go) = (open.clone(), go.clone());
        Callback::from(move |event: KeyboardEvent| {
            let last = scroll.lines.saturating_sub(1);
            let far = event.ctrl_key() || event.meta_key();
            let to = match event.key().as_str() {
                "ArrowDown" => Cursor { line: (at.line + 1).min(last), ..at },
                "ArrowUp" => Cursor { line: at.line.saturating_sub(1), ..at },
                "PageDown" => Cursor { line: (at.line + scroll.page()).min(last), ..at },
                "PageUp" => Cursor { line: at.line.saturating_sub(scroll.page()), ..at },
                "ArrowRight" => Cursor { column: (at.column + 1).min(COLUMNS.len() - 1), ..at },
                "ArrowLeft" => Cursor { column: at.column.saturating_sub(1), ..at },
                "Home" if far => Cursor { line: 0, column: 0 },
                "End" if far => Cursor { line: last, column: COLUMNS.len() - 1 },
                "Home" => Cursor { column: 0, ..at },
                "End" => Cursor { column: COLUMNS.len() - 1, ..at },
                "Enter" if !far => {
                    open.set(!*open);
                    event.prevent_default();
                    return;
                }
                "Escape" if *open => {
                    open.set(false);
                    event.stop_propagation();
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            go(to);
        })
    };
    let oncopy = {
        let result = result.clone();
        Callback::from(move |event: Event| {
            let event: ClipboardEvent = event.unchecked_into();
            let selects =
                web_sys::window().and_then(|window| window.get_selection().ok()?).is_some_and(|text| !text.is_collapsed());
            let (Some(line), Some(clipboard), false) = (result.line(at.line, stacked), event.clipboard_data(), selects) else {
                return;
            };
            if clipboard.set_data("text/plain", &column_text(line.row, line.cell(), at.column)).is_ok() {
                event.prevent_default();
            }
        })
    };
    // One listener for every line: the line says which it is.
    let onclick = {
        let (open, go) = (open.clone(), go.clone());
        Callback::from(move |event: MouseEvent| {
            let selects =
                web_sys::window().and_then(|window| window.get_selection().ok()?).is_some_and(|text| !text.is_collapsed());
            if let Some(to) = clicked(&event)
                && !selects
            {
                go(to);
                open.set(true);
            }
        })
    };
    let on_close = {
        let (open, grid) = (open.clone(), grid.clone());
        Callback::from(move |()| {
            open.set(false);
            if let Some(element) = grid.cast::<HtmlElement>() {
                // The grid is there as long as this handler is.
                drop(element.focus());
            }
        })
    };

    let draw =
        Draw { template: &props.template, decoding: props.decoding, stacked, cursor: at, first: scroll.first(*top.borrow()) };
    let label = format!("Cells of {}", super::format::count(result.rows() as u64, "row"));
    let active = drawn.contains(&at.line).then(|| cell_id(at.line, draw.column_of(result.line(at.line, stacked), at.column)));
    html! {
        <div class={classes!("grid-and-details", result.stale().then_some("stale"))}>
            <div
                ref={grid}
                class={classes!("grid", stacked.then_some("stacked"), (props.decoding == Decoding::Int64).then_some("numbers"))}
                role="grid"
                tabindex="0"
                aria-label={label}
                aria-rowcount={(scroll.lines + 1).to_string()}
                aria-colcount={COLUMNS.len().to_string()}
                aria-activedescendant={active}
                {onscroll}
                {onkeydown}
                {oncopy}
            >
                <div role="row" aria-rowindex="1" class="line grid-header">
                    { for COLUMNS.iter().map(|name| html! { <div role="columnheader">{*name}</div> }) }
                </div>
                <div ref={spacer} role="presentation" class="grid-spacer" {onclick}>
                    <div ref={window} role="rowgroup" class="grid-window">
                        { for drawn.clone().filter_map(|index| Some(draw.line(index, result.line(index, stacked)?))) }
                    </div>
                </div>
            </div>
            if let Some(line) = result.line(at.line, stacked).filter(|_| *open) {
                <Details
                    key_view={props.template.key_view(&line.row.key)}
                    fields={props.template.decode(&line.row.key)}
                    cells={line.row.cells.len()}
                    cell={line.cell().cloned()}
                    decoding={props.decoding}
                    key_first={draw.column_of(Some(line), at.column) == 0}
                    {on_close}
                />
            }
        </div>
    }
}

/// What drawing a line needs to know.
struct Draw<'a> {
    template: &'a Template,
    decoding: Decoding,
    stacked: bool,
    cursor: Cursor,
    /// The first line in sight: it names its row even if the row began further up.
    first: usize,
}

impl Draw<'_> {
    /// The column that a cursor in `column` is on: a line of its own for the key has no other.
    fn column_of(&self, line: Option<Line<'_>>, column: usize) -> usize {
        match line.and_then(|line| line.cell_index) {
            None => 0,
            Some(_) if self.stacked => column.max(1),
            Some(_) => column,
        }
    }

    fn line(&self, index: usize, line: Line<'_>) -> Html {
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
                if !self.stacked || line.cell_index.is_none() { { cell(0, "rowheader", "key mono", key()) } }
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
                { cell(2, "gridcell", "qualifier mono", html! { tabletop_model::escape(&content.qualifier) }) }
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

fn cell_id(line: usize, column: usize) -> String {
    format!("cell-{line}-{column}")
}

/// The line and column that were clicked.
fn clicked(event: &MouseEvent) -> Option<Cursor> {
    let element = event.target()?.dyn_into::<web_sys::Element>().ok()?;
    let line = element.closest("[data-line]").ok()??.get_attribute("data-line")?.parse().ok()?;
    let column =
        element.closest("[aria-colindex]").ok()?.and_then(|cell| cell.get_attribute("aria-colindex")?.parse::<usize>().ok());
    Some(Cursor { line, column: column.map_or(0, |column| column - 1) })
}

/// Sets one property of an element through the CSSOM, which the page's policy allows.
fn set_style(node: &NodeRef, name: &str, value: &str) {
    if let Some(element) = node.cast::<HtmlElement>() {
        // Both names and values are well formed, so nothing can fail.
        drop(element.style().set_property(name, value));
    }
}

/// Measures the grid now and whenever its size changes; what it returns ends that.
fn observe_size(grid: NodeRef, on_change: Callback<Measures>) -> impl FnOnce() {
    let measure = Closure::<dyn Fn()>::new({
        let grid = grid.clone();
        move || {
            let Some(grid) = grid.cast::<HtmlElement>() else { return };
            let rem = web_sys::window().and_then(|window| {
                let root = window.document()?.document_element()?;
                let size = window.get_computed_style(&root).ok()??.get_property_value("font-size").ok()?;
                size.trim_end_matches("px").parse().ok()
            });
            on_change.emit(Measures {
                width_px: f64::from(grid.client_width()),
                height_px: f64::from(grid.client_height()),
                rem_px: rem.unwrap_or(16.0),
            });
        }
    });
    let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok();
    if let (Some(observer), Some(element)) = (&observer, grid.cast::<HtmlElement>()) {
        observer.observe(&element);
    }
    move || {
        if let Some(observer) = observer {
            observer.disconnect();
        }
        drop(measure);
    }
}
