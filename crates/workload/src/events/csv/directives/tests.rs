use expect_test::expect;

use crate::events::read::tests::check;

const ZEEK: &str = "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\thttp\n#open\t2024-01-01-00-00-00\n\
                    #fields\tts\tuid\tid.orig_h\tid.orig_p\thost\ttags\tduration\n\
                    #types\ttime\tstring\taddr\tport\tstring\tset[string]\tinterval\n";

#[test]
fn zeek_names_its_columns_and_absent_values() {
    let log = "1704067200.000001\tCa1\t10.0.0.1\t443\t-\t(empty)\t0.5\n1704067201.5\tCb2\t10.0.0.2\t80\ta \"b\ta,b\t-\n#close\t2024-01-01-01-00-00\n";
    check(
        [ZEEK, log].concat(),
        expect![[r#"
            [ts Time, uid Text, id.orig_h Text, id.orig_p Int, host Text, tags Text, duration Float]
            "1704067200.000001" "Ca1" "10.0.0.1" "443" - "" "0.5"
            "1704067201.5" "Cb2" "10.0.0.2" "80" "a \"b" "a,b" -
            9:1 The file is read as a log of Zeek: the line #fields names the columns, and lines that begin with # are no records.
        "#]],
    );
}

#[test]
fn joined_logs_of_zeek_are_one_log() {
    let log = "1704067200.1\tCa1\t10.0.0.1\t443\tx\ty\t1.5\n#close\tx\n";
    let other = "#separator \\x09\n#fields\tts\thost\tversion\tuid\n1704067300.1\th\tTLSv1\tCc3\n";
    check(
        [ZEEK, log, ZEEK, log, other].concat(),
        expect![[r#"
            [ts Time, uid Text, id.orig_h Text, id.orig_p Int, host Text, tags Text, duration Float]
            "1704067200.1" "Ca1" "10.0.0.1" "443" "x" "y" "1.5"
            "1704067200.1" "Ca1" "10.0.0.1" "443" "x" "y" "1.5"
            "1704067300.1" "Cc3" - - "h" - -
            9:1 The file is read as a log of Zeek: the line #fields names the columns, and lines that begin with # are no records.
            22:1 From here on, there are columns that the first lines do not name, and that are not read: version.
        "#]],
    );
}

#[test]
fn a_log_without_a_record_has_fields() {
    check(
        [ZEEK, "#close\tx\n"].concat(),
        expect![[r#"
            [ts Time, uid Text, id.orig_h Text, id.orig_p Int, host Text, tags Text, duration Float]
            10:1 The file is read as a log of Zeek: the line #fields names the columns, and lines that begin with # are no records.
            10:1 There is a header line and no record below it.
        "#]],
    );
}

#[test]
fn the_extended_format_of_the_w3c_has_spaces_or_tabs() {
    let iis = "#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n#Date: 2024-01-01 00:00:00\r\n\
               #Fields: date time s-ip cs-uri-query sc-status cs(User-Agent)\r\n\
               2024-01-01 00:00:01 10.0.0.1 - 200 Mozilla/5.0+(X11)\r\n2024-01-01 00:00:02 10.0.0.1 a=%20b 404 \"a b\"\r\n\
               #Software: Microsoft Internet Information Services 10.0\r\n#Fields: date time s-ip sc-status\r\n2024-01-02 00:00:03 10.0.0.2 500\r\n";
    check(
        iis,
        expect![[r#"
            [date Time, time Text, s-ip Text, cs-uri-query Text, sc-status Int, cs(User-Agent) Text, date time Time]
            "2024-01-01" "00:00:01" "10.0.0.1" - "200" "Mozilla/5.0+(X11)" "2024-01-01 00:00:01"
            "2024-01-01" "00:00:02" "10.0.0.1" "a=%20b" "404" "a b" "2024-01-01 00:00:02"
            "2024-01-02" "00:00:03" "10.0.0.2" - "500" - "2024-01-02 00:00:03"
            1:1 date and time are read as one time, which is the field date time.
            5:1 The file is read as a log in the W3C extended format: the line #Fields names the columns, and lines that begin with # are no records.
            8:1 From here on, the columns are in another order or fewer.
        "#]],
    );
    check(
        "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes\n2024-01-01\t00:00:01\tFRA2\t1,234\n2024-01-01\t00:00:02\tFRA2 b\t-\n",
        expect![[r#"
            [date Time, time Text, x-edge-location Text, sc-bytes Int, date time Time]
            "2024-01-01" "00:00:01" "FRA2" "1234" "2024-01-01 00:00:01"
            "2024-01-01" "00:00:02" "FRA2 b" - "2024-01-01 00:00:02"
            1:1 date and time are read as one time, which is the field date time.
            3:1 The file is read as a log in the W3C extended format: the line #Fields names the columns, and lines that begin with # are no records.
            3:26 sc-bytes: "1,234" is read as 1234, and can mean 1.234: no value of this field settles it. If it is wrong, choose how numbers are written.
        "#]],
    );
}

#[test]
fn a_comment_that_only_begins_alike_is_a_comment() {
    check(
        "#Fields: all of them\na,b\n1,2\n3,4\n",
        expect![[r#"
            [a Int, b Int]
            "1" "2"
            "3" "4"
            2:1 The lines that begin with # are comments, and are skipped.
        "#]],
    );
}

#[test]
fn a_renamed_column_is_found_in_later_directives() {
    use crate::events::{Events, Reader, read::tests::own};
    use tabletop_keys::{Field, FieldKind};
    use tabletop_workspace::{Format, OnBadLine, OwnData};
    let fields = vec![Field::new("renamed", FieldKind::Text), Field::new("y", FieldKind::Int)];
    let own = OwnData { fields, ..own(Format::Detect, OnBadLine::Skip) };
    let (mut reader, mut events) = (Reader::new(&own), Events::default());
    reader.feed(b"#Fields: x y\na 1\n#Fields: y x\n2 b\n", true, &mut events).expect("a log");
    assert_eq!((events.value(1, 0), events.value(1, 1)), (Some("b"), Some("2")));
}
