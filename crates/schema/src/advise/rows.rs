//! A row that takes a large part of the writes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::fixes;
use super::pattern::{EVENTS_MIN, Pattern};
use super::sample::{Sample, of_events, quote};
use crate::{LayoutKind, Warning, WarningKind};

/// A row with this share of all events limits the table to the writes of ten tablets.
const LARGE_ROW: f64 = 0.1;

/// Warns of an entity whose row takes a large part of the writes. In other layouts, such a row is a shared key.
pub(super) fn large(sample: &Sample, pattern: &Pattern) -> Option<Warning> {
    let count = sample.keys.len();
    if sample.layout.kind != LayoutKind::RowPerEntity || count < EVENTS_MIN || matches!(pattern, Pattern::FewRows(_)) {
        return None;
    }
    let (largest, share) = sample.largest_row();
    if share < LARGE_ROW {
        return None;
    }
    let names: Vec<String> = sample.field_parts().map(|part| sample.name(part)).collect();
    let or_narrow = if fixes::spreads_as_narrow(sample) { ", or choose Narrow" } else { "" };
    let message = format!(
        "One row takes {:.0} % of the writes: a row has all events of one {}. A row cannot be split, and a salt cannot divide it. If \
         one tablet cannot take that, add a field to the key that distinguishes its events{or_narrow}.",
        share * 100.0,
        names.join(" and ")
    );
    let events = (share * count as f64 + 0.5) as usize;
    let evidence = format!("The row {} has {}.", quote(sample.keys.get(largest)), of_events(events, count));
    Some(sample.warning(WarningKind::LargeRow, None, message, evidence, Vec::new()))
}
