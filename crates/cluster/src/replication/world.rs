//! The state machine: clusters, the messages between them and the requests of clients, in virtual
//! time.

mod change;
mod event;
mod read;
mod wire;
mod write;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use tabletop_model::{Error, ReadRows, Result, Row, TableSpec, Timestamp};

use self::event::{Event, OpenRead, Scheduled};
use super::entry::ReplicaId;
use super::ledger::Ledger;
use super::planted::Planted;
use super::replica::{Change, Kept, Progress, Replica};
use super::request::{
    Action, After, ClientRequest, Observation, Observed, ReadMode, RequestId, Target, WorldChange,
};
use super::routes::{Reachable, Routes};
use super::settings::WorldSettings;
use super::topology::{ClusterId, DELAY_MAX, Network, Topology};
use crate::Nanos;
use crate::random::Random;

/// The last time for which requests and changes can be submitted: 31 years.
const TIME_MAX: Nanos = 1_000_000_000 * crate::SECOND;

/// A replicated table in a world of clusters: a value without a clock.
///
/// Requests and changes are submitted with the time at which they happen, [`World::advance`]
/// advances the time, and [`World::take_observations`] returns what happened. The same calls give
/// the same results natively and in the browser.
///
/// Clients reach every cluster that serves: cut links separate clusters from each other only.
#[derive(Debug)]
pub struct World {
    settings: WorldSettings,
    planted: Planted,
    network: Network,
    spec: TableSpec,
    now: Nanos,
    random: Random,
    queue: BinaryHeap<Reverse<Scheduled>>,
    scheduled: u64,
    clusters: Vec<ClusterState>,
    replicas: Vec<ReplicaSlot>,
    /// By sender and receiver.
    links: Vec<LinkState>,
    routes: Routes,
    is_reroute_due: bool,
    ledger: Ledger,
    reads: BTreeMap<RequestId, OpenRead>,
    requests: u64,
    observations: Vec<Observation>,
}

/// Whether a cluster serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It has its data. It serves as long as it has a node.
    Running,
    /// It is stopped and keeps its disk.
    Stopped,
    /// Its disk is lost.
    Destroyed,
    /// It is created and copies another replica.
    Initializing,
}

#[derive(Debug)]
struct ClusterState {
    replica: ReplicaId,
    status: Status,
    nodes: u32,
    /// Microseconds by which its clock is off.
    clock_error: i64,
    /// Counts the times when it began to serve; heartbeats of an earlier time are ignored.
    generation: u32,
}

#[derive(Debug)]
struct ReplicaSlot {
    cluster: ClusterId,
    /// `None` before the copy of a created cluster has arrived, and after its destruction.
    data: Option<Replica>,
    is_destroyed: bool,
    /// Whether its remaining writes are everywhere and no other one can arrive.
    is_closed: bool,
    /// The first commit time of its lost writes.
    lost_from: Option<Timestamp>,
}

#[derive(Clone, Debug, Default)]
struct LinkState {
    /// Counts cuts; the messages of an earlier count are lost.
    cuts: u32,
    is_cut: bool,
    slow: Nanos,
    /// When the last message has left.
    free_at: Nanos,
    counts: LinkCounts,
    resend: Option<Resend>,
}

/// What a link has carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Messages, including those that were lost.
    pub messages: u64,
    /// Bytes of all messages.
    pub bytes: u64,
    /// Bytes of entries of the log; the rest are heartbeats and copies.
    pub entry_bytes: u64,
    /// Messages that arrived late because the settings make some late.
    pub late: u64,
    /// Messages that arrived twice.
    pub repeated: u64,
    /// Messages that were lost because the link was cut or the receiver did not serve.
    pub lost: u64,
}

/// Entries that are sent again unless their receiver reports them in time.
#[derive(Clone, Debug)]
struct Resend {
    due: Nanos,
    /// By replica, the last entry.
    up_to: Vec<u64>,
}

