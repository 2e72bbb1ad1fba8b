//! Tests of stored events: a session ends, and another one opens the same files.

mod contents;
pub mod faulty_files;
mod golden;

use std::cell::RefCell;
use std::rc::Rc;

use faulty_files::FaultyFiles;
use tabletop_engine::storage::Storage;
use tabletop_keys::Query;
use tabletop_model::{Code, Row};
use tabletop_protocol::{Answer, Ask, LinesView, LoadState, Persistence, StorageView};
use tabletop_worker::{SharedStorage, StorageEvent};
use tabletop_workspace::{OnBadLine, Source, Workspace};

use crate::host::{self, Host, csv};

pub type Files = Rc<RefCell<FaultyFiles>>;

/// Opens a session in the tab that stores events, on these files.
pub fn open(files: &Files) -> Host {
    let mut host = Host::new();
    host.on_storage_event(StorageEvent::Files(SharedStorage(files.clone())));
    host
}

/// Opens the same page again, after the tab was closed.
fn reload(files: &Files, workspace: &Workspace) -> Host {
    let mut host = open(files);
    host.open(workspace.clone());
    host.settle();
    host
}

pub fn storage(host: &mut Host, ask: Ask) -> StorageView {
    match host.ask(ask) {
        Answer::Storage(view) => view,
        other => panic!("{other:?}"),
    }
}

fn rows(host: &mut Host) -> Vec<Row> {
    host.template("{who},{at:iso}");
    host.settle();
    host.read_all(0, Query { rows_limit: 0, ..host::everything() }).rows
}

/// Returns all parts of an export.
pub fn export(host: &mut Host, set: u32) -> (String, u32) {
    let (mut text, mut unreadable, mut next) = (String::new(), 0, Some(0));
    while let Some(start) = next {
        let Answer::Lines(LinesView { lines, next: more, unreadable: some }) =
            host.ask(Ask::ExportSet { set, start })
        else {
            panic!("no lines")
        };
        text.push_str(std::str::from_utf8(&lines).expect("text"));
        unreadable += some;
        next = more;
    }
    (text, unreadable)
}

#[test]
fn own_events_are_read_back_with_their_problems() {
    let files = Files::default();
    let mut host = open(&files);
    let text = csv(2_500, Some(1_234));
    host.load(&text, OnBadLine::Skip, 10_000);
    host.settle();
    let before = host.data();
    assert_eq!((before.events, before.kept, before.keeping.clone()), (2_499, Some(2_499), Persistence::Here));
    let (workspace, table) = (host.workspace(), rows(&mut host));
    drop(host);

    let mut again = reload(&files, &workspace);
    assert_eq!(again.data(), before);
    assert_eq!(rows(&mut again), table);
    let view = storage(&mut again, Ask::Storage);
    assert_eq!((view.sets.len(), view.sets[0].events, &view.sets[0].state), (1, 2_499, &LoadState::Loaded));
    assert!(view.sets[0].bytes > 10_000 && view.sets[0].own.name == "events.csv");
}

#[test]
fn notes_and_lost_lines_are_distinguished_after_a_reload() {
    let files = Files::default();
    let mut host = open(&files);
    host.load("who,\nada,1\nbob\n", OnBadLine::Skip, 1_000);
    host.settle();
    let (before, workspace) = (host.data(), host.workspace());
    assert_eq!(before.problems.iter().map(|problem| problem.lost).collect::<Vec<_>>(), [false, true]);
    assert_eq!(reload(&files, &workspace).data().problems, before.problems);
}

#[test]
fn missing_values_and_late_fields_are_read_back() {
    let files = Files::default();
    let mut host = open(&files);
    host.load("{}\n{\"a\":1}\n{}\n{\"b\":\"x\",\"a\":null}\n{}\n", OnBadLine::Skip, 1_000);
    host.settle();
    let (before, workspace) = (host.data(), host.workspace());
    let Answer::Events(events) = host.ask(Ask::Events { start: 0, count: 10 }) else { panic!() };
    let mut again = reload(&files, &workspace);
    assert_eq!(again.data(), before);
    assert_eq!(again.ask(Ask::Events { start: 0, count: 10 }), Answer::Events(events));
}

