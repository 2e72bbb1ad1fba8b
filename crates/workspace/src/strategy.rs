//! The strategy of a personalization: how much events and facets say about a user.
//!
//! Strategies have the form of those in Algolia's personalization (Benjamin Baron, "Choosing the
//! best schema to improve Google Bigtable performance", 2021): each event, by type and name, has a
//! score from 1 to 100, and so has each facet, by name. How the scores are combined is our own
//! definition, because Algolia has not published theirs: see `workload::Profile`.

mod check;

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_keys::outlined;

pub use check::{
    EVENT_SCORES_MAX, FACET_SCORES_MAX, SCORE_MAX, SCORE_MIN, StrategyPart, StrategyProblem, WINDOW_DAYS_MAX,
};

/// Scores of events and of facets. Events and facets that it does not name do not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Strategy {
    /// The events that count, each type and name once.
    #[serde(default)]
    pub events: Vec<EventScore>,
    /// The facets that count, each name once.
    #[serde(default)]
    pub facets: Vec<FacetScore>,
    /// The number of days before the time of the profile, 1 to 3,660. Older events do not count.
    #[serde(default = "Strategy::usual_window")]
    pub window_days: u32,
}

outlined!(Strategy);

/// The score of events of one type with one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventScore {
    /// The type, as in the events: `click`.
    pub event_type: String,
    /// The name, as in the events: `homepage`.
    pub event_name: String,
    /// 1 to 100.
    pub score: u32,
}

/// The score of a facet, for each of its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FacetScore {
    /// The name of the facet: `brand`.
    pub facet: String,
    /// 1 to 100.
    pub score: u32,
}

impl Strategy {
    /// Creates a strategy with these scores, over the usual 90 days.
    pub fn new(events: Vec<EventScore>, facets: Vec<FacetScore>) -> Strategy {
        Strategy { events, facets, window_days: Strategy::usual_window() }
    }

    /// Returns the score of events of this type and name; 0 if they do not count.
    pub fn event_score(&self, event_type: &str, event_name: &str) -> u32 {
        let is_it = |event: &&EventScore| event.event_type == event_type && event.event_name == event_name;
        self.events.iter().find(is_it).map_or(0, |event| event.score)
    }

    /// Returns the score of a facet; 0 if it does not count.
    pub fn facet_score(&self, facet: &str) -> u32 {
        self.facets.iter().find(|known| known.facet == facet).map_or(0, |known| known.score)
    }

    /// The retention period of the article: 90 days.
    fn usual_window() -> u32 {
        90
    }
}

impl EventScore {
    /// The score of events of this type and name.
    pub fn new(event_type: impl Into<String>, event_name: impl Into<String>, score: u32) -> EventScore {
        EventScore { event_type: event_type.into(), event_name: event_name.into(), score }
    }
}

impl FacetScore {
    /// The score of the facet with this name.
    pub fn new(facet: impl Into<String>, score: u32) -> FacetScore {
        FacetScore { facet: facet.into(), score }
    }
}

#[cfg(test)]
mod tests;
