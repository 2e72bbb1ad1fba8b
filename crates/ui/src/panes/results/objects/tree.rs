//! One object as a tree: data types, subtypes, versions, and the fields of each value.

use std::rc::Rc;

use tabletop_keys::time;
use tabletop_model::{Cell, Row, escape};
use tabletop_objects::{
    DataTypeCells, DecodedField, DecodedMessage, OBJECT_BYTES_MAX, Object, ObjectTypes, Subtype, VALUES_MAX,
    Value, numbers, packed_floats, value_text,
};
use tabletop_texts::numbers::bytes;
use tabletop_texts::{Locale, locale, messages};
use tabletop_views::{
    charts::Vector,
    results::{cut, preview},
};
use tabletop_workspace::Decoding;
use yew::{Html, Properties, function_component, html};

use crate::kit::{Icon, icon, picture};
use crate::page::state::QueryResult;

/// The maximum number of versions of a subtype that are drawn.
const VERSIONS_MAX: usize = 20;
/// The maximum number of subtypes that are open at first.
const OPEN_MAX: usize = 4;
/// The maximum number of fields of one value that are drawn, including those within messages.
const FIELDS_MAX: usize = 400;
/// The maximum number of versions and fields of one object that are drawn, except the versions of
/// its last subtype.
const PARTS_MAX: usize = 2_000;
/// The maximum number of bytes of one text that are drawn: the details of a cell have more of it.
const TEXT_BYTES_MAX: usize = 4 << 10;

