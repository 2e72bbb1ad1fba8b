//! The traffic of a workspace: streams of requests that arrive whether or not earlier requests have
//! been answered.
//!
//! A stream says what its requests do, how many arrive per second, for which events, and how the
//! rate changes over time. Each request is for an event, not for a row key. So different designs
//! get the same requests at the same times, and only differ in the row keys that they make from the
//! events. `tabletop_workload::Arrivals` generates the requests.

mod check;
mod replay;
mod run;
mod run_check;
mod scaling;
mod situation;

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_keys::outlined;

use crate::TrafficLimits;

pub use check::{
    EXPONENT_MAX, FACTOR_MAX, SCAN_ROWS_MAX, SCHEDULE_SECONDS_MAX, STREAM_NAME_CHARS_MAX, STREAMS_MAX,
    TRAFFIC_PER_SECOND_MAX, TrafficPart, TrafficProblem,
};
pub use replay::{
    REPLAY_KEPT_MAX, REPLAY_ONE_OF_MAX, REPLAY_REQUESTS_MAX, REPLAY_SPEEDS, Replay, ReplayOperation,
    TraceStreams,
};
pub use run::{
    AutoscaleRange, CHANGES_MAX, ChangeKind, ClusterChange, ClusterFix, ClusterThresholds, LoadTest,
    NODES_MAX, RUN_SECONDS_MAX, StorageMedium, TABLETS_MIN_MAX, TrafficRun,
};
pub(crate) use run::{UTILIZATION, UTILIZATIONS};
pub use scaling::{SCALING_NODES, ScalingKeys};
pub use situation::Situation;

/// The streams of requests, which run at the same time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Traffic {
    /// The streams, at most 64.
    pub streams: Vec<Stream>,
    /// Determines the random numbers: the same seed gives the same requests at the same times.
    #[serde(default)]
    pub seed: u64,
    /// Limits of the traffic's cost on each design.
    #[serde(default)]
    pub limits: TrafficLimits,
    /// How the traffic is simulated.
    #[serde(default)]
    pub run: TrafficRun,
}

outlined!(Traffic);

/// A stream of requests of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// Unique in its traffic, and not empty.
    pub name: String,
    /// What each request does.
    pub what: StreamKind,
    /// The mean number of requests per second, at most 1,000,000, while the factor of the schedule
    /// is 1. The times between requests are random, as with many independent clients (a Poisson
    /// process).
    pub per_second: f64,
    /// The events that the requests are for.
    #[serde(default)]
    pub keys: KeyChoice,
    /// How the rate changes over time.
    #[serde(default)]
    pub when: Schedule,
}

/// What each request of a stream does with the event that was chosen for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StreamKind {
    /// Writes a new event. It has the values of the chosen event, but each field that follows the clock
    /// is that of its moment: its time, other times near it, dates, times of day, counters and
    /// identifiers that rise with the time. The clock runs one second per second.
    WriteEvents,
    /// Rewrites the chosen event, into the row that it already has.
    Updates,
    /// Reads the row of the event.
    PointReads,
    /// Reads a number of rows, beginning with the row of the event.
    Scans {
        /// The number of rows, 1 to 1,000,000.
        rows: u32,
    },
    /// Runs the access pattern with this name, with the values of the event in its fields.
    Pattern(String),
    /// Reads the row of the event and writes it.
    ReadModifyWrite,
    /// Deletes the row of the event.
    Deletes,
    /// Replays requests of a trace at their own times, for their own row keys. The rate is only
    /// informational, and events and schedule are ignored.
    Replay(Replay),
}

/// Which events the requests of a stream are for. If the choice names a field, events without a
/// value for it are not chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum KeyChoice {
    /// Each event is equally likely, so a value is requested in proportion to the number of events
    /// that have it. New events are written in the order of the events.
    #[default]
    AsEvents,
    /// Each value of a field is equally likely, and then each event with this value.
    Uniform {
        /// The field's name.
        field: String,
    },
    /// Zipf's law: the event, or the value, of rank r is chosen with a probability proportional to
    /// r^-exponent. The ranks are independent of the order of the events and of the values, and of
    /// the seed.
    Zipf {
        /// The field whose values are ranked. Without it, events are ranked.
        #[serde(default)]
        field: Option<String>,
        /// The exponent, 0 (all equally likely) to 10.
        exponent: f64,
    },
    /// Zipf's law by age: the newest event has rank 1. Events that the traffic itself has written
    /// are ranked as well, and push out the oldest ones: the number of ranked events is always the
    /// number of loaded events.
    Latest {
        /// The exponent, 0 (all equally likely) to 10.
        exponent: f64,
    },
    /// The events in their order, beginning again after the last one.
    Sequential,
    /// A share of the requests is for the events with one value, each equally likely. The other
    /// requests are for any event, each equally likely.
    Hot {
        /// The field with the value. Without it, the share is for a single event.
        #[serde(default)]
        field: Option<String>,
        /// The value. Without it, the most frequent one.
        #[serde(default)]
        value: Option<String>,
        /// The share of requests, 0 to 1.
        share: f64,
    },
}

impl Traffic {
    /// Returns whether the rate never changes.
    pub fn is_constant(&self) -> bool {
        let is_constant = |stream: &Stream| {
            stream.when == Schedule::Constant && !matches!(stream.what, StreamKind::Replay(_))
        };
        self.run.load_test.is_none() && self.streams.iter().all(is_constant)
    }

