//! Dropping of row ranges: no deletes are written; the runs are cut around the range.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::{DropRowRange, Error, Result, RowRange, RowSet};

use crate::key_range::{KeyRange, key_ranges};
use crate::log::LogPlace;
use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::run::Run;
use crate::table::tablet::Tablet;

impl Table {
    /// Removes all rows of a range. It takes little time, regardless of their number. Memtables of tablets that keep some rows are
    /// written first: on a full storage, drop all rows, or a range that has whole tablets.
    ///
    /// # Errors
    /// `InvalidArgument` for an empty prefix; `Unavailable` and `ResourceExhausted` from storage: then no row was removed,
    /// unless the message says that rows may have been removed.
    pub fn drop_row_range(&mut self, storage: &mut dyn Storage, range: &DropRowRange) -> Result<()> {
        let rows = match range {
            DropRowRange::All => RowSet::all(),
            DropRowRange::Prefix(prefix) if prefix.is_empty() => {
                return Err(Error::invalid("row_key_prefix is empty: name a prefix, or drop all rows"));
            }
            DropRowRange::Prefix(prefix) => RowSet::range(RowRange::prefix(prefix.clone())),
        };
        self.check_writable()?;
        for range in key_ranges(&rows)? {
            self.drop_rows(storage, &range)?;
        }
        Ok(())
    }

    fn drop_rows(&mut self, storage: &mut dyn Storage, range: &KeyRange) -> core::result::Result<(), StorageError> {
        let tablets = self.tablets_of(range);
        self.sync_held(storage)?;
        let loses_all = |tablet: &Tablet| range.meet(&tablet.range) == tablet.range;
        let (emptied, shortened): (Vec<usize>, Vec<usize>) = tablets.clone().partition(|&index| loses_all(&self.tablets[index]));
        // Otherwise a replay of the log would bring their rows back. Where no row stays, the mark in the log moves instead.
        self.flush(storage, &shortened)?;
        let until = self.log_end();
        self.durable.as_mut().map_or(Ok(()), |durable| durable.sync(storage))?;
        let touched = &self.tablets[tablets.clone()];
        if let Some(compaction) = self.compaction.take_if(|compaction| touched.iter().any(|tablet| compaction.is_of(tablet.id))) {
            self.abandon(storage, compaction)?;
        }
        let (mut cut, mut facts) = (Vec::new(), Vec::new());
        for tablet in &self.tablets[tablets.clone()] {
            let mut runs = Vec::new();
            for run in &tablet.runs {
                runs.extend(run.without(storage, range)?);
            }
            facts.push(tablet.fact_with(&runs, if loses_all(tablet) { until } else { tablet.log_mark }));
            cut.push(runs);
        }
        self.record(storage, facts, &[])?;
        emptied.into_iter().for_each(|index| self.empty_memtables(index, until));
        let mut gone = Vec::new();
        for (index, runs) in tablets.zip(cut) {
            gone.append(&mut core::mem::replace(&mut self.tablets[index].runs, runs));
            self.tablets[index].unsplittable_bytes = 0;
            self.note_change(index);
        }
        self.note_cut(&gone);
        // The rows are gone. Files that storage refuses to remove are removed when it is opened again.
        self.publish();
        let _ = self.remove_unused(storage, gone);
        if self.pins.is_empty() {
            // Otherwise a full storage would get no room from the log.
            let _ = self.end_log(storage);
        }
        Ok(())
    }

    /// Takes all rows of a tablet out of memory. The manifest has recorded `until` as its mark.
    fn empty_memtables(&mut self, index: usize, until: LogPlace) {
        let tablet = &mut self.tablets[index];
        for from in tablet.pins().collect::<Vec<_>>() {
            let pinned = self.pins.remove(&from.segment).filter(|memtables| *memtables > 1);
            self.pins.extend(pinned.map(|memtables| (from.segment, memtables - 1)));
        }
        // A read that has begun still has them.
        (tablet.memtable, tablet.frozen, tablet.log_mark) = (Arc::default(), None, until);
        self.due.flushes.remove(&tablet.range.start);
        self.count_memtable(index);
    }
}

impl Run {
    /// Returns its parts below and above a range.
    fn without(&self, storage: &dyn Storage, range: &KeyRange) -> core::result::Result<Vec<Run>, StorageError> {
        let (below, rest) = self.split(storage, &range.start)?;
        let above = match (rest, &range.end) {
            (Some(rest), Some(end)) => rest.split(storage, end)?.1,
            _ => None,
        };
        Ok(below.into_iter().chain(above).collect())
    }
}
