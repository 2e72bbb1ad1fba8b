//! What is unwise about a template, with what the loaded events show, and a button that mends it.

use tabletop_schema::Warning;
use yew::{Html, html};

use super::fixes::{Fix, fixes};
use crate::app::Actions;
use crate::messages::messages;
use crate::state::{Edit, State};
use crate::widgets::{ButtonKind, Icon, icon, push};

/// A list; nothing at all when all is well.
pub fn warnings(state: &State, actions: &Actions) -> Html {
    let warnings = &state.view.warnings;
    if warnings.is_empty() {
        return html! {};
    }
    let fix = |fix: Fix| {
        let on_click = actions.edit.reform(move |()| Edit::Template(fix.text.clone()));
        push(&fix.label, None, ButtonKind::Plain, false, on_click)
    };
    let line = |warning: &Warning| {
        html! {
            <li class="warning">
                {icon(Icon::Warning)}
                <div>
                    <p>{warning.message.clone()}</p>
                    <p class="soft small">{warning.evidence.clone()}</p>
                    <p class="fixes">{ for fixes(&state.shown.template, warning, &state.preview).into_iter().map(fix) }</p>
                </div>
            </li>
        }
    };
    html! { <ul class="warnings" aria-label={messages().design.warnings}>{ for warnings.iter().map(line) }</ul> }
}
