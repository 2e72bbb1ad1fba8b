//! The checks that Bigtable makes on a filter before it reads any cell. The engine compiles
//! patterns, and rejects invalid ones.

use alloc::format;
use alloc::string::String;
use core::ops::Bound;

use super::{ColumnRange, RowFilter, ValueRange};
use crate::limits::{
    FAMILY_NAME_CHARS_MAX, FILTER_BYTES_MAX, FILTER_DEPTH_MAX, LABEL_CHARS_MAX, TIMESTAMP_GRANULARITY_MICROS,
};
use crate::protobuf_len::{field, tag, varint};
use crate::{Bytes, Error, Result, TimestampRange, is_family_name};

impl RowFilter {
    /// Checks everything but the syntax of patterns.
    ///
    /// # Errors
    /// `InvalidArgument`, with the field's name in `google/bigtable/v2/data.proto`.
    pub fn validate(&self) -> Result<()> {
        check(self, 1, Place::Outside)?;
        let bytes = encoded_bytes(self);
        if bytes > FILTER_BYTES_MAX {
            return Err(Error::invalid(format!(
                "Error in field 'filter' : the filter takes {bytes} bytes in protobuf encoding; the limit is \
                 {FILTER_BYTES_MAX}: shorten its patterns, or read in several requests"
            )));
        }
        Ok(())
    }
}

/// Whether a filter is part of a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    InCondition,
}

fn check(filter: &RowFilter, depth: usize, place: Place) -> Result<()> {
    if depth > FILTER_DEPTH_MAX {
        return refuse(
            "filter",
            format!("filters are nested more than {FILTER_DEPTH_MAX} deep: flatten the innermost"),
        );
    }
    let field = filter.field();
    match filter {
        RowFilter::Chain(filters) | RowFilter::Interleave(filters) => {
            if filters.len() < 2 {
                let kind = if matches!(filter, RowFilter::Chain(_)) { "Chain" } else { "Interleave" };
                let found = filters.len();
                return refuse(
                    field,
                    format!("{kind} must contain at least two filters, found {found}: use the one alone"),
                );
            }
            filters.iter().try_for_each(|filter| check(filter, depth + 1, place))?;
            if matches!(filter, RowFilter::Chain(_))
                && filters.iter().filter(|filter| has_label(filter)).count() > 1
            {
                return refuse(
                    field,
                    "no more than one filter of a chain may contain an apply_label_transformer, since a cell has one label",
                );
            }
            Ok(())
        }
        RowFilter::Condition { predicate, on_true, on_false } => {
            check(predicate, depth + 1, Place::InCondition)?;
            [on_true, on_false]
                .into_iter()
                .flatten()
                .try_for_each(|branch| check(branch, depth + 1, Place::InCondition))
        }
        RowFilter::Sink(true) if place == Place::InCondition => {
            refuse(field, "sink must not be used within a Condition filter")
        }
        RowFilter::Sink(on)
        | RowFilter::PassAll(on)
        | RowFilter::BlockAll(on)
        | RowFilter::StripValue(on) => {
            if *on {
                Ok(())
            } else {
                refuse(field, "must be true if set: omit the filter instead")
            }
        }
        RowFilter::RowKeyRegex(pattern) if pattern.is_empty() => {
            refuse(field, "argument must not be empty: no row key is empty, so it would match none")
        }
        RowFilter::FamilyNameRegex(pattern) if pattern.contains(':') => {
            refuse(field, "argument must not contain ':', even if it is not used as a literal")
        }
        RowFilter::RowKeyRegex(_)
        | RowFilter::FamilyNameRegex(_)
        | RowFilter::ColumnQualifierRegex(_)
        | RowFilter::ValueRegex(_)
        | RowFilter::ValueBitmask(_) => Ok(()),
        RowFilter::ColumnRange(ColumnRange { family, start, end }) => {
            check_family_name(family).or_else(|problem| refuse(field, problem))?;
            check_ends(field, "qualifier", start, end)
        }
        RowFilter::ValueRange(ValueRange { start, end }) => check_ends(field, "value", start, end),
        RowFilter::TimestampRange(range) => check_times(field, range),
        RowFilter::CellsPerRowOffset(n) if *n < 0 => {
            refuse(field, format!("argument must not be negative, found {n}: 0 skips nothing"))
        }
        RowFilter::CellsPerRowOffset(_) => Ok(()),
        RowFilter::CellsPerRowLimit(n) | RowFilter::CellsPerColumnLimit(n) if *n < 1 => refuse(
            field,
            format!("argument must be positive, found {n}: use block_all_filter to let nothing through"),
        ),
        RowFilter::CellsPerRowLimit(_) | RowFilter::CellsPerColumnLimit(_) => Ok(()),
        RowFilter::RowSample(p) => {
            // The comparison is false for NaN, too.
            if *p > 0.0 && *p < 1.0 {
                Ok(())
            } else {
                refuse(field, "row_sample_filter argument must be between 0.0 and 1.0, both exclusive")
            }
        }
        RowFilter::ApplyLabel(label) => {
            let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if label.is_empty() || label.len() > LABEL_CHARS_MAX || !label.chars().all(is_allowed) {
                return refuse(
                    field,
                    format!(
                        "a label has 1 to {LABEL_CHARS_MAX} characters and must match [a-z0-9\\-]+, found \"{label}\""
                    ),
                );
            }
            Ok(())
        }
    }
}

