//! google.bigtable.v2: encodes requests about rows, and decodes the answers.

use std::ops::Bound;

use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use proto::mutation::{AddToCell, DeleteFromColumn, DeleteFromFamily, DeleteFromRow, MergeToCell, Mutation as Kind, SetCell};
use proto::read_modify_write_rule::Rule;
use proto::read_rows_response::CellChunk;
use proto::row_range::{EndKey, StartKey};
use proto::value::Kind as ValueKind;
use tabletop_model::{
    AggregateInput, Bytes, Cell, Mutation, ReadModify, ReadRows, ReadStats, Response, Result, Row, RowFilter, RowKeySample,
    RowMutation, RowRange, RowSet, RowsChunk, TableRequest,
};

use super::{DATA, Remote, error, table_name};

impl Remote {
    /// Handles requests about the rows of a table.
    pub(super) fn use_rows(&mut self, table: &str, request: TableRequest) -> Result<Response> {
        match request {
            TableRequest::MutateRows(entries) => self.mutate_rows(table, entries),
            TableRequest::CheckAndMutateRow(check) => {
                let request = proto::CheckAndMutateRowRequest {
                    table_name: table_name(table),
                    row_key: check.key.0,
                    true_mutations: check.on_match.into_iter().map(mutation).collect(),
                    false_mutations: check.otherwise.into_iter().map(mutation).collect(),
                    ..Default::default()
                };
                let mut message = request.encode_to_vec();
                check.predicate.iter().for_each(|predicate| put(&mut message, 6, &filter(predicate)));
                let answers = self.call(DATA, "CheckAndMutateRow", message)?;
                let answer = proto::CheckAndMutateRowResponse::decode(&answers[0][..]).expect("an answer");
                Ok(Response::PredicateMatched(answer.predicate_matched))
            }
            TableRequest::ReadModifyWriteRow(row) => {
                let rule = |rule: tabletop_model::ReadModifyWriteRule| proto::ReadModifyWriteRule {
                    family_name: rule.family,
                    column_qualifier: rule.qualifier.0,
                    rule: Some(match rule.modify {
                        ReadModify::Append(bytes) => Rule::AppendValue(bytes.0),
                        ReadModify::Increment(amount) => Rule::IncrementAmount(amount),
                    }),
                };
                let request = proto::ReadModifyWriteRowRequest {
                    table_name: table_name(table),
                    row_key: row.key.0,
                    rules: row.rules.into_iter().map(rule).collect(),
                    ..Default::default()
                };
                let answer: proto::ReadModifyWriteRowResponse = self.ask(DATA, "ReadModifyWriteRow", &request)?;
                Ok(Response::Row(row_of(answer.row.expect("a row"))))
            }
            TableRequest::ReadRows(read) => self.read_rows(table, &read).map(Response::Rows),
            TableRequest::SampleRowKeys => {
                let request = proto::SampleRowKeysRequest { table_name: table_name(table), ..Default::default() };
                let answers = self.call(DATA, "SampleRowKeys", request.encode_to_vec())?;
                let sample = |answer: &bytes::Bytes| {
                    let sample = proto::SampleRowKeysResponse::decode(&answer[..]).expect("an answer");
                    RowKeySample { key: sample.row_key.into(), offset_bytes: sample.offset_bytes as u64 }
                };
                Ok(Response::RowKeySamples(answers.iter().map(sample).collect()))
            }
            other => panic!("{other:?} is not about rows"),
        }
    }

    fn mutate_rows(&mut self, table: &str, entries: Vec<RowMutation>) -> Result<Response> {
        let entry = |entry: RowMutation| proto::mutate_rows_request::Entry {
            row_key: entry.key.0,
            mutations: entry.mutations.into_iter().map(mutation).collect(),
            idempotency: None,
        };
        let entries = entries.into_iter().map(entry).collect();
        let request = proto::MutateRowsRequest { table_name: table_name(table), entries, ..Default::default() };
        let mut outcomes = Vec::new();
        for answer in self.call(DATA, "MutateRows", request.encode_to_vec())? {
            for entry in proto::MutateRowsResponse::decode(&answer[..]).expect("an answer").entries {
                assert_eq!(entry.index as usize, outcomes.len(), "entries in order");
                let status = entry.status.expect("a status");
                outcomes.push((status.code != 0).then(|| error(status.code.into(), &status.message)));
            }
        }
        Ok(Response::Mutated(outcomes))
    }

