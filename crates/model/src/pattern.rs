//! Patterns (RE2 over bytes) made from bytes.

use alloc::string::String;

use crate::bytes::push_hex;

/// Returns the pattern that matches exactly `bytes`; RE2 calls it `QuoteMeta`.
///
/// Only RE2's operators are escaped, so that the pattern stays readable. Control characters and
/// bytes that are not UTF-8 become `\xHH`. The pattern keeps its meaning next to others:
/// `literal(a) + "|" + literal(b)` matches `a` and `b`.
pub fn literal(bytes: &[u8]) -> String {
    let mut pattern = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
                    pattern.extend(['\\', c]);
                }
                c if c.is_control() => {
                    c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_hex(&mut pattern, byte));
                }
                c => pattern.push(c),
            }
        }
        chunk.invalid().iter().for_each(|&byte| push_hex(&mut pattern, byte));
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::literal;

    #[test]
    fn a_pattern_stays_readable() {
        assert_eq!(literal(b"a.b*c"), r"a\.b\*c");
        assert_eq!(literal(b"event-1,x #\"'/:=_~ "), "event-1,x #\"'/:=_~ ");
        assert_eq!(literal("caf\u{e9}|".as_bytes()), "caf\u{e9}\\|");
        assert_eq!(literal(b"(\xff\x00\n\x7f"), r"\(\xff\x00\x0a\x7f");
    }
}
