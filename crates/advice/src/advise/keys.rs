//! Row keys that are too long, or that several events share.

use alloc::vec::Vec;

use tabletop_keys::{FieldRole, LayoutKind, LayoutWriter, Part, edit};
use tabletop_model::{limits, order::sorted};

use super::fixes;
use super::sample::{Sample, shorten};
use super::{Cause, KeyCause, KeyLoss, KeyRemedy, LongPart, WriteCounts};
use crate::Warning;

/// Bytes of a key above which it is expensive, though allowed: every cell of a block repeats the
/// part that is not a shared prefix, every index entry and every answer repeats all of it. A few
/// times the "tens of bytes" that Google recommends.
const EXPENSIVE_KEY_BYTES: usize = 300;

pub(super) fn too_long(sample: &Sample) -> Option<Warning> {
    let (longest, bytes) = sample.keys.iter().map(<[u8]>::len).enumerate().max_by_key(|(_, bytes)| *bytes)?;
    if bytes <= EXPENSIVE_KEY_BYTES {
        return None;
    }
    // The part that takes most of the longest key is the one to shorten.
    let values = sample.records[sample.keyed[longest]].values;
    let part_bytes = |part: &usize| {
        let mut out = Vec::new();
        let _ =
            sample.template.write_part(*part, &mut |field| values.get(field).copied().flatten(), &mut out);
        out.len()
    };
    let part = (0..sample.template.parts().len()).max_by_key(part_bytes)?;
    let is_literal = matches!(sample.template.parts()[part], Part::Literal(_));
    let long = if is_literal { LongPart::Literal } else { LongPart::Fields(sample.fields(part)) };
    let refused = sample.keys.iter().filter(|key| key.len() > limits::ROW_KEY_BYTES_MAX).count() as u32;
    let longest_bytes = bytes as u32;
    let cause = if refused > 0 {
        KeyCause::TooLong { part: long, refused, events: sample.keys.len() as u32, longest_bytes }
    } else {
        let mean_bytes = (sample.keys.bytes.len() / sample.keys.len()) as u32;
        KeyCause::Expensive { part: long, longest_bytes, mean_bytes }
    };
    let part = (!is_literal).then_some(part);
    let fixes = part.map(|part| fixes::of_long_part(sample, part)).unwrap_or_default();
    Some(sample.warning(Cause::Key(cause), part, fixes))
}

/// Warns of a key that begins with an identifier of single events: each read finds one of them.
pub(super) fn only_identifier(sample: &Sample) -> Option<Warning> {
    let part = sample.field_parts().next()?;
    let Part::Field { name, .. } = &sample.template.parts()[part] else { return None };
    let at = sample.written.fields().iter().position(|field| field.name == *name)?;
    // Without a time, the events are a list of what the identifiers name.
    if sample.live().is_none() || sample.role(at) != FieldRole::UniqueIdentifier {
        return None;
    }
    let cause = KeyCause::OnlyIdentifier { field: name.clone() };
    Some(sample.warning(Cause::Key(cause), Some(part), fixes::of_only_identifier(sample, part)))
}

/// Warns of events that lack a value which the key needs.
pub(super) fn absent(sample: &Sample) -> Option<Warning> {
    let losses = sample.counted();
    let parts = fixes::absent_parts(sample);
    if losses.refused == 0 || parts.is_empty() {
        return None;
    }
    let fields = parts.iter().map(|at| edit::name(&sample.written.parts()[*at])).collect();
    let cause = KeyCause::Absent { fields, refused: losses.refused, events: losses.events };
    Some(sample.warning(Cause::Key(cause), None, fixes::of_absent(sample, &parts)))
}

/// Warns of events that cannot be distinguished once they are written.
pub(super) fn shared(sample: &Sample, writer: &LayoutWriter) -> Option<Warning> {
    // Events that are equal in all fields may replace each other.
    if sample.losses_of(sample.written, sample.layout).shared == 0 {
        return None;
    }
    let order = sample.keys.sorted();
    let (mut shared, mut replaced) = (0, 0);
    let mut example = None;
    for group in order
        .chunk_by(|&one, &other| sample.keys.get(one) == sample.keys.get(other))
        .filter(|group| group.len() > 1)
    {
        shared += group.len();
        let mut cells = Vec::new();
        for &at in group {
            let index = sample.keyed[at];
            let Ok(row) = writer.write(&sample.records[index], index as u64) else { continue };
            let time = writer.timestamp(&sample.records[index], index as u64);
            let places = writer.own_places(&sample.records[index], row.mutations).unwrap_or_default();
            cells.extend(places.into_iter().map(|(family, qualifier)| (family, qualifier, time, at)));
        }
        let cells = sorted(cells, Ord::cmp);
        let lost: Vec<usize> = cells
            .chunk_by(|one, other| (&one.0, &one.1, one.2) == (&other.0, &other.1, other.2))
            .flat_map(|same| &same[..same.len() - 1])
            .map(|cell| cell.3)
            .collect();
        let mut lost = sorted(lost, Ord::cmp);
        lost.dedup();
        if !lost.is_empty() {
            replaced += lost.len();
            example.get_or_insert(group[0]);
        } else if !sample.layout.kind.shares_rows() {
            example.get_or_insert(group[0]);
        }
    }
    let (events, example) = (sample.keys.len() as u32, shorten(sample.keys.get(example?)));
    let (shared, replaced) = (shared as u32, replaced as u32);
    let cause = match (sample.layout.kind, replaced) {
        (LayoutKind::RowPerEntity | LayoutKind::Columns, replaced) => {
            KeyCause::Replacing { replaced, events, example }
        }
        (_, 0) => KeyCause::Sharing { shared, events, example },
        (_, replaced) => KeyCause::SharingAndReplacing { shared, events, example, replaced },
    };
    Some(sample.warning(Cause::Key(cause), None, fixes::of_shared_keys(sample)))
}

/// Warns of events that are not distinguished in the whole table.
pub(super) fn counted(sample: &Sample, counts: WriteCounts) -> Option<Warning> {
    if !counts.are_short(sample.layout) {
        return None;
    }
    let fixes = fixes::of_shared_keys(sample);
    let remedy = match () {
        () if sample.counted().shared == 0 => KeyRemedy::Duplicates,
        () if fixes.is_empty() && !sample.layout.kind.shares_rows() => KeyRemedy::AddIdentifier,
        () => KeyRemedy::AddField,
    };
    let loss = match sample.layout.kind {
        LayoutKind::RowPerEntity | LayoutKind::Columns => KeyLoss::SharedCells,
        _ if counts.replaced() == 0 => KeyLoss::Nothing,
        _ if counts.cells == counts.events => KeyLoss::Events,
        _ => KeyLoss::Cells,
    };
    Some(sample.warning(Cause::Key(KeyCause::Counted { counts, loss, remedy }), None, fixes))
}
