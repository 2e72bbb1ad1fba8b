//! Ranges of rows and of time.

use alloc::vec::Vec;
use core::ops::Bound;

use serde::{Deserialize, Serialize};

use crate::{RowKey, Timestamp};

/// Row keys between two bounds, in byte order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowRange {
    /// The lower bound.
    pub start: Bound<RowKey>,
    /// The upper bound.
    pub end: Bound<RowKey>,
}

/// A set of row keys and ranges. Without keys and ranges it is the whole table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowSet {
    /// Single rows, in any order, repeated or not.
    pub keys: Vec<RowKey>,
    /// Ranges, in any order, overlapping or not.
    pub ranges: Vec<RowRange>,
}

/// Times `[start, end)` in microseconds; an end of 0 means no end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimestampRange {
    /// The start, inclusive.
    pub start: Timestamp,
    /// The end, exclusive; 0 for no end.
    pub end: Timestamp,
}

impl RowRange {
    /// All rows.
    pub const ALL: RowRange = RowRange { start: Bound::Unbounded, end: Bound::Unbounded };

    /// Returns the range of rows `[start, end)`.
    pub fn closed_open(start: impl Into<RowKey>, end: impl Into<RowKey>) -> Self {
        RowRange { start: Bound::Included(start.into()), end: Bound::Excluded(end.into()) }
    }

    /// Returns the range of rows whose key begins with `prefix`. The end is the prefix up to its
    /// last byte that is not 0xff, with that byte incremented. A prefix that consists of 0xff bytes
    /// has no end.
    pub fn prefix(prefix: impl Into<RowKey>) -> Self {
        let start: RowKey = prefix.into();
        if start.is_empty() {
            return RowRange::ALL;
        }
        let mut end = start.clone();
        while end.last() == Some(&0xff) {
            end.pop();
        }
        let end = match end.last_mut() {
            Some(last) => {
                *last += 1;
                Bound::Excluded(end)
            }
            None => Bound::Unbounded,
        };
        RowRange { start: Bound::Included(start), end }
    }

    /// Returns the first key that can be in the range, and the first key after it, if the range has
    /// an end. (An empty end means no end.)
    pub fn ends(&self) -> (RowKey, Option<RowKey>) {
        let after = |key: &RowKey| RowKey::from([key.as_slice(), &[0]].concat());
        let start = match &self.start {
            Bound::Included(key) => key.clone(),
            Bound::Excluded(key) => after(key),
            Bound::Unbounded => RowKey::default(),
        };
        let end = match &self.end {
            Bound::Included(key) | Bound::Excluded(key) if key.is_empty() => None,
            Bound::Included(key) => Some(after(key)),
            Bound::Excluded(key) => Some(key.clone()),
            Bound::Unbounded => None,
        };
        (start, end)
    }

    /// Returns whether `key` is within the bounds.
    pub fn contains(&self, key: &[u8]) -> bool {
        let after_start = match &self.start {
            Bound::Included(start) => key >= start.as_slice(),
            Bound::Excluded(start) => key > start.as_slice(),
            Bound::Unbounded => true,
        };
        let before_end = match &self.end {
            Bound::Included(end) => key <= end.as_slice(),
            Bound::Excluded(end) => key < end.as_slice(),
            Bound::Unbounded => true,
        };
        after_start && before_end
    }
}

impl RowSet {
    /// Returns the set of all rows.
    pub fn all() -> Self {
        RowSet::default()
    }

    /// Returns a set of one range.
    pub fn range(range: RowRange) -> Self {
        RowSet { keys: Vec::new(), ranges: alloc::vec![range] }
    }

    /// Returns whether the set is the whole table.
    pub fn is_all(&self) -> bool {
        self.keys.is_empty() && self.ranges.is_empty()
    }
}

impl TimestampRange {
    /// All of time.
    pub const ALL: TimestampRange = TimestampRange { start: 0, end: 0 };

    /// Returns whether `timestamp` is in `[start, end)`.
    pub fn contains(&self, timestamp: Timestamp) -> bool {
        timestamp >= self.start && (self.end == 0 || timestamp < self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_the_next_one() {
        assert_eq!(RowRange::prefix("ab"), RowRange::closed_open("ab", "ac"));
        assert_eq!(RowRange::prefix(&[b'a', 0xff]), RowRange::closed_open(&[b'a', 0xff], "b"));
        assert_eq!(RowRange::prefix(&[0xff, 0xff]).end, Bound::Unbounded);
        assert_eq!(RowRange::prefix(""), RowRange::ALL);
    }

    #[test]
    fn ranges_contain_the_keys_within_their_bounds() {
        let range = RowRange { start: Bound::Excluded("b".into()), end: Bound::Included("d".into()) };
        assert!(
            !range.contains(b"b")
                && range.contains(b"b\0")
                && range.contains(b"d")
                && !range.contains(b"d\0")
        );
    }
}
