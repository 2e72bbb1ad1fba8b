//! A box: a rectangle over the two numbers of a Z-order.

use tabletop_keys::{AxisSpan, BOX_DEPTH_MAX, Query, RowChoice, Template};

use super::notation::{decimal, depth};
use super::range_end::RangeEnd;
use super::spot::{BoxAxis, Spot};

/// Returns the box in the middle of the first Z-order of a template, half as wide and half as high
/// as its axes; `None` without one.
pub fn middle_box(template: &Template) -> Option<RowChoice> {
    let (_, zorder) = template.zorder()?;
    let [x, y] = [&zorder.x, &zorder.y].map(|axis| {
        let quarter = (axis.max - axis.min) / 4.0;
        AxisSpan { field: axis.field.clone(), from: axis.min + quarter, to: axis.max - quarter }
    });
    Some(RowChoice::Box { x, y, depth: None })
}

/// Returns the query with `text` in a field of its box; `None` if the text is invalid or the query
/// has no box.
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
    use tabletop_keys::{Field, FieldKind};
    use tabletop_workspace::Workspace;

    use super::*;

    #[test]
    fn a_box_begins_in_the_middle_and_is_typed() {
        let fields = ["lon", "lat"].map(|name| Field::new(name, FieldKind::Float));
        let (template, problems) = Template::parse("{zorder(lon, lat, x=-180..180, y=0..1)}", &fields);
        assert_eq!(problems, []);
        let rows = middle_box(&template).expect("a Z-order");
        let span = |field: &str, from, to| AxisSpan { field: field.into(), from, to };
        assert_eq!(
            rows,
            RowChoice::Box { x: span("lon", -90.0, 90.0), y: span("lat", 0.25, 0.75), depth: None }
        );
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
