//! A cluster in virtual time: nodes that serve tablets, their queues, a balancer and an autoscaler.
//!
//! A [`Cluster`] is a value without a clock. Requests are sent to it in the order of their times,
//! and [`Cluster::advance`] advances its time. The engine executes requests ([`execute()`]), and a
//! [`CostModel`] converts what it counted to CPU time. Every threshold is Tabletop's own: Google
//! publishes none.
//!
//! [`replication`] has tables that are replicated between clusters around the world.
#![no_std]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod autoscale;
mod balance;
mod cluster;
mod cost;
mod execute;
mod latency;
mod queue;
mod random;
pub mod replication;
mod settings;
#[cfg(test)]
mod tests;

pub use autoscale::Autoscaler;
pub use balance::{Choice, NodeLoad, TabletLoad, choose};
pub use cluster::{
    Cluster, Counts, Event, EventKind, Finished, NodeId, NodeView, Outcome, Part, Slot, TabletPlace,
};
pub use cost::{CostModel, Medium, Work};
pub use execute::{Executed, Operation, execute};
pub use latency::Latencies;
pub use queue::{Ended, Job, Queue};
pub use settings::{AutoscaleSettings, BalanceSettings, NodeSettings, Settings};

/// Virtual time in nanoseconds since the start of a simulation.
pub type Nanos = u64;

/// Nanoseconds of a second.
pub const SECOND: Nanos = 1_000_000_000;
