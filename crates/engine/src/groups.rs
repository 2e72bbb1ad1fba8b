//! Locality groups: families that are stored together, in SSTables separate from the other groups',
//! so that a read opens only the SSTables of the groups it needs.
//!
//! The group of a family is chosen when the family is created and never changes. An SSTable of a
//! group therefore has only cells of that group's families, and its deletes hide cells of no other
//! group.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use tabletop_model::ColumnFamily;

use crate::columns::FamilyId;
use crate::tombstones::Tombstones;

/// The groups of a table's families.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// The group of each family by number; `None` for a dropped family.
    of: Vec<Option<u8>>,
    /// The groups that have families, in ascending order.
    used: Vec<u8>,
}

impl Groups {
    pub fn new(families: &[Option<ColumnFamily>]) -> Groups {
        let of: Vec<_> =
            families.iter().map(|family| family.as_ref().map(|family| family.locality_group)).collect();
        let mut used: Vec<u8> = Vec::new();
        for &group in of.iter().flatten() {
            if let Err(at) = used.binary_search(&group) {
                used.insert(at, group);
            }
        }
        Groups { of, used }
    }

    /// Returns the groups that have families, in ascending order; group 0 for a table without
    /// families.
    pub fn used(&self) -> &[u8] {
        if self.used.is_empty() { &[0] } else { &self.used }
    }

    /// Returns whether there are several groups.
    pub fn are_several(&self) -> bool {
        self.used.len() > 1
    }

    /// Returns whether cells of a family belong in the SSTables of a group. Cells of a dropped
    /// family may be written to any group, or to none.
    pub fn holds(&self, group: u8, family: FamilyId) -> bool {
        !self.are_several() || self.of.get(usize::from(family)) == Some(&Some(group))
    }

    /// Returns what the deletes of a row hide in the SSTables of a group. Compaction makes a
    /// group's deletes as new as the newest cells that they are stored with, so they must not hide
    /// anything of other groups. With several groups, a row is therefore deleted family by family.
    pub fn part<'a>(&self, group: u8, tombstones: &'a Tombstones) -> Cow<'a, Tombstones> {
        if !self.are_several() {
            return Cow::Borrowed(tombstones);
        }
        let hides = |family: FamilyId| tombstones.row || tombstones.families.binary_search(&family).is_ok();
        Cow::Owned(Tombstones {
            row: false,
            families: self.families().filter(|&family| self.holds(group, family) && hides(family)).collect(),
            columns: tombstones
                .columns
                .iter()
                .filter(|column| self.holds(group, column.family))
                .cloned()
                .collect(),
        })
    }

    /// Returns all families. A table of an earlier release may have 65,536.
    fn families(&self) -> impl Iterator<Item = FamilyId> {
        (0..self.of.len()).map(|family| family as FamilyId)
    }

    /// Returns the groups of the families that are needed, or `None` for all of them if there is
    /// only one group.
    pub fn needed(&self, needs: impl Fn(FamilyId) -> bool) -> Option<Vec<u8>> {
        if !self.are_several() {
            return None;
        }
        let needs = |group: &u8| self.families().any(|family| self.holds(*group, family) && needs(family));
        Some(self.used.iter().copied().filter(needs).collect())
    }
}
