//! What is wrong with traffic, as figures.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::RowKey;

use tabletop_workspace::{AutoscaleRange, ClusterFix, NODES_MAX};

/// A problem that the traffic shows, as figures. Shares are 0 to 1; rates are per second, over the
/// last seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Symptom {
    /// One row has a large share of the requests.
    HotRow {
        /// The row; `None` if none of the loaded events has it.
        row: Option<RowKey>,
        /// The share of the requests.
        share: f64,
        /// The requests per second.
        per_second: f64,
        /// The share of these requests that are writes.
        writes: f64,
        /// The CPU time that it needs, as a share of a node.
        node_share: f64,
    },
    /// Most writes of a second go to a few places.
    SequentialWrites {
        /// The mean number of places.
        places: f64,
        /// The share of the writes that go to these places.
        share: f64,
        /// Writes per second.
        per_second: f64,
    },
    /// A few neighbouring keys have a large share of the requests.
    HotPrefix {
        /// The first key.
        start: RowKey,
        /// The first key after them; empty for the end of the table.
        end: RowKey,
        /// The share of the requests.
        share: f64,
        /// The share of the rows.
        rows: f64,
    },
    /// A row is read nearly as often as a node can serve: the CPU time that it needs, as a share of
    /// a node.
    ReadPressure(f64),
    /// A row is written nearly as often as a node can serve: the CPU time that it needs, as a share
    /// of a node.
    WritePressure(f64),
    /// A row has this many bytes.
    LargeRows(u64),
    /// The load comes in waves.
    PeriodicLoad {
        /// Seconds from peak to peak.
        seconds: f64,
        /// Requests per second at the peaks.
        most: f64,
        /// Requests per second between the peaks.
        least: f64,
        /// The minimum number of nodes with which nodes use at most the target share of their
        /// cores, between the peaks and at the peaks; `None` without a cluster.
        nodes: Option<(u32, u32)>,
    },
    /// All nodes are busy.
    TooFewNodes {
        /// Number of nodes.
        nodes: u32,
        /// The mean share of their cores that was busy.
        cpu: f64,
        /// The minimum number of nodes with which nodes use at most the target share of their
        /// cores.
        needed: u32,
        /// The target share.
        cpu_target: f64,
        /// Number of requests that were waiting at the end of the last second.
        waiting: u64,
    },
    /// A node has failed.
    FailedNode {
        /// The letter of the node.
        node: String,
        /// Number of seconds since the failure.
        seconds_ago: u32,
        /// Maximum number of requests that were waiting at the end of any second since then.
        waiting: u64,
        /// Number of requests that have expired since then.
        expired: u64,
    },
}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosisKind {
    /// One row has a large share of the requests. No split helps.
    HotRow,
    /// Writes follow the end of the keys, or of a prefix: a diagonal in the heatmap.
    SequentialWrites,
    /// Keys with one prefix have a large share of the requests.
    HotPrefix,
    /// A row is read nearly as often as a node can.
    ReadPressure,
    /// A row is written nearly as often as a node can.
    WritePressure,
    /// Rows are larger than recommended.
    LargeRows,
    /// The load comes in waves.
    PeriodicLoad,
    /// All nodes are busy, and more nodes would help.
    TooFewNodes,
    /// A node has failed.
    FailedNode,
}

impl Symptom {
    /// Returns its kind.
    pub fn kind(&self) -> DiagnosisKind {
        match self {
            Symptom::HotRow { .. } => DiagnosisKind::HotRow,
            Symptom::SequentialWrites { .. } => DiagnosisKind::SequentialWrites,
            Symptom::HotPrefix { .. } => DiagnosisKind::HotPrefix,
            Symptom::ReadPressure(_) => DiagnosisKind::ReadPressure,
            Symptom::WritePressure(_) => DiagnosisKind::WritePressure,
            Symptom::LargeRows(_) => DiagnosisKind::LargeRows,
            Symptom::PeriodicLoad { .. } => DiagnosisKind::PeriodicLoad,
            Symptom::TooFewNodes { .. } => DiagnosisKind::TooFewNodes,
            Symptom::FailedNode { .. } => DiagnosisKind::FailedNode,
        }
    }

    /// Returns the changes of the cluster that help. Changes that exceed the maximum size of a
    /// cluster are left out.
    pub(super) fn cluster_fixes(&self) -> Vec<ClusterFix> {
        let fix = match *self {
            Symptom::TooFewNodes { needed, .. } if needed <= NODES_MAX => Some(ClusterFix::Nodes(needed)),
            Symptom::PeriodicLoad { nodes: Some((nodes_min, nodes_max)), .. }
                if nodes_min < nodes_max.min(NODES_MAX) =>
            {
                Some(ClusterFix::Autoscale(AutoscaleRange { nodes_min, nodes_max: nodes_max.min(NODES_MAX) }))
            }
            _ => None,
        };
        fix.into_iter().collect()
    }
}
