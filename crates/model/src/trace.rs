//! What a filter did with the cells of a read, node by node.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Cell, RowKey};

/// The number of cells that reached a node of a filter, and of those that it passed on. An
/// interleave passes on the cells of all its branches. A sink passes its cells directly to the
/// result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeCount {
    /// Cells in.
    pub cells_in: u64,
    /// Cells out.
    pub cells_out: u64,
}

impl NodeCount {
    /// Adds the counts of more cells.
    pub fn add(&mut self, other: NodeCount) {
        self.cells_in += other.cells_in;
        self.cells_out += other.cells_out;
    }
}

/// A row that was read, and what a filter did with its cells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedRow {
    /// The row's key.
    pub key: RowKey,
    /// Whether any cell is in the result.
    pub returned: bool,
    /// The counts of each node. A node comes before the nodes within it, and branches are in their
    /// order. An absent branch of a condition is not counted.
    pub nodes: Vec<NodeCount>,
    /// All its cells, if they were requested.
    pub cells: Vec<TracedCell>,
}

/// A cell of a row, and what a filter did with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedCell {
    /// The cell before the filter.
    pub cell: Cell,
    /// `None` if the cell is in the result. Otherwise the nodes that dropped it, by their indices
    /// in [`TracedRow::nodes`]: several if it reached several branches of an interleave.
    pub dropped_by: Option<Vec<u32>>,
    /// The parts that patterns of the filter name, if the cell is in the result.
    pub matches: Vec<PatternMatch>,
}

/// A part of a cell that a pattern names, without what matches the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternMatch {
    /// The part that the pattern was compared with.
    pub part: CellPart,
    /// The index of the first byte.
    pub start: u32,
    /// The index after the last byte.
    pub end: u32,
}

/// A part of a cell that a pattern is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CellPart {
    /// The row key.
    Key,
    /// The name of the family.
    Family,
    /// The qualifier.
    Qualifier,
    /// The value.
    Value,
}
