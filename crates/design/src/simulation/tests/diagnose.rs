//! For each diagnosis, a traffic that causes it and one that does not.

use tabletop_advice::{Diagnosis, DiagnosisKind, Fix, FixKind, Symptom};
use tabletop_model::escape;
use tabletop_protocol::SimulationHave;
use tabletop_workload::{Events, Reader};
use tabletop_workspace::{
    ChangeKind, ClusterChange, ClusterFix, Format, KeyChoice, OnBadLine, OwnData, Schedule, StorageMedium,
    Stream, StreamKind, Traffic, TrafficRun,
};

use super::{BY_TIME, HAVE, SPREAD, events, run_of, stream};

/// Returns the diagnoses of streams on a template with this many nodes, after this many seconds.
fn found(events: &Events, template: &str, streams: Vec<Stream>, nodes: u32, seconds: u32) -> Vec<Diagnosis> {
    let run = TrafficRun { nodes, seconds, storage: StorageMedium::Ssd, ..TrafficRun::default() };
    let traffic = Traffic { streams, seed: 3, run, ..Traffic::default() };
    run_of(events, template, &traffic).chunk(&HAVE).diagnoses
}

fn kinds(diagnoses: &[Diagnosis]) -> Vec<DiagnosisKind> {
    diagnoses.iter().map(tabletop_advice::Diagnosis::kind).collect()
}

/// Returns the template of a fix.
fn template(fix: &Fix) -> &str {
    fix.patch.template.as_deref().expect("a fix of the key")
}

#[test]
fn even_traffic_has_no_diagnosis() {
    let events = events();
    for what in
        [StreamKind::PointReads, StreamKind::Updates, StreamKind::WriteEvents, StreamKind::Scans { rows: 5 }]
    {
        let even = || vec![stream(what.clone(), 6_000.0, KeyChoice::AsEvents)];
        assert_eq!(found(&events, SPREAD, even(), 4, 8), [], "{what:?}");
    }
    let light = vec![stream(StreamKind::WriteEvents, 20.0, KeyChoice::AsEvents)];
    assert_eq!(found(&events, BY_TIME, light, 1, 8), [], "a few writes show no place");
}

#[test]
fn a_hot_row_is_found_with_its_key_and_its_share() {
    let events = events();
    let hot = |share, per_second| {
        let keys = KeyChoice::Hot { field: None, value: None, share };
        vec![stream(StreamKind::PointReads, per_second, keys)]
    };
    let diagnoses = found(&events, SPREAD, hot(0.6, 40_000.0), 4, 6);
    let row = &diagnoses[0];
    assert_eq!(
        (row.kind(), row.is_serious, row.fixes.len()),
        (DiagnosisKind::HotRow, true, 0),
        "{diagnoses:#?}"
    );
    let Symptom::HotRow { row: Some(key), share, .. } = &row.symptom else { panic!("a hot row: {row:#?}") };
    assert!((0.595..0.605).contains(share) && escape(key.as_ref()).contains("#2019-"), "{row:#?}");
    assert_eq!(row.buckets.0 + 1, row.buckets.1);
    assert!(
        kinds(&diagnoses).contains(&DiagnosisKind::ReadPressure),
        "it is also near the limit of a node: {diagnoses:#?}"
    );
    assert!(
        !kinds(&diagnoses).contains(&DiagnosisKind::HotPrefix),
        "one cause is named once: {diagnoses:#?}"
    );
    assert_eq!(found(&events, SPREAD, hot(0.05, 20_000.0), 4, 6), []);
    assert_eq!(found(&events, SPREAD, hot(0.6, 100.0), 4, 6), [], "light traffic is not a problem");
}

#[test]
fn a_hot_row_of_many_events_is_helped_by_a_longer_key() {
    let events = events();
    let writes = || vec![stream(StreamKind::WriteEvents, 4_000.0, KeyChoice::AsEvents)];
    let diagnoses = found(&events, "{app_id}", writes(), 4, 6);
    let row = diagnoses
        .iter()
        .find(|diagnosis| diagnosis.kind() == DiagnosisKind::HotRow)
        .expect("three rows have all");
    assert!(matches!(row.symptom, Symptom::HotRow { writes, .. } if writes > 0.5), "{row:#?}");
    let fix = row.fixes.first().expect("a longer key helps");
    let after = found(&events, template(fix), writes(), 4, 6);
    assert!(!kinds(&after).contains(&DiagnosisKind::HotRow), "{after:#?}");
}

