//! A profile: scores of facet values.

use std::collections::BTreeMap;

/// The scores of a user's facet values, and the number of cells that they were computed from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Scores by the facet value as text: `color:Red`, `price>=10`. No score is 0.
    pub scores: BTreeMap<String, u64>,
    /// The number of cells that were read for it.
    pub cells: u64,
    /// The number of these cells that could not be read as what the layout writes. They do not
    /// count.
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

    /// Returns the score of a facet value, or 0 if it has none.
    pub fn score(&self, text: &str) -> u64 {
        self.scores.get(text).copied().unwrap_or(0)
    }

    /// Returns facet values and scores, highest first; equal scores are in the order of their
    /// texts.
    pub fn by_score(&self) -> Vec<(&str, u64)> {
        let mut all: Vec<(&str, u64)> = self.scores.iter().map(|(text, score)| (&**text, *score)).collect();
        // The map is in the order of texts, and the sort is stable.
        all.sort_by_key(|(_, score)| core::cmp::Reverse(*score));
        all
    }

    /// Returns whether no event counts.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }
}
