//! Compares this crate's decoder with Google's messages: prost encodes random messages, and the
//! decoded requests are compared with the fields of the messages.

use std::ops::Bound;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use prost::Message;
use proto::mutation::{
    AddToCell, DeleteFromColumn, DeleteFromFamily, DeleteFromRow, MergeToCell, Mutation as Kind, SetCell,
};
use proto::read_modify_write_rule::Rule;
use proto::row_filter::{Chain, Condition, Filter, Interleave};
use proto::row_range::{EndKey, StartKey};
use proto::value::Kind as ValueKind;
use tabletop_model::{
    AggregateInput, Bytes, ColumnRange, ReadModify, ReadModifyWriteRule, RowFilter, RowRange, RowSet,
    TimestampRange, ValueRange,
};

use super::super::proto;
use super::*;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-zé]{1,3}", Just("x".repeat(200))]
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..4)
}

/// Numbers of every length on the wire, including negative ones.
fn number() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), -3_i64..300, any::<i64>()]
}

fn times() -> impl Strategy<Value = proto::TimestampRange> {
    (number(), number()).prop_map(|(start, end)| proto::TimestampRange {
        start_timestamp_micros: start,
        end_timestamp_micros: end,
    })
}

fn row_set() -> impl Strategy<Value = proto::RowSet> {
    let start =
        prop_oneof![bytes().prop_map(StartKey::StartKeyClosed), bytes().prop_map(StartKey::StartKeyOpen)];
    let end = prop_oneof![bytes().prop_map(EndKey::EndKeyClosed), bytes().prop_map(EndKey::EndKeyOpen)];
    let range = (option::of(start), option::of(end))
        .prop_map(|(start_key, end_key)| proto::RowRange { start_key, end_key });
    (vec(bytes(), 0..3), vec(range, 0..3))
        .prop_map(|(row_keys, row_ranges)| proto::RowSet { row_keys, row_ranges })
}

fn column_range() -> impl Strategy<Value = Filter> {
    use proto::column_range::{EndQualifier, StartQualifier};
    let start = prop_oneof![
        bytes().prop_map(StartQualifier::StartQualifierClosed),
        bytes().prop_map(StartQualifier::StartQualifierOpen)
    ];
    let end = prop_oneof![
        bytes().prop_map(EndQualifier::EndQualifierClosed),
        bytes().prop_map(EndQualifier::EndQualifierOpen)
    ];
    (text(), option::of(start), option::of(end)).prop_map(|(family_name, start_qualifier, end_qualifier)| {
        Filter::ColumnRangeFilter(proto::ColumnRange { family_name, start_qualifier, end_qualifier })
    })
}

fn value_range() -> impl Strategy<Value = Filter> {
    use proto::value_range::{EndValue, StartValue};
    let start = prop_oneof![
        bytes().prop_map(StartValue::StartValueClosed),
        bytes().prop_map(StartValue::StartValueOpen)
    ];
    let end =
        prop_oneof![bytes().prop_map(EndValue::EndValueClosed), bytes().prop_map(EndValue::EndValueOpen)];
    (option::of(start), option::of(end)).prop_map(|(start_value, end_value)| {
        Filter::ValueRangeFilter(proto::ValueRange { start_value, end_value })
    })
}

