//! The same events result in the same rows natively and in a worker of a browser. This file is
//! compiled for both, and both must produce the same hash.

use std::sync::Arc;

use tabletop_design::{DesignTable, Setting, SimulationRun, Supply};
use tabletop_keys::{Layout, LayoutKind, Query, RowChoice};
use tabletop_model::{Row, wire};
use tabletop_protocol::{
    Answer, Ask, HeatMetric, Job, JobAsk, JobError, LoadSource, Playback, QueryOnDesign, ReadQuery, Simulate,
    SimulateRequest, SimulationChunk, SimulationHave, Slice,
};
use tabletop_worker::{Next, Session, frame};
use tabletop_workload::{Events, Generator, Population};
use tabletop_workspace::{
    DesignPatch, KeyChoice, Schedule, Source, Stream, StreamKind, Traffic, TrafficRun, Workspace,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Sends a request as a frame, as the page does.
fn ask(session: &mut Session, ask: &Ask) -> Answer {
    let mut request = 7_u32.to_le_bytes().to_vec();
    request.extend(wire::encode(ask));
    let answer = frame::Request::read(&request).expect("a request").answer(session, || 0);
    let (id, body) = answer.split_at(4);
    assert_eq!(id, 7_u32.to_le_bytes());
    wire::decode(body).expect("an answer of this build")
}

fn all_rows(session: &mut Session) -> Vec<Row> {
    let query = Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false };
    let mut slice =
        step::<ReadQuery>(session, JobAsk::begin::<ReadQuery>(&QueryOnDesign { index: 0, query }))
            .expect("it begins");
    let mut rows = Vec::new();
    loop {
        rows.append(&mut slice.chunk.rows);
        let Some(run) = slice.run else { return rows };
        slice = step::<ReadQuery>(session, JobAsk::next::<ReadQuery>(run, &())).expect("a slice");
    }
}

/// Sends a request about a run.
fn step<J: Job>(session: &mut Session, step: JobAsk) -> Result<Slice<J::Chunk>, JobError> {
    match ask(session, &Ask::Job(step)) {
        Answer::Job(answer) => answer?.decode::<J>(),
        other => panic!("{other:?}"),
    }
}

/// FNV-1a hash.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn the_default_workspace_salted_and_wide_has_the_same_rows_on_all_hosts() {
    let mut session = Session::new();
    let patch = DesignPatch {
        template: Some("{salt(8)}-{user_token},{timestamp:iso}".into()),
        layout: Some(Layout::new(LayoutKind::Wide)),
        ..DesignPatch::default()
    };
    let mut workspace = Workspace::default();
    workspace.patch_design(0, &patch).expect("the first design");
    ask(&mut session, &Ask::SetWorkspace { workspace, load: LoadSource::IfChanged });
    assert_eq!(ask(&mut session, &Ask::Play(Playback::Finish)), Answer::Done);
    while session.advance(0, 500) == Next::Now {}
    let rows = all_rows(&mut session);
    let Answer::View(view) = ask(&mut session, &Ask::View { index: 0, first_look: false }) else {
        panic!("no view")
    };
    assert_eq!((view.events_built, view.events_refused), (view.events_total, 0));
    assert!(rows.is_sorted_by_key(|row| row.key[2..].to_vec()), "in the order of keys without their salt");
    // After a change of the generator or the layout, take the new number from a native run, and
    // check that wasm computes the same.
    assert_eq!(
        format!("{:016x} of {} rows", hash(&wire::encode(&rows)), rows.len()),
        "1118b32af290c354 of 20000 rows"
    );
}

/// Simulates the same traffic on the first design, whatever state the page is in, and returns the
/// whole simulation.
fn simulated(session: &mut Session, count: u32) -> SimulationChunk {
    let stream = |what, per_second, keys| Stream {
        name: format!("{what:?}"),
        what,
        per_second,
        keys,
        when: Schedule::Constant,
    };
    let streams = vec![
        stream(StreamKind::WriteEvents, 2_000.0, KeyChoice::AsEvents),
        stream(StreamKind::PointReads, 6_000.0, KeyChoice::AsEvents),
    ];
    let run = TrafficRun { nodes: 2, seconds: 4, ..TrafficRun::default() };
    let traffic = Traffic { streams, seed: 5, run, ..Traffic::default() };
    let mut next = JobAsk::begin::<Simulate>(&SimulateRequest { index: 0, traffic });
    let mut all: Option<SimulationChunk> = None;
    for _ in 0..100_000 {
        match step::<Simulate>(session, next.clone()) {
            Ok(Slice { run, chunk }) => {
                match &mut all {
                    Some(all) => all.extend(chunk),
                    all => *all = Some(chunk),
                }
                let (all, run) = (all.as_ref().expect("it has begun"), run.expect("it stays open"));
                if all.is_complete() {
                    ask(session, &Ask::Job(JobAsk::End(run)));
                    return all.clone();
                }
                next = JobAsk::next::<Simulate>(run, &all.have(HeatMetric::Requests));
            }
            Err(JobError::NotReady(_)) => _ = session.advance(0, count),
            Err(other) => panic!("{other:?}"),
        }
    }
    panic!("no end");
}

