//! The tasks of the commands.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{
    Bytes, ColumnRange, DropRowRange, Mutation, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule,
    ReadRows, Request, Response, Result, RowFilter, RowKey, RowMutation, RowRange, RowSet, SERVER_TIME,
    TableRequest, TableSpec, Timestamp, TimestampRange,
};

use super::form::{COUNT, CREATE, GET, SCAN};
use super::options::{
    Column, Hash, Input, InputResult, column, each, micros, number, text_bytes, utf8, wrong,
};
use super::ruby::Value;
use super::{alter, filter, print};
use crate::read::Read;
use crate::task::{Next, Requests, Show, Task, unexpected};

type Started = InputResult<Box<dyn Task>>;

pub(super) fn create(input: Input) -> Started {
    let table = input.text(0)?;
    let mut spec = TableSpec::default();
    for argument in input.arguments.iter().skip(1) {
        let Value::Hash(_) = &argument.value else {
            let name = utf8(text_bytes(argument)?, argument.span)?;
            spec.families.push(alter::family(name, &Hash::default())?);
            continue;
        };
        let hash = Hash::of(argument, CREATE)?;
        if let Some(splits) = hash.get("SPLITS") {
            spec.initial_splits = each(splits).iter().map(text_bytes).collect::<InputResult<_>>()?;
            spec.initial_splits.sort_unstable();
        }
        if let Some(name) = hash.get("NAME") {
            let name = utf8(text_bytes(name)?, name.span)?;
            spec.families.push(alter::family(name, &hash)?);
        }
    }
    let show = Show::by(print::created).named(table.as_str());
    Ok(Requests::one(TableRequest::Create(spec).of(table), "", show))
}

pub(super) fn put(input: Input) -> Started {
    input.most(5)?;
    let (family, qualifier) = input.column(2)?;
    let (value, timestamp) = (input.bytes(3)?, input.timestamp(4)?);
    mutate(&input, Mutation::SetCell { family, qualifier, timestamp, value })
}

fn mutate(input: &Input, mutation: Mutation) -> Started {
    let entries = vec![RowMutation { key: input.bytes(1)?, mutations: vec![mutation] }];
    Ok(Requests::one(TableRequest::MutateRows(entries).of(input.text(0)?), "", Show::SILENT))
}

/// Deletes one version: the one with the given time, or the newest, which must be looked up.
pub(super) fn delete(input: Input) -> Started {
    input.most(4)?;
    let (family, qualifier) = input.column(2)?;
    let (table, key) = (input.text(0)?, input.bytes(1)?);
    let found = match input.timestamp(3)? {
        SERVER_TIME => None,
        timestamp => Some(timestamp),
    };
    Ok(Box::new(Delete { table, key, family, qualifier, found, is_done: false }))
}

/// A running `delete`.
struct Delete {
    table: String,
    key: RowKey,
    family: String,
    qualifier: Bytes,
    /// The time of the cell to delete.
    found: Option<Timestamp>,
    is_done: bool,
}

impl Task for Delete {
    fn next(&mut self, _out: &mut String) -> Next {
        let table = self.table.clone();
        let (family, qualifier) = (self.family.clone(), self.qualifier.clone());
        match self.found {
            _ if self.is_done => Next::Done,
            Some(start) => {
                let range = TimestampRange { start, end: start.saturating_add(1_000) };
                let mutations = vec![Mutation::DeleteFromColumn { family, qualifier, range }];
                let entries = vec![RowMutation { key: self.key.clone(), mutations }];
                Next::Request(Box::new(TableRequest::MutateRows(entries).of(table)))
            }
            None => {
                let column = Column { family, qualifier: Some(qualifier) };
                let filter = RowFilter::Chain(vec![of_column(&column), RowFilter::CellsPerColumnLimit(1)]);
                let rows = RowSet { keys: vec![self.key.clone()], ranges: Vec::new() };
                let read = ReadRows { rows, filter: Some(filter), ..ReadRows::default() };
                Next::Request(Box::new(TableRequest::ReadRows(read).of(table)))
            }
        }
    }

