//! Acknowledged writes that some replica has not applied: what the simulation knows, and no replica
//! does.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{RowKey, RowSet, Timestamp};

use super::entry::{Entry, ReplicaId, WriteId};
use super::topology::ClusterId;
use crate::Nanos;

/// Acknowledged writes by row, until all clusters have applied them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    rows: BTreeMap<RowKey, BTreeMap<WriteId, Unapplied>>,
}

#[derive(Clone, Debug)]
struct Unapplied {
    commit: Timestamp,
    acknowledged: Nanos,
    /// A bit mask of clusters.
    applied: u64,
}

impl Ledger {
    /// Adds a write that its origin has applied.
    pub fn add(&mut self, entry: &Entry, at: ClusterId, acknowledged: Nanos, members: u64) {
        let applied = 1 << at.0;
        if applied & members != members {
            let write = Unapplied { commit: entry.stamp.commit, acknowledged, applied };
            if !self.rows.contains_key(&entry.key) {
                self.rows.insert(entry.key.clone(), BTreeMap::new());
            }
            let writes = self.rows.get_mut(&entry.key).expect("it was inserted");
            writes.insert(entry.id, write);
        }
    }

    /// Notes that a cluster has applied a write.
    pub fn applied(&mut self, entry: &Entry, at: ClusterId, members: u64) {
        let Some(writes) = self.rows.get_mut(&entry.key) else { return };
        let Some(write) = writes.get_mut(&entry.id) else { return };
        write.applied |= 1 << at.0;
        if write.applied & members == members {
            writes.remove(&entry.id);
            if writes.is_empty() {
                self.rows.remove(&entry.key);
            }
        }
    }

    /// Sets for each write whether a cluster has applied it, and removes the writes that all members
    /// have applied.
    pub fn set(&mut self, at: ClusterId, members: u64, has: impl Fn(WriteId) -> bool) {
        self.rows.retain(|_, writes| {
            writes.retain(|id, write| {
                write.applied &= !(1 << at.0);
                write.applied |= u64::from(has(*id)) << at.0;
                write.applied & members != members
            });
            !writes.is_empty()
        });
    }

    /// Removes the writes of an origin that no member has and that no message carries. Returns them
    /// in their order, with their rows and
    /// commit times.
    pub fn take_lost(
        &mut self,
        origin: ReplicaId,
        members: u64,
        is_carried: impl Fn(WriteId) -> bool,
    ) -> Vec<(WriteId, RowKey, Timestamp)> {
        let mut lost = Vec::new();
        self.rows.retain(|key, writes| {
            writes.retain(|id, write| {
                let is_lost = id.origin == origin && write.applied & members == 0 && !is_carried(*id);
                if is_lost {
                    lost.push((*id, key.clone(), write.commit));
                }
                !is_lost
            });
            !writes.is_empty()
        });
        lost.sort_unstable();
        lost
    }

    /// Returns when the oldest write of these rows that a cluster lacks was acknowledged, among those
    /// acknowledged by `now`.
    pub fn oldest_missing(&self, rows: &RowSet, at: ClusterId, now: Nanos) -> Option<Nanos> {
        let of_row = |writes: &BTreeMap<WriteId, Unapplied>| {
            let missing = writes.values().filter(|write| write.applied & 1 << at.0 == 0);
            missing.map(|write| write.acknowledged).filter(|acknowledged| *acknowledged <= now).min()
        };
        if rows.keys.is_empty() && rows.ranges.is_empty() {
            return self.rows.values().filter_map(of_row).min();
        }
        let of_keys = rows.keys.iter().filter_map(|key| self.rows.get(key)).filter_map(of_row).min();
        let of_ranges = rows.ranges.iter().flat_map(|range| {
            let (start, end) = range.ends();
            let end = end.map_or(Bound::Unbounded, Bound::Excluded);
            let is_empty = matches!(&end, Bound::Excluded(end) if *end <= start);
            let found = (!is_empty).then(|| self.rows.range((Bound::Included(start), end)));
            found.into_iter().flatten().filter_map(|(_, writes)| of_row(writes))
        });
        of_keys.into_iter().chain(of_ranges).min()
    }
}
