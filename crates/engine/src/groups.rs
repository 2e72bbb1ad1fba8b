//! Locality groups: families that are stored together, apart from those of other groups, so that a read opens the SSTables of the
//! groups only that it needs.
//!
//! The group of a family is chosen when the family is created and never changes, so an SSTable of a group has cells of that
//! group's families only, and deletes that hide no others.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use tabletop_model::ColumnFamily;

use crate::columns::FamilyId;
use crate::tombstones::Tombstones;

/// The groups of a table's families.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// Of each family by number; `None` where one was dropped.
    of: Vec<Option<u8>>,
    /// Those that families are in, ascending.
    used: Vec<u8>,
}

impl Groups {
    pub fn new(families: &[Option<ColumnFamily>]) -> Groups {
        let of: Vec<_> = families.iter().map(|family| family.as_ref().map(|family| family.locality_group)).collect();
        let mut used: Vec<u8> = Vec::new();
        for &group in of.iter().flatten() {
            if let Err(at) = used.binary_search(&group) {
                used.insert(at, group);
            }
        }
        Groups { of, used }
    }

    /// Those that families are in, ascending; of a table without families the first there is.
    pub fn used(&self) -> &[u8] {
        if self.used.is_empty() { &[0] } else { &self.used }
    }

    /// Whether there is anything to tell apart.
    pub fn are_several(&self) -> bool {
        self.used.len() > 1
    }

    /// Whether cells of a family go into the SSTables of a group. Those of a family that was dropped go with any, or into none.
    pub fn holds(&self, group: u8, family: FamilyId) -> bool {
        !self.are_several() || self.of.get(usize::from(family)) == Some(&Some(group))
    }

    /// What deletes of a row hide in the SSTables of a group. Compaction makes a group's deletes as new as the newest cells they
    /// lie with, so they may hide nothing of other groups: where there are several, a row is deleted by its families.
    pub fn part<'a>(&self, group: u8, tombstones: &'a Tombstones) -> Cow<'a, Tombstones> {
        if !self.are_several() {
            return Cow::Borrowed(tombstones);
        }
        let hides = |family: FamilyId| tombstones.row || tombstones.families.binary_search(&family).is_ok();
        let all = 0..self.of.len() as FamilyId;
        Cow::Owned(Tombstones {
            row: false,
            families: all.filter(|&family| self.holds(group, family) && hides(family)).collect(),
            columns: tombstones.columns.iter().filter(|column| self.holds(group, column.family)).cloned().collect(),
        })
    }

    /// The groups of families of which something is needed; `None` for all, if there are none to be told apart.
    pub fn needed(&self, needs: impl Fn(FamilyId) -> bool) -> Option<Vec<u8>> {
        if !self.are_several() {
            return None;
        }
        let needs = |group: &u8| (0..self.of.len() as FamilyId).any(|family| self.holds(*group, family) && needs(family));
        Some(self.used.iter().copied().filter(needs).collect())
    }
}
