//! The place of a cell, for readers.

use tabletop_model::Timestamp;

/// The place of a cell within its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellPlace {
    pub held: u32,
    pub column: u32,
    pub value_length: u32,
    pub kind: ValueKind,
    pub value_start: usize,
    pub timestamp: Timestamp,
}

/// The bytes that `value_start` and `value_length` refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Bytes of the memtable or of the block.
    Plain,
    /// Bytes of the SSTable's dictionary.
    Word,
    /// Tokens in the block, which must be resolved first.
    Tokens,
    /// Bytes that the cursor has decoded.
    Decoded,
}
