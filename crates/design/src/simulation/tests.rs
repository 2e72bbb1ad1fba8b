//! Traffic on designs of generated events.

use std::sync::Arc;

use tabletop_cluster::{Medium, Settings};
use tabletop_schema::{
    ClusterSettings, Design, GeneratorSettings, KeyChoice, Layout, LayoutKind, NamedQuery, Query, RowChoice, Schedule, Stream,
    StreamKind, Traffic,
};
use tabletop_workload::{Arrivals, Generator, Population};

use super::*;
use crate::{DesignTable, Supply};

fn events() -> Events {
    let mut generator = Generator::new(&GeneratorSettings { seed: 1, events: 20_000, apps: 3, users: 500, user_skew: 1.0 });
    let mut events = Events::new(generator.fields());
    while generator.left() > 0 {
        generator.fill(&mut events, generator.left()).expect("memory");
    }
    events
}

fn stream(what: StreamKind, per_second: f64, keys: KeyChoice) -> Stream {
    Stream { name: format!("{what:?}"), what, per_second, keys, when: Schedule::Constant }
}

/// A design's complete table.
fn table(events: &Events, template: &str) -> DesignTable {
    let design = Design {
        name: "Design 1".into(),
        template: template.into(),
        layout: Layout::new(LayoutKind::Narrow),
        families: Vec::new(),
        index_of: None,
    };
    let cluster = ClusterSettings::default();
    let mut table = DesignTable::new(1, &design, events.fields(), &cluster);
    while table.step(Supply::all(events, &cluster), 1_000) {}
    table
}

/// Runs a traffic on a template for so many seconds.
fn simulate(events: &Events, template: &str, streams: Vec<Stream>, nodes: u32, seconds: u64) -> Simulation {
    let traffic = Traffic { streams, seed: 7, ..Traffic::default() };
    let tablets = ClusterSettings::default();
    let setting = Setting {
        events,
        traffic: &traffic,
        queries: &[],
        tablets: &tablets,
        cluster: Settings::on(Medium::Ssd),
        nodes,
        seconds,
    };
    let mut simulation = Simulation::new(&[&table(events, template)], &setting).unwrap();
    let mut arrivals = Arrivals::new(&traffic, Arc::new(Population::new(events, events.len(), &traffic))).unwrap();
    let mut slice = Vec::new();
    for end in 1..=seconds * 10 {
        slice.clear();
        arrivals.tick(end * SLICE, &mut slice);
        simulation.step(events, &slice, end * SLICE);
    }
    simulation
}

const SPREAD: &str = "{user_token}#{timestamp:iso}";
const BY_TIME: &str = "{timestamp:iso}#{user_token}";

#[test]
fn writes_at_the_end_of_the_key_space_keep_one_node_busy() {
    let events = events();
    let writes = || vec![stream(StreamKind::WriteEvents, 20_000.0, KeyChoice::AsEvents)];
    let by_time = simulate(&events, BY_TIME, writes(), 4, 20).report();
    let spread = simulate(&events, SPREAD, writes(), 4, 20).report();
    assert!(by_time.hottest_tablet_share > 3.0 * spread.hottest_tablet_share, "{by_time:?} {spread:?}");
    assert!(by_time.cpu_hottest_node > 2.0 * spread.cpu_hottest_node, "{by_time:?} {spread:?}");
    assert!(by_time.all.latency_micros_p99 > spread.all.latency_micros_p99, "{by_time:?} {spread:?}");
    assert_eq!(by_time.all.arrived, spread.all.arrived, "both get the same requests");
    assert_eq!(by_time.executed_every, 20);
}

#[test]
fn one_hot_row_is_not_helped_by_more_nodes() {
    let events = events();
    let hot = || {
        let keys = KeyChoice::Hot { field: None, value: None, share: 0.8 };
        vec![stream(StreamKind::PointReads, 60_000.0, keys)]
    };
    let two = simulate(&events, SPREAD, hot(), 2, 10).report();
    let eight = simulate(&events, SPREAD, hot(), 8, 10).report();
    let even = simulate(&events, SPREAD, vec![stream(StreamKind::PointReads, 60_000.0, KeyChoice::AsEvents)], 8, 10).report();
    let answered = |report: &SimulationReport| report.all.answered as f64 / report.seconds as f64;
    assert!(answered(&eight) < 1.5 * answered(&two), "{} {}", answered(&two), answered(&eight));
    assert!(answered(&even) > 0.98 * 60_000.0, "{even:?}");
}

