//! What was found in the events: fields with their kinds, and the first events.

use std::rc::Rc;

use tabletop_schema::{DataView, EventsView, Field, FieldKind};
use yew::{AttrValue, Callback, Html, Properties, function_component, html};

use crate::state::Edit;
use crate::widgets::Select;

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

/// Properties of [`Fields`].
#[derive(Properties, PartialEq)]
pub struct FieldsProps {
    /// The events.
    pub data: Rc<DataView>,
    /// The first of them.
    pub preview: Rc<EventsView>,
    /// Kinds were detected, and a person may know better.
    pub correctable: bool,
    /// A change of the workspace.
    pub on_edit: Callback<Edit>,
}

/// Two folded tables.
#[function_component]
pub fn Fields(props: &FieldsProps) -> Html {
    let fields = &props.data.fields;
    let first = props.preview.events.first();
    let kind_cell = |at: usize, field: &Field| {
        let name = KINDS.iter().find(|(kind, _)| *kind == field.kind).map_or("", |(_, name)| *name);
        if !props.correctable {
            return html! { {name} };
        }
        let on_select = props.on_edit.reform({
            let fields = fields.clone();
            move |name: AttrValue| {
                let mut fields = fields.clone();
                if let Some((kind, _)) = KINDS.iter().find(|(_, each)| name == *each) {
                    fields[at].kind = *kind;
                }
                Edit::Fields(fields)
            }
        });
        let options = KINDS.iter().map(|(_, name)| (AttrValue::from(*name), AttrValue::from(*name))).collect::<Vec<_>>();
        html! { <Select label={format!("Kind of {}", field.name)} hide_label=true {options} selected={name} {on_select} /> }
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
                        <thead><tr>{ for props.preview.fields.iter().map(|field| html! { <th scope="col">{field.name.clone()}</th> }) }</tr></thead>
                        <tbody>
                            { for props.preview.events.iter().take(EVENTS).map(|event| html! {
                                <tr>{ for event.iter().map(|value| html! { <td class="mono">{value.clone()}</td> }) }</tr>
                            }) }
                        </tbody>
                    </table>
                </div>
            </details>
        </>
    }
}
