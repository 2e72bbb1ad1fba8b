//! Values in a readable form.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_keys::{EncodedValues, Encoding};
use tabletop_model::{Cell, escape};
use tabletop_objects::{ObjectTypes, VALUES_MAX, lines};
use tabletop_workspace::{Decoding, ResultColumns};

use super::json;

/// The kind of a decoded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// No bytes.
    Empty,
    /// UTF-8, with escapes for other bytes.
    Text,
    /// An object or an array.
    Json,
    /// A big-endian signed integer.
    Int64,
    /// Two digits per byte.
    Hex,
    /// The fields of a message.
    Protobuf,
    /// A value of the table's layout, shown as JSON.
    Encoded(Encoding),
}

/// Bytes of a value that a line of the grid decodes. More would not fit on the line.
const PREVIEW_BYTES: usize = 320;
/// Bytes of a value that are shown in full. A browser needs seconds for more.
pub const WHOLE_BYTES_MAX: usize = 256 << 10;

/// Characters of a message that a line of the grid shows.
const PREVIEW_CHARS: usize = 320;

/// Returns the decodings that menus offer: messages, the last one, once the user has defined what
/// values mean.
pub fn offered(chosen: &ResultColumns) -> &'static [Decoding] {
    const ALL: &[Decoding] = &Decoding::ALL;
    if chosen.objects.is_some() || chosen.values_as == Decoding::Protobuf {
        ALL
    } else {
        &ALL[..ALL.len() - 1]
    }
}

/// Returns the value of a cell on one line. A value is the message of its family, if it has one,
/// else what the layout writes.
pub fn cell_preview(
    cell: &Cell,
    decoding: Decoding,
    types: Option<&ObjectTypes>,
    values: Option<&EncodedValues>,
) -> (ValueKind, String) {
    match (decoding, types) {
        (Decoding::Auto, Some(_)) | (Decoding::Protobuf, _) => message_preview(cell, decoding, types, values),
        _ => preview(&cell.value, decoding, values),
    }
}

#[inline(never)]
fn message_preview(
    cell: &Cell,
    decoding: Decoding,
    types: Option<&ObjectTypes>,
    values: Option<&EncodedValues>,
) -> (ValueKind, String) {
    let line = with_message(cell, decoding, types, |types| types.line(cell, PREVIEW_CHARS));
    line.flatten().map_or_else(|| preview(&cell.value, decoding, values), |line| (ValueKind::Protobuf, line))
}

/// Returns the whole value of a cell on several lines. Errors in the bytes of a message are below
/// its fields.
pub fn cell_whole(
    cell: &Cell,
    decoding: Decoding,
    types: Option<&ObjectTypes>,
    values: Option<&EncodedValues>,
) -> (ValueKind, String) {
    let message = with_message(cell, decoding, types, |types| {
        let decoded = types.decode(&cell.family, &cell.value, VALUES_MAX);
        let problems = decoded.problems.iter().map(ToString::to_string);
        let texts: Vec<String> = core::iter::once(cut(lines(&decoded.message), WHOLE_BYTES_MAX))
            .chain(problems)
            .filter(|text| !text.is_empty())
            .collect();
        (decoded.is_sound_so_far() || types.message_of(&cell.family).is_some()).then(|| texts.join("\n"))
    });
    message.flatten().map_or_else(|| whole(&cell.value, decoding, values), |text| (ValueKind::Protobuf, text))
}

/// Returns a text of at most about `bytes_max` bytes, with a mark if it was cut.
pub fn cut(mut text: String, bytes_max: usize) -> String {
    if text.len() > bytes_max {
        text.truncate(text.floor_char_boundary(bytes_max));
        text.push('…');
    }
    text
}

/// Reads a value as a message, if its family has one or the user wants to see it as one. An empty
/// value is shown as empty.
fn with_message<T>(
    cell: &Cell,
    decoding: Decoding,
    types: Option<&ObjectTypes>,
    read: impl FnOnce(&ObjectTypes) -> T,
) -> Option<T> {
    let is_wanted = match decoding {
        Decoding::Auto => types.is_some_and(|types| types.message_of(&cell.family).is_some()),
        decoding => decoding == Decoding::Protobuf,
    };
    if !is_wanted || cell.value.is_empty() {
        return None;
    }
    // Without a schema, the fields have numbers.
    Some(match types {
        Some(types) => read(types),
        None => read(&ObjectTypes::default()),
    })
}

