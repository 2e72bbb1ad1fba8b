//! The parts of a text that a pattern names, for display. A pattern matches the whole text, but
//! what surrounds a literal is usually `\C*`.

use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::{Cell, CellPart, PatternMatch, RowFilter};

use super::matcher::literals;
use super::re2::{self, ByteSet, Node};

/// The patterns of a filter by the indices of their nodes; a node comes before the nodes within it.
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
        self.0.push(pattern_of(filter).and_then(|(part, pattern)| Some((part, Highlight::of(pattern)?))));
        filter.children().into_iter().flatten().for_each(|child| self.add(child));
    }

    /// Returns the parts that the pattern of a node names in a cell that has passed it. Returns
    /// none for a node without a pattern.
    pub fn find(&self, node: usize, key: &[u8], cell: &Cell) -> Vec<PatternMatch> {
        match self.0.get(node) {
            Some(Some((part, highlight))) => highlight.matches(*part, key, cell),
            _ => Vec::new(),
        }
    }
}

/// Returns the pattern of a node, and the part of a cell that it is compared with.
pub(super) fn pattern_of(filter: &RowFilter) -> Option<(CellPart, &[u8])> {
    Some(match filter {
        RowFilter::RowKeyRegex(pattern) => (CellPart::Key, pattern.as_slice()),
        RowFilter::FamilyNameRegex(pattern) => (CellPart::Family, pattern.as_bytes()),
        RowFilter::ColumnQualifierRegex(pattern) => (CellPart::Qualifier, pattern.as_slice()),
        RowFilter::ValueRegex(pattern) => (CellPart::Value, pattern.as_slice()),
        _ => return None,
    })
}

/// Returns a part of a cell.
pub(super) fn text_of<'c>(part: CellPart, key: &'c [u8], cell: &'c Cell) -> &'c [u8] {
    match part {
        CellPart::Key => key,
        CellPart::Family => cell.family.as_bytes(),
        CellPart::Qualifier => &cell.qualifier,
        CellPart::Value => &cell.value,
    }
}

/// The maximum number of matches of a pattern in one text.
const MATCHES_MAX: usize = 100;

/// The texts that a pattern names.
#[derive(Clone, Debug)]
pub(super) struct Highlight {
    /// Whether any text may precede it, and if so, whether that text may have newlines.
    before: Option<AnyNewlines>,
    after: Option<AnyNewlines>,
    /// The texts that it names; `None` if it does not name specific ones.
    literals: Option<Vec<Vec<u8>>>,
}

/// Whether a surrounding text may have newlines.
type AnyNewlines = bool;

impl Highlight {
    /// Parses a pattern. Returns `None` for an invalid one.
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

    /// Returns the parts that the pattern names in a part of a cell that it matches.
    pub fn matches(&self, part: CellPart, key: &[u8], cell: &Cell) -> Vec<PatternMatch> {
        let found = self.find(text_of(part, key, cell)).into_iter();
        found.map(|range| PatternMatch { part, start: range.start as u32, end: range.end as u32 }).collect()
    }

    /// Returns the first parts of a text that the pattern names, in order and without overlaps, or
    /// the whole text if it does not name a specific one. The text must match.
    fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let may_be = |any: Option<AnyNewlines>, around: &[u8]| match any {
            Some(newlines) => newlines || !around.contains(&b'\n'),
            None => around.is_empty(),
        };
        let at = |start: usize| {
            let fits = |literal: &&Vec<u8>| {
                let end = start + literal.len();
                text[start..].starts_with(literal)
                    && may_be(self.before, &text[..start])
                    && may_be(self.after, &text[end..])
            };
            self.literals
                .iter()
                .flatten()
                .filter(fits)
                .map(|literal| start..start + literal.len())
                .max_by_key(Range::len)
        };
        let mut found = Vec::new();
        let mut start = 0;
        while found.len() < MATCHES_MAX
            && let Some(next) = (start..=text.len()).find_map(at)
        {
            // A pattern that names the empty text does so everywhere.
            start = if next.is_empty() { text.len() + 1 } else { next.end };
            found.push(next);
        }
        if found.is_empty() {
            found.push(0..text.len());
        }
        found
    }
}

/// Returns whether a node matches any text, and if so, whether that text may have newlines.
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

    /// Returns a text with brackets around the parts that a pattern names.
    fn found(pattern: &str, text: &str) -> alloc::string::String {
        let mut shown = alloc::string::String::new();
        let mut done = 0;
        for range in Highlight::of(pattern.as_bytes()).unwrap().find(text.as_bytes()) {
            shown += &alloc::format!("{}[{}]", &text[done..range.start], &text[range.clone()]);
            done = range.end;
        }
        shown + &text[done..]
    }

    #[test]
    fn the_named_parts_are_found() {
        assert_eq!(found(r"\C*brand\C*", "a brand, a brandbrand"), "a [brand], a [brand][brand]");
        assert_eq!(found(r"\C*aa\C*", "aaa"), "[aa]a", "without overlaps");
        assert_eq!(found(r"\C*b", "abab"), "aba[b]", "at the end");
        assert_eq!(found("user.*", "user#1 user"), "[user]#1 user", "at the beginning");
        assert_eq!(found(".*(a|ab)", "xab"), "x[ab]");
        assert_eq!(found("exact", "exact"), "[exact]");
        assert_eq!(found(".*", "any"), "[]any", "it names nothing");
        assert_eq!(found("[0-9]+.*", "12 x"), "[12 x]", "no certain text");
        // A dot does not match a newline.
        assert_eq!(found(r".*a\C*", "a\na"), "[a]\na");
        assert_eq!(found(r"\C*a.*", "a\na"), "a\n[a]");
        assert!(Highlight::of(b"(").is_none());
    }

    #[test]
    fn there_is_a_maximum_of_matches() {
        assert_eq!(Highlight::of(br"\C*a\C*").unwrap().find(&[b'a'; 1_000]).len(), MATCHES_MAX);
    }
}
