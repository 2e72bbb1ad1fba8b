//! The table's tablets: one sentence, the strip, one of them closely, and how events arrive.

mod geometry;
mod inspector;
mod load;
mod playback;
mod strip;
mod table;
mod work;

use std::rc::Rc;

use yew::{Callback, Html, classes, html};

use crate::app::Actions;
use crate::messages::messages;
use crate::pages::design::fixes::{salted, time_behind};
use crate::state::{Action, Edit, Look, Measure, State};
use crate::widgets::{ButtonKind, Icon, icon, push, segmented, toggle, tool};
pub use inspector::inspector;
pub use load::Load;
use load::Tone;
use playback::playback_bar;
use strip::{Picture, Strip};
use table::tablet_table;
use work::table_counts;

/// From so many tablets on a person wants to look closer than the strip can show.
const ZOOM_FROM: usize = 24;

/// The pane's content.
pub fn tablets_pane(state: &State, actions: &Actions) -> Html {
    let look = &state.look;
    let picture = Rc::new(Picture::new(state.view.clone()));
    let headline = picture.load.headline(picture.table());
    let mark = match headline.tone {
        Tone::Plain => None,
        Tone::Good => Some(("good", Icon::Check)),
        Tone::Hot => Some(("hot", Icon::Hot)),
    };
    html! {
        <>
            <div class="tablets-head">
                <p class={classes!("headline", mark.map(|(class, _)| class))}>
                    { for mark.map(|(_, shown)| icon(shown)) }
                    { state.no_table().map_or(headline.text, |why| why.title().into()) }
                </p>
                <div class="tools">{ tools(look, actions, picture.table().tablets.len()) }</div>
            </div>
            { hint(state, actions, headline.tone) }
            if look.as_table {
                { tablet_table(&picture, look.table_lines, actions) }
            } else {
                <Strip {picture} measure={look.measure} zoom={look.zoom} selected={state.tablet}
                    on_select={actions.act.reform(Action::SelectTablet)} />
            }
            { playback_bar(state, actions) }
            { table_counts(state, actions) }
        </>
    }
}

/// What the width says, how close one looks, and the strip as a table.
fn tools(look: &Look, actions: &Actions, count: usize) -> Html {
    const MEASURES: [Measure; 2] = [Measure::Bytes, Measure::Rows];
    let on_measure: Callback<usize> = actions.look_at(|look, at| look.measure = MEASURES[at]);
    let says = &messages().tablets;
    let taken = MEASURES.iter().position(|measure| *measure == look.measure);
    html! {
        <>
            if count >= ZOOM_FROM || look.zoom > 1.0 {
                { tool(says.zoom_out, Icon::Minus, look.zoom <= 1.0, actions.look(|look| look.zoom = (look.zoom / 2.0).max(1.0))) }
                { tool(says.zoom_in, Icon::Plus, look.zoom >= 64.0, actions.look(|look| look.zoom = (look.zoom * 2.0).min(64.0))) }
            }
            { segmented(says.width, &says.widths, taken, true, on_measure) }
            { toggle(says.as_table, Icon::Table, look.as_table, actions.look(|look| look.as_table = !look.as_table)) }
        </>
    }
}

/// What to do about a hot tablet, with one click where it is clear.
fn hint(state: &State, actions: &Actions, tone: Tone) -> Html {
    if tone != Tone::Hot || !state.shown.problems.is_empty() {
        return html! {};
    }
    let (words, fix) = match time_behind(&state.shown.template, &state.preview) {
        Some(fix) => (
            "The key begins with the time, so each new row lands behind the last one: one tablet does all the work, however many there are.",
            Some(fix),
        ),
        None if state.shown.right.as_ref().is_some_and(|template| template.salts() > 1) => (
            "Many events share what the salt is made of, so they share the salt, too. Put what varies more from event to event into the key.",
            None,
        ),
        None => (
            "New rows land close together. Begin the key with what varies more from event to event, or salt it.",
            salted(&state.shown.template),
        ),
    };
    let button = fix.map(|fix| {
        let on_click = actions.edit.reform(move |()| Edit::Template(fix.text.clone()));
        push(&fix.label, None, ButtonKind::Primary, false, on_click)
    });
    html! { <div class="banner"><p>{words}</p>{button}</div> }
}
