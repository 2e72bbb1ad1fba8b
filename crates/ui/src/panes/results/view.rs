//! The ways in which the rows of a read are shown.

use std::rc::Rc;

use yew::{AttrValue, Html, html};

use super::grid::Grid;
use super::objects::Objects;
use super::pivot::Pivot;
use super::result_view::ResultView;
use super::traced::TracedSheet;

/// Draws the rows in any view except that of cells. A first visit does not need it.
#[inline(never)]
pub fn other_view(grid: &Rc<Grid>, view: ResultView) -> Html {
    let (result, keys) = (grid.props.result.clone(), grid.props.keys.clone());
    if let (ResultView::Traced, Some((jobs, design))) = (view, grid.props.traces.clone()) {
        return html! { <TracedSheet {result} {keys} columns={grid.chosen()} types={grid.types()} {jobs} {design} /> };
    }
    let (columns, types, edits, marking) = (grid.chosen(), grid.types(), grid.edits(), grid.marking());
    if view == ResultView::Objects {
        return html! { if result.rows() > 0 { <Objects {result} {keys} {types} {edits} /> } };
    }
    let marked = marking.book.borrow().turn;
    let table = AttrValue::from(grid.props.commands.table.clone());
    html! {
        if result.rows() > 0 { <Pivot {result} {keys} {columns} {types} {edits} {marking} {marked} {table} /> }
    }
}
