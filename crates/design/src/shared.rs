//! The search for events that share a key, among all events of a table.

use tabletop_model::Mutation;
use tabletop_schema::{LayoutKind, salt};

use crate::design_table::{EventMapping, Supply};

/// Most events that a search returns.
const FOUND_MAX: usize = 200;

/// A search in slices. Events with one hash have one key, but for a chance of one in millions.
#[derive(Default)]
pub(crate) struct SharedKeys {
    /// For each event so far, the hash of its key; in a row per entity, that of its row, column and time.
    hashes: Vec<u64>,
}

impl SharedKeys {
    /// Searches the next `count` of the events. After the last one, returns the indices of some that share a key, in ascending
    /// order.
    pub(crate) fn search(&mut self, mapping: &EventMapping, supply: Supply, count: u32) -> Option<Vec<u32>> {
        let (start, all) = (self.hashes.len() as u32, supply.events.len() as u32);
        let end = start.saturating_add(count).min(all);
        supply.events.for_each(start..end, |index, record| {
            let mut key = Vec::new();
            match mapping.layout.kind {
                LayoutKind::RowPerEntity => {
                    if let Ok(row) = mapping.writer.write(record, index.into()) {
                        key.extend_from_slice(&row.key);
                        for mutation in row.mutations {
                            if let Mutation::SetCell { family, qualifier, timestamp, .. } = mutation {
                                key.extend_from_slice(family.as_bytes());
                                key.push(0);
                                key.extend_from_slice(&qualifier);
                                key.extend_from_slice(&timestamp.to_be_bytes());
                            }
                        }
                    }
                }
                // An event without a key was refused, so it shares none.
                _ => _ = mapping.writer.template().write_key(record, &mut key),
            }
            self.hashes.push(if key.is_empty() { u64::from(index) } else { salt::hash(&key) });
        });
        (end == all).then(|| self.found())
    }

    fn found(&self) -> Vec<u32> {
        let mut sorted = self.hashes.clone();
        sorted.sort_unstable();
        let mut shared: Vec<u64> = sorted.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        shared.dedup();
        shared.truncate(FOUND_MAX / 2);
        let is_shared = |&index: &u32| shared.binary_search(&self.hashes[index as usize]).is_ok();
        (0..self.hashes.len() as u32).filter(is_shared).take(FOUND_MAX).collect()
    }
}
