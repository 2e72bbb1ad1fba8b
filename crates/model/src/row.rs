//! Rows and their cells.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Qualifier, RowKey};

/// Microseconds since 1970-01-01 UTC.
pub type Timestamp = i64;

/// A timestamp that stands for the server's time, truncated to the table's granularity.
pub const SERVER_TIME: Timestamp = -1;

/// One row as a read returns it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The row's key.
    pub key: RowKey,
    /// The cells: families in the order of their creation, then qualifiers by bytes, then newest
    /// first. An interleave may repeat a cell.
    pub cells: Vec<Cell>,
}

/// One version of one column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The column family's name.
    pub family: String,
    /// The column's qualifier.
    pub qualifier: Qualifier,
    /// Microseconds; a whole number of milliseconds.
    pub timestamp: Timestamp,
    /// The stored bytes; empty after `strip_value`.
    pub value: Bytes,
    /// The label that `apply_label` added.
    pub label: Option<String>,
}
