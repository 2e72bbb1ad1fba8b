//! Split points where only text can be written.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::RowKey;

/// Returns the splits as texts without control characters. A key that is not such a text is cut to
/// its longest valid prefix, because a slightly earlier split serves as well. Also returns how many
/// were shortened or, with nothing left, dropped.
pub(super) fn as_texts(splits: &[RowKey], is_legal: impl Fn(char) -> bool) -> (Vec<String>, usize) {
    let mut texts: Vec<String> = Vec::new();
    let mut changed = 0;
    for split in splits {
        let valid = split.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let end = valid.find(|c: char| c.is_control() || !is_legal(c)).unwrap_or(valid.len());
        changed += usize::from(end < split.len());
        let text = &valid[..end];
        // The keys are in order, and so are their prefixes.
        if !text.is_empty() && texts.last().is_none_or(|last| last != text) {
            texts.push(text.into());
        }
    }
    (texts, changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_not_utf8_is_cut_to_its_text_prefix() {
        let keys = [&b"a"[..], b"a\xff", b"b\xc3", b"c\n", b"\xff", b"d,e"].map(RowKey::from);
        assert_eq!(as_texts(&keys, |_| true), (["a", "b", "c", "d,e"].map(String::from).to_vec(), 4));
        assert_eq!(as_texts(&keys, |c| c != ','), (["a", "b", "c", "d"].map(String::from).to_vec(), 5));
    }
}
