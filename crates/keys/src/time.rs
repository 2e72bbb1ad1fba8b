//! Converts instants to and from texts, in events and in keys.

mod date_format;
mod style;
#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

pub use date_format::DateFormat;
pub use style::TimeStyle;
use tabletop_model::calendar::{self, Date};

/// Milliseconds of a day.
pub const DAY_MILLIS: i64 = 86_400_000;
/// The largest number of milliseconds with 13 digits, which is on 2286-11-20. Times are reversed by
/// subtracting them from it.
const THIRTEEN_NINES: i64 = 9_999_999_999_999;

/// Returns the instant that `text` means, in microseconds since 1970-01-01 UTC; `None` if it is not
/// a time.
///
/// Accepted texts (see [`crate::FieldKind::Time`]): `2019-05-28`, `2019-05-28T00:04`, `2019-05-28
/// 00:04:34.123456`, each date with time followed by `Z`, `+02`, `+0200`, `+02:00`, `UTC` or nothing
/// (UTC); `20190528`; and counts since 1970 in seconds (up to 10 digits), milliseconds (11 to 13),
/// microseconds (14 to 16) or nanoseconds (17 to 19), of which those of at least nine digits may
/// have a fraction. Digits beyond microseconds are ignored.
pub fn parse(text: &str) -> Option<i64> {
    let text = text.as_bytes();
    if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        return parse_digits(text);
    }
    parse_count(text).or_else(|| calendar::parse(text, calendar::Iso::Any))
}

/// Returns whether a text has the form of a count since 1970 that has as many digits as the present
/// in some unit, or two fewer, possibly with a fraction.
pub fn is_count(text: &str) -> bool {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    whole.bytes().all(|byte| byte.is_ascii_digit()) && (COUNT_DIGITS_MIN..=19).contains(&whole.len())
}

/// The digits of seconds since 1970 that are in 1973 or later.
const COUNT_DIGITS_MIN: usize = 9;

/// Parses a count since 1970 with a fraction.
fn parse_count(text: &[u8]) -> Option<i64> {
    let point = text.iter().position(|byte| *byte == b'.')?;
    let (whole, fraction) = (&text[..point], &text[point + 1..]);
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if whole.len() < COUNT_DIGITS_MIN || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let scale = match whole.len() {
        ..=10 => 6,
        11..=13 => 3,
        _ => 0,
    };
    let digit = |at: usize| fraction.get(at).map_or(0, |byte| i64::from(byte - b'0'));
    let part = (0..scale).fold(0, |part, at| part * 10 + digit(at));
    parse_digits(whole)?.checked_add(part)
}

/// Formats `micros` since 1970 as `YYYY-MM-DDTHH:MM:SS.sssZ`, rounded down to the millisecond.
/// Before the year 0 or after 9999, formats it as the count of milliseconds.
pub fn format(micros: i64) -> String {
    let millis = micros.div_euclid(1000);
    let mut out = Vec::with_capacity(24);
    if TimeFormat::Iso.write(millis, &mut out).is_none() {
        return alloc::format!("{millis}");
    }
    String::from_utf8(out).expect("digits and signs")
}

/// The format of a time in a key: always the same number of bytes, so that later times sort after
/// earlier ones (or before them, if reversed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeFormat {
    /// `2019-05-28T00:04:34.000Z`.
    Iso,
    /// `2019-05-28`.
    Date,
    /// `2019-05`.
    Month,
    /// `2019-05-28T00`.
    Hour,
    /// Seconds since 1970, 10 digits.
    Seconds,
    /// Milliseconds since 1970, 13 digits.
    Millis,
    /// 9,999,999,999,999 minus the milliseconds since 1970, 13 digits: the newest sorts first.
    ReverseTime,
}

