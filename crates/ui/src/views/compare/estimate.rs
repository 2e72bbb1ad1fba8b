//! Nodes, storage and cost of each design, at the user's own rates and prices.

use tabletop_advice::{DesignCosts, DesignFigures, Estimate, Scale, Total, estimate};
use tabletop_keys::{bytes, many_bytes};
use tabletop_texts::messages;
use tabletop_texts::numbers::many_thousands;
use tabletop_workspace::{RATE_DAYS_MAX, RATE_MAX, Rates};
use yew::{Html, html};

use crate::kit::{ButtonKind, Column, FormNumber, Icon, Row, Table, form, icon, number, push};
use crate::page::actions::Actions;
use crate::page::state::{Edit, PageState};

/// Draws the fields of the rates and the estimate for each design.
pub fn estimate_section(state: &PageState, figures: &[Option<DesignFigures>], actions: &Actions) -> Html {
    let says = &messages().compare.estimate;
    let utilization = state.workspace.utilization();
    let rates = &Rates { utilization, ..state.workspace.rates.as_deref().cloned().unwrap_or_default() };
    let fields = form(rate_fields(), rates, |place| {
        Edit::by(&actions.edit, move |workspace, value| {
            let utilization = workspace.utilization();
            // Rates that are not set have their defaults.
            let rates = workspace.rates.get_or_insert_default();
            rates.utilization = utilization;
            place.set(rates, value);
            let target = rates.utilization;
            workspace.set_utilization(target);
        })
    });
    html! {
        <details class="estimate">
            <summary><h3>{says.title}</h3></summary>
            <p class="soft small">{says.about}</p>
            { rates_of_events(state, rates, actions) }
            <div class="estimate-rates">{ for fields.map(|field| html! { <div class="estimate-rate">{field}</div> }) }</div>
            { table(state, figures, rates) }
            <p class="soft small">{says.formula}</p>
        </details>
    }
}

/// Offers the rates of the loaded events, as long as the user has stated none.
fn rates_of_events(state: &PageState, rates: &Rates, actions: &Actions) -> Html {
    let says = &messages().compare.estimate;
    let is_open = rates.events_per_day.is_none() && rates.events_per_second_max.is_none();
    let Some(found) = state.suggested.rates.filter(|_| is_open) else { return Html::default() };
    let take = Edit::by(&actions.edit, move |workspace, ()| {
        let utilization = workspace.utilization();
        let rates = workspace.rates.get_or_insert_default();
        rates.utilization = utilization;
        rates.events_per_day = Some(few_digits(found.per_day));
        rates.events_per_second_max = found.per_second_max.map(few_digits);
    });
    html! {
        <p class="estimate-found small">
            <span class="soft">{(says.of_events)(found.per_day, found.per_second_max)}</span>
            { push(says.take_rates, None, ButtonKind::Plain, Some(take)) }
        </p>
    }
}

/// Rounds a rate to three digits: a sample tells no more.
fn few_digits(rate: f64) -> f64 {
    let unit = 10_f64.powf(2.0 - rate.max(f64::MIN_POSITIVE).log10().floor());
    (rate * unit).round() / unit
}

/// The fields of the user's own rates, which may be unknown, then those of a node's capacity.
fn rate_fields() -> [FormNumber<Rates>; 10] {
    let says = &messages().compare.estimate;
    let any = (0.0, RATE_MAX);
    [
        FormNumber::optional(says.events_per_second, any, number!(events_per_second_max)),
        FormNumber::optional(says.events_per_day, any, number!(events_per_day)),
        FormNumber::optional(says.days_kept, (0.0, RATE_DAYS_MAX), number!(days_kept)),
        FormNumber::optional(says.node_price, any, number!(node_hour_price)),
        FormNumber::optional(says.gigabyte_price, any, number!(gigabyte_month_price)),
        FormNumber::whole(says.clusters, (1.0, 8.0), number!(clusters)),
        FormNumber::whole(says.node_writes, (1.0, 1e9), number!(node_writes_per_second)),
        FormNumber::whole(says.node_reads, (1.0, 1e9), number!(node_reads_per_second)),
        FormNumber::any(
            says.node_terabytes,
            (0.1, 1_000.0),
            (|rates| rates.node_bytes / 1e12, |rates, value| rates.node_bytes = value * 1e12),
        ),
        FormNumber::whole(
            says.utilization,
            (10.0, 95.0),
            (|rates| (rates.utilization * 100.0).round(), |rates, value| rates.utilization = value / 100.0),
        ),
    ]
}

fn table(state: &PageState, figures: &[Option<DesignFigures>], rates: &Rates) -> Html {
    let says = &messages().compare.estimate;
    let queries = &state.workspace.queries;
    let scale = Scale::of(&state.workspace);
    let line = |(costs, figures): (&DesignCosts, &Option<DesignFigures>)| {
        let design = &costs.design;
        let reads = Total::of(queries, costs, &scale).filter(|_| !queries.is_empty());
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
