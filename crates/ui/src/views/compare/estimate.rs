//! Nodes, storage and cost of each design, at the user's own rates and prices.

use tabletop_schema::{
    DesignCosts, DesignFigures, Estimate, RATE_DAYS_MAX, RATE_MAX, Rates, Total, bytes, estimate, many_bytes,
};
use tabletop_texts::common::NumberKind;
use tabletop_texts::messages;
use tabletop_texts::numbers::many_thousands;
use yew::{Callback, Html, html};

use crate::actions::Actions;
use crate::state::{Edit, PageState};
use crate::widgets::{Column, Icon, Number, Row, Table, icon, number_field, optional_number_field};

/// A rate that may be unknown.
struct Unknown {
    label: &'static str,
    max: f64,
    get: fn(&Rates) -> Option<f64>,
    set: fn(&mut Rates, Option<f64>),
}

/// A rate that always has a value.
struct Known {
    label: &'static str,
    number: Number,
    get: fn(&Rates) -> f64,
    set: fn(&mut Rates, f64),
}

/// Draws the fields of the rates and the estimate for each design.
pub fn estimate_section(state: &PageState, figures: &[Option<DesignFigures>], actions: &Actions) -> Html {
    let says = &messages().compare.estimate;
    let rates = &state.workspace.rates.as_deref().cloned().unwrap_or_default();
    let unknown = |rate: &Unknown| {
        let on_change = change(rate.set, actions);
        let field = optional_number_field(rate.label, (rate.get)(rates), at_least(0.0, rate.max), on_change);
        html! { <div class="estimate-rate">{field}</div> }
    };
    let known = |rate: &Known| {
        let (value, on_change) = ((rate.get)(rates), change(rate.set, actions));
        html! { <div class="estimate-rate">{ number_field(rate.label, Number { value, ..rate.number }, on_change) }</div> }
    };
    html! {
        <details class="estimate">
            <summary><h3>{says.title}</h3></summary>
            <p class="soft small">{says.about}</p>
            <div class="estimate-rates">{ for own_rates().iter().map(unknown) }{ for node_rates().iter().map(known) }</div>
            { table(state, figures, rates) }
            <p class="soft small">{says.formula}</p>
        </details>
    }
}

/// Returns a callback that sets a rate. Rates that are not set have their defaults.
fn change<T: Clone + 'static>(set: fn(&mut Rates, T), actions: &Actions) -> Callback<T> {
    Edit::by(&actions.edit, move |workspace, value| set(workspace.rates.get_or_insert_default(), value))
}

fn at_least(min: f64, max: f64) -> Number {
    Number { value: 0.0, min, max, step: 1.0, kind: NumberKind::Any }
}

fn own_rates() -> [Unknown; 5] {
    let says = &messages().compare.estimate;
    [
        Unknown {
            label: says.events_per_second,
            max: RATE_MAX,
            get: |rates| rates.events_per_second_max,
            set: |rates, value| rates.events_per_second_max = value,
        },
        Unknown {
            label: says.events_per_day,
            max: RATE_MAX,
            get: |rates| rates.events_per_day,
            set: |rates, value| rates.events_per_day = value,
        },
        Unknown {
            label: says.days_kept,
            max: RATE_DAYS_MAX,
            get: |rates| rates.days_kept,
            set: |rates, value| rates.days_kept = value,
        },
        Unknown {
            label: says.node_price,
            max: RATE_MAX,
            get: |rates| rates.node_hour_price,
            set: |rates, value| rates.node_hour_price = value,
        },
        Unknown {
            label: says.gigabyte_price,
            max: RATE_MAX,
            get: |rates| rates.gigabyte_month_price,
            set: |rates, value| rates.gigabyte_month_price = value,
        },
    ]
}

fn node_rates() -> [Known; 5] {
    let says = &messages().compare.estimate;
    let whole = |max: f64| Number { kind: NumberKind::Whole, ..at_least(1.0, max) };
    [
        Known {
            label: says.clusters,
            number: whole(8.0),
            get: |rates| rates.clusters,
            set: |rates, value| rates.clusters = value,
        },
        Known {
            label: says.node_writes,
            number: whole(1e9),
            get: |rates| rates.node_writes_per_second,
            set: |rates, value| rates.node_writes_per_second = value,
        },
        Known {
            label: says.node_reads,
            number: whole(1e9),
            get: |rates| rates.node_reads_per_second,
            set: |rates, value| rates.node_reads_per_second = value,
        },
        Known {
            label: says.node_terabytes,
            number: at_least(0.1, 1_000.0),
            get: |rates| rates.node_bytes / 1e12,
            set: |rates, value| rates.node_bytes = value * 1e12,
        },
        Known {
            label: says.utilization,
            number: whole(100.0),
            get: |rates| (rates.utilization * 100.0).round(),
            set: |rates, value| rates.utilization = value / 100.0,
        },
    ]
}

fn table(state: &PageState, figures: &[Option<DesignFigures>], rates: &Rates) -> Html {
    let says = &messages().compare.estimate;
    let queries = &state.workspace.queries;
    let line = |(costs, figures): (&DesignCosts, &Option<DesignFigures>)| {
        let design = &costs.design;
        let reads = Total::of(queries, costs).filter(|_| !queries.is_empty());
        let estimate =
            figures.as_ref().map(|figures| estimate(rates, figures, reads.as_ref())).unwrap_or_default();
        let nodes_for = [estimate.nodes_for_writes, estimate.nodes_for_reads, estimate.nodes_for_storage];
        Row::named(&design.name)
            .cell(nodes(&estimate))
            .cells(nodes_for.map(|nodes| number(nodes, fraction)))
            .cell(number(estimate.bytes, stored))
            .cell(number(estimate.cost_per_month, many_thousands))
    };
    let columns = std::iter::once(Column::text(says.design)).chain(says.columns.map(Column::number));
    Table::new(columns, state.costs().iter().zip(figures).map(line)).within("compare-table", says.title)
}

fn number(value: Option<f64>, text: fn(f64) -> String) -> String {
    value.map_or(messages().compare.nothing.into(), text)
}

/// Formats a fractional number of nodes.
fn fraction(nodes: f64) -> String {
    if nodes < 1_000.0 { format!("{nodes:.2}") } else { many_thousands(nodes) }
}

fn stored(number: f64) -> String {
    if number < 1_000.0 { bytes(number as u64) } else { many_bytes(number) }
}

/// Draws the number of nodes, or why there is none.
fn nodes(estimate: &Estimate) -> Html {
    if estimate.exceeds_node {
        return html! { <span class="remark problem small">{icon(Icon::Hot)}{messages().compare.estimate.exceeds_node}</span> };
    }
    number(estimate.nodes, many_thousands).into()
}
