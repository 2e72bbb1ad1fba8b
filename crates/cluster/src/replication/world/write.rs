//! Requests of clients to their clusters, and writes.

use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::{Code, Error};

use super::World;
use super::event::Event;
use crate::Nanos;
use crate::cost::Work;
use crate::replication::entry::Entry;
use crate::replication::planted::Fault;
use crate::replication::region::RegionId;
use crate::replication::replica::Written;
use crate::replication::request::{Action, ClientRequest, Observed, RequestId, Target, WriteObserved};
use crate::replication::topology::ClusterId;

impl World {
    /// Sends a request to the cluster that it names or that is nearest.
    pub(super) fn begin(&mut self, request: RequestId, client: Box<ClientRequest>) {
        let submitted = self.now;
        let target = match &client.action {
            Action::Write { target, .. } => *target,
            Action::Read { .. } => return self.begin_read(request, *client),
        };
        let cluster = match target {
            Target::Cluster(cluster) => Some(cluster),
            Target::Nearest => self.nearest(client.client, |_| true),
        };
        let Some(cluster) = cluster else { return self.fail(request, submitted, Vec::new(), no_cluster()) };
        let at = self.now + self.one_way(client.client, cluster);
        self.schedule(at, Event::Write { request, submitted, cluster, client });
    }

    /// Executes a write at its cluster, which acknowledges it when its clock has reached the commit
    /// time: the commit times of all acknowledged writes have passed, up to the error of the clocks.
    pub(super) fn execute_write(
        &mut self,
        request: RequestId,
        submitted: Nanos,
        cluster: ClusterId,
        client: &ClientRequest,
    ) {
        let Action::Write { change, .. } = &client.action else { return };
        let back = self.one_way(client.client, cluster);
        let (now, clock) = (self.true_time(), self.clock(cluster));
        let serves = self.serves(cluster);
        let written = match self.replica_mut(cluster) {
            Some(replica) if serves => replica.write(now, clock, change),
            _ => Err(self.not_serving(cluster)),
        };
        let Written { entry, matched, cells } = match written {
            Ok(written) => written,
            Err(error) => {
                let failed = Observed::Failed {
                    request,
                    latency: self.now + back - submitted,
                    path: Vec::new(),
                    error,
                };
                return self.schedule(self.now + back, Event::Reply(Box::new(failed)));
            }
        };
        let work = Work { rows_written: 1, bytes_written: entry.bytes(), ..Work::default() };
        let is_early = self.planted.has(Fault::AcknowledgedEarly);
        let wait = if is_early { 0 } else { (entry.stamp.commit - clock).max(0) as Nanos * 1_000 };
        let acknowledged = self.now + wait.max(self.settings.cost.service_nanos(&work));
        let members = self.member_mask();
        self.ledger.add(&entry, cluster, acknowledged, members);
        self.observe(Observed::Applied {
            write: entry.id,
            stamp: entry.stamp,
            key: entry.key.clone(),
            replica: entry.id.origin,
        });
        let observed = Observed::Written(WriteObserved {
            request,
            cluster,
            write: entry.id,
            stamp: entry.stamp,
            latency: acknowledged + back - submitted,
            matched,
            cells,
        });
        self.schedule(acknowledged, Event::Publish { cluster, entry });
        self.schedule(acknowledged + back, Event::Reply(Box::new(observed)));
    }

    /// Sends an acknowledged write to the other clusters.
    pub(super) fn publish(&mut self, cluster: ClusterId, entry: Arc<Entry>) {
        // A cluster that has stopped since sends the write when it starts again.
        if self.serves(cluster) && self.clusters[usize::from(cluster.0)].replica == entry.id.origin {
            self.forward(cluster, None, &[entry]);
        }
    }

    pub(super) fn fail(
        &mut self,
        request: RequestId,
        submitted: Nanos,
        path: Vec<crate::replication::request::Attempt>,
        error: Error,
    ) {
        self.observe(Observed::Failed { request, latency: self.now - submitted, path, error });
    }

    /// Returns the nearest cluster that serves, among those that `is_allowed` accepts.
    pub(super) fn nearest(
        &self,
        client: RegionId,
        is_allowed: impl Fn(ClusterId) -> bool,
    ) -> Option<ClusterId> {
        let serving = self.network.clusters().filter(|cluster| self.serves(*cluster) && is_allowed(*cluster));
        serving.min_by_key(|cluster| (self.distance(client, *cluster), &self.network.site(*cluster).name))
    }

    /// Returns the round trip of a client to a cluster.
    pub(super) fn distance(&self, client: RegionId, cluster: ClusterId) -> Nanos {
        client.round_trip(self.network.site(cluster).region)
    }

    pub(super) fn one_way(&self, client: RegionId, cluster: ClusterId) -> Nanos {
        self.distance(client, cluster) / 2
    }

    pub(super) fn not_serving(&self, cluster: ClusterId) -> Error {
        let name = &self.network.site(cluster).name;
        Error::new(
            Code::Unavailable,
            format!("cluster \"{name}\" does not serve: start it, or choose another one"),
        )
    }
}

pub(super) fn no_cluster() -> Error {
    Error::new(Code::Unavailable, "no cluster serves: start one")
}
