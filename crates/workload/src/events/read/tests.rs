use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;
use tabletop_keys::FieldKind;

pub(in crate::events) fn own(format: Format, on_bad_line: OnBadLine) -> OwnData {
    OwnData {
        name: "pasted".into(),
        format,
        fields: Vec::new(),
        on_bad_line,
        reading: Default::default(),
        content: None,
    }
}

/// A file of which everything is detected, and whose bad lines are skipped.
pub(in crate::events) fn detected() -> OwnData {
    own(Format::Detect, OnBadLine::Skip)
}

/// Returns the events of a file, and its number of bad lines.
pub(in crate::events) fn events_of(own: &OwnData, text: &str) -> (Events, u64) {
    let (mut reader, mut events) = (Reader::new(own), Events::default());
    reader.feed(text.as_bytes(), true, &mut events).unwrap();
    (events, reader.bad_lines())
}

/// Reads `text` in one slice and compares the result: fields with kinds, events, problems, the
/// error.
pub(in crate::events) fn check(text: impl AsRef<[u8]>, expected: Expect) {
    check_with(&detected(), text, expected);
}

pub(in crate::events) fn check_with(own: &OwnData, text: impl AsRef<[u8]>, expected: Expect) {
    let text = text.as_ref();
    expected.assert_eq(&read(own, &[text], RECORD_BYTES_MAX));
}

/// Returns the result of reading a file in these slices, as text.
fn read(own: &OwnData, slices: &[&[u8]], record_bytes_max: usize) -> String {
    let mut reader = Reader::new(own);
    reader.record_bytes_max = record_bytes_max;
    let mut events = Events::default();
    let mut outcome = Ok(());
    for (index, slice) in slices.iter().enumerate() {
        outcome = reader.feed(slice, index + 1 == slices.len(), &mut events);
        if outcome.is_err() {
            break;
        }
    }
    let mut out = String::new();
    let fields =
        events.fields().iter().map(|field| format!("{} {:?}", field.name, field.kind)).collect::<Vec<_>>();
    out += &format!("[{}]\n", fields.join(", "));
    let mut values = Vec::new();
    for index in 0..events.len() {
        events.record(index, &mut values);
        let values = values
            .iter()
            .map(|value| value.map_or("-".into(), |text| format!("{text:?}")))
            .collect::<Vec<_>>();
        out += &format!("{}\n", values.join(" "));
    }
    for LoadProblem { line, column, message, .. } in reader.problems() {
        out += &format!("{line}:{column} {message}\n");
    }
    if reader.bad_lines() > 0 {
        out += &format!("bad lines: {}\n", reader.bad_lines());
    }
    if let Err(error) = outcome {
        out += &format!("{:?}: {error}\n", error.code);
        assert_eq!(reader.feed(b"", true, &mut events), Err(error));
    }
    out
}

#[test]
fn events_may_be_removed_while_the_file_is_read() {
    let mut reader = Reader::new(&own(Format::Csv, OnBadLine::Stop));
    let mut events = Events::default();
    reader.feed(b"a,b\n1,2\n", false, &mut events).unwrap();
    assert_eq!(events.len(), 1);
    let mut events = Events::new(events.fields().to_vec());
    reader.feed(b"", true, &mut events).unwrap();
    assert_eq!(reader.problems(), []);
}

