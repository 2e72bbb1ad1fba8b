//! Warnings about a layout: family names, and rows that no two events share.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use tabletop_model::order::sorted;

use super::fixes;
use super::sample::{Sample, shorten};
use crate::template::part_fields;
use crate::texts::{TimeForm, texts};
use crate::{LayoutKind, LayoutWriter, Part, Transform, Warning, WarningKind};

/// About the most families that Google recommends.
const FAMILIES_MAX: usize = 100;
/// Fewer events may have different keys by chance.
const EVENTS_MIN: usize = 60;

/// Warns of too many families, and of names that had to be changed. Families are created before they are written to.
pub(super) fn family_names(sample: &Sample, writer: &LayoutWriter) -> Option<Warning> {
    let mut names: Vec<Cow<'_, str>> = Vec::with_capacity(sample.records.len());
    for record in &sample.records {
        writer.push_families(record, &mut names);
    }
    let mut names = sorted(names, Ord::cmp);
    names.dedup();
    let says = &texts().layouts;
    if names.len() > FAMILIES_MAX {
        let said = ((says.many_families)(FAMILIES_MAX), (says.families)(sample.records.len(), names.len()));
        return Some(sample.warning(WarningKind::FamilyNames, None, said, Vec::new()));
    }
    // Only a changed name contains a full stop.
    let changed = names.iter().find(|name| name.contains('.'))?;
    let said = (says.changed_family.into(), (says.family)(&shorten(changed.as_bytes())));
    Some(sample.warning(WarningKind::FamilyNames, None, said, Vec::new()))
}

/// Warns of a row per entity in which no two events share a row: it is the same as narrow, with other names.
pub(super) fn without_effect(sample: &Sample) -> Option<Warning> {
    let keys = sample.keys.len();
    if sample.layout.kind != LayoutKind::RowPerEntity || keys < EVENTS_MIN || sample.keys.distinct() < keys {
        return None;
    }
    let parts = sample.template.parts();
    let time = (0..parts.len()).find(|&part| sample.is_time(part));
    let says = &texts().layouts;
    let evidence = (says.different_keys)(keys);
    let mut omitted = (0..sample.written.parts().len()).filter(|part| !sample.parts.contains(part));
    let omitted = omitted.find_map(|part| part_fields(&sample.written.parts()[part]).into_iter().next());
    if let Some(time) = omitted {
        let said = ((says.only_without_time)(time), evidence);
        return Some(sample.warning(WarningKind::LayoutWithoutEffect, None, said, Vec::new()));
    }
    let fixes = fixes::of_layout_without_effect(sample, time);
    let message = match time {
        Some(time) if sample.field_parts().count() == 1 => (says.only_time)(&sample.name(time)),
        Some(time) if fixes.iter().any(|fix| fix.patch.template.is_some()) => {
            let Part::Field { name, transforms } = &parts[time] else { return None };
            let form = match transforms.last() {
                Some(Transform::Hash(_)) => TimeForm::Hash,
                Some(Transform::Reverse) => TimeForm::Reversed,
                Some(Transform::Bucket(_)) => TimeForm::Bucket,
                _ => TimeForm::Span,
            };
            (says.time_in_form)(name, form)
        }
        _ => says.no_effect.into(),
    };
    Some(sample.warning(WarningKind::LayoutWithoutEffect, time, (message, evidence), fixes))
}
