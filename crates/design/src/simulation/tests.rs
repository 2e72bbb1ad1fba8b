//! Tests traffic on designs with generated events.

mod capacity;
mod diagnose;
mod overload;
mod replay;

use std::sync::Arc;

use tabletop_keys::{Layout, LayoutKind, Query, Record, RowChoice};
use tabletop_protocol::{ClusterEventCause, ClusterEventKind, HeatMetric, SimulationHave, scaling_answered};
use tabletop_workload::{Arrivals, Generator, Population};
use tabletop_workspace::{
    ChangeKind, ClusterChange, ClusterSettings, Design, GeneratorSettings, KeyChoice, LoadTest, NamedQuery,
    Replay, ReplayOperation, SCALING_NODES, ScalingKeys, Schedule, StorageMedium, Stream, StreamKind,
    Traffic, TrafficRun,
};

use super::*;
use crate::{DesignTable, Supply};

/// A page that does not have any part of the simulation.
pub(super) const HAVE: SimulationHave = SimulationHave::nothing(HeatMetric::Requests);

pub(super) fn events() -> Events {
    let mut generator =
        Generator::new(&GeneratorSettings { seed: 1, events: 20_000, apps: 3, users: 500, user_skew: 1.0 });
    let mut events = Events::new(generator.fields());
    while generator.left() > 0 {
        generator.fill(&mut events, generator.left()).expect("memory");
    }
    events
}

pub(super) fn stream(what: StreamKind, per_second: f64, keys: KeyChoice) -> Stream {
    Stream { name: format!("{what:?}"), what, per_second, keys, when: Schedule::Constant }
}

/// Returns the complete table of a design.
fn table(events: &Events, template: &str) -> DesignTable {
    let design = Design::new("Design 1", template, Layout::new(LayoutKind::Narrow));
    let cluster = ClusterSettings::default();
    let mut table = DesignTable::new(1, &design, events.fields(), &cluster);
    while table.step(Supply::all(events, &cluster), 1_000) {}
    table
}

/// Begins a traffic on a template.
fn begin(events: &Events, template: &str, traffic: &Traffic) -> SimulationRun {
    let tablets = ClusterSettings::default();
    let setting = Setting { events, traffic, queries: &[], tablets: &tablets };
    let population = Arc::new(Population::new(events, events.len(), traffic));
    SimulationRun::new(&[&table(events, template)], &setting, population).unwrap()
}

/// Runs streams on a template for this many seconds.
fn simulate(
    events: &Events,
    template: &str,
    streams: Vec<Stream>,
    nodes: u32,
    seconds: u32,
) -> SimulationRun {
    let run = TrafficRun { nodes, seconds, ..TrafficRun::default() };
    run_of(events, template, &Traffic { streams, seed: 7, run, ..Traffic::default() })
}

/// Runs a traffic on a template.
pub(super) fn run_of(events: &Events, template: &str, traffic: &Traffic) -> SimulationRun {
    let mut run = begin(events, template, traffic);
    assert!(!run.step(events, u32::MAX));
    run
}

pub(super) const SPREAD: &str = "{user_token}#{timestamp:iso}";
pub(super) const BY_TIME: &str = "{timestamp:iso}#{user_token}";

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
    let even =
        simulate(&events, SPREAD, vec![stream(StreamKind::PointReads, 60_000.0, KeyChoice::AsEvents)], 8, 10)
            .report();
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
    let simulation = simulate(&events, SPREAD, streams.into(), 2, 5);
    let (waiting, report) = (simulation.waiting(), simulation.report());
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
        vec![
            stream(StreamKind::WriteEvents, 900.0, KeyChoice::AsEvents),
            stream(StreamKind::PointReads, 3_000.0, zipf),
        ]
    };
    let (one, other) =
        (simulate(&events, SPREAD, streams(), 3, 6), simulate(&events, SPREAD, streams(), 3, 6));
    assert_eq!(one.report(), other.report());
    assert_eq!(one.chunk(&HAVE), other.chunk(&HAVE));
}

