//! The fields of the events with their kinds, and the first events.

use tabletop_keys::{
    Field, FieldKind, FieldRole,
    time::{self, DateFormat},
};
use tabletop_protocol::{EventsView, LoadState};
use tabletop_texts::messages;
use tabletop_workspace::{GivenRole, Source};
use web_sys::HtmlInputElement;
use yew::{Callback, Event, FocusEvent, Html, InputEvent, TargetCast, html};

use super::look::{DataLook, TypedFormat};
use crate::kit::{Cell, Column, Icon, Label, Row, Table, icon, select};
use crate::page::actions::Actions;
use crate::page::state::{Action, Edit, PageState};

/// Types in the order of the menu.
const KINDS: [FieldKind; 7] = [
    FieldKind::Text,
    FieldKind::Int,
    FieldKind::Float,
    FieldKind::Bool,
    FieldKind::Time,
    FieldKind::Facets,
    FieldKind::Json,
];
/// Events in the preview.
const EVENTS: usize = 8;

fn name_of(kind: FieldKind) -> &'static str {
    let types = &messages().data.types;
    match kind {
        FieldKind::Text => types.text,
        FieldKind::Int => types.integer,
        FieldKind::Float => types.number,
        FieldKind::Bool => types.boolean,
        FieldKind::Time => types.time,
        FieldKind::Facets => types.facets,
        FieldKind::Json => types.json,
    }
}

fn name_of_role(role: FieldRole) -> &'static str {
    let roles = &messages().data.roles;
    match role {
        FieldRole::EventTime => roles.event_time,
        FieldRole::OtherTime => roles.other_time,
        FieldRole::PartOfTime => roles.part_of_time,
        FieldRole::SharedIdentifier => roles.shared_identifier,
        FieldRole::UniqueIdentifier => roles.unique_identifier,
        FieldRole::Category => roles.category,
        FieldRole::Measure => roles.measure,
        FieldRole::Counter => roles.counter,
        FieldRole::FreeText => roles.free_text,
        FieldRole::Place => roles.place,
        FieldRole::Url => roles.url,
    }
}

/// Draws the role of a field: the user's, or the one that its values show, once it is found.
fn role_cell(state: &PageState, actions: &Actions, at: usize, field: &Field) -> Html {
    let chosen = GivenRole::of(&state.workspace.roles, &field.name);
    let found = state.suggested.roles.get(at).map(|found| found.role);
    let Some(role) = chosen.or(found) else { return html! {} };
    let name = field.name.clone();
    let on_select = Edit::by(&actions.edit, move |workspace, at: usize| {
        workspace.roles.retain(|given| given.field != name);
        workspace.roles.push(GivenRole { field: name.clone(), role: FieldRole::ALL[at] });
    });
    let taken = FieldRole::ALL.iter().position(|each| *each == role);
    let label = (messages().data.role_of)(&field.name);
    select(Label::Hidden(&label), &FieldRole::ALL.map(name_of_role), taken, on_select)
}

/// Returns the fields whose names decided between roles that their values allow, unless the user
/// has.
fn by_name(state: &PageState) -> Vec<String> {
    let fields = state.data.fields.iter().zip(&state.suggested.roles);
    let undecided = fields.filter(|(field, found)| {
        found.by_name && GivenRole::of(&state.workspace.roles, &field.name).is_none()
    });
    undecided.map(|(field, _)| field.name.clone()).collect()
}

/// Draws two tables that fold.
pub fn fields(state: &PageState, actions: &Actions) -> Html {
    let (fields, says) = (&state.data.fields, &messages().data);
    // The kinds of own events are detected, and the user can correct them.
    let is_own = matches!(state.workspace.source, Source::Own(_));
    let correctable = is_own && state.data.state != LoadState::Loading;
    let first = state.preview.events.first();
    let kind_cell = |at: usize, field: &Field| {
        let taken = KINDS.iter().position(|kind| *kind == field.kind);
        if !correctable {
            return html! { {name_of(field.kind)} };
        }
        let on_select = change(fields, at, actions, |field, kind: usize| {
            (field.kind, field.format) = (KINDS[kind], None);
        });
        select(Label::Hidden(&(says.type_of)(&field.name)), &KINDS.map(name_of), taken, on_select)
    };
    let columns = [says.field, says.field_type, says.role].map(Column::text);
    let open = by_name(state);
    let rows = fields.iter().enumerate().flat_map(|(at, field)| {
        let value = first.and_then(|event| event.get(at).cloned().flatten()).unwrap_or_default();
        let name = html! {
            <>
                <span class="ellipsis" title={field.name.clone()}>{field.name.clone()}</span>
                <span class="mono ellipsis soft small" title={value.clone()}>{value}</span>
            </>
        };
        let row = Row::named(Cell::from(name).class("field-name"))
            .key(&*field.name)
            .cell(kind_cell(at, field))
            .cell(role_cell(state, actions, at, field));
        let format = (correctable && field.kind == FieldKind::Time).then(|| {
            let cell = Cell::from(time_format(state, actions, at)).across(3);
            Row::new([cell]).key(format!("{} format", field.name))
        });
        std::iter::once(row).chain(format)
    });
    html! {
        <>
            // Detected kinds are visible; the user can fold them.
            <details class="fields-details" open={is_own}>
                <summary>{says.fields}</summary>
                { Table::new(columns, rows).class("fields").within("fields-scroll", says.fields_and_types) }
                <p class="soft small">
                    {says.role_about}
                    if !open.is_empty() { {" "}{(says.by_name)(&open)} }
                </p>
            </details>
            <details class="fields-details">
                <summary>{says.first_events}</summary>
                { preview(&state.preview) }
            </details>
        </>
    }
}

