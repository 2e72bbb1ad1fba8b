//! The size of a batch: long rows are merged in parts.

/// About how much a batch takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchSize {
    pub cells: usize,
    /// Bytes of blocks that are held for it, in addition to those of the cells that follow.
    pub bytes: u64,
}

impl BatchSize {
    /// All cells of a row.
    pub const ALL: BatchSize = BatchSize { cells: usize::MAX, bytes: u64::MAX };
}
