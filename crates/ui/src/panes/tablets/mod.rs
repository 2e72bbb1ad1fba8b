//! The tablets of the table: a headline, the strip, the details of one tablet, and the playback of
//! events.

mod effects;
mod inspector;
mod legend;
mod look;
mod map;
mod playback;
mod strip;
mod table;
mod timeline;
mod work;

use std::rc::Rc;

use tabletop_advice::Tone;
use tabletop_keys::{PlanKind, RowChoice};
use tabletop_model::TabletId;
use tabletop_texts::messages;
use tabletop_views::tablets::{Asked, asked_of};
use yew::{Callback, Html, classes, html};

use crate::kit::{ButtonKind, Icon, SegmentSize, Toggle, icon, segmented, toggle, tool};
use crate::page::actions::Actions;
use crate::page::state::{Action, ChosenEvent, Measure, NoTable, PageState, Pane};
use crate::panes::fix_button::fix_button;
pub use effects::effects_line;
use effects::last_edit;
pub use inspector::inspector;
pub use legend::legend;
pub use look::StripLook;
use map::map;
pub use playback::playback_bar;
use strip::{Picture, Strip};
use table::tablet_table;
pub use timeline::{seek, targets};
use work::table_counts;

/// The number of tablets from which the strip can be zoomed.
const ZOOM_FROM: usize = 24;

/// Draws the content of the pane.
pub fn tablets_pane(state: &PageState, actions: &Actions) -> Html {
    let (look, is_narrow) = (state.look.part::<StripLook>(), state.look.narrow);
    let verdict = &state.view.verdict;
    let no_table = state.no_table();
    let mark = match verdict.tone {
        _ if !is_judged(state) => None,
        Tone::Plain => None,
        Tone::Good => Some(("good", Icon::Check)),
        Tone::Caution => Some(("caution", Icon::Warning)),
        Tone::Hot => Some(("hot", Icon::Hot)),
    };
    html! {
        <>
            <div class="tablets-head">
                <p class={classes!("headline", mark.map(|(class, _)| class))}>
                    { for mark.map(|(_, shown)| icon(shown)) }
                    { no_table.as_ref().map_or_else(|| (messages().advice.headline)(verdict), |why| why.title().into()) }
                </p>
                <div class="tools">{ tools(&look, actions, state.view.table.tablets.len()) }</div>
            </div>
            if is_narrow { { last_edit(state) } }
            // Its space is reserved before the advice arrives, so that nothing below moves.
            if !is_narrow { <div class="advice">{ last_edit(state) }{ advice(state, actions) }</div> }
            if look.as_table {
                { tablet_table(&Picture::new(state.view.clone()), look.table_lines, actions) }
            } else {
                { strip(state, actions, state.tablet, look.zoom, actions.act.reform(Action::SelectTablet)) }
            }
            <div class="tablets-foot">
                if !look.as_table { { legend() } }
                { table_counts(state, actions) }
            </div>
            { playback_bar(state, actions) }
            { map(state, actions) }
        </>
    }
}

/// Draws the headline and the strip above the editor of the row key on a narrow page, where they
/// stay while the editor scrolls: the user sees the effect of an edit. A pressed tablet is shown in
/// the tablets pane.
#[inline(never)]
pub fn tablets_above(state: &PageState, actions: &Actions) -> Html {
    let (verdict, why) = (&state.view.verdict, state.no_table());
    let on_select = {
        let act = actions.act.clone();
        Callback::from(move |tablet| {
            act.emit(Action::SelectTablet(tablet));
            act.emit(Action::Look(Box::new(|look| look.pane = Pane::Tablets)));
        })
    };
    html! {
        <section class="tablets-above" aria-label={messages().panes.tablets}>
            <p class="headline">{ why.as_ref().map_or_else(|| (messages().advice.headline)(verdict), |why| why.title().into()) }</p>
            { strip(state, actions, None, 1.0, on_select) }
            { last_edit(state) }
        </section>
    }
}

/// Draws the strip of all tablets.
#[inline(never)]
pub fn strip(
    state: &PageState,
    actions: &Actions,
    selected: Option<TabletId>,
    zoom: f64,
    on_select: Callback<Option<TabletId>>,
) -> Html {
    let picture = Rc::new(Picture::new(state.view.clone()));
    let asked = asked(state);
    let event =
        if state.look.part::<ChosenEvent>().is_chosen { state.tablet_of_chosen_event() } else { None };
    let has_map = state.shown.right.as_ref().is_some_and(|template| template.zorder().is_some());
    let on_point = has_map.then(|| point_at_tablet(actions));
    let look = state.look.part::<StripLook>();
    let pointed = look.pointed;
    let legend = if asked.iter().any(Option::is_some) {
        asked_legend(&asked)
    } else {
        html! {}
    };
    html! {
        <>
            <Strip {picture} measure={look.measure} {zoom} {selected} {asked} {event} {pointed} {on_select} {on_point} />
            {legend}
        </>
    }
}