fn refuse<T>(field: &str, problem: impl AsRef<str>) -> Result<T> {
    Err(Error::invalid(format!("Error in field '{field}' : {}", problem.as_ref())))
}

fn check_family_name(name: &str) -> core::result::Result<(), String> {
    if !is_family_name(name) {
        return Err(format!(
            "family_name has 1 to {FAMILY_NAME_CHARS_MAX} characters and must match [-_.a-zA-Z0-9]+, found \"{name}\""
        ));
    }
    Ok(())
}

fn check_ends(field: &str, what: &str, start: &Bound<Bytes>, end: &Bound<Bytes>) -> Result<()> {
    let (Bound::Included(first) | Bound::Excluded(first), Bound::Included(last) | Bound::Excluded(last)) =
        (start, end)
    else {
        return Ok(());
    };
    if first > last {
        return refuse(
            field,
            format!("start_{what} must not be greater than end_{what}: \"{first}\" sorts after \"{last}\""),
        );
    }
    Ok(())
}

fn check_times(field: &str, range: &TimestampRange) -> Result<()> {
    for (name, micros) in [("start_timestamp_micros", range.start), ("end_timestamp_micros", range.end)] {
        if micros < 0 || micros % TIMESTAMP_GRANULARITY_MICROS != 0 {
            return refuse(
                field,
                format!(
                    "{name} must be a whole number of milliseconds, 0 or later, found {micros} microseconds"
                ),
            );
        }
    }
    if range.end != 0 && range.start > range.end {
        return refuse(
            field,
            format!(
                "start_timestamp_micros must not be after end_timestamp_micros, found {} and {}",
                range.start, range.end
            ),
        );
    }
    Ok(())
}

fn has_label(filter: &RowFilter) -> bool {
    match filter {
        RowFilter::ApplyLabel(_) => true,
        RowFilter::Chain(filters) | RowFilter::Interleave(filters) => filters.iter().any(has_label),
        RowFilter::Condition { predicate, on_true, on_false } => {
            has_label(predicate) || [on_true, on_false].into_iter().flatten().any(|branch| has_label(branch))
        }
        _ => false,
    }
}

impl RowFilter {
    /// Returns the field's name in `data.proto`.
    fn field(&self) -> &'static str {
        self.proto_field().1
    }

    /// Returns the field's number and name in `data.proto`.
    fn proto_field(&self) -> (u32, &'static str) {
        match self {
            RowFilter::Chain(_) => (1, "chain"),
            RowFilter::Interleave(_) => (2, "interleave"),
            RowFilter::Condition { .. } => (3, "condition"),
            RowFilter::Sink(_) => (16, "sink"),
            RowFilter::PassAll(_) => (17, "pass_all_filter"),
            RowFilter::BlockAll(_) => (18, "block_all_filter"),
            RowFilter::RowKeyRegex(_) => (4, "row_key_regex_filter"),
            RowFilter::RowSample(_) => (14, "row_sample_filter"),
            RowFilter::FamilyNameRegex(_) => (5, "family_name_regex_filter"),
            RowFilter::ColumnQualifierRegex(_) => (6, "column_qualifier_regex_filter"),
            RowFilter::ColumnRange(_) => (7, "column_range_filter"),
            RowFilter::TimestampRange(_) => (8, "timestamp_range_filter"),
            RowFilter::ValueRegex(_) => (9, "value_regex_filter"),
            RowFilter::ValueRange(_) => (15, "value_range_filter"),
            RowFilter::CellsPerRowOffset(_) => (10, "cells_per_row_offset_filter"),
            RowFilter::CellsPerRowLimit(_) => (11, "cells_per_row_limit_filter"),
            RowFilter::CellsPerColumnLimit(_) => (12, "cells_per_column_limit_filter"),
            RowFilter::StripValue(_) => (13, "strip_value_transformer"),
            RowFilter::ApplyLabel(_) => (19, "apply_label_transformer"),
            RowFilter::ValueBitmask(_) => (20, "value_bitmask_filter"),
        }
    }
}

