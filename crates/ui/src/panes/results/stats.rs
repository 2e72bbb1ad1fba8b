//! The figures above the rows. All of them are counted by the engine.

use std::rc::Rc;

use tabletop_texts::messages;
use tabletop_texts::numbers::{bytes, duration, thousands};
use tabletop_views::results::{AskedFor, decoding_name, offered};
use tabletop_workspace::Decoding;
use yew::{Html, html};

use super::cell_columns;
use super::grid::Grid;
use super::result_view::ResultView;
use crate::browser;
use crate::kit::{Icon, Label, Toggle, callback, figures, icon, select, toggle};
use crate::page::state::{QueryResult, ReadState};

/// Draws everything above the rows, or instead of them.
pub fn above_rows(grid: &Rc<Grid>) -> Html {
    let (result, says) = (&grid.props.result, &messages().results);
    let (decoding, said) = (grid.chosen().values_as, grid.look(|look| look.said.clone()));
    let on_select = callback(grid, move |grid, at: usize| grid.edits().decode_all(Decoding::ALL[at]));
    let on_view =
        callback(grid, move |grid, at: usize| grid.change(|look| look.view = ResultView::choose(at)));
    let view = grid.view().index();
    let views = &says.views[..says.views.len() - usize::from(grid.props.traces.is_none())];
    // The cells that the filter dropped say why there are no rows.
    let shows_dropped = view == ResultView::Traced.index() && result.stats.rows_seen > 0;
    let has_tools = grid.look(|look| look.has_tools);
    let more_tools = toggle(Toggle {
        label: says.tools,
        icon: Icon::More,
        icon_only: true,
        pressed: has_tools,
        on_click: callback(grid, |grid, ()| grid.change(|look| look.has_tools = !look.has_tools)),
    });
    let offered = offered(&grid.chosen());
    let at = offered.iter().position(|one| *one == decoding);
    let names: Vec<&str> = offered.iter().map(|one| decoding_name(*one)).collect();
    html! {
        <>
            <div class="results-head">
            { cost(grid) }
            <div class="results-tools">
                // The figures say the same of a read that is complete.
                <p class="results-status">if result.state != ReadState::Complete { { status(result) } }</p>
                <p role="status" class="visually-hidden">{ said }</p>
                { select(Label::Shown(says.view), views, Some(view), on_view) }
                if has_tools { { select(Label::Shown(says.values_as), &names, at, on_select) } }
                if grid.props.complete && view == ResultView::Cells.index() && result.rows() > 0 { { cell_columns::tools(grid) } }
                { more_tools }
                if result.running() { <progress class="results-progress" aria-label={says.progress} /> }
            </div>
            </div>
            if result.error().is_some() || (result.rows() == 0 && !shows_dropped) { { no_rows(grid) } }
            if scanned_more(result) {
                <p class="results-note">
                    { icon(Icon::Warning) }
                    {says.scanned_more}
                </p>
            }
        </>
    }
}

/// Draws the error of the read, or why there are no rows. A first visit has rows and needs no such
/// text.
#[inline(never)]
fn no_rows(grid: &Rc<Grid>) -> Html {
    let (result, says) = (&grid.props.result, &messages().results);
    let (title, advice) = match &grid.props.no_table {
        Some(why) => (why.title(), why.advice()),
        None => why_empty(result, grid.props.asked_for),
    };
    html! {
        if let Some(error) = result.error() {
            <div class="results-error" role="alert">{ icon(Icon::Error) }<p>{ error.message.clone() }</p></div>
        } else {
            <div class="empty">
                <p class="empty-title">{ title }</p>
                <p class="soft">{ advice }</p>
                if grid.props.patterns && result.stats.rows_seen > 0 {
                    <p class="soft">
                        {says.pattern_hint.0}{" "}<code class="mono">{r"\C*brand\C*"}</code>{" "}{says.pattern_hint.1}
                    </p>
                }
            </div>
        }
    }
}

/// The stored name of whether all figures are shown.
const ALL_FIGURES: &str = "all-figures";

/// Returns whether all figures were shown at the last visit.
pub fn shows_all() -> bool {
    browser::stored(ALL_FIGURES).is_some_and(|text| text == "yes")
}

/// Draws the main figures on one line, and the others on demand. The position of a figure does not
/// depend on its number.
fn cost(grid: &Rc<Grid>) -> Html {
    let result = &grid.props.result;
    let open = grid.look(|look| look.all_figures);
    let onclick = callback(grid, move |grid, _| {
        browser::store(ALL_FIGURES, if open { "no" } else { "yes" });
        grid.change(|look| look.all_figures = !open);
    });
    let class = if result.stale() { "stats stale" } else { "stats" };
    html! {
        <div class="cost" role="group" aria-label={messages().results.cost}>
            <dl class={format!("{class} main")}>{ figures(&main_numbers(result)) }</dl>
            <button type="button" class="fold" aria-expanded={if open { "true" } else { "false" }} aria-controls="all-figures" {onclick}>
                { icon(if open { Icon::Down } else { Icon::Right }) }
                {messages().results.all_figures}
            </button>
            <dl id="all-figures" {class} hidden={!open}>{ figures(&other_numbers(result)) }</dl>
        </div>
    }
}