impl World {
    /// Creates an empty table in each cluster of a topology.
    ///
    /// # Errors
    /// `InvalidArgument` for a topology, settings or a table that is not valid.
    pub fn new(topology: &Topology, spec: &TableSpec, settings: WorldSettings) -> Result<World> {
        World::with_fault(topology, spec, settings, Planted::default())
    }

    /// Creates a world with a fault that a test has planted.
    pub(super) fn with_fault(
        topology: &Topology,
        spec: &TableSpec,
        settings: WorldSettings,
        planted: Planted,
    ) -> Result<World> {
        settings.validate()?;
        let network = topology.resolve()?;
        let count = network.sites().len();
        let mut replicas = Vec::with_capacity(count);
        let mut clusters = Vec::with_capacity(count);
        for (cluster, site) in network.clusters().zip(network.sites()) {
            let id = ReplicaId(cluster.0.into());
            let data = Replica::new(id, spec, count, settings.start, planted)?;
            replicas.push(ReplicaSlot {
                cluster,
                data: Some(data),
                is_destroyed: false,
                is_closed: false,
                lost_from: None,
            });
            clusters.push(ClusterState {
                replica: id,
                status: Status::Running,
                nodes: site.nodes,
                clock_error: 0,
                generation: 0,
            });
        }
        let routes = Routes::new(&network, &Reachable::new(count, |_, _| true), settings.routing);
        let mut world = World {
            random: Random(settings.seed),
            settings,
            planted,
            spec: spec.clone(),
            now: 0,
            queue: BinaryHeap::new(),
            scheduled: 0,
            clusters,
            replicas,
            links: vec![LinkState::default(); count * count],
            network,
            routes,
            is_reroute_due: false,
            ledger: Ledger::default(),
            reads: BTreeMap::new(),
            requests: 0,
            observations: Vec::new(),
        };
        // Heartbeats of different clusters are spread over the interval.
        for cluster in world.network.clusters() {
            let at = world.settings.heartbeat * (Nanos::from(cluster.0) + 1) / count as Nanos;
            world.schedule(at, Event::Beat { cluster, generation: 0 });
        }
        Ok(world)
    }

    /// Submits a request of a client at a time that has not passed.
    ///
    /// # Errors
    /// `InvalidArgument` for a time that has passed, an unknown cluster or replica, and a deadline
    /// of 0; `FailedPrecondition` for a request that reads before it writes without a single
    /// cluster.
    pub fn submit(&mut self, at: Nanos, request: ClientRequest) -> Result<RequestId> {
        self.check_time(at)?;
        match &request.action {
            Action::Write { target: Target::Cluster(cluster), .. } => self.check_cluster(*cluster)?,
            Action::Write { change: Change::Mutate(_), target: Target::Nearest } => {}
            Action::Write { target: Target::Nearest, .. } => {
                return Err(Error::new(
                    tabletop_model::Code::FailedPrecondition,
                    "Single-row transactions are not allowed by this app profile",
                ));
            }
            Action::Read { mode: ReadMode::Cluster(cluster), .. } => self.check_cluster(*cluster)?,
            Action::Read { mode: ReadMode::Consistent { after, deadline }, .. } => {
                if *deadline == 0 {
                    return Err(Error::invalid("the deadline of the read is 0: give it at least 1 ns"));
                }
                let After::Writes(conditions) = after else { return Ok(self.accept(at, request)) };
                for condition in conditions {
                    if condition.origin.at() >= self.replicas.len() {
                        return Err(Error::invalid(format!(
                            "the read names a write of replica {}, but there are {} replicas: take the \
                             condition from the acknowledgement of a write",
                            condition.origin.0,
                            self.replicas.len()
                        )));
                    }
                }
            }
            Action::Read { mode: ReadMode::Eventual | ReadMode::RowAffinity, .. } => {}
        }
        Ok(self.accept(at, request))
    }

    fn accept(&mut self, at: Nanos, request: ClientRequest) -> RequestId {
        let id = RequestId(self.requests);
        self.requests += 1;
        self.schedule(at, Event::Submit(id, Box::new(request)));
        id
    }

