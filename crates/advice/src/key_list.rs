//! Keys of events, to sort and to count them.

use alloc::vec::Vec;

use tabletop_keys::{Record, Template};
use tabletop_model::order::sorted_indices;

/// Many byte strings in one allocation.
#[derive(Default)]
pub(crate) struct Keys {
    pub bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys {
    /// Writes the keys of these records under `template`. Returns them with the index of each key's
    /// record.
    pub fn of(template: &Template, records: &[Record]) -> (Keys, Vec<usize>) {
        let (mut keys, mut keyed) = (Keys::default(), Vec::new());
        for (index, record) in records.iter().enumerate() {
            if template.write_long_key(&mut |index| record.value(index), &mut keys.bytes).is_ok() {
                keys.ends.push(keys.bytes.len());
                keyed.push(index);
            }
        }
        (keys, keyed)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|at| self.get(at))
    }

    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        self.end();
    }

    /// Ends a key that was appended to [`Keys::bytes`].
    pub fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Returns the indices of the keys in the order of their bytes. Equal keys keep their order.
    pub fn sorted(&self) -> Vec<usize> {
        sorted_indices(self.len(), &|one, other| self.get(one).cmp(self.get(other)))
    }

    /// The number of distinct keys.
    pub fn distinct(&self) -> usize {
        self.sorted().chunk_by(|&one, &other| self.get(one) == self.get(other)).count()
    }

    /// The number of occurrences of the most frequent key.
    pub fn most_frequent(&self) -> usize {
        self.sorted()
            .chunk_by(|&one, &other| self.get(one) == self.get(other))
            .map(<[usize]>::len)
            .max()
            .unwrap_or(0)
    }
}
