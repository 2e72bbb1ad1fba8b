//! Values that the key does not tell, found in the cells.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Bytes, Code, Error, Result, RowFilter};

use super::Plan;
use crate::layout::{Shape, family_name, json, push_csv};
use crate::{Field, FieldKind, Layout};

/// Any JSON value that is no object and no array of objects, as `layout::json` writes it.
const JSON_STRING: &str = r#""(?:[^"\\]|\\\C)*""#;

/// Adds to `plan` what keeps only cells, or rows, of events whose field is `text`.
///
/// # Errors
/// `FailedPrecondition` when the cells do not tell.
pub(super) fn keep_equal(
    fields: &[Field],
    shape: &Shape,
    layout: &Layout,
    field: usize,
    text: &str,
    plan: &mut Plan,
) -> Result<()> {
    let family = |text: &str| {
        let mut pattern = Vec::new();
        push_quoted(&mut pattern, family_name(text).as_bytes());
        RowFilter::FamilyNameRegex(String::from_utf8(pattern).expect("family names are ASCII"))
    };
    let qualifier = |text: &[u8]| RowFilter::ColumnQualifierRegex(quoted(text));
    match shape {
        Shape::NarrowEvent(event) if field == event.event_type => plan.cells.push(family(text)),
        Shape::NarrowEvent(event) if field == event.event_name => plan.cells.push(qualifier(text.as_bytes())),
        Shape::WideEvent(event) if field == event.event_type || field == event.event_name => {
            let any = r#"(?:[^",]*|"(?:[^"]|"")*")"#;
            let mut asked = Vec::new();
            push_csv(&mut asked, text);
            let mut pattern = Vec::new();
            if field == event.event_type {
                push_quoted(&mut pattern, &asked);
                pattern.extend_from_slice(format!(",{any},").as_bytes());
            } else {
                pattern.extend_from_slice(format!("{any},").as_bytes());
                push_quoted(&mut pattern, &asked);
                pattern.push(b',');
            }
            pattern.extend_from_slice(b"\\C*");
            plan.cells.push(RowFilter::ColumnQualifierRegex(Bytes(pattern)));
        }
        Shape::Record { family: Some(index), .. } if field == *index => plan.cells.push(family(text)),
        Shape::Record { qualifier: Some(index), .. } if field == *index => plan.cells.push(qualifier(text.as_bytes())),
        Shape::Record { .. } if fields[..field].iter().all(|before| before.kind != FieldKind::Json) => {
            plan.cells.push(RowFilter::ValueRegex(Bytes(json_pattern(fields, field, text))));
        }
        Shape::Record { family: None, .. } | Shape::Fields if layout.family_field.as_ref() == Some(&fields[field].name) => {
            plan.cells.push(family(text));
        }
        Shape::Fields => plan.rows.push(RowFilter::Chain(alloc::vec![
            qualifier(fields[field].name.as_bytes()),
            RowFilter::ValueRegex(quoted(text.as_bytes())),
        ])),
        _ => {
            let name = &fields[field].name;
            return Err(Error::new(
                Code::FailedPrecondition,
                format!(
                    "Neither the row key nor the cells of this layout tell {name} in full: put {{{name}}} into the template."
                ),
            ));
        }
    }
    Ok(())
}

/// The whole JSON text of a record whose `field` is `text`. Fields before it are matched one by one, for a text within a
/// value could look like the field itself.
fn json_pattern(fields: &[Field], field: usize, text: &str) -> Vec<u8> {
    let mut out = Vec::from(b"\\{");
    for before in &fields[..field] {
        let mut name = Vec::new();
        json::push_string(&mut name, &before.name);
        out.extend_from_slice(b"(?:");
        push_quoted(&mut out, &name);
        let value = match before.kind {
            FieldKind::Facets => format!(r":\[(?:{JSON_STRING},?)*\]"),
            FieldKind::Text | FieldKind::Time => format!(":{JSON_STRING}"),
            _ => format!(r#":(?:{JSON_STRING}|[^",]*)"#),
        };
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b",)?");
    }
    let mut asked = Vec::new();
    json::push_string(&mut asked, &fields[field].name);
    asked.push(b':');
    json::push_value(&mut asked, fields[field].kind, text);
    push_quoted(&mut out, &asked);
    out.extend_from_slice(b"(?:,\\C*)?\\}");
    out
}

/// A regex that matches these bytes and nothing else.
fn quoted(bytes: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(bytes.len() + 8);
    push_quoted(&mut out, bytes);
    Bytes(out)
}

/// Appends a regex that matches these bytes and nothing else, in ASCII.
pub(super) fn push_quoted(out: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            b'\\' | b'.' | b'+' | b'*' | b'?' | b'(' | b')' | b'|' | b'[' | b']' | b'{' | b'}' | b'^' | b'$' => {
                out.extend_from_slice(&[b'\\', byte]);
            }
            b' '..=b'~' => out.push(byte),
            _ => {
                out.extend_from_slice(b"\\x");
                crate::zorder::push_hex(out, u64::from(byte), 2);
            }
        }
    }
}