    /// Submits a change at a time that has not passed. A change that does not fit the state at that
    /// time, such as the start of a running cluster, has no effect and is not observed.
    ///
    /// # Errors
    /// `InvalidArgument` for a time that has passed, an unknown cluster, a link of a cluster to
    /// itself, and a clock that is off by more than the settings allow.
    pub fn change(&mut self, at: Nanos, change: WorldChange) -> Result<()> {
        self.check_time(at)?;
        match change {
            WorldChange::Stop(cluster)
            | WorldChange::Start(cluster)
            | WorldChange::Destroy(cluster)
            | WorldChange::Create(cluster)
            | WorldChange::FailNode(cluster)
            | WorldChange::RecoverNode(cluster) => self.check_cluster(cluster)?,
            WorldChange::StopRegion(region) | WorldChange::StartRegion(region) => {
                if !self.network.sites().iter().any(|site| site.region == region) {
                    return Err(Error::invalid(format!(
                        "region {} has no cluster in the topology: choose the region of a cluster",
                        region.region().name
                    )));
                }
            }
            WorldChange::Cut(from, to) | WorldChange::Join(from, to) | WorldChange::Slow(from, to, _) => {
                self.check_cluster(from)?;
                self.check_cluster(to)?;
                if matches!(change, WorldChange::Slow(_, _, delay) if delay > DELAY_MAX) {
                    return Err(Error::invalid(format!(
                        "the link from \"{}\" to \"{}\" cannot be slower by more than an hour: choose a shorter \
                         delay, or cut the link",
                        self.network.site(from).name,
                        self.network.site(to).name
                    )));
                }
                if from == to {
                    return Err(Error::invalid(format!(
                        "cluster \"{}\" has no link to itself: choose two clusters",
                        self.network.site(from).name
                    )));
                }
            }
            WorldChange::SetClock(cluster, error) => {
                self.check_cluster(cluster)?;
                let max = self.settings.clock_error_max;
                if !(-max..=max).contains(&error) {
                    return Err(Error::invalid(format!(
                        "the clock of cluster \"{}\" cannot be off by {error} microseconds: the limit is {max}, \
                         raise clock_error_max",
                        self.network.site(cluster).name
                    )));
                }
            }
        }
        self.schedule(at, Event::Change(change));
        Ok(())
    }

    fn check_time(&self, at: Nanos) -> Result<()> {
        if at > TIME_MAX {
            return Err(Error::invalid(format!(
                "{at} ns is later than {TIME_MAX} ns: choose an earlier time"
            )));
        }
        if at < self.now {
            return Err(Error::invalid(format!(
                "{at} ns has passed: it is {} ns, choose that time or a later one",
                self.now
            )));
        }
        Ok(())
    }

    fn check_cluster(&self, cluster: ClusterId) -> Result<()> {
        if usize::from(cluster.0) >= self.clusters.len() {
            return Err(Error::invalid(format!(
                "cluster {} does not exist: the topology has {}, counted from 0",
                cluster.0,
                self.clusters.len()
            )));
        }
        Ok(())
    }

    /// Returns the time until which the world has run.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Returns the time of the next event. There always is one while any cluster serves, because
    /// heartbeats never end.
    pub fn next_event(&self) -> Option<Nanos> {
        self.queue.peek().map(|Reverse(next)| next.at)
    }

    /// Advances the time to `until`, and handles all events up to it.
    pub fn advance(&mut self, until: Nanos) {
        while let Some(Reverse(next)) = self.queue.peek()
            && next.at <= until
            && let Some(Reverse(next)) = self.queue.pop()
        {
            self.now = next.at;
            self.handle(next.event);
        }
        self.now = self.now.max(until);
    }

    /// Returns what has happened since the last call, in order.
    pub fn take_observations(&mut self) -> Vec<Observation> {
        core::mem::take(&mut self.observations)
    }

    /// Returns the topology.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the current replica of a cluster, and whether it is running.
    pub fn cluster(&self, cluster: ClusterId) -> (ReplicaId, Status) {
        let state = &self.clusters[usize::from(cluster.0)];
        (state.replica, state.status)
    }

