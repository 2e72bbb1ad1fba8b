//! What is unwise about a template, shown by the events that are loaded.
//!
//! Advice measures what the keys do rather than what the template looks like: a hash, a salt or a reversed number in
//! front simply do not show the pattern that is warned of.

mod hot;
#[cfg(test)]
mod tests;
mod values;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::order::{sorted, sorted_indices};
use tabletop_model::{Mutation, limits};

use crate::numbers::thousands;
use crate::template::part_fields;
use crate::{Layout, LayoutKind, LayoutWriter, Part, Record, Template, Warning, WarningKind};

/// Bytes of a key that are allowed, yet dear: every cell of a block repeats what prefixes do not share, every index entry
/// and every answer all of it. A few times "tens of bytes", which is what Google recommends.
const DEAR_KEY_BYTES: usize = 300;

/// Families that Google recommends at most, about.
const FAMILIES_MAX: usize = 100;

/// What is unwise about `template` for rows laid out by `layout`, the worst first. `records` are events in the order of
/// their arrival: a sample that takes runs of neighbours from all over the set shows most. Two thousand take a few milliseconds.
pub fn advise<'r>(template: &Template, layout: &Layout, records: impl IntoIterator<Item = Record<'r>>) -> Vec<Warning> {
    let writer = LayoutWriter::new(layout, template.fields(), template);
    let mut sample = Sample {
        template: writer.template(),
        parts: template.stored_parts(layout),
        records: records.into_iter().collect(),
        keys: Keys::default(),
        written: Vec::new(),
    };
    sample.write_keys();
    let mut warnings = Vec::new();
    warnings.extend(hot::rising_or_few(&sample));
    warnings.extend(shared_keys(&sample, &writer, layout));
    warnings.extend(values::of_parts(&sample));
    warnings.extend(long_keys(&sample));
    warnings.extend(values::of_other_kinds(&sample));
    warnings.extend(family_names(&sample, &writer));
    warnings
}

/// Some events and the keys that they get.
struct Sample<'t, 'r> {
    /// Of the keys as they are stored.
    template: &'t Template,
    /// For each part of that template its index in the template that the person wrote.
    parts: Vec<usize>,
    records: Vec<Record<'r>>,
    keys: Keys,
    /// For each key the index of its record: events without a key are left out.
    written: Vec<usize>,
}

/// Many byte strings in one allocation.
#[derive(Default)]
struct Keys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Indices in the order of their bytes, equal ones in their own order.
    fn sorted(&self) -> Vec<usize> {
        sorted_indices(self.len(), &|one, other| self.get(one).cmp(self.get(other)))
    }
}

impl Sample<'_, '_> {
    fn write_keys(&mut self) {
        for (index, record) in self.records.iter().enumerate() {
            if self.template.write_long_key(record, &mut self.keys.bytes).is_ok() {
                self.keys.ends.push(self.keys.bytes.len());
                self.written.push(index);
            }
        }
    }

    fn warning(&self, kind: WarningKind, part: Option<usize>, message: String, evidence: String) -> Warning {
        Warning { kind, part: part.map(|part| self.parts[part] as u32), message, evidence }
    }

    /// The field or fields of a part, for people.
    fn name(&self, part: usize) -> String {
        let names: Vec<&str> = part_fields(&self.template.parts()[part]).into_iter().map(String::as_str).collect();
        names.join(" and ")
    }

    /// Indices of the parts that hold fields.
    fn field_parts(&self) -> impl Iterator<Item = usize> + '_ {
        let parts = self.template.parts();
        (0..parts.len()).filter(|&at| matches!(parts[at], Part::Field { .. } | Part::ZOrder(_)))
    }

    /// What the part at `at` gives for each event that has a key.
    fn outputs(&self, at: usize) -> Keys {
        let mut keys = Keys::default();
        for &index in &self.written {
            let values = self.records[index].values;
            let written = self.template.write_part(at, &mut |field| values.get(field).copied().flatten(), &mut keys.bytes);
            debug_assert!(written.is_ok(), "the whole key was written");
            keys.ends.push(keys.bytes.len());
        }
        keys
    }
}

/// `3 of 2,000 events`.
fn of_events(count: usize, all: usize) -> String {
    format!("{} of {} events", thousands(count as u64), thousands(all as u64))
}

/// At most forty characters of a text, in quotes.
fn quote(text: &[u8]) -> String {
    let text = tabletop_model::escape(text);
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("\"{}…\"", &text[..at]),
        None => format!("\"{text}\""),
    }
}

