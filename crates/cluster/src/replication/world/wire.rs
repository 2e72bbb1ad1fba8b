//! Messages between clusters: entries of the log, heartbeats and copies.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::event::{Event, Payload};
use super::{Resend, Status, World};
use crate::Nanos;
use crate::replication::entry::{Entry, HEAD_BYTES, ReplicaId};
use crate::replication::replica::Progress;
use crate::replication::request::Observed;
use crate::replication::routes::{Reachable, Routes};
use crate::replication::topology::ClusterId;

/// The maximum number of entries that are sent again at once.
const RESENT_MAX: usize = 1_000;
/// Bytes of a sequence number and a time.
const PROGRESS_BYTES: u64 = 16;
/// The time after which a copy that did not arrive is requested again, in addition to the time that
/// it takes.
const COPY_RETRY: Nanos = crate::SECOND;

impl Payload {
    fn bytes(&self) -> u64 {
        match self {
            Payload::Entries(entries) => HEAD_BYTES + entries.iter().map(|entry| entry.bytes()).sum::<u64>(),
            Payload::Row { row, .. } => HEAD_BYTES + PROGRESS_BYTES * row.len() as u64,
            Payload::Copy(replica) => HEAD_BYTES + replica.stored_bytes(),
        }
    }

    /// Returns a second one, where a message can arrive twice.
    fn repeated(&self) -> Option<Payload> {
        match self {
            Payload::Entries(entries) => Some(Payload::Entries(entries.clone())),
            Payload::Row { of, row } => Some(Payload::Row { of: *of, row: row.clone() }),
            Payload::Copy(_) => None,
        }
    }
}

impl World {
    /// Sends a message from one cluster's replica to that of another. Returns when it arrives, or
    /// `None` if the link is cut.
    fn send(&mut self, from: ClusterId, to: ClusterId, payload: Payload) -> Option<Nanos> {
        let spec = *self.network.link(from, to);
        let (bytes, at) = (payload.bytes(), self.link_at(from, to));
        let link = &mut self.links[at];
        link.counts.messages += 1;
        link.counts.bytes += bytes;
        if let Payload::Entries(_) = payload {
            link.counts.entry_bytes += bytes;
        }
        if link.is_cut {
            link.counts.lost += 1;
            return None;
        }
        let left = self.now.max(link.free_at) + spec.transmission(bytes);
        link.free_at = left;
        let mut arrival = |random: &mut crate::random::Random| {
            let mut at = left + spec.one_way + link.slow + random.below(spec.jitter + 1);
            if random.below(1_000) < self.settings.late_per_mille.into() {
                at += random.below(self.settings.late_max + 1);
                link.counts.late += 1;
            }
            at
        };
        let arrives = arrival(&mut self.random);
        let mut second = None;
        if self.random.below(1_000) < self.settings.repeated_per_mille.into()
            && let Some(payload) = payload.repeated()
        {
            second = Some((arrival(&mut self.random), payload));
        }
        link.counts.repeated += u64::from(second.is_some());
        let cuts = link.cuts;
        let [from, to] = [from, to].map(|cluster| self.clusters[usize::from(cluster.0)].replica);
        for (at, payload) in [(arrives, payload)].into_iter().chain(second) {
            self.schedule(at, Event::Message { from, to, cuts, payload });
        }
        Some(arrives)
    }

    /// Handles a message that arrives.
    pub(super) fn receive(&mut self, from: ReplicaId, to: ReplicaId, cuts: u32, payload: Payload) {
        let [sender, receiver] = [from, to].map(|replica| self.replicas[replica.at()].cluster);
        let at = self.link_at(sender, receiver);
        let is_copy = matches!(payload, Payload::Copy(_));
        let is_current = self.clusters[usize::from(receiver.0)].replica == to;
        let takes = if is_copy {
            self.clusters[usize::from(receiver.0)].status == Status::Initializing
        } else {
            self.serves(receiver)
        };
        if self.links[at].cuts != cuts || !is_current || !takes {
            self.links[at].counts.lost += 1;
            return;
        }
        match payload {
            Payload::Entries(entries) => {
                let fresh: Vec<Arc<Entry>> =
                    entries.into_iter().filter(|entry| self.apply(receiver, entry)).collect();
                self.forward(receiver, Some(sender), &fresh);
            }
            Payload::Row { of, row } => {
                let is_new = self.replica_mut(receiver).is_some_and(|replica| replica.learn(of, &row));
                if is_new {
                    self.forward_row(receiver, Some(sender), of, &row);
                }
            }
            Payload::Copy(replica) => self.install(to, *replica),
        }
    }

