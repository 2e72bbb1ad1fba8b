//! What a read cost, always in sight: every number is the engine's own count.

use std::rc::Rc;

use yew::{Callback, Html, html};

use super::decode::Decoding;
use super::format::{bytes, count, duration, thousands};
use super::grid::Grid;
use super::{QueryResult, ReadState};
use crate::browser;
use crate::widgets::{Icon, figures, icon, select};

/// All that stands above the rows, or in their place.
pub fn above_rows(grid: &Rc<Grid>) -> Html {
    let result = &grid.result;
    let (decoding, said) = grid.look(|look| (look.decoding, look.said.clone()));
    let on_select = {
        let grid = grid.clone();
        Callback::from(move |at: usize| grid.change(|look| look.decoding = Decoding::ALL[at]))
    };
    let at = Decoding::ALL.iter().position(|one| *one == decoding);
    let (title, advice) = match grid.no_table {
        Some(why) => (why.title(), why.advice().into()),
        None => why_empty(result),
    };
    html! {
        <>
            { cost(grid) }
            <div class="results-tools">
                <p class="results-status">{ status(result) }</p>
                <p role="status" class="visually-hidden">{ said }</p>
                { select("Values as", &Decoding::ALL.map(Decoding::name), at, false, on_select) }
                if result.running() { <progress class="results-progress" aria-label="Reading rows" /> }
            </div>
            if let Some(error) = result.error() {
                <div class="results-error" role="alert">{ icon(Icon::Error) }<p>{ error.message.clone() }</p></div>
            } else if result.rows() == 0 {
                <div class="empty">
                    <p class="empty-title">{ title }</p>
                    <p class="soft">{ advice }</p>
                    if grid.patterns && result.stats.rows_seen > 0 {
                        <p class="soft">
                            {"A pattern matches the whole text: write "}<code class="mono">{r"\C*brand\C*"}</code>{" to find brand anywhere in it."}
                        </p>
                    }
                </div>
            }
            if scanned_more(result) {
                <p class="results-note">
                    { icon(Icon::Warning) }
                    {"The key cannot answer this by ranges alone: more rows were scanned than asked for."}
                </p>
            }
        </>
    }
}

/// The name under which it is kept that all figures are shown.
const ALL_FIGURES: &str = "all-figures";

/// Whether a person wants to see all figures, as they said at the last visit.
pub fn shows_all() -> bool {
    browser::stored(ALL_FIGURES).is_some_and(|text| text == "yes")
}

/// The figures that say most on one line, and the others on demand. Each stands at one place, whatever its number is.
fn cost(grid: &Rc<Grid>) -> Html {
    let result = &grid.result;
    let open = grid.look(|look| look.all_figures);
    let onclick = {
        let grid = grid.clone();
        Callback::from(move |_| {
            browser::store(ALL_FIGURES, if open { "no" } else { "yes" });
            grid.change(|look| look.all_figures = !open);
        })
    };
    let class = if result.stale() { "stats stale" } else { "stats" };
    html! {
        <div class="cost" role="group" aria-label="What the read cost">
            <dl class={format!("{class} main")}>{ figures(&main_numbers(result)) }</dl>
            <button type="button" class="fold" aria-expanded={if open { "true" } else { "false" }} aria-controls="all-figures" {onclick}>
                { icon(if open { Icon::Down } else { Icon::Right }) }
                {"All figures"}
            </button>
            <dl id="all-figures" {class} hidden={!open}>{ figures(&other_numbers(result)) }</dl>
        </div>
    }
}

