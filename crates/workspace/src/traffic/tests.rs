use alloc::string::ToString;
use alloc::vec;

use tabletop_keys::{Field, FieldKind, Query, RowChoice};

use super::*;
use crate::{NamedQuery, Workspace};

fn stream(name: &str, keys: KeyChoice) -> Stream {
    Stream {
        name: name.into(),
        what: StreamKind::PointReads,
        per_second: 10.0,
        keys,
        when: Schedule::Constant,
    }
}

fn fields() -> Vec<Field> {
    [("user_id", FieldKind::Text), ("at", FieldKind::Time)].map(|(name, kind)| Field::new(name, kind)).into()
}

fn queries() -> Vec<NamedQuery> {
    vec![NamedQuery::new(
        "Top users",
        Query { rows: RowChoice::All, filter: None, rows_limit: 0, reversed: false },
    )]
}

/// A traffic with all kinds, choices and schedules.
fn all() -> Traffic {
    let hot = |field: Option<&str>, value: Option<&str>| KeyChoice::Hot {
        field: field.map(Into::into),
        value: value.map(Into::into),
        share: 1.0,
    };
    let choices = [
        (StreamKind::WriteEvents, KeyChoice::AsEvents),
        (StreamKind::Updates, KeyChoice::Uniform { field: "user_id".into() }),
        (StreamKind::PointReads, KeyChoice::Zipf { field: None, exponent: 0.99 }),
        (StreamKind::Scans { rows: 7 }, KeyChoice::Zipf { field: Some("user_id".into()), exponent: 10.0 }),
        (StreamKind::Pattern("Top users".into()), KeyChoice::Latest { exponent: 0.0 }),
        (StreamKind::ReadModifyWrite, KeyChoice::Sequential),
        (StreamKind::Deletes, hot(None, None)),
        (StreamKind::PointReads, hot(Some("user_id"), None)),
        (StreamKind::PointReads, hot(Some("user_id"), Some("u1"))),
    ];
    let schedules = [
        Schedule::Constant,
        Schedule::Ramp { factor: 3.0, from_seconds: 1.0, until_seconds: 1.0 },
        Schedule::Sudden { factor: 0.0, from_seconds: 0.5, for_seconds: 2.0 },
        Schedule::Periodic { period_seconds: 3_600.0, peak_seconds: 1.0, low: 0.25 },
    ];
    let streams = choices.into_iter().enumerate().map(|(at, (what, keys))| Stream {
        what,
        when: schedules[at % schedules.len()],
        ..stream(&alloc::format!("stream {at}"), keys)
    });
    let change = |at_seconds, what| ClusterChange { at_seconds, what };
    let run = TrafficRun {
        nodes: 100,
        seconds: 86_400,
        storage: StorageMedium::Hdd,
        cache_hit_ratio: 0.25,
        autoscale: Some(AutoscaleRange { nodes_min: 7, nodes_max: 7 }),
        load_test: Some(LoadTest { per_second: 0.5, from_seconds: 0, for_seconds: 60 }),
        tablets_min: 7,
        thresholds: ClusterThresholds {
            cpu_target: 0.8,
            difference_max: 0.5,
            moved_per_minute: 1.0,
            tablet_load_max: Some(5.5),
        },
        changes: vec![
            change(0, ChangeKind::Nodes(1)),
            change(0, ChangeKind::Fail("b".into())),
            change(9, ChangeKind::Move { row: "ada\\x00#".into(), to: "AB".into() }),
        ],
    };
    Traffic { streams: streams.collect(), seed: u64::MAX, run, ..Traffic::default() }
}

#[test]
fn a_workspace_with_traffic_survives_json() {
    assert_eq!(all().problems(&fields(), &queries()), []);
    let workspace = Workspace { traffic: Some(alloc::boxed::Box::new(all())), ..Workspace::default() };
    assert_eq!(Workspace::from_json(&workspace.to_json()), Ok(workspace));
    let without = Workspace::default().to_json().replace(",\"traffic\":null", "");
    assert_eq!(
        Workspace::from_json(&without),
        Ok(Workspace::default()),
        "a workspace of an earlier build has no traffic"
    );
}