    /// Reads all slices in one call, because the API has no slices.
    fn read_rows(&mut self, table: &str, read: &ReadRows) -> Result<RowsChunk> {
        let request = proto::ReadRowsRequest {
            table_name: table_name(table),
            rows: Some(row_set(&read.rows)),
            rows_limit: read.rows_limit as i64,
            reversed: read.reversed,
            request_stats_view: proto::read_rows_request::RequestStatsView::RequestStatsFull as i32,
            ..Default::default()
        };
        let mut message = request.encode_to_vec();
        read.filter.iter().for_each(|wanted| put(&mut message, 3, &filter(wanted)));
        let mut chunk = RowsChunk::default();
        let mut rows = Rows::default();
        for answer in self.call(DATA, "ReadRows", message)? {
            let answer = proto::ReadRowsResponse::decode(&answer[..]).expect("an answer");
            answer.chunks.into_iter().for_each(|chunk| rows.take(chunk));
            chunk.stats = answer.request_stats.map_or(chunk.stats, stats);
        }
        chunk.rows = rows.rows;
        Ok(chunk)
    }
}

/// Rows assembled from chunks.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    is_complete: bool,
    is_within_value: bool,
}

impl Rows {
    fn take(&mut self, chunk: CellChunk) {
        if !chunk.row_key.is_empty() {
            assert!(self.rows.is_empty() || self.is_complete, "a row begins after a complete one");
            self.rows.push(Row { key: chunk.row_key.into(), cells: Vec::new() });
            self.is_complete = false;
        }
        let row = self.rows.last_mut().expect("a row begins with its key");
        if self.is_within_value {
            row.cells.last_mut().expect("a cell").value.extend_from_slice(&chunk.value);
        } else {
            let before = row.cells.last();
            let family = chunk.family_name.or_else(|| before.map(|cell| cell.family.clone())).expect("a family");
            let qualifier = chunk.qualifier.map(Bytes).or_else(|| before.map(|cell| cell.qualifier.clone()));
            row.cells.push(Cell {
                family,
                qualifier: qualifier.expect("a qualifier"),
                timestamp: chunk.timestamp_micros,
                value: chunk.value.into(),
                label: chunk.labels.into_iter().next(),
            });
        }
        self.is_within_value = chunk.value_size > 0;
        self.is_complete = chunk.row_status.is_some();
    }
}

fn stats(stats: proto::RequestStats) -> ReadStats {
    let Some(proto::request_stats::StatsView::FullReadStatsView(view)) = stats.stats_view else { return ReadStats::default() };
    let counts = view.read_iteration_stats.unwrap_or_default();
    ReadStats {
        rows_seen: counts.rows_seen_count as u64,
        rows_returned: counts.rows_returned_count as u64,
        cells_seen: counts.cells_seen_count as u64,
        cells_returned: counts.cells_returned_count as u64,
        ..ReadStats::default()
    }
}

fn row_of(row: proto::Row) -> Row {
    let mut cells = Vec::new();
    for family in row.families {
        for column in family.columns {
            cells.extend(column.cells.into_iter().map(|cell| Cell {
                family: family.name.clone(),
                qualifier: column.qualifier.clone().into(),
                timestamp: cell.timestamp_micros,
                value: cell.value.into(),
                label: cell.labels.into_iter().next(),
            }));
        }
    }
    Row { key: row.key.into(), cells }
}

fn row_set(rows: &RowSet) -> proto::RowSet {
    let range = |range: &RowRange| proto::RowRange {
        start_key: match &range.start {
            Bound::Included(key) => Some(StartKey::StartKeyClosed(key.0.clone())),
            Bound::Excluded(key) => Some(StartKey::StartKeyOpen(key.0.clone())),
            Bound::Unbounded => None,
        },
        end_key: match &range.end {
            Bound::Included(key) => Some(EndKey::EndKeyClosed(key.0.clone())),
            Bound::Excluded(key) => Some(EndKey::EndKeyOpen(key.0.clone())),
            Bound::Unbounded => None,
        },
    };
    proto::RowSet {
        row_keys: rows.keys.iter().map(|key| key.0.clone()).collect(),
        row_ranges: rows.ranges.iter().map(range).collect(),
    }
}

