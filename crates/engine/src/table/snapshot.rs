//! Everything that reads of a table need, as one immutable value, so that reads run concurrently
//! with each other and with the one thread that changes the table. A change creates a new version
//! of what it changes, and publishes it when it is complete. Only memtables change in place, by
//! whole rows, each under its own lock.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Deref, Range};

use tabletop_model::{Error, RowKeySample, TableSettings};

use crate::cache::{BlockCache, BlockCounts};
use crate::families::Families;
use crate::key_range::{Bounds, KeyRange};
use crate::shared::Shared;
use crate::table::tablet::TabletData;

/// A table, from the perspective of its readers.
#[derive(Debug)]
pub(crate) struct Reading {
    snapshot: Shared<Arc<Snapshot>>,
    pub cache: Shared<BlockCache>,
    /// The cost of reads since the table was opened.
    pub counts: Shared<ReadCounts>,
    /// The bytes of compaction that each byte of the last write owes, if the host runs compactions.
    pub owed: Shared<u64>,
}

/// A table between two changes.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    pub families: Arc<Families>,
    /// The tablets, in key order and without gaps.
    pub tablets: Vec<Arc<TabletData>>,
    pub settings: TableSettings,
    /// Ranges whose last writes may be missing, and the reason.
    pub missing: Option<(Vec<KeyRange>, Error)>,
}

/// The cost of reads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadCounts {
    pub blocks: BlockCounts,
    pub bloom_skips: u64,
    pub bytes_returned: u64,
}

impl Reading {
    pub fn new(settings: &TableSettings) -> Arc<Reading> {
        let cache = Shared::new(BlockCache::new(settings.cache_bytes_max));
        Arc::new(Reading {
            snapshot: Shared::default(),
            cache,
            counts: Shared::default(),
            owed: Shared::default(),
        })
    }

    /// Returns the table as it is now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.lock().clone()
    }

    /// Returns whether a read holds the table as it is now.
    pub fn is_read(&self) -> bool {
        Arc::strong_count(&self.snapshot.lock()) > 1
    }

    /// Publishes another state of the table. Returns the one before.
    pub fn publish(&self, snapshot: Snapshot) -> Arc<Snapshot> {
        core::mem::replace(&mut *self.snapshot.lock(), Arc::new(snapshot))
    }

    /// Returns the split points of the tablets, and keys that divide them into parts of about equal
    /// size; see [`Table::sample_row_keys`](crate::table::Table::sample_row_keys).
    pub fn sample_row_keys(&self) -> Vec<RowKeySample> {
        let table = self.snapshot();
        let part = (table.settings.tablet_bytes_max / 4).max(1);
        let mut samples: Vec<RowKeySample> = Vec::new();
        let (mut offset_bytes, mut sampled) = (0, 0);
        for tablet in &table.tablets {
            if !tablet.range.start.is_empty() {
                samples.push(RowKeySample { key: tablet.range.start.clone().into(), offset_bytes });
                sampled = offset_bytes;
            }
            for weight in tablet.weights(table.families.kinds()) {
                // A row in several blocks is named once, and the beginning of the table never.
                let is_new = *weight.key > *samples.last().map_or(&[][..], |last| last.key.as_slice());
                if offset_bytes - sampled >= part && is_new {
                    samples.push(RowKeySample { key: weight.key.into(), offset_bytes });
                    sampled = offset_bytes;
                }
                offset_bytes += weight.bytes;
            }
        }
        samples.push(RowKeySample { key: Default::default(), offset_bytes });
        samples
    }
}

impl Snapshot {
    /// Checks that no write to these rows may be missing.
    ///
    /// # Errors
    /// `DataLoss`, with the damage, when some may be missing.
    pub fn check_complete(&self, rows: Bounds<'_>) -> Result<(), Error> {
        let Some((missing, error)) = &self.missing else { return Ok(()) };
        if missing.iter().any(|range| !range.bounds().meet(rows).is_empty()) {
            Err(error.clone())
        } else {
            Ok(())
        }
    }
}

/// Returns the indices of the tablets that a range of rows touches.
pub(crate) fn tablets_of(tablets: &[impl Deref<Target = TabletData>], range: &KeyRange) -> Range<usize> {
    let first = tablet_of(tablets, &range.start);
    let more = tablets[first + 1..].partition_point(|tablet| !range.ends_before(&tablet.range.start));
    first..first + 1 + more
}

/// Returns the index of the tablet with a key.
pub(crate) fn tablet_of(tablets: &[impl Deref<Target = TabletData>], key: &[u8]) -> usize {
    // The first tablet begins where the table does, so no key is below it.
    tablets[1..].partition_point(|tablet| tablet.range.start.as_slice() <= key)
}
