//! The button of a fix.

use tabletop_advice::Fix;
use tabletop_texts::messages;
use yew::{Callback, Html};

use crate::kit::{ButtonKind, push};
use crate::page::state::Edit;

/// Draws a button that applies a fix.
pub fn fix_button(fix: &Fix, kind: ButtonKind, edit: &Callback<Edit>) -> Html {
    let patch = fix.patch.clone();
    push(
        &(messages().advice.fix)(&fix.kind),
        None,
        kind,
        edit.reform(move |()| Edit::Fix(Box::new(patch.clone()))),
    )
}
