//! The memtables and SSTables of a tablet as bars: their length is their bytes. What a compaction
//! merges is marked, and what the last read touches is lit.

use tabletop_model::{MemtableView, RunView, TabletInside, TouchedRun, TouchedTablet};
use tabletop_texts::inside::RunFigures;
use tabletop_texts::messages;
use tabletop_texts::numbers::bytes;
use tabletop_views::tablet::Outcome;
use yew::{Callback, Html, MouseEvent, classes, html};

use super::read::touched;
use crate::kit::{Icon, clicked, icon};
use crate::page::actions::{Actions, InsideAction};
use crate::page::state::{InsideLook, PageState};

/// The width of the longest bar in its own units. The style sheet stretches it.
const WIDTH: f64 = 1_000.0;
/// With more blocks they are not drawn individually.
const DRAWN_BLOCKS_MAX: u32 = 160;

/// Draws the list.
pub fn parts(inside: &TabletInside, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().inside.parts;
    let look = state.look.part::<InsideLook>();
    let touched = touched(state);
    let touched = touched.as_deref().and_then(|touched| touched.of(inside.tablet));
    let scale = Scale::of(inside);
    let merges = |run: &RunView| {
        inside.compaction.as_ref().is_some_and(|compaction| compaction.files.contains(&run.file))
    };
    let run = |run: &RunView| {
        sstable(
            Line { run, is_merged: merges(run), is_open: look.file == Some(run.file), touched, scale },
            actions,
        )
    };
    html! {
        <div class="inside-parts">
            <ol class="inside-list" aria-label={says.list}>
                { for inside.memtables.iter().enumerate().map(|(at, each)| memtable(at, each, inside, touched, scale)) }
                { for inside.runs.iter().map(run) }
            </ol>
            <div class="inside-notes small">
                if inside.runs.is_empty() { <p class="soft">{says.no_sstables}</p> }
                { compaction(inside) }
                { for inside.damaged.iter().map(|(_, error)| html! { <p class="bad">{icon(Icon::Error)}{(says.damaged)(&error.message)}</p> }) }
                <p class="soft">{says.order}</p>
            </div>
        </div>
    }
}

/// How bytes become lengths.
#[derive(Clone, Copy)]
struct Scale {
    bytes_max: u64,
}

impl Scale {
    fn of(inside: &TabletInside) -> Scale {
        let runs = inside.runs.iter().map(|run| run.bytes);
        let memtables = inside.memtables.iter().map(|memtable| memtable.bytes);
        Scale {
            bytes_max: runs.chain(memtables).chain([inside.memtable_bytes_max]).max().unwrap_or(1).max(1),
        }
    }

    /// Returns the length of a bar: at least a visible line.
    fn width(self, bytes: u64) -> f64 {
        if bytes == 0 { 0.0 } else { (bytes as f64 / self.bytes_max as f64 * WIDTH).max(4.0) }
    }
}

/// Draws the compaction that is running or due.
fn compaction(inside: &TabletInside) -> Html {
    let says = &messages().inside.parts;
    match &inside.compaction {
        Some(compaction) => {
            let percent =
                compaction.written.map(|written| (written * 100 / compaction.bytes.max(1)).min(100));
            html! { <p class="merging">{icon(Icon::Minus)}{(says.compaction)(compaction.is_major, compaction.files.len(), compaction.bytes, percent)}</p> }
        }
        None if inside.compaction_is_due => html! { <p class="merging">{icon(Icon::Minus)}{says.due}</p> },
        None => html! {},
    }
}

/// Draws a memtable: its content, in the frame of its limit.
fn memtable(
    at: usize,
    memtable: &MemtableView,
    inside: &TabletInside,
    touched: Option<&TouchedTablet>,
    scale: Scale,
) -> Html {
    let says = &messages().inside;
    let limit = inside.memtable_bytes_max;
    let is_read = touched.is_some();
    html! {
        <li class={classes!("memtable", is_read.then_some("lit"))}>
            <span class="part-name">{if at == 0 { says.parts.memtable } else { says.parts.frozen }}</span>
            <svg class="bar" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true" focusable="false">
                <rect class="limit" x="1" y="1" width={px(scale.width(limit) - 2.0)} height="18" />
                <rect class="fill" x="0" y="0" width={px(scale.width(memtable.bytes))} height="20" />
            </svg>
            <span class="part-figures small num">{(says.parts.fill)(memtable.bytes, limit, memtable.rows, memtable.cells)}</span>
            <span class="part-keys" />
            <span class="part-read small">if is_read { {icon(Icon::Check)}{says.read.memtable} }</span>
        </li>
    }
}

