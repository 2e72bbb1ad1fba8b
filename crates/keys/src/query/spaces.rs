//! The spaces of a template's keys.

use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{RowKey, RowRange};

use crate::Template;
use crate::salt::{PartSalt, salt_of};
use crate::template::Side;

/// A salt; `None` for keys without one.
pub type Space = Option<u32>;

impl Template {
    /// Returns the salt of a row with this logical key; `None` if the key does not determine it.
    pub(super) fn salt_of_key(&self, logical: &[u8]) -> Option<u32> {
        let (buckets, over) = self.salt_parts()?;
        if over.is_empty() {
            return Some(salt_of(logical, buckets));
        }
        let physical = self.with_prefix(Some(0), logical);
        let borders = self.borders(&physical);
        let mut salt = PartSalt::new();
        for &part in over {
            salt.add(&physical[borders[part]?..borders[part + 1]?]);
        }
        Some(salt.salt(buckets))
    }

    /// Returns the spaces with rows of one side of the cut-over, under one salt; `None` means any
    /// salt or side.
    pub(super) fn spaces(&self, salt: Option<u32>, side: Option<Side>) -> Vec<Space> {
        if self.salt_parts().is_none() {
            return alloc::vec![None];
        }
        let salts = match salt {
            _ if side == Some(Side::Before) => 0..0,
            Some(salt) => salt..salt + 1,
            None => 0..self.salts(),
        };
        let unsalted = (self.cut_over().is_some() && side != Some(Side::After)).then_some(None);
        salts.map(Some).chain(unsalted).collect()
    }

    /// Returns the index of a space in the list of all spaces.
    pub(super) fn index_of(&self, space: Space) -> usize {
        space.unwrap_or(self.scan_reads() - 1) as usize
    }

    /// Returns a logical key with the bytes that precede it in a space.
    fn with_prefix(&self, space: Space, logical: &[u8]) -> RowKey {
        let mut key = Vec::with_capacity(logical.len() + 4);
        if let Some(salt) = space {
            self.push_salt_prefix(salt, &mut key);
        }
        key.extend_from_slice(logical);
        RowKey::from(key)
    }

    /// Returns the row key of a logical key in a space. `None` for a key before the cut-over that
    /// looks like a salted key: such a key is never written.
    pub(super) fn key_in(&self, space: Space, logical: &[u8]) -> Option<RowKey> {
        let key = self.with_prefix(space, logical);
        (space.is_some() || self.cut_over().is_none() || self.is_unsalted(&key)).then_some(key)
    }

    /// Returns the ranges of row keys in a space that a range of logical keys consists of: one, or
    /// several with gaps for the salted keys. Adds the number of gaps to `gaps`.
    pub(super) fn ranges_in(&self, space: Space, range: &RowRange, gaps: &mut u32) -> Vec<RowRange> {
        if space.is_none() {
            let ranges = if self.cut_over().is_some() {
                self.without_salted(range)
            } else {
                alloc::vec![range.clone()]
            };
            *gaps += ranges.len().saturating_sub(1) as u32;
            return ranges;
        }
        let all = RowRange::prefix(self.with_prefix(space, &[]));
        let bound = |bound: &Bound<RowKey>, open: Bound<RowKey>| match bound {
            Bound::Included(key) => Bound::Included(self.with_prefix(space, key)),
            Bound::Excluded(key) => Bound::Excluded(self.with_prefix(space, key)),
            Bound::Unbounded => open,
        };
        // An empty end means the end of the table, as in the protos. With a salt before it, it
        // would mean the beginning of the salt's keys.
        let end = match &range.end {
            Bound::Included(key) | Bound::Excluded(key) if key.is_empty() => all.end,
            end => bound(end, all.end),
        };
        alloc::vec![RowRange { start: bound(&range.start, all.start), end }]
    }

    /// Returns a range of row keys, without the keys that look like salted ones.
    fn without_salted(&self, range: &RowRange) -> Vec<RowRange> {
        let (mut start, end) = range.ends();
        let mut pieces = Vec::new();
        // Cut the salted keys out of the range, in ascending order. Example: with two salts and `-`
        // after them, everything before `2` becomes [`` to `0-`), [`0.` to `1-`) and [`1.` to `2`),
        // because `.` follows `-` in ASCII.
        for salt in 0..self.salts() {
            let (low, high) = RowRange::prefix(self.with_prefix(Some(salt), &[])).ends();
            let Some(high) = high.filter(|high| *high > start) else { continue };
            if end.as_ref().is_some_and(|end| *end <= low) {
                break;
            }
            if start < low {
                pieces.push(RowRange { start: start_at(start), end: Bound::Excluded(low) });
            }
            start = high;
        }
        if pieces.is_empty() && (&start, &end) == (&range.ends().0, &range.ends().1) {
            return alloc::vec![range.clone()];
        }
        if end.as_ref().is_none_or(|end| start < *end) {
            pieces.push(RowRange {
                start: start_at(start),
                end: end.map_or(Bound::Unbounded, Bound::Excluded),
            });
        }
        pieces
    }
}

fn start_at(start: RowKey) -> Bound<RowKey> {
    if start.is_empty() { Bound::Unbounded } else { Bound::Included(start) }
}
