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
    /// Most writes under some neighbouring keys follow each other in key order, so splits do not
    /// divide them.
    SequentialPrefix {
        /// The first key.
        start: RowKey,
        /// The first key after them; empty for the end of the table.
        end: RowKey,
        /// The share of all writes.
        share: f64,
        /// Their writes per second.
        per_second: f64,
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
        /// The CPU time that the busiest tablet needs at the peaks, as a share of a node; 0 without a
        /// cluster.
        tablet: f64,
        /// The numbers of nodes; `None` without a cluster.
        nodes: Option<WaveNodes>,
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
        /// The CPU time that the busiest tablet needs, as a share of a node.
        tablet: f64,
        /// Number of requests that were waiting at the end of the last second.
        waiting: u64,
    },
    /// Some nodes cannot keep up, and others are idle.
    Unbalanced {
        /// The letter of the busiest node.
        busiest: String,
        /// The share of its cores that was busy.
        cpu_most: f64,
        /// The letter of the idlest node.
        idlest: String,
        /// The share of its cores that was busy.
        cpu_least: f64,
        /// Requests per second whose deadline passed.
        expired: f64,
        /// Number of requests that were waiting at the end of the last second.
        waiting: u64,
        /// Whether tablets have moved, or nodes have been added, in the last minute.
        is_moving: bool,
        /// The number of nodes that the traffic needs, if there are too few of them.
        needed: Option<u32>,
        /// The CPU time that the busiest tablet needs, as a share of a node.
        tablet: f64,
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

/// The numbers of nodes that a load in waves needs: the minimum number with which nodes use at most
/// the target share of their cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaveNodes {
    /// Number of nodes now.
    pub now: u32,
    /// The number between the peaks.
    pub least: u32,
    /// The number at the peaks.
    pub most: u32,
}

/// The shortest wave that an autoscaler can follow, in seconds: after nodes are added, tablets take
/// about 20 minutes to spread.
const FOLLOWED_SECONDS: f64 = 3_600.0;
/// The share of a node above which the node of a tablet cannot keep up, whatever the number of other
/// nodes: a tablet is served by one node.
const TABLET_MAX: f64 = 0.95;

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
    /// Writes follow each other under a prefix, where new keys always land after the last split.
    SequentialPrefix,
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
    /// Some nodes cannot keep up, and others are idle.
    Unbalanced,
    /// A node has failed.
    FailedNode,
}

impl DiagnosisKind {
    /// All kinds, with their names on the command line.
    pub const NAMES: [(&str, DiagnosisKind); 11] = [
        ("hot-row", DiagnosisKind::HotRow),
        ("sequential-writes", DiagnosisKind::SequentialWrites),
        ("hot-prefix", DiagnosisKind::HotPrefix),
        ("sequential-prefix", DiagnosisKind::SequentialPrefix),
        ("read-pressure", DiagnosisKind::ReadPressure),
        ("write-pressure", DiagnosisKind::WritePressure),
        ("large-rows", DiagnosisKind::LargeRows),
        ("periodic-load", DiagnosisKind::PeriodicLoad),
        ("too-few-nodes", DiagnosisKind::TooFewNodes),
        ("unbalanced", DiagnosisKind::Unbalanced),
        ("failed-node", DiagnosisKind::FailedNode),
    ];
}

impl Symptom {
    /// Returns its kind.
    pub fn kind(&self) -> DiagnosisKind {
        match self {
            Symptom::HotRow { .. } => DiagnosisKind::HotRow,
            Symptom::SequentialWrites { .. } => DiagnosisKind::SequentialWrites,
            Symptom::HotPrefix { .. } => DiagnosisKind::HotPrefix,
            Symptom::SequentialPrefix { .. } => DiagnosisKind::SequentialPrefix,
            Symptom::ReadPressure(_) => DiagnosisKind::ReadPressure,
            Symptom::WritePressure(_) => DiagnosisKind::WritePressure,
            Symptom::LargeRows(_) => DiagnosisKind::LargeRows,
            Symptom::PeriodicLoad { .. } => DiagnosisKind::PeriodicLoad,
            Symptom::TooFewNodes { .. } => DiagnosisKind::TooFewNodes,
            Symptom::Unbalanced { .. } => DiagnosisKind::Unbalanced,
            Symptom::FailedNode { .. } => DiagnosisKind::FailedNode,
        }
    }

