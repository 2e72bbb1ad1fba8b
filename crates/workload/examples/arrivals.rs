//! Measures how long it takes to generate a request, for each choice of keys:
//! `cargo run --release -p tabletop-workload --example arrivals`.

use std::sync::Arc;
use std::time::Instant;

use tabletop_workload::{Arrivals, Events, Generator, Population};
use tabletop_workspace::{GeneratorSettings, KeyChoice, Schedule, Stream, StreamKind, Traffic};

const EVENTS: u32 = 1_000_000;
const REQUESTS: u64 = 2_000_000;

fn main() {
    let mut generator = Generator::new(&GeneratorSettings {
        seed: 1,
        events: EVENTS,
        apps: 3,
        users: 50_000,
        user_skew: 1.0,
    });
    let mut events = Events::new(generator.fields());
    generator.fill(&mut events, EVENTS).expect("they fit");
    let user = || Some(String::from("user_token"));
    let choices = [
        ("as events", KeyChoice::AsEvents),
        ("uniform users", KeyChoice::Uniform { field: "user_token".into() }),
        ("zipf events", KeyChoice::Zipf { field: None, exponent: 0.99 }),
        ("zipf users", KeyChoice::Zipf { field: user(), exponent: 0.99 }),
        ("latest", KeyChoice::Latest { exponent: 0.99 }),
        ("sequential", KeyChoice::Sequential),
        ("hot user", KeyChoice::Hot { field: user(), value: None, share: 0.5 }),
    ];
    let stream = |(name, keys): (&str, KeyChoice)| Stream {
        name: name.into(),
        what: StreamKind::PointReads,
        per_second: 10_000.0,
        keys,
        when: Schedule::Constant,
    };
    let all =
        Traffic { streams: choices.iter().cloned().map(stream).collect(), seed: 1, ..Traffic::default() };
    let start = Instant::now();
    let population = Arc::new(Population::new(&events, EVENTS as usize, &all));
    println!("population of {EVENTS} events and one field: {} ms", start.elapsed().as_millis());
    let measure = |name: &str, traffic: &Traffic| {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(traffic, population.clone()).expect("it has no problems");
        let prepared = start.elapsed();
        let mut out = Vec::new();
        let (start, mut count, mut sum) = (Instant::now(), 0, 0);
        for slice in 1.. {
            arrivals.tick(slice * 50_000_000, &mut out);
            count += out.len() as u64;
            sum += out.drain(..).map(|arrival| arrival.event).sum::<u64>();
            if count >= REQUESTS {
                break;
            }
        }
        let nanos = start.elapsed().as_nanos() as f64 / count as f64;
        println!(
            "{name}: {nanos:.0} ns per request (mean event {}), prepared in {} us",
            sum / count,
            prepared.as_micros()
        );
    };
    for choice in choices {
        let name = choice.0;
        measure(name, &Traffic { streams: vec![stream(choice)], seed: 1, ..Traffic::default() });
    }
    measure("all seven", &all);
}
