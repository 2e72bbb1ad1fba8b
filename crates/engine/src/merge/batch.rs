//! The cells of a row that are merged together: long rows are merged in parts.

use alloc::vec::Vec;

use crate::columns::FamilyId;
use crate::sstable::CellPlace;

/// Cells of one row, in order, without those that a filter has dropped by their column.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub cells: Vec<BatchCell>,
    /// Live cells that were seen, including dropped ones.
    pub live: u64,
    /// Cells that were examined, including hidden ones.
    pub looked_at: u64,
    /// Whether any cell needs more than its column for the filter to decide.
    pub needs_test: bool,
    /// The column of the last cell of the previous batch, of the same row.
    pub(super) last_column: Option<(FamilyId, Vec<u8>)>,
    pub(super) last_ordinal: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchCell {
    pub source: u32,
    /// Equal for all cells of one column.
    pub ordinal: u32,
    /// The index of its combined value plus 1; 0 if its value is in its source.
    pub combined: u32,
    pub place: CellPlace,
}

/// The approximate limits of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchSize {
    pub cells: usize,
    /// Bytes of blocks that may be held for the batch, in addition to the blocks of the cells that
    /// follow.
    pub bytes: u64,
}

impl BatchSize {
    /// All cells of a row.
    pub const ALL: BatchSize = BatchSize { cells: usize::MAX, bytes: u64::MAX };
}
