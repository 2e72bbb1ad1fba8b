//! The figures of all designs in a table: one line per figure, one column per design.

use tabletop_advice::{DesignFigures, Figure, TableLoad};
use tabletop_texts::messages;
use tabletop_workspace::Design;
use yew::{Html, classes, html};

/// Draws the table. The best value of a line is marked by a word, the others show how much higher
/// they are.
pub fn figure_table(designs: &[Design], figures: &[Option<DesignFigures>]) -> Html {
    let says = &messages().compare;
    let known: Vec<DesignFigures> = figures.iter().flatten().cloned().collect();
    let line = |figure: Figure| {
        let (name, about) = (says.figures)(figure);
        let best = figure.best(&known);
        html! {
            <tr>
                <th scope="row" title={about}>{name}</th>
                { for figures.iter().map(|of| cell(figure, of.as_ref(), best)) }
            </tr>
        }
    };
    html! {
        <div class="compare-table" tabindex="0" role="region" aria-label={says.table}>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{says.figure}</th>
                        { for designs.iter().zip(figures).map(head) }
                    </tr>
                </thead>
                <tbody>{ for Figure::ALL.into_iter().map(line) }</tbody>
            </table>
        </div>
    }
}

/// Draws the name of a design, and why its column has no figures.
fn head((design, figures): (&Design, &Option<DesignFigures>)) -> Html {
    let is_invalid = figures.as_ref().is_some_and(|of| !of.problems.is_empty());
    html! {
        <th scope="col" class="num">
            {design.name.clone()}
            if is_invalid { <span class="remark small">{messages().compare.invalid_short}</span> }
        </th>
    }
}

/// Draws the value of a design next to the best of all.
fn cell(figure: Figure, figures: Option<&DesignFigures>, best: Option<f64>) -> Html {
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
        return html! { <td class="num soft">{says.nothing}<span class="remark small">{why}</span></td> };
    };
    let at_most = if figure.is_estimate(figures) { "≤ " } else { "" };
    let is_best = best.is_some_and(|best| Figure::are_same(value, best));
    let remark = match best {
        Some(_) if is_best => says.best.to_owned(),
        Some(best) if best > 0.0 => (says.more)(value / best),
        None if figure == Figure::Splits => merges(figures).map(says.merges).unwrap_or_default(),
        _ => String::new(),
    };
    html! {
        <td class={classes!("num", is_best.then_some("best"))}>
            {format!("{at_most}{}", (messages().advice.figure)(figure, value))}
            <span class="remark small">{remark}</span>
        </td>
    }
}

/// Returns how often tablets were merged, if any were: without it, splits and tablets do not add
/// up.
fn merges(figures: &DesignFigures) -> Option<u64> {
    let merges = std::iter::once(&figures.table).chain(&figures.indexes).map(|table| table.merges).sum();
    (merges > 0).then_some(merges)
}