/// Properties of [`Tree`].
#[derive(Properties)]
pub struct TreeProps {
    /// The read that contains the object.
    pub result: Rc<QueryResult>,
    /// The index of its row.
    pub row: usize,
    /// What the values mean.
    pub types: Rc<ObjectTypes>,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

impl PartialEq for TreeProps {
    /// Returns whether the same is drawn: other rows of the read do not matter.
    fn eq(&self, other: &TreeProps) -> bool {
        (self.locale, &self.types) == (other.locale, &other.types)
            && self.result.row(self.row) == other.result.row(other.row)
    }
}

/// Draws an object. It is a component, because all its values are decoded. They are decoded again
/// only if the object or the meaning of its values has changed, not as more rows arrive.
#[function_component]
pub fn Tree(props: &TreeProps) -> Html {
    props.result.row(props.row).map(|row| tree(row, &props.types)).unwrap_or_default()
}

fn tree(row: &Row, types: &ObjectTypes) -> Html {
    let says = &messages().objects;
    let size = Object::bytes_of(row);
    let name = (says.object)(&escape(&row.key));
    let mut left = PARTS_MAX;
    let data_types: Vec<Html> =
        Object::of(row).data_types.iter().map(|of| data_type(of, types, &mut left)).collect();
    html! {
        <section class="details object" aria-label={name.clone()}>
            // The focus makes a scrolling box reachable by keyboard.
            <div class="details-body" tabindex="0" role="group" aria-label={says.content}>
                <p class="mono object-name">{ name }</p>
                if size > OBJECT_BYTES_MAX { <p class="problem small">{ icon(Icon::Warning) }<span>{ (says.object_over)(size) }</span></p> }
                { for data_types }
            </div>
        </section>
    }
}

fn data_type(of: &DataTypeCells<'_>, types: &ObjectTypes, left: &mut usize) -> Html {
    let says = &messages().objects;
    let known = types.schema().data_type(of.family);
    let message = known.map(|known| known.message.as_str()).filter(|message| !message.is_empty());
    let mut about = vec![(says.data_type)(message, of.bytes())];
    if let Some(known) = known {
        about.extend((!known.owner.is_empty()).then(|| (says.owned)(&known.owner)));
        about.extend((!known.provenance.is_empty()).then(|| (says.from)(&known.provenance)));
    }
    let mut subtypes = Vec::new();
    for (at, subtype) in of.subtypes.iter().enumerate() {
        if *left == 0 {
            break;
        }
        subtypes.push(versions(at, *subtype, types, left));
    }
    let left_out = of.subtypes.len() - subtypes.len();
    html! {
        <details key={of.family.to_owned()} open=true>
            <summary><strong class="mono">{ of.family.to_owned() }</strong>{" "}<span class="soft small">{ about.join(" · ") }</span></summary>
            { for subtypes }
            if left_out > 0 { <p class="soft small">{ (says.subtypes_left_out)(left_out) }</p> }
        </details>
    }
}

fn versions(at: usize, of: Subtype<'_>, types: &ObjectTypes, left: &mut usize) -> Html {
    let says = &messages().objects;
    let name = if of.qualifier.is_empty() { says.no_subtype.to_owned() } else { escape(of.qualifier) };
    let count = of.versions.len();
    let versions = of.versions.iter().take(VERSIONS_MAX).enumerate();
    let versions: Vec<Html> = versions.map(|(at, cell)| version(at, cell, types, left)).collect();
    html! {
        <details key={at} open={at < OPEN_MAX}>
            <summary><span class="mono">{ name }</span>{" "}<span class="soft small num">{ (says.versions)(count) }</span></summary>
            { for versions }
            if count > VERSIONS_MAX { <p class="soft small">{ (says.versions_left_out)(count - VERSIONS_MAX) }</p> }
        </details>
    }
}

fn version(at: usize, cell: &Cell, types: &ObjectTypes, left: &mut usize) -> Html {
    *left = left.saturating_sub(1);
    html! {
        <details key={at} open={at == 0}>
            <summary class="num small">{ time::format(cell.timestamp) }{" "}<span class="soft">{ bytes(cell.value.len() as u64) }</span></summary>
            { value(cell, types, left) }
        </details>
    }
}

/// Draws the fields of a value, or a fallback if its family has no message.
fn value(cell: &Cell, types: &ObjectTypes, left_of_object: &mut usize) -> Html {
    let says = &messages().objects;
    if types.message_of(&cell.family).is_none() {
        return match packed_floats(&cell.value) {
            Some(numbers) => chart(&numbers),
            None => {
                html! { <p class="mono object-text">{ preview(&cell.value, Decoding::Auto, None).1 }</p> }
            }
        };
    }
    let room = FIELDS_MAX.min(*left_of_object);
    if room == 0 {
        return html! { <p class="soft small">{says.fields_left_out}</p> };
    }
    let decoded = types.decode(&cell.family, &cell.value, VALUES_MAX);
    let mut left = room;
    let fields = fields(&decoded.message, &mut left);
    *left_of_object -= room - left;
    let is_empty = decoded.message.fields.is_empty()
        && decoded.message.unknown.is_empty()
        && decoded.problems.is_empty();
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

/// Draws the fields of a message, up to the limit of fields.
fn fields(message: &DecodedMessage<'_>, left: &mut usize) -> Html {
    let lines: Vec<Html> =
        message.fields.iter().chain(&message.unknown).map_while(|of| field(of, left)).collect();
    html! { <ul class="object-fields">{ lines }</ul> }
}

fn field(of: &DecodedField<'_>, left: &mut usize) -> Option<Html> {
    let name = of.of.map_or_else(|| of.number.to_string(), |field| field.name.clone());
    let unknown = of.of.is_none().then(|| (messages().objects.unknown)(of.at));
    named(&name, unknown, &of.value, left)
}

/// Draws a value with its name. Values of a list and of a map have their own lines if they are
/// messages.
fn named(name: &str, unknown: Option<String>, value: &Value<'_>, left: &mut usize) -> Option<Html> {
    *left = left.checked_sub(1)?;
    let content = if let Some(numbers) = numbers(value) {
        chart(&numbers)
    } else {
        match value {
            Value::Message(message)
                if !message.of.is_some_and(|of| of.name.starts_with("google.protobuf.")) =>
            {
                fields(message, left)
            }
            Value::List(values) if values.iter().any(|value| matches!(value, Value::Message(_))) => {
                let line = |(at, value): (usize, &Value<'_>)| named(&format!("[{at}]"), None, value, left);
                let lines: Vec<Html> = values.iter().enumerate().map_while(line).collect();
                html! { <>{ (messages().objects.values)(values.len()) }<ul class="object-fields">{ lines }</ul></> }
            }
            Value::Map(entries) => {
                let line = |(key, value): &(Value<'_>, Value<'_>)| {
                    named(&cut(value_text(key), TEXT_BYTES_MAX), None, value, left)
                };
                let lines: Vec<Html> = entries.iter().map_while(line).collect();
                html! { <>{ (messages().objects.values)(entries.len()) }<ul class="object-fields">{ lines }</ul></> }
            }
            value => html! { <span class="mono">{ cut(value_text(value), TEXT_BYTES_MAX) }</span> },
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

/// Draws a vector as a line over its numbers, with a text that says how many they are, and between
/// which bounds.
fn chart(numbers: &[f64]) -> Html {
    let Some(vector) = Vector::of(numbers) else { return html! {} };
    let text = (messages().objects.vector)(numbers.len(), vector.least, vector.most);
    html! { <span class="vector">{ picture(&vector.scene(text.clone())) }<span class="soft small num">{text}</span></span> }
}

#[cfg(test)]
mod tests {
    use tabletop_model::ReadStats;
    use tabletop_objects::{DataTypePart, ObjectSchema};
    use tabletop_protocol::QueryChunk;

    use super::*;

    /// The remainder of 2,000 parts after the values of this many columns, each with two fields,
    /// and what is drawn.
    fn drawn(columns: usize) -> (usize, String) {
        let mut schema = ObjectSchema {
            proto: "message M { string a = 1; bool b = 2; }".into(),
            ..ObjectSchema::default()
        };
        schema.set("f", DataTypePart::Message, "M".into());
        let cell = |at: usize| Cell {
            family: "f".into(),
            qualifier: format!("{at:04}").into(),
            timestamp: 0,
            value: b"\x0a\x01x\x10\x01".into(),
            label: None,
        };
        let row = Row { key: "r".into(), cells: (0..columns).map(cell).collect() };
        let mut left = PARTS_MAX;
        let html = data_type(&Object::of(&row).data_types[0], &ObjectTypes::new(schema), &mut left);
        (left, format!("{html:?}"))
    }

    #[test]
    fn an_object_of_many_subtypes_is_drawn_in_part() {
        let (left, few) = drawn(10);
        assert_eq!((left, few.contains("further")), (PARTS_MAX - 30, false));
        // A value takes three of the parts: its version and two fields.
        let (left, many) = drawn(5_000);
        assert_eq!(left, 0);
        assert!(many.contains("and 4,333 more subtypes"), "the others are counted");
        assert!(many.contains("0666") && !many.contains("0667"));
    }

    #[test]
    fn further_rows_do_not_draw_an_object_again() {
        let chunk = |keys: &[&str]| QueryChunk {
            rows: keys.iter().map(|key| Row { key: (*key).into(), cells: Vec::new() }).collect(),
            stats: ReadStats::default(),
            ranges: 1,
            scans_more: false,
            elapsed_micros: 1,
            complete: false,
        };
        let first = QueryResult::default().with(chunk(&["a", "b"]));
        let more = first.with(chunk(&["c"]));
        let schema = ObjectSchema { proto: "message M {}".into(), ..ObjectSchema::default() };
        let (unknown, known) = (Rc::new(ObjectTypes::default()), Rc::new(ObjectTypes::new(schema)));
        let props = |result: &QueryResult, row: usize, types: &Rc<ObjectTypes>| TreeProps {
            result: Rc::new(result.clone()),
            row,
            types: types.clone(),
            locale: locale(),
        };
        let before = props(&first, 1, &unknown);
        assert!(before == props(&more, 1, &unknown));
        assert!(before != props(&more, 2, &unknown), "another object");
        assert!(before != props(&more, 1, &known), "another meaning");
    }
}
