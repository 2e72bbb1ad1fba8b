//! Aggregate families: what an input is as a cell's value, and how two values become one.
//!
//! The value of a number is its eight bytes, the highest first; that of a count of different inputs is a
//! [`Sketch`](tabletop_model::sketch::Sketch).

use alloc::vec::Vec;

use tabletop_model::sketch::Sketch;
use tabletop_model::{Aggregate, AggregateInput};
use xxhash_rust::xxh3::xxh3_64;

/// The value of a cell that has seen one input; `None` if the family does not take such inputs.
pub(crate) fn value_of(kind: Aggregate, input: &AggregateInput) -> Option<Vec<u8>> {
    match (kind, input) {
        (Aggregate::DistinctCount, AggregateInput::Int(number)) => Some(Sketch::of(xxh3_64(&number.to_be_bytes())).encode()),
        (Aggregate::DistinctCount, AggregateInput::Bytes(bytes)) => Some(Sketch::of(xxh3_64(bytes)).encode()),
        (_, AggregateInput::Int(number)) => Some(number.to_be_bytes().to_vec()),
        (_, AggregateInput::Bytes(_)) => None,
    }
}

/// Whether a family's cell can have such a value.
pub(crate) fn is_value(kind: Aggregate, value: &[u8]) -> bool {
    kind.number(value).is_some()
}

/// The value that stands for both, which are values of such a family; what is not one is omitted.
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
