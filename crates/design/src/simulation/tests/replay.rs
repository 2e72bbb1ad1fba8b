//! What a user's own log shows is found at the rate of the log, however small.

use tabletop_advice::{Diagnosis, DiagnosisKind};
use tabletop_workload::Events;
use tabletop_workspace::{KeyChoice, Replay, ReplayOperation, StreamKind, Traffic, TrafficRun};

use super::{HAVE, SPREAD, events, run_of, stream};

const SECONDS: u32 = 60;
const PER_SECOND: u32 = 100;

/// Replays a log with these keys, at equal distances.
fn found(events: &Events, operation: ReplayOperation, key: impl Fn(u32) -> String) -> Vec<DiagnosisKind> {
    let requests =
        (0..SECONDS * PER_SECOND).map(|at| (f64::from(at) / f64::from(PER_SECOND), key(at))).collect();
    let what = StreamKind::Replay(Replay { operation, requests });
    let streams = vec![stream(what, PER_SECOND.into(), KeyChoice::AsEvents)];
    let streams =
        streams.into_iter().map(|stream| tabletop_workspace::Stream { name: "log".into(), ..stream });
    let run = TrafficRun { nodes: 2, seconds: SECONDS, ..TrafficRun::default() };
    let traffic = Traffic { streams: streams.collect(), seed: 3, run, ..Traffic::default() };
    run_of(events, SPREAD, &traffic).chunk(&HAVE).diagnoses.iter().map(Diagnosis::kind).collect()
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
