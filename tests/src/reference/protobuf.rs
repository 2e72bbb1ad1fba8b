//! The length of a filter in protobuf encoding (`google/bigtable/v2/data.proto`), without encoding
//! it.

use std::ops::Bound;

use tabletop_model::RowFilter;

/// Returns the length of the encoded message `RowFilter`.
pub(super) fn length(filter: &RowFilter) -> usize {
    match filter {
        RowFilter::Chain(filters) | RowFilter::Interleave(filters) => {
            field(filters.iter().map(|filter| field(length(filter))).sum())
        }
        RowFilter::Condition { predicate, on_true, on_false } => {
            let branches = [Some(predicate), on_true.as_ref(), on_false.as_ref()];
            field(branches.into_iter().flatten().map(|filter| field(length(filter))).sum())
        }
        // Tags of fields numbered 16 and above take two bytes.
        RowFilter::Sink(_) => 1 + 2,
        RowFilter::PassAll(_) | RowFilter::BlockAll(_) => 1 + 2,
        RowFilter::StripValue(_) => 1 + 1,
        RowFilter::RowKeyRegex(bytes)
        | RowFilter::ColumnQualifierRegex(bytes)
        | RowFilter::ValueRegex(bytes) => field(bytes.len()),
        RowFilter::FamilyNameRegex(text) => field(text.len()),
        RowFilter::ApplyLabel(text) => 1 + field(text.len()),
        RowFilter::ValueBitmask(mask) => 1 + field(if mask.is_empty() { 0 } else { field(mask.len()) }),
        RowFilter::ColumnRange(range) => {
            let family = if range.family.is_empty() { 0 } else { field(range.family.len()) };
            field(family + end(&range.start) + end(&range.end))
        }
        RowFilter::ValueRange(range) => field(end(&range.start) + end(&range.end)),
        RowFilter::TimestampRange(range) => field(number(range.start) + number(range.end)),
        RowFilter::CellsPerRowOffset(count)
        | RowFilter::CellsPerRowLimit(count)
        | RowFilter::CellsPerColumnLimit(count) => 1 + varint(i64::from(*count) as u64),
        RowFilter::RowSample(_) => 1 + 8,
    }
}

/// Returns the length of a field with `content` bytes and a number below 16.
fn field(content: usize) -> usize {
    1 + varint(content as u64) + content
}

fn end<T: AsRef<[u8]>>(bound: &Bound<T>) -> usize {
    match bound {
        Bound::Included(bytes) | Bound::Excluded(bytes) => field(bytes.as_ref().len()),
        Bound::Unbounded => 0,
    }
}

/// Returns the length of an integer field. The value 0 is not encoded.
fn number(value: i64) -> usize {
    if value == 0 { 0 } else { 1 + varint(value as u64) }
}

fn varint(value: u64) -> usize {
    ((64 - value.leading_zeros() as usize).max(1)).div_ceil(7)
}