fn main_numbers(result: &QueryResult) -> [(&'static str, String); 5] {
    let stats = &result.stats;
    [
        ("Rows seen", thousands(stats.rows_seen)),
        ("Rows returned", thousands(stats.rows_returned)),
        ("Ranges", thousands(result.ranges.into())),
        ("Bytes returned", bytes(stats.bytes_returned)),
        ("Time", duration(result.elapsed_micros)),
    ]
}

fn other_numbers(result: &QueryResult) -> [(&'static str, String); 8] {
    let stats = &result.stats;
    [
        ("Cells seen", thousands(stats.cells_seen)),
        ("Cells returned", thousands(stats.cells_returned)),
        ("Tablets touched", thousands(stats.tablets_touched)),
        ("Bytes read", bytes(stats.bytes_read)),
        ("Blocks read", thousands(stats.blocks_read)),
        ("Cache hits", thousands(stats.cache_hits)),
        ("Bloom skips", thousands(stats.bloom_skips)),
        ("Read amplification", format!("{:.2}", stats.read_amplification())),
    ]
}

/// One sentence on how the read stands. A read that has given nothing yet leaves the sentence of the one before.
pub fn status(result: &QueryResult) -> String {
    let rows = count(result.stats.rows_returned, "row");
    match &result.state {
        ReadState::NotAsked => "Nothing was read yet.".into(),
        ReadState::Running if !result.stale() => format!("Reading: {rows} so far."),
        ReadState::Running | ReadState::Complete => format!("{rows} in {}.", duration(result.elapsed_micros)),
        ReadState::Cancelled => format!("Cancelled after {rows}."),
        ReadState::Failed(_) => format!("The read failed after {rows}."),
    }
}

/// Whether rows were read in vain because the key could not tell them apart. Before the end of a read, nobody knows.
fn scanned_more(result: &QueryResult) -> bool {
    let ended = result.state == ReadState::Complete || result.stale();
    ended && result.scans_more && result.stats.rows_seen > result.stats.rows_returned
}

/// Why there are no rows.
pub fn why_empty(result: &QueryResult) -> (&'static str, String) {
    let seen = result.stats.rows_seen;
    match result.state {
        ReadState::NotAsked => {
            ("No question yet", "Choose rows and press Run: what comes back stands here, in byte order.".into())
        }
        ReadState::Running => ("Reading…", format!("{} seen so far, none returned yet.", count(seen, "row"))),
        ReadState::Cancelled => ("Cancelled", format!("{} seen, none returned until then.", count(seen, "row"))),
        _ if seen == 0 => {
            ("No such rows", "No key of the table lies in what was asked: look at the first and last keys of the design.".into())
        }
        _ => (
            "No rows match",
            format!(
                "{} and {} seen, 0 returned: a row whose every cell is filtered out does not come back.",
                count(seen, "row"),
                count(result.stats.cells_seen, "cell")
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::{Error, ReadStats};
    use tabletop_schema::{QueryChunk, ReadId};

    use super::*;

    #[test]
    fn an_empty_result_says_why() {
        let stats = ReadStats { rows_seen: 1_200, cells_seen: 1_200, ..ReadStats::default() };
        let answer = |stats| QueryChunk {
            read: ReadId(1),
            rows: Vec::new(),
            stats,
            ranges: 1,
            scans_more: false,
            elapsed_micros: 0,
            complete: true,
        };
        let done = QueryResult::default().with(answer(stats));
        assert!(why_empty(&done).1.starts_with("1,200 rows and 1,200 cells seen, 0 returned"));
        assert_eq!(status(&done), "0 rows in < 0.1 ms.");
        assert!(!scanned_more(&done));
        let more = |rows_returned, complete| {
            let stats = ReadStats { rows_returned, ..stats };
            QueryResult::default().with(QueryChunk { scans_more: true, complete, ..answer(stats) })
        };
        assert!(scanned_more(&more(7, true)) && !scanned_more(&more(7, false)) && !scanned_more(&more(1_200, true)));
        let none = QueryResult::default().with(answer(ReadStats::default()));
        assert_eq!(why_empty(&none).0, "No such rows");
        assert_eq!(status(&none.failed(Error::invalid("no"))), "The read failed after 0 rows.");
    }
}
