//! Batches of the cells of a row: from one source, or merged from several, with the cells that are
//! hidden left out and the values of aggregates combined.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::Merge;
use super::batch::{Batch, BatchCell, BatchSize};
use super::source::Source;
use crate::aggregate;
use crate::cache::Blocks;
use crate::families::FamilyKind;
use crate::filter::{Filter, Needed, Verdict};
use crate::sstable::CellPlace;
use crate::storage::StorageError;

impl Merge<'_> {
    /// Replaces the batch with the next cells of the row, about as many as are wanted. Returns
    /// `false` when these are the last. Without a filter every cell is kept; with `drop_all`, cells
    /// are only counted. Parts of a long row that are not needed are skipped.
    pub fn fill(
        &mut self,
        batch: &mut Batch,
        mut filter: Option<&mut Filter>,
        drop_all: bool,
        wanted: BatchSize,
    ) -> Result<bool, StorageError> {
        self.begin_batch(batch);
        let wanted = BatchSize { bytes: wanted.bytes.saturating_add(self.held_bytes()), ..wanted };
        if let Some(only) = self.only() {
            return self.fill_from_one(only, batch, filter, drop_all, wanted);
        }
        if !self.row_is_begun {
            self.row_is_begun = true;
            self.heads.clear();
            for index in 0..self.visible {
                let head = self.sources[self.at_row[index]].next_cell(needed(filter.as_deref(), drop_all))?;
                self.heads.push(head);
            }
        }
        while !self.is_full(batch, wanted) {
            let Some(index) = self.least_head() else { return Ok(false) };
            let source = self.at_row[index];
            let mut place = self.heads[index].expect("the least head is there");
            batch.looked_at += 1;
            self.last = Some((source, place));
            if !self.is_hidden(index, &place) {
                batch.live += 1;
                let verdict = match &mut filter {
                    _ if drop_all => Verdict::Drop,
                    Some(filter) => self.sources[source].verdict(&place, filter),
                    None => Verdict::Keep,
                };
                if verdict != Verdict::Drop {
                    batch.needs_test |= verdict == Verdict::Test;
                    let ordinal = self.ordinal(batch, source, &place);
                    let combined = self.combine(index, &place)?;
                    self.sources[source].resolve(&mut place)?;
                    batch.cells.push(BatchCell { source: source as u32, ordinal, combined, place });
                }
            }
            self.pass_column_and_time(index, &place, needed(filter.as_deref(), drop_all))?;
        }
        Ok(true)
    }

    fn is_full(&self, batch: &Batch, size: BatchSize) -> bool {
        batch.cells.len() >= size.cells || self.held_bytes() > size.bytes
    }

    fn held_bytes(&self) -> u64 {
        self.blocks.map_or(0, Blocks::held_bytes)
    }

    fn begin_batch(&mut self, batch: &mut Batch) {
        if self.row_is_begun {
            self.note_last(batch);
        } else if !self.is_resumed {
            (batch.last_column, batch.last_ordinal) = (None, 0);
        }
        for index in 0..self.visible {
            if let Source::Stored(cursor) = &mut self.sources[self.at_row[index]] {
                cursor.release();
                // The next cell is in the last held block, the only one that is left.
                if let Some(Some(head)) = self.heads.get_mut(index) {
                    head.held = 0;
                }
            }
        }
        self.last = None;
        self.combined.clear();
        batch.cells.clear();
        (batch.live, batch.looked_at, batch.needs_test) = (0, 0, false);
    }

    fn fill_from_one(
        &mut self,
        source: usize,
        batch: &mut Batch,
        mut filter: Option<&mut Filter>,
        drop_all: bool,
        wanted: BatchSize,
    ) -> Result<bool, StorageError> {
        self.row_is_begun = true;
        loop {
            // Within one block, a different number means a different column. Across blocks, the
            // bytes of the columns are compared.
            let mut ordinal = batch.cells.last().map_or(batch.last_ordinal, |cell| cell.ordinal);
            let known = batch.cells.len();
            let mut column = u32::MAX;
            let mut each = |place: CellPlace, batch: &mut Batch, verdict: Verdict| {
                batch.live += 1;
                if verdict != Verdict::Drop {
                    batch.needs_test |= verdict == Verdict::Test;
                    ordinal += u32::from(column != place.column);
                    column = place.column;
                    batch.cells.push(BatchCell { source: source as u32, ordinal, combined: 0, place });
                }
            };
            let more = match &mut self.sources[source] {
                Source::Memory(cursor) => loop {
                    if batch.cells.len() >= wanted.cells {
                        break true;
                    }
                    let Some(place) = cursor.next_cell(needed(filter.as_deref(), drop_all)) else {
                        break false;
                    };
                    let verdict = match &mut filter {
                        _ if drop_all => Verdict::Drop,
                        Some(filter) => cursor.verdict(&place, filter),
                        None => Verdict::Keep,
                    };
                    each(place, batch, verdict);
                },
                Source::Stored(cursor) => {
                    let more = cursor.enter_part(needed(filter.as_deref(), drop_all))?;
                    if drop_all {
                        batch.live += u64::from(cursor.pass_part());
                    } else if more {
                        let live = batch.live;
                        let count = cursor
                            .part(filter.as_deref_mut(), |place, verdict| each(place, batch, verdict))?;
                        batch.live = live + u64::from(count);
                    }
                    more
                }
            };
            if batch.cells.get(known).is_some_and(|first| self.continues_column(batch, known, first)) {
                batch.cells[known..].iter_mut().for_each(|cell| cell.ordinal -= 1);
            }
            batch.looked_at = batch.live;
            if !more || self.is_full(batch, wanted) {
                self.last = batch.cells.last().map(|last| (source, last.place));
                return Ok(more);
            }
        }
    }

    /// Returns whether the cell at `known` has the same column as the cell before it, which is in
    /// another block or batch.
    fn continues_column(&self, batch: &Batch, known: usize, cell: &BatchCell) -> bool {
        match known.checked_sub(1) {
            Some(before) => self.column(&batch.cells[before]) == self.column(cell),
            None => batch
                .last_column
                .as_ref()
                .is_some_and(|(family, qualifier)| (*family, qualifier.as_slice()) == self.column(cell)),
        }
    }

    fn ordinal(&self, batch: &Batch, source: usize, place: &CellPlace) -> u32 {
        let column = self.sources[source].column(place);
        match (batch.cells.last(), &batch.last_column) {
            (Some(last), _) => last.ordinal + u32::from(self.column(last) != column),
            (None, Some((family, qualifier))) => {
                batch.last_ordinal + u32::from((*family, qualifier.as_slice()) != column)
            }
            (None, None) => batch.last_ordinal + 1,
        }
    }

    /// Returns the visible source whose next cell comes first; of equal ones, the newest source.
    fn least_head(&self) -> Option<usize> {
        let mut least: Option<usize> = None;
        for index in 0..self.visible {
            if self.heads[index].is_some()
                && least.is_none_or(|least| self.compare_heads(index, least) == Ordering::Less)
            {
                least = Some(index);
            }
        }
        least
    }

    fn compare_heads(&self, a: usize, b: usize) -> Ordering {
        match (&self.heads[a], &self.heads[b]) {
            (Some(x), Some(y)) => {
                let (left, right) = (&self.sources[self.at_row[a]], &self.sources[self.at_row[b]]);
                left.cell_key(x).cmp(&right.cell_key(y))
            }
            _ => Ordering::Greater,
        }
    }

    /// Combines the head of `index`, which is in an aggregate family, with the heads of older
    /// sources that have the same column and time. Returns the value for [`BatchCell::combined`].
    fn combine(&mut self, index: usize, place: &CellPlace) -> Result<u32, StorageError> {
        let (family, _) = self.sources[self.at_row[index]].column(place);
        let FamilyKind::Aggregate(kind) = FamilyKind::of(self.kinds, family) else { return Ok(0) };
        let mut state: Option<Vec<u8>> = None;
        // Combines from the oldest source to the newest, so the head itself comes last.
        for source in (index..self.visible).rev() {
            let Some(mut head) = self.heads[source] else { continue };
            let is_older = source > index;
            if is_older
                && (self.compare_heads(source, index) != Ordering::Equal || self.is_hidden(source, &head))
            {
                continue;
            }
            if !is_older && state.is_none() {
                return Ok(0);
            }
            let source = self.at_row[source];
            self.sources[source].resolve(&mut head)?;
            let (_, _, value) = self.sources[source].content(&head);
            state =
                Some(state.map_or_else(|| value.to_vec(), |state| aggregate::combine(kind, &state, value)));
        }
        self.combined.extend(state);
        Ok(self.combined.len() as u32)
    }

    fn is_hidden(&self, index: usize, place: &CellPlace) -> bool {
        if self.has_dropped {
            let (family, _) = self.sources[self.at_row[index]].column(place);
            if FamilyKind::of(self.kinds, family) == FamilyKind::Dropped {
                return true;
            }
        }
        self.at_row[..index].iter().any(|&newer| {
            let newer = &self.sources[newer];
            newer.has_tombstones() && {
                let (family, qualifier) = self.sources[self.at_row[index]].column(place);
                newer.hides(family, qualifier, place.timestamp)
            }
        })
    }

    /// Moves every source past the column and time of the head of `index`. That head is the newest
    /// cell there, so it replaces the older cells.
    fn pass_column_and_time(
        &mut self,
        index: usize,
        place: &CellPlace,
        needed: Needed<'_>,
    ) -> Result<(), StorageError> {
        for older in index + 1..self.visible {
            let same = self.heads[older].is_some_and(|head| head.timestamp == place.timestamp)
                && self.compare_heads(older, index) == Ordering::Equal;
            if same {
                self.heads[older] = self.sources[self.at_row[older]].next_cell(needed)?;
            }
        }
        // This one moves last, because the others were compared with it.
        self.heads[index] = self.sources[self.at_row[index]].next_cell(needed)?;
        Ok(())
    }
}

fn needed(filter: Option<&Filter>, drop_all: bool) -> Needed<'_> {
    match filter {
        _ if drop_all => Needed::Nothing,
        Some(filter) => Needed::By(filter),
        None => Needed::All,
    }
}
