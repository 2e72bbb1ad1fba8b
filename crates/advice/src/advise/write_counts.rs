//! What a table has of the events that were written to it.

use serde::{Deserialize, Serialize};

use tabletop_keys::{CellTime, Layout, LayoutKind};

/// The counts of a table that has all events and is compacted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteCounts {
    /// Events that were written.
    pub events: u64,
    /// Cells that were written.
    pub cells: u64,
    /// Rows that the table has.
    pub rows_stored: u64,
    /// Cells that the table has.
    pub cells_stored: u64,
}

impl WriteCounts {
    /// The number of events whose row an earlier event has too.
    pub fn shared(&self) -> u64 {
        self.events.saturating_sub(self.rows_stored)
    }

    /// The number of cells that later ones replaced.
    pub fn replaced(&self) -> u64 {
        self.cells.saturating_sub(self.cells_stored)
    }

    /// Whether events share rows or cells although `layout` does not intend it.
    pub fn are_short(&self, layout: &Layout) -> bool {
        let keeps_all = layout.kind != LayoutKind::Columns
            || layout.columns.iter().all(|column| column.time == CellTime::Event);
        self.replaced() > 0 && keeps_all || !layout.kind.shares_rows() && self.shared() > 0
    }
}
