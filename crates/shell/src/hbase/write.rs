//! Writes requests as commands, which [`super::start`] parses into the same requests.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{
    Bytes, ColumnFamily, DropRowRange, FamilyModification, Mutation, ReadModify, ReadModifyWriteRow,
    ReadRows, Request, RowFilter, RowMutation, RowRange, SERVER_TIME, TableRequest, TableSpec, Timestamp,
    TimestampRange,
};

use super::commands::distinct;
use super::options::Column;
use super::ruby::quoted;
use super::rules::{ALL_VERSIONS, attributes};

/// Returns the commands of a request, or `None` if there are none for it.
pub(crate) fn write(request: &Request) -> Option<Vec<String>> {
    let (table, request) = match request {
        Request::Table { table, request } => (table, request),
        Request::ListTables => return Some(vec!["list".into()]),
        Request::ListBackups | Request::DeleteBackup { .. } => return None,
    };
    Some(match request {
        TableRequest::Create(spec) => vec![create(table, spec)?],
        TableRequest::Delete => vec![call("drop", &[text(table)])],
        TableRequest::Describe => vec![call("describe", &[text(table)])],
        TableRequest::ModifyFamilies(modifications) => vec![alter(table, modifications)?],
        TableRequest::MutateRows(entries) => {
            let mut lines = Vec::new();
            for entry in entries {
                mutations(table, entry, &mut lines)?;
            }
            lines
        }
        TableRequest::ReadModifyWriteRow(row) => vec![read_modify_write(table, row)?],
        TableRequest::DropRowRange(DropRowRange::All) => vec![call("truncate", &[text(table)])],
        TableRequest::DropRowRange(DropRowRange::Prefix(prefix)) => {
            vec![call("deleteall", &[text(table), format!("{{ROWPREFIXFILTER => {}}}", quoted(prefix))])]
        }
        TableRequest::ReadRows(read) => read_rows(table, read)?,
        TableRequest::Compact => vec![call("major_compact", &[text(table)])],
        _ => return None,
    })
}

fn call(command: &str, arguments: &[String]) -> String {
    format!("{command} {}", arguments.join(", "))
}

fn text(text: &str) -> String {
    quoted(text.as_bytes())
}

fn create(table: &str, spec: &TableSpec) -> Option<String> {
    let mut arguments = vec![text(table)];
    for family in &spec.families {
        arguments.push(described(family)?);
    }
    if !spec.initial_splits.is_empty() {
        let splits: Vec<String> = spec.initial_splits.iter().map(|key| quoted(key)).collect();
        arguments.push(format!("SPLITS => [{}]", splits.join(", ")));
    }
    Some(call("create", &arguments))
}

/// Formats `{NAME => 'f', …}`, with all attributes that differ from HBase's defaults.
fn described(family: &ColumnFamily) -> Option<String> {
    if family.aggregate.is_some() {
        return None;
    }
    let attributes = attributes(&family.gc_rule)?;
    let mut out = format!("{{NAME => {}, VERSIONS => {}", text(&family.name), attributes.versions);
    if let Some(seconds) = attributes.ttl_seconds {
        // The largest number means forever.
        let seconds = i32::try_from(seconds).ok().filter(|&seconds| seconds != i32::MAX)?;
        out += &format!(", TTL => {seconds}");
    }
    if attributes.min_versions > 0 {
        out += &format!(", MIN_VERSIONS => {}", attributes.min_versions);
    }
    out.push('}');
    Some(out)
}

fn alter(table: &str, modifications: &[FamilyModification]) -> Option<String> {
    let mut arguments = vec![text(table)];
    for modification in modifications {
        arguments.push(match modification {
            FamilyModification::Create(family) => described(family)?,
            FamilyModification::Drop { family } => {
                format!("{{NAME => {}, METHOD => 'delete'}}", text(family))
            }
            FamilyModification::Update { family, gc_rule } => {
                let family = ColumnFamily { gc_rule: gc_rule.clone(), ..ColumnFamily::new(family.clone()) };
                let mut out = described(&family)?;
                out.pop();
                // Attributes that are left out would keep their values.
                let least = if out.contains("MIN_VERSIONS") { "" } else { ", MIN_VERSIONS => 0" };
                let ttl = if out.contains("TTL") { "" } else { ", TTL => 'FOREVER'" };
                out + least + ttl + "}"
            }
        });
    }
    (!modifications.is_empty()).then(|| call("alter", &arguments))
}

