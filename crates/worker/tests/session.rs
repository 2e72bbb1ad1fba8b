//! Tests of a session that use only its messages.

mod own_events;

use tabletop_advice::Figure;
use tabletop_engine::Instance;
use tabletop_keys::{Layout, LayoutKind, Query, RowChoice};
use tabletop_model::{Code, ReadRows, Response, RowFilter, RowSet, TableRequest};
use tabletop_protocol::{
    Answer, Ask, DesignView, JobError, LoadState, Playback, QueryOnDesign, ReadQuery, RunId,
};
use tabletop_worker::{Next, Session, frame};
use tabletop_workspace::{Design, NamedQuery, Source, Workspace};

use crate::host::{self, Host, USER_FIRST, logical_rows};

/// Returns the largest share of recent writes on one tablet, and the number of tablets.
fn hottest(view: &DesignView) -> (f64, usize) {
    let writes = view.table.tablets.iter().map(|tablet| tablet.writes_per_second);
    let all: f64 = writes.clone().sum();
    assert!(all > 0.0, "nothing was written in the last seconds");
    (writes.fold(0.0, f64::max) / all, view.table.tablets.len())
}

#[test]
fn the_first_paint_has_a_hot_tablet_and_the_user_first_has_none() {
    let mut host = Host::new();
    host.settle();
    let view = host.view(0);
    assert!(!view.building && !view.playing && view.events_refused == 0, "{view:?}");
    assert_eq!(view.events_built, view.events_total * 6 / 10);
    host.ask(Ask::Play(Playback::Play));
    host.run_for(3_000);
    let live = host.view(0);
    assert!(live.playing && live.events_built > view.events_built);
    let (share, tablets) = hottest(&live);
    assert_eq!(share, 1.0, "with the time first, one tablet takes every write");
    assert!(tablets > 8, "{tablets} tablets");
    assert!(!live.warnings.is_empty(), "and there is advice");

    host.template(USER_FIRST);
    host.run_for(3_000);
    let fixed = host.view(0);
    let (share, tablets) = hottest(&fixed);
    assert!(
        share < 0.5 && tablets > 8,
        "with the user first, one of {tablets} tablets takes {share} of the writes"
    );
}

#[test]
fn a_full_load_ends_with_about_two_dozen_tablets() {
    for template in [USER_FIRST, "{timestamp:iso},{user_token}"] {
        for layout in [LayoutKind::Narrow, LayoutKind::Wide] {
            let mut host = Host::new();
            let layout = Layout::new(layout);
            host.edit(|workspace| {
                let design = &mut workspace.designs[0];
                (design.template, design.layout) = (template.into(), layout.clone());
            });
            host.finish();
            let tablets = host.view(0).table.tablets.len();
            assert!((10..=48).contains(&tablets), "{template}, {layout:?}: {tablets} tablets");
        }
    }
}

#[test]
fn a_table_is_the_same_however_its_events_arrive() {
    let table_of = |mut host: Host| {
        let view = host.view(0);
        (view.table, view.first_keys, view.middle_keys, view.last_keys, view.clock_micros)
    };
    let at_once = |count: u32| {
        let mut host = Host::with_steps_of(count);
        host.finish();
        table_of(host)
    };
    let live = {
        let mut host = Host::new();
        host.pace(20_000.0);
        host.ask(Ask::Play(Playback::Restart));
        host.settle();
        table_of(host)
    };
    let paced_at_once = {
        let mut host = Host::new();
        host.pace(20_000.0);
        host.finish();
        table_of(host)
    };
    assert_eq!(at_once(64), at_once(1_000));
    assert_eq!(at_once(64), at_once(7));
    assert_eq!(live, paced_at_once);
}

#[test]
fn the_newest_change_wins() {
    let mut host = Host::new();
    host.settle();
    for template in [
        "{user_token}",
        "{user_token},",
        "{user_token},{event_name}",
        "{user_token},{event_name},{timestamp:iso}",
    ] {
        let view = host.template(template);
        assert!(view.building && view.problems.is_empty(), "{template}: {view:?}");
        host.advance();
        host.advance();
    }
    host.finish();
    let mut fresh = Host::new();
    fresh.template("{user_token},{event_name},{timestamp:iso}");
    fresh.finish();
    let (typed, fresh) = (host.view(0), fresh.view(0));
    assert_eq!(typed.table, fresh.table);
    assert_eq!(typed.first_keys, fresh.first_keys);
    assert!(typed.revision > fresh.revision);
}

