//! The problems that the traffic shows: a pure function of the heatmap, the history and the advice
//! on the design.
//!
//! Except for waves, only the last seconds are considered. All thresholds are Tabletop's own. Even
//! traffic has no diagnosis, and a change of the design is offered only if it fixes the problem.

mod nodes;
mod waves;
mod writes;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_advice::{Advice, Diagnosis, DiagnosisKind, Symptom, WarningKind, WaveNodes, salt_fix};
use tabletop_keys::Template;
use tabletop_model::RowKey;
use tabletop_protocol::SimulationSecond;

use crate::growth::Growth;
use crate::heat::{Column, Peak, RowId};
use nodes::{Explained, failed_node, nodes_that_lag, tablet_at_peaks};
use waves::{Wave, wave};
use writes::{sequential, sequential_prefix};

/// The share of the requests that a hot row, or a hot range of keys, must have.
const HOT_ROW: f64 = 0.1;
const HOT_RANGE: f64 = 0.25;
/// Before this many seconds, keys that are written in their order look like a hot range.
const HOT_RANGE_SECONDS: f64 = 4.0;
/// A hot range has this many times its share of the rows.
const HOT_TIMES: f64 = 5.0;
/// The share of a node at which the load of a row is a problem, and a serious one.
const PRESSURE: [f64; 2] = [0.5, 0.8];
/// The recommended maximum of a row's bytes, and the size above which it cannot be read whole.
const ROW_BYTES: [u32; 2] = [100_000_000, 256 << 20];
/// With fewer parts of the keys than this, few places are not a pattern.
const BUCKETS_MIN: usize = 32;
/// Thresholds above which a traffic pattern counts as a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// The number of last seconds to consider.
    pub seconds: usize,
    /// The smallest load of a hot row, as a share of a node; below that it does no harm.
    pub hot_row_node_share: f64,
    /// Whether a hot row is the one with the most requests of these seconds. Otherwise, it is the
    /// busiest row of the last second, so that it is not hot any more once its requests end.
    pub hot_row_of_all_seconds: bool,
    /// The smallest load of a hot range of keys, as a share of a node.
    pub hot_range_node_share: f64,
    /// Fewer writes than this say nothing about their places.
    pub writes_min: u32,
    /// The number of seconds that are taken together, at most, to have that number of writes.
    pub span_seconds_max: u32,
    /// Fewer requests than this in these seconds show neither a hot row nor a hot range.
    pub requests_min: f64,
    /// With fewer parts of the keys than this, a hot range is not a pattern.
    pub range_buckets_min: usize,
}

impl Thresholds {
    /// Thresholds for nodes with real traffic.
    pub const NODES: Thresholds = Thresholds {
        seconds: 20,
        hot_row_node_share: 0.05,
        hot_row_of_all_seconds: false,
        hot_range_node_share: 0.1,
        writes_min: 100,
        span_seconds_max: 1,
        requests_min: 0.0,
        range_buckets_min: 0,
    };
    /// Thresholds for a log of requests, which may be a sample, and for a server on a developer's
    /// machine: both have the same keys as real traffic, but fewer requests.
    pub const TESTS: Thresholds = Thresholds {
        seconds: 60,
        hot_row_node_share: 0.0,
        hot_row_of_all_seconds: false,
        hot_range_node_share: 0.0,
        writes_min: 20,
        span_seconds_max: 20,
        requests_min: 200.0,
        range_buckets_min: BUCKETS_MIN,
    };
}

/// The evidence for diagnoses.
pub struct Evidence<'a> {
    /// The heatmap.
    pub columns: &'a [Column],
    /// The first key of each part of the heatmap.
    pub starts: &'a [RowKey],
    /// The cores of a node.
    pub cores: f64,
    /// The share of its cores that a node should use.
    pub cpu_target: f64,
    /// The busiest row of each of the last seconds.
    pub peaks: &'a [Peak],
    /// The busiest row of the last second, if its key is known.
    pub busiest: Option<&'a Busiest>,
    /// The last seconds of the cluster; empty if there is no cluster.
    pub seconds: &'a [&'a SimulationSecond],
    /// The node that failed last, and the seconds since then.
    pub failure: Option<(String, u32)>,
    /// The approximate number of rows of the table, if only a row with far more requests than an
    /// average one may count as hot.
    pub rows: Option<f64>,
    /// Where keys are written in their order.
    pub growth: KeyGrowth<'a>,
    /// The advice on the design by its events.
    pub advice: &'a Advice,
    /// The template of the design.
    pub template: Option<&'a Template>,
    /// The thresholds.
    pub thresholds: Thresholds,
}

