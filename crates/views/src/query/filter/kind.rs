//! The twenty kinds of filters.

use alloc::boxed::Box;
use alloc::vec;
use core::ops::Bound;

use tabletop_model::{ColumnRange, RowFilter, TimestampRange, ValueRange};
use tabletop_texts::filter::Kinds;
use tabletop_texts::messages;

/// One kind of filter, as a menu shows it.
#[derive(Debug)]
pub struct FilterKind {
    /// The name of `google.bigtable.v2.RowFilter`, which the text form uses.
    pub name: &'static str,
    /// The title, and one sentence on its result, in the table of all kinds.
    pub text: fn(&Kinds) -> (&'static str, &'static str),
    /// The heading in the menu.
    pub group: Group,
    /// Makes a valid new filter of this kind for a family of the table.
    pub make: fn(family: &str) -> RowFilter,
}

impl FilterKind {
    /// Returns the displayed name.
    pub fn title(&self) -> &'static str {
        (self.text)(&messages().filter.kinds).0
    }

    /// Returns one sentence on its result.
    pub fn about(&self) -> &'static str {
        (self.text)(&messages().filter.kinds).1
    }
}

/// The headings of the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Filters of filters.
    Combine,
    /// Filters by names and by time.
    Pick,
    /// Filters by values.
    Value,
    /// Filters by position.
    Count,
    /// Filters that change cells.
    Change,
    /// Filters that pass everything, or nothing, or skip the rest.
    Flow,
}

impl Group {
    /// All headings in the order of the menu.
    pub const ALL: [Group; 6] =
        [Group::Pick, Group::Value, Group::Count, Group::Change, Group::Flow, Group::Combine];

    /// Returns the displayed name.
    pub fn title(self) -> &'static str {
        let groups = &messages().filter.groups;
        match self {
            Group::Combine => groups.combine,
            Group::Pick => groups.pick,
            Group::Value => groups.value,
            Group::Count => groups.count,
            Group::Change => groups.change,
            Group::Flow => groups.flow,
        }
    }
}

