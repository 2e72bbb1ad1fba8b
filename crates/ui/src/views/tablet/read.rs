//! The last read: its query, and what it touches in all tablets.

use std::rc::Rc;

use tabletop_model::{TabletInside, Touched};
use tabletop_texts::messages;
use tabletop_views::in_words::in_words;
use tabletop_views::tablet::Sums;
use yew::{Html, html};

use crate::kit::{ButtonKind, Icon, clicked, push};
use crate::page::actions::Actions;
use crate::page::state::{Action, InsideLook, PageState};

/// Returns what the last read touches, unless the query or the table has changed.
pub fn touched(state: &PageState) -> Option<Rc<Touched>> {
    state.look.part::<InsideLook>().touched.clone().filter(|_| !state.answer_is_old())
}

/// Draws the query and the sums, and a button that runs it.
pub fn last_read(inside: &TabletInside, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().inside.read;
    let touched = touched(state);
    let touched = touched.as_deref();
    let sums = touched.map(Sums::of);
    let elsewhere = touched
        .filter(|touched| touched.of(inside.tablet).is_none())
        .and_then(|touched| touched.tablets.first());
    html! {
        <section class="inside-read" aria-labelledby="inside-read-title">
            <h3 id="inside-read-title">{says.title}</h3>
            <span class="inside-query">{in_words(&state.workspace.query)}</span>
            { push(says.run, Some(Icon::Play), ButtonKind::Plain, (!state.result.running()).then(|| actions.run.clone())) }
            <div class="inside-touched">
                if let Some(sums) = sums {
                    <p>
                        {(says.summary)(sums.stored, sums.cached, sums.bytes, sums.tablets)}
                        if sums.bloom + sums.range > 0 { {" · "}{(says.skips)(sums.bloom, sums.range)} }
                    </p>
                } else {
                    <p class="soft">{says.none}</p>
                }
                if let (Some(first), Some(touched)) = (elsewhere, touched) {
                    <p>
                        {(says.elsewhere)(touched.tablets.len())}{" "}
                        <button type="button" class="link" onclick={
                            let tablet = first.tablet;
                            clicked(says.show, &actions.act.reform(move |()| Action::SelectTablet(Some(tablet))))
                        }>{says.show}</button>
                    </p>
                }
            </div>
            <p class="soft small">{says.about}</p>
        </section>
    }
}