#[test]
fn an_invalid_template_keeps_the_table_and_reports_its_problems() {
    let mut host = Host::new();
    host.finish();
    let before = host.view(0);
    let half = host.template("{timestamp:iso},{user_tok");
    assert!(!half.problems.is_empty() && !half.building);
    assert_eq!((half.table, half.first_keys), (before.table.clone(), before.first_keys.clone()));
    assert!(half.revision > before.revision);
    let whole = host.template("{timestamp:iso},{user_token}");
    assert!(whole.problems.is_empty());
    if host.workspace().designs[0].template == Workspace::default().designs[0].template {
        assert!(!whole.building, "the same key is not a reason to rebuild the table");
    }
}

#[test]
fn views_do_not_count_as_reads() {
    let mut host = Host::new();
    host.finish();
    let before = host.view(0);
    (0..200).for_each(|_| drop(host.view(0)));
    assert_eq!(host.view(0), before);
    assert!(before.table.tablets.iter().all(|tablet| tablet.reads == 0));
}

#[test]
fn keys_of_a_view_are_in_byte_order_from_the_ends_and_the_middle() {
    let mut host = Host::new();
    host.template(USER_FIRST);
    host.finish();
    let view = host.view(0);
    let rows = host.read_all(0, Query { rows_limit: 0, ..host::everything() }).rows;
    let keys: Vec<_> = rows.iter().map(|row| &row.key).collect();
    let shown =
        |views: &[tabletop_keys::KeyView]| views.iter().map(|view| view.key.clone()).collect::<Vec<_>>();
    assert_eq!(shown(&view.first_keys).iter().collect::<Vec<_>>(), keys[..view.first_keys.len()]);
    assert_eq!(shown(&view.last_keys).iter().collect::<Vec<_>>(), keys[keys.len() - view.last_keys.len()..]);
    let middle = keys.iter().position(|key| **key == view.middle_keys[0].key).expect("a key of the table");
    assert!((keys.len() * 4 / 10..keys.len() * 6 / 10).contains(&middle), "{middle} of {}", keys.len());
}

#[test]
fn a_salted_read_returns_the_rows_of_the_unsalted_one() {
    let mut plain = Host::new();
    plain.template(USER_FIRST);
    plain.finish();
    let mut salted = Host::new();
    salted.template("{salt(16)}-{user_token},{timestamp:iso}");
    salted.finish();
    let user = plain.text_of(7, "user_token");
    let prefix = RowChoice::Prefix(user[..2].into());
    let fields = RowChoice::Fields { equals: vec![("user_token".into(), user)], from: None, until: None };
    for rows in [RowChoice::All, prefix, fields] {
        for (rows_limit, reversed) in [(0, false), (25, false), (25, true)] {
            let query = Query { rows: rows.clone(), filter: None, rows_limit, reversed };
            let one = plain.read_all(0, query.clone());
            let many = salted.read_all(0, query.clone());
            assert!(!one.rows.is_empty(), "{query:?}");
            assert_eq!(logical_rows(&one.rows, ""), logical_rows(&many.rows, "00-"), "{query:?}");
            assert_eq!(many.ranges, one.ranges * 16);
            assert!(many.stats.tablets_touched <= salted.view(0).table.tablets.len() as u64);
            assert_eq!(one.stats.bytes_returned + 3 * one.stats.rows_returned, many.stats.bytes_returned);
        }
    }
}

#[test]
fn a_read_ends_when_it_is_cancelled_or_its_table_is_built_again() {
    let mut host = Host::new();
    host.finish();
    let query = Query { rows_limit: 0, ..host::everything() };
    let request = QueryOnDesign { index: 0, query };
    let first = host.begin::<ReadQuery>(&request).expect("it begins");
    assert!(!first.chunk.complete && !first.chunk.rows.is_empty());
    let run = first.run.expect("it is open");
    host.end(run);
    assert_eq!(host.next::<ReadQuery>(run, &()), Err(JobError::Gone));

    let run = host.begin::<ReadQuery>(&request).expect("it begins").run.expect("it is open");
    host.template(USER_FIRST);
    assert_eq!(host.next::<ReadQuery>(run, &()), Err(JobError::Gone));
}

