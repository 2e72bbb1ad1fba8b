//! What the user looks up: the field, and its access patterns as checkboxes.

use tabletop_advice::QueryCost;
use tabletop_keys::PlanKind;
use tabletop_model::ReadStats;
use tabletop_texts::messages;
use tabletop_workspace::{NamedQuery, QUERIES_MAX, ViewId};
use yew::{Html, classes, html};

use crate::kit::{Icon, Label, checked, select, tool};
use crate::page::actions::Actions;
use crate::page::state::{Edit, PageState};
use crate::panes::query::edit_pattern;

/// Draws the section, once there is something to choose: a first visit has nothing.
pub fn look_up(state: &PageState, actions: &Actions) -> Html {
    if state.look_ups().is_empty() && state.workspace.queries.is_empty() {
        return html! {};
    }
    section(state, actions)
}

#[inline(never)]
fn section(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().design.look_up;
    let queries = &state.workspace.queries;
    let chosen = state.chosen_look_up();
    let offered = state.look_ups().get(chosen).map(|look_up| look_up.patterns.as_slice()).unwrap_or_default();
    let is_new = |named: &&NamedQuery| queries.iter().all(|known| known.query != named.query);
    let lines = queries.iter().map(|named| (named, true));
    let lines = lines.chain(offered.iter().filter(is_new).map(|named| (named, false)));
    // Compare has the patterns in its table.
    let lists = state.look.view != ViewId::Compare;
    html! {
        <section class="look-up" aria-label={says.question}>
            { question(state, actions, chosen) }
            if lists {
                <h3>{says.patterns}</h3>
                <ul>{ for lines.map(|(named, is_on)| line(named, is_on, state, actions)) }</ul>
            }
        </section>
    }
}

/// Draws the question, if there are fields to choose from.
fn question(state: &PageState, actions: &Actions, chosen: usize) -> Html {
    let names: Vec<&str> = state.look_ups().iter().filter_map(|each| each.field.as_deref()).collect();
    if names.is_empty() {
        return html! {};
    }
    let (look_ups, before) = (state.suggested.clone(), chosen);
    let on_select = Edit::by(&actions.edit, move |workspace, at: usize| {
        if let (Some(before), Some(next)) = (look_ups.look_ups.get(before), look_ups.look_ups.get(at)) {
            next.replace(before, workspace);
        }
    });
    // Other options make another control, because a browser drops a choice that it does not have
    // yet.
    html! {
        <div class="look-up-question" key={names.join("\n")}>
            { select(Label::Shown(messages().design.look_up.question), &names, Some(chosen), on_select) }
        </div>
    }
}

/// Draws an access pattern: whether it is chosen, and how the design shown finds its rows.
fn line(named: &NamedQuery, is_on: bool, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().design.look_up;
    let (name, is_full) = (named.name.clone(), state.workspace.queries.len() >= QUERIES_MAX);
    let turn = {
        let named = named.clone();
        Edit::by(&actions.edit, move |workspace, is_on: bool| {
            let queries = &mut workspace.queries;
            queries.retain(|each| each.name != named.name);
            if is_on && queries.len() < QUERIES_MAX {
                queries.push(named.clone());
            }
        })
    };
    let (plan, is_scan) = plan_of(named, state);
    html! {
        <li key={name.clone()}>
            <label class="check" title={tabletop_views::in_words::in_words(&named.query)}>
                <input type="checkbox" checked={is_on} disabled={!is_on && is_full} onchange={checked(&name, &turn)} />
                <span class="ellipsis">{name.clone()}</span>
            </label>
            <span class="look-up-plan">
                <span class={classes!("small", if is_scan { "look-up-scan" } else { "soft" })}>{plan}</span>
                if is_on { { tool(&(says.edit)(&name), Icon::Right, edit_pattern(named, state, actions)) } }
            </span>
        </li>
    }
}

/// Returns how the design shown finds the rows of a pattern, and whether it reads the whole table.
fn plan_of(named: &NamedQuery, state: &PageState) -> (String, bool) {
    let layout = state.design().readable_layout();
    let plan = state.shown.problems.is_empty().then(|| state.shown.template.plan(&named.query.rows, &layout));
    match plan {
        None => (String::new(), false),
        Some(Err(_)) => (messages().design.look_up.no_answer.into(), true),
        Some(Ok(plan)) => {
            let cost = QueryCost {
                kind: plan.kind(),
                stats: ReadStats::default(),
                ranges: plan.ranges(),
                scans_more: false,
                newest: state.shown.template.row_order(&named.query, &layout).newest,
                entities: None,
                wrong: None,
                timings: 0,
                elapsed_micros: 0,
            };
            ((messages().advice.plan)(&cost), plan.kind() == PlanKind::Scan)
        }
    }
}
