//! The limits of an access pattern, and whether its answer meets them.

use tabletop_texts::messages;
use tabletop_views::query::{LIMITS, Limit, limit_count, miss_text};
use tabletop_workspace::NamedQuery;
use yew::{Html, html};

use super::look::QueryLook;
use crate::kit::{Icon, Number, icon, optional_number_field};
use crate::page::actions::Actions;
use crate::page::state::{Edit, PageState};

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
    let number =
        |limit: &Limit| Number { value: 0.0, min: 0.0, max: LIMIT_MAX, step: 1.0, kind: limit.number() };
    let field = |limit: &'static Limit| {
        let name = named.name.clone();
        let on_change = Edit::by(&actions.edit, move |workspace, value: Option<f64>| {
            if let Some(named) = workspace.queries.iter_mut().find(|each| each.name == name) {
                limit.set(&mut named.limits, value);
            }
        });
        optional_number_field(&limit.label(), limit.get(&named.limits), number(limit), on_change)
    };
    html! {
        <>
            <p class="soft small">{messages().query.limits.about}</p>
            { for LIMITS.iter().map(field) }
        </>
    }
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
