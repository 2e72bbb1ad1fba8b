//! A row that takes a large part of the writes.

use alloc::vec::Vec;

use tabletop_keys::LayoutKind;

use super::fixes;
use super::pattern::Pattern;
use super::sample::{EVENTS_MIN, Sample, shorten};
use super::{Cause, LayoutCause, RowRemedy};
use crate::Warning;

/// A row with this share of all events limits the table to the writes of ten tablets.
const LARGE_ROW: f64 = 0.1;

/// Warns of an entity whose row takes a large part of the writes. In other layouts, such a row is a
/// shared key.
pub(super) fn large(sample: &Sample, pattern: &Pattern) -> Option<Warning> {
    let count = sample.keys.len();
    if sample.layout.kind != LayoutKind::RowPerEntity
        || count < EVENTS_MIN
        || matches!(pattern, Pattern::FewRows(_))
    {
        return None;
    }
    let (largest, share) = sample.largest_row();
    if share < LARGE_ROW {
        return None;
    }
    let entity = sample.field_parts().flat_map(|part| sample.fields(part)).collect();
    let remedy =
        if fixes::spreads_as_narrow(sample) { RowRemedy::AddFieldOrNarrow } else { RowRemedy::AddField };
    let events = (share * count as f64 + 0.5) as u32;
    let row = shorten(sample.keys.get(largest));
    let cause = LayoutCause::LargeRow { share, entity, remedy, row, events, all: count as u32 };
    Some(sample.warning(Cause::Layout(cause), None, Vec::new()))
}
