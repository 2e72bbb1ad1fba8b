//! Examples: workspaces that each show one thing, from the articles and documents that Tabletop is
//! based on.
//!
//! Each workspace is a file that `tabletop run` also reads. The statements of its text are measured
//! by tests (`examples.rs`, `profile_examples.rs` and `load_examples.rs` in `cli/tests/program`).

use alloc::vec::Vec;

use crate::texts::{ExampleText, texts};
use crate::{ExampleId, Place, ViewId, Workspace};

/// A workspace to open, and what to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The text of its [`ExampleId`].
    pub id: &'static str,
    /// Its title. A workspace with the same name is not necessarily the example.
    pub title: &'static str,
    /// What to look at, in two sentences.
    pub about: &'static str,
    /// Phrases of that text, in their order, each with the part of the page that shows what the
    /// phrase says.
    pub places: &'static [(&'static str, Place)],
    /// Its workspace as JSON.
    pub workspace: &'static str,
    /// The subject of the example.
    pub kind: ExampleKind,
}

/// The subject of an example, which determines where the page shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleKind {
    /// Row keys and layouts.
    Designs,
    /// Profiles of users. The workspace has a strategy.
    Profiles,
    /// A cluster under load. The workspace has traffic to simulate.
    Load,
}

impl Example {
    /// Returns the view that shows what the text describes, for the workspace of the example.
    pub fn view(&self, workspace: &Workspace) -> ViewId {
        match self.kind {
            ExampleKind::Load => ViewId::Traffic,
            ExampleKind::Profiles => ViewId::Profiles,
            ExampleKind::Designs if workspace.designs.len() > 1 => ViewId::Compare,
            ExampleKind::Designs => ViewId::Design,
        }
    }
}

/// An id, and the workspace in the file of this name.
macro_rules! file {
    ($id:literal) => {
        ($id, include_str!(concat!("examples/", $id, ".json")))
    };
}

/// Returns all examples, in the order in which they are offered.
pub fn examples() -> Vec<Example> {
    let (says, profiles, loads) = (&texts().examples, &texts().profile_examples, &texts().load_examples);
    let of = |text: &ExampleText, (id, workspace), kind| {
        let &ExampleText { title, about, places } = text;
        Example { id, title, about, places, workspace, kind }
    };
    let example = |text, file| of(text, file, ExampleKind::Designs);
    let of_profiles = |text, file| of(text, file, ExampleKind::Profiles);
    let under_load = |text, file| of(text, file, ExampleKind::Load);
    alloc::vec![
        example(&says.algolia_narrow, file!("algolia_narrow")),
        example(&says.algolia_wide, file!("algolia_wide")),
        example(&says.twitter, file!("twitter")),
        example(&says.zorder, file!("zorder")),
        example(&says.salt_whole_key, file!("salt_whole_key")),
        example(&says.salt_part, file!("salt_part")),
        example(&says.salt_forward, file!("salt_forward")),
        example(&says.java_salt, file!("java_salt")),
        example(&says.time_buckets, file!("time_buckets")),
        example(&says.row_per_user, file!("row_per_user")),
        example(&says.newest_first, file!("newest_first")),
        example(&says.iot, file!("iot")),
        example(&says.index_tables, file!("index_tables")),
        example(&says.ad_profile, file!("ad_profile")),
        of_profiles(&profiles.why_wide, file!("why_wide")),
        of_profiles(&profiles.change_strategy, file!("change_strategy")),
        of_profiles(&profiles.migrate, file!("migrate")),
        of_profiles(&profiles.query_time, file!("query_time")),
        under_load(&loads.talk_two_nodes, file!("talk_two_nodes")),
        under_load(&loads.talk_hot_key, file!("talk_hot_key")),
        under_load(&loads.talk_four_nodes, file!("talk_four_nodes")),
        under_load(&loads.twitter_time, file!("twitter_load_1")),
        under_load(&loads.twitter_advertiser, file!("twitter_load_2")),
        under_load(&loads.twitter_reversed, file!("twitter_load_3")),
        under_load(&loads.celebrity, file!("celebrity")),
        under_load(&loads.celebrity_salted, file!("celebrity_salted")),
        under_load(&loads.flash_sale, file!("flash_sale")),
        under_load(&loads.flash_sale_load_test, file!("flash_sale_load_test")),
        under_load(&loads.resize_before, file!("resize_before")),
        under_load(&loads.resize_during, file!("resize_during")),
        under_load(&loads.failing_node, file!("failing_node")),
    ]
}

/// Returns the example that a workspace names; `None` if this build does not know it.
pub fn example(workspace: &Workspace) -> Option<Example> {
    let ExampleId(id) = workspace.example.as_ref()?;
    examples().into_iter().find(|example| example.id == id)
}

/// Returns the id of the example that a workspace without an id is. Earlier builds identified
/// examples by their names alone, so their links and files do not have an id. The name alone is not
/// reliable, so the workspace must also be identical to the example as it opens. `read` parses the
/// workspace of an example.
#[inline(never)]
pub fn example_of_earlier_build(
    workspace: &Workspace,
    read: impl Fn(&str) -> Option<Workspace>,
) -> Option<ExampleId> {
    // Parsing is slow. The name is part of the JSON, so only examples whose JSON contains this name
    // are parsed.
    let candidates = examples().into_iter().filter(|example| example.workspace.contains(&*workspace.name));
    let mut opened = candidates.filter_map(|example| read(example.workspace));
    opened.find(|opened| opened.name == workspace.name && measures_the_same(opened, workspace))?.example
}

