//! The tasks of the commands.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::{
    Aggregate, AggregateInput, CheckAndMutateRow, ColumnFamily, DropRowRange, FamilyModification, Mutation,
    ReadModify, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, Request, RowFilter, RowKey, RowMutation,
    RowRange, RowSet, SERVER_TIME, TableRequest, TableSpec, Timestamp, TimestampRange, did_you_mean,
};

use super::arguments::{Input, InputResult};
use super::csv::Csv;
use super::import::Import;
use super::print::{self, Count, Rows};
use super::words::Word;
use super::{columns, format_file, number, policy};
use crate::place::problem;
use crate::read::Read;
use crate::task::{PrintText, Requests, Show, Task};

type Started = InputResult<Box<dyn Task>>;

pub(super) fn read(input: Input) -> Started {
    let [start, end, prefix] = ["start", "end", "prefix"].map(|name| input.option(name));
    if let (Some(prefix), true) = (prefix, start.is_some() || end.is_some()) {
        return Err(Box::new(problem(prefix.span(), "\"start\"/\"end\" may not be mixed with \"prefix\"")));
    }
    let key = |word: &Word| RowKey::from(word.bytes.as_slice());
    let rows = match (start, end, prefix) {
        (_, _, Some(prefix)) => RowSet::range(RowRange::prefix(key(prefix))),
        (None, None, None) => RowSet::all(),
        _ => RowSet::range(RowRange {
            start: start.map_or(core::ops::Bound::Unbounded, |start| core::ops::Bound::Included(key(start))),
            end: end.map_or(core::ops::Bound::Unbounded, |end| core::ops::Bound::Excluded(key(end))),
        }),
    };
    let rows_limit = match input.number("count")? {
        Some(count) => {
            u64::try_from(count).map_err(|_| wrong_option(&input, "count", "count must be 0 or more"))?
        }
        None => 0,
    };
    let read = ReadRows {
        rows,
        filter: filter(&input)?,
        rows_limit,
        reversed: input.flag("reversed")?,
        ..ReadRows::default()
    };
    format_file::task(&input, Read::new(input.text(0)?, read, "Reading rows", Rows::new(&input)?))
}

pub(super) fn lookup(input: Input) -> Started {
    let rows = RowSet { keys: vec![input.bytes(1)], ranges: Vec::new() };
    let read = ReadRows { rows, filter: filter(&input)?, ..ReadRows::default() };
    let mut rows = Rows::new(&input)?;
    rows.is_lookup = true;
    format_file::task(&input, Read::new(input.text(0)?, read, "Reading row", rows))
}

pub(super) fn count(input: Input) -> Started {
    let prefix = input.option("prefix").map(|prefix| RowRange::prefix(prefix.bytes.as_slice()));
    let filter = RowFilter::Chain(vec![RowFilter::CellsPerRowLimit(1), RowFilter::StripValue(true)]);
    let read = ReadRows {
        rows: prefix.map_or(RowSet::all(), RowSet::range),
        filter: Some(filter),
        ..ReadRows::default()
    };
    Ok(Read::task(input.text(0)?, read, "Reading rows", Count(0)))
}

/// Returns the filter of a read, with the parts in the order in which cbt chains them. The option
/// `filter`, which cbt does not have, is last.
fn filter(input: &Input) -> InputResult<Option<RowFilter>> {
    let mut filters = Vec::new();
    if let Some(count) = input.number("cells-per-column")? {
        let count = i32::try_from(count)
            .map_err(|_| wrong_option(input, "cells-per-column", "this number of versions is too large"))?;
        filters.push(RowFilter::CellsPerColumnLimit(count));
    }
    if let Some(regex) = input.option("regex") {
        filters.push(RowFilter::RowKeyRegex(regex.bytes.as_slice().into()));
    }
    if let Some(columns) = input.option("columns") {
        filters.push(columns::filter(columns)?);
    }
    if input.flag("keys-only")? {
        filters.push(RowFilter::StripValue(true));
    }
    if let Some(word) = input.option("filter") {
        filters.extend(filter_text(word)?);
    }
    Ok(match filters.len() {
        0 | 1 => filters.pop(),
        _ => Some(RowFilter::Chain(filters)),
    })
}

fn filter_text(word: &Word) -> InputResult<Option<RowFilter>> {
    let text = word.text().map_err(Box::new)?;
    let (filter, problems) = RowFilter::parse(&text);
    match problems.into_iter().next() {
        Some(found) => {
            let span = word.part(found.span.start as usize, found.span.end as usize);
            Err(Box::new(problem(span, format!("In the filter: {}", found.message))))
        }
        None => Ok(filter),
    }
}

fn wrong_option(input: &Input, name: &str, message: &str) -> Box<tabletop_model::Problem> {
    Box::new(problem(input.option(name).map_or(input.line, Word::span), message))
}

pub(super) fn set(input: Input) -> Started {
    let mutations = input.rest.iter().map(set_cell).collect::<InputResult<Vec<_>>>()?;
    mutate(&input, mutations, "Applying mutation")
}

