use super::*;

fn check(name: &str, texts: &[&str], expected: FieldKind) {
    assert_eq!(detected(name, texts).0.kind, expected, "{name}: {texts:?}");
}

/// Returns the detected field, and the messages about it.
fn detected(name: &str, texts: &[&str]) -> (Field, Vec<String>) {
    let mut events = Events::new(vec![Field::new(name, FieldKind::Text)]);
    let (mut detector, mut log) = (Detector::default(), Log::default());
    detector.add_field(name, Sought::Kind);
    for text in texts {
        detector.see(0, text, || FilePosition::START);
        detector.end_record(&mut events, &mut log);
    }
    detector.decide(&mut events, &mut log);
    let problems = log.problems.into_iter().map(|problem| problem.message).collect();
    (events.fields()[0].clone(), problems)
}

#[test]
fn dates_in_common_formats_are_times() {
    let format = |texts: &[&str]| detected("x", texts).0.format.map(String::from);
    assert_eq!(format(&["04.03.2025", "31.12.2025"]).as_deref(), Some("%d.%m.%Y"));
    assert_eq!(format(&["2025/03/04 02:02", ""]).as_deref(), Some("%Y/%m/%d %H:%M"));
    assert_eq!(format(&["4 Mar 2025 02:02 PM"]).as_deref(), Some("%d %b %Y %I:%M %p"));
    assert_eq!(format(&["20241231T235959Z", "20250101T000000+0100"]).as_deref(), Some("%Y%m%dT%H%M%S%z"));
    assert_eq!(format(&["20241231T235959", "20250101T000000"]).as_deref(), Some("%Y%m%dT%H%M%S"));
    // A day above twelve decides the format.
    assert_eq!(format(&["03/04/2025", "04/25/2025"]).as_deref(), Some("%m/%d/%Y"));
    assert_eq!(format(&["03/04/2025", "25/04/2025"]).as_deref(), Some("%d/%m/%Y"));
    assert_eq!(detected("x", &["03/04/2025", "25/04/2025"]).1, [""; 0]);
    let (field, problems) = detected("x", &["03/04/2025", "05/06/2025"]);
    assert_eq!(field.format.map(String::from).as_deref(), Some("%d/%m/%Y"));
    assert!(
        problems[0].starts_with("x: \"03/04/2025\" can be read as %d/%m/%Y and as %m/%d/%Y"),
        "{problems:?}"
    );
    // No format reads both.
    check("x", &["25/04/2025", "04/25/2025"], FieldKind::Text);
    check("x", &["25/04/2025", "soon"], FieldKind::Text);
}

#[test]
fn times_as_services_write_them_are_times() {
    let (field, _) = detected("x", &["Tue Apr 03 18:00:09 +0000 2012", "Wed Apr 04 01:00:00 +0200 2012"]);
    assert_eq!(field.format.as_ref().map(DateFormat::as_str), Some("%a %b %d %H:%M:%S %z %Y"));
    assert_eq!(field.micros("Tue Apr 03 18:00:09 +0000 2012"), Some(1_333_476_009_000_000));
    let (field, _) = detected("x", &["Mon Apr 06 22:19:45 PDT 2009", "Mon Nov 09 22:19:45 PST 2009"]);
    assert_eq!(field.micros("Mon Apr 06 22:19:45 PDT 2009"), Some(1_239_081_585_000_000));
    assert_eq!(field.micros("Mon Nov 09 22:19:45 PST 2009"), Some(1_257_833_985_000_000));
}

#[test]
fn numbers_are_days_if_all_of_them_are_and_there_is_no_other_time() {
    let days: Vec<String> =
        (0..30).map(|day| format!("2017{:02}{:02}", 1 + day / 28, 1 + day % 28)).collect();
    let texts: Vec<&str> = days.iter().map(String::as_str).collect();
    let (field, problems) = detected("x", &texts);
    assert_eq!(
        (field.kind, field.format.as_ref().map(DateFormat::as_str)),
        (FieldKind::Time, Some("%Y%m%d"))
    );
    assert_eq!(field.micros("20170201"), Some(1_485_907_200_000_000));
    assert_eq!(
        problems,
        ["x is read as a time, because its numbers are days without separators, as in 20190528."]
    );
    check("x", &texts[..5], FieldKind::Int);
    check("x", &[&texts[..], &["20171301"]].concat(), FieldKind::Int);
    let hours: Vec<String> = days.iter().map(|day| format!("{day}07")).collect();
    let hours: Vec<&str> = hours.iter().map(String::as_str).collect();
    assert_eq!(detected("x", &hours).0.micros("2017020107"), Some(1_485_932_400_000_000));
}