    fn take(&mut self, answer: Response, _out: &mut String) -> Result<()> {
        match answer {
            Response::Rows(chunk) => {
                self.found = chunk.rows.first().and_then(|row| row.cells.first()).map(|cell| cell.timestamp);
                self.is_done = self.found.is_none();
                Ok(())
            }
            Response::Mutated(results) => {
                self.is_done = true;
                results.into_iter().flatten().next().map_or(Ok(()), Err)
            }
            _ => Err(unexpected()),
        }
    }

    fn doing(&self) -> &'static str {
        ""
    }

    fn changes(&self) -> bool {
        true
    }
}

pub(super) fn delete_all(input: Input) -> Started {
    input.most(4)?;
    if let Some(Value::Hash(_)) = input.arguments.get(1).map(|argument| &argument.value) {
        let prefix = input.hash(1, &["ROWPREFIXFILTER"])?.bytes("ROWPREFIXFILTER")?.unwrap_or_default();
        let request = TableRequest::DropRowRange(DropRowRange::Prefix(prefix)).of(input.text(0)?);
        return Ok(Requests::one(request, "", Show::SILENT));
    }
    let mutation = match input.arguments.get(2) {
        None => Mutation::DeleteFromRow,
        Some(argument) => match column(&input.bytes(2)?, argument.span)? {
            Column { family, qualifier: None } => Mutation::DeleteFromFamily { family },
            Column { family, qualifier: Some(qualifier) } => {
                // Up to and including the time.
                let end = match input.timestamp(3)? {
                    SERVER_TIME => 0,
                    timestamp => timestamp.saturating_add(1_000),
                };
                Mutation::DeleteFromColumn { family, qualifier, range: TimestampRange { start: 0, end } }
            }
        },
    };
    mutate(&input, mutation)
}

pub(super) fn get(input: Input) -> Started {
    let rows = RowSet { keys: vec![input.bytes(1)?], ranges: Vec::new() };
    let (hash, columns) = match input.arguments.get(2).map(|argument| &argument.value) {
        Some(Value::Hash(_)) => (input.hash(2, GET)?, Vec::new()),
        _ => {
            let literals = input.arguments.iter().skip(2).flat_map(each);
            (
                Hash::default(),
                literals
                    .map(|literal| column(&text_bytes(literal)?, literal.span))
                    .collect::<InputResult<_>>()?,
            )
        }
    };
    let (read, versions) = with_options(ReadRows { rows, ..ReadRows::default() }, &hash, columns)?;
    Ok(Read::task(input.text(0)?, read, "", print::Get { versions }))
}

pub(super) fn scan(input: Input) -> Started {
    input.most(2)?;
    let (read, versions) = rows_and_options(&input.hash(1, SCAN)?)?;
    Ok(Read::task(input.text(0)?, read, "", print::Scan { versions }))
}

fn rows_and_options(hash: &Hash) -> InputResult<(ReadRows, i32)> {
    let reversed = hash.flag("REVERSED")?;
    let (first, last, prefix) =
        (hash.bytes("STARTROW")?, hash.bytes("STOPROW")?, hash.bytes("ROWPREFIXFILTER")?);
    let [first, last] = [first, last].map(|key| key.filter(|key| !key.is_empty()));
    let included = |key: Option<Bytes>| key.map_or(Bound::Unbounded, Bound::Included);
    let excluded = |key: Option<Bytes>| key.map_or(Bound::Unbounded, Bound::Excluded);
    let rows = match (prefix, first.is_some() || last.is_some()) {
        (Some(prefix), _) => RowSet::range(RowRange::prefix(prefix)),
        (None, false) => RowSet::all(),
        // In reverse order, the first row is the upper bound.
        (None, true) if reversed => RowSet::range(RowRange { start: excluded(last), end: included(first) }),
        (None, true) => RowSet::range(RowRange { start: included(first), end: excluded(last) }),
    };
    with_options(ReadRows { rows, reversed, ..ReadRows::default() }, hash, Vec::new())
}