#[test]
fn sequential_writes_are_found_and_each_fix_ends_them() {
    let events = events();
    let writes = || vec![stream(StreamKind::WriteEvents, 8_000.0, KeyChoice::AsEvents)];
    let diagnoses = found(&events, BY_TIME, writes(), 4, 6);
    let sequential = diagnoses
        .iter()
        .find(|diagnosis| diagnosis.kind() == DiagnosisKind::SequentialWrites)
        .expect("a diagonal");
    assert!(
        matches!(sequential.symptom, Symptom::SequentialWrites { places, .. } if places < 1.5),
        "{sequential:#?}"
    );
    let fixes: Vec<&FixKind> = sequential.fixes.iter().map(|fix| &fix.kind).collect();
    assert!(fixes.contains(&&FixKind::Salt(8)) && fixes.len() > 1, "{fixes:?}");
    for fix in &sequential.fixes {
        let after = found(&events, template(fix), writes(), 4, 6);
        assert!(!kinds(&after).contains(&DiagnosisKind::SequentialWrites), "{:?}: {after:#?}", fix.kind);
        assert!(!kinds(&after).contains(&DiagnosisKind::HotPrefix), "{:?}: {after:#?}", fix.kind);
    }
    // The same key, under writes that are spread over the whole table.
    let updates = vec![stream(StreamKind::Updates, 8_000.0, KeyChoice::AsEvents)];
    assert_eq!(kinds(&found(&events, BY_TIME, updates, 4, 6)), []);
    // The ends of three prefixes, or of two salts, are still only a few places.
    for few in ["{app_id}#{timestamp:iso}#{user_token}", "{salt(2)}-{timestamp:iso}#{user_token}"] {
        let diagnoses = found(&events, few, writes(), 4, 6);
        assert!(kinds(&diagnoses).contains(&DiagnosisKind::SequentialWrites), "{few}: {diagnoses:#?}");
    }
}

#[test]
fn a_hot_prefix_is_found_and_a_salt_spreads_it() {
    let events = events();
    let reads = |share| {
        let keys =
            KeyChoice::Hot { field: Some("user_token".into()), value: Some(rare_user(&events)), share };
        vec![stream(StreamKind::PointReads, 8_000.0, keys)]
    };
    let diagnoses = found(&events, SPREAD, reads(0.6), 4, 6);
    let prefix = diagnoses
        .iter()
        .find(|diagnosis| diagnosis.kind() == DiagnosisKind::HotPrefix)
        .expect("a hot prefix");
    assert!(
        matches!(prefix.symptom, Symptom::HotPrefix { share, rows, .. } if share > rows && rows > 0.0),
        "{prefix:#?}"
    );
    let after = found(&events, template(&prefix.fixes[0]), reads(0.6), 4, 6);
    assert!(!kinds(&after).contains(&DiagnosisKind::HotPrefix), "{after:#?}");
    assert_eq!(kinds(&found(&events, SPREAD, reads(0.02), 4, 6)), []);
}

/// Returns a user with about thirty events: more than the row of one, fewer than a bucket.
fn rare_user(events: &Events) -> String {
    let mut counts = std::collections::BTreeMap::new();
    let field = events.fields().iter().position(|field| field.name == "user_token").unwrap();
    (0..events.len()).for_each(|index| *counts.entry(events.value(index, field).unwrap()).or_insert(0) += 1);
    counts.into_iter().filter(|(_, count)| *count >= 25).min_by_key(|(_, count)| *count).unwrap().0.to_owned()
}

#[test]
fn a_row_that_is_written_as_often_as_a_node_can_is_found() {
    let events = events();
    let hot = |per_second| {
        let keys = KeyChoice::Hot { field: None, value: None, share: 1.0 };
        vec![stream(StreamKind::ReadModifyWrite, per_second, keys)]
    };
    let diagnoses = found(&events, SPREAD, hot(12_000.0), 2, 5);
    assert!(kinds(&diagnoses).contains(&DiagnosisKind::WritePressure), "{diagnoses:#?}");
    assert!(!kinds(&found(&events, SPREAD, hot(3_000.0), 2, 5)).contains(&DiagnosisKind::WritePressure));
}

#[test]
fn too_few_nodes_are_found_and_their_number_is_right() {
    let events = events();
    let reads = || vec![stream(StreamKind::PointReads, 30_000.0, KeyChoice::AsEvents)];
    let diagnoses = found(&events, SPREAD, reads(), 1, 8);
    let few = diagnoses
        .iter()
        .find(|diagnosis| diagnosis.kind() == DiagnosisKind::TooFewNodes)
        .expect("one node is too few");
    let Symptom::TooFewNodes { needed, waiting, .. } = few.symptom else { panic!("{few:#?}") };
    assert!(few.is_serious && waiting > 1, "{few:#?}");
    assert!((2..6).contains(&needed), "{few:#?}");
    assert_eq!(kinds(&found(&events, SPREAD, reads(), needed + 2, 8)), []);
}