/// Returns the bytes of the filter's message in protobuf encoding. In a oneof a field is written
/// even if it has the default value.
fn encoded_bytes(filter: &RowFilter) -> usize {
    let number = filter.proto_field().0;
    match filter {
        RowFilter::Chain(filters) | RowFilter::Interleave(filters) => {
            field(number, filters.iter().map(|filter| field(1, encoded_bytes(filter))).sum())
        }
        RowFilter::Condition { predicate, on_true, on_false } => {
            let branches = [(2, on_true), (3, on_false)];
            let branch_bytes: usize = branches
                .iter()
                .filter_map(|(number, branch)| {
                    branch.as_ref().map(|branch| field(*number, encoded_bytes(branch)))
                })
                .sum();
            field(number, field(1, encoded_bytes(predicate)) + branch_bytes)
        }
        RowFilter::Sink(_) | RowFilter::PassAll(_) | RowFilter::BlockAll(_) | RowFilter::StripValue(_) => {
            tag(number) + 1
        }
        RowFilter::RowKeyRegex(bytes)
        | RowFilter::ColumnQualifierRegex(bytes)
        | RowFilter::ValueRegex(bytes) => field(number, bytes.len()),
        RowFilter::FamilyNameRegex(text) | RowFilter::ApplyLabel(text) => field(number, text.len()),
        RowFilter::ColumnRange(range) => {
            let family = if range.family.is_empty() { 0 } else { field(1, range.family.len()) };
            field(number, family + bound(&range.start) + bound(&range.end))
        }
        RowFilter::ValueRange(range) => field(number, bound(&range.start) + bound(&range.end)),
        RowFilter::TimestampRange(range) => {
            let time = |micros: i64| if micros == 0 { 0 } else { tag(1) + varint(micros as u64) };
            field(number, time(range.start) + time(range.end))
        }
        RowFilter::CellsPerRowOffset(n)
        | RowFilter::CellsPerRowLimit(n)
        | RowFilter::CellsPerColumnLimit(n) => {
            // A negative int32 is written with all 64 bits.
            tag(number) + varint(i64::from(*n) as u64)
        }
        RowFilter::RowSample(_) => tag(number) + 8,
        RowFilter::ValueBitmask(mask) => {
            field(number, if mask.is_empty() { 0 } else { field(1, mask.len()) })
        }
    }
}

