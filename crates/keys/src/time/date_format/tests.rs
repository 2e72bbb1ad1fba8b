use alloc::vec;

use super::*;
use crate::time;

/// A text as users write it, the format that is guessed first, and the instant.
const CASES: [(&str, &str, &str); 24] = [
    ("25/04/2025 02:02", "%d/%m/%Y %H:%M", "2025-04-25T02:02"),
    ("04/25/2025 02:02", "%m/%d/%Y %H:%M", "2025-04-25T02:02"),
    ("03/04/2025 02:02", "%d/%m/%Y %H:%M", "2025-04-03T02:02"),
    ("03/04/2025 2:02 PM", "%m/%d/%Y %I:%M %p", "2025-03-04T14:02"),
    ("3/4/2025", "%d/%m/%Y", "2025-04-03"),
    ("04.03.2025", "%d.%m.%Y", "2025-03-04"),
    ("4.3.2025 14:02:30", "%d.%m.%Y %H:%M:%S", "2025-03-04T14:02:30"),
    ("04.03.2025, 14:02", "%d.%m.%Y, %H:%M", "2025-03-04T14:02"),
    ("2025/03/04", "%Y/%m/%d", "2025-03-04"),
    ("2025/03/04 02:02:03.5", "%Y/%m/%d %H:%M:%S.%f", "2025-03-04T02:02:03.5"),
    ("2025.03.04", "%Y.%m.%d", "2025-03-04"),
    ("2025-3-4 2:02", "%Y-%m-%d %H:%M", "2025-03-04T02:02"),
    ("13-04-2025", "%d-%m-%Y", "2025-04-13"),
    ("4 Mar 2025 02:02 PM", "%d %b %Y %I:%M %p", "2025-03-04T14:02"),
    ("4 March 2025", "%d %b %Y", "2025-03-04"),
    ("Mar 4, 2025", "%b %d, %Y", "2025-03-04"),
    ("march 4, 2025 12:00am", "%b %d, %Y %I:%M%p", "2025-03-04"),
    ("04-MAR-2025", "%d-%b-%Y", "2025-03-04"),
    ("04/Mar/2025:02:02:03 +0100", "%d/%b/%Y:%H:%M:%S %z", "2025-03-04T01:02:03"),
    ("Tue, 4 Mar 2025 02:02:03 +0000", "%a, %d %b %Y %H:%M:%S %z", "2025-03-04T02:02:03"),
    ("Tue Mar  4 02:02:03 2025", "%a %b %d %H:%M:%S %Y", "2025-03-04T02:02:03"),
    ("25/04/2025T02:02:03Z", "%d/%m/%YT%H:%M:%S%z", "2025-04-25T02:02:03"),
    ("25/04/2025 02:02:03 -05:00", "%d/%m/%Y %H:%M:%S %z", "2025-04-25T07:02:03"),
    ("25/04/2025 12:30 PM", "%d/%m/%Y %I:%M %p", "2025-04-25T12:30"),
];

fn iso(text: &str) -> i64 {
    time::parse(text).unwrap_or_else(|| panic!("{text} is ISO 8601"))
}

#[test]
fn common_formats_are_recognized() {
    for (text, format, instant) in CASES {
        let found = DateFormat::guesses(text);
        assert_eq!(found.first().map(DateFormat::as_str), Some(format), "{text}: {found:?}");
        assert_eq!(found[0].parse(text), Some(iso(instant)), "{text}");
        assert_eq!(DateFormat::new(format).as_ref(), Ok(&found[0]), "{format} can be given");
    }
}

#[test]
fn day_and_month_are_ambiguous_up_to_twelve() {
    let guesses =
        |text: &str| DateFormat::guesses(text).iter().map(|format| format.0.clone()).collect::<Vec<_>>();
    assert_eq!(guesses("03/04/2025"), ["%d/%m/%Y", "%m/%d/%Y"]);
    assert_eq!(guesses("13/04/2025"), ["%d/%m/%Y"]);
    assert_eq!(guesses("04/13/2025"), ["%m/%d/%Y"]);
    assert_eq!(guesses("03.04.2025"), ["%d.%m.%Y"]);
}

#[test]
fn other_texts_are_not_read_as_times() {
    for text in [
        "",
        "1.2.3",
        "12.5",
        "31/02/2025",
        "25/25/2025",
        "4 Foo 2025",
        "10:30",
        "March",
        "2025",
        "192.168.2.1999",
        "1/2/0001",
        "25/04/2025 24:00",
        "25/04/2025 13:00 PM",
        "2019-05-28",
        "2019-05-28T00:04:34Z",
        "1559001874",
        "25/04/2025 note",
    ] {
        assert_eq!(DateFormat::guesses(text), vec![], "{text}");
    }
}

