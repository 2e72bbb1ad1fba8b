//! How many runs overlap: a row is in at most that many of them.

use alloc::vec::Vec;

use tabletop_model::limits::ROW_KEY_BYTES_MAX;
use tabletop_model::order::sorted;

use crate::table::run::Run;

/// A key after all row keys.
const END: &[u8] = &[0xff; ROW_KEY_BYTES_MAX + 1];

/// The row keys of a run, from its first row to its last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span<'a> {
    start: &'a [u8],
    /// The end, with whether a row can have this key.
    end: (&'a [u8], bool),
}

/// Runs of one locality group that overlap no other run of the group.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Overlapping {
    pub group: u8,
    /// The runs by number among those of the group, counted from the newest.
    pub runs: Vec<usize>,
}

impl<'a> Span<'a> {
    pub fn of(run: &'a Run) -> Span<'a> {
        let last = (run.table.index.last_key(), true);
        let end = run.range.end.as_deref().map_or(last, |end| last.min((end, false)));
        Span { start: run.start(), end }
    }

    /// Returns the span that a run counts with. A run that is not large counts as if it overlapped
    /// all others, so that it is merged: each file has words, columns and shapes of its own,
    /// and many small files take more bytes than one.
    pub fn counted(run: &'a Run) -> Span<'a> {
        if run.is_large() { Span::of(run) } else { Span { start: &[], end: (END, true) } }
    }

    /// Returns the smallest span that covers both.
    pub fn join(self, other: Span<'a>) -> Span<'a> {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn overlaps(&self, other: &Span<'_>) -> bool {
        (self.start, true) <= other.end && (other.start, true) <= self.end
    }
}

/// Returns how many spans overlap at the key where the most do.
pub(crate) fn depth(spans: &[Span<'_>]) -> usize {
    // Most spans have all keys. They are only counted, because comparing two keys as long as `END`
    // takes long.
    let parts: Vec<Span<'_>> = spans.iter().copied().filter(|span| span.end.0.len() < END.len()).collect();
    let starts = sorted(parts.iter().map(|span| span.start).collect(), |a: &&[u8], b| a.cmp(b));
    let ends = sorted(parts.iter().map(|span| span.end).collect(), |a: &(&[u8], bool), b| a.cmp(b));
    let (mut ended, mut most) = (0, 0);
    for (begun, start) in starts.into_iter().enumerate() {
        // At each start, the spans that have begun and not ended overlap. A span that ends at this
        // very key has ended only if it does not include the key.
        while ends[ended] < (start, true) {
            ended += 1;
        }
        most = most.max(begun + 1 - ended);
    }
    spans.len() - parts.len() + most
}

/// Returns the spans in groups, such that spans of different groups do not overlap. The numbers in
/// a group ascend.
pub(crate) fn overlapping(spans: &[Span<'_>]) -> Vec<Vec<usize>> {
    let order = sorted((0..spans.len()).collect(), |a: &usize, b| spans[*a].start.cmp(spans[*b].start));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut last: Option<Span<'_>> = None;
    for at in order {
        let joined = last.filter(|last| last.overlaps(&spans[at])).map(|last| last.join(spans[at]));
        match groups.last_mut() {
            Some(group) if joined.is_some() => group.push(at),
            _ => groups.push(alloc::vec![at]),
        }
        last = joined.or(Some(spans[at]));
    }
    groups.into_iter().map(|group| sorted(group, usize::cmp)).collect()
}

/// Returns how many of the newest runs must be merged, at least two, so that at most `depth_max`
/// overlap and at most `runs_max` exist. Among these, runs that overlap no other are not rewritten.
pub(crate) fn count_to_merge(spans: &[Span<'_>], depth_max: usize, runs_max: usize) -> usize {
    let fits = |&count: &usize| {
        let merged = spans[..count].iter().copied().reduce(Span::join);
        let left: Vec<Span<'_>> = merged.into_iter().chain(spans[count..].iter().copied()).collect();
        left.len() <= runs_max && depth(&left) <= depth_max
    };
    (2..spans.len()).find(fits).unwrap_or(spans.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u8, last: u8) -> Span<'static> {
        const KEYS: [[u8; 1]; 10] = [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]];
        Span { start: &KEYS[usize::from(start)], end: (&KEYS[usize::from(last)], true) }
    }

    #[test]
    fn the_depth_is_that_of_the_deepest_key() {
        assert_eq!(depth(&[]), 0);
        assert_eq!(depth(&[span(4, 5), span(0, 1), span(2, 3)]), 1);
        assert_eq!(
            depth(&[span(0, 2), span(2, 4), span(4, 9)]),
            2,
            "the last row of one is the first of the next"
        );
        assert_eq!(depth(&[span(0, 9), span(3, 4), span(5, 6), span(4, 5)]), 3);
        let cut = Span { end: (span(2, 2).start, false), ..span(0, 0) };
        assert_eq!(depth(&[cut, span(2, 4)]), 1, "a run that is cut before a row does not have it");
        let all = Span { start: &[], end: (END, true) };
        assert_eq!((depth(&[all, span(0, 1), all, span(2, 3)]), depth(&[all; 3])), (3, 3));
        assert!(
            !cut.overlaps(&span(2, 4))
                && span(0, 2).overlaps(&span(2, 4))
                && !span(3, 4).overlaps(&span(0, 2))
        );
    }

    #[test]
    fn spans_that_overlap_are_grouped() {
        assert!(overlapping(&[]).is_empty());
        let spans = [span(5, 6), span(0, 1), span(6, 9), span(1, 2), span(3, 4)];
        assert_eq!(overlapping(&spans), [alloc::vec![1, 3], alloc::vec![4], alloc::vec![0, 2]]);
        assert_eq!(
            overlapping(&[span(0, 9), span(3, 4), span(5, 6)]),
            [[0, 1, 2]],
            "the last two overlap the first only"
        );
    }

    #[test]
    fn as_few_runs_as_possible_are_merged() {
        assert_eq!(count_to_merge(&[span(0, 9); 5], 4, 64), 2);
        assert_eq!(count_to_merge(&[span(0, 9); 7], 4, 64), 4);
        assert_eq!(count_to_merge(&[span(0, 9); 3], 1, 64), 3);
        assert_eq!(count_to_merge(&[span(8, 9), span(6, 7), span(4, 5), span(2, 3)], 1, 2), 3);
        assert_eq!(
            count_to_merge(&[span(8, 9), span(0, 3), span(0, 3), span(0, 3)], 2, 64),
            3,
            "the first stays as it is"
        );
    }
}
