//! A search among ascending keys that are stored in separate places. Most comparisons are of
//! numbers that are adjacent in memory.

use alloc::vec::Vec;

/// Eight bytes of each key, after the prefix common to all. Keys that are equal in these also have
/// eight bytes from after the part that the equal ones share, because keys of one user may share a
/// long prefix.
#[derive(Clone, Debug, Default)]
pub(super) struct Heads {
    common: usize,
    prefixes: Vec<u64>,
    /// One entry per key; empty if no keys are equal in their eight bytes.
    ties: Vec<Tie>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tie {
    common: u32,
    prefix: u64,
}

impl Heads {
    /// Creates the heads of `count` keys.
    pub fn new<'k>(count: usize, key: impl Fn(usize) -> &'k [u8]) -> Heads {
        if count == 0 {
            return Heads::default();
        }
        let common = common_length(key(0), key(count - 1));
        let prefixes = Vec::from_iter((0..count).map(|at| prefix(key(at), common)));
        let mut ties = Vec::new();
        let mut start = 0;
        for equal in prefixes.chunk_by(|a, b| a == b) {
            let end = start + equal.len();
            if equal.len() > 1 {
                ties.resize(count, Tie::default());
                let common = common_length(key(start), key(end - 1));
                for (at, tie) in ties[start..end].iter_mut().enumerate() {
                    *tie = Tie { common: common as u32, prefix: prefix(key(start + at), common) };
                }
            }
            start = end;
        }
        Heads { common, prefixes, ties }
    }

    /// Returns how many of the keys are below `wanted`, or with `or_at`, not above it.
    pub fn below<'k>(&self, wanted: &[u8], or_at: bool, key: impl Fn(usize) -> &'k [u8]) -> usize {
        // Also returns how many bytes the key and `wanted` have in common.
        let compare = |at: usize| {
            let key = key(at);
            let shared = common_length(key, wanted);
            let (key, wanted) = (key.get(shared), wanted.get(shared));
            (shared, key < wanted || or_at && key == wanted)
        };
        let is_below = |at| compare(at).1;
        let count = self.prefixes.len();
        let guess = self.guess(wanted, is_below);
        // The numbers are valid only for a key with the common prefix, so the adjacent keys are
        // compared too.
        let mut shared = 0;
        if let Some(before) = guess.checked_sub(1) {
            let is_right;
            (shared, is_right) = compare(before);
            if !is_right {
                return search(0, before, is_below);
            }
        }
        if guess == count || self.is_above(guess, wanted, shared) || !is_below(guess) {
            return guess;
        }
        search(guess + 1, count, is_below)
    }

    /// Returns how many of the keys are below `wanted`, if `wanted` begins with the prefix that its
    /// neighbours have. Otherwise it returns any number, because the prefix is not checked.
    #[inline]
    fn guess(&self, wanted: &[u8], is_below: impl Fn(usize) -> bool) -> usize {
        let number = prefix(wanted, self.common);
        let mut low = self.prefixes.partition_point(|prefix| *prefix < number);
        let mut high = low + self.prefixes[low..].partition_point(|prefix| *prefix == number);
        if high - low > 1
            && let Some(ties) = self.ties.get(low..high)
        {
            let number = prefix(wanted, ties[0].common as usize);
            high = low + ties.partition_point(|tie| tie.prefix <= number);
            low += ties.partition_point(|tie| tie.prefix < number);
        }
        search(low, high.max(low), is_below)
    }

    /// Returns whether the numbers alone show that the key at `at`, which is not the first, is
    /// above `wanted`, which begins with `shared` bytes of the key before it. The key itself is
    /// then not read.
    #[inline]
    fn is_above(&self, at: usize, wanted: &[u8], shared: usize) -> bool {
        let number = prefix(wanted, self.common);
        if self.prefixes[at] != number {
            return shared >= self.common && self.prefixes[at] > number;
        }
        match self.ties.get(at) {
            Some(tie) if at > 0 && self.prefixes[at - 1] == number && shared >= tie.common as usize => {
                tie.prefix > prefix(wanted, tie.common as usize)
            }
            _ => false,
        }
    }
}

/// Returns the first number of a range for which `is_below` is false. Numbers for which it is true
/// must precede the others.
#[inline]
fn search(mut low: usize, mut high: usize, is_below: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = (low + high) / 2;
        if is_below(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Returns eight bytes of a key as a number that sorts the same way.
#[inline]
fn prefix(key: &[u8], from: usize) -> u64 {
    let rest = key.get(from..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(bytes)
        }
    }
}

/// Returns the length of the common prefix; eight bytes are compared at a time.
#[inline]
pub(super) fn common_length(a: &[u8], b: &[u8]) -> usize {
    let ((a_words, _), (b_words, _)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let equal = a_words.iter().zip(b_words).take_while(|(a, b)| a == b).count() * 8;
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(a, b)| a == b).count()
}
