//! The effect of each filter of a text on the cells: a line for each below the text. The filter
//! under the pointer or focus is highlighted in the text.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_model::{NodePlace, RowFilter, Span};
use tabletop_texts::messages;
use tabletop_texts::numbers::thousands;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlElement, HtmlTextAreaElement};
use yew::{Callback, Html, NodeRef, UseForceUpdateHandle, html};

use crate::browser::{self, units_at};
use crate::page::state::{FilterCounts, ShownCount};

/// The maximum number of filters of a text that get a line. The others have their counts in the
/// blocks.
const LINES_MAX: usize = 200;
/// The maximum number of bytes of a text whose filters get lines. A longer one has its counts in
/// the blocks only.
const TEXT_BYTES_MAX: usize = 20_000;

/// A filter of the text with its count.
struct Line<'t> {
    place: NodePlace,
    text: &'t str,
    count: ShownCount,
}

/// Highlights a part of the text.
#[derive(Clone)]
pub struct Marker {
    /// The field with the text.
    pub input: NodeRef,
    /// The highlighted part.
    pub mark: Rc<RefCell<Option<Span>>>,
    /// Draws the field again.
    pub redraw: UseForceUpdateHandle,
}

impl Marker {
    fn set(&self, span: Option<Span>) {
        if *self.mark.borrow() != span {
            *self.mark.borrow_mut() = span;
            self.redraw.force_update();
            let input = self.input.clone();
            spawn_local(async move {
                browser::next_frame().await;
                align(&input);
            });
        }
    }
}

/// Draws the lines of a text without problems.
#[inline(never)]
pub fn filter_lines(text: &str, counts: &FilterCounts, marker: Marker) -> Html {
    let filter = RowFilter::parse(text).0;
    let lines = filter.map(|filter| lines_of(text, &filter, counts)).unwrap_or_default();
    if lines.is_empty() {
        return html! {};
    }
    let says = &messages().filter;
    html! {
        <ol class="filter-lines" aria-label={says.counts_in_text}>{ for lines.iter().map(|line| draw(line, text, &marker)) }</ol>
    }
}

fn lines_of<'t>(text: &'t str, filter: &RowFilter, counts: &FilterCounts) -> Vec<Line<'t>> {
    if text.len() > TEXT_BYTES_MAX {
        return Vec::new();
    }
    let line = |place: NodePlace| {
        let text = text.get(place.own.start as usize..place.own.end as usize)?;
        Some(Line { count: counts.at(filter, &place.path)?, text, place })
    };
    RowFilter::places(text).into_iter().take(LINES_MAX).filter_map(line).collect()
}

fn draw(line: &Line, text: &str, marker: &Marker) -> Html {
    let (span, says) = (line.place.span, &messages().filter);
    let ShownCount { cells, old } = line.count;
    let counted = if old { says.count_old } else { says.count }(cells.cells_in, cells.cells_out);
    let show = |span| {
        let marker = marker.clone();
        move || marker.set(span)
    };
    let (shows, hides) = (show(Some(span)), show(None));
    let onclick = {
        let (input, start, end) =
            (marker.input.clone(), units_at(text, span.start as usize), units_at(text, span.end as usize));
        Callback::from(move |_| {
            if let Some(area) = input.cast::<HtmlTextAreaElement>() {
                // Both fail only for an element that is not shown.
                drop((area.focus(), area.set_selection_range(start, end)));
            }
        })
    };
    let depth = line.place.path.len().min(DEPTH_MAX);
    let class = if old { "filter-line old" } else { "filter-line" };
    html! {
        <li {class}>
            <button
                type="button"
                {onclick}
                onmouseenter={let shows = shows.clone(); move |_| shows()}
                onmouseleave={let hides = hides.clone(); move |_| hides()}
                onfocus={move |_| shows()}
                onblur={move |_| hides()}
            >
                { for (0..depth).map(|_| html! { <span class="filter-indent" aria-hidden="true" /> }) }
                <span class="filter-line-text mono">{ line.text.to_owned() }</span>
                <span class="visually-hidden">{ format!(" {counted}") }</span>
                <span class="filter-line-count num" aria-hidden="true">
                    <span>{ thousands(cells.cells_in) }</span>
                    <span>{ format!("→ {}", thousands(cells.cells_out)) }</span>
                </span>
            </button>
        </li>
    }
}

/// The deepest indentation of a line.
const DEPTH_MAX: usize = 6;

/// Draws the text below the letters of the text area, with one part highlighted. It is invisible
/// otherwise.
#[inline(never)]
pub fn marked_text(text: &str, span: Span) -> Html {
    let at = |from: usize, to: usize| text.get(from..to).unwrap_or_default().to_owned();
    let (start, end) = (span.start as usize, span.end as usize);
    html! {
        <div class="text-mirror input mono" aria-hidden="true">
            { at(0, start) }<mark>{ at(start, end) }</mark>{ at(end, text.len()) }
        </div>
    }
}

/// Scrolls the text area to the highlighted part, and the text below it by the same amount.
fn align(input: &NodeRef) {
    let Some(area) = input.cast::<HtmlTextAreaElement>() else { return };
    let Some(mirror) = area.previous_element_sibling() else { return };
    let mark =
        mirror.query_selector("mark").ok().flatten().and_then(|mark| mark.dyn_into::<HtmlElement>().ok());
    if let Some(mark) = mark {
        let (top, height, seen) = (mark.offset_top(), mark.offset_height(), area.client_height());
        if top < area.scroll_top() || top + height > area.scroll_top() + seen {
            // The start is shown, if the part is taller than the area.
            area.set_scroll_top((top - seen / 4).max(0));
        }
    }
    mirror.set_scroll_top(area.scroll_top());
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_model::NodeCount;

    #[test]
    fn each_filter_of_a_text_has_its_count_however_it_is_written() {
        let written = "condition(sink,\n  else=chain(pass_all, block_all),\n  then=cells_per_row_limit(1) )";
        let filter = RowFilter::parse(written).0.expect("a filter");
        let nodes = (0..filter.nodes() as u64).map(|n| NodeCount { cells_in: n, cells_out: 0 }).collect();
        let counts = FilterCounts { filter: filter.clone(), nodes };
        let shown = |text, filter: &RowFilter| {
            let lines = lines_of(text, filter, &counts);
            lines
                .iter()
                .map(|line| (line.text.to_owned(), line.count.cells.cells_in, line.count.old))
                .collect::<Vec<_>>()
        };
        let expected = [
            ("condition", 0),
            ("sink", 1),
            ("chain", 3),
            ("pass_all", 4),
            ("block_all", 5),
            ("cells_per_row_limit(1)", 2),
        ];
        assert_eq!(shown(written, &filter), expected.map(|(text, count)| (text.into(), count, false)));
        // Other blocks have no counts, and other values have earlier ones.
        let other = "sink";
        assert_eq!(shown(other, &RowFilter::parse(other).0.expect("a filter")), []);
        let edited = written.replace("(1)", "(2)");
        let lines = shown(&edited, &RowFilter::parse(&edited).0.expect("a filter"));
        assert_eq!(lines.last(), Some(&("cells_per_row_limit(2)".into(), 2, true)));
    }
}
