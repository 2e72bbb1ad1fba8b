//! The problems that the traffic shows: a pure function of the heatmap, the history and the advice
//! on the design.
//!
//! Except for waves, only the last seconds are considered. All thresholds are Tabletop's own. Even
//! traffic has no diagnosis, and a change of the design is offered only if it fixes the problem.

mod waves;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_advice::{Advice, Diagnosis, DiagnosisKind, Fix, Symptom, WarningKind, salt_fix};
use tabletop_keys::Template;
use tabletop_model::RowKey;
use tabletop_protocol::SimulationSecond;

use crate::heat::{Column, Peak};
use waves::{Wave, wave};

/// For how many seconds the failure of a node is a diagnosis: until another one replaces it.
const FAILURE_SECONDS: u32 = 60;
/// The share of the requests that a hot row, or a hot range of keys, must have.
const HOT_ROW: f64 = 0.1;
const HOT_RANGE: f64 = 0.25;
/// A hot range has this many times its share of the rows.
const HOT_TIMES: f64 = 5.0;
/// The share of a node at which the load of a row is a problem, and a serious one.
const PRESSURE: [f64; 2] = [0.5, 0.8];
/// The recommended maximum of a row's bytes, and the size above which it cannot be read whole.
const ROW_BYTES: [u32; 2] = [100_000_000, 256 << 20];
/// If the writes of a moment go to at most this many places, these are too few, as for the adviser.
const PLACES_MAX: f64 = 4.0;
/// The largest share of the keys that those places have. A place moves through the keys that the
/// traffic writes, within some seconds.
const PLACE_SHARE: f64 = 0.25;
/// Two parts of the keys are near each other if the distance between them is less than one in this
/// many of all parts.
const NEAR: usize = 64;
/// The share of the writes that go to those places.
const MOST_WRITES: f64 = 0.9;
/// With fewer parts of the keys than this, few places are not a pattern.
const BUCKETS_MIN: usize = 32;
/// There are too few nodes if each uses this share of its cores, and all of them use the second
/// share on average.
const BUSY: [f32; 2] = [0.7, 0.8];
/// Thresholds above which a traffic pattern counts as a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// The number of last seconds to consider.
    pub seconds: usize,
    /// The smallest load of a hot row, as a share of a node; below that it does no harm.
    pub hot_row_node_share: f64,
    /// The smallest load of a hot range of keys, as a share of a node.
    pub hot_range_node_share: f64,
    /// A second with fewer writes than this says nothing about their places.
    pub writes_min: u32,
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
        hot_range_node_share: 0.1,
        writes_min: 100,
        requests_min: 0.0,
        range_buckets_min: 0,
    };
    /// Thresholds for a server on a developer's machine, whose tests send the same keys as real
    /// traffic, but fewer requests.
    pub const TESTS: Thresholds = Thresholds {
        seconds: 60,
        hot_row_node_share: 0.0,
        hot_range_node_share: 0.0,
        writes_min: 20,
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
    /// Whether keys are written where they grow.
    pub grows: bool,
    /// The advice on the design by its events.
    pub advice: &'a Advice,
    /// The template of the design.
    pub template: Option<&'a Template>,
    /// The thresholds.
    pub thresholds: Thresholds,
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
    let hot_range = if hot_row.is_some() || sequential.is_some() { None } else { hot_range(evidence, &sums) };
    let found = [
        hot_row,
        sequential,
        hot_range,
        pressure(&sums.read_pressure, evidence, DiagnosisKind::ReadPressure),
        pressure(&sums.write_pressure, evidence, DiagnosisKind::WritePressure),
        large_rows(&sums),
        periodic(evidence),
        few_nodes(evidence, &sums),
        failed_node(evidence),
    ];
    let mut diagnoses: Vec<Diagnosis> = found.into_iter().flatten().collect();
    diagnoses.sort_by_key(|diagnosis| (!diagnosis.is_serious, diagnosis.kind()));
    diagnoses
}

