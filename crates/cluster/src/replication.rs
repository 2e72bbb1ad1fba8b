//! Replication of a table between clusters around the world, in virtual time.
//!
//! A [`World`] is a state machine: [`World::submit`] takes requests of clients, [`World::change`]
//! failures and recoveries, [`World::advance`] advances the time, and [`World::take_observations`]
//! returns what happened. It has no clock, and its only randomness is the seed.
//!
//! ```text
//! client ── write ──> origin: engine, commit time, log ── entries ──> other clusters: conflict rules, engine
//!                        └── heartbeats: "all writes up to this time" ──> low watermarks
//! client ── read  ──> nearest ── lacks a write? ──> origin, hedged reads ──> first answer that has it
//! ```
//!
//! - **Each replica is a table of the engine.** A write is acknowledged by one cluster, which gives it a
//!   commit time and then sends it to the others. No sequencer orders the writes of different
//!   clusters: each applies them as they arrive, and the conflict rules make all of them equal in the
//!   end (`versions.rs`).
//! - **The engine stores no commit times.** The replica keeps them next to the engine, for cells and
//!   deletes that a write may still precede, and only as long. They are values in memory, which
//!   survive the stop of a cluster as its files do.
//! - **Entries are sent until they are reported.** The receiver's heartbeats report what it has. An
//!   entry that was sent and not reported in time is sent again, and the receiver leaves out what it
//!   has (`world/wire.rs`).
//! - **A row of progress is a promise.** "All writes with a commit time up to t have sequence numbers
//!   up to s" is true everywhere. A cluster that has the entries up to s advances its low watermark to t
//!   (`replica.rs`).
//!
//! ```
//! use tabletop_cluster::SECOND;
//! use tabletop_cluster::replication::{
//!     Action, Change, ClientRequest, ClusterId, Observed, ReadMode, RegionId, Target, Topology, World,
//!     WorldSettings,
//! };
//! use tabletop_model::{ColumnFamily, Mutation, ReadRows, RowMutation, SERVER_TIME, TableSpec};
//!
//! let topology = Topology::of_zones(&["europe-west1-b", "us-east1-c"]);
//! let spec = TableSpec { families: vec![ColumnFamily::new("f")], ..TableSpec::default() };
//! let mut world = World::new(&topology, &spec, WorldSettings::default())?;
//!
//! let client = RegionId::named("europe-west1")?;
//! let (family, qualifier) = ("f".to_string(), "q".into());
//! let set = Mutation::SetCell { family, qualifier, timestamp: SERVER_TIME, value: "v".into() };
//! let change = Change::Mutate(RowMutation { key: "row".into(), mutations: vec![set] });
//! world.submit(0, ClientRequest { client, action: Action::Write { change, target: Target::Nearest } })?;
//!
//! // Half a round trip later, the other cluster has the write.
//! let mode = ReadMode::Cluster(ClusterId(1));
//! world.submit(SECOND, ClientRequest { client, action: Action::Read { read: ReadRows::default(), mode } })?;
//! world.advance(2 * SECOND);
//! let observed = world.take_observations();
//! let read = observed.iter().find_map(|seen| match &seen.event {
//!     Observed::Read(read) => Some(read),
//!     _ => None,
//! });
//! assert_eq!(read.map(|read| (read.rows.len(), read.staleness)), Some((1, 0)));
//! # Ok::<(), tabletop_model::Error>(())
//! ```

mod entry;
mod ledger;
mod planted;
mod region;
mod replica;
mod request;
mod round_trips;
mod routes;
mod settings;
#[cfg(test)]
mod tests;
mod topology;
mod versions;
mod world;

pub use entry::{Entry, ReplicaId, Stamp, WriteId};
pub use region::{Continent, REGIONS, Region, RegionId, ZONES_ROUND_TRIP};
pub use replica::{Change, Kept, Progress};
pub use request::{
    Action, After, Attempt, AttemptOutcome, ClientRequest, Condition, Observation, Observed, ReadMode,
    ReadObserved, Reason, RequestId, Target, WorldChange, WriteObserved,
};
pub use routes::{Reachable, Routes, Routing, spanning_tree};
pub use settings::WorldSettings;
pub use topology::{
    CLUSTERS_MAX, ClusterId, ClusterSpec, Link, LinkSpec, Network, Site, Topology, price_per_gb,
};
pub use world::{LinkCounts, Status, World};
