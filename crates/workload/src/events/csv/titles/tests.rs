use expect_test::expect;

use crate::events::read::tests::check;

#[test]
fn lines_above_the_header_are_titles() {
    check(
        "Report of sales\n\nGenerated on 2024-02-01, 10:00\nDate;Customer;Amount\n2024-01-01;ada;1,5\n2024-01-02;bob;2,25\n",
        expect![[r#"
            [Date Time, Customer Text, Amount Float]
            "2024-01-01" "ada" "1.5"
            "2024-01-02" "bob" "2.25"
            4:1 The 2 lines above the table, from "Report of sales" on, are titles, and not read as records.
            5:16 Amount is read as numbers with a decimal comma: "1,5" is 1.5.
        "#]],
    );
    // As banks write them, with key and value above.
    check(
        "\u{feff}\"Account\",\"DE12\"\n\"From\",\"2024-01-01\"\n\n\"Booked\",\"Text\",\"Amount\"\n\"2024-01-01\",\"a, b\",\"-1.50\"\n\"2024-01-02\",\"c\",\"2.00\"\n",
        expect![[r#"
            [Booked Time, Text Text, Amount Float]
            "2024-01-01" "a, b" "-1.50"
            "2024-01-02" "c" "2.00"
            4:1 The 2 lines above the table, from "Account DE12" on, are titles, and not read as records.
        "#]],
    );
    // As spreadsheets write them, with as many delimiters as in the table.
    check(
        "Sales,,\nFebruary 2024,,\n,,\nDay,Shop,Sum\n2024-02-01,a,1\n2024-02-02,b,2\n",
        expect![[r#"
            [Day Time, Shop Text, Sum Int]
            "2024-02-01" "a" "1"
            "2024-02-02" "b" "2"
            4:1 The 2 lines above the table, from "Sales" on, are titles, and not read as records.
        "#]],
    );
}

#[test]
fn the_table_below_titles_may_have_no_header() {
    check(
        "Sensors\n\n2024-01-01,a,1\n2024-01-02,b,2\n2024-01-03,c,3\n",
        expect![[r#"
            [column_1 Time, column_2 Text, column_3 Int]
            "2024-01-01" "a" "1"
            "2024-01-02" "b" "2"
            "2024-01-03" "c" "3"
            3:1 The line "Sensors" above the table is a title, and not read as a record.
            3:1 The first line is read as a record, because its values are of the same kinds as those below it. The fields are called column_1 to column_3. If that is wrong, choose whether the first line has names.
        "#]],
    );
}

#[test]
fn names_may_be_one_fewer_or_more_than_the_columns() {
    check(
        "mpg,cyl\nMazda RX4,21,6\nDatsun 710,22.8,4\n",
        expect![[r#"
        [column_1 Text, mpg Float, cyl Int]
        "Mazda RX4" "21" "6"
        "Datsun 710" "22.8" "4"
        1:1 The records have one value more than the header has names: the first column is the one without a name, as in files of R.
        1:1 This column has no name: it gets the name `column_1`.
    "#]],
    );
    check(
        "a,b\n1,x,\n2,y,\n",
        expect![[r#"
        [a Int, b Text, column_3 Text]
        "1" "x" -
        "2" "y" -
        1:1 Each record ends with a delimiter and the header does not: the last column is empty, and has no name.
        1:4 This column has no name: it gets the name `column_3`.
    "#]],
    );
    check(
        "a,b\n7,2,x\n3,4,y\n5,6,z\n",
        expect![[r#"
        [a Int, b Int, column_3 Text]
        "7" "2" "x"
        "3" "4" "y"
        "5" "6" "z"
        1:1 The records have one value more than the header has names: the last column is the one without a name.
        1:4 This column has no name: it gets the name `column_3`.
    "#]],
    );
    check(
        "a,b,\n1,x\n2,y\n",
        expect![[r#"
        [a Int, b Text]
        "1" "x"
        "2" "y"
        1:1 The header ends with a delimiter and the records do not: it has no name after it.
    "#]],
    );
}

#[test]
fn a_table_that_begins_with_the_file_has_no_titles() {
    for file in [
        "message\nhello, world\nbye, world\n",
        "a,b,c\n1,2\n1,2,3\n4,5,6\n",
        "name,\nada,1\nbob,2\n",
        ",v\n0,1\n1,2\n",
        "a\n1\n2\n",
        "a,b\n1,2,3\n1\n4,5\n6,7\n",
        "a;b\n1,5;2\n3,5;4\n",
        "name,city\nada,paris\nbob,rome,it\neve,oslo,no\n",
        "name,n\nada,5\nbob,6,it\neve,7,no\n",
    ] {
        let start =
            super::super::CsvStart::of(file.as_bytes(), true, Default::default(), &[]).expect("a start");
        assert_eq!((start.used, start.fit, &start.notes[..]), (0, super::HeaderFit::Same, &[][..]), "{file}");
    }
}

#[test]
fn a_total_below_the_records_is_no_record() {
    check(
        "Day,Shop,Sold,Sum\n2024-02-01,a,1,2.5\n2024-02-02,b,2,3.5\nSubtotal,,,6.0\n2024-02-03,Total Energies,2,3.5\n,,Grand total:,9.5\n,,,\n,,,\n",
        expect![[r#"
            [Day Time, Shop Text, Sold Int, Sum Float]
            "2024-02-01" "a" "1" "2.5"
            "2024-02-02" "b" "2" "3.5"
            "2024-02-03" "Total Energies" "2" "3.5"
            4:1 This line is a total of the lines above it, and not read as a record.
            6:1 This line is a total of the lines above it, and not read as a record.
            7:1 This line has only delimiters: such lines are read as empty lines.
            bad lines: 2
        "#]],
    );
}

#[test]
fn a_last_record_with_few_values_is_named() {
    let rows = (1..25).map(|day| format!("2024-02-{day:02},a,{day}\n"));
    let file: String =
        ["Day,Shop,Sum\n".to_owned()].into_iter().chain(rows).chain([",,300\n".to_owned()]).collect();
    let mut reader = crate::events::Reader::new(&crate::events::read::tests::own(
        tabletop_workspace::Format::Csv,
        tabletop_workspace::OnBadLine::Stop,
    ));
    let mut events = crate::events::Events::default();
    reader.feed(file.as_bytes(), true, &mut events).expect("a file");
    assert_eq!(events.len(), 25, "no line is lost");
    let problems: Vec<_> =
        reader.problems().iter().map(|problem| (problem.line, &problem.message[..])).collect();
    let expected = "The last record has one value, and no value in columns that all records before it fill: if it is a total or a remark, remove it.";
    assert_eq!(problems, [(26, expected)]);
}
