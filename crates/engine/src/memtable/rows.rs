//! The rows of a memtable in key order: chunks of bounded length, so that an insertion moves few rows.

use alloc::vec::Vec;

use super::row::MemRow;

#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// The chunks, in key order; none is empty.
    chunks: Vec<Vec<MemRow>>,
    length: usize,
}

/// A position between two rows: the chunk, and the index in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowPosition {
    chunk: usize,
    index: usize,
}

impl RowPosition {
    /// Returns the position after the row at this position.
    pub fn next(self) -> RowPosition {
        RowPosition { index: self.index + 1, ..self }
    }
}

const CHUNK_ROWS: usize = 256;

impl Rows {
    pub fn len(&self) -> usize {
        self.length
    }

    pub fn end(&self) -> RowPosition {
        RowPosition { chunk: self.chunks.len(), index: 0 }
    }

    /// Returns the position of the first row for which `before` is false. Rows for which it is true
    /// must precede all others.
    pub fn seek(&self, before: impl Fn(&MemRow) -> bool) -> RowPosition {
        let chunk = self.chunks.partition_point(|chunk| chunk.last().is_some_and(&before));
        let index = self.chunks.get(chunk).map_or(0, |rows| rows.partition_point(before));
        RowPosition { chunk, index }
    }

    pub fn get(&self, position: RowPosition) -> Option<&MemRow> {
        self.chunks.get(position.chunk)?.get(position.index)
    }

    pub fn get_mut(&mut self, position: RowPosition) -> &mut MemRow {
        &mut self.chunks[position.chunk][position.index]
    }

    /// Inserts a row before the one at a position.
    pub fn insert(&mut self, mut position: RowPosition, row: MemRow) {
        if position == self.end() {
            self.push(row);
            return;
        }
        if self.chunks[position.chunk].len() == CHUNK_ROWS {
            let upper = self.chunks[position.chunk].split_off(CHUNK_ROWS / 2);
            self.chunks.insert(position.chunk + 1, upper);
            if position.index > CHUNK_ROWS / 2 {
                position = RowPosition { chunk: position.chunk + 1, index: position.index - CHUNK_ROWS / 2 };
            }
        }
        self.chunks[position.chunk].insert(position.index, row);
        self.length += 1;
    }

    /// Appends a row after all others.
    pub fn push(&mut self, row: MemRow) {
        self.length += 1;
        match self.chunks.last_mut().filter(|last| last.len() < CHUNK_ROWS) {
            Some(last) => last.push(row),
            None => {
                let mut chunk = Vec::with_capacity(CHUNK_ROWS);
                chunk.push(row);
                self.chunks.push(chunk);
            }
        }
    }

    pub fn last_mut(&mut self) -> Option<&mut MemRow> {
        self.chunks.last_mut()?.last_mut()
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&mut MemRow) -> bool) {
        self.chunks.iter_mut().for_each(|chunk| chunk.retain_mut(&mut keep));
        self.chunks.retain(|chunk| !chunk.is_empty());
        self.length = self.chunks.iter().map(Vec::len).sum();
    }

    pub fn each(&mut self, change: impl FnMut(&mut MemRow)) {
        self.chunks.iter_mut().flatten().for_each(change);
    }

    pub fn into_rows(self) -> impl Iterator<Item = MemRow> {
        self.chunks.into_iter().flatten()
    }

    /// Returns the rows from `start` to `end`, which must not be before `start`.
    pub fn range(&self, start: RowPosition, end: RowPosition) -> RowRange<'_> {
        RowRange { rows: self, start, end }
    }
}

/// Rows in key order, iterable from both ends.
#[derive(Clone, Debug)]
pub(crate) struct RowRange<'a> {
    rows: &'a Rows,
    start: RowPosition,
    end: RowPosition,
}

impl<'a> Iterator for RowRange<'a> {
    type Item = &'a MemRow;

    fn next(&mut self) -> Option<&'a MemRow> {
        if self.start >= self.end {
            return None;
        }
        let chunk = &self.rows.chunks[self.start.chunk];
        let row = &chunk[self.start.index];
        self.start.index += 1;
        if self.start.index == chunk.len() {
            self.start = RowPosition { chunk: self.start.chunk + 1, index: 0 };
        }
        Some(row)
    }
}

impl DoubleEndedIterator for RowRange<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.start >= self.end {
            return None;
        }
        if self.end.index == 0 {
            let chunk = self.end.chunk - 1;
            self.end = RowPosition { chunk, index: self.rows.chunks[chunk].len() };
        }
        self.end.index -= 1;
        Some(&self.rows.chunks[self.end.chunk][self.end.index])
    }
}
