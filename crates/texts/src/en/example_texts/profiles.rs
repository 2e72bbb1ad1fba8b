//! The examples of profiles. A test follows these texts, and checks what they promise
//! (`cli/tests/program/profile_examples.rs`).

use super::example_text::ExampleText;
use tabletop_workspace::Place;

/// One text for each example of profiles. The page opens it at the first of its places.
pub(super) struct ProfileExamples {
    pub why_wide: ExampleText,
    pub change_strategy: ExampleText,
    pub migrate: ExampleText,
    pub query_time: ExampleText,
}

pub(super) const ENGLISH: ProfileExamples = ProfileExamples {
    why_wide: ExampleText {
        title: "Why Algolia went wide",
        about: "The experiment computes all profiles from the same events in both layouts: a narrow cell holds all 12 facets of \
                its event, and from a wide row a filter returns only the 3 cells that the strategy names. Run it to plot time \
                and bytes against events and facets: wide returns fewer bytes than narrow for 3 facets, and more for all 12.",
        places: &[("The experiment", Place::Experiment), ("that the strategy names", Place::Strategy)],
    },
    change_strategy: ExampleText {
        title: "Change the strategy",
        about: "Let the events arrive, then set the score of brand to 0: the batch recomputes all profiles, and brand \
                disappears from the profile of the user on the screen. The shop ranks its items differently for this user until \
                you undo the change.",
        places: &[
            ("Let the events arrive", Place::Pipelines),
            ("set the score of brand to 0", Place::Strategy),
            ("the user on the screen", Place::User),
        ],
    },
    migrate: ExampleText {
        title: "Migrate without downtime",
        about: "Start with the old table, start the stream, and take the three steps: write to both tables, backfill older \
                events, and read from the new table. No event is lost: reads switch only when both tables hold the same events, \
                and before the old table is dropped, its events are looked up in the new one again.",
        places: &[("take the three steps", Place::Migration)],
    },
    query_time: ExampleText {
        title: "A profile at query time",
        about: "At query time an application reads one row, the profile of the user, and ranks search results by it: each item \
                in the shop shows its score, the facet values behind the score, and how many places it moves. Let the events \
                arrive, then choose another user: the same items come in another order.",
        places: &[("the profile of the user", Place::User), ("Let the events arrive", Place::Pipelines)],
    },
};
