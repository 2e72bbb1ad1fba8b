//! Requests of a trace, which a stream replays at their own times.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Stream;
use super::run::RUN_SECONDS_MAX;
use crate::LoadProblem;

/// The most requests that a stream replays.
pub const REPLAY_REQUESTS_MAX: usize = 1_000_000;
/// The most requests of a trace that the page keeps in a workspace, all streams together. A workspace is stored whole at each edit.
pub const REPLAY_KEPT_MAX: usize = 10_000;
/// The most bytes of a row key.
const KEY_BYTES_MAX: usize = 4_096;

/// Requests that a person's own service had, all of one kind. They are for row keys, not for events, so they suit one design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// What each request does.
    pub operation: ReplayOperation,
    /// The seconds since the start, ascending, and the row key, as text. At most a million.
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
    /// A scan of 100 rows, from a row on.
    Scan,
    /// A read-modify-write of a row.
    ReadModifyWrite,
    /// The deletion of a row.
    Delete,
}

/// What a trace becomes: the streams that replay it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceStreams {
    /// A stream for each operation of the trace.
    pub streams: Vec<Stream>,
    /// How many requests they replay.
    pub replayed: u32,
    /// How many later requests were left out, because the number of requests that are kept is limited, or because a run has at most a day.
    pub left_out: u32,
    /// The seconds from the first request to the last of those that are replayed, a begun one included.
    pub seconds: u32,
    /// Lines that are no request: at most a hundred.
    pub problems: Vec<LoadProblem>,
}

impl ReplayOperation {
    /// All operations with their names in a trace.
    pub const NAMES: [(&str, ReplayOperation); 5] = [
        ("read", ReplayOperation::Read),
        ("write", ReplayOperation::Write),
        ("scan", ReplayOperation::Scan),
        ("rmw", ReplayOperation::ReadModifyWrite),
        ("delete", ReplayOperation::Delete),
    ];

    /// Its name in a trace.
    pub fn name(self) -> &'static str {
        ReplayOperation::NAMES.iter().find(|(_, operation)| *operation == self).map_or("", |(name, _)| name)
    }
}

impl Replay {
    /// The most requests of any second.
    pub fn busiest_second(&self) -> u32 {
        let seconds = self.requests.chunk_by(|(one, _), (other, _)| libm::floor(*one) == libm::floor(*other));
        seconds.map(|second| second.len() as u32).max().unwrap_or(0)
    }

    /// Returns what is wrong, with the place in the stream.
    pub(super) fn problem(&self) -> Option<(String, String)> {
        let at = |index: usize| format!("what.replay.requests[{index}]");
        if self.requests.len() > REPLAY_REQUESTS_MAX {
            let why = format!("has {} entries; at most {REPLAY_REQUESTS_MAX} are allowed", self.requests.len());
            return Some(("what.replay.requests".into(), why));
        }
        let mut before = 0.0;
        for (index, (seconds, key)) in self.requests.iter().enumerate() {
            if !(0.0..=f64::from(RUN_SECONDS_MAX)).contains(seconds) {
                return Some((at(index), format!("is at {seconds} seconds; they go from 0 to {RUN_SECONDS_MAX}")));
            }
            if *seconds < before {
                let why =
                    format!("is at {seconds} seconds, and the one before it at {before}; put them in the order of their times");
                return Some((at(index), why));
            }
            if key.is_empty() || key.len() > KEY_BYTES_MAX {
                return Some((at(index), format!("has a key of {} bytes; a row key has 1 to {KEY_BYTES_MAX}", key.len())));
            }
            before = *seconds;
        }
        None
    }
}
