//! Times as users write them, in a format that is detected in the data or set by the user.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{
    Error, Result,
    calendar::{Cursor, Date},
};

use super::DAY_MILLIS;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/// The directives with their meaning, for the error about an unknown directive.
const DIRECTIVES: &str = "%Y, %y, %m, %d, %b (a month's name), %a (a weekday's), %H, %I with %p (AM or PM), %M, %S, %f, %z and %s (seconds since 1970)";

/// The format of the texts of a time field, with directives of `strftime`: `%d/%m/%Y %H:%M`.
///
/// Numbers may have one or two digits. Names of months and weekdays are English, in full or only
/// the first three letters, in upper or lower case. A space in the format matches one or more
/// spaces. Without `%z` a time is in UTC.
// Invariant: every directive is known, and together they determine an instant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DateFormat(String);

impl DateFormat {
    /// Parses a format.
    ///
    /// # Errors
    /// `InvalidArgument` for an unknown directive, and for a format that does not determine an
    /// instant.
    pub fn new(text: &str) -> Result<DateFormat> {
        let mut given = String::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                continue;
            }
            match rest.next() {
                Some('%') => {}
                Some(directive) if "YymdbBaAHIMSfpzs".contains(directive) => given.push(directive),
                Some(other) => {
                    return Err(Error::invalid(format!(
                        "%{other} is not a directive of a time format: use {DIRECTIVES}."
                    )));
                }
                None => {
                    return Err(Error::invalid(
                        "A time format ends with %: write %% for the character itself.",
                    ));
                }
            }
        }
        let has = |directives: &str| given.contains(|c| directives.contains(c));
        let missing = if has("s") {
            None
        } else if !has("Yy") {
            Some("a year (%Y)")
        } else if !has("mbB") {
            Some("a month (%m or %b)")
        } else if !has("d") {
            Some("a day (%d)")
        } else if has("I") != has("p") {
            Some("%I and %p together, or %H")
        } else {
            None
        };
        match missing {
            Some(what) => Err(Error::invalid(format!("A time format needs {what}, as in %d/%m/%Y %H:%M."))),
            None => Ok(DateFormat(text.to_string())),
        }
    }

    /// Returns the text of the format.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether times in this format have a time of day, and not a time zone.
    pub fn lacks_zone(&self) -> bool {
        let has = |directive: &str| self.0.contains(directive);
        (has("%H") || has("%I")) && !has("%z") && !has("%s")
    }

    /// Returns the instant that `text` means, in microseconds since 1970-01-01 UTC; `None` if it is
    /// not in this format.
    pub fn parse(&self, text: &str) -> Option<i64> {
        let mut reading = DateFields::default();
        let rest = reading.read(self.0.as_bytes(), text.trim().as_bytes())?;
        if rest.is_empty() { reading.instant() } else { None }
    }

    /// Writes an instant, in microseconds since 1970, in UTC, with names in English and numbers of at
    /// least two digits. `None` before the year 0 or after 9999.
    pub fn write(&self, micros: i64) -> Option<String> {
        let (seconds, fraction) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (hour, date) = (second / 3_600, Date::from_days(days));
        if !(0..=9_999).contains(&date.year) {
            return None;
        }
        let name = |names: &[&str], at: i64, letters: usize| {
            let name = names.get(at as usize).copied().unwrap_or_default();
            let (first, rest) = name.split_at(1);
            first.to_uppercase() + &rest[..rest.len().min(letters)]
        };
        // 1970-01-01 was a Thursday.
        let weekday = |letters| name(&WEEKDAYS, (days + 3).rem_euclid(7), letters);
        let mut out = String::new();
        let mut format = self.0.chars();
        while let Some(c) = format.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            out += &match format.next()? {
                'Y' => format!("{:04}", date.year),
                'y' => format!("{:02}", date.year % 100),
                'm' => format!("{:02}", date.month),
                'd' => format!("{:02}", date.day),
                'b' => name(&MONTHS, date.month - 1, 2),
                'B' => name(&MONTHS, date.month - 1, usize::MAX),
                'a' => weekday(2),
                'A' => weekday(usize::MAX),
                'H' => format!("{hour:02}"),
                'I' => format!("{:02}", (hour + 11) % 12 + 1),
                'M' => format!("{:02}", second / 60 % 60),
                'S' => format!("{:02}", second % 60),
                'f' => format!("{fraction:06}"),
                'p' => if hour < 12 { "AM" } else { "PM" }.to_string(),
                'z' => "+0000".to_string(),
                's' => seconds.to_string(),
                other => other.to_string(),
            };
        }
        Some(out)
    }

    /// Returns the formats in which `text` may be written, the most likely one first: two if day
    /// and month can be exchanged. Empty if [`super::parse`] can read the text, or if it is not a
    /// time.
    pub fn guesses(text: &str) -> Vec<DateFormat> {
        const TEXT_BYTES_MAX: usize = 40;
        let text = text.trim();
        let mut found: Vec<DateFormat> = Vec::new();
        if text.len() > TEXT_BYTES_MAX || super::parse(text).is_some() {
            return found;
        }
        for date in DATES {
            let Some(rest) = DateFields::default().read(date.as_bytes(), text.as_bytes()) else { continue };
            for time in TIMES.into_iter().filter(|time| time.is_empty() == rest.is_empty()) {
                for zone in ["", "%z", " %z"] {
                    let format = DateFormat([date, time, zone].concat());
                    if format.parse(text).is_some_and(|micros| SENSIBLE.contains(&micros))
                        && !found.contains(&format)
                    {
                        found.push(format);
                    }
                }
            }
        }
        // Texts with AM and PM and slashes usually have the month first.
        if found.iter().any(|format| format.0.contains("%p")) {
            found.reverse();
        }
        found
    }
}

