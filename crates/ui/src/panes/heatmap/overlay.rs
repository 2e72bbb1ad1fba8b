//! What is drawn above the cells: the cursor, rectangles, and the current second.

use std::ops::Range;

use tabletop_views::heatmap::{Area, Drag, HeatMatrix, Span, Spot};
use yew::{Html, html};

use super::sides::px;
use super::sight::Sight;

/// Draws the overlay of a picture of this width and height, px. `at` is the current second;
/// `marked` are buckets that another part of the page points at.
pub fn overlay(
    matrix: &HeatMatrix,
    sight: &Sight,
    area: Area,
    (at, marked): (f64, Option<&Range<usize>>),
    (width, height): (f64, f64),
) -> Html {
    let shape = |class: &'static str, of: Option<Area>| {
        let of = of?;
        let x = |second: f64| area.seconds.share(second) * width;
        let y = |bucket: f64| area.buckets.share(bucket) * height;
        let (left, right) = (x(of.seconds.from).max(-2.0), x(of.seconds.until).min(width + 2.0));
        let (top, bottom) = (y(of.buckets.from).max(-2.0), y(of.buckets.until).min(height + 2.0));
        // A cell that is smaller than a pixel is visible, too.
        (right > left && bottom > top).then(|| {
            html! { <rect {class} x={px(left)} y={px(top)} width={px((right - left).max(3.0))} height={px((bottom - top).max(3.0))} /> }
        })
    };
    let rows = |buckets: &Range<usize>| Area {
        seconds: area.seconds,
        buckets: Span { from: buckets.start as f64, until: buckets.end as f64 },
    };
    let cell = |spot: Option<Spot>| spot.and_then(|spot| spot.area(matrix));
    let rectangle = sight.corner.zip(sight.cursor).and_then(|(one, other)| one.area_to(other, matrix));
    let drag = sight.drag.map(|Drag { from, to }| {
        let (left, top) = (from.0.min(to.0) * width, from.1.min(to.1) * height);
        let (wide, high) = ((from.0 - to.0).abs() * width, (from.1 - to.1).abs() * height);
        html! { <rect class="heat-rectangle" x={px(left)} y={px(top)} width={px(wide)} height={px(high)} /> }
    });
    let line = area.seconds.share(at) * width;
    html! {
        <svg class="heat-overlay" aria-hidden="true" width={px(width)} height={px(height)}>
            { for shape("heat-marked", marked.map(rows)) }
            { for shape("heat-lit", sight.lit.as_ref().map(rows)) }
            if (0.0..=width).contains(&line) { <path class="heat-now" d={format!("M{line:.1} 0V{height:.1}")} /> }
            { for shape("heat-rectangle", rectangle) }
            { for shape("heat-cell", cell(sight.hover.filter(|_| sight.drag.is_none()))) }
            { for shape("heat-cursor", cell(sight.cursor)) }
            { for shape("heat-pinned", cell(sight.pinned)) }
            { for drag }
        </svg>
    }
}
