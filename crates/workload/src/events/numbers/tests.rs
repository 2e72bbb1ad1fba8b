use tabletop_keys::FieldKind;
use tabletop_workspace::{Format, NumberReading, OnBadLine, OwnData, Reading};

use super::*;
use crate::events::{Events, Reader};

#[test]
fn a_number_is_read_with_either_mark() {
    let read = |text: &str| {
        [DecimalMark::Point, DecimalMark::Comma].map(|mark| plain(text, mark).unwrap_or_default()).join("|")
    };
    for (text, expected) in [
        ("12,5", "|12.5"),
        ("1.234,56", "|1234.56"),
        ("1,234.50", "1234.50|"),
        ("1,234", "1234|1.234"),
        ("1.234", "1.234|1234"),
        ("1.234.567", "|1234567"),
        ("12,34,567.5", "1234567.5|"),
        ("1 234,5", "|1234.5"),
        ("1\u{a0}234\u{a0}567", "1234567|1234567"),
        ("1\u{202f}234,5", "|1234.5"),
        ("1'234.50", "1234.50|"),
        ("1’234’567", "1234567|1234567"),
        ("-1.234,5", "|-1234.5"),
        ("\u{2212}1,5", "|-1.5"),
        ("1.234,50-", "|-1234.50"),
        ("+1,5", "|1.5"),
        (",5", "|0.5"),
        ("1,5E+3", "|1.5e+3"),
        (" 7 ", "7|7"),
        ("0,250", "|0.250"),
        // Codes, lists, dates, addresses and telephone numbers.
        ("007", "|"),
        ("0.123.456", "|"),
        ("1,23,4", "|"),
        ("1,2,3", "|"),
        ("12.34.5678", "|"),
        ("192.168.0.1", "|"),
        ("+491701234567", "|"),
        ("+49 170 123", "|"),
        ("1 23", "|"),
        ("1,", "|"),
        ("", "|"),
        ("-", "|"),
        (",", "|"),
        ("e5", "|"),
        ("1e", "|"),
        ("--1", "|"),
        ("inf", "|"),
    ] {
        assert_eq!(read(text), expected, "{text:?}");
    }
}

/// Reads a CSV file. Returns its events and the notes about it.
fn csv(text: &str, numbers: NumberReading) -> (Events, Vec<String>) {
    let reading = Reading { numbers, ..Reading::default() };
    let own = OwnData {
        name: "a.csv".into(),
        format: Format::Csv,
        fields: Vec::new(),
        on_bad_line: OnBadLine::Skip,
        reading,
        content: None,
    };
    let mut events = Events::default();
    let mut reader = Reader::new(&own);
    reader.feed(text.as_bytes(), true, &mut events).expect("a file");
    (events, reader.problems().iter().map(|problem| problem.message.clone()).collect())
}

/// Returns the kind and the first value of each field.
fn first(events: &Events) -> Vec<(FieldKind, &str)> {
    let fields = events.fields().iter().enumerate();
    fields.map(|(at, field)| (field.kind, events.value(0, at).unwrap_or_default())).collect()
}

#[test]
fn columns_with_commas_are_numbers() {
    use FieldKind::{Float, Int, Text};
    let table =
        "a;b;c;d;e\n1.234,56;12,5;1'234;612 345 678;x\n7,5;3;17;711 222 333;y\n-0,5;4;1'000;722 333 444;z\n";
    let (events, notes) = csv(table, NumberReading::Detect);
    let expected = [(Float, "1234.56"), (Float, "12.5"), (Int, "1234"), (Text, "612 345 678"), (Text, "x")];
    assert_eq!(first(&events), expected);
    let expected = [
        "a is read as numbers with a decimal comma: \"1.234,56\" is 1234.56.",
        "b is read as numbers with a decimal comma: \"12,5\" is 12.5.",
        "c is read as numbers with separators of thousands: \"1'234\" is 1234.",
    ];
    assert_eq!(notes, expected);
    let (events, _) = csv(table, NumberReading::AsWritten);
    assert_eq!(first(&events)[..2], [(Text, "1.234,56"), (Text, "12,5")]);
}