#[test]
fn omitted_values_have_defaults() {
    let by_hand = r#"{"streams": [{"name": "reads", "what": "point_reads", "per_second": 5},
        {"name": "hot", "what": {"scans": {"rows": 3}}, "per_second": 1, "keys": {"hot": {"share": 0.5}}}]}"#;
    let with = |traffic: &str| {
        Workspace::default().to_json().replace("\"traffic\":null", &alloc::format!("\"traffic\":{traffic}"))
    };
    let read =
        *Workspace::from_json(&with(by_hand)).expect("it is complete").traffic.expect("it has traffic");
    assert_eq!(read.streams[0], Stream { per_second: 5.0, ..stream("reads", KeyChoice::AsEvents) });
    assert_eq!(read.streams[1].keys, KeyChoice::Hot { field: None, value: None, share: 0.5 });
    let wrong = by_hand.replace("\"share\"", "\"shares\"");
    let refused = Workspace::from_json(&with(&wrong)).expect_err("a key is unknown").message;
    assert!(refused.contains("unknown field `shares`"), "{refused}");
}

#[test]
fn the_peak_is_the_most_of_all_streams_at_one_time() {
    let with = |schedules: &[Schedule], load_test: Option<LoadTest>| {
        let streams = schedules
            .iter()
            .map(|when| Stream { when: *when, ..stream("reads", KeyChoice::AsEvents) })
            .collect();
        let run = TrafficRun { seconds: 100, load_test, ..TrafficRun::default() };
        let traffic = Traffic { streams, run, ..Traffic::default() };
        (traffic.peak_per_second(), traffic.is_constant())
    };
    let sudden = |from_seconds: f64| Schedule::Sudden { factor: 18.0, from_seconds, for_seconds: 10.0 };
    let wave = Schedule::Periodic { period_seconds: 60.0, peak_seconds: 55.0, low: 0.0 };
    let ramp = Schedule::Ramp { factor: 3.0, from_seconds: 50.0, until_seconds: 150.0 };
    assert_eq!(with(&[Schedule::Constant, Schedule::Constant], None), (20.0, true));
    assert_eq!(with(&[sudden(30.0), sudden(60.0)], None), (190.0, false), "they do not meet");
    assert_eq!(
        with(&[sudden(30.0)], Some(LoadTest { per_second: 90.0, from_seconds: 5, for_seconds: 20 })),
        (180.0, false)
    );
    assert_eq!(
        with(&[sudden(30.0)], Some(LoadTest { per_second: 90.0, from_seconds: 5, for_seconds: 40 })),
        (270.0, false)
    );
    assert_eq!(with(&[wave, sudden(50.0)], None), (190.0, false), "the wave is at its peak during the other");
    assert_eq!(with(&[ramp], None), (20.0, false), "the run ends halfway");
    assert_eq!(with(&[sudden(200.0)], None).0, 10.0, "it comes after the end");
}