#[test]
fn designs_are_added_and_removed() {
    let mut host = Host::new();
    host.edit(|workspace| {
        let second = Design { template: USER_FIRST.into(), ..workspace.designs[0].clone() };
        workspace.designs.push(second);
    });
    assert_eq!(host.view(1).problems, []);
    host.finish();
    assert_eq!(host.view(0).events_built, host.view(1).events_built);
    assert_ne!(host.view(0).first_keys, host.view(1).first_keys);
    let (first, second) = (host.view(0), host.view(1));
    host.edit(|workspace| workspace.designs.reverse());
    assert_eq!((host.view(0), host.view(1)), (second.clone(), first), "they change places with their tables");
    host.edit(|workspace| workspace.designs.truncate(1));
    assert_eq!(host.view(0), second, "and the one that stays keeps its table");
    assert_eq!(host.code(Ask::View { index: 1, first_look: false }), Code::NotFound);
}

#[test]
fn designs_are_compared_on_the_same_events() {
    let mut host = Host::new();
    host.edit(|workspace| {
        let design = &workspace.designs[0];
        let wide = Layout { kind: LayoutKind::Wide, ..design.layout.clone() };
        workspace.designs.push(Design { name: "Wide".into(), layout: wide, ..design.clone() });
        workspace.designs.push(Design {
            name: "Wrong".into(),
            template: "{".into(),
            ..workspace.designs[0].clone()
        });
    });
    assert!(host.compare().iter().all(|each| each.logical_bytes.is_none()), "the events are not all there");
    host.finish();
    let reads = host.view(0).table.blocks_read;
    let mut designs = host.compare();
    for _ in 0..100 {
        if designs.iter().any(|each| each.changes) {
            designs = host.compare();
        }
    }
    assert!(designs.iter().all(|each| !each.changes), "each request counts some rows until all are counted");
    assert_eq!(host.view(0).table.blocks_read, reads, "a comparison counts as no read");
    for (at, figures) in designs.iter().take(2).enumerate() {
        let rows = host.read_all(at as u32, Query { rows_limit: 0, ..Workspace::default().query }).rows;
        let bytes = rows.iter().map(|row| {
            let cells =
                row.cells.iter().map(|cell| cell.family.len() + cell.qualifier.len() + 8 + cell.value.len());
            row.key.len() + cells.sum::<usize>()
        });
        assert_eq!(
            figures.logical_bytes,
            Some(bytes.sum::<usize>() as u64),
            "what a read of the whole table returns"
        );
        assert_eq!(Figure::Rows.of(figures), Some(rows.len() as f64));
        assert_eq!(figures.key_bytes_max, rows.iter().map(|row| row.key.len()).max().unwrap_or(0) as u64);
    }
    let [narrow, wide] = [0, 1].map(|at| Figure::LogicalBytes.of(&designs[at]).expect("it is counted"));
    assert!(wide > narrow, "each cell of a wide row has its own column and time");
    assert!(!designs[2].problems.is_empty());
    assert_eq!((designs[2].events_built, designs[2].logical_bytes), (0, None), "there is no table");
}

#[test]
fn edits_without_effect_on_tables_build_none() {
    let mut host = Host::new();
    host.finish();
    let before = host.view(0);
    let answer = host.edit(|workspace| {
        workspace.name = "Shop".into();
        workspace.query.rows_limit = 7;
        workspace.limits.key_bytes_max = Some(64);
        let query = workspace.query.clone();
        workspace.queries.push(NamedQuery::new("first rows", query));
    });
    assert_eq!(answer, Answer::Workspace(host.workspace()));
    assert_eq!((host.workspace().name.as_str(), host.workspace().query.rows_limit), ("Shop", 7));
    // The fixes are measured again, with the new access pattern.
    host.finish();
    assert_eq!(host.view(0), before);
    assert_eq!(host.advance(), Next::Asked, "there is nothing to do");
}

