//! Files with the same name and different contents.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_protocol::{Answer, Ask, LoadState, SetView};
use tabletop_workspace::{
    ContentDigest, NumberReading, OnBadLine, OwnData, Reading, Source, TimeZone, Workspace,
};

use super::{Files, open, reload, storage};
use crate::host::{self, Host, csv};

/// Loads a file into its own workspace. Returns the workspace.
fn load(host: &mut Host, text: &str) -> Workspace {
    host.load(text, OnBadLine::Skip, 100_000);
    host.settle();
    host.workspace()
}

/// Begins to load the file, stores what it can, and leaves the rest. Returns the workspace and the
/// number of acknowledged events.
fn load_a_part(host: &mut Host, text: &str) -> (Workspace, u32) {
    host.ask(Ask::BeginOwn(host::file(text, OnBadLine::Skip)));
    host.ask(Ask::OwnBytes { bytes: text.as_bytes()[..text.len() / 2].into(), last: false });
    host.settle();
    (host.workspace(), host.data().kept.expect("some are kept"))
}

/// Returns the workspace as an earlier build would have saved it.
fn without_content(workspace: &Workspace) -> Workspace {
    let mut workspace = workspace.clone();
    let Source::Own(own) = &mut workspace.source else { panic!() };
    own.content = None;
    workspace
}

fn sets(host: &mut Host) -> Vec<(u32, u32, LoadState)> {
    storage(host, Ask::Storage).sets.into_iter().map(|set| (set.set, set.events, set.state)).collect()
}

/// Returns the first text of the events, and their number.
fn shown(host: &mut Host) -> (String, u32) {
    (host.text_of(0, "who"), host.data().events)
}

fn renamed(text: &str) -> String {
    text.replace("user-", "person-")
}

#[test]
fn two_files_of_the_same_name_keep_their_events() {
    let files = Files::default();
    let mut host = open(&files);
    let (first_text, second_text) = (csv(3_000, None), renamed(&csv(3_000, None)));
    let (first, second) = (load(&mut host, &first_text), load(&mut host, &second_text));
    assert!(!first.source.same_events(&second.source));
    for (workspace, who) in [(&first, "user-000"), (&second, "person-000"), (&first, "user-000")] {
        assert_eq!(shown(&mut reload(&files, workspace)), (who.into(), 3_000));
        // The same without a reload: the user opens one workspace after the other.
        host.edit(|shown| *shown = workspace.clone());
        host.settle();
        assert_eq!(shown(&mut host), (who.into(), 3_000));
    }
    assert_eq!(sets(&mut host), [(1, 3_000, LoadState::Loaded), (2, 3_000, LoadState::Loaded)]);
    assert!(storage(&mut host, Ask::Storage).sets.iter().all(|set| set.opens));
    assert_eq!(
        storage(&mut host, Ask::Storage).sets.iter().map(|set| set.shown).collect::<Vec<_>>(),
        [true, false]
    );

    // Each file is stored once, however often it is loaded.
    load(&mut host, &first_text);
    load(&mut host, &second_text);
    assert_eq!(sets(&mut host), [(3, 3_000, LoadState::Loaded), (4, 3_000, LoadState::Loaded)]);
    assert_eq!(shown(&mut reload(&files, &first)), ("user-000".into(), 3_000));
}

#[test]
fn the_same_file_in_another_way_of_reading_is_a_set_of_its_own() {
    let files = Files::default();
    let mut host = open(&files);
    let text = csv(500, None);
    let skips = load(&mut host, &text);
    host.load(&text, OnBadLine::Stop, 100_000);
    host.settle();
    let stops = host.workspace();
    assert_eq!(sets(&mut host).len(), 2);
    for workspace in [skips, stops] {
        assert_eq!((reload(&files, &workspace)).data().state, LoadState::Loaded);
    }
}

#[test]
fn a_crash_in_a_load_confuses_no_files() {
    let (first_text, second_text) = (csv(9_000, None), renamed(&csv(9_000, None)));
    let files = Files::default();
    let mut host = open(&files);
    let first = load(&mut host, &first_text);
    let (second, acknowledged) = load_a_part(&mut host, &second_text);
    assert!((3_000..=4_500).contains(&acknowledged), "{acknowledged}");
    drop(host);
    files.borrow_mut().crash();

    assert_eq!(shown(&mut reload(&files, &first)), ("user-000".into(), 9_000));
    let mut again = reload(&files, &second);
    assert_eq!(
        (shown(&mut again), again.data().state),
        (("person-000".into(), acknowledged), LoadState::Interrupted)
    );
    // A third file with this name replaces neither of them, and is not confused with them.
    let third = load(&mut again, &csv(10, None));
    let all = [
        (1, 9_000, LoadState::Loaded),
        (2, acknowledged, LoadState::Interrupted),
        (3, 10, LoadState::Loaded),
    ];
    assert_eq!(sets(&mut again), all);
    // The complete interrupted file replaces its incomplete set, and nothing else.
    load(&mut again, &second_text);
    assert_eq!(
        sets(&mut again).iter().map(|set| (set.0, set.1)).collect::<Vec<_>>(),
        [(1, 9_000), (3, 10), (4, 9_000)]
    );
    assert_eq!(shown(&mut reload(&files, &third)), ("user-000".into(), 10));
}