#[test]
fn a_custom_format_is_read_or_refused_with_the_reason() {
    let read = |format: &str, text: &str| {
        DateFormat::new(format).unwrap_or_else(|error| panic!("{error}")).parse(text)
    };
    assert_eq!(read("%d%m%y", "040325"), Some(iso("2025-03-04")));
    assert_eq!(read("%d.%m.%y", "01.02.99"), Some(iso("1999-02-01")));
    assert_eq!(read("%s.%f", "1559001874.25"), Some(1_559_001_874_250_000));
    assert_eq!(read("%s", "1559001874.25"), Some(1_559_001_874_250_000));
    assert_eq!(read("%s", "-1"), Some(-1_000_000));
    assert_eq!(read("100%% %Y-%m-%d", "100% 2025-03-04"), Some(iso("2025-03-04")));
    assert_eq!(read("%d/%m/%Y", "04.03.2025"), None);
    let wrong = |format: &str| DateFormat::new(format).map_err(|error| error.message).unwrap_err();
    assert!(wrong("%q").starts_with("%q is not a directive of a time format: use %Y"), "{}", wrong("%q"));
    assert_eq!(wrong("%d/%m"), "A time format needs a year (%Y), as in %d/%m/%Y %H:%M.");
    assert_eq!(
        wrong("%d/%m/%Y %I:%M"),
        "A time format needs %I and %p together, or %H, as in %d/%m/%Y %H:%M."
    );
    assert!(wrong("%Y%").contains("%%"));
}

/// Writes an instant in a format, so that it can be read again.
fn write(format: &DateFormat, micros: i64) -> String {
    let iso = time::format(micros);
    let part = |from: usize, to: usize| &iso[from..to];
    let number = |from: usize| part(from, from + 2).parse::<usize>().expect("digits");
    let (month, hour) = (number(5), number(11));
    let weekday = (micros.div_euclid(DAY_MILLIS * 1000) + 3).rem_euclid(7) as usize;
    let mut out = String::new();
    let mut rest = format.0.chars();
    while let Some(c) = rest.next() {
        let piece = match (c, if c == '%' { rest.next() } else { None }) {
            ('%', Some('Y')) => part(0, 4).into(),
            ('%', Some('y')) => part(2, 4).into(),
            ('%', Some('m')) => part(5, 7).into(),
            ('%', Some('d')) => number(8).to_string(),
            ('%', Some('b')) => MONTHS[month - 1][..3].to_uppercase(),
            ('%', Some('a')) => WEEKDAYS[weekday].into(),
            ('%', Some('H')) => part(11, 13).into(),
            ('%', Some('I')) => {
                if hour % 12 == 0 {
                    "12".into()
                } else {
                    (hour % 12).to_string()
                }
            }
            ('%', Some('p')) => {
                if hour < 12 {
                    "AM".into()
                } else {
                    "pm".into()
                }
            }
            ('%', Some('M')) => part(14, 16).into(),
            ('%', Some('S')) => part(17, 19).into(),
            ('%', Some('f')) => part(20, 23).into(),
            ('%', Some('z')) => "+00:00".into(),
            (c, None) => c.to_string(),
            other => panic!("{other:?}"),
        };
        out.push_str(&piece);
    }
    out
}

proptest::proptest! {
    /// A format reads the texts that it writes, with the same day.
    #[test]
    fn written_times_are_read(millis in SENSIBLE.start / 1000..SENSIBLE.end / 1000, date in 0..DATES.len(), time in 0..TIMES.len()) {
        // Two digits name the years from 1969 to 2068.
        let year: i64 = time::format(millis * 1000)[..4].parse().expect("a year");
        proptest::prop_assume!(!DATES[date].contains("%y") || (1969..2069).contains(&year));
        let format = DateFormat::new(&[DATES[date], TIMES[time]].concat()).expect("a format of the list");
        let text = write(&format, millis * 1000);
        let read = format.parse(&text).unwrap_or_else(|| panic!("{format:?} does not read {text}"));
        assert_eq!(write(&format, read), text, "{format:?}");
        assert_eq!(read.div_euclid(DAY_MILLIS * 1000), (millis * 1000).div_euclid(DAY_MILLIS * 1000), "{format:?}: the day of {text}");
    }
}
