//! Events that happen to nodes and tablets, and the names of nodes.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use tabletop_model::{Error, RowKey};

use crate::Nanos;

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
        /// The share of the work of `from`, 0 to 1.
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
