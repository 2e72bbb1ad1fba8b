//! What the patterns of a filter name in the cells on the screen.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{PatternMatch, Row, RowFilter};

/// A request for what the patterns of a filter name in some cells. The table is not read: the cells are those of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarkAsk {
    /// The filter of the answer.
    pub filter: RowFilter,
    /// Rows with the cells in sight.
    pub rows: Vec<Row>,
}

/// What they name, for each cell of each row: sorted by part and place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks(pub Vec<Vec<Vec<PatternMatch>>>);