#[test]
fn the_designs_own_table_stays_as_it_is() {
    let events = events();
    let table = table(&events, SPREAD);
    let traffic = Traffic {
        streams: vec![stream(StreamKind::Deletes, 1_000.0, KeyChoice::AsEvents)],
        seed: 1,
        ..Traffic::default()
    };
    let tablets = ClusterSettings::default();
    let setting = Setting { events: &events, traffic: &traffic, queries: &[], tablets: &tablets };
    let mut simulation = Simulation::new(&[&table], &setting).unwrap();
    let arrival = Arrival { at_nanos: 0, event: 5, event_nanos: 0, like: 5, stream: 0 };
    simulation.step(&events, &[arrival], SLICE);
    let rows = |table: &mut DesignTable| -> u64 {
        table.table_mut().view().tablets.iter().map(|tablet| tablet.cells).sum()
    };
    let mut own = table;
    assert_eq!(rows(&mut own), 20_000);
}

#[test]
fn a_long_simulation_executes_a_bounded_number_of_requests() {
    let of = |seconds| {
        let streams = vec![stream(StreamKind::WriteEvents, 500.0, KeyChoice::AsEvents)];
        executed_every(&Traffic {
            streams,
            run: TrafficRun { seconds, ..TrafficRun::default() },
            ..Traffic::default()
        })
    };
    assert_eq!([60, 2_000, 86_400].map(of), [1, 1, 44]);
}

#[test]
fn a_pattern_that_a_design_cannot_answer_is_refused_each_time_and_the_others_continue() {
    let events = events();
    let equals = vec![("app_id".into(), "app-00".into())];
    let rows = RowChoice::Fields { equals, from: None, until: None };
    let query = NamedQuery::new("One app", Query { rows, filter: None, rows_limit: 0, reversed: false });
    let streams = vec![stream(StreamKind::Pattern("One app".into()), 4_000.0, KeyChoice::AsEvents)];
    let traffic = Traffic { streams, seed: 3, ..Traffic::default() };
    let (table, tablets) = (table(&events, SPREAD), ClusterSettings::default());
    let setting = Setting { events: &events, traffic: &traffic, queries: &[query], tablets: &tablets };
    let mut simulation = Simulation::new(&[&table], &setting).unwrap();
    let arrivals: Vec<Arrival> = (0..400)
        .map(|at| Arrival { at_nanos: at * 1_000, event: at, event_nanos: 0, like: at as u32, stream: 0 })
        .collect();
    simulation.step(&events, &arrivals, SLICE);
    let report = simulation.report();
    assert_eq!((report.all.arrived, report.all.refused), (400, 400));
    assert!(report.refusal.is_some_and(|error| error.message.contains("app_id")));
}

