//! No moment passes for a good one while requests wait or expire.

use tabletop_advice::{DiagnosisKind, Symptom};
use tabletop_workload::Events;
use tabletop_workspace::{
    AutoscaleRange, ChangeKind, ClusterChange, KeyChoice, Schedule, StorageMedium, Stream, StreamKind,
    Traffic, TrafficRun,
};

use super::{BY_TIME, HAVE, SPREAD, events, run_of, stream};

/// The kinds of traffic that overload some nodes, all of them, or none, for some time.
fn traffics() -> Vec<(String, &'static str, Traffic)> {
    let hot = |share| KeyChoice::Hot { field: Some("user_token".into()), value: None, share };
    let sudden = Schedule::Sudden { factor: 8.0, from_seconds: 10.0, for_seconds: 20.0 };
    let ramp = Schedule::Ramp { factor: 6.0, from_seconds: 5.0, until_seconds: 35.0 };
    let wave = Schedule::Periodic { period_seconds: 12.0, peak_seconds: 6.0, low: 0.1 };
    let even = KeyChoice::AsEvents;
    let autoscale = Some(AutoscaleRange { nodes_min: 1, nodes_max: 10 });
    let fails = vec![ClusterChange { at_seconds: 15, what: ChangeKind::Fail("A".into()) }];
    let added = vec![ClusterChange { at_seconds: 20, what: ChangeKind::Nodes(5) }];
    let run = |nodes, autoscale, changes| TrafficRun {
        nodes,
        seconds: 45,
        autoscale,
        changes,
        ..TrafficRun::default()
    };
    let of = |what: StreamKind, per_second, keys: &KeyChoice, when| Stream {
        when,
        ..stream(what, per_second, keys.clone())
    };
    let mut all = Vec::new();
    for (name, template, stream, run) in [
        (
            "a sale that autoscaling meets too late",
            SPREAD,
            of(StreamKind::PointReads, 10_000.0, &even, sudden),
            run(1, autoscale, vec![]),
        ),
        ("a ramp", SPREAD, of(StreamKind::PointReads, 8_000.0, &even, ramp), run(2, None, vec![])),
        ("short waves", SPREAD, of(StreamKind::Updates, 40_000.0, &even, wave), run(2, None, vec![])),
        (
            "writes at the end",
            BY_TIME,
            of(StreamKind::WriteEvents, 20_000.0, &even, Schedule::Constant),
            run(4, None, vec![]),
        ),
        (
            "a hot user",
            SPREAD,
            of(StreamKind::WriteEvents, 30_000.0, &hot(0.6), Schedule::Constant),
            run(4, None, vec![]),
        ),
        (
            "a hot row",
            SPREAD,
            of(
                StreamKind::PointReads,
                40_000.0,
                &KeyChoice::Hot { field: None, value: None, share: 0.7 },
                Schedule::Constant,
            ),
            run(3, None, vec![]),
        ),
        (
            "a failed node",
            SPREAD,
            of(StreamKind::PointReads, 26_000.0, &even, Schedule::Constant),
            run(2, None, fails),
        ),
        (
            "nodes that come late",
            SPREAD,
            of(StreamKind::PointReads, 45_000.0, &even, Schedule::Constant),
            run(1, None, added),
        ),
        (
            "light traffic",
            SPREAD,
            of(StreamKind::PointReads, 2_000.0, &even, Schedule::Constant),
            run(2, None, vec![]),
        ),
    ] {
        for storage in [StorageMedium::Ssd, StorageMedium::Hdd] {
            let run = TrafficRun { storage, ..run.clone() };
            let traffic = Traffic { streams: vec![stream.clone()], seed: 3, run, ..Traffic::default() };
            all.push((format!("{name} on {storage:?}"), template, traffic));
        }
    }
    all
}

