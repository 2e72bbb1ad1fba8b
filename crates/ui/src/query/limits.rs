//! The limits of a saved query, and whether its answer meets them.

use tabletop_schema::{Miss, NamedQuery, QueryLimits};
use yew::{Html, html};

use super::look::QueryLook;
use crate::actions::Actions;
use crate::messages::common::NumberKind;
use crate::messages::messages;
use crate::messages::query::Limits;
use crate::state::{Edit, PageState};
use crate::widgets::{Icon, Number, icon, optional_number_field};

/// A limited figure: its name, and access to its limit.
struct Limit {
    /// The name in the workspace.
    name: &'static str,
    label: fn(&Limits) -> &'static str,
    is_minimum: bool,
    number: NumberKind,
    get: fn(&QueryLimits) -> Option<f64>,
    set: fn(&mut QueryLimits, Option<f64>),
}

const LIMITS: [Limit; 7] = [
    Limit {
        name: "rows_returned_min",
        label: |says| says.rows_returned,
        is_minimum: true,
        number: NumberKind::Whole,
        get: |limits| limits.rows_returned_min.map(|limit| limit as f64),
        set: |limits, value| limits.rows_returned_min = value.map(|value| value as u64),
    },
    Limit {
        name: "rows_seen_per_row_max",
        label: |says| says.rows_seen_per_row,
        is_minimum: false,
        number: NumberKind::Any,
        get: |limits| limits.rows_seen_per_row_max,
        set: |limits, value| limits.rows_seen_per_row_max = value,
    },
    Limit {
        name: "cells_seen_max",
        label: |says| says.cells_seen,
        is_minimum: false,
        number: NumberKind::Whole,
        get: |limits| limits.cells_seen_max.map(|limit| limit as f64),
        set: |limits, value| limits.cells_seen_max = value.map(|value| value as u64),
    },
    Limit {
        name: "bytes_read_max",
        label: |says| says.bytes_read,
        is_minimum: false,
        number: NumberKind::Whole,
        get: |limits| limits.bytes_read_max.map(|limit| limit as f64),
        set: |limits, value| limits.bytes_read_max = value.map(|value| value as u64),
    },
    Limit {
        name: "blocks_max",
        label: |says| says.blocks,
        is_minimum: false,
        number: NumberKind::Whole,
        get: |limits| limits.blocks_max.map(|limit| limit as f64),
        set: |limits, value| limits.blocks_max = value.map(|value| value as u64),
    },
    Limit {
        name: "tablets_max",
        label: |says| says.tablets,
        is_minimum: false,
        number: NumberKind::Whole,
        get: |limits| limits.tablets_max.map(|limit| limit as f64),
        set: |limits, value| limits.tablets_max = value.map(|value| value as u64),
    },
    Limit {
        name: "ranges_max",
        label: |says| says.ranges,
        is_minimum: false,
        number: NumberKind::Whole,
        get: |limits| limits.ranges_max.map(|limit| limit as f64),
        set: |limits, value| limits.ranges_max = value.map(|value| value as u64),
    },
];

impl Limit {
    /// Returns the displayed name.
    fn label(&self) -> String {
        let says = &messages().query.limits;
        let figure = (self.label)(says);
        if self.is_minimum { (says.at_least)(figure) } else { figure.into() }
    }
}

/// The largest limit: JavaScript has whole numbers up to about this.
const LIMIT_MAX: f64 = 9e15;

/// Draws the limits, and whether the answer meets them.
pub fn limits(state: &PageState, actions: &Actions, named: &NamedQuery) -> Html {
    let open = state.look.part::<QueryLook>().limits;
    let toggle = actions.part(|look: &mut QueryLook| look.limits = !look.limits);
    html! {
        <>
            { verdict(state, named) }
            <button type="button" class="fold commands-fold" aria-expanded={if open { "true" } else { "false" }}
                aria-controls="query-limits" onclick={toggle.reform(|_| ())}>
                {icon(if open { Icon::Down } else { Icon::Right })}
                {messages().query.limits.title}
            </button>
            <div id="query-limits" class="named-limits" hidden={!open}>
                if open { { limit_fields(actions, named) } }
            </div>
        </>
    }
}

