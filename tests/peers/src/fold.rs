//! A checksum that looks at every byte and costs next to nothing: what is measured is the store.

use crate::Visitor;

/// The sum of the bytes as words of eight, and of the length; what is left behind the last is read as one word with bytes before
/// it, for byte by byte it would cost more than the rest. Words of one text may change places unseen.
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
        (None, Some(first), Some(last)) => u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)),
        _ => {
            let [first, middle, last] = [0, rest.len() / 2, rest.len() - 1].map(|at| u64::from(rest[at]));
            first << 16 | middle << 8 | last
        }
    };
    sum.wrapping_add(tail)
}

/// Folds keys, columns, times and values in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    /// Rows seen.
    pub rows: u64,
    /// Cells seen.
    pub cells: u64,
    /// Of all bytes.
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
        self.sum = self.sum.rotate_left(5) ^ column.wrapping_add(time as u64).wrapping_add(fold(value).rotate_left(32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_is_overlooked() {
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
