//! The facets of events before, as cells: objects come again and again, and what was written once is copied.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::salt::hash;

/// Texts that are remembered at most, one for each remainder of their hashes.
const SLOTS: usize = 1 << 12;
/// Longer ones, and those of more cells, are rewritten each time, so that all together stay within some 16 MiB.
const TEXT_BYTES_MAX: usize = 1 << 10;
const CELLS_MAX: usize = 16;

/// What facets come to: of each cell the end of its qualifier, and its value.
pub(super) type FacetCells = Vec<(Vec<u8>, Vec<u8>)>;

/// The cells of the facets that were written lately.
#[derive(Clone, Debug, Default)]
pub(super) struct Lately {
    slots: Vec<Option<Box<Known>>>,
    /// The cells of a text that is not kept.
    passing: FacetCells,
}

#[derive(Clone, Debug)]
struct Known {
    text: Box<str>,
    cells: FacetCells,
}

impl Lately {
    /// The cells of facets, which `write` makes of them if it has not done so lately. It is always the same one.
    pub fn cells(&mut self, text: &str, write: impl FnOnce(&str) -> FacetCells) -> &FacetCells {
        if text.len() > TEXT_BYTES_MAX {
            self.passing = write(text);
            return &self.passing;
        }
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, None);
        }
        let slot = &mut self.slots[hash(text.as_bytes()) as usize % SLOTS];
        if slot.as_ref().is_none_or(|known| *known.text != *text) {
            let cells = write(text);
            if cells.len() > CELLS_MAX {
                self.passing = cells;
                return &self.passing;
            }
            *slot = Some(Box::new(Known { text: text.into(), cells }));
        }
        slot.as_ref().map_or(&self.passing, |known| &known.cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec;
    use core::cell::Cell;

    #[test]
    fn what_is_kept_is_not_written_again_and_what_is_large_is_not_kept() {
        let mut lately = Lately::default();
        let writes = Cell::new(0);
        let mut cells = |text: &str, count: usize| {
            let found = lately.cells(text, |text| {
                writes.set(writes.get() + 1);
                vec![(text.into(), Vec::new()); count]
            });
            assert_eq!((found.len(), &found[0].0[..]), (count, text.as_bytes()));
        };
        (0..3).for_each(|_| cells("a", 2));
        (0..3).for_each(|_| cells("many", CELLS_MAX + 1));
        let long: String = "x".repeat(TEXT_BYTES_MAX + 1);
        (0..3).for_each(|_| cells(&long, 1));
        assert_eq!(writes.get(), 1 + 3 + 3);
        // More texts than slots: each is still answered with its own cells.
        (0..2 * SLOTS).for_each(|number| cells(&format!("{number}"), 1));
        (0..2 * SLOTS).for_each(|number| cells(&format!("{number}"), 1));
    }
}