#[test]
fn waves_are_found_and_other_changes_of_the_load_are_none() {
    let events = events();
    let with = |when| {
        let streams = vec![Stream { when, ..stream(StreamKind::PointReads, 400.0, KeyChoice::AsEvents) }];
        kinds(&found(&events, SPREAD, streams, 1, 120))
    };
    assert_eq!(
        with(Schedule::Periodic { period_seconds: 40.0, peak_seconds: 10.0, low: 0.2 }),
        [DiagnosisKind::PeriodicLoad]
    );
    assert_eq!(with(Schedule::Constant), []);
    assert_eq!(with(Schedule::Ramp { factor: 4.0, from_seconds: 10.0, until_seconds: 110.0 }), []);
    assert_eq!(with(Schedule::Sudden { factor: 4.0, from_seconds: 40.0, for_seconds: 20.0 }), []);
    assert_eq!(
        with(Schedule::Periodic { period_seconds: 50.0, peak_seconds: 10.0, low: 0.2 }),
        [],
        "two waves and a half are not a period"
    );
    assert_eq!(
        with(Schedule::Periodic { period_seconds: 600.0, peak_seconds: 10.0, low: 0.2 }),
        [],
        "no whole wave"
    );
}

/// Returns the kinds that were found at moments.
fn at_moments(events: &Events, traffic: &Traffic, seconds: &[u32]) -> Vec<Vec<DiagnosisKind>> {
    let chunk = run_of(events, SPREAD, traffic).chunk(&HAVE);
    seconds.iter().map(|second| kinds(&chunk.moment(*second).expect("a moment").diagnoses)).collect()
}

#[test]
fn a_sale_is_found_while_it_lasts() {
    let events = events();
    let sale = Schedule::Sudden { factor: 800.0, from_seconds: 20.0, for_seconds: 10.0 };
    let hot = KeyChoice::Hot { field: None, value: None, share: 1.0 };
    let streams = |when| {
        vec![
            stream(StreamKind::PointReads, 1_000.0, KeyChoice::AsEvents),
            Stream { when, name: "sale".into(), ..stream(StreamKind::PointReads, 10.0, hot.clone()) },
        ]
    };
    let traffic = |when| {
        let run = TrafficRun { nodes: 2, seconds: 60, ..TrafficRun::default() };
        Traffic { streams: streams(when), seed: 3, run, ..Traffic::default() }
    };
    let found = at_moments(&events, &traffic(sale), &[1, 18, 28, 60]);
    assert_eq!([&found[0][..], &found[1], &found[3]], [&[], &[], &[]], "before the sale, and after it");
    assert!(found[2].contains(&DiagnosisKind::HotRow), "{found:?}");
    assert_eq!(at_moments(&events, &traffic(Schedule::Constant), &[28])[0], []);
}

#[test]
fn the_failure_of_a_node_is_found_until_it_is_replaced() {
    let events = events();
    let traffic = |changes| {
        let run = TrafficRun { nodes: 3, seconds: 80, changes, ..TrafficRun::default() };
        let streams = vec![stream(StreamKind::PointReads, 3_000.0, KeyChoice::AsEvents)];
        Traffic { streams, seed: 3, run, ..Traffic::default() }
    };
    let fails = ClusterChange { at_seconds: 10, what: ChangeKind::Fail("B".into()) };
    let found = at_moments(&events, &traffic(vec![fails.clone()]), &[8, 12, 40, 80]);
    assert_eq!(found, [vec![], vec![DiagnosisKind::FailedNode], vec![DiagnosisKind::FailedNode], vec![]]);
    let moment =
        run_of(&events, SPREAD, &traffic(vec![fails])).chunk(&HAVE).moment(14).cloned().expect("a moment");
    let failure = &moment.diagnoses[0];
    let is_b = |symptom: &Symptom| matches!(symptom, Symptom::FailedNode { node, seconds_ago: 4, .. } if node == "B");
    assert!(is_b(&failure.symptom), "{failure:#?}");
    let added = ClusterChange { at_seconds: 10, what: ChangeKind::Nodes(4) };
    assert_eq!(at_moments(&events, &traffic(vec![added]), &[12])[0], [], "another change is not a failure");
}