fn bound(bound: &Bound<Bytes>) -> usize {
    match bound {
        Bound::Included(bytes) | Bound::Excluded(bytes) => field(1, bytes.len()),
        Bound::Unbounded => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::boxed::Box;
    use alloc::vec;

    fn refused(filter: RowFilter, words: &str) {
        match filter.validate() {
            Ok(()) => panic!("{filter:?} is accepted"),
            Err(error) => assert!(error.message.contains(words), "{filter:?}: {}", error.message),
        }
    }

    fn pass() -> RowFilter {
        RowFilter::PassAll(true)
    }

    fn condition(predicate: RowFilter, on_true: RowFilter) -> RowFilter {
        RowFilter::Condition {
            predicate: Box::new(predicate),
            on_true: Some(Box::new(on_true)),
            on_false: None,
        }
    }

    #[test]
    fn filters_that_production_refuses_are_refused() {
        let label = |text: &str| RowFilter::ApplyLabel(text.into());
        let times = |start, end| RowFilter::TimestampRange(TimestampRange { start, end });
        refused(RowFilter::Chain(vec![pass()]), "at least two");
        refused(RowFilter::Interleave(vec![]), "at least two");
        refused(RowFilter::Sink(false), "must be true");
        refused(RowFilter::PassAll(false), "must be true");
        refused(RowFilter::BlockAll(false), "must be true");
        refused(RowFilter::StripValue(false), "must be true");
        refused(
            condition(RowFilter::Chain(vec![pass(), RowFilter::Sink(true)]), pass()),
            "within a Condition",
        );
        refused(condition(pass(), RowFilter::Sink(true)), "within a Condition");
        refused(RowFilter::RowKeyRegex("".into()), "must not be empty");
        refused(RowFilter::FamilyNameRegex("a[:]".into()), "':'");
        refused(RowFilter::CellsPerRowOffset(-1), "negative");
        refused(RowFilter::CellsPerRowLimit(0), "positive");
        refused(RowFilter::CellsPerColumnLimit(0), "positive");
        for p in [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY] {
            refused(RowFilter::RowSample(p), "between 0.0 and 1.0");
        }
        refused(label(""), "[a-z0-9");
        refused(label("Label"), "[a-z0-9");
        refused(label("a-label-too-long"), "1 to 15");
        refused(
            RowFilter::Chain(vec![label("a"), RowFilter::Interleave(vec![pass(), label("b")])]),
            "more than one",
        );
        refused(times(1, 0), "whole number of milliseconds");
        refused(times(-1000, 0), "whole number of milliseconds");
        refused(times(2000, 1000), "must not be after");
        let ends = |start: &str, end: &str| (Bound::Excluded(start.into()), Bound::Included(end.into()));
        let (start, end) = ends("b", "a");
        refused(
            RowFilter::ValueRange(ValueRange { start: start.clone(), end: end.clone() }),
            "must not be greater",
        );
        refused(
            RowFilter::ColumnRange(ColumnRange { family: "f".into(), start, end }),
            "must not be greater",
        );
        let (start, end) = ends("a", "b");
        refused(RowFilter::ColumnRange(ColumnRange { family: "".into(), start, end }), "family_name");
    }

    #[test]
    fn filters_that_production_accepts_are_accepted() {
        let label = |text: &str| RowFilter::ApplyLabel(text.into());
        for filter in [
            RowFilter::Interleave(vec![label("a"), label("b")]),
            RowFilter::Chain(vec![
                pass(),
                RowFilter::Interleave(vec![
                    RowFilter::Chain(vec![label("a"), RowFilter::Sink(true)]),
                    pass(),
                ]),
            ]),
            RowFilter::ApplyLabel("abcdefghij-0123".into()),
            RowFilter::CellsPerRowOffset(0),
            RowFilter::ColumnQualifierRegex("".into()),
            RowFilter::ValueRegex("".into()),
            RowFilter::TimestampRange(TimestampRange { start: 1000, end: 0 }),
            RowFilter::TimestampRange(TimestampRange { start: 1000, end: 1000 }),
        ] {
            assert_eq!(filter.validate(), Ok(()), "{filter:?}");
        }
    }

    #[test]
    fn depth_and_size_have_limits() {
        let nested =
            |levels: usize| (1..levels).fold(pass(), |filter, _| RowFilter::Interleave(vec![filter, pass()]));
        assert_eq!(nested(FILTER_DEPTH_MAX).validate(), Ok(()));
        refused(nested(FILTER_DEPTH_MAX + 1), "more than 20 deep");
        // 1 byte of tag, 3 of length, and the pattern itself.
        let pattern = |bytes: usize| RowFilter::ValueRegex("a".repeat(bytes).into());
        assert_eq!(pattern(FILTER_BYTES_MAX - 4).validate(), Ok(()));
        refused(pattern(FILTER_BYTES_MAX - 3), "the limit is 20480");
    }

    #[test]
    fn sizes_are_those_of_protobuf() {
        assert_eq!(encoded_bytes(&pass()), 3);
        assert_eq!(encoded_bytes(&RowFilter::CellsPerRowLimit(300)), 3);
        assert_eq!(
            encoded_bytes(&RowFilter::Chain(vec![pass(), RowFilter::CellsPerRowLimit(300)])),
            2 + 5 + 5
        );
        assert_eq!(encoded_bytes(&RowFilter::TimestampRange(TimestampRange { start: 0, end: 128 })), 2 + 3);
        assert_eq!(varint(127), 1);
        assert_eq!(varint(128), 2);
        assert_eq!(varint(u64::MAX), 10);
    }
}
