//! Time zones of times that are written without one.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{Error, Result, calendar::Date, did_you_mean};

/// The time zone of times that are written without one: a fixed offset from UTC, or a place, whose
/// offset changes with the season. Places have their present rules at all times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TimeZone {
    /// UTC.
    #[default]
    Utc,
    /// Minutes east of UTC.
    Offset(i16),
    /// A place with a name, by its index.
    Place(u8),
}

/// The season in which clocks are an hour ahead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Summer {
    None,
    /// From the last Sunday of March to the last Sunday of October, at 1:00 UTC.
    Europe,
    /// From the second Sunday of March to the first Sunday of November, at 2:00.
    America,
    /// From the first Sunday of October to the first Sunday of April, at 2:00 standard time.
    Australia,
    /// From the last Sunday of September to the first Sunday of April, at 2:00 standard time.
    NewZealand,
}

/// Names of the IANA time zone database, with their minutes east of UTC in winter.
const PLACES: [(&str, i16, Summer); 51] = [
    ("Africa/Johannesburg", 120, Summer::None),
    ("Africa/Lagos", 60, Summer::None),
    ("Africa/Nairobi", 180, Summer::None),
    ("America/Anchorage", -540, Summer::America),
    ("America/Argentina/Buenos_Aires", -180, Summer::None),
    ("America/Bogota", -300, Summer::None),
    ("America/Chicago", -360, Summer::America),
    ("America/Denver", -420, Summer::America),
    ("America/Halifax", -240, Summer::America),
    ("America/Los_Angeles", -480, Summer::America),
    ("America/Mexico_City", -360, Summer::None),
    ("America/New_York", -300, Summer::America),
    ("America/Phoenix", -420, Summer::None),
    ("America/Sao_Paulo", -180, Summer::None),
    ("America/Toronto", -300, Summer::America),
    ("America/Vancouver", -480, Summer::America),
    ("Asia/Bangkok", 420, Summer::None),
    ("Asia/Dubai", 240, Summer::None),
    ("Asia/Ho_Chi_Minh", 420, Summer::None),
    ("Asia/Hong_Kong", 480, Summer::None),
    ("Asia/Jakarta", 420, Summer::None),
    ("Asia/Karachi", 300, Summer::None),
    ("Asia/Kolkata", 330, Summer::None),
    ("Asia/Manila", 480, Summer::None),
    ("Asia/Riyadh", 180, Summer::None),
    ("Asia/Seoul", 540, Summer::None),
    ("Asia/Shanghai", 480, Summer::None),
    ("Asia/Singapore", 480, Summer::None),
    ("Asia/Taipei", 480, Summer::None),
    ("Asia/Tokyo", 540, Summer::None),
    ("Australia/Brisbane", 600, Summer::None),
    ("Australia/Melbourne", 600, Summer::Australia),
    ("Australia/Perth", 480, Summer::None),
    ("Australia/Sydney", 600, Summer::Australia),
    ("Europe/Amsterdam", 60, Summer::Europe),
    ("Europe/Athens", 120, Summer::Europe),
    ("Europe/Berlin", 60, Summer::Europe),
    ("Europe/Helsinki", 120, Summer::Europe),
    ("Europe/Istanbul", 180, Summer::None),
    ("Europe/Lisbon", 0, Summer::Europe),
    ("Europe/London", 0, Summer::Europe),
    ("Europe/Madrid", 60, Summer::Europe),
    ("Europe/Moscow", 180, Summer::None),
    ("Europe/Paris", 60, Summer::Europe),
    ("Europe/Prague", 60, Summer::Europe),
    ("Europe/Rome", 60, Summer::Europe),
    ("Europe/Stockholm", 60, Summer::Europe),
    ("Europe/Warsaw", 60, Summer::Europe),
    ("Europe/Zurich", 60, Summer::Europe),
    ("Pacific/Auckland", 720, Summer::NewZealand),
    ("Pacific/Honolulu", -600, Summer::None),
];

/// The maximum offset from UTC, in minutes.
const OFFSET_MAX: i16 = 14 * 60;
const HOUR_MINUTES: i64 = 60;
const DAY_MINUTES: i64 = 24 * HOUR_MINUTES;
const MINUTE_MICROS: i64 = 60_000_000;

