//! Filters as text: for users to type, for case files, and for the page's editor.
//!
//! ```text
//! chain(
//!   family_name_regex("e"),
//!   column_qualifier_regex(r"click,\w+,color"),
//!   condition(value_regex("1"), then=cells_per_column_limit(1), else=block_all),
//!   column_range("e", start="a", end_open="b"),
//!   timestamp_range("2019-05-28", 1559088000000000),
//! )
//! ```
//!
//! Names are those of the JSON form. A string is in the notation of [`crate::escape`] with `\"` for
//! a quote. A raw string `r"\d+"` (or `r#"…"#` if it contains a quote) has no escapes, so that a
//! pattern is written as RE2 reads it. `start` and `end` are inclusive, `start_open` and `end_open`
//! exclusive. Times are microseconds, or ISO 8601 in quotes (UTC). A flag may omit its `(true)`;
//! all other names have parentheses. A blank text means no filter.

mod complete;
mod lexer;
mod parser;
mod places;
#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::ops::Bound;

use super::RowFilter;
use crate::{Problem, escape};
pub use places::NodePlace;

/// The longest line of [`RowFilter::text`], in characters, before a filter of filters is broken
/// into lines.
const LINE_CHARS_MAX: usize = 80;

impl RowFilter {
    /// The name of each filter with its form, combinations first, for completion and for a list of
    /// filters.
    pub const FORMS: [(&'static str, &'static str); 20] = [
        ("chain", "chain(filter, filter, …)"),
        ("interleave", "interleave(filter, filter, …)"),
        ("condition", "condition(filter, then=filter, else=filter)"),
        ("sink", "sink"),
        ("pass_all", "pass_all"),
        ("block_all", "block_all"),
        ("row_key_regex", "row_key_regex(\"pattern\")"),
        ("family_name_regex", "family_name_regex(\"pattern\")"),
        ("column_qualifier_regex", "column_qualifier_regex(\"pattern\")"),
        ("value_regex", "value_regex(\"pattern\")"),
        ("column_range", "column_range(\"family\", start=\"a\", end_open=\"b\")"),
        ("timestamp_range", "timestamp_range(start micros, end micros)"),
        ("value_range", "value_range(start=\"a\", end_open=\"b\")"),
        ("cells_per_row_offset", "cells_per_row_offset(1)"),
        ("cells_per_row_limit", "cells_per_row_limit(1)"),
        ("cells_per_column_limit", "cells_per_column_limit(1)"),
        ("row_sample", "row_sample(0.5)"),
        ("strip_value", "strip_value"),
        ("apply_label", "apply_label(\"label\")"),
        ("value_bitmask", "value_bitmask(\"\\x01\")"),
    ];

    /// Parses a filter, and returns it with the problems of the text. A part that cannot be read is
    /// left out of the filter, so use the filter only if there are no problems.
    /// [`RowFilter::validate`] checks whether the engine accepts it. `None` without a problem means
    /// an empty text: no filter.
    ///
    /// ```
    /// use tabletop_model::RowFilter;
    ///
    /// let (filter, problems) = RowFilter::parse(r#"chain(family_name_regex("click|view"), cells_per_column_limit(1))"#);
    /// assert!(problems.is_empty());
    /// let expected = vec![RowFilter::FamilyNameRegex("click|view".into()), RowFilter::CellsPerColumnLimit(1)];
    /// assert_eq!(filter, Some(RowFilter::Chain(expected)));
    /// ```
    pub fn parse(text: &str) -> (Option<RowFilter>, Vec<Problem>) {
        parser::parse(text)
    }

    /// Returns where the nodes of a text are written. [`RowFilter::parse`] must read the text
    /// without problems. The nodes are in the order of the text, which differs from the order in
    /// the filter if `else` precedes `then`.
    pub fn places(text: &str) -> Vec<NodePlace> {
        places::places(text)
    }

    /// Returns the filter as text, on several lines if it is long. [`RowFilter::parse`] turns it
    /// back into an equal filter (for up to 100 levels).
    pub fn text(&self) -> String {
        let mut out = String::new();
        write_filter(&mut out, self, 0, 0);
        out
    }
}

/// Writes `filter` after `lead` characters of its line (indentation included).
fn write_filter(out: &mut String, filter: &RowFilter, indent: usize, lead: usize) {
    let parts = parts(filter);
    if parts.is_empty() {
        return write_line(out, filter);
    }
    let mut line = String::new();
    write_line(&mut line, filter);
    if lead + line.chars().count() <= LINE_CHARS_MAX {
        return out.push_str(&line);
    }
    out.push_str(name(filter));
    out.push_str("(\n");
    for (label, part) in parts {
        let inner = indent + 2;
        out.extend(core::iter::repeat_n(' ', inner));
        out.push_str(label);
        // One more for the comma.
        write_filter(out, part, inner, inner + label.len() + 1);
        out.push_str(",\n");
    }
    out.extend(core::iter::repeat_n(' ', indent));
    out.push(')');
}

