//! Filters. A message of ours, for the published ones do not know all of them and would take those for no filter at all.

use std::ops::Bound;

use tabletop_model::limits::{FILTER_BYTES_MAX, FILTER_DEPTH_MAX};
use tabletop_model::{Bytes, ColumnRange, Error, Result, RowFilter, ValueRange};

use super::mutation::timestamp_range;
use crate::grpc::wire::{Fields, Value};

/// `google.bigtable.v2.RowFilter`; `None` for one that is not set, which lets everything pass.
pub(crate) fn filter(message: &[u8]) -> Result<Option<RowFilter>> {
    // In memory it would take far more room than on the wire. What is only too large is refused later, for what is most wrong with it.
    if message.len() > 16 * FILTER_BYTES_MAX {
        return Err(Error::invalid(format!(
            "Error in field 'filter' : the filter takes {} bytes, the limit is {FILTER_BYTES_MAX}: shorten its patterns, or read in \
             several requests",
            message.len()
        )));
    }
    nested(message, 1)
}

fn nested(message: &[u8], depth: usize) -> Result<Option<RowFilter>> {
    // What is a little too deep is refused with its place, like all that makes no sense.
    if depth > FILTER_DEPTH_MAX + 2 {
        return Err(Error::invalid(format!("Error in field 'filter' : filters are nested more than {FILTER_DEPTH_MAX} deep")));
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
        1 => RowFilter::Chain(list(value.bytes()?, depth)?),
        2 => RowFilter::Interleave(list(value.bytes()?, depth)?),
        3 => condition(value.bytes()?, depth)?,
        4 => RowFilter::RowKeyRegex(value.bytes()?.into()),
        5 => RowFilter::FamilyNameRegex(value.text()?.into()),
        6 => RowFilter::ColumnQualifierRegex(value.bytes()?.into()),
        7 => column_range(value.bytes()?)?,
        8 => RowFilter::TimestampRange(timestamp_range(value.bytes()?)?),
        9 => RowFilter::ValueRegex(value.bytes()?.into()),
        10 => RowFilter::CellsPerRowOffset(value.int()? as i32),
        11 => RowFilter::CellsPerRowLimit(value.int()? as i32),
        12 => RowFilter::CellsPerColumnLimit(value.int()? as i32),
        13 => RowFilter::StripValue(value.bool()?),
        14 => RowFilter::RowSample(value.double()?),
        15 => value_range(value.bytes()?)?,
        16 => RowFilter::Sink(value.bool()?),
        17 => RowFilter::PassAll(value.bool()?),
        18 => RowFilter::BlockAll(value.bool()?),
        19 => RowFilter::ApplyLabel(value.text()?.into()),
        20 => RowFilter::ValueBitmask(bitmask(value.bytes()?)?),
        _ => {
            return Err(Error::invalid(format!(
                "Error in field 'filter' : field {number} of RowFilter is not known to this version: use another filter"
            )));
        }
    })
}

/// One inside of others that is not set lets everything pass, too.
fn inner(message: &[u8], depth: usize) -> Result<RowFilter> {
    Ok(nested(message, depth + 1)?.unwrap_or(RowFilter::PassAll(true)))
}

fn list(message: &[u8], depth: usize) -> Result<Vec<RowFilter>> {
    let mut filters = Vec::new();
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        if number == 1 {
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
            1 => &mut predicate,
            2 => &mut on_true,
            3 => &mut on_false,
            _ => continue,
        };
        *branch = Some(Box::new(inner(value.bytes()?, depth)?));
    }
    let predicate =
        predicate.ok_or_else(|| Error::invalid("Error in field 'condition' : predicate_filter is not set: say what decides"))?;
    Ok(RowFilter::Condition { predicate, on_true, on_false })
}

fn column_range(message: &[u8]) -> Result<RowFilter> {
    let mut range = ColumnRange { family: String::new(), start: Bound::Unbounded, end: Bound::Unbounded };
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            1 => range.family = value.text()?.into(),
            2 => range.start = Bound::Included(value.bytes()?.into()),
            3 => range.start = Bound::Excluded(value.bytes()?.into()),
            4 => range.end = Bound::Included(value.bytes()?.into()),
            5 => range.end = Bound::Excluded(value.bytes()?.into()),
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
            1 => range.start = Bound::Included(value.bytes()?.into()),
            2 => range.start = Bound::Excluded(value.bytes()?.into()),
            3 => range.end = Bound::Included(value.bytes()?.into()),
            4 => range.end = Bound::Excluded(value.bytes()?.into()),
            _ => {}
        }
    }
    Ok(RowFilter::ValueRange(range))
}

fn bitmask(message: &[u8]) -> Result<Bytes> {
    let mut mask = Bytes::default();
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        if number == 1 {
            mask = value.bytes()?.into();
        }
    }
    Ok(mask)
}
