//! The map of a Z-order: points on a plane, in the colours of their tablets, and the rectangle of a
//! query.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::{
    AxisSpan, RowChoice, Template,
    zorder::{Axis, LATITUDE, LONGITUDE, ZOrder},
};
use tabletop_model::RowKey;

use crate::scene::{Paint, Pen, Point, Shape, number, path};

/// The colours of tablets. Neighbours on the curve have different ones.
const COLORS: [u8; 6] = [0, 3, 1, 4, 5, 2];

/// Two corners of a rectangle, in shares of the sides of the map.
pub type Corners = (Point, Point);

/// A drag across the map: where it began and is, in shares of the sides of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Where the drag started.
    pub from: Point,
    /// Where it is.
    pub to: Point,
}

impl Drag {
    /// Returns the upper left and the lower right corner.
    pub fn corners(self) -> Corners {
        let Drag { from, to } = self;
        ((from.0.min(to.0), from.1.min(to.1)), (from.0.max(to.0), from.1.max(to.1)))
    }

    /// Returns the rectangle as a choice of rows. A depth was chosen for another rectangle.
    pub fn rows(self, zorder: &ZOrder) -> RowChoice {
        let ((left, top), (right, bottom)) = self.corners();
        let value = |share: f64, (min, max): (f64, f64)| {
            // A pixel is about a thousandth of the axis, so more digits carry no information.
            let digits = libm::pow(10.0, 3.0 - libm::floor(libm::log10(max - min)));
            libm::round((min + share * (max - min)) * digits) / digits
        };
        let span = |axis: &Axis, from: f64, to: f64| {
            let ends = (axis.min, axis.max);
            AxisSpan { field: axis.field.clone(), from: value(from, ends), to: value(to, ends) }
        };
        RowChoice::Box {
            x: span(&zorder.x, left, right),
            y: span(&zorder.y, 1.0 - bottom, 1.0 - top),
            depth: None,
        }
    }
}

/// Returns the points of each tablet as dots in a rectangle, and their number. `starts` are the
/// first keys of the tablets, `template` is that of the stored keys.
pub fn dots(
    template: &Template,
    keys: &[RowKey],
    starts: &[RowKey],
    at: Point,
    size: Point,
) -> Vec<(Shape, u64)> {
    let mut tablets: Vec<(String, u64)> = starts.iter().map(|_| (String::new(), 0)).collect();
    let Some((_, zorder)) = template.zorder() else { return Vec::new() };
    // More digits would make the paths of thousands of points longer, and are not seen.
    let tenths = |value: f64| number(libm::round(value * 10.0) / 10.0);
    for key in keys {
        let tablet = starts.partition_point(|start| start <= key).saturating_sub(1);
        if let (Some((x, y)), Some((path, points))) = (template.point(key), tablets.get_mut(tablet)) {
            let (x, y) = shares(zorder, x, y);
            path.push_str(&format!("M{} {}h0", tenths(at.0 + x * size.0), tenths(at.1 + y * size.1)));
            *points += 1;
        }
    }
    let dots = |(at, (path, points)): (usize, (String, u64))| {
        let paint = Paint::Part(COLORS[at % COLORS.len()]);
        (Shape::Line { path, pen: Pen { width: 4.0, is_round: true, ..Pen::of(paint) } }, points)
    };
    tablets.into_iter().enumerate().map(dots).collect()
}

/// Draws the rectangle of a query on a map in a rectangle.
pub fn box_of(((left, top), (right, bottom)): Corners, at: Point, size: Point) -> [Shape; 2] {
    let place = |(x, y): Point| (at.0 + x * size.0, at.1 + y * size.1);
    let edge = path([(left, top), (right, top), (right, bottom), (left, bottom)].map(place)) + "Z";
    let area =
        Shape::bar(place((left, top)), ((right - left) * size.0, (bottom - top) * size.1), Paint::Tint);
    [area, Shape::Line { path: edge, pen: Pen { width: 2.0, ..Pen::of(Paint::Accent) } }]
}

/// Returns whether a map shows the world, in degrees.
pub fn is_world(zorder: &ZOrder) -> bool {
    (zorder.x.min, zorder.x.max) == LONGITUDE && (zorder.y.min, zorder.y.max) == LATITUDE
}

/// Returns a point in shares of the map's sides, from its upper left corner.
fn shares(zorder: &ZOrder, x: f64, y: f64) -> (f64, f64) {
    let share = |value: f64, (min, max): (f64, f64)| ((value - min) / (max - min)).clamp(0.0, 1.0);
    (share(x, (zorder.x.min, zorder.x.max)), 1.0 - share(y, (zorder.y.min, zorder.y.max)))
}

/// Returns the corners of the rectangle of a query on this map, in shares of its sides.
pub fn asked_corners(zorder: &ZOrder, rows: &RowChoice) -> Option<Corners> {
    let RowChoice::Box { x, y, .. } = rows else { return None };
    let names = (&*zorder.x.field, &*zorder.y.field);
    let (x, y) = match (&*x.field, &*y.field) {
        fields if fields == names => (x, y),
        (one, other) if (other, one) == names => (y, x),
        _ => return None,
    };
    let from = shares(zorder, x.from, y.from);
    let to = shares(zorder, x.to, y.to);
    Some(Drag { from, to }.corners())
}

#[cfg(test)]
mod tests {
    use tabletop_keys::{Field, FieldKind};

    use super::*;

    fn template() -> Template {
        let fields = ["lon", "lat"].map(|name| Field::new(name, FieldKind::Float));
        Template::parse("{zorder(lon, lat, bits=2, as=hex, x=-180..180, y=-90..90)}", &fields).0
    }

    #[test]
    fn points_lie_where_the_map_has_them() {
        let template = template();
        // Steps 0 and 0, in the lower left corner; then 3 and 3.
        let keys = ["0".into(), "f".into()];
        let dots = dots(&template, &keys, &[RowKey::default(), "8".into()], (0.0, 0.0), (1_000.0, 1_000.0));
        let path = |at: usize| match &dots[at] {
            (Shape::Line { path, .. }, points) => (path.as_str(), *points),
            other => panic!("dots, not {other:?}"),
        };
        assert_eq!([path(0), path(1)], [("M125 875h0", 1), ("M875 125h0", 1)]);
    }

    #[test]
    fn a_drag_becomes_a_box_and_shows_as_it_was() {
        let template = template();
        let (_, zorder) = template.zorder().expect("a Z-order");
        let drag = Drag { from: (0.75, 0.5), to: (0.25, 0.125) };
        let rows = drag.rows(zorder);
        let span = |field: &str, from, to| AxisSpan { field: field.into(), from, to };
        assert_eq!(
            rows,
            RowChoice::Box { x: span("lon", -90.0, 90.0), y: span("lat", 0.0, 67.5), depth: None }
        );
        assert_eq!(asked_corners(zorder, &rows), Some(((0.25, 0.125), (0.75, 0.5))));
        let swapped = RowChoice::Box { x: span("lat", 0.0, 67.5), y: span("lon", -90.0, 90.0), depth: None };
        assert_eq!(asked_corners(zorder, &swapped), Some(((0.25, 0.125), (0.75, 0.5))));
    }
}
