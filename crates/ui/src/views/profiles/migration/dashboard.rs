//! The figures of a migration: the stream's latencies, both tables, and the bytes that they store
//! while events arrive.

use tabletop_keys::{bytes, thousands, time};
use tabletop_protocol::migration::{MigratedTable, MigrationChunk};
use tabletop_texts::messages;
use tabletop_texts::numbers::duration;
use tabletop_views::profiles::Samples;
use yew::{Html, html};

use crate::kit::{Cell, Column, Row, Table, figures, picture};

/// Characters of a date.
const DATE: usize = 10;

/// Draws all figures.
pub fn dashboard(chunk: &MigrationChunk, samples: &Samples) -> Html {
    let (says, stream) = (&messages().profiles.migration, &chunk.stream);
    let latency = |micros: Option<u64>| micros.map_or("–".into(), duration);
    let times = match (stream.p99_before.filter(|before| *before > 0), stream.p99) {
        (Some(before), Some(now)) => format!(" ({:.1}×)", now as f64 / before as f64),
        _ => String::new(),
    };
    let list = [
        (says.arrived, thousands(stream.arrived)),
        (says.now, time::format(stream.now).chars().take(DATE).collect()),
        (says.p99_alone, latency(stream.p99_alone)),
        (says.p99_before, latency(stream.p99_before)),
        (says.p99, latency(stream.p99) + &times),
    ];
    html! {
        <>
            <dl class="stats">{ figures(&list) }</dl>
            <p class="soft small">{says.p99_about}</p>
            <h4>{says.tables}</h4>
            { tables(chunk) }
            { chart(samples) }
        </>
    }
}

fn tables(chunk: &MigrationChunk) -> Html {
    let says = &messages().profiles.migration;
    let both = [&chunk.old, &chunk.new];
    let number = |is_exact: bool, number: u64| {
        if is_exact { thousands(number) } else { (says.about_number)(&thousands(number)) }
    };
    let counted = |count: fn(&MigratedTable) -> u64| {
        both.map(|table| {
            table.as_ref().map_or("–".to_owned(), |table| number(table.is_exact, count(table)))
        })
    };
    let text =
        |text: fn(&MigratedTable) -> String| both.map(|table| table.as_ref().map_or("–".to_owned(), text));
    let gone = |table: &MigratedTable| table.removed.map_or("–".to_owned(), thousands);
    let lines = [
        (says.rows.to_owned(), counted(|table| table.rows)),
        (says.cells.to_owned(), counted(|table| table.cells)),
        (says.bytes.to_owned(), text(|table| bytes(table.bytes))),
        (says.amplification.to_owned(), text(|table| format!("{:.1}×", table.work.write_amplification()))),
        ((says.removed)(chunk.retention_days), text(gone)),
    ];
    let line = |(name, values): (String, [String; 2])| Row::named(name).cells(values);
    let are_exact = both.iter().all(|table| table.as_ref().is_none_or(|table| table.is_exact));
    let missing = chunk
        .missing
        .map(|missing| Row::named(says.missing).cell(Cell::from(number(are_exact, missing)).across(2)));
    let columns = std::iter::once(Column::unnamed()).chain(says.heads.map(Column::number));
    Table::new(columns, lines.map(line).into_iter().chain(missing))
        .class("migration-tables")
        .label(says.tables)
        .draw()
}

fn chart(samples: &Samples) -> Html {
    match samples.chart() {
        Some(chart) => {
            html! { <figure class="experiment-chart migration-chart">{ picture(&chart.scene()) }</figure> }
        }
        None => html! {},
    }
}
