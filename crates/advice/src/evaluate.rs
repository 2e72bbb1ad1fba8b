//! Measures a design without building its table: events become keys, keys their order, and the order
//! the tablets on which live events fall.
//!
//! The measures agree with those of the engine's tables, at a fraction of the cost, so that an advice
//! can be tried before it is given. Losses are counted over all events ([`LossCount`]), everything
//! else over a sample.

mod live;
mod losses;

use alloc::vec::Vec;

pub(crate) use live::event_time;
pub use live::{LiveClock, LiveEvents};
pub use losses::{EventHashes, LossCount, Losses};
use serde::{Deserialize, Serialize};
use tabletop_keys::{Record, Template};
use tabletop_model::order::sorted;

use crate::key_list::Keys;

/// About the number of tablets of a full load.
const TABLETS: usize = 24;
/// The share of live events that counts as nearly all of them.
const MOST: f64 = 0.9;

/// Where the events of one moment fall in a table that has the loaded ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveLoad {
    /// The tablets of the table, which have about the same number of events.
    pub tablets: u32,
    /// The share of events of the tablet that gets most, 0 to 1.
    pub hottest_tablet: f64,
    /// The share of events of the place that gets most, 0 to 1. A place is a row, or the gap between
    /// two rows: it is in one tablet, however small tablets are.
    pub hottest_place: f64,
    /// The fewest places that get nearly all events.
    pub places: u32,
}

impl LiveLoad {
    /// The share of the writes that one tablet takes, whatever the number of tablets: that of the
    /// hottest one, or of a place that no split divides.
    pub fn heat(&self) -> f64 {
        self.hottest_tablet.max(self.hottest_place)
    }
}

/// Measures where live events fall among the keys of the loaded `records`. `stored` is the template of
/// the keys in the table. With `logical`, keys are compared without their salt. `None` if no event has
/// a key.
pub fn live_load(
    stored: &Template,
    records: &[Record],
    live: &LiveEvents,
    logical: bool,
) -> Option<LiveLoad> {
    let compared = |key: &[u8]| if logical { stored.logical(key).len() } else { key.len() };
    let (keys, _) = Keys::of(stored, records);
    let loaded: Vec<&[u8]> =
        sorted(keys.iter().map(|key| &key[key.len() - compared(key)..]).collect(), |one: &&[u8], other| {
            one.cmp(other)
        });
    if loaded.is_empty() {
        return None;
    }
    // A row is in one tablet, so each tablet begins with another key.
    let mut starts: Vec<&[u8]> = (1..TABLETS)
        .map(|tablet| loaded[tablet * loaded.len() / TABLETS])
        .filter(|key| *key > loaded[0])
        .collect();
    starts.dedup();
    let (mut places, mut tablets) = (Vec::new(), alloc::vec![0_usize; starts.len() + 1]);
    let mut key = Vec::new();
    for at in 0..live.len() {
        key.clear();
        if stored.write_long_key(&mut |field| live.value(records, at, field), &mut key).is_err() {
            continue;
        }
        let key = &key[key.len() - compared(&key)..];
        let after = loaded.partition_point(|other| *other < key);
        places.push((after, loaded.get(after).is_some_and(|other| *other == key)));
        tablets[starts.partition_point(|start| *start <= key)] += 1;
    }
    if places.is_empty() {
        return None;
    }
    let all = places.len() as f64;
    let places = sorted(places, Ord::cmp);
    let sizes = places.chunk_by(|one, other| one == other).map(<[_]>::len).collect();
    let sizes = sorted(sizes, |one: &usize, other| other.cmp(one));
    let mut together = 0;
    let most = sizes.iter().take_while(|size| {
        let is_needed = (together as f64) < MOST * all;
        together += **size;
        is_needed
    });
    let most = most.count() as u32;
    Some(LiveLoad {
        tablets: tablets.len() as u32,
        hottest_tablet: tablets.iter().copied().max().unwrap_or_default() as f64 / all,
        hottest_place: sizes[0] as f64 / all,
        places: most,
    })
}
