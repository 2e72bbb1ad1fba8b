//! Writes requests as commands, which [`super::start`] parses into the same requests.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{
    AggregateInput, CheckAndMutateRow, ColumnFamily, DropRowRange, FamilyModification, Mutation, ReadModify,
    ReadModifyWriteRow, ReadRows, Request, RowFilter, RowMutation, RowRange, SERVER_TIME, TableRequest,
    TableSpec, TimestampRange, shell_word,
};

use super::columns::cell_bytes;
use super::commands::AGGREGATES;
use super::policy;

/// Returns the commands of a request, or `None` if there are none for it.
pub(crate) fn write(request: &Request) -> Option<Vec<String>> {
    let (table, request) = match request {
        Request::Table { table, request } => (table, request),
        Request::ListTables => return Some(vec!["ls".into()]),
        Request::ListBackups | Request::DeleteBackup { .. } => return None,
    };
    Some(match request {
        TableRequest::Create(spec) => vec![create_table(table, spec)?],
        TableRequest::Delete => vec![line("deletetable", [table])],
        TableRequest::Describe => vec![line("ls", [table])],
        TableRequest::ModifyFamilies(modifications) => match modifications.as_slice() {
            // Several modifications are made together or not at all, which separate commands cannot
            // do.
            [modification] => vec![modify(table, modification)?],
            _ => return None,
        },
        TableRequest::MutateRows(entries) => {
            let mut lines = Vec::new();
            for entry in entries {
                mutations(table, entry, &mut lines)?;
            }
            lines
        }
        TableRequest::CheckAndMutateRow(check) => vec![check_and_mutate(table, check)?],
        TableRequest::ReadModifyWriteRow(row) => vec![read_modify_write(table, row)?],
        TableRequest::DropRowRange(DropRowRange::All) => vec![line("deleteallrows", [table])],
        TableRequest::DropRowRange(DropRowRange::Prefix(prefix)) => {
            vec![line("deleteallrows", [table.as_bytes(), &option("prefix", prefix)?])]
        }
        TableRequest::ReadRows(read) => read_rows(table, read)?,
        TableRequest::SampleRowKeys => vec![line("samplerowkeys", [table])],
        TableRequest::Compact => vec![line("compact", [table])],
        TableRequest::View => vec![line("tablets", [table])],
        TableRequest::UpdateSettings(_)
        | TableRequest::BackUp { .. }
        | TableRequest::Restore { .. }
        | TableRequest::Export { .. }
        | TableRequest::Flush(_)
        | TableRequest::CompactTablet(_)
        | TableRequest::Inspect(_)
        | TableRequest::CountExpired(_)
        | TableRequest::Import { .. } => return None,
    })
}

fn line<W: AsRef<[u8]>>(command: &str, words: impl IntoIterator<Item = W>) -> String {
    let mut out = String::from(command);
    for word in words {
        out.push(' ');
        out.push_str(&shell_word(word.as_ref()));
    }
    out
}

/// Formats `name=value`. Returns `None` for an empty value, which counts as missing.
fn option(name: &str, value: &[u8]) -> Option<Vec<u8>> {
    (!value.is_empty()).then(|| [name.as_bytes(), b"=", value].concat())
}

fn create_table(table: &str, spec: &TableSpec) -> Option<String> {
    let mut words: Vec<Vec<u8>> = vec![table.into()];
    let families = spec
        .families
        .iter()
        .map(|family| Some(self::family(family)?.into_bytes()))
        .collect::<Option<Vec<_>>>()?;
    words.extend(option("families", &csv(&families)));
    let splits: Vec<Vec<u8>> = spec.initial_splits.iter().map(|key| key.0.clone()).collect();
    words.extend(option("splits", &csv(&splits)));
    Some(line("createtable", words))
}

fn csv(fields: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        if !field.iter().any(|byte| b",\"\r\n".contains(byte)) {
            out.extend_from_slice(field);
            continue;
        }
        out.push(b'"');
        for &byte in field {
            out.extend_from_slice(if byte == b'"' { b"\"\"" } else { core::slice::from_ref(&byte) });
        }
        out.push(b'"');
    }
    out
}

