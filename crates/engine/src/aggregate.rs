//! Aggregate families: the cell value of an input, and the combination of two values.
//!
//! The value of a number is its eight bytes, highest first. The value of a count of distinct inputs
//! is a [`Sketch`](tabletop_model::sketch::Sketch).

use alloc::vec::Vec;

use tabletop_model::sketch::Sketch;
use tabletop_model::{Aggregate, AggregateInput};
use xxhash_rust::xxh3::xxh3_64;

/// Returns the value of a cell with one input; `None` if the family does not take such inputs.
pub(crate) fn value_of(kind: Aggregate, input: &AggregateInput) -> Option<Vec<u8>> {
    match (kind, input) {
        (Aggregate::DistinctCount, AggregateInput::Int(number)) => {
            Some(Sketch::of(xxh3_64(&number.to_be_bytes())).encode())
        }
        (Aggregate::DistinctCount, AggregateInput::Bytes(bytes)) => Some(Sketch::of(xxh3_64(bytes)).encode()),
        (_, AggregateInput::Int(number)) => Some(number.to_be_bytes().to_vec()),
        (_, AggregateInput::Bytes(_)) => None,
    }
}

/// Returns whether a cell of such a family can have this value.
pub(crate) fn is_value(kind: Aggregate, value: &[u8]) -> bool {
    kind.number(value).is_some()
}

/// Returns the combination of two values of such a family. An invalid value is left out.
pub(crate) fn combine(kind: Aggregate, older: &[u8], newer: &[u8]) -> Vec<u8> {
    if kind == Aggregate::DistinctCount {
        return match (Sketch::decode(older), Sketch::decode(newer)) {
            (Some(mut sketch), Some(newer)) => {
                sketch.merge(&newer);
                sketch.encode()
            }
            (None, Some(_)) => newer.to_vec(),
            (_, None) => older.to_vec(),
        };
    }
    let (a, b) = match (kind.number(older), kind.number(newer)) {
        (Some(a), Some(b)) => (a, b),
        (None, Some(_)) => return newer.to_vec(),
        (_, None) => return older.to_vec(),
    };
    let both = match kind {
        Aggregate::Sum => a.wrapping_add(b),
        Aggregate::Min => a.min(b),
        Aggregate::Max | Aggregate::DistinctCount => a.max(b),
    };
    both.to_be_bytes().to_vec()
}
