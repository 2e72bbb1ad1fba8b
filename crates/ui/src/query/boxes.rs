//! The fields of a box: a rectangle over the two numbers of a Z-order. Few designs have one, so this code is fetched later.

use tabletop_schema::{AxisSpan, BOX_DEPTH_MAX, Query, RowChoice, Template};
use tabletop_texts::messages;
use yew::{Callback, Html, html};

use super::notation::{Notation, decimal, depth};
use super::spot::{BoxAxis, Spot};
use super::text_field::TextFieldProps;
use crate::state::RangeEnd;

/// Returns the box in the middle of the first Z-order of a template, half as wide and half as high as its axes; `None` without one.
pub fn middle_box(template: &Template) -> Option<RowChoice> {
    let (_, zorder) = template.zorder()?;
    let [x, y] = [&zorder.x, &zorder.y].map(|axis| {
        let quarter = (axis.max - axis.min) / 4.0;
        AxisSpan { field: axis.field.clone(), from: axis.min + quarter, to: axis.max - quarter }
    });
    Some(RowChoice::Box { x, y, depth: None })
}

/// Draws the fields of a box.
#[inline(never)]
pub fn box_fields(rows: &RowChoice, on_text: &Callback<(Spot, String)>) -> Html {
    let RowChoice::Box { x, y, depth } = rows else { return html! {} };
    let says = &messages().query.boxes;
    let ends = [(BoxAxis::X, x), (BoxAxis::Y, y)].into_iter().flat_map(|(axis, span)| {
        let field = |end, label, value: f64| {
            TextFieldProps::new(Spot::Edge(axis, end), label, Notation::Decimal, value.to_string(), on_text).draw()
        };
        [field(RangeEnd::Start, (says.from)(&span.field), span.from), field(RangeEnd::End, (says.to)(&span.field), span.to)]
    });
    let depth = depth.map(|depth| depth.to_string()).unwrap_or_default();
    let depth = TextFieldProps {
        placeholder: says.by_itself,
        ..TextFieldProps::new(Spot::Depth, says.depth, Notation::Depth, depth, on_text)
    };
    html! { <>{ for ends }{ depth.draw() }</> }
}

/// Returns the query with `text` in a field of its box; `None` if the text is invalid or the query has no box.
#[inline(never)]
pub fn edit_box(query: &Query, spot: &Spot, text: &str) -> Option<Query> {
    let mut next = query.clone();
    let RowChoice::Box { x, y, depth: asked } = &mut next.rows else { return None };
    match spot {
        Spot::Edge(axis, end) => {
            let span = if *axis == BoxAxis::X { x } else { y };
            let number = if *end == RangeEnd::Start { &mut span.from } else { &mut span.to };
            *number = decimal(text).ok()?;
        }
        _ => *asked = depth(text, BOX_DEPTH_MAX).ok()?,
    }
    Some(next)
}

#[cfg(test)]
mod tests {
    use tabletop_schema::{Field, FieldKind, Workspace};

    use super::*;

    #[test]
    fn a_box_begins_in_the_middle_and_is_typed() {
        let fields = ["lon", "lat"].map(|name| Field::new(name, FieldKind::Float));
        let (template, problems) = Template::parse("{zorder(lon, lat, x=-180..180, y=0..1)}", &fields);
        assert_eq!(problems, []);
        let rows = middle_box(&template).expect("a Z-order");
        let span = |field: &str, from, to| AxisSpan { field: field.into(), from, to };
        assert_eq!(rows, RowChoice::Box { x: span("lon", -90.0, 90.0), y: span("lat", 0.25, 0.75), depth: None });
        assert_eq!(middle_box(&Template::parse("{lon}", &fields).0), None);

        let query = Query { rows, ..Workspace::default().query };
        let typed = |spot, text| edit_box(&query, &spot, text).map(|query| query.rows);
        assert_eq!(
            typed(Spot::Edge(BoxAxis::Y, RangeEnd::End), " 0.5 "),
            Some(RowChoice::Box { x: span("lon", -90.0, 90.0), y: span("lat", 0.25, 0.5), depth: None })
        );
        assert_eq!(typed(Spot::Edge(BoxAxis::X, RangeEnd::Start), "west"), None);
        assert_eq!(typed(Spot::Depth, "33"), None);
        let RowChoice::Box { depth, .. } = typed(Spot::Depth, "7").expect("a depth") else { panic!("a box") };
        assert_eq!(depth, Some(7));
    }
}
