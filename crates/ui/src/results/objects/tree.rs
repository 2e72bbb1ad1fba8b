//! One object as a tree: data types, subtypes, versions, and the fields of each value.

use tabletop_model::{Cell, Row, escape};
use tabletop_schema::objects::{
    DataTypeCells, DecodedField, DecodedMessage, OBJECT_BYTES_MAX, Object, ObjectTypes, Subtype, VALUES_MAX, Value, numbers,
    packed_floats, value_text,
};
use tabletop_schema::{Decoding, time};
use yew::{Html, html};

use super::chart::chart;
use crate::messages::messages;
use crate::messages::numbers::bytes;
use crate::results::decode::preview;
use crate::widgets::{Icon, icon};

/// The most versions of a subtype that are drawn.
const VERSIONS_MAX: usize = 20;
/// The most subtypes that are open at first.
const OPEN_MAX: usize = 4;
/// The most fields of one value that are drawn, those within messages included.
const FIELDS_MAX: usize = 400;

/// Draws an object.
pub fn tree(row: &Row, types: &ObjectTypes) -> Html {
    let says = &messages().objects;
    let size = Object::bytes_of(row);
    let name = (says.object)(&escape(&row.key));
    html! {
        <section class="details object" aria-label={name.clone()}>
            // The focus makes a scrolling box reachable by keys.
            <div class="details-body" tabindex="0" role="group" aria-label={says.content}>
                <p class="mono object-name">{ name }</p>
                if size > OBJECT_BYTES_MAX { <p class="problem small">{ icon(Icon::Warning) }<span>{ (says.object_over)(size) }</span></p> }
                { for Object::of(row).data_types.iter().map(|of| data_type(of, types)) }
            </div>
        </section>
    }
}

fn data_type(of: &DataTypeCells<'_>, types: &ObjectTypes) -> Html {
    let says = &messages().objects;
    let known = types.schema().data_type(of.family);
    let message = known.map(|known| known.message.as_str()).filter(|message| !message.is_empty());
    let mut about = vec![(says.data_type)(message, of.bytes())];
    if let Some(known) = known {
        about.extend((!known.owner.is_empty()).then(|| (says.owned)(&known.owner)));
        about.extend((!known.provenance.is_empty()).then(|| (says.from)(&known.provenance)));
    }
    html! {
        <details key={of.family.to_owned()} open=true>
            <summary><strong class="mono">{ of.family.to_owned() }</strong>{" "}<span class="soft small">{ about.join(" · ") }</span></summary>
            { for of.subtypes.iter().enumerate().map(|(at, subtype)| versions(at, *subtype, types)) }
        </details>
    }
}

fn versions(at: usize, of: Subtype<'_>, types: &ObjectTypes) -> Html {
    let says = &messages().objects;
    let name = if of.qualifier.is_empty() { says.no_subtype.to_owned() } else { escape(of.qualifier) };
    let count = of.versions.len();
    html! {
        <details key={at} open={at < OPEN_MAX}>
            <summary><span class="mono">{ name }</span>{" "}<span class="soft small num">{ (says.versions)(count) }</span></summary>
            { for of.versions.iter().take(VERSIONS_MAX).enumerate().map(|(at, cell)| version(at, cell, types)) }
            if count > VERSIONS_MAX { <p class="soft small">{ (says.versions_left_out)(count - VERSIONS_MAX) }</p> }
        </details>
    }
}

fn version(at: usize, cell: &Cell, types: &ObjectTypes) -> Html {
    html! {
        <details key={at} open={at == 0}>
            <summary class="num small">{ time::format(cell.timestamp) }{" "}<span class="soft">{ bytes(cell.value.len() as u64) }</span></summary>
            { value(cell, types) }
        </details>
    }
}

/// Draws the fields of a value, or what else can be seen in it if its family has no message.
fn value(cell: &Cell, types: &ObjectTypes) -> Html {
    let says = &messages().objects;
    if types.message_of(&cell.family).is_none() {
        return match packed_floats(&cell.value) {
            Some(numbers) => chart(&numbers),
            None => html! { <p class="mono object-text">{ preview(&cell.value, Decoding::Auto, None).1 }</p> },
        };
    }
    let decoded = types.decode(&cell.family, &cell.value, VALUES_MAX);
    let mut left = FIELDS_MAX;
    let fields = fields(&decoded.message, &mut left);
    let is_empty = decoded.message.fields.is_empty() && decoded.message.unknown.is_empty() && decoded.problems.is_empty();
    html! {
        <>
            { fields }
            if is_empty { <p class="soft small">{says.no_fields}</p> }
            if left == 0 { <p class="soft small">{says.fields_left_out}</p> }
            { for decoded.problems.iter().map(|problem| html! {
                <p class="problem small">{ icon(Icon::Error) }<span>{ problem.to_string() }</span></p>
            }) }
        </>
    }
}

/// Draws the fields of a message, as long as some may be drawn.
fn fields(message: &DecodedMessage<'_>, left: &mut usize) -> Html {
    let lines: Vec<Html> = message.fields.iter().chain(&message.unknown).filter_map(|of| field(of, left)).collect();
    html! { <ul class="object-fields">{ lines }</ul> }
}

fn field(of: &DecodedField<'_>, left: &mut usize) -> Option<Html> {
    let name = of.of.map_or_else(|| of.number.to_string(), |field| field.name.clone());
    let unknown = of.of.is_none().then(|| (messages().objects.unknown)(of.at));
    named(&name, unknown, &of.value, left)
}

/// Draws a value with its name. Values of a list and of a map have lines of their own if they are messages.
fn named(name: &str, unknown: Option<String>, value: &Value<'_>, left: &mut usize) -> Option<Html> {
    *left = left.checked_sub(1)?;
    let content = if let Some(numbers) = numbers(value) {
        chart(&numbers)
    } else {
        match value {
            Value::Message(message) if !message.of.is_some_and(|of| of.name.starts_with("google.protobuf.")) => {
                fields(message, left)
            }
            Value::List(values) if values.iter().any(|value| matches!(value, Value::Message(_))) => {
                let line = |(at, value): (usize, &Value<'_>)| named(&format!("[{at}]"), None, value, left);
                let lines: Vec<Html> = values.iter().enumerate().map_while(line).collect();
                html! { <>{ (messages().objects.values)(values.len()) }<ul class="object-fields">{ lines }</ul></> }
            }
            Value::Map(entries) => {
                let line = |(key, value): &(Value<'_>, Value<'_>)| named(&value_text(key), None, value, left);
                let lines: Vec<Html> = entries.iter().map_while(line).collect();
                html! { <>{ (messages().objects.values)(entries.len()) }<ul class="object-fields">{ lines }</ul></> }
            }
            value => html! { <span class="mono">{ value_text(value) }</span> },
        }
    };
    Some(html! {
        <li>
            <span class="mono object-field">{ name.to_owned() }</span>{" "}
            { content }
            if let Some(unknown) = unknown { {" "}<span class="soft small">{ unknown }</span> }
        </li>
    })
}
