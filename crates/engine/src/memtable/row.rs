//! Rows and cells of a memtable, and the chunks of its cells.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::Timestamp;

use crate::columns::FamilyId;

#[derive(Clone, Debug, Default)]
pub(crate) struct MemRow {
    /// The cells and deletes of a row that has deletes, or cells in several chunks.
    pub(super) wide: Option<Box<WideRow>>,
    /// The cells of any other row. In a fresh row with deletes they are in the order of writing.
    pub(super) cells: Chunk,
    pub(super) key_start: usize,
    pub(super) key_length: u16,
    /// Whether some cells of the fresh row are deletes.
    pub(super) has_deletes: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MemCell {
    pub column: u32,
    pub value_length: u32,
    pub value_start: usize,
    pub timestamp: Timestamp,
}

/// A row that has deletes, or cells in several chunks.
#[derive(Clone, Debug, Default)]
pub(super) struct WideRow {
    /// Chunks of cells, in order; none is empty.
    pub cells: Vec<Chunk>,
    /// Deleted parts of columns, also in chunks. Those of one column neither overlap nor touch.
    pub tombstones: Vec<Chunk>,
    /// Deleted families, in ascending order.
    pub families: Vec<FamilyId>,
    /// Whether the whole row is deleted; it then has no other tombstones.
    pub is_deleted: bool,
}

/// Adjacent cells of a memtable, followed by spare places for more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chunk {
    /// The index of the first cell.
    pub first: u32,
    pub count: u32,
    pub room: u32,
}

/// The maximum number of cells that a chunk holds when they are inserted one at a time; a full
/// chunk is divided. Chunks filled otherwise may be longer.
pub(super) const CHUNK_CELLS: u32 = 256;

impl Chunk {
    pub fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    pub fn places(&self) -> usize {
        (self.count + self.room) as usize
    }

    /// Keeps the first cells. Returns the number of the others, whose places become spare.
    pub fn shorten(&mut self, count: usize) -> u64 {
        let lost = self.count - count as u32;
        self.count -= lost;
        self.room += lost;
        lost.into()
    }

    /// Copies the cells to a new place without spare room.
    pub fn copy(&mut self, from: &[MemCell], to: &mut Vec<MemCell>) {
        let cells = &from[self.range()];
        (self.first, self.room) = (to.len() as u32, 0);
        to.extend_from_slice(cells);
    }
}