/// An SSTable that is drawn.
struct Line<'a> {
    run: &'a RunView,
    is_merged: bool,
    is_open: bool,
    touched: Option<&'a TouchedTablet>,
    scale: Scale,
}

fn sstable(line: Line, actions: &Actions) -> Html {
    let Line { run, is_merged, is_open, touched, scale } = line;
    let says = &messages().inside;
    let none = TouchedRun::default();
    let touched_run = touched.map(|touched| touched.run(run.file).unwrap_or(&none));
    let outcome = touched_run.map(Outcome::of);
    let (file, from) = (run.file, run.first_block);
    let on_click = {
        let actions = actions.clone();
        Callback::from(move |()| {
            actions
                .part(
                    move |look: &mut InsideLook| {
                        if is_open { look.close_file() } else { look.open_file(file) }
                    },
                )
                .emit(());
            if !is_open {
                actions.inside.emit(InsideAction::Blocks { file, from });
            }
        })
    };
    let name = (says.parts.sstable)(file);
    let shown = match outcome {
        Some(Outcome::Read { .. }) => Some(Icon::Check),
        Some(Outcome::Bloom) => Some(Icon::Close),
        _ => None,
    };
    html! {
        <li key={file} class={classes!("run", outcome.map(Outcome::class), is_merged.then_some("merged"), is_open.then_some("open"))}>
            <button type="button" class="link part-name" aria-expanded={is_open.to_string()} onclick={clicked(&name, &on_click)}>{name}</button>
            <svg class="bar" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true" focusable="false" onclick={on_click.reform(|_: MouseEvent| ())}>
                { bar(run, touched_run, scale) }
                if outcome == Some(Outcome::Bloom) {
                    <line class="cross" x1="0" y1="0" x2={px(scale.width(run.bytes))} y2="20" />
                    <line class="cross" x1="0" y1="20" x2={px(scale.width(run.bytes))} y2="0" />
                }
            </svg>
            <span class="part-figures small num">
                {figures(run)}
                if is_merged { <strong class="merging">{icon(Icon::Minus)}{says.parts.merged}</strong> }
            </span>
            <span class="part-keys mono soft" title={(says.parts.keys)(&run.first_key.to_string(), &run.last_key.to_string())}>
                {(says.parts.keys)(&run.first_key.to_string(), &run.last_key.to_string())}
            </span>
            <span class="part-read small">{ for shown.map(icon) }{ outcome.map(Outcome::text).unwrap_or_default() }</span>
        </li>
    }
}

fn figures(run: &RunView) -> String {
    (messages().inside.parts.figures)(&RunFigures {
        bytes: run.bytes,
        rows: run.rows,
        cells: run.cells,
        blocks: run.blocks.into(),
        depth: run.depth,
        deletions: run.deletions,
        families: run.families.join(", "),
        is_shared: run.is_shared,
    })
}

/// Draws the blocks of an SSTable next to each other, with the blocks that a read touches on top.
/// All have the same width: the sizes are in the list of blocks.
fn bar(run: &RunView, touched: Option<&TouchedRun>, scale: Scale) -> Html {
    let width = scale.width(run.bytes);
    let step = width / f64::from(run.blocks.max(1));
    let gap = if run.blocks <= DRAWN_BLOCKS_MAX { (step / 6.0).min(3.0) } else { 0.0 };
    let block = |at: u32, class: &'static str| {
        html! { <rect {class} x={px(f64::from(at) * step)} y="0" width={px((step - gap).max(0.5))} height="20" /> }
    };
    let all: Vec<Html> = if gap > 0.0 {
        (0..run.blocks).map(|at| block(at, "fill")).collect()
    } else {
        vec![html! { <rect class="fill" x="0" y="0" width={px(width)} height="20" /> }]
    };
    let blocks = touched.into_iter().flat_map(|touched| &touched.blocks);
    let own = blocks.filter_map(|block| Some((block.block.checked_sub(run.first_block)?, block.from_cache)));
    let lit = own
        .filter(|(at, _)| *at < run.blocks)
        .map(|(at, cached)| block(at, if cached { "cached" } else { "stored" }));
    html! { <><title>{bytes(run.bytes)}</title>{ for all }{ for lit }</> }
}

/// Returns a length with one decimal.
fn px(length: f64) -> String {
    format!("{:.1}", length.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_fills_the_width_and_a_short_one_is_seen() {
        let scale = Scale { bytes_max: 2_000_000 };
        assert_eq!([0, 1, 1_000_000, 2_000_000].map(|bytes| scale.width(bytes)), [0.0, 4.0, 500.0, 1_000.0]);
    }
}