#[test]
fn an_overloaded_moment_always_has_a_serious_diagnosis() {
    let events = events();
    let (mut overloaded, mut calm) = (0, 0);
    for (name, template, traffic) in traffics() {
        let chunk = run_of(&events, template, &traffic).chunk(&HAVE);
        for moment in &chunk.moments {
            let second = &chunk.history[moment.second as usize - 1];
            let kinds: Vec<DiagnosisKind> =
                moment.diagnoses.iter().map(tabletop_advice::Diagnosis::kind).collect();
            if second.is_overloaded() {
                overloaded += 1;
                let expires = second.all.expired > 0;
                assert!(
                    moment.diagnoses.iter().any(|diagnosis| diagnosis.is_serious || !expires),
                    "{name} at {}: {second:?} has {kinds:?}",
                    moment.second
                );
            }
            calm += usize::from(kinds.is_empty());
        }
        for (second, found) in (0..).zip(&chunk.history) {
            let moment = chunk.moment(second).expect("a moment");
            let says_so = !moment.diagnoses.is_empty() || chunk.overloaded(second).is_some();
            assert!(says_so || !found.is_overloaded(), "{name}: nothing is reported at {second}: {found:?}");
        }
    }
    assert!(overloaded > 100 && calm > 50, "{overloaded} overloaded moments and {calm} calm ones");
}

fn at_the_end(events: &Events, traffic: &Traffic, second: u32) -> Vec<Symptom> {
    let chunk = run_of(events, SPREAD, traffic).chunk(&HAVE);
    chunk
        .moment(second)
        .expect("a moment")
        .diagnoses
        .iter()
        .map(|diagnosis| diagnosis.symptom.clone())
        .collect()
}

#[test]
fn a_new_node_does_not_help_until_tablets_have_moved() {
    let events = events();
    let added = vec![ClusterChange { at_seconds: 10, what: ChangeKind::Nodes(2) }];
    let streams = vec![stream(StreamKind::PointReads, 50_000.0, KeyChoice::AsEvents)];
    let run = TrafficRun { nodes: 1, seconds: 30, changes: added, tablets_min: 32, ..TrafficRun::default() };
    let symptoms = at_the_end(&events, &Traffic { streams, seed: 3, run, ..Traffic::default() }, 28);
    let unbalanced = symptoms.iter().find(|symptom| symptom.kind() == DiagnosisKind::Unbalanced);
    let Some(Symptom::Unbalanced { busiest, cpu_most, idlest, cpu_least, expired, is_moving, .. }) =
        unbalanced
    else {
        panic!("{symptoms:?}")
    };
    assert_eq!((busiest.as_str(), idlest.as_str(), is_moving), ("A", "B", &true), "{symptoms:?}");
    assert!(*cpu_most > 0.99 && *cpu_least < 0.7 && *expired > 0.0, "{symptoms:?}");
}

#[test]
fn writes_that_grow_under_a_prefix_are_told_from_a_hot_prefix() {
    let events = events();
    let keys = || KeyChoice::Hot { field: Some("user_token".into()), value: None, share: 0.7 };
    let found = |template: &str, what| {
        let run = TrafficRun { nodes: 4, seconds: 25, ..TrafficRun::default() };
        let traffic =
            Traffic { streams: vec![stream(what, 8_000.0, keys())], seed: 3, run, ..Traffic::default() };
        run_of(&events, template, &traffic).chunk(&HAVE).diagnoses
    };
    let growing = found(SPREAD, StreamKind::WriteEvents);
    let Symptom::SequentialPrefix { share, .. } = growing[0].symptom else { panic!("{growing:#?}") };
    assert!((0.6..0.85).contains(&share), "{growing:#?}");
    let salted = growing[0].fixes[0].patch.template.clone().expect("a fix of the key");
    assert_eq!(found(&salted, StreamKind::WriteEvents), [], "the fix ends it");
    for (what, template) in [(StreamKind::Updates, SPREAD), (StreamKind::PointReads, SPREAD)] {
        let kinds: Vec<DiagnosisKind> =
            found(template, what.clone()).iter().map(tabletop_advice::Diagnosis::kind).collect();
        assert!(!kinds.contains(&DiagnosisKind::SequentialPrefix), "{what:?}: {kinds:?}");
    }
}

