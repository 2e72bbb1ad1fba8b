//! The bytes of a block in lines of 16, as numbers and as text, coloured by the parts of the
//! format.

use std::ops::Range;
use std::rc::Rc;

use tabletop_keys::time;
use tabletop_model::{BLOCK_PAGE_BYTES, BlockPage, BlockPart, PartKind};
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::tablet::{BytesLine, ascii_bytes, group_of, hex_bytes, lines_of};
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::{
    Callback, Html, KeyboardEvent, MouseEvent, Properties, TargetCast, UseStateHandle, classes,
    function_component, html, use_state,
};

use crate::browser;
use crate::kit::{ButtonKind, Icon, icon, push};
use crate::page::state::SHOWN_BYTES_MAX;

/// The attribute with the number of a part.
const PART: &str = "data-part";

/// Properties of [`Bytes`].
#[derive(Properties, PartialEq)]
pub struct BytesProps {
    /// The part of the block that was read.
    pub page: Rc<BlockPage>,
    /// Reads more, from this byte on.
    pub on_more: Callback<u32>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws the bytes with one tab stop: the arrow keys choose a part, whose meaning is below.
#[function_component]
pub fn Bytes(props: &BytesProps) -> Html {
    let chosen = use_state(|| 0_usize);
    let (says, page) = (&messages().inside.bytes, &props.page);
    let groups: Vec<usize> = (0..says.groups.len())
        .filter(|at| page.parts.iter().any(|part| group_of(part.kind) == *at))
        .collect();
    let lines = lines_of(page);
    html! {
        <div class="inside-bytes">
            <h4>{(says.title)(page.block, page.file)}</h4>
            <p class="small">{(says.size)(page.total, page.logical_bytes)}</p>
            if let Some(damage) = &page.damage {
                <div class="banner" role="alert">{icon(Icon::Error)}<p>{(says.damaged)(&damage.message)}{" "}{says.damaged_advice}</p></div>
            }
            <ul class="inside-legend small" aria-label={says.legend}>
                { for groups.iter().map(|at| html! { <li class={format!("byte-{at}")}>{says.groups[*at]}</li> }) }
            </ul>
            <p class="inside-part" role="status">{ for page.parts.get(*chosen).map(described) }</p>
            <div class="hex mono" role="group" tabindex="0" aria-label={(says.group)(page.block)} aria-describedby="hex-keys"
                onkeydown={on_key(&chosen, page.parts.len())} onclick={on_click(&chosen)}>
                { for lines.iter().map(|line| draw_line(line, page, *chosen)) }
            </div>
            <p id="hex-keys" class="soft small">{says.keys}</p>
            { more(props) }
        </div>
    }
}

/// Draws the button that reads more bytes.
fn more(props: &BytesProps) -> Html {
    let (says, page) = (&messages().inside.bytes, &props.page);
    let (shown, total) = (page.bytes.len(), page.total as usize);
    if shown >= total {
        return html! {};
    }
    if shown >= SHOWN_BYTES_MAX {
        return html! { <p class="soft small">{(says.end)(shown as u64, total as u64)}</p> };
    }
    let next = (total - shown).min(BLOCK_PAGE_BYTES as usize) as u32;
    push(
        &(says.more)(next, page.total),
        None,
        ButtonKind::Plain,
        props.on_more.reform(move |()| shown as u32),
    )
}

/// Returns the meaning of a part.
fn described(part: &BlockPart) -> Html {
    let says = &messages().inside.bytes;
    let text = match part.kind {
        PartKind::Time | PartKind::BaseTime => part.text.parse().map_or(part.text.clone(), time::format),
        _ => part.text.clone(),
    };
    html! {
        <>
            <span class={format!("byte-{}", group_of(part.kind))}>{(says.part)(part.at, part.at + part.length - 1, (says.kind)(part.kind))}</span>
            if let Some(column) = &part.column { {" "}<span class="soft">{(says.in_column)(column)}</span> }
            {" "}<span class="mono inside-says">{text}</span>
        </>
    }
}

fn draw_line(line: &BytesLine, page: &BlockPage, chosen: usize) -> Html {
    let class = |part: Option<usize>| {
        let kind =
            part.and_then(|part| page.parts.get(part)).map(|part| format!("byte-{}", group_of(part.kind)));
        classes!(kind, (part == Some(chosen)).then_some("chosen"))
    };
    let draw = |piece: &(Option<usize>, Range<usize>), text: String| {
        html! { <span class={class(piece.0)} data-part={piece.0.map(|part| part.to_string())}>{text}</span> }
    };
    let bytes = |piece: &(Option<usize>, Range<usize>)| page.bytes[piece.1.clone()].to_vec();
    html! {
        <div class="hex-line">
            <span class="hex-at soft" aria-hidden="true">{format!("{:05x}", line.at)}</span>
            <span class="hex-bytes">{ for line.pieces.iter().map(|piece| draw(piece, hex_bytes(&bytes(piece)))) }</span>
            <span class="hex-text" aria-hidden="true">{ for line.pieces.iter().map(|piece| draw(piece, ascii_bytes(&bytes(piece)))) }</span>
        </div>
    }
}

fn on_key(chosen: &UseStateHandle<usize>, count: usize) -> Callback<KeyboardEvent> {
    let chosen = chosen.clone();
    Callback::from(move |event: KeyboardEvent| {
        let last = count.saturating_sub(1);
        let next = match event.key().as_str() {
            "ArrowRight" => (*chosen + 1).min(last),
            "ArrowLeft" => chosen.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        chosen.set(next);
        show(&event.target_unchecked_into(), next);
    })
}

/// Scrolls to a part.
fn show(bytes: &Element, part: usize) {
    if let Ok(Some(found)) = bytes.query_selector(&format!("[{PART}='{part}']")) {
        browser::scroll_to_see(&found);
    }
}

fn on_click(chosen: &UseStateHandle<usize>) -> Callback<MouseEvent> {
    let chosen = chosen.clone();
    Callback::from(move |event: MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(part) =
            target.and_then(|target| target.get_attribute(PART)).and_then(|part| part.parse().ok())
        {
            chosen.set(part);
        }
    })
}