/// Draws the first events.
fn preview(view: &EventsView) -> Html {
    let value = |value: &Option<String>| Cell::from(value.as_deref().unwrap_or_default()).class("mono");
    let rows = view.events.iter().take(EVENTS).map(|event| Row::new(event.iter().map(value)));
    let columns = view.fields.iter().map(|field| Column::text(&field.name));
    Table::new(columns, rows).within("preview", messages().data.first_events)
}

/// Returns a callback that corrects a field of own events.
fn change<T: Clone + 'static>(
    fields: &[Field],
    at: usize,
    actions: &Actions,
    how: fn(&mut Field, T),
) -> Callback<T> {
    let (drawn, name) = (fields.to_vec(), fields[at].name.clone());
    Edit::by(&actions.edit, move |workspace, value| {
        let Source::Own(own) = &mut workspace.source else { return };
        if own.fields.iter().all(|field| field.name != name) {
            own.fields.clone_from(&drawn);
        }
        if let Some(field) = own.fields.iter_mut().find(|field| field.name == name) {
            how(field, value);
        }
    })
}

/// The offered formats.
const FORMATS: [&str; 8] = [
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y %I:%M %p",
    "%d.%m.%Y %H:%M:%S",
    "%d %b %Y %H:%M",
];

/// Draws the time format of a field, and the first time as it is read by it.
fn time_format(state: &PageState, actions: &Actions, at: usize) -> Html {
    let field = &state.data.fields[at];
    let look = state.look.part::<DataLook>();
    let typed = look.time_format.as_ref().filter(|typed| typed.field == field.name);
    let wrong = typed.and_then(|typed| typed.wrong.as_ref());
    let id = format!("time-format-{at}");
    let (list, said) = (format!("{id}-list"), format!("{id}-said"));
    let text = match (typed, &field.format) {
        (Some(typed), _) => typed.text.clone(),
        (None, format) => format.as_ref().map(|format| format.as_str().to_owned()).unwrap_or_default(),
    };
    let first = state.preview.events.iter().find_map(|event| event.get(at).cloned().flatten());
    let read = first.map(|text| match field.micros(&text) {
        Some(micros) => (messages().data.time_reads_as)(&text, &time::format(micros)),
        None => (messages().data.time_does_not_read)(&text),
    });
    let onchange = {
        let on_format = change(&state.data.fields, at, actions, |field, format| field.format = format);
        let (name, actions) = (field.name.clone(), actions.clone());
        Callback::from(move |event: Event| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            let (field, format) = (name.clone(), text.trim());
            let read = if format.is_empty() { Ok(None) } else { DateFormat::new(format).map(Some) };
            let typed = match read {
                Ok(format) => {
                    on_format.emit(format);
                    None
                }
                Err(error) => Some(TypedFormat { field, text, wrong: Some(error.message) }),
            };
            actions.act.emit(Action::part(move |look: &mut DataLook| look.time_format = typed));
        })
    };
    // The page is redrawn while the user types: the text must not revert to the format in use.
    let oninput = {
        let (name, actions) = (field.name.clone(), actions.clone());
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            let typed = TypedFormat { field: name.clone(), text, wrong: None };
            actions.act.emit(Action::part(move |look: &mut DataLook| look.time_format = Some(typed)));
        })
    };
    // A text that is unchanged fires no change event.
    let onblur = actions
        .part(|look: &mut DataLook| {
            look.time_format = look.time_format.take().filter(|typed| typed.wrong.is_some());
        })
        .reform(|_: FocusEvent| ());
    html! {
        <div class="time-format">
            <label for={id.clone()} class="field-label">{(messages().data.time_format_of)(&field.name)}</label>
            <input {id} class="input mono" value={text} list={list.clone()} placeholder={messages().data.time_format_example}
                spellcheck="false" autocomplete="off" aria-invalid={wrong.map(|_| "true")} aria-describedby={said.clone()} {oninput} {onchange} {onblur} />
            <datalist id={list}>{ for FORMATS.map(|format| html! { <option value={format} /> }) }</datalist>
            if let Some(wrong) = wrong {
                <p id={said} class="problem small" role="alert">{icon(Icon::Error)}<span>{wrong.clone()}</span></p>
            } else {
                <p id={said} class="soft small">{read}</p>
            }
        </div>
    }
}
