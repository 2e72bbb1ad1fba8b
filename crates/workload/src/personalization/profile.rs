//! A profile: scores of facet values.

use std::collections::BTreeMap;

/// The scores of a user's facet values, and how many cells made them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// By the facet value as text: `color:Red`, `price>=10`. No score is 0.
    pub scores: BTreeMap<String, u64>,
    /// Cells that were read for it.
    pub cells: u64,
    /// Cells of these that could not be read as what the layout writes. They count nothing.
    pub unreadable: u64,
}

impl Profile {
    /// Adds to the score of a facet value. `text` is the name, the operator and the value.
    pub fn add(&mut self, text: &str, score: u64) {
        if score == 0 {
            return;
        }
        match self.scores.get_mut(text) {
            Some(sum) => *sum = sum.saturating_add(score),
            None => _ = self.scores.insert(text.into(), score),
        }
    }

    /// The score of a facet value; 0 if it has none.
    pub fn score(&self, text: &str) -> u64 {
        self.scores.get(text).copied().unwrap_or(0)
    }

    /// Facet values and scores, the highest first; equal scores by text.
    pub fn by_score(&self) -> Vec<(&str, u64)> {
        let mut all: Vec<(&str, u64)> = self.scores.iter().map(|(text, score)| (&**text, *score)).collect();
        // The map is in the order of texts, and the sort is stable.
        all.sort_by_key(|(_, score)| core::cmp::Reverse(*score));
        all
    }

    /// Whether no event counts.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }
}