#[test]
fn schedules_have_these_factors() {
    let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
    let check = |schedule: Schedule, points: &[(f64, f64)]| {
        for &(seconds, factor) in points {
            assert!(
                close(schedule.factor(seconds), factor),
                "{schedule:?} at {seconds}: {}",
                schedule.factor(seconds)
            );
            assert!(schedule.factor(seconds) <= schedule.peak(), "{schedule:?} at {seconds}");
        }
    };
    check(Schedule::Constant, &[(0.0, 1.0), (1e7, 1.0)]);
    let ramp = |factor, until_seconds| Schedule::Ramp { factor, from_seconds: 10.0, until_seconds };
    check(ramp(5.0, 30.0), &[(0.0, 1.0), (10.0, 1.0), (15.0, 2.0), (20.0, 3.0), (30.0, 5.0), (99.0, 5.0)]);
    check(ramp(0.0, 30.0), &[(0.0, 1.0), (20.0, 0.5), (30.0, 0.0)]);
    check(ramp(5.0, 10.0), &[(9.9, 1.0), (10.0, 5.0)]);
    let sudden = Schedule::Sudden { factor: 10.0, from_seconds: 20.0, for_seconds: 60.0 };
    check(sudden, &[(19.999, 1.0), (20.0, 10.0), (79.999, 10.0), (80.0, 1.0)]);
    let day = Schedule::Periodic { period_seconds: 24.0, peak_seconds: 12.0, low: 0.2 };
    check(day, &[(0.0, 0.2), (6.0, 0.6), (12.0, 1.0), (18.0, 0.6), (24.0, 0.2), (24e6 + 12.0, 1.0)]);
    // cos 60° is a half, so the wave is at three quarters.
    check(day, &[(16.0, 0.2 + 0.8 * 0.75)]);
}

#[test]
fn numbers_out_of_range_are_refused_with_their_place() {
    let refused = |change: &dyn Fn(&mut Stream)| {
        let mut workspace = Workspace::default();
        let mut traffic = Traffic {
            streams: vec![stream("a", KeyChoice::AsEvents), stream("b", KeyChoice::AsEvents)],
            seed: 0,
            ..Traffic::default()
        };
        change(&mut traffic.streams[1]);
        workspace.traffic = Some(alloc::boxed::Box::new(traffic.clone()));
        let message = workspace.check().expect_err("it is wrong").message;
        let problems = traffic.problems(&fields(), &queries());
        assert_eq!(problems[0].to_string(), message, "both say the same");
        message
    };
    for (rate, shown) in [(-1.0, "-1"), (f64::NAN, "NaN")] {
        let message = refused(&|stream| stream.per_second = rate);
        assert_eq!(
            message,
            alloc::format!("traffic.streams[1].per_second is {shown}; it must be from 0 to 1000000.")
        );
    }
    assert_eq!(
        refused(&|stream| stream.per_second = 2e6),
        "traffic.streams reaches 2,000,010 requests per second at its peak; at most 1,000,000 are allowed."
    );
    let sudden = Schedule::Sudden { factor: 1_000.0, from_seconds: 0.0, for_seconds: 0.0 };
    assert_eq!(
        refused(&|stream| (stream.per_second, stream.when) = (1e6, sudden)),
        "traffic.streams reaches 1,000,000,010 requests per second at its peak; at most 1,000,000 are allowed."
    );
    assert_eq!(
        refused(&|stream| stream.name = " ".into()),
        "traffic.streams[1].name is empty; each stream needs a name."
    );
    assert_eq!(
        refused(&|stream| stream.name = "a".into()),
        "traffic.streams[1].name is \"a\", as in traffic.streams[0]; names must be unique."
    );
    assert_eq!(
        refused(&|stream| stream.name = "x".repeat(101)),
        "traffic.streams[1].name is longer than 100 characters."
    );
    assert_eq!(
        refused(&|stream| stream.what = StreamKind::Scans { rows: 0 }),
        "traffic.streams[1].what.scans.rows is 0; it must be from 1 to 1000000."
    );
    let keys = |keys: KeyChoice| refused(&|stream| stream.keys = keys.clone());
    for share in [-0.1, 1.1, f64::NAN] {
        let message = keys(KeyChoice::Hot { field: None, value: None, share });
        assert_eq!(
            message,
            alloc::format!("traffic.streams[1].keys.hot.share is {share}; it must be from 0 to 1.")
        );
    }
    for exponent in [-0.1, 10.5, f64::INFINITY] {
        let message = keys(KeyChoice::Latest { exponent });
        assert_eq!(
            message,
            alloc::format!("traffic.streams[1].keys.latest.exponent is {exponent}; it must be from 0 to 10.")
        );
        let message = keys(KeyChoice::Zipf { field: None, exponent });
        assert_eq!(
            message,
            alloc::format!("traffic.streams[1].keys.zipf.exponent is {exponent}; it must be from 0 to 10.")
        );
    }
    assert_eq!(
        keys(KeyChoice::Hot { field: None, value: Some("u1".into()), share: 0.5 }),
        "traffic.streams[1].keys.hot.value is \"u1\" without a field; name the field that has this value."
    );
    let when = |when: Schedule| refused(&|stream| stream.when = when);
    assert_eq!(
        when(Schedule::Ramp { factor: 2.0, from_seconds: 10.0, until_seconds: 9.0 }),
        "traffic.streams[1].when.ramp.until_seconds is 9; it must be from 10 to 31622400."
    );
    assert!(
        when(Schedule::Ramp { factor: -2.0, from_seconds: 1.0, until_seconds: 9.0 })
            .contains("ramp.factor is -2;")
    );
    assert!(
        when(Schedule::Ramp { factor: 2.0, from_seconds: f64::NAN, until_seconds: 9.0 })
            .contains("from_seconds is NaN;")
    );
    assert!(
        when(Schedule::Sudden { factor: 1e4, from_seconds: 1.0, for_seconds: 9.0 })
            .contains("sudden.factor is 10000;")
    );
    assert!(
        when(Schedule::Sudden { factor: 2.0, from_seconds: -1.0, for_seconds: 9.0 })
            .contains("from_seconds is -1;")
    );
    assert!(
        when(Schedule::Sudden { factor: 2.0, from_seconds: 1.0, for_seconds: 1e9 })
            .contains("for_seconds is 1000000000;")
    );
    let periodic =
        |period_seconds, peak_seconds, low| when(Schedule::Periodic { period_seconds, peak_seconds, low });
    assert!(periodic(0.5, 0.0, 0.0).contains("period_seconds is 0.5; it must be from 1 to "));
    assert!(periodic(60.0, -1.0, 0.0).contains("peak_seconds is -1;"));
    assert!(periodic(60.0, 0.0, 1.5).contains("periodic.low is 1.5; it must be from 0 to 1."));
}

