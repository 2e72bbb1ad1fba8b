//! Which row keys an SSTable certainly does not hold.

use alloc::vec;
use alloc::vec::Vec;

/// Bits for each key; with [`PROBES`] about 1 absent key in 100 is not ruled out.
const BITS_PER_KEY: usize = 10;
const PROBES: u32 = 7;

/// The filter's bytes for keys of these hashes (xxh3-64).
pub(crate) fn build(hashes: &[u64]) -> Vec<u8> {
    let mut bits = vec![0u8; (hashes.len() * BITS_PER_KEY).div_ceil(8)];
    for &hash in hashes {
        for bit in probes(hash, bits.len()) {
            bits[bit / 8] |= 1 << (bit % 8);
        }
    }
    bits
}

/// Whether a key of this hash may be in it.
pub(crate) fn may_hold(bits: &[u8], hash: u64) -> bool {
    probes(hash, bits.len()).all(|bit| bits[bit / 8] & (1 << (bit % 8)) != 0)
}

/// Double hashing: the two halves of one hash stand for many independent ones (Kirsch and Mitzenmacher, 2006).
fn probes(hash: u64, bytes: usize) -> impl Iterator<Item = usize> {
    let (first, step) = (hash as u32, (hash >> 32) as u32 | 1);
    let bits = bytes as u64 * 8;
    let count = if bytes == 0 { 0 } else { PROBES };
    (0..count).map(move |i| {
        let probe = first.wrapping_add(step.wrapping_mul(i));
        // A product instead of a remainder: the same even spread, without a division.
        ((u64::from(probe) * bits) >> 32) as usize
    })
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
        assert!(wrong < 1_500, "{wrong} of 100,000 absent keys not ruled out");
        assert!(may_hold(&build(&[]), 5), "an empty filter rules nothing out");
    }
}
