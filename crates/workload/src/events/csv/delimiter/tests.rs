use super::super::super::read::tests::{check, detected, events_of};
use super::*;
use expect_test::expect;

#[test]
fn a_delimiter_is_found_outside_of_quotes_only() {
    assert_eq!(detect_delimiter(b"a,b;c;d"), Delimiter::Byte(b';'));
    assert_eq!(detect_delimiter(b"a,b;c"), Delimiter::Byte(b','));
    assert_eq!(detect_delimiter(b"\"a;b;c\",d"), Delimiter::Byte(b','));
    assert_eq!(detect_delimiter(b"a\tb\tc,d"), Delimiter::Byte(b'\t'));
    assert_eq!(detect_delimiter(b""), Delimiter::Byte(b','));
}

#[test]
fn columns_may_be_separated_by_colons_or_spaces() {
    check(
        "1::1193::5::978300760\n1::661::3::978302109\n",
        expect![[r#"
        [column_1 Int, column_2 Int, column_3 Int, column_4 Int]
        "1" "1193" "5" "978300760"
        "1" "661" "3" "978302109"
        1:1 The columns are separated by ::, without quotes.
        1:1 The first line is read as a record, because its values are of the same kinds as those below it. The fields are called column_1 to column_4. If that is wrong, choose whether the first line has names.
    "#]],
    );
    check(
        "1::Toy Story (1995)::Comedy\n2::Ace: When, Nature Calls::a|b\n",
        expect![[r#"
        [column_1 Int, column_2 Text, column_3 Text]
        "1" "Toy Story (1995)" "Comedy"
        "2" "Ace: When, Nature Calls" "a|b"
        1:1 The columns are separated by ::, without quotes.
        1:1 The first line is read as a record, because its values are of the same kinds as those below it. The fields are called column_1 to column_3. If that is wrong, choose whether the first line has names.
    "#]],
    );
    check(
        "2004-03-31 03:38:15.757551 2  1 122.153 -3.91803\n2004-02-28 00:59:16.02785 3 1 19.9884 37.0933 \n",
        expect![[r#"
            [column_1 Time, column_2 Text, column_3 Int, column_4 Int, column_5 Float, column_6 Float, column_1 column_2 Time]
            "2004-03-31" "03:38:15.757551" "2" "1" "122.153" "-3.91803" "2004-03-31 03:38:15.757551"
            "2004-02-28" "00:59:16.02785" "3" "1" "19.9884" "37.0933" "2004-02-28 00:59:16.02785"
            1:1 The columns are separated by spaces, without quotes.
            1:1 The first line is read as a record, because its values are of the same kinds as those below it. The fields are called column_1 to column_6. If that is wrong, choose whether the first line has names.
            1:1 column_1 and column_2 are read as one time, which is the field column_1 column_2.
        "#]],
    );
    check(
        "station   year  rain\n  11520   1961  -0.5\n\t11520   1962\t 12.5\n   \n11520 1963\n11520 1964 1\n",
        expect![[r#"
        [station Int, year Int, rain Float]
        "11520" "1961" "-0.5"
        "11520" "1962" "12.5"
        "11520" "1964" "1"
        1:1 The columns are separated by spaces, without quotes.
        5:11 This line has 2 columns and the header 3: add or remove delimiters, or quote the cell.
        bad lines: 1
    "#]],
    );
}

#[test]
fn r_writes_spaces_between_cells_and_quotes_around_texts() {
    check(
        "\"time\" \"user\" \"amount\"\n\"1\" \"2024-03-01 09:30:00\" \"ann lee\" 3.5\n\"2\" \"2024-03-01 09:31:00\" NA 4\n",
        expect![[r#"
            [column_1 Int, time Time, user Text, amount Float]
            "1" "2024-03-01 09:30:00" "ann lee" "3.5"
            "2" "2024-03-01 09:31:00" "NA" "4"
            1:1 The columns are separated by spaces, with quotes around texts.
            1:1 The records have one value more than the header has names: the first column is the one without a name, as in files of R.
            1:1 This column has no name: it gets the name `column_1`.
        "#]],
    );
    check(
        "\"time\" \"user\"\n2024-03-01 \"ann\"\n2024-03-02 \"b \"\"bob\"\" c\"\n",
        expect![[r#"
        [time Time, user Text]
        "2024-03-01" "ann"
        "2024-03-02" "b \"bob\" c"
        1:1 The columns are separated by spaces, with quotes around texts.
    "#]],
    );
    check(
        "time user amount\n1 2024-03-01 ann 3.5\n2 2024-03-02 bob 4\n",
        expect![[r#"
        [column_1 Int, time Time, user Text, amount Float]
        "1" "2024-03-01" "ann" "3.5"
        "2" "2024-03-02" "bob" "4"
        1:1 The columns are separated by spaces, without quotes.
        1:1 The records have one value more than the header has names: the first column is the one without a name, as in files of R.
        1:1 This column has no name: it gets the name `column_1`.
    "#]],
    );
    check(
        "\"a\" \"b\" \"c\"\n\"Mazda RX4\" 21 6 160\n\"Datsun 710\" 22.8 4 108\n",
        expect![[r#"
        [column_1 Text, a Float, b Int, c Int]
        "Mazda RX4" "21" "6" "160"
        "Datsun 710" "22.8" "4" "108"
        1:1 The columns are separated by spaces, with quotes around texts.
        1:1 The records have one value more than the header has names: the first column is the one without a name, as in files of R.
        1:1 This column has no name: it gets the name `column_1`.
    "#]],
    );
}

#[test]
fn a_log_with_quotes_is_not_a_table_of_r() {
    let text = "10.0.0.1 - - [10/Oct/2023:13:55:36 +0000] \"GET /a b\" 200 12\n10.0.0.2 - - [10/Oct/2023:13:55:37 +0000] \"GET /c d\" 200 13\n";
    assert_eq!(Delimiter::unusual(&text.lines().map(str::as_bytes).collect::<Vec<_>>()), None);
}

#[test]
fn texts_with_spaces_and_colons_are_not_divided() {
    for text in [
        "time\n2024-03-01 09:30:00\n2024-03-01 09:31:00\n",
        "2024-03-01 09:30:00\n2024-03-01 09:31:00\n",
        "first last\nAda Lovelace\nAlan Turing\n",
        "street 1\nroad 2\n",
        "one word\ntwo words 2 3\n1 2\n",
        "from,to\n2001:db8::1,2001:db8::2\n2001:db8::3,2001:db8::4\n",
        "address\n2001:db8::1\n2001:db8::2\n",
        "a b,c d\n1 2,3 4\n5 6,7 8\n",
    ] {
        let (events, bad_lines) = events_of(&detected(), text);
        let columns = text.lines().next().unwrap().split(',').count();
        assert_eq!((events.fields().len(), bad_lines), (columns, 0), "{text}");
    }
}

#[test]
fn a_file_may_name_its_delimiter_in_the_first_line() {
    check(
        "\u{feff}sep=;\r\ntime;user;v\r\n2024-01-01;a;1\r\n",
        expect![[r#"
        [time Time, user Text, v Int]
        "2024-01-01" "a" "1"
    "#]],
    );
    check(
        "\"SEP=^\"\na^b\n1^2\n",
        expect![[r#"
        [a Int, b Int]
        "1" "2"
    "#]],
    );
    check(
        "sep=\t\na\tb,c\n1\t2\n",
        expect![[r#"
        [a Int, b,c Int]
        "1" "2"
    "#]],
    );
    // This is a header.
    check(
        "sep=,b\n1,2\n",
        expect![[r#"
        [sep= Int, b Int]
        "1" "2"
    "#]],
    );
}

#[test]
fn a_vertical_bar_divides_columns() {
    check(
        "FL_DATE|CARRIER|ORIGIN\n1988-01-01|AA|JFK\n1988-01-02|AA|LAX\n",
        expect![[r#"
        [FL_DATE Time, CARRIER Text, ORIGIN Text]
        "1988-01-01" "AA" "JFK"
        "1988-01-02" "AA" "LAX"
    "#]],
    );
    check(
        "a,b,\"c|d|e|f\"\n1,2,3|4\n",
        expect![[r#"
        [a Int, b Int, c|d|e|f Text]
        "1" "2" "3|4"
    "#]],
    );
}