#[test]
fn the_same_source_is_loaded_again_only_on_request() {
    let mut host = Host::new();
    let sample = Source::Sample(host::samples()[0].name.clone());
    host.edit(|workspace| workspace.source = sample.clone());
    let first = host.session.next_fetch().expect("a file");
    host.edit(|workspace| workspace.source = sample);
    assert_eq!(host.session.next_fetch().as_ref(), Some(&first));
    let workspace = host.workspace();
    host.open(workspace);
    assert!(host.session.next_fetch().expect("a file").ticket > first.ticket);
}

#[test]
fn smaller_tablets_are_more_of_them() {
    let mut host = Host::new();
    host.finish();
    let before = host.view(0).table.tablets.len();
    host.edit(|workspace| workspace.cluster.tablet_bytes_max = Some(32 << 10));
    host.finish();
    assert!(host.view(0).table.tablets.len() > before * 2);
}

#[test]
fn every_shipped_sample_is_loaded_into_a_table() {
    for sample in host::samples() {
        let mut host = Host::new();
        let mut workspace = host.workspace();
        workspace.source = Source::Sample(sample.name.clone());
        workspace.designs[0].template.clone_from(&sample.template);
        host.open(workspace);
        let fetch = host.session.next_fetch().expect("a file");
        assert_eq!(host.data().state, LoadState::Loading);
        host.session.fetched(fetch.ticket - 1, Ok(b"an older load's file".to_vec()));
        assert_eq!(host.session.next_fetch().as_ref(), Some(&fetch), "the file of another load is dropped");
        let file = host::shipped(&fetch.path);
        assert_eq!(file.len(), sample.bytes as usize, "{}", sample.name);
        host.session.fetched(fetch.ticket, Ok(file));
        host.settle();
        let (data, view) = (host.data(), host.view(0));
        assert_eq!(
            (data.state, data.bad_lines, data.events),
            (LoadState::Loaded, 0, sample.events),
            "{}",
            sample.name
        );
        assert_eq!(
            (view.problems.as_slice(), view.events_refused, view.events_built),
            (&[][..], 0, sample.events),
            "{}",
            sample.name
        );
        assert!(
            (8..=60).contains(&view.table.tablets.len()),
            "{}: {} tablets",
            sample.name,
            view.table.tablets.len()
        );
    }
}

#[test]
fn a_sample_that_cannot_be_fetched_is_an_error() {
    let mut host = Host::new();
    let workspace = Workspace { source: Source::Sample(host::samples()[0].name.clone()), ..host.workspace() };
    host.open(workspace);
    let fetch = host.session.next_fetch().expect("a file");
    let error = tabletop_model::Error::new(Code::Unavailable, "the server answered 404");
    host.session.fetched(fetch.ticket, Err(error.clone()));
    assert_eq!(host.data().state, LoadState::Failed(error));
    assert_eq!(host.session.next_fetch(), None);
}

#[test]
fn an_export_holds_one_table_with_all_events() {
    let mut host = Host::new();
    assert_eq!(
        host.code(Ask::ExportTable { index: 0, resume: None }),
        Code::FailedPrecondition,
        "it is still being built"
    );
    host.finish();
    let Answer::Exported(piece) = host.ask(Ask::ExportTable { index: 0, resume: None }) else { panic!() };
    assert!(piece.resume.is_some(), "one piece is not all");
    host.template(USER_FIRST);
    host.settle();
    let Answer::Failed(error) = host.ask(Ask::ExportTable { index: 0, resume: piece.resume }) else {
        panic!()
    };
    assert!(error.code == Code::FailedPrecondition && error.message.contains("the table changed"), "{error}");
}

#[test]
fn an_exported_table_can_be_imported() {
    let mut host = Host::new();
    host.finish();
    let mut instance = Instance::new();
    let mut resume = None;
    loop {
        let Answer::Exported(piece) = host.ask(Ask::ExportTable { index: 0, resume }) else { panic!() };
        let (bytes, is_last) = (piece.bytes, piece.resume.is_none());
        let taken = instance.handle(0, TableRequest::Import { piece: bytes, is_last }.of("events"));
        assert_eq!(taken, Response::Done);
        resume = piece.resume;
        if is_last {
            break;
        }
    }
    let rows = host.read_all(0, Query { rows_limit: 0, ..host::everything() }).rows;
    let read = TableRequest::ReadRows(ReadRows { rows: RowSet::all(), ..ReadRows::default() }).of("events");
    let Response::Rows(chunk) = instance.handle(0, read) else { panic!() };
    assert!(chunk.rows == rows && rows.len() > 10_000);
}