/// The microseconds from 1900 to 2100. A number outside of this range is not a year.
const SENSIBLE: core::ops::Range<i64> = -2_208_988_800_000_000..4_102_444_800_000_000;
/// Formats of days. With dots, the day is always first.
const DATES: [&str; 26] = [
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d.%m.%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y-%m-%d",
    "%d %b %Y",
    "%d. %b %Y",
    "%d-%b-%Y",
    "%d/%b/%Y",
    "%d %b, %Y",
    "%b %d, %Y",
    "%b %d %Y",
    "%a, %d %b %Y",
    "%a %d %b %Y",
    "%a, %b %d, %Y",
    "%a %b %d %Y",
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %H:%M:%S %z %Y",
    "%d-%b-%y",
    "%d %b %y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%Y%m%d",
];
/// Formats of the time of day, which follows the day.
const TIMES: [&str; 22] = [
    "",
    "T%H%M%S",
    "T%H%M%S.%f",
    "T%H%M",
    " %H:%M",
    " %H:%M:%S",
    " %H:%M:%S.%f",
    " %I:%M %p",
    " %I:%M:%S %p",
    " %I:%M%p",
    " %I:%M:%S%p",
    ", %H:%M",
    ", %H:%M:%S",
    ", %I:%M %p",
    ", %I:%M:%S %p",
    "T%H:%M",
    "T%H:%M:%S",
    "T%H:%M:%S.%f",
    ":%H:%M:%S",
    " at %H:%M",
    " %H.%M",
    " %H.%M.%S",
];

impl TryFrom<String> for DateFormat {
    type Error = Error;

    fn try_from(text: String) -> Result<DateFormat> {
        DateFormat::new(&text)
    }
}

impl From<DateFormat> for String {
    fn from(format: DateFormat) -> String {
        format.0
    }
}

/// The values that directives have read so far.
#[derive(Default)]
struct DateFields {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    micros: i64,
    /// Whether the time is after noon, for a clock of twelve hours.
    is_pm: Option<bool>,
    offset_minutes: i64,
    seconds_since_1970: Option<i64>,
}

impl DateFields {
    /// Reads `text` in `format`. Returns the rest of the text.
    fn read<'t>(&mut self, format: &[u8], text: &'t [u8]) -> Option<&'t [u8]> {
        let mut cursor = Cursor(text);
        let mut format = format.iter();
        while let Some(&byte) = format.next() {
            match byte {
                b'%' => {
                    let directive = *format.next()?;
                    self.directive(directive, &mut cursor, format.as_slice().starts_with(b"."))?;
                }
                b' ' => {
                    cursor.expect(b' ')?;
                    cursor.skip(b' ');
                }
                byte => cursor.expect(byte)?,
            }
        }
        Some(cursor.0)
    }

    fn directive(&mut self, directive: u8, cursor: &mut Cursor<'_>, is_fraction_next: bool) -> Option<()> {
        match directive {
            b'Y' => self.year = cursor.digits(4)?,
            b'y' => {
                // As in POSIX, 69 to 99 belong to the 1900s.
                let year = cursor.digits(2)?;
                self.year = year + if year < 69 { 2000 } else { 1900 };
            }
            b'm' => self.month = cursor.short()?,
            b'd' => self.day = cursor.short()?,
            b'b' | b'B' => self.month = cursor.name(&MONTHS)? + 1,
            b'a' | b'A' => drop(cursor.name(&WEEKDAYS)?),
            b'H' => self.hour = cursor.short()?,
            b'I' => self.hour = cursor.short().filter(|hour| (1..=12).contains(hour))?,
            b'M' => self.minute = cursor.short()?,
            b'S' => self.second = cursor.short()?,
            b'f' => self.micros = cursor.fraction(usize::MAX)?,
            b'p' => {
                let half = cursor.take()?.to_ascii_lowercase();
                self.is_pm = Some(half == b'p').filter(|_| matches!(half, b'a' | b'p'));
                self.is_pm?;
                cursor.take()?.eq_ignore_ascii_case(&b'm').then_some(())?;
            }
            b'z' => self.offset_minutes = cursor.offset_minutes()?,
            b's' => {
                self.seconds_since_1970 = Some(cursor.count()?);
                // A fraction belongs to the count, unless the format has its own.
                if let [b'.', digit, ..] = cursor.0
                    && digit.is_ascii_digit()
                    && !is_fraction_next
                {
                    cursor.take()?;
                    self.micros = cursor.fraction(usize::MAX)?;
                }
            }
            literal => cursor.expect(literal)?,
        }
        Some(())
    }

    fn instant(&self) -> Option<i64> {
        if let Some(seconds) = self.seconds_since_1970 {
            return seconds.checked_mul(1_000_000)?.checked_add(self.micros);
        }
        let hour = match self.is_pm {
            Some(is_pm) => self.hour % 12 + if is_pm { 12 } else { 0 },
            None => self.hour,
        };
        if hour > 23 || self.minute > 59 || self.second > 59 {
            return None;
        }
        let days = Date { year: self.year, month: self.month, day: self.day }.days()?;
        let minutes = hour * 60 + self.minute - self.offset_minutes;
        Some(days * DAY_MILLIS * 1000 + (minutes * 60 + self.second) * 1_000_000 + self.micros)
    }
}

#[cfg(test)]
mod tests;
