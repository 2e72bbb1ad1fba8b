//! Warnings about values that do not suit their place in the key.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::{Field, FieldKind, Part, Transform, is_number, is_placeholder};
use tabletop_model::order::sorted;

use super::fixes;
use super::sample::{Sample, shorten};
use super::{Cause, Unsorted, ValueCause};
use crate::Warning;

/// Endings of names of numbers that are not queried by range.
const LABELS: [&str; 8] = ["id", "key", "code", "token", "zip", "phone", "number", "no"];

pub(super) fn of_parts(sample: &Sample) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for part in sample.field_parts() {
        warnings.extend(separator_inside(sample, part));
        // The two numbers of one position have one fix, so they are one warning.
        let is_known = |new: &Warning| {
            warnings.iter().any(|known: &Warning| {
                !new.fixes.is_empty() && known.kind() == new.kind() && known.fixes == new.fixes
            })
        };
        let new = out_of_order(sample, part).filter(|new| !is_known(new));
        warnings.extend(new);
    }
    warnings
}

/// Warns of values that do not parse as the kind of their field, in the key or not.
pub(super) fn of_other_kinds(sample: &Sample) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (at, field) in sample.template.fields().iter().enumerate() {
        let reads: fn(&Field, &str) -> bool = match field.kind {
            FieldKind::Int => |_, text| text.parse::<i64>().is_ok(),
            FieldKind::Float => |_, text| is_number(text),
            FieldKind::Bool => |_, text| matches!(text, "true" | "false"),
            FieldKind::Time => |field, text| field.micros(text).is_some(),
            FieldKind::Text | FieldKind::Facets | FieldKind::Json => continue,
        };
        let values =
            sample.records.iter().filter_map(|record| record.values[at]).filter(|text| !is_placeholder(text));
        let others = || values.clone().filter(|text| !reads(field, text));
        let Some(example) = others().next() else { continue };
        let (count, events) = (others().count() as u32, sample.records.len() as u32);
        let example = shorten(example.as_bytes());
        let cause =
            ValueCause::OtherKind { field: field.name.clone(), kind: field.kind, count, events, example };
        warnings.push(sample.warning(Cause::Value(cause), None, Vec::new()));
    }
    warnings
}

/// Warns of a value that contains the separator after it, or that has no separator after it.
fn separator_inside(sample: &Sample, part: usize) -> Option<Warning> {
    let parts = sample.template.parts();
    if sample.template.fixed_width(part).is_some() || part + 1 == parts.len() {
        return None;
    }
    let fields = sample.fields(part);
    let outputs = sample.outputs(part);
    let Part::Literal(separator) = &parts[part + 1] else {
        // No separator: only values of one length can be separated from the next part.
        let bytes = outputs.iter().next()?.len();
        let other = outputs.iter().find(|output| output.len() != bytes)?;
        let lengths = [outputs.get(0), other].map(shorten);
        let cause = ValueCause::Unseparated { fields, next: sample.fields(part + 1), lengths };
        return Some(sample.warning(Cause::Value(cause), Some(part), Vec::new()));
    };
    let holds = |output: &&[u8]| output.windows(separator.len()).any(|window| window == separator.as_bytes());
    let example = outputs.iter().find(holds)?;
    let (count, events) = (outputs.iter().filter(holds).count() as u32, outputs.len() as u32);
    let (separator, example) = (separator.clone(), shorten(example));
    let cause = ValueCause::SeparatorInside { fields, separator, count, events, example };
    Some(sample.warning(Cause::Value(cause), Some(part), fixes::of_separator(sample, part)))
}

/// Warns of numbers and times whose texts sort in another order.
fn out_of_order(sample: &Sample, part: usize) -> Option<Warning> {
    let Part::Field { name, transforms } = &sample.template.parts()[part] else { return None };
    let at = sample.template.fields().iter().position(|field| field.name == *name)?;
    let field = &sample.template.fields()[at];
    let kind = field.kind;
    let number = |text: &str| match kind {
        FieldKind::Int | FieldKind::Float => {
            text.trim().parse::<f64>().ok().filter(|number| number.is_finite())
        }
        FieldKind::Time => field.micros(text).map(|micros| micros as f64),
        _ => None,
    };
    let is_label = || {
        let name = name.to_ascii_lowercase();
        LABELS.iter().any(|label| name.ends_with(label))
    };
    if !transforms.iter().all(|transform| matches!(transform, Transform::Upper | Transform::Lower))
        || !matches!(kind, FieldKind::Int | FieldKind::Float | FieldKind::Time)
        || kind == FieldKind::Int && is_label()
    {
        return None;
    }
    let written = sample.keyed.iter().filter_map(|&index| sample.records[index].values[at]);
    let numbers: Vec<(f64, &str)> = written.filter_map(|text| Some((number(text)?, text))).collect();
    let mut numbers = sorted(numbers, |one, other| one.0.total_cmp(&other.0).then(one.1.cmp(other.1)));
    numbers.dedup();
    let wrong = |pair: &&[(f64, &str)]| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1;
    let pair = numbers.windows(2).find(wrong)?;
    let (part, of, fixes) = match kind {
        FieldKind::Float => match fixes::of_coordinates(sample) {
            Some((x, y, fix)) => (None, Unsorted::Coordinates { x, y }, alloc::vec![fix]),
            None => (None, Unsorted::Numbers(name.clone()), Vec::new()),
        },
        FieldKind::Int => (Some(part), Unsorted::Integers(name.clone()), fixes::of_unpadded(sample, part)),
        _ => (Some(part), Unsorted::Times(name.clone()), fixes::of_raw_time(sample, part)),
    };
    let cause = ValueCause::OutOfOrder { of, first: pair[1].1.into(), second: pair[0].1.into() };
    Some(sample.warning(Cause::Value(cause), part, fixes))
}

/// Warns of times with reversed characters, where a time that counts down is meant.
pub(super) fn reversed_times(sample: &Sample) -> Vec<Warning> {
    let is_reversed = |part: &usize| matches!(&sample.template.parts()[*part], Part::Field { transforms, .. } if transforms[..] == [Transform::Reverse]);
    let warning = |part: usize| {
        let time = sample.field(part);
        let example =
            sample.keyed.first().and_then(|&index| sample.records[index].get(&time)).unwrap_or_default();
        let reversed: String = example.chars().rev().collect();
        let cause = ValueCause::ReversedTime { time, example: example.into(), reversed };
        sample.warning(Cause::Value(cause), Some(part), fixes::of_reversed_time(sample, part))
    };
    sample.field_parts().filter(|&part| sample.is_time(part)).filter(is_reversed).map(warning).collect()
}
