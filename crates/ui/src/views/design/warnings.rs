//! The warnings about a template, with evidence of the loaded events, and buttons with fixes.

use tabletop_advice::Warning;
use tabletop_texts::messages;
use yew::{Html, html};

use crate::kit::{ButtonKind, Icon, icon};
use crate::page::actions::Actions;
use crate::page::state::{NoTable, PageState};
use crate::panes::fix_button::fix_button;

/// Draws the warnings. Until the events are examined, space for one is reserved, so that nothing
/// below moves.
pub fn warnings(state: &PageState, actions: &Actions) -> Html {
    let warnings = &state.view.warnings;
    if warnings.is_empty() {
        let is_coming = matches!(state.no_table(), None | Some(NoTable::Starting | NoTable::Loading))
            && !state.own_missing;
        // The engine reports the columns together with the warnings.
        let is_awaited = state.view.columns.is_empty() && is_coming;
        return html! { if is_awaited { <div class="warnings awaited"></div> } };
    }
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
    html! { <ul class="warnings" aria-label={messages().design.warnings}>{ for warnings.iter().map(line) }</ul> }
}
