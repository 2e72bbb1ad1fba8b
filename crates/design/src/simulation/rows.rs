//! The rows of the loaded events in the design's own table, each with its tablet, its bucket in the
//! heatmap and its load in the current second.

use tabletop_cluster::Slot;
use tabletop_heat::{BUCKETS_MAX, RowId, RowLoad, Touch};
use tabletop_model::RowKey;
use tabletop_workload::Events;
use xxhash_rust::xxh64::xxh64;

use super::operations::KEY_BYTES;
use super::{NO_BUCKET, Place};
use crate::event_mapping::EventMapping;

/// The number of a row among the rows of the loaded events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowNumber(u32);

impl RowNumber {
    /// Returns the id of the row in the heatmap.
    pub fn id(self) -> RowId {
        RowId(self.0.into())
    }

    /// Returns the row with this id in the heatmap.
    pub fn of(id: RowId) -> RowNumber {
        RowNumber(id.0 as u32)
    }
}

/// Marks an event without a row.
const NONE: u32 = u32::MAX;
/// Number of rows of loaded events in the sample from which the borders of the buckets are taken.
const BORDER_ROWS: usize = 16 * BUCKETS_MAX;
/// Rows that the traffic will write count at most this many times as much as the rows of the loaded
/// events, so that the latter stay visible.
const LATER_MAX: f64 = 3.0;

/// The rows of the loaded events. They take 4 bytes per event and 48 bytes per row.
pub(super) struct Rows {
    /// The row number of each event; [`NONE`] for an event without a key.
    of_events: Vec<u32>,
    /// The hashes of the row keys in ascending order, which defines the numbers of rows. Among a
    /// million keys, the chance that two have the same hash is one in 30 million.
    hashes: Vec<u64>,
    /// An event of each row. From the number of events upwards, the index of a key in `others`,
    /// plus the number of events.
    events: Vec<u32>,
    /// The keys in requests of traces that are not keys of loaded events, each once.
    others: Vec<RowKey>,
    /// An event of each row that loaded events have.
    loaded: Vec<u32>,
    rows: Vec<Row>,
    /// The first key of each bucket of the heatmap. The first one is empty.
    starts: Vec<RowKey>,
    /// For each bucket, the tablet that has all its rows, if there is one.
    tablets: Vec<Option<Slot>>,
}

/// A row, in one cache line of the processor.
#[derive(Clone)]
#[repr(align(32))]
struct Row {
    /// The tablet that had the row when it was last looked up.
    tablet: Slot,
    /// The bucket in the heatmap; [`NO_BUCKET`] if the row has not been looked up.
    bucket: u16,
    load: RowLoad,
}

