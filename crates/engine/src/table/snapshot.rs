//! What reads of a table need, as one value that does not change: they run beside each other and beside the one thread that
//! changes the table. A change makes a new value of what it changes, and publishes it when it is complete. Only memtables change
//! in place, by whole rows, each under its own lock.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Deref, Range};

use tabletop_model::{Error, RowKeySample, TableSettings, Timestamp};

use crate::cache::{BlockCache, BlockCounts};
use crate::families::Families;
use crate::key_range::{Bounds, KeyRange};
use crate::shared::Shared;
use crate::table::Table;
use crate::table::scan::Scan;
use crate::table::tablet::{Tablet, TabletData};

/// A table, for those who read it.
#[derive(Debug)]
pub(crate) struct Reading {
    snapshot: Shared<Arc<Snapshot>>,
    pub cache: Shared<BlockCache>,
    /// The cost of reads since the table was opened.
    pub counts: Shared<ReadCounts>,
    /// The bytes of compaction that each byte of the last write owes, if the host does compactions.
    pub owed: Shared<u64>,
}

/// A table between two changes.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    pub families: Arc<Families>,
    /// In key order, without gaps.
    pub tablets: Vec<Arc<TabletData>>,
    pub settings: TableSettings,
    /// Ranges whose last writes may be missing, and the reason.
    missing: Option<(Vec<KeyRange>, Error)>,
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
        Arc::new(Reading { snapshot: Shared::default(), cache, counts: Shared::default(), owed: Shared::default() })
    }

    /// Returns the table as it is now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.lock().clone()
    }

    /// Counts the rows of a scan as load of their tablets. Returns whether one of them may have become hot.
    pub fn count_load(&self, now: Timestamp, scan: &Scan) -> bool {
        let table = self.snapshot();
        let mut is_hot = false;
        for &(index, rows) in &scan.tablet_rows {
            // There may be fewer tablets now: then the load of the last rows is lost.
            let Some(tablet) = table.tablets.get(index) else { continue };
            tablet.load.lock().count(now, rows, 0);
            is_hot |= tablet.is_split_due(&table.settings);
        }
        is_hot
    }
}

impl Reading {
    /// Returns the keys of [`Table::sample_row_keys`].
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
    /// `DataLoss`, with the damage.
    pub fn check_complete(&self, rows: Bounds<'_>) -> Result<(), Error> {
        let Some((missing, error)) = &self.missing else { return Ok(()) };
        if missing.iter().any(|range| !range.bounds().meet(rows).is_empty()) { Err(error.clone()) } else { Ok(()) }
    }
}

impl Table {
    /// Shows reads the table as it is now. Each change of anything but the rows of memtables ends with this.
    pub(crate) fn publish(&mut self) {
        if !core::mem::take(&mut self.is_changed) {
            debug_assert!(self.is_published());
            return;
        }
        let missing = self.durable.as_ref().and_then(|durable| Some((durable.missing().to_vec(), durable.refusal()?.clone())));
        self.publish_with(missing);
    }

    /// Shows reads that the table was deleted.
    pub(crate) fn publish_deleted(&mut self) {
        self.publish_with(Some((alloc::vec![KeyRange::all()], Error::not_found("the table was deleted during the read"))));
    }

    fn publish_with(&mut self, missing: Option<(Vec<KeyRange>, Error)>) {
        let tablets = self.tablets.iter().map(|tablet| tablet.data.clone()).collect();
        let (families, settings) = (self.families.clone(), self.settings.clone());
        let snapshot = Arc::new(Snapshot { families, tablets, settings, missing });
        let old = core::mem::replace(&mut *self.reading.snapshot.lock(), snapshot);
        self.unused.replace(old);
    }

    /// Returns whether reads see the tablets as they are.
    fn is_published(&self) -> bool {
        let seen = self.reading.snapshot();
        let is_seen = |(own, seen): (&Tablet, &Arc<TabletData>)| Arc::ptr_eq(&own.data, seen);
        seen.tablets.len() == self.tablets.len() && self.tablets.iter().zip(&seen.tablets).all(is_seen)
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
    // The first tablet begins where the table does: no key is below it.
    tablets[1..].partition_point(|tablet| tablet.range.start.as_slice() <= key)
}
