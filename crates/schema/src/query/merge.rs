//! The merge of the rows of several reads, in the order of their logical keys.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::order::sorted;
use tabletop_model::{Cell, Row, RowKey};

use crate::Template;

/// Takes the rows of each part of a [`super::Plan`] as they arrive, and returns them in the order of their logical keys as soon
/// as no part can have an earlier one. Two rows with one logical key, from before and after a cut-over, are joined.
#[derive(Clone, Debug)]
pub struct Merge {
    template: Template,
    reversed: bool,
    /// Rows that may still be returned.
    left: u64,
    parts: Vec<SaltRows>,
    /// Parts with rows. The one with the next row is last.
    ready: Vec<usize>,
    /// Parts that have no rows now and may receive some.
    waiting: usize,
}

#[derive(Clone, Debug, Default)]
struct SaltRows {
    rows: VecDeque<Row>,
    complete: bool,
}

impl Merge {
    /// Creates a merge of the parts of a plan for `template`, in descending order if `reversed`; at most `rows_limit` rows, 0 for
    /// all.
    #[inline(always)]
    pub fn new(template: &Template, parts: usize, reversed: bool, rows_limit: u64) -> Merge {
        Merge {
            template: template.clone(),
            reversed,
            left: if rows_limit == 0 { u64::MAX } else { rows_limit },
            parts: alloc::vec![SaltRows::default(); parts],
            ready: Vec::new(),
            waiting: parts,
        }
    }

    /// Adds the next rows of a part, in its order; `complete` when no more follow.
    #[inline(always)]
    pub fn push(&mut self, part: usize, rows: Vec<Row>, complete: bool) {
        let slot = &mut self.parts[part];
        let was_waiting = slot.rows.is_empty() && !slot.complete;
        slot.rows.extend(rows);
        slot.complete |= complete;
        if !slot.rows.is_empty() && was_waiting {
            self.make_ready(part);
        }
        let is_waiting = self.parts[part].rows.is_empty() && !self.parts[part].complete;
        self.waiting -= usize::from(was_waiting && !is_waiting);
    }

    /// Returns the rows before the first one that a part could still receive.
    #[inline(always)]
    pub fn pull(&mut self) -> Vec<Row> {
        let mut rows = Vec::new();
        while self.waiting == 0 && self.left > 0 {
            let Some(part) = self.ready.pop() else { break };
            let Some(mut row) = self.parts[part].rows.pop_front() else { break };
            if self.template.cut_over().is_some() {
                row = self.join_next(row);
            }
            rows.push(row);
            self.left -= 1;
            self.make_ready_again(part);
        }
        rows
    }

    /// The parts whose next rows are needed before more can be returned; none when the merge is complete.
    pub fn waiting(&self) -> impl Iterator<Item = usize> + '_ {
        let needed = |part: &SaltRows| part.rows.is_empty() && !part.complete;
        (0..self.parts.len()).filter(move |&part| self.left > 0 && needed(&self.parts[part]))
    }

    /// The unsalted key of the other half of a row that [`Merge::pull`] has returned with this key, if it was joined of two.
    pub fn other_half(&self, key: &[u8]) -> Option<RowKey> {
        let can_be_joined = self.template.cut_over().is_some() && !self.template.is_unsalted(key);
        can_be_joined.then(|| RowKey::from(self.template.logical(key)))
    }

    /// Whether [`Merge::pull`] will return no more rows.
    pub fn is_complete(&self) -> bool {
        self.left == 0 || self.waiting == 0 && self.ready.is_empty()
    }

    /// Joins the other half of a row, if it is next.
    #[inline(never)]
    fn join_next(&mut self, row: Row) -> Row {
        let is_half = |other: &mut usize| self.template.are_halves(&row.key, &self.parts[*other].rows[0].key);
        let Some(other) = self.ready.pop_if(is_half) else { return row };
        let joined = match self.parts[other].rows.pop_front() {
            Some(half) => self.joined(row, half),
            None => row,
        };
        self.make_ready_again(other);
        joined
    }

    /// Joins the cells of two rows, under the salted key.
    fn joined(&self, one: Row, other: Row) -> Row {
        let (mut row, half) = if self.template.is_unsalted(&one.key) { (other, one) } else { (one, other) };
        row.cells.extend(half.cells);
        row.cells = sorted(row.cells, |one, other| {
            let column = |cell: &Cell| (cell.family.clone(), cell.qualifier.clone());
            column(one).cmp(&column(other)).then(other.timestamp.cmp(&one.timestamp))
        });
        row
    }

    /// Puts a part whose first row was taken among the others, or waits for its rows.
    fn make_ready_again(&mut self, part: usize) {
        if !self.parts[part].rows.is_empty() {
            self.make_ready(part);
        } else if !self.parts[part].complete {
            self.waiting += 1;
        }
    }

    /// Inserts a part with rows among the others by its first row. This takes few comparisons for any number of parts.
    fn make_ready(&mut self, part: usize) {
        let at = self.ready.partition_point(|&other| self.compare(other, part) == Ordering::Greater);
        self.ready.insert(at, part);
    }

    /// Compares the first rows of two parts.
    fn compare(&self, one: usize, other: usize) -> Ordering {
        let key = |part: usize| self.template.logical(&self.parts[part].rows[0].key);
        let order = key(one).cmp(key(other));
        (if self.reversed { order.reverse() } else { order }).then(one.cmp(&other))
    }
}
