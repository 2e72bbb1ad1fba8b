//! One checker for each promise of replication. They see what an observer of the whole world sees:
//! requests, observations and low watermarks.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Cell, Mutation, Row, RowKey, SERVER_TIME, Timestamp};

use super::reference::fold;
use crate::Nanos;
use crate::replication::entry::{ReplicaId, Stamp, WriteId};
use crate::replication::replica::Change;
use crate::replication::request::{After, Observation, Observed, ReadObserved, RequestId, WriteObserved};
use crate::replication::world::{Status, World};

/// A broken promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// Replicas differ from each other, or from the writes in the order of their stamps.
    Equal(String),
    /// A low watermark is ahead of the truth, or went back.
    Watermark(String),
    /// A consistent read lacks a write that it must contain.
    OwnWrites(String),
    /// A write was applied twice, or neither applied everywhere nor reported as lost.
    Once(String),
    /// A read returned something else than its replica had.
    Answer(String),
}

/// A write that a replica has committed.
#[derive(Clone, Debug)]
struct Committed {
    stamp: Stamp,
    key: RowKey,
    /// Known once its client has the acknowledgement.
    mutations: Option<Vec<Mutation>>,
    is_lost: bool,
    /// When each replica had applied it.
    applied: BTreeMap<ReplicaId, Nanos>,
}

/// What the observer has seen.
#[derive(Debug, Default)]
pub(super) struct Observer {
    writes: BTreeMap<WriteId, Committed>,
    /// By replica, then origin.
    watermarks: Vec<Vec<Timestamp>>,
    /// Answers, which are checked when all writes are known.
    answers: Vec<(ReplicaId, RowKey, ReadObserved)>,
    pub changes: BTreeMap<RequestId, Change>,
    pub consistent: BTreeMap<RequestId, (Nanos, RowKey, After)>,
    /// When writes were acknowledged at their clusters, at the latest.
    acknowledged: BTreeMap<WriteId, Nanos>,
}

impl Observer {
    /// Notes a committed write whose acknowledgement a client has received.
    pub fn written(&mut self, at: Nanos, written: &WriteObserved) {
        let fixed = |mutations: &[Mutation]| {
            let mut mutations = mutations.to_vec();
            for mutation in &mut mutations {
                if let Mutation::SetCell { timestamp, .. } = mutation
                    && *timestamp == SERVER_TIME
                {
                    *timestamp = written.stamp.commit / 1_000 * 1_000;
                }
            }
            mutations
        };
        let set = |cell: &Cell| Mutation::SetCell {
            family: cell.family.clone(),
            qualifier: cell.qualifier.clone(),
            timestamp: cell.timestamp,
            value: cell.value.clone(),
        };
        let mutations = match &self.changes[&written.request] {
            Change::Mutate(row) => fixed(&row.mutations),
            Change::ReadModifyWrite(_) => {
                written.cells.iter().flat_map(|row| row.cells.iter().map(set)).collect()
            }
            Change::CheckAndMutate(check) => {
                fixed(if written.matched == Some(true) { &check.on_match } else { &check.otherwise })
            }
        };
        self.writes.get_mut(&written.write).expect("it was applied before").mutations = Some(mutations);
        self.acknowledged.insert(written.write, at);
    }

    /// Checks what one observation shows: writes are applied once.
    pub fn observe(&mut self, world: &World, observation: &Observation) -> Result<(), Broken> {
        match &observation.event {
            Observed::Applied { write, stamp, key, replica } => {
                let committed = self.writes.entry(*write).or_insert_with(|| Committed {
                    stamp: *stamp,
                    key: key.clone(),
                    mutations: None,
                    is_lost: false,
                    applied: BTreeMap::new(),
                });
                if committed.is_lost {
                    return Err(Broken::Once(format!("{write:?} is applied after it was reported as lost")));
                }
                if committed.applied.insert(*replica, observation.at).is_some() {
                    return Err(Broken::Once(format!("{replica:?} has applied {write:?} twice")));
                }
                if *replica == write.origin {
                    self.check_commit(*write, *stamp)?;
                }
            }
            Observed::Lost { write, .. } => {
                let committed = self.writes.get_mut(write).expect("a lost write was committed");
                let is_known = committed.is_lost;
                committed.is_lost = true;
                if is_known {
                    return Err(Broken::Once(format!("{write:?} is reported as lost twice")));
                }
            }
            Observed::Ready(replica) => {
                let copied = world.network().clusters().find(|cluster| world.cluster(*cluster).0 == *replica);
                let data = copied.and_then(|cluster| world.replica(cluster));
                for (write, committed) in &mut self.writes {
                    if data.is_some_and(|data| data.has(*write)) {
                        committed.applied.insert(*replica, observation.at);
                    }
                }
            }
            Observed::Written(written) => self.written(observation.at, written),
            _ => {}
        }
        Ok(())
    }

    /// Checks that no replica has promised to have a write that is only now committed.
    fn check_commit(&self, write: WriteId, stamp: Stamp) -> Result<(), Broken> {
        for (replica, of_origins) in self.watermarks.iter().enumerate() {
            let watermark = of_origins.get(write.origin.at()).copied().unwrap_or(Timestamp::MIN);
            if replica != write.origin.at() && watermark >= stamp.commit {
                return Err(Broken::Watermark(format!(
                    "{write:?} is committed at {}, but replica {replica} has promised to have all writes up to \
                     {watermark}",
                    stamp.commit
                )));
            }
        }
        Ok(())
    }

