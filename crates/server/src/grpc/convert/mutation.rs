//! Mutations of rows.

use tabletop_model::limits::MUTATIONS_MAX;
use tabletop_model::{
    AggregateInput, Bytes, Error, Mutation, ReadModify, ReadModifyWriteRule, Result, RowKey, RowMutation,
    Timestamp, TimestampRange,
};

use crate::grpc::fields::{
    aggregate, delete_from_column, delete_from_family, mutate_rows_entry, mutation, read_modify_write_rule,
    set_cell, timestamp_range, value,
};
use crate::grpc::wire::{Fields, Value};

/// Reads a `google.bigtable.v2.MutateRowsRequest.Entry`. The inner error is the failure of this
/// entry alone.
pub(crate) fn entry(message: &[u8]) -> Result<Result<RowMutation>> {
    let mut key = RowKey::default();
    let mut mutations = Vec::new();
    let mut broken = None;
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            mutate_rows_entry::ROW_KEY => key = value.bytes()?.into(),
            mutate_rows_entry::MUTATIONS => match mutation(value.bytes()?)? {
                Ok(mutation) => {
                    mutations.push(mutation);
                    check_count(mutations.len())?;
                }
                Err(error) => drop(broken.get_or_insert_with(|| at(mutations.len(), error))),
            },
            _ => {}
        }
    }
    Ok(broken.map_or(Ok(RowMutation { key, mutations }), Err))
}

/// Rejects a request with far too many mutations while it is read, because each takes much more
/// space in memory than its encoding. If there are only a few too many, the engine rejects the
/// request and reports their number.
pub(crate) fn check_count(mutations: usize) -> Result<()> {
    if mutations <= 2 * MUTATIONS_MAX {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "more mutations than {MUTATIONS_MAX}, the limit of a request: send several requests"
    )))
}

/// Reads a row's mutations, each from its message.
pub(crate) fn mutations(messages: &[&[u8]]) -> Result<Vec<Mutation>> {
    let one = |(index, message): (usize, &&[u8])| mutation(message)?.map_err(|error| at(index, error));
    messages.iter().enumerate().map(one).collect()
}

/// Reads a `google.bigtable.v2.Mutation`. The outer error is a malformed message, the inner one an
/// invalid mutation.
fn mutation(message: &[u8]) -> Result<Result<Mutation>> {
    let mut found = Err(Error::invalid(
        "mutation is not set, or of an unknown kind: set one of set_cell, add_to_cell, \
                                        merge_to_cell, delete_from_column, delete_from_family, delete_from_row",
    ));
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        found = match number {
            mutation::SET_CELL => Ok(set_cell(value.bytes()?)?),
            mutation::DELETE_FROM_COLUMN => Ok(delete_from_column(value.bytes()?)?),
            mutation::DELETE_FROM_FAMILY => {
                Ok(Mutation::DeleteFromFamily { family: delete_from_family(value.bytes()?)? })
            }
            mutation::DELETE_FROM_ROW => Ok(Mutation::DeleteFromRow),
            mutation::ADD_TO_CELL => add_to_cell(value.bytes()?)?,
            mutation::MERGE_TO_CELL => merge_to_cell(value.bytes()?)?,
            _ => found,
        };
    }
    Ok(found)
}

fn set_cell(message: &[u8]) -> Result<Mutation> {
    let (mut family, mut qualifier, mut timestamp, mut cell) =
        (String::new(), Bytes::default(), 0, Bytes::default());
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            set_cell::FAMILY_NAME => family = value.text()?.into(),
            set_cell::COLUMN_QUALIFIER => qualifier = value.bytes()?.into(),
            set_cell::TIMESTAMP_MICROS => timestamp = value.int()?,
            set_cell::VALUE => cell = value.bytes()?.into(),
            _ => {}
        }
    }
    Ok(Mutation::SetCell { family, qualifier, timestamp, value: cell })
}

fn delete_from_column(message: &[u8]) -> Result<Mutation> {
    let (mut family, mut qualifier, mut range) = (String::new(), Bytes::default(), TimestampRange::ALL);
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            delete_from_column::FAMILY_NAME => family = value.text()?.into(),
            delete_from_column::COLUMN_QUALIFIER => qualifier = value.bytes()?.into(),
            delete_from_column::TIME_RANGE => range = timestamp_range(value.bytes()?)?,
            _ => {}
        }
    }
    Ok(Mutation::DeleteFromColumn { family, qualifier, range })
}

fn delete_from_family(message: &[u8]) -> Result<String> {
    let mut family = String::new();
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        if number == delete_from_family::FAMILY_NAME {
            family = value.text()?.into();
        }
    }
    Ok(family)
}

/// Reads a `google.bigtable.v2.TimestampRange`.
pub(super) fn timestamp_range(message: &[u8]) -> Result<TimestampRange> {
    let mut range = TimestampRange::ALL;
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            timestamp_range::START_TIMESTAMP_MICROS => range.start = value.int()?,
            timestamp_range::END_TIMESTAMP_MICROS => range.end = value.int()?,
            _ => {}
        }
    }
    Ok(range)
}

