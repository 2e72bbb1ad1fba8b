//! Where the nodes of a filter are written in its text.

use alloc::vec::Vec;

use super::lexer::{Kind, lex, span};
use crate::Span;

/// The position of a node in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePlace {
    /// The number of a child at each step from the root, as [`crate::RowFilter::children`] counts
    /// them.
    pub path: Vec<usize>,
    /// The bytes of the node with all nodes within it.
    pub span: Span,
    /// The bytes that belong to the node itself: the name of a combination, and the whole of any
    /// other node.
    pub own: Span,
}

/// A call whose `)` has not been read yet.
struct Open<'a> {
    name: &'a str,
    /// The index of its position.
    place: usize,
    /// The number of nodes within it so far.
    children: usize,
}

/// Returns the places of the nodes of a text without problems, in the order of the text.
pub(super) fn places(text: &str) -> Vec<NodePlace> {
    let tokens = lex(text, &mut Vec::new());
    let mut found: Vec<NodePlace> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut label = None;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map(|token| &token.kind);
        match token.kind {
            Kind::Word("true" | "false" | "NaN" | "inf") => {}
            Kind::Word(name) if next == Some(&Kind::Equals) => label = Some(name),
            Kind::Word(name) => {
                let path = open.last_mut().map(|call| {
                    let child = match label.take() {
                        Some("predicate") => 0,
                        Some("then") => 1,
                        Some("else") => 2,
                        _ => call.children,
                    };
                    call.children += 1;
                    [found[call.place].path.as_slice(), &[child]].concat()
                });
                found.push(NodePlace { path: path.unwrap_or_default(), span: token.span, own: token.span });
                if next == Some(&Kind::Open) {
                    open.push(Open { name, place: found.len() - 1, children: 0 });
                }
            }
            Kind::Close => {
                let Some(Open { name, place, .. }) = open.pop() else { continue };
                let place = &mut found[place];
                place.span = span(place.span.start as usize, token.span.end as usize);
                if !matches!(name, "chain" | "interleave" | "condition") {
                    place.own = place.span;
                }
            }
            _ => {}
        }
    }
    found
}