impl TimeZone {
    /// Parses `UTC`, an offset such as `+02:00`, or the name of a place.
    ///
    /// # Errors
    /// `InvalidArgument` for another text.
    pub fn new(text: &str) -> Result<TimeZone> {
        let text = text.trim();
        if ["utc", "gmt", "z"].iter().any(|utc| text.eq_ignore_ascii_case(utc)) {
            return Ok(TimeZone::Utc);
        }
        if let Some(minutes) = offset(text) {
            return Ok(if minutes == 0 { TimeZone::Utc } else { TimeZone::Offset(minutes) });
        }
        let place = PLACES.iter().position(|(name, ..)| name.eq_ignore_ascii_case(text));
        place.map(|at| TimeZone::Place(at as u8)).ok_or_else(|| {
            Error::invalid(format!(
                "\"{text}\" is not a time zone: write UTC, an offset such as +02:00 (at most 14 hours), or a place such as Europe/Berlin{}",
                did_you_mean(text, PLACES.map(|(name, ..)| name))
            ))
        })
    }

    /// Returns the zones that a user can choose: UTC, whole hours, the offsets with half and quarter
    /// hours that are in use, and the places.
    pub fn choices() -> Vec<TimeZone> {
        const PARTS: [i16; 7] = [-570, -210, 210, 270, 330, 345, 570];
        let mut offsets: Vec<i16> =
            (-12..=14).map(|hours| hours * 60).filter(|minutes| *minutes != 0).collect();
        offsets.extend(PARTS);
        offsets.sort_unstable();
        let offsets = offsets.into_iter().map(TimeZone::Offset);
        let places = (0..PLACES.len() as u8).map(TimeZone::Place);
        core::iter::once(TimeZone::Utc).chain(offsets).chain(places).collect()
    }

    /// Returns the minutes east of UTC when clocks in this zone show this time, in microseconds
    /// since 1970 on these clocks. Of an hour that clocks show twice, the first is meant.
    pub fn offset_minutes(self, local_micros: i64) -> i16 {
        let (winter, summer) = match self {
            TimeZone::Utc => return 0,
            TimeZone::Offset(minutes) => return minutes,
            TimeZone::Place(at) => PLACES
                .get(usize::from(at))
                .map_or((0, Summer::None), |(_, winter, summer)| (*winter, *summer)),
        };
        let minute = local_micros.div_euclid(MINUTE_MICROS);
        let year = Date::from_days(minute.div_euclid(DAY_MINUTES)).year;
        // Both changes, on clocks that still show the time before the change.
        let utc = i64::from(winter);
        let (start, end) = match summer {
            Summer::None => return winter,
            Summer::Europe => (last_sunday(year, 3) + utc + 60, last_sunday(year, 10) + utc + 120),
            Summer::America => (first_sunday(year, 3) + 7 * DAY_MINUTES + 120, first_sunday(year, 11) + 120),
            Summer::Australia => (first_sunday(year, 10) + 120, first_sunday(year, 4) + 180),
            Summer::NewZealand => (last_sunday(year, 9) + 120, first_sunday(year, 4) + 180),
        };
        let is_summer =
            if start < end { (start..end).contains(&minute) } else { minute >= start || minute < end };
        winter + if is_summer { 60 } else { 0 }
    }
}

/// Returns the minutes from 1970 to the first Sunday of a month.
fn first_sunday(year: i64, month: i64) -> i64 {
    let first = Date { year, month, day: 1 }.days().unwrap_or_default();
    // 1970-01-04 was a Sunday.
    (first + (3 - first).rem_euclid(7)) * DAY_MINUTES
}

/// Returns the minutes from 1970 to the last Sunday of a month.
fn last_sunday(year: i64, month: i64) -> i64 {
    let last = Date { year, month, day: 1 }.end_of_month() - 1;
    (last - (last - 3).rem_euclid(7)) * DAY_MINUTES
}