/// Draws a field for each limit.
pub fn limit_fields(actions: &Actions, named: &NamedQuery) -> Html {
    let number = |limit: &Limit| Number { value: 0.0, min: 0.0, max: LIMIT_MAX, step: 1.0, kind: limit.number };
    let field = |limit: &'static Limit| {
        let name = named.name.clone();
        let on_change = Edit::by(&actions.edit, move |workspace, value: Option<f64>| {
            if let Some(named) = workspace.queries.iter_mut().find(|each| each.name == name) {
                (limit.set)(&mut named.limits, value);
            }
        });
        optional_number_field(&limit.label(), (limit.get)(&named.limits), number(limit), on_change)
    };
    html! {
        <>
            <p class="soft small">{messages().query.limits.about}</p>
            { for LIMITS.iter().map(field) }
        </>
    }
}

/// Returns the number of limits of an access pattern.
pub fn limit_count(limits: &QueryLimits) -> usize {
    LIMITS.iter().filter(|limit| (limit.get)(limits).is_some()).count()
}

/// Draws whether the current answer meets the limits.
fn verdict(state: &PageState, named: &NamedQuery) -> Html {
    let limits = limit_count(&named.limits);
    let (result, says) = (&state.result, &messages().query.limits);
    if limits == 0 {
        return html! {};
    }
    if named.query != state.workspace.query || state.answer_is_old() || !result.complete() {
        return html! { <p class="soft small" role="status">{says.not_run}</p> };
    }
    let misses = named.limits.misses(&result.stats, result.ranges);
    if misses.is_empty() {
        let said = (says.met)(limits as u64);
        return html! { <p class="verdict met" role="status">{icon(Icon::Check)}<span>{said}</span></p> };
    }
    html! {
        <div class="verdict missed" role="status">
            {icon(Icon::Error)}
            <ul>
                <li>{(says.missed)(misses.len() as u64)}</li>
                { for misses.iter().map(|miss| html! { <li>{miss_text(miss)}</li> }) }
            </ul>
        </div>
    }
}

/// Returns a missed limit with its figures.
pub fn miss_text(miss: &Miss) -> String {
    let says = &messages().query.limits;
    let limit = LIMITS.iter().find(|limit| limit.name == miss.limit);
    let figure = limit.map_or(&*miss.limit, |limit| (limit.label)(says));
    let write = if limit.is_some_and(|limit| limit.is_minimum) { says.too_few } else { says.too_many };
    write(figure, miss.measured, miss.allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_is_said_in_the_words_of_the_page() {
        let limits = QueryLimits { rows_returned_min: Some(7), rows_seen_per_row_max: Some(1.5), ..QueryLimits::default() };
        let stats = tabletop_model::ReadStats { rows_seen: 4_000, rows_returned: 3, ..Default::default() };
        let said: Vec<String> = limits.misses(&stats, 1).iter().map(miss_text).collect();
        assert_eq!(said, ["Rows returned: 3, at least 7", "Rows seen per row returned: 1333.33, at most 1.50"]);
        // Each limit of a query has a field.
        let all = QueryLimits {
            rows_returned_min: Some(9),
            rows_seen_per_row_max: Some(0.0),
            cells_seen_max: Some(0),
            bytes_read_max: Some(0),
            blocks_max: Some(0),
            tablets_max: Some(0),
            ranges_max: Some(0),
        };
        let stats = tabletop_model::ReadStats {
            cells_seen: 1,
            bytes_read: 1,
            blocks_read: 1,
            tablets_touched: 1,
            rows_seen: 1,
            ..Default::default()
        };
        let misses = all.misses(&stats, 1);
        assert_eq!(misses.len(), LIMITS.len());
        assert!(
            misses.iter().zip(&LIMITS).all(|(miss, limit)| miss.limit == limit.name && (limit.get)(&all) == Some(miss.allowed))
        );
    }
}
