//! The figures of all designs in a table: one line per figure, one column per design.

use tabletop_advice::{DesignFigures, Figure, Scoreboard, Standing, TableLoad};
use tabletop_texts::messages;
use tabletop_workspace::Design;
use yew::{Html, html};

use crate::kit::{Cell, Column, Row, Table};

/// Draws the table. The best value of a line is marked by a word, the others show how much higher
/// they are.
pub fn figure_table(designs: &[Design], figures: &[Option<DesignFigures>], board: &Scoreboard) -> Html {
    let says = &messages().compare;
    let known: Vec<DesignFigures> = figures.iter().flatten().cloned().collect();
    let standings: Vec<Standing> = known.iter().map(|figures| board.standing(figures)).collect();
    let can_win = |of: &Option<DesignFigures>| of.as_ref().is_some_and(|of| board.standing(of).can_win());
    let line = |figure: Figure| {
        let (name, about) = (says.figures)(figure);
        let best = figure.best(&known, &standings);
        Row::named(Cell::from(name).title(about.into()))
            .cells(figures.iter().map(|of| cell(figure, of.as_ref(), best, can_win(of))))
    };
    let columns = std::iter::once(Column::text(says.figure)).chain(designs.iter().zip(figures).map(head));
    Table::new(columns, Figure::ALL.map(line)).within("compare-table", says.table)
}

/// Returns the column of a design: its name, and why its column has no figures.
fn head((design, figures): (&Design, &Option<DesignFigures>)) -> Column {
    let is_invalid = figures.as_ref().is_some_and(|of| !of.problems.is_empty());
    Column::number(html! {
        <>
            {design.name.clone()}
            if is_invalid { <span class="remark small">{messages().compare.invalid_short}</span> }
        </>
    })
}

/// Returns the value of a design next to the best of all those that can win.
fn cell(figure: Figure, figures: Option<&DesignFigures>, best: Option<f64>, can_win: bool) -> Cell {
    let says = &messages().compare;
    let Some((figures, value)) = figures.and_then(|of| Some((of, figure.of(of)?))) else {
        let why = match (figure, figures) {
            (_, Some(figures)) if !figures.problems.is_empty() => "",
            (Figure::HottestTimesMedian, Some(figures))
                if TableLoad::of(&figures.table).hottest().is_some() =>
            {
                says.median_idle
            }
            (Figure::LogicalBytes, Some(figures)) if figures.changes => says.not_counted,
            _ => "",
        };
        return remarked(says.nothing, why).class("num soft");
    };
    let at_most = if figure.is_estimate(figures) { "≤ " } else { "" };
    let is_best = can_win && best.is_some_and(|best| Figure::are_same(value, best));
    let remark = match best {
        Some(_) if is_best => says.best.to_owned(),
        Some(best) if best > 0.0 && value >= best => (says.more)(value / best),
        None if figure == Figure::Splits => merges(figures).map(says.merges).unwrap_or_default(),
        _ => String::new(),
    };
    let shown = remarked(&format!("{at_most}{}", (messages().advice.figure)(figure, value)), &remark);
    if is_best { shown.class("num best") } else { shown }
}

/// Returns a cell with a remark next to its value.
fn remarked(value: &str, remark: &str) -> Cell {
    html! { <>{value}<span class="remark small">{remark}</span></> }.into()
}

/// Returns how often tablets were merged, if any were: without it, splits and tablets do not add
/// up.
fn merges(figures: &DesignFigures) -> Option<u64> {
    let merges = std::iter::once(&figures.table).chain(&figures.indexes).map(|table| table.merges).sum();
    (merges > 0).then_some(merges)
}
