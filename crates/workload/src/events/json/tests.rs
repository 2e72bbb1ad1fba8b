use super::super::output::FIELDS_MAX as MAX;
use super::super::read::tests::check;
use super::*;
use expect_test::expect;

#[test]
fn objects_within_objects_are_flattened_and_arrays_stay() {
    check(
        r#"{"id": 7, "user": {"name": "Ann", "age": null, "tags": [1, {"x": "}"}], "none": {}}, "ok": true, "f": ["a:b", "c:d"]}"#,
        expect![[r#"
            [id Int, user.name Text, user.tags Json, user.none Json, ok Bool, f Facets]
            "7" "Ann" "[1, {\"x\": \"}\"}]" "{}" "true" "[\"a:b\", \"c:d\"]"
        "#]],
    );
}

#[test]
fn escapes_of_strings_are_decoded() {
    check(
        r#"{"a": "\"\\\/\b\f\n\r\t", "\u00e9": "\ud83d\ude00 \u0041\\u0041", "": ""}"#,
        expect![[r#"
        [a Text, é Text, field Text]
        "\"\\/\u{8}\u{c}\n\r\t" "😀 A\\u0041" ""
    "#]],
    );
}

#[test]
fn a_new_name_is_a_new_field_and_the_last_of_a_name_counts() {
    check(
        "{\"a\": 1}\n\n{\"b\": 2, \"a\": 3}\r\n{\"a\": 4, \"a\": 5}\n{}\n{\"a\": {\"b\": 6}}\n{\"a.b\": 7}",
        expect![[r#"
        [a Int, b Int, a.b Int]
        "1" - -
        "3" "2" -
        "5" - -
        - - -
        - - "6"
        - - "7"
    "#]],
    );
}

#[test]
fn a_bad_line_is_reported_with_its_position_and_skipped() {
    check(
        "{\"a\": 1}\n{\"\u{e9}\": 2,}\n{\"a\": 3\n  {\"a\" 4}\n[1]\n{\"a\": 5} {\"a\": 6}\n{\"a\": 'x'}\n{\"a\": NaN}\n{\"a\": 007}\n{\"a\": \"\\x\"}\n{\"a\": \"\\ud800\"}\n{\"a\": \"\t\"}\n{\"a\": tru}\n{\"a\":}\nx\n{\"a\": 8}",
        expect![[r#"
            [a Int]
            "1"
            "5"
            "6"
            "8"
            2:9 There must be no comma before the closing brace.
            3:8 The object does not end on its line, and the lines after it do not continue it: a brace or a quote is missing.
            4:8 `:` (a colon after the name) is expected here.
            5:1 An object (`{`) is expected at the start of each line.
            7:7 A string needs double quotes.
            8:7 NaN and Infinity are not JSON: write null.
            9:7 A number has no leading zeros: write a code as a string.
            10:8 This is not a JSON escape: a backslash itself is written twice.
            11:8 This is half of a character beyond \uffff: both halves must be adjacent.
            12:8 A control character within a string is written \u0009.
            13:7 This is not a JSON value: strings need double quotes.
            14:6 A value is missing here.
            15:1 An object (`{`) is expected at the start of each line.
            bad lines: 13
        "#]],
    );
    check(
        b"{\"a\": 1}\n{\"a\": \"\xc3\xa9\xff\"}\n{\"\xff\": 3}",
        expect![[r#"
            [a Text, ÿ Int]
            "1" -
            "Ã©ÿ" -
            - "3"
            2:8 The file is read as Windows-1252, because the byte 0xff is not UTF-8: choose the encoding of the file if texts look wrong.
        "#]],
    );
}

#[test]
fn an_array_of_objects_on_one_line_or_on_many() {
    check(
        "[{\"a\":1},{\"a\":2}]",
        expect![[r#"
        [a Int]
        "1"
        "2"
    "#]],
    );
    check(
        " [\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": 2\n  }\n]\n[{\"a\":3}]\n",
        expect![[r#"
        [a Int]
        "1"
        "2"
        "3"
    "#]],
    );
}

#[test]
fn a_mistake_in_an_array_costs_one_object() {
    check(
        "[{\"a\":1},{\"a\":nope},{\"a\":2}]",
        expect![[r#"
        [a Int]
        "1"
        "2"
        1:15 This is not a JSON value: strings need double quotes.
        bad lines: 1
    "#]],
    );
    check(
        "[\n{\"a\":1},\n{\"a\":\"x},\n{\"a\":2},\n{\"a\":3,\n{\"a\":4}\n]",
        expect![[r#"
            [a Int]
            "1"
            "2"
            "4"
            3:10 The line ends within a string: close its quote, or write \n for a line break.
            6:1 A name in double quotes is expected here.
            bad lines: 2
        "#]],
    );
    check(
        "[{\"a\":1},,{\"a\":2} {\"a\":3}, 7, \"x\", [8], null, {\"a\":4},]",
        expect![[r#"
            [a Int]
            "1"
            "2"
            "3"
            "4"
            1:10 An object is missing before this comma.
            1:19 A comma is missing before this object.
            1:28 Every element of the array must be an object (`{`).
            1:31 Every element of the array must be an object (`{`).
            1:36 Every element of the array must be an object (`{`).
            1:41 Every element of the array must be an object (`{`).
            1:55 There must be no comma before the closing bracket.
            bad lines: 7
        "#]],
    );
    check(
        "[{\"a\":1},\n{\"a\":2",
        expect![[r#"
        [a Int]
        "1"
        2:7 The object does not end: the file may be cut off, or a bracket is missing.
        bad lines: 1
    "#]],
    );
    check(
        "[{\"a\":1}",
        expect![[r#"
        [a Int]
        "1"
        1:9 The array does not end (`]`): the file may be cut off.
        bad lines: 1
    "#]],
    );
    check(
        "[{\"a\":1}] and more",
        expect![[r#"
        [a Int]
        "1"
        1:11 Something follows the array: everything from here on is omitted.
        bad lines: 1
    "#]],
    );
    check(
        b"[{\"a\":1},{\"a\":\"\xff\"},{\"a\":2}]",
        expect![[r#"
            [a Text]
            "1"
            "ÿ"
            "2"
            1:16 The file is read as Windows-1252, because the byte 0xff is not UTF-8: choose the encoding of the file if texts look wrong.
        "#]],
    );
}

#[test]
fn a_long_broken_object_costs_its_line() {
    let elements = "{\"x\":[1,2]},".repeat(10_000);
    check(
        format!("[{{\"a\":1,{elements}\n{{\"a\":2}}]"),
        expect![[r#"
        [a Int]
        "2"
        1:9 A name in double quotes is expected here.
        bad lines: 1
    "#]],
    );
}

#[test]
fn nesting_has_a_limit() {
    check(
        format!("{{\"a\": {}1{}}}\n{{\"a\": 2}}", "[".repeat(200), "]".repeat(200)),
        expect![[r#"
        [a Int]
        "2"
        1:134 This is nested deeper than 128 levels: flatten it.
        bad lines: 1
    "#]],
    );
    check(
        format!("{}1{}", "{\"k\":".repeat(10), "}".repeat(10)),
        expect![[r#"
        [k.k.k.k.k.k.k.k Json]
        "{\"k\":{\"k\":1}}"
    "#]],
    );
}

#[test]
fn fields_beyond_a_thousand_are_ignored() {
    let object: Vec<String> = (0..MAX + 5).map(|name| format!("\"k{name}\":{name}")).collect();
    let mut reader = super::super::Reader::new(&super::super::read::tests::own(
        tabletop_workspace::Format::Detect,
        tabletop_workspace::OnBadLine::Stop,
    ));
    let mut events = super::super::Events::default();
    reader.feed(format!("{{{}}}", object.join(",")).as_bytes(), true, &mut events).unwrap();
    assert_eq!((events.fields().len(), events.len(), reader.bad_lines()), (MAX, 1, 0));
    assert_eq!(reader.problems().len(), 1);
    assert!(reader.problems()[0].message.contains("`k1000`"), "{}", reader.problems()[0].message);
}

#[test]
fn an_array_of_strings_is_recognized() {
    assert_eq!(strings(r#" []"#.trim()), Some(vec![]));
    assert_eq!(strings(r#"[ "a" ,"\u0062\"" ]"#), Some(vec!["a".into(), "b\"".into()]));
    for other in ["[1]", "[\"a\", 1]", "{}", "[\"a\"", "[[\"a\"]]"] {
        assert_eq!(strings(other), None, "{other}");
    }
}

#[test]
fn objects_may_have_several_lines_and_several_may_be_on_one() {
    check(
        "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      1\n    ]\n  }\n}\n{\n  \"a\": 2\n}\n",
        expect![[r#"
        [a Int, b.c Json]
        "1" "[\n      1\n    ]"
        "2" -
    "#]],
    );
    check(
        "{\"a\":1}{\"a\":2} {\"a\":3}\n{\"a\":4}",
        expect![[r#"
        [a Int]
        "1"
        "2"
        "3"
        "4"
    "#]],
    );
    check(
        "{ \"a\":\n{ \"b\": 1 } }\r\n{\"a\":{\"b\":2}}",
        expect![[r#"
        [a.b Int]
        "1"
        "2"
    "#]],
    );
}

#[test]
fn a_mistake_in_an_object_of_several_lines_costs_this_object() {
    check(
        "{\n  \"a\": 1,\n  \"b\": nope,\n  \"c\": [\n    {\"d\": 1}\n  ]\n}\n{\n  \"a\": 2\n}\n",
        expect![[r#"
        [a Int]
        "2"
        3:8 This is not a JSON value: strings need double quotes.
        bad lines: 1
    "#]],
    );
    // A line that is cut off takes no other one with it.
    check(
        "{\"a\": 1\n{\"a\": 2}\n{\"a\": {\n{\"a\": 3}\n{\"a\":\n{\"a\": 4}\n",
        expect![[r#"
        [a Int]
        "2"
        "3"
        "4"
        1:8 The object does not end on its line, and the lines after it do not continue it: a brace or a quote is missing.
        3:8 The object does not end on its line, and the lines after it do not continue it: a brace or a quote is missing.
        5:6 The object does not end on its line, and the lines after it do not continue it: a brace or a quote is missing.
        bad lines: 3
    "#]],
    );
    check(
        "{\"a\": 1}\n{\n  \"a\": 2,\n",
        expect![[r#"
        [a Int]
        "1"
        2:2 The object does not end on its line, and the lines after it do not continue it: a brace or a quote is missing.
        bad lines: 1
    "#]],
    );
}

#[test]
fn commas_between_objects_on_lines_cost_nothing() {
    check(
        "{\"a\":1},\n{\"a\":2} ,\r\n{\"a\":3},{\"a\":4},",
        expect![[r#"
        [a Int]
        "1"
        "2"
        "3"
        "4"
    "#]],
    );
    check(
        "{\"a\":1},2\n{\"a\":3}\n",
        expect![[r#"
        [a Int]
        "3"
        1:8 Something follows the object: put each object on its own line.
        bad lines: 1
    "#]],
    );
}
