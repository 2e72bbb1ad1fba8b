//! The part of a text that a pattern names, for people: a pattern matches the whole text, but what surrounds a literal is mostly
//! `\C*`.

use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::{Cell, CellPart, PatternMatch, RowFilter};

use super::matcher::literals;
use super::re2::{self, ByteSet, Node};

/// The patterns of a filter by the indexes of their nodes, a node before those within it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Highlights(Vec<Option<(CellPart, Highlight)>>);

impl Highlights {
    /// Reads the patterns of a filter.
    pub fn of(filter: &RowFilter) -> Highlights {
        let mut all = Highlights::default();
        all.add(filter);
        all
    }

    fn add(&mut self, filter: &RowFilter) {
        let pattern = match filter {
            RowFilter::RowKeyRegex(pattern) => Some((CellPart::Key, pattern.as_slice())),
            RowFilter::FamilyNameRegex(pattern) => Some((CellPart::Family, pattern.as_bytes())),
            RowFilter::ColumnQualifierRegex(pattern) => Some((CellPart::Qualifier, pattern.as_slice())),
            RowFilter::ValueRegex(pattern) => Some((CellPart::Value, pattern.as_slice())),
            _ => None,
        };
        self.0.push(pattern.and_then(|(part, pattern)| Some((part, Highlight::of(pattern)?))));
        filter.children().into_iter().flatten().for_each(|child| self.add(child));
    }

    /// Returns what the pattern of a node names in a cell that has passed it; `None` for a node without a pattern.
    pub fn find(&self, node: usize, key: &[u8], cell: &Cell) -> Option<PatternMatch> {
        let (part, highlight) = self.0.get(node)?.as_ref()?;
        let text = match part {
            CellPart::Key => key,
            CellPart::Family => cell.family.as_bytes(),
            CellPart::Qualifier => &cell.qualifier,
            CellPart::Value => &cell.value,
        };
        let found = highlight.find(text);
        Some(PatternMatch { part: *part, start: found.start as u32, end: found.end as u32 })
    }
}

/// What a pattern names.
#[derive(Clone, Debug)]
struct Highlight {
    /// Anything may precede it; without newlines if `false`.
    before: Option<AnyNewlines>,
    after: Option<AnyNewlines>,
    /// The texts that it names; `None` if it names no certain ones.
    literals: Option<Vec<Vec<u8>>>,
}

/// Whether a surrounding text may have newlines.
type AnyNewlines = bool;

impl Highlight {
    /// Reads a pattern; `None` for one that is refused.
    pub fn of(pattern: &[u8]) -> Option<Highlight> {
        let node = re2::parse(pattern).ok()?;
        let mut nodes = match node {
            Node::Concat(nodes) => nodes,
            other => Vec::from([other]),
        };
        let after = nodes.last().and_then(anything);
        nodes.truncate(nodes.len() - usize::from(after.is_some()));
        let before = nodes.first().and_then(anything);
        nodes.drain(..usize::from(before.is_some()));
        Some(Highlight { before, after, literals: literals(&Node::Concat(nodes)) })
    }

    /// Returns the first part of a text that the pattern names; the whole text if it names no certain one. The text matches.
    pub fn find(&self, text: &[u8]) -> Range<usize> {
        let may_be = |any: Option<AnyNewlines>, around: &[u8]| match any {
            Some(newlines) => newlines || !around.contains(&b'\n'),
            None => around.is_empty(),
        };
        let at = |start: usize| {
            let fits = |literal: &&Vec<u8>| {
                let end = start + literal.len();
                text[start..].starts_with(literal) && may_be(self.before, &text[..start]) && may_be(self.after, &text[end..])
            };
            self.literals.iter().flatten().filter(fits).map(|literal| start..start + literal.len()).max_by_key(Range::len)
        };
        (0..=text.len()).find_map(at).unwrap_or(0..text.len())
    }
}

/// Returns whether a node matches any text, and if so, whether it may have newlines.
fn anything(node: &Node) -> Option<AnyNewlines> {
    let Node::Repeat { node, min: 0, max: None } = node else { return None };
    match &**node {
        Node::Set(set) if *set == ByteSet::ALL => Some(true),
        Node::Set(set) if *set == ByteSet::NOT_NEWLINE => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_part_is_found() {
        let found = |pattern: &str, text: &str| {
            let range = Highlight::of(pattern.as_bytes()).unwrap().find(text.as_bytes());
            alloc::string::String::from(&text[range])
        };
        assert_eq!(found(r"\C*brand\C*", "a brand, a brand"), "brand");
        assert_eq!(Highlight::of(br"\C*b").unwrap().find(b"abab"), 3..4, "at the end");
        assert_eq!(found("user.*", "user#1"), "user");
        assert_eq!(found(".*(a|ab)", "xab"), "ab");
        assert_eq!(found("exact", "exact"), "exact");
        assert_eq!(found(".*", "any"), "", "it names nothing");
        assert_eq!(found("[0-9]+.*", "12 x"), "12 x", "no certain text");
        // A dot is no newline.
        assert_eq!(Highlight::of(br".*a\C*").unwrap().find(b"a\na"), 0..1);
        assert_eq!(Highlight::of(br"\C*a.*").unwrap().find(b"a\na"), 2..3);
        assert!(Highlight::of(b"(").is_none());
    }
}