/// Returns a value on one line, decoded from its first bytes. `values` reads the layout's values.
pub fn preview(value: &[u8], decoding: Decoding, values: Option<&EncodedValues>) -> (ValueKind, String) {
    if let Some((kind, json)) = encoded(value, decoding, values) {
        return (kind, one_line(&json));
    }
    let start = &value[..value.len().min(PREVIEW_BYTES)];
    let start = if start.len() < value.len() { whole_characters(start) } else { start };
    let kind = kind_of(value.len(), start, decoding);
    let mut text = match kind {
        ValueKind::Empty => String::new(),
        ValueKind::Text | ValueKind::Json => escape(start),
        ValueKind::Int64 => int64(value),
        ValueKind::Hex | ValueKind::Protobuf | ValueKind::Encoded(_) => {
            start.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
        }
    };
    if start.len() < value.len() {
        text.push('…');
    }
    (kind, text)
}

/// Returns a whole value (its first [`WHOLE_BYTES_MAX`] bytes), on several lines. `values` reads
/// the layout's values.
pub fn whole(value: &[u8], decoding: Decoding, values: Option<&EncodedValues>) -> (ValueKind, String) {
    if let Some((kind, json)) = encoded(value, decoding, values) {
        return (kind, json::pretty(&json).unwrap_or(json));
    }
    let start = &value[..value.len().min(WHOLE_BYTES_MAX)];
    let start = if start.len() < value.len() { whole_characters(start) } else { start };
    match kind_of(value.len(), start, decoding) {
        ValueKind::Empty => (ValueKind::Empty, String::new()),
        ValueKind::Int64 => (ValueKind::Int64, int64(value)),
        ValueKind::Hex | ValueKind::Protobuf | ValueKind::Encoded(_) => (ValueKind::Hex, hex_dump(start)),
        ValueKind::Text | ValueKind::Json => match core::str::from_utf8(start) {
            Err(_) => (ValueKind::Text, escape(start)),
            Ok(text) if decoding == Decoding::Text => (ValueKind::Text, text.to_string()),
            Ok(text) => match json::pretty(text) {
                Some(json) => (ValueKind::Json, json),
                None => (ValueKind::Text, text.to_string()),
            },
        },
    }
}

/// Returns a value that the layout has written as JSON, unless the user chose another decoding.
fn encoded(value: &[u8], decoding: Decoding, values: Option<&EncodedValues>) -> Option<(ValueKind, String)> {
    let values = values.filter(|_| matches!(decoding, Decoding::Auto | Decoding::Json))?;
    as_json(value, values)
}

/// The first view has no values that need this.
#[inline(never)]
fn as_json(value: &[u8], values: &EncodedValues) -> Option<(ValueKind, String)> {
    // A filter may have removed the value.
    if value.is_empty() || value.len() > WHOLE_BYTES_MAX {
        return None;
    }
    Some((ValueKind::Encoded(values.encoding()), values.json(value)?))
}

/// Returns the first bytes of a text on one line.
#[inline(never)]
fn one_line(text: &str) -> String {
    let start = whole_characters(&text.as_bytes()[..text.len().min(PREVIEW_BYTES)]);
    let mut line = escape(start);
    if start.len() < text.len() {
        line.push('…');
    }
    line
}

/// Returns a dump with sixteen bytes per line: offset, hex and ASCII.
pub fn hex_dump(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (line, chunk) in bytes.chunks(16).enumerate() {
        let hex: Vec<String> = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
        let ascii: String =
            chunk.iter().map(|&byte| if matches!(byte, 0x20..=0x7e) { byte as char } else { '·' }).collect();
        let hex = if hex.len() > 8 {
            format!("{}  {}", hex[..8].join(" "), hex[8..].join(" "))
        } else {
            hex.join(" ")
        };
        out.push_str(&format!("{:06x}  {hex:<48}  {ascii}\n", line * 16));
    }
    out.pop();
    out
}

