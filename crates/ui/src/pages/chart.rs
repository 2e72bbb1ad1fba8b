//! Values over time as curves.

use std::ops::Range;

use yew::{Html, html};

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 100.0;
/// Points of a curve, at most.
const POINTS_MAX: usize = 300;

/// A curve: its class, its name, and its value in a second.
pub type Curve<S> = (&'static str, &'static str, fn(&S) -> u32);

/// How values become heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// By their logarithm, from this value on: smaller ones are at the bottom.
    LogFrom(u32),
}

/// Seconds as curves.
pub struct Chart<'a, S> {
    /// What the curves show.
    pub title: &'static str,
    /// The curves.
    pub curves: &'a [Curve<S>],
    /// The seconds.
    pub history: &'a [S],
    /// The number of the first second.
    pub history_from: u32,
    /// The seconds from the left edge to the right one.
    pub seconds: Range<u32>,
    /// The present second: later ones are not drawn.
    pub position: u32,
    /// How values become heights.
    pub scale: Scale,
    /// The largest value, in words.
    pub up_to: fn(u64) -> String,
    /// The value of a curve at present, in words.
    pub now: fn(u64) -> String,
}

impl<S> Chart<'_, S> {
    /// Draws the chart.
    pub fn draw(&self) -> Html {
        let until = (self.position + 1).saturating_sub(self.history_from) as usize;
        let shown = &self.history[..self.history.len().min(until)];
        let values = self.history.iter().flat_map(|second| self.curves.iter().map(|(.., value)| value(second)));
        let most = values.max().unwrap_or(0).max(1);
        let line = |(class, _, value): &Curve<S>| {
            html! { <polyline class={*class} points={points(shown, self.history_from, &self.seconds, (self.scale, most), *value)} /> }
        };
        let key = |(class, name, value): &Curve<S>| {
            let last = shown.last().map(|second| (self.now)(value(second).into())).unwrap_or_default();
            html! { <span class="curve-key"><i class={*class} aria-hidden="true"></i>{*name}{" "}<b class="num">{last}</b></span> }
        };
        let x = format!("{:.1}", place(f64::from(self.position), &self.seconds));
        html! {
            <figure class="traffic-chart">
                <figcaption><h4>{self.title}</h4><span class="soft small num">{(self.up_to)(most.into())}</span></figcaption>
                <svg role="img" aria-label={self.title} viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none">
                    { for self.curves.iter().map(line) }
                    <line class="now" x1={x.clone()} x2={x} y1="0" y2={HEIGHT.to_string()} />
                </svg>
                <p class="curve-keys small">{ for self.curves.iter().map(key) }</p>
            </figure>
        }
    }
}

impl Scale {
    /// Returns the height of a value, as a share of that of the largest one.
    fn share(self, value: u32, most: u32) -> f64 {
        match self {
            Scale::Linear => f64::from(value) / f64::from(most),
            Scale::LogFrom(least) => {
                let log = |value: u32| (f64::from(value.max(least)) / f64::from(least)).ln();
                // A scale of one value has it at the bottom.
                log(value) / log(most.max(least.saturating_mul(2)))
            }
        }
    }
}

/// The place of a second between the edges.
fn place(second: f64, seconds: &Range<u32>) -> f64 {
    (second - f64::from(seconds.start)) / f64::from(seconds.end.saturating_sub(seconds.start).max(1)) * WIDTH
}

/// Returns the points of a curve. Of several seconds at one point, the largest value counts.
fn points<S>(history: &[S], from: u32, seconds: &Range<u32>, (scale, most): (Scale, u32), value: fn(&S) -> u32) -> String {
    let history = &history[(seconds.start.saturating_sub(from) as usize).min(history.len())..];
    let from = from.max(seconds.start);
    let step = (seconds.len()).div_ceil(POINTS_MAX).max(1);
    let point = |(at, seconds_of): (usize, &[S])| {
        let highest = seconds_of.iter().map(value).max().unwrap_or(0);
        let x = place(f64::from(from) + (at * step) as f64, seconds);
        format!("{x:.1},{:.1} ", HEIGHT - scale.share(highest, most) * HEIGHT)
    };
    history.chunks(step).enumerate().map(point).collect()
}

#[cfg(test)]
mod tests {
    use tabletop_schema::SimulationSecond;

    use super::*;

    #[test]
    fn a_curve_keeps_its_peaks() {
        let mut history = vec![SimulationSecond::default(); 600];
        history[301].all.arrived = 50;
        let points = points(&history, 0, &(0..600), (Scale::Linear, 50), |second| second.all.arrived);
        assert_eq!(points.split(' ').count(), POINTS_MAX + 1);
        assert!(points.contains("300.0,0.0 "), "{points}");
    }

    #[test]
    fn a_curve_may_begin_later() {
        let history: Vec<u32> = (0..60).collect();
        let points = points(&history, 100, &(140..200), (Scale::Linear, 59), |second| *second);
        assert!(points.starts_with("0.0,32.2 "), "{points}");
        assert_eq!(points.split(' ').count(), 21);
    }

    #[test]
    fn latencies_are_on_a_logarithmic_scale() {
        let share = |value, most| Scale::LogFrom(1_000).share(value, most);
        assert_eq!([share(0, 100_000), share(1_000, 100_000), share(100_000, 100_000)], [0.0, 0.0, 1.0]);
        assert!((share(10_000, 100_000) - 0.5).abs() < 1e-9);
        assert!(share(1_500, 1_500) < 1.0, "a millisecond and a half fills no scale");
    }
}
