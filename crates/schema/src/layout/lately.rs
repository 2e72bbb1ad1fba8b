//! The facets of events before, as cells: objects come again and again, and what was written once is copied.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::salt::hash;

/// Texts that are remembered at most, one for each remainder of their hashes.
const SLOTS: usize = 1 << 12;
/// Longer ones are written anew each time, so that all together stay within a few MiB.
const TEXT_BYTES_MAX: usize = 1 << 10;

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
        if slot.as_ref().is_some_and(|known| *known.text != *text) {
            *slot = None;
        }
        &slot.get_or_insert_with(|| Box::new(Known { text: text.into(), cells: write(text) })).cells
    }
}
