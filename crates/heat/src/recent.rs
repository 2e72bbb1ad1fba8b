//! A list that keeps its last entries.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// A list that grows at the end and keeps only its last entries. Entries keep their numbers.
#[derive(Clone, Debug)]
pub struct Recent<T> {
    /// The number of the first entry that is kept.
    first: usize,
    entries: VecDeque<T>,
    max: usize,
}

impl<T: Clone> Recent<T> {
    /// Creates an empty list that keeps this many entries.
    pub fn new(max: usize) -> Recent<T> {
        Recent { first: 0, entries: VecDeque::new(), max }
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: T) {
        if self.entries.len() == self.max {
            self.entries.pop_front();
            self.first += 1;
        }
        self.entries.push_back(entry);
    }

    /// Returns the number of entries so far.
    fn len(&self) -> usize {
        self.first + self.entries.len()
    }

    /// Returns the entries that are kept, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.entries.iter()
    }

    /// Returns the entries that are kept from number `from` on, preceded by the number of the first
    /// of them.
    pub fn since(&self, from: u32) -> (u32, Vec<T>) {
        let from = (from as usize).clamp(self.first, self.len());
        (from as u32, self.entries.iter().skip(from - self.first).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn the_last_entries_are_kept_with_their_numbers() {
        let mut recent = Recent::new(3);
        (0..5).for_each(|entry| recent.push(entry));
        assert_eq!(
            (recent.since(0), recent.since(3), recent.since(5), recent.since(9)),
            ((2, vec![2, 3, 4]), (3, vec![3, 4]), (5, vec![]), (5, vec![]))
        );
    }
}