#[test]
fn invalid_requests_are_refused_without_effect() {
    let mut host = Host::new();
    host.finish();
    let before = host.view(0);
    let query = host::everything();
    assert_eq!(host.code(Ask::View { index: 1, first_look: false }), Code::NotFound);
    assert_eq!(host.code(Ask::View { index: u32::MAX, first_look: false }), Code::NotFound);
    assert_eq!(host.refused_read(1, query.clone()), Code::NotFound);
    assert_eq!(host.next::<ReadQuery>(RunId(77), &()), Err(JobError::Gone));
    host.end(RunId(77));
    assert_eq!(host.code(Ask::OwnBytes { bytes: "a,b\n".into(), last: true }), Code::FailedPrecondition);
    assert_eq!(
        host::code(host.edit(|workspace| workspace.source = Source::Sample("nothing".into()))),
        Code::NotFound
    );
    assert_eq!(host::code(host.edit(|workspace| workspace.designs.clear())), Code::InvalidArgument);
    let bad_filter = Query { filter: Some(RowFilter::CellsPerRowLimit(0)), ..query.clone() };
    assert_eq!(host.refused_read(0, bad_filter), Code::InvalidArgument);
    assert_eq!(
        host::code(host.edit(|workspace| workspace.cluster.events_per_second = f64::NAN)),
        Code::InvalidArgument
    );
    let Answer::Events(none) = host.ask(Ask::Events { start: u32::MAX, count: u32::MAX }) else { panic!() };
    assert_eq!(none.events, Vec::<Vec<_>>::new());
    let Answer::Events(some) = host.ask(Ask::Events { start: 0, count: u32::MAX }) else { panic!() };
    assert_eq!(some.events.len(), 1_000);
    host.settle();
    assert_eq!(host.view(0), before);
}

#[test]
fn no_template_breaks_a_session() {
    let mut host = Host::new();
    host.settle();
    for template in [
        "",
        "{",
        "}",
        "{{}}",
        "{nothing}",
        "{salt(0)}",
        "{salt(16)}",
        "{timestamp:bucket(0s)}",
        "\u{1f642}{user_token",
    ] {
        host.template(template);
        host.advance();
        host.view(0);
        drop(host.begin::<ReadQuery>(&QueryOnDesign { index: 0, query: host::everything() }));
    }
    host.template(USER_FIRST);
    host.finish();
    assert_eq!(host.view(0).events_refused, 0);
}

#[test]
fn a_table_grows_until_its_events_are_written() {
    let mut host = Host::new();
    host.finish();
    assert!(!host.session.grows(0));
    host.template(USER_FIRST);
    assert!(host.session.grows(0), "an edit has begun another table");
    host.advance();
    assert!(host.session.grows(0));
    host.settle();
    assert!(!host.session.grows(0));
    assert!(!host.session.grows(9), "there is no such design");
}

#[test]
fn each_frame_is_answered_under_its_id_even_if_invalid() {
    let mut session = Session::new();
    let clock = || 0;
    assert!(frame::Request::read(&[1, 2]).is_none());
    let answer = frame::Request::read(&[7, 0, 0, 0, 0xff, 0xff]).expect("an id").answer(&mut session, clock);
    let (id, body) = answer.split_at(4);
    assert_eq!(id, [7, 0, 0, 0]);
    assert!(matches!(tabletop_model::wire::decode(body), Ok(Answer::Failed(_))));
}

#[test]
fn a_session_is_idle_when_all_is_done() {
    let mut host = Host::new();
    host.finish();
    assert_eq!(host.advance(), Next::Asked);
    host.ask(Ask::Play(Playback::Restart));
    assert!(matches!(host.settle_until_waiting(), Next::In { .. }));
}