    /// Checks all low watermarks: they do not go back, and every write up to them is there.
    pub fn check_watermarks(&mut self, world: &World) -> Result<(), Broken> {
        for cluster in world.network().clusters() {
            let (replica, status) = world.cluster(cluster);
            let Some(data) = world.replica(cluster).filter(|_| status == Status::Running) else { continue };
            if self.watermarks.len() <= replica.at() {
                self.watermarks.resize(replica.at() + 1, Vec::new());
            }
            let known = &mut self.watermarks[replica.at()];
            known.resize(data.replicas(), Timestamp::MIN);
            for (at, known) in known.iter_mut().enumerate() {
                let origin = ReplicaId(at as u16);
                let watermark = data.progress(origin).watermark;
                let before = core::mem::replace(known, watermark);
                if watermark < before {
                    return Err(Broken::Watermark(format!(
                        "the low watermark of {origin:?} at {replica:?} goes back from {before} to {watermark}"
                    )));
                }
                if watermark == before {
                    continue;
                }
                let of_origin = WriteId { origin, sequence: 0 }..=WriteId { origin, sequence: u64::MAX };
                for (write, committed) in self.writes.range(of_origin).rev() {
                    let commit = committed.stamp.commit;
                    if commit <= before {
                        break;
                    }
                    if commit <= watermark && !committed.applied.contains_key(&replica) {
                        return Err(Broken::Watermark(format!(
                            "{replica:?} promises all writes of {origin:?} up to {watermark}, but lacks \
                             {write:?}, committed at {commit}"
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks the answer to a read of one row: a consistent one contains the writes that it must.
    pub fn answered(&mut self, world: &World, key: &RowKey, read: &ReadObserved) -> Result<(), Broken> {
        // The cluster may have been created again since it has read the rows.
        let replica = self.replica_at(world, read);
        self.answers.push((replica, key.clone(), read.clone()));
        let Some((submitted, _, after)) = self.consistent.get(&read.request) else { return Ok(()) };
        for (write, committed) in &self.writes {
            let must_be_there = match after {
                After::Writes(conditions) => conditions.iter().any(|condition| {
                    condition.origin == write.origin && committed.stamp.commit <= condition.commit
                }),
                After::Now => {
                    !committed.is_lost && self.acknowledged.get(write).is_some_and(|at| at <= submitted)
                }
            };
            let is_there = committed.applied.get(&replica).is_some_and(|at| *at <= read.read_at);
            if must_be_there && !is_there {
                return Err(Broken::OwnWrites(format!(
                    "read {:?} must contain {write:?}, but {replica:?} did not have it",
                    read.request
                )));
            }
        }
        Ok(())
    }

    fn replica_at(&self, world: &World, read: &ReadObserved) -> ReplicaId {
        let (current, _) = world.cluster(read.cluster);
        // Answers list the progress of all replicas that existed at that time.
        if current.at() < read.watermarks.len() { current } else { ReplicaId(read.cluster.0.into()) }
    }

    /// Checks that each answer is what its replica had: its writes, in the order of their stamps.
    pub fn check_answers(&self) -> Result<(), Broken> {
        for (replica, key, read) in &self.answers {
            let expected = self
                .cells(key, |committed| committed.applied.get(replica).is_some_and(|at| *at <= read.read_at));
            let found = read.rows.first().map_or(&[][..], |row| &row.cells);
            if found != expected {
                return Err(Broken::Answer(format!(
                    "read {:?} of {key} at {replica:?} returns {found:?}, expected {expected:?}",
                    read.request
                )));
            }
        }
        Ok(())
    }

    /// Checks that all clusters have the same cells: all writes that are not lost, in the order of
    /// their stamps.
    pub fn check_equal(&self, world: &mut World) -> Result<(), Broken> {
        let keys: alloc::collections::BTreeSet<&RowKey> =
            self.writes.values().map(|committed| &committed.key).collect();
        let expected: Vec<Row> = keys
            .into_iter()
            .map(|key| Row { key: key.clone(), cells: self.cells(key, |committed| !committed.is_lost) })
            .filter(|row| !row.cells.is_empty())
            .collect();
        let clusters: Vec<_> = world.network().clusters().collect();
        for cluster in clusters {
            let rows = world.rows(cluster).expect("a table in memory can be read");
            let (replica, _) = world.cluster(cluster);
            for (write, committed) in &self.writes {
                if !committed.is_lost && !committed.applied.contains_key(&replica) {
                    return Err(Broken::Once(format!(
                        "{write:?} is neither lost nor applied by {replica:?}"
                    )));
                }
            }
            if rows != expected {
                return Err(Broken::Equal(format!("{cluster:?} has {rows:?}, expected {expected:?}")));
            }
        }
        Ok(())
    }

    fn cells(&self, key: &RowKey, has: impl Fn(&Committed) -> bool) -> Vec<Cell> {
        let of_row = self.writes.values().filter(|committed| committed.key == *key && has(committed));
        let mut writes: Vec<(Stamp, &[Mutation])> = of_row
            .map(|committed| {
                (committed.stamp, committed.mutations.as_deref().expect("all acknowledgements have arrived"))
            })
            .collect();
        fold(&mut writes)
    }

    /// Returns the number of acknowledged writes, and of those that are lost.
    pub fn counts(&self) -> (usize, usize) {
        (self.acknowledged.len(), self.writes.values().filter(|committed| committed.is_lost).count())
    }
}
