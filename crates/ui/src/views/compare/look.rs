//! What the view keeps for itself.

use crate::page::state::{Change, Part};

/// The access patterns of the view.
#[derive(Clone, Debug, Default)]
pub struct PatternsLook {
    /// The access pattern that is edited in the grid of all designs.
    pub open: Option<OpenPattern>,
}

impl PatternsLook {
    /// Opens a part of an access pattern, or closes it.
    pub fn toggle(&mut self, pattern: &OpenPattern) {
        self.open = if self.open.as_ref() == Some(pattern) { None } else { Some(pattern.clone()) };
    }
}

impl Part for PatternsLook {
    fn follow(&mut self, change: &Change) {
        if matches!(change, Change::Saved) {
            self.open = None;
        }
    }
}

/// An access pattern that is edited in the grid of all designs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPattern {
    /// The name of the access pattern.
    pub name: String,
    /// What is edited.
    pub part: PatternPart,
}

/// A part of an access pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternPart {
    /// The name.
    Name,
    /// The limits.
    Limits,
}
