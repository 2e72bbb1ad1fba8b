//! How a traffic is simulated: nodes, storage, time, and changes of the cluster during the run.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// The maximum number of nodes of a cluster.
pub const NODES_MAX: u32 = 100;
/// The maximum length of a simulation: a day.
pub const RUN_SECONDS_MAX: u32 = 86_400;
/// The maximum number of tablets into which a table is split in advance.
pub const TABLETS_MIN_MAX: u32 = 4_096;
/// The maximum number of changes of the cluster in a run.
pub const CHANGES_MAX: usize = 256;

/// The share of its cores that a node should use, unless the user chooses another one: the target of
/// Google's autoscaler.
pub(crate) const UTILIZATION: f64 = 0.6;
/// The smallest and the largest target.
pub(crate) const UTILIZATIONS: [f64; 2] = [0.1, 0.95];

/// A change of the cluster that helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterFix {
    /// The cluster has this number of nodes from the beginning.
    Nodes(u32),
    /// The number of nodes follows the load.
    Autoscale(AutoscaleRange),
}

/// The cluster that serves a traffic, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficRun {
    /// Number of nodes at the beginning, 1 to 100.
    pub nodes: u32,
    /// Length of the run in seconds of virtual time, 1 to 86,400.
    pub seconds: u32,
    /// The storage of the cluster.
    #[serde(default)]
    pub storage: StorageMedium,
    /// The share of the blocks that reads find in a node's cache, 0 to 1. With 0, a node does what
    /// Google publishes for reads.
    #[serde(default)]
    pub cache_hit_ratio: f64,
    /// Whether the number of nodes follows the load.
    #[serde(default)]
    pub autoscale: Option<AutoscaleRange>,
    /// Random reads of all rows, before an expected peak.
    #[serde(default)]
    pub load_test: Option<LoadTest>,
    /// The number of tablets into which the table is split in advance, 0 to 4,096, as far as its
    /// rows allow it. This is like a table that is created with initial splits.
    #[serde(default)]
    pub tablets_min: u32,
    /// The thresholds at which nodes are added and tablets move.
    #[serde(default)]
    pub thresholds: ClusterThresholds,
    /// What the user changes in the cluster, and what fails, ordered by time.
    #[serde(default)]
    pub changes: Vec<ClusterChange>,
}

impl Default for TrafficRun {
    fn default() -> TrafficRun {
        TrafficRun {
            nodes: 2,
            seconds: 120,
            storage: StorageMedium::Ssd,
            cache_hit_ratio: 0.0,
            autoscale: None,
            load_test: None,
            tablets_min: 0,
            thresholds: ClusterThresholds::default(),
            changes: Vec::new(),
        }
    }
}

impl TrafficRun {
    /// Applies a change that a diagnosis offers. If a fix sets the number of nodes, an autoscaler
    /// may reach that number, too.
    pub fn apply(&mut self, fix: ClusterFix) {
        match fix {
            ClusterFix::Nodes(nodes) => {
                self.nodes = nodes;
                if let Some(range) = &mut self.autoscale {
                    range.nodes_max = range.nodes_max.max(nodes);
                }
            }
            ClusterFix::Autoscale(range) => {
                self.nodes = self.nodes.clamp(range.nodes_min, range.nodes_max);
                self.autoscale = Some(range);
            }
        }
    }
}

/// The storage of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorageMedium {
    /// Solid state.
    #[default]
    Ssd,
    /// Spinning disks.
    Hdd,
}

/// The thresholds at which nodes are added and tablets move. Google does not publish them, so these
/// are our own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClusterThresholds {
    /// The mean share of their cores that nodes should use, 0.1 to 0.95: the target of the
    /// autoscaler, and of the advice about the number of nodes.
    pub cpu_target: f64,
    /// Tablets are not moved while the loads of the busiest and the idlest node differ by less than
    /// this share of the mean load, 0.01 to 1.
    pub difference_max: f64,
    /// The share of all tablets that may move per minute, 0.001 to 1.
    pub moved_per_minute: f64,
    /// Rows written per second at which a tablet is split by load, 1 to 1,000,000,000. Eight rows
    /// that are read count as one. `None` uses the setting of the workspace's cluster.
    pub tablet_load_max: Option<f64>,
}

impl Default for ClusterThresholds {
    fn default() -> ClusterThresholds {
        ClusterThresholds {
            cpu_target: UTILIZATION,
            difference_max: 0.1,
            moved_per_minute: 0.025,
            tablet_load_max: None,
        }
    }
}

/// The range of node counts from which an autoscaler chooses, to reach the CPU target of
/// [`ClusterThresholds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoscaleRange {
    /// The minimum number of nodes, 1 to 100.
    pub nodes_min: u32,
    /// The maximum number of nodes, at least `nodes_min` and at most 100.
    pub nodes_max: u32,
}

/// Point reads of random rows, each equally likely, so that tablets split and spread over the nodes
/// before an expected peak.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadTest {
    /// Number of reads per second, more than 0 and at most 1,000,000.
    pub per_second: f64,
    /// When it begins, in seconds since the start.
    pub from_seconds: u32,
    /// How long it runs, in seconds.
    pub for_seconds: u32,
}

/// Something that happens to the cluster at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterChange {
    /// The moment, in seconds since the start.
    pub at_seconds: u32,
    /// The change.
    pub what: ChangeKind,
}

/// The kinds of changes of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ChangeKind {
    /// The cluster has this number of nodes from now on, 1 to 100.
    Nodes(u32),
    /// A node fails: its letter, such as `B`. If the node does not exist at that moment, nothing
    /// happens.
    Fail(String),
    /// The tablet of the design's own table that has a row moves to a node, if both exist at that
    /// moment.
    Move {
        /// A row key in the tablet, escaped as in a query.
        row: String,
        /// The letter of the node.
        to: String,
    },
}