#[test]
fn a_file_that_is_not_stored_is_requested_although_another_has_its_name() {
    let files = Files::default();
    let mut host = open(&files);
    let first = load(&mut host, &csv(300, None));
    let second = load(&mut host, &renamed(&csv(300, None)));
    storage(&mut host, Ask::DeleteSet { set: 2 });
    let mut again = reload(&files, &second);
    assert_eq!((again.data().state, again.data().events, again.data().kept), (LoadState::Awaited, 0, None));
    assert!(storage(&mut again, Ask::Storage).sets.iter().all(|set| !set.shown));
    assert_eq!(reload(&files, &first).data().events, 300);
}

#[test]
fn a_workspace_of_an_earlier_build_finds_its_file_by_name_and_learns_its_content() {
    let files = Files::default();
    let mut host = open(&files);
    let text = csv(300, None);
    let content = Some(ContentDigest::of(text.as_bytes()));
    let old = without_content(&load(&mut host, &text));
    let mut again = reload(&files, &old);
    assert_eq!((shown(&mut again), again.data().content), (("user-000".into(), 300), content));
    // The page writes the digest into its workspace. The events do not change.
    let mut learned = again.workspace();
    learned.source = learned.source.with_content(again.data().content);
    again.edit(|workspace| *workspace = learned.clone());
    assert_eq!((again.data().state, again.data().events), (LoadState::Loaded, 300), "nothing is read again");
    assert_eq!(again.workspace().source, learned.source);
    // From then on, another file with the name does not take its place.
    load(&mut again, &renamed(&csv(400, None)));
    assert_eq!(shown(&mut reload(&files, &learned)), ("user-000".into(), 300));
    assert_eq!(
        shown(&mut reload(&files, &old)),
        ("person-000".into(), 400),
        "a workspace that was never opened does not know"
    );
    // The digest of a workspace does not affect the next workspace that has none.
    let mut one_tab = reload(&files, &learned);
    one_tab.edit(|workspace| *workspace = old.clone());
    one_tab.settle();
    assert_eq!(shown(&mut one_tab), ("person-000".into(), 400));
}

#[test]
fn a_set_of_an_earlier_build_belongs_to_the_workspaces_of_it() {
    let files = Files::default();
    let mut host = open(&files);
    let text = csv(300, None);
    host.load_as(host::own(OnBadLine::Skip), &text, 100_000);
    host.settle();
    let old = host.workspace();
    assert_eq!(host.data().content, None);
    load(&mut host, &renamed(&csv(400, None)));
    assert_eq!(shown(&mut reload(&files, &old)), ("user-000".into(), 300));
    // The same file replaces it, and the workspace learns its digest.
    load(&mut host, &text);
    assert_eq!(sets(&mut host).iter().map(|set| (set.0, set.1)).collect::<Vec<_>>(), [(2, 400), (3, 300)]);
    let copy: Files = Rc::new(RefCell::new(files.borrow().clone()));
    assert_eq!(reload(&copy, &old).data().content, Some(ContentDigest::of(text.as_bytes())));
}

#[test]
fn bytes_that_are_not_those_of_the_file_are_not_taken_for_it() {
    let files = Files::default();
    let mut host = open(&files);
    let text = csv(300, None);
    let announced = host::file(&text, OnBadLine::Skip);
    let first = load(&mut host, &text);
    let data = host.load_as(announced.clone(), &renamed(&text), 1_000);
    assert!(
        matches!(&data.state, LoadState::Failed(error) if error.message.contains("changed while it was read")),
        "{:?}",
        data.state
    );
    host.settle();
    // The stored part is not better than the complete set, which stays.
    let opens = |set: SetView| (set.set, set.opens, matches!(set.state, LoadState::Failed(_)));
    let found: Vec<_> = storage(&mut host, Ask::Storage).sets.into_iter().map(opens).collect();
    assert_eq!(found, [(1, true, false), (2, false, true)]);
    assert_eq!(shown(&mut reload(&files, &first)), ("user-000".into(), 300));
    // The file itself replaces it.
    host.load_as(OwnData { fields: vec![], ..announced }, &text, 1_000);
    host.settle();
    assert_eq!(sets(&mut host), [(3, 300, LoadState::Loaded)]);
}

#[test]
fn how_a_file_is_read_is_stored_and_the_order_of_its_times_is_found_again() {
    let text = "who;at;kg\nada;2026-07-02 09:00;1,234\nbob;2026-07-01 09:00;2,345\n";
    let reading =
        Reading { numbers: NumberReading::Comma, zone: TimeZone::Offset(120), ..Reading::default() };
    let files = Files::default();
    let mut host = open(&files);
    host.load_as(OwnData { reading, ..host::file(text, OnBadLine::Skip) }, text, 100_000);
    host.settle();
    let workspace = host.workspace();
    let events = |host: &mut Host| match host.ask(Ask::Events { start: 0, count: 9 }) {
        Answer::Events(view) => view.events,
        other => panic!("{other:?}"),
    };
    let first = ["bob", "2026-07-01 09:00+02:00", "2.345"].map(|text| Some(text.to_owned()));
    assert_eq!(events(&mut host)[0], first);
    drop(host);
    let mut again = reload(&files, &workspace);
    assert_eq!(again.data().state, LoadState::Loaded);
    assert_eq!(events(&mut again)[0], first);
    assert_eq!(storage(&mut again, Ask::Storage).sets[0].own.reading, reading);
}
