//! Filters of the cells, for values that the key does not contain.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::pattern::literal;
use tabletop_model::{Code, Error, Result, RowFilter};

use super::Plan;
use crate::layout::{Shape, family_name, json, push_csv};
use crate::{Field, FieldKind, Layout};

/// Any JSON value that is no object and no array of objects, as `layout::json` writes it.
const JSON_STRING: &str = r#""(?:[^"\\]|\\\C)*""#;

/// Adds filters to `plan` that keep only cells, or rows, of events whose field is `text`.
///
/// # Errors
/// `FailedPrecondition` when the cells do not contain the field in full.
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
            let pattern = if field == event.event_type { format!("{asked},{any},\\C*") } else { format!("{any},{asked},\\C*") };
            plan.cells.push(RowFilter::ColumnQualifierRegex(pattern.into()));
        }
        Shape::Record { family: Some(index), .. } if field == *index => plan.cells.push(family(text)),
        Shape::Record { qualifier: Some(index), .. } if field == *index => plan.cells.push(qualifier(text.as_bytes())),
        Shape::Record { .. } if fields[..field].iter().all(|before| before.kind != FieldKind::Json) => {
            plan.cells.push(RowFilter::ValueRegex(json_pattern(fields, field, text).into()));
        }
        Shape::Record { family: None, .. } | Shape::Fields if layout.family_field.as_ref() == Some(&fields[field].name) => {
            plan.cells.push(family(text));
        }
        Shape::Fields => plan.rows.push(RowFilter::Chain(alloc::vec![
            qualifier(fields[field].name.as_bytes()),
            RowFilter::ValueRegex(literal(text.as_bytes()).into()),
        ])),
        _ => {
            let name = &fields[field].name;
            return Err(Error::new(
                Code::FailedPrecondition,
                format!(
                    "Neither the row key nor the cells of this layout contain {name} in full: put {{{name}}} into the template."
                ),
            ));
        }
    }
    Ok(())
}

/// The whole JSON text of a record whose `field` is `text`. Fields before it are matched one by one, because a text within a
/// value could look like the field itself.
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
