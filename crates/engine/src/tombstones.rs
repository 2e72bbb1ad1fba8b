//! The deletes of one row. A run's tombstones hide cells of OLDER runs only: a memtable applies a delete to its own cells
//! immediately, so no cell needs a sequence number.

use alloc::vec::Vec;

use tabletop_model::Timestamp;

use crate::columns::FamilyId;

/// Everything that one run deletes in one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tombstones {
    /// The whole row; then the lists are empty.
    pub row: bool,
    /// Whole families, in ascending order.
    pub families: Vec<FamilyId>,
    /// Parts of columns by (family, qualifier, start); ranges of one column neither overlap nor touch.
    pub columns: Vec<ColumnTombstone>,
}

/// Versions `[start, end)` of one column.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ColumnTombstone {
    pub family: FamilyId,
    pub qualifier: Vec<u8>,
    pub start: Timestamp,
    /// `Timestamp::MAX` means no end.
    pub end: Timestamp,
}

impl Tombstones {
    pub fn is_empty(&self) -> bool {
        !self.row && self.families.is_empty() && self.columns.is_empty()
    }

    pub fn hides(&self, family: FamilyId, qualifier: &[u8], timestamp: Timestamp) -> bool {
        if self.row || self.families.binary_search(&family).is_ok() {
            return true;
        }
        let after =
            self.columns.partition_point(|t| (t.family, t.qualifier.as_slice(), t.start) <= (family, qualifier, timestamp));
        after > 0 && {
            let last = &self.columns[after - 1];
            last.family == family && last.qualifier == qualifier && timestamp < last.end
        }
    }

    pub fn delete_row(&mut self) {
        *self = Tombstones { row: true, ..Tombstones::default() };
    }

    pub fn delete_family(&mut self, family: FamilyId) {
        if self.row {
            return;
        }
        if let Err(at) = self.families.binary_search(&family) {
            self.families.insert(at, family);
            self.columns.retain(|t| t.family != family);
        }
    }

    pub fn delete_column(&mut self, new: ColumnTombstone) {
        if self.row || self.families.binary_search(&new.family).is_ok() {
            return;
        }
        let same_column = |t: &ColumnTombstone| t.family == new.family && t.qualifier == new.qualifier;
        // Ranges that the new one overlaps or touches are merged into it.
        let first = self.columns.partition_point(|t| {
            (t.family, &t.qualifier) < (new.family, &new.qualifier) || (same_column(t) && t.end < new.start)
        });
        let count = self.columns[first..].iter().take_while(|t| same_column(t) && t.start <= new.end).count();
        let joined = &self.columns[first..first + count];
        let start = joined.first().map_or(new.start, |t| t.start.min(new.start));
        let end = joined.last().map_or(new.end, |t| t.end.max(new.end));
        self.columns.splice(first..first + count, [ColumnTombstone { start, end, ..new }]);
    }

    /// Adds the deletes of the same row in an older run.
    pub fn add_older(&mut self, older: &Tombstones) {
        if older.row {
            self.delete_row();
        }
        older.families.iter().for_each(|&family| self.delete_family(family));
        older.columns.iter().for_each(|column| self.delete_column(column.clone()));
    }

    /// Returns the approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.families.len() * 2 + self.columns.iter().map(|t| t.qualifier.len() + 16).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(qualifier: u8, start: i64, end: i64) -> ColumnTombstone {
        ColumnTombstone { family: 0, qualifier: alloc::vec![qualifier], start, end }
    }

    proptest! {
        #[test]
        fn ranges_hide_what_any_of_them_covers(ranges in prop::collection::vec((0u8..3, 0i64..12, 1i64..5), 0..12)) {
            let mut tombstones = Tombstones::default();
            for &(qualifier, start, length) in &ranges {
                tombstones.delete_column(column(qualifier, start, start + length));
            }
            for pair in tombstones.columns.windows(2) {
                prop_assert!(pair[0].qualifier < pair[1].qualifier || pair[0].end < pair[1].start, "{pair:?}");
            }
            for qualifier in 0..3 {
                for time in 0..20 {
                    let expected = ranges.iter().any(|&(q, start, len)| q == qualifier && (start..start + len).contains(&time));
                    prop_assert_eq!(tombstones.hides(0, &[qualifier], time), expected, "{} at {}", qualifier, time);
                }
            }
        }
    }

    #[test]
    fn wider_deletes_swallow_narrower_ones() {
        let mut tombstones = Tombstones::default();
        tombstones.delete_column(column(1, 0, Timestamp::MAX));
        tombstones.delete_family(0);
        assert!(tombstones.columns.is_empty() && tombstones.hides(0, b"x", 5) && !tombstones.hides(1, b"x", 5));
        tombstones.delete_row();
        assert!(tombstones.families.is_empty() && tombstones.hides(1, b"x", 5));
    }
}
