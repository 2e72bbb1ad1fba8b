//! The merged rows of a memtable and SSTables: newer cells replace older ones or are combined with
//! them, tombstones hide cells, and cells of dropped families are invisible.

mod batch;
mod fill;
mod source;

use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::Timestamp;

use crate::cache::Blocks;
use crate::cell_key::CellKey;
use crate::columns::FamilyId;
use crate::families::FamilyKind;
use crate::filter::{Filter, Needed};
use crate::gc::Collector;
use crate::key_range::Bounds;
use crate::memtable::Memtable;
use crate::sstable::{CellPlace, SsTable, StoredCursor, Writer};
use crate::storage::StorageError;
use crate::tombstones::Tombstones;
pub(crate) use batch::{Batch, BatchCell, BatchSize};
use source::{MemoryCursor, Source};

/// A merge of sources. It is positioned on a row that at least one source has.
pub(crate) struct Merge<'a> {
    /// The sources, newest first.
    sources: Vec<Source<'a>>,
    /// By source: a key that is not after its first row (backwards, not before it), until the
    /// source is begun. A source is begun when the merge reaches it, so a read that ends early
    /// reads no block beyond.
    unbegun: Vec<Option<&'a [u8]>>,
    /// The sources that have the row, newest first.
    at_row: Vec<usize>,
    /// The other sources that have more rows, in the order of their rows, then newest first.
    waiting: Vec<usize>,
    is_begun: bool,
    /// The number of sources in `at_row` that no newer source hides completely.
    visible: usize,
    /// The next cell of each visible source, if there are several.
    heads: Vec<Option<CellPlace>>,
    reversed: bool,
    row_is_begun: bool,
    kinds: &'a [FamilyKind],
    /// Whether any family was dropped. Its cells may be anywhere, so each cell is checked.
    has_dropped: bool,
    /// By source: whether it is an SSTable without cells of a dropped family.
    names_none: Vec<bool>,
    /// Values of the last batch that were combined from several.
    combined: Vec<Vec<u8>>,
    /// The last cell that was examined, and its source.
    last: Option<(usize, CellPlace)>,
    /// Whether the row's first cells were skipped; the batch then has the column that came before.
    is_resumed: bool,
    /// What reads the blocks of the SSTables.
    blocks: Option<&'a Blocks<'a>>,
}

impl<'a> Merge<'a> {
    /// Creates a merge without sources, for at most `sources_max`. Add sources from the newest to
    /// the oldest.
    pub fn new(sources_max: usize, reversed: bool, kinds: &'a [FamilyKind]) -> Self {
        Merge {
            sources: Vec::with_capacity(sources_max),
            unbegun: Vec::with_capacity(sources_max),
            at_row: Vec::new(),
            waiting: Vec::new(),
            is_begun: false,
            visible: 0,
            heads: Vec::new(),
            reversed,
            row_is_begun: false,
            kinds,
            has_dropped: kinds.contains(&FamilyKind::Dropped),
            names_none: Vec::new(),
            combined: Vec::new(),
            last: None,
            is_resumed: false,
            blocks: None,
        }
    }

    pub fn add_memtable(&mut self, memtable: &'a Memtable, bounds: Bounds<'_>) {
        if !memtable.is_empty() {
            let cursor = MemoryCursor::new(memtable, bounds, self.reversed);
            if cursor.is_on_row() {
                self.sources.push(Source::Memory(cursor));
                self.unbegun.push(None);
                if self.has_dropped {
                    self.names_none.push(false);
                }
            }
        }
    }

    /// Adds an SSTable, unless none of its rows can be within the bounds. Returns whether it was
    /// added.
    pub fn add_sstable(&mut self, blocks: &'a Blocks<'a>, table: &'a SsTable, bounds: Bounds<'a>) -> bool {
        let index = &table.index;
        let may_have =
            !bounds.is_empty() && index.last_key() >= bounds.start && !bounds.ends_before(index.first_key(0));
        if may_have {
            let first = if self.reversed {
                bounds.end.map_or(index.last_key(), |end| end.min(index.last_key()))
            } else {
                bounds.start.max(index.first_key(0))
            };
            self.blocks = Some(blocks);
            self.sources.push(Source::Stored(StoredCursor::unbegun(blocks, table, bounds, self.reversed)));
            self.unbegun.push(Some(first));
            if self.has_dropped {
                let is_dropped = |family| FamilyKind::of(self.kinds, family) == FamilyKind::Dropped;
                let contents = table.contents.as_ref();
                self.names_none.push(
                    contents.is_some_and(|contents| !contents.families.keys().copied().any(is_dropped)),
                );
            }
        }
        may_have
    }

