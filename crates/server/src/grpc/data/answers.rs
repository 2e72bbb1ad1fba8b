//! Answers in the messages of google.bigtable.v2.

use bytes::Bytes;
use prost::Message;
use tabletop_model::protobuf_len::{field, tag, varint};
use tabletop_model::{Row, RowKeySample};
use tonic::Status;

use super::super::wire::{put_head, put_varint};
use super::proto;

/// The size at which a message of outcomes is complete. Clients accept 4 MiB by default.
const MESSAGE_BYTES: usize = 1 << 20;

/// Encodes the outcomes of all entries as `MutateRowsResponse`s.
pub(crate) fn outcomes(outcomes: &[Option<Status>]) -> Vec<Bytes> {
    let (mut parts, mut message) = (Vec::new(), Vec::with_capacity(outcomes.len() * 8));
    for (index, outcome) in outcomes.iter().enumerate() {
        let status = outcome.as_ref().map_or_else(Vec::new, |status| {
            let message = status.message().into();
            googleapis_tonic_google_rpc::google::rpc::Status {
                code: status.code() as i32,
                message,
                details: Vec::new(),
            }
            .encode_to_vec()
        });
        let index_bytes = if index == 0 { 0 } else { tag(1) + varint(index as u64) };
        put_head(&mut message, 1, index_bytes + field(2, status.len()));
        if index > 0 {
            message.push(1 << 3);
            put_varint(&mut message, index as u64);
        }
        put_head(&mut message, 2, status.len());
        message.extend_from_slice(&status);
        if message.len() >= MESSAGE_BYTES {
            parts.push(std::mem::take(&mut message).into());
        }
    }
    if !message.is_empty() {
        parts.push(message.into());
    }
    parts
}

/// Encodes samples as `SampleRowKeysResponse`s.
pub(crate) fn samples(samples: Vec<RowKeySample>) -> Vec<Bytes> {
    let encoded = |sample: RowKeySample| {
        let offset_bytes = sample.offset_bytes as i64;
        proto::SampleRowKeysResponse { row_key: sample.key.0, offset_bytes }.encode_to_vec().into()
    };
    samples.into_iter().map(encoded).collect()
}

/// Converts a row to a tree of families, columns and cells, in the order of its cells.
pub(crate) fn row(row: Row) -> proto::Row {
    let mut families: Vec<proto::Family> = Vec::new();
    for cell in row.cells {
        if families.last().is_none_or(|family| family.name != cell.family) {
            families.push(proto::Family { name: cell.family, columns: Vec::new() });
        }
        let Some(family) = families.last_mut() else { continue };
        if family.columns.last().is_none_or(|column| column.qualifier != cell.qualifier.0) {
            family.columns.push(proto::Column { qualifier: cell.qualifier.0, cells: Vec::new() });
        }
        let labels = cell.label.into_iter().collect();
        let cell = proto::Cell { timestamp_micros: cell.timestamp, value: cell.value.0, labels };
        family.columns.last_mut().into_iter().for_each(|column| column.cells.push(cell.clone()));
    }
    proto::Row { key: row.key.0, families }
}