    /// Returns whether the load comes in waves that are too short for an autoscaler.
    pub fn is_short_wave(&self) -> bool {
        matches!(self, Symptom::PeriodicLoad { seconds, .. } if *seconds < FOLLOWED_SECONDS)
    }

    /// Returns the CPU time that the busiest tablet needs, as a share of a node, if that is more than
    /// a node has: more nodes then do not help until the tablet has split.
    pub fn tablet_beyond_node(&self) -> Option<f64> {
        match *self {
            Symptom::PeriodicLoad { tablet, .. }
            | Symptom::TooFewNodes { tablet, .. }
            | Symptom::Unbalanced { tablet, .. } => Some(tablet).filter(|tablet| *tablet > TABLET_MAX),
            _ => None,
        }
    }

    /// Returns the changes of the cluster that help. Changes that exceed the maximum size of a
    /// cluster are left out.
    pub(super) fn cluster_fixes(&self) -> Vec<ClusterFix> {
        let fix = match *self {
            _ if self.tablet_beyond_node().is_some() => None,
            Symptom::TooFewNodes { needed, .. } if needed <= NODES_MAX => Some(ClusterFix::Nodes(needed)),
            Symptom::Unbalanced { needed: Some(needed), .. } if needed <= NODES_MAX => {
                Some(ClusterFix::Nodes(needed))
            }
            Symptom::PeriodicLoad { nodes: Some(WaveNodes { now, most, .. }), .. }
                if self.is_short_wave() =>
            {
                (now < most && most <= NODES_MAX).then_some(ClusterFix::Nodes(most))
            }
            Symptom::PeriodicLoad { nodes: Some(WaveNodes { least, most, .. }), .. }
                if least < most.min(NODES_MAX) =>
            {
                let (nodes_min, nodes_max) = (least, most.min(NODES_MAX));
                Some(ClusterFix::Autoscale(AutoscaleRange { nodes_min, nodes_max }))
            }
            _ => None,
        };
        fix.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn an_autoscaler_is_only_offered_for_waves_that_it_can_follow() {
        let fixes = |seconds, now, most| {
            let nodes = Some(WaveNodes { now, least: 1, most });
            Symptom::PeriodicLoad { seconds, most: 100.0, least: 1.0, tablet: 0.4, nodes }.cluster_fixes()
        };
        let range = AutoscaleRange { nodes_min: 1, nodes_max: 3 };
        assert_eq!(fixes(86_400.0, 1, 3), vec![ClusterFix::Autoscale(range)]);
        assert_eq!(fixes(57.0, 1, 3), vec![ClusterFix::Nodes(3)]);
        assert_eq!(
            [fixes(57.0, 3, 3), fixes(57.0, 1, NODES_MAX + 1), fixes(86_400.0, 1, 1)],
            [vec![], vec![], vec![]]
        );
    }

    #[test]
    fn no_number_of_nodes_is_offered_for_a_tablet_that_needs_more_than_one() {
        let fixes = |tablet| {
            let nodes = Some(WaveNodes { now: 1, least: 1, most: 3 });
            let busiest = || String::from("A");
            [
                Symptom::PeriodicLoad { seconds: 57.0, most: 100.0, least: 1.0, tablet, nodes },
                Symptom::PeriodicLoad { seconds: 86_400.0, most: 100.0, least: 1.0, tablet, nodes },
                Symptom::TooFewNodes { nodes: 1, cpu: 1.0, needed: 3, cpu_target: 0.6, tablet, waiting: 9 },
                Symptom::Unbalanced {
                    busiest: busiest(),
                    cpu_most: 1.0,
                    idlest: busiest(),
                    cpu_least: 0.1,
                    expired: 1.0,
                    waiting: 9,
                    is_moving: false,
                    needed: Some(3),
                    tablet,
                },
            ]
            .map(|symptom| symptom.cluster_fixes().len())
        };
        assert_eq!(fixes(0.9), [1; 4]);
        assert_eq!(fixes(1.13), [0; 4]);
    }

    #[test]
    fn each_kind_has_one_name() {
        for (at, (name, kind)) in DiagnosisKind::NAMES.iter().enumerate() {
            let same = |other: &(&str, DiagnosisKind)| other.0 == *name || other.1 == *kind;
            assert_eq!(DiagnosisKind::NAMES.iter().position(same), Some(at));
        }
    }
}
