//! ISO 8601 instants as microseconds.

use crate::Timestamp;

/// Microseconds since 1970 of `YYYY-MM-DD`, optionally with `THH:MM`, `:SS`, a fraction and `Z`; UTC.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let (date, clock) = match text.split_once(['T', ' ']) {
        Some((date, clock)) => (date, clock.strip_suffix('Z').unwrap_or(clock)),
        None => (text, "00:00"),
    };
    let mut date = date.split('-');
    let (year, month, day) = (digits(date.next()?, 4)?, digits(date.next()?, 2)?, digits(date.next()?, 2)?);
    let mut clock = clock.split(':');
    let (hour, minute) = (digits(clock.next()?, 2)?, digits(clock.next()?, 2)?);
    let (second, micros) = match clock.next() {
        None => (0, 0),
        Some(second) => match second.split_once('.') {
            None => (digits(second, 2)?, 0),
            Some((second, fraction)) if (1..=6).contains(&fraction.len()) => {
                let scale = 10_i64.pow(6 - fraction.len() as u32);
                (digits(second, 2)?, digits(fraction, fraction.len())? * scale)
            }
            Some(_) => return None,
        },
    };
    let complete = date.next().is_none() && clock.next().is_none();
    let days = days_of(year, month, day)?;
    (complete && hour < 24 && minute < 60 && second < 60)
        .then(|| (((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000 + micros)
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let right = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    right.then(|| text.parse().ok()).flatten()
}

/// Days since 1970-01-01 in the Gregorian calendar; nothing if there is no such day.
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let month_days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    // Years begin in March here, so that the leap day is the last one; 719,468 days lie between 0000-03-01 and 1970-01-01.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before_year = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    (1..=month_days).contains(&day).then(|| before_year + (153 * month + 2) / 5 + day - 1 - 719_468)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn an_instant_is_microseconds_since_1970() {
        assert_eq!(parse("1970-01-01"), Some(0));
        assert_eq!(parse("2019-05-28T00:04:34.000Z"), Some(1_559_001_874_000_000));
        assert_eq!(parse("2000-02-29 23:59:59.5"), Some(951_868_799_500_000));
        assert_eq!(parse("1969-12-31T23:59"), Some(-60_000_000));
        assert_eq!(parse("0000-03-01"), Some(-62_162_035_200_000_000));
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        let wrong = [
            "",
            "2019",
            "2019-05",
            "2019-13-01",
            "2019-02-29",
            "1900-02-29",
            "2019-05-28T24:00",
            "2019-05-28T1:00",
            "2019-05-28T01:00:00.",
            "2019-05-28T01:00:00.1234567",
            "2019-05-28-01",
            "+019-05-28",
            "2019-05-28T01:00:00:00",
        ];
        for text in wrong {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
