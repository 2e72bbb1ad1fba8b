//! Designs compared on the same events: which one is best, a strip of tablets for each, and their
//! figures in a table.

mod anatomy;
mod card;
mod changes;
mod entity;
mod estimate;
mod event_list;
mod look;
mod patterns;
mod proposals;
mod score_cell;
mod scoreboard;
mod strip;
mod suggestions;
mod table;

use tabletop_advice::{Comparison, DesignFigures, Ranking, Scale, Scoreboard, Standing, compare};
use tabletop_keys::{Field, Template};
use tabletop_texts::messages;
use tabletop_workspace::{Design, DesignsChange, Place, ViewId, tables_of_designs};
use yew::{Html, html};

use crate::kit::{ButtonKind, Icon, icon, push};
use crate::page::actions::Actions;
use crate::page::state::{ChosenEvent, ListedEvent, PageState, Pane, TabletOfEvent};
use crate::panes::tablets::{effects_line, legend, playback_bar};
use crate::views::view::{Frame, Section, Target, View, play_events};
use anatomy::Anatomy;
use card::DesignCard;
use changes::{change, list};
use entity::entity_section;
use estimate::estimate_section;
use event_list::event_list;
use proposals::{fixed_button, proposals, propose_button};
use scoreboard::{scoreboard, scoreboard_notes};
use table::figure_table;
use tabletop_views::in_words::storage_of;

/// Id of the button that adds a design.
const ADD_ID: &str = "add-design";

/// The view.
pub const VIEW: View = View {
    id: ViewId::Compare,
    name: || messages().top_bar.compare,
    frame: Frame::Section(Section { title: || messages().compare.title, summary, draw, side: None }),
    play: play_events,
    place,
    has_figures: true,
};

/// Returns where the view has a part.
fn place(place: Place) -> Option<Target> {
    let selector = match place {
        Place::Strip(at) => format!(".design-cards > li:nth-child({}) .compare-strip", at + 1),
        Place::Pattern(at) => format!("#pattern-{at}"),
        Place::Figures => ".compare-table".into(),
        Place::Anatomy => ".anatomy".into(),
        Place::Patterns => ".scoreboard".into(),
        Place::Estimate => ".estimate".into(),
        _ => return None,
    };
    Some(Target::new(Pane::Design, selector))
}

/// Returns one line on what is compared.
fn summary(state: &PageState) -> String {
    (messages().compare.summary)(
        tables_of_designs(&state.workspace.designs).len(),
        state.view.events_total.into(),
    )
}

/// Draws the content of the view.
fn draw(state: &PageState, actions: &Actions) -> Html {
    let says = &messages().compare;
    let figures = figures(state);
    let of_designs = DesignFigures::of_designs(&state.workspace.designs, &figures);
    let own: Vec<Design> =
        state.workspace.designs.iter().filter(|design| design.index_of.is_none()).cloned().collect();
    let costs = state.costs();
    let board = Scoreboard::new(&state.workspace.queries, &costs, &Scale::of(&state.workspace));
    let on_change = change(state, actions);
    let event = state.look.part::<ChosenEvent>();
    let chosen = event.at;
    let events = state.listed.clone().unwrap_or_else(|| state.preview.clone());
    let tablets = tablets_of_event(state, &figures, chosen);
    let marks = match event.pointed {
        Some(pointed) => tablets_of_event(state, &figures, pointed),
        None => tablets.clone(),
    };
    let new = Design {
        template: state.default_template(),
        ..tabletop_workspace::Workspace::default().designs.swap_remove(0)
    };
    let add = DesignsChange::Add(vec![new]);
    let prevented = list(state).prevents(&add).map(|why| (messages().designs_problem)(&why));
    let card = |(at, design): (usize, &Design)| {
        html! {
            <DesignCard key={design.name.clone()} {at} list={list(state)} storage={storage_of(design, &state.shown.fields)} stored_key={stored_key(design, &state.shown.fields)} figures={figures[at].clone()} mark={marks[at]}
                effects={state.effects().filter(|_| at == state.design)} on_change={on_change.clone()}
                on_edit={changes::edit(at, state, actions)} />
        }
    };
    html! {
        <>
            { scoreboard(state, actions, &board, &costs) }
            <ol class="design-cards" aria-label={says.designs}>{ for state.workspace.designs.iter().enumerate().map(card) }</ol>
            <div class="compare-tools">
                { fixed_button(state, &on_change) }
                <span id={ADD_ID}>
                    { push(says.add, Some(Icon::Plus), ButtonKind::Plain, prevented.is_none().then(|| on_change.reform(move |()| add.clone()))) }
                </span>
                { propose_button(state, actions) }
                if let Some(why) = prevented { <span class="soft small">{why}</span> }
                { legend(|_| true) }
            </div>
            if let Some(effects) = state.list_effects() {
                { effects_line(messages().tablets.effects.list, &effects) }
            }
            { proposals(state, &on_change, actions) }
            <div class="compare-verdict">
                <div class="score-sentence" role="status">{ verdict_of_reads(&board) }</div>
                { verdict_of_figures(&board, &of_designs) }
            </div>
            { figure_table(&own, &of_designs, &board) }
            { scoreboard_notes(state, &board) }
            { playback_bar(state, actions) }
            { estimate_section(state, &of_designs, actions) }
            { event_list(state, actions) }
            <Anatomy figures={figures.clone()} designs={state.workspace.designs.clone()} events={events} {chosen} {tablets} />
            { entity_section(state, actions) }
        </>
    }
}

