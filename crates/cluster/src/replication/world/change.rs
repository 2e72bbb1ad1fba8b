//! Failures and recoveries of clusters, regions, nodes, links and clocks.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::event::{Event, Payload};
use super::{ReplicaSlot, Status, World};
use crate::replication::entry::{ReplicaId, WriteId};
use crate::replication::region::RegionId;
use crate::replication::replica::Replica;
use crate::replication::request::{Observed, WorldChange};
use crate::replication::topology::ClusterId;

impl World {
    pub(super) fn handle(&mut self, event: Event) {
        match event {
            Event::Submit(id, request) => self.begin(id, request),
            Event::Write { request, submitted, cluster, client } => {
                self.execute_write(request, submitted, cluster, &client);
            }
            Event::Publish { cluster, entry } => self.publish(cluster, entry),
            Event::Reply(observed) => self.observe(*observed),
            Event::Read { request, attempt } => self.execute_read(request, attempt),
            Event::Answer { request, attempt, answer } => self.answer(request, attempt, *answer),
            Event::Hedge(request) => self.hedge(request),
            Event::Retry { request, cluster } => self.retry(request, cluster),
            Event::Deadline(request) => self.expire(request),
            Event::Message { from, to, cuts, payload } => self.receive(from, to, cuts, payload),
            Event::Beat { cluster, generation } => self.beat(cluster, generation),
            Event::Change(change) => {
                // The observations of its consequences come after it.
                let at = self.observations.len();
                if self.change_now(change) {
                    let event = Observed::Changed(change);
                    self.observations.insert(at, super::Observation { at: self.now, event });
                    if !matches!(change, WorldChange::Slow(..) | WorldChange::SetClock(..)) {
                        self.schedule_reroute();
                    }
                }
            }
            Event::Reroute => self.reroute(),
            Event::Copy(replica) => self.send_copy(replica),
        }
    }

    /// Makes a change. Returns whether it fits the state.
    fn change_now(&mut self, change: WorldChange) -> bool {
        match change {
            WorldChange::Stop(cluster) => self.stop(cluster),
            WorldChange::Start(cluster) => self.start(cluster),
            WorldChange::StopRegion(region) => self.each_of_region(region, World::stop),
            WorldChange::StartRegion(region) => self.each_of_region(region, World::start),
            WorldChange::Destroy(cluster) => self.destroy(cluster),
            WorldChange::Create(cluster) => self.create(cluster),
            WorldChange::FailNode(cluster) => {
                let state = &mut self.clusters[usize::from(cluster.0)];
                let has_any = state.nodes > 0;
                state.nodes -= u32::from(has_any);
                has_any
            }
            WorldChange::RecoverNode(cluster) => {
                let all = self.network.site(cluster).nodes;
                let state = &mut self.clusters[usize::from(cluster.0)];
                if state.nodes == all {
                    return false;
                }
                state.nodes += 1;
                if state.nodes == 1 {
                    self.begin_serving(cluster);
                }
                true
            }
            WorldChange::Cut(from, to) => self.set_cut(from, to, true),
            WorldChange::Join(from, to) => self.set_cut(from, to, false),
            WorldChange::Slow(from, to, delay) => {
                for at in [self.link_at(from, to), self.link_at(to, from)] {
                    self.links[at].slow = delay;
                }
                true
            }
            WorldChange::SetClock(cluster, error) => {
                self.clusters[usize::from(cluster.0)].clock_error = error;
                true
            }
        }
    }

    fn each_of_region(&mut self, region: RegionId, change: impl Fn(&mut World, ClusterId) -> bool) -> bool {
        let clusters = self.network.clusters().filter(|cluster| self.network.site(*cluster).region == region);
        let clusters: Vec<ClusterId> = clusters.collect();
        let mut any = false;
        for cluster in clusters {
            any |= change(self, cluster);
        }
        any
    }

    fn stop(&mut self, cluster: ClusterId) -> bool {
        let state = &mut self.clusters[usize::from(cluster.0)];
        let is_running = state.status == Status::Running;
        if is_running {
            state.status = Status::Stopped;
        }
        is_running
    }

    fn start(&mut self, cluster: ClusterId) -> bool {
        if self.clusters[usize::from(cluster.0)].status != Status::Stopped {
            return false;
        }
        let now = self.true_time();
        if let Some(replica) = self.replica_mut(cluster) {
            let opened = replica.reopen(now);
            assert_eq!(opened, Ok(()), "files in memory can be read");
        }
        self.clusters[usize::from(cluster.0)].status = Status::Running;
        self.begin_serving(cluster);
        true
    }

    /// Starts the heartbeats of a cluster that serves again.
    fn begin_serving(&mut self, cluster: ClusterId) {
        if self.serves(cluster) {
            let state = &mut self.clusters[usize::from(cluster.0)];
            state.generation += 1;
            let generation = state.generation;
            self.schedule(self.now, Event::Beat { cluster, generation });
        }
    }

    fn set_cut(&mut self, from: ClusterId, to: ClusterId, is_cut: bool) -> bool {
        let mut is_change = false;
        for at in [self.link_at(from, to), self.link_at(to, from)] {
            let link = &mut self.links[at];
            is_change |= link.is_cut != is_cut;
            link.cuts += u32::from(is_cut && !link.is_cut);
            link.is_cut = is_cut;
            link.free_at = self.now;
        }
        is_change
    }

