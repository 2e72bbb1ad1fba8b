//! The merge of the rows of several reads, in the order of their logical keys.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::Row;

use crate::Template;

/// Takes the rows of each part of a [`super::Plan`] as they arrive, and returns them in the order of their logical keys as soon
/// as no part can have an earlier one.
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
            rows.extend(self.parts[part].rows.pop_front());
            self.left -= 1;
            if !self.parts[part].rows.is_empty() {
                self.make_ready(part);
            } else if !self.parts[part].complete {
                self.waiting += 1;
            }
        }
        rows
    }

    /// The parts whose next rows are needed before more can be returned; none when the merge is complete.
    pub fn waiting(&self) -> impl Iterator<Item = usize> + '_ {
        let needed = |part: &SaltRows| part.rows.is_empty() && !part.complete;
        (0..self.parts.len()).filter(move |&part| self.left > 0 && needed(&self.parts[part]))
    }

    /// Whether [`Merge::pull`] will return no more rows.
    pub fn is_complete(&self) -> bool {
        self.left == 0 || self.waiting == 0 && self.ready.is_empty()
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
