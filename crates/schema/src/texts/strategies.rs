//! Preset strategies of a personalization.

use super::traffic::PresetText;

/// The names of presets, and what each is for.
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
        about: "Conversions count most, then clicks, then views; only facets that reflect taste.",
    },
    buyers: PresetText {
        name: "Only what was bought",
        about: "Conversions only: profiles are small and reliable.",
    },
    one_facet: PresetText {
        name: "One facet",
        about: "All events and one facet: the wide layout returns the least compared with the narrow one.",
    },
    all_facets: PresetText {
        name: "All facets",
        about: "All events and every facet: the wide layout returns as much as the narrow one.",
    },
    last_week: PresetText {
        name: "The last week",
        about: "Like the first one, but only events of the last seven days count.",
    },
};