/// Where keys are written in their order.
#[derive(Clone, Copy)]
pub enum KeyGrowth<'a> {
    /// In the whole table, or nowhere.
    Everywhere(bool),
    /// In some parts of the keys.
    OfParts(&'a Growth),
}

impl KeyGrowth<'_> {
    /// Returns whether keys are written in their order in the parts `[from, until)`.
    fn is_in(self, from: usize, until: usize) -> bool {
        match self {
            KeyGrowth::Everywhere(grows) => grows,
            KeyGrowth::OfParts(growth) => growth.is_in(from, until),
        }
    }
}

/// The row with the most requests in a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Busiest {
    /// The key of the row.
    pub key: RowKey,
    /// The number of its events.
    pub events: usize,
}

/// Returns the problems, the most serious first.
pub fn diagnose(evidence: &Evidence) -> Vec<Diagnosis> {
    let recent = &evidence.columns[evidence.columns.len().saturating_sub(evidence.thresholds.seconds)..];
    if recent.is_empty() {
        return Vec::new();
    }
    let sums = Sums::of(recent, evidence.starts.len());
    let hot_row = hot_row(evidence, &sums);
    let sequential = sequential(evidence, recent, &sums);
    let prefix = if hot_row.is_some() || sequential.is_some() {
        None
    } else {
        sequential_prefix(evidence, recent, &sums).or_else(|| hot_range(evidence, &sums))
    };
    let places = [
        hot_row,
        sequential,
        prefix,
        pressure(&sums.read_pressure, evidence, DiagnosisKind::ReadPressure),
        pressure(&sums.write_pressure, evidence, DiagnosisKind::WritePressure),
    ];
    let failed = failed_node(evidence);
    let explained = Explained {
        by_keys: places.iter().flatten().any(|diagnosis| diagnosis.is_serious),
        by_failure: failed.is_some(),
        undivided: places.iter().flatten().map(|found| undivided(&found.symptom, &sums)).fold(0.0, f64::max),
    };
    let waves = periodic(evidence, explained.undivided);
    let others = [large_rows(&sums), waves, nodes_that_lag(evidence, &sums, explained), failed];
    let found = places.into_iter().chain(others);
    let mut diagnoses: Vec<Diagnosis> = found.flatten().collect();
    diagnoses.sort_by_key(|diagnosis| (!diagnosis.is_serious, diagnosis.kind()));
    diagnoses
}

/// Returns the share of all requests that one node gets, because no split divides them: those of a row,
/// or the writes to the end of a key or prefix that grows, where the tablets that a split makes stay on
/// the same node.
fn undivided(symptom: &Symptom, sums: &Sums) -> f64 {
    let of_writes = sums.writes / sums.all.max(1.0);
    match symptom {
        Symptom::HotRow { share, .. } => *share,
        Symptom::SequentialWrites { places, share, .. } => share / places.max(1.0) * of_writes,
        Symptom::SequentialPrefix { share, .. } => share * of_writes,
        _ => 0.0,
    }
}

/// What the parts of the keys received in the last seconds.
struct Sums {
    seconds: f64,
    /// The number of seconds that have requests.
    busy_seconds: f64,
    /// Requests by bucket.
    requests: Vec<f64>,
    all: f64,
    writes: f64,
    core_seconds: f64,
    /// The CPU load of the busiest of these seconds, in cores.
    cores_most: f64,
    row_bytes: Vec<u32>,
    /// The highest CPU load that a single row caused, in cores.
    read_pressure: Vec<f32>,
    write_pressure: Vec<f32>,
}

impl Sums {
    fn of(columns: &[Column], buckets: usize) -> Sums {
        let mut sums = Sums {
            seconds: columns.iter().map(|column| f64::from(column.seconds)).sum(),
            busy_seconds: 0.0,
            requests: vec![0.0; buckets],
            all: 0.0,
            writes: 0.0,
            core_seconds: 0.0,
            cores_most: 0.0,
            row_bytes: vec![0; buckets],
            read_pressure: vec![0.0; buckets],
            write_pressure: vec![0.0; buckets],
        };
        for column in columns {
            let all = sums.all;
            let core_seconds: f64 = column.cells.iter().map(|cell| f64::from(cell.core_seconds)).sum();
            sums.cores_most = sums.cores_most.max(core_seconds / f64::from(column.seconds));
            for (bucket, cell) in column.cells.iter().enumerate() {
                let requests = f64::from(cell.reads) + f64::from(cell.writes);
                sums.requests[bucket] += requests;
                sums.all += requests;
                sums.writes += f64::from(cell.writes);
                sums.core_seconds += f64::from(cell.core_seconds);
                sums.row_bytes[bucket] = sums.row_bytes[bucket].max(cell.row_bytes);
                sums.read_pressure[bucket] = sums.read_pressure[bucket].max(cell.row.read_cores);
                sums.write_pressure[bucket] = sums.write_pressure[bucket].max(cell.row.write_cores);
            }
            if sums.all > all {
                sums.busy_seconds += f64::from(column.seconds);
            }
        }
        sums
    }
}