    /// Applies an entry at a cluster. Returns whether it is new there.
    fn apply(&mut self, cluster: ClusterId, entry: &Arc<Entry>) -> bool {
        let now = self.true_time();
        let Some(replica) = self.replica_mut(cluster) else { return false };
        let id = replica.id;
        if !replica.apply(now, entry) {
            return false;
        }
        let members = self.member_mask();
        self.ledger.applied(entry, cluster, members);
        self.observe(Observed::Applied {
            write: entry.id,
            stamp: entry.stamp,
            key: entry.key.clone(),
            replica: id,
        });
        true
    }

    /// Sends entries on along the routes, but not back.
    pub(super) fn forward(&mut self, at: ClusterId, came_from: Option<ClusterId>, entries: &[Arc<Entry>]) {
        if entries.is_empty() {
            return;
        }
        for to in self.network.clusters().filter(|to| *to != at && Some(*to) != came_from) {
            if !self.routes.is_used(at, to) {
                continue;
            }
            let carried = entries.iter().filter(|entry| self.carries(at, to, entry.id.origin));
            let carried: Vec<Arc<Entry>> = carried.cloned().collect();
            if !carried.is_empty() {
                self.send(at, to, Payload::Entries(carried));
            }
        }
    }

    fn forward_row(
        &mut self,
        at: ClusterId,
        came_from: Option<ClusterId>,
        of: ReplicaId,
        row: &Arc<Vec<Progress>>,
    ) {
        for to in self.network.clusters().filter(|to| *to != at && Some(*to) != came_from) {
            if self.carries(at, to, of) {
                self.send(at, to, Payload::Row { of, row: row.clone() });
            }
        }
    }

    /// Returns whether one cluster sends the writes of a replica to another. Every replica helps to
    /// spread the writes of a destroyed one.
    fn carries(&self, from: ClusterId, to: ClusterId, origin: ReplicaId) -> bool {
        let slot = &self.replicas[origin.at()];
        match (slot.is_closed, slot.is_destroyed) {
            (true, _) => false,
            (false, true) => self.routes.is_used(from, to),
            (false, false) => self.routes.carries(from, to, slot.cluster),
        }
    }

    /// Handles a cluster's heartbeat.
    pub(super) fn beat(&mut self, cluster: ClusterId, generation: u32) {
        if !self.serves(cluster) || self.clusters[usize::from(cluster.0)].generation != generation {
            return;
        }
        let (clock, now) = (self.clock(cluster), self.true_time());
        let (members, origins) = (self.members(), self.origins());
        let Some(replica) = self.replica_mut(cluster) else { return };
        let (id, row) = (replica.id, Arc::new(replica.beat(clock)));
        replica.forget(&members, &origins);
        replica.compact(now);
        self.forward_row(cluster, None, id, &row);
        for to in self.network.clusters().filter(|to| *to != cluster) {
            if self.routes.is_used(cluster, to) {
                self.check_resend(cluster, to);
            }
        }
        self.close_destroyed();
        self.schedule(self.now + self.settings.heartbeat, Event::Beat { cluster, generation });
    }

    /// Sends entries again that the receiver should have reported by now.
    fn check_resend(&mut self, from: ClusterId, to: ClusterId) {
        let at = self.link_at(from, to);
        match self.links[at].resend.take() {
            Some(resend) if resend.due > self.now => self.links[at].resend = Some(resend),
            Some(resend) => {
                let lacking = self.lacking(from, to, &resend.up_to);
                if !lacking.is_empty() {
                    self.send(from, to, Payload::Entries(lacking));
                }
                self.arm_resend(from, to);
            }
            None => self.arm_resend(from, to),
        }
    }