    /// Moves to the next row; returns `false` when there is none.
    pub fn next_row(&mut self) -> Result<bool, StorageError> {
        if self.is_begun {
            for &source in &self.at_row {
                self.sources[source].next_row(self.reversed)?;
            }
        } else {
            self.is_begun = true;
            if self.sources.len() == 1 {
                self.begin(0)?;
            }
            self.at_row.extend(0..self.sources.len());
        }
        // In most cases one source continues alone; one comparison is then enough.
        let goes_on = match (self.at_row.as_slice(), self.waiting.first()) {
            (&[only], Some(&next)) => {
                self.sources[only].key().is_some() && self.compare_rows(only, next) == Ordering::Less
            }
            (&[only], None) => self.sources[only].key().is_some(),
            _ => false,
        };
        if !goes_on {
            while let Some(source) = self.at_row.pop() {
                self.wait(source);
            }
            // A source that is not begun waits at a key that is at most that of its first row. When
            // it comes first, it is begun, which reads a block, and waits again at its actual first
            // row.
            let count = loop {
                let is_first =
                    |&&source: &&usize| self.compare_rows(source, self.waiting[0]) == Ordering::Equal;
                let count = self.waiting.iter().take_while(is_first).count();
                let Some(at) =
                    self.waiting[..count].iter().position(|source| self.unbegun[*source].is_some())
                else {
                    break count;
                };
                let source = self.waiting.remove(at);
                self.begin(source)?;
                self.wait(source);
            };
            self.at_row.extend(self.waiting.drain(..count));
        }
        // If the second of three sources deletes the row, the third has nothing to show: two are
        // visible.
        let hides_row = |&source: &usize| self.sources[source].hides_row();
        self.visible = self.at_row.iter().position(hides_row).map_or(self.at_row.len(), |last| last + 1);
        (self.row_is_begun, self.is_resumed, self.last) = (false, false, None);
        Ok(!self.at_row.is_empty())
    }

    /// Moves a source to its first row.
    fn begin(&mut self, source: usize) -> Result<(), StorageError> {
        if let (Some(_), Source::Stored(cursor)) = (self.unbegun[source].take(), &mut self.sources[source]) {
            cursor.begin()?;
        }
        Ok(())
    }

    /// Adds a source that has more rows to the waiting ones.
    fn wait(&mut self, source: usize) {
        if self.place(source).is_some() {
            let at = self
                .waiting
                .partition_point(|&other| self.compare_rows(other, source).then(other.cmp(&source)).is_lt());
            self.waiting.insert(at, source);
        }
    }

    /// Returns the key of the row on which a source is positioned, or of the place at which it will
    /// be begun.
    #[inline]
    fn place(&self, source: usize) -> Option<&[u8]> {
        self.unbegun[source].or_else(|| self.sources[source].key())
    }

    /// Compares the rows on which two sources are positioned.
    #[inline]
    fn compare_rows(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (self.place(a), self.place(b));
        if self.reversed { b.cmp(&a) } else { a.cmp(&b) }
    }

    /// Returns the row's key.
    pub fn key(&self) -> &[u8] {
        self.sources[self.at_row[0]].key().expect("it stands on a row")
    }

    /// Checks that the row follows `before` and can be written: a damaged SSTable may have rows in
    /// any order.
    pub fn check_row(&self, before: &[u8]) -> Result<(), StorageError> {
        match &self.sources[self.at_row[0]] {
            Source::Stored(cursor) => cursor.check_row(before),
            Source::Memory(_) => Ok(()),
        }
    }

    /// Returns what the row's SSTables hide in runs that are older than all of them.
    pub fn tombstones(&self) -> Option<Tombstones> {
        let mut sum: Option<Tombstones> = None;
        for &source in &self.at_row {
            if let Some(tombstones) = self.sources[source].tombstones() {
                match &mut sum {
                    Some(sum) => sum.add(tombstones),
                    None => sum = Some(tombstones.clone()),
                }
            }
        }
        sum
    }

    /// Passes the cells of the row to `each`, with its key, if the fast path applies: only one
    /// source has the row, and columns alone decide the filter. Returns the number of its cells, or
    /// `None` if nothing was done.
    #[inline]
    pub fn hand_out(
        &mut self,
        filter: Option<&mut Filter>,
        each: impl FnMut(&[u8], FamilyId, &[u8], Timestamp, &[u8]),
    ) -> Result<Option<u32>, StorageError> {
        match self.only_as_stored() {
            Some(only) => match &mut self.sources[only] {
                Source::Stored(cursor) => cursor.hand_out(filter, each),
                Source::Memory(cursor) => Ok(cursor.hand_out(filter, each)),
            },
            None => Ok(None),
        }
    }