#[test]
fn every_kind_of_request_is_executed_and_counted() {
    let events = events();
    let kinds = [
        StreamKind::WriteEvents,
        StreamKind::Updates,
        StreamKind::PointReads,
        StreamKind::Scans { rows: 50 },
        StreamKind::ReadModifyWrite,
        StreamKind::Deletes,
    ];
    let streams = kinds.map(|kind| stream(kind, 100.0, KeyChoice::AsEvents));
    let mut simulation = simulate(&events, SPREAD, streams.into(), 2, 5);
    let waiting = simulation.cluster().waiting();
    let report = simulation.report();
    assert_eq!(report.refusal, None);
    assert_eq!(report.all.arrived, report.all.answered + report.all.expired + report.all.refused + waiting);
    let p50 = |kind: usize| report.streams[kind].latency_micros_p50.unwrap();
    assert!(p50(3) > p50(2), "a scan takes longer than a row: {report:?}");
    assert!(report.streams.iter().all(|stream| (350..650).contains(&stream.arrived)), "{report:?}");
}

#[test]
fn the_same_seed_has_the_same_result() {
    let events = events();
    let streams = || {
        let zipf = KeyChoice::Zipf { field: Some("user_token".into()), exponent: 1.0 };
        vec![stream(StreamKind::WriteEvents, 900.0, KeyChoice::AsEvents), stream(StreamKind::PointReads, 3_000.0, zipf)]
    };
    let (one, other) = (simulate(&events, SPREAD, streams(), 3, 6), simulate(&events, SPREAD, streams(), 3, 6));
    assert_eq!((one.report(), one.events()), (other.report(), other.events()));
}

#[test]
fn the_designs_own_table_stays_as_it_is() {
    let events = events();
    let table = table(&events, SPREAD);
    let traffic =
        Traffic { streams: vec![stream(StreamKind::Deletes, 1_000.0, KeyChoice::AsEvents)], seed: 1, ..Traffic::default() };
    let tablets = ClusterSettings::default();
    let setting = Setting {
        events: &events,
        traffic: &traffic,
        queries: &[],
        tablets: &tablets,
        cluster: Settings::on(Medium::Ssd),
        nodes: 1,
        seconds: 1,
    };
    let mut simulation = Simulation::new(&[&table], &setting).unwrap();
    let arrival = Arrival { at_nanos: 0, event: 5, like: 5, stream: 0 };
    simulation.step(&events, &[arrival], SLICE);
    let rows = |table: &mut DesignTable| -> u64 { table.table.view().tablets.iter().map(|tablet| tablet.cells).sum() };
    let mut own = table;
    assert_eq!(rows(&mut own), 20_000);
}

#[test]
fn a_long_simulation_executes_a_bounded_number_of_requests() {
    let traffic = Traffic { streams: vec![stream(StreamKind::WriteEvents, 500.0, KeyChoice::AsEvents)], ..Traffic::default() };
    assert_eq!([60, 2_000, 86_400].map(|seconds| executed_every(&traffic, seconds)), [1, 1, 44]);
}

#[test]
fn a_pattern_that_a_design_cannot_answer_is_refused_each_time_and_the_others_go_on() {
    let events = events();
    let equals = vec![("app_id".into(), "app-00".into())];
    let rows = RowChoice::Fields { equals, from: None, until: None };
    let query = NamedQuery::new("One app", Query { rows, filter: None, rows_limit: 0, reversed: false });
    let streams = vec![stream(StreamKind::Pattern("One app".into()), 4_000.0, KeyChoice::AsEvents)];
    let traffic = Traffic { streams, seed: 3, ..Traffic::default() };
    let (table, tablets) = (table(&events, SPREAD), ClusterSettings::default());
    let setting = Setting {
        events: &events,
        traffic: &traffic,
        queries: &[query],
        tablets: &tablets,
        cluster: Settings::on(Medium::Ssd),
        nodes: 1,
        seconds: 1,
    };
    let mut simulation = Simulation::new(&[&table], &setting).unwrap();
    let arrivals: Vec<Arrival> =
        (0..400).map(|at| Arrival { at_nanos: at * 1_000, event: at, like: at as u32, stream: 0 }).collect();
    simulation.step(&events, &arrivals, SLICE);
    let report = simulation.report();
    assert_eq!((report.all.arrived, report.all.refused), (400, 400));
    assert!(report.refusal.is_some_and(|error| error.message.contains("app_id")));
}
