//! Sorted cells in several chunks of bounded length, so that an insertion moves few cells,
//! regardless of the length of the row.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::Memtable;
use super::row::{CHUNK_CELLS, Chunk, MemCell};
use crate::families::FamilyKind;

impl Memtable {
    /// Inserts one newer cell into a list of chunks, none of which is empty.
    pub(super) fn insert_among(&mut self, chunks: &mut Vec<Chunk>, cell: MemCell, kinds: &[FamilyKind]) {
        let first = |chunk: &Chunk| &self.cells[chunk.first as usize];
        let after = chunks.partition_point(|chunk| self.order(first(chunk), &cell) != Ordering::Greater);
        let mut at = after.saturating_sub(1);
        if chunks.is_empty() {
            chunks.push(Chunk::default());
        }
        let Chunk { count, .. } = chunks[at];
        if count >= CHUNK_CELLS
            && let Err(place) = self.place_in(&chunks[at], &cell)
        {
            // At either end of the list, a full chunk is left full: times usually ascend or
            // descend.
            let place = place as u32;
            let middle = if place == 0 || place == count { place } else { count / 2 };
            if place == count && chunks.get(after).is_some_and(|next| next.count < CHUNK_CELLS) {
                at = after;
            } else {
                let upper = self.cells[chunks[at].range()][middle as usize..].to_vec();
                chunks[at].shorten(middle as usize);
                chunks.insert(at + 1, Chunk::default());
                self.move_cells(&mut chunks[at + 1], &upper);
                at += usize::from(place > middle || place == count);
            }
        }
        self.insert(&mut chunks[at], cell, kinds);
    }

    /// Inserts one newer cell into a chunk.
    pub(super) fn insert(&mut self, chunk: &mut Chunk, cell: MemCell, kinds: &[FamilyKind]) {
        match self.place_in(chunk, &cell) {
            Ok(at) => {
                let at = chunk.first as usize + at;
                self.cells[at] = self.replace(self.cells[at], cell, kinds);
                self.live_cells -= 1;
            }
            Err(at) => {
                if chunk.room == 0 {
                    let cells = self.cells[chunk.range()].to_vec();
                    self.move_cells(chunk, &cells);
                }
                let (at, end) = (chunk.first as usize + at, chunk.range().end);
                self.count_work(end - at);
                self.cells.copy_within(at..end, at + 1);
                self.cells[at] = cell;
                chunk.count += 1;
                chunk.room -= 1;
            }
        }
    }

    /// Removes adjacent cells from a list of chunks and passes each to `removed`. `place` returns
    /// whether a cell is before these, one of them, or after them.
    pub(super) fn remove(
        &mut self,
        chunks: &mut Vec<Chunk>,
        place: &dyn Fn(&Memtable, &MemCell) -> Ordering,
        removed: &mut dyn FnMut(&Memtable, &MemCell),
    ) {
        let is_before = |memtable: &Memtable, cell: &MemCell| {
            memtable.count_work(1);
            place(memtable, cell) == Ordering::Less
        };
        let first = chunks.partition_point(|chunk| is_before(self, &self.cells[chunk.range().end - 1]));
        let mut is_any_empty = false;
        for chunk in &mut chunks[first..] {
            let cells = &self.cells[chunk.range()];
            let low = cells.partition_point(|cell| is_before(self, cell));
            let count = cells[low..].iter().take_while(|cell| place(self, cell) == Ordering::Equal).count();
            if count == 0 {
                break;
            }
            cells[low..low + count].iter().for_each(|cell| removed(self, cell));
            let (low, end) = (chunk.first as usize + low, chunk.range().end);
            self.count_work(end - low);
            self.cells.copy_within(low + count..end, low);
            chunk.shorten(chunk.count as usize - count);
            if chunk.count == 0 {
                is_any_empty = true;
                self.cells_lost += chunk.places();
            }
        }
        if is_any_empty {
            chunks.retain(|chunk| chunk.count > 0);
        }
    }

    /// Moves the cells of a chunk to a new place, with room for half as many more.
    pub(super) fn move_cells(&mut self, chunk: &mut Chunk, cells: &[MemCell]) {
        self.count_work(cells.len());
        self.cells_lost += chunk.places();
        chunk.first = self.cells.len() as u32;
        chunk.count = cells.len() as u32;
        chunk.room = chunk.count / 2 + 2;
        self.cells.extend_from_slice(cells);
        self.cells.resize(chunk.first as usize + chunk.places(), MemCell::default());
    }

    fn place_in(&self, chunk: &Chunk, cell: &MemCell) -> Result<usize, usize> {
        self.cells[chunk.range()].binary_search_by(|other| self.order(other, cell))
    }
}
