//! A Bloom filter: the row keys that an SSTable certainly does not have. All bits of a key are in
//! one cache line.

use alloc::vec;
use alloc::vec::Vec;

/// Bits per key. With [`PROBES`], about 1 in 80 absent keys is not ruled out.
const BITS_PER_KEY: usize = 10;
const PROBES: u32 = 6;
const LINE_BYTES: usize = 64;
/// The number of bits in the index of a bit within a line.
const LINE_BITS: u32 = 9;

/// Returns the filter's bytes for keys with these hashes (xxh3-64).
pub(crate) fn build(hashes: &[u64]) -> Vec<u8> {
    let mut bits = vec![0u8; (hashes.len() * BITS_PER_KEY).div_ceil(LINE_BYTES * 8) * LINE_BYTES];
    for &hash in hashes {
        let line = line(hash, bits.len());
        let line = &mut bits[line..][..LINE_BYTES];
        probes(hash).for_each(|bit| line[bit / 8] |= 1 << (bit % 8));
    }
    bits
}

/// Returns whether a key with this hash may be in the filter.
pub(crate) fn may_hold(bits: &[u8], hash: u64) -> bool {
    let Some(line) = bits.get(line(hash, bits.len())..).and_then(|rest| rest.first_chunk::<LINE_BYTES>())
    else {
        return true;
    };
    probes(hash).all(|bit| line[bit / 8] & (1 << (bit % 8)) != 0)
}

/// Returns where a hash's line begins. A product instead of a remainder gives the same even spread
/// without a division.
fn line(hash: u64, bytes: usize) -> usize {
    let lines = (bytes / LINE_BYTES) as u64;
    (((hash >> 32) * lines) >> 32) as usize * LINE_BYTES
}

/// Returns the indices of the hash's bits in its line, from bits of the hash that do not select the
/// line.
fn probes(hash: u64) -> impl Iterator<Item = usize> {
    let mixed = (hash & 0xffff_ffff).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..PROBES).map(move |i| (mixed >> (64 - LINE_BITS - LINE_BITS * i)) as usize & (LINE_BYTES * 8 - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh3::xxh3_64;

    #[test]
    fn rules_out_most_absent_keys_and_no_present_one() {
        let hash = |i: u32| xxh3_64(&i.to_le_bytes());
        let present: Vec<u64> = (0..10_000).map(hash).collect();
        let bits = build(&present);
        assert!(present.iter().all(|&hash| may_hold(&bits, hash)));
        let wrong = (10_000..110_000).filter(|&i| may_hold(&bits, hash(i))).count();
        assert!(wrong < 1_800, "{wrong} of 100,000 absent keys not ruled out");
        assert!(may_hold(&build(&[]), 5), "an empty filter rules nothing out");
    }
}
