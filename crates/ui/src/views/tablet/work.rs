//! Write and read amplification: their current values, and how they grew while the view was open.

use tabletop_texts::messages;
use tabletop_views::tablets::words::{read_amplification, write_amplification};
use yew::{Html, html};

use crate::page::state::{InsideLook, PageState, Sample};

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 80.0;

/// Draws both figures with what they mean, and the curves.
pub fn amplification(state: &PageState) -> Html {
    let (says, table) = (&messages().inside.work, &state.view.table);
    let figures = [
        ("written", says.written, write_amplification(&table.work), says.written_about),
        ("read", says.read, read_amplification(table), says.read_about),
    ];
    let figure = |(class, name, value, about): (&'static str, &'static str, String, &'static str)| {
        html! { <div class={class}><dt>{name}</dt><dd class="num">{value}</dd><dd class="soft small">{about}</dd></div> }
    };
    html! {
        <section class="inside-work" aria-labelledby="inside-work-title">
            <h3 id="inside-work-title">{says.title}</h3>
            <dl>{ for figures.map(figure) }</dl>
            { chart(&state.look.part::<InsideLook>().samples, state.view.events_total) }
        </section>
    }
}

/// Draws the curves over the events, once there are two samples.
fn chart(samples: &[Sample], total: u32) -> Html {
    let says = &messages().inside.work;
    let (Some(first), Some(last)) = (samples.first(), samples.last().filter(|_| samples.len() > 1)) else {
        return html! { <p class="soft small">{says.chart_about}</p> };
    };
    let most = samples.iter().map(|sample| sample.written.max(sample.read)).fold(1.0, f64::max);
    let curve = |value: fn(&Sample) -> f64| points(samples, total, most, value);
    let name = (says.chart)(first.events, last.events);
    html! {
        <figure class="inside-chart">
            <svg role="img" aria-label={name.clone()} viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none">
                <line class="one" x1="0" x2={WIDTH.to_string()} y1={format!("{:.1}", HEIGHT * (1.0 - 1.0 / most))} y2={format!("{:.1}", HEIGHT * (1.0 - 1.0 / most))} />
                <polyline class="written" points={curve(|sample| sample.written)} />
                <polyline class="read" points={curve(|sample| sample.read)} />
            </svg>
            <figcaption class="soft small">{name}</figcaption>
        </figure>
    }
}

/// Returns the points of a curve.
fn points(samples: &[Sample], total: u32, most: f64, value: fn(&Sample) -> f64) -> String {
    let x = |sample: &Sample| f64::from(sample.events) / f64::from(total.max(1)) * WIDTH;
    let y = |sample: &Sample| HEIGHT - value(sample) / most * HEIGHT;
    samples.iter().map(|sample| format!("{:.1},{:.1} ", x(sample), y(sample))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_from_left_to_right_and_up() {
        let samples =
            [(0, 0.0), (50, 1.0), (100, 2.0)].map(|(events, written)| Sample { events, written, read: 0.0 });
        assert_eq!(points(&samples, 100, 2.0, |sample| sample.written), "0.0,80.0 300.0,40.0 600.0,0.0 ");
        assert_eq!(points(&samples[..1], 0, 2.0, |sample| sample.read), "0.0,80.0 ");
    }
}
