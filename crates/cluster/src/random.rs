//! Numbers that look random, from a seed.

/// A generator (SplitMix64): the same seed gives the same numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub u64);

impl Random {
    /// Returns the next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Returns a number below `n`, which is above 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// Returns a number each bit of which depends on all bits of `n`.
pub(crate) fn mix(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}
