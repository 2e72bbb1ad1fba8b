//! Writes that follow each other in key order, in the whole table or under a prefix.

use alloc::vec::Vec;

use tabletop_advice::{Diagnosis, Fix, Symptom, WarningKind, salt_fix};

use super::{BUCKETS_MIN, Evidence, HOT_RANGE, HOT_TIMES, Sums, Thresholds};
use crate::heat::Column;

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
/// The number of seconds that show where the writes go.
const SECONDS_MIN: f64 = 3.0;

/// Some seconds that have enough writes.
struct Span {
    seconds: u32,
    /// The writes in each part of the keys.
    writes: Vec<u32>,
}

/// Divides the last seconds into spans that have enough writes. Seconds that do not make a span are
/// left out.
fn spans(recent: &[Column], thresholds: &Thresholds) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut span = Span { seconds: 0, writes: Vec::new() };
    for column in recent {
        span.writes.resize(column.cells.len(), 0);
        span.writes.iter_mut().zip(&column.cells).for_each(|(sum, cell)| *sum += cell.writes);
        span.seconds += column.seconds;
        let has_enough = span.writes.iter().sum::<u32>() >= thresholds.writes_min;
        if has_enough || span.seconds >= thresholds.span_seconds_max {
            let done = core::mem::replace(&mut span, Span { seconds: 0, writes: Vec::new() });
            spans.extend(has_enough.then_some(done));
        }
    }
    spans
}

/// Finds writes that go to a few places at each moment, because the key grows there.
pub(super) fn sequential(evidence: &Evidence, recent: &[Column], sums: &Sums) -> Option<Diagnosis> {
    if evidence.starts.len() < BUCKETS_MIN {
        return None;
    }
    let (mut places, mut share, mut count) = (0.0, 0.0, 0.0);
    let (mut first, mut last) = (u32::MAX, 0);
    for Span { writes: written, .. } in spans(recent, &evidence.thresholds) {
        let writes: u32 = written.iter().sum();
        let mut order: Vec<usize> = (0..written.len()).collect();
        order.sort_unstable_by_key(|bucket| core::cmp::Reverse(written[*bucket]));
        let (mut taken, mut of) = (0, Vec::new());
        for bucket in order {
            if f64::from(taken) >= MOST_WRITES * f64::from(writes) {
                break;
            }
            taken += written[bucket];
            of.push(bucket);
        }
        // Parts of the keys near each other are one place, which moves from one to the next. If
        // there are many places, the writes are everywhere.
        of.sort_unstable();
        let runs = || of.chunk_by(|a, b| b - a <= 1 + written.len() / NEAR);
        let extent: usize = runs().map(|run| run[run.len() - 1] - run[0] + 1).sum();
        let is_everywhere = extent as f64 > PLACE_SHARE * written.len() as f64;
        places += if is_everywhere { of.len() } else { runs().count() } as f64;
        share += f64::from(taken) / f64::from(writes);
        count += 1.0;
        (first, last) = (first.min(of[0] as u32), last.max(of[of.len() - 1] as u32));
    }
    if count < SECONDS_MIN
        || places / count > PLACES_MAX
        || !evidence.growth.is_in(first as usize, last as usize + 1)
    {
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
    Some(symptom.diagnosis(is_overloaded(evidence), (first, last + 1), fixes))
}

/// Finds writes that follow each other under a prefix: new rows always land after the last split.
pub(super) fn sequential_prefix(evidence: &Evidence, recent: &[Column], sums: &Sums) -> Option<Diagnosis> {
    let buckets = evidence.starts.len();
    if buckets < BUCKETS_MIN {
        return None;
    }
    let (mut share, mut per_second, mut count) = (0.0, 0.0, 0.0);
    let (mut first, mut end) = (usize::MAX, 0);
    for Span { seconds, writes: written } in spans(recent, &evidence.thresholds) {
        let writes = |parts: &[u32]| parts.iter().map(|writes| f64::from(*writes)).sum::<f64>();
        let all = writes(&written);
        let (hottest, _) = written.iter().enumerate().max_by_key(|(_, writes)| **writes)?;
        // A place moves from one part of the keys to the next.
        let near = buckets / NEAR / 2;
        let (from, until) = (hottest.saturating_sub(near), (hottest + near + 1).min(buckets));
        let place = writes(&written[from..until]);
        (share, per_second) = (share + place / all, per_second + place / f64::from(seconds));
        (first, end, count) = (first.min(from), end.max(until), count + 1.0);
    }
    (share, per_second) = (share / count, per_second / count);
    // Of one moment: the place moves through more rows.
    let rows = (2 * (buckets / NEAR / 2) + 1) as f64 / buckets as f64;
    let node_share =
        share * sums.writes / sums.all.max(1.0) * sums.core_seconds / sums.seconds / evidence.cores;
    if count < SECONDS_MIN
        || share < HOT_RANGE
        || share < HOT_TIMES * rows
        || sums.all < evidence.thresholds.requests_min
        || node_share < evidence.thresholds.hot_range_node_share
        || !evidence.growth.is_in(first, end)
    {
        return None;
    }
    let symptom = Symptom::SequentialPrefix {
        start: evidence.starts[first].clone(),
        end: evidence.starts.get(end).cloned().unwrap_or_default(),
        share,
        per_second,
    };
    let fixes = evidence.template.and_then(salt_fix).into_iter().collect();
    Some(symptom.diagnosis(is_overloaded(evidence), (first as u32, end as u32), fixes))
}

/// Returns whether the nodes cannot keep up. Only then do requests fail.
fn is_overloaded(evidence: &Evidence) -> bool {
    evidence.seconds.last().is_some_and(|second| second.is_overloaded())
}