/// Returns whether the figures that the text of an example mentions are the same in both
/// workspaces. The name, the query on the screen, the position, and the columns of results do not
/// affect them.
pub fn measures_the_same(one: &Workspace, other: &Workspace) -> bool {
    let same_designs = one.designs.len() == other.designs.len()
        && one.designs.iter().zip(&other.designs).all(|(one, other)| one.differs_at_most_in_results(other));
    same_designs
        && one.source.same_events(&other.source)
        && (&one.cluster, &one.queries, &one.limits, &one.rates)
            == (&other.cluster, &other.queries, &other.limits, &other.rates)
        && (&one.traffic, &one.strategy) == (&other.traffic, &other.strategy)
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::vec;

    use super::*;
    use crate::RowChoice;

    fn opened(id: &str) -> Workspace {
        let example = examples().into_iter().find(|example| example.id == id).expect("an example");
        Workspace::from_json(example.workspace).expect("it is a workspace")
    }

    /// Returns the id that is given to a workspace without one.
    fn found(workspace: Workspace) -> Option<ExampleId> {
        example_of_earlier_build(&Workspace { example: None, ..workspace }, |json| {
            Workspace::from_json(json).ok()
        })
    }

    #[test]
    fn an_example_is_known_by_its_id_and_never_by_its_name() {
        for expected in examples() {
            let named = Workspace { name: expected.title.into(), ..Workspace::default() };
            assert_eq!(example(&named), None, "{}", expected.title);
            let workspace = opened(expected.id);
            assert_eq!(example(&workspace), Some(expected), "its file has its id");
            assert_eq!(example(&Workspace { name: "Mine".into(), ..workspace }), Some(expected));
        }
        let newer =
            Workspace { example: Some(ExampleId("of_a_newer_build".into())), ..opened("newest_first") };
        assert_eq!(example(&newer), None);
        assert_eq!(Workspace::from_json(&newer.to_json()), Ok(newer), "it opens, and keeps the id");
    }

    #[test]
    fn a_workspace_of_an_earlier_build_is_an_example_if_it_is_as_that_opens() {
        for Example { id, .. } in examples() {
            let workspace = opened(id);
            assert_eq!(found(workspace.clone()), Some(ExampleId(id.into())));
            assert_eq!(
                found(Workspace { name: workspace.name.clone(), ..Workspace::default() }),
                None,
                "{id}: its name alone"
            );
            assert_eq!(
                found(Workspace { name: Workspace::UNNAMED.into(), ..workspace }),
                None,
                "{id}: another name"
            );
        }
        let looked_at = |mut workspace: Workspace| {
            (workspace.query.rows, workspace.arrived) = (RowChoice::All, None);
            workspace
        };
        assert_eq!(found(looked_at(opened("newest_first"))), Some(ExampleId("newest_first".into())));
        let mut edited = opened("newest_first");
        edited.designs[0].template.push_str("#x");
        assert_eq!(found(edited), None);
    }

    #[test]
    fn only_what_is_measured_changes_an_example() {
        let changed = |change: fn(&mut Workspace)| {
            let mut now = Workspace::default();
            change(&mut now);
            !measures_the_same(&Workspace::default(), &now)
        };
        assert!(!changed(|_| ()));
        assert!(!changed(|now| (now.query.rows, now.arrived) = (RowChoice::Keys(vec![]), Some(7))));
        assert!(changed(|now| now.designs[0].template.push('x')));
        assert!(changed(|now| now.designs.push(now.designs[0].clone())));
        assert!(changed(|now| now.cluster.events_per_second += 1.0));
        assert!(changed(|now| now.traffic = Some(Box::default())));
    }

    #[test]
    fn each_place_is_named_by_a_phrase_and_is_there() {
        for Example { title, about, places, workspace, kind, .. } in examples() {
            let workspace = Workspace::from_json(workspace).expect("it is a workspace");
            assert!(!places.is_empty(), "{title} does not point at a part of the page");
            assert_eq!(workspace.traffic.is_some(), kind == ExampleKind::Load, "{title}");
            assert_eq!(workspace.strategy.is_some(), kind == ExampleKind::Profiles, "{title}");
            let mut rest = about;
            for (phrase, place) in places {
                assert_eq!(about.matches(phrase).count(), 1, "{title}: \"{phrase}\"");
                rest = rest
                    .split_once(phrase)
                    .unwrap_or_else(|| panic!("{title}: \"{phrase}\" is not in its order"))
                    .1;
                let is_there = match place {
                    Place::Strip(design) => *design < workspace.designs.len(),
                    Place::Pattern(at) => *at < workspace.queries.len(),
                    Place::Streams | Place::Diagnoses | Place::Nodes | Place::Latency | Place::Heatmap => {
                        kind == ExampleKind::Load
                    }
                    Place::Strategy
                    | Place::Pipelines
                    | Place::User
                    | Place::Experiment
                    | Place::Migration => kind == ExampleKind::Profiles,
                    _ => true,
                };
                assert!(is_there, "{title}: {place:?}");
            }
        }
    }
}
