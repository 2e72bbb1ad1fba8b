//! Samples of a range of rows.

use std::ops::Bound;

use tabletop_model::{RowKey, RowKeySample, RowRange};
use tonic::Status;

use super::super::status::invalid;

/// Returns the samples of a range. The last one is the end of the range, as the last sample of a
/// table is the end of the table. Its offset is the offset of the next sample of the table, because
/// the offset of the key itself is not known.
///
/// # Errors
/// `INVALID_ARGUMENT` for a range that ends before it begins.
pub(super) fn within(samples: Vec<RowKeySample>, range: &RowRange) -> Result<Vec<RowKeySample>, Status> {
    let (start, end) = (key_of(&range.start), key_of(&range.end));
    if let (Some(start), Some(end)) = (start, end)
        && start > end
    {
        return Err(invalid("Error in field 'row_range' : start_key must be less than end_key"));
    }
    let mut found = Vec::new();
    for sample in samples {
        let is_last = sample.key.is_empty() || end.is_some_and(|end| sample.key >= *end);
        if is_last {
            let key = end.cloned().unwrap_or_default();
            found.push(RowKeySample { key, ..sample });
            break;
        }
        if start.is_none_or(|start| sample.key > *start) {
            found.push(sample);
        }
    }
    Ok(found)
}

/// Returns the key of a bound. An empty key means unbounded.
fn key_of(bound: &Bound<RowKey>) -> Option<&RowKey> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key).filter(|key| !key.is_empty()),
        Bound::Unbounded => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sample_is_the_end_of_the_range() {
        let samples = || -> Vec<RowKeySample> {
            let sample = |(key, offset_bytes): (&str, u64)| RowKeySample { key: key.into(), offset_bytes };
            [("b", 1), ("m", 2), ("t", 3), ("", 4)].map(sample).into()
        };
        let of = |start: Bound<&str>, end: Bound<&str>| {
            let range = RowRange { start: start.map(RowKey::from), end: end.map(RowKey::from) };
            let found = within(samples(), &range).map_err(|status| status.code())?;
            Ok(found
                .iter()
                .map(|sample| format!("{} {}", sample.key, sample.offset_bytes))
                .collect::<Vec<_>>()
                .join(", "))
        };
        use Bound::{Excluded, Included, Unbounded};
        assert_eq!(of(Unbounded, Unbounded).as_deref(), Ok("b 1, m 2, t 3,  4"));
        assert_eq!(of(Included("b"), Excluded("n")).as_deref(), Ok("m 2, n 3"));
        assert_eq!(of(Excluded("c"), Included("t")).as_deref(), Ok("m 2, t 3"));
        assert_eq!(of(Included("x"), Unbounded).as_deref(), Ok(" 4"));
        assert_eq!(
            of(Included(""), Excluded("")).as_deref(),
            Ok("b 1, m 2, t 3,  4"),
            "an empty key is not a bound"
        );
        assert_eq!(of(Included("u"), Excluded("v")).as_deref(), Ok("v 4"));
        assert_eq!(of(Included("v"), Excluded("u")), Err(tonic::Code::InvalidArgument));
    }
}
