//! The requests of google.bigtable.v2, with the fields that the server uses.

use tabletop_model::{
    CheckAndMutateRow, Mutation, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, Result, RowKey,
    RowMutation, RowRange,
};
use tonic::Status;

use super::super::convert;
use super::super::fields::{
    check_and_mutate_row_request, mutate_row_request, mutate_rows_request, read_modify_write_row_request,
    read_rows_request, sample_row_keys_request,
};
use super::super::rpc::{Decode, WRITE_BYTES_MAX};
use super::super::status::status;
use super::super::wire::{Fields, Value};

/// The names of a request's table, views and app profile.
#[derive(Debug, Default)]
pub(crate) struct Target {
    /// The full name of the table; may be left out with a view.
    pub table: String,
    /// The full name of the authorized view, if there is one.
    pub view: String,
    /// The full name of the materialized view, if there is one.
    pub materialized_view: String,
    /// The ID of the app profile; empty for the default one.
    pub app_profile: String,
}

pub(crate) struct ReadRowsCall {
    pub target: Target,
    pub read: ReadRows,
    /// The limit as sent. A negative limit is rejected later.
    pub rows_limit: i64,
    /// Whether the stats are requested.
    pub with_stats: bool,
}

pub(crate) struct SampleRowKeysCall {
    pub target: Target,
    /// The rows to sample; `None` for all rows.
    pub range: Option<RowRange>,
}

pub(crate) struct MutateRowCall {
    pub target: Target,
    pub row: RowMutation,
}

pub(crate) struct MutateRowsCall {
    pub target: Target,
    /// All entries; for an invalid one, the reason.
    pub entries: Vec<Result<RowMutation>>,
}

pub(crate) struct CheckAndMutateRowCall {
    pub target: Target,
    pub check: CheckAndMutateRow,
}

pub(crate) struct ReadModifyWriteRowCall {
    pub target: Target,
    pub row: ReadModifyWriteRow,
}

/// The largest read request that Bigtable accepts (googleapis/google-cloud-python, issue 6836):
/// some ten thousand row keys.
const READ_BYTES_MAX: usize = 512 << 10;
/// `RequestStatsView.REQUEST_STATS_FULL`.
const STATS_FULL: i64 = 2;

impl Decode for ReadRowsCall {
    const BYTES_MAX: usize = READ_BYTES_MAX;
    // The shortest range has two bytes, and the engine's form of it replaces this one.
    const EXPANSION: usize = size_of::<RowRange>();

    fn too_long(bytes: usize) -> Status {
        Status::invalid_argument(format!(
            "the request has {bytes} bytes, and Bigtable accepts {READ_BYTES_MAX} bytes: read fewer row keys and ranges at a time"
        ))
    }

