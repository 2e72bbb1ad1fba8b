//! SampleRowKeys: where tablets begin, and keys between that cut large ones into parts.

use tabletop_model::{RowKeySample, TableView};

/// The engine's samples, which come from what is stored, and the tablets' own bounds, which were asked for when the table was
/// made: a client that reads in parallel relies on those.
pub(super) fn with_splits(samples: Vec<RowKeySample>, view: &TableView) -> Vec<RowKeySample> {
    let mut all = samples;
    let end = all.last().map_or(0, |last| last.offset_bytes);
    let mut offset_bytes = 0;
    for tablet in &view.tablets {
        if !tablet.start.is_empty() {
            all.push(RowKeySample { key: tablet.start.clone(), offset_bytes: offset_bytes.min(end) });
        }
        offset_bytes += tablet.bytes;
    }
    // The end of the table, which has no key, is behind all others.
    all.sort_by(|a, b| a.key.is_empty().cmp(&b.key.is_empty()).then_with(|| a.key.cmp(&b.key)));
    all.dedup_by(|later, earlier| later.key == earlier.key);
    let mut least = 0;
    for sample in &mut all {
        least = sample.offset_bytes.max(least);
        sample.offset_bytes = least;
    }
    all
}
