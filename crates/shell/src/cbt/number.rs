//! Parsers of numbers, as in Go.

/// `ParseInt(text, 0, 64)`: decimal, or hexadecimal, octal and binary by their prefixes, with `_`
/// between digits.
pub(super) fn parse_int(text: &[u8]) -> Option<i64> {
    let text = core::str::from_utf8(text).ok()?;
    let (is_negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = digits.get(..2).unwrap_or_default();
    let (radix, rest) = match lower {
        "0x" | "0X" => (16, &digits[2..]),
        "0b" | "0B" => (2, &digits[2..]),
        "0o" | "0O" => (8, &digits[2..]),
        _ if digits.len() > 1 && digits.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    // An underscore is between two digits, or after the prefix.
    let is_separated =
        !rest.ends_with('_') && !rest.contains("__") && (radix != 10 || !rest.starts_with('_'));
    let mut magnitude = 0_i128;
    let mut count = 0;
    for c in rest.chars().filter(|&c| c != '_') {
        magnitude = magnitude.checked_mul(i128::from(radix))?.checked_add(i128::from(c.to_digit(radix)?))?;
        count += 1;
    }
    let value = if is_negative { -magnitude } else { magnitude };
    (is_separated && count > 0).then(|| i64::try_from(value).ok()).flatten()
}

/// `ParseBool`.
pub(super) fn parse_bool(text: &[u8]) -> Option<bool> {
    match text {
        b"1" | b"t" | b"T" | b"true" | b"TRUE" | b"True" => Some(true),
        b"0" | b"f" | b"F" | b"false" | b"FALSE" | b"False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_in_go() {
        let right = [
            ("0", 0),
            ("-1", -1),
            ("+7", 7),
            ("0x1F", 31),
            ("0b101", 5),
            ("0o17", 15),
            ("017", 15),
            ("1_000", 1000),
        ];
        for (text, value) in right {
            assert_eq!(parse_int(text.as_bytes()), Some(value), "{text}");
        }
        assert_eq!(parse_int(b"9223372036854775807"), Some(i64::MAX));
        assert_eq!(parse_int(b"-9223372036854775808"), Some(i64::MIN));
        for text in
            ["", "-", "x", "1 ", "08", "0x", "1__0", "_1", "1_", "9223372036854775808", "1e3", "é1", "--1"]
        {
            assert_eq!(parse_int(text.as_bytes()), None, "{text}");
        }
    }
}
