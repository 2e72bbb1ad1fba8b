//! The effect of each filter on the cells of one row, and the filters that are refused.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use tabletop_model::{Bytes, Cell, Code, Result, RowFilter, limits};

use super::{is_between, is_in_order, is_name, is_timestamp, is_within, protobuf, refusal, regex};

pub(super) struct Context<'a> {
    pub(super) key: &'a [u8],
    pub(super) families: &'a [String],
    pub(super) samples: &'a BTreeMap<u64, BTreeSet<Vec<u8>>>,
    /// Records the effect of each node, in the order in which the nodes are entered.
    pub(super) notes: Option<&'a RefCell<Vec<NodeNote>>>,
}

/// What one node did with the cells of a row.
#[derive(Clone, Debug)]
pub struct NodeNote {
    /// The kind of the node, for messages.
    pub filter: RowFilter,
    /// The cells before and after the node.
    pub cells: [Vec<Cell>; 2],
}

impl Context<'_> {
    /// Sorts cells in the order of a row. Cells of equal column and time keep their order.
    fn sort(&self, cells: &mut [Cell]) {
        let family = |cell: &Cell| self.families.iter().position(|family| *family == cell.family);
        cells.sort_by(|a, b| {
            let order = family(a).cmp(&family(b)).then(a.qualifier.cmp(&b.qualifier));
            order.then(b.timestamp.cmp(&a.timestamp))
        });
    }
}

pub(super) fn apply(filter: &RowFilter, context: &Context, cells: Vec<Cell>) -> Vec<Cell> {
    let mut sunk = Vec::new();
    let through = pass(filter, context, cells, &mut sunk);
    sunk.extend(through);
    context.sort(&mut sunk);
    sunk
}

fn pass(filter: &RowFilter, context: &Context, cells: Vec<Cell>, sunk: &mut Vec<Cell>) -> Vec<Cell> {
    let Some(notes) = context.notes else { return pass_one(filter, context, cells, sunk) };
    let at = notes.borrow().len();
    notes.borrow_mut().push(NodeNote { filter: filter.clone(), cells: [cells.clone(), Vec::new()] });
    let through = pass_one(filter, context, cells, sunk);
    notes.borrow_mut()[at].cells[1] = through.clone();
    through
}

fn pass_one(filter: &RowFilter, context: &Context, mut cells: Vec<Cell>, sunk: &mut Vec<Cell>) -> Vec<Cell> {
    match filter {
        RowFilter::Chain(filters) => {
            filters.iter().fold(cells, |cells, filter| pass(filter, context, cells, sunk))
        }
        RowFilter::Interleave(filters) => {
            let mut merged = Vec::new();
            for filter in filters {
                merged.extend(pass(filter, context, cells.clone(), sunk));
            }
            context.sort(&mut merged);
            merged
        }
        RowFilter::Condition { predicate, on_true, on_false } => {
            let holds = !pass(predicate, context, cells.clone(), sunk).is_empty();
            // The other branch does not get any cells. (A sink is not allowed there.)
            let mut into = |branch: &Option<Box<RowFilter>>, cells| match branch {
                Some(branch) => pass(branch, context, cells, sunk),
                None => Vec::new(),
            };
            let (then, other) = if holds { (cells, Vec::new()) } else { (Vec::new(), cells) };
            let (then, other) = (into(on_true, then), into(on_false, other));
            [then, other].concat()
        }
        RowFilter::Sink(_) => {
            sunk.append(&mut cells);
            cells
        }
        RowFilter::PassAll(_) => cells,
        RowFilter::BlockAll(_) => Vec::new(),
        RowFilter::RowKeyRegex(pattern) => {
            let whole = regex::matches(pattern, context.key);
            keep(cells, |_| whole)
        }
        RowFilter::FamilyNameRegex(pattern) => {
            keep(cells, |cell| regex::matches(&Bytes::from(pattern.as_str()), cell.family.as_bytes()))
        }
        RowFilter::ColumnQualifierRegex(pattern) => {
            keep(cells, |cell| regex::matches(pattern, &cell.qualifier))
        }
        RowFilter::ValueRegex(pattern) => keep(cells, |cell| regex::matches(pattern, &cell.value)),
        RowFilter::ColumnRange(range) => keep(cells, |cell| {
            cell.family == range.family && is_between(&cell.qualifier, &range.start, &range.end)
        }),
        RowFilter::TimestampRange(range) => keep(cells, |cell| is_within(cell.timestamp, *range)),
        RowFilter::ValueRange(range) => keep(cells, |cell| is_between(&cell.value, &range.start, &range.end)),
        RowFilter::CellsPerRowOffset(count) => cells.into_iter().skip(*count as usize).collect(),
        RowFilter::CellsPerRowLimit(count) => cells.into_iter().take(*count as usize).collect(),
        RowFilter::CellsPerColumnLimit(count) => {
            let mut seen: BTreeMap<(String, Bytes), i32> = BTreeMap::new();
            keep(cells, |cell| {
                let nth = seen.entry((cell.family.clone(), cell.qualifier.clone())).or_default();
                *nth += 1;
                *nth <= *count
            })
        }
        RowFilter::RowSample(probability) => {
            let taken =
                context.samples.get(&probability.to_bits()).is_some_and(|rows| rows.contains(context.key));
            keep(cells, |_| taken)
        }
        RowFilter::StripValue(_) => {
            cells.iter_mut().for_each(|cell| cell.value = Bytes::default());
            cells
        }
        RowFilter::ApplyLabel(label) => {
            cells.iter_mut().for_each(|cell| cell.label = Some(label.clone()));
            cells
        }
        RowFilter::ValueBitmask(mask) => keep(cells, |cell| {
            cell.value.len() == mask.len()
                && cell.value.iter().zip(mask.iter()).all(|(value, mask)| value & mask == *mask)
        }),
    }
}

