//! The columns and versions of a row on which the output of a filter can depend, so that a read can
//! skip the rest of a long row.

use alloc::vec::Vec;

use tabletop_model::Bytes;
use tabletop_model::order::sorted;

use super::matcher::Texts;
use super::{ColumnTest, Filter, Node, RowState, Tests};
use crate::columns::FamilyId;
use core::ops::Bound;

/// Columns of one family: qualifiers from `start` up to but not including `end`, or to the last
/// one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    family: FamilyId,
    start: Vec<u8>,
    end: Option<Vec<u8>>,
}

/// The columns that a filter needs.
#[derive(Clone, Debug)]
pub(super) enum Needs {
    All,
    /// Spans in order; they neither overlap nor touch.
    Spans(Vec<Span>),
}

/// The cells of a row that a reader needs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Needed<'f> {
    All,
    /// The cells on which the filter's output can depend.
    By(&'f Filter),
    /// No cells: the reader only counts cells as it meets them.
    Nothing,
}

/// A filter that names more columns than this is treated as needing all.
const SPANS_MAX: usize = 256;

/// What the cells that follow in a row can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rest {
    Nothing,
    /// Nothing, while they are of the same column.
    OtherColumns,
    Anything,
}

impl<'f> Needed<'f> {
    /// Returns the first column, from this one on, with cells that are needed. Returns `None` if
    /// there is none.
    pub fn next<'a>(self, column: (FamilyId, &'a [u8])) -> Option<(FamilyId, &'a [u8])>
    where
        'f: 'a,
    {
        match self {
            Needed::All => Some(column),
            Needed::By(filter) => filter.next_needed(column),
            Needed::Nothing => None,
        }
    }
}

impl Filter {
    /// Returns the first column, from this one on, on whose cells the output can depend. Returns
    /// `None` if there is none. All cells in between are dropped, whatever they are.
    fn next_needed<'a>(&'a self, column: (FamilyId, &'a [u8])) -> Option<(FamilyId, &'a [u8])> {
        let needs = self.needs.get_or_init(|| needs_of(&self.root, &self.tests, self.families));
        let Needs::Spans(spans) = needs else { return Some(column) };
        let ends_before = |span: &Span| match &span.end {
            Some(end) => (span.family, end.as_slice()) <= column,
            None => span.family < column.0,
        };
        let span = spans.get(spans.partition_point(ends_before))?;
        Some(column.max((span.family, span.start.as_slice())))
    }

    /// Returns what the cells can change that follow those passed to [`Filter::apply`]. The last of
    /// those has the column `ordinal`.
    pub fn rest(&self, ordinal: u32) -> Rest {
        rest_of(&self.root, &self.state, ordinal)
    }
}

fn rest_of(node: &Node, state: &RowState, ordinal: u32) -> Rest {
    match node {
        Node::BlockAll => Rest::Nothing,
        Node::Row(index) if !state.row_facts[*index] => Rest::Nothing,
        Node::RowLimit(counter, limit) if state.counters[*counter].count >= *limit => Rest::Nothing,
        Node::ColumnLimit(counter, limit) => {
            let counter = &state.counters[*counter];
            if *limit == 0 {
                Rest::Nothing
            } else if counter.column == ordinal && counter.count >= *limit {
                Rest::OtherColumns
            } else {
                Rest::Anything
            }
        }
        Node::Chain(stages) => {
            let mut least = Rest::Anything;
            let (mut counts, mut sinks) = (false, false);
            for stage in stages {
                match rest_of(stage, state, ordinal) {
                    // A stage before it lets cells out, or counts them for cells of other columns.
                    _ if sinks => break,
                    // Later cells of this column have no output here, but they still count in the
                    // stages before.
                    Rest::OtherColumns if counts => {}
                    rest => least = least.min(rest),
                }
                counts |= any(stage, &|node| {
                    matches!(node, Node::RowOffset(..) | Node::RowLimit(..) | Node::Condition { .. })
                });
                sinks |= any(stage, &|node| matches!(node, Node::Sink | Node::Condition { .. }));
            }
            least
        }
        Node::Interleave(branches) => {
            branches.iter().map(|branch| rest_of(branch, state, ordinal)).max().unwrap_or(Rest::Nothing)
        }
        _ => Rest::Anything,
    }
}

/// Returns whether a node is, or contains, one for which `is` is true. A condition is examined as a
/// whole.
fn any(node: &Node, is: &dyn Fn(&Node) -> bool) -> bool {
    match node {
        Node::Chain(nodes) | Node::Interleave(nodes) => nodes.iter().any(|node| any(node, is)),
        _ => is(node),
    }
}

