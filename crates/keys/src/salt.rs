//! The hash of `salt` and `hash`, and a bug in a sample that many users have copied.
//!
//! The hash is XXH64 with seed 0. Every language with a Bigtable client has an implementation of
//! it, so any service can compute the same keys.

use alloc::vec::Vec;

use xxhash_rust::xxh64::{Xxh64, xxh64};

use crate::time::push_digits;

/// The maximum number of buckets of a salt: with more, a scan would become too many requests.
pub const SALT_BUCKETS_MAX: u32 = 1000;

/// Returns the XXH64 of `bytes` with seed 0.
pub fn hash(bytes: &[u8]) -> u64 {
    xxh64(bytes, 0)
}

/// Returns the number of digits that every salt of `buckets` is written with, so that salts sort as
/// numbers.
pub fn salt_width(buckets: u32) -> usize {
    (buckets.max(2) - 1).ilog10() as usize + 1
}

/// Returns the salt of a key with these logical bytes: the remainder of their hash, which is never
/// negative.
pub fn salt_of(bytes: &[u8], buckets: u32) -> u32 {
    remainder(hash(bytes), buckets)
}

/// Appends `salt`, in the width for `buckets`.
pub fn push_salt(out: &mut Vec<u8>, salt: u32, buckets: u32) {
    push_digits(out, i64::from(salt), salt_width(buckets));
}

fn remainder(hash: u64, buckets: u32) -> u32 {
    (hash % u64::from(buckets.max(1))) as u32
}

/// The salt over some parts of a key: the hash of their bytes, with a zero byte after each, so that
/// `ab`,`c` differs from `a`,`bc`.
#[derive(Clone)]
pub struct PartSalt(Xxh64);

impl PartSalt {
    /// Creates a salt without parts.
    pub fn new() -> Self {
        PartSalt(Xxh64::new(0))
    }

    /// Adds the next part.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update(part);
        self.0.update(&[0]);
    }

    /// Returns the salt of the parts so far.
    pub fn salt(&self, buckets: u32) -> u32 {
        remainder(self.0.digest(), buckets)
    }
}

impl Default for PartSalt {
    fn default() -> Self {
        PartSalt::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn the_hash_agrees_with_published_values() {
        assert_eq!(hash(b""), 0xef46_db37_51d8_e999);
        assert_eq!(hash(b"a"), 0xd24e_c4f1_a98c_6e5b);
        assert_eq!(hash(b"abc"), 0x44bc_2cf5_ad77_0999);
    }

    #[test]
    fn every_salt_has_one_width_and_about_its_share() {
        for (buckets, width) in [(2, 1), (10, 1), (11, 2), (16, 2), (100, 2), (101, 3), (1000, 3)] {
            assert_eq!(salt_width(buckets), width);
        }
        let mut counts = [0; 16];
        for n in 0..16_000 {
            counts[salt_of(format!("2019-05-28T00:00:{n:05}").as_bytes(), 16) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn the_boundary_between_parts_changes_the_hash() {
        let salt = |parts: &[&str]| {
            let mut salt = PartSalt::new();
            parts.iter().for_each(|part| salt.add(part.as_bytes()));
            salt.salt(1000)
        };
        assert_ne!(salt(&["ab", "c"]), salt(&["a", "bc"]));
    }

    /// `String.hashCode` of Java, for characters of one byte.
    fn java_hash_code(text: &str) -> i32 {
        text.bytes().fold(0, |hash: i32, byte| hash.wrapping_mul(31).wrapping_add(i32::from(byte)))
    }

    /// Google's Java sample computes `rowKey.hashCode() % saltRange`. Java's remainder has the sign
    /// of the hash, so about three of eight keys get a negative prefix, and its scan, which reads 0
    /// to N-1, never finds them.
    #[test]
    fn a_signed_remainder_loses_rows_and_ours_does_not() {
        assert_eq!(java_hash_code("phone#4c410523#20190501") % 4, 0);
        let keys = (0..10_000)
            .map(|n| format!("phone#{:08x}#201905{:02}", hash(format!("{n}").as_bytes()) as u32, n % 28 + 1));
        let (mut lost_by_java, mut lost_by_us) = (0, 0);
        for key in keys {
            lost_by_java += u32::from(!(0..4).contains(&(java_hash_code(&key) % 4)));
            lost_by_us += u32::from(!(0..4).contains(&salt_of(key.as_bytes(), 4)));
        }
        assert!((3_000..4_500).contains(&lost_by_java), "{lost_by_java}");
        assert_eq!(lost_by_us, 0);
    }
}