#[test]
fn times_of_two_formats_are_reported() {
    let (field, problems) = detected("when", &["25/04/2025 10:00", "", "26/04/2025", "soon"]);
    assert_eq!(field.kind, FieldKind::Text);
    let expected =
        "when begins with times, but \"26/04/2025\" differs from %d/%m/%Y %H:%M: the field is read as text.";
    assert_eq!(problems, [expected]);
    let (_, problems) = detected("when", &["2025-04-25", "26/04/2025"]);
    assert_eq!(
        problems,
        ["when begins with times, but \"26/04/2025\" differs from ISO 8601: the field is read as text."]
    );
    assert_eq!(detected("date", &["19970101", "19971341"]).1, [""; 0], "these are numbers");
}

#[test]
fn a_few_values_among_many_that_are_not_times_are_named() {
    let texts = |time: fn(usize) -> String, wrong: &[usize]| -> Vec<String> {
        (0..300).map(|at| if wrong.contains(&at) { "not-a-time".to_owned() } else { time(at) }).collect()
    };
    let of = |texts: &[String]| detected("ts", &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let iso = |at: usize| format!("2026-03-01T00:{:02}:00Z", at % 60);
    let (field, notes) = of(&texts(iso, &[7]));
    assert_eq!((field.kind, field.format), (FieldKind::Time, None));
    let expected = "ts is read as a time: 299 of its first 300 values are times in ISO 8601, and \"not-a-time\" is the other one. \
                    Events with such a value are rejected by designs that need the time.";
    assert_eq!(notes, [expected]);
    let (field, notes) = of(&texts(iso, &[7, 8, 9]));
    assert_eq!((field.kind, notes.len()), (FieldKind::Time, 1));
    assert!(
        notes[0].contains("297 of its first 300") && notes[0].contains("is the first of the others"),
        "{notes:?}"
    );
    let (field, notes) = of(&texts(iso, &[7, 8, 9, 10]));
    assert_eq!(field.kind, FieldKind::Text, "more than one in a hundred");
    assert!(notes[0].ends_with("differs from ISO 8601: the field is read as text."), "{notes:?}");
    // A format that reads the other texts is found nevertheless.
    let (field, notes) = of(&texts(|at| format!("{:02}/04/2025", at % 28 + 1), &[20]));
    assert_eq!(field.format.map(String::from).as_deref(), Some("%d/%m/%Y"));
    assert!(notes[0].contains("299 of its first 300 values are times in %d/%m/%Y"), "{notes:?}");
    assert_eq!(of(&texts(iso, &[7])[..99]).0.kind, FieldKind::Text, "one of 99 is too much");
}

#[test]
fn a_time_without_a_format_gets_one() {
    let format = |texts: &[&str]| time_format("x", texts.iter().copied()).map(String::from);
    assert_eq!(format(&["", "03/04/2025", "25/04/2025"]).as_deref(), Some("%d/%m/%Y"));
    assert_eq!(
        (format(&["2025-04-25"]), format(&["25/04/2025", "04/25/2025"]), format(&[])),
        (None, None, None)
    );
}

#[test]
fn a_kind_fits_all_texts_of_a_field() {
    check("x", &["1", "-20", "0", "9223372036854775807"], FieldKind::Int);
    check("x", &["1", "2.5", "-1e9", ".5"], FieldKind::Float);
    check("x", &["9223372036854775808", "1"], FieldKind::Text);
    check("x", &["1", "two"], FieldKind::Text);
    check("x", &["1", "NA", ""], FieldKind::Int);
    check("x", &["NA", ""], FieldKind::Text);
    check("x", &["inf", "1"], FieldKind::Text);
    check("zip", &["01234", "98765"], FieldKind::Text);
    check("x", &["true", "false"], FieldKind::Bool);
    check("x", &["true", "1"], FieldKind::Text);
    check("x", &[], FieldKind::Text);
}

#[test]
fn dates_are_always_times_and_numbers_only_under_a_time_like_name() {
    check("x", &["2019-05-28T00:04:34.000Z", "2019-05-28"], FieldKind::Time);
    check("x", &["2019-05-28 00:04:34+02:00"], FieldKind::Time);
    check("x", &["1559001874"], FieldKind::Int);
    check("x", &["1559001874", "1559001901", "1559001950", "1559002000"], FieldKind::Time);
    check("x", &["964982703.25", "964982804.5", "1064982900.75"], FieldKind::Time);
    check("x", &["1559001874", "1559001875", "1559001876", "1559001877"], FieldKind::Int);
    check("x", &["1559001950", "1559001901", "1559001874", "1559002000"], FieldKind::Int);
    check("order", &["202300001", "202300002", "202300003", "202300005"], FieldKind::Int);
    check("timestamp", &["1134137621", "964982703"], FieldKind::Time);
    check("ts", &["1710273600000000000", "1710273601000000000"], FieldKind::Time);
    check("timestamp", &["1710273600.25", "1710273601.5"], FieldKind::Time);
    check("timestamp", &["3.5", "1.25"], FieldKind::Float);
    check("event_time", &["1559001874", "1559001875"], FieldKind::Time);
    check("created_at", &["1559001874000"], FieldKind::Time);
    check("date", &["19970101", "19970112"], FieldKind::Time);
    check("date", &["19970101", "19971341"], FieldKind::Int);
    check("time_spent", &["12", "900"], FieldKind::Int);
    check("epoch", &["1559001874"], FieldKind::Time);
    check("x", &["28/05/2019"], FieldKind::Time);
}

#[test]
fn lists_of_names_with_operators_are_facets() {
    check("x", &["brand:Apple|color:Black", "brand:Sony|color:Red"], FieldKind::Facets);
    check("x", &[r#"["brand:Apple"]"#, r#"["color:Red", "size:10"]"#], FieldKind::Facets);
    check("x", &["brand:Apple", "brand:Sony|color:Red", "size:10"], FieldKind::Facets);
    check("x", &["brand:Apple", "brand:Sony"], FieldKind::Text);
    check("x", &["12:30", "13:45"], FieldKind::Text);
    check("x", &["http://a|http://b"], FieldKind::Text);
    check("x", &[r#"["a", "b"]"#], FieldKind::Json);
    check("x", &[r#"{"a": [1, 2]}"#, "[]"], FieldKind::Json);
    check("x", &["{a}"], FieldKind::Text);
    check("x", &["[1] note"], FieldKind::Text);
}

#[test]
fn kinds_depend_on_the_first_thousand_records_only() {
    let mut texts = vec!["1"; 1_000];
    texts.push("not a number");
    check("x", &texts, FieldKind::Int);
    texts.swap(999, 1_000);
    check("x", &texts, FieldKind::Text);
}

#[test]
fn one_facet_without_a_separator_is_a_facet_of_an_event() {
    let kinds = |names: [&str; 4], texts: [&str; 4]| {
        let mut events = Events::new(names.map(|name| Field::new(name, FieldKind::Text)).to_vec());
        let (mut detector, mut log) = (Detector::default(), Log::default());
        names.iter().for_each(|name| detector.add_field(name, Sought::Kind));
        for _ in 0..3 {
            texts.iter().enumerate().for_each(|(at, text)| detector.see(at, text, || FilePosition::START));
            events.push(&texts.map(Some)).expect("room");
            detector.end_record(&mut events, &mut log);
        }
        detector.decide(&mut events, &mut log);
        events.fields()[3].kind
    };
    let texts = ["ada", "click", "home", "brand:Apple"];
    assert_eq!(kinds(["user", "event_type", "eventName", "about"], texts), FieldKind::Facets);
    assert_eq!(kinds(["user", "event_type", "page", "about"], texts), FieldKind::Text);
    let url = ["ada", "click", "home", "https://example.com"];
    assert_eq!(kinds(["user", "event_type", "event_name", "about"], url), FieldKind::Text);
}

#[test]
fn digits_of_a_day_and_a_time_of_day_are_a_time() {
    let read = |texts: &[&str]| {
        let field = detected("COLLECTED", texts).0;
        (field.kind, field.format.map(String::from))
    };
    let format = |text: &str| Some(text.to_owned());
    assert_eq!(read(&["202403040600", "202312312359"]), (FieldKind::Time, format("%Y%m%d%H%M")));
    assert_eq!(read(&["20240304101601", "19990101000000"]), (FieldKind::Time, format("%Y%m%d%H%M%S")));
    assert_eq!(read(&["202403040600", "202313010000"]), (FieldKind::Int, None), "there is no month 13");
    assert_eq!(read(&["202403040600", "20240304101601"]), (FieldKind::Int, None), "two lengths");
}
