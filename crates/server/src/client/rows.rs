//! google.bigtable.v2: encodes requests about rows, and decodes the answers.

use std::ops::Bound;

use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use proto::mutation::{
    AddToCell, DeleteFromColumn, DeleteFromFamily, DeleteFromRow, MergeToCell, Mutation as Kind, SetCell,
};
use proto::read_modify_write_rule::Rule;
use proto::read_rows_response::CellChunk;
use proto::row_range::{EndKey, StartKey};
use proto::value::Kind as ValueKind;
use tabletop_model::{
    AggregateInput, Bytes, Cell, Mutation, ReadModify, ReadModifyWriteRow, ReadRows, ReadStats, Response,
    Result, Resume, Row, RowFilter, RowKey, RowKeySample, RowMutation, RowRange, RowSet, RowsChunk,
    TableRequest,
};

use super::{Client, DATA, decoded, error, malformed, unsupported};

impl Client {
    /// Handles requests about the rows of a table.
    pub(super) fn use_rows(&mut self, table: &str, request: TableRequest) -> Result<Response> {
        match request {
            TableRequest::MutateRows(entries) => self.mutate_rows(table, entries),
            TableRequest::CheckAndMutateRow(check) => {
                let request = proto::CheckAndMutateRowRequest {
                    table_name: self.table_name(table),
                    row_key: check.key.0,
                    true_mutations: check.on_match.into_iter().map(mutation_message).collect(),
                    false_mutations: check.otherwise.into_iter().map(mutation_message).collect(),
                    ..Default::default()
                };
                let mut message = request.encode_to_vec();
                check.predicate.iter().for_each(|predicate| put(&mut message, 6, &filter(predicate)));
                let answer: proto::CheckAndMutateRowResponse =
                    self.ask_encoded(DATA, "CheckAndMutateRow", message)?;
                Ok(Response::PredicateMatched(answer.predicate_matched))
            }
            TableRequest::ReadModifyWriteRow(row) => {
                let request = read_modify_write_message(self.table_name(table), row);
                let answer: proto::ReadModifyWriteRowResponse =
                    self.ask(DATA, "ReadModifyWriteRow", &request)?;
                Ok(Response::Row(row_of(answer.row.ok_or_else(malformed)?)))
            }
            TableRequest::ReadRows(read) => self.read_rows(table, &read).map(Response::Rows),
            TableRequest::SampleRowKeys => {
                let request =
                    proto::SampleRowKeysRequest { table_name: self.table_name(table), ..Default::default() };
                let mut samples = Vec::new();
                self.call(DATA, "SampleRowKeys", request.encode_to_vec(), |message| {
                    let sample: proto::SampleRowKeysResponse = decoded(&message)?;
                    samples.push(RowKeySample {
                        key: sample.row_key.into(),
                        offset_bytes: sample.offset_bytes as u64,
                    });
                    Ok(true)
                })?;
                Ok(Response::RowKeySamples(samples))
            }
            _ => Err(unsupported("this request for a table")),
        }
    }

    fn mutate_rows(&mut self, table: &str, entries: Vec<RowMutation>) -> Result<Response> {
        let entry = |entry: RowMutation| proto::mutate_rows_request::Entry {
            row_key: entry.key.0,
            mutations: entry.mutations.into_iter().map(mutation_message).collect(),
            idempotency: None,
        };
        let entries = entries.into_iter().map(entry).collect();
        let request =
            proto::MutateRowsRequest { table_name: self.table_name(table), entries, ..Default::default() };
        let mut outcomes = Vec::new();
        self.call(DATA, "MutateRows", request.encode_to_vec(), |message| {
            for entry in decoded::<proto::MutateRowsResponse>(&message)?.entries {
                let status =
                    entry.status.filter(|_| entry.index as usize == outcomes.len()).ok_or_else(malformed)?;
                outcomes.push((status.code != 0).then(|| error(status.code.into(), &status.message)));
            }
            Ok(true)
        })?;
        Ok(Response::Mutated(outcomes))
    }

