//! Strategies of a personalization to begin with.

use super::traffic::PresetText;

/// The names of presets, and what they are for.
pub(crate) struct StrategyTexts {
    pub balanced: PresetText,
    pub buyers: PresetText,
    pub one_facet: PresetText,
    pub all_facets: PresetText,
    pub last_week: PresetText,
}

pub(super) const ENGLISH: StrategyTexts = StrategyTexts {
    balanced: PresetText {
        name: "Brand, color and category",
        about: "Conversions count most, then clicks, then views; the facets that taste has a part in.",
    },
    buyers: PresetText {
        name: "Only what was bought",
        about: "Conversions only: profiles are small, and sure.",
    },
    one_facet: PresetText {
        name: "One facet",
        about: "All events and one facet: the wide layout returns least, compared with the narrow one.",
    },
    all_facets: PresetText {
        name: "All facets",
        about: "All events and every facet: the wide layout returns as much as the narrow one.",
    },
    last_week: PresetText {
        name: "The last week",
        about: "As the first one, and events count for seven days only.",
    },
};
