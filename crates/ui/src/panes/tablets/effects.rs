//! What the last edit of the design has changed.

use tabletop_advice::Effect;
use tabletop_texts::messages;
use tabletop_workspace::{Design, DesignsChange, ViewId};
use yew::{Callback, Html, html};

use crate::kit::{ButtonKind, push};
use crate::page::actions::{Actions, show_view};
use crate::page::state::{Edit, PageState};

/// The maximum number of changes that are shown.
const EFFECTS_MAX: usize = 5;

/// Draws the values before and after the last edit, once the table of the edited design is
/// complete, and a button that compares the design with what it was.
pub fn last_edit(state: &PageState, actions: &Actions) -> Html {
    let Some(effects) = state.effects() else { return html! {} };
    let before = state.design_before().filter(|_| !effects.is_empty());
    html! {
        <div class="edit-effects">
            { effects_line(messages().tablets.effects.title, &effects) }
            { for before.map(|before| compare_with(before, actions)) }
        </div>
    }
}

/// Draws the button that adds the design before the edit and shows the comparison.
#[inline(never)]
fn compare_with(before: &Design, actions: &Actions) -> Html {
    let says = &messages().tablets.effects;
    let (mut before, actions) = (before.clone(), actions.clone());
    before.name = says.before.into();
    let on_click = Callback::from(move |()| {
        actions.edit.emit(Edit::Designs(DesignsChange::AddEarlier(before.clone())));
        show_view(&actions.act, ViewId::Compare);
    });
    push(says.compare_with_before, None, ButtonKind::Plain, on_click)
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
