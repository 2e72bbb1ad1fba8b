//! A simulation, as it is sent from the worker to the page: in chunks, each with the parts that the
//! page does not have yet.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_advice::Diagnosis;
use tabletop_model::{Bytes, Error, RowKey};
use tabletop_workspace::{TraceStreams, Traffic};

use crate::Job;

/// The share of its cores above which a node cannot keep up for long.
const CPU_MAX: f32 = 0.95;
/// Fewer waiting requests than this are not a queue, however few arrive.
const WAITING_MIN: u64 = 20;

/// The number of seconds of a measurement of throughput that count, its last ones.
const SCALING_COUNTED: usize = 2;

/// The maximum number of seconds of history that a simulation keeps. It keeps the last ones.
pub const HISTORY_SECONDS_MAX: u32 = 3_600;

/// Simulates traffic on copies of the tables of a design. A complete simulation stays open, because
/// the client can still request the heatmap of another metric.
pub struct Simulate;

impl Job for Simulate {
    const NAME: &'static str = "simulate";
    const OPEN_MAX: usize = 4;
    type Request = SimulateRequest;
    type Order = SimulationHave;
    type Chunk = SimulationChunk;
}

/// The request that begins a simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulateRequest {
    /// Index of the design.
    pub index: u32,
    /// The traffic, and the cluster that serves it.
    pub traffic: Traffic,
}

/// Turns a trace into streams, in a single slice.
pub struct ReadTrace;

impl Job for ReadTrace {
    const NAME: &'static str = "read_trace";
    type Request = TraceFile;
    type Order = ();
    type Chunk = TraceStreams;
}

/// A file with a trace: CSV with the columns `time`, `operation` and `key`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceFile {
    /// The name of the file, which is used for the names of the streams.
    pub name: String,
    /// The index of the design that is shown. If its row keys do not have the form of the log's
    /// keys, another design may be found.
    pub design: u32,
    /// The content of the file.
    pub bytes: Bytes,
}

/// What the client already has of a simulation, so that a chunk contains only the rest. The default
/// is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulationHave {
    /// Number of seconds of its history.
    pub seconds: u32,
    /// Number of entries of the list of cluster events.
    pub cluster_events: u32,
    /// Number of entries of the list of tablet moves.
    pub places: u32,
    /// Number of entries of the list of moments.
    pub moments: u32,
    /// The metric of the heatmap.
    pub metric: HeatMetric,
    /// The version of the heatmap's columns of this metric that the page has
    /// ([`HeatColumns::revision`]); 0 for none. The page requests another metric with 0.
    pub heat: u32,
}

impl SimulationHave {
    /// A client that has nothing yet, and requests the heatmap of a metric.
    pub const fn nothing(metric: HeatMetric) -> SimulationHave {
        SimulationHave { seconds: 0, cluster_events: 0, places: 0, moments: 0, metric, heat: 0 }
    }
}

/// The quantity that the cells of a heatmap show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeatMetric {
    /// Requests per second.
    #[default]
    Requests,
    /// Reads per second.
    Reads,
    /// Writes per second.
    Writes,
    /// Bytes read and written per second.
    Bytes,
    /// CPU time of requests per second, in cores.
    Cpu,
    /// The 99th percentile of the latency, in microseconds.
    LatencyP99,
    /// The reads of the busiest row per second, as a share of what a node can serve: 0 to 1 and
    /// more. An absolute scale.
    ReadPressure,
    /// The writes of the busiest row per second, as a share of what a node can serve: 0 to 1 and
    /// more. An absolute scale.
    WritePressure,
    /// The size of the largest row that a request has touched, as a share of the recommended
    /// maximum of 256 MB. An absolute scale.
    LargeRows,
}

impl HeatMetric {
    /// All metrics, in the order of a menu.
    pub const ALL: [HeatMetric; 9] = [
        HeatMetric::Requests,
        HeatMetric::Reads,
        HeatMetric::Writes,
        HeatMetric::Bytes,
        HeatMetric::Cpu,
        HeatMetric::LatencyP99,
        HeatMetric::ReadPressure,
        HeatMetric::WritePressure,
        HeatMetric::LargeRows,
    ];

    /// Returns whether a value has the same meaning in each table: 1 is a problem. Values of other
    /// metrics are compared with the largest value of the heatmap.
    pub fn is_absolute(self) -> bool {
        matches!(self, HeatMetric::ReadPressure | HeatMetric::WritePressure | HeatMetric::LargeRows)
    }
}