    /// Notes what the receiver lacks, to send it again if it does not report it in time.
    fn arm_resend(&mut self, from: ClusterId, to: ClusterId) {
        let up_to = self.sent(from);
        if self.lacking(from, to, &up_to).is_empty() {
            return;
        }
        let spec = *self.network.link(from, to);
        let at = self.link_at(from, to);
        let link = &mut self.links[at];
        let round_trip = 2 * (spec.one_way + spec.jitter + link.slow);
        let due = self.now.max(link.free_at) + round_trip + 3 * self.settings.heartbeat;
        link.resend = Some(Resend { due, up_to });
    }

    /// Returns the last entry of each origin that a cluster has.
    fn sent(&self, from: ClusterId) -> Vec<u64> {
        let Some(replica) = self.replica(from) else { return Vec::new() };
        (0..self.replicas.len()).map(|origin| replica.last(ReplicaId(origin as u16))).collect()
    }

    /// Returns the entries that one cluster has to send to another and that this one has not
    /// reported, up to the given ones.
    fn lacking(&self, from: ClusterId, to: ClusterId, up_to: &[u64]) -> Vec<Arc<Entry>> {
        let Some(replica) = self.replica(from) else { return Vec::new() };
        let receiver = self.clusters[usize::from(to.0)].replica;
        let origins = up_to.iter().enumerate().map(|(origin, last)| (ReplicaId(origin as u16), *last));
        let carried = origins.filter(|(origin, _)| *origin != receiver && self.carries(from, to, *origin));
        let entries = carried.flat_map(|(origin, last)| replica.lacking(receiver, origin, last));
        entries.take(RESENT_MAX).cloned().collect()
    }

    /// Schedules new routes after a failure or a recovery.
    pub(super) fn schedule_reroute(&mut self) {
        if !core::mem::replace(&mut self.is_reroute_due, true) {
            self.schedule(self.now + self.settings.reroute_after, Event::Reroute);
        }
    }

    /// Computes the routes over the links and clusters that work now, and sends what the new
    /// neighbours lack.
    pub(super) fn reroute(&mut self) {
        self.is_reroute_due = false;
        let count = self.clusters.len();
        let reachable = Reachable::new(count, |from, to| {
            self.serves(from) && self.serves(to) && !self.links[self.link_at(from, to)].is_cut
        });
        self.routes = Routes::new(&self.network, &reachable, self.settings.routing);
        self.observe(Observed::Rerouted);
        for from in self.network.clusters() {
            for to in self.network.clusters().filter(|to| *to != from) {
                if self.routes.is_used(from, to) && self.serves(from) {
                    let lacking = self.lacking(from, to, &self.sent(from));
                    if !lacking.is_empty() {
                        self.send(from, to, Payload::Entries(lacking));
                    }
                    self.arm_resend(from, to);
                }
            }
        }
    }

    /// Sends a copy of the nearest replica to a created one that has none yet.
    pub(super) fn send_copy(&mut self, replica: ReplicaId) {
        let cluster = self.replicas[replica.at()].cluster;
        let state = &self.clusters[usize::from(cluster.0)];
        if state.replica != replica || state.status != Status::Initializing {
            return;
        }
        let now = self.true_time();
        let is_reachable = |from: &ClusterId| {
            *from != cluster && self.serves(*from) && !self.links[self.link_at(*from, cluster)].is_cut
        };
        let order = |from: &ClusterId| (self.network.link(*from, cluster).one_way, *from);
        let source = self.network.clusters().filter(is_reachable).min_by_key(order);
        let copied = source.and_then(|source| Some((source, self.replica(source)?)));
        let copied = copied.and_then(|(source, data)| Some((source, data.copy(replica, now).ok()?)));
        let arrives =
            copied.and_then(|(source, copy)| self.send(source, cluster, Payload::Copy(Box::new(copy))));
        let again = arrives.map_or(self.now + self.settings.heartbeat, |at| at + COPY_RETRY);
        self.schedule(again, Event::Copy(replica));
    }
}
