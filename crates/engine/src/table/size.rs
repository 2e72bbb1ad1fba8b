//! The size of a part of an SSTable.

use crate::sstable::BlockMeta;

/// The contents of a run or of a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub rows: u64,
    pub cells: u64,
    pub bytes: u64,
}

impl Size {
    /// Returns the size of a block from the SSTable's index.
    pub fn of_block(block: &BlockMeta) -> Size {
        Size { rows: block.rows.into(), cells: block.cells.into(), bytes: block.length.into() }
    }

    pub fn plus(&self, other: &Size) -> Size {
        Size {
            rows: self.rows + other.rows,
            cells: self.cells + other.cells,
            bytes: self.bytes + other.bytes,
        }
    }

    pub fn minus(&self, other: &Size) -> Size {
        Size {
            rows: self.rows.saturating_sub(other.rows),
            cells: self.cells.saturating_sub(other.cells),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

impl core::iter::Sum for Size {
    fn sum<I: Iterator<Item = Size>>(sizes: I) -> Size {
        sizes.fold(Size::default(), |sum, size| sum.plus(&size))
    }
}
