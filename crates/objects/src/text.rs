//! Decoded values as text, similar to protobuf's text format.

use alloc::format;
use alloc::string::{String, ToString};

use tabletop_keys::{thousands, time};
use tabletop_model::{escape, push_hex};

use super::{DecodedField, DecodedMessage, Value};

/// The maximum number of list entries, and of bytes of a value, that are written out.
const WRITTEN_MAX: usize = 256;
/// The seconds that are dates: from the year 0 to 9999.
const SECONDS: core::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

/// Returns the fields of a message on one line of about `chars_max` characters: `name: "a" score:
/// 0.5 place { city: "Z" }`. Lists of numbers are counted.
pub fn one_line(message: &DecodedMessage<'_>, chars_max: usize) -> String {
    let mut out = String::new();
    if !line_of(message, chars_max, &mut out) {
        out.push('…');
    }
    out
}

/// Appends the fields of a message. Returns whether all of them fit.
fn line_of(message: &DecodedMessage<'_>, chars_max: usize, out: &mut String) -> bool {
    for (at, field) in message.fields.iter().chain(&message.unknown).enumerate() {
        if out.len() >= chars_max {
            return false;
        }
        if at > 0 {
            out.push(' ');
        }
        out.push_str(&name_of(field));
        match &field.value {
            Value::Message(message) if known_text(message).is_none() => {
                out.push_str(" { ");
                if !line_of(message, chars_max, out) {
                    return false;
                }
                out.push_str(" }");
            }
            value => {
                out.push_str(": ");
                out.push_str(&short(value));
            }
        }
    }
    true
}

/// Returns the fields of a message on separate lines, indented by two spaces, with the offset of
/// each unknown field.
pub fn lines(message: &DecodedMessage<'_>) -> String {
    let mut out = String::new();
    lines_of(message, 0, &mut out);
    out.truncate(out.trim_end().len());
    out
}

fn lines_of(message: &DecodedMessage<'_>, depth: usize, out: &mut String) {
    for field in message.fields.iter().chain(&message.unknown) {
        push_lines(&name_of(field), &field.value, depth, out);
        if field.of.is_none() && !matches!(field.value, Value::Message(_)) {
            out.truncate(out.trim_end().len());
            out.push_str(&format!("  # unknown, byte {}\n", field.at));
        }
    }
}

fn push_lines(name: &str, value: &Value<'_>, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Message(message) if known_text(message).is_none() => {
            out.push_str(&format!("{indent}{name} {{\n"));
            lines_of(message, depth + 1, out);
            out.push_str(&format!("{indent}}}\n"));
        }
        Value::List(values) => values.iter().for_each(|value| push_lines(name, value, depth, out)),
        Value::Map(entries) => {
            for (key, value) in entries {
                push_lines(&format!("{name}[{}]", value_text(key)), value, depth, out);
            }
        }
        value => out.push_str(&format!("{indent}{name}: {}\n", value_text(value))),
    }
}

/// Returns the name of a field, or the number of an unknown one.
fn name_of(field: &DecodedField<'_>) -> String {
    field.of.map_or_else(|| field.number.to_string(), |of| of.name.clone())
}

/// Returns a value as text, with at most 256 of its numbers or bytes written out.
pub fn value_text(value: &Value<'_>) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Bool(is) => is.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
        Value::Text(text) => quoted(text.as_bytes()),
        Value::Bytes(bytes) => bytes_text(bytes),
        Value::Enum(number, name) => name.map_or_else(|| number.to_string(), ToString::to_string),
        Value::Message(message) => {
            known_text(message).unwrap_or_else(|| format!("{{ {} }}", one_line(message, WRITTEN_MAX)))
        }
        Value::Floats(numbers) => list_text(numbers.len(), numbers.iter().map(ToString::to_string)),
        Value::Doubles(numbers) => list_text(numbers.len(), numbers.iter().map(ToString::to_string)),
        Value::List(values) => list_text(values.len(), values.iter().map(value_text)),
        Value::Map(entries) => {
            let entry =
                |(key, value): &(Value<'_>, Value<'_>)| format!("{}: {}", value_text(key), value_text(value));
            list_text(entries.len(), entries.iter().map(entry))
        }
    }
}

/// Returns a value for one line. Long lists are only counted.
fn short(value: &Value<'_>) -> String {
    match value {
        Value::Floats(numbers) if numbers.len() > 4 => {
            format!("[{} numbers]", thousands(numbers.len() as u64))
        }
        Value::Doubles(numbers) if numbers.len() > 4 => {
            format!("[{} numbers]", thousands(numbers.len() as u64))
        }
        Value::List(values) if values.len() > 8 => format!("[{} values]", thousands(values.len() as u64)),
        Value::Map(entries) if entries.len() > 8 => format!("[{} entries]", thousands(entries.len() as u64)),
        Value::Text(text) if text.len() > WRITTEN_MAX => {
            format!("{}…", quoted(&text.as_bytes()[..text.floor_char_boundary(WRITTEN_MAX)]))
        }
        Value::Bytes(bytes) if bytes.len() > 16 => format!("[{} bytes]", thousands(bytes.len() as u64)),
        // An element of a list can be long, too.
        Value::List(values) => list_text(values.len(), values.iter().map(short)),
        Value::Map(entries) => list_text(
            entries.len(),
            entries.iter().map(|(key, value)| format!("{}: {}", short(key), short(value))),
        ),
        value => value_text(value),
    }
}

fn list_text(len: usize, texts: impl Iterator<Item = String>) -> String {
    let mut out = String::from("[");
    for (at, text) in texts.take(WRITTEN_MAX).enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        out.push_str(&text);
    }
    if len > WRITTEN_MAX {
        out.push_str(&format!(", … {} more", thousands((len - WRITTEN_MAX) as u64)));
    }
    out.push(']');
    out
}