    /// Copies the cells of the row to `writer` as they are stored; the row was begun there. Returns
    /// `false`, and does nothing, if they must be merged, are in several blocks, or may be
    /// collected.
    pub fn copy(
        &mut self,
        writer: &mut Writer,
        collector: Option<&mut Collector>,
    ) -> Result<bool, StorageError> {
        match self.only_as_stored() {
            Some(only) => match &mut self.sources[only] {
                Source::Stored(cursor) if collector.is_some_and(|collector| cursor.may_lose(collector)) => {
                    Ok(false)
                }
                Source::Stored(cursor) => cursor.copy(writer),
                Source::Memory(_) => Ok(false),
            },
            None => Ok(false),
        }
    }

    /// Returns the family and qualifier of a cell of the last batch.
    #[inline]
    pub fn column(&self, cell: &BatchCell) -> (FamilyId, &[u8]) {
        self.sources[cell.source as usize].column(&cell.place)
    }

    /// Returns the value of a cell of the last batch.
    pub fn value(&self, cell: &BatchCell) -> &[u8] {
        self.content(cell).2
    }

    /// Returns the family, qualifier and value of a cell of the last batch.
    #[inline]
    pub fn content(&self, cell: &BatchCell) -> (FamilyId, &[u8], &[u8]) {
        let (family, qualifier, value) = self.sources[cell.source as usize].content(&cell.place);
        match cell.combined.checked_sub(1) {
            Some(index) => (family, qualifier, &self.combined[index as usize]),
            None => (family, qualifier, value),
        }
    }

    /// Returns the results of the filter's column tests for a cell of the last batch.
    pub fn facts(&self, cell: &BatchCell) -> &[u64] {
        self.sources[cell.source as usize].facts(&cell.place)
    }

    /// Skips the cells of the row up to and including `place`, without reading the blocks in
    /// between; the cells of the last batch stay valid. Before the first batch of a row, pass a
    /// batch that has what [`Merge::note_last`] recorded when the row was left there.
    pub fn skip_past(&mut self, place: &CellKey<'_>, needed: Needed<'_>) -> Result<(), StorageError> {
        self.is_resumed |= !self.row_is_begun;
        let has_heads = self.row_is_begun && self.only().is_none();
        for index in 0..self.visible {
            let source = self.at_row[index];
            if has_heads {
                let is_before = |head: &CellPlace| self.sources[source].cell_key(head) <= *place;
                if self.heads[index].as_ref().is_none_or(|head| !is_before(head)) {
                    continue;
                }
            }
            self.sources[source].skip_past(place)?;
            if has_heads {
                self.heads[index] = self.sources[source].next_cell(needed)?;
            }
        }
        Ok(())
    }

    /// Returns the last cell of the row that was examined.
    pub fn last_cell(&self) -> Option<CellKey<'_>> {
        self.last.as_ref().map(|(source, place)| self.sources[*source].cell_key(place))
    }

    /// Returns whether [`Merge::skip_past`] never reads blocks needlessly, whatever the row.
    pub fn can_skip(&self) -> bool {
        self.at_row[..self.visible].iter().all(|&source| self.sources[source].can_skip())
    }

    /// Records the column of the last cell of the batch, which is about to be replaced.
    pub fn note_last(&self, batch: &mut Batch) {
        if let Some(last) = batch.cells.last() {
            let (family, qualifier) = self.column(last);
            (batch.last_column, batch.last_ordinal) = (Some((family, qualifier.to_vec())), last.ordinal);
        }
        batch.cells.clear();
    }

    /// Returns the only source that has the row, if its cells can be taken as they are.
    fn only(&self) -> Option<usize> {
        match self.at_row[..self.visible] {
            [only] if !self.has_dropped => Some(only),
            _ => None,
        }
    }

    /// Returns the only source that has the row, if the row can be taken whole and as it is stored.
    /// Cells are not checked if the file has none of a dropped family. The row must not have been
    /// begun.
    #[inline]
    fn only_as_stored(&self) -> Option<usize> {
        match self.at_row[..self.visible] {
            [only] if !self.has_dropped || self.names_none[only] => Some(only),
            _ => None,
        }
    }
}