/// Returns a bucket as a range.
fn at(bucket: usize) -> (u32, u32) {
    (bucket as u32, bucket as u32 + 1)
}

/// Returns the latest peak of the row that may be hot.
pub fn busiest_peak(peaks: &[Peak], thresholds: &Thresholds) -> Option<Peak> {
    let last = peaks.last().copied();
    if !thresholds.hot_row_of_all_seconds {
        return last;
    }
    let mut rows: Vec<(RowId, u32)> =
        peaks.iter().filter_map(|peak| Some((peak.row?, peak.requests))).collect();
    rows.sort_unstable();
    let of = |row: &[(RowId, u32)]| row.iter().map(|(_, requests)| u64::from(*requests)).sum::<u64>();
    let row = rows.chunk_by(|(one, _), (other, _)| one == other).max_by_key(|row| of(row))?[0].0;
    peaks.iter().rev().find(|peak| peak.row == Some(row)).copied().or(last)
}

fn hot_row(evidence: &Evidence, sums: &Sums) -> Option<Diagnosis> {
    let peaks = &evidence.peaks[evidence.peaks.len().saturating_sub(evidence.thresholds.seconds)..];
    let last = busiest_peak(peaks, &evidence.thresholds)?;
    let same = || peaks.iter().filter(|peak| peak.row == last.row && peak.row.is_some());
    let sum = |of: fn(&Peak) -> f64| same().map(of).sum::<f64>();
    let requests = sum(|peak| f64::from(peak.requests));
    // Peaks are kept of fewer seconds than columns, and only of seconds with requests.
    let seconds = peaks.len() as f64;
    let share = (requests / seconds) / (sums.all.max(1.0) / sums.busy_seconds.max(1.0));
    let node_share = sum(|peak| f64::from(peak.cores)) / seconds / evidence.cores;
    let Thresholds { hot_row_node_share, requests_min, .. } = evidence.thresholds;
    let is_like_others = evidence.rows.is_some_and(|rows| share * rows < HOT_TIMES);
    let is_little = sums.all < requests_min || requests < HOT_ROW * requests_min;
    if share < HOT_ROW || node_share < hot_row_node_share || is_little || is_like_others {
        return None;
    }
    let writes = sum(|peak| f64::from(peak.writes)) / requests;
    let (row, events) =
        evidence.busiest.map_or((None, 0), |busiest| (Some(busiest.key.clone()), busiest.events));
    // A longer key divides the events of a row; a single event stays one row, and reads of all its
    // events stay in one place.
    let helps = |kind| {
        matches!(kind, WarningKind::SharedKey | WarningKind::LowCardinalityPrefix | WarningKind::LargeRow)
    };
    let warnings =
        evidence.advice.warnings.iter().filter(|warning| events > 1 && writes > 0.5 && helps(warning.kind()));
    let fixes = warnings.flat_map(|warning| warning.fixes.iter().cloned()).collect();
    let symptom = Symptom::HotRow { row, share, per_second: requests / seconds, writes, node_share };
    Some(symptom.diagnosis(node_share >= PRESSURE[0], at(last.bucket.into()), fixes))
}

