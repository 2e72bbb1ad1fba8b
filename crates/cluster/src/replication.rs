//! Replication of a table between clusters around the world, in virtual time.

mod region;
mod round_trips;
mod routes;
mod topology;

pub use region::{Continent, REGIONS, Region, RegionId, ZONES_ROUND_TRIP};
pub use routes::{Reachable, Routes, Routing, spanning_tree};
pub use topology::{
    CLUSTERS_MAX, ClusterId, ClusterSpec, Link, LinkSpec, Network, Site, Topology, price_per_gb,
};
