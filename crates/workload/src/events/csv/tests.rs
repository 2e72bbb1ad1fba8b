use super::super::read::tests::check;
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
        [a Text, b Int]
        "1,5" "2"
    "#]],
    );
    check(
        "\n\n\tb\n1\t2,3\n",
        expect![[r#"
        [column_1 Int, b Text]
        "1" "2,3"
        3:1 This column has no name: it gets the name `column_1`.
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
        2:4 The byte 0xe9 is not UTF-8: save the file as UTF-8.
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
    assert_eq!(detect_delimiter(b"a,b;c;d"), b';');
    assert_eq!(detect_delimiter(b"a,b;c"), b',');
    assert_eq!(detect_delimiter(b"\"a;b;c\",d\n;;;;"), b',');
    assert_eq!(detect_delimiter(b"a\tb\tc,d"), b'\t');
    assert_eq!(detect_delimiter(b""), b',');
}