fn main_numbers(result: &QueryResult) -> [(&'static str, String); 4] {
    let (stats, names) = (&result.stats, &messages().results.figures);
    [
        (names.rows_seen, thousands(stats.rows_seen)),
        (names.rows_returned, thousands(stats.rows_returned)),
        (names.ranges, thousands(result.ranges.into())),
        (names.time, duration(result.elapsed_micros)),
    ]
}

fn other_numbers(result: &QueryResult) -> [(&'static str, String); 9] {
    let (stats, names) = (&result.stats, &messages().results.figures);
    [
        (names.cells_seen, thousands(stats.cells_seen)),
        (names.cells_returned, thousands(stats.cells_returned)),
        (names.bytes_returned, bytes(stats.bytes_returned)),
        (names.tablets, thousands(stats.tablets_touched)),
        (names.bytes_read, bytes(stats.bytes_read)),
        (names.blocks_read, thousands(stats.blocks_read)),
        (names.cache_hits, thousands(stats.cache_hits)),
        (names.bloom_skips, thousands(stats.bloom_skips)),
        (
            names.read_amplification,
            stats.read_amplification().map_or("–".into(), |times| format!("{times:.2}")),
        ),
    ]
}

/// Returns one sentence on the state of the read. A read without rows so far keeps the sentence of
/// the previous one.
pub fn status(result: &QueryResult) -> String {
    let (says, rows) = (&messages().results, result.stats.rows_returned);
    match &result.state {
        ReadState::NotAsked => says.nothing_read.into(),
        ReadState::Running if !result.stale() => (says.reading)(rows),
        ReadState::Running | ReadState::Complete => (says.done)(rows, result.elapsed_micros),
        ReadState::Cancelled => (says.cancelled)(rows),
        ReadState::Failed(_) => (says.failed)(rows),
    }
}

/// Returns whether a read that has ended saw rows that it did not return, because key ranges do not
/// select them.
fn scanned_more(result: &QueryResult) -> bool {
    let ended = result.state == ReadState::Complete || result.stale();
    ended && result.scans_more && result.stats.rows_seen > result.stats.rows_returned
}

/// Returns why there are no rows: a title and advice.
pub fn why_empty(result: &QueryResult, asked_for: AskedFor) -> (&'static str, String) {
    let (says, seen) = (&messages().results, result.stats.rows_seen);
    match result.state {
        ReadState::NotAsked => (says.no_query.0, says.no_query.1.into()),
        ReadState::Running => (says.none_yet.0, (says.none_yet.1)(seen)),
        ReadState::Cancelled => (says.none_until_cancelled.0, (says.none_until_cancelled.1)(seen)),
        _ if seen > 0 => (says.all_filtered.0, (says.all_filtered.1)(seen, result.stats.cells_seen)),
        _ => {
            let (title, advice) = match asked_for {
                AskedFor::NoKeys => says.no_keys,
                AskedFor::Keys => says.none_of_keys,
                AskedFor::Range => says.none_in_range,
                AskedFor::All => says.no_rows,
            };
            (title, advice.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::{Error, ReadStats};
    use tabletop_protocol::QueryChunk;

    use super::*;

    /// A complete answer without rows.
    fn answer(stats: ReadStats) -> QueryChunk {
        QueryChunk {
            rows: Vec::new(),
            stats,
            ranges: 1,
            scans_more: false,
            elapsed_micros: 0,
            complete: true,
        }
    }

    #[test]
    fn a_read_that_returns_nothing_has_no_amplification() {
        let shown = |stats| {
            other_numbers(&QueryResult::default().with(answer(stats)))
                .last()
                .map(|(_, number)| number.clone())
        };
        let read = ReadStats { bytes_read: 65_536, ..ReadStats::default() };
        assert_eq!(shown(read).as_deref(), Some("–"));
        assert_eq!(shown(ReadStats { bytes_returned: 32_768, ..read }).as_deref(), Some("2.00"));
    }

    #[test]
    fn an_empty_result_says_why() {
        let stats = ReadStats { rows_seen: 1_200, cells_seen: 1_200, ..ReadStats::default() };
        let done = QueryResult::default().with(answer(stats));
        assert!(
            why_empty(&done, AskedFor::Range).1.starts_with("1,200 rows and 1,200 cells seen, 0 returned")
        );
        assert_eq!(status(&done), "0 rows in < 0.1 ms.");
        assert!(!scanned_more(&done));
        let more = |rows_returned, complete| {
            let stats = ReadStats { rows_returned, ..stats };
            QueryResult::default().with(QueryChunk { scans_more: true, complete, ..answer(stats) })
        };
        assert!(
            scanned_more(&more(7, true))
                && !scanned_more(&more(7, false))
                && !scanned_more(&more(1_200, true))
        );
        let none = QueryResult::default().with(answer(ReadStats::default()));
        assert!(why_empty(&none, AskedFor::Range).1.starts_with("Compare your range"));
        let titles =
            [AskedFor::NoKeys, AskedFor::Keys, AskedFor::All].map(|asked_for| why_empty(&none, asked_for).0);
        assert_eq!(titles, ["No keys given", "No rows match", "The table has no rows"]);
        assert_eq!(status(&none.failed(Error::invalid("no"))), "The read failed after 0 rows.");
    }
}
