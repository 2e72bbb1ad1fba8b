//! Numbers for users: with separators of thousands, and the unit after them.

use alloc::format;
use alloc::string::String;

pub use tabletop_keys::{bytes, many_thousands, rate, thousands};

/// Returns a count with its noun: `1 row`, `1,200 rows`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// Formats a span of time as everywhere on the page: `< 0.1 ms`, `3.2 ms`, `123 ms`, `12.3 s`.
/// Browsers measure tenths of a millisecond, so more digits would be noise, and a number that
/// changes its width would move what is next to it.
pub fn duration(micros: u64) -> String {
    match micros {
        0..100 => "< 0.1 ms".into(),
        100..99_950 => format!("{:.1} ms", micros as f64 / 1_000.0),
        99_950..9_999_500 => format!("{} ms", thousands((micros + 500) / 1_000)),
        _ => format!("{:.1} s", micros as f64 / 1_000_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1_000, 1_234_567].map(thousands).each_ref().map(String::as_str)
        );
        assert_eq!(
            (count(1, "row", "rows"), count(1_200, "row", "rows")),
            ("1 row".into(), "1,200 rows".into())
        );
    }

    #[test]
    fn a_duration_has_at_most_one_decimal() {
        let shown =
            [0, 99, 100, 250, 299, 300, 2_500, 45_678, 99_949, 99_950, 1_234_567, 12_345_678].map(duration);
        let expected = [
            "< 0.1 ms", "< 0.1 ms", "0.1 ms", "0.2 ms", "0.3 ms", "0.3 ms", "2.5 ms", "45.7 ms", "99.9 ms",
            "100 ms", "1,235 ms", "12.3 s",
        ];
        assert_eq!(shown, expected);
    }
}