/// Formats `family:policy:type`.
fn family(family: &ColumnFamily) -> Option<String> {
    if family.name.contains([':', ',', '"']) {
        return None;
    }
    let mut out = [family.name.as_str(), ":", &policy::text(&family.gc_rule, "&&", "||")?].concat();
    if let Some((_, name)) = AGGREGATES.iter().find(|(kind, _)| Some(*kind) == family.aggregate) {
        out.extend([":", name]);
    }
    Some(out)
}

fn modify(table: &str, modification: &FamilyModification) -> Option<String> {
    Some(match modification {
        FamilyModification::Create(created) if *created == ColumnFamily::new(created.name.clone()) => {
            if created.name.contains(':') {
                return None;
            }
            line("createfamily", [table, &created.name])
        }
        FamilyModification::Create(created) => line("createfamily", [table, &family(created)?]),
        FamilyModification::Update { family, gc_rule } => {
            let policy = policy::text(gc_rule, " and ", " or ")?;
            let policy = if policy.contains('(') { shell_word(policy.as_bytes()) } else { policy };
            [&line("setgcpolicy", [table, family]), " ", &policy].concat()
        }
        FamilyModification::Drop { family } => line("deletefamily", [table, family]),
    })
}

fn mutations(table: &str, entry: &RowMutation, lines: &mut Vec<String>) -> Option<()> {
    let mut rest = entry.mutations.as_slice();
    while let Some(first) = rest.first() {
        let cells =
            |is_like: fn(&Mutation) -> bool| rest.iter().take_while(|mutation| is_like(mutation)).count();
        let row = [table.as_bytes(), &entry.key];
        let (command, count) = match first {
            Mutation::SetCell { .. } => {
                ("set", cells(|mutation| matches!(mutation, Mutation::SetCell { .. })))
            }
            Mutation::AddToCell { .. } => {
                ("addtocell", cells(|mutation| matches!(mutation, Mutation::AddToCell { .. })))
            }
            other => {
                lines.push(delete(row, other)?);
                rest = &rest[1..];
                continue;
            }
        };
        let mut words: Vec<Vec<u8>> = row.iter().map(|word| word.to_vec()).collect();
        for mutation in &rest[..count] {
            words.push(cell(mutation)?);
        }
        lines.push(line(command, words));
        rest = &rest[count..];
    }
    (!entry.mutations.is_empty()).then_some(())
}

fn cell(mutation: &Mutation) -> Option<Vec<u8>> {
    match mutation {
        Mutation::SetCell { family, qualifier, timestamp, value } => {
            cell_bytes(family, qualifier, value, *timestamp)
        }
        // These cells do not accept the server's time.
        Mutation::AddToCell { timestamp: SERVER_TIME, .. } => None,
        Mutation::AddToCell { family, qualifier, timestamp, input: AggregateInput::Int(number) } => {
            cell_bytes(family, qualifier, alloc::format!("{number}").as_bytes(), *timestamp)
        }
        _ => None,
    }
}

fn delete(row: [&[u8]; 2], mutation: &Mutation) -> Option<String> {
    let mut words: Vec<Vec<u8>> = row.iter().map(|word| word.to_vec()).collect();
    let command = match mutation {
        Mutation::DeleteFromRow => "deleterow",
        Mutation::DeleteFromFamily { family } => {
            words.push(option("family", family.as_bytes())?);
            "deleterow"
        }
        Mutation::DeleteFromColumn { family, qualifier, range } => {
            words.extend([family.clone().into_bytes(), qualifier.0.clone()]);
            let TimestampRange { start, end } = *range;
            let numbers = [("start", start), ("end", end)].into_iter().filter(|(_, micros)| *micros != 0);
            words.extend(numbers.map(|(name, micros)| alloc::format!("{name}={micros}").into_bytes()));
            "deletecolumn"
        }
        _ => return None,
    };
    Some(line(command, words))
}