    /// Reads a slice. The API has no slices, so the call is ended after enough cells, and the next
    /// one begins after the last row.
    fn read_rows(&mut self, table: &str, read: &ReadRows) -> Result<RowsChunk> {
        let before = read.resume.as_ref().map(|resume| resume.stats).unwrap_or_default();
        let mut chunk = RowsChunk { stats: before, ..RowsChunk::default() };
        let limit_is_reached = read.rows_limit > 0 && before.rows_returned >= read.rows_limit;
        let Some(rows) = rest_of(read).filter(|_| !limit_is_reached) else { return Ok(chunk) };
        let rows_limit = if read.rows_limit > 0 { read.rows_limit - before.rows_returned } else { 0 };
        let message =
            read_rows_message(self.table_name(table), &ReadRows { rows, rows_limit, ..read.clone() });
        let mut rows = Rows::default();
        let (mut counted, mut is_cut) = (None, false);
        self.call(DATA, "ReadRows", message, |message| {
            let answer: proto::ReadRowsResponse = decoded(&message)?;
            answer.chunks.into_iter().try_for_each(|chunk| rows.take(chunk))?;
            counted = answer.request_stats.map(read_stats).or(counted);
            is_cut = read.slice_cells_max > 0 && rows.cells >= read.slice_cells_max && rows.is_complete;
            Ok(!is_cut)
        })?;
        // A call that was cut short has no counts, and an emulator may count nothing: the rows that
        // have arrived are then counted.
        let counts = counted.filter(|_| !is_cut).unwrap_or_else(|| rows.counts());
        chunk.stats = added(before, counts);
        chunk.rows = rows.rows;
        if let Some(last) = chunk.rows.last().filter(|_| is_cut) {
            chunk.resume = Some(Resume { after: last.key.clone(), stats: chunk.stats });
        }
        Ok(chunk)
    }
}

fn added(before: ReadStats, stats: ReadStats) -> ReadStats {
    ReadStats {
        rows_seen: before.rows_seen + stats.rows_seen,
        rows_returned: before.rows_returned + stats.rows_returned,
        cells_seen: before.cells_seen + stats.cells_seen,
        cells_returned: before.cells_returned + stats.cells_returned,
        ..stats
    }
}

/// Returns the rows that follow the last slice, or `None` if there are none.
fn rest_of(read: &ReadRows) -> Option<RowSet> {
    let Some(Resume { after, .. }) = &read.resume else { return Some(read.rows.clone()) };
    let follows = |key: &RowKey| if read.reversed { key < after } else { key > after };
    let cut = |range: &RowRange| {
        let mut range = range.clone();
        let is_within = |bound: &Bound<RowKey>| match bound {
            Bound::Included(key) => follows(key),
            Bound::Excluded(key) => follows(key) && key != after,
            Bound::Unbounded => true,
        };
        let (near, far) =
            if read.reversed { (&mut range.end, &range.start) } else { (&mut range.start, &range.end) };
        if !is_within(far) {
            return None;
        }
        let is_later = matches!(&*near, Bound::Included(key) | Bound::Excluded(key) if follows(key));
        if !is_later {
            *near = Bound::Excluded(after.clone());
        }
        Some(range)
    };
    // Without keys and ranges, a set has all rows.
    let ranges = if read.rows.keys.is_empty() && read.rows.ranges.is_empty() {
        &[RowRange::ALL][..]
    } else {
        &read.rows.ranges
    };
    let rest = RowSet {
        keys: read.rows.keys.iter().filter(|key| follows(key)).cloned().collect(),
        ranges: ranges.iter().filter_map(cut).collect(),
    };
    (!rest.keys.is_empty() || !rest.ranges.is_empty()).then_some(rest)
}

/// Rows assembled from chunks.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    cells: u64,
    is_complete: bool,
    is_within_value: bool,
}

impl Rows {
    /// Returns the counts of a read that has seen only these rows.
    fn counts(&self) -> ReadStats {
        let (rows, cells) = (self.rows.len() as u64, self.cells);
        ReadStats {
            rows_seen: rows,
            rows_returned: rows,
            cells_seen: cells,
            cells_returned: cells,
            ..ReadStats::default()
        }
    }