/// Returns what the current query reads of each tablet; nothing for a query of the whole table,
/// which marks nothing.
fn asked(state: &PageState) -> Vec<Option<Asked>> {
    if state.workspace.query.rows == RowChoice::All || !state.shown.problems.is_empty() {
        return Vec::new();
    }
    asked_of_some(state)
}

#[inline(never)]
fn asked_of_some(state: &PageState) -> Vec<Option<Asked>> {
    match state.shown.template.plan(&state.workspace.query.rows, &state.design().readable_layout()) {
        Ok(plan) if plan.kind() != PlanKind::Scan => asked_of(&plan, &state.view.table.tablets),
        _ => Vec::new(),
    }
}

/// Returns a callback that points at a tablet on the strip and on the map.
pub fn point_at_tablet(actions: &Actions) -> Callback<Option<TabletId>> {
    actions.part_at(|look: &mut StripLook, tablet| look.pointed = tablet)
}

/// Draws how many tablets the query reads, and the legend of its bar.
#[inline(never)]
fn asked_legend(asked: &[Option<Asked>]) -> Html {
    let read = asked.iter().flatten().count() as u64;
    html! {
        <p class="asked-legend soft small">
            <svg width="16" height="12" aria-hidden="true"><line class="asked" x1="0" x2="16" y1="6" y2="6" /></svg>
            {(messages().tablets.asked)(read, asked.len() as u64)}
        </p>
    }
}

/// Draws the choice of the measure, the zoom, and the button of the table.
fn tools(look: &StripLook, actions: &Actions, count: usize) -> Html {
    const MEASURES: [Measure; 2] = [Measure::Bytes, Measure::Rows];
    let on_measure: Callback<usize> = actions.part_at(|look: &mut StripLook, at| look.measure = MEASURES[at]);
    let says = &messages().tablets;
    let taken = MEASURES.iter().position(|measure| *measure == look.measure);
    html! {
        <>
            if count >= ZOOM_FROM || look.zoom > 1.0 {
                { tool(says.zoom_out, Icon::Minus, (look.zoom > 1.0).then_some(actions.part(|look: &mut StripLook| look.zoom = (look.zoom / 2.0).max(1.0)))) }
                { tool(says.zoom_in, Icon::Plus, (look.zoom < 64.0).then_some(actions.part(|look: &mut StripLook| look.zoom = (look.zoom * 2.0).min(64.0)))) }
            }
            { segmented(says.width, &says.widths, taken, SegmentSize::Small, on_measure) }
            { toggle(Toggle {
                label: says.as_table,
                icon: Icon::Table,
                pressed: look.as_table,
                on_click: actions.part(|look: &mut StripLook| look.as_table = !look.as_table),
            }) }
        </>
    }
}

/// Returns whether there is a table, and the template has no problems.
fn is_judged(state: &PageState) -> bool {
    state.shown.problems.is_empty() && state.no_table().is_none()
}

/// Draws the advice of a narrow page. It covers the end of the pane, so that nothing moves.
pub fn docked_advice(state: &PageState, actions: &Actions) -> Html {
    let verdict = &state.view.verdict;
    let is_refused = matches!(state.no_table(), Some(NoTable::Refused { .. }));
    if !is_refused
        && (!is_judged(state) || (verdict.advice.is_none() && (messages().advice.note)(verdict).is_none()))
    {
        return html! {};
    }
    html! { <div class="advice docked">{ advice(state, actions) }</div> }
}

/// Draws the advice below the headline, with a button for the best fix; or why no event could be
/// written.
fn advice(state: &PageState, actions: &Actions) -> Html {
    let verdict = &state.view.verdict;
    if let Some(why @ NoTable::Refused { .. }) = state.no_table() {
        return html! { <div class="banner"><p>{why.advice()}</p></div> };
    }
    if !is_judged(state) {
        return html! {};
    }
    let button = verdict.fix.as_ref().map(|fix| fix_button(fix, ButtonKind::Primary, &actions.edit));
    match (&verdict.advice, (messages().advice.note)(verdict)) {
        (Some(advice), _) => {
            let tone = if verdict.tone == Tone::Hot { None } else { Some("caution") };
            html! { <div class={classes!("banner", tone)}><p>{(messages().advice.explanation)(advice)}</p>{button}</div> }
        }
        (None, Some(note)) => html! { <p class="soft small note">{note}</p> },
        (None, None) => html! {},
    }
}
