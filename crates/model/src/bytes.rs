//! Byte strings that are readable: raw on the wire, escaped text in JSON and on the screen.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Any bytes: a row key, a qualifier, a value or a pattern.
///
/// In a human-readable format (JSON, a JavaScript object) it is a string in the notation of
/// [`escape`]; in the binary codec it is the bytes themselves.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub Vec<u8>);

/// A row key of 1 to 4,096 bytes. Rows are sorted by it.
pub type RowKey = Bytes;
/// The part of a column's name after the family: 0 to 16,384 bytes.
pub type Qualifier = Bytes;

impl Deref for Bytes {
    type Target = Vec<u8>;
    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Bytes(text.as_bytes().to_vec())
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        Bytes(text.into_bytes())
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Bytes(bytes.to_vec())
    }
}

impl<const N: usize> From<&[u8; N]> for Bytes {
    fn from(bytes: &[u8; N]) -> Self {
        Bytes(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes(bytes)
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(&self.0))
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", escape(&self.0))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> core::result::Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&escape(&self.0))
        } else {
            serializer.serialize_bytes(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> core::result::Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = <Cow<'de, str>>::deserialize(deserializer)?;
            unescape(&text).map(Bytes).map_err(|at| {
                serde::de::Error::custom(alloc::format!(
                    "bad escape at byte {at} of \"{text}\": write \\\\, \\n, \\r, \\t or \\xHH"
                ))
            })
        } else {
            deserializer.deserialize_byte_buf(ByteVisitor)
        }
    }
}

struct ByteVisitor;

impl<'de> serde::de::Visitor<'de> for ByteVisitor {
    type Value = Bytes;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }
    fn visit_bytes<E>(self, bytes: &[u8]) -> core::result::Result<Bytes, E> {
        Ok(Bytes(bytes.to_vec()))
    }
    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> core::result::Result<Bytes, E> {
        Ok(Bytes(bytes))
    }
}

/// Returns bytes as text that [`unescape`] turns back into the same bytes. UTF-8 text stays as it
/// is, a backslash is doubled, and control characters, directional formatting characters and bytes
/// that are not UTF-8 become `
/// `, `\r`, `\t` or `\xHH`.
pub fn escape(bytes: &[u8]) -> String {
    // The backslash is escaped anyway.
    escape_also(bytes, '\\')
}

/// Returns bytes as [`escape`] does, for text between quotes: each `quote` is escaped, too.
pub(crate) fn escape_also(bytes: &[u8], quote: char) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                c if c == '\\' || c == quote => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if is_unprintable(c) => {
                    c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_hex(&mut out, byte));
                }
                c => out.push(c),
            }
        }
        chunk.invalid().iter().for_each(|&byte| push_hex(&mut out, byte));
    }
    out
}

/// Returns an untrusted text, of any number of lines, in a form that is safe to print to a
/// terminal: characters that would move the cursor, change colours or reorder the text become
/// `\u{1b}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_kept = |c: char| matches!(c, '\n' | '\t') || !is_unprintable(c);
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_kept(c) { out.push(c) } else { out.extend(c.escape_unicode()) }
    }
    Cow::Owned(out)
}

/// Returns whether a character is a command to a terminal, or a directional formatting character
/// that can hide what a text says.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the bytes of `text` in the notation of [`escape`].
///
/// # Errors
/// The byte offset in `text` of a backslash that does not begin a known escape.
pub fn unescape(text: &str) -> core::result::Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if byte != b'\\' {
            out.push(byte);
            rest = tail;
            continue;
        }
        let at = text.len() - rest.len();
        let (escaped, used) = match tail {
            [b'\\', ..] => (b'\\', 1),
            [b'n', ..] => (b'\n', 1),
            [b'r', ..] => (b'\r', 1),
            [b't', ..] => (b'\t', 1),
            [b'x', high, low, ..] => (hex_digit(*high).ok_or(at)? * 16 + hex_digit(*low).ok_or(at)?, 3),
            _ => return Err(at),
        };
        out.push(escaped);
        rest = &tail[used..];
    }
    Ok(out)
}

/// Appends a byte as `\x0f`.
pub fn push_hex(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.push_str("\\x");
    out.push(DIGITS[usize::from(byte >> 4)] as char);
    out.push(DIGITS[usize::from(byte & 15)] as char);
}

fn hex_digit(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_escaping() {
        for high in 0..=255u8 {
            for low in 0..=255u8 {
                let bytes = [high, low, b'a'];
                assert_eq!(unescape(&escape(&bytes)), Ok(bytes.to_vec()));
            }
        }
    }

    #[test]
    fn text_stays_readable() {
        assert_eq!(escape("user\u{e9}#1\n\\".as_bytes()), "user\u{e9}#1\\n\\\\");
        assert_eq!(escape(&[0xff, 0x00, b'a']), "\\xff\\x00a");
    }

    #[test]
    fn no_character_commands_a_terminal_or_hides_a_text() {
        assert_eq!(printable("caf\u{e9}\n\tb"), "caf\u{e9}\n\tb");
        assert_eq!(
            printable("\u{1b}[31mred\u{7f}\r\u{9b}"),
            "\\u{1b}[31mred\\u{7f}\\r\\u{9b}".replace("\\r", "\\u{d}")
        );
        for mark in
            ['\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202e}', '\u{2028}', '\u{2066}', '\u{2069}']
        {
            let text = String::from_iter(['a', mark, 'b']);
            let escaped = escape(text.as_bytes());
            assert!(!escaped.contains(mark) && !printable(&text).contains(mark), "{escaped}");
            assert_eq!(unescape(&escaped), Ok(text.into_bytes()));
        }
    }

    #[test]
    fn a_bad_escape_is_reported_with_its_position() {
        assert_eq!(unescape("ab\\q"), Err(2));
        assert_eq!(unescape("\\x4"), Err(0));
        assert_eq!(unescape("\\"), Err(0));
    }
}