/// Returns the kind of a value by its length and its first bytes.
fn kind_of(len: usize, start: &[u8], decoding: Decoding) -> ValueKind {
    let readable = || {
        core::str::from_utf8(start)
            .is_ok_and(|text| !text.chars().any(|c| c.is_control() && !c.is_whitespace()))
    };
    match decoding {
        _ if len == 0 => ValueKind::Empty,
        Decoding::Hex | Decoding::Protobuf => ValueKind::Hex,
        Decoding::Int64 if len == 8 => ValueKind::Int64,
        Decoding::Int64 => ValueKind::Hex,
        Decoding::Text => ValueKind::Text,
        Decoding::Auto if !readable() => {
            if len == 8 {
                ValueKind::Int64
            } else {
                ValueKind::Hex
            }
        }
        Decoding::Auto | Decoding::Json => match start.trim_ascii_start().first() {
            Some(b'{' | b'[') => ValueKind::Json,
            _ => ValueKind::Text,
        },
    }
}

fn int64(value: &[u8]) -> String {
    match value.try_into() {
        Ok(bytes) => i64::from_be_bytes(bytes).to_string(),
        Err(_) => String::new(),
    }
}

/// Returns `bytes` without an incomplete character at their end.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    match core::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, Record};
    use tabletop_objects::{DataTypePart, ObjectSchema};

    use super::*;

    #[test]
    fn auto_sees_what_a_value_is() {
        let seen = |value: &[u8]| {
            let (kind, text) = preview(value, Decoding::Auto, None);
            format!("{kind:?} {text}")
        };
        assert_eq!(seen(b""), "Empty ");
        assert_eq!(seen("caf\u{e9}\n".as_bytes()), "Text caf\u{e9}\\n");
        assert_eq!(seen(b" {\"a\": 1}"), "Json  {\"a\": 1}");
        assert_eq!(seen(&42i64.to_be_bytes()), "Int64 42");
        assert_eq!(seen(&(-1i64).to_be_bytes()), "Int64 -1");
        assert_eq!(seen(b"8 letter"), "Text 8 letter");
        assert_eq!(seen(&[0xff, 0x00, 0x10]), "Hex ff 00 10");
    }

    #[test]
    fn a_wish_that_does_not_fit_falls_back() {
        assert_eq!(preview(b"abc", Decoding::Int64, None), (ValueKind::Hex, "61 62 63".into()));
        assert_eq!(preview(b"8 letter", Decoding::Int64, None).0, ValueKind::Int64);
        assert_eq!(whole(b"{\"a\":", Decoding::Json, None), (ValueKind::Text, "{\"a\":".into()));
        assert_eq!(whole(b"[1]", Decoding::Text, None), (ValueKind::Text, "[1]".into()));
        assert_eq!(whole(b"[1]", Decoding::Auto, None), (ValueKind::Json, "[\n  1\n]".into()));
    }

    #[test]
    fn a_value_of_the_layout_is_shown_as_json() {
        let fields = [Field::new("user", FieldKind::Text), Field::new("n", FieldKind::Int)];
        let record = Record { fields: &fields, values: &[Some("ada"), Some("7")] };
        for encoding in [Encoding::Protobuf, Encoding::CompactList, Encoding::MessagePack] {
            let layout = Layout { encoding, ..Layout::new(LayoutKind::Narrow) };
            let values = EncodedValues::of(&layout, &fields);
            let mut value = Vec::new();
            encoding.push_event(&record, &mut value);
            let kind = ValueKind::Encoded(encoding);
            let seen = |decoding| preview(&value, decoding, values.as_ref());
            assert_eq!(seen(Decoding::Auto), (kind, r#"{"user":"ada","n":7}"#.into()));
            assert_eq!(
                whole(&value, Decoding::Json, values.as_ref()),
                (kind, "{\n  \"user\": \"ada\",\n  \"n\": 7\n}".into())
            );
            assert_eq!(seen(Decoding::Hex).0, ValueKind::Hex, "its bytes");
            // A value that the user has written manually, or a filter has removed.
            assert_eq!(preview(b"manual", Decoding::Auto, values.as_ref()).0, ValueKind::Text);
            assert_eq!(preview(b"", Decoding::Auto, values.as_ref()).0, ValueKind::Empty);
        }
    }

    #[test]
    fn a_cut_value_never_ends_inside_a_character() {
        let long = "\u{e9}".repeat(400);
        let (kind, text) = preview(&long.as_bytes()[1..], Decoding::Auto, None);
        assert_eq!(kind, ValueKind::Hex, "it begins inside a character");
        assert!(text.ends_with('…'));
        let odd = format!("a{long}");
        let (kind, text) = preview(odd.as_bytes(), Decoding::Auto, None);
        assert_eq!((kind, text.ends_with("\u{e9}…")), (ValueKind::Text, true));
    }

    #[test]
    fn a_dump_has_offset_hex_and_ascii() {
        let dump = hex_dump(b"0123456789abcdef\xff!");
        let lines: Vec<&str> = dump.lines().collect();
        assert_eq!(lines[0], "000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef");
        assert_eq!(lines[1], format!("000010  {:<48}  ·!", "ff 21"));
    }

    #[test]
    fn a_message_is_read_by_the_type_of_its_family() {
        let mut schema =
            ObjectSchema { proto: "message M { string a = 1; }".into(), ..ObjectSchema::default() };
        schema.set("ads", DataTypePart::Message, "M".into());
        let types = ObjectTypes::new(schema);
        let cell = |family: &str, value: &[u8]| Cell {
            family: family.into(),
            qualifier: "q".into(),
            timestamp: 0,
            value: value.into(),
            label: None,
        };
        let shown = |cell: &Cell, decoding, types| cell_preview(cell, decoding, types, None);
        let (typed, other) = (cell("ads", b"\x0a\x02hi"), cell("f", b"\x0a\x02hi"));
        assert_eq!(shown(&typed, Decoding::Auto, Some(&types)), (ValueKind::Protobuf, "a: \"hi\"".into()));
        assert_eq!(shown(&typed, Decoding::Hex, Some(&types)).0, ValueKind::Hex);
        assert_eq!(shown(&typed, Decoding::Auto, None).0, ValueKind::Hex);
        assert_eq!(shown(&other, Decoding::Auto, Some(&types)).0, ValueKind::Hex);
        assert_eq!(shown(&other, Decoding::Protobuf, None), (ValueKind::Protobuf, "1: \"hi\"".into()));
        let wrong = cell("ads", b"\x0a\x09hi");
        assert_eq!(shown(&wrong, Decoding::Protobuf, Some(&types)).0, ValueKind::Hex);
        let (kind, text) = cell_whole(&wrong, Decoding::Protobuf, Some(&types), None);
        assert_eq!(
            (kind, text.as_str()),
            (ValueKind::Protobuf, "Byte 0: 9 bytes should follow, but there are fewer.")
        );
        assert_eq!(
            cell_whole(&typed, Decoding::Auto, Some(&types), None),
            (ValueKind::Protobuf, "a: \"hi\"".into())
        );
        assert_eq!(shown(&cell("ads", b""), Decoding::Protobuf, Some(&types)).0, ValueKind::Empty);
        // A text of 300,000 bytes.
        let long = [&b"\x0a\xe0\xa7\x12"[..], &[b'x'; 300_000]].concat();
        let (kind, text) = cell_whole(&cell("ads", &long), Decoding::Auto, Some(&types), None);
        assert_eq!((kind, text.len()), (ValueKind::Protobuf, WHOLE_BYTES_MAX + '…'.len_utf8()));
        assert!(text.starts_with("a: \"x") && text.ends_with("x…"));
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("\u{e9}\u{e9}".into(), 3), "\u{e9}…");
        assert_eq!(cut("\u{e9}\u{e9}".into(), 4), "\u{e9}\u{e9}");
    }
}