#[test]
fn what_can_have_either_mark_is_said_and_can_be_chosen() {
    use FieldKind::{Float, Int};
    let table = "n,x\n\"1,234\",1\n\"2,345\",2\n999,3\n";
    let (events, notes) = csv(table, NumberReading::Detect);
    assert_eq!(first(&events)[0], (Int, "1234"));
    let expected = "n: \"1,234\" is read as 1234, and can mean 1.234: no value of this field settles it. If it is wrong, choose how numbers are written.";
    assert_eq!(notes, [expected]);
    assert_eq!(first(&csv(table, NumberReading::Comma).0)[0], (Float, "1.234"));
    assert_eq!(first(&csv(table, NumberReading::Point).0)[0], (Int, "1234"));
    // Another value, another column, or the delimiter decides.
    assert_eq!(first(&csv("n,x\n\"1,234\",1\n\"0,345\",2\n", NumberReading::Detect).0)[0], (Float, "1.234"));
    let other = "n,x\n\"1,234\",\"1,5\"\n\"2,345\",2\n";
    assert_eq!(first(&csv(other, NumberReading::Detect).0)[0], (Float, "1.234"));
    let (events, notes) = csv("n;x\n1,234;a\n2,345;b\n", NumberReading::Detect);
    assert_eq!((first(&events)[0], notes.len()), ((Float, "1.234"), 1));
}

#[test]
fn points_are_thousands_only_in_files_with_decimal_commas() {
    use FieldKind::{Float, Int};
    let (events, notes) = csv("n,x\n1.234,a\n2.345,b\n", NumberReading::Detect);
    assert_eq!((first(&events)[0], notes.len()), ((Float, "1.234"), 0));
    let (events, notes) = csv("city;people\nKiel;247.548\nBonn;330.579\n", NumberReading::Detect);
    assert_eq!((first(&events)[1], notes.len()), ((Float, "247.548"), 1), "a note says so");
    let (events, _) = csv("city;people\nKiel;247.548\nBonn;330.579\n", NumberReading::Comma);
    assert_eq!(first(&events)[1], (Int, "247548"));
    let (events, notes) = csv("share;people\n1,5;247.548\n2,25;330.579\n", NumberReading::Detect);
    assert_eq!((first(&events)[1], notes.len()), ((Int, "247548"), 2));
}

#[test]
fn a_value_after_the_first_thousand_still_decides() {
    let rows: String = (1..5_000).map(|n| format!("{n};{}\n", ["1,234", "9,125"][n % 2])).collect();
    let (events, _) = csv(&format!("n;kg\n{rows}"), NumberReading::Point);
    assert_eq!(events.value(0, 1), Some("9125"));
    let rows = rows.replace(';', "\t");
    let (events, notes) = csv(&format!("n\tkg\n{rows}5000\t12,5\n"), NumberReading::Detect);
    assert_eq!((events.fields()[1].kind, events.value(0, 1)), (FieldKind::Float, Some("9.125")));
    assert_eq!(notes, ["kg is read as numbers with a decimal comma: \"9,125\" is 9.125."]);
    // Numbers below a thousand have no separators.
    let rows: String =
        (0..3_000).map(|n| format!("{}\t{n}\n", crate::events::numbers::tests::grouped(n))).collect();
    let (events, _) = csv(&format!("n\tm\n{rows}"), NumberReading::Detect);
    assert_eq!((events.fields()[0].kind, events.value(2_500, 0)), (FieldKind::Int, Some("2500")));
}

/// Writes a number with commas.
fn grouped(number: usize) -> String {
    tabletop_keys::thousands(number as u64)
}

#[test]
fn a_column_with_both_marks_is_text_and_says_so() {
    let (events, notes) = csv("n\tm\n1.234,50\t1\n1,234.50\t2\n", NumberReading::Detect);
    assert_eq!(first(&events)[0], (FieldKind::Text, "1.234,50"));
    assert_eq!(notes.len(), 1, "{notes:?}");
    let many: String = (0..1_200).map(|n| format!("{n},5\t1\n")).collect();
    let (events, notes) = csv(&format!("n\tm\n{many}1.5\t2\n"), NumberReading::Detect);
    assert_eq!(events.value(1_200, 0), Some("1.5"));
    assert_eq!(notes[1], "n is \"1.5\" here; a number with a decimal comma is expected, as before.");
}