/// Converts to milliseconds, if the time is a whole number of them.
fn millis(timestamp: Timestamp) -> Option<i64> {
    (timestamp % 1_000 == 0).then_some(timestamp / 1_000)
}

fn column(family: &str, qualifier: &[u8]) -> Option<String> {
    let bytes = [family.as_bytes(), b":", qualifier].concat();
    (!family.contains(':')).then(|| quoted(&bytes))
}

fn mutations(table: &str, entry: &RowMutation, lines: &mut Vec<String>) -> Option<()> {
    for mutation in &entry.mutations {
        let mut arguments = vec![text(table), quoted(&entry.key)];
        let command = match mutation {
            Mutation::SetCell { family, qualifier, timestamp, value } => {
                arguments.extend([column(family, qualifier)?, quoted(value)]);
                if *timestamp != SERVER_TIME {
                    // HBase only has whole milliseconds: there is no command for other times.
                    arguments.push(format!("{}", millis(*timestamp)?));
                }
                "put"
            }
            Mutation::DeleteFromRow => "deleteall",
            Mutation::DeleteFromFamily { family } => {
                arguments.push(if family.contains(':') { return None } else { text(family) });
                "deleteall"
            }
            Mutation::DeleteFromColumn { family, qualifier, range } => {
                // An empty qualifier means the family.
                let column = column(family, qualifier).filter(|_| !qualifier.is_empty())?;
                arguments.push(column);
                match *range {
                    TimestampRange { start: 0, end: 0 } => "deleteall",
                    TimestampRange { start: 0, end } => {
                        arguments.push(format!("{}", millis(end.checked_sub(1_000)?)?));
                        "deleteall"
                    }
                    TimestampRange { start, end } if start.checked_add(1_000) == Some(end) => {
                        arguments.push(format!("{}", millis(start)?));
                        "delete"
                    }
                    _ => return None,
                }
            }
            Mutation::AddToCell { .. } | Mutation::MergeToCell { .. } => return None,
        };
        lines.push(call(command, &arguments));
    }
    (!entry.mutations.is_empty()).then_some(())
}

fn read_modify_write(table: &str, row: &ReadModifyWriteRow) -> Option<String> {
    let [rule] = row.rules.as_slice() else { return None };
    let (command, what) = match &rule.modify {
        ReadModify::Increment(delta) => ("incr", format!("{delta}")),
        ReadModify::Append(value) => ("append", quoted(value)),
    };
    Some(call(command, &[text(table), quoted(&row.key), column(&rule.family, &rule.qualifier)?, what]))
}

fn read_rows(table: &str, read: &ReadRows) -> Option<Vec<String>> {
    let rows = read.rows.keys.len() + read.rows.ranges.len();
    if rows > 1 && (read.rows_limit > 0 || read.reversed) {
        return None;
    }
    let options = options(read.filter.as_ref())?;
    let mut lines = Vec::new();
    for key in &read.rows.keys {
        if read.rows_limit > 0 || read.reversed {
            return None;
        }
        lines.push(call("get", &[text(table), quoted(key), hash(options.clone())]));
    }
    let whole = [RowRange::ALL];
    let ranges = if rows == 0 { &whole } else { read.rows.ranges.as_slice() };
    for range in ranges {
        let mut pairs = range_options(range, read.reversed)?;
        if read.rows_limit > 0 {
            pairs.push(format!("LIMIT => {}", i64::try_from(read.rows_limit).ok()?));
        }
        if read.reversed {
            pairs.push("REVERSED => true".into());
        }
        pairs.extend(options.clone());
        lines.push(call("scan", &[text(table), hash(pairs)]));
    }
    Some(lines)
}

fn hash(pairs: Vec<String>) -> String {
    format!("{{{}}}", pairs.join(", "))
}

