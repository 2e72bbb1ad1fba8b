//! The internals of a tablet as a part of the page.

use tabletop_views::tablet::InsideLook;

use super::look::{Change, Part};

impl Part for InsideLook {
    fn follow(&mut self, change: &Change) {
        // Another design has other SSTables.
        if matches!(change, Change::Design) {
            self.close_file();
        }
    }
}
