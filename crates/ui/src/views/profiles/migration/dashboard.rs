//! The figures of a migration: the stream's latencies, both tables, and the bytes that they store
//! while events arrive.

use tabletop_keys::{bytes, thousands, time};
use tabletop_protocol::migration::{MigratedTable, MigrationChunk, MigrationStage};
use tabletop_texts::messages;
use tabletop_texts::numbers::duration;
use tabletop_views::charts::{AxesChart, Series};
use yew::{Html, html};

use crate::kit::{Cell, Column, Row, Table, figures, picture};

/// The most points of a curve.
const POINTS_MAX: usize = 64;
/// Events between two points at first.
const EVENTS_APART: u64 = 200;
/// Characters of a date.
const DATE: usize = 10;

/// The bytes stored at several points in time.
#[derive(Debug, Default)]
pub struct Samples {
    list: Vec<Sample>,
    /// How many times the points were thinned out by half.
    thinned: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    arrived: u64,
    stage: Option<MigrationStage>,
    old: u64,
    new: u64,
}

impl Samples {
    /// Adds the current figures, if enough events have arrived, or the stage has changed.
    pub fn add(&mut self, chunk: &MigrationChunk) {
        let stored = |table: &Option<MigratedTable>| table.map_or(0, |table| table.bytes);
        let now = Sample {
            arrived: chunk.stream.arrived,
            stage: chunk.stage,
            old: stored(&chunk.old),
            new: stored(&chunk.new),
        };
        let apart = EVENTS_APART << self.thinned.min(40);
        let is_due = |last: &Sample| now.arrived >= last.arrived + apart || now.stage != last.stage;
        if self.list.last().is_some_and(|last| !is_due(last)) {
            return;
        }
        self.list.push(now);
        if self.list.len() > POINTS_MAX {
            let mut at = 0;
            self.list.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.thinned += 1;
        }
    }

    fn series(&self, name: &str, color: usize, of: fn(&Sample) -> u64) -> Series {
        let point = |sample: &Sample| {
            let stored = of(sample) as f64;
            [sample.arrived as f64, stored, stored, stored]
        };
        Series { name: name.into(), color, points: self.list.iter().map(point).collect(), line: None }
    }
}

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
    if samples.list.len() < 2 {
        return html! {};
    }
    let says = &messages().profiles.migration;
    let chart = AxesChart {
        title: says.chart.into(),
        axes: says.axes,
        texts: [|value| thousands(value as u64), |value| bytes(value as u64)],
        series: vec![
            samples.series(says.both, 0, |sample| sample.old + sample.new),
            samples.series(says.old, 1, |sample| sample.old),
            samples.series(says.new, 2, |sample| sample.new),
        ],
        level: None,
    };
    html! { <figure class="experiment-chart migration-chart">{ picture(&chart.scene()) }</figure> }
}

#[cfg(test)]
mod tests {
    use tabletop_protocol::migration::{MigrationStream, MigrationVisit};

    use super::*;

    fn chunk(arrived: u64, stage: Option<MigrationStage>) -> MigrationChunk {
        MigrationChunk {
            visit: MigrationVisit { is_stored: true, is_resumed: false },
            designs: ["a".into(), "b".into()],
            stream: MigrationStream { arrived, ..MigrationStream::default() },
            retention_days: 90,
            stage,
            copied: 0,
            dual_written: 0,
            compared: 0,
            share: None,
            after: "".into(),
            difference: None,
            new_fields: vec![],
            old: Some(MigratedTable { bytes: arrived, ..MigratedTable::default() }),
            new: None,
            missing: None,
        }
    }

    #[test]
    fn points_are_thinned_out_and_each_change_of_the_stage_has_one() {
        let mut samples = Samples::default();
        (0..100_000).step_by(50).for_each(|arrived| samples.add(&chunk(arrived, None)));
        let count = samples.list.len();
        assert!((POINTS_MAX / 2..=POINTS_MAX).contains(&count), "{count}");
        assert!(samples.list.is_sorted_by(|a, b| a.arrived < b.arrived));
        let last = samples.list.last().expect("a point").arrived;
        samples.add(&chunk(last, None));
        samples.add(&chunk(last, Some(MigrationStage::DualWrites)));
        assert_eq!(
            samples.list.last().map(|sample| (sample.stage, sample.old, sample.new)),
            Some((Some(MigrationStage::DualWrites), last, 0))
        );
        assert_eq!(samples.list.len(), count + 1);
    }
}
