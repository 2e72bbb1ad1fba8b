//! The values of aggregate families.

use tabletop_model::sketch::Sketch;
use tabletop_model::{Aggregate, AggregateInput};
use xxhash_rust::xxh3::xxh3_64;

/// An input as a cell's value, if the family accepts such inputs.
pub(super) fn value(kind: Aggregate, input: &AggregateInput) -> Option<Vec<u8>> {
    let bytes = match input {
        AggregateInput::Int(number) => number.to_be_bytes().to_vec(),
        AggregateInput::Bytes(_) if kind != Aggregate::DistinctCount => return None,
        AggregateInput::Bytes(bytes) => bytes.0.clone(),
    };
    Some(if kind == Aggregate::DistinctCount { Sketch::of(xxh3_64(&bytes)).encode() } else { bytes })
}

pub(super) fn is_value(kind: Aggregate, value: &[u8]) -> bool {
    if kind == Aggregate::DistinctCount { Sketch::decode(value).is_some() } else { value.len() == 8 }
}

/// Combines two values.
pub(super) fn combine(kind: Aggregate, a: &[u8], b: &[u8]) -> Vec<u8> {
    if kind == Aggregate::DistinctCount {
        let mut sketch = Sketch::decode(a).expect("only values are stored");
        sketch.merge(&Sketch::decode(b).expect("only values are stored"));
        return sketch.encode();
    }
    let number = |value: &[u8]| i64::from_be_bytes(value.try_into().expect("only values are stored"));
    let both = match kind {
        Aggregate::Sum => number(a).wrapping_add(number(b)),
        Aggregate::Min => number(a).min(number(b)),
        Aggregate::Max | Aggregate::DistinctCount => number(a).max(number(b)),
    };
    both.to_be_bytes().to_vec()
}
