//! What a user's own log shows is found at the rate of the log, however small.

use tabletop_advice::{Diagnosis, DiagnosisKind};
use tabletop_protocol::LogKeys;
use tabletop_workload::Events;
use tabletop_workspace::{KeyChoice, Replay, ReplayOperation, StreamKind, Traffic, TrafficRun};

use super::{BY_TIME, HAVE, SPREAD, events, run_of, stream};

const SECONDS: u32 = 60;
const PER_SECOND: u32 = 100;

/// A log of requests at equal distances, and how it is replayed.
#[derive(Clone, Copy)]
struct Log {
    seconds: u32,
    per_second: u32,
    one_of: u32,
    speed: f64,
}

const FULL: Log = Log { seconds: SECONDS, per_second: PER_SECOND, one_of: 1, speed: 1.0 };

impl Log {
    fn traffic(self, operation: ReplayOperation, key: impl Fn(u32) -> String) -> Traffic {
        let requests = (0..self.seconds * self.per_second)
            .map(|at| (f64::from(at) / f64::from(self.per_second), key(at)))
            .collect();
        let replay = Replay { one_of: self.one_of, speed: self.speed, ..Replay::new(operation, requests) };
        let log = stream(StreamKind::Replay(replay), self.per_second.into(), KeyChoice::AsEvents);
        let seconds = (f64::from(self.seconds) / self.speed) as u32;
        let run = TrafficRun { nodes: 2, seconds, ..TrafficRun::default() };
        let streams = vec![tabletop_workspace::Stream { name: "log".into(), ..log }];
        Traffic { streams, seed: 3, run, ..Traffic::default() }
    }

    /// Returns the diagnoses at the end of the log.
    fn found(
        self,
        events: &Events,
        operation: ReplayOperation,
        key: impl Fn(u32) -> String,
    ) -> Vec<DiagnosisKind> {
        let run = run_of(events, SPREAD, &self.traffic(operation, key));
        run.chunk(&HAVE).diagnoses.iter().map(Diagnosis::kind).collect()
    }
}

/// Replays a log of all requests with these keys.
fn found(events: &Events, operation: ReplayOperation, key: impl Fn(u32) -> String) -> Vec<DiagnosisKind> {
    FULL.found(events, operation, key)
}

/// Returns the key of an event, each equally often.
fn any(events: &Events, at: u32) -> String {
    let event = (u64::from(at) * 7_919 % events.len() as u64) as usize;
    let of = |name: &str| {
        let field = events.fields().iter().position(|field| field.name == name).expect("a field");
        events.value(event, field).unwrap_or_default()
    };
    format!("{}#{}", of("user_token"), of("timestamp"))
}

#[test]
fn a_log_is_judged_at_its_own_rate() {
    let events = events();
    let any = |at| any(&events, at);
    for operation in [ReplayOperation::Read, ReplayOperation::Write] {
        assert_eq!(found(&events, operation, any), [], "{operation:?}: each row equally often");
    }
    let hot = |at: u32| if at % 10 < 3 { any(7) } else { any(at) };
    assert_eq!(found(&events, ReplayOperation::Read, hot), [DiagnosisKind::HotRow]);
    let sequential =
        |at: u32| format!("2020-01-01T00:{:02}:{:02}.{:03}", at / 6_000, at / 100 % 60, at % 100 * 10);
    assert_eq!(found(&events, ReplayOperation::Write, sequential), [DiagnosisKind::SequentialWrites]);
    let under_a_user = |at: u32| if at % 10 < 6 { format!("7777#{}", sequential(at)) } else { any(at) };
    assert_eq!(found(&events, ReplayOperation::Write, under_a_user), [DiagnosisKind::SequentialPrefix]);
    assert_eq!(found(&events, ReplayOperation::Read, sequential), [], "reads in order do no harm");
}

#[test]
fn a_sample_is_judged_as_the_requests_that_it_stands_for() {
    let events = events();
    let any = |at| any(&events, at);
    let hot = |at: u32| if at % 10 < 3 { any(7) } else { any(at) };
    let sequential = |at: u32| format!("2020-01-01T{:02}:{:02}:{:02}", at / 3_600, at / 60 % 60, at % 60);
    for log in [
        Log { one_of: 100, ..FULL },
        Log { seconds: 300, per_second: 5, one_of: 40, speed: 1.0 },
        Log { seconds: 600, per_second: 10, one_of: 1, speed: 10.0 },
        Log { seconds: 300, per_second: 3, one_of: 1, speed: 1.0 },
    ] {
        let Log { per_second, one_of, speed, .. } = log;
        let what = format!("{per_second}/s, 1 of {one_of}, {speed} times as fast");
        for operation in [ReplayOperation::Read, ReplayOperation::Write] {
            assert_eq!(log.found(&events, operation, any), [], "{operation:?}, {what}");
        }
        assert_eq!(log.found(&events, ReplayOperation::Read, hot), [DiagnosisKind::HotRow], "{what}");
        let written = log.found(&events, ReplayOperation::Write, sequential);
        assert_eq!(written, [DiagnosisKind::SequentialWrites], "{what}");
    }
}

