//! How a traffic is simulated: nodes, storage, time, and what happens to the cluster on the way.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// The most nodes of a cluster.
pub const NODES_MAX: u32 = 100;
/// The longest simulation: a day.
pub const RUN_SECONDS_MAX: u32 = 86_400;
/// The most tablets that a table is split into in advance.
pub const TABLETS_MIN_MAX: u32 = 4_096;
/// The most changes of the cluster in a run.
pub const CHANGES_MAX: usize = 256;

/// A change of the cluster that helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterFix {
    /// It has this number of nodes from the beginning.
    Nodes(u32),
    /// The number of nodes follows the load.
    Autoscale(AutoscaleRange),
}

/// The cluster that serves a traffic, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficRun {
    /// Nodes in the beginning, 1 to 100.
    pub nodes: u32,
    /// Seconds of virtual time, 1 to 86,400.
    pub seconds: u32,
    /// The storage of the cluster.
    #[serde(default)]
    pub storage: StorageMedium,
    /// Whether the number of nodes follows the load.
    #[serde(default)]
    pub autoscale: Option<AutoscaleRange>,
    /// Random reads of all rows before a peak.
    #[serde(default)]
    pub load_test: Option<LoadTest>,
    /// The table is split in advance into so many tablets, if its rows allow that; 0 to 4,096. As a table that is created with splits.
    #[serde(default)]
    pub tablets_min: u32,
    /// When nodes are added and tablets move.
    #[serde(default)]
    pub thresholds: ClusterThresholds,
    /// What a person does to the cluster, and what fails, in the order of its time.
    #[serde(default)]
    pub changes: Vec<ClusterChange>,
}

impl Default for TrafficRun {
    fn default() -> TrafficRun {
        TrafficRun {
            nodes: 2,
            seconds: 120,
            storage: StorageMedium::Ssd,
            autoscale: None,
            load_test: None,
            tablets_min: 0,
            thresholds: ClusterThresholds::default(),
            changes: Vec::new(),
        }
    }
}

impl TrafficRun {
    /// Makes a change that a diagnosis offers. A number of nodes is one that the autoscaler may reach, if there is one.
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

/// When nodes are added and tablets move. Google publishes none of these thresholds: they are ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClusterThresholds {
    /// The mean share of their cores that nodes should use: the target of the autoscaler, and of the advice on the number of nodes. 0.1 to
    /// 0.95.
    pub cpu_target: f64,
    /// Tablets stay where they are while the loads of the busiest and the idlest node differ by less than this share of the mean load. 0.01
    /// to 1.
    pub difference_max: f64,
    /// The share of all tablets that may move in a minute. 0.001 to 1.
    pub moved_per_minute: f64,
    /// A tablet is split by load from so many rows written per second, or eight times as many read; without it, as the workspace's
    /// cluster says. 1 to 1,000,000,000.
    pub tablet_load_max: Option<f64>,
}

impl Default for ClusterThresholds {
    fn default() -> ClusterThresholds {
        ClusterThresholds { cpu_target: 0.6, difference_max: 0.1, moved_per_minute: 0.025, tablet_load_max: None }
    }
}

/// Numbers of nodes between which an autoscaler chooses, to the CPU target of [`ClusterThresholds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoscaleRange {
    /// 1 to 100.
    pub nodes_min: u32,
    /// Not below `nodes_min`, at most 100.
    pub nodes_max: u32,
}

/// Point reads of rows, each equally likely, so that tablets split and spread over the nodes before a peak that is expected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadTest {
    /// Reads per second, more than 0 and at most 1,000,000.
    pub per_second: f64,
    /// When it starts.
    pub from_seconds: u32,
    /// How long it runs.
    pub for_seconds: u32,
}

/// Something that happens to the cluster at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterChange {
    /// Seconds since the start.
    pub at_seconds: u32,
    /// What happens.
    pub what: ChangeKind,
}

/// What happens to a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ChangeKind {
    /// It has this number of nodes from now on, 1 to 100.
    Nodes(u32),
    /// A node fails: its letter, such as `B`. A node that does not exist then is no error.
    Fail(String),
    /// The tablet of the design's own table that has a row moves to a node, if both exist then.
    Move {
        /// A row key, escaped as in a query.
        row: String,
        /// The letter of the node.
        to: String,
    },
}
