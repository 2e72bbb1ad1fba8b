//! The cost of an access pattern on a design, as a button that shows the design with this query.

use tabletop_advice::{DesignCosts, QueryCost, QueryOutcome, Shortfall, TableState};
use tabletop_texts::messages;
use tabletop_views::query::{limit_count, miss_text};
use tabletop_workspace::NamedQuery;
use yew::{Callback, Html, classes, html};

use crate::kit::{Icon, clicked, icon};

/// Draws the outcome of an access pattern on a design.
pub fn score_cell(
    named: &NamedQuery,
    costs: &DesignCosts,
    outcome: &QueryOutcome,
    shortfall: Option<Shortfall>,
    on_show: Callback<()>,
) -> Html {
    let says = &messages().scoreboard;
    let body = match (outcome, costs.state) {
        (_, TableState::Invalid) => return plain(says.template_invalid),
        (_, TableState::Growing) => return plain(says.table_grows),
        (QueryOutcome::Waiting, TableState::Complete) => return plain(says.waiting),
        (QueryOutcome::Refused(error), TableState::Complete) => html! {
            <>
                <span class="score-kind missed">{icon(Icon::Error)}{says.no_answer}</span>
                <span class="small">{error.message.clone()}</span>
            </>
        },
        (QueryOutcome::Answered(cost), TableState::Complete) => answered(named, cost, shortfall),
    };
    let name = (says.cell)(&named.name, &costs.design.name);
    html! {
        <button type="button" class="score-cell" title={says.shows} onclick={clicked(&name, &on_show)}>
            <span class="visually-hidden">{name}</span>
            {body}
        </button>
    }
}

fn plain(text: &str) -> Html {
    html! { <span class="score-cell soft small">{text.to_owned()}</span> }
}

fn answered(named: &NamedQuery, cost: &QueryCost, shortfall: Option<Shortfall>) -> Html {
    let says = &messages().scoreboard;
    let misses = cost.misses(named);
    let wrong = cost.wrong.as_ref().map(|wrong| (messages().advice.answer)(wrong));
    let caution = match shortfall {
        _ if wrong.is_some() => wrong,
        Some(Shortfall::OlderRows { latest }) => Some((says.older_rows)(latest)),
        Some(Shortfall::EveryRow { entities }) => Some((says.every_row)(entities)),
        _ => (cost.stats.rows_returned == 0).then(|| says.nothing_found.into()),
    };
    let limits = limit_count(&named.limits);
    let (class, mark, verdict) = match (limits, misses.len()) {
        (0, _) => ("", None, None),
        (_, 0) => ("met", Some(Icon::Check), Some((says.kept)(limits))),
        (_, missed) => ("missed", Some(Icon::Error), Some((says.missed)(missed))),
    };
    html! {
        <>
            <span class="score-kind">
                <span>{(messages().advice.plan)(cost)}</span>
                <span class="num soft">{(says.time)(cost)}</span>
            </span>
            <span class={classes!("num", (cost.scans_more && cost.stats.rows_seen > cost.stats.rows_returned).then_some("more"))}>
                {(says.rows)(cost.stats.rows_seen, cost.stats.rows_returned)}
            </span>
            if let Some(caution) = caution {
                <span class="score-verdict caution">{icon(Icon::Warning)}<span>{caution}</span></span>
            }
            <span class="num soft small">{(says.work)(cost)}</span>
            if let Some(verdict) = verdict {
                <span class={classes!("score-verdict", class)}>{ for mark.map(icon) }<span>{verdict}</span></span>
            }
            { for misses.iter().map(|miss| html! { <span class="small">{miss_text(miss)}</span> }) }
        </>
    }
}