fn filter() -> impl Strategy<Value = proto::RowFilter> {
    let leaf = prop_oneof![
        bytes().prop_map(Filter::RowKeyRegexFilter),
        text().prop_map(Filter::FamilyNameRegexFilter),
        bytes().prop_map(Filter::ColumnQualifierRegexFilter),
        column_range(),
        times().prop_map(Filter::TimestampRangeFilter),
        bytes().prop_map(Filter::ValueRegexFilter),
        value_range(),
        any::<i32>().prop_map(Filter::CellsPerRowOffsetFilter),
        any::<i32>().prop_map(Filter::CellsPerRowLimitFilter),
        any::<i32>().prop_map(Filter::CellsPerColumnLimitFilter),
        any::<bool>().prop_map(Filter::StripValueTransformer),
        (-1.0..2.0).prop_map(Filter::RowSampleFilter),
        any::<bool>().prop_map(Filter::Sink),
        any::<bool>().prop_map(Filter::PassAllFilter),
        any::<bool>().prop_map(Filter::BlockAllFilter),
        text().prop_map(Filter::ApplyLabelTransformer),
    ];
    let set = |filter| proto::RowFilter { filter: Some(filter) };
    let leaf = prop_oneof![9 => leaf.prop_map(set), 1 => Just(proto::RowFilter { filter: None })];
    leaf.prop_recursive(4, 16, 3, move |inner| {
        let boxed = || option::of(inner.clone().prop_map(Box::new));
        let condition =
            (inner.clone(), boxed(), boxed()).prop_map(|(predicate, true_filter, false_filter)| {
                Filter::Condition(Box::new(Condition {
                    predicate_filter: Some(Box::new(predicate)),
                    true_filter,
                    false_filter,
                }))
            });
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(|filters| Filter::Chain(Chain { filters })),
            vec(inner.clone(), 0..3).prop_map(|filters| Filter::Interleave(Interleave { filters })),
            condition,
        ]
        .prop_map(set)
    })
}

