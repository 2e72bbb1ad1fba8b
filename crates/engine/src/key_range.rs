//! Row ranges in one form: a start key and an exclusive end key.

use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{Error, Result, RowRange, RowSet, escape};

use tabletop_model::order::sorted;

/// Row keys `[start, end)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyRange {
    /// The first key; empty for the beginning of the table.
    pub start: Vec<u8>,
    /// The first key after the range; `None` for the end of the table.
    pub end: Option<Vec<u8>>,
}

/// Row keys `[start, end)`, borrowed; `None` for the end of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds<'a> {
    pub start: &'a [u8],
    pub end: Option<&'a [u8]>,
}

impl<'a> Bounds<'a> {
    /// Returns whether `key` is at or beyond the end.
    #[inline]
    pub fn ends_before(&self, key: &[u8]) -> bool {
        self.end.is_some_and(|end| key >= end)
    }

    /// Returns whether the range can hold one row only, so that a Bloom filter may rule out an
    /// SSTable.
    pub fn is_row(&self) -> bool {
        self.end.is_some_and(|end| end.strip_suffix(&[0]) == Some(self.start))
    }

    /// Returns the intersection of the two ranges.
    pub fn meet(&self, other: Bounds<'a>) -> Bounds<'a> {
        let end = match (self.end, other.end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        // Most ranges lie within their tablet's, so the tablet's start is often empty. Comparing
        // with an empty slice is slow where it has no address: memcmp still reads its bytes.
        let start = if other.start.is_empty() { self.start } else { self.start.max(other.start) };
        Bounds { start, end }
    }

    pub fn is_empty(&self) -> bool {
        self.end.is_some_and(|end| end <= self.start)
    }
}

impl KeyRange {
    pub fn bounds(&self) -> Bounds<'_> {
        Bounds { start: &self.start, end: self.end.as_deref() }
    }

    pub fn all() -> Self {
        KeyRange { start: Vec::new(), end: None }
    }

    /// Returns the range of a single row.
    pub fn row(key: &[u8]) -> Self {
        KeyRange { start: key.to_vec(), end: Some(next_key(key)) }
    }

    pub fn is_empty(&self) -> bool {
        self.bounds().is_empty()
    }

    pub fn contains(&self, key: &[u8]) -> bool {
        key >= self.start.as_slice() && !self.ends_before(key)
    }

    /// Returns whether `key` is at or beyond the end.
    #[inline]
    pub fn ends_before(&self, key: &[u8]) -> bool {
        self.bounds().ends_before(key)
    }

    /// Returns the intersection of the two ranges.
    pub fn meet(&self, other: &KeyRange) -> KeyRange {
        let Bounds { start, end } = self.bounds().meet(other.bounds());
        KeyRange { start: start.to_vec(), end: end.map(<[u8]>::to_vec) }
    }

    /// Returns the part of the range after `key`, or the part before it when `reversed`.
    pub fn beyond(&self, key: &[u8], reversed: bool) -> KeyRange {
        if reversed {
            self.meet(&KeyRange { start: Vec::new(), end: Some(key.to_vec()) })
        } else {
            self.meet(&KeyRange { start: next_key(key), end: None })
        }
    }
}

/// Returns the first key after `key`.
pub(crate) fn next_key(key: &[u8]) -> Vec<u8> {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0);
    next
}

/// Returns the rows of a set as ascending ranges that do not overlap. An empty bound of a range
/// means that the range is unbounded there.
///
/// # Errors
/// `InvalidArgument` for an empty row key and for a range that starts after its end.
pub(crate) fn key_ranges(rows: &RowSet) -> Result<Vec<KeyRange>> {
    if rows.is_all() {
        return Ok(alloc::vec![KeyRange::all()]);
    }
    if let ([key], true) = (rows.keys.as_slice(), rows.ranges.is_empty())
        && !key.is_empty()
    {
        return Ok(alloc::vec![KeyRange::row(key)]);
    }
    let mut ranges = Vec::with_capacity(rows.keys.len() + rows.ranges.len());
    for (index, key) in rows.keys.iter().enumerate() {
        if key.is_empty() {
            return Err(Error::invalid(alloc::format!(
                "Error in field 'row_keys' : Error in element #{index} : Row keys must be non-empty: a row key has 1 to 4096 bytes"
            )));
        }
        ranges.push(KeyRange::row(key));
    }
    for (index, range) in rows.ranges.iter().enumerate() {
        let start = match &range.start {
            Bound::Included(key) => key.0.clone(),
            Bound::Excluded(key) if key.is_empty() => Vec::new(),
            Bound::Excluded(key) => next_key(key),
            Bound::Unbounded => Vec::new(),
        };
        let end = match &range.end {
            Bound::Included(key) | Bound::Excluded(key) if key.is_empty() => None,
            Bound::Included(key) => Some(next_key(key)),
            Bound::Excluded(key) => Some(key.0.clone()),
            Bound::Unbounded => None,
        };
        if let (
            Bound::Included(first) | Bound::Excluded(first),
            Bound::Included(last) | Bound::Excluded(last),
        ) = (&range.start, &range.end)
            && first > last
            && !last.is_empty()
        {
            return Err(Error::invalid(alloc::format!(
                "Error in field 'row_ranges' : Error in element #{index} : start_key must be less than end_key: \
                 \"{}\" sorts after \"{}\"; swap them",
                escape(first),
                escape(last)
            )));
        }
        ranges.push(KeyRange { start, end });
    }
    ranges.retain(|range| !range.is_empty());
    let ranges = sorted(ranges, |a, b| a.start.cmp(&b.start));
    let mut joined: Vec<KeyRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            // Adjacent single rows stay separate: each can use a Bloom filter.
            Some(last) if last.end.as_ref().is_none_or(|end| *end > range.start) => {
                if let Some(end) = &last.end
                    && range.end.as_ref().is_none_or(|new| new > end)
                {
                    last.end = range.end;
                }
            }
            _ => joined.push(range),
        }
    }
    Ok(joined)
}

