//! The warnings about a template, with evidence of the loaded events, and buttons with fixes.

use tabletop_schema::{Fix, Warning};
use tabletop_texts::messages;
use yew::{Callback, Html, html};

use crate::actions::Actions;
use crate::state::{Edit, NoTable, PageState};
use crate::widgets::{ButtonKind, Icon, icon, push};

/// Draws the warnings. Until the events are examined, there is room for one, so that nothing below moves.
pub fn warnings(state: &PageState, actions: &Actions) -> Html {
    let warnings = &state.view.warnings;
    if warnings.is_empty() {
        let is_coming = matches!(state.no_table(), None | Some(NoTable::Starting | NoTable::Loading)) && !state.own_missing;
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

/// Draws a button that applies a fix.
pub fn fix_button(fix: &Fix, kind: ButtonKind, edit: &Callback<Edit>) -> Html {
    let changes: Vec<Edit> = {
        let template = fix.patch.template.clone().map(Edit::Template);
        let layout = fix.patch.layout.as_ref().map(|layout| Edit::Layout(layout.kind));
        template.into_iter().chain(layout).collect()
    };
    let edit = edit.clone();
    let on_click = Callback::from(move |()| changes.iter().for_each(|change| edit.emit(change.clone())));
    push(&(messages().advice.fix)(&fix.kind), None, kind, on_click)
}
