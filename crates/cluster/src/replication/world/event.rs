//! Events of the world, and requests in progress.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::{Error, ReadRows, Row};

use crate::Nanos;
use crate::replication::entry::{Entry, ReplicaId};
use crate::replication::region::RegionId;
use crate::replication::replica::{Progress, Replica};
use crate::replication::request::{Attempt, ClientRequest, Observed, ReadMode, RequestId, WorldChange};
use crate::replication::topology::ClusterId;

/// An event at a time. Events of one time happen in the order in which they were scheduled.
#[derive(Debug)]
pub(in crate::replication) struct Scheduled {
    pub at: Nanos,
    pub number: u64,
    pub event: Event,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

#[derive(Debug)]
pub(in crate::replication) enum Event {
    /// A client sends a request.
    Submit(RequestId, Box<ClientRequest>),
    /// A write arrives at its cluster.
    Write { request: RequestId, submitted: Nanos, cluster: ClusterId, client: Box<ClientRequest> },
    /// A write is acknowledged: from now on its origin sends it.
    Publish { cluster: ClusterId, entry: Arc<Entry> },
    /// A client receives the outcome of a write.
    Reply(Box<Observed>),
    /// A read arrives at a cluster.
    Read { request: RequestId, attempt: usize },
    /// A client receives an answer to a read.
    Answer { request: RequestId, attempt: usize, answer: Box<Answer> },
    /// A client sends a hedged read.
    Hedge(RequestId),
    /// A client asks a cluster again.
    Retry { request: RequestId, cluster: ClusterId },
    /// The deadline of a read.
    Deadline(RequestId),
    /// A message arrives.
    Message { from: ReplicaId, to: ReplicaId, cuts: u32, payload: Payload },
    /// A replica's heartbeat is due.
    Beat { cluster: ClusterId, generation: u32 },
    /// A change takes effect.
    Change(WorldChange),
    /// New routes take effect.
    Reroute,
    /// A created replica needs a copy of another one.
    Copy(ReplicaId),
}

#[derive(Debug)]
pub(in crate::replication) enum Payload {
    Entries(Vec<Arc<Entry>>),
    /// What a replica has of each origin's writes.
    Row {
        of: ReplicaId,
        row: Arc<Vec<Progress>>,
    },
    Copy(Box<Replica>),
}

/// An answer to one attempt of a read.
#[derive(Debug)]
pub(in crate::replication) enum Answer {
    Rows {
        rows: Vec<Row>,
        read_at: Nanos,
        staleness: Nanos,
        watermarks: Vec<Progress>,
    },
    /// The replica lacks writes of these origins.
    Behind(Vec<ReplicaId>),
    Unavailable,
    Refused(Error),
}

/// A read in progress.
#[derive(Debug)]
pub(in crate::replication) struct OpenRead {
    pub submitted: Nanos,
    pub client: RegionId,
    pub read: ReadRows,
    pub mode: ReadMode,
    pub path: Vec<Attempt>,
}
