use super::*;
use std::collections::BTreeMap;
use std::sync::Arc;

use tabletop_keys::{Field, FieldKind};
use tabletop_workspace::{
    GeneratorSettings, KeyChoice, Replay, ReplayOperation, Schedule, Stream, StreamKind, Traffic,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::{Events, Generator};

const SECOND: u64 = 1_000_000_000;

fn stream(name: &str, what: StreamKind, per_second: f64, keys: KeyChoice) -> Stream {
    Stream { name: name.into(), what, per_second, keys, when: Schedule::Constant }
}

fn reads(per_second: f64, keys: KeyChoice) -> Traffic {
    Traffic {
        streams: vec![stream("reads", StreamKind::PointReads, per_second, keys)],
        seed: 7,
        ..Traffic::default()
    }
}

/// Events of users `u0`, `u1` …, of which the user at index `i` has `counts[i]` events, one user
/// after the other. A last event has no user.
fn events_of_users(counts: &[usize]) -> Events {
    let mut events =
        Events::new(vec![Field::new("at", FieldKind::Time), Field::new("user", FieldKind::Text)]);
    for (user, &count) in counts.iter().enumerate() {
        for at in 0..count {
            events.push(&[Some(&at.to_string()), Some(&format!("u{user}"))]).unwrap();
        }
    }
    events.push(&[Some("0")]).unwrap();
    events
}

fn start(traffic: &Traffic, events: &Events) -> Arrivals {
    let population = Arc::new(Population::new(events, usize::MAX, traffic));
    Arrivals::new(traffic, population).unwrap()
}

fn run(traffic: &Traffic, events: &Events, seconds: u64) -> Vec<Arrival> {
    let mut out = Vec::new();
    start(traffic, events).tick(seconds * SECOND, &mut out);
    out
}

/// Compares counts with what a law expects of each: within five standard deviations of its binomial
/// distribution. Counts that are expected to be below 20 are added together.
fn assert_frequencies(counts: &[u64], expected_shares: &[f64], what: &str) {
    assert_eq!(counts.len(), expected_shares.len(), "{what}");
    let total = counts.iter().sum::<u64>() as f64;
    let sum: f64 = expected_shares.iter().sum();
    assert!((sum - 1.0).abs() < 1e-9, "{what}: shares add up to {sum}");
    let check = |what: &str, count: f64, share: f64| {
        let (expected, allowed) =
            (total * share, 5.0 * (total * share * (1.0 - share)).max(0.0).sqrt() + 1e-6);
        assert!(
            (count - expected).abs() <= allowed,
            "{what}: {count} times, not {expected:.0} ± {allowed:.0}"
        );
    };
    let (mut rare_count, mut rare_share) = (0.0, 0.0);
    for (index, (&count, &share)) in counts.iter().zip(expected_shares).enumerate() {
        if total * share < 20.0 {
            rare_count += count as f64;
            rare_share += share;
        } else {
            check(&format!("{what}, {index}"), count as f64, share);
        }
    }
    check(&format!("{what}, the rare ones"), rare_count, rare_share);
}

/// Returns how often each loaded event was chosen.
fn counts_of(arrivals: &[Arrival], events: usize) -> Vec<u64> {
    let mut counts = vec![0; events];
    arrivals.iter().for_each(|arrival| counts[arrival.event as usize] += 1);
    counts
}

#[test]
fn requests_per_second_have_the_poisson_distribution() {
    let events = events_of_users(&[3]);
    for per_second in [0.5, 20.0, 3_000.0] {
        let seconds = if per_second > 100.0 { 400 } else { 40_000 };
        let mut counts = vec![0.0; seconds as usize];
        for arrival in run(&reads(per_second, KeyChoice::AsEvents), &events, seconds) {
            counts[(arrival.at_nanos / SECOND) as usize] += 1.0;
        }
        let n = seconds as f64;
        let mean = counts.iter().sum::<f64>() / n;
        assert!(
            (mean - per_second).abs() < 5.0 * (per_second / n).sqrt(),
            "{per_second}/s: {mean} on average"
        );
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / (n - 1.0);
        // The variance of the estimate of a Poisson variance is (rate + 2 rate²) / n.
        let allowed = 5.0 * ((per_second + 2.0 * per_second * per_second) / n).sqrt();
        assert!((variance - per_second).abs() < allowed, "{per_second}/s: variance {variance} ± {allowed}");
    }
}

#[test]
fn times_between_requests_are_exponential() {
    let arrivals = run(&reads(50.0, KeyChoice::AsEvents), &events_of_users(&[3]), 4_000);
    let mut gaps: Vec<f64> = arrivals
        .windows(2)
        .map(|pair| (pair[1].at_nanos - pair[0].at_nanos) as f64 * 50.0 / SECOND as f64)
        .collect();
    gaps.sort_by(f64::total_cmp);
    let n = gaps.len() as f64;
    // The statistic of Kolmogorov and Smirnov; above 1.95 / √n with a probability of a thousandth.
    let far = |(index, gap): (usize, &f64)| {
        let law = 1.0 - (-gap).exp();
        (law - index as f64 / n).abs().max((law - (index + 1) as f64 / n).abs())
    };
    let statistic = gaps.iter().enumerate().map(far).fold(0.0, f64::max);
    assert!(statistic < 1.95 / n.sqrt(), "{statistic} of {n} gaps");
}

#[test]
fn each_stream_has_its_share_in_the_order_of_time() {
    let rates = [100.0, 0.0, 700.0, 200.0, 0.0];
    let of_rate = |(at, &rate): (usize, &f64)| {
        stream(&at.to_string(), StreamKind::PointReads, rate, KeyChoice::AsEvents)
    };
    let streams = rates.iter().enumerate().map(of_rate).collect();
    let arrivals = run(&Traffic { streams, seed: 3, ..Traffic::default() }, &events_of_users(&[3]), 100);
    assert!(arrivals.is_sorted_by_key(|arrival| arrival.at_nanos));
    let mut counts = vec![0; rates.len()];
    arrivals.iter().for_each(|arrival| counts[usize::from(arrival.stream)] += 1);
    assert_frequencies(&counts, &rates.map(|rate| rate / 1_000.0), "streams");
}

#[test]
fn a_schedule_changes_the_rate() {
    let mut traffic = reads(1_000.0, KeyChoice::AsEvents);
    let mut check = |when: Schedule, expected: &[f64]| {
        traffic.streams[0].when = when;
        let mut counts = vec![0.0; expected.len()];
        for arrival in run(&traffic, &events_of_users(&[3]), expected.len() as u64) {
            counts[(arrival.at_nanos / SECOND) as usize] += 1.0;
        }
        for (second, (count, expected)) in counts.iter().zip(expected).enumerate() {
            let expected = expected * 1_000.0;
            assert!(
                (count - expected).abs() <= 5.0 * expected.sqrt(),
                "{when:?}: {count} in second {second}, not {expected}"
            );
        }
    };
    check(Schedule::Sudden { factor: 10.0, from_seconds: 1.0, for_seconds: 1.5 }, &[1.0, 10.0, 5.5, 1.0]);
    check(Schedule::Sudden { factor: 0.0, from_seconds: 1.0, for_seconds: 2.0 }, &[1.0, 0.0, 0.0, 1.0]);
    // Steps of a tenth of a second have the factor at their start: a straight line is lower by half
    // a step.
    check(Schedule::Ramp { factor: 5.0, from_seconds: 1.0, until_seconds: 3.0 }, &[1.0, 1.9, 3.9, 5.0]);
    // Means of the wave over a quarter of its period: 1/2 ± 1/π around 0.5, and the half step.
    let wave = Schedule::Periodic { period_seconds: 4.0, peak_seconds: 0.0, low: 0.0 };
    let (high, low, half_step) = (0.5 + 1.0 / std::f64::consts::PI, 0.5 - 1.0 / std::f64::consts::PI, 0.025);
    check(wave, &[high + half_step, low + half_step, low - half_step, high - half_step]);
}

#[test]
fn a_choice_as_the_events_are_or_uniform_has_its_law() {
    let counts = [1, 2, 7];
    let events = events_of_users(&counts);
    let arrivals = run(&reads(1_000.0, KeyChoice::AsEvents), &events, 200);
    assert_frequencies(&counts_of(&arrivals, 11), &[1.0 / 11.0; 11], "as events");
    let arrivals = run(&reads(1_000.0, KeyChoice::Uniform { field: "user".into() }), &events, 200);
    let shares: Vec<f64> =
        counts.iter().flat_map(|&count| vec![1.0 / 3.0 / count as f64; count]).chain([0.0]).collect();
    assert_frequencies(&counts_of(&arrivals, 11), &shares, "uniform");
}

#[test]
fn zipfs_law_holds_for_events_and_for_values() {
    // Fewer ranks than the table has, and more.
    for (n, exponent) in [(1u32, 1.0), (40, 0.0), (40, 1.3), (6_000, 0.6), (6_000, 0.99), (6_000, 3.0)] {
        let total: f64 = (1..=n).map(|rank| f64::from(rank).powf(-exponent)).sum();
        let law: Vec<f64> = (1..=n).map(|rank| f64::from(rank).powf(-exponent) / total).collect();
        let place_of: Vec<usize> = {
            let order = super::choice::Permutation::new(n.into());
            (0..n).map(|place| order.of(place.into()) as usize).collect()
        };
        let mut sorted = place_of.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..n as usize), "each event has one rank");
        let mut events = events_of_users(&[n as usize - 1]);
        let arrivals = run(&reads(3_000.0, KeyChoice::Zipf { field: None, exponent }), &events, 100);
        let counts = counts_of(&arrivals, n as usize);
        let by_rank: Vec<u64> = place_of.iter().map(|&event| counts[event]).collect();
        assert_frequencies(&by_rank, &law, &format!("events, {n}, {exponent}"));

        // Each user has one event.
        events = events_of_users(&vec![1; n as usize]);
        let traffic = reads(3_000.0, KeyChoice::Zipf { field: Some("user".into()), exponent });
        let arrivals = run(&traffic, &events, 100);
        let population = Population::new(&events, usize::MAX, &traffic);
        let counts = counts_of(&arrivals, n as usize + 1);
        let by_rank: Vec<u64> =
            (0..n as usize).map(|value| counts[population.event_of(0, value) as usize]).collect();
        assert_frequencies(&by_rank, &law, &format!("values, {n}, {exponent}"));
    }
}