#[test]
fn a_request_of_a_sample_is_sent_as_often_as_it_stands_for() {
    let events = events();
    let any = |at| any(&events, at);
    let arrived = |log: Log| {
        let chunk = run_of(&events, SPREAD, &log.traffic(ReplayOperation::Read, any)).chunk(&HAVE);
        chunk.history.iter().map(|second| second.all.arrived).collect::<Vec<_>>()
    };
    let log = Log { seconds: 4, per_second: 10, one_of: 1, speed: 1.0 };
    assert_eq!(arrived(log), [10; 4]);
    assert_eq!(arrived(Log { speed: 2.0, ..log }), [20; 2]);
    // The requests of a moment arrive within the second that follows it.
    let sampled = arrived(Log { one_of: 100, ..log });
    assert_eq!((&sampled[1..], sampled[0]), (&[1_000; 3][..], 550));
}

/// Returns a traffic with a log whose keys have this form.
fn of_form(traffic: &Traffic, form: &str) -> Traffic {
    let mut traffic = traffic.clone();
    traffic.change_replays(|replay| replay.keys = form.into());
    traffic
}

#[test]
fn a_log_compares_designs() {
    let events = events();
    // New events, one in fifty with a key of another form.
    let key = |at: u32| match at % 50 {
        7 => "health-check".into(),
        _ => format!(
            "u{:02}#2020-01-01T00:{:02}:{:02}.{:03}Z",
            at * 37 % 97,
            at / 6_000,
            at / 100 % 60,
            at % 100 * 10
        ),
    };
    let log = of_form(&FULL.traffic(ReplayOperation::Write, key), SPREAD);
    let all = SECONDS * PER_SECOND;
    let unread = all / 50;
    let on = |template| {
        let chunk = run_of(&events, template, &log).chunk(&HAVE);
        let kinds: Vec<_> = chunk.diagnoses.iter().map(Diagnosis::kind).collect();
        (chunk.totals[0].arrived as u32, chunk.totals[0].refused as u32, chunk.log, kinds)
    };
    let counts = |is_converted| Some(LogKeys { requests: all, unread, is_converted });
    assert_eq!(on(SPREAD), (all, 0, counts(false), vec![]), "the design of the log gets all");
    assert_eq!(on(BY_TIME), (all - unread, 0, counts(true), vec![DiagnosisKind::SequentialWrites]));
    assert_eq!(on("{salt(8)}-{timestamp:iso}#{user_token}").3, vec![], "a salt helps");
}

#[test]
fn a_log_that_cannot_compare_says_why() {
    let events = events();
    let refused = |form: &str, template: &str, key: fn(u32) -> String| {
        let traffic = of_form(&FULL.traffic(ReplayOperation::Read, key), form);
        let population =
            std::sync::Arc::new(tabletop_workload::Population::new(&events, events.len(), &traffic));
        let setting =
            super::Setting { events: &events, traffic: &traffic, queries: &[], tablets: &Default::default() };
        let run = super::SimulationRun::new(&[&super::table(&events, template)], &setting, population);
        run.err().map(|error| error.message).unwrap_or_default()
    };
    let of_user = |at: u32| format!("u{at}");
    let lacks = refused("{user_token}", BY_TIME, of_user);
    assert!(lacks.contains("do not contain what this design's key needs: timestamp"), "{lacks}");
    let other = refused(SPREAD, BY_TIME, of_user);
    assert!(other.starts_with("0% of the log's keys have the form {user_token}#{timestamp:iso}"), "{other}");
    let wrong = refused("{nothing}", BY_TIME, of_user);
    assert!(wrong.starts_with("the form of the log's keys, {nothing}: "), "{wrong}");
    assert_eq!(refused(SPREAD, SPREAD, of_user), "", "a design with the stated form gets all keys");
    assert_eq!(refused("", BY_TIME, of_user), "", "no form is stated");
}
