//! The counts of one table.

use std::collections::BTreeMap;

use tabletop_advice::{Advice, Diagnosis};
use tabletop_cluster::{CostModel, Medium};
use tabletop_heat::{
    Busiest, Evidence, FirstSeen, Heat, KeyGrowth, Latencies, Peak, Recent, RowId, Sample, Thresholds, Touch,
    diagnose,
};
use tabletop_model::{RowKey, TableView, Timestamp};
use tabletop_protocol::{
    HISTORY_SECONDS_MAX, HeatColumns, HeatMetric, LiveHave, LiveSecond, StreamSecond, TabletPlaced,
};
use tabletop_workspace::ClusterThresholds;
use xxhash_rust::xxh3::xxh3_64;

use super::rows::Rows;
use super::tablet_rates::TabletRates;

/// A second in microseconds.
const SECOND: i64 = 1_000_000;
/// After a longer pause, for example because the machine slept, counting starts over.
const PAUSE_MAX: u32 = 3_600;
/// The maximum number of past positions of tablets that are kept.
const PLACES_MAX: usize = 20_000;
/// The number of seconds over which the rates of a table are averaged.
const RATE_SECONDS: usize = 10;

/// A row in a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowTouch<'a> {
    /// The row's key.
    pub key: &'a [u8],
    /// Whether the row was written.
    pub is_write: bool,
    /// Bytes that were read and written.
    pub bytes: u64,
    /// The time of a node's core that it takes, in nanoseconds.
    pub nanos: u64,
}

/// The counts of one table.
pub(crate) struct TableCounts {
    epoch: u64,
    began: Timestamp,
    used: Timestamp,
    heat: Heat,
    sample: Sample,
    rows: Rows,
    is_primed: bool,
    /// The keys of the busiest rows of the last seconds.
    peak_keys: BTreeMap<RowId, RowKey>,
    second: LiveSecond,
    latencies: Latencies,
    history: Recent<LiveSecond>,
    places: Recent<TabletPlaced>,
    /// The number of each tablet, by its ID.
    placed: BTreeMap<u64, u32>,
    /// The number of tablets so far.
    tablets: u32,
    tablet_rates: TabletRates,
}

impl TableCounts {
    /// Begins to count.
    pub fn new(epoch: u64, now: Timestamp) -> TableCounts {
        TableCounts {
            epoch,
            began: now,
            used: now,
            heat: Heat::new(&[RowKey::default()], CostModel::on(Medium::Ssd).cores),
            sample: Sample::default(),
            rows: Rows::default(),
            is_primed: false,
            peak_keys: BTreeMap::new(),
            second: LiveSecond::default(),
            latencies: Latencies::default(),
            history: Recent::new(HISTORY_SECONDS_MAX as usize),
            places: Recent::new(PLACES_MAX),
            placed: BTreeMap::new(),
            tablets: 0,
            tablet_rates: TabletRates::default(),
        }
    }

    /// Returns the identifier of this counter.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns when counting began.
    pub fn began(&self) -> Timestamp {
        self.began
    }

    /// Returns the number of complete seconds.
    pub fn seconds(&self) -> u32 {
        self.heat.seconds()
    }

    /// Returns when the counts were last used.
    pub fn used(&self) -> Timestamp {
        self.used
    }

    /// Records that the counts are used.
    pub fn use_at(&mut self, now: Timestamp) {
        self.used = self.used.max(now);
    }

    /// Returns whether the pause since the last second is short enough to continue.
    pub fn is_continued(&self, now: Timestamp) -> bool {
        self.second_of(now).saturating_sub(self.seconds()) <= PAUSE_MAX
    }

    fn second_of(&self, now: Timestamp) -> u32 {
        u32::try_from(now.saturating_sub(self.began).max(0) / SECOND).unwrap_or(u32::MAX)
    }

    /// Completes the seconds that have passed. A clock that goes backwards completes none.
    pub fn advance(&mut self, now: Timestamp) {
        if !self.is_continued(now) {
            return;
        }
        for _ in self.seconds()..self.second_of(now) {
            self.end_second();
        }
    }

    fn end_second(&mut self) {
        self.heat.end_second(self.rows.busiest());
        let peak = self.heat.peaks().last().and_then(|peak| peak.row);
        if let Some((row, key)) = peak.and_then(|row| Some((row, self.rows.key(row)?))) {
            self.peak_keys.insert(row, key.clone());
        }
        let last: Vec<RowId> = self.heat.peaks().filter_map(|peak| peak.row).collect();
        self.peak_keys.retain(|row, _| last.contains(row));
        self.rows.clear();
        let mut second = std::mem::take(&mut self.second);
        second.calls.latency_micros = self.latencies.take();
        self.history.push(second);
        if self.sample.outgrows(self.heat.starts(), self.heat.seconds()) {
            self.heat.divide_again(&self.sample, |row| self.peak_keys.get(&row).cloned());
        }
    }

