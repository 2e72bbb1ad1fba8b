//! Prints how long a simulation takes: `cargo run --release --example simulate -p tabletop-design`.
//!
//! One minute of 100,000 requests per second on 10 nodes, for several kinds of requests, with and
//! without a hot row.

use std::sync::Arc;
use std::time::Instant;

use tabletop_design::{DesignTable, Setting, SimulationRun, Supply};
use tabletop_keys::{Layout, LayoutKind};
use tabletop_protocol::{HeatMetric, SimulationHave};
use tabletop_workload::{Arrivals, Events, Generator, Population};
use tabletop_workspace::{
    ClusterSettings, Design, GeneratorSettings, KeyChoice, Schedule, Stream, StreamKind, Traffic, TrafficRun,
};

fn main() {
    let mut generator = Generator::new(&GeneratorSettings {
        seed: 1,
        events: 100_000,
        apps: 20,
        users: 10_000,
        user_skew: 0.8,
    });
    let mut events = Events::new(generator.fields());
    while generator.left() > 0 {
        generator.fill(&mut events, generator.left()).expect("memory");
    }
    let design = Design::new("Design 1", "{user_token}#{timestamp:iso}", Layout::new(LayoutKind::Narrow));
    let tablets = ClusterSettings::default();
    let mut table = DesignTable::new(1, &design, events.fields(), &tablets);
    while table.step(Supply::all(&events, &tablets), 1_000) {}

    let stream = |what, per_second, keys| Stream {
        name: format!("{what:?} {keys:?}"),
        what,
        per_second,
        keys,
        when: Schedule::Constant,
    };
    let zipf = || KeyChoice::Zipf { field: None, exponent: 0.99 };
    let hot = KeyChoice::Hot { field: None, value: None, share: 0.5 };
    let traffics = [
        (
            "reads, each event equally likely",
            vec![stream(StreamKind::PointReads, 100_000.0, KeyChoice::AsEvents)],
        ),
        ("half of the reads of one row", vec![stream(StreamKind::PointReads, 100_000.0, hot)]),
        (
            "YCSB A",
            vec![
                stream(StreamKind::PointReads, 50_000.0, zipf()),
                stream(StreamKind::Updates, 50_000.0, zipf()),
            ],
        ),
        ("new events", vec![stream(StreamKind::WriteEvents, 100_000.0, KeyChoice::AsEvents)]),
    ];
    println!("{:36} {:>8} {:>12} {:>12} {:>10}", "traffic", "begin", "arrivals", "simulation", "chunk");
    for (name, streams) in traffics {
        let run = TrafficRun { nodes: 10, seconds: 60, ..TrafficRun::default() };
        let traffic = Traffic { streams, seed: 1, run, ..Traffic::default() };
        let population = Arc::new(Population::new(&events, events.len(), &traffic));
        let (mut arrivals, mut slice) =
            (Arrivals::new(&traffic, population.clone()).expect("a valid traffic"), Vec::new());
        let begun = Instant::now();
        let mut requests = 0;
        for tenth in 1..=600 {
            slice.clear();
            arrivals.tick(tenth * 100_000_000, &mut slice);
            requests += slice.len();
        }
        let of_arrivals = begun.elapsed();

        let begun = Instant::now();
        let setting = Setting { events: &events, traffic: &traffic, queries: &[], tablets: &tablets };
        let mut run = SimulationRun::new(&[&table], &setting, population).expect("a complete table");
        let of_begin = begun.elapsed();
        let begun = Instant::now();
        while run.step(&events, 10) {}
        let of_run = begun.elapsed();
        let begun = Instant::now();
        let metric = HeatMetric::Cpu;
        let have = SimulationHave::nothing(metric);
        let chunk = run.chunk(&have);
        let of_chunk = begun.elapsed();
        assert_eq!(chunk.heat.columns.len(), 60);
        let each =
            |time: std::time::Duration| format!("{:.0} ns each", time.as_nanos() as f64 / requests as f64);
        println!(
            "{name:36} {:>5} ms {:>12} {:>12} {:>7} us, {} ms in all",
            of_begin.as_millis(),
            each(of_arrivals),
            each(of_run - of_arrivals),
            of_chunk.as_micros(),
            (of_begin + of_run).as_millis()
        );
    }
}