#[test]
fn an_interrupted_load_leaves_all_acknowledged_events() {
    let files = Files::default();
    let mut host = open(&files);
    let text = csv(9_000, None);
    host.begin_own(OnBadLine::Skip);
    host.ask(Ask::OwnBytes { bytes: text.as_bytes()[..text.len() / 2].into(), last: false });
    host.settle();
    let (acknowledged, workspace) = (host.data().kept.expect("some are kept"), host.workspace());
    assert!((3_000..=4_500).contains(&acknowledged), "{acknowledged}");
    drop(host);
    files.borrow_mut().crash();

    let mut again = reload(&files, &workspace);
    let data = again.data();
    assert_eq!(
        (data.state, data.events, data.kept),
        (LoadState::Interrupted, acknowledged, Some(acknowledged))
    );
    assert_eq!(rows(&mut again).len() as u32, acknowledged);
    // The user chooses the file again, and the complete set replaces the incomplete one.
    again.load(&text, OnBadLine::Skip, 100_000);
    again.settle();
    let view = storage(&mut again, Ask::Storage);
    assert_eq!(
        view.sets.iter().map(|set| (set.events, set.state.clone())).collect::<Vec<_>>(),
        [(9_000, LoadState::Loaded)]
    );
}

#[test]
fn an_incomplete_set_replaces_no_complete_one() {
    let text = csv(3_000, None);
    let cancelled = |host: &mut Host| {
        host.begin_own(OnBadLine::Skip);
        host.ask(Ask::OwnBytes { bytes: text.as_bytes()[..text.len() / 2].into(), last: false });
        host.settle();
        host.ask(Ask::CancelLoad);
        host.settle();
    };
    let states = |host: &mut Host| {
        let sets = storage(host, Ask::Storage).sets;
        sets.into_iter().map(|set| (set.set, set.state, set.shown, set.opens)).collect::<Vec<_>>()
    };
    let files = Files::default();
    let mut host = open(&files);
    host.load(&text, OnBadLine::Skip, 100_000);
    host.settle();
    let workspace = host.workspace();
    cancelled(&mut host);
    let both = [(1, LoadState::Loaded, false, true), (2, LoadState::Cancelled, true, false)];
    assert_eq!(states(&mut host), both, "the complete set stays");
    cancelled(&mut host);
    assert_eq!(
        states(&mut host)[1],
        (3, LoadState::Cancelled, true, false),
        "an incomplete set replaces an incomplete one"
    );
    let mut again = reload(&files, &workspace);
    assert_eq!((again.data().state, again.data().events), (LoadState::Loaded, 3_000));
    assert_eq!(
        states(&mut again),
        [(1, LoadState::Loaded, true, true), (3, LoadState::Cancelled, false, false)]
    );

    // A complete set replaces all of them, and no number is reused.
    again.load(&text, OnBadLine::Skip, 100_000);
    again.settle();
    assert_eq!(states(&mut again), [(4, LoadState::Loaded, true, true)]);
    storage(&mut again, Ask::DeleteSet { set: 4 });
    again.load(&text, OnBadLine::Skip, 100_000);
    again.settle();
    assert_eq!(states(&mut again), [(5, LoadState::Loaded, true, true)]);
}

#[test]
fn reading_back_ends_on_cancel_or_when_the_set_is_deleted() {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(9_000, None), OnBadLine::Skip, 100_000);
    host.settle();
    let workspace = host.workspace();
    for ask in [Ask::CancelLoad, Ask::DeleteSet { set: 1 }, Ask::DeleteSets] {
        let copy: Files = Rc::new(RefCell::new(files.borrow().clone()));
        let mut again = open(&copy);
        again.open(workspace.clone());
        while again.data().events == 0 {
            again.advance();
        }
        assert_eq!(again.data().state, LoadState::Loading);
        again.ask(ask.clone());
        again.settle();
        let data = again.data();
        assert_eq!((data.state, data.events < 9_000), (LoadState::Cancelled, true), "{ask:?}");
        assert_eq!(data.kept, (ask == Ask::CancelLoad).then_some(9_000), "{ask:?}");
    }
}

