//! A key whose parts have the colours of its template's chips.

use std::ops::Range;

use tabletop_keys::KeyView;
use tabletop_model::escape;
use tabletop_views::results::{cut_at_marks, key_pieces, tail_of};
use yew::{Html, html};

use crate::page::state::{KeyForm, PartColors};

/// Columns at the end of a key that are never cut: `.key-head` in results.css leaves space for
/// them. Neighbouring keys share their beginning and differ at the end.
const TAIL: usize = 14;

/// Draws a key where lines may break.
pub fn key_parts(view: &KeyView, colors: &PartColors) -> Html {
    key_pieces(view)
        .into_iter()
        .map(|(part, bytes)| html! { <span class={colors.class(part)}>{ escape(bytes) }</span> })
        .collect()
}

/// Draws a key on one line, with some of its bytes marked. If the line is too short, the key is cut
/// before its tail.
pub fn key_line(view: &KeyView, colors: &PartColors, form: KeyForm, marks: &[Range<usize>]) -> Html {
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    let mut room = TAIL;
    let all = key_pieces(view);
    if !marks.is_empty() {
        return marked_key_line(view, colors, all, marks);
    }
    for (part, bytes) in all.into_iter().rev() {
        let text = match form {
            KeyForm::Text => escape(bytes),
            KeyForm::Hex => hex_text(bytes),
        };
        let (before, after) = text.split_at(tail_of(&text, &mut room));
        for (list, text) in [(&mut tail, after), (&mut head, before)] {
            if !text.is_empty() {
                list.push(html! { <span class={colors.class(part)}>{ text.to_owned() }</span> });
            }
        }
    }
    html! {
        <span class="key-line-text" title={view.key.to_string()}>
            if !head.is_empty() { <span class="key-head">{ for head.into_iter().rev() }</span> }
            { for tail.into_iter().rev() }
        </span>
    }
}

/// Draws a key with marks. It is cut at its end: a mark may be anywhere.
#[inline(never)]
fn marked_key_line(
    view: &KeyView,
    colors: &PartColors,
    pieces: Vec<(Option<usize>, &[u8])>,
    marks: &[Range<usize>],
) -> Html {
    let piece = |(part, bytes, is_marked): (Option<usize>, &[u8], bool)| {
        let (class, text) = (colors.class(part), escape(bytes));
        if is_marked {
            html! { <mark {class}>{ text }</mark> }
        } else {
            html! { <span {class}>{ text }</span> }
        }
    };
    html! {
        <span class="key-line-text" title={view.key.to_string()}>{ for cut_at_marks(pieces, marks).into_iter().map(piece) }</span>
    }
}

fn hex_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x} ")).collect()
}