/// Parses `+02:00`, `-0530`, `+2` or `UTC+2` as minutes.
fn offset(text: &str) -> Option<i16> {
    let text = text.strip_prefix("UTC").or(text.strip_prefix("GMT")).unwrap_or(text);
    let (sign, digits) = match text.strip_prefix('-').or(text.strip_prefix('\u{2212}')) {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+')?),
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) if minutes.len() == 2 => (hours, minutes),
        Some(_) => return None,
        None if digits.len() == 4 && digits.is_ascii() => digits.split_at(2),
        None => (digits, "0"),
    };
    let number = |text: &str| {
        let is_number = matches!(text.len(), 1 | 2) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<i16>().ok()).flatten()
    };
    let total = number(hours)? * 60 + number(minutes).filter(|minutes| *minutes < 60)?;
    (total <= OFFSET_MAX).then_some(sign * total)
}

/// Returns an offset as `+02:00`.
pub fn offset_text(minutes: i16) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

impl core::fmt::Display for TimeZone {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            TimeZone::Utc => out.write_str("UTC"),
            TimeZone::Offset(minutes) => out.write_str(&offset_text(*minutes)),
            TimeZone::Place(at) => {
                out.write_str(PLACES.get(usize::from(*at)).map_or("UTC", |(name, ..)| name))
            }
        }
    }
}

impl TryFrom<String> for TimeZone {
    type Error = Error;

    fn try_from(text: String) -> Result<TimeZone> {
        TimeZone::new(&text)
    }
}

impl From<TimeZone> for String {
    fn from(zone: TimeZone) -> String {
        zone.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_an_offset_or_a_place() {
        let parsed = |text: &str| TimeZone::new(text).map(|zone| zone.to_string());
        for (text, expected) in [
            ("utc", "UTC"),
            ("+00:00", "UTC"),
            ("+02:00", "+02:00"),
            ("-0530", "-05:30"),
            ("+2", "+02:00"),
            ("UTC+2", "+02:00"),
            ("GMT-3", "-03:00"),
            ("+14:00", "+14:00"),
            ("europe/berlin", "Europe/Berlin"),
        ] {
            assert_eq!(parsed(text).as_deref(), Ok(expected), "{text}");
        }
        for wrong in ["", "+", "2", "+15:00", "+02:60", "+2:5", "+123", "Berlin time", "+-2", "+0x:00"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
        let error = TimeZone::new("Europe/Berlim").unwrap_err().message;
        assert!(error.contains("Europe/Berlin?"), "{error}");
        for zone in TimeZone::choices() {
            assert_eq!(TimeZone::new(&zone.to_string()), Ok(zone));
        }
        assert!(PLACES.windows(2).all(|pair| pair[0].0 < pair[1].0), "they are in the order of their names");
    }

    #[test]
    fn clocks_change_on_the_days_of_each_place() {
        let at = |zone: &str, local: &str| {
            let micros = tabletop_keys::time::parse(local).expect("a time");
            TimeZone::new(zone).expect("a zone").offset_minutes(micros)
        };
        // In Berlin on 29 March and 25 October 2026.
        assert_eq!(at("Europe/Berlin", "2026-03-29T01:59"), 60);
        assert_eq!(at("Europe/Berlin", "2026-03-29T03:00"), 120);
        assert_eq!(at("Europe/Berlin", "2026-10-25T02:59"), 120, "the first of two");
        assert_eq!(at("Europe/Berlin", "2026-10-25T03:00"), 60);
        assert_eq!(at("Europe/London", "2026-03-29T02:00"), 60);
        // In New York on 8 March and 1 November 2026.
        assert_eq!(at("America/New_York", "2026-03-08T01:59"), -300);
        assert_eq!(at("America/New_York", "2026-03-08T03:00"), -240);
        assert_eq!(at("America/New_York", "2026-11-01T01:59"), -240);
        assert_eq!(at("America/New_York", "2026-11-01T02:00"), -300);
        // In Sydney on 5 April and 4 October 2026, in Auckland on 5 April and 27 September.
        assert_eq!(at("Australia/Sydney", "2026-01-01T00:00"), 660);
        assert_eq!(at("Australia/Sydney", "2026-04-05T03:00"), 600);
        assert_eq!(at("Australia/Sydney", "2026-10-04T03:00"), 660);
        assert_eq!(at("Pacific/Auckland", "2026-07-01T00:00"), 720);
        assert_eq!(at("Pacific/Auckland", "2026-09-27T03:00"), 780);
        assert_eq!(at("Asia/Kolkata", "2026-07-01T00:00"), 330);
    }
}