#[test]
fn a_storage_that_opens_late_is_used() {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(100, None), OnBadLine::Skip, 1_000);
    host.settle();
    let workspace = host.workspace();
    let mut late = Host::new();
    late.open(workspace);
    late.settle();
    late.on_storage_event(StorageEvent::Without(tabletop_model::Error::new(
        Code::Unavailable,
        "it does not answer",
    )));
    late.settle();
    assert_eq!(late.data().state, LoadState::Awaited);
    late.on_storage_event(StorageEvent::Files(SharedStorage(files)));
    late.settle();
    assert_eq!(
        (late.data().state, late.data().events, late.data().keeping),
        (LoadState::Loaded, 100, Persistence::Here)
    );
}

#[test]
fn own_data_that_is_not_stored_is_awaited() {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(100, None), OnBadLine::Skip, 1_000);
    host.settle();
    let mut workspace = host.workspace();
    let Source::Own(own) = &mut workspace.source else { panic!() };
    own.name = "others.csv".into();
    let mut again = reload(&files, &workspace);
    assert_eq!((again.data().state, again.data().kept), (LoadState::Awaited, None));
}

#[test]
fn a_workspace_opened_before_its_storage_waits_for_it() {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(100, None), OnBadLine::Skip, 1_000);
    host.settle();
    let workspace = host.workspace();
    let mut early = Host::new();
    early.open(workspace.clone());
    early.settle();
    assert_eq!((early.data().state, early.data().keeping), (LoadState::Loading, Persistence::Opening));
    early.on_storage_event(StorageEvent::Files(SharedStorage(files.clone())));
    early.settle();
    assert_eq!((early.data().state, early.data().events), (LoadState::Loaded, 100));

    // A file that is loaded in the meantime is stored once the storage is open.
    let mut early = Host::new();
    early.load(&csv(300, None), OnBadLine::Skip, 1_000);
    early.settle();
    assert_eq!(early.data().kept, None);
    early.on_storage_event(StorageEvent::Files(SharedStorage(files.clone())));
    early.settle();
    assert_eq!(early.data().kept, Some(300));
    assert_eq!(storage(&mut early, Ask::Storage).sets.len(), 2, "another file may have the same name");
    early.load(&csv(300, None), OnBadLine::Skip, 1_000);
    early.settle();
    assert_eq!(storage(&mut early, Ask::Storage).sets.len(), 2, "the same content replaces it");
}

#[test]
fn a_second_tab_stores_nothing_until_it_takes_over() {
    let mut host = Host::new();
    host.on_storage_event(StorageEvent::OtherTab);
    host.load(&csv(1_500, None), OnBadLine::Skip, 1_000);
    host.settle();
    assert_eq!((host.data().kept, host.data().keeping), (None, Persistence::OtherTab));
    assert_eq!(
        storage(&mut host, Ask::KeepHere).keeping,
        Persistence::OtherTab,
        "not while the other tab is open"
    );
    assert!(!host.session.take_reopen_request());
    assert_eq!(host.code(Ask::DeleteSets), Code::FailedPrecondition);
    host.on_storage_event(StorageEvent::OtherTabGone);
    assert_eq!(storage(&mut host, Ask::KeepHere).keeping, Persistence::Opening);
    assert!(host.session.take_reopen_request());
    assert_eq!(storage(&mut host, Ask::KeepHere).keeping, Persistence::Opening, "pressed twice");
    assert!(!host.session.take_reopen_request(), "it is opened once");
    let files = Files::default();
    host.on_storage_event(StorageEvent::Files(SharedStorage(files.clone())));
    host.settle();
    assert_eq!((host.data().kept, host.data().keeping), (Some(1_500), Persistence::Here));
    let workspace = host.workspace();
    assert_eq!(reload(&files, &workspace).data().events, 1_500);

    // A tab that was opened while another tab was open finds the events that the other one has
    // stored.
    let mut second = Host::new();
    second.on_storage_event(StorageEvent::OtherTab);
    second.open(workspace);
    second.settle();
    assert_eq!(second.data().state, LoadState::Awaited);
    second.on_storage_event(StorageEvent::OtherTabGone);
    second.settle();
    second.on_storage_event(StorageEvent::Files(SharedStorage(files)));
    second.settle();
    assert_eq!((second.data().state, second.data().events), (LoadState::Loaded, 1_500));
}