#[test]
fn a_run_out_of_range_is_refused_with_its_place() {
    let refused = |change: &dyn Fn(&mut TrafficRun)| {
        let mut traffic = Traffic { streams: vec![stream("a", KeyChoice::AsEvents)], ..Traffic::default() };
        change(&mut traffic.run);
        let problems = traffic.problems(&fields(), &queries());
        assert_eq!((problems[0].stream, problems[0].part), (None, TrafficPart::Run));
        let workspace = Workspace { traffic: Some(alloc::boxed::Box::new(traffic)), ..Workspace::default() };
        assert_eq!(
            workspace.check().expect_err("it is wrong").message,
            problems[0].to_string(),
            "both say the same"
        );
        problems[0].to_string()
    };
    for nodes in [0, 101] {
        let message = refused(&|run| run.nodes = nodes);
        assert_eq!(message, alloc::format!("traffic.run.nodes is {nodes}; it must be from 1 to 100."));
    }
    for seconds in [0, 86_401] {
        let message = refused(&|run| run.seconds = seconds);
        assert_eq!(message, alloc::format!("traffic.run.seconds is {seconds}; it must be from 1 to 86400."));
    }
    let scaled =
        |nodes_min, nodes_max| refused(&|run| run.autoscale = Some(AutoscaleRange { nodes_min, nodes_max }));
    assert_eq!(scaled(0, 5), "traffic.run.autoscale.nodes_min is 0; it must be from 1 to 100.");
    assert_eq!(scaled(5, 4), "traffic.run.autoscale.nodes_max is 4; it must be from 5 to 100.");
    assert_eq!(scaled(5, 101), "traffic.run.autoscale.nodes_max is 101; it must be from 5 to 100.");
    for cpu_target in [0.09, 0.96, f64::NAN] {
        let message = refused(&|run| run.thresholds.cpu_target = cpu_target);
        assert_eq!(
            message,
            alloc::format!("traffic.run.thresholds.cpu_target is {cpu_target}; it must be from 0.1 to 0.95.")
        );
    }
    for ratio in [-0.1, 1.1, f64::NAN] {
        assert_eq!(
            refused(&|run| run.cache_hit_ratio = ratio),
            alloc::format!("traffic.run.cache_hit_ratio is {ratio}; it must be from 0 to 1.")
        );
    }
    assert!(
        refused(&|run| run.thresholds.difference_max = 0.0)
            .starts_with("traffic.run.thresholds.difference_max is 0;")
    );
    assert!(
        refused(&|run| run.thresholds.moved_per_minute = 1.5)
            .starts_with("traffic.run.thresholds.moved_per_minute is 1.5;")
    );
    let tested = |per_second, from_seconds, for_seconds| {
        refused(&|run| run.load_test = Some(LoadTest { per_second, from_seconds, for_seconds }))
    };
    for per_second in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let message = tested(per_second, 0, 1);
        assert_eq!(
            message,
            alloc::format!(
                "traffic.run.load_test.per_second is {per_second}; it must be more than 0 and at most 1000000."
            )
        );
    }
    assert_eq!(
        tested(999_991.0, 0, 1),
        "traffic.run.load_test.per_second reaches 1,000,001 requests per second with the streams at their peak; at most 1,000,000 \
         are allowed."
    );
    assert!(tested(1.0, 86_401, 1).starts_with("traffic.run.load_test.from_seconds is 86401;"));
    assert!(tested(1.0, 0, 86_401).starts_with("traffic.run.load_test.for_seconds is 86401;"));
}

