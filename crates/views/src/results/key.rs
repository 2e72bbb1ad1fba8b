//! The pieces of a key: by the parts of its template, by marks, and its end, which is not cut.

use alloc::vec::Vec;
use core::ops::Range;

use tabletop_keys::KeyView;

/// Returns the pieces cut at the ends of marks, and whether each is marked. Marks are in order and
/// do not overlap.
pub fn cut_at_marks<'k>(
    pieces: Vec<(Option<usize>, &'k [u8])>,
    marks: &[Range<usize>],
) -> Vec<(Option<usize>, &'k [u8], bool)> {
    let mut cut = Vec::new();
    let mut begin = 0;
    for (part, bytes) in pieces {
        let end = begin + bytes.len();
        let mut done = begin;
        for mark in marks.iter().filter(|mark| mark.start < end && mark.end > begin) {
            let (start, until) = (mark.start.clamp(done, end), mark.end.clamp(done, end));
            cut.push((part, &bytes[done - begin..start - begin], false));
            cut.push((part, &bytes[start - begin..until - begin], true));
            done = until;
        }
        cut.push((part, &bytes[done - begin..], false));
        begin = end;
    }
    cut.retain(|(_, bytes, _)| !bytes.is_empty());
    cut
}

/// Returns the start of the last `room` columns of a text, and subtracts them from `room`.
/// Non-ASCII characters can be two columns wide.
pub fn tail_of(text: &str, room: &mut usize) -> usize {
    let mut at = text.len();
    for (start, c) in text.char_indices().rev() {
        let width = 1 + usize::from(!c.is_ascii());
        if width > *room {
            *room = 0;
            break;
        }
        *room -= width;
        at = start;
    }
    at
}

/// Returns the key cut at the borders of its parts. Bytes that belong to no part are pieces as
/// well.
pub fn key_pieces(view: &KeyView) -> Vec<(Option<usize>, &[u8])> {
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
        pieces.push((Some(span.part as usize), &view.key[start..end]));
        done = end;
    }
    if done < view.key.len() {
        pieces.push((None, &view.key[done..]));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec;

    use tabletop_keys::KeySpan;
    use tabletop_model::escape;

    use super::*;

    #[test]
    fn the_end_of_a_key_is_not_cut() {
        let tail = |texts: &[&str]| {
            let mut room = 4;
            let tails: Vec<&str> = texts.iter().rev().map(|text| &text[tail_of(text, &mut room)..]).collect();
            tails.into_iter().rev().collect::<Vec<_>>().join("|")
        };
        assert_eq!(tail(&["abcdef"]), "cdef");
        assert_eq!(tail(&["ab", ",", "cd"]), "b|,|cd");
        assert_eq!(tail(&["ab", "cdef"]), "|cdef");
        assert_eq!(tail(&["ab"]), "ab");
        assert_eq!(tail(&["a\u{e9}\u{e9}"]), "\u{e9}\u{e9}");
        assert_eq!(tail(&["a", "\u{e9}bcd"]), "|bcd", "what does not fit ends it");
    }

    #[test]
    fn a_mark_goes_over_the_borders_of_parts() {
        let pieces = || vec![(Some(0), &b"user"[..]), (None, &b"#"[..]), (Some(2), &b"123"[..])];
        let show = |marks: &[Range<usize>]| {
            let show = |(_, bytes, is_marked): (Option<usize>, &[u8], bool)| {
                if is_marked { format!("[{}]", escape(bytes)) } else { escape(bytes) }
            };
            cut_at_marks(pieces(), marks).into_iter().map(show).collect::<Vec<_>>().join("|")
        };
        assert_eq!(show(core::slice::from_ref(&(1..6))), "u|[ser]|[#]|[1]|23");
        assert_eq!(show(&[0..1, 2..3, 7..8]), "[u]|s|[e]|r|#|12|[3]");
        assert_eq!(show(&[]), "user|#|123");
    }

    #[test]
    fn every_byte_of_a_key_is_in_one_piece() {
        let span = |part, start, end| KeySpan { part, start, end };
        let show = |spans: Vec<KeySpan>| {
            let view = KeyView { key: "ab,cd".into(), spans };
            key_pieces(&view)
                .iter()
                .map(|(part, bytes)| format!("{part:?}:{}", escape(bytes)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(show(vec![span(0, 0, 2), span(2, 3, 5)]), "Some(0):ab None:, Some(2):cd");
        assert_eq!(show(vec![]), "None:ab,cd");
        assert_eq!(show(vec![span(0, 0, 9)]), "Some(0):ab,cd");
        assert_eq!(show(vec![span(0, 1, 1), span(1, 1, 3), span(2, 2, 4)]), "None:a Some(1):b, None:cd");
    }
}
