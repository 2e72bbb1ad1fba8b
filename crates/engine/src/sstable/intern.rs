//! Byte strings numbered in the order in which they were added, and a record of hashes that were
//! seen.

use alloc::vec::Vec;

/// Numbers distinct byte strings: the basis of a dictionary that is being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Interner {
    bytes: Vec<u8>,
    /// The end of each string in `bytes`.
    ends: Vec<u32>,
    /// Open-addressed slots of a hash, and a number plus 1; 0 is free. Their count is a power of
    /// two, and at most half are used.
    slots: Vec<(u32, u32)>,
}

impl Interner {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the bytes of all strings together.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    pub fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start as usize..self.ends[number] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|number| self.get(number))
    }

    pub fn clear(&mut self) {
        if !self.ends.is_empty() {
            self.bytes.clear();
            self.ends.clear();
            self.slots.fill((0, 0));
        }
    }

    #[inline]
    pub fn find(&self, hash: u32, bytes: &[u8]) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash as usize & mask;
        loop {
            let (known, number) = self.slots[slot];
            let number = number.checked_sub(1)?;
            if known == hash && self.get(number) == bytes {
                return Some(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds a string, which must not have been added yet.
    pub fn add(&mut self, hash: u32, bytes: &[u8]) -> u32 {
        if self.slots.len() < (self.ends.len() + 1) * 2 {
            self.grow();
        }
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len() as u32);
        let number = self.ends.len() as u32;
        put(&mut self.slots, hash, number);
        number - 1
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        let old = core::mem::replace(&mut self.slots, alloc::vec![(0, 0); size]);
        old.into_iter()
            .filter(|slot| slot.1 != 0)
            .for_each(|(hash, number)| put(&mut self.slots, hash, number));
    }
}

fn put(slots: &mut [(u32, u32)], hash: u32, number: u32) {
    let mask = slots.len() - 1;
    let mut slot = hash as usize & mask;
    while slots[slot].1 != 0 {
        slot = (slot + 1) & mask;
    }
    slots[slot] = (hash, number);
}

/// A record of hashes that were seen; of hashes that share a slot, the latest one. It serves to
/// skip strings that occur only once in a file and are not worth an entry in its dictionary.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenHashes {
    slots: Vec<u32>,
    used: usize,
}

/// The largest number of slots: 512 KiB.
const SEEN_SLOTS_MAX: usize = 1 << 17;

impl SeenHashes {
    /// Returns whether the hash, or another with the same value, was seen before.
    pub fn seen_before(&mut self, hash: u32) -> bool {
        // 0 marks a free slot.
        let hash = hash.max(1);
        if self.used * 2 >= self.slots.len() && self.slots.len() < SEEN_SLOTS_MAX {
            let size = (self.slots.len() * 4).max(1 << 10);
            let old = core::mem::replace(&mut self.slots, alloc::vec![0; size]);
            old.into_iter().for_each(|hash| self.slots[hash as usize & (size - 1)] = hash);
        }
        let mask = self.slots.len() - 1;
        let slot = &mut self.slots[hash as usize & mask];
        self.used += usize::from(*slot == 0);
        core::mem::replace(slot, hash) == hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn each_string_keeps_its_number() {
        let mut interner = Interner::default();
        assert_eq!(interner.find(1, b""), None);
        // Hashes that collide on purpose.
        for i in 0..1_000u32 {
            let text = format!("{i}");
            assert_eq!(interner.find(i % 7, text.as_bytes()), None);
            assert_eq!(interner.add(i % 7, text.as_bytes()), i);
        }
        assert!((0..1_000).all(|i| interner.find(i % 7, format!("{i}").as_bytes()) == Some(i)));
        assert_eq!((interner.get(999), interner.len(), interner.iter().count()), (&b"999"[..], 1_000, 1_000));
        interner.clear();
        assert_eq!((interner.find(0, b"0"), interner.add(0, b"x")), (None, 0));
    }

    #[test]
    fn only_repeated_hashes_were_seen() {
        let mut seen = SeenHashes::default();
        let hash = |i: u32| xxhash_rust::xxh3::xxh3_64(&i.to_le_bytes()) as u32;
        assert!((0..100).all(|i| !seen.seen_before(hash(i))));
        assert!((0..100).filter(|&i| seen.seen_before(hash(i))).count() > 80);
        assert!(!seen.seen_before(0) && seen.seen_before(0));
    }
}