#[test]
fn the_heatmap_equals_a_naive_count_of_all_requests() {
    let events = events();
    let hot = KeyChoice::Hot { field: None, value: None, share: 0.3 };
    let zipf = KeyChoice::Zipf { field: Some("user_token".into()), exponent: 0.8 };
    let streams = vec![
        stream(StreamKind::PointReads, 3_000.0, hot),
        stream(StreamKind::Updates, 1_500.0, zipf),
        stream(StreamKind::Scans { rows: 20 }, 200.0, KeyChoice::AsEvents),
        stream(StreamKind::Deletes, 50.0, KeyChoice::Sequential),
    ];
    let run = TrafficRun { nodes: 20, seconds: 4, ..TrafficRun::default() };
    let traffic = Traffic { streams, seed: 11, run, ..Traffic::default() };
    let run = run_of(&events, "{user_token}#{timestamp:date}", &traffic);
    assert!(run.chunk(&HAVE).executed_every > 3, "most requests are not executed");
    let map = |metric| run.chunk(&SimulationHave { metric, ..HAVE }).heat;
    let starts = map(HeatMetric::Requests).starts;

    let table = table(&events, "{user_token}#{timestamp:date}");
    let template = table.mapping().unwrap().writer.template();
    let mut arrivals = Vec::new();
    let population = Arc::new(Population::new(&events, events.len(), &traffic));
    Arrivals::new(&traffic, population).unwrap().tick(4 * SECOND, &mut arrivals);
    // The requests to each bucket in each second, and to each row: reads and writes.
    let mut expected = vec![[[0.0f32; 2]; 512]; 4];
    let mut of_rows = std::collections::BTreeMap::new();
    for arrival in &arrivals {
        let (mut values, mut key) = (Vec::new(), Vec::new());
        events.record(arrival.event as usize, &mut values);
        template.write_key(&Record { fields: events.fields(), values: &values }, &mut key).unwrap();
        let bucket = starts.iter().rposition(|start| start.as_ref() <= key.as_slice()).unwrap();
        let (second, writes) = ((arrival.at_nanos / SECOND) as usize, usize::from(arrival.stream % 2 == 1));
        expected[second][bucket][writes] += 1.0;
        let row: &mut [f32; 2] = of_rows.entry((second, bucket, key)).or_default();
        row[writes] += 1.0;
    }
    let mut most = vec![[[0.0f32; 3]; 512]; 4];
    for ((second, bucket, _), [reads, writes]) in of_rows {
        let cell: &mut [f32; 3] = &mut most[second][bucket];
        *cell = [cell[0].max(reads), cell[1].max(writes), cell[2].max(reads + writes)];
    }
    for (metric, column) in [(HeatMetric::Reads, 0), (HeatMetric::Writes, 1), (HeatMetric::Requests, 2)] {
        let heat = map(metric);
        assert_eq!(heat.columns.len(), 4);
        for (second, of) in heat.columns.iter().enumerate() {
            assert_eq!((of.second, of.seconds, of.values.len()), (second as u32, 1, starts.len()));
            for (bucket, (value, peak)) in of.values.iter().zip(&of.most).enumerate() {
                let [reads, writes] = expected[second][bucket];
                assert_eq!(*value, [reads, writes, reads + writes][column], "{metric:?} {second} {bucket}");
                assert_eq!(
                    *peak, most[second][bucket][column],
                    "the most of a row: {metric:?} {second} {bucket}"
                );
            }
        }
    }
    // The sum over the buckets of a second equals the history's count of that second, for requests
    // and for the time of cores.
    let (requests, history) = (map(HeatMetric::Requests), run.chunk(&HAVE).history);
    for (column, second) in requests.columns.iter().zip(&history) {
        assert_eq!(column.values.iter().sum::<f32>(), second.all.arrived as f32);
    }
    let cores: f32 = map(HeatMetric::Cpu).columns.iter().flat_map(|column| &column.values).sum();
    let busy: f32 = history.iter().flat_map(|second| &second.nodes).map(|node| node.cpu * 4.0).sum();
    assert!((cores / busy - 1.0).abs() < 0.1, "{cores} {busy}");
    for metric in HeatMetric::ALL {
        let columns = map(metric).columns;
        let most =
            columns.iter().flat_map(|column| &column.most).fold(0.0f32, |most, value| most.max(*value));
        assert!(most > 0.0 && most.is_finite(), "{metric:?}: {most}");
    }
}

#[test]
fn one_hot_row_is_visible_as_the_most_of_a_row() {
    let events = events();
    let hot = KeyChoice::Hot { field: None, value: None, share: 0.5 };
    let reads = |keys| simulate(&events, SPREAD, vec![stream(StreamKind::PointReads, 8_000.0, keys)], 2, 2);
    let most = |run: &SimulationRun, metric| {
        let columns = run.chunk(&SimulationHave { metric, ..HAVE }).heat.columns;
        columns.iter().flat_map(|column| &column.most).fold(0.0f32, |most, value| most.max(*value))
    };
    let (hot, even) = (reads(hot), reads(KeyChoice::AsEvents));
    assert!((3_500.0..4_500.0).contains(&most(&hot, HeatMetric::Reads)));
    assert!(most(&even, HeatMetric::Reads) < 20.0);
    // A node serves about 17,000 such reads per second, or more if rows are small.
    assert!(
        (0.08..0.4).contains(&most(&hot, HeatMetric::ReadPressure)),
        "{}",
        most(&hot, HeatMetric::ReadPressure)
    );
    assert!(most(&even, HeatMetric::ReadPressure) < 0.01);
}

#[test]
fn rows_that_the_traffic_writes_belong_to_the_row_that_they_share() {
    let events = events();
    let writes = || vec![stream(StreamKind::WriteEvents, 8_000.0, KeyChoice::AsEvents)];
    let most = |template| {
        let columns = simulate(&events, template, writes(), 2, 2).chunk(&HAVE).heat.columns;
        columns.iter().flat_map(|column| &column.most).fold(0.0f32, |most, value| most.max(*value))
    };
    assert!(most("{app_id}") > 1_000.0, "three rows get all requests");
    assert_eq!(most(SPREAD), 1.0, "each event has a row of its own");
}