#[test]
fn two_sales_are_not_a_period() {
    let events = events();
    let sale = |from_seconds| Stream {
        name: format!("sale at {from_seconds}"),
        when: Schedule::Sudden { factor: 500.0, from_seconds, for_seconds: 10.0 },
        ..stream(StreamKind::PointReads, 10.0, KeyChoice::AsEvents)
    };
    let found = |sales: &[f64]| {
        let mut streams = vec![stream(StreamKind::PointReads, 1_000.0, KeyChoice::AsEvents)];
        streams.extend(sales.iter().map(|at| sale(*at)));
        let run = TrafficRun { nodes: 4, seconds: 180, ..TrafficRun::default() };
        let chunk =
            run_of(&events, SPREAD, &Traffic { streams, seed: 3, run, ..Traffic::default() }).chunk(&HAVE);
        chunk.diagnoses.iter().any(|diagnosis| diagnosis.kind() == DiagnosisKind::PeriodicLoad)
    };
    assert!(!found(&[20.0, 77.0]));
    assert!(!found(&[20.0, 60.0, 150.0]), "three at uneven distances");
    assert!(found(&[20.0, 77.0, 134.0]));
}

#[test]
fn nodes_are_not_recommended_while_a_tablet_needs_more_than_one() {
    let events = events();
    let cores = f64::from(tabletop_cluster::CostModel::on(tabletop_cluster::Medium::Ssd).cores);
    let (mut offered, mut withheld) = (0, 0);
    for (name, template, traffic) in traffics() {
        let chunk = run_of(&events, template, &traffic).chunk(&HAVE);
        for moment in &chunk.moments {
            let second = &chunk.history[moment.second as usize - 1];
            for diagnosis in &moment.diagnoses {
                let Symptom::TooFewNodes { nodes, needed, tablet, .. } = diagnosis.symptom else { continue };
                assert!(needed > nodes, "{name}: {diagnosis:?}");
                assert!(tablet <= 0.95 || diagnosis.cluster_fixes.is_empty(), "{name}: {diagnosis:?}");
                let now = f64::from(second.tablet_cores) / cores;
                assert!(
                    tablet > now / 3.0,
                    "{name}: it is the mean of three seconds: {diagnosis:?} {second:?}"
                );
                if tablet > 0.95 {
                    withheld += 1;
                } else {
                    offered += 1;
                };
            }
        }
    }
    assert!(offered > 20 && withheld > 20, "{offered} offered, {withheld} withheld");
}

#[test]
fn a_failure_does_not_call_for_the_nodes_that_are_there_again_in_a_minute() {
    let events = events();
    let found = |template, what, per_second, nodes| {
        let fails = vec![ClusterChange { at_seconds: 15, what: ChangeKind::Fail("A".into()) }];
        let run = TrafficRun { nodes, seconds: 50, changes: fails, ..TrafficRun::default() };
        let streams = vec![stream(what, per_second, KeyChoice::AsEvents)];
        let traffic = Traffic { streams, seed: 3, run, ..Traffic::default() };
        let chunk = run_of(&events, template, &traffic).chunk(&HAVE);
        let moment = chunk.moment(40).expect("a moment").clone();
        let kinds: Vec<DiagnosisKind> =
            moment.diagnoses.iter().map(tabletop_advice::Diagnosis::kind).collect();
        (kinds, moment.diagnoses.iter().flat_map(|diagnosis| diagnosis.cluster_fixes.clone()).count())
    };
    let (kinds, fixes) = found(BY_TIME, StreamKind::WriteEvents, 25_000.0, 2);
    assert!(kinds.contains(&DiagnosisKind::SequentialWrites), "{kinds:?}");
    assert!(kinds.contains(&DiagnosisKind::FailedNode), "{kinds:?}");
    assert!(!kinds.contains(&DiagnosisKind::TooFewNodes) && fixes == 0, "{kinds:?}");
    let (kinds, fixes) = found(SPREAD, StreamKind::PointReads, 18_000.0, 2);
    assert_eq!((kinds.as_slice(), fixes), ([DiagnosisKind::FailedNode].as_slice(), 0), "2 are enough");
    let (kinds, fixes) = found(SPREAD, StreamKind::PointReads, 30_000.0, 2);
    assert!(kinds.contains(&DiagnosisKind::TooFewNodes) && fixes == 1, "2 are too few: {kinds:?}");
}