/// Adds columns, times, FILTER, VERSIONS and LIMIT to a read, chained in this order. Returns it
/// with the number of VERSIONS to print.
///
/// If filters are joined by OR, Bigtable returns a cell once for each of them that it passes.
/// Therefore more versions are read than are printed, and copies are removed.
fn with_options(mut read: ReadRows, hash: &Hash, mut columns: Vec<Column>) -> InputResult<(ReadRows, i32)> {
    for literal in ["COLUMNS", "COLUMN"].into_iter().filter_map(|name| hash.get(name)).flat_map(each) {
        columns.push(column(&text_bytes(literal)?, literal.span)?);
    }
    let mut filters = Vec::new();
    let mut copies_max = 1;
    let mut of_columns: Vec<RowFilter> = distinct(columns).iter().map(of_column).collect();
    match of_columns.len() {
        0 => {}
        1 => filters.append(&mut of_columns),
        _ => filters.push(RowFilter::Interleave(of_columns)),
    }
    filters.extend(time_range(hash)?.map(RowFilter::TimestampRange));
    if let Some(limit) = hash.number("LIMIT")? {
        read.rows_limit = u64::try_from(limit).unwrap_or_default();
    }
    if let Some(literal) = hash.get("FILTER") {
        let text = utf8(text_bytes(literal)?, literal.span)?;
        let parsed =
            filter::parse(&text).map_err(|message| wrong(literal.span, format!("In FILTER: {message}")))?;
        copies_max = parsed.filter.as_ref().map_or(1, filter::copies_max);
        filters.extend(parsed.filter);
        if let Some(rows) = parsed.rows {
            read.rows_limit = if read.rows_limit == 0 { rows } else { read.rows_limit.min(rows) };
        }
    }
    let versions = match hash.get("VERSIONS") {
        None => 1,
        Some(literal) => {
            let versions = i32::try_from(number(literal)?).unwrap_or(i32::MAX);
            if versions < 1 {
                return Err(wrong(literal.span, "VERSIONS must be 1 or more".into()));
            }
            versions
        }
    };
    let asked = versions.saturating_mul(copies_max);
    if asked != super::rules::ALL_VERSIONS {
        filters.push(RowFilter::CellsPerColumnLimit(asked));
    }
    read.filter = if filters.len() > 1 { Some(RowFilter::Chain(filters)) } else { filters.pop() };
    Ok((read, versions))
}

/// Removes columns that are listed twice, or whose whole family is also listed.
pub(super) fn distinct(mut columns: Vec<Column>) -> Vec<Column> {
    let families = columns.iter().filter(|column| column.qualifier.is_none());
    let families: BTreeSet<String> = families.map(|column| column.family.clone()).collect();
    let mut seen = BTreeSet::new();
    columns.retain(|column| {
        let is_within = column.qualifier.is_some() && families.contains(&column.family);
        !is_within && seen.insert(column.clone())
    });
    columns
}

/// Returns a filter for the cells of a column, or of a family.
pub(super) fn of_column(column: &Column) -> RowFilter {
    let bound = || column.qualifier.clone().map_or(Bound::Unbounded, Bound::Included);
    RowFilter::ColumnRange(ColumnRange { family: column.family.clone(), start: bound(), end: bound() })
}

fn time_range(hash: &Hash) -> InputResult<Option<TimestampRange>> {
    if let Some(literal) = hash.get("TIMESTAMP") {
        let start = micros(literal)?;
        return Ok(Some(TimestampRange { start, end: start.saturating_add(1_000) }));
    }
    let Some(literal) = hash.get("TIMERANGE") else { return Ok(None) };
    match each(literal) {
        [start, end] => Ok(Some(TimestampRange { start: micros(start)?, end: micros(end)? })),
        _ => Err(wrong(literal.span, "TIMERANGE is [start, end) in milliseconds".into())),
    }
}

