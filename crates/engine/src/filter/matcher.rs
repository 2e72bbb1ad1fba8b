//! A pattern that the whole of a key, name or value must match.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::{self, Hir};

use super::re2::{self, ByteSet, Node, PatternError};

/// Bytes of a compiled pattern. Production limits its patterns to 8 MiB of another machine's form; what one can write in
/// the 20 KB of a filter stays far below unless repetitions are nested.
const PROGRAM_BYTES_MAX: usize = 4 << 20;

/// A compiled pattern; the common ones need no automaton.
#[derive(Debug)]
pub(super) enum Matcher {
    /// One of these, sorted.
    OneOf(Vec<Vec<u8>>),
    /// Begins so; whether the rest may hold newlines.
    Prefix { prefix: Vec<u8>, newlines: bool },
    /// Everything else: states are made as they are met.
    Automaton(Box<(DFA, Cache)>),
}

/// Bytes of all alternatives of a pattern that are looked up as texts; more of them are left to the automaton.
const LITERAL_BYTES_MAX: usize = 64 << 10;

impl Matcher {
    /// Compiles RE2 over bytes: each byte of pattern and text is one character of Latin-1.
    pub fn compile(pattern: &[u8]) -> Result<Matcher, PatternError> {
        let node = re2::parse(pattern)?;
        if let Some(mut literals) = literals(&node) {
            literals.sort_unstable();
            literals.dedup();
            return Ok(Matcher::OneOf(literals));
        }
        if let Some(prefix) = prefix(&node) {
            return Ok(prefix);
        }
        let whole = Hir::concat(vec![Hir::look(hir::Look::Start), to_hir(&node), Hir::look(hir::Look::End)]);
        let config = thompson::Config::new()
            .utf8(false)
            .which_captures(thompson::WhichCaptures::None)
            .nfa_size_limit(Some(PROGRAM_BYTES_MAX));
        let too_large = || PatternError {
            at: 0,
            message: "pattern too large - compile failed: repeat less, or split it into several filters".into(),
        };
        let nfa = thompson::Compiler::new().configure(config).build_from_hir(&whole).map_err(|_| too_large())?;
        // `All`: any way of matching counts, so the order of alternatives need not be kept.
        let config = Config::new().match_kind(MatchKind::All).skip_cache_capacity_check(true);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).map_err(|_| too_large())?;
        let cache = dfa.create_cache();
        Ok(Matcher::Automaton(Box::new((dfa, cache))))
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
            Matcher::Automaton(automaton) => {
                let (dfa, cache) = &mut **automaton;
                let input = Input::new(text).anchored(Anchored::Yes).earliest(true);
                // It has no bytes to quit at, and never gives up on a full cache.
                dfa.try_search_fwd(cache, &input).expect("the automaton never gives up").is_some()
            }
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

fn to_hir(node: &Node) -> Hir {
    match node {
        Node::Empty => Hir::empty(),
        Node::Set(set) => Hir::class(hir::Class::Bytes(hir::ClassBytes::new(
            set.ranges().map(|(start, end)| hir::ClassBytesRange::new(start, end)),
        ))),
        Node::Concat(nodes) => Hir::concat(nodes.iter().map(to_hir).collect()),
        Node::Alternate(nodes) => Hir::alternation(nodes.iter().map(to_hir).collect()),
        Node::Repeat { node, min, max } => {
            Hir::repetition(hir::Repetition { min: *min, max: *max, greedy: true, sub: Box::new(to_hir(node)) })
        }
        Node::Look(look) => Hir::look(match look {
            re2::Look::TextStart => hir::Look::Start,
            re2::Look::TextEnd => hir::Look::End,
            re2::Look::LineStart => hir::Look::StartLF,
            re2::Look::LineEnd => hir::Look::EndLF,
            re2::Look::Word => hir::Look::WordAscii,
            re2::Look::NotWord => hir::Look::WordAsciiNegate,
        }),
    }
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
