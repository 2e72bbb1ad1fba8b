//! The open SSTable: its sections, its blocks, and the bytes of one block.

use std::rc::Rc;

use tabletop_model::{BLOCKS_MAX, BlockList, BlockPage, BlockView, RunView, TabletInside, TouchedRun};
use tabletop_texts::numbers::{bytes, thousands};
use tabletop_texts::{Locale, locale, messages};
use yew::{Callback, Html, Properties, function_component, html};

use super::bytes::Bytes;
use super::read::touched;
use crate::kit::{ButtonKind, Cell, Icon, Row, Table, clicked, columns, figures, icon, push, tool};
use crate::page::actions::{Actions, InsideAction};
use crate::page::state::{InsideLook, PageState};

/// Draws the open SSTable, or how to open one.
pub fn open_sstable(inside: &TabletInside, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().inside.table;
    let look = state.look.part::<InsideLook>();
    let Some(file) = look.file else {
        return html! { if !inside.runs.is_empty() { <p class="soft inside-choose">{says.choose}</p> } };
    };
    let close = actions.part(InsideLook::close_file);
    let Some(run) = inside.runs.iter().find(|run| run.file == file) else {
        return html! {
            <div class="banner caution inside-gone" role="status">
                {icon(Icon::Info)}<p>{(says.gone)(file)}</p>{ tool(says.close, Icon::Close, close) }
            </div>
        };
    };
    let touched = touched(state);
    let touched =
        touched.as_deref().and_then(|touched| touched.of(inside.tablet)).and_then(|tablet| tablet.run(file));
    let on_block = actions.inside.reform(move |block: u32| InsideAction::Block { file, block, from: 0 });
    let on_page = actions.inside.reform(move |from: u32| InsideAction::Blocks { file, from });
    let page = look.page.clone().filter(|page| page.file == file);
    html! {
        <section class="inside-table" aria-labelledby="inside-table-title">
            <div class="inside-table-head">
                <h3 id="inside-table-title">{(messages().inside.parts.sstable)(file)}</h3>
                { tool(says.close, Icon::Close, close) }
            </div>
            <dl class="stats">{ figures(&numbers(run)) }</dl>
            <div class="inside-columns">
                if let Some(list) = look.blocks.clone() {
                    <Blocks {list} run={run.clone()} touched={touched.cloned()} open={page.as_ref().map(|page| page.block)} {on_block} {on_page} />
                } else {
                    <p class="soft">{says.reading}</p>
                }
                if let Some(page) = page {
                    { bytes_of(page, actions) }
                } else {
                    <p class="soft">{messages().inside.bytes.choose}</p>
                }
            </div>
        </section>
    }
}

fn bytes_of(page: Rc<BlockPage>, actions: &Actions) -> Html {
    let (file, block) = (page.file, page.block);
    let on_more = actions.inside.reform(move |from| InsideAction::Block { file, block, from });
    html! { <Bytes key={format!("{file}-{block}")} {page} {on_more} /> }
}

