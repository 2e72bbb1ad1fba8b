//! Which rows: all, some keys, a prefix, a range, or the rows of events with given fields.

use std::ops::Bound;
use std::rc::Rc;

use tabletop_model::{Bytes, RowRange, escape};
use tabletop_schema::{Field, FieldKind, Part, RowChoice, Template};
use yew::{AttrValue, Callback, Html, Properties, UseStateHandle, function_component, html, use_mut_ref, use_state_eq};

use super::bound::{BoundField, End};
use super::notation::{Notation, bytes, join_lines, lines};
use super::text_field::TextField;
use crate::widgets::{Icon, MenuButton, Segmented};

/// Properties of [`RowsForm`].
#[derive(Properties, PartialEq)]
pub struct RowsFormProps {
    /// What is chosen.
    pub rows: RowChoice,
    /// Of the events.
    pub fields: Rc<Vec<Field>>,
    /// Of the keys.
    pub template: Rc<Template>,
    /// For a field, some of its values.
    pub suggestions: Rc<Vec<(String, Vec<String>)>>,
    /// Another choice.
    pub on_change: Callback<RowChoice>,
}

/// Value and text of the choices.
const CHOICES: [(&str, &str); 5] =
    [("all", "All"), ("keys", "Keys"), ("prefix", "Prefix"), ("range", "Range"), ("fields", "Fields")];

/// The choice and what belongs to it. What was typed for one choice is still there when a person comes back to it.
#[function_component]
pub fn RowsForm(props: &RowsFormProps) -> Html {
    let remembered = use_mut_ref(fresh_choices);
    // Fields that were asked for by name, though the key does not tell them.
    let added = use_state_eq(Vec::<String>::new);
    let at = index(&props.rows);
    remembered.borrow_mut()[at] = props.rows.clone();

    let on_select = {
        let (remembered, on_change) = (remembered.clone(), props.on_change.clone());
        Callback::from(move |value: AttrValue| {
            if let Some(at) = CHOICES.iter().position(|(name, _)| value == *name) {
                let choice = remembered.borrow()[at].clone();
                on_change.emit(choice);
            }
        })
    };
    let options = CHOICES.map(|(value, text)| (AttrValue::Static(value), AttrValue::Static(text))).to_vec();
    html! {
        <div class="rows-form">
            <Segmented label="Which rows" {options} selected={CHOICES[at].0} {on_select} />
            { match &props.rows {
                RowChoice::All => html! {},
                RowChoice::Keys(keys) => keys_field(keys, &props.on_change),
                RowChoice::Prefix(prefix) => prefix_field(prefix, &props.on_change),
                RowChoice::Range(range) => range_fields(range, &props.on_change),
                RowChoice::Fields { equals, from, until } => fields_form(props, &added, equals, from, until),
            } }
        </div>
    }
}

fn keys_field(keys: &[Bytes], on_change: &Callback<RowChoice>) -> Html {
    let on_change = on_change.reform(|text: String| RowChoice::Keys(lines(&text).unwrap_or_default()));
    html! {
        <TextField
            id="query-keys"
            label="Keys, one a line"
            notation={Notation::Lines}
            value={join_lines(keys)}
            placeholder={r"app_1,user_7,2019-05-28T00:04:34.000Z"}
            {on_change}
        />
    }
}

fn prefix_field(prefix: &Bytes, on_change: &Callback<RowChoice>) -> Html {
    let on_change = on_change.reform(|text: String| RowChoice::Prefix(bytes(&text).unwrap_or_default()));
    html! {
        <TextField id="query-prefix" label="Keys that begin with" notation={Notation::Bytes} value={escape(prefix)} {on_change} />
    }
}

fn range_fields(range: &RowRange, on_change: &Callback<RowChoice>) -> Html {
    let on_start = on_change.reform({
        let end = range.end.clone();
        move |start| RowChoice::Range(RowRange { start, end: end.clone() })
    });
    let on_end = on_change.reform({
        let start = range.start.clone();
        move |end| RowChoice::Range(RowRange { start: start.clone(), end })
    });
    html! {
        <div class="bounds">
            <BoundField id="query-start" end={End::Start} placeholder="first key" bound={range.start.clone()} on_change={on_start} />
            <BoundField id="query-end" end={End::End} placeholder="end of the table" bound={range.end.clone()} on_change={on_end} />
        </div>
    }
}