/// Divides the rows of a read into parts of at most `ranges_max` keys and ranges, in the order of
/// their keys. Each slice of a read examines all rows that the read names; reading one part at a
/// time keeps the cost of a slice the same for any number of rows. No part is empty, so a set
/// without rows has no parts.
///
/// # Errors
/// `InvalidArgument` for an empty row key and for a range that starts after its end.
pub fn divide_rows(rows: &RowSet, ranges_max: usize) -> Result<Vec<RowSet>> {
    let ranges_max = ranges_max.max(1);
    let mut parts: Vec<RowSet> = Vec::new();
    for (at, range) in key_ranges(rows)?.into_iter().enumerate() {
        if at.is_multiple_of(ranges_max) {
            parts.push(RowSet::default());
        }
        let part = parts.last_mut().expect("the first range begins a part");
        // The empty key is not a row: it is rejected as a key.
        if range.bounds().is_row() && !range.start.is_empty() {
            part.keys.push(range.start.into());
        } else {
            let end = range.end.map_or(Bound::Unbounded, |end| Bound::Excluded(end.into()));
            part.ranges.push(RowRange { start: Bound::Included(range.start.into()), end });
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_become_one() {
        let rows = RowSet {
            keys: alloc::vec!["k".into(), "b".into(), "k".into()],
            ranges: alloc::vec![
                RowRange { start: Bound::Excluded("a".into()), end: Bound::Included("c".into()) },
                RowRange::closed_open("b", "d"),
                RowRange::closed_open("x", "x"),
                RowRange { start: Bound::Included("y".into()), end: Bound::Included("".into()) },
            ],
        };
        let ranges = key_ranges(&rows).unwrap();
        assert_eq!(
            ranges,
            [
                KeyRange { start: b"a\0".to_vec(), end: Some(b"d".to_vec()) },
                KeyRange::row(b"k"),
                KeyRange { start: b"y".to_vec(), end: None },
            ]
        );
        assert!(ranges.iter().map(|range| range.bounds().is_row()).eq([false, true, false]));
    }

    #[test]
    fn many_rows_are_divided_in_the_order_of_their_keys() {
        let key = |number: u32| alloc::format!("{number:05}");
        let numbers = || (0..1_000).map(|number| number * 7_919 % 1_000);
        let rows = RowSet {
            keys: numbers().map(|number| key(number * 10).as_str().into()).collect(),
            ranges: numbers()
                .map(|number| {
                    RowRange::closed_open(
                        key(number * 10 + 3).as_str(),
                        key(number * 10 + 5 + number % 9).as_str(),
                    )
                })
                .chain([
                    RowRange { start: Bound::Excluded("z".into()), end: Bound::Unbounded },
                    RowRange::prefix("y"),
                ])
                .collect(),
        };
        let all = key_ranges(&rows).unwrap();
        for ranges_max in [0, 1, 7, 300, 10_000] {
            let parts = divide_rows(&rows, ranges_max).unwrap();
            assert!(
                parts
                    .iter()
                    .all(|part| (1..=ranges_max.max(1)).contains(&(part.keys.len() + part.ranges.len())))
            );
            assert_eq!(parts.len(), all.len().div_ceil(ranges_max.max(1)));
            let again: Vec<KeyRange> = parts.iter().flat_map(|part| key_ranges(part).unwrap()).collect();
            assert_eq!(again, all);
        }
        let all = RowRange { start: Bound::Included("".into()), end: Bound::Unbounded };
        assert_eq!(divide_rows(&RowSet::all(), 9), Ok(alloc::vec![RowSet::range(all)]));
        assert_eq!(divide_rows(&RowSet::range(RowRange::closed_open("a", "a")), 9), Ok(Vec::new()));
        assert!(divide_rows(&RowSet::range(RowRange::closed_open("b", "a")), 9).is_err());
        let first = RowSet::range(RowRange::closed_open("", "\0"));
        assert_eq!(divide_rows(&first, 9), Ok(alloc::vec![first]), "an empty key would be refused");
    }

    #[test]
    fn invalid_ranges_are_refused() {
        let keys = RowSet { keys: alloc::vec!["".into()], ranges: Vec::new() };
        assert!(key_ranges(&keys).unwrap_err().message.contains("element #0"));
        assert!(
            key_ranges(&RowSet::range(RowRange::closed_open("b", "a")))
                .unwrap_err()
                .message
                .contains("less than")
        );
        assert_eq!(key_ranges(&RowSet::range(RowRange::closed_open("a", "a"))), Ok(Vec::new()));
    }
}
