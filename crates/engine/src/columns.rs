//! Columns numbered in the order of their first use: equal numbers mean equal columns, so bytes are
//! rarely compared.

use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::order::sorted_indices;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The number of a family of a table, in the order of creation.
pub(crate) type FamilyId = u16;

/// The columns of one memtable, or of one record of the commit log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    entries: Vec<Entry>,
    qualifiers: Vec<u8>,
    /// Open-addressed hash slots; the length is a power of two, and at most half are used. 0 is
    /// free, any other value is an index into `entries` plus 1.
    slots: Vec<u32>,
    /// The rank of each column in sorted order, for the columns that existed at the last ranking.
    ranks: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Entry {
    family: FamilyId,
    start: u32,
    length: u32,
    hash: u32,
}

impl Columns {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.qualifiers.clear();
        self.slots.fill(0);
        self.ranks.clear();
    }

    /// Returns the bytes of all qualifiers.
    pub fn qualifier_bytes(&self) -> usize {
        self.qualifiers.len()
    }

    /// Ranks the existing columns, so that comparing two of them does not compare their bytes.
    pub fn rank(&mut self) {
        if self.ranks.len() < self.entries.len() {
            let order =
                sorted_indices(self.entries.len(), &|a, b| self.get(a as u32).cmp(&self.get(b as u32)));
            self.ranks.resize(order.len(), 0);
            for (rank, column) in order.into_iter().enumerate() {
                self.ranks[column] = rank as u32;
            }
        }
    }

    #[inline]
    pub fn get(&self, column: u32) -> (FamilyId, &[u8]) {
        let entry = &self.entries[column as usize];
        (entry.family, &self.qualifiers[entry.start as usize..][..entry.length as usize])
    }

    /// Returns the number of a column and assigns a new one if it has none yet. Wide rows repeat
    /// their columns in the same order, so the column after `previous` is tried first.
    #[inline]
    pub fn number(&mut self, family: FamilyId, qualifier: &[u8], previous: u32) -> u32 {
        let next = previous.wrapping_add(1);
        for guess in [next, previous, 0] {
            if (guess as usize) < self.entries.len() && self.get(guess) == (family, qualifier) {
                return guess;
            }
        }
        self.look_up(family, qualifier)
    }

    /// Compares two numbered columns: families in the order of their creation, then qualifiers by
    /// bytes.
    #[inline]
    pub fn compare(&self, a: u32, b: u32) -> Ordering {
        match (self.ranks.get(a as usize), self.ranks.get(b as usize)) {
            _ if a == b => Ordering::Equal,
            (Some(a), Some(b)) => a.cmp(b),
            _ => self.get(a).cmp(&self.get(b)),
        }
    }

    fn look_up(&mut self, family: FamilyId, qualifier: &[u8]) -> u32 {
        if self.slots.len() < (self.entries.len() + 1) * 2 {
            self.grow();
        }
        let hash = xxh3_64_with_seed(qualifier, family.into()) as u32;
        let mut slot = hash as usize & (self.slots.len() - 1);
        while let Some(found) = self.slots[slot].checked_sub(1) {
            if self.entries[found as usize].hash == hash && self.get(found) == (family, qualifier) {
                return found;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let start = self.qualifiers.len() as u32;
        self.qualifiers.extend_from_slice(qualifier);
        self.entries.push(Entry { family, start, length: qualifier.len() as u32, hash });
        self.slots[slot] = self.entries.len() as u32;
        self.entries.len() as u32 - 1
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(32);
        self.slots.clear();
        self.slots.resize(size, 0);
        for (index, entry) in self.entries.iter().enumerate() {
            let mut slot = entry.hash as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = index as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_keeps_its_number() {
        let mut columns = Columns::default();
        let names: Vec<_> =
            (0..500u32).map(|i| ((i % 3) as FamilyId, alloc::format!("q{}", i / 2))).collect();
        let first: Vec<_> = names.iter().map(|(f, q)| columns.number(*f, q.as_bytes(), u32::MAX)).collect();
        let again: Vec<_> = names.iter().rev().map(|(f, q)| columns.number(*f, q.as_bytes(), 7)).collect();
        assert!(first.iter().eq(again.iter().rev()));
        for (number, (family, qualifier)) in first.iter().zip(&names) {
            assert_eq!(columns.get(*number), (*family, qualifier.as_bytes()));
        }
        columns.clear();
        assert_eq!(columns.number(9, b"", u32::MAX), 0);
        assert_eq!(columns.number(8, b"", 0), 1);
    }

    #[test]
    fn columns_sort_by_family_then_by_bytes() {
        let mut columns = Columns::default();
        let (b, a, other) =
            (columns.number(0, b"b", 0), columns.number(0, b"a", 0), columns.number(1, b"", 0));
        assert_eq!(columns.compare(a, b), Ordering::Less);
        assert_eq!(columns.compare(b, other), Ordering::Less);
        assert_eq!(columns.compare(b, b), Ordering::Equal);
        columns.rank();
        let between = columns.number(0, b"aa", 0);
        assert_eq!(
            (columns.compare(a, b), columns.compare(a, between)),
            (Ordering::Less, Ordering::Less),
            "ranked or not"
        );
        columns.rank();
        assert_eq!(
            (columns.compare(b, between), columns.compare(b, other)),
            (Ordering::Greater, Ordering::Less)
        );
    }
}
