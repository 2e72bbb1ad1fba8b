//! The job that counts the rows of a table by their size.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::Job;

/// Counts the rows of a design's table by their size. The read does not count as load of the
/// tablets.
pub struct RowSizes;

impl Job for RowSizes {
    const NAME: &'static str = "row_sizes";
    const OPEN_MAX: usize = 4;
    type Request = RowSizesRequest;
    type Order = ();
    type Chunk = RowSizesChunk;
}

/// The request that begins a count of row sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowSizesRequest {
    /// Index of the design.
    pub index: u32,
}

/// The rows counted so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowSizesChunk {
    /// The classes from the smallest rows to the largest ones: the class at index `n` has the rows
    /// of 2ⁿ bytes and more, but less than 2ⁿ⁺¹.
    pub classes: Vec<SizeClass>,
    /// Whether all rows are counted.
    pub complete: bool,
}

/// Rows whose sizes differ by less than a factor of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeClass {
    /// Number of rows.
    pub rows: u64,
    /// Logical bytes of these rows: keys, columns, timestamps and values.
    pub bytes: u64,
}
