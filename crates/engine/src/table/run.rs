//! A tablet's part of an SSTable: after a split, tablets share files.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::Timestamp;

use crate::cache::Blocks;
use crate::key_range::{Bounds, KeyRange, next_key};
use crate::sstable::{SsTable, StoredCursor};
use crate::storage::{Storage, StorageError};
use crate::table::size::Size;

/// A run of at least this size is large, if the dictionary of its file is small enough compared
/// with the blocks.
const LARGE_BYTES: u64 = 1 << 20;
const DICTIONARY_PART: u64 = 12;
/// A block of more bytes has a large cell.
const LARGE_BLOCK_BYTES: u32 = 1 << 20;

/// The rows of an SSTable in a range.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub table: Arc<SsTable>,
    pub range: KeyRange,
    /// Newer runs have higher sequences. Runs of one tablet and group that overlap never share one.
    pub sequence: u64,
    /// The locality group whose families the run has.
    pub group: u8,
    pub size: Size,
    /// The collection that wrote the run; `None` if the run was not written by a collection that
    /// took all runs overlapping it, or if that is not known.
    pub collected: Option<Collected>,
}

/// A collection that has written a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collected {
    pub at: Timestamp,
    /// The earliest time at which the GC rules collect a cell of the run, if no newer run overlaps
    /// it.
    pub next: Timestamp,
}

/// The weight of adjacent rows, by the first of their keys.
#[derive(Clone, Debug)]
pub(crate) struct Weight {
    pub key: Vec<u8>,
    pub bytes: u64,
}

impl Run {
    /// Creates the run of a whole SSTable.
    pub fn whole(table: Arc<SsTable>, range: KeyRange, sequence: u64, group: u8) -> Run {
        let size = table.index.blocks.iter().map(Size::of_block).sum();
        Run { table, range, sequence, group, size, collected: None }
    }

    /// Creates the run of the rows of an SSTable in a range whose bounds are between blocks.
    /// Returns `None` if there are none.
    pub fn part(table: Arc<SsTable>, range: KeyRange, sequence: u64, group: u8) -> Option<Run> {
        let index = &table.index;
        let start = index.blocks_below(&range.start, false);
        let end = range.end.as_ref().map_or(index.blocks.len(), |end| index.blocks_below(end, false));
        let size = index.blocks.get(start..end)?.iter().map(Size::of_block).sum();
        (start < end).then_some(Run { table, range, sequence, group, size, collected: None })
    }

    /// Returns the run below `key` and the run from `key` on; parts without rows are left out.
    /// Reads one block, or the blocks of one row, unless a block begins at `key`.
    pub fn split(
        &self,
        storage: &dyn Storage,
        key: &[u8],
    ) -> Result<(Option<Run>, Option<Run>), StorageError> {
        // Rows outside the run's range are in neither part.
        if self.range.ends_before(key) {
            return Ok((Some(self.clone()), None));
        }
        let below = self.range.meet(&KeyRange { start: Vec::new(), end: Some(key.to_vec()) });
        let above = self.range.meet(&KeyRange { start: key.to_vec(), end: None });
        let low = self.size_before(storage, key)?;
        let low = low.minus(&self.size_before(storage, &self.range.start)?);
        let part = |range: KeyRange, size: Size| (size.rows > 0).then(|| Run { range, size, ..self.clone() });
        Ok((part(below, low), part(above, self.size.minus(&low))))
    }

    /// Returns the size of all rows of the SSTable whose keys are below `key`.
    fn size_before(&self, storage: &dyn Storage, key: &[u8]) -> Result<Size, StorageError> {
        let index = &self.table.index;
        if key <= index.first_key(0) {
            return Ok(Size::default());
        }
        let blocks_below = index.blocks_below(key, false);
        // A block begins exactly at the key: the index alone has the answer.
        if index
            .blocks
            .get(blocks_below)
            .is_some_and(|next| !next.continues && index.first_key(blocks_below) == key)
        {
            return Ok(index.blocks[..blocks_below].iter().map(Size::of_block).sum());
        }
        let mut whole_blocks = blocks_below.saturating_sub(1);
        // A row that began in an earlier block is counted from its beginning.
        while index.blocks[whole_blocks].continues {
            whole_blocks -= 1;
        }
        let mut size: Size = index.blocks[..whole_blocks].iter().map(Size::of_block).sum();
        if index.last_key() < key {
            return Ok(index.blocks.iter().map(Size::of_block).sum());
        }
        let blocks = Blocks::uncached(storage);
        let bounds = Bounds { start: index.first_key(whole_blocks), end: Some(key) };
        let mut rows = StoredCursor::new(&blocks, &self.table, bounds, false)?;
        while rows.key().is_some() {
            let (cells, bytes) = rows.size_of_row()?;
            size = size.plus(&Size { rows: 1, cells, bytes });
            rows.next_row()?;
        }
        Ok(size)
    }

    /// Returns whether the run may have the row `key`.
    pub fn may_hold(&self, key: &[u8]) -> bool {
        self.spans(key) && self.table.may_hold(SsTable::hash(key))
    }