#[test]
fn the_most_frequent_value_does_not_depend_on_the_order() {
    let traffic = reads(1_000.0, KeyChoice::Zipf { field: Some("user".into()), exponent: 2.0 });
    let most = |names: &[String]| {
        let mut events = Events::new(vec![Field::new("user", FieldKind::Text)]);
        names.iter().for_each(|name| events.push(&[Some(name)]).unwrap());
        let counts = counts_of(&run(&traffic, &events, 10), names.len());
        let most = (0..names.len()).max_by_key(|&event| counts[event]).unwrap();
        (most, names[most].clone())
    };
    let mut names: Vec<String> = (0..100).map(|at| format!("user {at:02}")).collect();
    let (place, name) = most(&names);
    names.reverse();
    assert_eq!(most(&names), (99 - place, name.clone()));
    names.rotate_left(17);
    assert_eq!(most(&names).1, name);
    assert!(place > 0, "the first text is the most frequent");
}

#[test]
fn a_hot_value_has_its_share() {
    let counts = [30, 100, 20];
    let events = events_of_users(&counts);
    let hot = |field: Option<&str>, value: Option<&str>| KeyChoice::Hot {
        field: field.map(Into::into),
        value: value.map(Into::into),
        share: 0.6,
    };
    let check = |keys: KeyChoice, start: usize, end: usize| {
        let arrivals = run(&reads(2_000.0, keys.clone()), &events, 100);
        let shares: Vec<f64> = (0..151)
            .map(|at| 0.4 / 151.0 + if (start..end).contains(&at) { 0.6 / (end - start) as f64 } else { 0.0 })
            .collect();
        assert_frequencies(&counts_of(&arrivals, 151), &shares, &format!("{keys:?}"));
    };
    check(hot(Some("user"), None), 30, 130);
    check(hot(Some("user"), Some("u2")), 130, 150);
    let counts = counts_of(&run(&reads(2_000.0, hot(None, None)), &events, 100), 151);
    let hottest = (0..151).max_by_key(|&event| counts[event]).unwrap();
    check(hot(None, None), hottest, hottest + 1);
    let whole = |share| {
        reads(2_000.0, KeyChoice::Hot { field: Some("user".into()), value: Some("u0".into()), share })
    };
    assert!(run(&whole(1.0), &events, 10).iter().all(|arrival| arrival.event < 30));
    assert_frequencies(&counts_of(&run(&whole(0.0), &events, 100), 151), &[1.0 / 151.0; 151], "no share");
}

