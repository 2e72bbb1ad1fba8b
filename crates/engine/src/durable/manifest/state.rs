//! The state that the facts of a manifest add up to.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{SortedMap, TabletId, Timestamp};

use super::fact::{Fact, SegmentFact, Spec, TabletFact};
use crate::codec::Damage;
use crate::log::LogPlace;
use crate::storage::FileId;

/// The state that all facts of a manifest add up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ManifestState {
    pub generation: u64,
    pub name: String,
    pub spec: Spec,
    pub tablets: SortedMap<TabletId, TabletFact>,
    pub segments: SortedMap<u64, SegmentFact>,
    /// The highest segment number that was named.
    named_segment: u64,
    pub counters: Vec<u64>,
    pub is_deleted: bool,
    /// The name of the backup and the time it was made, if this manifest is a backup.
    pub backup: Option<(String, Timestamp)>,
    /// Tables whose files this table has shared since its creation.
    pub shares: Vec<u64>,
}

impl ManifestState {
    pub fn add(&mut self, fact: Fact) {
        match fact {
            Fact::Table { generation, name } => (self.generation, self.name) = (generation, name),
            Fact::Spec(spec) => self.spec = spec,
            Fact::TabletGone(id) => drop(self.tablets.remove(&id)),
            Fact::Tablet(tablet) => drop(self.tablets.insert(tablet.id, tablet)),
            Fact::Segment(number, segment) => {
                self.named_segment = self.named_segment.max(number);
                self.segments.insert(number, segment);
            }
            Fact::SegmentGone(number) => {
                self.named_segment = self.named_segment.max(number);
                self.segments.remove(&number);
            }
            Fact::Counters(counters) => self.counters = counters,
            Fact::Deleted => self.is_deleted = true,
            Fact::Present => self.is_deleted = false,
            Fact::Backup(name, at) => self.backup = Some((name, at)),
            Fact::Shares(uids) => self.shares = uids,
        }
    }

    /// Returns the highest number of any segment that was ever in the log.
    pub fn last_segment(&self) -> u64 {
        // A mark at the beginning of a segment is set before that segment exists.
        let number =
            |mark: LogPlace| if mark.offset > 0 { mark.segment } else { mark.segment.saturating_sub(1) };
        self.tablets.values().map(|tablet| number(tablet.log_mark)).fold(self.named_segment, u64::max)
    }

    /// Returns the tablets in key order.
    pub fn tablets_in_order(&self) -> Vec<&TabletFact> {
        tabletop_model::order::sorted(self.tablets.values().collect(), |a, b| {
            a.range.start.cmp(&b.range.start)
        })
    }

    /// Returns the files that the state names, some of them several times.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        let runs = self.tablets.values().flat_map(|tablet| tablet.runs.iter().map(|run| run.file));
        runs.chain(self.segments.values().map(|segment| segment.file))
    }

    /// Checks that the tablets cover every key exactly once.
    pub fn check(&self) -> Result<(), Damage> {
        #[cfg(test)]
        CHECKS.set(CHECKS.get() + 1);
        let mut start: Option<&[u8]> = Some(&[]);
        for tablet in self.tablets_in_order() {
            if start != Some(&tablet.range.start) || tablet.range.is_empty() {
                let expected = "tablets that follow each other without gaps";
                return Err(Damage::new(0, format!("tablet {} out of place", tablet.id.0), expected));
            }
            start = tablet.range.end.as_deref();
        }
        match start {
            None => Ok(()),
            Some(_) if self.is_deleted => Ok(()),
            Some(_) => Err(Damage::new(0, "no last tablet", "tablets up to the end of the table")),
        }
    }
}

#[cfg(test)]
std::thread_local! {
    /// The number of checks on this thread.
    pub(super) static CHECKS: core::cell::Cell<u32> = const { core::cell::Cell::new(0) };
}
