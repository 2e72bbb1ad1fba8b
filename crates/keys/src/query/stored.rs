//! Filters of cells, for values that the key does not contain.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Code, Error, Result, RowFilter, pattern::literal};

use super::plan::Plan;
use crate::layout::{BoundColumn, Shape, family_name, json, push_csv};
use crate::template::{Part, part_fields};
use crate::{Encoding, Field, FieldKind, Layout, Template};

/// A regex of a JSON string, as `layout::json` writes it.
const JSON_STRING: &str = r#""(?:[^"\\]|\\\C)*""#;

/// Adds filters to `plan` that keep only cells, or rows, of events whose field is `text`.
///
/// # Errors
/// `FailedPrecondition` if the cells do not contain the full value of the field.
pub(super) fn filter_equal(
    fields: &[Field],
    shape: &Shape,
    layout: &Layout,
    field: usize,
    text: &str,
    plan: &mut Plan,
) -> Result<()> {
    let family = |text: &str| RowFilter::FamilyNameRegex(literal(family_name(text).as_bytes()));
    let qualifier = |text: &[u8]| RowFilter::ColumnQualifierRegex(literal(text).into());
    match shape {
        Shape::NarrowEvent(event) if field == event.event_type => plan.cells.push(family(text)),
        Shape::NarrowEvent(event) if field == event.event_name => plan.cells.push(qualifier(text.as_bytes())),
        Shape::WideEvent(event) if field == event.event_type || field == event.event_name => {
            let any = r#"(?:[^",]*|"(?:[^"]|"")*")"#;
            let mut asked = Vec::new();
            push_csv(&mut asked, text);
            let asked = literal(&asked);
            let pattern = if field == event.event_type {
                format!("{asked},{any},\\C*")
            } else {
                format!("{any},{asked},\\C*")
            };
            plan.cells.push(RowFilter::ColumnQualifierRegex(pattern.into()));
        }
        Shape::Record { family: Some(index), .. } if field == *index => plan.cells.push(family(text)),
        Shape::Record { qualifier: Some(index), .. } if field == *index => {
            plan.cells.push(qualifier(text.as_bytes()));
        }
        Shape::Record { .. }
            if is_json(layout) && fields[..field].iter().all(|before| before.kind != FieldKind::Json) =>
        {
            plan.cells.push(RowFilter::ValueRegex(json_pattern(fields, field, text).into()));
        }
        Shape::Record { family: None, .. } | Shape::Fields
            if layout.family_field.as_ref() == Some(&fields[field].name) =>
        {
            plan.cells.push(family(text));
        }
        Shape::Fields => plan.rows.push(RowFilter::Chain(alloc::vec![
            qualifier(fields[field].name.as_bytes()),
            RowFilter::ValueRegex(literal(text.as_bytes()).into()),
        ])),
        Shape::Columns => {
            let columns = BoundColumn::all(layout, fields);
            let filters: Vec<RowFilter> =
                columns.iter().filter_map(|column| of_column(column, fields, field, text)).collect();
            let is_in_all = filters.len() == columns.len();
            let any = match filters.len() {
                0 => return Err(not_stored(fields, field)),
                1 => filters.into_iter().next().unwrap_or(RowFilter::BlockAll(true)),
                _ => RowFilter::Interleave(filters),
            };
            // If a cell of the same event may lack the field, the whole row is kept.
            if is_in_all { plan.cells.push(any) } else { plan.rows.push(any) }
        }
        Shape::Record { .. } if !is_json(layout) => return Err(not_readable(fields, field)),
        _ => return Err(not_stored(fields, field)),
    }
    Ok(())
}

fn is_json(layout: &Layout) -> bool {
    layout.encoding == Encoding::Json
}

#[cold]
fn not_stored(fields: &[Field], field: usize) -> Error {
    let name = &fields[field].name;
    Error::new(
        Code::FailedPrecondition,
        format!(
            "Neither the row key nor the cells of this layout contain {name} in full: put {{{name}}} into the template."
        ),
    )
}

#[cold]
fn not_readable(fields: &[Field], field: usize) -> Error {
    let name = &fields[field].name;
    Error::new(
        Code::FailedPrecondition,
        format!(
            "The values of this layout contain {name}, but no filter can find it there: put {{{name}}} into the template, or store the events \
             as JSON."
        ),
    )
}

/// Returns a filter for the cells of a column that events with this value write; `None` if the
/// column does not distinguish the values. Like keys, texts are only bytes: a value may look like
/// another one with the literal after it.
fn of_column(column: &BoundColumn, fields: &[Field], field: usize, text: &str) -> Option<RowFilter> {
    let family = match column.family.parts() {
        [Part::Literal(name)] => Some((literal(name.as_bytes()), false)),
        [Part::Field { name, transforms }] if transforms.is_empty() && *name == fields[field].name => {
            Some((literal(family_name(text).as_bytes()), true))
        }
        _ => None,
    };
    let qualifier = pattern(&column.qualifier, fields, field, text)?;
    let value = match &column.value {
        Some(template) if template.parts().is_empty() => ("\\C*".into(), false),
        Some(template) => pattern(template, fields, field, text)?,
        None if fields[..field].iter().all(|before| before.kind != FieldKind::Json) => {
            (json_pattern(fields, field, text), true)
        }
        None => ("\\C*".into(), false),
    };
    let determines = family.as_ref().is_some_and(|family| family.1) || qualifier.1 || value.1;
    determines.then(|| {
        let family = family.map(|(name, _)| RowFilter::FamilyNameRegex(name));
        let others =
            [RowFilter::ColumnQualifierRegex(qualifier.0.into()), RowFilter::ValueRegex(value.0.into())];
        RowFilter::Chain(family.into_iter().chain(others).collect())
    })
}

/// Returns a regex of a text of a column for events whose field is `text`, and whether it excludes
/// events with other values. `None` if a transform cannot write the value, so no such event is
/// stored.
fn pattern(template: &Template, fields: &[Field], field: usize, text: &str) -> Option<(String, bool)> {
    let (mut out, mut determines) = (String::new(), false);
    for (at, part) in template.parts().iter().enumerate() {
        let names = part_fields(part);
        match part {
            Part::Literal(text) => out.push_str(&literal(text.as_bytes())),
            Part::Field { .. } if *names[0] == fields[field].name => {
                let mut bytes = Vec::new();
                template.write_part(at, &mut |index| (index == field).then_some(text), &mut bytes).ok()?;
                out.push_str(&literal(&bytes));
                determines |= template.is_injective(at);
            }
            _ => out.push_str("\\C*"),
        }
    }
    Some((out, determines))
}

/// Returns a regex of the whole JSON text of a record whose `field` is `text`. The fields before it
/// are matched one by one, because a text inside a value could look like the field itself.
fn json_pattern(fields: &[Field], field: usize, text: &str) -> String {
    let mut out = String::from("\\{");
    for before in &fields[..field] {
        let mut name = Vec::new();
        json::push_string(&mut name, &before.name);
        let value = match before.kind {
            FieldKind::Facets => format!(r"\[(?:{JSON_STRING},?)*\]"),
            FieldKind::Text | FieldKind::Time => JSON_STRING.into(),
            _ => format!(r#"(?:{JSON_STRING}|[^",]*)"#),
        };
        out.push_str(&format!("(?:{}:{value},)?", literal(&name)));
    }
    let mut asked = Vec::new();
    json::push_string(&mut asked, &fields[field].name);
    asked.push(b':');
    json::push_value(&mut asked, fields[field].kind, text);
    out + &literal(&asked) + "(?:,\\C*)?\\}"
}
