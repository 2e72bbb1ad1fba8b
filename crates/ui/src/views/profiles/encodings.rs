//! The encodings of values, as the experiment has compared them.

use tabletop_keys::{LayoutKind, bytes, rate};
use tabletop_protocol::experiment::{EncodingFigures, ExperimentReport};
use tabletop_texts::messages;
use yew::{Html, html};

/// Draws the figures of each encoding, for both kinds of values.
pub fn encodings(report: &ExperimentReport) -> Html {
    let Some(first) = report.encodings.first() else { return html! {} };
    let says = &messages().profiles.experiment.encodings;
    html! {
        <>
            <h4 id="profiles-encodings-title">{says.title}</h4>
            <p class="soft small">{(says.about)(first.events)}</p>
            <div class="profiles-events" tabindex="0" role="region" aria-labelledby="profiles-encodings-title">
                <table>
                    <thead><tr>{ for says.heads.iter().map(|head| html! { <th scope="col">{*head}</th> }) }</tr></thead>
                    <tbody>{ for report.encodings.iter().map(line) }</tbody>
                </table>
            </div>
        </>
    }
}

fn line(figures: &EncodingFigures) -> Html {
    let says = &messages().profiles.experiment.encodings;
    let values = if figures.layout == LayoutKind::Narrow { says.counts } else { says.events };
    let each = |all: f64| rate(all / figures.events.max(1) as f64);
    let numbers = [
        bytes(figures.stored_bytes),
        each(figures.compressed.value_bytes as f64),
        each(figures.encode_micros.median),
        each(figures.decode_micros.median),
    ];
    html! {
        <tr>
            <th scope="row">{figures.encoding.name()}</th>
            <td>{values}</td>
            { for numbers.map(|number| html! { <td class="num">{number}</td> }) }
            <td>{(says.read_by)(figures.encoding)}</td>
        </tr>
    }
}