fn numbers(run: &RunView) -> [(&'static str, String); 6] {
    let says = &messages().inside.table;
    let [blocks, dictionary, rest, bloom] = says.sections;
    let others = run.file_bytes.saturating_sub(run.bytes + run.dictionary_bytes + run.bloom_bytes);
    [
        (says.file, bytes(run.file_bytes)),
        (blocks, bytes(run.bytes)),
        (dictionary, bytes(run.dictionary_bytes)),
        (bloom, bytes(run.bloom_bytes)),
        (rest, bytes(others)),
        (says.sequence, thousands(run.sequence)),
    ]
}

/// Properties of [`Blocks`].
#[derive(Properties, PartialEq)]
struct BlocksProps {
    /// Some blocks of the file.
    list: Rc<BlockList>,
    /// The tablet's part of the file.
    run: RunView,
    /// What the last read touches of it.
    touched: Option<TouchedRun>,
    /// The block whose bytes are shown.
    open: Option<u32>,
    /// Opens a block.
    on_block: Callback<u32>,
    /// Shows the blocks from one on.
    on_page: Callback<u32>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

/// Draws the blocks of the tablet's part in a table, at most [`BLOCKS_MAX`] at a time.
#[function_component]
fn Blocks(props: &BlocksProps) -> Html {
    let says = &messages().inside.table;
    let BlocksProps { list, run, on_page, .. } = props;
    let own = run.first_block..run.first_block + run.blocks;
    let blocks: Vec<&BlockView> = list.blocks.iter().filter(|block| own.contains(&block.block)).collect();
    let (first, last) =
        (blocks.first().map_or(own.start, |b| b.block), blocks.last().map_or(own.start, |b| b.block));
    let to = |from: u32| on_page.reform(move |()| from);
    let earlier = (first > own.start).then(|| to(first.saturating_sub(BLOCKS_MAX).max(own.start)));
    let later = (last + 1 < own.end).then(|| to(last + 1));
    let lines = blocks.iter().enumerate().map(|(at, block)| line(block, blocks.get(at + 1).copied(), props));
    html! {
        <div class="inside-blocks">
            { Table::new(columns(says.columns, 3..6), lines).within("inside-scroll", (says.list)(run.file)) }
            if earlier.is_some() || later.is_some() {
                <div class="inside-pages small">
                    { push(says.earlier, None, ButtonKind::Quiet, earlier) }
                    <span>{(says.range)(first, last, own.end)}</span>
                    { push(says.later, None, ButtonKind::Quiet, later) }
                </div>
            }
        </div>
    }
}

/// Returns the rows of a block in words: a row that spans several blocks is only partly in each of
/// them.
fn rows_of(block: &BlockView, next: Option<&BlockView>) -> String {
    let says = &messages().inside.table;
    let (begins, is_cut) = (u64::from(block.rows), next.is_some_and(|next| next.continues));
    let whole = begins - u64::from(is_cut && begins > 0);
    match (block.continues || is_cut, whole) {
        (false, _) => thousands(whole),
        (true, 0) => says.part_of_row.into(),
        (true, _) => (says.rows_and_part)(whole),
    }
}

/// Returns the row of a block. `next` is the block after it, if it is listed.
fn line(block: &BlockView, next: Option<&BlockView>, props: &BlocksProps) -> Row {
    let says = &messages().inside;
    let is_open = props.open == Some(block.block);
    let number = block.block;
    let touched = props.touched.iter().flat_map(|run| &run.blocks).find(|touched| touched.block == number);
    let read = touched.map(|touched| {
        let from = if touched.from_cache { says.read.from_cache } else { says.read.from_storage };
        html! { <>{icon(Icon::Check)}{from}</> }
    });
    let name = (says.table.block)(number);
    let onclick = clicked(&name, &props.on_block.reform(move |()| number));
    let open = html! { <button type="button" class="link" aria-pressed={is_open.to_string()} {onclick}>{name}</button> };
    let first_key = block.first_key.to_string();
    let key =
        if block.continues { format!("{first_key} {}", says.table.continues) } else { first_key.clone() };
    let class = match (touched.is_some(), is_open) {
        (true, true) => Some("lit open"),
        (true, false) => Some("lit"),
        (false, true) => Some("open"),
        (false, false) => None,
    };
    Row::new([open])
        .key(number)
        .class(class)
        .cell(Cell::from(read.unwrap_or_default()).class("small"))
        .cell(Cell::from(key).class("mono ellipsis").title(first_key))
        .cells([rows_of(block, next), thousands(block.cells.into()), thousands(block.bytes.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_in_several_blocks_is_a_part_in_each() {
        let block = |rows, continues| BlockView { rows, continues, ..BlockView::default() };
        let rows = |blocks: &[BlockView]| -> Vec<String> {
            blocks.iter().enumerate().map(|(at, block)| rows_of(block, blocks.get(at + 1))).collect()
        };
        let part = "part of a row";
        assert_eq!(rows(&[block(1, false), block(0, true), block(0, true)]), [part; 3]);
        assert_eq!(
            rows(&[block(7, false), block(2, true), block(5, false)]),
            ["6 and a part", "2 and a part", "5"]
        );
        assert_eq!(rows(&[block(1, false), block(1, true), block(3, true)]), [part, part, "3 and a part"]);
    }
}