impl Rows {
    /// Finds the rows of all events, and the rows with other keys.
    pub fn new<'k>(
        mapping: &EventMapping,
        events: &Events,
        others: impl Iterator<Item = &'k RowKey>,
    ) -> Rows {
        let mut hashed: Vec<(u64, u32)> = Vec::with_capacity(events.len());
        let mut buffer = Vec::new();
        let template = mapping.writer.template();
        for event in 0..events.len() {
            buffer.clear();
            if template.write_key_of(&mut |field| events.value(event, field), &mut buffer).is_ok() {
                hashed.push((xxh64(&buffer, 0), event as u32));
            }
        }
        let mut others: Vec<RowKey> = others.cloned().collect();
        others.sort_unstable();
        others.dedup();
        hashed.extend(
            others.iter().enumerate().map(|(at, key)| (xxh64(key.as_ref(), 0), (events.len() + at) as u32)),
        );
        hashed.sort_unstable();
        let mut of_events = vec![NONE; events.len()];
        let (mut hashes, mut firsts): (Vec<u64>, Vec<u32>) = (Vec::new(), Vec::new());
        for (hash, event) in hashed {
            if hashes.last() != Some(&hash) {
                hashes.push(hash);
                firsts.push(event);
            }
            if let Some(of_event) = of_events.get_mut(event as usize) {
                *of_event = firsts.len() as u32 - 1;
            }
        }
        let loaded = firsts.iter().copied().filter(|event| (*event as usize) < events.len()).collect();
        let unknown = Row { tablet: Slot::default(), bucket: NO_BUCKET, load: RowLoad::default() };
        let rows = vec![unknown; firsts.len()];
        Rows {
            of_events,
            hashes,
            events: firsts,
            others,
            loaded,
            rows,
            starts: vec![RowKey::default()],
            tablets: Vec::new(),
        }
    }

    /// Returns a sample of the keys that are not keys of loaded events.
    pub fn sample_of_others(&self) -> impl Iterator<Item = &RowKey> {
        self.others.iter().step_by(self.others.len().div_ceil(BORDER_ROWS).max(1))
    }

    /// Returns how many of the `later` rows, which the traffic will write, belong into the sample
    /// of all rows.
    pub fn sample_of(&self, later: u64) -> u64 {
        let share = later as f64 / self.loaded.len().max(1) as f64;
        (self.loaded.len().min(BORDER_ROWS) as f64 * share.min(LATER_MAX)) as u64
    }

    /// Divides all rows into buckets of about the same size: the rows of the loaded events, and
    /// those that the traffic will write, of which `later` is a sample. The order of hashes is
    /// random, so the first rows of that order are a random sample.
    ///
    /// Without the later rows, all new rows of an increasing key would fall into the last bucket.
    pub fn divide(&mut self, mapping: &EventMapping, events: &Events, later: Vec<RowKey>) {
        let mut keys = later;
        let is_loaded = |row: &u32| (self.events[*row as usize] as usize) < events.len();
        let loaded = (0..self.rows.len() as u32).filter(is_loaded).take(BORDER_ROWS);
        keys.extend(loaded.map(|row| self.key(mapping, events, RowNumber(row))));
        keys.sort_unstable();
        let buckets = keys.len().clamp(1, BUCKETS_MAX);
        self.starts.truncate(1);
        self.starts.extend((1..buckets).map(|bucket| keys[bucket * keys.len() / buckets].clone()));
        self.starts.dedup();
    }

    /// Returns the number of rows that loaded events have.
    pub fn len(&self) -> usize {
        self.loaded.len()
    }

    /// Returns an event of the row at an index, among the rows of loaded events.
    pub fn event(&self, index: usize) -> u32 {
        self.loaded[index]
    }

    /// Returns the number of events of a row.
    pub fn events_of(&self, row: RowNumber) -> usize {
        self.of_events.iter().filter(|of| **of == row.0).count()
    }

    /// Returns the first key of each bucket.
    pub fn starts(&self) -> &[RowKey] {
        &self.starts
    }

    /// Returns the row of a loaded event.
    pub fn of_event(&self, event: u32) -> Option<RowNumber> {
        self.of_events.get(event as usize).copied().filter(|row| *row != NONE).map(RowNumber)
    }

    /// Returns the row with a key, if a loaded event has it.
    pub fn find(&self, key: &RowKey) -> Option<RowNumber> {
        self.hashes.binary_search(&xxh64(key.as_ref(), 0)).ok().map(|row| RowNumber(row as u32))
    }

    /// Returns the bucket of a key.
    pub fn bucket_of(&self, key: &RowKey) -> u16 {
        (self.starts.partition_point(|start| start <= key) - 1) as u16
    }

    /// Returns the key of a row.
    pub fn key(&self, mapping: &EventMapping, events: &Events, row: RowNumber) -> RowKey {
        let event = self.events[row.0 as usize] as usize;
        if let Some(key) = event.checked_sub(events.len()).and_then(|at| self.others.get(at)) {
            return key.clone();
        }
        let mut key = Vec::with_capacity(KEY_BYTES);
        let written =
            mapping.writer.template().write_key_of(&mut |field| events.value(event, field), &mut key);
        debug_assert!(written.is_ok(), "the row was found by its key");
        RowKey::from(key)
    }

    /// Looks up the tablets of whole buckets, after the borders of tablets have changed.
    pub fn set_tablets(&mut self, tablet_of_range: impl Fn(&RowKey, &RowKey) -> Option<Slot>) {
        let last = RowKey::default();
        let ends = self.starts.iter().skip(1).chain([&last]);
        self.tablets = self.starts.iter().zip(ends).map(|(start, end)| tablet_of_range(start, end)).collect();
    }

    /// Returns the tablet that has all rows of a bucket, if there is one.
    pub fn tablet_of_bucket(&self, bucket: u16) -> Option<Slot> {
        self.tablets.get(usize::from(bucket)).copied().flatten()
    }

    /// Returns the tablet and the bucket of a row, if they have been looked up.
    pub fn place(&self, row: RowNumber) -> Option<Place> {
        let Row { tablet, bucket, .. } = self.rows[row.0 as usize];
        (bucket != NO_BUCKET).then_some((tablet, bucket))
    }

    /// Stores the tablet and the bucket of a row.
    pub fn set_place(&mut self, row: RowNumber, (tablet, bucket): Place) {
        let row = &mut self.rows[row.0 as usize];
        (row.tablet, row.bucket) = (tablet, bucket);
    }

    /// Adds a request to the load of its row in a second, and returns that load. For a row that is
    /// not known, this is the load of the request alone.
    #[inline]
    pub fn add(&mut self, second: u32, touch: &Touch) -> RowLoad {
        match touch.row {
            Some(row) => {
                let load = &mut self.rows[RowNumber::of(row).0 as usize].load;
                load.add(second, touch);
                *load
            }
            None => {
                let mut load = RowLoad::default();
                load.add(second, touch);
                load
            }
        }
    }
}
