//! The state of a table that reads see after each change.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::Error;

use crate::key_range::KeyRange;
use crate::table::Table;
use crate::table::snapshot::Snapshot;
use crate::table::tablet::{Tablet, TabletData};

impl Table {
    /// Publishes the table as it is now, for reads to see. Every change of anything but the rows of
    /// memtables ends with this.
    pub(crate) fn publish(&mut self) {
        if !core::mem::take(&mut self.is_changed) {
            debug_assert!(self.is_published());
            return;
        }
        let missing = self
            .durable
            .as_ref()
            .and_then(|durable| Some((durable.missing().to_vec(), durable.refusal()?.clone())));
        self.publish_with(missing);
    }

    /// Publishes that the table was deleted.
    pub(crate) fn publish_deleted(&mut self) {
        self.publish_with(Some((
            alloc::vec![KeyRange::all()],
            Error::not_found("the table was deleted during the read"),
        )));
    }

    fn publish_with(&mut self, missing: Option<(Vec<KeyRange>, Error)>) {
        let tablets = self.tablets.iter().map(|tablet| tablet.data.clone()).collect();
        let (families, settings) = (self.families.clone(), self.settings.clone());
        self.unused.replace(self.reading.publish(Snapshot { families, tablets, settings, missing }));
    }

    /// Returns whether reads see the tablets as they are.
    fn is_published(&self) -> bool {
        let seen = self.reading.snapshot();
        let is_seen = |(own, seen): (&Tablet, &Arc<TabletData>)| Arc::ptr_eq(&own.data, seen);
        seen.tablets.len() == self.tablets.len() && self.tablets.iter().zip(&seen.tablets).all(is_seen)
    }
}