/// All kinds; [`kind_of`] returns the index of a filter's kind.
pub static KINDS: [FilterKind; 20] = [
    FilterKind {
        name: "chain",
        text: |kinds| kinds.chain,
        group: Group::Combine,
        make: |_| RowFilter::Chain(vec![RowFilter::PassAll(true), RowFilter::CellsPerColumnLimit(1)]),
    },
    FilterKind {
        name: "interleave",
        text: |kinds| kinds.interleave,
        group: Group::Combine,
        make: |_| RowFilter::Interleave(vec![RowFilter::PassAll(true), RowFilter::BlockAll(true)]),
    },
    FilterKind {
        name: "condition",
        text: |kinds| kinds.condition,
        group: Group::Combine,
        make: |_| RowFilter::Condition {
            predicate: Box::new(RowFilter::PassAll(true)),
            on_true: Some(Box::new(RowFilter::PassAll(true))),
            on_false: None,
        },
    },
    FilterKind {
        name: "sink",
        text: |kinds| kinds.sink,
        group: Group::Flow,
        make: |_| RowFilter::Sink(true),
    },
    FilterKind {
        name: "pass_all",
        text: |kinds| kinds.pass_all,
        group: Group::Flow,
        make: |_| RowFilter::PassAll(true),
    },
    FilterKind {
        name: "block_all",
        text: |kinds| kinds.block_all,
        group: Group::Flow,
        make: |_| RowFilter::BlockAll(true),
    },
    FilterKind {
        name: "row_key_regex",
        text: |kinds| kinds.row_key_regex,
        group: Group::Pick,
        make: |_| RowFilter::RowKeyRegex(ANYTHING.into()),
    },
    FilterKind {
        name: "family_name_regex",
        text: |kinds| kinds.family_name_regex,
        group: Group::Pick,
        make: |family| RowFilter::FamilyNameRegex(family.into()),
    },
    FilterKind {
        name: "column_qualifier_regex",
        text: |kinds| kinds.column_qualifier_regex,
        group: Group::Pick,
        make: |_| RowFilter::ColumnQualifierRegex(ANYTHING.into()),
    },
    FilterKind {
        name: "value_regex",
        text: |kinds| kinds.value_regex,
        group: Group::Value,
        make: |_| RowFilter::ValueRegex(ANYTHING.into()),
    },
    FilterKind {
        name: "column_range",
        text: |kinds| kinds.column_range,
        group: Group::Pick,
        make: |family| {
            RowFilter::ColumnRange(ColumnRange {
                family: family.into(),
                start: Bound::Unbounded,
                end: Bound::Unbounded,
            })
        },
    },
    FilterKind {
        name: "timestamp_range",
        text: |kinds| kinds.timestamp_range,
        group: Group::Pick,
        make: |_| RowFilter::TimestampRange(TimestampRange::ALL),
    },
    FilterKind {
        name: "value_range",
        text: |kinds| kinds.value_range,
        group: Group::Value,
        make: |_| RowFilter::ValueRange(ValueRange { start: Bound::Unbounded, end: Bound::Unbounded }),
    },
    FilterKind {
        name: "cells_per_row_offset",
        text: |kinds| kinds.cells_per_row_offset,
        group: Group::Count,
        make: |_| RowFilter::CellsPerRowOffset(1),
    },
    FilterKind {
        name: "cells_per_row_limit",
        text: |kinds| kinds.cells_per_row_limit,
        group: Group::Count,
        make: |_| RowFilter::CellsPerRowLimit(1),
    },
    FilterKind {
        name: "cells_per_column_limit",
        text: |kinds| kinds.cells_per_column_limit,
        group: Group::Count,
        make: |_| RowFilter::CellsPerColumnLimit(1),
    },
    FilterKind {
        name: "row_sample",
        text: |kinds| kinds.row_sample,
        group: Group::Count,
        make: |_| RowFilter::RowSample(0.1),
    },
    FilterKind {
        name: "strip_value",
        text: |kinds| kinds.strip_value,
        group: Group::Change,
        make: |_| RowFilter::StripValue(true),
    },
    FilterKind {
        name: "apply_label",
        text: |kinds| kinds.apply_label,
        group: Group::Change,
        make: |_| RowFilter::ApplyLabel("match".into()),
    },
    FilterKind {
        name: "value_bitmask",
        text: |kinds| kinds.value_bitmask,
        group: Group::Value,
        make: |_| RowFilter::ValueBitmask((&[1]).into()),
    },
];

/// Returns all kinds in the order of their headings.
pub fn in_order() -> impl Iterator<Item = &'static FilterKind> {
    Group::ALL.into_iter().flat_map(|group| KINDS.iter().filter(move |kind| kind.group == group))
}

/// A pattern that matches any bytes, including line ends.
const ANYTHING: &str = "\\C*";

/// Returns the kind of a filter: an index into [`KINDS`].
pub fn kind_of(filter: &RowFilter) -> usize {
    match filter {
        RowFilter::Chain(_) => 0,
        RowFilter::Interleave(_) => 1,
        RowFilter::Condition { .. } => 2,
        RowFilter::Sink(_) => 3,
        RowFilter::PassAll(_) => 4,
        RowFilter::BlockAll(_) => 5,
        RowFilter::RowKeyRegex(_) => 6,
        RowFilter::FamilyNameRegex(_) => 7,
        RowFilter::ColumnQualifierRegex(_) => 8,
        RowFilter::ValueRegex(_) => 9,
        RowFilter::ColumnRange(_) => 10,
        RowFilter::TimestampRange(_) => 11,
        RowFilter::ValueRange(_) => 12,
        RowFilter::CellsPerRowOffset(_) => 13,
        RowFilter::CellsPerRowLimit(_) => 14,
        RowFilter::CellsPerColumnLimit(_) => 15,
        RowFilter::RowSample(_) => 16,
        RowFilter::StripValue(_) => 17,
        RowFilter::ApplyLabel(_) => 18,
        RowFilter::ValueBitmask(_) => 19,
    }
}

