//! Designs that are proposed for the access patterns.

use tabletop_advice::Fix;
use tabletop_keys::{Field, Part, RowChoice, Template};
use tabletop_texts::messages;
use tabletop_workspace::{Design, DesignsChange, Proposal};
use yew::{Callback, Html, html};

use crate::kit::{ButtonKind, Icon, clicked, icon, push, tool};
use crate::page::actions::Actions;
use crate::page::state::{Action, PageState};

/// Draws the button that requests proposals.
pub fn propose_button(state: &PageState, actions: &Actions) -> Html {
    let has_events = !state.preview.events.is_empty();
    push(
        messages().compare.proposals.propose,
        Some(Icon::Info),
        // With one design that needs no fix, there is nothing else to compare.
        if state.workspace.designs.len() == 1 && best_fix(state).is_none() {
            ButtonKind::Primary
        } else {
            ButtonKind::Plain
        },
        has_events.then(|| actions.propose.clone()),
    )
}

/// Draws the button that adds the design with its best measured fix, so that a single design is
/// compared with it.
pub fn fixed_button(state: &PageState, on_change: &Callback<DesignsChange>) -> Html {
    let Some(fix) = best_fix(state).filter(|_| state.workspace.designs.len() == 1) else { return html! {} };
    let (kind, effect) = ((messages().advice.fix)(&fix.kind), (messages().advice.fix_effect)(&fix.effect));
    let mut fixed = state.design().clone();
    fixed.apply(&fix.patch);
    fixed.name.clone_from(&kind);
    let add = on_change.reform(move |()| DesignsChange::Add(vec![fixed.clone()]));
    html! {
        <>
            { push(&(messages().compare.with_fix)(&kind), None, ButtonKind::Primary, add) }
            if !effect.is_empty() { <span class="small">{effect}</span> }
        </>
    }
}

/// Returns the best fix of the design shown that was measured.
fn best_fix(state: &PageState) -> Option<&Fix> {
    let others = || state.view.warnings.iter().flat_map(|warning| &warning.fixes).next();
    state.view.verdict.fix.as_ref().or_else(others)
}

/// Draws the proposals that the workspace does not have yet, once they are requested.
pub fn proposals(state: &PageState, on_change: &Callback<DesignsChange>, actions: &Actions) -> Html {
    let says = &messages().compare.proposals;
    let Some(proposals) = &state.proposals else { return html! {} };
    // A proposal has no GC rules, so they make no difference. Nor does a separator.
    let parts = |design: &Design| -> Vec<Part> {
        let (template, _) = Template::parse(&design.template, &state.shown.fields);
        template.parts().iter().filter(|part| !matches!(part, Part::Literal(_))).cloned().collect()
    };
    let is_there = |table: &Design| {
        let is_same = |design: &Design| {
            (&design.layout, design.index_of.is_some()) == (&table.layout, table.index_of.is_some())
                && parts(design) == parts(table)
        };
        state.workspace.designs.iter().any(is_same)
    };
    let is_new = |proposal: &&Proposal| {
        !(is_there(&proposal.design) && proposal.indexes.iter().all(|index| is_there(&index.design)))
    };
    let new: Vec<&Proposal> = proposals.iter().filter(is_new).collect();
    let has_patterns =
        state.workspace.queries.iter().any(|named| matches!(named.query.rows, RowChoice::Fields { .. }));
    let close = actions.act.reform(|()| Action::CloseProposals);
    let all = DesignsChange::AddProposed(new.iter().map(|proposal| (*proposal).clone()).collect());
    let can_all = super::changes::list(state).prevents(&all).is_none();
    html! {
        <section class="proposals" aria-labelledby="proposals-title">
            <div class="proposals-head">
                <h3 id="proposals-title">{says.title}</h3>
                { tool(says.close, Icon::Close, close) }
            </div>
            if new.is_empty() {
                <p role="status">{icon(Icon::Info)}{if has_patterns { says.none } else { says.none_without_patterns }}</p>
            } else {
                <p class="soft small">{says.about}</p>
                if new.len() > 1 {
                    <p>{ push(&(says.add_all)(new.len()), Some(Icon::Plus), ButtonKind::Primary, can_all.then(|| on_change.reform(move |()| all.clone()))) }</p>
                }
                <ul>{ for new.iter().map(|proposal| line(proposal, on_change, state)) }</ul>
            }
        </section>
    }
}

fn line(proposal: &Proposal, on_change: &Callback<DesignsChange>, state: &PageState) -> Html {
    let says = &messages().compare.proposals;
    let design = &proposal.design;
    let add = DesignsChange::AddProposed(vec![proposal.clone()]);
    let is_able = super::changes::list(state).prevents(&add).is_none();
    let name = (says.add)(&design.name);
    let on_click = clicked(&name, &on_change.reform(move |()| add.clone()));
    html! {
        <li>
            <div>
                <strong>{design.name.clone()}</strong>
                <code class="mono small">{design.template.clone()}</code>
                <span class="soft small">{tabletop_views::in_words::storage_of(design, &state.shown.fields)}</span>
                { for proposal.indexes.iter().map(|index| index_line(&index.design, &state.shown.fields)) }
            </div>
            <p>{(messages().advice.proposal)(&proposal.trade_offs)}</p>
            <button type="button" class="button" aria-label={name.clone()} title={name} disabled={!is_able} onclick={on_click}>
                {icon(Icon::Plus)}{says.add_short}
            </button>
        </li>
    }
}

/// Draws an index table of a proposal.
fn index_line(table: &Design, fields: &[Field]) -> Html {
    html! {
        <div>
            <span>{table.name.clone()}</span>
            <code class="mono small">{table.template.clone()}</code>
            <span class="soft small">{tabletop_views::in_words::storage_of(table, fields)}</span>
        </div>
    }
}
