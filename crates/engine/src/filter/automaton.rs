//! A pattern as a lazy DFA: its states are built as texts need them. The NFA is built from this
//! crate's own syntax tree, so that the compiler of a general regex library, with its UTF-8
//! machinery, is not linked.

use alloc::vec::Vec;

use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{BuildError, Builder, NFA, Transition};
use regex_automata::util::look::Look as NfaLook;
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, Input, MatchKind};

use super::re2::{LookAround, Node};

/// The limit of an NFA in bytes. RE2 allows 8 MiB for a pattern; a pattern in the 20 kB of a filter
/// stays far below that unless repetitions multiply it.
const NFA_BYTES_MAX: usize = 4 << 20;

#[derive(Debug)]
pub(super) struct Automaton {
    dfa: DFA,
    cache: Cache,
}

/// The error for a pattern that is too large.
pub(super) struct TooLarge;

// The nodes are valid by construction, so size is the only possible error.
impl From<BuildError> for TooLarge {
    fn from(_: BuildError) -> TooLarge {
        TooLarge
    }
}

impl Automaton {
    pub fn new(node: &Node) -> Result<Automaton, TooLarge> {
        let nfa = build(node)?;
        // Any match counts, so the order of alternatives is not kept.
        let config = Config::new().match_kind(MatchKind::All).skip_cache_capacity_check(true);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).map_err(|_| TooLarge)?;
        let cache = dfa.create_cache();
        Ok(Automaton { dfa, cache })
    }

    /// Returns whether the whole text matches.
    pub fn matches(&mut self, text: &[u8]) -> bool {
        let input = Input::new(text).anchored(Anchored::Yes).earliest(true);
        match self.dfa.try_search_fwd(&mut self.cache, &input) {
            Ok(found) => found.is_some(),
            Err(_) => unreachable!("no byte makes it quit, and it never gives up on a full cache"),
        }
    }
}

fn build(node: &Node) -> Result<NFA, TooLarge> {
    let mut builder = Builder::new();
    builder.set_utf8(false);
    builder.set_size_limit(Some(NFA_BYTES_MAX))?;
    builder.start_pattern()?;
    let whole = fragment(&mut builder, node)?;
    let end = builder.add_look(StateID::ZERO, NfaLook::End)?;
    let found = builder.add_match()?;
    builder.patch(whole.end, end)?;
    builder.patch(end, found)?;
    builder.finish_pattern(whole.start)?;
    Ok(builder.build(whole.start, whole.start)?)
}

/// States from `start` to `end`. `end` must be patched to what follows.
#[derive(Clone, Copy)]
struct Fragment {
    start: StateID,
    end: StateID,
}

fn fragment(builder: &mut Builder, node: &Node) -> Result<Fragment, TooLarge> {
    match node {
        Node::Empty => empty(builder),
        Node::Set(set) => {
            let end = builder.add_empty()?;
            let transitions: Vec<_> =
                set.ranges().map(|(start, last)| Transition { start, end: last, next: end }).collect();
            let start = match transitions.as_slice() {
                [only] => builder.add_range(*only)?,
                _ => builder.add_sparse(transitions)?,
            };
            Ok(Fragment { start, end })
        }
        Node::Concat(nodes) => {
            let mut whole = empty(builder)?;
            for node in nodes {
                whole = then(builder, whole, node)?;
            }
            Ok(whole)
        }
        Node::Alternate(nodes) => {
            let start = builder.add_union(Vec::new())?;
            let end = builder.add_empty()?;
            for node in nodes {
                let branch = fragment(builder, node)?;
                builder.patch(start, branch.start)?;
                builder.patch(branch.end, end)?;
            }
            Ok(Fragment { start, end })
        }
        Node::Repeat { node, min, max } => {
            let mut whole = empty(builder)?;
            for _ in 0..*min {
                whole = then(builder, whole, node)?;
            }
            match max {
                Some(max) => optional(builder, whole, node, max - min),
                None => any_number(builder, whole, node),
            }
        }
        Node::LookAround(look) => {
            let look = match look {
                LookAround::TextStart => NfaLook::Start,
                LookAround::TextEnd => NfaLook::End,
                LookAround::LineStart => NfaLook::StartLF,
                LookAround::LineEnd => NfaLook::EndLF,
                LookAround::Word => NfaLook::WordAscii,
                LookAround::NotWord => NfaLook::WordAsciiNegate,
            };
            let state = builder.add_look(StateID::ZERO, look)?;
            Ok(Fragment { start: state, end: state })
        }
    }
}

fn empty(builder: &mut Builder) -> Result<Fragment, TooLarge> {
    let state = builder.add_empty()?;
    Ok(Fragment { start: state, end: state })
}

fn then(builder: &mut Builder, before: Fragment, node: &Node) -> Result<Fragment, TooLarge> {
    let next = fragment(builder, node)?;
    builder.patch(before.end, next.start)?;
    Ok(Fragment { start: before.start, end: next.end })
}

/// Builds `before`, then the node at most `times` times; each repetition may be the last.
fn optional(builder: &mut Builder, before: Fragment, node: &Node, times: u32) -> Result<Fragment, TooLarge> {
    let end = builder.add_empty()?;
    let mut whole = before;
    for _ in 0..times {
        let choice = builder.add_union(alloc::vec![end])?;
        builder.patch(whole.end, choice)?;
        whole = then(builder, Fragment { start: whole.start, end: choice }, node)?;
    }
    builder.patch(whole.end, end)?;
    Ok(Fragment { start: before.start, end })
}

/// Builds `before`, then the node any number of times.
fn any_number(builder: &mut Builder, before: Fragment, node: &Node) -> Result<Fragment, TooLarge> {
    let choice = builder.add_union(Vec::new())?;
    builder.patch(before.end, choice)?;
    let again = fragment(builder, node)?;
    builder.patch(choice, again.start)?;
    builder.patch(again.end, choice)?;
    Ok(Fragment { start: before.start, end: choice })
}
