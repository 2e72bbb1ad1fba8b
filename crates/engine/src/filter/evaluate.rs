//! Filters applied to cells. Each node maps a list of cells to a list of cells in the same order,
//! so the cells of a row may be passed in parts, unless a condition needs to see them all.

use alloc::vec::Vec;

use tabletop_model::{Code, Error, Result};

use super::{Cells, Counter, Filter, Item, Node, RowState, Tests, fact, within};

/// The limit of cells that interleaves make from a part of a row (or four times its cells, if that
/// is more): twenty interleaves in a chain could make a million of each cell. The same limit
/// applies to sinks.
const ITEMS_MAX: usize = 1 << 20;

impl Filter {
    /// Returns in `out` the output cells of the row that [`Filter::begin_row`] named, in cell
    /// order; `out` is replaced.
    ///
    /// # Errors
    /// `ResourceExhausted` when interleaves make too many copies.
    pub fn apply(&mut self, cells: &impl Cells, out: &mut Vec<Item>) -> Result<()> {
        out.clear();
        out.extend((0..cells.count()).map(|cell| Item { cell, label: 0, stripped: false }));
        self.state.overflow = false;
        run(&self.root, cells, &mut self.tests, &mut self.state, out);
        self.state.check_overflow()?;
        if !self.state.sunk.is_empty() {
            // In Google's diagram of a sink, its cells precede the copies that took the long way.
            core::mem::swap(&mut self.state.sunk, out);
            merge(out, &mut self.state.sunk);
        }
        Ok(())
    }
}

pub(super) fn run(
    node: &Node,
    cells: &impl Cells,
    tests: &mut Tests,
    state: &mut RowState,
    items: &mut Vec<Item>,
) {
    match node {
        Node::Chain(stages) => {
            for stage in stages {
                if items.is_empty() {
                    break;
                }
                run(stage, cells, tests, state, items);
            }
        }
        Node::Interleave(branches) => {
            let input = core::mem::replace(items, state.spare.pop().unwrap_or_default());
            let mut branch_items = state.spare.pop().unwrap_or_default();
            for branch in branches {
                branch_items.clear();
                branch_items.extend_from_slice(&input);
                run(branch, cells, tests, state, &mut branch_items);
                merge(items, &mut branch_items);
                if state.overflows(items, cells) {
                    items.clear();
                    break;
                }
            }
            state.recycle(input);
            state.recycle(branch_items);
        }
        Node::Condition { predicate, on_true, on_false } => {
            let mut found = state.spare.pop().unwrap_or_default();
            found.extend_from_slice(items);
            run(predicate, cells, tests, state, &mut found);
            let branch = if found.is_empty() { on_false } else { on_true };
            state.recycle(found);
            match branch {
                Some(branch) => run(branch, cells, tests, state, items),
                None => items.clear(),
            }
        }
        Node::Sink => {
            let mut sunk = core::mem::take(&mut state.sunk);
            merge(&mut sunk, items);
            if state.overflows(&sunk, cells) {
                sunk.clear();
            }
            state.sunk = sunk;
        }
        Node::PassAll => {}
        Node::BlockAll => items.clear(),
        Node::Row(index) => {
            if !state.row_facts[*index] {
                items.clear();
            }
        }
        Node::Column(index) => items.retain(|item| fact(cells.facts(item.cell), *index)),
        Node::Value(index) => {
            let matcher = &mut tests.values[*index];
            items.retain(|item| matcher.matches(value(cells, item)));
        }
        Node::ValueRange(start, end) => items.retain(|item| within(value(cells, item), start, end)),
        Node::ValueBitmask(mask) => items.retain(|item| {
            let value = value(cells, item);
            value.len() == mask.len()
                && value.iter().zip(mask.iter()).all(|(value, mask)| value & mask == *mask)
        }),
        Node::TimestampRange(range) => items.retain(|item| range.contains(cells.timestamp(item.cell))),
        Node::RowOffset(counter, offset) => {
            let skip = (*offset - state.counters[*counter].count).min(items.len() as u64);
            state.counters[*counter].count += skip;
            items.drain(..skip as usize);
        }
        Node::RowLimit(counter, limit) => {
            let keep = (*limit - state.counters[*counter].count).min(items.len() as u64);
            state.counters[*counter].count += keep;
            items.truncate(keep as usize);
        }
        Node::ColumnLimit(counter, limit) => {
            let counter = &mut state.counters[*counter];
            items.retain(|item| {
                let column = cells.column_ordinal(item.cell);
                if counter.column != column {
                    *counter = Counter { column, count: 0 };
                }
                counter.count += 1;
                counter.count <= *limit
            });
        }
        Node::StripValue => items.iter_mut().for_each(|item| item.stripped = true),
        Node::Label(label) => items.iter_mut().for_each(|item| item.label = *label),
    }
}

/// Merges `more` into `items`, both in cell order, and empties `more`. Of equal cells, those of
/// `items` come first.
pub(super) fn merge(items: &mut Vec<Item>, more: &mut Vec<Item>) {
    let is_behind = |more: &[Item]| {
        items.last().is_none_or(|last| more.first().is_none_or(|first| last.cell <= first.cell))
    };
    if is_behind(more) {
        items.append(more);
        return;
    }
    // Merges from the end, where there is room.
    let (mut left, mut end) = (items.len(), items.len() + more.len());
    items.extend_from_slice(more);
    while let Some(item) = more.last() {
        end -= 1;
        if left > 0 && items[left - 1].cell > item.cell {
            left -= 1;
            items[end] = items[left];
        } else {
            items[end] = *item;
            more.pop();
        }
    }
}

impl RowState {
    /// # Errors
    /// `ResourceExhausted` when interleaves have made too many copies.
    pub(super) fn check_overflow(&self) -> Result<()> {
        if !self.overflow {
            return Ok(());
        }
        Err(Error::new(
            Code::ResourceExhausted,
            alloc::format!(
                "the interleaves of the filter make more than {ITEMS_MAX} cells of one row: let each branch pass fewer cells"
            ),
        ))
    }

    /// Returns whether these are too many copies, and remembers the answer.
    pub(super) fn overflows(&mut self, items: &[Item], cells: &impl Cells) -> bool {
        let overflows = items.len() > ITEMS_MAX.max(cells.count() as usize * 4);
        self.overflow |= overflows;
        overflows
    }

    fn recycle(&mut self, mut items: Vec<Item>) {
        items.clear();
        self.spare.push(items);
    }
}

fn value<'a>(cells: &'a impl Cells, item: &Item) -> &'a [u8] {
    if item.stripped { &[] } else { cells.value(item.cell) }
}
