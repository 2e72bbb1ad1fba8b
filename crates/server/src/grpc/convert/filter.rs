//! Filters. They are read by this crate's own decoder: a published message drops filters that it
//! does not know, and would then mean "no filter".

use std::ops::Bound;

use tabletop_model::limits::{FILTER_BYTES_MAX, FILTER_DEPTH_MAX};
use tabletop_model::{Bytes, ColumnRange, Error, Result, RowFilter, ValueRange};

use super::mutation::timestamp_range;
use crate::grpc::fields::{column_range, condition, filters, row_filter, value_bitmask, value_range};
use crate::grpc::wire::{Fields, Value};

/// Reads a `google.bigtable.v2.RowFilter`. Returns `None` for one that is not set, which passes all
/// cells.
pub(crate) fn filter(message: &[u8]) -> Result<Option<RowFilter>> {
    // In memory, a filter takes much more space than its encoding. A filter that is only slightly
    // too large is rejected later, with a better reason.
    if message.len() > 16 * FILTER_BYTES_MAX {
        return Err(Error::invalid(format!(
            "Error in field 'filter' : the filter takes {} bytes; the limit is {FILTER_BYTES_MAX}: shorten its patterns, or read in \
             several requests",
            message.len()
        )));
    }
    nested(message, 1)
}

fn nested(message: &[u8], depth: usize) -> Result<Option<RowFilter>> {
    // A filter that is only slightly too deep is rejected later, with its position.
    if depth > FILTER_DEPTH_MAX + 2 {
        return Err(Error::invalid(format!(
            "Error in field 'filter' : filters are nested more than {FILTER_DEPTH_MAX} deep"
        )));
    }
    let mut found = None;
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        found = Some(kind(number, value, depth)?);
    }
    Ok(found)
}

fn kind(number: u32, value: Value<'_>, depth: usize) -> Result<RowFilter> {
    Ok(match number {
        row_filter::CHAIN => RowFilter::Chain(list(value.bytes()?, depth)?),
        row_filter::INTERLEAVE => RowFilter::Interleave(list(value.bytes()?, depth)?),
        row_filter::CONDITION => condition(value.bytes()?, depth)?,
        row_filter::ROW_KEY_REGEX_FILTER => RowFilter::RowKeyRegex(value.bytes()?.into()),
        row_filter::FAMILY_NAME_REGEX_FILTER => RowFilter::FamilyNameRegex(value.text()?.into()),
        row_filter::COLUMN_QUALIFIER_REGEX_FILTER => RowFilter::ColumnQualifierRegex(value.bytes()?.into()),
        row_filter::COLUMN_RANGE_FILTER => column_range(value.bytes()?)?,
        row_filter::TIMESTAMP_RANGE_FILTER => RowFilter::TimestampRange(timestamp_range(value.bytes()?)?),
        row_filter::VALUE_REGEX_FILTER => RowFilter::ValueRegex(value.bytes()?.into()),
        row_filter::CELLS_PER_ROW_OFFSET_FILTER => RowFilter::CellsPerRowOffset(value.int()? as i32),
        row_filter::CELLS_PER_ROW_LIMIT_FILTER => RowFilter::CellsPerRowLimit(value.int()? as i32),
        row_filter::CELLS_PER_COLUMN_LIMIT_FILTER => RowFilter::CellsPerColumnLimit(value.int()? as i32),
        row_filter::STRIP_VALUE_TRANSFORMER => RowFilter::StripValue(value.bool()?),
        row_filter::ROW_SAMPLE_FILTER => RowFilter::RowSample(value.double()?),
        row_filter::VALUE_RANGE_FILTER => value_range(value.bytes()?)?,
        row_filter::SINK => RowFilter::Sink(value.bool()?),
        row_filter::PASS_ALL_FILTER => RowFilter::PassAll(value.bool()?),
        row_filter::BLOCK_ALL_FILTER => RowFilter::BlockAll(value.bool()?),
        row_filter::APPLY_LABEL_TRANSFORMER => RowFilter::ApplyLabel(value.text()?.into()),
        row_filter::VALUE_BITMASK_FILTER => RowFilter::ValueBitmask(bitmask(value.bytes()?)?),
        _ => {
            return Err(Error::invalid(format!(
                "Error in field 'filter' : field {number} of RowFilter is not supported by this version: use another filter"
            )));
        }
    })
}

/// Reads a filter within another one. A filter that is not set passes all cells there, too.
fn inner(message: &[u8], depth: usize) -> Result<RowFilter> {
    Ok(nested(message, depth + 1)?.unwrap_or(RowFilter::PassAll(true)))
}

fn list(message: &[u8], depth: usize) -> Result<Vec<RowFilter>> {
    let mut filters = Vec::new();
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        if number == filters::FILTERS {
            filters.push(inner(value.bytes()?, depth)?);
        }
    }
    Ok(filters)
}

fn condition(message: &[u8], depth: usize) -> Result<RowFilter> {
    let (mut predicate, mut on_true, mut on_false) = (None, None, None);
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        let branch = match number {
            condition::PREDICATE_FILTER => &mut predicate,
            condition::TRUE_FILTER => &mut on_true,
            condition::FALSE_FILTER => &mut on_false,
            _ => continue,
        };
        *branch = Some(Box::new(inner(value.bytes()?, depth)?));
    }
    let predicate = predicate.ok_or_else(|| {
        Error::invalid("Error in field 'condition' : predicate_filter is not set: it is required")
    })?;
    Ok(RowFilter::Condition { predicate, on_true, on_false })
}

fn column_range(message: &[u8]) -> Result<RowFilter> {
    let mut range = ColumnRange { family: String::new(), start: Bound::Unbounded, end: Bound::Unbounded };
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            column_range::FAMILY_NAME => range.family = value.text()?.into(),
            column_range::START_QUALIFIER_CLOSED => range.start = Bound::Included(value.bytes()?.into()),
            column_range::START_QUALIFIER_OPEN => range.start = Bound::Excluded(value.bytes()?.into()),
            column_range::END_QUALIFIER_CLOSED => range.end = Bound::Included(value.bytes()?.into()),
            column_range::END_QUALIFIER_OPEN => range.end = Bound::Excluded(value.bytes()?.into()),
            _ => {}
        }
    }
    Ok(RowFilter::ColumnRange(range))
}

fn value_range(message: &[u8]) -> Result<RowFilter> {
    let mut range = ValueRange { start: Bound::Unbounded, end: Bound::Unbounded };
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            value_range::START_VALUE_CLOSED => range.start = Bound::Included(value.bytes()?.into()),
            value_range::START_VALUE_OPEN => range.start = Bound::Excluded(value.bytes()?.into()),
            value_range::END_VALUE_CLOSED => range.end = Bound::Included(value.bytes()?.into()),
            value_range::END_VALUE_OPEN => range.end = Bound::Excluded(value.bytes()?.into()),
            _ => {}
        }
    }
    Ok(RowFilter::ValueRange(range))
}

fn bitmask(message: &[u8]) -> Result<Bytes> {
    let mut mask = Bytes::default();
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        if number == value_bitmask::MASK {
            mask = value.bytes()?.into();
        }
    }
    Ok(mask)
}
