//! Reads: eventual, with row affinity, and consistent.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use tabletop_model::{Code, Error, ReadRows, Timestamp};

use super::World;
use super::event::{Answer, Event, OpenRead};
use super::write::no_cluster;
use crate::Nanos;
use crate::cost::Work;
use crate::execute::first_row_of;
use crate::random::mix;
use crate::replication::entry::ReplicaId;
use crate::replication::planted::Fault;
use crate::replication::region::RegionId;
use crate::replication::replica::Progress;
use crate::replication::request::{
    Action, After, Attempt, AttemptOutcome, ClientRequest, Condition, Observed, ReadMode, ReadObserved,
    Reason, RequestId,
};
use crate::replication::topology::ClusterId;

impl World {
    pub(super) fn begin_read(&mut self, request: RequestId, ClientRequest { client, action }: ClientRequest) {
        let Action::Read { read, mode } = action else { return };
        let cluster = match &mode {
            ReadMode::Cluster(cluster) => Some(*cluster),
            ReadMode::Eventual | ReadMode::Consistent { .. } => self.nearest(client, |_| true),
            ReadMode::RowAffinity => self.preferred(client, &read),
        };
        let Some(cluster) = cluster else { return self.fail(request, self.now, Vec::new(), no_cluster()) };
        if let ReadMode::Consistent { deadline, .. } = mode {
            self.schedule(self.now.saturating_add(deadline), Event::Deadline(request));
        }
        self.reads.insert(request, OpenRead { submitted: self.now, client, read, mode, path: Vec::new() });
        self.attempt(request, cluster, Reason::First);
    }

    /// Returns the cluster that the hash of the read's first row prefers, of those that serve in the
    /// nearest region. A row keeps its cluster when others are added or fail.
    fn preferred(&self, client: RegionId, read: &ReadRows) -> Option<ClusterId> {
        let nearest = self.nearest(client, |_| true)?;
        let region = self.network.site(nearest).region;
        let row = hash(first_row_of(read).as_slice());
        let of_region = self
            .network
            .clusters()
            .filter(|cluster| self.serves(*cluster) && self.network.site(*cluster).region == region);
        of_region.max_by_key(|cluster| {
            let name = self.network.site(*cluster).name.as_bytes();
            (mix(row ^ hash(name)), *cluster)
        })
    }

    /// Sends a read to a cluster.
    fn attempt(&mut self, request: RequestId, cluster: ClusterId, reason: Reason) {
        let Some(open) = self.reads.get_mut(&request) else { return };
        let attempt = open.path.len();
        open.path.push(Attempt { cluster, sent: self.now, reason, outcome: None });
        let client = open.client;
        let at = self.now + self.one_way(client, cluster);
        self.schedule(at, Event::Read { request, attempt });
    }

    /// Answers a read at a cluster, if it has what the answer must contain.
    pub(super) fn execute_read(&mut self, request: RequestId, attempt: usize) {
        let Some(open) = self.reads.get(&request) else { return };
        let (cluster, now) = (open.path[attempt].cluster, self.true_time());
        let back = self.one_way(open.client, cluster);
        let (read, rows) = (open.read.clone(), open.read.rows.clone());
        let (mut work, mut answer) = (Work::default(), Answer::Unavailable);
        let behind = self.behind(open, cluster);
        let watermarks = self.watermarks(cluster);
        let staleness =
            self.ledger.oldest_missing(&rows, cluster, self.now).map_or(0, |since| self.now - since);
        let serves = self.serves(cluster);
        let read_at = self.now;
        if !behind.is_empty() && serves {
            answer = Answer::Behind(behind);
        } else if let Some(replica) = self.replica_mut(cluster)
            && serves
        {
            answer = match replica.read(now, &read) {
                Ok(chunk) => {
                    work = Work::of_read(&chunk.stats);
                    Answer::Rows { rows: chunk.rows, read_at, staleness, watermarks }
                }
                Err(error) => Answer::Refused(error),
            };
        }
        let at = self.now + self.settings.cost.service_nanos(&work) + back;
        self.schedule(at, Event::Answer { request, attempt, answer: Box::new(answer) });
    }

    /// Returns the origins of writes that a consistent read must contain and a cluster lacks.
    fn behind(&self, open: &OpenRead, cluster: ClusterId) -> Vec<ReplicaId> {
        let ReadMode::Consistent { after, .. } = &open.mode else { return Vec::new() };
        let Some(replica) = self.replica(cluster) else { return Vec::new() };
        if self.planted.has(Fault::ConditionsIgnored) {
            return Vec::new();
        }
        let all;
        let conditions = match after {
            After::Writes(conditions) => conditions,
            After::Now => {
                // The clock of an origin may be ahead of the true time.
                let submitted = self.settings.start + (open.submitted / 1_000) as Timestamp;
                let error = self.settings.clock_error_max + 1;
                let is_ignored = self.planted.has(Fault::ClockErrorIgnored);
                let commit = submitted + if is_ignored { 0 } else { error };
                // A created cluster that does not serve yet has no writes.
                let may_have_written = |origin: &ReplicaId| {
                    let slot = &self.replicas[origin.at()];
                    slot.is_destroyed || slot.data.is_some()
                };
                let origins = self.origins().into_iter().filter(may_have_written);
                all = origins.map(|origin| Condition { origin, commit }).collect();
                &all
            }
        };
        let lacks = |condition: &&Condition| {
            condition.origin != replica.id
                && self.watermark(replica.progress(condition.origin), condition.origin) < condition.commit
        };
        conditions.iter().filter(lacks).map(|condition| condition.origin).collect()
    }

