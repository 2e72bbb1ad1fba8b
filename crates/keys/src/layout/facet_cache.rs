//! A cache from the text of facets to their cells. Objects repeat often, and cells that were
//! written before are copied.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::salt::hash;

/// Number of slots. Each holds one text of those with the same remainder of the hash.
const SLOTS: usize = 1 << 12;
/// Longer texts, and texts with more than `CELLS_MAX` cells, are not cached, so that the cache
/// stays within about 16 MiB.
const TEXT_BYTES_MAX: usize = 1 << 10;
const CELLS_MAX: usize = 16;

/// The cells of facets, as pairs of the end of the qualifier and the value.
pub(super) type FacetCells = Vec<(Vec<u8>, Vec<u8>)>;

/// The cells of recently written facets.
#[derive(Clone, Debug, Default)]
pub(super) struct FacetCache {
    slots: Vec<Option<Box<CachedFacets>>>,
    /// The cells of a text that is not cached.
    uncached: FacetCells,
}

#[derive(Clone, Debug)]
struct CachedFacets {
    text: Box<str>,
    cells: FacetCells,
}

impl FacetCache {
    /// Returns the cells of facets. Calls `write` if they are not cached; `write` must be the same
    /// function each time.
    pub fn cells(&mut self, text: &str, write: impl FnOnce(&str) -> FacetCells) -> &FacetCells {
        if text.len() > TEXT_BYTES_MAX {
            self.uncached = write(text);
            return &self.uncached;
        }
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, None);
        }
        let slot = &mut self.slots[hash(text.as_bytes()) as usize % SLOTS];
        if slot.as_ref().is_none_or(|known| *known.text != *text) {
            let cells = write(text);
            if cells.len() > CELLS_MAX {
                self.uncached = cells;
                return &self.uncached;
            }
            *slot = Some(Box::new(CachedFacets { text: text.into(), cells }));
        }
        slot.as_ref().map_or(&self.uncached, |known| &known.cells)
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
    fn small_facets_are_cached_and_large_ones_are_not() {
        let mut facet_cache = FacetCache::default();
        let writes = Cell::new(0);
        let mut cells = |text: &str, count: usize| {
            let found = facet_cache.cells(text, |text| {
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
        // There are more texts than slots, and each text still gets its own cells.
        (0..2 * SLOTS).for_each(|number| cells(&format!("{number}"), 1));
        (0..2 * SLOTS).for_each(|number| cells(&format!("{number}"), 1));
    }
}
