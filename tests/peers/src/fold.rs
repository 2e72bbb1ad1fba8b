//! A checksum that reads every byte and is so cheap that the store dominates the measurement.

use crate::Visitor;

/// Returns the sum of the bytes in words of eight, and of the length. The rest after the last word
/// is read as one word, together with bytes before it, because reading it byte by byte would take
/// longer than all words. The order of a text's words does not change the sum.
#[inline]
pub fn fold(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut sum = bytes.len() as u64;
    for word in words {
        sum = sum.wrapping_add(u64::from_le_bytes(*word));
    }
    if rest.is_empty() {
        return sum;
    }
    let tail = match (bytes.last_chunk::<8>(), rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        (Some(last), ..) => u64::from_le_bytes(*last),
        (None, Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => {
            let [first, middle, last] = [0, rest.len() / 2, rest.len() - 1].map(|at| u64::from(rest[at]));
            first << 16 | middle << 8 | last
        }
    };
    sum.wrapping_add(tail)
}

/// A checksum of keys, columns, times and values, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    /// The number of rows.
    pub rows: u64,
    /// The number of cells.
    pub cells: u64,
    /// The checksum of all bytes.
    pub sum: u64,
}

impl Visitor for Checksum {
    #[inline]
    fn row(&mut self, key: &[u8]) {
        self.rows += 1;
        self.sum = self.sum.rotate_left(5) ^ fold(key);
    }

    #[inline]
    fn cell(&mut self, family: &[u8], qualifier: &[u8], time: i64, value: &[u8]) {
        self.cells += 1;
        let column = fold(family).rotate_left(17) ^ fold(qualifier);
        self.sum = self.sum.rotate_left(5)
            ^ column.wrapping_add(time as u64).wrapping_add(fold(value).rotate_left(32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_changes_the_checksum() {
        for length in 0..40 {
            let bytes = vec![7; length];
            for at in 0..length {
                let mut other = bytes.clone();
                other[at] = 8;
                assert_ne!(fold(&bytes), fold(&other), "byte {at} of {length}");
            }
        }
    }
}