impl TimeFormat {
    /// All formats, with their names in a template.
    pub const ALL: [(&'static str, TimeFormat); 7] = [
        ("iso", TimeFormat::Iso),
        ("date", TimeFormat::Date),
        ("month", TimeFormat::Month),
        ("hour", TimeFormat::Hour),
        ("seconds", TimeFormat::Seconds),
        ("millis", TimeFormat::Millis),
        ("reverse_time", TimeFormat::ReverseTime),
    ];

    /// Returns the number of bytes of every time in this format.
    pub fn width(self) -> usize {
        match self {
            TimeFormat::Iso => 24,
            TimeFormat::Date | TimeFormat::Seconds => 10,
            TimeFormat::Month => 7,
            TimeFormat::Hour | TimeFormat::Millis | TimeFormat::ReverseTime => 13,
        }
    }

    /// Returns the first and the last millisecond since 1970 that the format can write.
    pub fn bounds(self) -> (i64, i64) {
        match self {
            TimeFormat::Iso | TimeFormat::Date | TimeFormat::Month | TimeFormat::Hour => {
                (-62_167_219_200_000, 253_402_300_799_999)
            }
            TimeFormat::Seconds | TimeFormat::Millis | TimeFormat::ReverseTime => (0, THIRTEEN_NINES),
        }
    }

    /// Returns whether the format names an instant (at least to the second), rather than a span of
    /// time.
    pub fn is_instant(self) -> bool {
        matches!(self, TimeFormat::Iso | TimeFormat::Seconds | TimeFormat::Millis | TimeFormat::ReverseTime)
    }

    /// Appends the text of `millis` since 1970. Returns `None` and appends nothing outside
    /// [`TimeFormat::bounds`].
    pub fn write(self, millis: i64, out: &mut Vec<u8>) -> Option<()> {
        let (first, last) = self.bounds();
        if millis < first || millis > last {
            return None;
        }
        match self {
            TimeFormat::Seconds => push_digits(out, millis / 1000, 10),
            TimeFormat::Millis => push_digits(out, millis, 13),
            TimeFormat::ReverseTime => push_digits(out, THIRTEEN_NINES - millis, 13),
            TimeFormat::Iso | TimeFormat::Date | TimeFormat::Month | TimeFormat::Hour => {
                let Date { year, month, day } = Date::from_days(millis.div_euclid(DAY_MILLIS));
                let of_day = millis.rem_euclid(DAY_MILLIS);
                let mut text = *b"0000-00-00T00:00:00.000Z";
                put_digits(&mut text[..4], year);
                put_digits(&mut text[5..7], month);
                put_digits(&mut text[8..10], day);
                put_digits(&mut text[11..13], of_day / 3_600_000);
                put_digits(&mut text[14..16], of_day / 60_000 % 60);
                put_digits(&mut text[17..19], of_day / 1000 % 60);
                put_digits(&mut text[20..23], of_day % 1000);
                // The other formats are prefixes of this text.
                out.extend_from_slice(&text[..self.width()]);
            }
        }
        Some(())
    }

    /// Returns the first millisecond that [`TimeFormat::write`] writes as `text`; `None` if it
    /// never writes this text.
    pub fn read(self, text: &[u8]) -> Option<i64> {
        if text.len() != self.width() {
            return None;
        }
        let millis = match self {
            TimeFormat::Seconds => number(text)? * 1000,
            TimeFormat::Millis => number(text)?,
            TimeFormat::ReverseTime => THIRTEEN_NINES - number(text)?,
            TimeFormat::Iso | TimeFormat::Date | TimeFormat::Month | TimeFormat::Hour => {
                let mut whole = *b"0000-01-01T00:00:00.000Z";
                whole[..text.len()].copy_from_slice(text);
                parse(core::str::from_utf8(&whole).ok()?)?.div_euclid(1000)
            }
        };
        let mut again = Vec::with_capacity(24);
        self.write(millis, &mut again)?;
        (again == text).then_some(millis)
    }

    /// Returns the first millisecond after the span of time that contains `millis` and has the same
    /// text.
    pub fn next(self, millis: i64) -> i64 {
        let span = match self {
            TimeFormat::Iso | TimeFormat::Millis | TimeFormat::ReverseTime => 1,
            TimeFormat::Seconds => 1000,
            TimeFormat::Hour => 3_600_000,
            TimeFormat::Date => DAY_MILLIS,
            TimeFormat::Month => {
                return Date::from_days(millis.div_euclid(DAY_MILLIS)).end_of_month() * DAY_MILLIS;
            }
        };
        (millis.div_euclid(span) + 1) * span
    }
}

fn parse_digits(text: &[u8]) -> Option<i64> {
    let count = number(text)?;
    match text.len() {
        8 => {
            let date = Date { year: count / 10_000, month: count / 100 % 100, day: count % 100 };
            Some(date.days()? * DAY_MILLIS * 1000)
        }
        1..=10 => Some(count * 1_000_000),
        11..=13 => Some(count * 1000),
        14..=16 => Some(count),
        17..=19 => Some(count / 1000),
        _ => None,
    }
}

/// Parses digits as a number.
fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0_i64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Appends `number`, which is not negative, in `width` digits, which must be enough for it.
pub(crate) fn push_digits(out: &mut Vec<u8>, number: i64, width: usize) {
    let start = out.len();
    out.resize(start + width, b'0');
    put_digits(&mut out[start..], number);
}

/// Writes the last digits of `number`, so that they fill all of `out`.
pub(crate) fn put_digits(out: &mut [u8], mut number: i64) {
    for digit in out.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}
