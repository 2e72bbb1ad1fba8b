//! Formats numbers for display.

use alloc::format;
use alloc::string::{String, ToString};

/// Formats 1234567 as `1,234,567`.
pub fn thousands(number: u64) -> String {
    separated(&number.to_string())
}

/// Formats a number that may exceed a `u64`, rounded to a whole number, with separators as in
/// `1,234,567`.
pub fn many_thousands(number: f64) -> String {
    separated(&format!("{:.0}", number.max(0.0)))
}

fn separated(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns bytes in powers of 1,000, with three digits and a unit: `999 B`, `1.23 kB`, `45.6 MB`.
pub fn bytes(number: u64) -> String {
    if number < 1_000 { format!("{number} B") } else { many_bytes(number as f64) }
}

/// Formats a number of bytes, 1 kB or more, that may exceed a `u64`.
pub fn many_bytes(number: f64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let mut value = number / 1_000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1_000.0;
        unit += 1;
    }
    format!("{} {}", three_digits(value), UNITS[unit])
}

/// Formats a rate: as a whole number if it is one, otherwise with three digits.
pub fn rate(number: f64) -> String {
    let whole = number as u64;
    if whole as f64 == number { thousands(whole) } else { three_digits(number) }
}

fn three_digits(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => many_thousands(v),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_change_where_three_digits_end() {
        let shown = [0, 999, 1_000, 45_678, 999_499, 999_600, 1_500_000_000].map(bytes);
        assert_eq!(shown, ["0 B", "999 B", "1.00 kB", "45.7 kB", "999 kB", "1.00 MB", "1.50 GB"]);
        assert_eq!(many_bytes(3.981_893_964e22), "39,818,939,640 TB");
        assert_eq!(many_bytes(1e33), "999,999,999,999,999,868,928 TB", "more than a u64 can hold");
        assert_eq!([0.4, 999.6, 1e22].map(many_thousands), ["0", "1,000", "10,000,000,000,000,000,000,000"]);
    }
}