#[test]
fn sequential_requests_go_round() {
    let arrivals = run(&reads(100.0, KeyChoice::Sequential), &events_of_users(&[4, 2]), 10);
    assert!(arrivals.len() > 800);
    assert!(arrivals.iter().map(|arrival| arrival.event).eq((0..7).cycle().take(arrivals.len())));
}

#[test]
fn new_events_continue_after_the_loaded_ones() {
    let events = events_of_users(&[4, 2]);
    let traffic = Traffic {
        streams: vec![
            stream("writes", StreamKind::WriteEvents, 100.0, KeyChoice::AsEvents),
            stream("reads", StreamKind::PointReads, 300.0, KeyChoice::Latest { exponent: 1.0 }),
        ],
        seed: 5,
        ..Traffic::default()
    };
    let mut arrivals = start(&traffic, &events);
    let mut out = Vec::new();
    arrivals.tick(500 * SECOND, &mut out);
    let mut newest = 6;
    let mut ages = vec![0; 7];
    for arrival in &out {
        assert_eq!(u64::from(arrival.like), arrival.event % 7, "writes are in the order of the events");
        if arrival.stream == 0 {
            newest += 1;
            assert_eq!(arrival.event, newest);
        } else {
            ages[(newest - arrival.event) as usize] += 1;
        }
    }
    assert_eq!(arrivals.written(), newest - 6);
    let total: f64 = (1..=7).map(|rank| 1.0 / f64::from(rank)).sum();
    let law: Vec<f64> = (1..=7).map(|rank| 1.0 / f64::from(rank) / total).collect();
    assert_frequencies(&ages, &law, "ages");
}

