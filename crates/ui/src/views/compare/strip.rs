//! The tablets of a design in one strip: their width by stored bytes, their height and colour by
//! load.

use tabletop_advice::{DesignFigures, TableLoad};
use tabletop_views::in_words::strip_name;
use yew::{Html, html};

use crate::pages::tablets::{Place, heights, places};
use crate::state::{Measure, TabletOfEvent};

/// The width of the drawing in its own units. The style sheet stretches it to the width of the
/// page.
const WIDTH: f64 = 1_000.0;
const HEIGHT: &str = "24";

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
    let (load, name) = (TableLoad::of(&figures.table), strip_name(figures));
    let places = places(&figures.table, Measure::Bytes, WIDTH, 1.0);
    let heights = heights(&load.shares);
    let total = places.last().map_or(WIDTH, |place| place.x + place.width);
    let tablet = |(at, place): (usize, &Place)| {
        html! {
            <rect
                class={format!("load-{}", figures.verdict.level(at, load.shares[at]))}
                x={format!("{:.1}", place.x + 0.5)}
                y={format!("{:.1}", 0.5 + 23.0 * (1.0 - heights[at]))}
                width={format!("{:.1}", (place.width - 1.0).max(1.0))}
                height={format!("{:.1}", 23.0 * heights[at])}
            />
        }
    };
    let mark = mark.and_then(|mark| places.get(mark.at)).map(|place| place.x + place.width / 2.0);
    html! {
        <svg role="img" aria-label={name.clone()} viewBox={format!("0 0 {total:.0} {HEIGHT}")} preserveAspectRatio="none" height={HEIGHT}>
            <title>{name}</title>
            { for places.iter().enumerate().map(tablet) }
            if let Some(x) = mark {
                <line class="event-mark" x1={format!("{x:.1}")} x2={format!("{x:.1}")} y1="0" y2={HEIGHT} />
            }
        </svg>
    }
}
