//! The deletes of one row. A run's tombstones hide cells of OLDER runs only: a memtable applies a
//! delete to its own cells immediately, so no cell needs a sequence number.

use alloc::vec::Vec;

use tabletop_model::Timestamp;
use tabletop_model::order::sorted;

use crate::columns::FamilyId;

/// Everything that one run deletes in one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tombstones {
    /// Whether the whole row is deleted; the lists are then empty.
    pub row: bool,
    /// Whole families, in ascending order.
    pub families: Vec<FamilyId>,
    /// Parts of columns, ordered by (family, qualifier, start). Ranges of one column neither
    /// overlap nor touch.
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
        let after = self.columns.partition_point(|t| {
            (t.family, t.qualifier.as_slice(), t.start) <= (family, qualifier, timestamp)
        });
        after > 0 && {
            let last = &self.columns[after - 1];
            last.family == family && last.qualifier == qualifier && timestamp < last.end
        }
    }

    /// Adds the deletes of the same row in another run.
    pub fn add(&mut self, other: &Tombstones) {
        if self.row || other.row {
            *self = Tombstones { row: true, ..Tombstones::default() };
            return;
        }
        for family in &other.families {
            if let Err(at) = self.families.binary_search(family) {
                self.families.insert(at, *family);
            }
        }
        let mut columns = core::mem::take(&mut self.columns);
        columns.extend_from_slice(&other.columns);
        columns.retain(|column| self.families.binary_search(&column.family).is_err());
        self.columns = sorted(columns, ColumnTombstone::cmp);
        // Ranges of one column that overlap or touch become one.
        self.columns.dedup_by(|next, last| {
            let joins =
                (next.family, &next.qualifier) == (last.family, &last.qualifier) && next.start <= last.end;
            if joins {
                last.end = last.end.max(next.end);
            }
            joins
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(qualifier: u8, start: i64, end: i64) -> Tombstones {
        let column = ColumnTombstone { family: 0, qualifier: alloc::vec![qualifier], start, end };
        Tombstones { columns: alloc::vec![column], ..Tombstones::default() }
    }

    proptest! {
        #[test]
        fn ranges_hide_what_any_of_them_covers(ranges in prop::collection::vec((0u8..3, 0i64..12, 1i64..5), 0..12)) {
            let mut tombstones = Tombstones::default();
            for &(qualifier, start, length) in &ranges {
                tombstones.add(&column(qualifier, start, start + length));
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
        tombstones.add(&column(1, 0, Timestamp::MAX));
        tombstones.add(&Tombstones { families: alloc::vec![0], ..Tombstones::default() });
        assert!(
            tombstones.columns.is_empty() && tombstones.hides(0, b"x", 5) && !tombstones.hides(1, b"x", 5)
        );
        tombstones.add(&Tombstones { row: true, ..Tombstones::default() });
        assert!(tombstones.families.is_empty() && tombstones.hides(1, b"x", 5));
    }
}