#[test]
fn new_events_of_a_hot_value_have_its_values() {
    let events = events_of_users(&[30, 100, 20]);
    let hot = KeyChoice::Hot { field: Some("user".into()), value: Some("u0".into()), share: 1.0 };
    let traffic = Traffic {
        streams: vec![
            stream("writes", StreamKind::WriteEvents, 100.0, hot),
            stream("reads", StreamKind::PointReads, 300.0, KeyChoice::Latest { exponent: 0.0 }),
        ],
        seed: 5,
        ..Traffic::default()
    };
    let mut likes: BTreeMap<u64, u32> = (0..151).map(|event| (u64::from(event), event)).collect();
    let mut reads_of_written = 0;
    for arrival in run(&traffic, &events, 20) {
        if arrival.stream == 0 {
            assert_eq!(arrival.event, likes.len() as u64, "numbers have no gaps");
            assert!(arrival.like < 30);
            likes.insert(arrival.event, arrival.like);
        } else {
            assert_eq!(arrival.like, likes[&arrival.event], "event {}", arrival.event);
            assert!(arrival.event + 151 >= likes.len() as u64, "an event older than the newest 151");
            reads_of_written += u32::from(arrival.event >= 151);
        }
    }
    assert!(likes.len() > 151 * 10 && reads_of_written > 1_000);
}

fn generated(events: u32) -> Events {
    let settings = GeneratorSettings { seed: 42, events, apps: 4, users: 300, user_skew: 1.1 };
    let mut generator = Generator::new(&settings);
    let mut made = Events::new(generator.fields());
    generator.fill(&mut made, events).unwrap();
    made
}

/// Returns a traffic with all choices and schedules, of generated events.
fn all_kinds() -> Traffic {
    let user = || Some(String::from("user_token"));
    let zipf = |field| KeyChoice::Zipf { field, exponent: 0.99 };
    let choices = [
        (StreamKind::WriteEvents, KeyChoice::AsEvents),
        (StreamKind::WriteEvents, zipf(user())),
        (StreamKind::PointReads, KeyChoice::Latest { exponent: 0.5 }),
        (StreamKind::Updates, zipf(None)),
        (StreamKind::Deletes, KeyChoice::Uniform { field: "event_type".into() }),
        (StreamKind::Scans { rows: 10 }, KeyChoice::Sequential),
        (StreamKind::ReadModifyWrite, KeyChoice::Hot { field: user(), value: None, share: 0.3 }),
        (StreamKind::PointReads, KeyChoice::Hot { field: None, value: None, share: 0.3 }),
    ];
    let schedules = [
        Schedule::Constant,
        Schedule::Ramp { factor: 4.0, from_seconds: 0.1, until_seconds: 0.9 },
        Schedule::Sudden { factor: 3.0, from_seconds: 0.3, for_seconds: 0.5 },
        Schedule::Periodic { period_seconds: 1.0, peak_seconds: 0.5, low: 0.2 },
    ];
    let streams = choices.into_iter().enumerate().map(|(at, (what, keys))| Stream {
        when: schedules[at % schedules.len()],
        ..stream(&at.to_string(), what, 700.0 + at as f64, keys)
    });
    Traffic { streams: streams.collect(), seed: 99, ..Traffic::default() }
}