    /// Returns whether a key is between the run's first row and its last.
    pub fn spans(&self, key: &[u8]) -> bool {
        let index = &self.table.index;
        self.range.contains(key) && index.first_key(0) <= key && key <= index.last_key()
    }

    /// Returns a key that is not above any row of the run.
    pub fn start(&self) -> &[u8] {
        self.range.start.as_slice().max(self.table.index.first_key(0))
    }

    /// Returns whether all rows of the run are below a key.
    pub fn ends_before(&self, key: &[u8]) -> bool {
        self.range.ends_before(key) || self.table.index.last_key() < key
    }

    /// Returns whether the run gains little by being merged with runs that it does not overlap.
    pub fn is_large(&self) -> bool {
        self.size.bytes >= LARGE_BYTES
            && self.table.dictionary_bytes() * DICTIONARY_PART <= self.table.block_bytes()
    }

    /// Returns whether this is the same part of the same SSTable.
    pub fn is(&self, other: &Run) -> bool {
        Arc::ptr_eq(&self.table, &other.table) && self.range == other.range
    }

    /// Returns the run's blocks, weighted, by their first keys. A block that begins before the run
    /// counts from the run's start.
    pub fn block_weights(&self) -> impl Iterator<Item = Weight> {
        let start = self.range.start.as_slice();
        self.blocks().map(move |block| Weight {
            key: self.table.index.first_key(block).max(start).to_vec(),
            bytes: self.table.index.blocks[block].length.into(),
        })
    }

    /// Adds the weight of each of the run's rows in `range`. Blocks of long rows and of large cells
    /// are not read: each counts as a row at its first key, and small rows in the same block as a
    /// large cell count as part of it.
    pub fn row_weights(
        &self,
        storage: &dyn Storage,
        range: &KeyRange,
        rows: &mut Vec<Weight>,
    ) -> Result<(), StorageError> {
        let bounds = self.range.bounds().meet(range.bounds());
        if bounds.is_empty() {
            return Ok(());
        }
        let index = &self.table.index;
        let end = bounds.end.map_or(index.blocks.len(), |end| index.blocks_below(end, false));
        for block in index.seek(bounds.start)..end {
            let (meta, next) = (&index.blocks[block], index.blocks.get(block + 1));
            let (first, is_large) = (index.first_key(block), meta.length > LARGE_BLOCK_BYTES);
            if is_large || meta.continues && first >= bounds.start {
                rows.push(Weight { key: first.max(bounds.start).to_vec(), bytes: meta.length.into() });
            }
            if is_large {
                continue;
            }
            // Skips the row that the block continues. If that row continues further, the rest is in
            // the next block.
            let following = next_key(first);
            let start = if meta.continues { &following } else { first };
            let end = next.map(|_| index.first_key(block + 1));
            self.weigh_rows(storage, bounds.meet(Bounds { start, end }), rows)?;
        }
        Ok(())
    }

    /// Adds the weight of each of the run's rows within the bounds.
    fn weigh_rows(
        &self,
        storage: &dyn Storage,
        bounds: Bounds<'_>,
        rows: &mut Vec<Weight>,
    ) -> Result<(), StorageError> {
        if bounds.is_empty() {
            return Ok(());
        }
        let blocks = Blocks::uncached(storage);
        let mut cursor = StoredCursor::new(&blocks, &self.table, bounds, false)?;
        while let Some(key) = cursor.key() {
            let key = key.to_vec();
            let (_, bytes) = cursor.size_of_row()?;
            rows.push(Weight { key, bytes });
            cursor.next_row()?;
        }
        Ok(())
    }

    /// Returns the first keys of some of the run's blocks, at most `count`.
    pub fn sample(&self, count: usize) -> impl Iterator<Item = &[u8]> {
        let blocks = self.blocks();
        let step = (blocks.len() / count).max(1);
        blocks
            .step_by(step)
            .map(|block| self.table.index.first_key(block))
            .filter(|key| self.range.contains(key))
            .take(count)
    }

    /// Returns the blocks that may hold rows of the run.
    pub fn blocks(&self) -> core::ops::Range<usize> {
        let index = &self.table.index;
        let start = index.seek(&self.range.start);
        let end = self.range.end.as_ref().map_or(index.blocks.len(), |end| index.blocks_below(end, false));
        start..end.max(start)
    }

    /// Returns the run of both, if they are adjacent parts of one SSTable.
    pub fn join(&self, next: &Run) -> Option<Run> {
        let is_next =
            Arc::ptr_eq(&self.table, &next.table) && self.range.end.as_ref() == Some(&next.range.start);
        is_next.then(|| Run {
            range: KeyRange { start: self.range.start.clone(), end: next.range.end.clone() },
            size: self.size.plus(&next.size),
            collected: self
                .collected
                .zip(next.collected)
                .map(|(a, b)| Collected { at: a.at.min(b.at), next: a.next.min(b.next) }),
            ..self.clone()
        })
    }
}

/// Returns whether any of the runs may have the row. If not, there is nothing for deletes to hide.
pub(crate) fn may_hold(runs: &[&Run], key: &[u8]) -> bool {
    runs.iter().any(|run| run.may_hold(key))
}