fn long_keys(sample: &Sample) -> Option<Warning> {
    let (longest, bytes) = sample.keys.iter().map(<[u8]>::len).enumerate().max_by_key(|(_, bytes)| *bytes)?;
    if bytes <= DEAR_KEY_BYTES {
        return None;
    }
    // The part that takes most of the longest key is the one to shorten.
    let values = sample.records[sample.written[longest]].values;
    let part_bytes = |part: &usize| {
        let mut out = Vec::new();
        let _ = sample.template.write_part(*part, &mut |field| values.get(field).copied().flatten(), &mut out);
        out.len()
    };
    let part = (0..sample.template.parts().len()).max_by_key(part_bytes)?;
    let is_literal = matches!(sample.template.parts()[part], Part::Literal(_));
    let remedy = if is_literal {
        "shorten the text that the template puts into each".into()
    } else {
        format!("hash {}, or leave it out", sample.name(part))
    };
    let refused = sample.keys.iter().filter(|key| key.len() > limits::ROW_KEY_BYTES_MAX).count();
    let (message, evidence) = if refused > 0 {
        (
            format!("Row keys over {} bytes are refused: {remedy}.", thousands(limits::ROW_KEY_BYTES_MAX as u64)),
            format!("Refused: {}; the longest key has {} bytes.", of_events(refused, sample.keys.len()), thousands(bytes as u64)),
        )
    } else {
        let mean = sample.keys.bytes.len() / sample.keys.len();
        (
            format!("Long row keys are dear, for they are stored and sent again and again: {remedy}."),
            format!("The longest key has {} bytes, the mean is {}.", thousands(bytes as u64), thousands(mean as u64)),
        )
    };
    Some(sample.warning(WarningKind::KeyTooLong, (!is_literal).then_some(part), message, evidence))
}

/// Families are few, have short names of few characters, and are made before they are written to.
fn family_names(sample: &Sample, writer: &LayoutWriter) -> Option<Warning> {
    let names: Vec<Cow<'_, str>> = sample.records.iter().map(|record| writer.family_of(record)).collect();
    let mut names = sorted(names, Ord::cmp);
    names.dedup();
    if names.len() > FAMILIES_MAX {
        let message = format!(
            "A table should have at most about {FAMILIES_MAX} families, since each is made apart and costs memory: \
             name them by a field with few values."
        );
        let evidence =
            format!("{} events have {} families.", thousands(sample.records.len() as u64), thousands(names.len() as u64));
        return Some(sample.warning(WarningKind::FamilyNames, None, message, evidence));
    }
    // Only a name that was changed holds a full stop.
    let changed = names.iter().find(|name| name.contains('.'))?;
    let message = "A family's name has letters, digits, - and _, at most 64. Other bytes become . and two hexadecimal digits.";
    let evidence = format!("One family is called {}.", quote(changed.as_bytes()));
    Some(sample.warning(WarningKind::FamilyNames, None, message.into(), evidence))
}

/// Events that cannot be told apart any more once they are written.
fn shared_keys(sample: &Sample, writer: &LayoutWriter, layout: &Layout) -> Option<Warning> {
    let order = sample.keys.sorted();
    let (mut shared, mut replaced) = (0, 0);
    let mut example = None;
    for group in order.chunk_by(|&one, &other| sample.keys.get(one) == sample.keys.get(other)).filter(|group| group.len() > 1) {
        shared += group.len();
        let mut cells = Vec::new();
        for &at in group {
            let index = sample.written[at];
            let Ok(row) = writer.write(&sample.records[index], index as u64) else { continue };
            for mutation in row.mutations {
                if let Mutation::SetCell { family, qualifier, timestamp, .. } = mutation {
                    cells.push((family, qualifier, timestamp, at));
                }
            }
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
        } else if layout.kind != LayoutKind::RowPerEntity {
            example.get_or_insert(group[0]);
        }
    }
    let all = sample.keys.len();
    let example = quote(sample.keys.get(example?));
    let fix = "add what tells them apart to the end of the key";
    let (message, evidence) = match (layout.kind, replaced) {
        (LayoutKind::RowPerEntity, replaced) => (
            format!("Events of one row, column and millisecond replace each other, and only the last one stays: {fix}."),
            format!("Replaced: {}, among them one in the row {example}.", of_events(replaced, all)),
        ),
        (_, 0) => (
            format!("Events share a row key, so their cells join in one row: {fix}, or choose a row per entity."),
            format!("In shared rows: {}, some of them in {example}.", of_events(shared, all)),
        ),
        (_, replaced) => (
            format!("Events share a row key, and the later one replaces cells of the earlier one: {fix}."),
            format!(
                "In shared rows: {}, some of them in {example}. Replaced in whole or in part: {}.",
                of_events(shared, all),
                thousands(replaced as u64)
            ),
        ),
    };
    Some(sample.warning(WarningKind::SharedKey, None, message, evidence))
}
