//! Examples: workspaces that each show one thing, from the articles and documents that Tabletop is
//! based on.
//!
//! Each workspace is a file that `tabletop run` also reads. Its text is in the crate `texts`, and
//! the statements of the text are measured by tests (`examples.rs`, `profile_examples.rs` and `load_examples.rs` in `cli/tests/program`).

use crate::{ExampleId, ViewId, Workspace};

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
    pub fn view(self, workspace: &Workspace) -> ViewId {
        match self.kind() {
            ExampleKind::Load => ViewId::Traffic,
            ExampleKind::Profiles => ViewId::Profiles,
            ExampleKind::Designs if workspace.designs.len() > 1 => ViewId::Compare,
            ExampleKind::Designs => ViewId::Design,
        }
    }
}

/// Declares the examples: a name, the name of the file, and the subject.
macro_rules! examples {
    ($($name:ident = $id:literal $kind:ident,)*) => {
        /// A workspace to open, and what to look at.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Example {
            $(#[doc = concat!("The example in the file `", $id, ".json`.")] $name,)*
        }

        impl Example {
            /// All examples, in the order in which they are offered.
            pub const ALL: [Example; [$($id),*].len()] = [$(Example::$name),*];

            /// Returns the text of its [`ExampleId`], which never changes.
            pub fn id(self) -> &'static str {
                match self {
                    $(Example::$name => $id,)*
                }
            }

            /// Returns its workspace as JSON.
            pub fn json(self) -> &'static str {
                match self {
                    $(Example::$name => include_str!(concat!("examples/", $id, ".json")),)*
                }
            }

            /// Returns its subject.
            pub fn kind(self) -> ExampleKind {
                match self {
                    $(Example::$name => ExampleKind::$kind,)*
                }
            }
        }
    };
}

examples! {
    AlgoliaNarrow = "algolia_narrow" Designs,
    AlgoliaWide = "algolia_wide" Designs,
    Twitter = "twitter" Designs,
    ZOrder = "zorder" Designs,
    SaltWholeKey = "salt_whole_key" Designs,
    SaltPart = "salt_part" Designs,
    SaltForward = "salt_forward" Designs,
    JavaSalt = "java_salt" Designs,
    TimeBuckets = "time_buckets" Designs,
    RowPerUser = "row_per_user" Designs,
    NewestFirst = "newest_first" Designs,
    Iot = "iot" Designs,
    IndexTables = "index_tables" Designs,
    AdProfile = "ad_profile" Designs,
    WhyWide = "why_wide" Profiles,
    ChangeStrategy = "change_strategy" Profiles,
    Migrate = "migrate" Profiles,
    QueryTime = "query_time" Profiles,
    TalkTwoNodes = "talk_two_nodes" Load,
    TalkHotKey = "talk_hot_key" Load,
    TalkFourNodes = "talk_four_nodes" Load,
    TwitterTime = "twitter_load_1" Load,
    TwitterAdvertiser = "twitter_load_2" Load,
    TwitterReversed = "twitter_load_3" Load,
    Celebrity = "celebrity" Load,
    CelebritySalted = "celebrity_salted" Load,
    FlashSale = "flash_sale" Load,
    FlashSaleLoadTest = "flash_sale_load_test" Load,
    ResizeBefore = "resize_before" Load,
    ResizeDuring = "resize_during" Load,
    FailingNode = "failing_node" Load,
}

/// Returns the example that a workspace names; `None` if this build does not know it.
pub fn example(workspace: &Workspace) -> Option<Example> {
    let ExampleId(id) = workspace.example.as_ref()?;
    Example::ALL.into_iter().find(|example| example.id() == id)
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
    let candidates = Example::ALL.into_iter().filter(|example| example.json().contains(&*workspace.name));
    let mut opened = candidates.filter_map(|example| read(example.json()));
    opened.find(|opened| opened.name == workspace.name && measures_the_same(opened, workspace))?.example
}

