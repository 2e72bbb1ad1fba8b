//! Sets and ranges of rows.

use std::ops::Bound;

use tabletop_model::{Result, RowKey, RowRange, RowSet};

use crate::grpc::fields::{row_range, row_set};
use crate::grpc::wire::Fields;

/// Reads a `google.bigtable.v2.RowSet`.
pub(crate) fn row_set(message: &[u8]) -> Result<RowSet> {
    let mut set = RowSet::default();
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            row_set::ROW_KEYS => set.keys.push(value.bytes()?.into()),
            row_set::ROW_RANGES => set.ranges.push(row_range(value.bytes()?)?),
            _ => {}
        }
    }
    Ok(set)
}

/// Reads a `google.bigtable.v2.RowRange`.
pub(crate) fn row_range(message: &[u8]) -> Result<RowRange> {
    let mut range = RowRange::ALL;
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            row_range::START_KEY_CLOSED => range.start = Bound::Included(value.bytes()?.into()),
            row_range::START_KEY_OPEN => range.start = Bound::Excluded(value.bytes()?.into()),
            row_range::END_KEY_OPEN => range.end = Bound::Excluded(value.bytes()?.into()),
            row_range::END_KEY_CLOSED => range.end = Bound::Included(value.bytes()?.into()),
            _ => {}
        }
    }
    Ok(range)
}

/// Returns the key of an end of a range, if it has one.
pub(crate) fn key_of(bound: &Bound<RowKey>) -> Option<&RowKey> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    }
}
