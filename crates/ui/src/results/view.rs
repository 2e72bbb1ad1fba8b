//! The ways in which the rows of a read are shown.

use std::rc::Rc;

use yew::{AttrValue, Html, html};

use super::grid::Grid;
use super::objects::Objects;
use super::pivot::Pivot;
use super::traced::TracedSheet;
use crate::browser;

/// A way to show rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultView {
    /// One cell a line.
    #[default]
    Cells,
    /// One row a line, columns across.
    Pivot,
    /// One row a line, and the decoded values of one of them.
    Objects,
    /// One cell a line, with the cells that the filter dropped.
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
        ALL.iter().find(|(_, name)| stored.as_deref() == Some(*name)).map_or(ResultView::Cells, |(view, _)| *view)
    }

    /// Returns its place in the menu.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Chooses the view at a place of the menu.
    #[inline(never)]
    pub fn choose(at: usize) -> ResultView {
        browser::store(VIEW, ALL[at].1);
        ALL[at].0
    }
}

/// Draws the rows in another view than that of cells. No first visit needs it.
#[inline(never)]
pub fn other_view(grid: &Rc<Grid>, view: ResultView) -> Html {
    let (result, keys) = (grid.result.clone(), grid.keys.clone());
    if let (ResultView::Traced, Some((jobs, design))) = (view, grid.traces.clone()) {
        return html! { <TracedSheet {result} {keys} columns={grid.chosen()} types={grid.types()} {jobs} {design} /> };
    }
    let (columns, types, edits, marking) = (grid.chosen(), grid.types(), grid.edits(), grid.marking());
    if view == ResultView::Objects {
        return html! { if result.rows() > 0 { <Objects {result} {keys} {types} {edits} /> } };
    }
    let marked = marking.book.borrow().turn;
    let table = AttrValue::from(grid.commands.table.clone());
    html! {
        if result.rows() > 0 { <Pivot {result} {keys} {columns} {types} {edits} {marking} {marked} {table} /> }
    }
}