/// Returns a filter of another kind with the fitting parts of the old one: blocks of a chain become
/// blocks of an interleave; a pattern, a number or a range stays the same.
pub fn change_kind(filter: RowFilter, to: &FilterKind, family: &str) -> RowFilter {
    use RowFilter::{
        BlockAll, CellsPerColumnLimit, CellsPerRowLimit, CellsPerRowOffset, Chain, ColumnQualifierRegex,
        ColumnRange, Condition, Interleave, PassAll, RowKeyRegex, ValueRange, ValueRegex,
    };
    match (filter, (to.make)(family)) {
        (Chain(blocks), Interleave(_)) => Interleave(blocks),
        (Interleave(blocks), Chain(_)) => Chain(blocks),
        (RowKeyRegex(p) | ColumnQualifierRegex(p) | ValueRegex(p), RowKeyRegex(_)) => RowKeyRegex(p),
        (RowKeyRegex(p) | ColumnQualifierRegex(p) | ValueRegex(p), ColumnQualifierRegex(_)) => {
            ColumnQualifierRegex(p)
        }
        (RowKeyRegex(p) | ColumnQualifierRegex(p) | ValueRegex(p), ValueRegex(_)) => ValueRegex(p),
        (CellsPerRowOffset(n) | CellsPerRowLimit(n) | CellsPerColumnLimit(n), CellsPerRowOffset(_)) => {
            CellsPerRowOffset(n)
        }
        (CellsPerRowOffset(n) | CellsPerRowLimit(n) | CellsPerColumnLimit(n), CellsPerRowLimit(_)) => {
            CellsPerRowLimit(n)
        }
        (CellsPerRowOffset(n) | CellsPerRowLimit(n) | CellsPerColumnLimit(n), CellsPerColumnLimit(_)) => {
            CellsPerColumnLimit(n)
        }
        (ValueRange(range), ColumnRange(to)) => {
            ColumnRange(tabletop_model::ColumnRange { family: to.family, start: range.start, end: range.end })
        }
        (ColumnRange(range), ValueRange(_)) => {
            ValueRange(tabletop_model::ValueRange { start: range.start, end: range.end })
        }
        (block, Chain(_)) => Chain(vec![block, PassAll(true)]),
        (block, Interleave(_)) => Interleave(vec![block, BlockAll(true)]),
        (block, Condition { on_true, on_false, .. }) => {
            Condition { predicate: Box::new(block), on_true, on_false }
        }
        (_, fresh) => fresh,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_makes_a_filter_of_its_kind() {
        for (index, kind) in KINDS.iter().enumerate() {
            assert_eq!(kind_of(&(kind.make)("f")), index, "{}", kind.name);
        }
        let listed: usize =
            Group::ALL.iter().map(|group| KINDS.iter().filter(|kind| kind.group == *group).count()).sum();
        assert_eq!(listed, KINDS.len(), "every kind stands under one heading");
    }

    #[test]
    fn a_fresh_filter_is_one_that_production_takes() {
        for kind in &KINDS {
            assert_eq!((kind.make)("f").validate(), Ok(()), "{}", kind.name);
        }
    }

    #[test]
    fn a_change_of_kind_keeps_what_fits() {
        let pattern = RowFilter::RowKeyRegex("a.*".into());
        assert_eq!(change_kind(pattern.clone(), &KINDS[9], "f"), RowFilter::ValueRegex("a.*".into()));
        let chain = change_kind(pattern.clone(), &KINDS[0], "f");
        assert_eq!(chain, RowFilter::Chain(vec![pattern.clone(), RowFilter::PassAll(true)]));
        let interleave = change_kind(chain, &KINDS[1], "f");
        assert_eq!(interleave, RowFilter::Interleave(vec![pattern, RowFilter::PassAll(true)]));
        assert_eq!(change_kind(interleave, &KINDS[5], "f"), RowFilter::BlockAll(true));
        assert_eq!(
            change_kind(RowFilter::CellsPerRowLimit(7), &KINDS[15], "f"),
            RowFilter::CellsPerColumnLimit(7)
        );
    }
}
