//! The choice of rows: all, some keys, a prefix, a range, or the rows of events with given fields.

use std::ops::Bound;

use tabletop_model::{Bytes, RowRange, escape};
use tabletop_schema::{Field, FieldKind, Part, Roles, RowChoice, Template};
use yew::{AttrValue, Callback, Html, html};

use super::boxes::box_fields;
use super::notation::{Notation, join_lines};
use super::spot::Spot;
use super::text_field::TextFieldProps;
use crate::messages::messages;
use crate::state::RangeEnd;
use crate::widgets::{Label, select};

/// Returns the first value of each choice. An empty end of a range is unbounded.
pub fn fresh_choices() -> [RowChoice; 6] {
    [
        RowChoice::All,
        RowChoice::Keys(Vec::new()),
        RowChoice::Prefix(Bytes::default()),
        RowChoice::Range(RowRange { start: Bound::Included(Bytes::default()), end: Bound::Excluded(Bytes::default()) }),
        RowChoice::Fields { equals: Vec::new(), from: None, until: None },
        // A box has the fields of a Z-order.
        RowChoice::All,
    ]
}

/// Returns the index of a choice.
pub fn choice_index(rows: &RowChoice) -> usize {
    match rows {
        RowChoice::All => 0,
        RowChoice::Keys(_) => 1,
        RowChoice::Prefix(_) => 2,
        RowChoice::Range(_) => 3,
        RowChoice::Fields { .. } => 4,
        RowChoice::Box { .. } => 5,
    }
}

/// Draws the fields of a choice; for events, the fields in `offered`.
pub fn row_fields(
    rows: &RowChoice,
    offered: &[String],
    time: Option<&str>,
    suggestions: &[(String, Vec<String>)],
    on_text: &Callback<(Spot, String)>,
) -> Html {
    let field = |spot, label: &str, notation, value| TextFieldProps::new(spot, label.to_string(), notation, value, on_text);
    let says = &messages().query;
    match rows {
        RowChoice::All => html! {},
        RowChoice::Keys(keys) => field(Spot::Keys, says.keys, Notation::Lines, join_lines(keys)).draw(),
        RowChoice::Prefix(prefix) => field(Spot::Prefix, says.prefix, Notation::Bytes, escape(prefix)).draw(),
        RowChoice::Range(range) => html! {
            <div class="bounds">
                { bound_fields(RangeEnd::Start, &range.start, on_text) }
                { bound_fields(RangeEnd::End, &range.end, on_text) }
            </div>
        },
        RowChoice::Box { .. } => box_fields(rows, on_text),
        RowChoice::Fields { equals, from, until } => {
            let mut list: Vec<Html> = Vec::new();
            for name in offered {
                let value = equals.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value);
                let spot = Spot::Field(name.clone());
                let known = suggestions.iter().find(|(field, _)| field == name);
                let id = known.map(|_| AttrValue::from(spot.id() + "-values"));
                let field = field(spot, name, Notation::Text, value.to_string());
                list.push(TextFieldProps { placeholder: says.any, list: id.clone(), ..field }.draw());
                list.extend(known.map(|(_, values)| datalist(id.unwrap_or_default(), values)));
            }
            if let Some(time) = time {
                for (spot, label, value) in [(Spot::From, says.from_time, from), (Spot::Until, says.until_time, until)] {
                    let field = field(spot, &label(time), Notation::Time, value.clone().unwrap_or_default());
                    list.push(TextFieldProps { placeholder: "2019-05-28T00:00", ..field }.draw());
                }
            }
            list.into_iter().collect()
        }
    }
}

fn bound_fields(end: RangeEnd, bound: &Bound<Bytes>, on_text: &Callback<(Spot, String)>) -> Html {
    let (choice, bytes) = RangeEnd::read(bound);
    let on_select = on_text.reform(move |at: usize| (Spot::Is(end), end.choices()[at].to_string()));
    let placeholder = if end == RangeEnd::Start { messages().query.first_key } else { messages().query.end_of_table };
    let field = bytes.map(|bytes| TextFieldProps {
        hide_label: true,
        placeholder,
        ..TextFieldProps::new(Spot::Key(end), end.title(), Notation::Bytes, escape(bytes), on_text)
    });
    html! {
        <div class="bound">
            { select(Label::Hidden(end.title_of_choice()), &end.choices(), Some(choice), on_select) }
            if let Some(field) = field { { field.draw() } }
        </div>
    }
}

/// Draws the values that a field suggests.
pub fn datalist(id: impl Into<AttrValue>, values: &[String]) -> Html {
    html! { <datalist id={id.into()}>{ for values.iter().map(|value| html! { <option value={value.clone()} /> }) }</datalist> }
}

/// Returns the field with the time of an event, to which a span of time applies.
pub fn time_field(fields: &[Field]) -> Option<&str> {
    Roles::of(fields).time.map(|at| fields[at].name.as_str())
}

/// Returns the fields of the key in their order, without times, which have a span. Then follow other fields of the query, so that
/// they are visible under any template.
pub fn offered_fields(template: &Template, fields: &[Field], rows: &RowChoice, added: &[String]) -> Vec<String> {
    let is_time = |name: &str| fields.iter().any(|field| field.name == name && field.kind == FieldKind::Time);
    let mut offered: Vec<String> = Vec::new();
    let mut offer = |name: &String| {
        if !offered.contains(name) {
            offered.push(name.clone());
        }
    };
    for part in template.parts() {
        match part {
            Part::Field { name, .. } if !is_time(name) => offer(name),
            Part::ZOrder(zorder) => [&zorder.x.field, &zorder.y.field].into_iter().for_each(&mut offer),
            Part::Field { .. } | Part::Literal(_) | Part::Salt { .. } => {}
        }
    }
    if let RowChoice::Fields { equals, .. } = rows {
        equals.iter().for_each(|(name, _)| offer(name));
    }
    added.iter().for_each(offer);
    offered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_key_are_offered_and_those_already_asked_for() {
        let field = |name: &str, kind| Field::new(name, kind);
        let fields = [field("app", FieldKind::Text), field("user", FieldKind::Text), field("time", FieldKind::Time)];
        let (template, _) = Template::parse("{salt(4)}-{time:iso}#{user},{app:upper},{user}", &fields);
        let offered = |equals: &[&str], added: &[&str]| {
            let equals = equals.iter().map(|name| (name.to_string(), "1".into())).collect();
            let added: Vec<String> = added.iter().map(std::string::ToString::to_string).collect();
            offered_fields(&template, &fields, &RowChoice::Fields { equals, from: None, until: None }, &added).join(" ")
        };
        assert_eq!(offered(&[], &[]), "user app");
        assert_eq!(offered(&["gone", "app"], &["event", "gone"]), "user app gone event");
    }

    #[test]
    fn every_choice_has_a_segment_of_its_own() {
        for (at, choice) in fresh_choices().iter().take(5).enumerate() {
            assert_eq!(choice_index(choice), at);
        }
    }
}