/// Runs natively and in wasm: both must produce this number. Changing it changes the simulation of
/// every shared link.
#[test]
fn the_same_seed_gives_the_same_requests_everywhere() {
    let arrivals = run(&all_kinds(), &generated(3_000), 2);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for arrival in &arrivals[..10_000] {
        for word in [arrival.at_nanos, arrival.event, arrival.like.into(), arrival.stream.into()] {
            hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    assert_eq!(hash, 4_914_153_025_829_781_923);
}

#[test]
fn time_slices_of_any_length_give_the_same_requests() {
    let (traffic, events) = (all_kinds(), generated(1_000));
    let whole = run(&traffic, &events, 2);
    for slice in [1_000_000, 16_666_667, 100_000_000, 999_999_999] {
        let mut arrivals = start(&traffic, &events);
        let (mut out, mut until) = (Vec::new(), 0);
        while until < 2 * SECOND {
            let before = out.len();
            let from = until;
            until = (until + slice).min(2 * SECOND);
            arrivals.tick(until, &mut out);
            assert!(out[before..].iter().all(|arrival| (from..until).contains(&arrival.at_nanos)));
        }
        assert!(out == whole, "slices of {slice} ns");
    }
    let other = Traffic { seed: 100, ..traffic };
    assert_ne!(run(&other, &events, 2), whole);
}

#[test]
fn a_replayed_request_arrives_as_often_as_it_stands_for() {
    let events = events_of_users(&[3]);
    let replay = Replay {
        one_of: 7,
        speed: 2.0,
        ..Replay::new(ReplayOperation::Read, vec![(0.0, "a".into()), (1.0, "b".into()), (1.0, "c".into())])
    };
    let traffic = Traffic {
        streams: vec![stream("log", StreamKind::Replay(replay), 1.0, KeyChoice::AsEvents)],
        ..Traffic::default()
    };
    let sent = run(&traffic, &events, 3);
    let of = |event: u64| {
        let times = sent.iter().filter(|arrival| arrival.event == event).map(|arrival| arrival.at_nanos);
        times.collect::<Vec<u64>>()
    };
    assert_eq!(of(0), (0..7).map(|copy| copy * SECOND / 7).collect::<Vec<_>>());
    assert_eq!(of(2), (0..7).map(|copy| SECOND / 2 + copy * SECOND / 7).collect::<Vec<_>>());
    assert!(of(1) == of(2) && sent.len() == 21);
    for slice in [1_000_003, SECOND / 7, SECOND / 7 + 1, SECOND] {
        let (mut arrivals, mut sliced) = (start(&traffic, &events), Vec::new());
        for until in (slice..3 * SECOND + slice).step_by(slice as usize) {
            arrivals.tick(until, &mut sliced);
        }
        assert_eq!(sliced, sent, "in slices of {slice} ns");
    }
}

#[test]
fn a_changed_traffic_continues() {
    let events = events_of_users(&[10]);
    let writes = |per_second| Traffic {
        streams: vec![stream("writes", StreamKind::WriteEvents, per_second, KeyChoice::AsEvents)],
        seed: 1,
        ..Traffic::default()
    };
    let mut arrivals = start(&writes(1_000.0), &events);
    let mut out = Vec::new();
    arrivals.tick(10 * SECOND, &mut out);
    let before = out.len();
    let unknown = reads(1.0, KeyChoice::Uniform { field: "shop".into() });
    assert!(arrivals.change(&unknown).is_err());
    arrivals.change(&writes(5_000.0)).unwrap();
    arrivals.tick(20 * SECOND, &mut out);
    assert!(out.iter().map(|arrival| arrival.event).eq(11..11 + arrivals.written()));
    assert!(out[before].at_nanos >= 10 * SECOND && out[before].at_nanos < 10 * SECOND + SECOND / 100);
    let after = (out.len() - before) as f64;
    assert!((after - 50_000.0).abs() < 5.0 * 50_000f64.sqrt(), "{after}");
}

#[test]
fn what_the_events_lack_is_an_error() {
    let events = events_of_users(&[3]);
    let refused = |traffic: &Traffic, events: &Events| {
        Arrivals::new(traffic, Arc::new(Population::new(events, usize::MAX, traffic)))
            .expect_err("it is wrong")
            .message
    };
    let uniform = |field: &str| reads(1.0, KeyChoice::Uniform { field: field.into() });
    assert_eq!(
        refused(&uniform("shop"), &events),
        "traffic.streams[0] needs the field \"shop\", which the events do not have."
    );
    assert_eq!(
        refused(&uniform("user"), &events_of_users(&[])),
        "traffic.streams[0] needs values of the field \"user\", and no event has one."
    );
    let hot = KeyChoice::Hot { field: Some("user".into()), value: Some("u9".into()), share: 0.5 };
    assert_eq!(
        refused(&reads(1.0, hot), &events),
        "traffic.streams[0] needs an event whose user is \"u9\", and there is none."
    );
    assert_eq!(
        refused(&reads(1.0, KeyChoice::AsEvents), &Events::default()),
        "There are no events that requests could be for: load some first."
    );
    assert!(
        refused(&reads(f64::NAN, KeyChoice::AsEvents), &events)
            .starts_with("traffic.streams[0].per_second is NaN;")
    );
    assert_eq!(run(&Traffic::default(), &events, 100), [], "no streams");
    assert_eq!(run(&reads(0.0, KeyChoice::AsEvents), &events, 100), [], "no rate");
}

#[test]
fn a_part_of_the_events_is_a_population() {
    let events = events_of_users(&[10, 20]);
    let traffic = reads(1_000.0, KeyChoice::Zipf { field: Some("user".into()), exponent: 0.5 });
    let population = Arc::new(Population::new(&events, 12, &traffic));
    assert_eq!(population.events(), 12);
    let mut out = Vec::new();
    Arrivals::new(&traffic, population).unwrap().tick(10 * SECOND, &mut out);
    let counts = counts_of(&out, 12);
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

#[cfg(not(target_arch = "wasm32"))]
mod presets {
    use super::*;
    use crate::{Reader, sample, samples};
    use tabletop_advice::{
        LoadedEvents, SUGGEST_EVENTS, TrafficPresetKind, field_roles, look_ups, traffic_presets,
    };
    use tabletop_workspace::{Source, Workspace};

    fn check(name: &str, events: &Events) -> Vec<TrafficPresetKind> {
        let value = |event, field| events.value(event, field);
        let loaded = LoadedEvents { fields: events.fields(), count: events.len(), value: &value };
        let sampled = loaded.sample(SUGGEST_EVENTS);
        let roles: Vec<_> =
            field_roles(events.fields(), &sampled).into_iter().map(|found| found.role).collect();
        let mut workspace = Workspace { source: Source::Sample(name.into()), ..Workspace::default() };
        workspace.queries = look_ups(loaded, &roles).swap_remove(0).patterns;
        let mut refused = Vec::new();
        for preset in traffic_presets(&workspace, events.fields(), &sampled) {
            match preset.traffic {
                Some(traffic) => {
                    assert_eq!(
                        traffic.problems(events.fields(), &workspace.queries),
                        [],
                        "{name}: {:?}",
                        preset.kind
                    );
                    assert!(!run(&traffic, events, 2).is_empty(), "{name}: {:?}", preset.kind);
                }
                None => refused.push(preset.kind),
            }
        }
        refused
    }

    #[test]
    fn presets_suit_the_samples_and_generated_events() {
        assert_eq!(check("generated", &generated(5_000)), []);
        for info in samples() {
            let sample = sample(&info.name).unwrap();
            let path: std::path::PathBuf =
                [env!("CARGO_MANIFEST_DIR"), "..", "..", "www", &sample.path].iter().collect();
            let mut events = Events::default();
            Reader::new(&sample.own).feed(&std::fs::read(path).unwrap(), true, &mut events).unwrap();
            let refused = check(&info.name, &events);
            // They have no field that several events share and users look up.
            let has_none = matches!(info.name.as_str(), "weather" | "earthquakes");
            let expected: &[_] = if has_none { &[TrafficPresetKind::Celebrity] } else { &[] };
            assert_eq!(refused, expected, "{}", info.name);
        }
    }
}
