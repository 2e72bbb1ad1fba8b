//! Preset traffic, and preset strategies of a personalization.

use tabletop_advice::{StrategyPresetKind, TrafficPresetKind};

#[cfg(feature = "pseudo-locale")]
use crate::pseudo::Pseudo;

/// The name of a preset, and what it is for.
pub struct PresetText {
    pub name: &'static str,
    pub about: &'static str,
}

texts!(
    /// Texts of presets.
    Presets {
        traffic: |kind: TrafficPresetKind| -> PresetText { traffic(kind) },
        strategy: |kind: StrategyPresetKind| -> PresetText { strategy(kind) },
    }
);

#[cfg(feature = "pseudo-locale")]
impl Pseudo for PresetText {
    fn pseudo(self) -> PresetText {
        PresetText { name: self.name.pseudo(), about: self.about.pseudo() }
    }
}

fn traffic(kind: TrafficPresetKind) -> PresetText {
    match kind {
        TrafficPresetKind::AsEvents => PresetText {
            name: "The events as they are",
            about: "New events at the workspace's rate, and each access pattern at its own rate.",
        },
        TrafficPresetKind::YcsbA => PresetText {
            name: "YCSB A: reads and updates",
            about: "50% reads, 50% updates; some events are much more popular than others. Like a session store.",
        },
        TrafficPresetKind::YcsbB => PresetText {
            name: "YCSB B: mostly reads",
            about: "95% reads, 5% updates; some events are much more popular than others. Like photo tagging.",
        },
        TrafficPresetKind::YcsbC => PresetText {
            name: "YCSB C: only reads",
            about: "100% reads; some events are much more popular than others. Like a profile cache.",
        },
        TrafficPresetKind::YcsbD => PresetText {
            name: "YCSB D: reads of the latest",
            about: "95% reads, mostly of the newest events, and 5% new events. Like status updates.",
        },
        TrafficPresetKind::YcsbE => PresetText {
            name: "YCSB E: short ranges",
            about: "95% scans of 50 rows and 5% new events. Like messages in a conversation.",
        },
        TrafficPresetKind::YcsbF => PresetText {
            name: "YCSB F: read-modify-write",
            about: "50% reads, 50% read-modify-writes; some events are much more popular than others. Like a user database.",
        },
        TrafficPresetKind::Celebrity => PresetText {
            name: "Celebrity user",
            about: "Half of all reads and of all new events are for the user with the most events.",
        },
        TrafficPresetKind::FlashSale => PresetText {
            name: "Flash sale",
            about: "After a minute, traffic rises fivefold for 40 seconds. A fifth of the reads are for one row.",
        },
        TrafficPresetKind::BatchJob => PresetText {
            name: "Batch job at night",
            about: "Reads and writes by day, scans of the whole table by night. A day passes in one hour.",
        },
        TrafficPresetKind::TimeSeries => PresetText {
            name: "Time series",
            about: "90% new events in time order, 10% reads, mostly of the newest events.",
        },
    }
}

fn strategy(kind: StrategyPresetKind) -> PresetText {
    match kind {
        StrategyPresetKind::Balanced => PresetText {
            name: "Brand, colour and category",
            about: "Conversions count most, then clicks, then views; only facets that reflect taste.",
        },
        StrategyPresetKind::Buyers => PresetText {
            name: "Only what was bought",
            about: "Conversions only: profiles are small and reliable.",
        },
        StrategyPresetKind::OneFacet => PresetText {
            name: "One facet",
            about: "All events and one facet: the wide layout returns the least compared with the narrow one.",
        },
        StrategyPresetKind::AllFacets => PresetText {
            name: "All facets",
            about: "All events and every facet: the wide layout returns as much as the narrow one.",
        },
        StrategyPresetKind::LastWeek => PresetText {
            name: "The last week",
            about: "Like the first preset, but only events of the last seven days count.",
        },
        StrategyPresetKind::Article => PresetText {
            name: "As in the article",
            about: "A view counts 1, a click 2, a conversion 5, for colours and brands. The article's profile, with scores of \
                    12, 10, 8, 3 and 2, is then that of a user with six events.",
        },
    }
}
