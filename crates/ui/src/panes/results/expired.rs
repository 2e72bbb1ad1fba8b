//! What GC rules would collect now from the row of the chosen cell, as the engine counts it.

use std::rc::Rc;

use tabletop_keys::time;
use tabletop_model::{Cell, Error, ExpiredCell, ExpiredCells, RowKey};
use tabletop_texts::results::Counted;
use tabletop_texts::{Locale, locale, messages};
use yew::{Callback, Html, Properties, function_component, html, use_effect_with};

use super::grid::Grid;
use super::look::ExpiredOfRow;
use crate::kit::callback;
use crate::page::actions::ExpiredRequest;

/// Returns what the engine has counted for a row, if it has.
pub fn counted(grid: &Grid, key: &RowKey) -> Option<Rc<ExpiredCells>> {
    let last = grid.look(|look| look.expired.clone());
    last.filter(|(of, _)| of == key).and_then(|(_, counted)| counted.ok())
}

/// Returns whether a cell is among those that are collected.
pub fn is_listed(counted: &ExpiredCells, cell: &Cell) -> bool {
    let is_it = |listed: &ExpiredCell| {
        (listed.timestamp, &listed.qualifier, &listed.family)
            == (cell.timestamp, &cell.qualifier, &cell.family)
    };
    counted.listed.iter().any(is_it)
}

/// Returns the numbers of a count for a sentence.
pub fn numbers(counted: &ExpiredCells) -> Counted {
    Counted {
        cells: counted.cells,
        cells_seen: counted.cells_seen,
        rows: counted.rows,
        bytes: counted.bytes,
        now: time::format(counted.now),
    }
}

/// Draws the count of a row, which it requests after each answer.
pub fn expired_of_row(grid: &Rc<Grid>, key: &RowKey) -> Html {
    let Some(on_expired) = grid.props.on_expired.clone() else { return Html::default() };
    let on_answer =
        callback(grid, move |grid, of_row: ExpiredOfRow| grid.change(|look| look.expired = Some(of_row)));
    let says = &messages().results.expired;
    let text = match grid.look(|look| look.expired.clone()).filter(|(of, _)| of == key) {
        Some((_, Ok(counted))) => (says.of_row)(&numbers(&counted)),
        Some((_, Err(error))) => error.message,
        None => says.counting.into(),
    };
    // Each answer has a different value. While rows arrive, the count waits.
    let answer = (!grid.props.result.running()).then(|| Rc::as_ptr(&grid.props.result) as usize);
    html! { <ExpiredOfRowText row={key.clone()} {answer} {text} {on_expired} {on_answer} /> }
}

/// Properties of [`ExpiredOfRowText`].
#[derive(Properties, PartialEq)]
struct ExpiredOfRowTextProps {
    row: RowKey,
    /// The current answer.
    answer: Option<usize>,
    text: String,
    on_expired: Callback<ExpiredRequest>,
    on_answer: Callback<ExpiredOfRow>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    locale: Locale,
}

#[function_component]
fn ExpiredOfRowText(props: &ExpiredOfRowTextProps) -> Html {
    let (on_expired, on_answer) = (props.on_expired.clone(), props.on_answer.clone());
    use_effect_with((props.row.clone(), props.answer), move |(row, answer)| {
        if answer.is_some() {
            let key = row.clone();
            let answer = Callback::from(move |counted: Result<ExpiredCells, Error>| {
                on_answer.emit((key.clone(), counted.map(Rc::new)));
            });
            on_expired.emit(ExpiredRequest { row: Some(row.clone()), answer });
        }
    });
    html! { <p class="expired-count small" role="status">{props.text.clone()}</p> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_listed_by_family_qualifier_and_time() {
        let cell = |family: &str, qualifier: &str, timestamp| Cell {
            family: family.into(),
            qualifier: qualifier.into(),
            timestamp,
            value: "v".into(),
            label: None,
        };
        let listed = ExpiredCell { family: "f".into(), qualifier: "q".into(), timestamp: 1_000 };
        let counted = ExpiredCells { listed: vec![listed], ..ExpiredCells::default() };
        assert!(is_listed(&counted, &cell("f", "q", 1_000)));
        for other in [cell("g", "q", 1_000), cell("f", "r", 1_000), cell("f", "q", 2_000)] {
            assert!(!is_listed(&counted, &other), "{other:?}");
        }
    }
}