fn keep(mut cells: Vec<Cell>, test: impl FnMut(&Cell) -> bool) -> Vec<Cell> {
    cells.retain(test);
    cells
}

/// Refuses the filters that production refuses.
pub(super) fn check(filter: &RowFilter) -> Result<()> {
    let small = protobuf::length(filter) <= limits::FILTER_BYTES_MAX;
    if small && depth(filter) <= limits::FILTER_DEPTH_MAX && is_right(filter, false) {
        Ok(())
    } else {
        Err(refusal(Code::InvalidArgument))
    }
}

fn parts(filter: &RowFilter) -> Vec<&RowFilter> {
    match filter {
        RowFilter::Chain(filters) | RowFilter::Interleave(filters) => filters.iter().collect(),
        RowFilter::Condition { predicate, on_true, on_false } => {
            let branches = [Some(&**predicate), on_true.as_deref(), on_false.as_deref()];
            branches.into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}

fn depth(filter: &RowFilter) -> usize {
    1 + parts(filter).into_iter().map(depth).max().unwrap_or(0)
}

fn has_label(filter: &RowFilter) -> bool {
    matches!(filter, RowFilter::ApplyLabel(_)) || parts(filter).into_iter().any(has_label)
}

fn is_right(filter: &RowFilter, in_condition: bool) -> bool {
    let is_condition = matches!(filter, RowFilter::Condition { .. });
    let parts_are_right = parts(filter).into_iter().all(|part| is_right(part, in_condition || is_condition));
    let itself = match filter {
        RowFilter::Chain(filters) => {
            filters.len() >= 2 && filters.iter().filter(|part| has_label(part)).count() <= 1
        }
        RowFilter::Interleave(filters) => filters.len() >= 2,
        RowFilter::Sink(set) => *set && !in_condition,
        RowFilter::PassAll(set) | RowFilter::BlockAll(set) | RowFilter::StripValue(set) => *set,
        RowFilter::RowKeyRegex(pattern) => !pattern.is_empty() && regex::is_right(pattern),
        RowFilter::FamilyNameRegex(pattern) => {
            !pattern.contains(':') && regex::is_right(&Bytes::from(pattern.as_str()))
        }
        RowFilter::ColumnQualifierRegex(pattern) | RowFilter::ValueRegex(pattern) => regex::is_right(pattern),
        RowFilter::CellsPerRowOffset(count) => *count >= 0,
        RowFilter::CellsPerRowLimit(count) | RowFilter::CellsPerColumnLimit(count) => *count > 0,
        RowFilter::RowSample(probability) => 0.0 < *probability && *probability < 1.0,
        RowFilter::TimestampRange(range) => {
            is_timestamp(range.start)
                && is_timestamp(range.end)
                && (range.end == 0 || range.start <= range.end)
        }
        RowFilter::ColumnRange(range) => {
            is_name(&range.family, limits::FAMILY_NAME_CHARS_MAX) && is_in_order(&range.start, &range.end)
        }
        RowFilter::ValueRange(range) => is_in_order(&range.start, &range.end),
        RowFilter::ApplyLabel(label) => {
            let right = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            (1..=limits::LABEL_CHARS_MAX).contains(&label.chars().count()) && label.chars().all(right)
        }
        RowFilter::Condition { .. } | RowFilter::ValueBitmask(_) => true,
    };
    itself && parts_are_right
}