#[test]
fn changes_of_a_cluster_are_checked() {
    let refused = |changes: &[(u32, ChangeKind)]| {
        let changes = changes
            .iter()
            .map(|(at_seconds, what)| ClusterChange { at_seconds: *at_seconds, what: what.clone() });
        let run = TrafficRun { changes: changes.collect(), ..TrafficRun::default() };
        Traffic { run, ..Traffic::default() }.check().map_err(|error| error.message)
    };
    assert_eq!(
        refused(&[
            (1, ChangeKind::Nodes(1)),
            (1, ChangeKind::Nodes(100)),
            (500, ChangeKind::Fail("ZZ".into()))
        ]),
        Ok(())
    );
    let wrong = |what| refused(&[(0, ChangeKind::Nodes(1)), (0, what)]).expect_err("it is wrong");
    assert_eq!(
        wrong(ChangeKind::Nodes(0)),
        "traffic.run.changes[1].what.nodes is 0; it must be from 1 to 100."
    );
    for letters in ["", "1", "\u{e9}", "ABCDEF"] {
        let message = wrong(ChangeKind::Fail(letters.into()));
        assert_eq!(
            message,
            alloc::format!(
                "traffic.run.changes[1].what.fail is \"{letters}\"; nodes are called A to Z, AA, AB and so on."
            )
        );
    }
    let moved = |row: &str, to: &str| ChangeKind::Move { row: row.into(), to: to.into() };
    assert!(wrong(moved("a", "-")).starts_with("traffic.run.changes[1].what.move.to is \"-\";"));
    assert!(
        wrong(moved("ab\\q", "A"))
            .contains("what.move.row is \"ab\\q\", and the backslash at byte 2 does not begin an escape")
    );
    assert_eq!(
        refused(&[(5, ChangeKind::Nodes(1)), (4, ChangeKind::Nodes(2))]).unwrap_err(),
        "traffic.run.changes[1].at_seconds is 4, and the change before it is at 5; put them in the order of their times."
    );
    assert!(
        refused(&[(86_401, ChangeKind::Nodes(1))]).unwrap_err().contains("changes[0].at_seconds is 86401;")
    );
    let many: Vec<_> = (0..257).map(|at| (at, ChangeKind::Nodes(1))).collect();
    assert_eq!(refused(&many[..256]), Ok(()));
    assert_eq!(refused(&many).unwrap_err(), "traffic.run.changes has 257 entries; at most 256 are allowed.");
}

