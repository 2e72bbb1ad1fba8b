//! A node of a whole simulation answers what the page says.

use tabletop_advice::Symptom;
use tabletop_workload::{Events, Reader};
use tabletop_workspace::{
    Format, KeyChoice, OnBadLine, OwnData, Rates, StorageMedium, StreamKind, Traffic, TrafficRun,
};

use super::{HAVE, run_of, stream};

/// Rows of 1 kB with one cell, as Google measures.
fn kilobytes() -> Events {
    let own = OwnData {
        name: String::new(),
        format: Format::Csv,
        fields: Vec::new(),
        on_bad_line: OnBadLine::Skip,
        content: None,
        reading: Default::default(),
    };
    let (mut reader, mut events) = (Reader::new(&own), Events::default());
    let mut text = String::from("id,at,text\n");
    for at in 0..20_000_u64 {
        let noise: String = (0..61)
            .map(|word| format!("{:016x}", (at * 61 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            .collect();
        text += &format!(
            "user{at:05},2020-01-01T{:02}:{:02}:{:02}Z,{noise}\n",
            at / 3_600,
            at / 60 % 60,
            at % 60
        );
    }
    reader.feed(text.as_bytes(), true, &mut events).expect("events");
    assert_eq!(events.len(), 20_000);
    events
}

fn traffic(what: StreamKind, per_second: f64, run: TrafficRun) -> Traffic {
    Traffic {
        streams: vec![stream(what, per_second, KeyChoice::AsEvents)],
        seed: 5,
        run,
        ..Traffic::default()
    }
}

#[test]
fn a_node_is_saturated_at_the_stated_rates_and_keeps_up_below() {
    let events = kilobytes();
    for (storage, what, stated) in [
        (StorageMedium::Ssd, StreamKind::PointReads, 17_000.0),
        (StorageMedium::Hdd, StreamKind::PointReads, 500.0),
        (StorageMedium::Ssd, StreamKind::Updates, 14_000.0),
    ] {
        let report = |share: f64| {
            let run = TrafficRun { nodes: 1, seconds: 40, storage, ..TrafficRun::default() };
            run_of(&events, "{id}", &traffic(what.clone(), stated * share, run)).report()
        };
        let name = format!("{what:?} on {storage:?}");
        let (below, above) = (report(0.9), report(1.3));
        assert!((0.83..0.97).contains(&below.cpu_mean) && below.all.expired == 0, "{name}: {below:?}");
        let answered = above.all.answered as f64 / above.seconds as f64;
        assert!(above.cpu_mean > 0.99 && (answered / stated - 1.0).abs() < 0.1, "{name}: {answered}/s");
    }
}

#[test]
fn cache_hits_make_reads_cheaper() {
    let events = kilobytes();
    let cpu = [0.0, 0.5, 1.0].map(|cache_hit_ratio| {
        let run = TrafficRun { nodes: 1, seconds: 10, cache_hit_ratio, ..TrafficRun::default() };
        run_of(&events, "{id}", &traffic(StreamKind::PointReads, 10_000.0, run)).report().cpu_mean
    });
    assert!(cpu[0] > 1.4 * cpu[2] && cpu[1] > cpu[2] && cpu[0] > cpu[1], "{cpu:?}");
}

#[test]
fn the_number_of_nodes_is_that_of_the_estimate() {
    let events = kilobytes();
    let Rates { node_reads_per_second, utilization, .. } = Rates::default();
    for per_second in [20_000.0, 40_000.0, 80_000.0] {
        let run = TrafficRun { nodes: 1, seconds: 8, ..TrafficRun::default() };
        let found =
            run_of(&events, "{id}", &traffic(StreamKind::PointReads, per_second, run)).chunk(&HAVE).diagnoses;
        let needed = found.iter().find_map(|found| match found.symptom {
            Symptom::TooFewNodes { needed, .. } => Some(needed),
            _ => None,
        });
        let estimated = (per_second / (node_reads_per_second * utilization)).ceil() as u32;
        assert_eq!(needed, Some(estimated), "{per_second}/s: {found:#?}");
    }
}