#[test]
fn the_same_events_have_the_same_simulation_however_the_table_was_written_and_looked_at() {
    // Small thresholds make reads split tablets.
    let mut workspace = Workspace::default();
    workspace.cluster.tablet_load_max = 50.0;
    let session = || {
        let mut session = Session::new();
        ask(&mut session, &Ask::SetWorkspace { workspace: workspace.clone(), load: LoadSource::IfChanged });
        session
    };
    let tablets = |session: &mut Session| {
        let Answer::View(view) = ask(session, &Ask::View { index: 0, first_look: false }) else {
            panic!("no view")
        };
        view.table.tablets.len()
    };
    let mut straight = session();
    ask(&mut straight, &Ask::Play(Playback::Finish));
    while straight.advance(0, 4_096) == Next::Now {}
    let expected = simulated(&mut straight, 4_096);
    let untouched = tablets(&mut straight);

    // Begun immediately, in small slices.
    let mut small = session();
    ask(&mut small, &Ask::Play(Playback::Finish));
    assert_eq!(simulated(&mut small, 77), expected, "slices");

    // The user reads the table while it is written, when it is settled, and at an earlier moment.
    let mut looked = session();
    (0..9).for_each(|_| _ = looked.advance(0, 300));
    all_rows(&mut looked);
    ask(&mut looked, &Ask::Play(Playback::Finish));
    (0..20).for_each(|_| _ = looked.advance(0, 300));
    all_rows(&mut looked);
    while looked.advance(0, 300) == Next::Now {}
    (0..20).for_each(|_| _ = all_rows(&mut looked));
    assert!(tablets(&mut looked) > untouched, "what was read often is split, on the screen");
    assert_eq!(simulated(&mut looked, 300), expected, "reads");
    ask(&mut looked, &Ask::Play(Playback::Seek(5_000)));
    while looked.advance(0, 300) == Next::Now {}
    (0..20).for_each(|_| _ = all_rows(&mut looked));
    assert_eq!(simulated(&mut looked, 300), expected, "an earlier moment");
    ask(&mut looked, &Ask::Play(Playback::Finish));
    assert_eq!(simulated(&mut looked, 300), expected, "and back");
}

#[test]
fn a_simulation_has_the_same_result_on_all_hosts() {
    let workspace = Workspace::default();
    let Source::Generated(settings) = &workspace.source else { panic!("generated events") };
    let mut generator = Generator::new(settings);
    let mut events = Events::new(generator.fields());
    while generator.left() > 0 {
        generator.fill(&mut events, generator.left()).expect("memory");
    }
    let mut table = DesignTable::new(0, &workspace.designs[0], events.fields(), &workspace.cluster);
    while table.step(Supply::all(&events, &workspace.cluster), 4_096) {}
    let stream = |what, per_second, keys| Stream {
        name: format!("{what:?}"),
        what,
        per_second,
        keys,
        when: Schedule::Constant,
    };
    let users = KeyChoice::Zipf { field: Some("user_token".into()), exponent: 1.0 };
    let streams = vec![
        stream(StreamKind::WriteEvents, 15_000.0, KeyChoice::AsEvents),
        stream(StreamKind::PointReads, 5_000.0, users),
    ];
    let run = TrafficRun { nodes: 3, seconds: 6, ..TrafficRun::default() };
    let traffic = Traffic { streams, seed: 5, run, ..Traffic::default() };
    let setting = Setting { events: &events, traffic: &traffic, queries: &[], tablets: &workspace.cluster };
    let population = Arc::new(Population::new(&events, events.len(), &traffic));
    let mut simulation = SimulationRun::new(&[&table], &setting, population).expect("a complete table");
    while simulation.step(&events, 10) {}
    let have = SimulationHave::nothing(HeatMetric::Cpu);
    let result = format!("{:?} {:?}", simulation.report(), simulation.chunk(&have));
    let all = simulation.report().all;
    // As above: after a change of the simulation, take the new numbers from a native run.
    assert_eq!(
        format!("{:016x}, {} of {}", hash(result.as_bytes()), all.answered, all.arrived),
        "cc0ee3326a14d163, 119683 of 119716",
        "{:?}",
        simulation.report()
    );
}
