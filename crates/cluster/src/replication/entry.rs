//! Writes as the replication log carries them.

use alloc::vec::Vec;

use tabletop_model::{AggregateInput, Mutation, RowKey, Timestamp};

/// Bytes of the head of a message or of an entry: IDs, times, lengths. Assumed.
pub(super) const HEAD_BYTES: u64 = 32;

/// A replica: the data of one cluster from its creation to its destruction. A cluster that is created
/// again after it was destroyed is another replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplicaId(pub u16);

impl ReplicaId {
    pub(super) fn at(self) -> usize {
        usize::from(self.0)
    }
}

/// A write: the replica that acknowledged it, and its position there, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteId {
    /// The replica that acknowledged the write.
    pub origin: ReplicaId,
    /// The position among the writes of the origin, from 1.
    pub sequence: u64,
}

/// The order of writes when they conflict: the later commit wins, and of equal commits the larger
/// tie-breaker. No two writes have the same stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// Microseconds since 1970 on the clock of the origin. It ascends at each origin.
    pub commit: Timestamp,
    /// The number of the origin.
    pub tie_breaker: i32,
}

/// A write with its outcome at the origin: timestamps are fixed, and requests that read before they
/// write are replaced by what they wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The write.
    pub id: WriteId,
    /// Its place in the order of conflicting writes.
    pub stamp: Stamp,
    /// The row.
    pub key: RowKey,
    /// The mutations, none of which has the server's time.
    pub mutations: Vec<Mutation>,
}

impl Entry {
    /// Returns the bytes of the entry in a message: key, columns, times and values, and a head.
    pub fn bytes(&self) -> u64 {
        let of = |mutation: &Mutation| match mutation {
            Mutation::SetCell { family, qualifier, value, .. } => {
                family.len() + qualifier.len() + 8 + value.len()
            }
            Mutation::AddToCell { family, qualifier, input, .. } => {
                let input = match input {
                    AggregateInput::Int(_) => 8,
                    AggregateInput::Bytes(bytes) => bytes.len(),
                };
                family.len() + qualifier.len() + 8 + input
            }
            Mutation::MergeToCell { family, qualifier, input, .. } => {
                family.len() + qualifier.len() + 8 + input.len()
            }
            Mutation::DeleteFromColumn { family, qualifier, .. } => family.len() + qualifier.len() + 16,
            Mutation::DeleteFromFamily { family } => family.len(),
            Mutation::DeleteFromRow => 0,
        };
        HEAD_BYTES + (self.key.len() + self.mutations.iter().map(of).sum::<usize>()) as u64
    }
}
