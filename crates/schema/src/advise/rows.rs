//! A row that takes a large part of the writes.

use alloc::string::String;
use alloc::vec::Vec;

use super::fixes;
use super::pattern::{EVENTS_MIN, Pattern};
use super::sample::{Sample, shorten};
use crate::texts::{RowRemedy, list, texts};
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
    let remedy = if fixes::spreads_as_narrow(sample) { RowRemedy::AddFieldOrNarrow } else { RowRemedy::AddField };
    let events = (share * count as f64 + 0.5) as usize;
    let says = &texts().layouts;
    let said = ((says.large_row)(share, &list(&names), remedy), (says.row)(&shorten(sample.keys.get(largest)), events, count));
    Some(sample.warning(WarningKind::LargeRow, None, said, Vec::new()))
}
