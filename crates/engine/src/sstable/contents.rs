//! Counts of what an SSTable or a memtable has, from which garbage is estimated.
//!
//! ```text
//! contents = row_deletes column_deletes family_count (family cells surplus versions_max oldest newest)*
//! ```
//! Times are zigzag, in microseconds.

use alloc::vec::Vec;

use tabletop_model::{SortedMap, Timestamp};

use crate::codec::{Damage, Decoder, put_varint, unzigzag, zigzag};
use crate::columns::FamilyId;
use crate::tombstones::Tombstones;

/// The counts of an SSTable or a memtable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Rows that are deleted in older runs, entirely or by family.
    pub row_deletes: u64,
    /// Parts of columns that are deleted in older runs.
    pub column_deletes: u64,
    /// Counts by family; families without cells are left out.
    pub families: SortedMap<FamilyId, FamilyContents>,
}

/// The counts of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FamilyContents {
    /// At least 1.
    pub cells: u64,
    /// The cells that have a newer version in this file or memtable.
    pub surplus: u64,
    /// The largest number of versions of a column in this file or memtable.
    pub versions_max: u64,
    pub oldest: Timestamp,
    pub newest: Timestamp,
}

impl Default for FamilyContents {
    fn default() -> Self {
        FamilyContents {
            cells: 0,
            surplus: 0,
            versions_max: 0,
            oldest: Timestamp::MAX,
            newest: Timestamp::MIN,
        }
    }
}

impl Contents {
    /// Returns the number of cells.
    pub fn cells(&self) -> u64 {
        self.families.values().map(|family| family.cells).sum()
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for number in [self.row_deletes, self.column_deletes, self.families.len() as u64] {
            put_varint(&mut out, number);
        }
        for (family, FamilyContents { cells, surplus, versions_max, oldest, newest }) in &self.families {
            for number in
                [(*family).into(), *cells, *surplus, *versions_max, zigzag(*oldest), zigzag(*newest)]
            {
                put_varint(&mut out, number);
            }
        }
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Contents, Damage> {
        let mut decoder = Decoder::new(bytes);
        let (row_deletes, column_deletes) = (decoder.varint()?, decoder.varint()?);
        let mut families = SortedMap::new();
        for _ in 0..decoder.count(6)? {
            let at = decoder.at;
            let family = decoder.varint()?;
            let family =
                FamilyId::try_from(family).map_err(|_| Damage::new(at, family, "the number of a family"))?;
            let [cells, surplus, versions_max] = [decoder.varint()?, decoder.varint()?, decoder.varint()?];
            let [oldest, newest] = [decoder.varint()?, decoder.varint()?].map(unzigzag);
            families.insert(family, FamilyContents { cells, surplus, versions_max, oldest, newest });
        }
        if !decoder.is_at_end() {
            return Err(Damage::new(decoder.at, "more bytes", "the end of the counts"));
        }
        Ok(Contents { row_deletes, column_deletes, families })
    }
}

/// Counts cells, which must be passed in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter {
    pub contents: Contents,
    family: Option<FamilyId>,
    /// The counts of `family` since the last cell of another family.
    counts: FamilyContents,
    versions: u64,
}

impl Counter {
    /// Counts what a row deletes in older runs.
    pub fn tombstones(&mut self, tombstones: &Tombstones) {
        self.contents.row_deletes += u64::from(tombstones.row || !tombstones.families.is_empty());
        self.contents.column_deletes += tombstones.columns.len() as u64;
    }

    /// Counts a cell. `is_older_version` says whether the cell before it has the same row and
    /// column.
    #[inline]
    pub fn cell(&mut self, family: FamilyId, is_older_version: bool, timestamp: Timestamp) {
        if self.family != Some(family) {
            self.change_family(Some(family));
        }
        self.versions = if is_older_version { self.versions + 1 } else { 1 };
        let counts = &mut self.counts;
        counts.cells += 1;
        counts.surplus += u64::from(is_older_version);
        counts.versions_max = counts.versions_max.max(self.versions);
        (counts.oldest, counts.newest) = (counts.oldest.min(timestamp), counts.newest.max(timestamp));
    }

    pub fn finish(mut self) -> Contents {
        self.change_family(None);
        self.contents
    }

    fn change_family(&mut self, family: Option<FamilyId>) {
        let new = core::mem::take(&mut self.counts);
        if let Some(before) = core::mem::replace(&mut self.family, family) {
            let sum = self.contents.families.get_or_default(before);
            sum.cells += new.cells;
            sum.surplus += new.surplus;
            sum.versions_max = sum.versions_max.max(new.versions_max);
            (sum.oldest, sum.newest) = (sum.oldest.min(new.oldest), sum.newest.max(new.newest));
        }
    }
}
