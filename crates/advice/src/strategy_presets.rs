//! Strategies to begin with, for the events of a workspace.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_workspace::{EVENT_SCORES_MAX, EventScore, FACET_SCORES_MAX, FacetScore, SCORE_MAX, Strategy};

/// A strategy to begin with.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategyPreset {
    /// The kind of the preset.
    pub kind: StrategyPresetKind,
    /// The strategy.
    pub strategy: Strategy,
}

/// The kinds of preset strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyPresetKind {
    /// All events, each by its significance, and the facets that reflect taste.
    Balanced,
    /// Only conversions.
    Buyers,
    /// All events and one facet.
    OneFacet,
    /// All events and all facets.
    AllFacets,
    /// Like [`StrategyPresetKind::Balanced`], but only events of the last seven days.
    LastWeek,
    /// Small scores for colours and brands, with which the profile that Algolia's article shows is
    /// that of a user with six events.
    Article,
}

/// Returns the presets for data with these events (type and name) and facets, in the order in which
/// they are offered. Each names only events and facets that occur; of long lists only the first
/// ones.
pub fn strategy_presets(events: &[(&str, &str)], facets: &[&str]) -> Vec<StrategyPreset> {
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
    let of_article: Vec<FacetScore> = ["color", "brand"]
        .into_iter()
        .filter_map(|name| facets.iter().find(|facet| is(facet, name)))
        .map(|facet| FacetScore::new(*facet, 1))
        .collect();
    let of_taste: Vec<FacetScore> = facets.iter().filter_map(|facet| taste(facet)).collect();
    let of_taste = if of_taste.is_empty() { first(3) } else { of_taste };
    [
        (StrategyPresetKind::Balanced, Strategy::new(scored(depth), of_taste.clone())),
        (
            StrategyPresetKind::Buyers,
            Strategy::new(scored(|of| if is(of, "conversion") { 100 } else { 0 }), of_taste.clone()),
        ),
        (StrategyPresetKind::OneFacet, Strategy::new(scored(depth), first(1))),
        (StrategyPresetKind::AllFacets, Strategy::new(scored(depth), even())),
        (StrategyPresetKind::LastWeek, Strategy { window_days: 7, ..Strategy::new(scored(depth), of_taste) }),
        (StrategyPresetKind::Article, Strategy::new(scored(weight_in_article), of_article)),
    ]
    .into_iter()
    .filter(|(_, strategy)| !strategy.events.is_empty() && !strategy.facets.is_empty())
    .map(|(kind, strategy)| StrategyPreset { kind, strategy })
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

/// Returns how many views an event counts for in the article's profile.
fn weight_in_article(event_type: &str) -> u32 {
    match () {
        () if is(event_type, "conversion") => 5,
        () if is(event_type, "click") => 2,
        () => 1,
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn presets_are_valid_and_name_only_what_occurs() {
        let events = [("click", "homepage"), ("view", "homepage"), ("conversion", "checkout")];
        let facets = ["category", "brand", "color", "stock"];
        let presets = strategy_presets(&events, &facets);
        assert_eq!(presets.len(), 6);
        for preset in &presets {
            assert_eq!(
                (preset.strategy.problems(), preset.strategy.unknown(&events, &facets)),
                (vec![], vec![]),
                "{:?}",
                preset.kind
            );
        }
        assert_eq!(presets[0].strategy.event_score("conversion", "checkout"), 100);
        assert_eq!(presets[0].strategy.facet_score("stock"), 0);
        assert_eq!(presets[3].strategy.facets.len(), facets.len());
        assert_eq!(
            strategy_presets(&[("click", "a")], &["x"]).len(),
            4,
            "there are neither conversions to buy with, nor colours and brands as in the article"
        );
        assert_eq!(strategy_presets(&events, &[]), vec![]);
        // As in `the_profile_of_the_article`, which computes 12, 10, 8, 3 and 2 with it.
        let article = &presets[5].strategy;
        assert_eq!(
            [("conversion", "checkout"), ("click", "homepage"), ("view", "homepage")]
                .map(|(of, name)| article.event_score(of, name)),
            [5, 2, 1]
        );
        assert_eq!(article.facets, [FacetScore::new("color", 1), FacetScore::new("brand", 1)]);
    }
}
