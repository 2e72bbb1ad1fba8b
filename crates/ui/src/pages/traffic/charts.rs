//! Latency and throughput over time, and the figures of each stream.

use std::ops::Range;

use tabletop_schema::{SimulationSecond, StreamTotals};
use yew::{Html, html};

use super::simulated::Simulated;
use crate::messages::messages;

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 100.0;
/// Points of a curve, at most.
const POINTS_MAX: usize = 300;

/// A curve: its class, its name, and its value in a second.
pub type Curve<S> = (&'static str, &'static str, fn(&S) -> u32);

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
    /// The largest value, in words.
    pub up_to: fn(u64) -> String,
    /// The value of a curve at present, in words.
    pub now: fn(u64) -> String,
}

/// Draws both charts up to `position`, and the figures so far.
pub fn charts(simulated: &Simulated, position: u32) -> Html {
    let says = &messages().traffic.charts;
    let latency: [Curve<SimulationSecond>; 3] = [
        ("p50", says.p50, |second| second.all.latency_micros[0]),
        ("p95", says.p95, |second| second.all.latency_micros[1]),
        ("p99", says.p99, |second| second.all.latency_micros[2]),
    ];
    let throughput: [Curve<SimulationSecond>; 3] = [
        ("arrived", says.arrived, |second| second.all.arrived),
        ("answered", says.answered, |second| second.all.answered),
        ("expired", says.expired, |second| second.all.expired),
    ];
    let chart = |title, curves, up_to, now| {
        let (history, history_from, seconds) = (&simulated.history[..], simulated.history_from, 0..simulated.seconds_total);
        Chart { title, curves, history, history_from, seconds, position, up_to, now }.draw()
    };
    html! {
        <div class="traffic-charts">
            { chart(says.latency, &latency, says.up_to_latency, says.micros) }
            { chart(says.throughput, &throughput, says.up_to_rate, says.up_to_rate) }
        </div>
    }
}

impl<S> Chart<'_, S> {
    /// Draws it.
    pub fn draw(&self) -> Html {
        let until = (self.position + 1).saturating_sub(self.history_from) as usize;
        let shown = &self.history[..self.history.len().min(until)];
        let values = self.history.iter().flat_map(|second| self.curves.iter().map(|(.., value)| value(second)));
        let most = values.max().unwrap_or(0).max(1);
        let line = |(class, _, value): &Curve<S>| {
            html! { <polyline class={*class} points={points(shown, self.history_from, &self.seconds, most, *value)} /> }
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

/// The place of a second between the edges.
fn place(second: f64, seconds: &Range<u32>) -> f64 {
    (second - f64::from(seconds.start)) / f64::from(seconds.end.saturating_sub(seconds.start).max(1)) * WIDTH
}

/// Returns the points of a curve. Of several seconds at one point, the largest value counts.
fn points<S>(history: &[S], from: u32, seconds: &Range<u32>, most: u32, value: fn(&S) -> u32) -> String {
    let history = &history[(seconds.start.saturating_sub(from) as usize).min(history.len())..];
    let from = from.max(seconds.start);
    let step = (seconds.len()).div_ceil(POINTS_MAX).max(1);
    let point = |(at, seconds_of): (usize, &[S])| {
        let highest = seconds_of.iter().map(value).max().unwrap_or(0);
        let x = place(f64::from(from) + (at * step) as f64, seconds);
        format!("{x:.1},{:.1} ", HEIGHT - f64::from(highest) / f64::from(most) * HEIGHT)
    };
    history.chunks(step).enumerate().map(point).collect()
}

/// Draws a table of what was measured in all seconds, for each stream.
pub fn totals(simulated: &Simulated) -> Html {
    let says = &messages().traffic.charts;
    let number = |value: u64| crate::messages::numbers::thousands(value);
    let line = |totals: &StreamTotals| {
        let name = if totals.name.is_empty() { says.all.to_owned() } else { totals.name.clone() };
        let [p50, p95, p99, _] = totals.latency_micros.map(says.micros);
        html! {
            <tr>
                <th scope="row">{name}</th>
                <td class="num">{number(totals.arrived)}</td>
                <td class="num">{number(totals.answered)}</td>
                <td class="num">{number(totals.expired)}</td>
                <td class="num">{number(totals.refused)}</td>
                <td class="num">{p50}</td><td class="num">{p95}</td><td class="num">{p99}</td>
            </tr>
        }
    };
    let heads = [says.stream, says.arrived, says.answered, says.expired, says.refused, says.p50, says.p95, says.p99];
    html! {
        <div class="traffic-totals" tabindex="0" role="region" aria-label={says.totals}>
            <table>
                <caption class="soft small">{says.totals}</caption>
                <thead><tr>{ for heads.map(|head| html! { <th scope="col">{head}</th> }) }</tr></thead>
                <tbody>{ for simulated.totals.iter().map(line) }</tbody>
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
        let points = points(&history, 0, &(0..600), 50, |second| second.all.arrived);
        assert_eq!(points.split(' ').count(), POINTS_MAX + 1);
        assert!(points.contains("300.0,0.0 "), "{points}");
    }

    #[test]
    fn a_curve_may_begin_later() {
        let history: Vec<u32> = (0..60).collect();
        let points = points(&history, 100, &(140..200), 59, |second| *second);
        assert!(points.starts_with("0.0,32.2 "), "{points}");
        assert_eq!(points.split(' ').count(), 21);
    }
}
