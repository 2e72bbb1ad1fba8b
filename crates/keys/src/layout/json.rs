//! Writes JSON directly into bytes: one value per cell, ten thousand times between two frames.

use alloc::vec::Vec;

use serde::de::IgnoredAny;

use crate::{FieldKind, Record, facets};

/// Appends `text` as a JSON string. Only characters that must be escaped are escaped, so equal
/// texts have equal bytes.
pub(crate) fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    push_escaped(out, text);
    out.push(b'"');
}

/// Appends `text`, escaped as in a JSON string, without quotes.
fn push_escaped(out: &mut Vec<u8>, text: &str) {
    let must_escape = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    let mut rest = text.as_bytes();
    out.reserve(rest.len() + 2);
    while let Some(at) = rest.iter().position(must_escape) {
        out.extend_from_slice(&rest[..at]);
        out.push(b'\\');
        match rest[at] {
            b'\n' => out.push(b'n'),
            b'\r' => out.push(b'r'),
            b'\t' => out.push(b't'),
            control @ 0..0x20 => {
                out.extend_from_slice(b"u00");
                crate::zorder::push_hex(out, u64::from(control), 2);
            }
            quote => out.push(quote),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// Appends a field's text as a JSON value of its kind. A text that does not parse as its kind is
/// written as a string.
pub(crate) fn push_value(out: &mut Vec<u8>, kind: FieldKind, text: &str) {
    match kind {
        FieldKind::Int | FieldKind::Float if is_number(text) => out.extend_from_slice(text.as_bytes()),
        FieldKind::Bool if matches!(text, "true" | "false") => out.extend_from_slice(text.as_bytes()),
        FieldKind::Json if serde_json::from_str::<IgnoredAny>(text).is_ok() => {
            out.extend_from_slice(text.trim().as_bytes());
        }
        FieldKind::Facets => {
            out.push(b'[');
            let start = out.len();
            facets::parse(text, |facet| {
                if out.len() > start {
                    out.push(b',');
                }
                out.push(b'"');
                for text in [facet.name, facet.operator, facet.value] {
                    push_escaped(out, text);
                }
                out.push(b'"');
            });
            out.push(b']');
        }
        _ => push_string(out, text),
    }
}

/// Appends the record as a JSON object with the fields that have a value, in their order.
pub(crate) fn push_record(out: &mut Vec<u8>, record: &Record<'_>) {
    out.push(b'{');
    let mut separate = false;
    for (field, value) in record.fields.iter().zip(record.values) {
        let Some(text) = value else { continue };
        if core::mem::replace(&mut separate, true) {
            out.push(b',');
        }
        push_string(out, &field.name);
        out.push(b':');
        push_value(out, field.kind, text);
    }
    out.push(b'}');
}

/// Returns whether `text` is a number in JSON's grammar: no plus, no leading zeros, digits on both
/// sides of a point.
pub fn is_number(text: &str) -> bool {
    let digits = |text: &mut &[u8]| {
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *text = &text[count..];
        count
    };
    let mut rest = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let leading_zero = rest.first() == Some(&b'0');
    let whole = digits(&mut rest);
    if whole == 0 || leading_zero && whole > 1 {
        return false;
    }
    if let [b'.', tail @ ..] = rest {
        rest = tail;
        if digits(&mut rest) == 0 {
            return false;
        }
    }
    if let [b'e' | b'E', tail @ ..] = rest {
        rest = match tail {
            [b'+' | b'-', tail @ ..] => tail,
            tail => tail,
        };
        if digits(&mut rest) == 0 {
            return false;
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;
    use alloc::string::String;

    #[test]
    fn every_value_is_valid_json_of_its_text() {
        for text in
            ["", "plain", "quote \" and \\", "line\nand\ttab\r", "\u{0}\u{1f}\u{7f}", "\u{e9}\u{1f600}"]
        {
            let mut out = Vec::new();
            push_string(&mut out, text);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
        for (text, yes) in [
            ("0", true),
            ("-1.5e+3", true),
            ("10", true),
            ("007", false),
            ("+1", false),
            ("1.", false),
            (".5", false),
            ("", false),
            ("-", false),
            ("1e", false),
            ("NaN", false),
            ("0.25", true),
            ("1 ", false),
        ] {
            assert_eq!(is_number(text), yes, "{text}");
            assert!(!yes || serde_json::from_str::<f64>(text).is_ok());
        }
    }

    #[test]
    fn a_record_has_numbers_without_quotes_and_no_missing_fields() {
        let kinds = [
            FieldKind::Int,
            FieldKind::Int,
            FieldKind::Float,
            FieldKind::Bool,
            FieldKind::Json,
            FieldKind::Json,
            FieldKind::Facets,
        ];
        let fields: Vec<Field> =
            kinds.iter().enumerate().map(|(at, kind)| Field::new(alloc::format!("f{at}"), *kind)).collect();
        let values = [
            Some("12"),
            Some("012"),
            None,
            Some("true"),
            Some("{\"a\": [1]}"),
            Some("{"),
            Some("brand:Apple|size=5"),
        ];
        let mut out = Vec::new();
        push_record(&mut out, &Record { fields: &fields, values: &values });
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            r#"{"f0":12,"f1":"012","f3":true,"f4":{"a": [1]},"f5":"{","f6":["brand:Apple","size=5"]}"#
        );
        assert!(serde_json::from_str::<IgnoredAny>(&text).is_ok());
    }
}
