//! Dropping of row ranges: no deletes are written; the runs are cut around the range.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::{DropRowRange, Error, Result, RowRange, RowSet};

use crate::key_range::{KeyRange, key_ranges};
use crate::log::LogPlace;
use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::plan::Compactions;
use crate::table::run::Run;
use crate::table::split::QUICK_BYTES;
use crate::table::tablet::Tablet;

impl Table {
    /// Removes all rows of a range. This takes little time, regardless of their number. Memtables
    /// of tablets that keep some rows are written first. If the storage is full, drop all rows, or
    /// a range that covers whole tablets.
    ///
    /// # Errors
    /// `InvalidArgument` for an empty prefix; `Unavailable` and `ResourceExhausted` from storage.
    /// After an error, no row was removed, unless the message says that rows may have been removed.
    pub fn drop_row_range(&mut self, storage: &mut dyn Storage, range: &DropRowRange) -> Result<()> {
        self.check_writable()?;
        for range in ranges_of(range)? {
            self.drop_rows(storage, &range)?;
        }
        Ok(())
    }

    /// Freezes the memtables that [`Table::drop_row_range`] would write, if the host writes
    /// memtables. Returns whether the host has some of them to write; later calls of both functions
    /// then have less to do.
    ///
    /// # Errors
    /// The errors of [`Table::drop_row_range`]; no row was removed.
    pub(crate) fn prepare_drop(&mut self, storage: &mut dyn Storage, range: &DropRowRange) -> Result<bool> {
        self.check_writable()?;
        let mut waits = false;
        for range in ranges_of(range)? {
            let (_, shortened) = self.touched_by(&range);
            if self.background.compactions == Compactions::Apart {
                let is_long = |index: &usize| self.tablets[*index].memtable.read().bytes() > QUICK_BYTES;
                let long: Vec<usize> = shortened.iter().copied().filter(is_long).collect();
                self.freeze(storage, &long)?;
                waits |= shortened.iter().any(|&index| self.tablets[index].frozen.is_some());
            }
        }
        self.publish();
        Ok(waits)
    }

    /// Returns the tablets that lose all of their rows with a range, and those that keep some.
    fn touched_by(&self, range: &KeyRange) -> (Vec<usize>, Vec<usize>) {
        self.tablets_of(range).partition(|&index| loses_all(&self.tablets[index], range))
    }

    fn drop_rows(
        &mut self,
        storage: &mut dyn Storage,
        range: &KeyRange,
    ) -> core::result::Result<(), StorageError> {
        let tablets = self.tablets_of(range);
        self.sync_held(storage)?;
        let (emptied, shortened) = self.touched_by(range);
        // Otherwise a replay of the log would bring their rows back. Where no row stays, the mark
        // in the log is moved instead.
        self.flush(storage, &shortened)?;
        let until = self.log_end();
        self.durable.as_mut().map_or(Ok(()), |durable| durable.sync(storage))?;
        let touched = &self.tablets[tablets.clone()];
        if let Some(compaction) = self
            .background
            .compaction
            .take_if(|compaction| touched.iter().any(|tablet| compaction.is_of(tablet.id)))
        {
            self.abandon(storage, compaction)?;
        }
        let (mut cut, mut facts) = (Vec::new(), Vec::new());
        for tablet in &self.tablets[tablets.clone()] {
            let mut runs = Vec::new();
            for run in &tablet.runs {
                runs.extend(run.without(storage, range)?);
            }
            facts.push(
                tablet.fact_with(&runs, if loses_all(tablet, range) { until } else { tablet.log_mark }),
            );
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
        // The rows are removed. Files that storage refuses to remove are removed when it is opened
        // again.
        self.publish();
        let _ = self.remove_unused(storage, gone);
        if self.pins.is_empty() {
            // Otherwise, on a full storage, the log would not free any room.
            let _ = self.end_log(storage);
        }
        Ok(())
    }

    /// Removes all rows of a tablet from memory. The manifest has recorded `until` as its mark.
    fn empty_memtables(&mut self, index: usize, until: LogPlace) {
        let tablet = &mut self.tablets[index];
        for from in tablet.pins().collect::<Vec<_>>() {
            self.pins.remove(from.segment);
        }
        // A read that has begun still has them.
        (tablet.memtable, tablet.frozen, tablet.log_mark) = (Arc::default(), None, until);
        self.background.due.end_flush(&tablet.range.start);
        self.count_memtable(index);
    }
}

fn ranges_of(range: &DropRowRange) -> Result<Vec<KeyRange>> {
    let rows = match range {
        DropRowRange::All => RowSet::all(),
        DropRowRange::Prefix(prefix) if prefix.is_empty() => {
            return Err(Error::invalid("row_key_prefix is empty: name a prefix, or drop all rows"));
        }
        DropRowRange::Prefix(prefix) => RowSet::range(RowRange::prefix(prefix.clone())),
    };
    key_ranges(&rows)
}

fn loses_all(tablet: &Tablet, range: &KeyRange) -> bool {
    range.meet(&tablet.range) == tablet.range
}

impl Run {
    /// Returns the parts of the run below and above a range.
    fn without(
        &self,
        storage: &dyn Storage,
        range: &KeyRange,
    ) -> core::result::Result<Vec<Run>, StorageError> {
        let (below, rest) = self.split(storage, &range.start)?;
        let above = match (rest, &range.end) {
            (Some(rest), Some(end)) => rest.split(storage, end)?.1,
            _ => None,
        };
        Ok(below.into_iter().chain(above).collect())
    }
}