    fn decode(message: &[u8]) -> core::result::Result<Self, Status> {
        let mut call = ReadRowsCall {
            target: Target::default(),
            read: ReadRows::default(),
            rows_limit: 0,
            with_stats: false,
        };
        each(message, |number, value| {
            match number {
                read_rows_request::TABLE_NAME => call.target.table = value.text()?.into(),
                read_rows_request::AUTHORIZED_VIEW_NAME => call.target.view = value.text()?.into(),
                read_rows_request::APP_PROFILE_ID => call.target.app_profile = value.text()?.into(),
                read_rows_request::MATERIALIZED_VIEW_NAME => {
                    call.target.materialized_view = value.text()?.into();
                }
                read_rows_request::ROWS => call.read.rows = convert::row_set(value.bytes()?)?,
                read_rows_request::FILTER => call.read.filter = convert::filter(value.bytes()?)?,
                read_rows_request::ROWS_LIMIT => call.rows_limit = value.int()?,
                read_rows_request::REQUEST_STATS_VIEW => call.with_stats = value.int()? == STATS_FULL,
                read_rows_request::REVERSED => call.read.reversed = value.bool()?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(call)
    }
}

impl Decode for SampleRowKeysCall {
    fn decode(message: &[u8]) -> core::result::Result<Self, Status> {
        let (mut target, mut range) = (Target::default(), None);
        each(message, |number, value| {
            match number {
                sample_row_keys_request::TABLE_NAME => target.table = value.text()?.into(),
                sample_row_keys_request::AUTHORIZED_VIEW_NAME => target.view = value.text()?.into(),
                sample_row_keys_request::APP_PROFILE_ID => target.app_profile = value.text()?.into(),
                sample_row_keys_request::MATERIALIZED_VIEW_NAME => {
                    target.materialized_view = value.text()?.into();
                }
                sample_row_keys_request::ROW_RANGE => range = Some(convert::row_range(value.bytes()?)?),
                _ => {}
            }
            Ok(())
        })?;
        Ok(SampleRowKeysCall { target, range })
    }
}

impl Decode for MutateRowCall {
    const BYTES_MAX: usize = WRITE_BYTES_MAX;

    fn decode(message: &[u8]) -> core::result::Result<Self, Status> {
        let (mut target, mut key, mut messages) = (Target::default(), RowKey::default(), Vec::new());
        each(message, |number, value| {
            match number {
                mutate_row_request::TABLE_NAME => target.table = value.text()?.into(),
                mutate_row_request::AUTHORIZED_VIEW_NAME => target.view = value.text()?.into(),
                mutate_row_request::APP_PROFILE_ID => target.app_profile = value.text()?.into(),
                mutate_row_request::ROW_KEY => key = value.bytes()?.into(),
                mutate_row_request::MUTATIONS => {
                    convert::check_count(messages.len() + 1)?;
                    messages.push(value.bytes()?);
                }
                _ => {}
            }
            Ok(())
        })?;
        let mutations = convert::mutations(&messages).map_err(status)?;
        Ok(MutateRowCall { target, row: RowMutation { key, mutations } })
    }
}

impl Decode for MutateRowsCall {
    const BYTES_MAX: usize = WRITE_BYTES_MAX;

    fn decode(message: &[u8]) -> core::result::Result<Self, Status> {
        let mut call = MutateRowsCall { target: Target::default(), entries: Vec::new() };
        let mut mutations = 0;
        each(message, |number, value| {
            match number {
                mutate_rows_request::TABLE_NAME => call.target.table = value.text()?.into(),
                mutate_rows_request::AUTHORIZED_VIEW_NAME => call.target.view = value.text()?.into(),
                mutate_rows_request::APP_PROFILE_ID => call.target.app_profile = value.text()?.into(),
                mutate_rows_request::ENTRIES => {
                    let entry = convert::entry(value.bytes()?)?;
                    // An entry without mutations is invalid, but takes space, too.
                    mutations += entry.as_ref().map_or(1, |entry| entry.mutations.len().max(1));
                    convert::check_count(mutations)?;
                    call.entries.push(entry);
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(call)
    }
}

impl Decode for CheckAndMutateRowCall {
    const BYTES_MAX: usize = WRITE_BYTES_MAX;

    fn decode(message: &[u8]) -> core::result::Result<Self, Status> {
        let (mut target, mut key, mut predicate) = (Target::default(), RowKey::default(), None);
        let (mut on_match, mut otherwise) = (Vec::new(), Vec::new());
        each(message, |number, value| {
            match number {
                check_and_mutate_row_request::TABLE_NAME => target.table = value.text()?.into(),
                check_and_mutate_row_request::AUTHORIZED_VIEW_NAME => target.view = value.text()?.into(),
                check_and_mutate_row_request::APP_PROFILE_ID => target.app_profile = value.text()?.into(),
                check_and_mutate_row_request::ROW_KEY => key = value.bytes()?.into(),
                check_and_mutate_row_request::PREDICATE_FILTER => {
                    predicate = convert::filter(value.bytes()?)?;
                }
                check_and_mutate_row_request::TRUE_MUTATIONS => on_match.push(value.bytes()?),
                check_and_mutate_row_request::FALSE_MUTATIONS => otherwise.push(value.bytes()?),
                _ => {}
            }
            convert::check_count(on_match.len().max(otherwise.len()))
        })?;
        let mutations = |field: &str, messages: &[&[u8]]| -> core::result::Result<Vec<Mutation>, Status> {
            convert::mutations(messages).map_err(|error| {
                Status::invalid_argument(format!("Error in field '{field}' : {}", error.message))
            })
        };
        let (on_match, otherwise) =
            (mutations("true_mutations", &on_match)?, mutations("false_mutations", &otherwise)?);
        Ok(CheckAndMutateRowCall { target, check: CheckAndMutateRow { key, predicate, on_match, otherwise } })
    }
}

impl Decode for ReadModifyWriteRowCall {
    const BYTES_MAX: usize = WRITE_BYTES_MAX;

    fn decode(message: &[u8]) -> core::result::Result<Self, Status> {
        let (mut target, mut key, mut rules) =
            (Target::default(), RowKey::default(), Vec::<ReadModifyWriteRule>::new());
        each(message, |number, value| {
            match number {
                read_modify_write_row_request::TABLE_NAME => target.table = value.text()?.into(),
                read_modify_write_row_request::AUTHORIZED_VIEW_NAME => target.view = value.text()?.into(),
                read_modify_write_row_request::APP_PROFILE_ID => target.app_profile = value.text()?.into(),
                read_modify_write_row_request::ROW_KEY => key = value.bytes()?.into(),
                read_modify_write_row_request::RULES => rules.push(convert::rule(value.bytes()?)?),
                _ => {}
            }
            convert::check_count(rules.len())
        })?;
        Ok(ReadModifyWriteRowCall { target, row: ReadModifyWriteRow { key, rules } })
    }
}

/// Calls `take` with each field of a message.
fn each<'a>(
    message: &'a [u8],
    mut take: impl FnMut(u32, Value<'a>) -> Result<()>,
) -> core::result::Result<(), Status> {
    let mut fields = Fields::of(message);
    while let Some((number, value)) = fields.next().map_err(status)? {
        take(number, value).map_err(status)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
