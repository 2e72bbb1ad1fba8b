//! The ways to show rows, one of which the browser stores.

use crate::browser;

/// A way to show rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultView {
    /// One cell per line.
    #[default]
    Cells,
    /// One row per line, columns across.
    Pivot,
    /// One row per line, and the decoded values of one of them.
    Objects,
    /// One cell per line, with the cells that the filter dropped.
    Traced,
}

/// The stored name of the view.
const VIEW: &str = "result-view";
/// All views in the order of the menu, with their stored names.
const ALL: [(ResultView, &str); 4] = [
    (ResultView::Cells, "cells"),
    (ResultView::Pivot, "pivot"),
    (ResultView::Objects, "objects"),
    (ResultView::Traced, "traced"),
];

impl ResultView {
    /// Returns the view of the last visit.
    pub fn stored() -> ResultView {
        let stored = browser::stored(VIEW);
        ALL.iter()
            .find(|(_, name)| stored.as_deref() == Some(*name))
            .map_or(ResultView::Cells, |(view, _)| *view)
    }

    /// Returns its position in the menu.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Chooses the view at a position of the menu.
    #[inline(never)]
    pub fn choose(at: usize) -> ResultView {
        browser::store(VIEW, ALL[at].1);
        ALL[at].0
    }
}