fn set_cell(word: &Word) -> InputResult<Mutation> {
    let cell = columns::cell(word)?;
    let timestamp = cell.timestamp.unwrap_or(SERVER_TIME);
    Ok(Mutation::SetCell {
        family: cell.family,
        qualifier: cell.qualifier.into(),
        timestamp,
        value: cell.value.into(),
    })
}

pub(super) fn add_to_cell(input: Input) -> Started {
    let now = (input.settings.now)();
    let mutations = input.rest.iter().map(|word| add_cell(word, now)).collect::<InputResult<Vec<_>>>()?;
    mutate(&input, mutations, "Applying mutation")
}

fn add_cell(word: &Word, now: Timestamp) -> InputResult<Mutation> {
    let cell = columns::cell(word)?;
    let Some(number) = number::parse_int(&cell.value) else {
        let message = "the value to add must be a whole number: <family>:<column>=<val>[@<timestamp>]";
        return Err(Box::new(problem(word.span(), message)));
    };
    // The server does not assign timestamps to such cells: cbt uses its own clock.
    let timestamp = cell.timestamp.unwrap_or(columns::whole_milliseconds(now));
    Ok(Mutation::AddToCell {
        family: cell.family,
        qualifier: cell.qualifier.into(),
        timestamp,
        input: AggregateInput::Int(number),
    })
}

fn mutate(input: &Input, mutations: Vec<Mutation>, doing: &'static str) -> Started {
    let entries = vec![RowMutation { key: input.bytes(1), mutations }];
    Ok(Requests::one(TableRequest::MutateRows(entries).of(input.text(0)?), doing, Show::SILENT))
}

pub(super) fn delete_column(input: Input) -> Started {
    let range = TimestampRange {
        start: input.number("start")?.unwrap_or_default(),
        end: input.number("end")?.unwrap_or_default(),
    };
    let mutation = Mutation::DeleteFromColumn { family: input.text(2)?, qualifier: input.bytes(3), range };
    mutate(&input, vec![mutation], "Deleting cells in column")
}

pub(super) fn delete_row(input: Input) -> Started {
    let mutation = match input.option("family") {
        Some(family) => Mutation::DeleteFromFamily { family: family.text().map_err(Box::new)? },
        None => Mutation::DeleteFromRow,
    };
    mutate(&input, vec![mutation], "Deleting row")
}

pub(super) fn delete_all_rows(input: Input) -> Started {
    let range = match input.option("prefix") {
        Some(prefix) => DropRowRange::Prefix(prefix.bytes.as_slice().into()),
        None => DropRowRange::All,
    };
    Ok(Requests::one(TableRequest::DropRowRange(range).of(input.text(0)?), "Deleting all rows", Show::SILENT))
}

pub(super) fn check_and_mutate(input: Input) -> Started {
    let [on_match, otherwise] =
        ["true", "false"].map(|name| input.all(name).map(set_cell).collect::<InputResult<Vec<_>>>());
    let (on_match, otherwise) = (on_match?, otherwise?);
    if on_match.is_empty() && otherwise.is_empty() {
        return Err(Box::new(problem(
            input.line,
            "true=<cell> or false=<cell> is missing: name a cell to set",
        )));
    }
    let check = CheckAndMutateRow { key: input.bytes(1), predicate: filter(&input)?, on_match, otherwise };
    let request = TableRequest::CheckAndMutateRow(check).of(input.text(0)?);
    Ok(Requests::one(request, "Applying mutation", Show::by(print::matched)))
}

pub(super) fn read_modify_write(input: Input) -> Started {
    let modify = match (input.option("append"), input.number("increment")?) {
        (Some(value), None) => ReadModify::Append(value.bytes.as_slice().into()),
        (None, Some(delta)) => ReadModify::Increment(delta),
        _ => return Err(Box::new(problem(input.line, "write either append=<val> or increment=<delta>"))),
    };
    let rule = ReadModifyWriteRule { family: input.text(2)?, qualifier: input.bytes(3), modify };
    let row = ReadModifyWriteRow { key: input.bytes(1), rules: vec![rule] };
    let show = Show { utc_offset_seconds: input.settings.utc_offset_seconds, ..Show::by(print::new_cells) };
    Ok(Requests::one(TableRequest::ReadModifyWriteRow(row).of(input.text(0)?), "Applying mutation", show))
}

pub(super) fn create_table(input: Input) -> Started {
    let mut spec = TableSpec::default();
    if let Some(families) = input.option("families") {
        spec.families = csv_fields(families).iter().map(family).collect::<InputResult<_>>()?;
    }
    if let Some(splits) = input.option("splits") {
        spec.initial_splits = csv_fields(splits).into_iter().map(|field| field.bytes.into()).collect();
        spec.initial_splits.sort_unstable();
    }
    Ok(Requests::one(TableRequest::Create(spec).of(input.text(0)?), "Creating table", Show::SILENT))
}

pub(super) fn create_family(input: Input) -> Started {
    let family = family(input.word(1).unwrap_or(&Word::default()))?;
    modify(&input, FamilyModification::Create(family), "Creating column family")
}