pub(super) fn count(input: Input) -> Started {
    input.most(2)?;
    let hash = match input.arguments.get(1).map(|argument| &argument.value) {
        // The interval of progress messages, which are not printed.
        Some(Value::Number(_)) => Hash::default(),
        _ => input.hash(1, COUNT)?,
    };
    let (mut read, _) = rows_and_options(&hash)?;
    let mut filters: Vec<RowFilter> = read.filter.take().into_iter().collect();
    filters.extend([RowFilter::CellsPerRowLimit(1), RowFilter::StripValue(true)]);
    read.filter = Some(RowFilter::Chain(filters));
    Ok(Read::task(input.text(0)?, read, "", print::Count::default()))
}

pub(super) fn get_counter(input: Input) -> Started {
    input.most(3)?;
    let (family, qualifier) = input.column(2)?;
    let column = of_column(&Column { family, qualifier: Some(qualifier) });
    let filter = RowFilter::Chain(vec![column, RowFilter::CellsPerColumnLimit(1)]);
    let rows = RowSet { keys: vec![input.bytes(1)?], ranges: Vec::new() };
    let read = ReadRows { rows, filter: Some(filter), ..ReadRows::default() };
    Ok(Read::task(input.text(0)?, read, "", print::Counter::default()))
}

pub(super) fn increment(input: Input) -> Started {
    input.most(4)?;
    let delta = input.arguments.get(3).map_or(Ok(1), number)?;
    read_modify_write(&input, ReadModify::Increment(delta), Show::by(print::incremented))
}

pub(super) fn append(input: Input) -> Started {
    input.most(4)?;
    read_modify_write(&input, ReadModify::Append(input.bytes(3)?), Show::by(print::appended))
}

fn read_modify_write(input: &Input, modify: ReadModify, show: Show) -> Started {
    let (family, qualifier) = input.column(2)?;
    let row = ReadModifyWriteRow {
        key: input.bytes(1)?,
        rules: vec![ReadModifyWriteRule { family, qualifier, modify }],
    };
    Ok(Requests::one(TableRequest::ReadModifyWriteRow(row).of(input.text(0)?), "", show))
}

pub(super) fn list(input: Input) -> Started {
    input.most(0)?;
    Ok(Requests::one(Request::ListTables, "", Show::by(print::tables)))
}

pub(super) fn exists(input: Input) -> Started {
    input.most(1)?;
    Ok(Requests::one(Request::ListTables, "", Show::by(print::exists).named(input.text(0)?)))
}

pub(super) fn describe(input: Input) -> Started {
    input.most(1)?;
    let table = input.text(0)?;
    let show = Show::by(print::described).named(table.as_str());
    Ok(Requests::one(TableRequest::Describe.of(table), "", show))
}

/// `disable` and `enable`, which only check that the table exists.
pub(super) fn nothing(input: Input) -> Started {
    input.most(1)?;
    Ok(Requests::one(TableRequest::Describe.of(input.text(0)?), "", Show::SILENT))
}

pub(super) fn drop(input: Input) -> Started {
    input.most(1)?;
    Ok(Requests::one(TableRequest::Delete.of(input.text(0)?), "", Show::SILENT))
}

pub(super) fn truncate(input: Input) -> Started {
    input.most(1)?;
    let table = input.text(0)?;
    let message = format!("Truncating '{table}' table (it may take a while):\nTruncating table...\n");
    let request = TableRequest::DropRowRange(DropRowRange::All).of(table);
    Ok(Requests::one(request, "", Show::by(print::announce).named(message)))
}

pub(super) fn compact(input: Input) -> Started {
    input.most(1)?;
    Ok(Requests::one(TableRequest::Compact.of(input.text(0)?), "", Show::SILENT))
}