/// Draws the sentence on the design that wins by access patterns, if these are measured. A design
/// with a flaw gets no tick.
fn verdict_of_reads(board: &Scoreboard) -> Html {
    let is_sound = match &board.ranking {
        Ranking::Best { .. } => board.flaw_of_best().is_none(),
        Ranking::Same | Ranking::NoneCanWin => false,
        _ => return html! {},
    };
    html! {
        <>
            <p class={if is_sound { "headline good" } else { "headline" }}>
                if is_sound { {icon(Icon::Check)} }
                <span>{(messages().advice.ranking)(board)}</span>
            </p>
            <p>{(messages().advice.ranking_reasons)(board)}</p>
        </>
    }
}

/// Draws the sentence on the design that is best by figures, and a note on what it leaves out.
/// Below a winner by access patterns it takes one line.
fn verdict_of_figures(board: &Scoreboard, figures: &[Option<DesignFigures>]) -> Html {
    let says = &messages().compare;
    let known: Vec<DesignFigures> = figures.iter().flatten().cloned().collect();
    let standings: Vec<Standing> = known.iter().map(|figures| board.standing(figures)).collect();
    let comparison = compare(&known, &standings);
    let headline = if known.is_empty() {
        says.comes.into()
    } else {
        (messages().advice.comparison)(&comparison, &known)
    };
    let reasons = (messages().advice.comparison_reasons)(&comparison, &known);
    let is_unfinished = known.iter().any(|each| each.changes || each.events_built < each.events_total);
    if matches!(board.ranking, Ranking::Best { .. } | Ranking::Same) && !is_unfinished {
        return html! { <p class="small">{(says.by_figures)(&headline, &reasons)}</p> };
    }
    let note = match &comparison {
        _ if figures.len() == 1 => says.alone,
        _ if is_unfinished => says.unfinished,
        _ => says.without_reads,
    };
    let is_won = match comparison {
        Comparison::Best { design, .. } => standings[design].worst().is_none() && !is_unfinished,
        _ => false,
    };
    html! {
        <>
            <p class={if is_won { "headline good" } else { "headline" }}>
                if is_won { {icon(Icon::Check)} }
                <span>{headline}</span>
            </p>
            <p>{reasons}</p>
            <p class="soft small">{note}</p>
        </>
    }
}

/// Returns the tablet of each design that contains the row of an event of the list.
fn tablets_of_event(
    state: &PageState,
    figures: &[Option<DesignFigures>],
    at: usize,
) -> Vec<Option<TabletOfEvent>> {
    let event = ListedEvent::at(state.listed_events(), at);
    let tablet = |figures: &DesignFigures| event.as_ref()?.tablet(&figures.design, &figures.table);
    figures.iter().map(|figures| tablet(figures.as_ref()?)).collect()
}

/// Returns the template of the stored keys of a design, if it differs.
fn stored_key(design: &Design, fields: &[Field]) -> Option<String> {
    let (template, problems) = Template::parse(&design.template, fields);
    let is_other =
        problems.is_empty() && template.stored_parts(&design.layout).len() < template.parts().len();
    is_other.then(|| template.stored(&design.layout).text())
}

/// Returns the last figures of each design. The figures of a design that has just been changed
/// belong to its earlier form.
fn figures(state: &PageState) -> Vec<Option<DesignFigures>> {
    let (designs, known) = (&state.workspace.designs, &state.compared);
    let same = |at: usize| known.iter().find(|each| each.design.differs_at_most_in_results(&designs[at]));
    let earlier = |at: usize| {
        known.get(at).filter(|each| known.len() == designs.len() && each.design.name == designs[at].name)
    };
    (0..designs.len()).map(|at| same(at).or_else(|| earlier(at)).cloned()).collect()
}
