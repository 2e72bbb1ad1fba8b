//! The fields of a box: a rectangle over the two numbers of a Z-order. Few designs have one, so
//! this code is fetched later.

use tabletop_keys::RowChoice;
use tabletop_texts::messages;
use tabletop_views::query::{BoxAxis, Notation, RangeEnd, Spot};
use yew::{Callback, Html, html};

use super::text_field::TextFieldProps;

/// Draws the fields of a box.
#[inline(never)]
pub fn box_fields(rows: &RowChoice, on_text: &Callback<(Spot, String)>) -> Html {
    let RowChoice::Box { x, y, depth } = rows else { return html! {} };
    let says = &messages().query.boxes;
    let ends = [(BoxAxis::X, x), (BoxAxis::Y, y)].into_iter().flat_map(|(axis, span)| {
        let field = |end, label, value: f64| {
            TextFieldProps::new(Spot::Edge(axis, end), label, Notation::Decimal, value.to_string(), on_text)
                .draw()
        };
        [
            field(RangeEnd::Start, (says.from)(&span.field), span.from),
            field(RangeEnd::End, (says.to)(&span.field), span.to),
        ]
    });
    let depth = depth.map(|depth| depth.to_string()).unwrap_or_default();
    let depth = TextFieldProps {
        placeholder: says.by_itself,
        ..TextFieldProps::new(Spot::Depth, says.depth, Notation::Depth, depth, on_text)
    };
    html! { <>{ for ends }{ depth.draw() }</> }
}
