//! What the last edit of the design has changed.

use tabletop_schema::Effect;
use yew::{Html, html};

use crate::messages::messages;
use crate::state::PageState;

/// The most changes that are shown.
const EFFECTS_MAX: usize = 5;

/// Draws the values before and after the last edit, once the table of the edited design is complete.
pub fn last_edit(state: &PageState) -> Html {
    state.effects().map_or_else(|| html! {}, |effects| drawn(&effects))
}

#[inline(never)]
fn drawn(effects: &[Effect]) -> Html {
    let says = &messages().tablets.effects;
    html! {
        <p class="last-edit small" role="status">
            <span class="soft">{says.title}</span>
            if effects.is_empty() { <span class="soft">{says.nothing}</span> }
            { for effects.iter().take(EFFECTS_MAX).map(effect) }
        </p>
    }
}

fn effect(effect: &Effect) -> Html {
    let says = &messages().tablets.effects;
    let [before, after] = effect.texts();
    html! {
        <span class="effect">
            <span class="soft">{(says.affected)(effect.of)}{" "}</span>
            <span class="num">{before}</span>
            <span class="visually-hidden">{says.to}</span>
            <span aria-hidden="true">{" → "}</span>
            <span class="num">{after}</span>
        </span>
    }
}
