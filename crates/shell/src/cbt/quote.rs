//! Bytes in quotes, in the format of Go's `%q`, which cbt prints for keys, columns and values.

use alloc::string::String;
use core::fmt::Write as _;

use tabletop_model::push_hex;

use crate::place::WRITTEN;

/// Quotes bytes as cbt does: `"text"`, with escapes for unprintable characters.
pub fn quote(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push_char(&mut out, c));
        chunk.invalid().iter().for_each(|&byte| push_hex(&mut out, byte));
    }
    out.push('"');
    out
}

fn push_char(out: &mut String, c: char) {
    let code = c as u32;
    match c {
        '"' | '\\' => out.extend(['\\', c]),
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0b' => out.push_str("\\v"),
        c if is_printable(c) => out.push(c),
        c if c.is_ascii() => push_hex(out, code as u8),
        _ if code < 0x1_0000 => write!(out, "\\u{code:04x}").expect(WRITTEN),
        _ => write!(out, "\\U{code:08x}").expect(WRITTEN),
    }
}

/// Returns whether a character is a letter, mark, number, punctuation, symbol or the blank, as
/// Unicode defines them.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    // The standard library has this test for all but the first character of a text, where it
    // escapes marks, too.
    let mut buffer = [b'a', 0, 0, 0, 0];
    let length = c.encode_utf8(&mut buffer[1..]).len();
    core::str::from_utf8(&buffer[..=length]).is_ok_and(|text| text.escape_debug().nth(1) == Some(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_in_go() {
        assert_eq!(quote(b"a b"), r#""a b""#);
        assert_eq!(quote(b""), r#""""#);
        assert_eq!(quote(b"\x00\x01\x1b\x7f"), r#""\x00\x01\x1b\x7f""#);
        assert_eq!(quote(b"\x07\x08\x0c\n\r\t\x0b"), r#""\a\b\f\n\r\t\v""#);
        assert_eq!(quote(b"\"\\'"), r#""\"\\'""#);
        assert_eq!(quote(b"\xff\xc3"), r#""\xff\xc3""#);
        assert_eq!(quote("é日\u{301}\u{fffd}😀".as_bytes()), "\"é日\u{301}\u{fffd}😀\"");
        // No-break space, zero-width space, byte order mark, private use, a tag, next line.
        assert_eq!(
            quote("\u{a0}\u{200b}\u{feff}\u{e000}\u{e0001}\u{85}".as_bytes()),
            r#""\u00a0\u200b\ufeff\ue000\U000e0001\u0085""#
        );
        // Surrogates, and codes beyond Unicode, are not UTF-8: they are bytes.
        assert_eq!(quote(b"\xed\xa0\x80"), r#""\xed\xa0\x80""#);
    }
}
