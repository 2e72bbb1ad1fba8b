//! A pattern that the whole of a key, name or value must match.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::automaton::{Automaton, TooLarge};
use super::re2::{self, ByteSet, Node, PatternError};
use crate::order::sorted;

/// A compiled pattern; the common ones need no automaton.
#[derive(Debug)]
pub(super) enum Matcher {
    /// One of these, sorted.
    OneOf(Vec<Vec<u8>>),
    /// Begins so; whether the rest may hold newlines.
    Prefix { prefix: Vec<u8>, newlines: bool },
    /// Everything else.
    Automaton(Box<Automaton>),
}

/// Bytes of all alternatives of a pattern that are looked up as texts; more of them are left to the automaton.
const LITERAL_BYTES_MAX: usize = 64 << 10;

impl Matcher {
    /// Compiles RE2 over bytes: each byte of pattern and text is one character of Latin-1.
    pub fn compile(pattern: &[u8]) -> Result<Matcher, PatternError> {
        let node = re2::parse(pattern)?;
        if let Some(literals) = literals(&node) {
            return Ok(Matcher::OneOf(sorted(literals, Vec::cmp)));
        }
        if let Some(prefix) = prefix(&node) {
            return Ok(prefix);
        }
        match Automaton::new(&node) {
            Ok(automaton) => Ok(Matcher::Automaton(Box::new(automaton))),
            Err(TooLarge) => Err(PatternError {
                at: 0,
                message: "pattern too large - compile failed: repeat less, or split it into several filters".into(),
            }),
        }
    }

    pub fn matches(&mut self, text: &[u8]) -> bool {
        match self {
            Matcher::OneOf(literals) => match literals.as_slice() {
                [one] => one == text,
                many => many.binary_search_by(|literal| literal.as_slice().cmp(text)).is_ok(),
            },
            Matcher::Prefix { prefix, newlines } => {
                text.starts_with(prefix) && (*newlines || !text[prefix.len()..].contains(&b'\n'))
            }
            Matcher::Automaton(automaton) => automaton.matches(text),
        }
    }
}

/// The texts that the node matches, if they are few and named.
fn literals(node: &Node) -> Option<Vec<Vec<u8>>> {
    let bytes = |texts: &[Vec<u8>]| texts.iter().map(|text| text.len() + 1).sum::<usize>();
    match node {
        Node::Empty => Some(vec![Vec::new()]),
        Node::Set(set) => Some(vec![vec![set.only()?]]),
        Node::Concat(nodes) => {
            let mut sum = vec![Vec::new()];
            for node in nodes {
                let parts = literals(node)?;
                if bytes(&sum) * parts.len() + bytes(&parts) * sum.len() > LITERAL_BYTES_MAX {
                    return None;
                }
                if let [part] = parts.as_slice() {
                    sum.iter_mut().for_each(|text| text.extend_from_slice(part));
                } else {
                    let with_each = |head: Vec<u8>| parts.iter().map(move |part| [&head, part.as_slice()].concat());
                    sum = sum.into_iter().flat_map(with_each).collect();
                }
            }
            Some(sum)
        }
        Node::Alternate(nodes) => {
            let mut sum = Vec::new();
            for node in nodes {
                sum.append(&mut literals(node)?);
                if bytes(&sum) > LITERAL_BYTES_MAX {
                    return None;
                }
            }
            Some(sum)
        }
        Node::Repeat { .. } | Node::Look(_) => None,
    }
}

/// A literal and then anything: `prefix.*`, or `prefix\C*` with newlines.
fn prefix(node: &Node) -> Option<Matcher> {
    let (last, head) = match node {
        Node::Concat(nodes) => nodes.split_last()?,
        other => (other, &[][..]),
    };
    let Node::Repeat { node, min: 0, max: None } = last else { return None };
    let Node::Set(set) = &**node else { return None };
    let newlines = *set == ByteSet::ALL;
    if !newlines && *set != ByteSet::NOT_NEWLINE {
        return None;
    }
    let prefix = head.iter().map(|node| if let Node::Set(set) = node { set.only() } else { None }).collect::<Option<_>>()?;
    Some(Matcher::Prefix { prefix, newlines })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `matches`, `does not match`, or what is wrong with the pattern.
    fn check(pattern: &[u8], text: &[u8], expected: bool) {
        let mut matcher = Matcher::compile(pattern).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            matcher.matches(text),
            expected,
            "/{}/ against \"{}\" by {matcher:?}",
            pattern.escape_ascii(),
            text.escape_ascii()
        );
    }

    #[test]
    fn the_whole_text_must_match() {
        for (pattern, yes, no) in [
            (&b"abc"[..], &b"abc"[..], &b"abcd"[..]),
            (b"a|ab", b"ab", b"abb"),
            (b"a|ab|abc", b"abc", b"ac"),
            (b"(?:a|ab)c?", b"abc", b"abbc"),
            (b"", b"", b"x"),
            (b"user.*", b"user#1", b"my user"),
            (b"user.*", b"user", b"user\n"),
            (b"user\\C*", b"user\n", b"use"),
            (b".*", b"", b"\n"),
            (b"(?s).*x", b"a\nx", b"a\n"),
        ] {
            check(pattern, yes, true);
            check(pattern, no, false);
        }
    }
}
