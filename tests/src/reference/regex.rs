//! RE2 over bytes, by the crate `regex`, independently of the engine. Its syntax is the same as
//! RE2's, except for `\C`, bytes above ASCII, and backslashes before bytes that are neither letters
//! nor digits: RE2 takes such a byte literally, and refuses a backslash before a byte above ASCII.

use regex::bytes::{Regex, RegexBuilder};
use tabletop_model::Bytes;

pub(super) fn is_right(pattern: &Bytes) -> bool {
    compile(pattern).is_some()
}

/// Returns whether the whole of `bytes` matches.
pub(super) fn matches(pattern: &Bytes, bytes: &[u8]) -> bool {
    compile(pattern).expect("the filter was checked").is_match(bytes)
}

fn compile(pattern: &Bytes) -> Option<Regex> {
    let mut text = String::new();
    let mut bytes = pattern.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek() == Some(&b'C') => {
                bytes.next();
                text.push_str("(?s:.)");
            }
            b'\\' => match bytes.next() {
                Some(0x80..) => return None,
                Some(letter) if letter.is_ascii_alphanumeric() => text.extend(['\\', char::from(letter)]),
                Some(literal) => text.push_str(&format!("\\x{literal:02x}")),
                None => text.push('\\'),
            },
            0..0x80 => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    // A pattern like `a)(b` is invalid, and must not become valid by the text added around it.
    let build = |text: &str| RegexBuilder::new(text).unicode(false).build().ok();
    build(&text)?;
    build(&format!("\\A(?:{text})\\z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_makes_bytes_literal_that_are_neither_letters_nor_digits() {
        for byte in (0..=255_u8).filter(|byte| !byte.is_ascii_alphanumeric()) {
            for pattern in [vec![b'\\', byte], vec![b'[', b'\\', byte, b']']].map(Bytes) {
                assert_eq!(is_right(&pattern), byte.is_ascii(), "{pattern}");
                if byte.is_ascii() {
                    let matching = (0..=255_u8).filter(|text| matches(&pattern, &[*text]));
                    assert_eq!(matching.collect::<Vec<_>>(), [byte], "{pattern}");
                }
            }
        }
    }
}
