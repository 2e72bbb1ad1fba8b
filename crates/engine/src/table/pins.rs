//! The segments of the commit log that memtables need.

use tabletop_model::SortedMap;

/// The number of memtables whose first row is in each segment of the log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pins(SortedMap<u64, u32>);

impl Pins {
    /// Adds a memtable whose first row is in `segment`.
    pub fn add(&mut self, segment: u64) {
        *self.0.get_or_default(segment) += 1;
    }

    /// Removes a memtable whose first row is in `segment`.
    pub fn remove(&mut self, segment: u64) {
        let pinned = self.0.remove(&segment).filter(|memtables| *memtables > 1);
        self.0.extend(pinned.map(|memtables| (segment, memtables - 1)));
    }

    /// Returns whether no memtable needs the log.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first segment that more memtables need than `flushed` reports for it.
    pub fn first_beyond(&self, flushed: impl Fn(u64) -> u32) -> Option<u64> {
        self.0.iter().find(|(segment, memtables)| *memtables > flushed(*segment)).map(|(segment, _)| *segment)
    }

    /// Returns each segment, once for each memtable that needs it.
    #[cfg(test)]
    pub fn all(&self) -> impl Iterator<Item = u64> {
        self.0.iter().flat_map(|(segment, memtables)| core::iter::repeat_n(*segment, *memtables as usize))
    }
}