    /// Returns the maximum number of requests per second at any moment of the run, including the
    /// load test. Where waves overlap with other waves or with a ramp, this is an upper bound: the
    /// sum of their peaks.
    pub fn peak_per_second(&self) -> f64 {
        let end = f64::from(self.run.seconds);
        let load_test = self
            .run
            .load_test
            .map(|test| (f64::from(test.from_seconds), f64::from(test.for_seconds), test.per_second));
        let at = |seconds: f64| {
            let streams = self.streams.iter().map(|stream| match &stream.what {
                StreamKind::Replay(_) => stream.peak_per_second(),
                _ => stream.per_second * stream.when.factor(seconds),
            });
            let is_tested = |test: &(f64, f64, f64)| seconds >= test.0 && seconds < test.0 + test.1;
            streams.sum::<f64>() + load_test.filter(is_tested).map_or(0.0, |test| test.2)
        };
        // Apart from waves, rates only grow at these moments.
        let changes = self
            .streams
            .iter()
            .flat_map(|stream| stream.when.changes())
            .chain(load_test.iter().flat_map(|test| [test.0, test.0 + test.1]));
        let changes: Vec<f64> =
            [0.0, end].into_iter().chain(changes).filter(|seconds| (0.0..=end).contains(seconds)).collect();
        let peaks = |after: f64| self.streams.iter().filter_map(move |stream| stream.when.next_peak(after));
        let peaks = changes.iter().flat_map(|after| peaks(*after)).filter(|seconds| *seconds < end);
        changes.iter().copied().chain(peaks).map(at).fold(0.0, f64::max)
    }
}

impl Stream {
    /// Returns the maximum number of requests per second: at the peak of the schedule, or in the
    /// busiest second of the trace.
    pub fn peak_per_second(&self) -> f64 {
        match &self.what {
            StreamKind::Replay(replay) => replay.busiest_second(),
            _ => self.per_second * self.when.peak(),
        }
    }
}

impl KeyChoice {
    /// Returns the field that the choice needs, if it needs one.
    pub fn field(&self) -> Option<&str> {
        match self {
            KeyChoice::Uniform { field } => Some(field),
            KeyChoice::Zipf { field, .. } | KeyChoice::Hot { field, .. } => field.as_deref(),
            KeyChoice::AsEvents | KeyChoice::Latest { .. } | KeyChoice::Sequential => None,
        }
    }
}

/// The rate of a stream over time, as a factor. Seconds count from the beginning of the traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Schedule {
    /// Always 1.
    #[default]
    Constant,
    /// From 1 to `factor` in a straight line, then `factor`.
    Ramp {
        /// 0 to 1,000.
        factor: f64,
        /// The beginning of the line.
        from_seconds: f64,
        /// The end of the line, not before its start.
        until_seconds: f64,
    },
    /// 1, but `factor` in `[from_seconds, from_seconds + for_seconds)`.
    Sudden {
        /// 0 to 1,000.
        factor: f64,
        /// The moment of the change.
        from_seconds: f64,
        /// How long it lasts.
        for_seconds: f64,
    },
    /// A wave between 1 and `low`.
    Periodic {
        /// The time from peak to peak, such as an hour or a day; at least 1.
        period_seconds: f64,
        /// The moment of a peak.
        peak_seconds: f64,
        /// The factor halfway between two peaks, 0 to 1.
        low: f64,
    },
}

impl Schedule {
    /// Returns the factor at this time after the start, at least 0 if the schedule has no problems.
    pub fn factor(&self, seconds: f64) -> f64 {
        match *self {
            Schedule::Constant => 1.0,
            Schedule::Ramp { factor, from_seconds, until_seconds } => {
                if seconds >= until_seconds {
                    factor
                } else if seconds <= from_seconds {
                    1.0
                } else {
                    1.0 + (factor - 1.0) * (seconds - from_seconds) / (until_seconds - from_seconds)
                }
            }
            Schedule::Sudden { factor, from_seconds, for_seconds } => {
                if seconds >= from_seconds && seconds < from_seconds + for_seconds { factor } else { 1.0 }
            }
            Schedule::Periodic { period_seconds, peak_seconds, low } => {
                let turns = (seconds - peak_seconds) / period_seconds;
                // The cosine of many turns would lose digits, so whole turns are removed first.
                let wave = (1.0 + libm::cos((turns - libm::floor(turns)) * core::f64::consts::TAU)) / 2.0;
                low + (1.0 - low) * wave
            }
        }
    }

    /// Returns the moments at which the factor jumps, or begins or stops to change.
    fn changes(&self) -> impl Iterator<Item = f64> {
        let (from, until) = match *self {
            Schedule::Constant | Schedule::Periodic { .. } => (0.0, 0.0),
            Schedule::Ramp { from_seconds, until_seconds, .. } => (from_seconds, until_seconds),
            Schedule::Sudden { from_seconds, for_seconds, .. } => (from_seconds, from_seconds + for_seconds),
        };
        [from, until].into_iter()
    }

    /// Returns the first peak of a wave at or after a moment.
    fn next_peak(&self, after: f64) -> Option<f64> {
        let Schedule::Periodic { period_seconds, peak_seconds, .. } = *self else { return None };
        Some(peak_seconds + libm::ceil((after - peak_seconds) / period_seconds) * period_seconds)
    }

    /// Returns the largest factor at any time.
    pub fn peak(&self) -> f64 {
        match *self {
            Schedule::Constant | Schedule::Periodic { .. } => 1.0,
            Schedule::Ramp { factor, .. } | Schedule::Sudden { factor, .. } => factor.max(1.0),
        }
    }
}

#[cfg(test)]
mod tests;
