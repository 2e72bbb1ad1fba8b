//! Values over time as curves.

use tabletop_views::charts::{Curve, Curves};
use tabletop_views::scene::{Paint, Shape};
use yew::{Html, html};

use super::{picture, shape};

/// Draws curves with their names and their current values. `up_to` writes the largest value of all,
/// and `now` a current one.
pub fn figure<S>(chart: &Curves<S>, up_to: fn(u64) -> String, now: fn(u64) -> String) -> Html {
    let key = |curve: &Curve<S>| {
        curve_key(curve.paint, curve.name, chart.now(curve).map(|value| now(value.into())))
    };
    html! {
        <figure class="traffic-chart">
            <figcaption><h4>{chart.title}</h4><span class="soft small num">{up_to(chart.most().into())}</span></figcaption>
            { picture(&chart.scene()) }
            <p class="curve-keys small">{ for chart.curves.iter().map(key) }</p>
        </figure>
    }
}

/// Draws the colour of a curve, its name, and its current value.
pub fn curve_key(paint: Paint, name: &'static str, value: Option<String>) -> Html {
    html! {
        <span class="curve-key">
            <svg viewBox="0 0 12 3" aria-hidden="true">{ shape(&Shape::bar((0.0, 0.0), (12.0, 3.0), paint)) }</svg>
            {name}
            { for value.map(|value| html! { <>{" "}<b class="num">{value}</b></> }) }
        </span>
    }
}