/// The parts of a simulation that the page does not have yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationChunk {
    /// Number of seconds that have been simulated.
    pub seconds: u32,
    /// Number of seconds in total.
    pub seconds_total: u32,
    /// One in this many requests was executed; the others are assumed to cost the same.
    pub executed_every: u32,
    /// Names of the streams, in the order of [`SimulationSecond::streams`]: the streams of the
    /// traffic, then the load test, if there is one.
    pub streams: Vec<String>,
    /// The second with which `history` begins: the one that the page has requested, or the first
    /// second of the last hour, if that is later.
    pub history_from: u32,
    /// The seconds of the history from there on.
    pub history: Vec<SimulationSecond>,
    /// The cluster events since then.
    pub cluster_events: Vec<ClusterEvent>,
    /// The moves of tablets since then.
    pub places: Vec<TabletPlaced>,
    /// What was measured and diagnosed at some moments since then. There are about a hundred in a
    /// whole simulation.
    pub moments: Vec<SimulationMoment>,
    /// The heatmap.
    pub heat: HeatColumns,
    /// Figures of all seconds so far, for all streams together and for each stream.
    pub totals: Vec<StreamTotals>,
    /// The problems, the most serious first.
    pub diagnoses: Vec<Diagnosis>,
    /// The error of the first request that was refused.
    pub refusal: Option<Error>,
    /// What the keys of a log are on this design; `None` without a log, or if the form of its keys is
    /// not stated.
    pub log: Option<LogKeys>,
}

/// The keys of a log of requests on a design.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogKeys {
    /// Number of requests in the log.
    pub requests: u32,
    /// Number of requests whose keys do not have the stated form.
    pub unread: u32,
    /// Whether the design has keys of another form, so that keys were converted, and requests with
    /// unreadable keys were left out.
    pub is_converted: bool,
}

impl SimulationChunk {
    /// Adds a later chunk, so that this chunk contains everything up to the end of that one.
    pub fn extend(&mut self, later: SimulationChunk) {
        if later.history_from != self.history_end() {
            // The seconds in between are no longer available.
            self.history.clear();
            self.history_from = later.history_from;
        }
        self.history.extend(later.history);
        let old = self.history.len().saturating_sub(HISTORY_SECONDS_MAX as usize);
        self.history.drain(..old);
        self.history_from += old as u32;
        self.cluster_events.extend(later.cluster_events);
        self.places.extend(later.places);
        self.moments.extend(later.moments);
        self.heat.extend(later.heat);
        self.seconds = later.seconds;
        self.executed_every = later.executed_every;
        (self.streams, self.totals) = (later.streams, later.totals);
        (self.diagnoses, self.refusal) = (later.diagnoses, later.refusal);
    }

    /// Returns what a client has if it has joined all chunks in this one, to request the next chunk
    /// with these columns.
    pub fn have(&self, metric: HeatMetric) -> SimulationHave {
        SimulationHave {
            seconds: self.history_end(),
            cluster_events: self.cluster_events.len() as u32,
            places: self.places.len() as u32,
            moments: self.moments.len() as u32,
            metric,
            heat: if self.heat.metric == metric { self.heat.revision } else { 0 },
        }
    }

    /// Returns the second after the last one of the history.
    fn history_end(&self) -> u32 {
        self.history_from + self.history.len() as u32
    }

    /// Returns the given second, or the nearest one of the history; `None` if the history is empty.
    pub fn second(&self, second: u32) -> Option<&SimulationSecond> {
        let last = self.history.len().checked_sub(1)?;
        self.history.get((second.saturating_sub(self.history_from) as usize).min(last))
    }

    /// Returns what was measured up to a second and diagnosed shortly before it: the last moment at
    /// or before it, otherwise the first moment.
    pub fn moment(&self, second: u32) -> Option<&SimulationMoment> {
        let at = self.moments.partition_point(|moment| moment.second <= second);
        self.moments.get(at.saturating_sub(1))
    }

    /// Returns the last second in which the nodes could not keep up, of those that the page shows as
    /// the present: from the moment of the diagnoses up to `second`.
    pub fn overloaded(&self, second: u32) -> Option<&SimulationSecond> {
        let from = self.moment(second).map_or(0, |moment| moment.second.min(second).saturating_sub(1));
        let at = |second: u32| second.saturating_sub(self.history_from) as usize;
        let end = (at(second) + 1).min(self.history.len());
        self.history.get(at(from).min(end)..end)?.iter().rev().find(|second| second.is_overloaded())
    }

    /// Returns whether all seconds have been simulated.
    pub fn is_complete(&self) -> bool {
        self.seconds >= self.seconds_total
    }
}

