//! What the last edit of the design has changed.

use tabletop_advice::Effect;
use tabletop_texts::messages;
use yew::{Html, html};

use crate::page::state::PageState;

/// The maximum number of changes that are shown.
const EFFECTS_MAX: usize = 5;

/// Draws the values before and after the last edit, once the table of the edited design is
/// complete.
pub fn last_edit(state: &PageState) -> Html {
    state
        .effects()
        .map_or_else(|| html! {}, |effects| effects_line(messages().tablets.effects.title, &effects))
}

/// Draws values before and after an edit on one line.
#[inline(never)]
pub fn effects_line(title: &'static str, effects: &[Effect]) -> Html {
    let says = &messages().tablets.effects;
    html! {
        <p class="last-edit small" role="status">
            <span class="soft">{title}</span>
            if effects.is_empty() { <span class="soft">{says.nothing}</span> }
            { for effects.iter().take(EFFECTS_MAX).map(effect) }
        </p>
    }
}

fn effect(effect: &Effect) -> Html {
    let says = &messages().tablets.effects;
    let [before, after] = (messages().advice.effect)(effect);
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