fn range_options(range: &RowRange, reversed: bool) -> Option<Vec<String>> {
    let successor = |key: &Bytes| Bytes([key.as_slice(), b"\0"].concat());
    let (start, end) = match (&range.start, &range.end) {
        (Bound::Included(start), _) if !start.is_empty() && *range == RowRange::prefix(start.clone()) => {
            return Some(vec![format!("ROWPREFIXFILTER => {}", quoted(start))]);
        }
        _ if reversed => match (&range.start, &range.end) {
            (Bound::Unbounded | Bound::Excluded(_), Bound::Unbounded | Bound::Included(_)) => {
                let inner = |bound: &Bound<Bytes>| match bound {
                    Bound::Included(key) | Bound::Excluded(key) => Some(key.clone()),
                    Bound::Unbounded => None,
                };
                (inner(&range.end), inner(&range.start))
            }
            _ => return None,
        },
        (start, end) => {
            let start = match start {
                Bound::Included(key) => Some(key.clone()),
                Bound::Excluded(key) => Some(successor(key)),
                Bound::Unbounded => None,
            };
            let end = match end {
                Bound::Included(key) => Some(successor(key)),
                Bound::Excluded(key) => Some(key.clone()),
                Bound::Unbounded => None,
            };
            (start, end)
        }
    };
    let pairs = [("STARTROW", start), ("STOPROW", end)];
    let mut out = Vec::new();
    for (name, key) in pairs {
        match key {
            // An empty key does not limit the range here.
            Some(key) if key.is_empty() => return None,
            Some(key) => out.push(format!("{name} => {}", quoted(&key))),
            None => {}
        }
    }
    Some(out)
}

/// Returns the columns, times and versions of a filter, or `None` if the filter has other parts.
fn options(filter: Option<&RowFilter>) -> Option<Vec<String>> {
    let parts: Vec<&RowFilter> = match filter {
        None => Vec::new(),
        Some(RowFilter::Chain(filters)) => filters.iter().collect(),
        Some(filter) => vec![filter],
    };
    let mut rest = parts.as_slice();
    let mut out = Vec::new();
    if let Some((first, tail)) = rest.split_first()
        && let Some(columns) = columns(first)
    {
        out.push(format!("COLUMNS => {columns}"));
        rest = tail;
    }
    if let [RowFilter::TimestampRange(range), tail @ ..] = rest {
        out.push(format!("TIMERANGE => [{}, {}]", millis(range.start)?, millis(range.end)?));
        rest = tail;
    }
    let versions = match rest {
        [] => ALL_VERSIONS,
        [RowFilter::CellsPerColumnLimit(versions @ 1..)] if *versions != ALL_VERSIONS => *versions,
        _ => return None,
    };
    out.push(format!("VERSIONS => {versions}"));
    Some(out)
}

fn columns(filter: &RowFilter) -> Option<String> {
    match filter {
        RowFilter::ColumnRange(range) => {
            let bytes = match (&range.start, &range.end) {
                (Bound::Unbounded, Bound::Unbounded) => range.family.clone().into_bytes(),
                (Bound::Included(start), Bound::Included(end)) if start == end && !start.is_empty() => {
                    [range.family.as_bytes(), b":", start].concat()
                }
                _ => return None,
            };
            (!range.family.contains(':')).then(|| quoted(&bytes))
        }
        RowFilter::Interleave(filters) if filters.len() > 1 => {
            let columns = filters.iter().map(columns_alone).collect::<Option<Vec<_>>>()?;
            let found = filters.iter().filter_map(|filter| match filter {
                RowFilter::ColumnRange(range) => Some((&range.family, &range.start)),
                _ => None,
            });
            let found = found.map(|(family, start)| match start {
                Bound::Included(qualifier) => {
                    Column { family: family.clone(), qualifier: Some(qualifier.clone()) }
                }
                _ => Column { family: family.clone(), qualifier: None },
            });
            // A column that is listed twice is returned twice by Bigtable, and once by HBase.
            (distinct(found.collect()).len() == columns.len()).then(|| format!("[{}]", columns.join(", ")))
        }
        _ => None,
    }
}

/// Returns a column within a list. Lists cannot contain lists.
fn columns_alone(filter: &RowFilter) -> Option<String> {
    if matches!(filter, RowFilter::Interleave(_)) { None } else { columns(filter) }
}
