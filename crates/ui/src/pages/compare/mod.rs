//! Designs side by side on the same events: which one is best, a strip of tablets for each, and their figures in a table.

mod anatomy;
mod card;
mod changes;
mod entity;
mod estimate;
mod name;
mod patterns;
mod proposals;
mod score_cell;
mod scoreboard;
mod strip;
mod suggestions;
mod table;

use tabletop_schema::{Comparison, DesignFigures, DesignsChange, compare, suggest_template};
use yew::{Html, html};

use crate::actions::Actions;
use crate::messages::messages;
use crate::pages::tablets::{legend, playback_bar};
use crate::state::PageState;
use crate::widgets::{ButtonKind, Icon, icon, push};
use anatomy::{Anatomy, Event, TabletOfEvent};
use card::DesignCard;
pub use card::layout_name;
use changes::{change, list};
use entity::entity_section;
use estimate::estimate_section;
use proposals::{proposals, propose_button};
use scoreboard::scoreboard;
use table::figure_table;

/// Id of the button that adds a design.
const ADD_ID: &str = "add-design";

/// Returns one line on what is compared.
pub fn compare_summary(state: &PageState) -> String {
    (messages().compare.summary)(state.workspace.designs.len(), state.view.events_total.into())
}

/// Draws the content of the view.
pub fn compare_pane(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().compare;
    let figures = figures(state);
    let on_change = change(state, actions);
    let chosen = state.look.event;
    let tablets = tablets_of_event(state, &figures, chosen);
    let marks = match state.look.pointed_event {
        Some(pointed) => tablets_of_event(state, &figures, pointed),
        None => tablets.clone(),
    };
    let new = tabletop_schema::Design {
        template: suggest_template(&state.shown.fields),
        ..tabletop_schema::Workspace::default().designs.swap_remove(0)
    };
    let add = DesignsChange::Add(new);
    let prevented = list(state).prevents(&add);
    let card = |(at, design): (usize, &tabletop_schema::Design)| {
        html! {
            <DesignCard key={design.name.clone()} {at} list={list(state)} figures={figures[at].clone()} mark={marks[at]} on_change={on_change.clone()}
                on_edit={changes::edit(at, state, actions)} />
        }
    };
    html! {
        <>
            { verdict(&figures) }
            <ol class="design-cards" aria-label={says.designs}>{ for state.workspace.designs.iter().enumerate().map(card) }</ol>
            <div class="compare-tools">
                <span id={ADD_ID}>
                    { push(says.add, Some(Icon::Plus), ButtonKind::Plain, prevented.is_none().then(|| on_change.reform(move |()| add.clone()))) }
                </span>
                { propose_button(state, actions) }
                if let Some(why) = prevented { <span class="soft small">{why}</span> }
                { legend() }
            </div>
            { proposals(state, &on_change, actions) }
            { playback_bar(state, actions) }
            { figure_table(&state.workspace.designs, &figures) }
            { scoreboard(state, actions, &figures) }
            { estimate_section(state, &figures, actions) }
            <Anatomy designs={state.workspace.designs.clone()} events={state.preview.clone()} {chosen} {tablets}
                on_choose={actions.look_at(|look, event| (look.event, look.pointed_event) = (event, None))}
                on_point={actions.look_at(|look, event| look.pointed_event = event)} />
            { entity_section(state, actions) }
        </>
    }
}

/// Draws the sentence on the best design, and a note on what it leaves out.
fn verdict(figures: &[Option<DesignFigures>]) -> Html {
    let says = &messages().compare;
    let known: Vec<DesignFigures> = figures.iter().flatten().cloned().collect();
    let comparison = compare(&known);
    let headline = if known.is_empty() { says.comes.into() } else { comparison.headline(&known) };
    let reasons = comparison.reasons(&known);
    let is_unfinished = known.iter().any(|each| each.changes || each.events_built < each.events_total);
    let note = match comparison {
        _ if figures.len() == 1 => says.alone,
        _ if is_unfinished => says.unfinished,
        _ => says.without_reads,
    };
    let is_won = matches!(comparison, Comparison::Best { .. });
    html! {
        <div class="compare-verdict">
            <p class={if is_won { "headline good" } else { "headline" }}>
                if is_won { {icon(Icon::Check)} }
                <span>{headline}</span>
            </p>
            <p>{reasons}</p>
            <p class="soft small">{note}</p>
        </div>
    }
}

/// Returns the tablet of each design that has the row of an event of the preview.
fn tablets_of_event(state: &PageState, figures: &[Option<DesignFigures>], at: usize) -> Vec<Option<TabletOfEvent>> {
    let event = Event::at(&state.preview, at);
    figures.iter().map(|figures| event.as_ref()?.tablet(figures.as_ref()?)).collect()
}

/// Returns the last figures of each design. Those of a design that has just been changed are of its earlier form.
fn figures(state: &PageState) -> Vec<Option<DesignFigures>> {
    let (designs, known) = (&state.workspace.designs, &state.compared);
    let same = |at: usize| known.iter().find(|each| each.design == designs[at]);
    let earlier = |at: usize| known.get(at).filter(|each| known.len() == designs.len() && each.design.name == designs[at].name);
    (0..designs.len()).map(|at| same(at).or_else(|| earlier(at)).cloned()).collect()
}