#[test]
fn totals_are_those_of_the_moment() {
    let events = events();
    let run = TrafficRun { nodes: 2, seconds: 9, ..TrafficRun::default() };
    let streams = vec![stream(StreamKind::PointReads, 500.0, KeyChoice::AsEvents)];
    let run = run_of(&events, SPREAD, &Traffic { streams, seed: 3, run, ..Traffic::default() });
    let chunk = run.chunk(&HAVE);
    let seconds: Vec<u32> = chunk.moments.iter().map(|moment| moment.second).collect();
    assert_eq!(seconds, [2, 4, 6, 8, 9]);
    for moment in &chunk.moments {
        let until = &chunk.history[..moment.second as usize];
        assert_eq!(
            moment.totals[0].arrived,
            until.iter().map(|second| u64::from(second.all.arrived)).sum::<u64>()
        );
        let slowest = until.iter().map(|second| second.all.latency_micros[3]).max();
        assert_eq!(Some(moment.totals[0].latency_micros[3]), slowest.map(u64::from));
    }
    assert_eq!(chunk.moments[4].totals, chunk.totals);
    assert_eq!([0, 2, 3, 99].map(|second| chunk.moment(second).expect("a moment").second), [2, 2, 2, 9]);
    let rest = run.chunk(&SimulationHave { moments: 4, ..HAVE }).moments;
    assert_eq!(rest, chunk.moments[4..]);
}

#[test]
fn too_few_nodes_and_waves_are_helped_by_changes_of_the_cluster() {
    let events = events();
    let traffic = |per_second, when, run| {
        let streams =
            vec![Stream { when, ..stream(StreamKind::PointReads, per_second, KeyChoice::AsEvents) }];
        Traffic { streams, seed: 3, run, ..Traffic::default() }
    };
    let fix = |traffic: &Traffic, kind| {
        let diagnoses = run_of(&events, SPREAD, traffic).chunk(&HAVE).diagnoses;
        diagnoses
            .into_iter()
            .find(|diagnosis| diagnosis.kind() == kind)
            .map(|diagnosis| diagnosis.cluster_fixes)
    };
    let run = TrafficRun { nodes: 1, seconds: 8, ..TrafficRun::default() };
    let mut few = traffic(30_000.0, Schedule::Constant, run);
    let fixes = fix(&few, DiagnosisKind::TooFewNodes).expect("one node is too few");
    let &[ClusterFix::Nodes(nodes)] = fixes.as_slice() else { panic!("{fixes:?}") };
    assert!(nodes > 1);
    few.run.apply(fixes[0]);
    assert_eq!((few.run.nodes, fix(&few, DiagnosisKind::TooFewNodes)), (nodes, None));

    let when = Schedule::Periodic { period_seconds: 40.0, peak_seconds: 10.0, low: 0.2 };
    let mut waves = traffic(30_000.0, when, TrafficRun { nodes: 1, seconds: 130, ..TrafficRun::default() });
    let fixes = fix(&waves, DiagnosisKind::PeriodicLoad).expect("waves");
    let &[ClusterFix::Nodes(nodes)] = fixes.as_slice() else { panic!("too short to follow: {fixes:?}") };
    assert!((2..6).contains(&nodes), "{nodes}");
    waves.run.apply(fixes[0]);
    assert_eq!(fix(&waves, DiagnosisKind::PeriodicLoad), Some(Vec::new()), "enough for the peaks");
    let light = traffic(400.0, when, TrafficRun { nodes: 1, seconds: 130, ..TrafficRun::default() });
    assert_eq!(
        fix(&light, DiagnosisKind::PeriodicLoad),
        Some(Vec::new()),
        "one node is enough for the peaks"
    );
}

#[test]
fn rows_that_are_too_large_are_found_when_they_are_read() {
    // Nine events of 12 MB each, all of one app.
    let own = OwnData {
        name: String::new(),
        format: Format::Csv,
        fields: Vec::new(),
        on_bad_line: OnBadLine::Skip,
        reading: Default::default(),
        content: None,
    };
    let (mut reader, mut events) = (Reader::new(&own), Events::default());
    let text = "x".repeat(12 << 20);
    for at in 0..9 {
        let header = if at == 0 { "app,at,text\n" } else { "" };
        let line = format!("{header}a,2020-01-01T00:00:0{at}Z,{text}\n");
        reader.feed(line.as_bytes(), at == 8, &mut events).expect("events");
    }
    assert_eq!(events.len(), 9);
    let reads = || vec![stream(StreamKind::PointReads, 1.0, KeyChoice::AsEvents)];
    let diagnoses = found(&events, "{app}", reads(), 2, 4);
    let large = diagnoses
        .iter()
        .find(|diagnosis| diagnosis.kind() == DiagnosisKind::LargeRows)
        .expect("a row of 108 MB");
    assert!(!large.is_serious, "{large:#?}");
    assert!(matches!(large.symptom, Symptom::LargeRows(112_500_000..113_500_000)), "{large:#?}");
    assert!(
        !kinds(&found(&events, "{app}#{at}", reads(), 2, 4)).contains(&DiagnosisKind::LargeRows),
        "rows of 12 MB"
    );
}
