//! Merges the rows of several reads, in the order of their logical keys.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::{Cell, Row, RowKey, order::sorted};

use crate::Template;

/// Takes the rows of each part of a [`super::Plan`] as they arrive, and returns them in the order
/// of their logical keys, as soon as no part can still have an earlier row. Two rows with the same
/// logical key, from before and after a cut-over, are joined.
#[derive(Clone, Debug)]
pub struct Merge {
    template: Template,
    reversed: bool,
    /// Number of rows that may still be returned.
    left: u64,
    parts: Vec<SaltRows>,
    /// The parts with rows, sorted. The part with the next row is last.
    ready: Vec<usize>,
    /// Number of parts that currently have no rows and may receive some.
    waiting: usize,
}

#[derive(Clone, Debug, Default)]
struct SaltRows {
    rows: VecDeque<Row>,
    complete: bool,
}

impl Merge {
    /// Creates a merge of the parts of a plan for `template`, in descending order if `reversed`; at
    /// most `rows_limit` rows, 0 for all.
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

    /// Adds the next rows of a part, in its order. `complete` says that no more rows follow.
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

    /// Returns the rows that come before the first row that any part can still receive.
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

    /// Returns the parts that must receive rows before more can be returned; none if the merge is
    /// complete.
    pub fn waiting(&self) -> impl Iterator<Item = usize> + '_ {
        let needed = |part: &SaltRows| part.rows.is_empty() && !part.complete;
        (0..self.parts.len()).filter(move |&part| self.left > 0 && needed(&self.parts[part]))
    }

    /// Returns the unsalted key of the second half of a row that [`Merge::pull`] has returned with
    /// this key; `None` if the row was not joined.
    pub fn other_half(&self, key: &[u8]) -> Option<RowKey> {
        let can_be_joined = self.template.cut_over().is_some() && !self.template.is_unsalted(key);
        can_be_joined.then(|| RowKey::from(self.template.logical(key)))
    }

    /// Returns whether [`Merge::pull`] will return no more rows.
    pub fn is_complete(&self) -> bool {
        self.left == 0 || self.waiting == 0 && self.ready.is_empty()
    }

    /// Joins the second half of a row, if it is next.
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

    /// Sorts a part, whose first row was taken, back among the others, or waits for its rows.
    fn make_ready_again(&mut self, part: usize) {
        if !self.parts[part].rows.is_empty() {
            self.make_ready(part);
        } else if !self.parts[part].complete {
            self.waiting += 1;
        }
    }

    /// Inserts a part with rows among the others, sorted by its first row. A binary search needs
    /// few comparisons even for many parts.
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
