//! What was found in the events: fields with their kinds, and the first events.

use tabletop_schema::{Field, FieldKind, LoadState, Source};
use yew::{Html, html};

use crate::app::Actions;
use crate::state::{Edit, State};
use crate::widgets::select;

/// Kinds with their names.
const KINDS: [(FieldKind, &str); 7] = [
    (FieldKind::Text, "Text"),
    (FieldKind::Int, "Integer"),
    (FieldKind::Float, "Number"),
    (FieldKind::Bool, "True or false"),
    (FieldKind::Time, "Time"),
    (FieldKind::Facets, "Facets"),
    (FieldKind::Json, "JSON"),
];
/// Events of the preview.
const EVENTS: usize = 8;

/// Two folded tables.
pub fn fields(state: &State, actions: &Actions) -> Html {
    let fields = &state.data.fields;
    // Kinds of own events were detected, and a person may know better.
    let correctable = matches!(state.workspace.source, Source::Own(_)) && state.data.state != LoadState::Loading;
    let first = state.preview.events.first();
    let kind_cell = |at: usize, field: &Field| {
        let taken = KINDS.iter().position(|(kind, _)| *kind == field.kind);
        if !correctable {
            return html! { {taken.map_or("", |taken| KINDS[taken].1)} };
        }
        let on_select = actions.edit.reform({
            let fields = fields.clone();
            move |kind: usize| {
                let mut fields = fields.clone();
                fields[at].kind = KINDS[kind].0;
                Edit::Fields(fields)
            }
        });
        select(&format!("Kind of {}", field.name), &KINDS.map(|(_, name)| name), taken, true, on_select)
    };
    html! {
        <>
            <details class="fields-details">
                <summary>{"Fields"}</summary>
                <table class="fields">
                    <thead><tr><th scope="col">{"Field"}</th><th scope="col">{"Kind"}</th><th scope="col">{"First value"}</th></tr></thead>
                    <tbody>
                        { for fields.iter().enumerate().map(|(at, field)| html! {
                            <tr key={field.name.clone()}>
                                <th scope="row" class="ellipsis">{field.name.clone()}</th>
                                <td>{kind_cell(at, field)}</td>
                                <td class="mono ellipsis soft">{first.and_then(|event| event.get(at).cloned().flatten())}</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            </details>
            <details class="fields-details">
                <summary>{"First events"}</summary>
                <div class="preview" tabindex="0" role="region" aria-label="First events">
                    <table>
                        <thead><tr>{ for state.preview.fields.iter().map(|field| html! { <th scope="col">{field.name.clone()}</th> }) }</tr></thead>
                        <tbody>
                            { for state.preview.events.iter().take(EVENTS).map(|event| html! {
                                <tr>{ for event.iter().map(|value| html! { <td class="mono">{value.clone()}</td> }) }</tr>
                            }) }
                        </tbody>
                    </table>
                </div>
            </details>
        </>
    }
}
