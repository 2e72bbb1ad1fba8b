//! Writes times as the texts of a field are written.

use alloc::format;
use alloc::string::{String, ToString};

use tabletop_model::calendar::Date;

use super::{DAY_MILLIS, TimeFormat};
use crate::Field;

/// Microseconds of a second.
const SECOND: i64 = 1_000_000;

/// How the texts of a time field are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeStyle {
    /// In the format of the field, which can also write.
    Format(super::DateFormat),
    /// A count since 1970 with this many digits after the point, in units of this many microseconds;
    /// of a thousandth of one for 0.
    Count {
        /// The microseconds of the unit; 0 for nanoseconds.
        unit: i64,
        /// The number of digits after the point.
        decimals: usize,
    },
    /// `20190528`.
    Digits,
    /// As ISO 8601: the first `length` characters of `2019-05-28T00:04:34.123456`, with this character
    /// between date and time and this text for the time zone.
    Iso {
        /// The number of characters before the time zone.
        length: usize,
        /// Between date and time.
        between: char,
        /// The time zone as text, for example `Z`, `+02:00` or nothing.
        zone: String,
        /// By how many microseconds the text is ahead of UTC.
        ahead: i64,
    },
}

impl TimeStyle {
    /// Finds the style in which a text of the field is written, from which the text is written again.
    /// For any other text, it is that of [`super::format`].
    pub fn of(field: &Field, text: &str) -> TimeStyle {
        let text = text.trim();
        let standard = TimeStyle::Iso { length: 23, between: 'T', zone: "Z".into(), ahead: 0 };
        let Some(micros) = field.micros(text) else { return standard };
        if let Some(format) = &field.format {
            return TimeStyle::Format(format.clone());
        }
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let units = [SECOND, 1_000, 1, 0].map(|unit| TimeStyle::Count { unit, decimals });
        let zone_at = text.bytes().enumerate().skip(11).find(|(_, byte)| !b"0123456789:.".contains(byte));
        let (before, zone) =
            text.split_at_checked(zone_at.map_or(text.len(), |(at, _)| at)).unwrap_or((text, ""));
        let between = text.chars().nth(10).unwrap_or('T');
        let ahead = field.micros(before).map_or(0, |local| local - micros);
        let iso = TimeStyle::Iso { length: before.len(), between, zone: zone.into(), ahead };
        let styles = units.into_iter().chain([TimeStyle::Digits, iso]);
        styles.into_iter().find(|style| style.write(micros).as_deref() == Some(text)).unwrap_or(standard)
    }

    /// Writes an instant, in microseconds since 1970, rounded down to what the style can tell apart.
    /// `None` if the style has no text for it.
    pub fn write(&self, micros: i64) -> Option<String> {
        match self {
            TimeStyle::Format(format) => format.write(micros),
            TimeStyle::Count { unit: 0, .. } => Some(micros.checked_mul(1_000)?.to_string()),
            TimeStyle::Count { unit, decimals } => {
                let whole = micros.div_euclid(*unit).to_string();
                let rest = format!("{:06}", micros.rem_euclid(*unit) * (SECOND / unit));
                let zeros = "0".repeat(decimals.saturating_sub(rest.len()));
                let decimals = &rest[..(*decimals).min(rest.len())];
                Some(if decimals.is_empty() { whole } else { format!("{whole}.{decimals}{zeros}") })
            }
            TimeStyle::Digits => {
                let date = Date::from_days(micros.div_euclid(DAY_MILLIS * 1_000));
                (0..=9_999)
                    .contains(&date.year)
                    .then(|| format!("{:04}{:02}{:02}", date.year, date.month, date.day))
            }
            TimeStyle::Iso { length, between, zone, ahead } => {
                let local = micros.checked_add(*ahead)?;
                let mut text = alloc::vec::Vec::with_capacity(32);
                TimeFormat::Iso.write(local.div_euclid(1_000), &mut text)?;
                // `2019-05-28T00:04:34.123Z` becomes `2019-05-28T00:04:34.123456`.
                text.pop();
                let mut text = String::from_utf8(text).ok()? + &format!("{:03}", local.rem_euclid(1_000));
                text.extend(core::iter::repeat_n('0', length.saturating_sub(text.len())));
                text.truncate(*length);
                if *length > 10 {
                    text.replace_range(10..11, between.encode_utf8(&mut [0; 4]));
                }
                Some(text + zone)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FieldKind;
    use crate::time::DateFormat;

    fn field(format: Option<&str>) -> Field {
        let format = format.map(|format| DateFormat::new(format).unwrap());
        Field { format, ..Field::new("time", FieldKind::Time) }
    }

    /// A text is written again from its instant, and a day later it is another text of the same length.
    #[test]
    fn texts_are_written_as_they_are() {
        let cases = [
            (None, "2019-05-28"),
            (None, "20190528"),
            (None, "2019-05-28 00:04"),
            (None, "2019-05-28T00:04:34Z"),
            (None, "2019-05-28T00:04:34.123Z"),
            (None, "2019-05-28 00:04:34.123456"),
            (None, "2019-05-28T00:04:34.123456000Z"),
            (None, "2019-05-28T00:04:34+02:00"),
            (None, "2019-05-28 00:04:34 UTC"),
            (None, "2019-05-28T00:04:34-0730"),
            (None, "1559001874"),
            (None, "1559001874.25"),
            (None, "1559001874.123456"),
            (None, "1559001874123"),
            (None, "1559001874123.5"),
            (None, "1559001874123456"),
            (None, "1559001874123456000"),
            (Some("%d/%m/%Y %H:%M"), "28/05/2019 14:04"),
            (Some("%m/%d/%Y %I:%M %p"), "05/28/2019 02:04 PM"),
            (Some("%d/%b/%Y:%H:%M:%S %z"), "28/May/2019:14:04:34 +0000"),
            (Some("%a %b %d %H:%M:%S %Y"), "Tue May 28 14:04:34 2019"),
            (Some("%Y%m%d%H%M%S"), "20190528140434"),
            (Some("%d.%m.%y"), "28.05.19"),
            (Some("%s"), "1559001874"),
        ];
        for (format, text) in cases {
            let field = field(format);
            let micros = field.micros(text).unwrap_or_else(|| panic!("{text} is not a time"));
            let style = TimeStyle::of(&field, text);
            assert_eq!(style.write(micros).as_deref(), Some(text), "{style:?}");
            let later = style.write(micros + DAY_MILLIS * 1_000).unwrap();
            assert_eq!((later.len(), field.micros(&later)), (text.len(), Some(micros + DAY_MILLIS * 1_000)));
        }
    }

    #[test]
    fn what_a_style_cannot_tell_apart_is_rounded_down() {
        let style = TimeStyle::of(&field(None), "2019-05-28 00:04");
        assert_eq!(style.write(59_999_999).as_deref(), Some("1970-01-01 00:00"));
        assert_eq!(style.write(-1).as_deref(), Some("1969-12-31 23:59"));
        let style = TimeStyle::of(&field(None), "1559001874");
        assert_eq!(style.write(-1).as_deref(), Some("-1"));
    }

    #[test]
    fn a_text_without_a_style_gets_the_standard_one() {
        for text in ["", "soon", "2019-5-28"] {
            let style = TimeStyle::of(&field(None), text);
            assert_eq!(style.write(0).as_deref(), Some("1970-01-01T00:00:00.000Z"), "{text}");
        }
    }
}
