//! The button of a fix.

use tabletop_advice::Fix;
use tabletop_texts::messages;
use yew::{Callback, Html, html};

use crate::kit::{ButtonKind, push};
use crate::page::state::Edit;

/// Draws a button that applies a fix, and what the fix was measured to change.
pub fn fix_button(fix: &Fix, kind: ButtonKind, edit: &Callback<Edit>) -> Html {
    let patch = fix.patch.clone();
    let edit = edit.reform(move |()| Edit::Fix(Box::new(patch.clone())));
    let effect = (messages().advice.fix_effect)(&fix.effect);
    html! {
        <>
            {push(&(messages().advice.fix)(&fix.kind), None, kind, edit)}
            if !effect.is_empty() { <span class="small">{effect}</span> }
        </>
    }
}
