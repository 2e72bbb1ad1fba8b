//! The warnings about a template, with evidence of the loaded events, and buttons with fixes.

use tabletop_advice::Warning;
use tabletop_texts::messages;
use yew::{Html, html};

use crate::kit::{ButtonKind, Icon, icon};
use crate::page::actions::Actions;
use crate::page::state::PageState;
use crate::panes::fix_button::fix_button;
use crate::panes::tablets::is_explained;

/// Draws the warnings that are not below the headline.
pub fn warnings(state: &PageState, actions: &Actions) -> Html {
    let warnings = &state.view.warnings;
    // The advice below the headline is one of them.
    let others: Vec<&Warning> = warnings.iter().filter(|warning| !is_explained(state, warning)).collect();
    let line = |warning: &Warning| {
        html! {
            <li class="warning">
                {icon(Icon::Warning)}
                <div>
                    <p>{(messages().advice.warning)(&warning.cause)}</p>
                    <p class="soft small">{(messages().advice.evidence)(&warning.cause)}</p>
                    <p class="fixes">{ for warning.fixes.iter().map(|fix| fix_button(fix, ButtonKind::Plain, &actions.edit)) }</p>
                </div>
            </li>
        }
    };
    html! {
        if !others.is_empty() {
            <ul class="warnings" aria-label={messages().design.warnings}>{ for others.into_iter().map(line) }</ul>
        }
    }
}
