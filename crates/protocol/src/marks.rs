//! Marks the cells on the screen that the patterns of a filter match.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{PatternMatch, Row, RowFilter};

/// A request to mark cells that the patterns of a filter match. The cells come from an earlier
/// answer, so the table is not read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarkAsk {
    /// The filter of that answer.
    pub filter: RowFilter,
    /// The rows with the visible cells.
    pub rows: Vec<Row>,
}

/// The matches in each cell of each row, sorted by part and position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks(pub Vec<Vec<Vec<PatternMatch>>>);
