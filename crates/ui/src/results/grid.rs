//! The rows of a read as a grid in byte order, of which only what is visible is drawn.
//!
//! Every line has one height, so that the place of line 99,999 is a product and not a measurement: one line a cell, and
//! where the grid is narrow one more a row for the key. The list as a whole is a spacer; the drawn lines are moved to
//! their place. Both are set through the CSSOM, since the page's policy forbids style attributes.

use std::rc::Rc;

use tabletop_schema::Template;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, HtmlElement};
use yew::{
    AttrValue, Callback, Event, Html, KeyboardEvent, MouseEvent, Properties, classes, function_component, html, use_effect,
    use_effect_with, use_mut_ref, use_node_ref, use_state_eq,
};

use super::decode::Decoding;
use super::details::{Details, column_text};
use super::dom::{Measures, clicked, observe_size, set_style, text_is_selected};
use super::format::count;
use super::line::{Cursor, Draw, cell_id};
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
/// Height of a line and of the header, in the page's type size: `.grid .line` in results.css.
const LINE_REM: f64 = 1.5;
/// The same where cells are stacked.
const STACKED_LINE_REM: f64 = 2.75;

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
    let header_px = measures.rem_px * LINE_REM;
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
            let (Some(line), Some(clipboard)) = (result.line(at.line, stacked), event.clipboard_data()) else { return };
            if text_is_selected() {
                return;
            }
            if clipboard.set_data("text/plain", &column_text(line.row, line.cell(), at.column)).is_ok() {
                event.prevent_default();
            }
        })
    };
    // One listener for every line: the line says which it is.
    let onclick = {
        let (open, go) = (open.clone(), go.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some(to) = clicked(&event)
                && !text_is_selected()
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
    let label = format!("Cells of {}", count(result.rows() as u64, "row"));
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
                    { for COLUMNS.iter().map(|name| html! {
                        <div role="columnheader" class={stacked.then_some("visually-hidden")}>{*name}</div>
                    }) }
                    if stacked { <div class="mono" aria-hidden="true">{ draw.context(result.line(draw.first, true)) }</div> }
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