/// Finds neighbouring keys that have far more requests than rows.
fn hot_range(evidence: &Evidence, sums: &Sums) -> Option<Diagnosis> {
    let buckets = sums.requests.len() as f64;
    let is_hot = |bucket: &usize| sums.requests[*bucket] * buckets > HOT_TIMES * sums.all;
    let hot: Vec<usize> = (0..sums.requests.len()).filter(is_hot).collect();
    let of = |range: &[usize]| range.iter().map(|bucket| sums.requests[*bucket]).sum::<f64>();
    let ranges = hot.chunk_by(|one, other| one + 1 == *other);
    let range = ranges.max_by(|one, other| of(one).total_cmp(&of(other)))?;
    let (share, rows) = (of(range) / sums.all, range.len() as f64 / buckets);
    // The CPU load that these keys cause, compared with a node's capacity: one node serves them
    // until their tablets have split.
    let node_share = share * sums.core_seconds / sums.seconds / evidence.cores;
    let Thresholds { hot_range_node_share, requests_min, range_buckets_min, .. } = evidence.thresholds;
    let is_little = node_share < hot_range_node_share
        || sums.busy_seconds < HOT_RANGE_SECONDS
        || sums.all < requests_min
        || sums.requests.len() < range_buckets_min;
    if share < HOT_RANGE || share < HOT_TIMES * rows || is_little {
        return None;
    }
    let recent = &evidence.peaks[evidence.peaks.len().saturating_sub(evidence.thresholds.seconds)..];
    let peaks = recent.iter().filter(|peak| range.contains(&peak.bucket.into()));
    // A single row cannot be spread.
    if peaks.map(|peak| f64::from(peak.requests)).sum::<f64>() > of(range) / 2.0 {
        return None;
    }
    let (first, end) = (range[0], range[range.len() - 1] + 1);
    let end_key = evidence.starts.get(end).cloned().unwrap_or_default();
    let symptom = Symptom::HotPrefix { start: evidence.starts[first].clone(), end: end_key, share, rows };
    let fixes = evidence.template.and_then(salt_fix).into_iter().collect();
    Some(symptom.diagnosis(node_share >= PRESSURE[1], (first as u32, end as u32), fixes))
}

fn pressure(of_buckets: &[f32], evidence: &Evidence, kind: DiagnosisKind) -> Option<Diagnosis> {
    let (bucket, cores) = of_buckets.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1))?;
    let share = f64::from(*cores) / evidence.cores;
    let symptom = if kind == DiagnosisKind::ReadPressure {
        Symptom::ReadPressure(share)
    } else {
        Symptom::WritePressure(share)
    };
    (share >= PRESSURE[0]).then(|| symptom.diagnosis(share >= PRESSURE[1], at(bucket), Vec::new()))
}

fn large_rows(sums: &Sums) -> Option<Diagnosis> {
    let (bucket, bytes) = sums.row_bytes.iter().enumerate().max_by_key(|(_, bytes)| **bytes)?;
    let symptom = Symptom::LargeRows(u64::from(*bytes));
    (*bytes > ROW_BYTES[0]).then(|| symptom.diagnosis(*bytes > ROW_BYTES[1], at(bucket), Vec::new()))
}

fn periodic(evidence: &Evidence, undivided: f64) -> Option<Diagnosis> {
    let Wave { seconds, most, least, cores_per_request } = wave(evidence.columns)?;
    let nodes = |per_second: f64| {
        (libm::ceil(per_second * cores_per_request / evidence.cores / evidence.cpu_target) as u32).max(1)
    };
    let nodes = evidence.seconds.last().map(|second| WaveNodes {
        now: second.nodes.len() as u32,
        least: nodes(least),
        most: nodes(most),
    });
    let place = undivided * most * cores_per_request / evidence.cores;
    let tablet = tablet_at_peaks(evidence, seconds).max(if nodes.is_some() { place } else { 0.0 });
    let symptom = Symptom::PeriodicLoad { seconds, most, least, tablet, nodes };
    Some(symptom.diagnosis(false, (0, evidence.starts.len() as u32), Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heat::Cell;

    #[test]
    fn large_rows_are_found_by_their_bytes() {
        let of = |row_bytes| {
            let cell = Cell { reads: 100, row_bytes, ..Cell::default() };
            let columns = [Column::of_second(0, vec![Cell { reads: 100, ..Cell::default() }, cell])];
            let starts = [RowKey::default(), RowKey::from(&b"m"[..])];
            let (advice, peaks, seconds) = (Advice::default(), [], []);
            diagnose(&Evidence {
                columns: &columns,
                starts: &starts,
                cores: 4.0,
                cpu_target: 0.6,
                peaks: &peaks,
                busiest: None,
                seconds: &seconds,
                failure: None,
                rows: None,
                growth: KeyGrowth::Everywhere(false),
                advice: &advice,
                template: None,
                thresholds: Thresholds::NODES,
            })
        };
        assert_eq!(of(99 << 20 >> 1), []);
        let (large, unreadable) = (of(150_000_000), of(300 << 20));
        assert_eq!((large.len(), large[0].kind()), (1, DiagnosisKind::LargeRows));
        assert_eq!((large[0].is_serious, large[0].buckets), (false, (1, 2)));
        assert_eq!(large[0].symptom, Symptom::LargeRows(150_000_000), "{large:#?}");
        assert!(unreadable[0].is_serious);
    }
}