    /// Counts a row.
    pub fn count(&mut self, touch: &RowTouch) {
        let RowTouch { key, is_write, bytes, nanos } = *touch;
        let (second, row) = (self.seconds(), RowId(xxh3_64(key)));
        let touch =
            Touch { bucket: self.heat.bucket_of(key), is_write, row: Some(row), bytes, nanos, rows: 1 };
        let (load, is_new) = self.rows.add(row, key, second, &touch);
        if is_new {
            let seen = if is_write { FirstSeen::Written(second) } else { FirstSeen::Read(second) };
            self.sample.note(key, row.0, seen);
        }
        self.heat.count(&load, &touch);
        if is_write {
            self.second.writes = self.second.writes.saturating_add(1);
        } else {
            self.second.reads = self.second.reads.saturating_add(1);
            self.heat.note_row_bytes(touch.bucket, bytes);
        }
        self.second.bytes = self.second.bytes.saturating_add(bytes);
    }

    /// Counts work near a key that does not belong to a row.
    pub fn add_work(&mut self, key: &[u8], nanos: u64) {
        self.heat.add_work(self.heat.bucket_of(key), nanos);
    }

    /// Counts a call that has ended and whose first row has this key.
    pub fn end_call(&mut self, key: &[u8], micros: u64, is_refused: bool) {
        let StreamSecond { arrived, answered, refused, .. } = &mut self.second.calls;
        *arrived += 1;
        if is_refused {
            *refused += 1;
        } else {
            *answered += 1;
            self.latencies.add(micros);
            self.heat.answer(self.heat.bucket_of(key), micros);
        }
    }

    /// Returns true once: the caller then looks up the rows that exist.
    pub fn begin_priming(&mut self) -> bool {
        !std::mem::replace(&mut self.is_primed, true)
    }

    /// Records rows that existed before counting began.
    pub fn prime(&mut self, keys: &[RowKey]) {
        keys.iter().for_each(|key| self.sample.note(key, xxh3_64(key), FirstSeen::Before));
    }

    /// Returns the approximate bytes of memory in use.
    pub fn memory_bytes(&self) -> usize {
        self.heat.memory_bytes()
            + self.sample.memory_bytes()
            + self.history.iter().len() * size_of::<LiveSecond>()
    }

    /// Returns the rows read and written per second.
    pub fn rates(&self) -> (f32, f32) {
        let last = || self.history.iter().rev().take(RATE_SECONDS);
        let mean = |of: fn(&LiveSecond) -> u32| {
            last().map(|second| of(second) as f32).sum::<f32>() / last().len().max(1) as f32
        };
        (mean(|second| second.reads), mean(|second| second.writes))
    }

    /// Averages the rates of tablets over the same seconds as the rates of the table.
    pub fn set_tablet_rates(&mut self, view: &mut TableView) {
        let (second, rates) = (self.seconds(), self.rates());
        self.tablet_rates.apply(second, RATE_SECONDS as u32, rates, &mut view.tablets);
    }

    /// Records where the tablets are now.
    pub fn note_places(&mut self, view: &TableView) {
        let second = self.seconds();
        let mut gone = std::mem::take(&mut self.placed);
        for tablet in &view.tablets {
            let number = gone.remove(&tablet.id.0).unwrap_or_else(|| {
                self.places.push(TabletPlaced {
                    second,
                    tablet: self.tablets,
                    start: tablet.start.clone(),
                    node: Some(0),
                });
                self.tablets += 1;
                self.tablets - 1
            });
            self.placed.insert(tablet.id.0, number);
        }
        for (_, tablet) in gone {
            self.places.push(TabletPlaced { second, tablet, start: RowKey::default(), node: None });
        }
    }

    /// Returns the number of the first second, and the seconds of the history that a client at
    /// `have` is missing.
    pub fn history_since(&self, have: &LiveHave) -> (u32, Vec<LiveSecond>) {
        self.history.since(have.seconds)
    }

    /// Returns the positions of tablets that a client at `have` is missing.
    pub fn places_since(&self, have: &LiveHave) -> Vec<TabletPlaced> {
        self.places.since(have.places).1
    }

    /// Returns the columns that a client at `revision` is missing.
    pub fn columns_since(&self, revision: u32, metric: HeatMetric) -> HeatColumns {
        self.heat.columns_since(revision, metric)
    }

    /// Returns the problems that the counts show.
    pub fn diagnoses(&self) -> Vec<Diagnosis> {
        let peaks: Vec<Peak> = self.heat.peaks().collect();
        let key = peaks.last().and_then(|peak| self.peak_keys.get(&peak.row?));
        let busiest = key.map(|key| Busiest { key: key.clone(), events: 0 });
        diagnose(&Evidence {
            columns: self.heat.columns(),
            starts: self.heat.starts(),
            cores: self.heat.cores().into(),
            cpu_target: ClusterThresholds::default().cpu_target,
            peaks: &peaks,
            busiest: busiest.as_ref(),
            seconds: &[],
            failure: None,
            rows: Some(self.sample.rows() as f64),
            growth: KeyGrowth::Everywhere(self.sample.grows(self.seconds())),
            advice: &Advice::default(),
            template: None,
            thresholds: Thresholds::TESTS,
        })
    }
}

#[cfg(test)]
mod tests;
