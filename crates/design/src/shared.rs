//! Searches all events of a table for those that share a key.

use tabletop_keys::salt;

use crate::event_mapping::EventMapping;
use crate::supply::Supply;

/// Maximum number of events that a search returns.
const FOUND_MAX: usize = 200;

/// A search in slices. Events with the same hash are assumed to have the same key; the chance that
/// this is wrong is one in millions.
#[derive(Default)]
pub(crate) struct SharedKeys {
    /// For each event so far, the hash of its key. In a row per entity, the hash of its row, column
    /// and time.
    hashes: Vec<u64>,
}

impl SharedKeys {
    /// Searches the next `count` events. After the last one, returns the indices of some events
    /// that share a key, in ascending order.
    pub(crate) fn search(&mut self, mapping: &EventMapping, supply: Supply, count: u32) -> Option<Vec<u32>> {
        let (start, all) = (self.hashes.len() as u32, supply.events.len() as u32);
        let end = start.saturating_add(count).min(all);
        supply.events.for_each(start..end, |index, record| {
            let identity = mapping.writer.identity(mapping.layout.kind, record, index.into());
            // An event that cannot be written does not share a key, so its index takes the place of
            // a hash.
            self.hashes.push(identity.map_or(index.into(), |bytes| salt::hash(&bytes)));
        });
        (end == all).then(|| self.found())
    }

    fn found(&self) -> Vec<u32> {
        let mut sorted = self.hashes.clone();
        sorted.sort_unstable();
        let mut shared: Vec<u64> =
            sorted.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        shared.dedup();
        shared.truncate(FOUND_MAX / 2);
        let is_shared = |&index: &u32| shared.binary_search(&self.hashes[index as usize]).is_ok();
        (0..self.hashes.len() as u32).filter(is_shared).take(FOUND_MAX).collect()
    }
}
