//! The user's own events in a session: lines that do not parse, cancelled loads, fields that are
//! corrected or detected again, and tables that are built while a file is loaded.

use tabletop_keys::{FieldKind, Query, time::DateFormat};
use tabletop_model::Code;
use tabletop_protocol::{Answer, Ask, LoadState};
use tabletop_workspace::{OnBadLine, Source};

use crate::host::{self, Host, csv};

#[test]
fn own_events_with_a_bad_line_are_loaded_and_the_line_is_named() {
    let text = csv(500, Some(250));
    let mut host = Host::new();
    let data = host.load(&text, OnBadLine::Skip, 1_000);
    assert_eq!(
        (data.state, data.events, data.bad_lines, data.bytes),
        (LoadState::Loaded, 499, 1, text.len() as u64)
    );
    assert_eq!(data.problems[0].line, 252, "after the header and 250 lines");
    let view = host.template("{who},{at:iso}");
    assert_eq!(view.problems, []);
    host.settle();
    let view = host.view(0);
    assert_eq!((view.events_built, view.events_refused, view.building), (499, 0, false));
    assert_eq!(host.read_all(0, Query { rows_limit: 0, ..host::everything() }).rows.len(), 499);
    match host.workspace().source {
        Source::Own(own) => assert_eq!(own.fields, data.fields),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_bad_line_ends_the_load_if_the_settings_say_so() {
    let mut host = Host::new();
    let data = host.load(&csv(500, Some(250)), OnBadLine::Stop, 1_000);
    assert_eq!(data.events, 250);
    assert!(matches!(data.state, LoadState::Failed(_)), "{:?}", data.state);
}

#[test]
fn a_cancelled_load_keeps_the_events_read_so_far() {
    let text = csv(500, None);
    let (first, rest) = text.split_at(5_000);
    let mut host = Host::new();
    host.begin_own(OnBadLine::Skip);
    host.ask(Ask::OwnBytes { bytes: first.into(), last: false });
    let Answer::Data(cancelled) = host.ask(Ask::CancelLoad) else { panic!() };
    assert_eq!(cancelled.state, LoadState::Cancelled);
    let Answer::Data(after) = host.ask(Ask::OwnBytes { bytes: rest.into(), last: true }) else { panic!() };
    assert_eq!(after, cancelled);
    host.template("{who},{at:iso}");
    host.settle();
    assert_eq!(host.view(0).events_built, cancelled.events);
}

#[test]
fn corrected_fields_build_the_tables_again() {
    let mut host = Host::new();
    host.load(&csv(100, None), OnBadLine::Skip, 1_000);
    host.template("{who},{at:iso}");
    host.settle();
    let Answer::Data(mut data) = host.ask(Ask::Data) else { panic!() };
    data.fields[0].name = "user".into();
    host.correct(data.fields.clone());
    assert_eq!(host.data().fields, data.fields);
    assert!(!host.view(0).problems.is_empty(), "the template names a field that no longer exists");
    host.template("{user},{at:iso}");
    host.settle();
    assert_eq!(host.view(0).events_built, 100);
    data.fields[1].name = "user".into();
    assert_eq!(host::code(host.correct(data.fields)), Code::InvalidArgument, "two of one name");
}

#[test]
fn fields_that_the_page_has_not_seen_yet_are_not_corrected() {
    let kinds = |host: &mut Host| host.data().fields.iter().map(|field| field.kind).collect::<Vec<_>>();
    let (text, time) = (FieldKind::Text, FieldKind::Time);
    let mut host = Host::new();
    host.begin_own(OnBadLine::Skip);
    let csv = csv(100, None);
    let (first, rest) = csv.as_bytes().split_at(200);
    host.ask(Ask::OwnBytes { bytes: first.into(), last: false });
    let early = host.data().fields;
    assert_eq!(kinds(&mut host), [text, text, text], "too few events to detect kinds");
    host.ask(Ask::OwnBytes { bytes: rest.into(), last: true });
    assert_eq!(kinds(&mut host), [text, time, text]);

    host.correct(early.clone());
    assert_eq!(kinds(&mut host), [text, time, text], "sent before the page has received the detected kinds");
    host.correct(early[..1].to_vec());
    host.correct(vec![]);
    assert_eq!(kinds(&mut host), [text, time, text]);
    host.edit(|_| {});
    host.correct(early);
    assert_eq!(kinds(&mut host), [text, text, text], "the page has received them, so this is a correction");
}

#[test]
fn a_note_on_a_type_goes_when_the_type_is_set_and_lost_lines_stay() {
    let mut host = Host::new();
    host.begin_own(OnBadLine::Skip);
    let csv = "who,at\nada,2026-03-04\nbob\neve,2026-03-05\nzoe,soon\n";
    host.ask(Ask::OwnBytes { bytes: csv.as_bytes().into(), last: true });
    let lost = |host: &mut Host| {
        host.data().problems.iter().map(|problem| (problem.line, problem.lost)).collect::<Vec<_>>()
    };
    assert_eq!(lost(&mut host), [(3, true), (5, false)], "in the order of their lines");
    let mut corrected = host.data().fields;
    corrected[1].kind = FieldKind::Time;
    host.correct(corrected);
    assert_eq!((lost(&mut host), host.data().bad_lines), (vec![(3, true)], 1));
}

#[test]
fn a_time_format_that_is_taken_away_is_detected_again() {
    let mut host = Host::new();
    host.begin_own(OnBadLine::Skip);
    let csv = "who,at\nada,03/04/2025\neve,05/06/2025\n";
    host.ask(Ask::OwnBytes { bytes: csv.as_bytes().into(), last: true });
    let detected = host.data().fields;
    assert_eq!(detected[1].format.clone().map(String::from).as_deref(), Some("%d/%m/%Y"));
    let notes = host.data().problems;
    assert_eq!(notes.len(), 1, "the month may come first");

    let mut corrected = detected.clone();
    corrected[1].format = Some(DateFormat::new("%m/%d/%Y").unwrap());
    host.correct(corrected.clone());
    assert_eq!((host.data().fields, host.data().problems), (corrected, vec![]), "the user has decided");
    let mut cleared = detected.clone();
    cleared[1].format = None;
    host.correct(cleared);
    assert_eq!(
        (host.data().fields, host.data().problems),
        (detected, notes),
        "the user's decision is withdrawn"
    );
}

#[test]
fn tables_are_built_while_a_file_is_loaded() {
    let text = csv(20_000, None);
    let mut host = Host::new();
    host.template("{who},{at:iso}");
    host.begin_own(OnBadLine::Skip);
    let mut built = Vec::new();
    for piece in text.as_bytes().chunks(200_000) {
        host.ask(Ask::OwnBytes { bytes: piece.into(), last: false });
        for _ in 0..40 {
            host.advance();
        }
        built.push(host.view(0).events_built);
    }
    assert!(built[0] > 0 && built.is_sorted() && built[0] < built[built.len() - 1], "{built:?}");
    host.ask(Ask::OwnBytes { bytes: Default::default(), last: true });
    host.settle();
    let view = host.view(0);
    assert_eq!((view.events_built, view.events_total), (20_000, 20_000));
    assert!((8..=60).contains(&view.table.tablets.len()), "{} tablets", view.table.tablets.len());
}
