//! Requests of clients, changes to the world, and what is observed.

use alloc::vec::Vec;

use tabletop_model::{Error, ReadRows, Row, RowKey, Timestamp};

use super::entry::{ReplicaId, Stamp, WriteId};
use super::region::RegionId;
use super::replica::{Change, Progress};
use super::topology::ClusterId;
use crate::Nanos;

/// A request of a [`super::World`], in the order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// A request of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientRequest {
    /// The region of the client.
    pub client: RegionId,
    /// The request.
    pub action: Action,
}

/// What a client requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A write of one row, which one cluster acknowledges before any other knows of it.
    Write {
        /// The write.
        change: Change,
        /// The cluster that acknowledges it.
        target: Target,
    },
    /// A read, in one slice.
    Read {
        /// The rows and the filter.
        read: ReadRows,
        /// Where to read, and how old the answer may be.
        mode: ReadMode,
    },
}

/// The cluster to which a write is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The nearest cluster that serves. Requests that read before they write are refused: they need
    /// a single cluster.
    Nearest,
    /// One cluster.
    Cluster(ClusterId),
}

/// Where a read is answered, and how old the answer may be.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadMode {
    /// By the nearest cluster that serves, as the rows are there.
    Eventual,
    /// By one cluster, as the rows are there.
    Cluster(ClusterId),
    /// By the cluster of the nearest region that the hash of the row key prefers. It exists only
    /// inside Google.
    RowAffinity,
    /// By the first replica that has the writes of the condition. It exists only inside Google.
    Consistent {
        /// What the answer must contain.
        after: After,
        /// The time after which the read fails.
        deadline: Nanos,
    },
}

/// What the answer of a consistent read must contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    /// The writes of these origins up to these commit times.
    Writes(Vec<Condition>),
    /// All writes that were acknowledged before the read was submitted.
    Now,
}

/// The writes of one origin up to a commit time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The replica that acknowledged the writes.
    pub origin: ReplicaId,
    /// The last commit time.
    pub commit: Timestamp,
}

/// A change to clusters, links and clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldChange {
    /// A cluster stops and keeps its disk.
    Stop(ClusterId),
    /// A stopped cluster starts again from its disk.
    Start(ClusterId),
    /// A cluster loses its disk, with all acknowledged writes that it had not sent.
    Destroy(ClusterId),
    /// A destroyed cluster is created again and copies the nearest replica.
    Create(ClusterId),
    /// All clusters of a region stop.
    StopRegion(RegionId),
    /// All stopped clusters of a region start again.
    StartRegion(RegionId),
    /// A node of a cluster fails. Without any node, a cluster neither serves nor replicates.
    FailNode(ClusterId),
    /// A failed node of a cluster recovers.
    RecoverNode(ClusterId),
    /// A link is cut in both directions. Messages that are on it are lost.
    Cut(ClusterId, ClusterId),
    /// A cut link works again.
    Join(ClusterId, ClusterId),
    /// A link delays each message by an additional time, in both directions; 0 ends it.
    Slow(ClusterId, ClusterId, Nanos),
    /// A cluster's clock is off by this many microseconds.
    SetClock(ClusterId, i64),
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// When.
    pub at: Nanos,
    /// What.
    pub event: Observed,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Observed {
    /// A client has received the acknowledgement of a write.
    Written(WriteObserved),
    /// A client has received the answer to a read.
    Read(ReadObserved),
    /// A client has received an error.
    Failed {
        /// The request.
        request: RequestId,
        /// The time since the request was submitted.
        latency: Nanos,
        /// The reads that were sent, for a read.
        path: Vec<Attempt>,
        /// The error.
        error: Error,
    },
    /// A replica has applied a write. The origin does so when it acknowledges the write.
    Applied {
        /// The write.
        write: WriteId,
        /// Its place in the order of conflicting writes.
        stamp: Stamp,
        /// The row.
        key: RowKey,
        /// The replica.
        replica: ReplicaId,
    },
    /// A change has taken effect.
    Changed(WorldChange),
    /// Writes travel along new routes.
    Rerouted,
    /// An acknowledged write is lost: its origin was destroyed before it had sent the write.
    Lost {
        /// The write.
        write: WriteId,
        /// The row.
        key: RowKey,
    },
    /// All replicas have the same writes of a destroyed replica, and no other one can arrive.
    Closed(ReplicaId),
    /// A created cluster has copied a replica and serves.
    Ready(ReplicaId),
}

/// An acknowledged write.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteObserved {
    /// The request.
    pub request: RequestId,
    /// The cluster that acknowledged it.
    pub cluster: ClusterId,
    /// The write; together with its commit time it is a condition of consistent reads.
    pub write: WriteId,
    /// The commit time.
    pub stamp: Stamp,
    /// The time from submission to acknowledgement.
    pub latency: Nanos,
    /// For a check, whether the filter matched.
    pub matched: Option<bool>,
    /// For a read-modify-write, the new cells.
    pub cells: Option<Row>,
}

impl WriteObserved {
    /// Returns the condition that a read must satisfy to see the write.
    pub fn condition(&self) -> Condition {
        Condition { origin: self.write.origin, commit: self.stamp.commit }
    }
}

/// An answered read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadObserved {
    /// The request.
    pub request: RequestId,
    /// The rows.
    pub rows: Vec<Row>,
    /// The cluster that answered.
    pub cluster: ClusterId,
    /// When that cluster read the rows.
    pub read_at: Nanos,
    /// The time from submission to the answer.
    pub latency: Nanos,
    /// The age of the oldest acknowledged write of the rows that the answer lacks; 0 if it lacks
    /// none.
    pub staleness: Nanos,
    /// The reads that were sent, in order.
    pub path: Vec<Attempt>,
    /// What the cluster had of the writes of each replica, by [`ReplicaId`].
    pub watermarks: Vec<Progress>,
}

/// A read that was sent to one cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The cluster.
    pub cluster: ClusterId,
    /// When it was sent.
    pub sent: Nanos,
    /// Why it was sent.
    pub reason: Reason,
    /// The outcome; `None` while there is none.
    pub outcome: Option<AttemptOutcome>,
}

/// Why a read was sent to a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is the read's first choice.
    First,
    /// It is the origin of a write that the first choice lacked.
    Origin,
    /// The origin had not answered yet.
    Hedge,
    /// It could not satisfy the read before.
    Retry,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The answer satisfies the read.
    Accepted,
    /// The replica lacks writes that the answer must contain.
    Behind,
    /// The cluster does not serve.
    Unavailable,
}