#[test]
fn the_history_has_each_second() {
    let events = events();
    let streams = vec![
        stream(StreamKind::PointReads, 3_000.0, KeyChoice::AsEvents),
        stream(StreamKind::Updates, 500.0, KeyChoice::AsEvents),
    ];
    let run = simulate(&events, SPREAD, streams, 3, 5);
    let chunk = run.chunk(&HAVE);
    assert_eq!((chunk.seconds, chunk.seconds_total, chunk.history.len(), chunk.streams.len()), (5, 5, 5, 2));
    let sum = |of: fn(&tabletop_protocol::StreamSecond) -> u32| {
        chunk.history.iter().map(|second| u64::from(of(&second.all))).sum::<u64>()
    };
    let report = run.report();
    assert_eq!(sum(|all| all.arrived), report.all.arrived);
    assert_eq!(sum(|all| all.answered), report.all.answered);
    assert_eq!(chunk.totals[0].arrived, report.all.arrived);
    assert_eq!(chunk.totals[2].name, report.streams[1].name);
    assert_eq!(Some(chunk.totals[0].latency_micros[2]), report.all.latency_micros_p99);
    for second in &chunk.history {
        assert_eq!(second.nodes.len(), 3);
        assert_eq!(second.streams.iter().map(|stream| stream.arrived).sum::<u32>(), second.all.arrived);
        assert!(second.nodes.iter().all(|node| node.cpu > 0.0 && node.tablets > 0));
        assert!(second.hottest.is_some_and(|(_, share)| share > 0.0 && share < 1.0));
    }
    // Each tablet is on the node that the history of nodes says.
    let mut placed = std::collections::BTreeMap::new();
    for place in &chunk.places {
        match place.node {
            Some(node) => placed.insert(place.tablet, node),
            None => placed.remove(&place.tablet),
        };
    }
    for node in &chunk.history[4].nodes {
        assert_eq!(placed.values().filter(|at| **at == node.id).count() as u32, node.tablets);
    }
    let rest = run.chunk(&SimulationHave {
        seconds: 3,
        places: chunk.places.len() as u32,
        heat: chunk.heat.revision,
        ..HAVE
    });
    assert_eq!((rest.history_from, rest.history.as_slice()), (3, &chunk.history[3..]));
    assert_eq!(
        (rest.places.len(), rest.heat.keep, rest.heat.columns.len(), rest.heat.starts.len()),
        (0, 5, 0, 0)
    );
}

#[test]
fn changes_are_applied_at_their_times() {
    let events = events();
    let change = |at_seconds, what| ClusterChange { at_seconds, what };
    let traffic = |changes| {
        let run = TrafficRun { nodes: 3, seconds: 12, changes, ..TrafficRun::default() };
        let streams = vec![stream(StreamKind::PointReads, 300.0, KeyChoice::AsEvents)];
        Traffic { streams, seed: 5, run, ..Traffic::default() }
    };
    // The second tablet is at the second node.
    let second = run_of(&events, SPREAD, &traffic(Vec::new())).chunk(&HAVE).places.swap_remove(1);
    assert_eq!(second.node, Some(1));
    let changes = vec![
        change(2, ChangeKind::Move { row: tabletop_model::escape(second.start.as_ref()), to: "a".into() }),
        change(2, ChangeKind::Move { row: "a".into(), to: "ZZ".into() }),
        change(4, ChangeKind::Nodes(5)),
        change(7, ChangeKind::Fail("C".into())),
        change(7, ChangeKind::Fail("Q".into())),
    ];
    let chunk = run_of(&events, SPREAD, &traffic(changes)).chunk(&HAVE);
    let moved = chunk.places.iter().find(|place| place.second > 0).unwrap();
    assert_eq!((moved.second, moved.tablet, moved.node), (3, second.tablet, Some(0)), "{:?}", chunk.places);
    let nodes: Vec<usize> = chunk.history.iter().map(|second| second.nodes.len()).collect();
    assert_eq!(nodes, [3, 3, 3, 3, 5, 5, 5, 4, 4, 4, 4, 4]);
    let events: Vec<_> = chunk
        .cluster_events
        .iter()
        .map(|event| (event.at_millis, event.kind(), event.cause.clone()))
        .collect();
    for expected in [
        (4_000, ClusterEventKind::Resize, ClusterEventCause::Added { node: "D".into() }),
        (4_000, ClusterEventKind::Resize, ClusterEventCause::Added { node: "E".into() }),
        (7_000, ClusterEventKind::Failure, ClusterEventCause::Failed { node: "C".into() }),
    ] {
        assert!(events.contains(&expected), "{expected:?}: {events:?}");
    }
    assert_eq!((events[0].0, events[0].1), (2_000, ClusterEventKind::Move));
}