    fn take(&mut self, chunk: CellChunk) -> Result<()> {
        // Google's emulator names the row in each of its chunks.
        let continues = |row: &Row| !self.is_complete && *row.key == chunk.row_key;
        if !chunk.row_key.is_empty() && !self.rows.last().is_some_and(continues) {
            if !self.rows.is_empty() && !self.is_complete {
                return Err(malformed());
            }
            self.rows.push(Row { key: chunk.row_key.into(), cells: Vec::new() });
            self.is_complete = false;
        }
        let row = self.rows.last_mut().ok_or_else(malformed)?;
        if self.is_within_value {
            row.cells.last_mut().ok_or_else(malformed)?.value.extend_from_slice(&chunk.value);
        } else {
            let before = row.cells.last();
            let family =
                chunk.family_name.or_else(|| before.map(|cell| cell.family.clone())).ok_or_else(malformed)?;
            let qualifier = chunk.qualifier.map(Bytes).or_else(|| before.map(|cell| cell.qualifier.clone()));
            row.cells.push(Cell {
                family,
                qualifier: qualifier.ok_or_else(malformed)?,
                timestamp: chunk.timestamp_micros,
                value: chunk.value.into(),
                label: chunk.labels.into_iter().next(),
            });
            self.cells += 1;
        }
        self.is_within_value = chunk.value_size > 0;
        self.is_complete = chunk.row_status.is_some();
        Ok(())
    }
}

/// Returns the counts of a read: rows and cells, seen and returned. Bigtable reports nothing else
/// to its clients.
pub fn read_stats(stats: proto::RequestStats) -> ReadStats {
    let Some(proto::request_stats::StatsView::FullReadStatsView(view)) = stats.stats_view else {
        return ReadStats::default();
    };
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

/// Encodes a read of a whole set of rows that requests its counts. (The published messages lack
/// some filters.)
pub fn read_rows_message(table_name: String, read: &ReadRows) -> Vec<u8> {
    let request = proto::ReadRowsRequest {
        table_name,
        rows: Some(row_set(&read.rows)),
        rows_limit: read.rows_limit as i64,
        reversed: read.reversed,
        request_stats_view: proto::read_rows_request::RequestStatsView::RequestStatsFull as i32,
        ..Default::default()
    };
    let mut message = request.encode_to_vec();
    read.filter.iter().for_each(|wanted| put(&mut message, 3, &filter(wanted)));
    message
}

/// Returns the message of a read-modify-write.
pub fn read_modify_write_message(
    table_name: String,
    row: ReadModifyWriteRow,
) -> proto::ReadModifyWriteRowRequest {
    let rule = |rule: tabletop_model::ReadModifyWriteRule| proto::ReadModifyWriteRule {
        family_name: rule.family,
        column_qualifier: rule.qualifier.0,
        rule: Some(match rule.modify {
            ReadModify::Append(bytes) => Rule::AppendValue(bytes.0),
            ReadModify::Increment(amount) => Rule::IncrementAmount(amount),
        }),
    };
    let rules = row.rules.into_iter().map(rule).collect();
    proto::ReadModifyWriteRowRequest { table_name, row_key: row.key.0, rules, ..Default::default() }
}

/// Returns the message of a mutation.
pub fn mutation_message(mutation: Mutation) -> proto::Mutation {
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
            time_range: Some(proto::TimestampRange {
                start_timestamp_micros: range.start,
                end_timestamp_micros: range.end,
            }),
        }),
        Mutation::DeleteFromFamily { family } => {
            Kind::DeleteFromFamily(DeleteFromFamily { family_name: family })
        }
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
            let range = proto::TimestampRange {
                start_timestamp_micros: range.start,
                end_timestamp_micros: range.end,
            };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(key: &str, qualifier: &str, ends_row: bool) -> CellChunk {
        CellChunk {
            row_key: key.into(),
            family_name: Some("f".into()),
            qualifier: Some(qualifier.into()),
            row_status: ends_row.then_some(proto::read_rows_response::cell_chunk::RowStatus::CommitRow(true)),
            ..CellChunk::default()
        }
    }

    /// Google's emulator does this.
    #[test]
    fn each_chunk_of_a_row_may_name_it() {
        let mut rows = Rows::default();
        for chunk in
            [chunk("a", "x", false), chunk("a", "y", false), chunk("", "z", true), chunk("b", "x", true)]
        {
            rows.take(chunk).unwrap();
        }
        let found: Vec<(&[u8], usize)> =
            rows.rows.iter().map(|row| (&row.key[..], row.cells.len())).collect();
        assert_eq!((found, rows.cells), (vec![(&b"a"[..], 3), (&b"b"[..], 1)], 4));
    }

    #[test]
    fn no_row_follows_one_that_has_not_ended() {
        let mut rows = Rows::default();
        rows.take(chunk("a", "x", false)).unwrap();
        assert!(rows.take(chunk("b", "x", true)).is_err());
    }
}
