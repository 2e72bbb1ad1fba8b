//! The requests of a trace, which a stream replays at their original times.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Stream;
use super::run::RUN_SECONDS_MAX;
use crate::LoadProblem;

/// The maximum number of requests that a stream replays.
pub const REPLAY_REQUESTS_MAX: usize = 1_000_000;
/// The maximum number of requests of a trace, over all streams, that the page keeps in a workspace.
/// The whole workspace is stored after each edit.
pub const REPLAY_KEPT_MAX: usize = 10_000;
/// The maximum length of a row key, in bytes.
const KEY_BYTES_MAX: usize = 4_096;

/// Requests recorded from the user's own service, all of one kind. They are for row keys, not for
/// events, so they only suit one design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// What each request does.
    pub operation: ReplayOperation,
    /// For each request the time in seconds since the start, ascending, and the row key, as text.
    /// At most a million.
    pub requests: Vec<(f64, String)>,
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
    /// Number of requests that the streams replay.
    pub replayed: u32,
    /// Number of later requests that were left out, because the number of kept requests is limited,
    /// or because a run lasts at most a day.
    pub left_out: u32,
    /// The number of seconds from the first to the last replayed request, rounded up.
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
    /// Returns the maximum number of requests in any second.
    pub fn busiest_second(&self) -> u32 {
        let seconds = self.requests.chunk_by(|(one, _), (other, _)| libm::floor(*one) == libm::floor(*other));
        seconds.map(|second| second.len() as u32).max().unwrap_or(0)
    }

    /// Returns the first problem, with its location in the stream.
    pub(super) fn problem(&self) -> Option<(String, String)> {
        let at = |index: usize| format!("what.replay.requests[{index}]");
        if self.requests.len() > REPLAY_REQUESTS_MAX {
            let why =
                format!("has {} entries; at most {REPLAY_REQUESTS_MAX} are allowed", self.requests.len());
            return Some(("what.replay.requests".into(), why));
        }
        let mut before = 0.0;
        for (index, (seconds, key)) in self.requests.iter().enumerate() {
            if !(0.0..=f64::from(RUN_SECONDS_MAX)).contains(seconds) {
                return Some((
                    at(index),
                    format!("is at {seconds} seconds; it must be from 0 to {RUN_SECONDS_MAX}"),
                ));
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
