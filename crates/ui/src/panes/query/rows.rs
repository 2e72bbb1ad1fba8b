//! The choice of rows: all, some keys, a prefix, a range, or the rows of events with given fields.

use std::ops::Bound;

use tabletop_keys::RowChoice;
use tabletop_model::{Bytes, escape};
use tabletop_texts::messages;
use tabletop_views::query::{Notation, RangeEnd, Spot, join_lines};
use yew::{AttrValue, Callback, Html, html};

use super::boxes::box_fields;
use super::text_field::TextFieldProps;
use crate::kit::{Label, select};

/// Draws the fields of a choice; for events, the fields in `offered`.
pub fn row_fields(
    rows: &RowChoice,
    offered: &[String],
    time: Option<&str>,
    suggestions: &[(String, Vec<String>)],
    on_text: &Callback<(Spot, String)>,
) -> Html {
    let field = |spot, label: &str, notation, value| {
        TextFieldProps::new(spot, label.to_string(), notation, value, on_text)
    };
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
                for (spot, label, value) in
                    [(Spot::From, says.from_time, from), (Spot::Until, says.until_time, until)]
                {
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
    let placeholder =
        if end == RangeEnd::Start { messages().query.first_key } else { messages().query.end_of_table };
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
