use alloc::format;
use alloc::string::String;

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// The oracle: it uses the lengths of months and counts days.
fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// Counts the days from 1970-01-01 to a date, year by year and month by month.
fn counted(date: Date) -> Option<i64> {
    let Date { year, month, day } = date;
    if !(1..=days_of_month(year, month)).contains(&day) {
        return None;
    }
    let year_days = |year| (1..=12).map(|month| days_of_month(year, month)).sum::<i64>();
    let years: i64 = (1970..year).map(year_days).sum::<i64>() - (year..1970).map(year_days).sum::<i64>();
    Some(years + (1..month).map(|month| days_of_month(year, month)).sum::<i64>() + day - 1)
}

#[test]
fn days_of_eight_hundred_years_are_consecutive() {
    let mut date = Date { year: 1600, month: 1, day: 1 };
    let first = counted(date).unwrap();
    for days in first..first + 2 * 146_097 {
        assert_eq!((Date::from_days(days), date.days()), (date, Some(days)));
        if date.day < days_of_month(date.year, date.month) {
            date.day += 1;
        } else {
            assert_eq!(date.end_of_month(), days + 1, "{date:?}");
            let year = date.year + date.month / 12;
            date = Date { year, month: date.month % 12 + 1, day: 1 };
        }
    }
    assert_eq!(date, Date { year: 2400, month: 1, day: 1 });
}

#[derive(Clone, Debug)]
struct Clock {
    separator: char,
    hour: i64,
    minute: i64,
    second: Option<(i64, Option<(char, String)>)>,
    zone: &'static str,
}

/// Yields a number that is usually within 0 to `most`.
fn about(most: i64) -> impl Strategy<Value = i64> {
    prop_oneof![8 => 0..=most, 1 => most + 1..most + 3]
}

prop_compose! {
    fn clock()(
        separator in select(&['T', 'T', ' ', 't', '-'][..]),
        hour in about(23),
        minute in about(59),
        second in option::of((about(59), option::of((select(&['.', '.', ','][..]), "[0-9]{0,9}")))),
        zone in select(&["", "", "Z", "Z", "z", "+02", "-0530", "+02:30", "+24", "+0260", "+02:", "+1", " Z", "UTC", " gmt", " +0000", "  Z", "Z+01", "x"][..]),
    ) -> Clock {
        Clock { separator, hour, minute, second, zone }
    }
}

/// Returns the minutes of an offset, if it is one.
fn offset_minutes(zone: &str) -> Option<i64> {
    [
        ("", 0),
        ("Z", 0),
        ("z", 0),
        ("+02", 120),
        ("-0530", -330),
        ("+02:30", 150),
        ("UTC", 0),
        ("gmt", 0),
        ("+0000", 0),
    ]
    .into_iter()
    .find(|(text, _)| *text == zone)
    .map(|(_, minutes)| minutes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn distant_dates_survive_conversion(days in -1_000_000_000_000_i64..1_000_000_000_000) {
        let date = Date::from_days(days);
        prop_assert_eq!(date.days(), Some(days));
        // The calendar repeats after 400 years.
        let later = Date { year: date.year + 400, ..date };
        prop_assert_eq!(later.days(), Some(days + 146_097));
    }

    #[test]
    fn an_instant_is_computed_from_date_and_time(
        year in prop_oneof![1_890..2_110_i64, 0..10_000_i64], month in about(12), day in about(31), clock in option::of(clock()),
    ) {
        let date = Date { year, month, day };
        let mut text = format!("{year:04}-{month:02}-{day:02}");
        let mut expected = counted(date).map(|days| days * 86_400_000_000);
        let mut is_utc = true;
        if let Some(Clock { separator, hour, minute, second, zone }) = clock {
            text += &format!("{separator}{hour:02}:{minute:02}");
            let mut micros = (hour * 60 + minute) * 60_000_000;
            let mut is_right = hour < 24 && minute < 60 && separator != '-';
            is_utc = separator != 't' && matches!(zone, "" | "Z");
            if let Some((second, fraction)) = second {
                text += &format!(":{second:02}");
                micros += second * 1_000_000;
                is_right &= second < 60;
                if let Some((sign, digits)) = fraction {
                    text += &format!("{sign}{digits}");
                    micros += format!("{digits:0<6}")[..6].parse::<i64>().unwrap();
                    is_right &= !digits.is_empty();
                    is_utc &= sign == '.' && digits.len() <= 6;
                }
            }
            text += zone;
            // One space may stand before it.
            let offset = offset_minutes(zone.strip_prefix(' ').filter(|zone| !zone.is_empty()).unwrap_or(zone));
            let offset = offset.filter(|_| is_right);
            expected = expected.zip(offset).map(|(start, offset)| start + micros - offset * 60_000_000);
        }
        prop_assert_eq!(parse(text.as_bytes(), Iso::Any), expected, "{}", text);
        prop_assert_eq!(parse(text.as_bytes(), Iso::Utc), expected.filter(|_| is_utc), "{}", text);
    }
}

#[test]
fn an_instant_is_microseconds_since_1970() {
    for (text, micros) in [
        ("1970-01-01", 0),
        ("2019-05-28T00:04:34.000Z", 1_559_001_874_000_000),
        ("2000-02-29 23:59:59.5", 951_868_799_500_000),
        ("1969-12-31T23:59", -60_000_000),
        ("0000-03-01", -62_162_035_200_000_000),
    ] {
        assert_eq!(parse(text.as_bytes(), Iso::Utc), Some(micros), "{text}");
        assert_eq!(parse(text.as_bytes(), Iso::Any), Some(micros), "{text}");
    }
}

#[test]
fn invalid_instants_are_refused() {
    for text in [
        "",
        "2019",
        "2019-05",
        "2019-13-01",
        "2019-02-29",
        "1900-02-29",
        "2019-05-28T",
        "2019-05-28T24:00",
        "2019-05-28T1:00",
        "2019-05-28T01:00:00.",
        "2019-05-28-01",
        "+019-05-28",
        "2019-05-28T01:00:00:00",
        "2019-5-28",
    ] {
        assert_eq!(parse(text.as_bytes(), Iso::Utc), None, "{text}");
        assert_eq!(parse(text.as_bytes(), Iso::Any), None, "{text}");
    }
    assert_eq!(parse(b"2019-05-28T01:00:00.1234567", Iso::Utc), None);
}