/// Parses `family:policy:type`. Without a policy, everything is kept.
fn family(word: &Word) -> InputResult<ColumnFamily> {
    let text = word.text().map_err(Box::new)?;
    let mut parts = text.splitn(3, ':');
    let mut family = ColumnFamily::new(parts.next().unwrap_or_default());
    let start = family.name.len() + 1;
    let Some(rule) = parts.next() else {
        return Ok(family);
    };
    if !rule.trim().is_empty() {
        family.gc_rule = policy::parse(rule, &|from, to| word.part(start + from, start + to))?;
    }
    if let Some(kind) = parts.next() {
        let Some((kind, _)) = AGGREGATES.iter().find(|(_, name)| *name == kind) else {
            let hint = did_you_mean(kind, AGGREGATES.iter().map(|(_, name)| *name));
            let at = start + rule.len() + 1;
            return Err(Box::new(problem(
                word.part(at, text.len()),
                format!("There is no type {kind}{hint}"),
            )));
        };
        family.aggregate = Some(*kind);
    }
    Ok(family)
}

/// Types of families, by cbt's names.
pub(super) const AGGREGATES: [(Aggregate, &str); 4] = [
    (Aggregate::Sum, "intsum"),
    (Aggregate::Min, "intmin"),
    (Aggregate::Max, "intmax"),
    (Aggregate::DistinctCount, "inthll"),
];

/// Returns the fields of a line of CSV. Their positions are kept if there are no quotes.
fn csv_fields(word: &Word) -> Vec<Word> {
    if !word.bytes.contains(&b'"') {
        let mut at = 0;
        let mut fields = Vec::new();
        for field in word.bytes.split(|&byte| byte == b',') {
            fields.push(Word { bytes: field.to_vec(), places: word.places[at..=at + field.len()].to_vec() });
            at += field.len() + 1;
        }
        return fields;
    }
    let start = word.span().start;
    let whole = |bytes: Vec<u8>| Word { places: vec![start; bytes.len() + 1], bytes };
    let record = Csv::new(word.bytes.clone()).record().ok().flatten();
    record.unwrap_or_default().into_iter().map(whole).collect()
}

pub(super) fn set_gc_policy(mut input: Input) -> Started {
    if input.rest.len() > 1 && input.rest.last().is_some_and(|word| word.bytes == b"force") {
        // `force` is for clusters with different states; there is one cluster.
        input.rest.pop();
    }
    let mut words = Word::default();
    for (index, word) in input.rest.iter().enumerate() {
        if index > 0 {
            words.bytes.push(b' ');
        }
        words.bytes.extend_from_slice(&word.bytes);
        words.places.extend_from_slice(&word.places);
    }
    let text = words.text().map_err(Box::new)?;
    let gc_rule = policy::parse(&text, &|from, to| words.part(from, to))?;
    modify(&input, FamilyModification::Update { family: input.text(1)?, gc_rule }, "Setting GC policy")
}

pub(super) fn delete_family(input: Input) -> Started {
    modify(&input, FamilyModification::Drop { family: input.text(1)? }, "Deleting column family")
}

fn modify(input: &Input, modification: FamilyModification, doing: &'static str) -> Started {
    let request = TableRequest::ModifyFamilies(vec![modification]).of(input.text(0)?);
    Ok(Requests::one(request, doing, Show::SILENT))
}

pub(super) fn delete_table(input: Input) -> Started {
    Ok(Requests::one(TableRequest::Delete.of(input.text(0)?), "Deleting table", Show::SILENT))
}

pub(super) fn list(input: Input) -> Started {
    Ok(match input.word(0) {
        Some(_) => {
            let show = Show::by(print::families);
            Requests::one(TableRequest::Describe.of(input.text(0)?), "Getting table info", show)
        }
        None => Requests::one(Request::ListTables, "Getting list of tables", Show::by(print::tables)),
    })
}

pub(super) fn sample_row_keys(input: Input) -> Started {
    let request = TableRequest::SampleRowKeys.of(input.text(0)?);
    Ok(Requests::one(request, "Sampling row keys", Show::by(print::samples)))
}

pub(super) fn tablets(input: Input) -> Started {
    Ok(Requests::one(TableRequest::View.of(input.text(0)?), "Getting tablets", Show::by(print::tablets)))
}

pub(super) fn compact(input: Input) -> Started {
    let requests = VecDeque::from([TableRequest::Compact.of(input.text(0)?)]);
    Ok(Box::new(Requests { requests, doing: "Compacting table", show: Show::SILENT }))
}

pub(super) fn version(_: Input) -> Started {
    Ok(Box::new(PrintText(concat!("tabletop ", env!("CARGO_PKG_VERSION"), "\n").into())))
}

pub(super) fn wait_for_replication(input: Input) -> Started {
    // This only checks that the table exists.
    Ok(Requests::one(TableRequest::Describe.of(input.text(0)?), "Waiting for replication", Show::SILENT))
}

pub(super) fn import(input: Input) -> Started {
    Import::task(&input)
}
