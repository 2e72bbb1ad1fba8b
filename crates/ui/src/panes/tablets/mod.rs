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

use tabletop_advice::{Explanation, TableLoad, Tone, Warning};
use tabletop_keys::{PlanKind, RowChoice};
use tabletop_model::TabletId;
use tabletop_texts::messages;
use tabletop_views::tablets::{Asked, asked_of};
use yew::{AttrValue, Callback, Html, classes, html};

use crate::kit::{ButtonKind, Icon, MenuButton, icon};
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
            if is_narrow { { last_edit(state, actions) } }
            // It is as tall without advice, so that nothing below moves when advice comes or goes.
            if !is_narrow { <div class="advice">{ last_edit(state, actions) }{ advice(state, actions) }</div> }
            if look.as_table {
                { tablet_table(&Picture::new(state.view.clone()), look.table_lines, actions) }
            } else {
                { strip(state, actions, state.tablet, look.zoom, actions.act.reform(Action::SelectTablet)) }
            }
            <div class="tablets-foot">
                if !look.as_table { { legend_of(state) } }
                { table_counts(state, actions) }
            </div>
            { playback_bar(state, actions) }
            { map(state, actions) }
        </>
    }
}

/// Draws the legend of the colours that the strip has now.
fn legend_of(state: &PageState) -> Html {
    let shares = TableLoad::of(&state.view.table).shares;
    let levels: Vec<usize> =
        shares.iter().enumerate().map(|(at, share)| state.view.verdict.level(at, *share)).collect();
    legend(|level| levels.contains(&level))
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
            { last_edit(state, actions) }
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

/// Draws the menu of the picture: its measure, its zoom, and the same as a table.
fn tools(look: &StripLook, actions: &Actions, count: usize) -> Html {
    let says = &messages().tablets;
    let (can_zoom, as_table) = (count >= ZOOM_FROM || look.zoom > 1.0, look.as_table);
    let other = if look.measure == Measure::Bytes { says.by_rows } else { says.by_bytes };
    let items = [
        (look.as_table, "table", says.as_bars),
        (!look.as_table, "table", says.as_table),
        (!as_table, "measure", other),
        (!as_table && can_zoom && look.zoom < 64.0, "in", says.zoom_in),
        (!as_table && look.zoom > 1.0, "out", says.zoom_out),
    ];
    let items = items.into_iter().filter(|(is_offered, ..)| *is_offered);
    let items = items.map(|(_, value, text)| (value.into(), text.into())).collect::<Vec<_>>();
    let on_select = actions.part_at(|look: &mut StripLook, item: AttrValue| match item.as_str() {
        "table" => look.as_table = !look.as_table,
        "measure" => {
            let is_bytes = look.measure == Measure::Bytes;
            look.measure = if is_bytes { Measure::Rows } else { Measure::Bytes };
        }
        "in" => look.zoom = (look.zoom * 2.0).min(64.0),
        _ => look.zoom = (look.zoom / 2.0).max(1.0),
    });
    html! { <MenuButton label={says.picture} icon={Icon::More} icon_only=true end=true {items} {on_select} /> }
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

/// Draws the fixes of the advice, the best one first. Their space is reserved while they are measured.
fn fixes(state: &PageState, actions: &Actions) -> Html {
    let best = state.view.verdict.fix.as_ref();
    let others = state.view.warnings.iter().filter(|warning| is_explained(state, warning));
    let others = others.flat_map(|warning| &warning.fixes).filter(|fix| Some(*fix) != best);
    let mut others = others.peekable();
    let is_empty = best.is_none() && others.peek().is_none();
    if is_empty && !state.view.advising {
        return html! {};
    }
    let button = |fix, kind| fix_button(fix, kind, &actions.edit);
    html! {
        <span class="fixes">
            if is_empty { <span class="small soft">{messages().advice.measuring}</span> }
            { for best.map(|fix| button(fix, ButtonKind::Primary)) }
            { for others.map(|fix| button(fix, ButtonKind::Plain)) }
        </span>
    }
}

/// Returns whether the advice below the headline is this warning, so that it is not repeated.
pub fn is_explained(state: &PageState, warning: &Warning) -> bool {
    matches!(&state.view.verdict.advice, Some(Explanation::Warning(cause)) if *cause == warning.cause)
}

/// Draws the advice below the headline, with buttons for its fixes; or why no event could be
/// written.
fn advice(state: &PageState, actions: &Actions) -> Html {
    let verdict = &state.view.verdict;
    if let Some(why @ NoTable::Refused { .. }) = state.no_table() {
        return html! { <div class="banner"><p>{why.advice()}</p></div> };
    }
    if !is_judged(state) {
        return html! {};
    }
    match (&verdict.advice, (messages().advice.note)(verdict)) {
        (Some(advice), _) if verdict.tone == Tone::Good => {
            html! { <p class="soft small note">{(messages().advice.explanation)(advice)}</p> }
        }
        (Some(advice), note) => {
            let tone = if verdict.tone == Tone::Hot { None } else { Some("caution") };
            // One text: a second one would move when the advice is measured and the first one changes.
            let mut text = (messages().advice.explanation)(advice);
            if let Some(note) = note.filter(|_| verdict.saturates_at.is_some()) {
                text = format!("{text} {note}");
            }
            html! { <div class={classes!("banner", tone)}><p>{text}</p>{ fixes(state, actions) }</div> }
        }
        (None, Some(note)) => html! { <p class="soft small note">{note}</p> },
        (None, None) => html! {},
    }
}
