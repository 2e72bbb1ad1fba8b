//! Which rows.

use std::ops::Bound;

use tabletop_model::{Result, RowRange, RowSet};

use crate::grpc::wire::Fields;

/// `google.bigtable.v2.RowSet`.
pub(crate) fn row_set(message: &[u8]) -> Result<RowSet> {
    let mut set = RowSet::default();
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            1 => set.keys.push(value.bytes()?.into()),
            2 => set.ranges.push(row_range(value.bytes()?)?),
            _ => {}
        }
    }
    Ok(set)
}

fn row_range(message: &[u8]) -> Result<RowRange> {
    let mut range = RowRange::ALL;
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            1 => range.start = Bound::Included(value.bytes()?.into()),
            2 => range.start = Bound::Excluded(value.bytes()?.into()),
            3 => range.end = Bound::Excluded(value.bytes()?.into()),
            4 => range.end = Bound::Included(value.bytes()?.into()),
            _ => {}
        }
    }
    Ok(range)
}