fn fields_form(
    props: &RowsFormProps,
    added: &UseStateHandle<Vec<String>>,
    equals: &[(String, String)],
    from: &Option<String>,
    until: &Option<String>,
) -> Html {
    let choice =
        |equals: Vec<(String, String)>, from: Option<String>, until: Option<String>| RowChoice::Fields { equals, from, until };
    let offered = offered_fields(&props.template, &props.fields, equals.iter().map(|(name, _)| name).chain(added.iter()));
    let equals_fields = offered.iter().enumerate().map(|(at, name)| {
        let value = equals.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value);
        let on_change = props.on_change.reform({
            let (name, equals, from, until) = (name.clone(), equals.to_vec(), from.clone(), until.clone());
            move |text: String| choice(with_field(&equals, &name, &text), from.clone(), until.clone())
        });
        let known = props.suggestions.iter().find(|(field, _)| field == name).map(|(_, values)| values);
        let list = known.map(|_| AttrValue::from(format!("query-field-{at}-values")));
        html! {
            <>
                <TextField
                    id={format!("query-field-{at}")}
                    label={name.clone()}
                    notation={Notation::Text}
                    value={value.to_string()}
                    placeholder="any"
                    list={list.clone()}
                    {on_change}
                />
                if let Some(values) = known {
                    <datalist id={list}>{ for values.iter().map(|value| html! { <option value={value.clone()} /> }) }</datalist>
                }
            </>
        }
    });
    let others: Vec<(AttrValue, AttrValue)> = props
        .fields
        .iter()
        .filter(|field| field.kind != FieldKind::Time && !offered.contains(&field.name))
        .map(|field| (field.name.clone().into(), field.name.clone().into()))
        .collect();
    let on_add = {
        let added = added.clone();
        Callback::from(move |name: AttrValue| {
            let mut names = (*added).clone();
            names.push(name.to_string());
            added.set(names);
        })
    };
    let has_time = props.fields.iter().any(|field| field.kind == FieldKind::Time);
    let on_from = props.on_change.reform({
        let (equals, until) = (equals.to_vec(), until.clone());
        move |text: String| choice(equals.clone(), given(&text), until.clone())
    });
    let on_until = props.on_change.reform({
        let (equals, from) = (equals.to_vec(), from.clone());
        move |text: String| choice(equals.clone(), from.clone(), given(&text))
    });
    let time_field = |id: &'static str, label: &'static str, value: &Option<String>, on_change: Callback<String>| {
        let value = value.clone().unwrap_or_default();
        html! { <TextField {id} {label} notation={Notation::Time} {value} placeholder="2019-05-28T00:00" {on_change} /> }
    };
    html! {
        <div class="query-fields">
            { for equals_fields }
            if has_time {
                { time_field("query-from", "From time", from, on_from) }
                { time_field("query-until", "Until time", until, on_until) }
            }
            if !others.is_empty() {
                <div class="query-more"><MenuButton label="Another field" icon={Icon::Plus} items={others} on_select={on_add} /></div>
            }
        </div>
    }
}

/// The fields that a key tells, in their order there, times apart (those have a from and an until); then others that are
/// asked for, so that they can be seen and changed whatever the template has become.
fn offered_fields<'a>(template: &'a Template, fields: &[Field], asked: impl Iterator<Item = &'a String>) -> Vec<String> {
    let is_time = |name: &str| fields.iter().any(|field| field.name == name && field.kind == FieldKind::Time);
    let in_key = template.parts().iter().flat_map(|part| match part {
        Part::Field { name, .. } => vec![name],
        Part::ZOrder(zorder) => vec![&zorder.x.field, &zorder.y.field],
        Part::Literal(_) | Part::Salt { .. } => vec![],
    });
    let mut offered: Vec<String> = Vec::new();
    for name in in_key.filter(|name| !is_time(name)).chain(asked) {
        if !offered.contains(name) {
            offered.push(name.clone());
        }
    }
    offered
}

/// The question with another value of one field; an empty text asks nothing of it.
fn with_field(equals: &[(String, String)], name: &str, text: &str) -> Vec<(String, String)> {
    let mut equals = equals.to_vec();
    match equals.iter_mut().find(|(given, _)| given == name) {
        Some((_, value)) => *value = text.into(),
        None => equals.push((name.into(), text.into())),
    }
    equals.retain(|(_, value)| !value.is_empty());
    equals
}

fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_string())
}

fn index(rows: &RowChoice) -> usize {
    match rows {
        RowChoice::All => 0,
        RowChoice::Keys(_) => 1,
        RowChoice::Prefix(_) => 2,
        RowChoice::Range(_) => 3,
        RowChoice::Fields { .. } => 4,
    }
}

/// What each choice begins with.
fn fresh_choices() -> [RowChoice; 5] {
    [
        RowChoice::All,
        RowChoice::Keys(Vec::new()),
        RowChoice::Prefix(Bytes::default()),
        RowChoice::Range(RowRange { start: Bound::Included(Bytes::default()), end: Bound::Excluded(Bytes::default()) }),
        RowChoice::Fields { equals: Vec::new(), from: None, until: None },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Vec<Field> {
        let field = |name: &str, kind| Field { name: name.into(), kind };
        vec![field("app", FieldKind::Text), field("user", FieldKind::Text), field("time", FieldKind::Time)]
    }

    #[test]
    fn fields_of_the_key_are_offered_and_those_already_asked_for() {
        let (template, _) = Template::parse("{salt(4)}-{time:iso}#{user},{app:upper},{user}", &fields());
        assert_eq!(offered_fields(&template, &fields(), [].iter()), ["user", "app"]);
        let asked = ["gone".to_string(), "app".to_string()];
        assert_eq!(offered_fields(&template, &fields(), asked.iter()), ["user", "app", "gone"]);
    }

    #[test]
    fn an_empty_text_asks_nothing() {
        let asked = with_field(&[], "user", "7");
        assert_eq!(asked, [("user".to_string(), "7".to_string())]);
        assert_eq!(with_field(&asked, "user", "8"), [("user".to_string(), "8".to_string())]);
        assert_eq!(with_field(&asked, "user", ""), []);
    }

    #[test]
    fn every_choice_has_a_segment_of_its_own() {
        for (at, choice) in fresh_choices().iter().enumerate() {
            assert_eq!(index(choice), at);
        }
    }
}