/// What a simulation had measured at a moment, and what its last seconds had shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationMoment {
    /// Number of seconds that had been simulated.
    pub second: u32,
    /// Figures of all these seconds, for all streams together and for each stream.
    pub totals: Vec<StreamTotals>,
    /// The problems in the last twenty of these seconds, the most serious first.
    pub diagnoses: Vec<Diagnosis>,
}

/// A second of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimulationSecond {
    /// The nodes that were up, in the order of their letters.
    pub nodes: Vec<NodeSecond>,
    /// All requests of the second.
    pub all: StreamSecond,
    /// The requests of each stream.
    pub streams: Vec<StreamSecond>,
    /// The hottest tablet of the design's own table, by its number in [`TabletPlaced`], and its
    /// share of all work, 0 to 1.
    pub hottest: Option<(u32, f32)>,
    /// The CPU load of the tablet of any table that was asked for most, in cores. A node has fewer,
    /// if no number of nodes is enough.
    pub tablet_cores: f32,
}

impl SimulationSecond {
    /// Returns whether the nodes cannot keep up: requests expire, a node is above 95%, or more than a
    /// tenth of a second's requests wait.
    pub fn is_overloaded(&self) -> bool {
        let StreamSecond { arrived, expired, .. } = self.all;
        let waiting = self.waiting();
        expired > 0
            || self.nodes.iter().any(|node| node.cpu > CPU_MAX)
            || (waiting >= WAITING_MIN && waiting * 10 > u64::from(arrived))
    }

    /// Returns the number of requests that waited or were in service at the end of the second.
    pub fn waiting(&self) -> u64 {
        self.nodes.iter().map(|node| u64::from(node.queue)).sum()
    }
}

/// Returns the letters of a node, as in spreadsheet columns: A to Z, AA, AB.
pub fn node_letters(node: u32) -> String {
    let (mut rest, mut letters) = (node + 1, String::new());
    while rest > 0 {
        letters.insert(0, char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    letters
}

/// A node in a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeSecond {
    /// The number: 0 is A.
    pub id: u32,
    /// The share of its cores that was busy, 0 to 1.
    pub cpu: f32,
    /// Requests that waited or were in service at the end of the second.
    pub queue: u32,
    /// Tablets that it serves.
    pub tablets: u32,
}

/// Requests of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamSecond {
    /// Requests that arrived.
    pub arrived: u32,
    /// Requests that were answered.
    pub answered: u32,
    /// Requests whose deadline passed.
    pub expired: u32,
    /// Requests that the design or the engine refused.
    pub refused: u32,
    /// The latencies of this second's answers in microseconds: 50th, 95th and 99th percentile, and
    /// maximum; 0 without answers.
    pub latency_micros: [u32; 4],
}

/// Figures of a stream over a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamTotals {
    /// The name; empty for all streams together, which are the first entry.
    pub name: String,
    /// Requests that arrived.
    pub arrived: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Requests whose deadline passed.
    pub expired: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// The latencies in microseconds: 50th, 95th and 99th percentile, and maximum; 0 without
    /// answers.
    pub latency_micros: [u64; 4],
}

/// An event of nodes or tablets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterEvent {
    /// Milliseconds since the start.
    pub at_millis: u32,
    /// The index table that has the tablet; `None` for the design's own table, and for nodes.
    pub table: Option<String>,
    /// What happened.
    pub cause: ClusterEventCause,
}

/// What happened to nodes or tablets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterEventCause {
    /// A tablet has moved to another node.
    Moved {
        /// The first key of the tablet.
        start: RowKey,
        /// The first key after it; empty for the end of the table.
        end: RowKey,
        /// The node that served it.
        from: String,
        /// The node that serves it now.
        to: String,
        /// The share of the work of `from`, 0 to 1.
        share: f64,
    },
    /// A tablet was split.
    Split {
        /// The first key of the new tablet.
        at_key: RowKey,
    },
    /// Adjacent tablets became one.
    Merged {
        /// The first key of the tablet that no longer exists.
        at_key: RowKey,
    },
    /// A node was added.
    Added {
        /// The node.
        node: String,
    },
    /// A node was removed; its tablets are served by others.
    Removed {
        /// The node.
        node: String,
    },
    /// A node has failed.
    Failed {
        /// The node.
        node: String,
    },
    /// A node replaces one that has failed.
    Replaced {
        /// The new node.
        node: String,
    },
    /// The autoscaler has changed the number of nodes.
    Resized {
        /// The number of nodes before.
        from: u32,
        /// The number of nodes after.
        to: u32,
        /// The mean share of their cores that the nodes used, 0 to 1.
        cpu: f64,
    },
}

