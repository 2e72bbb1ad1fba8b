//! Aggregate families: what a cell's value is, and how two of them become one.

use alloc::vec::Vec;

use tabletop_model::Aggregate;

/// The state of both: of numbers their sum, least or greatest. Both are states of `kind`; what is not is left away.
pub(crate) fn combine(kind: Aggregate, older: &[u8], newer: &[u8]) -> Vec<u8> {
    let (Some(a), Some(b)) = (number(older), number(newer)) else { return older.to_vec() };
    match kind {
        Aggregate::Sum => a.wrapping_add(b),
        Aggregate::Min => a.min(b),
        Aggregate::Max | Aggregate::DistinctCount => a.max(b),
    }
    .to_be_bytes()
    .to_vec()
}

fn number(state: &[u8]) -> Option<i64> {
    Some(i64::from_be_bytes(state.try_into().ok()?))
}