    /// Removes a cluster's data, and lists the acknowledged writes that only it had.
    fn destroy(&mut self, cluster: ClusterId) -> bool {
        let state = &mut self.clusters[usize::from(cluster.0)];
        if state.status == Status::Destroyed {
            return false;
        }
        state.status = Status::Destroyed;
        let replica = state.replica;
        let slot = &mut self.replicas[replica.at()];
        (slot.data, slot.is_destroyed) = (None, true);
        self.ledger.set(cluster, self.member_mask(), |_| false);
        for origin in self.destroyed() {
            self.report_lost(origin);
        }
        true
    }

    /// The destroyed replicas whose writes may still arrive somewhere.
    fn destroyed(&self) -> Vec<ReplicaId> {
        let slots = self.replicas.iter().enumerate();
        let open = slots.filter(|(_, slot)| slot.is_destroyed && !slot.is_closed);
        open.map(|(at, _)| ReplicaId(at as u16)).collect()
    }

    /// Lists the writes of a destroyed replica that no other one has or can receive.
    fn report_lost(&mut self, origin: ReplicaId) {
        let carried = self.carried_of(origin);
        let mask = self.member_mask();
        let lost = self.ledger.take_lost(origin, mask, |write| carried.contains(&write));
        for (write, key, commit) in lost {
            let slot = &mut self.replicas[origin.at()];
            slot.lost_from = Some(slot.lost_from.map_or(commit, |from| from.min(commit)));
            self.observe(Observed::Lost { write, key });
        }
    }

    /// Returns the writes of a replica that messages carry.
    fn carried_of(&self, origin: ReplicaId) -> BTreeSet<WriteId> {
        let mut carried = BTreeSet::new();
        for Reverse(scheduled) in &self.queue {
            let Event::Message { payload, .. } = &scheduled.event else { continue };
            match payload {
                Payload::Entries(entries) => {
                    carried.extend(entries.iter().map(|entry| entry.id).filter(|id| id.origin == origin));
                }
                Payload::Copy(replica) => {
                    let writes = (1..=replica.last(origin)).map(|sequence| WriteId { origin, sequence });
                    carried.extend(writes.filter(|write| replica.has(*write)));
                }
                Payload::Row { .. } => {}
            }
        }
        carried
    }

    /// Closes destroyed replicas of which all others have the same writes, if no other write can
    /// arrive: from then on they delay neither low watermarks nor the end of deletes.
    pub(super) fn close_destroyed(&mut self) {
        let destroyed = self.destroyed();
        let all_serve = self.network.clusters().all(|cluster| {
            self.serves(cluster) || self.clusters[usize::from(cluster.0)].status == Status::Destroyed
        });
        if destroyed.is_empty() || !all_serve {
            return;
        }
        for origin in destroyed {
            let mut members = self.replicas.iter().filter_map(|slot| slot.data.as_ref());
            let Some(first) = members.next() else { continue };
            if !members.all(|member| member.has_same(first, origin)) || !self.carried_of(origin).is_empty() {
                continue;
            }
            self.report_lost(origin);
            self.replicas[origin.at()].is_closed = true;
            self.replicas
                .iter_mut()
                .filter_map(|slot| slot.data.as_mut())
                .for_each(|data| data.close(origin));
            self.observe(Observed::Closed(origin));
        }
    }

    /// Creates a destroyed cluster again. It serves when it has copied another replica, or at once,
    /// without rows, when there is none.
    fn create(&mut self, cluster: ClusterId) -> bool {
        if self.clusters[usize::from(cluster.0)].status != Status::Destroyed {
            return false;
        }
        let is_only_one = self.members().is_empty();
        let id = ReplicaId(self.replicas.len() as u16);
        for slot in &mut self.replicas {
            slot.data.iter_mut().for_each(Replica::add_replica);
        }
        self.replicas.push(ReplicaSlot {
            cluster,
            data: None,
            is_destroyed: false,
            is_closed: false,
            lost_from: None,
        });
        let state = &mut self.clusters[usize::from(cluster.0)];
        (state.replica, state.status) = (id, Status::Initializing);
        let (now, replicas, planted) = (self.true_time(), self.replicas.len(), self.planted);
        if is_only_one {
            let empty = Replica::new(id, &self.spec, replicas, now, planted);
            self.install(id, empty.expect("the same table was created at the beginning"));
        } else {
            self.send_copy(id);
        }
        true
    }

    /// Gives a created replica its data.
    pub(super) fn install(&mut self, id: ReplicaId, mut data: Replica) {
        while data.replicas() < self.replicas.len() {
            data.add_replica();
        }
        for origin in (0..self.replicas.len()).map(|at| ReplicaId(at as u16)) {
            if self.replicas[origin.at()].is_closed {
                data.close(origin);
            }
        }
        let cluster = self.replicas[id.at()].cluster;
        self.ledger.set(cluster, self.member_mask(), |write| data.has(write));
        self.replicas[id.at()].data = Some(data);
        self.clusters[usize::from(cluster.0)].status = Status::Running;
        self.observe(Observed::Ready(id));
        self.begin_serving(cluster);
        self.schedule_reroute();
    }
}
