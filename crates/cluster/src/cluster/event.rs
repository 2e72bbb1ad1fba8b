//! Events that happen to nodes and tablets, as values and in words.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use tabletop_model::{Error, RowKey};

use crate::{Nanos, SECOND};

/// The number of a node. It is not reused after the node has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl fmt::Display for NodeId {
    /// Writes letters, like the columns of a spreadsheet: A to Z, AA, AB.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut rest, mut letters) = (self.0 + 1, String::new());
        while rest > 0 {
            letters.insert(0, char::from(b'A' + ((rest - 1) % 26) as u8));
            rest = (rest - 1) / 26;
        }
        f.write_str(&letters)
    }
}

impl FromStr for NodeId {
    type Err = Error;

    /// Parses the letters of a node, in upper or lower case.
    ///
    /// # Errors
    /// `InvalidArgument` for other text, and for more than five letters.
    fn from_str(text: &str) -> Result<NodeId, Error> {
        let letters = text.bytes().map(|byte| byte.to_ascii_uppercase());
        if text.is_empty() || text.len() > 5 || !letters.clone().all(|byte| byte.is_ascii_uppercase()) {
            return Err(Error::invalid(alloc::format!(
                "{text:?} is not a node: nodes are called A to Z, AA, AB and so on"
            )));
        }
        Ok(NodeId(letters.fold(0, |number, byte| number * 26 + u32::from(byte - b'A') + 1) - 1))
    }
}

/// Something that happened to the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The time at which it happened.
    pub at: Nanos,
    /// What happened.
    pub kind: EventKind,
}

/// What happened to the cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// A tablet has moved to another node.
    Moved {
        /// The table, by the caller's numbers.
        table: u32,
        /// First key of the tablet.
        start: RowKey,
        /// The first key after it; empty for the end of the table.
        end: RowKey,
        /// The node that served it.
        from: NodeId,
        /// The node that serves it now.
        to: NodeId,
        /// Its share of the work of `from`, 0 to 1.
        share: f64,
    },
    /// A tablet was split.
    Split {
        /// The table, by the caller's numbers.
        table: u32,
        /// The first key of the new tablet.
        at_key: RowKey,
    },
    /// Adjacent tablets became one.
    Merged {
        /// The table, by the caller's numbers.
        table: u32,
        /// The first key of the tablet that no longer exists.
        at_key: RowKey,
    },
    /// A node was added.
    Added(NodeId),
    /// A node was removed; its tablets are served by others.
    Removed(NodeId),
    /// A node has failed.
    Failed(NodeId),
    /// A node replaces one that has failed.
    Replaced(NodeId),
    /// The autoscaler has changed the number of nodes.
    Resized {
        /// The number of nodes before.
        from: u32,
        /// The number of nodes after.
        to: u32,
        /// The mean share of their cores that the nodes used, 0 to 1.
        cpu: f64,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t = {} s: {}", (self.at + SECOND / 2) / SECOND, self.kind)
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| libm::round(share * 100.0);
        match self {
            EventKind::Moved { start, end, from, to, share, .. } => {
                write!(
                    f,
                    "tablet [{}, {}) from node {from} to {to}, {}% of {from}'s work",
                    start,
                    Upper(end),
                    percent(*share)
                )
            }
            EventKind::Split { at_key, .. } => write!(f, "split at {at_key}"),
            EventKind::Merged { at_key, .. } => write!(f, "merged at {at_key}"),
            EventKind::Added(node) => write!(f, "node {node} added"),
            EventKind::Removed(node) => write!(f, "node {node} removed"),
            EventKind::Failed(node) => write!(f, "node {node} failed"),
            EventKind::Replaced(node) => write!(f, "node {node} replaces a failed one"),
            EventKind::Resized { from, to, cpu } => {
                write!(f, "autoscaler: {from} to {to} nodes at {}% CPU", percent(*cpu))
            }
        }
    }
}

/// The end of a key range, formatted for display.
struct Upper<'a>(&'a RowKey);

impl fmt::Display for Upper<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("end") } else { self.0.fmt(f) }
    }
}