#[test]
fn samples_and_generated_events_are_not_stored() {
    let files = Files::default();
    let mut host = open(&files);
    host.finish();
    assert_eq!(host.data().kept, None);
    assert_eq!(storage(&mut host, Ask::Storage).sets, []);
    assert_eq!(files.borrow().files().unwrap(), []);
}

#[test]
fn corrected_fields_are_stored() {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(100, None), OnBadLine::Skip, 1_000);
    host.settle();
    let mut fields = host.data().fields;
    fields[2].name = "deed".into();
    host.correct(fields.clone());
    let mut workspace = host.workspace();
    let Source::Own(own) = &mut workspace.source else { panic!() };
    own.fields.clear();
    assert_eq!(reload(&files, &workspace).data().fields, fields);
}

#[test]
fn sets_are_exported_and_deleted() {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(2_345, None), OnBadLine::Skip, 100_000);
    host.settle();
    let set = storage(&mut host, Ask::Storage).sets[0].set;
    let (text, unreadable) = export(&mut host, set);
    assert_eq!((text.lines().count(), unreadable), (2_345, 0));
    assert_eq!(text.lines().next(), Some(r#"{"who":"user-000","at":"2026-03-01T00:00:00Z","what":"buy"}"#));
    assert_eq!(host.code(Ask::ExportSet { set: 99, start: 0 }), Code::NotFound);
    assert_eq!(host.code(Ask::DeleteSet { set: 99 }), Code::NotFound);

    let workspace = host.workspace();
    assert_eq!(storage(&mut host, Ask::DeleteSet { set }).sets, []);
    assert_eq!(
        (host.data().events, host.data().kept),
        (2_345, None),
        "what is shown stays until the page is closed"
    );
    assert_eq!(reload(&files, &workspace).data().state, LoadState::Awaited);
}

#[test]
fn all_sets_are_deleted() {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(2_345, None), OnBadLine::Skip, 100_000);
    host.settle();
    let view = storage(&mut host, Ask::DeleteSets);
    assert_eq!((view.sets.len(), view.keeping), (0, Persistence::Here));
    assert_eq!(files.borrow().files().unwrap(), []);
    // There is room for other events.
    host.load(&csv(10, None), OnBadLine::Skip, 1_000);
    host.settle();
    assert_eq!(host.data().kept, Some(10));
}

#[test]
fn a_storage_that_fills_up_keeps_its_events_and_reports_it() {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(1_000, None), OnBadLine::Skip, 1_000);
    host.settle();
    let first = storage(&mut host, Ask::Storage).sets[0].set;
    files.borrow_mut().room = Some(100_000);
    let own = tabletop_workspace::OwnData { name: "more.csv".into(), ..host::own(OnBadLine::Skip) };
    host.ask(Ask::BeginOwn(own));
    host.ask(Ask::OwnBytes { bytes: csv(20_000, None).as_bytes().into(), last: true });
    host.run_for(30_000);
    let data = host.data();
    let kept = data.kept.expect("a part is kept");
    assert!(
        kept < 20_000 && data.events == 20_000 && data.state == LoadState::Loaded,
        "{kept}: {:?}",
        data.state
    );
    assert!(
        matches!(&data.keeping, Persistence::ReadOnly(error) if error.code == Code::ResourceExhausted),
        "{:?}",
        data.keeping
    );
    let workspace = host.workspace();
    let copy: Files = Rc::new(RefCell::new(files.borrow().clone()));
    let mut again = reload(&copy, &workspace);
    assert_eq!((again.data().state, again.data().events), (LoadState::Interrupted, kept));

    // After space is freed, storing resumes where it stopped.
    files.borrow_mut().room = Some(10_000_000);
    storage(&mut host, Ask::DeleteSet { set: first });
    host.settle();
    assert_eq!((host.data().kept, host.data().keeping), (Some(20_000), Persistence::Here));
}

