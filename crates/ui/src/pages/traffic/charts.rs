//! Latency and throughput over time, and the figures of each stream.

use std::ops::Range;

use tabletop_schema::{SimulationSecond, StreamSecond, StreamTotals};
use tabletop_texts::messages;
use yew::{Callback, Html, html};

use super::simulated::Simulated;
use crate::widgets::{Label, select};

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

/// Latencies have the network's millisecond at least.
const LATENCY_FROM: Scale = Scale::LogFrom(1_000);

/// Seconds as curves.
pub struct Chart<'a, S> {
    /// What the curves show.
    pub title: &'static str,
    /// The curves.
    pub curves: &'a [Curve<S>],
    /// The seconds.
    pub history: &'a [S],
    /// The number of the first of them.
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

/// Draws both charts up to `position`: of all streams, or of the one with this number from 1 on.
pub fn charts(simulated: &Simulated, position: u32, of: usize, on_of: Callback<usize>) -> Html {
    let says = &messages().traffic.charts;
    let latency: [Curve<StreamSecond>; 4] = [
        ("p50", says.p50, |second| second.latency_micros[0]),
        ("p95", says.p95, |second| second.latency_micros[1]),
        ("p99", says.p99, |second| second.latency_micros[2]),
        ("max", says.max, |second| second.latency_micros[3]),
    ];
    let throughput: [Curve<StreamSecond>; 3] = [
        ("arrived", says.arrived, |second| second.arrived),
        ("answered", says.answered, |second| second.answered),
        ("expired", says.expired, |second| second.expired),
    ];
    let names: Vec<&str> = [says.all].into_iter().chain(simulated.streams.iter().map(String::as_str)).collect();
    let of = of.min(names.len() - 1);
    let history = of_stream(&simulated.history, of);
    let chart = |title, curves: &[Curve<StreamSecond>], scale, up_to, now| {
        let (history_from, seconds) = (simulated.history_from, 0..simulated.seconds_total);
        Chart { title, curves, history: &history[..], history_from, seconds, position, scale, up_to, now }.draw()
    };
    html! {
        <>
            if names.len() > 2 {
                <div class="traffic-fields">{ select(Label::Shown(says.of), &names, Some(of), on_of) }</div>
            }
            <div class="traffic-charts">
                { chart(says.latency, &latency, LATENCY_FROM, says.up_to_latency_log, says.micros) }
                { chart(says.throughput, &throughput, Scale::Linear, says.up_to_rate, says.up_to_rate) }
            </div>
        </>
    }
}

/// Returns the seconds of all streams, or of the one with this number from 1 on.
fn of_stream(history: &[SimulationSecond], of: usize) -> Vec<StreamSecond> {
    let second = |second: &SimulationSecond| match of.checked_sub(1) {
        Some(stream) => second.streams.get(stream).copied().unwrap_or_default(),
        None => second.all,
    };
    history.iter().map(second).collect()
}

impl<S> Chart<'_, S> {
    /// Draws it.
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

/// Draws a table of what was measured until the moment on the screen, for each stream.
pub fn totals(simulated: &Simulated, position: u32) -> Html {
    let says = &messages().traffic.charts;
    let number = |value: u64| tabletop_texts::numbers::thousands(value);
    let line = |totals: &StreamTotals| {
        let name = if totals.name.is_empty() { says.all.to_owned() } else { totals.name.clone() };
        let [p50, p95, p99, max] = totals.latency_micros.map(says.micros);
        html! {
            <tr>
                <th scope="row">{name}</th>
                <td class="num">{number(totals.arrived)}</td>
                <td class="num">{number(totals.answered)}</td>
                <td class="num">{number(totals.expired)}</td>
                <td class="num">{number(totals.refused)}</td>
                <td class="num">{p50}</td><td class="num">{p95}</td><td class="num">{p99}</td><td class="num">{max}</td>
            </tr>
        }
    };
    let heads = [says.stream, says.arrived, says.answered, says.expired, says.refused, says.p50, says.p95, says.p99, says.max];
    let (until, all) = match simulated.moment(position) {
        Some(moment) => (moment.second, &moment.totals),
        None => (simulated.seconds, &simulated.totals),
    };
    html! {
        <div class="traffic-totals" tabindex="0" role="region" aria-label={says.totals}>
            <table>
                <caption class="soft small">{(says.totals_until)(until)}</caption>
                <thead><tr>{ for heads.map(|head| html! { <th scope="col">{head}</th> }) }</tr></thead>
                <tbody>{ for all.iter().map(line) }</tbody>
            </table>
        </div>
    }
}

#[cfg(test)]
mod tests {
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
        let share = |value, most| LATENCY_FROM.share(value, most);
        assert_eq!([share(0, 100_000), share(1_000, 100_000), share(100_000, 100_000)], [0.0, 0.0, 1.0]);
        assert!((share(10_000, 100_000) - 0.5).abs() < 1e-9);
        assert!(share(1_500, 1_500) < 1.0, "a millisecond and a half fills no scale");
    }

    #[test]
    fn the_curves_of_a_stream_are_its_own() {
        let of = |arrived| StreamSecond { arrived, ..StreamSecond::default() };
        let history = [SimulationSecond { all: of(5), streams: vec![of(2), of(3)], ..SimulationSecond::default() }];
        assert_eq!([0, 1, 2, 3].map(|at| of_stream(&history, at)[0].arrived), [5, 2, 3, 0]);
    }
}
