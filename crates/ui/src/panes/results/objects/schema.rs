//! The editor of what values mean: the text of messages, and the message of each family.

use std::rc::Rc;

use tabletop_model::Problem;
use tabletop_objects::{
    DATA_TYPE_CHARS_MAX, DATA_TYPES_MAX, DataTypePart, ObjectSchema, ObjectTypes, PROTO_BYTES_MAX,
};
use tabletop_texts::{Locale, locale, messages};
use yew::{Callback, Html, Properties, function_component, html};

use crate::kit::{Icon, Label, TypedText, callback, icon, select};
use crate::panes::results::chosen::ColumnEdits;

/// Properties of [`SchemaEditor`].
#[derive(Properties, PartialEq)]
pub struct SchemaEditorProps {
    /// What the values mean.
    pub types: Rc<ObjectTypes>,
    /// The families of the rows.
    pub families: Vec<String>,
    /// Changes what the values mean.
    pub edits: ColumnEdits,
    /// The language of its texts: it is drawn again in another one.
    #[prop_or_else(locale)]
    pub locale: Locale,
}

/// Draws the editor. It is a component, so that it is not drawn again as rows arrive or the cursor
/// moves.
#[function_component]
pub fn SchemaEditor(props: &SchemaEditorProps) -> Html {
    let SchemaEditorProps { types, families, edits, .. } = props;
    let says = &messages().objects;
    let schema = types.schema();
    let mut all: Vec<&str> = families.iter().map(String::as_str).collect();
    all.extend(
        schema
            .data_types
            .iter()
            .map(|of| of.family.as_str())
            .filter(|family| !families.iter().any(|other| other == family)),
    );
    all.truncate(DATA_TYPES_MAX);
    let with_message = all.iter().filter(|family| types.message_of(family).is_some()).count();
    let on_proto = {
        let (schema, edits) = (schema.clone(), edits.clone());
        Callback::from(move |text: String| {
            let proto = fitting(text);
            edits.set_objects(ObjectSchema { proto, ..schema.clone() });
        })
    };
    let found = types.types().message_names().count();
    html! {
        <details class="object-schema">
            <summary>{ (says.schema)(with_message, all.len()) }</summary>
            <div class="object-schema-parts">
                <p class="soft small">{says.schema_about}</p>
                <label class="field">
                    <span class="field-label">{says.proto}</span>
                    <TypedText class="textarea mono" lines="8" undoes_itself=true chars_max={PROTO_BYTES_MAX}
                        placeholder={says.proto_example} text={schema.proto.clone()} on_text={on_proto} />
                </label>
                <div class="small" role="status">
                    if is_full(&schema.proto) { <p class="problem">{ icon(Icon::Warning) }<span>{says.proto_full}</span></p> }
                    if !schema.proto.is_empty() { <p class="soft">{ (says.messages_read)(found) }</p> }
                    { for types.problems().iter().map(|problem| problem_line(&schema.proto, problem)) }
                </div>
                if !all.is_empty() {
                    <div class="object-data-types" role="group" aria-label={says.data_types}>
                        { for all.iter().map(|family| data_type(family, types, edits)) }
                    </div>
                }
            </div>
        </details>
    }
}

/// Returns the part of a text that fits into a workspace. The browser counts other units than
/// bytes.
fn fitting(mut proto: String) -> String {
    proto.truncate(proto.floor_char_boundary(PROTO_BYTES_MAX));
    proto
}

/// Returns whether another character may not fit, so that a text may have been cut.
fn is_full(proto: &str) -> bool {
    proto.len() + char::MAX.len_utf8() > PROTO_BYTES_MAX
}

fn problem_line(text: &str, problem: &Problem) -> Html {
    let (line, column) = place(text, problem.span.start as usize);
    html! {
        <p class="problem">{ icon(Icon::Error) }<span>{ (messages().objects.problem)(line, column, &problem.message) }</span></p>
    }
}

/// Returns the line and the column of a byte, both counted from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

/// Draws the line of a family: its message, its owner, its provenance.
fn data_type(family: &str, types: &Rc<ObjectTypes>, edits: &ColumnEdits) -> Html {
    let says = &messages().objects;
    let of = types.schema().data_type(family).cloned().unwrap_or_default();
    let mut names: Vec<String> = types.types().message_names().map(str::to_owned).collect();
    let is_declared = of.message.is_empty() || names.contains(&of.message);
    let mut texts: Vec<String> =
        std::iter::once(says.no_message.to_owned()).chain(names.iter().cloned()).collect();
    if !is_declared {
        texts.push((says.not_declared)(&of.message));
        names.push(of.message.clone());
    }
    let at = if of.message.is_empty() {
        Some(0)
    } else {
        names.iter().position(|name| *name == of.message).map(|at| at + 1)
    };
    let set = {
        let (family, types, edits) = (family.to_owned(), types.clone(), edits.clone());
        Rc::new(move |part: DataTypePart, text: String| {
            let mut schema = types.schema().clone();
            schema.set(&family, part, text);
            edits.set_objects(schema);
        })
    };
    let on_message = callback(&set, move |set, at: usize| {
        let name = at.checked_sub(1).and_then(|at| names.get(at)).cloned().unwrap_or_default();
        set(DataTypePart::Message, name);
    });
    let input = |part: DataTypePart, label: String, shown: &'static str, text: &str| {
        let set = set.clone();
        let on_text = Callback::from(move |text: String| set(part, text));
        html! {
            <TypedText class="input" chars_max={DATA_TYPE_CHARS_MAX} {label} placeholder={shown} text={text.to_owned()} {on_text} />
        }
    };
    let [_, _, owner, provenance] = says.data_type_columns;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    html! {
        <div key={family.to_owned()} class="object-data-type">
            <span class="mono">{ family.to_owned() }</span>
            { select(Label::Hidden(&(says.message_of)(family)), &texts, at, on_message) }
            { input(DataTypePart::Owner, (says.owner_of)(family), owner, &of.owner) }
            { input(DataTypePart::Provenance, (says.provenance_of)(family), provenance, &of.provenance) }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_to_what_a_workspace_accepts() {
        let schema = |proto: String| ObjectSchema { proto, ..ObjectSchema::default() };
        let long = fitting("\u{20ac}".repeat(PROTO_BYTES_MAX / 2));
        assert!(long.len() <= PROTO_BYTES_MAX && is_full(&long), "{}", long.len());
        assert_eq!(schema(long).check("objects"), Ok(()));
        assert_eq!(fitting("message A {}".into()), "message A {}");
        assert!(!is_full("message A {}"));
    }

    #[test]
    fn a_place_is_counted_from_one() {
        let text = "a\n\u{e9}b\n";
        assert_eq!([0, 2, 4, 6, 99].map(|at| place(text, at)), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 1)]);
    }
}
