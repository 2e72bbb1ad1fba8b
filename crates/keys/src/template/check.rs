//! Problems of parts that parse.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Problem, Span, did_you_mean};

use super::parse::Spans;
use super::part::{Part, Transform, part_fields};
use super::print;
use crate::{Field, FieldKind, time};

/// Returns the problems because of which a table with these parts cannot be built. `is_whole` says
/// that their text was parsed without problems.
pub(super) fn check(
    parts: &[Part],
    spans: &[Spans],
    fields: &[Field],
    text_bytes: usize,
    is_whole: bool,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    if is_whole && !parts.iter().any(|part| !part_fields(part).is_empty()) {
        let message = match fields.first() {
            Some(field) => {
                format!("A row key needs a field, or all events share one row: {{{}}}.", field.name)
            }
            None => String::from("A row key needs a field, or all events share one row."),
        };
        problems.push(Problem { span: Span { start: 0, end: text_bytes as u32 }, message });
    }
    for (at, (part, spans)) in parts.iter().zip(spans).enumerate().filter(|(_, (_, spans))| spans.understood)
    {
        let mut problem = |span: Span, message: String| problems.push(Problem { span, message });
        for name in part_fields(part) {
            if !fields.iter().any(|field| field.name == *name) {
                problem(
                    spans.name,
                    format!(
                        "There is no field {name}{}",
                        did_you_mean(name, fields.iter().map(|f| f.name.as_str()))
                    ),
                );
            }
        }
        match part {
            Part::Literal(_) => {}
            Part::Field { name, transforms } => {
                let kind = fields.iter().find(|field| field.name == *name).map(|field| field.kind);
                let found = check_transforms(name, kind, transforms);
                if let Some((index, message)) = found {
                    problem(spans.transforms.get(index).copied().unwrap_or(spans.part), message);
                }
            }
            Part::Salt { over, .. } => {
                if at > 0 {
                    let message = "A salt must be first: after other parts it cannot spread the keys. Move it to the beginning.";
                    problem(spans.part, message.into());
                }
                for name in over {
                    if !parts.iter().any(|part| part_fields(part).contains(&name)) {
                        let in_key = parts.iter().flat_map(part_fields).map(String::as_str);
                        let tail = did_you_mean(name, in_key);
                        let message = format!(
                            "The key does not contain {name}, so a reader could not compute the salt of a row{tail}"
                        );
                        problem(spans.part, message);
                    }
                }
            }
            Part::ZOrder(zorder) => {
                for axis in [&zorder.x, &zorder.y] {
                    let kind = fields.iter().find(|field| field.name == axis.field).map(|field| field.kind);
                    if let Some(FieldKind::Bool | FieldKind::Time | FieldKind::Facets | FieldKind::Json) =
                        kind
                    {
                        problem(
                            spans.part,
                            format!("{} is {}; a Z-order needs numbers.", axis.field, kind_name(kind)),
                        );
                    }
                }
            }
        }
    }
    problems
}

/// Returns the problem of a salt in the text of a column.
pub(super) fn no_salt(part: &Part) -> String {
    let text = print::text(core::slice::from_ref(part));
    format!("{text} spreads row keys, and cannot be used in a column: remove it.")
}

/// Returns the first transform that does not fit its input, and the reason.
fn check_transforms(
    name: &str,
    kind: Option<FieldKind>,
    transforms: &[Transform],
) -> Option<(usize, String)> {
    let mut is_time = matches!(kind, None | Some(FieldKind::Time));
    // The index of the first transform of the value.
    let mut first = 0;
    for (index, transform) in transforms.iter().enumerate() {
        let text = print::transform(*transform);
        match transform {
            Transform::Or(_) if index > 0 => {
                return Some((
                    index,
                    format!("{text} replaces a value as the event has it: make it the first transform."),
                ));
            }
            Transform::Or(placeholder) => {
                let problem = unreadable(placeholder.text(), &transforms[1..], kind);
                if let Some(needed) = problem {
                    return Some((index, format!("{text} is not {needed}, which the next transform needs.")));
                }
                first += 1;
            }
            Transform::Time(_) | Transform::Bucket(_) if index == first && !is_time => {
                let message = format!(
                    "{name} is {}; {text} needs a time: correct the kind of {name} with the data.",
                    kind_name(kind)
                );
                return Some((index, message));
            }
            Transform::Time(_) | Transform::Bucket(_) if !is_time => {
                return Some((
                    index,
                    format!("{text} needs a time, but its input is a text here: move it to the left."),
                ));
            }
            Transform::Time(_) => is_time = false,
            Transform::Bucket(_) => {}
            Transform::Pad(_) if index > first => {
                return Some((
                    index,
                    format!("{text} needs a number as the event has it: make it the first transform."),
                ));
            }
            Transform::Pad(_) => {
                if !matches!(kind, None | Some(FieldKind::Int | FieldKind::Text)) {
                    return Some((
                        index,
                        format!("{name} is {}; {text} needs whole numbers.", kind_name(kind)),
                    ));
                }
                is_time = false;
            }
            Transform::Hash(_)
            | Transform::Reverse
            | Transform::ReverseDomain
            | Transform::Upper
            | Transform::Lower => is_time = false,
        }
    }
    None
}

/// Returns what a placeholder should be, if the transforms after it cannot read it.
fn unreadable(placeholder: &str, next: &[Transform], kind: Option<FieldKind>) -> Option<&'static str> {
    match next.first() {
        Some(Transform::Time(_) | Transform::Bucket(_)) if kind == Some(FieldKind::Time) => {
            time::parse(placeholder).is_none().then_some("a time")
        }
        Some(Transform::Pad(_)) => placeholder.parse::<i64>().is_err().then_some("a whole number"),
        _ => None,
    }
}

fn kind_name(kind: Option<FieldKind>) -> &'static str {
    match kind {
        Some(FieldKind::Text) | None => "text",
        Some(FieldKind::Int) => "a whole number",
        Some(FieldKind::Float) => "a number with a fraction",
        Some(FieldKind::Bool) => "true or false",
        Some(FieldKind::Time) => "a time",
        Some(FieldKind::Facets) => "a list of facets",
        Some(FieldKind::Json) => "JSON",
    }
}
