use tabletop_workspace::{Example, ExampleKind, Place, Workspace};

use super::{ExampleText, english};

#[test]
fn each_place_is_named_by_a_phrase_and_is_there() {
    for example in Example::ALL {
        let &ExampleText { title, about, places } = english(example);
        let workspace = Workspace::from_json(example.json()).expect("it is a workspace");
        assert_eq!(workspace.name, title);
        assert!(!places.is_empty(), "{title} does not point at a part of the page");
        let kind = example.kind();
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
                Place::Strategy | Place::Pipelines | Place::User | Place::Experiment | Place::Migration => {
                    kind == ExampleKind::Profiles
                }
                _ => true,
            };
            assert!(is_there, "{title}: {place:?}");
        }
    }
}
