//! The requests of a trace, which a stream replays at their original times.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::run::RUN_SECONDS_MAX;
use super::{Stream, StreamKind, Traffic};
use crate::LoadProblem;

/// The maximum number of requests that a stream replays.
pub const REPLAY_REQUESTS_MAX: usize = 1_000_000;
/// The maximum number of requests of a trace, over all streams, that the page keeps in a workspace.
/// The whole workspace is stored after each edit. Of a longer trace, it keeps a sample.
pub const REPLAY_KEPT_MAX: usize = 10_000;
/// The maximum of [`Replay::one_of`].
pub const REPLAY_ONE_OF_MAX: u32 = 1_000_000;
/// The minimum and the maximum of [`Replay::speed`].
pub const REPLAY_SPEEDS: [f64; 2] = [0.1, 1_000.0];
/// The maximum length of a row key, in bytes.
const KEY_BYTES_MAX: usize = 4_096;

/// Requests recorded from the user's own service, all of one kind. They are for row keys, not for
/// events. A design with other row keys gets them if the form of the recorded keys is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// What each request does.
    pub operation: ReplayOperation,
    /// For each request the time in seconds since the start, ascending, and the row key, as text.
    /// At most a million.
    pub requests: Vec<(f64, String)>,
    /// The number of requests that each request of the trace stands for, 1 to 1,000,000: a trace is
    /// often a sample, with one of this many requests of a service. They arrive within a second.
    #[serde(default = "every_request")]
    pub one_of: u32,
    /// How many times as fast as they were recorded the requests are replayed, 0.1 to 1,000.
    #[serde(default = "as_recorded")]
    pub speed: f64,
    /// The form of the row keys: a template of a design. Another design gets each request with the
    /// key that it makes of the values in the recorded key. If empty, each design gets the recorded
    /// keys.
    #[serde(default)]
    pub keys: String,
}

fn every_request() -> u32 {
    1
}

fn as_recorded() -> f64 {
    1.0
}

/// What a request of a trace did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayOperation {
    /// A read of a row.
    Read,
    /// A write to a row: a cell of 100 bytes.
    Write,
    /// A scan of 100 rows, beginning at a row.
    Scan,
    /// A read-modify-write of a row.
    ReadModifyWrite,
    /// A deletion of a row.
    Delete,
}

/// The result of reading a trace: the streams that replay it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceStreams {
    /// One stream for each operation of the trace.
    pub streams: Vec<Stream>,
    /// Number of requests in the trace.
    pub requests: u32,
    /// Number of requests that the streams replay: all, or a sample that is even over the whole
    /// time of the trace, because the number of kept requests is limited.
    pub replayed: u32,
    /// [`Replay::speed`] of the streams. It is above 1 for a trace of more than a day, because a run
    /// lasts at most a day.
    pub speed: f64,
    /// The number of seconds from the first to the last replayed request at this speed, rounded up.
    pub seconds: u32,
    /// Lines that are not requests: at most a hundred.
    pub problems: Vec<LoadProblem>,
}

impl ReplayOperation {
    /// All operations, with their names in a trace.
    pub const NAMES: [(&str, ReplayOperation); 5] = [
        ("read", ReplayOperation::Read),
        ("write", ReplayOperation::Write),
        ("scan", ReplayOperation::Scan),
        ("rmw", ReplayOperation::ReadModifyWrite),
        ("delete", ReplayOperation::Delete),
    ];

    /// Returns the name of the operation in a trace.
    pub fn name(self) -> &'static str {
        ReplayOperation::NAMES.iter().find(|(_, operation)| *operation == self).map_or("", |(name, _)| name)
    }
}

impl Replay {
    /// Returns the replay of all requests of a service, as they were recorded.
    pub fn new(operation: ReplayOperation, requests: Vec<(f64, String)>) -> Replay {
        Replay { operation, requests, one_of: every_request(), speed: as_recorded(), keys: String::new() }
    }

    /// Returns the time of each request in the run, in seconds.
    pub fn times(&self) -> impl DoubleEndedIterator<Item = f64> {
        self.requests.iter().map(|(seconds, _)| seconds / self.speed)
    }

    /// Returns the maximum number of requests in any second of the run.
    pub fn busiest_second(&self) -> f64 {
        let (mut most, mut count, mut current) = (0, 0, -1.0);
        for second in self.times().map(libm::floor) {
            count = if second == current { count + 1 } else { 1 };
            (most, current) = (most.max(count), second);
        }
        f64::from(most) * f64::from(self.one_of)
    }

    /// Returns the first problem, with its location in the stream.
    pub(super) fn problem(&self) -> Option<(String, String)> {
        let at = |index: usize| format!("what.replay.requests[{index}]");
        if self.requests.len() > REPLAY_REQUESTS_MAX {
            let why =
                format!("has {} entries; at most {REPLAY_REQUESTS_MAX} are allowed", self.requests.len());
            return Some(("what.replay.requests".into(), why));
        }
        if !(1..=REPLAY_ONE_OF_MAX).contains(&self.one_of) {
            let why = format!("is {}; it must be from 1 to {REPLAY_ONE_OF_MAX}", self.one_of);
            return Some(("what.replay.one_of".into(), why));
        }
        let [slowest, fastest] = REPLAY_SPEEDS;
        if !(slowest..=fastest).contains(&self.speed) {
            let why = format!("is {}; it must be from {slowest} to {fastest}", self.speed);
            return Some(("what.replay.speed".into(), why));
        }
        let end = f64::from(RUN_SECONDS_MAX) * self.speed;
        let mut before = 0.0;
        for (index, (seconds, key)) in self.requests.iter().enumerate() {
            if !(0.0..=end).contains(seconds) {
                let why = format!("is at {seconds} seconds; it must be from 0 to {end}");
                return Some((at(index), why));
            }
            if *seconds < before {
                let why = format!(
                    "is at {seconds} seconds, and the one before it at {before}; put them in the order of their times"
                );
                return Some((at(index), why));
            }
            if key.is_empty() || key.len() > KEY_BYTES_MAX {
                return Some((
                    at(index),
                    format!("has a key of {} bytes; a row key has 1 to {KEY_BYTES_MAX}", key.len()),
                ));
            }
            before = *seconds;
        }
        None
    }
}

impl Traffic {
    /// Returns the streams that replay a trace.
    pub fn replays(&self) -> impl Iterator<Item = &Replay> {
        self.streams.iter().filter_map(|stream| match &stream.what {
            StreamKind::Replay(replay) => Some(replay),
            _ => None,
        })
    }

    /// Returns the number of seconds from the first to the last request of all traces, rounded up;
    /// `None` without a trace.
    pub fn replay_seconds(&self) -> Option<u32> {
        let last = self.replays().filter_map(|replay| replay.times().next_back()).reduce(f64::max)?;
        Some((last as u32).saturating_add(1).min(RUN_SECONDS_MAX))
    }

    /// Changes how traces are replayed, in all their streams. A run that is as long as its traces
    /// stays so.
    pub fn change_replays(&mut self, change: impl Fn(&mut Replay)) {
        let fits = self.replay_seconds() == Some(self.run.seconds);
        for stream in &mut self.streams {
            if let StreamKind::Replay(replay) = &mut stream.what {
                change(replay);
            }
        }
        if let Some(seconds) = self.replay_seconds().filter(|_| fits) {
            self.run.seconds = seconds;
        }
    }
}
