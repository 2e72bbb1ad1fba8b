//! A parser of ISO 8601. Its functions return `None` for other text.

use super::{Cursor, Date};
use crate::Timestamp;

/// The accepted subset of ISO 8601.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iso {
    /// Forms that other programs also write: an offset from UTC, also after a space, UTC and GMT in
    /// letters, lower-case letters, a comma before a fraction, and more digits of it than
    /// microseconds have, which are cut off.
    Any,
    /// UTC in capital letters, to the microsecond: the form that denotes one exact instant.
    Utc,
}

/// Returns the microseconds from 1970-01-01 UTC to the instant in `text`, or `None` if it is not
/// one.
///
/// Accepts `2019-05-28`, and a date with a time: `2019-05-28T00:04`, `2019-05-28 00:04:34`,
/// `2019-05-28T00:04:34.123456Z`. With [`Iso::Any`] it may end with `+02`, `-0500`, `+02:00` or
/// `UTC`, with or without a space before it; without an offset it is UTC.
pub fn parse(text: &[u8], understood: Iso) -> Option<Timestamp> {
    let is_any = understood == Iso::Any;
    let mut rest = Cursor(text);
    let year = rest.digits(4)?;
    rest.expect(b'-')?;
    let month = rest.digits(2)?;
    rest.expect(b'-')?;
    let day = rest.digits(2)?;
    let days = Date { year, month, day }.days()?;
    if rest.0.is_empty() {
        return Some(instant(days, 0, 0));
    }
    let separator = rest.take()?;
    if !(matches!(separator, b'T' | b' ') || is_any && separator == b't') {
        return None;
    }
    let hour = rest.digits(2)?;
    rest.expect(b':')?;
    let minute = rest.digits(2)?;
    let (mut second, mut micros) = (0, 0);
    if rest.0.first() == Some(&b':') {
        rest.take()?;
        second = rest.digits(2)?;
        if rest.0.first() == Some(&b'.') || is_any && rest.0.first() == Some(&b',') {
            rest.take()?;
            micros = rest.fraction(if is_any { usize::MAX } else { 6 })?;
        }
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let offset_minutes = match rest.0 {
        b"" | b"Z" => 0,
        _ if is_any => {
            if rest.0.first() == Some(&b' ') {
                rest.take()?;
            }
            rest.offset_minutes().filter(|_| rest.0.is_empty())?
        }
        _ => return None,
    };
    Some(instant(days, (hour * 60 + minute - offset_minutes) * 60 + second, micros))
}

fn instant(days: i64, seconds: i64, micros: i64) -> Timestamp {
    (days * 86_400 + seconds) * 1_000_000 + micros
}