#[test]
fn a_load_test_adds_reads_of_all_rows_and_changes_no_other_request() {
    let events = events();
    let traffic = |load_test| {
        let run = TrafficRun { nodes: 2, seconds: 6, load_test, ..TrafficRun::default() };
        let streams = vec![stream(StreamKind::Updates, 400.0, KeyChoice::AsEvents)];
        Traffic { streams, seed: 5, run, ..Traffic::default() }
    };
    let tested = Some(LoadTest { per_second: 600.0, from_seconds: 2, for_seconds: 3 });
    let heat = |run: &SimulationRun, metric| run.chunk(&SimulationHave { metric, ..HAVE }).heat.columns;
    let (with, without) =
        (run_of(&events, "{user_token}", &traffic(tested)), run_of(&events, "{user_token}", &traffic(None)));
    assert_eq!(
        heat(&with, HeatMetric::Writes),
        heat(&without, HeatMetric::Writes),
        "the same requests at the same times"
    );
    let chunk = with.chunk(&HAVE);
    assert_eq!(chunk.streams, ["Updates", "Load test"]);
    let read: Vec<u32> = chunk.history.iter().map(|second| second.streams[1].arrived).collect();
    assert_eq!([read[0], read[1], read[5]], [0; 3]);
    assert!(read[2..5].iter().all(|reads| (500..700).contains(reads)), "{read:?}");
    // The most frequent user has far more events than others, and as many reads as events.
    let most =
        heat(&with, HeatMetric::Reads).iter().flat_map(|column| column.most.clone()).fold(0.0f32, f32::max);
    assert!(most <= 10.0, "{most}");
}

#[test]
fn steps_of_any_size_have_the_same_result() {
    let events = events();
    let run = TrafficRun {
        seconds: 3,
        load_test: Some(LoadTest { per_second: 50.0, from_seconds: 0, for_seconds: 9 }),
        ..TrafficRun::default()
    };
    let streams = vec![stream(StreamKind::WriteEvents, 3_000.0, KeyChoice::AsEvents)];
    let traffic = Traffic { streams, seed: 5, run, ..Traffic::default() };
    let mut small = begin(&events, SPREAD, &traffic);
    let mut steps = 0;
    while small.step(&events, 7) {
        steps += 1;
    }
    assert_eq!((steps, small.seconds()), (4, 3));
    assert_eq!(small.chunk(&HAVE), run_of(&events, SPREAD, &traffic).chunk(&HAVE));
}

#[test]
fn writes_of_an_ever_growing_key_are_a_diagonal() {
    let events = events();
    let writes = vec![stream(StreamKind::WriteEvents, 8_000.0, KeyChoice::AsEvents)];
    let columns = simulate(&events, BY_TIME, writes, 2, 8).chunk(&HAVE).heat.columns;
    let hottest: Vec<usize> = columns
        .iter()
        .map(|column| {
            (0..column.values.len())
                .max_by(|a, b| column.values[*a].total_cmp(&column.values[*b]))
                .expect("buckets")
        })
        .collect();
    assert_eq!(hottest.len(), 8);
    assert!(hottest.windows(2).all(|pair| pair[0] < pair[1]), "{hottest:?}");
}