fn check_and_mutate(table: &str, check: &CheckAndMutateRow) -> Option<String> {
    let mut words: Vec<Vec<u8>> = vec![table.into(), check.key.0.clone()];
    if let Some(filter) = &check.predicate {
        words.push(option("filter", one_line(filter).as_bytes())?);
    }
    for (name, mutations) in [("true", &check.on_match), ("false", &check.otherwise)] {
        for mutation in mutations {
            let Mutation::SetCell { .. } = mutation else { return None };
            words.push(option(name, &cell(mutation)?)?);
        }
    }
    Some(line("checkandmutate", words)).filter(|_| !check.on_match.is_empty() || !check.otherwise.is_empty())
}

fn read_modify_write(table: &str, row: &ReadModifyWriteRow) -> Option<String> {
    let [rule] = row.rules.as_slice() else { return None };
    let what = match &rule.modify {
        ReadModify::Append(value) => option("append", value)?,
        ReadModify::Increment(delta) => alloc::format!("increment={delta}").into_bytes(),
    };
    Some(line(
        "readmodifywrite",
        [table.as_bytes(), &row.key, rule.family.as_bytes(), &rule.qualifier, &what],
    ))
}

/// Returns one read, or one for each range and key.
fn read_rows(table: &str, read: &ReadRows) -> Option<Vec<String>> {
    let parts = read.rows.keys.len() + read.rows.ranges.len();
    if parts > 1 && (read.rows_limit > 0 || read.reversed) {
        return None;
    }
    let mut lines = Vec::new();
    for key in &read.rows.keys {
        // A lookup has neither a limit nor an order.
        if read.rows_limit > 0 || read.reversed {
            return None;
        }
        lines.push(with_filter("lookup", vec![table.into(), key.0.clone()], read)?);
    }
    for range in &read.rows.ranges {
        let mut words = vec![table.into()];
        words.extend(range_options(range)?);
        lines.push(with_filter("read", words, read)?);
    }
    if parts == 0 {
        lines.push(with_filter("read", vec![table.into()], read)?);
    }
    Some(lines)
}

fn range_options(range: &RowRange) -> Option<Vec<Vec<u8>>> {
    // The first key after another one has one more byte, 0.
    let successor = |key: &Vec<u8>| [key.as_slice(), b"\0"].concat();
    let mut words = Vec::new();
    match &range.start {
        Bound::Included(start) if !start.is_empty() && *range == RowRange::prefix(start.clone()) => {
            return Some(vec![option("prefix", start)?]);
        }
        Bound::Included(start) => words.push(option("start", start)?),
        Bound::Excluded(start) => words.push(option("start", &successor(start))?),
        Bound::Unbounded => {}
    }
    match &range.end {
        Bound::Included(end) => words.push(option("end", &successor(end))?),
        Bound::Excluded(end) => words.push(option("end", end)?),
        Bound::Unbounded => {}
    }
    Some(words)
}

fn with_filter(command: &str, mut words: Vec<Vec<u8>>, read: &ReadRows) -> Option<String> {
    if read.reversed {
        words.push(b"reversed=true".to_vec());
    }
    if read.rows_limit > 0 {
        i64::try_from(read.rows_limit).ok()?;
        words.push(alloc::format!("count={}", read.rows_limit).into_bytes());
    }
    match &read.filter {
        None => {}
        Some(RowFilter::CellsPerColumnLimit(count)) => {
            words.push(alloc::format!("cells-per-column={count}").into_bytes());
        }
        Some(RowFilter::RowKeyRegex(regex)) if command == "read" => words.push(option("regex", regex)?),
        Some(RowFilter::StripValue(true)) => words.push(b"keys-only=true".to_vec()),
        Some(filter) => words.push(option("filter", one_line(filter).as_bytes())?),
    }
    Some(line(command, words))
}

/// Returns a filter's text without its line breaks.
pub(crate) fn one_line(filter: &RowFilter) -> String {
    let mut out = String::new();
    for line in filter.text().lines().map(str::trim_start) {
        if line.starts_with(')') && out.ends_with(',') {
            out.pop();
        } else if !out.is_empty() && !out.ends_with('(') {
            out.push(' ');
        }
        out.push_str(line);
    }
    out
}
