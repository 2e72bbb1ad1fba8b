//! The same events result in the same rows natively and in a worker of a browser. This file is compiled for both, and both must
//! produce the same hash.

use std::sync::Arc;

use tabletop_design::{DesignTable, Setting, SimulationRun, Supply};
use tabletop_model::{Row, wire};
use tabletop_schema::{
    Answer, Ask, DesignPatch, HeatMetric, KeyChoice, Layout, LayoutKind, LoadSource, Playback, Query, RowChoice, Schedule,
    SimulationHave, SimulationId, Source, Stream, StreamKind, Traffic, TrafficRun, Workspace,
};
use tabletop_worker::{Next, Session, frame};
use tabletop_workload::{Events, Generator, Population};
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
    let mut next = Ask::Read { index: 0, query };
    let mut rows = Vec::new();
    loop {
        let Answer::Rows(mut chunk) = ask(session, &next) else { panic!("no rows") };
        rows.append(&mut chunk.rows);
        if chunk.complete {
            return rows;
        }
        next = Ask::ReadMore(chunk.read);
    }
}

/// FNV-1a hash.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
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
    let Answer::View(view) = ask(&mut session, &Ask::View { index: 0 }) else { panic!("no view") };
    assert_eq!((view.events_built, view.events_refused), (view.events_total, 0));
    assert!(rows.is_sorted_by_key(|row| row.key[2..].to_vec()), "in the order of keys without their salt");
    // After a change of the generator or the layout, take the new number from a native run, and check that wasm produces the
    // same.
    assert_eq!(format!("{:016x} of {} rows", hash(&wire::encode(&rows)), rows.len()), "1118b32af290c354 of 20000 rows");
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
    let stream = |what, per_second, keys| Stream { name: format!("{what:?}"), what, per_second, keys, when: Schedule::Constant };
    let users = KeyChoice::Zipf { field: Some("user_token".into()), exponent: 1.0 };
    let streams =
        vec![stream(StreamKind::WriteEvents, 15_000.0, KeyChoice::AsEvents), stream(StreamKind::PointReads, 5_000.0, users)];
    let run = TrafficRun { nodes: 3, seconds: 6, ..TrafficRun::default() };
    let traffic = Traffic { streams, seed: 5, run, ..Traffic::default() };
    let setting = Setting { events: &events, traffic: &traffic, queries: &[], tablets: &workspace.cluster };
    let population = Arc::new(Population::new(&events, events.len(), &traffic));
    let mut simulation = SimulationRun::new(&[&table], &setting, population).expect("a complete table");
    while simulation.step(&events, 10) {}
    let have = SimulationHave { id: SimulationId(1), seconds: 0, cluster_events: 0, places: 0, metric: HeatMetric::Cpu, heat: 0 };
    let result = format!("{:?} {:?}", simulation.report(), simulation.chunk(&have));
    let all = simulation.report().all;
    // As above: after a change of the simulation, from a native run.
    assert_eq!(
        format!("{:016x}, {} of {}", hash(result.as_bytes()), all.answered, all.arrived),
        "7db699335e6c554e, 119684 of 119716",
        "{:?}",
        simulation.report()
    );
}