fn write_line(out: &mut String, filter: &RowFilter) {
    out.push_str(name(filter));
    match filter {
        RowFilter::Chain(_) | RowFilter::Interleave(_) | RowFilter::Condition { .. } => {
            out.push('(');
            for (index, (label, part)) in parts(filter).into_iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                out.push_str(label);
                write_line(out, part);
            }
            out.push(')');
        }
        RowFilter::Sink(true)
        | RowFilter::PassAll(true)
        | RowFilter::BlockAll(true)
        | RowFilter::StripValue(true) => {}
        RowFilter::Sink(false)
        | RowFilter::PassAll(false)
        | RowFilter::BlockAll(false)
        | RowFilter::StripValue(false) => {
            out.push_str("(false)");
        }
        RowFilter::RowKeyRegex(bytes)
        | RowFilter::ColumnQualifierRegex(bytes)
        | RowFilter::ValueRegex(bytes)
        | RowFilter::ValueBitmask(bytes) => write_call(out, &[string(bytes)]),
        RowFilter::FamilyNameRegex(text) | RowFilter::ApplyLabel(text) => {
            write_call(out, &[string(text.as_bytes())]);
        }
        RowFilter::ColumnRange(range) => {
            let mut arguments = alloc::vec![string(range.family.as_bytes())];
            arguments.extend(end("start", &range.start));
            arguments.extend(end("end", &range.end));
            write_call(out, &arguments);
        }
        RowFilter::ValueRange(range) => {
            let arguments: Vec<String> =
                end("start", &range.start).into_iter().chain(end("end", &range.end)).collect();
            write_call(out, &arguments);
        }
        RowFilter::TimestampRange(range) if range.end == 0 => write_number(out, range.start),
        RowFilter::TimestampRange(range) => {
            write_call(out, &[alloc::format!("{}", range.start), alloc::format!("{}", range.end)]);
        }
        RowFilter::CellsPerRowOffset(count)
        | RowFilter::CellsPerRowLimit(count)
        | RowFilter::CellsPerColumnLimit(count) => {
            write_number(out, i64::from(*count));
        }
        RowFilter::RowSample(probability) => {
            // The debug form of a float has an exponent where that is shorter, and reads back as
            // the same float.
            write!(out, "({probability:?})").expect("a string takes all that is written to it");
        }
    }
}

fn write_call(out: &mut String, arguments: &[String]) {
    out.push('(');
    out.push_str(&arguments.join(", "));
    out.push(')');
}

fn write_number(out: &mut String, number: i64) {
    write!(out, "({number})").expect("a string takes all that is written to it");
}

fn end<T: AsRef<[u8]>>(name: &str, bound: &Bound<T>) -> Option<String> {
    match bound {
        Bound::Included(bytes) => Some(alloc::format!("{name}={}", string(bytes.as_ref()))),
        Bound::Excluded(bytes) => Some(alloc::format!("{name}_open={}", string(bytes.as_ref()))),
        Bound::Unbounded => None,
    }
}

/// Returns a string literal, raw where that avoids escapes and loses nothing.
fn string(bytes: &[u8]) -> String {
    let quotes = |text: &str| if text.contains('"') { "#" } else { "" };
    match core::str::from_utf8(bytes) {
        Ok(text) if text.contains('\\') && !text.contains("\"#") && !text.chars().any(char::is_control) => {
            let hash = quotes(text);
            alloc::format!("r{hash}\"{text}\"{hash}")
        }
        _ => alloc::format!("\"{}\"", escape(bytes).replace('"', "\\\"")),
    }
}

/// Returns the filters within a filter, with the text before each.
fn parts(filter: &RowFilter) -> Vec<(&'static str, &RowFilter)> {
    match filter {
        RowFilter::Chain(filters) | RowFilter::Interleave(filters) => {
            filters.iter().map(|part| ("", part)).collect()
        }
        RowFilter::Condition { predicate, on_true, on_false } => {
            let branches =
                [("", Some(&**predicate)), ("then=", on_true.as_deref()), ("else=", on_false.as_deref())];
            branches.into_iter().filter_map(|(label, part)| Some((label, part?))).collect()
        }
        _ => Vec::new(),
    }
}

fn name(filter: &RowFilter) -> &'static str {
    match filter {
        RowFilter::Chain(_) => "chain",
        RowFilter::Interleave(_) => "interleave",
        RowFilter::Condition { .. } => "condition",
        RowFilter::Sink(_) => "sink",
        RowFilter::PassAll(_) => "pass_all",
        RowFilter::BlockAll(_) => "block_all",
        RowFilter::RowKeyRegex(_) => "row_key_regex",
        RowFilter::FamilyNameRegex(_) => "family_name_regex",
        RowFilter::ColumnQualifierRegex(_) => "column_qualifier_regex",
        RowFilter::ValueRegex(_) => "value_regex",
        RowFilter::ColumnRange(_) => "column_range",
        RowFilter::TimestampRange(_) => "timestamp_range",
        RowFilter::ValueRange(_) => "value_range",
        RowFilter::CellsPerRowOffset(_) => "cells_per_row_offset",
        RowFilter::CellsPerRowLimit(_) => "cells_per_row_limit",
        RowFilter::CellsPerColumnLimit(_) => "cells_per_column_limit",
        RowFilter::RowSample(_) => "row_sample",
        RowFilter::StripValue(_) => "strip_value",
        RowFilter::ApplyLabel(_) => "apply_label",
        RowFilter::ValueBitmask(_) => "value_bitmask",
    }
}