fn quoted(text: &[u8]) -> String {
    format!("\"{}\"", escape(text).replace('"', "\\\""))
}

/// Returns bytes as quoted text if they are text, otherwise in hexadecimal digits.
fn bytes_text(bytes: &[u8]) -> String {
    if core::str::from_utf8(bytes).is_ok_and(|text| !text.chars().any(char::is_control)) {
        return quoted(bytes);
    }
    let mut out = String::from("\"");
    bytes.iter().take(WRITTEN_MAX).for_each(|&byte| push_hex(&mut out, byte));
    out.push_str(if bytes.len() > WRITTEN_MAX { "…\"" } else { "\"" });
    out
}

/// Returns the text of a message that represents a single value: a time, or a span of time.
fn known_text(message: &DecodedMessage<'_>) -> Option<String> {
    let name = message.of?.name.as_str();
    if !matches!(name, "google.protobuf.Timestamp" | "google.protobuf.Duration")
        || !message.unknown.is_empty()
    {
        return None;
    }
    let part = |number: u32| match message
        .fields
        .iter()
        .find(|field| field.number == number)
        .map(|field| &field.value)
    {
        Some(Value::Int(value)) => *value,
        _ => 0,
    };
    let (seconds, nanos) = (part(1), part(2));
    if !(SECONDS.contains(&seconds) && (-999_999_999..=999_999_999).contains(&nanos)) {
        return None;
    }
    if name.ends_with("Timestamp") {
        return Some(time::format(seconds * 1_000_000 + nanos / 1_000));
    }
    let sign = if seconds < 0 || nanos < 0 { "-" } else { "" };
    let fraction = format!("{:09}", nanos.unsigned_abs());
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{}{point}{fraction}s", seconds.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::super::{Types, VALUES_MAX, decode};
    use super::*;
    use expect_test::expect;

    const PROTO: &str = r#"
        syntax = "proto3"; package ads;
        import "google/protobuf/timestamp.proto";
        message Profile {
            string name = 1; repeated float weights = 2; google.protobuf.Timestamp at = 3; map<string, int32> counts = 4;
            Place place = 5; Kind kind = 6; repeated string tags = 7; bytes key = 8; google.protobuf.Duration age = 9;
            message Place { string city = 1; }
            enum Kind { UNKNOWN = 0; BUYER = 1; }
        }"#;
    const BYTES: &[u8] =
        b"\x0a\x01a\x12\x08\0\0\0\x3f\0\0\x80\x3e\x1a\x04\x08\x80\xa3\x05\x22\x07\x0a\x03red\x10\x0c\x2a\x03\x0a\x01Z\
        \x30\x01\x3a\x01x\x3a\x01y\x42\x02\xff\0\x4a\x08\x08\x01\x10\x80\xca\xb5\xee\x01\x98\x06\x07";

    #[test]
    fn a_message_is_one_line_or_many() {
        let (types, problems) = Types::parse(PROTO);
        assert_eq!(problems, []);
        let decoded = decode(&types, types.message("ads.Profile"), BYTES, VALUES_MAX);
        assert_eq!(decoded.problems, []);
        expect![[r#"name: "a" weights: [0.5, 0.25] at: 1970-01-02T00:00:00.000Z counts: ["red": 12] place { city: "Z" } kind: BUYER tags: ["x", "y"] key: "\xff\x00" age: 1.5s 99: 7"#]]
            .assert_eq(&one_line(&decoded.message, 1_000));
        expect![[r#"
            name: "a"
            weights: [0.5, 0.25]
            at: 1970-01-02T00:00:00.000Z
            counts["red"]: 12
            place {
              city: "Z"
            }
            kind: BUYER
            tags: "x"
            tags: "y"
            key: "\xff\x00"
            age: 1.5s
            99: 7  # unknown, byte 55"#]]
        .assert_eq(&lines(&decoded.message));
        assert_eq!(one_line(&decoded.message, 20), "name: \"a\" weights: [0.5, 0.25]…");
    }

    #[test]
    fn long_lists_are_counted_on_a_line() {
        let (types, _) = Types::parse("message M { repeated double v = 1; }");
        let bytes = [&[0x0a, 0x80, 0x10][..], &[0; 2_048]].concat();
        let decoded = decode(&types, types.message("M"), &bytes, VALUES_MAX);
        assert_eq!(one_line(&decoded.message, 100), "v: [256 numbers]");
        assert!(lines(&decoded.message).starts_with("v: [0, 0, 0"));
    }

    #[test]
    fn a_long_text_in_a_list_is_cut_on_a_line() {
        let (types, problems) =
            Types::parse("message M { repeated string v = 1; map<string, string> w = 2; }");
        assert_eq!(problems, []);
        let text = [b'x'; 1_000];
        // Lengths: 1,000 bytes of a text, 1,006 bytes of an entry.
        let list = [&[0x0a_u8, 0xe8, 0x07][..], &text].concat();
        let entry = [&[0x12_u8, 0xee, 0x07, 0x0a, 0x01, b'k', 0x12, 0xe8, 0x07][..], &text].concat();
        let cut = format!("\"{}\"…", "x".repeat(WRITTEN_MAX));
        for (bytes, line) in [(list, format!("v: [{cut}]")), (entry, format!("w: [\"k\": {cut}]"))] {
            let decoded = decode(&types, types.message("M"), &bytes, VALUES_MAX);
            assert_eq!(decoded.problems, []);
            assert_eq!(one_line(&decoded.message, 1_000), line);
            assert!(lines(&decoded.message).contains(&"x".repeat(1_000)), "it is whole on lines");
        }
    }
}