/// Returns whether the figures that the text of an example mentions are the same in both
/// workspaces. The name, the query on the screen, the position, the limits, and the columns of
/// results do not affect them.
pub fn measures_the_same(one: &Workspace, other: &Workspace) -> bool {
    let same_designs = one.designs.len() == other.designs.len()
        && one.designs.iter().zip(&other.designs).all(|(one, other)| one.differs_at_most_in_results(other));
    same_designs
        && one.source.same_events(&other.source)
        && (&one.cluster, &one.queries, &one.rates) == (&other.cluster, &other.queries, &other.rates)
        && (&one.traffic, &one.strategy) == (&other.traffic, &other.strategy)
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::vec;

    use super::*;
    use crate::{ClusterSettings, Design, DesignLimits, GivenRole, NamedQuery, Source, WORKSPACE_VERSION};
    use tabletop_keys::{FieldRole, Layout, LayoutKind, Query, RowChoice};
    use tabletop_model::GcRule;

    fn opened(id: &str) -> Workspace {
        let example = Example::ALL.into_iter().find(|example| example.id() == id).expect("an example");
        Workspace::from_json(example.json()).expect("it is a workspace")
    }

    /// Returns the id that is given to a workspace without one.
    fn found(workspace: Workspace) -> Option<ExampleId> {
        example_of_earlier_build(&Workspace { example: None, ..workspace }, |json| {
            Workspace::from_json(json).ok()
        })
    }

    #[test]
    fn an_example_is_known_by_its_id_and_never_by_its_name() {
        for expected in Example::ALL {
            let workspace = opened(expected.id());
            let named = Workspace { name: workspace.name.clone(), ..Workspace::default() };
            assert_eq!(example(&named), None, "{}", named.name);
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
        for id in Example::ALL.map(Example::id) {
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

    /// A workspace that differs from the default one in each field.
    fn other() -> Workspace {
        let mut design = Design::new("Other", "{user_token}", Layout::new(LayoutKind::Wide));
        design.set_gc_rule("cf", GcRule::MaxVersions(1));
        (design.index_of, design.results) = (Some("Design 2".into()), Some(Box::default()));
        Workspace {
            version: WORKSPACE_VERSION + 1,
            name: "Other".into(),
            source: Source::Sample("other".into()),
            designs: vec![design],
            cluster: ClusterSettings { events_per_second: 1.0, ..ClusterSettings::default() },
            query: Query { rows: RowChoice::Keys(vec![]), ..Query::on_screen() },
            queries: vec![NamedQuery::new("All", Query::on_screen())],
            limits: DesignLimits { key_bytes_max: Some(1), ..DesignLimits::default() },
            rates: Some(Box::default()),
            traffic: Some(Box::default()),
            strategy: opened("why_wide").strategy,
            arrived: Some(7),
            example: Some(ExampleId("other".into())),
            roles: vec![GivenRole { field: "user_token".into(), role: FieldRole::Measure }],
        }
    }

    fn measures_as_usual(changed: &Workspace) -> bool {
        assert_ne!(*changed, Workspace::default(), "something is changed");
        measures_the_same(&Workspace::default(), changed)
    }

    #[test]
    fn only_what_is_measured_changes_an_example() {
        let usual = Workspace::default;
        // All fields are named, so a new one does not compile before it is in one of the lists.
        let Workspace {
            version,
            name,
            source,
            designs,
            cluster,
            query,
            queries,
            limits,
            rates,
            traffic,
            strategy,
            arrived,
            example,
            roles,
        } = other();
        let measured = [
            Workspace { source, ..usual() },
            Workspace { designs: [usual().designs, designs].concat(), ..usual() },
            Workspace { cluster, ..usual() },
            Workspace { queries, ..usual() },
            Workspace { rates, ..usual() },
            Workspace { traffic, ..usual() },
            Workspace { strategy, ..usual() },
        ];
        measured.iter().for_each(|changed| assert!(!measures_as_usual(changed), "{changed:?}"));
        let shown = [
            Workspace { version, ..usual() },
            Workspace { name, ..usual() },
            Workspace { query, ..usual() },
            Workspace { limits, ..usual() },
            Workspace { arrived, ..usual() },
            Workspace { example, ..usual() },
            Workspace { roles, ..usual() },
        ];
        shown.iter().for_each(|changed| assert!(measures_as_usual(changed), "{changed:?}"));
    }

    #[test]
    fn only_the_results_of_a_design_do_not_change_an_example() {
        let usual = || Workspace::default().designs.remove(0);
        let with = |design| Workspace { designs: vec![design], ..Workspace::default() };
        // As above: a new field is put into one of the lists.
        let Design { name, template, layout, families, index_of, results } = other().designs.remove(0);
        let measured = [
            Design { name, ..usual() },
            Design { template, ..usual() },
            Design { layout, ..usual() },
            Design { families, ..usual() },
            Design { index_of, ..usual() },
        ];
        measured.map(with).iter().for_each(|changed| assert!(!measures_as_usual(changed), "{changed:?}"));
        assert!(measures_as_usual(&with(Design { results, ..usual() })));
    }

    #[test]
    fn the_subject_is_in_the_workspace() {
        for example in Example::ALL {
            let workspace = opened(example.id());
            assert_eq!(workspace.traffic.is_some(), example.kind() == ExampleKind::Load, "{example:?}");
            assert_eq!(workspace.strategy.is_some(), example.kind() == ExampleKind::Profiles, "{example:?}");
        }
    }
}
