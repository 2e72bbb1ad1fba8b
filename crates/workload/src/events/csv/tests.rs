use super::super::read::tests::{check, detected, events_of};
use super::*;
use expect_test::expect;

#[test]
fn cells_are_those_of_rfc_4180() {
    check(
        "a,b,c\n1,,\n\"\",\"x, \"\"y\"\"\nz\", w \n",
        expect![[r#"
        [a Int, b Text, c Text]
        "1" - -
        "" "x, \"y\"\nz" " w "
    "#]],
    );
}

#[test]
fn line_ends_of_every_system_and_none_at_the_end() {
    check(
        "a,b\r\n1,2\r\n\r\n3,4",
        expect![[r#"
        [a Int, b Int]
        "1" "2"
        "3" "4"
    "#]],
    );
    check(
        "a,b\r1,2\r3,\"4\r5\"\r6\r",
        expect![[r#"
            [a Int, b Text]
            "1" "2"
            "3" "4\r5"
            5:2 This line has 1 column and the header 2: add or remove delimiters, or quote the cell.
            bad lines: 1
        "#]],
    );
}

#[test]
fn the_delimiter_is_that_of_the_header() {
    check(
        "\u{feff}a;b\n1,5;2\n",
        expect![[r#"
            [a Float, b Int]
            "1.5" "2"
            2:1 a is read as numbers with a decimal comma: "1,5" is 1.5.
        "#]],
    );
    check(
        "\n\n\tb\n1\t2,3\n",
        expect![[r#"
            [column_1 Int, b Float]
            "1" "2.3"
            3:1 This column has no name: it gets the name `column_1`.
            4:3 b is read as numbers with a decimal comma: "2,3" is 2.3.
        "#]],
    );
    check(
        "\"a,b,c\";d\n1;2\n",
        expect![[r#"
        [a,b,c Int, d Int]
        "1" "2"
    "#]],
    );
    check(
        "only\n1\n\n2,3\n",
        expect![[r#"
        [only Int]
        "1"
        4:3 This line has 2 columns and the header 1: add or remove delimiters, or quote the cell.
        bad lines: 1
    "#]],
    );
}

#[test]
fn names_become_unique() {
    check(
        "a, a ,,a_2,\"b \"\"q\"\"\"\n1,2,3,4,5\n",
        expect![[r#"
        [a Int, a_2 Int, column_3 Int, a_2_2 Int, b "q" Int]
        "1" "2" "3" "4" "5"
        1:3 An earlier column is called `a` too: this one gets the name `a_2`.
        1:7 This column has no name: it gets the name `column_3`.
        1:8 An earlier column is called `a_2` too: this one gets the name `a_2_2`.
    "#]],
    );
}

#[test]
fn a_bad_line_is_reported_with_its_position_and_skipped() {
    check(
        "a,b\n1,2,3\n\u{e9}\u{e9},\"\n\",6,7\n8\n9,10\n",
        expect![[r#"
            [a Int, b Int]
            "9" "10"
            2:5 This line has 3 columns and the header 2: add or remove delimiters, or quote the cell.
            4:3 This line has 4 columns and the header 2: add or remove delimiters, or quote the cell.
            5:2 This line has 1 column and the header 2: add or remove delimiters, or quote the cell.
            bad lines: 3
        "#]],
    );
    check(
        b"a,b\n\xc3\xa9\xc3\xa9,\xe9\n1,2\n",
        expect![[r#"
            [a Int, b Int]
            "1" "2"
            2:4 The byte 0xe9 is not UTF-8: choose the encoding of the file, or save it as UTF-8.
            bad lines: 1
        "#]],
    );
}

#[test]
fn a_broken_quote_costs_one_line() {
    check(
        "a,b\n1,\"x\" y\n3,4\n",
        expect![[r#"
        [a Int, b Int]
        "3" "4"
        2:6 There is text after the closing quote of this cell: double the quotes within it.
        bad lines: 1
    "#]],
    );
    // The next quote, two lines below, belongs to another cell.
    check(
        "a,b\n1,\"x\n3,4\n5,\"6\"\n7,8\n",
        expect![[r#"
            [a Int, b Int]
            "3" "4"
            "5" "6"
            "7" "8"
            2:3 The quote that opens here ends on a later line, with text after it: close it here, or double the quotes within the cell.
            bad lines: 1
        "#]],
    );
    check(
        "a,b\n1,\"x\n3,4\n5,6",
        expect![[r#"
        [a Int, b Int]
        "3" "4"
        "5" "6"
        2:3 The quote that opens here is never closed: close it, or double it within a cell.
        bad lines: 1
    "#]],
    );
    check(
        "a,b\n1,5\" pipe\n",
        expect![[r#"
        [a Int, b Text]
        "1" "5\" pipe"
    "#]],
    );
    check(
        "a,\"b\n1,2\n",
        expect![[r#"
        []
        InvalidArgument: Line 1, column 3: The quote that opens here is never closed: close it, or double it within a cell. The load stopped there.
    "#]],
    );
}

#[test]
fn more_columns_than_a_design_can_use_are_refused() {
    let header: Vec<String> = (0..=FIELDS_MAX).map(|column| format!("c{column}")).collect();
    check(
        header.join(","),
        expect![[r#"
        []
        InvalidArgument: Line 1, column 1: The header has 1,001 columns, more than the limit of 1,000: remove some. The load stopped there.
    "#]],
    );
}

#[test]
fn a_number_that_could_be_a_year_makes_no_header() {
    for (text, first) in [
        ("1,1856,3,978305022\n1,525,2,978305068\n2,12,4,978305070\n", "column_1"),
        ("country,2019\nDE,5\nFR,7\n", "country"),
        ("1990,2000,2010\n5,6,8\n7,9,9\n", "1990"),
    ] {
        let (events, _) = events_of(&detected(), text);
        assert_eq!(events.fields()[0].name, first, "{text}");
    }
}

#[test]
fn comments_before_the_header_are_skipped() {
    check(
        "# source: x\n# unit: \"mm\n\ntime,user\n2024-01-01,a\n#3,b\n",
        expect![[r##"
        [time Text, user Text]
        "2024-01-01" "a"
        "#3" "b"
        4:1 The lines that begin with # are comments, and are skipped.
        6:1 time begins with times, but "#3" differs from ISO 8601: the field is read as text.
    "##]],
    );
    // The header begins with a `#`, too.
    check(
        "# made by x\n#time,user\n2024-01-01,a\n2024-01-02,b\n",
        expect![[r#"
        [time Time, user Text]
        "2024-01-01" "a"
        "2024-01-02" "b"
        2:2 The lines that begin with # are comments, and are skipped.
    "#]],
    );
    check(
        "# time, user and value\ntime,user,value\n2024-01-01,a,1\n",
        expect![[r#"
        [time Time, user Text, value Int]
        "2024-01-01" "a" "1"
        2:1 The lines that begin with # are comments, and are skipped.
    "#]],
    );
    check(
        "# nothing\n# else\n",
        expect![[r#"
        [# else Text]
        2:1 The lines that begin with # are comments, and are skipped.
        3:1 There is a header line and no record below it.
    "#]],
    );
    check(
        "# made by x\n2024-01-01,a\n2024-01-02,b\n",
        expect![[r#"
            [column_1 Time, column_2 Text]
            "2024-01-01" "a"
            "2024-01-02" "b"
            2:1 The first line is read as a record, because its values are of the same kinds as those below it. The fields are called column_1 to column_2. If that is wrong, choose whether the first line has names.
        "#]],
    );
}

#[test]
fn a_first_line_with_values_is_a_record() {
    check(
        "2024-01-01T00:00:00Z,u1,3\n2024-01-02T00:00:00Z,u2,4\n2024-01-03T00:00:00Z,u3,5\n",
        expect![[r#"
            [column_1 Time, column_2 Text, column_3 Int]
            "2024-01-01T00:00:00Z" "u1" "3"
            "2024-01-02T00:00:00Z" "u2" "4"
            "2024-01-03T00:00:00Z" "u3" "5"
            1:1 The first line is read as a record, because its values are of the same kinds as those below it. The fields are called column_1 to column_3. If that is wrong, choose whether the first line has names.
        "#]],
    );
    check(
        "529;\"Ada; B\"\n530;\"Bo\"\n",
        expect![[r#"
            [column_1 Int, column_2 Text]
            "529" "Ada; B"
            "530" "Bo"
            1:1 The first line is read as a record, because its values are of the same kinds as those below it. The fields are called column_1 to column_2. If that is wrong, choose whether the first line has names.
        "#]],
    );
    check(
        "-1.5\n2\n",
        expect![[r#"
            [column_1 Float]
            "-1.5"
            "2"
            1:1 The first line is read as a record, because its values are of the same kinds as those below it. The field is called column_1. If that is wrong, choose whether the first line has names.
        "#]],
    );
}

#[test]
fn a_first_line_that_lacks_values_is_a_record() {
    check(
        "USC00011084,20170101,PRCP,0,,N\nUSC00011085,20170101,TMAX,-71,I,N\n",
        expect![[r#"
            [column_1 Text, column_2 Int, column_3 Text, column_4 Int, column_5 Text, column_6 Text]
            "USC00011084" "20170101" "PRCP" "0" - "N"
            "USC00011085" "20170101" "TMAX" "-71" "I" "N"
            1:1 The first line is read as a record, because its values are of the same kinds as those below it. The fields are called column_1 to column_6. If that is wrong, choose whether the first line has names.
        "#]],
    );
}

#[test]
fn names_that_look_like_values_are_a_header() {
    for header in [
        "country,1990,1991,1992\nA,1,2,3\nB,4,5,6\n",
        "country,2020\nA,1\nB,4\n",
        "0,1,2\n5,6,7\n8,9,10\n",
        ",3,x\n0,4,y\n1,5,z\n",
        "Lat,1/22/20\n33.1,0\n41.2,5\n",
        "id,2\n1,x\n2,y\n",
        "a,b\nc,d\n",
        "time,a,,b\n1,2,3,4\n",
        "time,a,b,\n1,2,3,\n",
    ] {
        let start = CsvStart::of(header.as_bytes(), true, tabletop_workspace::HeaderLine::Detect, &[]);
        assert!(start.unwrap().has_header, "{header}");
    }
}

#[test]
fn whether_there_is_a_header_can_be_chosen() {
    use super::super::read::tests::check_with;
    use tabletop_workspace::{HeaderLine, OwnData, Reading};
    let with = |header| OwnData { reading: Reading { header, ..Reading::default() }, ..detected() };
    check_with(
        &with(HeaderLine::Absent),
        "a,b\nc,d\n",
        expect![[r#"
        [column_1 Text, column_2 Text]
        "a" "b"
        "c" "d"
    "#]],
    );
    check_with(
        &with(HeaderLine::Present),
        "1,2\n3,4\n",
        expect![[r#"
        [1 Int, 2 Int]
        "3" "4"
    "#]],
    );
}

#[test]
fn day_and_month_are_those_with_which_the_times_are_close_together() {
    check(
        "at\n12/1/2010 8:26\n12/2/2010 9:00\n12/3/2010 7:30\n",
        expect![[r#"
            [at Time]
            "12/1/2010 8:26"
            "12/2/2010 9:00"
            "12/3/2010 7:30"
            2:1 at: "12/1/2010 8:26" can be read as %m/%d/%Y %H:%M and as %d/%m/%Y %H:%M, and no value of this field settles it. The first is used, unless the field has a time format.
        "#]],
    );
}

#[test]
fn a_header_that_occurs_again_is_no_record() {
    check(
        "\u{feff}id,t,v\n1,2024-01-01,x\n\u{feff}id,t,v\n2,2024-01-02,y\nid,t,v\n\u{feff}\"3\",2024-01-03,z\n",
        expect![[r#"
            [id Int, t Time, v Text]
            "1" "2024-01-01" "x"
            "2" "2024-01-02" "y"
            "3" "2024-01-03" "z"
            3:2 The header occurs again from here on: such lines are not read as records.
        "#]],
    );
    // In one column, it may be a value.
    check(
        "a\nb\na\n",
        expect![[r#"
        [a Text]
        "b"
        "a"
    "#]],
    );
}

#[test]
fn a_log_without_columns_has_no_header() {
    let line =
        |n: u32| format!("127.0.0.{n} - ada [10/Oct/2000:13:55:3{n} -0700] \"GET /a HTTP/1.0\" 200 2326\n");
    check(
        [line(1), line(2), line(3)].concat(),
        expect![[r#"
        [column_1 Text]
        "127.0.0.1 - ada [10/Oct/2000:13:55:31 -0700] \"GET /a HTTP/1.0\" 200 2326"
        "127.0.0.2 - ada [10/Oct/2000:13:55:32 -0700] \"GET /a HTTP/1.0\" 200 2326"
        "127.0.0.3 - ada [10/Oct/2000:13:55:33 -0700] \"GET /a HTTP/1.0\" 200 2326"
        1:1 The first line is read as a record, because its values are of the same kinds as those below it. The field is called column_1. If that is wrong, choose whether the first line has names.
    "#]],
    );
    check(
        "message\nhello\nbye\n",
        expect![[r#"
        [message Text]
        "hello"
        "bye"
    "#]],
    );
}

#[test]
fn a_title_in_brackets_does_not_begin_json() {
    check(
        "[Header]\nDate,2024-01-01\n[Data]\nid,name,n\n1,a,2\n2,b,3\n3,c,4\n",
        expect![[r#"
        [id Int, name Text, n Int]
        "1" "a" "2"
        "2" "b" "3"
        "3" "c" "4"
        4:1 The 3 lines above the table, from "[Header]" on, are titles, and not read as records.
    "#]],
    );
}

#[test]
fn dates_as_spreadsheets_count_them_are_said() {
    check(
        "Date,v\n45657,1\n45658.5,2\n",
        expect![[r#"
        [Date Float, v Int]
        "45657" "1"
        "45658.5" "2"
        2:1 Date is read as numbers, such as "45657". If they are dates as spreadsheets count them, in days since 1899-12-30, format the column as a date before you export it.
    "#]],
    );
    check(
        "Price,v\n45657,1\n45658.5,2\n",
        expect![[r#"
        [Price Float, v Int]
        "45657" "1"
        "45658.5" "2"
    "#]],
    );
}

/// The files of weather buoys: names, then units, each after a `#`, and aligned columns.
#[test]
fn names_and_units_after_a_hash_are_above_aligned_columns() {
    check(
        "#YY  MM DD hh mm WDIR WSPD GST\n#yr  mo dy hr mn degT m/s  m/s\n2024 05 31 23 50 267  5.0  5.5\n2024 05 31 23 40 212  6.5   MM\n",
        expect![[r#"
            [YY Int, MM Text, DD Int, hh Int, mm Int, WDIR Int, WSPD Float, GST Text, YY MM DD hh mm Time]
            "2024" "05" "31" "23" "50" "267" "5.0" "5.5" "2024 05 31 23 50"
            "2024" "05" "31" "23" "40" "212" "6.5" "MM" "2024 05 31 23 40"
            1:1 YY, MM, DD, hh and mm are read as one time, which is the field YY MM DD hh mm.
            1:2 The columns are separated by spaces, without quotes.
            1:2 The lines that begin with # are comments, and are skipped.
        "#]],
    );
    check(
        "#year month day hour v\n2024 05 31 23 50\n2024 05 31 22 40\n",
        expect![[r#"
        [year Int, month Text, day Int, hour Int, v Int, year month day hour Time]
        "2024" "05" "31" "23" "50" "2024 05 31 23"
        "2024" "05" "31" "22" "40" "2024 05 31 22"
        1:1 year, month, day and hour are read as one time, which is the field year month day hour.
        1:2 The columns are separated by spaces, without quotes.
        1:2 The lines that begin with # are comments, and are skipped.
    "#]],
    );
    check(
        "# made at home\n# lat lon speed\n52.5 13.4 17.5\n52.6 13.5 18.5\n",
        expect![[r#"
        [lat Float, lon Float, speed Float]
        "52.5" "13.4" "17.5"
        "52.6" "13.5" "18.5"
        2:3 The columns are separated by spaces, without quotes.
        2:3 The lines that begin with # are comments, and are skipped.
    "#]],
    );
}
