//! The order of the cells of a row.

use core::cmp::Ordering;

use tabletop_model::Timestamp;

use crate::columns::FamilyId;

/// The position of a cell in its row: families in the order of their creation, then qualifiers by
/// bytes, then newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellKey<'a> {
    pub family: FamilyId,
    pub qualifier: &'a [u8],
    pub timestamp: Timestamp,
}

impl<'a> CellKey<'a> {
    pub fn new((family, qualifier): (FamilyId, &'a [u8]), timestamp: Timestamp) -> CellKey<'a> {
        CellKey { family, qualifier, timestamp }
    }

    pub fn column(&self) -> (FamilyId, &'a [u8]) {
        (self.family, self.qualifier)
    }
}

impl Ord for CellKey<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.column().cmp(&other.column()).then(other.timestamp.cmp(&self.timestamp))
    }
}

impl PartialOrd for CellKey<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
