//! The bytes of a block in lines of 16, as numbers and as text, coloured by the parts of the
//! format.

use std::rc::Rc;

use tabletop_model::{BLOCK_PAGE_BYTES, BlockPage, BlockPart, PartKind};
use tabletop_schema::time;
use tabletop_texts::{Locale, locale, messages};
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::{
    Callback, Html, KeyboardEvent, MouseEvent, Properties, TargetCast, UseStateHandle, classes,
    function_component, html, use_state,
};

use crate::browser;
use crate::state::SHOWN_BYTES_MAX;
use crate::widgets::{ButtonKind, Icon, icon, push};

/// Bytes in a line.
const LINE: usize = 16;
/// The attribute with the number of a part.
const PART: &str = "data-part";

/// Properties of [`Bytes`].
#[derive(Properties, PartialEq)]
pub struct BytesProps {
    /// The block, as far as it was read.
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
    let groups: Vec<usize> =
        (0..says.groups.len()).filter(|at| page.parts.iter().any(|part| group(part.kind) == *at)).collect();
    let lines = lines(page);
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
            <span class={format!("byte-{}", group(part.kind))}>{(says.part)(part.at, part.at + part.length - 1, (says.kind)(part.kind))}</span>
            if let Some(column) = &part.column { {" "}<span class="soft">{(says.in_column)(column)}</span> }
            {" "}<span class="mono inside-says">{text}</span>
        </>
    }
}

/// A line of bytes.
#[derive(Debug, PartialEq)]
struct Line {
    /// The first byte.
    at: usize,
    /// The pieces of parts in it: the number of the part, if it is known, and its bytes.
    pieces: Vec<(Option<usize>, std::ops::Range<usize>)>,
}

/// Cuts the shown bytes into lines, and lines where parts end.
fn lines(page: &BlockPage) -> Vec<Line> {
    let mut part = 0;
    let line = |at: usize| {
        let end = (at + LINE).min(page.bytes.len());
        let (mut from, mut pieces) = (at, Vec::new());
        while from < end {
            while page.parts.get(part).is_some_and(|part| (part.at + part.length) as usize <= from) {
                part += 1;
            }
            let here = page.parts.get(part).filter(|part| part.at as usize <= from);
            let to = here.map_or(end, |part| end.min((part.at + part.length) as usize));
            pieces.push((here.map(|_| part), from..to));
            from = to;
        }
        Line { at, pieces }
    };
    (0..page.bytes.len()).step_by(LINE).map(line).collect()
}

fn draw_line(line: &Line, page: &BlockPage, chosen: usize) -> Html {
    let class = |part: Option<usize>| {
        let kind =
            part.and_then(|part| page.parts.get(part)).map(|part| format!("byte-{}", group(part.kind)));
        classes!(kind, (part == Some(chosen)).then_some("chosen"))
    };
    let draw = |piece: &(Option<usize>, std::ops::Range<usize>), text: String| {
        html! { <span class={class(piece.0)} data-part={piece.0.map(|part| part.to_string())}>{text}</span> }
    };
    let bytes = |piece: &(Option<usize>, std::ops::Range<usize>)| page.bytes[piece.1.clone()].to_vec();
    html! {
        <div class="hex-line">
            <span class="hex-at soft" aria-hidden="true">{format!("{:05x}", line.at)}</span>
            <span class="hex-bytes">{ for line.pieces.iter().map(|piece| draw(piece, hex(&bytes(piece)))) }</span>
            <span class="hex-text" aria-hidden="true">{ for line.pieces.iter().map(|piece| draw(piece, ascii(&bytes(piece)))) }</span>
        </div>
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x} ")).collect()
}

fn ascii(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '·' }).collect()
}

/// Returns the number of the colour and the name of a kind.
fn group(kind: PartKind) -> usize {
    match kind {
        PartKind::RowCount
        | PartKind::KeysLength
        | PartKind::DataLength
        | PartKind::ColumnCount
        | PartKind::QualifierLength
        | PartKind::RestLength
        | PartKind::CellCount
        | PartKind::ValueLength => 0,
        PartKind::SharedLength => 1,
        PartKind::Key => 2,
        PartKind::Restart | PartKind::RowEnd => 3,
        PartKind::RowHead => 4,
        PartKind::Family | PartKind::Qualifier | PartKind::Column => 5,
        PartKind::BaseTime | PartKind::Time => 6,
        PartKind::Value | PartKind::Tokens => 7,
        PartKind::Word => 8,
        PartKind::Deletes | PartKind::Checksum => 9,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn part(at: u32, length: u32) -> BlockPart {
        BlockPart { at, length, kind: PartKind::Key, text: String::new(), column: None }
    }

    #[test]
    fn lines_are_cut_where_parts_end() {
        let parts = vec![part(0, 3), part(3, 15), part(18, 1)];
        let page = BlockPage { bytes: vec![0; 20], total: 20, parts, ..BlockPage::default() };
        let pieces: Vec<_> = lines(&page).into_iter().map(|line| (line.at, line.pieces)).collect();
        let expected = [
            (0, vec![(Some(0), 0..3), (Some(1), 3..16)]),
            (16, vec![(Some(1), 16..18), (Some(2), 18..19), (None, 19..20)]),
        ];
        assert_eq!(pieces, expected, "the last byte is after the damage");
        assert_eq!(lines(&BlockPage::default()), []);
    }

    #[test]
    fn bytes_are_written_as_numbers_and_as_text() {
        assert_eq!((hex(b"a\x00\xff"), ascii(b"a\x00~\x7f")), ("61 00 ff ".into(), "a·~·".into()));
    }

    #[test]
    fn each_kind_has_a_name_in_the_legend() {
        let kinds = [PartKind::RowCount, PartKind::SharedLength, PartKind::Word, PartKind::Checksum];
        assert_eq!(kinds.map(group), [0, 1, 8, messages().inside.bytes.groups.len() - 1]);
    }
}
