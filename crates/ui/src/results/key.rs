//! A key whose parts are told apart by colour, the same colours as the chips of its template.

use tabletop_model::escape;
use tabletop_schema::KeyView;
use yew::{Html, html};

/// A key, part by part, for a place that sets the type.
pub fn key_parts(view: &KeyView, hex: bool) -> Html {
    pieces(view)
        .into_iter()
        .map(|(part, bytes)| html! { <span class={class(part)}>{ if hex { hex_text(bytes) } else { escape(bytes) } }</span> })
        .collect()
}

/// The class that colours a part, wherever it is shown. Separators take every other index, so that the parts between them take
/// the six colours one after the other.
pub fn part_class(part: usize) -> &'static str {
    const CLASSES: [&str; 6] = ["part-0", "part-1", "part-2", "part-3", "part-4", "part-5"];
    CLASSES[(part / 2 + part % 2 * 3) % CLASSES.len()]
}

fn class(part: Option<u32>) -> &'static str {
    part.map_or("part-none", |part| part_class(part as usize))
}

fn hex_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x} ")).collect()
}

/// The key cut at the borders of its parts; bytes of no part stand alone.
fn pieces(view: &KeyView) -> Vec<(Option<u32>, &[u8])> {
    let mut pieces = Vec::with_capacity(view.spans.len() * 2 + 1);
    let mut done = 0;
    for span in &view.spans {
        let (start, end) = (span.start as usize, (span.end as usize).min(view.key.len()));
        if start < done || end <= start {
            continue;
        }
        if start > done {
            pieces.push((None, &view.key[done..start]));
        }
        pieces.push((Some(span.part), &view.key[start..end]));
        done = end;
    }
    if done < view.key.len() {
        pieces.push((None, &view.key[done..]));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use tabletop_schema::KeySpan;

    use super::*;

    #[test]
    fn every_byte_of_a_key_is_in_one_piece() {
        let span = |part, start, end| KeySpan { part, start, end };
        let show = |spans: Vec<KeySpan>| {
            let view = KeyView { key: "ab,cd".into(), spans };
            pieces(&view).iter().map(|(part, bytes)| format!("{part:?}:{}", escape(bytes))).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(show(vec![span(0, 0, 2), span(2, 3, 5)]), "Some(0):ab None:, Some(2):cd");
        assert_eq!(show(vec![]), "None:ab,cd");
        assert_eq!(show(vec![span(0, 0, 9)]), "Some(0):ab,cd");
        assert_eq!(show(vec![span(0, 1, 1), span(1, 1, 3), span(2, 2, 4)]), "None:a Some(1):b, None:cd");
    }
}