#[test]
fn throughput_grows_with_the_nodes_unless_one_row_is_hot() {
    // This is what the page measures, for a key that spreads writes and for one that begins with
    // the time.
    let events = events();
    for template in [SPREAD, BY_TIME] {
        let answered = |keys, nodes, one| {
            let traffic = Traffic::scaling(keys, nodes, one, StorageMedium::Ssd);
            let chunk = run_of(&events, template, &traffic).chunk(&HAVE);
            let placed = chunk.places.iter().filter(|place| place.second == 0).count();
            assert!(
                placed >= 256,
                "all nodes have tablets from the beginning, not those that the first splits leave them: {placed}"
            );
            scaling_answered(&chunk.history)
        };
        for (keys, is_linear) in [(ScalingKeys::Even, true), (ScalingKeys::OneRow, false)] {
            let one = answered(keys, 1, None);
            for nodes in SCALING_NODES {
                let times = answered(keys, nodes, Some(one)) / one;
                let expected = if is_linear { f64::from(nodes) } else { 1.0 };
                assert!(
                    (times / expected - 1.0).abs() <= 0.05,
                    "{template}, {keys:?}, {nodes} nodes: {times:.2} times {one:.0}"
                );
            }
        }
    }
}

#[test]
fn a_trace_is_replayed_at_its_own_times_for_its_own_rows() {
    let events = events();
    let table = table(&events, SPREAD);
    let mut values = Vec::new();
    let mut key_of = |event: usize| {
        let (template, mut key) = (table.mapping().unwrap().writer.template(), Vec::new());
        events.record(event, &mut values);
        template.write_key(&Record { fields: events.fields(), values: &values }, &mut key).unwrap();
        String::from_utf8(key).unwrap()
    };
    let (known, unknown) = (key_of(7), "~ no event has this key".to_string());
    let replay = |operation, requests: Vec<(f64, String)>| Stream {
        name: format!("{operation:?}"),
        ..stream(StreamKind::Replay(Replay::new(operation, requests)), 1.0, KeyChoice::AsEvents)
    };
    let streams = vec![
        // This is more than the engine executes in full.
        replay(
            ReplayOperation::Read,
            (0..9_000).map(|at| (1.0 + f64::from(at) / 9_000.0, known.clone())).collect(),
        ),
        replay(ReplayOperation::Write, vec![(0.5, unknown.clone()), (3.0, unknown.clone())]),
        replay(ReplayOperation::Scan, vec![(2.0, known.clone())]),
        replay(ReplayOperation::ReadModifyWrite, vec![(2.0, known.clone())]),
        replay(ReplayOperation::Delete, vec![(3.5, unknown.clone())]),
    ];
    let run = TrafficRun { nodes: 4, seconds: 4, ..TrafficRun::default() };
    let traffic = Traffic { streams, seed: 5, run, ..Traffic::default() };
    let run = run_of(&events, SPREAD, &traffic);
    let chunk = run.chunk(&HAVE);
    assert!(chunk.executed_every > 1, "most requests are not executed");
    assert_eq!(chunk.history.iter().map(|second| second.all.arrived).collect::<Vec<_>>(), [1, 9_000, 2, 2]);
    let report = run.report();
    assert_eq!((report.all.arrived, report.all.refused, report.refusal.clone()), (9_005, 0, None));
    // All reads are of one row, so of one bucket. The writes are of another bucket.
    let of = |metric| run.chunk(&SimulationHave { metric, ..HAVE }).heat;
    let (reads, writes) = (of(HeatMetric::Reads), of(HeatMetric::Writes));
    let bucket = |key: &str| reads.starts.iter().rposition(|start| start.as_ref() <= key.as_bytes()).unwrap();
    let busy = |values: &[f32]| (0..values.len()).filter(|at| values[*at] > 0.0).collect::<Vec<_>>();
    assert_eq!(busy(&reads.columns[1].values), [bucket(&known)]);
    assert_eq!(reads.columns[1].values[bucket(&known)], 9_000.0);
    assert_eq!(busy(&writes.columns[0].values), [bucket(&unknown)]);
    assert_ne!(bucket(&known), bucket(&unknown));
    // The same requests arrive, whatever the number of nodes.
    let again =
        run_of(&events, SPREAD, &Traffic { run: TrafficRun { nodes: 1, ..traffic.run.clone() }, ..traffic });
    assert_eq!(again.report().all.arrived, 9_005);
}