/// Returns the columns of cells on which the output can depend if they reach a node.
fn needs_of(node: &Node, tests: &Tests, families: usize) -> Needs {
    match node {
        Node::Column(index) => columns_of(&tests.columns[*index], families),
        Node::BlockAll => Needs::Spans(Vec::new()),
        Node::Chain(stages) => {
            let is_counting = |node: &Node| {
                matches!(node, Node::RowOffset(..) | Node::RowLimit(..) | Node::Sink | Node::Condition { .. })
            };
            let mut sum = Needs::Spans(Vec::new());
            let mut left = Needs::All;
            for stage in stages {
                left = left.and(needs_of(stage, tests, families));
                if any(stage, &is_counting) {
                    // Cells that reach this stage count for others, even if a later stage drops
                    // them.
                    sum = sum.or(left.clone());
                }
            }
            sum.or(left)
        }
        Node::Interleave(branches) => {
            let none = Needs::Spans(Vec::new());
            branches.iter().fold(none, |sum, branch| sum.or(needs_of(branch, tests, families)))
        }
        Node::Condition { predicate, on_true, on_false } => {
            let branches = [Some(predicate), on_true.as_ref(), on_false.as_ref()].into_iter().flatten();
            branches.fold(Needs::Spans(Vec::new()), |sum, branch| sum.or(needs_of(branch, tests, families)))
        }
        _ => Needs::All,
    }
}

fn columns_of(test: &ColumnTest, families: usize) -> Needs {
    let whole = |family: usize| Span { family: family as FamilyId, start: Vec::new(), end: None };
    match test {
        ColumnTest::Family(passing) => {
            Needs::Spans((0..passing.len()).filter(|family| passing[*family]).map(whole).collect()).normal()
        }
        ColumnTest::Range { family: None, .. } => Needs::Spans(Vec::new()),
        ColumnTest::Range { family: Some(family), start, end } => {
            let start = match start {
                Bound::Included(start) => start.0.clone(),
                Bound::Excluded(start) => after(start),
                Bound::Unbounded => Vec::new(),
            };
            let end = match end {
                Bound::Included(end) => Some(after(end)),
                Bound::Excluded(end) => Some(end.0.clone()),
                Bound::Unbounded => None,
            };
            Needs::Spans(Vec::from_iter(Some(Span { family: *family, start, end }).filter(Span::has_columns)))
        }
        ColumnTest::Qualifier(matcher) => match matcher.ranges() {
            Some(ranges) if ranges.len() * families <= SPANS_MAX => {
                let of = |family: usize| {
                    let span = move |Texts { start, end }| Span { family: family as FamilyId, start, end };
                    ranges.iter().cloned().map(span)
                };
                Needs::Spans((0..families).flat_map(of).collect()).normal()
            }
            _ => Needs::All,
        },
    }
}

/// Returns the smallest text that is greater than another.
fn after(text: &Bytes) -> Vec<u8> {
    [text.as_slice(), &[0]].concat()
}

impl Span {
    fn has_columns(&self) -> bool {
        self.end.as_ref().is_none_or(|end| self.start < *end)
    }

    fn ends_before(&self, other: &Span) -> bool {
        self.family < other.family
            || self.family == other.family
                && match (&self.end, &other.end) {
                    (Some(end), Some(other)) => end < other,
                    (end, _) => end.is_some(),
                }
    }

    fn meet(&self, other: &Span) -> Option<Span> {
        let end = match (&self.end, &other.end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.as_ref().or(b.as_ref()),
        };
        let both =
            Span { family: self.family, start: (&self.start).max(&other.start).clone(), end: end.cloned() };
        (self.family == other.family && both.has_columns()).then_some(both)
    }
}

impl Needs {
    fn and(self, other: Needs) -> Needs {
        let (a, b) = match (self, other) {
            (Needs::All, some) | (some, Needs::All) => return some,
            (Needs::Spans(a), Needs::Spans(b)) => (a, b),
        };
        let (mut a, mut b) = (a.as_slice(), b.as_slice());
        let mut both = Vec::new();
        while let ([x, more_a @ ..], [y, more_b @ ..]) = (a, b) {
            both.extend(x.meet(y));
            if x.ends_before(y) { a = more_a } else { b = more_b }
        }
        Needs::Spans(both)
    }

    fn or(self, other: Needs) -> Needs {
        match (self, other) {
            (Needs::Spans(mut a), Needs::Spans(b)) => {
                a.extend(b);
                Needs::Spans(a).normal()
            }
            _ => Needs::All,
        }
    }

    /// Sorts the spans, and joins spans that overlap or touch.
    fn normal(self) -> Needs {
        let Needs::Spans(spans) = self else { return Needs::All };
        let mut spans = sorted(spans, |a, b| (a.family, &a.start).cmp(&(b.family, &b.start)));
        spans.dedup_by(|next, last| {
            let joins = next.family == last.family && last.end.as_ref().is_none_or(|end| next.start <= *end);
            if joins {
                last.end = match (last.end.take(), next.end.take()) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    _ => None,
                };
            }
            joins
        });
        if spans.len() > SPANS_MAX { Needs::All } else { Needs::Spans(spans) }
    }
}
