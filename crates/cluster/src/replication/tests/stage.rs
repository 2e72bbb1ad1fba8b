//! A small world for stories: a table with plain and aggregate families, and short calls.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::{
    Aggregate, AggregateInput, Cell, ColumnFamily, Mutation, ReadRows, RowKey, RowMutation, RowSet, TableSpec,
};

use crate::Nanos;
use crate::replication::region::RegionId;
use crate::replication::replica::Change;
use crate::replication::request::{
    Action, ClientRequest, Observation, Observed, ReadMode, ReadObserved, RequestId, Target, WorldChange,
    WriteObserved,
};
use crate::replication::settings::WorldSettings;
use crate::replication::topology::{ClusterId, Topology};
use crate::replication::world::World;

pub(super) const MILLI: Nanos = 1_000_000;
/// Belgium, South Carolina and Taiwan: one-way delays of 46 (0-1), 125 (0-2) and 91 ms (1-2).
pub(super) const THREE: [&str; 3] = ["europe-west1-b", "us-east1-c", "asia-east1-a"];
pub(super) const EUROPE: ClusterId = ClusterId(0);
pub(super) const AMERICA: ClusterId = ClusterId(1);
pub(super) const ASIA: ClusterId = ClusterId(2);

/// A world, and all that was observed in it.
pub(super) struct Stage {
    pub world: World,
    pub seen: Vec<Observation>,
}

pub(super) fn spec() -> TableSpec {
    let aggregate = |name: &str, aggregate| ColumnFamily { aggregate, ..ColumnFamily::new(name) };
    TableSpec {
        families: vec![
            ColumnFamily::new("f"),
            aggregate("sum", Some(Aggregate::Sum)),
            aggregate("max", Some(Aggregate::Max)),
            aggregate("distinct", Some(Aggregate::DistinctCount)),
        ],
        ..TableSpec::default()
    }
}

impl Stage {
    pub fn new(zones: &[&str], settings: WorldSettings) -> Stage {
        let world = World::new(&Topology::of_zones(zones), &spec(), settings).expect("a valid topology");
        Stage { world, seen: Vec::new() }
    }

    /// Advances to a time in milliseconds.
    pub fn run(&mut self, until_millis: u64) {
        self.world.advance(until_millis * MILLI);
        self.seen.extend(self.world.take_observations());
    }

    pub fn change(&mut self, at_millis: u64, change: WorldChange) {
        self.world.change(at_millis * MILLI, change).expect("a valid change");
    }

    /// Submits a write by a client in the region of the cluster.
    pub fn write(&mut self, at_millis: u64, cluster: ClusterId, key: &str, mutation: Mutation) -> RequestId {
        let change = Change::Mutate(RowMutation { key: key.into(), mutations: vec![mutation] });
        self.submit(at_millis, cluster, Action::Write { change, target: Target::Cluster(cluster) })
    }

    /// Submits a read of a row by a client in the region of the cluster.
    pub fn read(&mut self, at_millis: u64, near: ClusterId, key: &str, mode: ReadMode) -> RequestId {
        let rows = RowSet { keys: vec![key.into()], ranges: Vec::new() };
        let read = ReadRows { rows, ..ReadRows::default() };
        self.submit(at_millis, near, Action::Read { read, mode })
    }

    pub fn submit(&mut self, at_millis: u64, near: ClusterId, action: Action) -> RequestId {
        let client = self.region(near);
        self.world.submit(at_millis * MILLI, ClientRequest { client, action }).expect("a valid request")
    }

    pub fn region(&self, cluster: ClusterId) -> RegionId {
        self.world.network().site(cluster).region
    }

    pub fn written(&self, request: RequestId) -> &WriteObserved {
        let found = self.seen.iter().find_map(|seen| match &seen.event {
            Observed::Written(written) if written.request == request => Some(written),
            _ => None,
        });
        found.expect("the write was acknowledged")
    }

    pub fn answer(&self, request: RequestId) -> &ReadObserved {
        let found = self.seen.iter().find_map(|seen| match &seen.event {
            Observed::Read(read) if read.request == request => Some(read),
            _ => None,
        });
        found.expect("the read was answered")
    }

    /// The error of a request.
    pub fn error(&self, request: RequestId) -> &str {
        let found = self.seen.iter().find_map(|seen| match &seen.event {
            Observed::Failed { request: failed, error, .. } if *failed == request => Some(&error.message),
            _ => None,
        });
        found.expect("the request failed")
    }

    /// The cells of a row at a cluster, as `family:qualifier@micros=value`.
    pub fn cells(&mut self, cluster: ClusterId, key: &str) -> Vec<String> {
        let rows = self.world.rows(cluster).expect("a table in memory can be read");
        let row = rows.into_iter().find(|row| row.key == RowKey::from(key));
        row.map_or(Vec::new(), |row| row.cells.iter().map(shown).collect())
    }

    /// Checks that all clusters have the same rows, and returns the cells of one.
    pub fn equal_cells(&mut self, key: &str) -> Vec<String> {
        let clusters: Vec<ClusterId> = self.world.network().clusters().collect();
        let rows: BTreeMap<ClusterId, _> =
            clusters.iter().map(|cluster| (*cluster, self.world.rows(*cluster).expect("readable"))).collect();
        for cluster in &clusters {
            assert_eq!(rows[cluster], rows[&clusters[0]], "{cluster:?}");
        }
        self.cells(clusters[0], key)
    }
}

fn shown(cell: &Cell) -> String {
    let value = match cell.family.as_str() {
        "f" => alloc::format!("{}", cell.value),
        "distinct" => alloc::format!("{:?}", Aggregate::DistinctCount.number(&cell.value)),
        _ => alloc::format!("{}", Aggregate::Sum.number(&cell.value).unwrap_or_default()),
    };
    alloc::format!("{}:{}@{}={value}", cell.family, cell.qualifier, cell.timestamp)
}

pub(super) fn set(qualifier: &str, timestamp: i64, value: &str) -> Mutation {
    Mutation::SetCell { family: "f".into(), qualifier: qualifier.into(), timestamp, value: value.into() }
}

pub(super) fn add(family: &str, input: i64) -> Mutation {
    Mutation::AddToCell {
        family: family.into(),
        qualifier: "n".into(),
        timestamp: 1_000,
        input: AggregateInput::Int(input),
    }
}
