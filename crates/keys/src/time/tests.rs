use super::*;

#[test]
fn all_notations_of_an_instant_are_read() {
    let micros = 1_559_001_874_000_000;
    for text in [
        "2019-05-28T00:04:34.000Z",
        "2019-05-28T00:04:34",
        "2019-05-28 00:04:34Z",
        "2019-05-28T02:04:34+02:00",
        "2019-05-27T19:04:34-0500",
        "2019-05-28T02:04:34+02",
        "1559001874",
        "1559001874000",
        "1559001874000000",
        "1559001874000000000",
        "1559001874.0",
        "1559001874000.0004",
        "2019-05-28 00:04:34 UTC",
        "2019-05-28 00:04:34.000 GMT",
        "2019-05-28 00:04:34 +0000",
        "2019-05-28 02:04:34 +02:00",
        "2019-05-28T00:04:34UTC",
    ] {
        assert_eq!(parse(text), Some(micros), "{text}");
    }
    assert_eq!(parse("2019-05-28"), parse("20190528"));
    assert_eq!(parse("2019-05-28T00:04:34.1234567Z"), Some(micros + 123_456));
    assert_eq!(parse("1559001874.25"), Some(micros + 250_000));
    assert_eq!(parse("1559001874.1234567"), Some(micros + 123_456));
    assert_eq!(parse("1559001874000.5"), Some(micros + 500));
    assert_eq!(parse("964982703"), parse("2000-07-30T18:45:03Z"));
    assert_eq!(parse("1969-12-31T23:59:59.999Z"), Some(-1000));
}

#[test]
fn invalid_times_are_refused() {
    for text in [
        "",
        "x",
        "2019-02-29",
        "2019-13-01",
        "2019-00-10",
        "2019-05-28T24:00",
        "2019-05-28T00:04:60",
        "99999999",
        "-5",
        "2019-05-28T00:04:34.Z",
        "2019-05-28T",
        "12345678901234567890",
        "9999999999999999999",
        "1559001874.",
        "1559001874.5x",
        "15590.5",
        "2019-05-28 UTC",
        "2019-05-28 00:04:34 CET",
        "2019-05-28 00:04:34  UTC",
        "2019-05-28T00:00Zx",
        "2019-5-28",
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn days_of_eight_hundred_years_are_consecutive_and_survive_conversion() {
    let mut text = Vec::new();
    for day in -146_097..146_097i64 {
        text.clear();
        TimeFormat::Date.write(day * DAY_MILLIS, &mut text).unwrap();
        assert_eq!(TimeFormat::Date.read(&text), Some(day * DAY_MILLIS));
        assert_eq!(TimeFormat::Date.next(day * DAY_MILLIS), (day + 1) * DAY_MILLIS);
    }
    assert_eq!(parse("2000-02-29"), Some(951_782_400_000_000));
}

#[test]
fn texts_have_one_width_and_sort_as_their_times() {
    let mut times: Vec<i64> = (0..4000).map(|n: i64| n.pow(3) * 77 + n * 86_399_999).collect();
    times.extend([0, THIRTEEN_NINES]);
    times.sort_unstable();
    for (name, format) in TimeFormat::ALL {
        let mut before: Option<Vec<u8>> = None;
        for &time in times.iter().filter(|&&time| time <= format.bounds().1) {
            let mut text = Vec::new();
            format.write(time, &mut text).unwrap();
            assert_eq!(text.len(), format.width());
            let first = format.read(&text).unwrap();
            assert!(first <= time && time < format.next(time), "{name} {time}");
            if let Some(before) = &before {
                assert!(
                    if format == TimeFormat::ReverseTime { *before >= text } else { *before <= text },
                    "{name} {time}"
                );
            }
            before = Some(text);
        }
    }
}

#[test]
fn a_month_ends_where_the_next_begins() {
    let december = parse("1999-12-31T23:00").unwrap() / 1000;
    assert_eq!(format(TimeFormat::Month.next(december) * 1000), "2000-01-01T00:00:00.000Z");
}

#[test]
fn a_time_out_of_bounds_writes_nothing() {
    let mut out = Vec::new();
    assert_eq!(TimeFormat::Millis.write(-1, &mut out), None);
    assert_eq!(TimeFormat::Iso.write(253_402_300_800_000, &mut out), None);
    assert!(out.is_empty());
    assert_eq!(format(-62_167_219_200_001_000), "-62167219200001");
}
