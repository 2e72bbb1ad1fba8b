use super::super::read::tests::{check, own};
use super::super::{Events, Reader};
use super::delimiter::detect_delimiter;
use super::*;
use expect_test::expect;
use tabletop_workspace::{Format, OnBadLine, OwnData};

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
        InvalidArgument: Line 1, column 1: The header has 1001 columns, more than the limit of 1000: remove some. The load stopped there.
    "#]],
    );
}

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
fn a_number_that_could_be_a_year_makes_no_header() {
    for (text, first) in [
        ("1,1856,3,978305022\n1,525,2,978305068\n2,12,4,978305070\n", "column_1"),
        ("country,2019\nDE,5\nFR,7\n", "country"),
        ("1990,2000,2010\n5,6,8\n7,9,9\n", "1990"),
    ] {
        let (mut reader, mut events) =
            (Reader::new(&own(Format::Detect, OnBadLine::Skip)), Events::default());
        reader.feed(text.as_bytes(), true, &mut events).unwrap();
        assert_eq!(events.fields()[0].name, first, "{text}");
    }
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
        let (mut reader, mut events) =
            (Reader::new(&own(Format::Detect, OnBadLine::Skip)), Events::default());
        reader.feed(text.as_bytes(), true, &mut events).unwrap();
        let columns = text.lines().next().unwrap().split(',').count();
        assert_eq!((events.fields().len(), reader.bad_lines()), (columns, 0), "{text}");
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
    use super::super::read::tests::{check_with, own};
    use tabletop_workspace::{Format, HeaderLine, OnBadLine, OwnData, Reading};
    let with = |header| OwnData {
        reading: Reading { header, ..Reading::default() },
        ..own(Format::Detect, OnBadLine::Skip)
    };
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
fn a_day_and_a_time_of_day_are_one_time() {
    check(
        "Date,Time,Symbol\n2024-03-01,09:30:00,S0\n2024-03-01,09:30:40,S1\n",
        expect![[r#"
        [Date Time, Time Text, Symbol Text, Date Time Time]
        "2024-03-01" "09:30:00" "S0" "2024-03-01 09:30:00"
        "2024-03-01" "09:30:40" "S1" "2024-03-01 09:30:40"
        1:1 Date and Time are read as one time, which is the field Date Time.
    "#]],
    );
    check(
        "Nr;Datum;Uhrzeit\n1;02.01.2026;08:08\n2;13.01.2026;\n",
        expect![[r#"
        [Nr Int, Datum Time, Uhrzeit Text, Datum Uhrzeit Time]
        "1" "02.01.2026" "08:08" "02.01.2026 08:08"
        "2" "13.01.2026" - -
        1:1 Datum and Uhrzeit are read as one time, which is the field Datum Uhrzeit.
    "#]],
    );
    check(
        "clock,x,day\n9:30 AM,1,20240301\n1:05 PM,2,20240301\n",
        expect![[r#"
        [clock Text, x Int, day Time, day clock Time]
        "9:30 AM" "1" "20240301" "20240301 9:30 AM"
        "1:05 PM" "2" "20240301" "20240301 1:05 PM"
        1:1 day and clock are read as one time, which is the field day clock.
    "#]],
    );
    check(
        "Date;Time;CO\n10/03/2004;18.00.00;2,6\n31/03/2004;19.00.00;2,1\n",
        expect![[r#"
        [Date Time, Time Text, CO Float, Date Time Time]
        "10/03/2004" "18.00.00" "2.6" "10/03/2004 18.00.00"
        "31/03/2004" "19.00.00" "2.1" "31/03/2004 19.00.00"
        1:1 Date and Time are read as one time, which is the field Date Time.
        2:21 CO is read as numbers with a decimal comma: "2,6" is 2.6.
    "#]],
    );
    // There is a whole time, or there is no day.
    check(
        "at,Date,Time\n2024-03-01T09:30:00Z,2024-03-01,09:30\n",
        expect![[r#"
        [at Time, Date Time, Time Text]
        "2024-03-01T09:30:00Z" "2024-03-01" "09:30"
    "#]],
    );
    check(
        "Time,v\n09:30,1\n",
        expect![[r#"
        [Time Text, v Int]
        "09:30" "1"
    "#]],
    );
}

#[test]
fn the_parts_of_a_time_in_several_columns_are_one_time() {
    check(
        "No,year,month,day,hour,pm\n1,2010,1,1,0,NA\n2,2010,1,1,1,129\n",
        expect![[r#"
            [No Int, year Int, month Int, day Int, hour Int, pm Int, year month day hour Time]
            "1" "2010" "1" "1" "0" "NA" "2010 1 1 0"
            "2" "2010" "1" "1" "1" "129" "2010 1 1 1"
            1:1 year, month, day and hour are read as one time, which is the field year month day hour.
        "#]],
    );
    check(
        "YEAR,MONTH,DAY,DAY_OF_WEEK,AIRLINE\n2015,1,1,4,AS\n2015,12,31,4,AA\n",
        expect![[r#"
            [YEAR Int, MONTH Int, DAY Int, DAY_OF_WEEK Int, AIRLINE Text, YEAR MONTH DAY Time]
            "2015" "1" "1" "4" "AS" "2015 1 1"
            "2015" "12" "31" "4" "AA" "2015 12 31"
            1:1 YEAR, MONTH and DAY are read as one time, which is the field YEAR MONTH DAY.
        "#]],
    );
    check(
        "arrival_date_year,arrival_date_month,arrival_date_week_number,arrival_date_day_of_month,hotel\n2015,July,27,1,Resort\n2016,May,20,9,City\n",
        expect![[r#"
            [arrival_date_year Int, arrival_date_month Text, arrival_date_week_number Int, arrival_date_day_of_month Int, hotel Text, arrival_date_year arrival_date_month arrival_date_day_of_month Time]
            "2015" "July" "27" "1" "Resort" "2015 July 1"
            "2016" "May" "20" "9" "City" "2016 May 9"
            1:1 arrival_date_year, arrival_date_month and arrival_date_day_of_month are read as one time, which is the field arrival_date_year arrival_date_month arrival_date_day_of_month.
        "#]],
    );
    check(
        "Jahr;Monat;Tag;Stunde;Minute;v\n2024;3;1;9;30;1\n2024;3;1;9;45;2\n",
        expect![[r#"
        [Jahr Int, Monat Int, Tag Int, Stunde Int, Minute Int, v Int, Jahr Monat Tag Stunde Minute Time]
        "2024" "3" "1" "9" "30" "1" "2024 3 1 9 30"
        "2024" "3" "1" "9" "45" "2" "2024 3 1 9 45"
        1:1 Jahr, Monat, Tag, Stunde and Minute are read as one time, which is the field Jahr Monat Tag Stunde Minute.
    "#]],
    );
    check(
        "instant,dteday,yr,mnth,hr,cnt\n1,2011-01-01,0,1,0,16\n2,2011-01-01,0,1,23,40\n",
        expect![[r#"
        [instant Int, dteday Time, yr Int, mnth Int, hr Int, cnt Int, dteday hr Time]
        "1" "2011-01-01" "0" "1" "0" "16" "2011-01-01 0"
        "2" "2011-01-01" "0" "1" "23" "40" "2011-01-01 23"
        1:1 dteday and hr are read as one time, which is the field dteday hr.
    "#]],
    );
}

#[test]
fn fields_that_are_given_are_not_joined() {
    use tabletop_keys::{Field, FieldKind};
    let fields =
        ["year", "month", "day", "hour", "minute", "second"].map(|name| Field::new(name, FieldKind::Int));
    let text = "year,month,day,hour,minute,second\n2013,3,1,0,5,9\n2013,3,1,0,6,0\n";
    for (given, count) in [(vec![], 7), (fields.to_vec(), 6)] {
        let own = OwnData { fields: given, ..own(Format::Detect, OnBadLine::Skip) };
        let (mut reader, mut events) = (Reader::new(&own), Events::default());
        reader.feed(text.as_bytes(), true, &mut events).unwrap();
        assert_eq!(events.fields().len(), count);
        // It stays joined when the file is read again.
        let again = OwnData { fields: events.fields().to_vec(), ..own };
        let (mut reader, mut second) = (Reader::new(&again), Events::default());
        reader.feed(text.as_bytes(), true, &mut second).unwrap();
        assert_eq!((second.fields(), second.value(1, 6)), (events.fields(), events.value(1, 6)));
    }
}

#[test]
fn numbers_that_are_no_times_together_are_not_joined() {
    // The 31st of February, hours up to 24, a year of another thing, a time in another column.
    for text in [
        "year,month,day,v\n2010,1,1,a\n2010,2,31,b\n",
        "birth_year,month,day,v\n2010,1,1,a\n2010,2,3,b\n",
        "year,month,v\n2010,1,a\n2010,2,b\n",
        "year,month,day,at\n2010,1,1,2010-01-01T00:00:00Z\n",
        "day,hour,v\n2010-01-01,24,a\n2010-01-02,1,b\n",
        "born,work_hour,v\n2010-01-01,4,a\n2010-01-02,1,b\n",
    ] {
        let (mut reader, mut events) =
            (Reader::new(&own(Format::Detect, OnBadLine::Skip)), Events::default());
        reader.feed(text.as_bytes(), true, &mut events).unwrap();
        let joined = events.fields().iter().find(|field| field.name.contains(' '));
        assert_eq!(joined, None, "{text}");
    }
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
fn joined_columns_are_joined_again_when_the_file_is_read_again() {
    let rows = (0..3_000).map(|at| format!("2024-03-01,{:02}:{:02}\n", at / 60 % 24, at % 60));
    let text: String = std::iter::once("day,clock\n".to_owned()).chain(rows).collect();
    let read = |own: &OwnData| {
        let (mut reader, mut events) = (Reader::new(own), Events::default());
        reader.feed(text.as_bytes(), true, &mut events).unwrap();
        events
    };
    let own = own(Format::Detect, OnBadLine::Skip);
    let first = read(&own);
    let names: Vec<&str> = first.fields().iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["day", "clock", "day clock"]);
    assert_eq!(
        (first.value(0, 2), first.value(2_999, 2)),
        (Some("2024-03-01 00:00"), Some("2024-03-01 01:59"))
    );
    let again = read(&OwnData { fields: first.fields().to_vec(), ..own });
    assert_eq!((again.fields(), again.len()), (first.fields(), first.len()));
    assert_eq!(again.value(2_999, 2), first.value(2_999, 2));
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
