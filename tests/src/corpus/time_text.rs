//! Writes times in formats of `strftime`, in UTC.

use std::fmt::Write;

use tabletop_model::calendar::Date;

pub(super) const DAY_MICROS: i64 = 86_400_000_000;
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// Writes an instant in a format with these directives: `%Y %m %d %H %M %S`, the same without
/// leading zeros (`%-d`), `%y`, `%b %B` (the month's name), `%a %A` (the weekday's), `%I %p`, `%L`
/// (milliseconds), `%f` (microseconds), `%s` (seconds since 1970) and `%z` (`+0000`).
///
/// # Panics
/// Panics at another directive.
pub(super) fn text(format: &str, micros: i64) -> String {
    let days = micros.div_euclid(DAY_MICROS);
    let date = Date::from_days(days);
    let of_day = micros.rem_euclid(DAY_MICROS);
    let seconds = of_day / 1_000_000;
    let hour = seconds / 3_600;
    let mut out = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut directive = rest.next();
        let is_short = directive == Some('-');
        if is_short {
            directive = rest.next();
        }
        let month = MONTHS[date.month as usize - 1];
        let weekday = WEEKDAYS[days.rem_euclid(7) as usize];
        let (number, width) = match directive {
            Some('Y') => (date.year, 4),
            Some('y') => (date.year % 100, 2),
            Some('m') => (date.month, 2),
            Some('d') => (date.day, 2),
            Some('H') => (hour, 2),
            Some('I') => ((hour + 11) % 12 + 1, 2),
            Some('M') => (seconds / 60 % 60, 2),
            Some('S') => (seconds % 60, 2),
            Some('L') => (of_day / 1_000 % 1_000, 3),
            Some('f') => (of_day % 1_000_000, 6),
            Some('s') => (micros.div_euclid(1_000_000), 1),
            name => {
                out.push_str(match name {
                    Some('b') => &month[..3],
                    Some('B') => month,
                    Some('a') => &weekday[..3],
                    Some('A') => weekday,
                    Some('p') if hour < 12 => "AM",
                    Some('p') => "PM",
                    Some('z') => "+0000",
                    _ => panic!("a directive of times: {format}"),
                });
                continue;
            }
        };
        let width = if is_short { 1 } else { width };
        write!(out, "{number:0width$}").expect("a string takes all");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_written_in_any_format() {
        // 2026-11-27T05:06:07.008009Z, a Friday.
        let micros = 1_795_755_967_008_009;
        for (format, expected) in [
            ("%Y-%m-%dT%H:%M:%S.%LZ", "2026-11-27T05:06:07.008Z"),
            ("%-d.%-m.%y %-H:%M", "27.11.26 5:06"),
            ("%a, %d %b %Y %I:%M %p %z", "Fri, 27 Nov 2026 05:06 AM +0000"),
            ("%A %B %s %f", "Friday November 1795755967 008009"),
        ] {
            assert_eq!(text(format, micros), expected);
        }
        assert_eq!(text("%Y-%m-%d %I %p", -1), "1969-12-31 11 PM");
    }
}