#[test]
fn refused_writes_are_tried_again() {
    let files = Files::default();
    let mut host = open(&files);
    files.borrow_mut().refusals = 30;
    host.load(&csv(5_000, None), OnBadLine::Skip, 10_000);
    host.settle();
    assert_eq!(files.borrow().refusals, 0);
    assert_eq!((host.data().kept, host.data().keeping), (Some(5_000), Persistence::Here));
}

#[test]
fn a_storage_that_fails_for_good_does_not_stop_the_session() {
    let files = Files::default();
    let mut host = open(&files);
    files.borrow_mut().refusals = u32::MAX;
    host.load(&csv(5_000, None), OnBadLine::Skip, 10_000);
    for _ in 0..20 {
        host.run_for(5_000);
        let data = host.data();
        assert_eq!((data.events, data.state), (5_000, LoadState::Loaded));
        assert!(
            matches!(&data.keeping, Persistence::ReadOnly(error) if error.code == Code::Unavailable),
            "{:?}",
            data.keeping
        );
    }
    // The failure was temporary.
    files.borrow_mut().refusals = 0;
    host.settle();
    assert_eq!((host.data().kept, host.data().keeping), (Some(5_000), Persistence::Here));
}

#[test]
fn a_storage_that_was_full_is_tried_again() {
    let files = Files::default();
    let mut host = open(&files);
    files.borrow_mut().room = Some(100_000);
    host.load(&csv(20_000, None), OnBadLine::Skip, 100_000);
    host.run_for(15_000);
    assert!(matches!(&host.data().keeping, Persistence::ReadOnly(_)), "{:?}", host.data().keeping);
    // Another page has freed space.
    files.borrow_mut().room = None;
    host.settle();
    assert_eq!((host.data().kept, host.data().keeping), (Some(20_000), Persistence::Here));
}

#[test]
fn refused_corrections_are_tried_again() {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(100, None), OnBadLine::Skip, 1_000);
    host.settle();
    files.borrow_mut().refused_writes = 5;
    let mut fields = host.data().fields;
    fields[2].name = "deed".into();
    host.correct(fields.clone());
    assert_eq!(host.data().keeping, Persistence::Here);
    host.settle();
    assert_eq!((files.borrow().refused_writes, host.data().keeping), (0, Persistence::Here));
    assert_eq!(storage(&mut host, Ask::Storage).sets[0].own.fields, fields);
}

#[test]
fn damage_is_reported_and_readable_events_are_read() {
    let files = Files::default();
    let mut host = open(&files);
    host.load(&csv(60_000, None), OnBadLine::Skip, 100_000);
    host.settle();
    let (workspace, whole) = (host.workspace(), host.data());
    let bytes = files.borrow().bytes();
    let mut damaged_sets = 0;
    for part in 0..40 {
        let damaged: Files = Rc::new(RefCell::new(files.borrow().clone()));
        damaged.borrow_mut().flip(bytes * part / 40 + part);
        let mut again = reload(&damaged, &workspace);
        let (data, view) = (again.data(), storage(&mut again, Ask::Storage));
        let is_reported = data.keeping != Persistence::Here
            || matches!(data.state, LoadState::Failed(_))
            || view.sets.iter().any(|set| set.trouble.is_some());
        damaged_sets += u32::from(is_reported);
        assert!(is_reported || data == whole, "bit {part}: {:?}, {} events", data.state, data.events);
        for set in view.sets {
            let (text, unreadable) = export(&mut again, set.set);
            assert_eq!(text.lines().count() as u32 + unreadable, set.events, "bit {part}");
        }
        storage(&mut again, Ask::DeleteSets);
        assert_eq!(again.data().keeping, Persistence::Here, "all can be deleted");
    }
    assert!(damaged_sets > 20, "{damaged_sets}");
}