impl ClusterEvent {
    /// Returns its kind.
    pub fn kind(&self) -> ClusterEventKind {
        match self.cause {
            ClusterEventCause::Moved { .. } => ClusterEventKind::Move,
            ClusterEventCause::Split { .. } => ClusterEventKind::Split,
            ClusterEventCause::Merged { .. } => ClusterEventKind::Merge,
            ClusterEventCause::Added { .. }
            | ClusterEventCause::Removed { .. }
            | ClusterEventCause::Resized { .. } => ClusterEventKind::Resize,
            ClusterEventCause::Failed { .. } | ClusterEventCause::Replaced { .. } => {
                ClusterEventKind::Failure
            }
        }
    }
}

/// The kinds of cluster events. Each has its own mark on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterEventKind {
    /// A tablet was split.
    Split,
    /// Tablets were merged.
    Merge,
    /// A tablet moved to another node.
    Move,
    /// The number of nodes changed.
    Resize,
    /// A node failed, or was replaced.
    Failure,
}

/// A tablet of the design's own table has appeared, has moved, or no longer exists. The tablets at
/// a moment are given by the last entry for each number up to that moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabletPlaced {
    /// The second at whose end this was observed.
    pub second: u32,
    /// The number of the tablet in this simulation.
    pub tablet: u32,
    /// The first key.
    pub start: RowKey,
    /// The number of the node; `None` if the tablet no longer exists.
    pub node: Option<u32>,
}

/// Columns of a heatmap: either those that the page does not have, or all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatColumns {
    /// The version of these columns, which the page sends when it requests the next ones.
    pub revision: u32,
    /// Number of the page's columns that stay; later ones are dropped because they were merged. The
    /// new ones follow.
    pub keep: u32,
    /// The first key of each bucket, ascending; the first is empty. Only sent together with all
    /// columns: empty if `keep` is not 0.
    pub starts: Vec<RowKey>,
    /// The metric.
    pub metric: HeatMetric,
    /// The new columns.
    pub columns: Vec<HeatColumn>,
}

impl HeatColumns {
    /// Adds later columns.
    pub fn extend(&mut self, later: HeatColumns) {
        self.columns.truncate(later.keep as usize);
        self.columns.extend(later.columns);
        if !later.starts.is_empty() {
            self.starts = later.starts;
        }
        (self.revision, self.metric) = (later.revision, later.metric);
    }
}

/// A column of a heatmap, which covers some seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatColumn {
    /// The first second.
    pub second: u32,
    /// The number of its seconds.
    pub seconds: u32,
    /// The value of each bucket: the mean over its seconds, or the maximum for a metric that cannot
    /// be averaged.
    pub values: Vec<f32>,
    /// The largest value of a single row in each bucket, in any one second. Equal to `values` if
    /// the metric is about the largest row.
    pub most: Vec<f32>,
}

/// Returns the answers per second of a measurement: the mean of its last seconds.
pub fn scaling_answered(history: &[SimulationSecond]) -> f64 {
    let last = &history[history.len().saturating_sub(SCALING_COUNTED)..];
    last.iter().map(|second| f64::from(second.all.answered)).sum::<f64>() / last.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn nodes_have_letters() {
        assert_eq!([0, 25, 26, 51, 52, 99].map(node_letters), ["A", "Z", "AA", "AZ", "BA", "CV"]);
    }

    #[test]
    fn a_second_is_overloaded_by_any_one_of_its_figures() {
        let second = |cpu, queue, expired| SimulationSecond {
            nodes: vec![
                NodeSecond { cpu: 0.1, ..NodeSecond::default() },
                NodeSecond { id: 1, cpu, queue, tablets: 1 },
            ],
            all: StreamSecond { arrived: 1_000, expired, ..StreamSecond::default() },
            ..SimulationSecond::default()
        };
        assert!(!second(0.95, 100, 0).is_overloaded());
        for overloaded in [second(0.96, 0, 0), second(0.2, 101, 0), second(0.2, 0, 1)] {
            assert!(overloaded.is_overloaded(), "{overloaded:?}");
        }
    }

    #[test]
    fn the_last_seconds_count() {
        let second = |answered| SimulationSecond {
            all: StreamSecond { answered, ..StreamSecond::default() },
            ..Default::default()
        };
        assert_eq!(scaling_answered(&[second(1), second(10), second(20)]), 15.0);
        assert_eq!(scaling_answered(&[]), 0.0);
    }
}
