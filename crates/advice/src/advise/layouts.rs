//! Warnings about a layout: family names, and rows that no two events share.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use tabletop_keys::{LayoutKind, LayoutWriter, Part, Transform, part_fields};
use tabletop_model::order::sorted;

use super::fixes;
use super::sample::{EVENTS_MIN, Sample, shorten};
use super::{Cause, LayoutCause, NoEffect, TimeForm};
use crate::Warning;

/// About the maximum number of families that Google recommends.
const FAMILIES_MAX: usize = 100;

/// Warns of too many families, and of names that had to be changed. Families are created before
/// they are written to.
pub(super) fn family_names(sample: &Sample, writer: &LayoutWriter) -> Option<Warning> {
    let mut names: Vec<Cow<'_, str>> = Vec::with_capacity(sample.records.len());
    for record in &sample.records {
        writer.push_families(record, &mut names);
    }
    let mut names = sorted(names, Ord::cmp);
    names.dedup();
    if names.len() > FAMILIES_MAX {
        let (families, events) = (names.len() as u32, sample.records.len() as u32);
        let cause = LayoutCause::ManyFamilies { families, events, families_max: FAMILIES_MAX as u32 };
        return Some(sample.warning(Cause::Layout(cause), None, Vec::new()));
    }
    // Only a changed name contains a full stop.
    let changed = names.iter().find(|name| name.contains('.'))?;
    let cause = LayoutCause::ChangedFamily { family: shorten(changed.as_bytes()) };
    Some(sample.warning(Cause::Layout(cause), None, Vec::new()))
}

/// Warns of a row per entity in which no two events share a row: it is the same as narrow, with
/// other names.
pub(super) fn without_effect(sample: &Sample) -> Option<Warning> {
    let keys = sample.keys.len();
    if sample.layout.kind != LayoutKind::RowPerEntity || keys < EVENTS_MIN || sample.keys.distinct() < keys {
        return None;
    }
    let parts = sample.template.parts();
    let time = (0..parts.len()).find(|&part| sample.is_time(part));
    let because = |reason| Cause::Layout(LayoutCause::WithoutEffect { reason, events: keys as u32 });
    let mut omitted = (0..sample.written.parts().len()).filter(|part| !sample.parts.contains(part));
    let omitted = omitted.find_map(|part| part_fields(&sample.written.parts()[part]).into_iter().next());
    if let Some(time) = omitted {
        return Some(sample.warning(because(NoEffect::OnlyWithoutTime(time.clone())), None, Vec::new()));
    }
    let fixes = fixes::of_layout_without_effect(sample, time);
    let reason = match time {
        Some(time) if sample.field_parts().count() == 1 => NoEffect::OnlyTime(sample.field(time)),
        Some(time) if fixes.iter().any(|fix| fix.patch.template.is_some()) => {
            let Part::Field { name, transforms } = &parts[time] else { return None };
            let form = match transforms.last() {
                Some(Transform::Hash(_)) => TimeForm::Hash,
                Some(Transform::Reverse) => TimeForm::Reversed,
                Some(Transform::Bucket(_)) => TimeForm::Bucket,
                _ => TimeForm::Span,
            };
            NoEffect::TimeInForm { time: name.clone(), form }
        }
        _ => NoEffect::DifferentKeys,
    };
    Some(sample.warning(because(reason), time, fixes))
}
