//! The settings of a cluster. All thresholds are Tabletop's own: Google publishes none. Its
//! published figures are in [`CostModel`].

use crate::cost::{CostModel, Medium};
use crate::{Nanos, SECOND};

/// The settings of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The settings of each node.
    pub node: NodeSettings,
    /// When and how tablets move.
    pub balance: BalanceSettings,
    /// How the number of nodes follows the load; `None` leaves it to the user.
    pub autoscale: Option<AutoscaleSettings>,
}

impl Settings {
    /// Returns the settings of a cluster with nodes on SSD or HDD.
    pub fn on(medium: Medium) -> Settings {
        Settings { node: NodeSettings::on(medium), balance: BalanceSettings::default(), autoscale: None }
    }
}

/// The settings of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSettings {
    /// How work is converted to time.
    pub cost: CostModel,
    /// The share of the blocks that reads find in the cache, 0 to 1. It replaces what the engine found
    /// in its own cache, which holds all of a small table: a real table is far larger.
    pub cache_hit_ratio: f64,
    /// A request that has not begun this long after it was sent is answered with an error.
    pub deadline_nanos: Nanos,
    /// The time after which the tablets of a failed node are taken over.
    pub takeover_nanos: Nanos,
    /// Additional nanoseconds to replay a byte of the commit log.
    pub replay_byte_nanos: f64,
    /// The time after which a failed node is replaced by an empty one.
    pub replacement_nanos: Nanos,
}

impl NodeSettings {
    /// Returns the settings of nodes on SSD or HDD.
    pub fn on(medium: Medium) -> NodeSettings {
        NodeSettings {
            cost: CostModel::on(medium),
            cache_hit_ratio: 0.0,
            deadline_nanos: 10 * SECOND,
            takeover_nanos: 5 * SECOND,
            replay_byte_nanos: 10.0,
            replacement_nanos: 60 * SECOND,
        }
    }
}

/// The settings of the balancer.
#[derive(Clone, Debug, PartialEq)]
pub struct BalanceSettings {
    /// Nanoseconds between two checks of the load.
    pub every_nanos: Nanos,
    /// The number of seconds over which load is averaged: after this time, the weight of a second
    /// has fallen to 1/e.
    pub window_seconds: f64,
    /// Tablets stay where they are while the loads of the busiest and the idlest node differ by
    /// less than this share of the mean load.
    pub difference_max: f64,
    /// The share of all tablets that may move in a minute. After the nodes are doubled, half of the
    /// tablets move: with the default, in 20 minutes, as Google's documentation states.
    pub share_per_minute: f64,
    /// How long a moving tablet cannot be read or written. Its data stays where it is, in shared
    /// storage.
    pub unavailable_nanos: Nanos,
}

impl Default for BalanceSettings {
    fn default() -> Self {
        BalanceSettings {
            every_nanos: 5 * SECOND,
            window_seconds: 20.0,
            difference_max: 0.1,
            share_per_minute: 0.025,
            unavailable_nanos: 20_000_000,
        }
    }
}

/// The settings of the autoscaler.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoscaleSettings {
    /// The mean share of their cores that nodes should use, 0 to 1.
    pub cpu_target: f64,
    /// The fewest nodes.
    pub nodes_min: u32,
    /// The maximum number of nodes.
    pub nodes_max: u32,
    /// How long fewer nodes must be enough before any is removed.
    pub shrink_after_nanos: Nanos,
}

impl Default for AutoscaleSettings {
    fn default() -> Self {
        AutoscaleSettings { cpu_target: 0.6, nodes_min: 1, nodes_max: 10, shrink_after_nanos: 600 * SECOND }
    }
}