/// What the parts of the keys received in the last seconds.
struct Sums {
    seconds: f64,
    /// Requests by bucket.
    requests: Vec<f64>,
    all: f64,
    writes: f64,
    core_seconds: f64,
    row_bytes: Vec<u32>,
    /// The highest CPU load that a single row caused, in cores.
    read_pressure: Vec<f32>,
    write_pressure: Vec<f32>,
}

impl Sums {
    fn of(columns: &[Column], buckets: usize) -> Sums {
        let mut sums = Sums {
            seconds: columns.iter().map(|column| f64::from(column.seconds)).sum(),
            requests: vec![0.0; buckets],
            all: 0.0,
            writes: 0.0,
            core_seconds: 0.0,
            row_bytes: vec![0; buckets],
            read_pressure: vec![0.0; buckets],
            write_pressure: vec![0.0; buckets],
        };
        for column in columns {
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
        }
        sums
    }
}

/// Returns a bucket as a range.
fn at(bucket: usize) -> (u32, u32) {
    (bucket as u32, bucket as u32 + 1)
}

fn hot_row(evidence: &Evidence, sums: &Sums) -> Option<Diagnosis> {
    let peaks = &evidence.peaks[evidence.peaks.len().saturating_sub(evidence.thresholds.seconds)..];
    let last = peaks.last()?;
    let same = || peaks.iter().filter(|peak| peak.row == last.row && peak.row.is_some());
    let sum = |of: fn(&Peak) -> f64| same().map(of).sum::<f64>();
    let requests = sum(|peak| f64::from(peak.requests));
    let (share, seconds) = (requests / sums.all.max(1.0), peaks.len() as f64);
    let node_share = sum(|peak| f64::from(peak.cores)) / seconds / evidence.cores;
    let Thresholds { hot_row_node_share, requests_min, .. } = evidence.thresholds;
    let is_like_others = evidence.rows.is_some_and(|rows| share * rows < HOT_TIMES);
    if share < HOT_ROW || node_share < hot_row_node_share || sums.all < requests_min || is_like_others {
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

/// Finds writes that go to a few places at each moment, because the key grows there.
fn sequential(evidence: &Evidence, recent: &[Column], sums: &Sums) -> Option<Diagnosis> {
    if !evidence.grows || evidence.starts.len() < BUCKETS_MIN {
        return None;
    }
    let (mut places, mut share, mut count) = (0.0, 0.0, 0.0);
    let (mut first, mut last) = (u32::MAX, 0);
    for column in recent {
        let writes: u32 = column.cells.iter().map(|cell| cell.writes).sum();
        if writes < evidence.thresholds.writes_min {
            continue;
        }
        let mut order: Vec<usize> = (0..column.cells.len()).collect();
        order.sort_unstable_by_key(|bucket| core::cmp::Reverse(column.cells[*bucket].writes));
        let (mut taken, mut of) = (0, Vec::new());
        for bucket in order {
            if f64::from(taken) >= MOST_WRITES * f64::from(writes) {
                break;
            }
            taken += column.cells[bucket].writes;
            of.push(bucket);
        }
        // Parts of the keys near each other are one place, which moves from one to the next. If
        // there are many places, the writes are everywhere.
        of.sort_unstable();
        let runs = || of.chunk_by(|a, b| b - a <= 1 + column.cells.len() / NEAR);
        let extent: usize = runs().map(|run| run[run.len() - 1] - run[0] + 1).sum();
        let is_everywhere = extent as f64 > PLACE_SHARE * column.cells.len() as f64;
        places += if is_everywhere { of.len() } else { runs().count() } as f64;
        share += f64::from(taken) / f64::from(writes);
        count += 1.0;
        (first, last) = (first.min(of[0] as u32), last.max(of[of.len() - 1] as u32));
    }
    if count < 3.0 || places / count > PLACES_MAX {
        return None;
    }
    let warned = |kind| {
        matches!(
            kind,
            WarningKind::MonotonicFirstField | WarningKind::LowCardinalityPrefix | WarningKind::FewSalts
        )
    };
    let warnings = evidence.advice.warnings.iter().filter(|warning| warned(warning.kind()));
    let fixes: Vec<Fix> = warnings.flat_map(|warning| warning.fixes.iter().cloned()).collect();
    let symptom = Symptom::SequentialWrites {
        places: places / count,
        share: share / count,
        per_second: sums.writes / sums.seconds,
    };
    // Requests fail only if the nodes of those places have more work than they can do.
    let is_serious =
        evidence.seconds.last().is_some_and(|second| second.nodes.iter().any(|node| node.cpu > 0.95));
    Some(symptom.diagnosis(is_serious, (first, last + 1), fixes))
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

fn periodic(evidence: &Evidence) -> Option<Diagnosis> {
    let Wave { seconds, most, least, cores_per_request } = wave(evidence.columns)?;
    let nodes = |per_second: f64| {
        (libm::ceil(per_second * cores_per_request / evidence.cores / evidence.cpu_target) as u32).max(1)
    };
    let nodes = (!evidence.seconds.is_empty()).then(|| (nodes(least), nodes(most)));
    let symptom = Symptom::PeriodicLoad { seconds, most, least, nodes };
    Some(symptom.diagnosis(false, (0, evidence.starts.len() as u32), Vec::new()))
}

fn failed_node(evidence: &Evidence) -> Option<Diagnosis> {
    let (node, seconds_ago) = evidence.failure.clone().filter(|(_, ago)| *ago < FAILURE_SECONDS)?;
    let since = &evidence.seconds[evidence.seconds.len().saturating_sub(seconds_ago as usize + 1)..];
    let queue = |second: &&SimulationSecond| second.nodes.iter().map(|node| u64::from(node.queue)).sum();
    let waiting = since.iter().map(queue).max().unwrap_or(0);
    let expired: u64 = since.iter().map(|second| u64::from(second.all.expired)).sum();
    let symptom = Symptom::FailedNode { node, seconds_ago, waiting, expired };
    Some(symptom.diagnosis(expired > 0, (0, 0), Vec::new()))
}

fn few_nodes(evidence: &Evidence, sums: &Sums) -> Option<Diagnosis> {
    let last = &evidence.seconds[evidence.seconds.len().saturating_sub(10)..];
    let nodes = last.last()?.nodes.len() as u32;
    let all = || last.iter().flat_map(|second| &second.nodes).map(|node| node.cpu);
    let count = all().count().max(1) as f32;
    let mean = all().sum::<f32>() / count;
    let of_node = |id: u32| {
        let of: Vec<f32> = last
            .iter()
            .flat_map(|second| &second.nodes)
            .filter(|node| node.id == id)
            .map(|node| node.cpu)
            .collect();
        of.iter().sum::<f32>() / of.len().max(1) as f32
    };
    let least = last.last()?.nodes.iter().map(|node| of_node(node.id)).fold(1.0, f32::min);
    if least < BUSY[0] || mean < BUSY[1] {
        return None;
    }
    let asked = sums.core_seconds / sums.seconds / evidence.cores;
    let needed = (libm::ceil(asked / evidence.cpu_target) as u32).max(nodes + 1);
    let waiting = last.last()?.nodes.iter().map(|node| u64::from(node.queue)).sum();
    let is_serious = last.iter().any(|second| second.all.expired > 0) || mean > 0.95;
    let symptom =
        Symptom::TooFewNodes { nodes, cpu: mean.into(), needed, cpu_target: evidence.cpu_target, waiting };
    Some(symptom.diagnosis(is_serious, (0, evidence.starts.len() as u32), Vec::new()))
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
                grows: false,
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
