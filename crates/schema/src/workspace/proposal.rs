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
    /// Its index tables, which follow it in the list of designs.
    pub indexes: Vec<ProposedIndex>,
    /// What its key serves, and what it gives up, as a text for the user.
    pub message: String,
}

/// An index table of a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposedIndex {
    /// The table.
    pub design: Design,
    /// The names of the patterns that read it.
    pub patterns: Vec<String>,
}
