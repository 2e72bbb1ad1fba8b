//! Latency and throughput over time, and the figures of each stream.

use tabletop_schema::{SimulationSecond, StreamTotals};
use yew::{Html, html};

use super::simulated::Simulated;
use crate::messages::messages;

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 100.0;
/// Points of a curve, at most.
const POINTS_MAX: usize = 300;

/// A curve: its class, its name, and its value in a second.
type Curve = (&'static str, &'static str, fn(&SimulationSecond) -> u32);

/// Draws both charts up to `position`, and the figures so far.
pub fn charts(simulated: &Simulated, position: u32) -> Html {
    let says = &messages().traffic.charts;
    let latency: [Curve; 3] = [
        ("p50", says.p50, |second| second.all.latency_micros[0]),
        ("p95", says.p95, |second| second.all.latency_micros[1]),
        ("p99", says.p99, |second| second.all.latency_micros[2]),
    ];
    let throughput: [Curve; 3] = [
        ("arrived", says.arrived, |second| second.all.arrived),
        ("answered", says.answered, |second| second.all.answered),
        ("expired", says.expired, |second| second.all.expired),
    ];
    html! {
        <div class="traffic-charts">
            { chart(says.latency, &latency, simulated, position, |most| (says.up_to_latency)(most), |value| (says.micros)(value)) }
            { chart(says.throughput, &throughput, simulated, position, |most| (says.up_to_rate)(most), |value| (says.up_to_rate)(value)) }
        </div>
    }
}

fn chart(
    title: &'static str,
    curves: &[Curve],
    simulated: &Simulated,
    position: u32,
    up_to: impl Fn(u64) -> String,
    now: impl Fn(u64) -> String,
) -> Html {
    let until = (position + 1).saturating_sub(simulated.history_from) as usize;
    let shown = &simulated.history[..simulated.history.len().min(until)];
    let most =
        simulated.history.iter().flat_map(|second| curves.iter().map(|(.., value)| value(second))).max().unwrap_or(0).max(1);
    let line = |(class, _, value): &Curve| {
        html! { <polyline class={*class} points={points(shown, simulated.history_from, simulated.seconds_total, most, *value)} /> }
    };
    let key = |(class, name, value): &Curve| {
        let last = shown.last().map(|second| now(value(second).into())).unwrap_or_default();
        html! { <span class="curve-key"><i class={*class} aria-hidden="true"></i>{*name}{" "}<b class="num">{last}</b></span> }
    };
    let x = format!("{:.1}", f64::from(position) / f64::from(simulated.seconds_total.max(1)) * WIDTH);
    html! {
        <figure class="traffic-chart">
            <figcaption><h4>{title}</h4><span class="soft small num">{up_to(most.into())}</span></figcaption>
            <svg role="img" aria-label={title} viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none">
                { for curves.iter().map(line) }
                <line class="now" x1={x.clone()} x2={x} y1="0" y2={HEIGHT.to_string()} />
            </svg>
            <p class="curve-keys small">{ for curves.iter().map(key) }</p>
        </figure>
    }
}

/// Returns the points of a curve. Of several seconds at one point, the largest value counts.
fn points(history: &[SimulationSecond], from: u32, total: u32, most: u32, value: fn(&SimulationSecond) -> u32) -> String {
    let step = (total as usize).div_ceil(POINTS_MAX).max(1);
    let point = |(at, seconds): (usize, &[SimulationSecond])| {
        let highest = seconds.iter().map(value).max().unwrap_or(0);
        let x = (f64::from(from) + (at * step) as f64) / f64::from(total.max(1)) * WIDTH;
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
        let points = points(&history, 0, 600, 50, |second| second.all.arrived);
        assert_eq!(points.split(' ').count(), POINTS_MAX + 1);
        assert!(points.contains("300.0,0.0 "), "{points}");
    }
}