    /// Returns the low watermark of an origin: that of a closed replica ends before its first lost
    /// write.
    fn watermark(&self, progress: Progress, origin: ReplicaId) -> Timestamp {
        let slot = &self.replicas[origin.at()];
        match (slot.is_closed, slot.lost_from) {
            (true, None) => Timestamp::MAX,
            (true, Some(lost)) => lost - 1,
            (false, _) => progress.watermark,
        }
    }

    fn watermarks(&self, cluster: ClusterId) -> Vec<Progress> {
        let Some(replica) = self.replica(cluster) else { return Vec::new() };
        let origins = (0..self.replicas.len()).map(|at| ReplicaId(at as u16));
        let progress = origins.map(|origin| {
            let progress = replica.progress(origin);
            Progress { watermark: self.watermark(progress, origin), ..progress }
        });
        progress.collect()
    }

    /// Handles the answer to an attempt at the client: the first one that satisfies the read ends
    /// it.
    pub(super) fn answer(&mut self, request: RequestId, attempt: usize, answer: Answer) {
        let Some(open) = self.reads.get_mut(&request) else { return };
        let sent = &mut open.path[attempt];
        let (cluster, reason) = (sent.cluster, sent.reason);
        sent.outcome = Some(match &answer {
            Answer::Rows { .. } | Answer::Refused(_) => AttemptOutcome::Accepted,
            Answer::Behind(_) => AttemptOutcome::Behind,
            Answer::Unavailable => AttemptOutcome::Unavailable,
        });
        let is_consistent = matches!(open.mode, ReadMode::Consistent { .. });
        let origins = match answer {
            Answer::Rows { rows, read_at, staleness, watermarks } => {
                let Some(OpenRead { submitted, path, .. }) = self.reads.remove(&request) else { return };
                let latency = self.now - submitted;
                return self.observe(Observed::Read(ReadObserved {
                    request,
                    rows,
                    cluster,
                    read_at,
                    latency,
                    staleness,
                    path,
                    watermarks,
                }));
            }
            Answer::Refused(error) => return self.end_read(request, error),
            Answer::Unavailable if !is_consistent => {
                return self.end_read(request, self.not_serving(cluster));
            }
            Answer::Unavailable => Vec::new(),
            Answer::Behind(origins) => origins,
        };
        if reason == Reason::First {
            let mut seconds: Vec<ClusterId> =
                origins.iter().map(|origin| self.replicas[origin.at()].cluster).collect();
            seconds.sort_unstable();
            seconds.dedup();
            for second in seconds.into_iter().filter(|second| *second != cluster) {
                self.attempt(request, second, Reason::Origin);
            }
            self.schedule(self.now + self.settings.hedge_after, Event::Hedge(request));
        }
        self.schedule(self.now + self.settings.retry_after, Event::Retry { request, cluster });
    }

    fn end_read(&mut self, request: RequestId, error: Error) {
        if let Some(OpenRead { submitted, path, .. }) = self.reads.remove(&request) {
            self.fail(request, submitted, path, error);
        }
    }

    /// Asks the nearest cluster that was not asked yet.
    pub(super) fn hedge(&mut self, request: RequestId) {
        let Some(open) = self.reads.get(&request) else { return };
        let is_new = |cluster: ClusterId| open.path.iter().all(|attempt| attempt.cluster != cluster);
        if let Some(cluster) = self.nearest(open.client, is_new) {
            self.attempt(request, cluster, Reason::Hedge);
            self.schedule(self.now + self.settings.hedge_after, Event::Hedge(request));
        }
    }

    pub(super) fn retry(&mut self, request: RequestId, cluster: ClusterId) {
        self.attempt(request, cluster, Reason::Retry);
    }

    /// Ends a read that no replica could answer in time.
    pub(super) fn expire(&mut self, request: RequestId) {
        let Some(open) = self.reads.get(&request) else { return };
        let millis = (self.now - open.submitted) as f64 / 1e6;
        let asked: Nanos = open.path.len() as Nanos;
        let error = Error::new(
            Code::Unavailable,
            format!(
                "the deadline of {millis} ms has passed, and none of {asked} reads reached a replica with all \
                 writes that the answer must contain: raise the deadline, or read without the condition"
            ),
        );
        self.end_read(request, error);
    }
}

/// FNV-1a, whose bits are mixed.
fn hash(bytes: &[u8]) -> u64 {
    mix(bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    }))
}
