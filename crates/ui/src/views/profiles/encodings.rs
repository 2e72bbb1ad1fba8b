//! The encodings of values, as the experiment has compared them.

use tabletop_keys::{LayoutKind, bytes, rate};
use tabletop_protocol::experiment::{EncodingFigures, ExperimentReport};
use tabletop_texts::messages;
use yew::{Html, html};

use crate::kit::{Row, Table, columns};

/// Draws the figures of each encoding, for both kinds of values.
pub fn encodings(report: &ExperimentReport) -> Html {
    let Some(first) = report.encodings.first() else { return html! {} };
    let says = &messages().profiles.experiment.encodings;
    html! {
        <>
            <h4>{says.title}</h4>
            <p class="soft small">{(says.about)(first.events)}</p>
            { Table::new(columns(says.heads, 2..6), report.encodings.iter().map(line)).within("profiles-events", says.title) }
        </>
    }
}

fn line(figures: &EncodingFigures) -> Row {
    let says = &messages().profiles.experiment.encodings;
    let values = if figures.layout == LayoutKind::Narrow { says.counts } else { says.events };
    let each = |all: f64| rate(all / figures.events.max(1) as f64);
    let numbers = [
        bytes(figures.compressed.bytes_of(figures.events) as u64),
        each(figures.compressed.value_bytes as f64),
        each(figures.encode_micros.median),
        each(figures.decode_micros.median),
    ];
    Row::named(figures.encoding.name()).cell(values).cells(numbers).cell((says.read_by)(figures.encoding))
}