#[test]
fn percentages_and_amounts_of_money_are_numbers() {
    let read = |text: &str| {
        [DecimalMark::Point, DecimalMark::Comma].map(|mark| plain(text, mark).unwrap_or_default()).join("|")
    };
    for (text, expected) in [
        ("12.5%", "12.5|"),
        ("-3 %", "-3|-3"),
        ("$1,234.50", "1234.50|"),
        ("-$5.25", "-5.25|"),
        ("$-5.25", "-5.25|"),
        ("1.234,50 \u{20ac}", "|1234.50"),
        ("1.234,50\u{a0}\u{20ac}", "|1234.50"),
        ("EUR 12", "12|12"),
        ("12,5 EUR", "|12.5"),
        ("(12.50)", "-12.50|"),
        ("($1,234.50)", "-1234.50|"),
        ("$ (12.50)", "-12.50|"),
        (" $-   ", "0|0"),
        ("US$ 7", "7|7"),
        ("+2.5%", "2.5|"),
        // Codes, and what is not one number.
        ("CAD12", "|"),
        ("(-5)", "|"),
        ("-(5)", "|"),
        ("-$-5", "|"),
        ("$", "|"),
        ("%", "|"),
        ("()", "|"),
        ("5%%", "|"),
        ("5 % of 7", "|"),
        ("$5 \u{20ac}", "|"),
        ("007%", "|"),
    ] {
        assert_eq!(read(text), expected, "{text:?}");
    }
}

/// Returns the kind and the texts of the only field of a file, and the notes about it.
fn column(texts: &[&str]) -> (FieldKind, Vec<String>, Vec<String>) {
    let lines: Vec<String> = texts.iter().map(|text| format!("x,\"{text}\"\n")).collect();
    let (events, notes) = csv(&["name,n\n", &lines.concat()].concat(), NumberReading::Detect);
    let values = (0..events.len()).map(|at| events.value(at, 1).unwrap_or_default().to_owned()).collect();
    (events.fields()[1].kind, values, notes)
}

#[test]
fn a_column_with_one_unit_has_numbers_in_it() {
    let (kind, texts, notes) = column(&["12.5%", "7%", "0", ""]);
    assert_eq!((kind, texts.join(" ")), (FieldKind::Float, "12.5 7 0 ".to_owned()));
    assert_eq!(notes, ["n is read as numbers in %: \"12.5%\" is 12.5."]);
    let (kind, texts, notes) = column(&["EUR 12", "EUR 15"]);
    assert_eq!((kind, texts.join(" ")), (FieldKind::Int, "12 15".to_owned()));
    assert_eq!(notes, ["n is read as numbers in EUR: \"EUR 12\" is 12."]);
    let (kind, texts, notes) = column(&["12.50", "(3.00)"]);
    assert_eq!((kind, texts.join(" ")), (FieldKind::Float, "12.50 -3.00".to_owned()));
    assert_eq!(notes, ["n is read as numbers with negative ones in parentheses: \"(3.00)\" is -3.00."]);
    // Money has no three decimals.
    let (kind, texts, notes) = column(&["1.234 \u{20ac}", "12 \u{20ac}"]);
    assert_eq!((kind, texts.join(" ")), (FieldKind::Int, "1234 12".to_owned()));
    assert!(notes[0].contains("can mean 1.234"), "{notes:?}");
}

#[test]
fn a_column_with_several_units_is_text_and_says_so() {
    let (kind, texts, notes) = column(&["$5", "7 \u{20ac}", "$6"]);
    assert_eq!((kind, texts.join("|")), (FieldKind::Text, "$5|7 \u{20ac}|$6".to_owned()));
    assert_eq!(
        notes,
        ["n has numbers in several units, such as \"$5\" and \"7 \u{20ac}\": the field is read as text."]
    );
    assert_eq!(column(&["5", "7%"]).0, FieldKind::Text);
    // Numbers of footnotes, and codes.
    assert_eq!(column(&["(1)", "(2)"]), (FieldKind::Text, vec!["(1)".into(), "(2)".into()], vec![]));
    assert_eq!(column(&["$5", "five"]), (FieldKind::Text, vec!["$5".into(), "five".into()], vec![]));
}

#[test]
fn another_unit_after_the_first_thousand_stays_and_is_said() {
    for (usual, other, expected) in [
        (
            "$5.50",
            "7.25 \u{20ac}",
            "n is \"7.25 \u{20ac}\" here; a number in $ is expected, as before. The text stays as it is.",
        ),
        (
            "5.50",
            "7.25%",
            "n is \"7.25%\" here; a number without a unit is expected, as before. The text stays as it is.",
        ),
    ] {
        let mut texts = vec![usual; 1_500];
        texts.push(other);
        let (kind, texts, notes) = column(&texts);
        assert_eq!((kind, &texts[1_499][..], &texts[1_500][..]), (FieldKind::Float, "5.50", other));
        assert_eq!(notes.last().map(String::as_str), Some(expected), "{notes:?}");
    }
}

#[test]
fn an_amount_is_no_time_whatever_its_name() {
    let (events, _) = csv("date_value,n\n20240101 \u{20ac},1\n20240102 \u{20ac},2\n", NumberReading::Detect);
    assert_eq!(events.fields()[0].kind, FieldKind::Int);
}
