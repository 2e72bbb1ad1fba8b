//! The bytes that both tables of a migration store while events arrive, as curves.

use alloc::vec;
use alloc::vec::Vec;

use tabletop_keys::{bytes, thousands};
use tabletop_protocol::migration::{MigratedTable, MigrationChunk, MigrationStage};
use tabletop_texts::messages;

use crate::charts::{AxesChart, Series};

/// The maximum number of points of a curve.
const POINTS_MAX: usize = 64;
/// Events between two points at first.
const EVENTS_APART: u64 = 200;

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

    /// Returns the chart of both tables and of their sum; `None` for fewer than two points.
    pub fn chart(&self) -> Option<AxesChart> {
        if self.list.len() < 2 {
            return None;
        }
        let says = &messages().profiles.migration;
        Some(AxesChart {
            title: says.chart.into(),
            axes: says.axes,
            texts: [|value| thousands(value as u64), |value| bytes(value as u64)],
            series: vec![
                self.series(says.both, 0, |sample| sample.old + sample.new),
                self.series(says.old, 1, |sample| sample.old),
                self.series(says.new, 2, |sample| sample.new),
            ],
            level: None,
        })
    }

    fn series(&self, name: &str, color: usize, of: fn(&Sample) -> u64) -> Series {
        let point = |sample: &Sample| {
            let stored = of(sample) as f64;
            [sample.arrived as f64, stored, stored, stored]
        };
        Series { name: name.into(), color, points: self.list.iter().map(point).collect(), line: None }
    }
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