fn value(kind: ValueKind) -> Option<proto::Value> {
    Some(proto::Value { r#type: None, kind: Some(kind) })
}

fn mutation() -> impl Strategy<Value = proto::Mutation> {
    let set = (text(), bytes(), number(), bytes()).prop_map(
        |(family_name, column_qualifier, timestamp_micros, value)| {
            Kind::SetCell(SetCell { family_name, column_qualifier, timestamp_micros, value })
        },
    );
    let input = prop_oneof![number().prop_map(ValueKind::IntValue), bytes().prop_map(ValueKind::RawValue)];
    let add = (text(), bytes(), number(), input).prop_map(|(family_name, qualifier, micros, input)| {
        let (column_qualifier, timestamp) =
            (value(ValueKind::RawValue(qualifier)), value(ValueKind::RawTimestampMicros(micros)));
        Kind::AddToCell(AddToCell { family_name, column_qualifier, timestamp, input: value(input) })
    });
    let merge = (text(), bytes(), number(), bytes()).prop_map(|(family_name, qualifier, micros, input)| {
        let (column_qualifier, timestamp) =
            (value(ValueKind::RawValue(qualifier)), value(ValueKind::RawTimestampMicros(micros)));
        Kind::MergeToCell(MergeToCell {
            family_name,
            column_qualifier,
            timestamp,
            input: value(ValueKind::RawValue(input)),
        })
    });
    let column =
        (text(), bytes(), option::of(times())).prop_map(|(family_name, column_qualifier, time_range)| {
            Kind::DeleteFromColumn(DeleteFromColumn { family_name, column_qualifier, time_range })
        });
    let family = text().prop_map(|family_name| Kind::DeleteFromFamily(DeleteFromFamily { family_name }));
    prop_oneof![set, add, merge, column, family, Just(Kind::DeleteFromRow(DeleteFromRow {}))]
        .prop_map(|kind| proto::Mutation { mutation: Some(kind) })
}

fn rule() -> impl Strategy<Value = proto::ReadModifyWriteRule> {
    let rule = prop_oneof![bytes().prop_map(Rule::AppendValue), number().prop_map(Rule::IncrementAmount)];
    (text(), bytes(), rule).prop_map(|(family_name, column_qualifier, rule)| proto::ReadModifyWriteRule {
        family_name,
        column_qualifier,
        rule: Some(rule),
    })
}

/// The names of a table, an authorized view and an app profile.
fn names() -> impl Strategy<Value = (String, String, String)> {
    (text(), text(), text())
}

fn times_of(range: &proto::TimestampRange) -> TimestampRange {
    TimestampRange { start: range.start_timestamp_micros, end: range.end_timestamp_micros }
}

fn rows_of(set: &proto::RowSet) -> RowSet {
    let range = |range: &proto::RowRange| RowRange {
        start: match &range.start_key {
            Some(StartKey::StartKeyClosed(key)) => Bound::Included(Bytes(key.clone())),
            Some(StartKey::StartKeyOpen(key)) => Bound::Excluded(Bytes(key.clone())),
            None => Bound::Unbounded,
        },
        end: match &range.end_key {
            Some(EndKey::EndKeyClosed(key)) => Bound::Included(Bytes(key.clone())),
            Some(EndKey::EndKeyOpen(key)) => Bound::Excluded(Bytes(key.clone())),
            None => Bound::Unbounded,
        },
    };
    RowSet {
        keys: set.row_keys.iter().cloned().map(Bytes).collect(),
        ranges: set.row_ranges.iter().map(range).collect(),
    }
}

fn filters_of(filters: &[proto::RowFilter]) -> Vec<RowFilter> {
    filters.iter().map(inner_of).collect()
}

/// A filter within another one that is not set passes all cells.
fn inner_of(filter: &proto::RowFilter) -> RowFilter {
    filter_of(filter).unwrap_or(RowFilter::PassAll(true))
}

fn filter_of(filter: &proto::RowFilter) -> Option<RowFilter> {
    let branch =
        |filter: &Option<Box<proto::RowFilter>>| filter.as_ref().map(|filter| Box::new(inner_of(filter)));
    Some(match filter.filter.as_ref()? {
        Filter::Chain(chain) => RowFilter::Chain(filters_of(&chain.filters)),
        Filter::Interleave(interleave) => RowFilter::Interleave(filters_of(&interleave.filters)),
        Filter::Condition(condition) => RowFilter::Condition {
            predicate: branch(&condition.predicate_filter).unwrap(),
            on_true: branch(&condition.true_filter),
            on_false: branch(&condition.false_filter),
        },
        Filter::RowKeyRegexFilter(regex) => RowFilter::RowKeyRegex(Bytes(regex.clone())),
        Filter::FamilyNameRegexFilter(regex) => RowFilter::FamilyNameRegex(regex.clone()),
        Filter::ColumnQualifierRegexFilter(regex) => RowFilter::ColumnQualifierRegex(Bytes(regex.clone())),
        Filter::ColumnRangeFilter(range) => RowFilter::ColumnRange(column_range_of(range)),
        Filter::TimestampRangeFilter(range) => RowFilter::TimestampRange(times_of(range)),
        Filter::ValueRegexFilter(regex) => RowFilter::ValueRegex(Bytes(regex.clone())),
        Filter::ValueRangeFilter(range) => RowFilter::ValueRange(value_range_of(range)),
        Filter::CellsPerRowOffsetFilter(count) => RowFilter::CellsPerRowOffset(*count),
        Filter::CellsPerRowLimitFilter(count) => RowFilter::CellsPerRowLimit(*count),
        Filter::CellsPerColumnLimitFilter(count) => RowFilter::CellsPerColumnLimit(*count),
        Filter::StripValueTransformer(on) => RowFilter::StripValue(*on),
        Filter::RowSampleFilter(part) => RowFilter::RowSample(*part),
        Filter::Sink(on) => RowFilter::Sink(*on),
        Filter::PassAllFilter(on) => RowFilter::PassAll(*on),
        Filter::BlockAllFilter(on) => RowFilter::BlockAll(*on),
        Filter::ApplyLabelTransformer(label) => RowFilter::ApplyLabel(label.clone()),
    })
}

fn column_range_of(range: &proto::ColumnRange) -> ColumnRange {
    use proto::column_range::{EndQualifier, StartQualifier};
    ColumnRange {
        family: range.family_name.clone(),
        start: match &range.start_qualifier {
            Some(StartQualifier::StartQualifierClosed(start)) => Bound::Included(Bytes(start.clone())),
            Some(StartQualifier::StartQualifierOpen(start)) => Bound::Excluded(Bytes(start.clone())),
            None => Bound::Unbounded,
        },
        end: match &range.end_qualifier {
            Some(EndQualifier::EndQualifierClosed(end)) => Bound::Included(Bytes(end.clone())),
            Some(EndQualifier::EndQualifierOpen(end)) => Bound::Excluded(Bytes(end.clone())),
            None => Bound::Unbounded,
        },
    }
}

fn value_range_of(range: &proto::ValueRange) -> ValueRange {
    use proto::value_range::{EndValue, StartValue};
    ValueRange {
        start: match &range.start_value {
            Some(StartValue::StartValueClosed(start)) => Bound::Included(Bytes(start.clone())),
            Some(StartValue::StartValueOpen(start)) => Bound::Excluded(Bytes(start.clone())),
            None => Bound::Unbounded,
        },
        end: match &range.end_value {
            Some(EndValue::EndValueClosed(end)) => Bound::Included(Bytes(end.clone())),
            Some(EndValue::EndValueOpen(end)) => Bound::Excluded(Bytes(end.clone())),
            None => Bound::Unbounded,
        },
    }
}

fn raw_of(value: &Option<proto::Value>) -> Bytes {
    match value.as_ref().and_then(|value| value.kind.as_ref()) {
        Some(ValueKind::RawValue(bytes)) => Bytes(bytes.clone()),
        other => panic!("{other:?}"),
    }
}

fn micros_of(value: &Option<proto::Value>) -> i64 {
    match value.as_ref().and_then(|value| value.kind.as_ref()) {
        Some(ValueKind::RawTimestampMicros(micros)) => *micros,
        other => panic!("{other:?}"),
    }
}

fn mutations_of(mutations: &[proto::Mutation]) -> Vec<Mutation> {
    mutations.iter().map(|mutation| mutation_of(mutation.mutation.as_ref().unwrap())).collect()
}

fn mutation_of(kind: &Kind) -> Mutation {
    match kind {
        Kind::SetCell(set) => Mutation::SetCell {
            family: set.family_name.clone(),
            qualifier: Bytes(set.column_qualifier.clone()),
            timestamp: set.timestamp_micros,
            value: Bytes(set.value.clone()),
        },
        Kind::AddToCell(add) => Mutation::AddToCell {
            family: add.family_name.clone(),
            qualifier: raw_of(&add.column_qualifier),
            timestamp: micros_of(&add.timestamp),
            input: match add.input.as_ref().and_then(|input| input.kind.as_ref()) {
                Some(ValueKind::IntValue(number)) => AggregateInput::Int(*number),
                _ => AggregateInput::Bytes(raw_of(&add.input)),
            },
        },
        Kind::MergeToCell(merge) => Mutation::MergeToCell {
            family: merge.family_name.clone(),
            qualifier: raw_of(&merge.column_qualifier),
            timestamp: micros_of(&merge.timestamp),
            input: raw_of(&merge.input),
        },
        Kind::DeleteFromColumn(delete) => Mutation::DeleteFromColumn {
            family: delete.family_name.clone(),
            qualifier: Bytes(delete.column_qualifier.clone()),
            range: delete.time_range.as_ref().map_or(TimestampRange::ALL, times_of),
        },
        Kind::DeleteFromFamily(delete) => Mutation::DeleteFromFamily { family: delete.family_name.clone() },
        Kind::DeleteFromRow(_) => Mutation::DeleteFromRow,
    }
}

fn read<C: Decode>(message: &impl Message) -> C {
    C::decode(&message.encode_to_vec()).unwrap_or_else(|status| panic!("{status:?}"))
}

fn check_target(target: &Target, table: &str, view: &str) {
    assert_eq!((target.table.as_str(), target.view.as_str()), (table, view));
}

proptest! {
    #[test]
    fn reads_of_rows(
        (table_name, authorized_view_name, app_profile_id) in names(),
        materialized_view_name in text(),
        rows in option::of(row_set()),
        filter in option::of(filter()),
        (rows_limit, request_stats_view, reversed) in (number(), 0..4, any::<bool>()),
    ) {
        let message = proto::ReadRowsRequest {
            table_name, authorized_view_name, app_profile_id, materialized_view_name, rows, filter, rows_limit,
            request_stats_view, reversed,
        };
        let call: ReadRowsCall = read(&message);
        check_target(&call.target, &message.table_name, &message.authorized_view_name);
        prop_assert_eq!(&call.target.materialized_view, &message.materialized_view_name);
        prop_assert_eq!(&call.read.rows, &message.rows.as_ref().map_or_else(RowSet::default, rows_of));
        prop_assert_eq!(&call.read.filter, &message.filter.as_ref().and_then(filter_of));
        prop_assert_eq!(call.rows_limit, rows_limit);
        prop_assert_eq!(call.read.reversed, reversed);
        let is_full = message.request_stats_view() == proto::read_rows_request::RequestStatsView::RequestStatsFull;
        prop_assert_eq!(call.with_stats, is_full);
    }

    #[test]
    fn samples_of_keys((table_name, authorized_view_name, app_profile_id) in names(), materialized_view_name in text()) {
        let message =
            proto::SampleRowKeysRequest { table_name, authorized_view_name, app_profile_id, materialized_view_name };
        let call: SampleRowKeysCall = read(&message);
        check_target(&call.target, &message.table_name, &message.authorized_view_name);
        prop_assert_eq!(&call.target.materialized_view, &message.materialized_view_name);
    }

    #[test]
    fn changes_of_a_row(
        (table_name, authorized_view_name, app_profile_id) in names(),
        row_key in bytes(),
        mutations in vec(mutation(), 0..4),
    ) {
        let message = proto::MutateRowRequest {
            table_name, authorized_view_name, app_profile_id, row_key, mutations, idempotency: None,
        };
        let call: MutateRowCall = read(&message);
        check_target(&call.target, &message.table_name, &message.authorized_view_name);
        let expected = RowMutation { key: message.row_key.clone().into(), mutations: mutations_of(&message.mutations) };
        prop_assert_eq!(call.row, expected);
    }

    #[test]
    fn changes_of_rows(
        (table_name, authorized_view_name, app_profile_id) in names(),
        entries in vec((bytes(), vec(mutation(), 0..4)), 0..4),
    ) {
        let entries = entries.into_iter();
        let entries = entries
            .map(|(row_key, mutations)| proto::mutate_rows_request::Entry { row_key, mutations, idempotency: None })
            .collect();
        let message = proto::MutateRowsRequest { table_name, authorized_view_name, app_profile_id, entries };
        let call: MutateRowsCall = read(&message);
        check_target(&call.target, &message.table_name, &message.authorized_view_name);
        let row = |entry: &proto::mutate_rows_request::Entry| {
            Ok(RowMutation { key: entry.row_key.clone().into(), mutations: mutations_of(&entry.mutations) })
        };
        prop_assert_eq!(call.entries, message.entries.iter().map(row).collect::<Vec<_>>());
    }

    #[test]
    fn checks_with_changes(
        (table_name, authorized_view_name, app_profile_id) in names(),
        row_key in bytes(),
        predicate_filter in option::of(filter()),
        (true_mutations, false_mutations) in (vec(mutation(), 0..3), vec(mutation(), 0..3)),
    ) {
        let message = proto::CheckAndMutateRowRequest {
            table_name, authorized_view_name, app_profile_id, row_key, predicate_filter, true_mutations, false_mutations,
        };
        let call: CheckAndMutateRowCall = read(&message);
        check_target(&call.target, &message.table_name, &message.authorized_view_name);
        let expected = CheckAndMutateRow {
            key: message.row_key.clone().into(),
            predicate: message.predicate_filter.as_ref().and_then(filter_of),
            on_match: mutations_of(&message.true_mutations),
            otherwise: mutations_of(&message.false_mutations),
        };
        prop_assert_eq!(call.check, expected);
    }

    #[test]
    fn changes_by_rules(
        (table_name, authorized_view_name, app_profile_id) in names(),
        row_key in bytes(),
        rules in vec(rule(), 0..4),
    ) {
        let message =
            proto::ReadModifyWriteRowRequest { table_name, authorized_view_name, app_profile_id, row_key, rules };
        let call: ReadModifyWriteRowCall = read(&message);
        check_target(&call.target, &message.table_name, &message.authorized_view_name);
        let rule = |rule: &proto::ReadModifyWriteRule| ReadModifyWriteRule {
            family: rule.family_name.clone(),
            qualifier: Bytes(rule.column_qualifier.clone()),
            modify: match rule.rule.as_ref().unwrap() {
                Rule::AppendValue(bytes) => ReadModify::Append(Bytes(bytes.clone())),
                Rule::IncrementAmount(amount) => ReadModify::Increment(*amount),
            },
        };
        let expected =
            ReadModifyWriteRow { key: message.row_key.clone().into(), rules: message.rules.iter().map(rule).collect() };
        prop_assert_eq!(call.row, expected);
    }
}
