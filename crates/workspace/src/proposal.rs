//! Designs that are proposed, to be added to the list.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Design;

/// A proposed design for access patterns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The design, with a name that describes its key.
    pub design: Design,
    /// The index tables, which follow it in the list of designs.
    pub indexes: Vec<ProposedIndex>,
    /// What its key serves, and what it gives up.
    pub trade_offs: Vec<TradeOff>,
}

/// What a proposed design serves or gives up. Access patterns are listed by their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TradeOff {
    /// Patterns that read one row range.
    OneRange {
        /// The number of such patterns.
        patterns: u32,
        /// The number of all patterns that select rows by fields.
        of: u32,
    },
    /// Patterns that read several row ranges.
    Ranges {
        /// The largest number of ranges.
        most: u32,
        /// The patterns.
        patterns: Vec<String>,
    },
    /// This many salts spread the writes.
    Salted(u32),
    /// Patterns that also read rows that do not match.
    ScansMore(Vec<String>),
    /// Patterns for the newest rows, which sort last: they need a reverse scan.
    ReverseScan(Vec<String>),
    /// Patterns that the design cannot answer.
    Impossible(Vec<String>),
    /// Patterns that read an index table.
    ReadsIndex {
        /// The name of the table.
        table: String,
        /// The patterns.
        patterns: Vec<String>,
    },
    /// Each event is written to this many tables.
    WritesTables(u32),
}

/// An index table of a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposedIndex {
    /// The table.
    pub design: Design,
    /// The names of the patterns that read it.
    pub patterns: Vec<String>,
}