fn add_to_cell(message: &[u8]) -> Result<Result<Mutation>> {
    let (family, qualifier, timestamp, input) = aggregate(message)?;
    let input = match input {
        Typed::Int(number) => Ok(AggregateInput::Int(number)),
        Typed::Raw(bytes) | Typed::Bytes(bytes) => Ok(AggregateInput::Bytes(bytes.into())),
        Typed::RawTime(_) | Typed::Other => Err(Error::invalid(
            "Error in field 'input' : must use `int_value`, or `raw_value` where bytes are counted",
        )),
    };
    let mutation = || {
        let (qualifier, timestamp) = place(qualifier, timestamp)?;
        Ok(Mutation::AddToCell { family: family.into(), qualifier, timestamp, input: input? })
    };
    Ok(mutation())
}

fn merge_to_cell(message: &[u8]) -> Result<Result<Mutation>> {
    let (family, qualifier, timestamp, input) = aggregate(message)?;
    let input = match input {
        Typed::Raw(bytes) | Typed::Bytes(bytes) => Ok(bytes.into()),
        _ => Err(Error::invalid(
            "Error in field 'input' : must use `raw_value`, the value of a cell that was aggregated elsewhere",
        )),
    };
    let mutation = || {
        let (qualifier, timestamp) = place(qualifier, timestamp)?;
        Ok(Mutation::MergeToCell { family: family.into(), qualifier, timestamp, input: input? })
    };
    Ok(mutation())
}

/// The kinds of `google.bigtable.v2.Value` that mutations use.
#[derive(Clone, Copy)]
enum Typed<'a> {
    Raw(&'a [u8]),
    RawTime(Timestamp),
    Bytes(&'a [u8]),
    Int(i64),
    Other,
}

/// Reads family, qualifier, timestamp and input of `AddToCell` and `MergeToCell`.
fn aggregate(message: &[u8]) -> Result<(&str, Typed<'_>, Typed<'_>, Typed<'_>)> {
    let mut found = ("", Typed::Other, Typed::Other, Typed::Other);
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            aggregate::FAMILY_NAME => found.0 = value.text()?,
            aggregate::COLUMN_QUALIFIER => found.1 = typed(value.bytes()?)?,
            aggregate::TIMESTAMP => found.2 = typed(value.bytes()?)?,
            aggregate::INPUT => found.3 = typed(value.bytes()?)?,
            _ => {}
        }
    }
    Ok(found)
}

fn typed(message: &[u8]) -> Result<Typed<'_>> {
    let mut found = Typed::Other;
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        found = match (number, value) {
            (value::RAW_VALUE, Value::Bytes(bytes)) => Typed::Raw(bytes),
            (value::RAW_TIMESTAMP_MICROS, Value::Varint(micros)) => Typed::RawTime(micros as i64),
            (value::BYTES_VALUE | value::STRING_VALUE, Value::Bytes(bytes)) => Typed::Bytes(bytes),
            (value::INT_VALUE, Value::Varint(number)) => Typed::Int(number as i64),
            // The value's type adds no information.
            (value::TYPE, _) => found,
            _ => Typed::Other,
        };
    }
    Ok(found)
}

fn place(qualifier: Typed<'_>, timestamp: Typed<'_>) -> Result<(Bytes, Timestamp)> {
    let Typed::Raw(qualifier) = qualifier else {
        return Err(Error::invalid("Error in field 'column_qualifier' : must use `raw_value`"));
    };
    let Typed::RawTime(timestamp) = timestamp else {
        return Err(Error::invalid("Error in field 'timestamp' : must use `raw_timestamp_micros`"));
    };
    Ok((qualifier.into(), timestamp))
}

/// Reads a `google.bigtable.v2.ReadModifyWriteRule`.
pub(crate) fn rule(message: &[u8]) -> Result<ReadModifyWriteRule> {
    let (mut family, mut qualifier, mut modify) = (String::new(), Bytes::default(), None);
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next()? {
        match number {
            read_modify_write_rule::FAMILY_NAME => family = value.text()?.into(),
            read_modify_write_rule::COLUMN_QUALIFIER => qualifier = value.bytes()?.into(),
            read_modify_write_rule::APPEND_VALUE => modify = Some(ReadModify::Append(value.bytes()?.into())),
            read_modify_write_rule::INCREMENT_AMOUNT => modify = Some(ReadModify::Increment(value.int()?)),
            _ => {}
        }
    }
    let modify =
        modify.ok_or_else(|| Error::invalid("rule is not set: set append_value or increment_amount"))?;
    Ok(ReadModifyWriteRule { family, qualifier, modify })
}

fn at(index: usize, error: Error) -> Error {
    Error::new(error.code, format!("Error in mutation #{index} : {}", error.message))
}