#[test]
fn a_file_without_a_record() {
    check(
        "",
        expect![[r#"
        []
        1:1 The file is empty.
    "#]],
    );
    check(
        "\u{feff}\r\n \n",
        expect![[r#"
        []
        3:1 The file is empty.
    "#]],
    );
    check(
        "a,b\n",
        expect![[r#"
        [a Text, b Text]
        2:1 There is a header line and no record below it.
    "#]],
    );
    check(
        "[]",
        expect![[r#"
        []
    "#]],
    );
}

#[test]
fn a_file_that_is_not_a_text_is_refused() {
    check(
        b"PK\x03\x04....",
        expect![[r#"
        []
        InvalidArgument: The file is a ZIP archive or a spreadsheet: unpack it, or save the sheet as CSV.
    "#]],
    );
    check(
        b"\x28\xb5\x2f\xfd....",
        expect![[r#"
        []
        InvalidArgument: The file is compressed with Zstandard: unpack it first.
    "#]],
    );
    check(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        expect![[r#"
        []
        InvalidArgument: Line 1, column 1: This is not UTF-8: choose the encoding of the file, or save it as UTF-8. The load stopped there.
    "#]],
    );
}

#[test]
fn a_bad_line_stops_the_load_if_the_settings_say_so() {
    let stop = own(Format::Detect, OnBadLine::Stop);
    check_with(
        &stop,
        "a,b\n1,2\n3\n4,5\n",
        expect![[r#"
            [a Int, b Int]
            "1" "2"
            3:2 This line has 1 column and the header 2: add or remove delimiters, or quote the cell.
            bad lines: 1
            InvalidArgument: Line 3, column 2: This line has 1 column and the header 2: add or remove delimiters, or quote the cell. The load stopped there.
        "#]],
    );
    check_with(
        &stop,
        "{\"a\": 1}\n{\"a\": nope}\n{\"a\": 2}",
        expect![[r#"
        [a Int]
        "1"
        2:7 This is not a JSON value: strings need double quotes.
        bad lines: 1
        InvalidArgument: Line 2, column 7: This is not a JSON value: strings need double quotes. The load stopped there.
    "#]],
    );
}

#[test]
fn only_the_first_hundred_problems_are_stored() {
    let mut reader = Reader::new(&own(Format::Csv, OnBadLine::Skip));
    let mut events = Events::default();
    let text = "a,b\n".to_owned() + &"1\n".repeat(250) + "1,2\n";
    reader.feed(text.as_bytes(), true, &mut events).unwrap();
    assert_eq!((reader.problems().len(), reader.bad_lines(), events.len()), (100, 250, 1));
    assert_eq!((reader.problems()[99].line, reader.bytes()), (101, text.len() as u64));
    assert_eq!(reader.feed(b"", true, &mut events).unwrap_err().code, Code::FailedPrecondition);
}

#[test]
fn corrected_fields_stay_corrected_when_the_file_is_read_again() {
    let field = |name: &str, kind| Field::new(name, kind);
    let fields = vec![field("code", FieldKind::Text), field("b", FieldKind::Float)];
    let given = OwnData { fields: fields.clone(), ..own(Format::Detect, OnBadLine::Skip) };
    check_with(
        &given,
        "a,b\n1,2\n",
        expect![[r#"
        [code Text, b Float]
        "1" "2"
    "#]],
    );
    // The columns differ from before: fields are matched by name.
    check_with(
        &given,
        "b,c,code\n1,2,3\n",
        expect![[r#"
        [b Float, c Int, code Text]
        "1" "2" "3"
    "#]],
    );
    check_with(
        &given,
        r#"{"a":1,"b":2,"c":3}"#,
        expect![[r#"
        [code Text, b Float, c Int]
        "1" "2" "3"
    "#]],
    );
    check_with(
        &given,
        r#"{"b":2,"code":1}"#,
        expect![[r#"
        [code Text, b Float]
        "1" "2"
    "#]],
    );
}

#[test]
fn kinds_are_settled_by_the_first_thousand_records_and_late_fields_at_the_end() {
    let mut reader = Reader::new(&own(Format::Detect, OnBadLine::Skip));
    let mut events = Events::default();
    for record in 0..1_000 {
        assert!(!reader.is_settled(), "{record}");
        reader.feed(format!("{{\"n\": {record}}}\n").as_bytes(), false, &mut events).unwrap();
    }
    assert!(reader.is_settled());
    assert_eq!(events.fields()[0].kind, FieldKind::Int);
    reader.feed(b"{\"n\": 0.5, \"late\": true}\n", false, &mut events).unwrap();
    assert_eq!(events.fields()[1], Field::new("late", FieldKind::Text));
    reader.feed(b"", true, &mut events).unwrap();
    assert_eq!([events.fields()[0].kind, events.fields()[1].kind], [FieldKind::Int, FieldKind::Bool]);
}

#[test]
fn given_kinds_are_settled_with_the_header_and_a_time_with_its_first_value() {
    let mut reader = Reader::new(&crate::sample("weather").unwrap().own);
    let mut events = Events::default();
    reader.feed(b"time,pressure,temperature,wind\n", false, &mut events).unwrap();
    assert!(!reader.is_settled(), "the time may need a format");
    reader.feed(b"2010-01-01T00:00:00Z,1,2,3\n", false, &mut events).unwrap();
    assert!(reader.is_settled());
    let fields = vec![Field::new("a", FieldKind::Text), Field::new("b", FieldKind::Int)];
    let mut reader = Reader::new(&OwnData { fields, ..own(Format::Csv, OnBadLine::Skip) });
    reader.feed(b"a,", false, &mut Events::default()).unwrap();
    assert!(!reader.is_settled());
    reader.feed(b"b\n", false, &mut Events::default()).unwrap();
    assert!(reader.is_settled());
}

#[test]
fn a_record_that_is_too_long_is_one_bad_line() {
    let own = own(Format::Detect, OnBadLine::Skip);
    let long = "x".repeat(100);
    let show = |text: String| read(&own, &[text.as_bytes()], 64);
    expect![[r#"
        [a Int, b Int]
        "1" "2"
        "3" "4"
        3:1 This record is longer than 0 MiB: is a line end or a bracket missing?
        bad lines: 1
    "#]]
    .assert_eq(&show(format!("a,b\n1,2\n{long},9\n3,4\n")));
    // An unclosed quote would consume everything that follows; instead, only one line is lost.
    expect![[r#"
        [a Int, b Int]
        "1" "2"
        "3" "4"
        3:3 The quote that opens here is never closed: close it, or double it within a cell.
        bad lines: 1
    "#]]
    .assert_eq(&show(format!("a,b\n1,2\n9,\"x\n3,4\n{}", "\n".repeat(100))));
    expect![[r#"
        [a Int]
        "1"
        "2"
        2:1 This record is longer than 0 MiB: is a line end or a bracket missing?
        bad lines: 1
    "#]]
    .assert_eq(&show(format!("{{\"a\":1}}\n{{\"a\":\"{long}\"}}\n{{\"a\":2}}\n")));
    expect![[r#"
        [a Int]
        "1"
        "2"
        2:1 This record is longer than 0 MiB: is a line end or a bracket missing?
        bad lines: 1
    "#]]
    .assert_eq(&show(format!("[{{\"a\":1}},\n{{\"a\":\"{long}\"}},\n{{\"a\":2}}]")));
}

/// Pieces of files, valid and invalid.
const PARTS: &[&[u8]] = &[
    b"a,b",
    b"a;b\n",
    b"1",
    b"-2.5",
    b"\"",
    b"\"\"",
    b",",
    b",",
    b";",
    b"\t",
    b"\n",
    b"\n",
    b"\r\n",
    b"\r",
    b"\xef\xbb\xbf",
    b"\xc3\xa9",
    b"\xff",
    b"{\"a\":1}",
    b"{\"a\":",
    b"{\"b\":{\"c\":\"x\"}}",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\"a\":",
    b":",
    b"true",
    b"nul",
    b"\\",
    b"\\u00e9",
    b"\\ud83d\\ude00",
    b"{\"d\":[\"k:v\",\"k:w\"]},\n",
    b" ",
    b"0",
    b"{\"a\":2},",
    b"text with words",
    b"#",
    b"|",
    b"sep=;\n",
    b"2024-01-01",
    b"\0",
];

fn file() -> impl Strategy<Value = Vec<u8>> {
    let parts = proptest::collection::vec(proptest::sample::select(PARTS), 0..60);
    let start = proptest::sample::select(vec![
        &b""[..],
        b"x,y\n",
        b"{\"a\":1}\n",
        b"[{\"a\":1},\n",
        b"#separator ,\n#fields,x,y\n",
        b"#Fields: x y\n1 2\n",
        b"title\n\nx,y\n1,2\n",
    ]);
    (start, parts).prop_map(|(start, parts)| [start, &parts.concat()].concat())
}

fn cut<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    ends.extend([0, bytes.len()]);
    ends.sort_unstable();
    ends.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn events_do_not_depend_on_slices(
        bytes in file(),
        cuts in proptest::collection::vec(any::<usize>(), 0..20),
        record_bytes_max in prop_oneof![Just(RECORD_BYTES_MAX), 1usize..60],
        format in proptest::sample::select(vec![Format::Detect, Format::Csv, Format::JsonLines]),
        on_bad_line in proptest::sample::select(vec![OnBadLine::Skip, OnBadLine::Skip, OnBadLine::Stop]),
    ) {
        let own = own(format, on_bad_line);
        let whole = read(&own, &[&bytes], record_bytes_max);
        prop_assert_eq!(&read(&own, &cut(&bytes, &cuts), record_bytes_max), &whole);
        let single: Vec<&[u8]> = bytes.chunks(1).chain([&b""[..]]).collect();
        prop_assert_eq!(&read(&own, &single, record_bytes_max), &whole);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(
        start in proptest::sample::select(vec![&b""[..], b"a,b\n", b"{", b"[{"]),
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        read(&own(Format::Detect, OnBadLine::Skip), &[start, &bytes], RECORD_BYTES_MAX);
    }

    #[test]
    fn written_csv_is_read_back(
        rows in proptest::collection::vec(proptest::collection::vec("[a-z\"\n\r,;é ]{0,6}", 3), 0..20),
        delimiter in proptest::sample::select(vec![",", ";", "\t"]),
        line_end in proptest::sample::select(vec!["\n", "\r\n", "\r"]),
    ) {
        let mut text = ["x", "y", "z"].join(delimiter) + line_end;
        for row in &rows {
            let cells: Vec<String> = row.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
            text += &(cells.join(delimiter) + line_end);
        }
        let mut reader = Reader::new(&own(Format::Csv, OnBadLine::Stop));
        let mut events = Events::default();
        reader.feed(text.as_bytes(), true, &mut events).unwrap();
        prop_assert_eq!(events.len(), rows.len());
        let mut values = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            events.record(index, &mut values);
            prop_assert_eq!(&values, &row.iter().map(|cell| Some(cell.as_str())).collect::<Vec<_>>());
        }
    }

    #[test]
    fn written_json_is_read_back(
        rows in proptest::collection::vec(any::<(String, i64, Option<bool>)>(), 0..20),
        is_array in any::<bool>(),
        ascii in any::<bool>(),
    ) {
        let quoted = |text: &str| {
            let units = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect::<String>();
            let escape = |c: char| match c {
                '"' | '\\' => format!("\\{c}"),
                '\u{0}'..='\u{1f}' => units(c),
                '\u{80}'.. if ascii => units(c),
                _ => c.to_string(),
            };
            format!("\"{}\"", text.chars().map(escape).collect::<String>())
        };
        let objects: Vec<String> = rows
            .iter()
            .map(|(text, number, flag)| {
                let flag = flag.map_or("null".into(), |flag| flag.to_string());
                format!("{{ \"text\" : {}, \"in\\u006eer\": {{\"number\":{number}}},\"flag\":{flag} }}", quoted(text))
            })
            .collect();
        let text = if is_array { format!("[{}]", objects.join(" ,\n\n")) } else { objects.join("\n") };
        let mut reader = Reader::new(&own(Format::JsonLines, OnBadLine::Stop));
        let mut events = Events::default();
        reader.feed(text.as_bytes(), true, &mut events).unwrap();
        prop_assert_eq!(events.len(), rows.len());
        let mut values = Vec::new();
        for (index, (text, number, flag)) in rows.iter().enumerate() {
            events.record(index, &mut values);
            let number = number.to_string();
            let flag = flag.map(|flag| flag.to_string());
            let record = tabletop_keys::Record { fields: events.fields(), values: &values };
            prop_assert_eq!(
                [record.get("text"), record.get("inner.number"), record.get("flag")],
                [Some(text.as_str()), Some(&number), flag.as_deref()]
            );
        }
    }
}

/// Returns the fields with their time formats, the messages, and the number of bad lines.
fn read_times(text: &str, times: Vec<(String, DateFormat)>) -> (Vec<String>, Vec<String>, u64) {
    let mut reader = Reader::new(&own(Format::Detect, OnBadLine::Skip)).with_times(times);
    let mut events = Events::default();
    reader.feed(text.as_bytes(), true, &mut events).expect("a file that can be read");
    let field = |field: &Field| match &field.format {
        Some(format) => format!("{} {}", field.name, format.as_str()),
        None => format!("{} {:?}", field.name, field.kind),
    };
    let problems = reader
        .problems()
        .iter()
        .map(|problem| format!("{}:{} {}", problem.line, problem.column, problem.message))
        .collect();
    (events.fields().iter().map(field).collect(), problems, reader.bad_lines())
}

#[test]
fn a_csv_with_dates_of_many_countries() {
    let csv = "uk,us,de,iso,sv,text,unix,log\n\
        25/04/2025 02:02,4/25/2025 2:02 PM,25.04.2025,2025-04-25,2025/04/25,25 Apr 2025,1745546520,25/Apr/2025:02:02:00 +0000\n\
        03/04/2025 02:02,4/3/2025 2:02 AM,03.04.2025,2025-04-03,2025/04/03,3 April 2025,1743645720,03/Apr/2025:02:02:00 +0000\n";
    let (fields, problems, bad_lines) = read_times(csv, Vec::new());
    let expected = [
        "uk %d/%m/%Y %H:%M",
        "us %m/%d/%Y %I:%M %p",
        "de %d.%m.%Y",
        "iso Time",
        "sv %Y/%m/%d",
        "text %d %b %Y",
        "unix Time",
        "log %d/%b/%Y:%H:%M:%S %z",
    ];
    assert_eq!((fields, problems, bad_lines), (expected.map(String::from).to_vec(), vec![], 0));
}

#[test]
fn an_ambiguous_date_is_reported_with_its_position() {
    let json = "{\"user\": \"ada\", \"at\": \"03/04/2025\"}\n{\"user\": \"eve\", \"at\": \"05/04/2025\"}\n";
    let (fields, problems, _) = read_times(json, Vec::new());
    assert_eq!(fields, ["user Text", "at %d/%m/%Y"]);
    assert!(
        problems[0].starts_with("1:24 at: \"03/04/2025\" can be read as %d/%m/%Y and as %m/%d/%Y"),
        "{problems:?}"
    );
}

#[test]
fn a_given_time_without_a_format_gets_the_detected_one() {
    let fields = vec![Field::new("user", FieldKind::Text), Field::new("at", FieldKind::Time)];
    let mut reader = Reader::new(&OwnData { fields: fields.clone(), ..own(Format::Csv, OnBadLine::Skip) });
    let mut events = Events::default();
    reader
        .feed(b"user,at\nada,25/04/2025\neve,\nbob,03/04/2025\n", true, &mut events)
        .expect("a file that can be read");
    let format = DateFormat::new("%d/%m/%Y").unwrap();
    let detected = vec![fields[0].clone(), Field { format: Some(format), ..fields[1].clone() }];
    assert_eq!((events.fields(), reader.problems()), (detected.as_slice(), [].as_slice()));
    assert_eq!(events.with_time_formats(fields), detected);
}

#[test]
fn a_given_format_is_used_and_other_times_are_reported() {
    let us = vec![("at".to_owned(), DateFormat::new("%m/%d/%Y").unwrap())];
    let csv = "user,at\nada,03/04/2025\neve,\nbob,25/04/2025\n";
    let (fields, problems, bad_lines) = read_times(csv, us);
    assert_eq!((fields[1].as_str(), bad_lines), ("at %m/%d/%Y", 0));
    assert_eq!(problems, ["4:5 at is \"25/04/2025\" here; a time in the format %m/%d/%Y is expected."]);
}
