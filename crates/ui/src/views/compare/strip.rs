//! The tablets of a design in one strip: their width by stored bytes, their height and colour by
//! load.

use tabletop_advice::{DesignFigures, TableLoad};
use tabletop_views::in_words::strip_name;
use tabletop_views::tablets::{Body, Measure, Strip, heights, places};
use yew::{Html, html};

use crate::page::state::TabletOfEvent;

/// The width of the drawing in its own units. The style sheet stretches it to the width of the
/// page.
const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 24.0;

/// Draws the strip with its name below.
pub fn strip(figures: &DesignFigures, mark: Option<TabletOfEvent>) -> Html {
    html! {
        <div class="compare-strip">
            { picture(figures, mark) }
            <p class="soft small" aria-hidden="true">{strip_name(figures)}</p>
        </div>
    }
}

/// Draws the tablets as one picture. A mark is drawn in the tablet of an event.
pub fn picture(figures: &DesignFigures, mark: Option<TabletOfEvent>) -> Html {
    let (table, load, name) = (&figures.table, TableLoad::of(&figures.table), strip_name(figures));
    let places = places(table, Measure::Bytes, WIDTH, 1.0);
    let strip = Strip {
        table,
        verdict: &figures.verdict,
        shares: &load.shares,
        heights: &heights(&load.shares),
        keys: &[],
        places: &places,
        width: places.last().map_or(WIDTH, |place| place.x + place.width),
        height: HEIGHT - 1.0,
        is_skyline: true,
        in_sight: 0..places.len(),
    };
    let px = |value: f64| format!("{value:.1}");
    let tablet = |at: usize| {
        let Body { x, top, width, height, level } = strip.body(at);
        html! { <rect class={format!("load-{level}")} x={px(x)} y={px(0.5 + top)} width={px(width)} height={px(height)} /> }
    };
    let mark = mark.and_then(|mark| places.get(mark.at)).map(|place| px(place.x + place.width / 2.0));
    html! {
        <svg role="img" aria-label={name.clone()} viewBox={format!("0 0 {:.0} {HEIGHT}", strip.width)} preserveAspectRatio="none" height={HEIGHT.to_string()}>
            <title>{name}</title>
            { for strip.in_sight.clone().map(tablet) }
            if let Some(x) = mark {
                <line class="event-mark" x1={x.clone()} x2={x} y1="0" y2={HEIGHT.to_string()} />
            }
        </svg>
    }
}
