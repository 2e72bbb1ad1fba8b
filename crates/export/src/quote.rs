//! Texts and bytes as literals of other languages. All of them are ASCII, so the encoding of a file
//! does not matter.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A string of HCL, Terraform's language.
pub(super) fn hcl(text: &str) -> String {
    let mut out = String::from("\"");
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // These two characters begin a template.
            '$' | '%' if chars.peek() == Some(&'{') => out.extend([c, c]),
            ' '..='~' => out.push(c),
            c if u32::from(c) <= 0xffff => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

/// A string of the HBase shell in Ruby's single quotes, in which HBase itself reads `\xHH`.
pub(super) fn hbase(bytes: &[u8]) -> String {
    let mut out = String::from("'");
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => out.push_str(&format!("\\x{byte:02X}")),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02X}")),
        }
    }
    out.push('\'');
    out
}

/// Escapes the content of a string of bytes in Python, Go, Rust and, with one character per byte,
/// JavaScript.
pub(super) fn hex_escapes(bytes: &[u8]) -> String {
    escaped(bytes, |byte| format!("\\x{byte:02x}"))
}

/// Escapes the content of a Java string with one character per byte. Octal, because Java reads
/// `\u0022` as the quote that ends the string.
pub(super) fn octal_escapes(bytes: &[u8]) -> String {
    escaped(bytes, |byte| format!("\\{byte:03o}"))
}

fn escaped(bytes: &[u8], other: impl Fn(u8) -> String) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out.push_str(&other(byte)),
        }
    }
    out
}

/// Escapes the content of a text, with `other` for each character beyond ASCII and for control
/// characters.
pub(super) fn text_escapes(text: &str, other: impl Fn(char) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            c => out.push_str(&other(c)),
        }
    }
    out
}

/// Returns a text for a comment: on one line, and without backslashes, because Java reads `\u` in
/// comments, too.
pub(super) fn comment(text: &str) -> String {
    let shown = |c| match c {
        '\\' => '|',
        ' '..='~' => c,
        _ => '?',
    };
    text.chars().map(shown).collect()
}

/// A name as words of ASCII letters and digits, in lower case.
pub(super) fn words(name: &str) -> Vec<String> {
    let split = name.split(|c: char| !c.is_ascii_alphanumeric());
    split.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect()
}

/// Returns the text of a program with its names replaced.
pub(super) fn map_words<'a>(text: &'a str, of: impl Fn(&'a str) -> &'a str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (word, tail) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
        let (gap, tail) = tail.split_at(tail.find(is_word).unwrap_or(tail.len()));
        out.push_str(of(word));
        out.push_str(gap);
        rest = tail;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_are_replaced() {
        let of = |word| if word == "SALTS" { "SALTS_A" } else { word };
        assert_eq!(
            map_words("(SALTS+XSALTS,\u{e9}SALTS_B SALTS", of),
            "(SALTS_A+XSALTS,\u{e9}SALTS_B SALTS_A"
        );
        assert_eq!(map_words("", of), "");
    }

    #[test]
    fn each_language_has_its_own_literals() {
        let nasty = b"a'b\"c\\d$e`f ${g} %{h}\n\xff\x009";
        assert_eq!(hcl("a\"b\\${c}%{d}$e\n\u{e9}\u{1f600}"), r#""a\"b\\$${c}%%{d}$e\n\u00e9\U0001f600""#);
        assert_eq!(hbase(nasty), r#"'a\x27b"c\x5Cd$e`f ${g} %{h}\x0A\xFF\x009'"#);
        assert_eq!(octal_escapes(b"\\u0022\xff7"), r"\\u0022\3777");
        assert_eq!(comment("a\nb\\u0041\r"), "a?b|u0041?");
        assert_eq!(words("All of \u{e9} user-2"), ["all", "of", "user", "2"]);
    }
}
