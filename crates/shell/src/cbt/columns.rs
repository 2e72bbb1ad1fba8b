//! The notation of columns and cells: `columns=family:qualifier,…` of reads,
//! `family:qualifier=value@time` of writes.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Problem, RowFilter, SERVER_TIME, Timestamp};

use super::number::parse_int;
use super::words::Word;
use crate::place::problem;

/// Returns the filter for `columns=`. Each part is a regex of a qualifier, or of a family and a
/// qualifier if there is a colon.
pub(super) fn filter(columns: &Word) -> Result<RowFilter, Box<Problem>> {
    let mut filters = Vec::new();
    let mut at = 0;
    for part in columns.bytes.split(|&byte| byte == b',') {
        if !part.is_empty() {
            filters.push(column(columns, at, part)?);
        }
        at += part.len() + 1;
    }
    match filters.len() {
        0 => Err(Box::new(problem(
            columns.span(),
            "no column is given: write <family>:<qualifier>, <family>: or <qualifier>",
        ))),
        1 => Ok(filters.remove(0)),
        _ => Ok(RowFilter::Interleave(filters)),
    }
}

fn column(columns: &Word, at: usize, part: &[u8]) -> Result<RowFilter, Box<Problem>> {
    let colons = part.iter().filter(|&&byte| byte == b':').count();
    let span = columns.part(at, at + part.len());
    let Some(colon) = part.iter().position(|&byte| byte == b':') else {
        return Ok(RowFilter::ColumnQualifierRegex(part.into()));
    };
    if colons > 1 {
        let message =
            "a column has one colon: for a qualifier with colons use filter=column_qualifier_regex(\"…\")";
        return Err(Box::new(problem(span, message)));
    }
    let family = String::from_utf8(part[..colon].to_vec())
        .map_err(|_| problem(span, "a family's name is text, and these bytes are not UTF-8"))?;
    let (family, qualifier) = (RowFilter::FamilyNameRegex(family), &part[colon + 1..]);
    Ok(match (colon, qualifier.is_empty()) {
        (0, false) => RowFilter::ColumnQualifierRegex(qualifier.into()),
        (_, true) => family,
        _ => RowFilter::Chain([family, RowFilter::ColumnQualifierRegex(qualifier.into())].into()),
    })
}

/// The parts of `family:qualifier=value@time`.
pub(super) struct CellText {
    pub family: String,
    pub qualifier: Vec<u8>,
    pub value: Vec<u8>,
    /// The time; `None` if there is none.
    pub timestamp: Option<Timestamp>,
}

/// Parses a cell: the family ends at the first colon, the qualifier at the first `=`, and the time
/// begins after the last `@` if a number follows it.
pub(super) fn cell(word: &Word) -> Result<CellText, Box<Problem>> {
    let bytes = &word.bytes;
    let message = "a cell is <family>:<qualifier>=<value>[@<microseconds>]";
    let wrong = || Box::new(problem(word.span(), message));
    let colon = bytes.iter().position(|&byte| byte == b':').filter(|&at| at > 0).ok_or_else(wrong)?;
    let equals = bytes[colon..].iter().position(|&byte| byte == b'=').ok_or_else(wrong)? + colon;
    let family = String::from_utf8(bytes[..colon].to_vec()).map_err(|_| wrong())?;
    let (value, timestamp) = value_and_time(&bytes[equals + 1..]);
    Ok(CellText { family, qualifier: bytes[colon + 1..equals].to_vec(), value: value.to_vec(), timestamp })
}

/// Splits a value from the time after its last `@`, if a number follows it.
pub(super) fn value_and_time(value: &[u8]) -> (&[u8], Option<Timestamp>) {
    let time = value.iter().rposition(|&byte| byte == b'@');
    match time.and_then(|at| Some((at, parse_int(&value[at + 1..])?))) {
        Some((at, timestamp)) => (&value[..at], Some(whole_milliseconds(timestamp))),
        None => (value, None),
    }
}

/// Truncates a time to milliseconds, as the client libraries of Bigtable do before they send cells.
pub(super) fn whole_milliseconds(timestamp: Timestamp) -> Timestamp {
    if timestamp == SERVER_TIME { timestamp } else { timestamp - timestamp % 1_000 }
}

/// Returns the text that [`cell`] parses into this cell, or `None` if there is none.
pub(super) fn cell_bytes(
    family: &str,
    qualifier: &[u8],
    value: &[u8],
    timestamp: Timestamp,
) -> Option<Vec<u8>> {
    let is_sayable = !family.is_empty() && !family.contains([':', '=']) && !qualifier.contains(&b'=');
    if !is_sayable || (timestamp != SERVER_TIME && timestamp % 1_000 != 0) {
        return None;
    }
    let mut out = [family.as_bytes(), b":", qualifier, b"=", value].concat();
    // The server's time is left out, unless the end of the value looks like a time.
    if timestamp != SERVER_TIME || value.contains(&b'@') {
        out.extend_from_slice(alloc::format!("@{timestamp}").as_bytes());
    }
    Some(out)
}