    /// Returns what a cluster has of the writes of a replica, or `None` for a cluster without data.
    pub fn progress(&self, cluster: ClusterId, origin: ReplicaId) -> Option<Progress> {
        Some(self.replica(cluster)?.progress(origin))
    }

    /// Returns what a cluster keeps only until all others have caught up.
    pub fn kept(&self, cluster: ClusterId) -> Option<Kept> {
        Some(self.replica(cluster)?.kept())
    }

    /// Returns what the link from one cluster to another has carried.
    pub fn link_counts(&self, from: ClusterId, to: ClusterId) -> LinkCounts {
        self.links[self.link_at(from, to)].counts
    }

    /// Returns the price of what the link from one cluster to another has carried, in millionths of
    /// a dollar.
    pub fn link_price(&self, from: ClusterId, to: ClusterId) -> u64 {
        let bytes = self.link_counts(from, to).bytes;
        (u128::from(bytes) * u128::from(self.network.link(from, to).price) / 1_000_000_000) as u64
    }

    /// Returns the routes of the log.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Returns the rows of a cluster as they are now, without a request: empty for a cluster without
    /// data.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn rows(&mut self, cluster: ClusterId) -> Result<Vec<Row>> {
        let now = self.true_time();
        let replica = self.clusters[usize::from(cluster.0)].replica;
        let Some(data) = &mut self.replicas[replica.at()].data else { return Ok(Vec::new()) };
        Ok(data.read(now, &ReadRows { unmetered: true, ..ReadRows::default() })?.rows)
    }

    /// Collects the cells that GC rules have expired by now, in all clusters with data. Without this
    /// call, no cell of a table with a GC rule is collected.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn collect_garbage(&mut self) -> Result<()> {
        let now = self.true_time();
        self.replicas.iter_mut().filter_map(|slot| slot.data.as_mut()).try_for_each(|data| data.collect(now))
    }

    fn observe(&mut self, event: Observed) {
        self.observations.push(Observation { at: self.now, event });
    }

    fn schedule(&mut self, at: Nanos, event: Event) {
        self.scheduled += 1;
        self.queue.push(Reverse(Scheduled { at, number: self.scheduled, event }));
    }

    /// Microseconds since 1970.
    fn true_time(&self) -> Timestamp {
        self.settings.start + (self.now / 1_000) as Timestamp
    }

    fn clock(&self, cluster: ClusterId) -> Timestamp {
        self.true_time() + self.clusters[usize::from(cluster.0)].clock_error
    }

    fn serves(&self, cluster: ClusterId) -> bool {
        let state = &self.clusters[usize::from(cluster.0)];
        state.status == Status::Running && state.nodes > 0
    }

    pub(in crate::replication) fn replica(&self, cluster: ClusterId) -> Option<&Replica> {
        self.replicas[self.clusters[usize::from(cluster.0)].replica.at()].data.as_ref()
    }

    fn replica_mut(&mut self, cluster: ClusterId) -> Option<&mut Replica> {
        self.replicas[self.clusters[usize::from(cluster.0)].replica.at()].data.as_mut()
    }

    fn link_at(&self, from: ClusterId, to: ClusterId) -> usize {
        usize::from(from.0) * self.clusters.len() + usize::from(to.0)
    }

    /// The replicas that are not destroyed.
    fn members(&self) -> Vec<ReplicaId> {
        let ids = (0..self.replicas.len()).map(|at| ReplicaId(at as u16));
        ids.filter(|id| !self.replicas[id.at()].is_destroyed).collect()
    }

    /// The clusters that are not destroyed, as a bit mask.
    fn member_mask(&self) -> u64 {
        let members = self.clusters.iter().enumerate().filter(|(_, state)| state.status != Status::Destroyed);
        members.fold(0, |mask, (at, _)| mask | 1 << at)
    }

    /// The replicas whose writes may still arrive somewhere, and new ones.
    fn origins(&self) -> Vec<ReplicaId> {
        let ids = (0..self.replicas.len()).map(|at| ReplicaId(at as u16));
        ids.filter(|id| !self.replicas[id.at()].is_closed).collect()
    }
}
