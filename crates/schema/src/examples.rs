//! Examples: workspaces that each show one thing, from the articles and documents that Tabletop is based on.
//!
//! A workspace is a file that `tabletop run` reads, too. What its text says is measured by tests
//! (`examples.rs`, `profile_examples.rs` and `load_examples.rs` in `cli/tests/program`).

use alloc::vec::Vec;

use crate::texts::{ExampleText, texts};

/// A workspace to open, and what to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its title, which is the name of its workspace.
    pub title: &'static str,
    /// What to look at, in two sentences.
    pub about: &'static str,
    /// Phrases of that text, in their order, each with the part of the page that shows what it says.
    pub places: &'static [(&'static str, Place)],
    /// Its workspace as JSON.
    pub workspace: &'static str,
    /// What it is about.
    pub kind: ExampleKind,
}

/// What an example is about, and so where the page shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleKind {
    /// Row keys and layouts.
    Designs,
    /// Profiles of users: it has a strategy.
    Profiles,
    /// A cluster under load: it has traffic to simulate.
    Load,
}

/// A part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The query of the design on the screen.
    Query,
    /// What the query cost.
    Cost,
    /// The first, middle and last keys.
    Keys,
    /// The advice on the row key and the layout.
    Warnings,
    /// The tablets of the design at this index, beside the others.
    Strip(usize),
    /// The figures of all designs.
    Figures,
    /// The access pattern at this index, on all designs.
    Pattern(usize),
    /// One event as each design stores it.
    Anatomy,
    /// The GC rules of families.
    GcRules,
    /// The access patterns, on all designs.
    Patterns,
    /// The estimate of nodes, storage and cost.
    Estimate,
    /// The streams of the traffic.
    Streams,
    /// What the simulation shows to be wrong.
    Diagnoses,
    /// The nodes of the simulated cluster.
    Nodes,
    /// Latency and throughput over time.
    Latency,
    /// The Key Visualizer.
    Heatmap,
    /// The scores that make profiles.
    Strategy,
    /// The pipelines that compute profiles.
    Pipelines,
    /// The profile of one user, and what it does.
    User,
    /// The experiment with layouts.
    Experiment,
    /// The migration beside a stream.
    Migration,
    /// The choice of the view of rows, of which one shows objects.
    RowViews,
}

/// Returns all examples, in the order in which they are offered.
pub fn examples() -> Vec<Example> {
    let (says, profiles, loads) = (&texts().examples, &texts().profile_examples, &texts().load_examples);
    let of = |text: &ExampleText, workspace, kind| {
        let &ExampleText { title, about, places } = text;
        Example { title, about, places, workspace, kind }
    };
    let example = |text, workspace| of(text, workspace, ExampleKind::Designs);
    let of_profiles = |text, workspace| of(text, workspace, ExampleKind::Profiles);
    let under_load = |text, workspace| of(text, workspace, ExampleKind::Load);
    alloc::vec![
        example(&says.algolia_narrow, include_str!("examples/algolia_narrow.json")),
        example(&says.algolia_wide, include_str!("examples/algolia_wide.json")),
        example(&says.twitter, include_str!("examples/twitter.json")),
        example(&says.zorder, include_str!("examples/zorder.json")),
        example(&says.salt_whole_key, include_str!("examples/salt_whole_key.json")),
        example(&says.salt_part, include_str!("examples/salt_part.json")),
        example(&says.salt_forward, include_str!("examples/salt_forward.json")),
        example(&says.java_salt, include_str!("examples/java_salt.json")),
        example(&says.time_buckets, include_str!("examples/time_buckets.json")),
        example(&says.row_per_user, include_str!("examples/row_per_user.json")),
        example(&says.newest_first, include_str!("examples/newest_first.json")),
        example(&says.iot, include_str!("examples/iot.json")),
        example(&says.index_tables, include_str!("examples/index_tables.json")),
        example(&says.ad_profile, include_str!("examples/ad_profile.json")),
        of_profiles(&profiles.why_wide, include_str!("examples/why_wide.json")),
        of_profiles(&profiles.change_strategy, include_str!("examples/change_strategy.json")),
        of_profiles(&profiles.migrate, include_str!("examples/migrate.json")),
        of_profiles(&profiles.query_time, include_str!("examples/query_time.json")),
        under_load(&loads.talk_two_nodes, include_str!("examples/talk_two_nodes.json")),
        under_load(&loads.talk_hot_key, include_str!("examples/talk_hot_key.json")),
        under_load(&loads.talk_four_nodes, include_str!("examples/talk_four_nodes.json")),
        under_load(&loads.twitter_time, include_str!("examples/twitter_load_1.json")),
        under_load(&loads.twitter_advertiser, include_str!("examples/twitter_load_2.json")),
        under_load(&loads.twitter_reversed, include_str!("examples/twitter_load_3.json")),
        under_load(&loads.celebrity, include_str!("examples/celebrity.json")),
        under_load(&loads.celebrity_salted, include_str!("examples/celebrity_salted.json")),
        under_load(&loads.flash_sale, include_str!("examples/flash_sale.json")),
        under_load(&loads.flash_sale_load_test, include_str!("examples/flash_sale_load_test.json")),
        under_load(&loads.resize_before, include_str!("examples/resize_before.json")),
        under_load(&loads.resize_during, include_str!("examples/resize_during.json")),
        under_load(&loads.failing_node, include_str!("examples/failing_node.json")),
    ]
}

/// Returns the example whose workspace has this name.
pub fn example(name: &str) -> Option<Example> {
    examples().into_iter().find(|example| example.title == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workspace;

    #[test]
    fn each_place_is_named_by_a_phrase_and_is_there() {
        for Example { title, about, places, workspace, kind } in examples() {
            let workspace = Workspace::from_json(workspace).expect("it is a workspace");
            assert!(!places.is_empty(), "{title} points at nothing");
            assert_eq!(workspace.traffic.is_some(), kind == ExampleKind::Load, "{title}");
            assert_eq!(workspace.strategy.is_some(), kind == ExampleKind::Profiles, "{title}");
            let mut rest = about;
            for (phrase, place) in places {
                assert_eq!(about.matches(phrase).count(), 1, "{title}: \"{phrase}\"");
                rest = rest.split_once(phrase).unwrap_or_else(|| panic!("{title}: \"{phrase}\" is not in its order")).1;
                let is_there = match place {
                    Place::Strip(design) => *design < workspace.designs.len(),
                    Place::Pattern(at) => *at < workspace.queries.len(),
                    Place::Streams | Place::Diagnoses | Place::Nodes | Place::Latency | Place::Heatmap => {
                        kind == ExampleKind::Load
                    }
                    Place::Strategy | Place::Pipelines | Place::User | Place::Experiment | Place::Migration => {
                        kind == ExampleKind::Profiles
                    }
                    _ => true,
                };
                assert!(is_there, "{title}: {place:?}");
            }
        }
    }
}
