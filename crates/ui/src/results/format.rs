//! Numbers as people read them: thousands separated, a unit behind.

pub use tabletop_schema::thousands;

/// A count with its noun: `1 row`, `1,200 rows`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Bytes in powers of 1,000, three digits and a unit: `999 B`, `1.23 kB`, `45.6 MB`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if number < 1_000 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1_000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1_000.0;
        unit += 1;
    }
    format!("{} {}", three_digits(value), UNITS[unit])
}

/// Microseconds as milliseconds with three digits: `0.25 ms`, `3.21 ms`, `1,234 ms`; browsers tell tenths.
pub fn millis(micros: u64) -> String {
    if micros < 100 {
        return "< 0.1 ms".into();
    }
    format!("{} ms", three_digits(micros as f64 / 1_000.0))
}

fn three_digits(value: f64) -> String {
    match value {
        v if v < 0.995 => format!("{v:.3}").trim_end_matches('0').to_string(),
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => thousands(v.round() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(["0", "999", "1,000", "1,234,567"], [0, 999, 1_000, 1_234_567].map(thousands).each_ref().map(|s| s.as_str()));
        assert_eq!((count(1, "row"), count(1_200, "row")), ("1 row".into(), "1,200 rows".into()));
    }

    #[test]
    fn units_change_where_three_digits_end() {
        let shown = [0, 999, 1_000, 45_678, 999_499, 999_600, 1_500_000_000].map(bytes);
        assert_eq!(shown, ["0 B", "999 B", "1.00 kB", "45.7 kB", "999 kB", "1.00 MB", "1.50 GB"]);
        let shown = [0, 3, 42, 250, 1_500, 45_678, 123_456, 1_234_567].map(millis);
        assert_eq!(shown, ["< 0.1 ms", "< 0.1 ms", "< 0.1 ms", "0.25 ms", "1.50 ms", "45.7 ms", "123 ms", "1,235 ms"]);
    }
}
