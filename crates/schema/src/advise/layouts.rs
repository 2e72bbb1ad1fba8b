//! Warnings about a layout: family names, and rows that no two events share.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use tabletop_model::order::sorted;

use super::fixes;
use super::sample::{Sample, quote};
use crate::numbers::thousands;
use crate::template::part_fields;
use crate::{LayoutKind, LayoutWriter, Part, Transform, Warning, WarningKind};

/// About the most families that Google recommends.
const FAMILIES_MAX: usize = 100;
/// Fewer events may have different keys by chance.
const EVENTS_MIN: usize = 60;

/// Warns of too many families, and of names that had to be changed. Families are created before they are written to.
pub(super) fn family_names(sample: &Sample, writer: &LayoutWriter) -> Option<Warning> {
    let names: Vec<Cow<'_, str>> = sample.records.iter().map(|record| writer.family_of(record)).collect();
    let mut names = sorted(names, Ord::cmp);
    names.dedup();
    if names.len() > FAMILIES_MAX {
        let message = format!(
            "A table should have at most about {FAMILIES_MAX} families, because each takes memory: name them after a field with \
             few values."
        );
        let evidence =
            format!("{} events have {} families.", thousands(sample.records.len() as u64), thousands(names.len() as u64));
        return Some(sample.warning(WarningKind::FamilyNames, None, message, evidence, Vec::new()));
    }
    // Only a changed name contains a full stop.
    let changed = names.iter().find(|name| name.contains('.'))?;
    let message =
        "A family name has at most 64 letters, digits, - and _. Other bytes become a full stop and two hexadecimal digits.";
    let evidence = format!("One family is called {}.", quote(changed.as_bytes()));
    Some(sample.warning(WarningKind::FamilyNames, None, message.into(), evidence, Vec::new()))
}

/// Warns of a row per entity in which no two events share a row: it is the same as narrow, with other names.
pub(super) fn without_effect(sample: &Sample) -> Option<Warning> {
    let keys = sample.keys.len();
    if sample.layout.kind != LayoutKind::RowPerEntity || keys < EVENTS_MIN || sample.keys.distinct() < keys {
        return None;
    }
    let parts = sample.template.parts();
    let time = (0..parts.len()).find(|&part| sample.is_time(part));
    let evidence = format!("{0} events have {0} different row keys.", thousands(keys as u64));
    let mut omitted = (0..sample.written.parts().len()).filter(|part| !sample.parts.contains(part));
    let omitted = omitted.find_map(|part| part_fields(&sample.written.parts()[part]).into_iter().next());
    if let Some(time) = omitted {
        let message = format!("Each row has one event: this layout only removes {time} from the key.");
        return Some(sample.warning(WarningKind::LayoutWithoutEffect, None, message, evidence, Vec::new()));
    }
    let fixes = fixes::of_layout_without_effect(sample, time);
    let message = match time {
        Some(time) if sample.field_parts().count() == 1 => {
            format!("Row per entity has no effect: the key has nothing but {}, so each event has its own row.", sample.name(time))
        }
        Some(time) if fixes.iter().any(|fix| fix.patch.template.is_some()) => {
            let Part::Field { name, transforms } = &parts[time] else { return None };
            let form = match transforms.last() {
                Some(Transform::Hash(_)) => "a hash",
                Some(Transform::Reverse) => "reversed text",
                Some(Transform::Bucket(_)) => "a bucket",
                _ => "a span of time",
            };
            format!(
                "Row per entity has no effect: the key has {name} as {form}, which cannot become the cells' timestamp, so each event \
                 has its own row. Write it as iso, millis or reverse_time."
            )
        }
        _ => "Row per entity has no effect: no two events share a row key.".into(),
    };
    Some(sample.warning(WarningKind::LayoutWithoutEffect, time, message, evidence, fixes))
}
