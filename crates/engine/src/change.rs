//! The changes of a write, resolved: families are numbers, timestamps are set, and nothing can be
//! rejected from here on.
//!
//! The commit log stores changes in this form and a replay applies them unchanged, so nothing is
//! decided twice.

use alloc::vec::Vec;

use tabletop_model::Timestamp;

use crate::columns::FamilyId;

/// One step of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op<'a> {
    /// Writes a cell and replaces any cell of the same column and time.
    Set { family: FamilyId, qualifier: &'a [u8], timestamp: Timestamp, value: &'a [u8] },
    /// Combines the state of an accumulator with the cell of the same column and time.
    Add { family: FamilyId, qualifier: &'a [u8], timestamp: Timestamp, input: &'a [u8] },
    /// Deletes versions `[start, end)` of a column; `Timestamp::MAX` means no end.
    DeleteColumn { family: FamilyId, qualifier: &'a [u8], start: Timestamp, end: Timestamp },
    /// Deletes every cell of a family.
    DeleteFamily(FamilyId),
    /// Deletes every cell of the row.
    DeleteRow,
}

/// The changes to one row, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change<'a> {
    pub key: &'a [u8],
    pub ops: &'a [Op<'a>],
}

impl Change<'_> {
    /// Bytes of key, qualifiers, times (8 each) and values.
    pub fn bytes(&self) -> u64 {
        let of_op = |op: &Op<'_>| match op {
            Op::Set { qualifier, value, .. } | Op::Add { qualifier, input: value, .. } => {
                qualifier.len() + 8 + value.len()
            }
            Op::DeleteColumn { qualifier, .. } => qualifier.len() + 16,
            Op::DeleteFamily(_) | Op::DeleteRow => 0,
        };
        (self.key.len() + self.ops.iter().map(of_op).sum::<usize>()) as u64
    }
}

/// The changes of one write, in order. A row may occur several times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes<'a> {
    ops: Vec<Op<'a>>,
    /// Each row's key, and where its ops end.
    rows: Vec<(&'a [u8], usize)>,
}

impl<'a> Changes<'a> {
    /// Creates an empty list with room for `ops` ops.
    pub fn with_capacity(ops: usize) -> Self {
        Changes { ops: Vec::with_capacity(ops), rows: Vec::new() }
    }

    /// Adds an op to the current row.
    #[inline]
    pub fn push(&mut self, op: Op<'a>) {
        self.ops.push(op);
    }

    /// Ends the current row: the ops since the last row become a change of `key`. Without ops the
    /// row is not changed.
    pub fn end_row(&mut self, key: &'a [u8]) {
        if self.ops.len() > self.rows.last().map_or(0, |(_, end)| *end) {
            self.rows.push((key, self.ops.len()));
        }
    }

    /// Discards the ops since the last row.
    pub fn undo(&mut self) {
        self.ops.truncate(self.rows.last().map_or(0, |(_, end)| *end));
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Change<'_>> {
        let mut start = 0;
        self.rows
            .iter()
            .map(move |&(key, end)| Change { key, ops: &self.ops[core::mem::replace(&mut start, end)..end] })
    }
}
