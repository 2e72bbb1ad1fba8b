//! Strategies to begin with, for the events of a workspace.

use alloc::string::String;
use alloc::vec::Vec;

use super::check::{EVENT_SCORES_MAX, SCORE_MAX};
use super::{EventScore, FACET_SCORES_MAX, FacetScore, Strategy};
use crate::texts::texts;

/// A strategy to begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategyPreset {
    /// Its name.
    pub name: &'static str,
    /// Its purpose, in a sentence.
    pub about: &'static str,
    /// The strategy.
    pub strategy: Strategy,
}

/// Returns the presets for data with these events (type and name) and facets, in the order in which
/// they are offered. Each names only events and facets that occur; of long lists only the first
/// ones.
pub fn strategy_presets(events: &[(&str, &str)], facets: &[&str]) -> Vec<StrategyPreset> {
    let says = &texts().strategies;
    let scored = |score: fn(&str) -> u32| -> Vec<EventScore> {
        let all =
            events.iter().take(EVENT_SCORES_MAX).map(|(of, name)| EventScore::new(*of, *name, score(of)));
        all.filter(|event| event.score > 0).collect()
    };
    let first = |count: usize| -> Vec<FacetScore> {
        let names = facets.iter().take(count.min(FACET_SCORES_MAX)).enumerate();
        names
            .map(|(at, facet)| FacetScore::new(*facet, SCORE_MAX.saturating_sub(20 * at as u32).max(10)))
            .collect()
    };
    let even = || facets.iter().take(FACET_SCORES_MAX).map(|facet| FacetScore::new(*facet, 50)).collect();
    let of_taste: Vec<FacetScore> = facets.iter().filter_map(|facet| taste(facet)).collect();
    let of_taste = if of_taste.is_empty() { first(3) } else { of_taste };
    [
        (&says.balanced, Strategy::new(scored(depth), of_taste.clone())),
        (
            &says.buyers,
            Strategy::new(scored(|of| if is(of, "conversion") { 100 } else { 0 }), of_taste.clone()),
        ),
        (&says.one_facet, Strategy::new(scored(depth), first(1))),
        (&says.all_facets, Strategy::new(scored(depth), even())),
        (&says.last_week, Strategy { window_days: 7, ..Strategy::new(scored(depth), of_taste) }),
    ]
    .into_iter()
    .filter(|(_, strategy)| !strategy.events.is_empty() && !strategy.facets.is_empty())
    .map(|(text, strategy)| StrategyPreset { name: text.name, about: text.about, strategy })
    .collect()
}

/// Returns how much an event says: a user who buys has decided, a user who views has not.
fn depth(event_type: &str) -> u32 {
    match () {
        () if is(event_type, "conversion") => 100,
        () if is(event_type, "click") => 40,
        () => 10,
    }
}

/// Returns a score for a facet that depends on the user's taste, unlike stock and delivery.
fn taste(facet: &str) -> Option<FacetScore> {
    let score =
        [("brand", 100), ("color", 60), ("category", 40)].into_iter().find(|(name, _)| is(facet, name))?.1;
    Some(FacetScore::new(facet, score))
}

fn is(text: &str, name: &str) -> bool {
    let lower: String = text.chars().flat_map(char::to_lowercase).collect();
    lower == name
}