fn mutation(mutation: Mutation) -> proto::Mutation {
    let value = |kind| Some(proto::Value { r#type: None, kind: Some(kind) });
    let raw = |bytes: Bytes| value(ValueKind::RawValue(bytes.0));
    let time = |micros| value(ValueKind::RawTimestampMicros(micros));
    let kind = match mutation {
        Mutation::SetCell { family, qualifier, timestamp, value } => Kind::SetCell(SetCell {
            family_name: family,
            column_qualifier: qualifier.0,
            timestamp_micros: timestamp,
            value: value.0,
        }),
        Mutation::AddToCell { family, qualifier, timestamp, input } => Kind::AddToCell(AddToCell {
            family_name: family,
            column_qualifier: raw(qualifier),
            timestamp: time(timestamp),
            input: match input {
                AggregateInput::Int(number) => value(ValueKind::IntValue(number)),
                AggregateInput::Bytes(bytes) => raw(bytes),
            },
        }),
        Mutation::MergeToCell { family, qualifier, timestamp, input } => Kind::MergeToCell(MergeToCell {
            family_name: family,
            column_qualifier: raw(qualifier),
            timestamp: time(timestamp),
            input: raw(input),
        }),
        Mutation::DeleteFromColumn { family, qualifier, range } => Kind::DeleteFromColumn(DeleteFromColumn {
            family_name: family,
            column_qualifier: qualifier.0,
            time_range: Some(proto::TimestampRange { start_timestamp_micros: range.start, end_timestamp_micros: range.end }),
        }),
        Mutation::DeleteFromFamily { family } => Kind::DeleteFromFamily(DeleteFromFamily { family_name: family }),
        Mutation::DeleteFromRow => Kind::DeleteFromRow(DeleteFromRow {}),
    };
    proto::Mutation { mutation: Some(kind) }
}

/// Encodes a `RowFilter`.
fn filter(wanted: &RowFilter) -> Vec<u8> {
    let mut out = Vec::new();
    match wanted {
        RowFilter::Chain(filters) => put(&mut out, 1, &list(filters)),
        RowFilter::Interleave(filters) => put(&mut out, 2, &list(filters)),
        RowFilter::Condition { predicate, on_true, on_false } => {
            let mut inner = Vec::new();
            put(&mut inner, 1, &filter(predicate));
            on_true.iter().for_each(|branch| put(&mut inner, 2, &filter(branch)));
            on_false.iter().for_each(|branch| put(&mut inner, 3, &filter(branch)));
            put(&mut out, 3, &inner);
        }
        RowFilter::RowKeyRegex(regex) => put(&mut out, 4, regex),
        RowFilter::FamilyNameRegex(regex) => put(&mut out, 5, regex.as_bytes()),
        RowFilter::ColumnQualifierRegex(regex) => put(&mut out, 6, regex),
        RowFilter::ColumnRange(range) => {
            let mut inner = Vec::new();
            put(&mut inner, 1, range.family.as_bytes());
            bound(&mut inner, (2, 3), &range.start);
            bound(&mut inner, (4, 5), &range.end);
            put(&mut out, 7, &inner);
        }
        RowFilter::TimestampRange(range) => {
            let range = proto::TimestampRange { start_timestamp_micros: range.start, end_timestamp_micros: range.end };
            put(&mut out, 8, &range.encode_to_vec());
        }
        RowFilter::ValueRegex(regex) => put(&mut out, 9, regex),
        RowFilter::CellsPerRowOffset(count) => put_number(&mut out, 10, i64::from(*count)),
        RowFilter::CellsPerRowLimit(count) => put_number(&mut out, 11, i64::from(*count)),
        RowFilter::CellsPerColumnLimit(count) => put_number(&mut out, 12, i64::from(*count)),
        RowFilter::StripValue(on) => put_number(&mut out, 13, i64::from(*on)),
        RowFilter::RowSample(part) => {
            encode_key(14, WireType::SixtyFourBit, &mut out);
            out.extend_from_slice(&part.to_le_bytes());
        }
        RowFilter::ValueRange(range) => {
            let mut inner = Vec::new();
            bound(&mut inner, (1, 2), &range.start);
            bound(&mut inner, (3, 4), &range.end);
            put(&mut out, 15, &inner);
        }
        RowFilter::Sink(on) => put_number(&mut out, 16, i64::from(*on)),
        RowFilter::PassAll(on) => put_number(&mut out, 17, i64::from(*on)),
        RowFilter::BlockAll(on) => put_number(&mut out, 18, i64::from(*on)),
        RowFilter::ApplyLabel(label) => put(&mut out, 19, label.as_bytes()),
        RowFilter::ValueBitmask(mask) => {
            let mut inner = Vec::new();
            put(&mut inner, 1, mask);
            put(&mut out, 20, &inner);
        }
    }
    out
}

fn list(filters: &[RowFilter]) -> Vec<u8> {
    let mut out = Vec::new();
    filters.iter().for_each(|inner| put(&mut out, 1, &filter(inner)));
    out
}

/// Encodes an end of a range, given the field numbers of its closed and its open form.
fn bound(out: &mut Vec<u8>, (closed, open): (u32, u32), bound: &Bound<Bytes>) {
    match bound {
        Bound::Included(bytes) => put(out, closed, bytes),
        Bound::Excluded(bytes) => put(out, open, bytes),
        Bound::Unbounded => {}
    }
}

fn put(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    encode_key(number, WireType::LengthDelimited, out);
    encode_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn put_number(out: &mut Vec<u8>, number: u32, value: i64) {
    encode_key(number, WireType::Varint, out);
    encode_varint(value as u64, out);
}
