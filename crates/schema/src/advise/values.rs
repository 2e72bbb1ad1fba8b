//! Warnings about values that do not suit their place in the key.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::order::sorted;

use super::fixes;
use super::sample::{Sample, of_events, quote};
use crate::layout::json::is_number;
use crate::template::{Part, Transform};
use crate::{Field, FieldKind, Warning, WarningKind, is_placeholder};

/// Endings of names of numbers that are not queried by range.
const LABELS: [&str; 8] = ["id", "key", "code", "token", "zip", "phone", "number", "no"];

pub(super) fn of_parts(sample: &Sample) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for part in sample.field_parts() {
        warnings.extend(separator_inside(sample, part));
        // The two numbers of one position are one warning.
        let known = |warning: &Warning| warnings.iter().any(|known: &Warning| known.message == warning.message);
        let new = out_of_order(sample, part).filter(|warning| !known(warning));
        warnings.extend(new);
    }
    warnings
}

/// Warns of values that do not parse as the kind of their field, in the key or not.
pub(super) fn of_other_kinds(sample: &Sample) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (at, field) in sample.template.fields().iter().enumerate() {
        let (kind, reads): (_, fn(&Field, &str) -> bool) = match field.kind {
            FieldKind::Int => ("integer", |_, text| text.parse::<i64>().is_ok()),
            FieldKind::Float => ("number", |_, text| is_number(text)),
            FieldKind::Bool => ("true or false", |_, text| matches!(text, "true" | "false")),
            FieldKind::Time => ("time", |field, text| field.micros(text).is_some()),
            FieldKind::Text | FieldKind::Facets | FieldKind::Json => continue,
        };
        let values = sample.records.iter().filter_map(|record| record.values[at]).filter(|text| !is_placeholder(text));
        let others = || values.clone().filter(|text| !reads(field, text));
        let Some(example) = others().next() else { continue };
        let name = &field.name;
        let message =
            format!("Some values of {name} are not of its type ({kind}) and count as text. Correct the type in the data pane.");
        let evidence =
            format!("{}, among them {}.", of_events(others().count(), sample.records.len()), quote(example.as_bytes()));
        warnings.push(sample.warning(WarningKind::OtherKind, None, message, evidence, Vec::new()));
    }
    warnings
}

/// Warns of a value that contains the separator after it, or that has no separator after it.
fn separator_inside(sample: &Sample, part: usize) -> Option<Warning> {
    let parts = sample.template.parts();
    if sample.template.fixed_width(part).is_some() || part + 1 == parts.len() {
        return None;
    }
    let name = sample.name(part);
    let outputs = sample.outputs(part);
    let Part::Literal(separator) = &parts[part + 1] else {
        // No separator: only values of one length can be separated from the next part.
        let bytes = outputs.iter().next()?.len();
        let other = outputs.iter().find(|output| output.len() != bytes)?;
        let message = format!(
            "Nothing separates {name} from {}, so a key can be read in two ways. Put a separator between them.",
            sample.name(part + 1)
        );
        let evidence = format!("{} and {} have different lengths.", quote(outputs.get(0)), quote(other));
        return Some(sample.warning(WarningKind::SeparatorInsideValue, Some(part), message, evidence, Vec::new()));
    };
    let holds = |output: &&[u8]| output.windows(separator.len()).any(|window| window == separator.as_bytes());
    let example = outputs.iter().find(holds)?;
    let count = outputs.iter().filter(holds).count();
    let message = format!(
        "Values of {name} contain \"{separator}\", the separator after them, so a prefix also finds other values and a key can \
         be read in two ways. Choose another separator, or hash {name}."
    );
    let evidence = format!("{}, among them {}.", of_events(count, outputs.len()), quote(example));
    let fixes = fixes::of_separator(sample, part);
    Some(sample.warning(WarningKind::SeparatorInsideValue, Some(part), message, evidence, fixes))
}

/// Warns of numbers and times whose texts sort in another order.
fn out_of_order(sample: &Sample, part: usize) -> Option<Warning> {
    let Part::Field { name, transforms } = &sample.template.parts()[part] else { return None };
    let at = sample.template.fields().iter().position(|field| field.name == *name)?;
    let field = &sample.template.fields()[at];
    let kind = field.kind;
    let number = |text: &str| match kind {
        FieldKind::Int | FieldKind::Float => text.trim().parse::<f64>().ok().filter(|number| number.is_finite()),
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
    let texts = sample.keyed.iter().filter_map(|&index| sample.records[index].values[at]);
    let numbers: Vec<(f64, &str)> = texts.filter_map(|text| Some((number(text)?, text))).collect();
    let mut numbers = sorted(numbers, |one, other| one.0.total_cmp(&other.0).then(one.1.cmp(other.1)));
    numbers.dedup();
    let wrong = |pair: &&[(f64, &str)]| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1;
    let pair = numbers.windows(2).find(wrong)?;
    let wrong_order = format!("\"{}\" sorts before \"{}\"", pair[1].1, pair[0].1);
    if kind == FieldKind::Float {
        return Some(float_out_of_order(sample, name, &wrong_order));
    }
    let (order, remedy, fixes) = match kind {
        FieldKind::Int => ("numeric order", format!("Write {{{name}:pad(10)}}."), fixes::of_unpadded(sample, part)),
        _ => ("order of time", format!("Write {{{name}:iso}}."), fixes::of_raw_time(sample, part)),
    };
    let message = format!("Row keys sort as bytes, so values of {name} are not in {order}. {remedy}");
    Some(sample.warning(WarningKind::UnpaddedNumber, Some(part), message, format!("{wrong_order}."), fixes))
}

fn float_out_of_order(sample: &Sample, name: &str, wrong_order: &str) -> Warning {
    let (names, remedy, fixes) = match fixes::of_coordinates(sample) {
        Some((names, fix)) => (names, "Combine them with zorder, so that nearby points get nearby keys.", alloc::vec![fix]),
        None => (
            String::from(name),
            "Store an integer (for example cents) and pad it, or combine two fields with zorder.",
            Vec::new(),
        ),
    };
    let message = format!("Row keys sort as bytes, so values of {names} are not in numeric order. {remedy}");
    sample.warning(WarningKind::UnpaddedNumber, None, message, format!("{wrong_order}."), fixes)
}

/// Warns of times with reversed characters, where a time that counts down is meant.
pub(super) fn reversed_times(sample: &Sample) -> Vec<Warning> {
    let is_reversed = |part: &usize| matches!(&sample.template.parts()[*part], Part::Field { transforms, .. } if transforms[..] == [Transform::Reverse]);
    let warning = |part: usize| {
        let name = sample.name(part);
        let message = format!(
            "reverse turns the characters of {name} around, so keys are in no order of time. To read the newest first, use \
             reverse_time, which counts down."
        );
        let example = sample.keyed.first().and_then(|&index| sample.records[index].get(&name)).unwrap_or_default();
        let reversed: String = example.chars().rev().collect();
        let evidence = format!("\"{example}\" becomes \"{reversed}\".");
        sample.warning(WarningKind::ReversedTime, Some(part), message, evidence, fixes::of_reversed_time(sample, part))
    };
    sample.field_parts().filter(|&part| sample.is_time(part)).filter(is_reversed).map(warning).collect()
}