#[test]
fn too_many_streams_are_refused() {
    let streams = |count: usize| (0..count).map(|at| stream(&at.to_string(), KeyChoice::AsEvents)).collect();
    assert_eq!(Traffic { streams: streams(STREAMS_MAX), seed: 0, ..Traffic::default() }.check(), Ok(()));
    let refused = Traffic { streams: streams(STREAMS_MAX + 1), seed: 0, ..Traffic::default() }
        .check()
        .expect_err("one too many")
        .message;
    assert_eq!(refused, "traffic.streams has 65 entries; at most 64 are allowed.");
}

#[test]
fn unknown_names_are_problems_and_the_workspace_opens() {
    let mut traffic =
        Traffic { streams: vec![stream("a", KeyChoice::AsEvents); 3], seed: 0, ..Traffic::default() };
    traffic.streams[0].what = StreamKind::Pattern("Top user".into());
    (traffic.streams[1].name, traffic.streams[1].keys) =
        ("b".into(), KeyChoice::Uniform { field: "userid".into() });
    (traffic.streams[2].name, traffic.streams[2].keys) =
        (String::new(), KeyChoice::Hot { field: Some("shop".into()), value: None, share: 0.5 });
    let said: Vec<String> = traffic.problems(&fields(), &queries()).iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "traffic.streams[0].what.pattern is \"Top user\", and no access pattern has this name. Did you mean Top users?",
            "traffic.streams[1].keys.uniform.field is \"userid\", and the events have no field with this name. Did you mean user_id?",
            "traffic.streams[2].name is empty; each stream needs a name.",
            "traffic.streams[2].keys.hot.field is \"shop\", and the events have no field with this name. Choose user_id or at.",
        ]
    );
    let parts: Vec<_> = traffic
        .problems(&fields(), &queries())
        .iter()
        .map(|problem| (problem.stream, problem.part))
        .collect();
    assert_eq!(
        parts,
        [
            (Some(0), TrafficPart::What),
            (Some(1), TrafficPart::Keys),
            (Some(2), TrafficPart::Name),
            (Some(2), TrafficPart::Keys)
        ]
    );
    traffic.streams[2].name = "c".into();
    assert_eq!(traffic.check(), Ok(()), "the user may still be changing names");
}

#[test]
fn a_run_stays_as_long_as_its_trace() {
    let requests = |last: f64| vec![(0.0, "a".to_string()), (last, "b".to_string())];
    let of = |last| Stream {
        what: StreamKind::Replay(Replay::new(ReplayOperation::Read, requests(last))),
        ..stream(&last.to_string(), KeyChoice::AsEvents)
    };
    let mut traffic = Traffic { streams: vec![of(59.5), of(119.5)], ..Traffic::default() };
    assert_eq!((traffic.replay_seconds(), traffic.run.seconds), (Some(120), 120));
    traffic.change_replays(|replay| (replay.one_of, replay.speed) = (100, 10.0));
    assert_eq!((traffic.run.seconds, traffic.peak_per_second()), (12, 200.0));
    traffic.run.seconds = 30;
    traffic.change_replays(|replay| replay.speed = 1.0);
    assert_eq!(traffic.run.seconds, 30, "the user has chosen another length");
    assert_eq!(traffic.check(), Ok(()));
    for (one_of, speed, place) in
        [(0, 1.0, "one_of"), (1, 0.0, "speed"), (1, f64::NAN, "speed"), (1, 2e3, "speed")]
    {
        let mut wrong = traffic.clone();
        wrong.change_replays(|replay| (replay.one_of, replay.speed) = (one_of, speed));
        let message = wrong.check().expect_err("out of range").message;
        assert!(message.contains(&alloc::format!("streams[0].what.replay.{place} is")), "{message}");
    }
    assert_eq!(Traffic::default().replay_seconds(), None);
}
