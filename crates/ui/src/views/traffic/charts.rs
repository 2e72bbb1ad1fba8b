//! Latency and throughput over time, and the figures of each stream.

use tabletop_protocol::{SimulationSecond, StreamSecond, StreamTotals};
use tabletop_texts::messages;
use tabletop_texts::numbers::thousands;
use tabletop_views::charts::{Curve, Curves, Scale};
use tabletop_views::scene::Paint;
use tabletop_views::traffic::Simulated;
use yew::{Callback, Html, html};

use crate::kit::{Label, Row, Table, columns, figure, select};

/// Latencies include at least the network's millisecond.
const LATENCY_FROM: Scale = Scale::LogFrom(1_000);

/// Draws both charts up to `position`: of all streams, or of the one with this number, from 1.
pub fn charts(simulated: &Simulated, position: u32, of: usize, on_of: Callback<usize>) -> Html {
    let says = &messages().traffic.charts;
    let latency: [Curve<StreamSecond>; 4] = [
        Curve::new(Paint::Part(1), says.p50, |second| second.latency_micros[0]),
        Curve::new(Paint::Part(3), says.p95, |second| second.latency_micros[1]),
        Curve::new(Paint::Part(2), says.p99, |second| second.latency_micros[2]),
        Curve::new(Paint::Soft, says.max, |second| second.latency_micros[3]),
    ];
    let throughput: [Curve<StreamSecond>; 3] = [
        Curve::new(Paint::Part(3), says.arrived, |second| second.arrived),
        Curve::new(Paint::Part(1), says.answered, |second| second.answered),
        Curve::new(Paint::Hot, says.expired, |second| second.expired),
    ];
    let names: Vec<&str> =
        [says.all].into_iter().chain(simulated.streams.iter().map(String::as_str)).collect();
    let of = of.min(names.len() - 1);
    let history = of_stream(&simulated.history, of);
    let chart = |title, curves: &[Curve<StreamSecond>], scale, up_to, now| {
        let (history_from, seconds) = (simulated.history_from, 0..simulated.seconds_total);
        figure(
            &Curves { title, curves, history: &history[..], history_from, seconds, position, scale },
            up_to,
            now,
        )
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

/// Returns the seconds of all streams, or of the one with this number, from 1.
fn of_stream(history: &[SimulationSecond], of: usize) -> Vec<StreamSecond> {
    let second = |second: &SimulationSecond| match of.checked_sub(1) {
        Some(stream) => second.streams.get(stream).copied().unwrap_or_default(),
        None => second.all,
    };
    history.iter().map(second).collect()
}

/// Draws a table of what was measured up to the position shown, for each stream.
pub fn totals(simulated: &Simulated, position: u32) -> Html {
    let says = &messages().traffic.charts;
    let line = |totals: &StreamTotals| {
        let name = if totals.name.is_empty() { says.all.to_owned() } else { totals.name.clone() };
        let counts = [totals.arrived, totals.answered, totals.expired, totals.refused];
        Row::named(name).cells(counts.map(thousands)).cells(totals.latency_micros.map(says.micros))
    };
    let heads = [
        says.stream,
        says.arrived,
        says.answered,
        says.expired,
        says.refused,
        says.p50,
        says.p95,
        says.p99,
        says.max,
    ];
    let (until, all) = match simulated.moment(position) {
        Some(moment) => (moment.second, &moment.totals),
        None => (simulated.seconds, &simulated.totals),
    };
    Table::new(columns(heads, 1..9), all.iter().map(line))
        .caption("soft small", (says.totals_until)(until))
        .within("traffic-totals", says.totals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curves_of_a_stream_are_its_own() {
        let of = |arrived| StreamSecond { arrived, ..StreamSecond::default() };
        let history =
            [SimulationSecond { all: of(5), streams: vec![of(2), of(3)], ..SimulationSecond::default() }];
        assert_eq!([0, 1, 2, 3].map(|at| of_stream(&history, at)[0].arrived), [5, 2, 3, 0]);
    }
}
