//! A story for each command of the HBase shell.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use expect_test::{Expect, expect};

use crate::{Language, complete};

#[track_caller]
fn check(story: &str, expected: Expect) {
    super::check(Language::HBase, story, expected);
}

#[test]
fn rows_are_printed_as_hbase_prints_them() {
    check(
        r#"
        create 't', {NAME => 'z', VERSIONS => 3}, 'a'
        put 't', 'r1', 'z:q', 'old', 1
        put 't', 'r1', 'z:q', "new\x00\xff\\", 2
        put 't', 'r1', 'a:é', 7
        put 't', "r\x02", 'z:', 'empty', 1
        scan 't'
        scan 't', {VERSIONS => 2, COLUMNS => ['z:q', 'a']}
        get 't', 'r1'
        get 't', 'r1', 'z:q', 'a'
        get 't', 'r1', {COLUMN => 'z', VERSIONS => 5, TIMERANGE => [0, 2]}
        get 't', 'none'
        "#,
        expect![[r#"
            Created table t
            => Hbase::Table - t
            ROW                        COLUMN+CELL
             r\x02                     column=z:, timestamp=1, value=empty
             r1                        column=a:\xC3\xA9, timestamp=1559001874000, value=7
             r1                        column=z:q, timestamp=2, value=new\x00\xFF\x5C
            2 row(s)
            ROW                        COLUMN+CELL
             r1                        column=a:\xC3\xA9, timestamp=1559001874000, value=7
             r1                        column=z:q, timestamp=2, value=new\x00\xFF\x5C
             r1                        column=z:q, timestamp=1, value=old
            1 row(s)
            COLUMN                     CELL
             a:\xC3\xA9                timestamp=1559001874000, value=7
             z:q                       timestamp=2, value=new\x00\xFF\x5C
            1 row(s)
            COLUMN                     CELL
             a:\xC3\xA9                timestamp=1559001874000, value=7
             z:q                       timestamp=2, value=new\x00\xFF\x5C
            1 row(s)
            COLUMN                     CELL
             z:q                       timestamp=1, value=old
            1 row(s)
            COLUMN                     CELL
            0 row(s)
        "#]],
    );
}

#[test]
fn scans_choose_rows() {
    check(
        "
        create 't', 'f', 'g'
        put 't', 'a', 'f:q', '1', 1
        put 't', 'ab', 'f:q', '2', 1
        put 't', 'b', 'g:p', '3', 1
        scan 't', {STARTROW => 'ab'}
        scan 't', {STOPROW => 'b', LIMIT => 1}
        scan 't', {STARTROW => 'ab', REVERSED => true}
        scan 't', {ROWPREFIXFILTER => 'a'}
        scan 't', FILTER => \"PrefixFilter('a') AND ValueFilter(>, 'binary:1')\"
        scan 't', FILTER => \"QualifierFilter(=, 'regexstring:p') OR KeyOnlyFilter()\"
        scan 't', {FILTER => \"SingleColumnValueFilter('f', 'q', !=, 'binary:1', true, true)\"}
        scan 't', {FILTER => 'PageFilter(2) AND FirstKeyOnlyFilter()'}
        count 't'
        count 't', INTERVAL => 1000, STARTROW => 'ab'
        count 't', {FILTER => \"PrefixFilter('a')\", COLUMNS => 'f'}
        count 't', 1000
        ",
        expect![[r#"
            Created table t
            => Hbase::Table - t
            ROW                        COLUMN+CELL
             ab                        column=f:q, timestamp=1, value=2
             b                         column=g:p, timestamp=1, value=3
            2 row(s)
            ROW                        COLUMN+CELL
             a                         column=f:q, timestamp=1, value=1
            1 row(s)
            ROW                        COLUMN+CELL
             ab                        column=f:q, timestamp=1, value=2
             a                         column=f:q, timestamp=1, value=1
            2 row(s)
            ROW                        COLUMN+CELL
             a                         column=f:q, timestamp=1, value=1
             ab                        column=f:q, timestamp=1, value=2
            2 row(s)
            ROW                        COLUMN+CELL
             ab                        column=f:q, timestamp=1, value=2
            1 row(s)
            ROW                        COLUMN+CELL
             a                         column=f:q, timestamp=1, value=
             ab                        column=f:q, timestamp=1, value=
             b                         column=g:p, timestamp=1, value=3
            3 row(s)
            ROW                        COLUMN+CELL
             ab                        column=f:q, timestamp=1, value=2
            1 row(s)
            ROW                        COLUMN+CELL
             a                         column=f:q, timestamp=1, value=1
             ab                        column=f:q, timestamp=1, value=2
            2 row(s)
            3 row(s)
            => 3
            2 row(s)
            => 2
            2 row(s)
            => 2
            3 row(s)
            => 3
        "#]],
    );
}

#[test]
fn cells_that_pass_several_filters_are_returned_once() {
    check(
        "
        create 't', {NAME => 'f', VERSIONS => 9}
        put 't', 'a', 'f:q', 'old', 1
        put 't', 'a', 'f:q', 'new', 2
        put 't', 'a', 'f:q', 'newest', 3
        scan 't', {VERSIONS => 2, FILTER => \"PrefixFilter('a') OR ColumnPrefixFilter('q') OR ValueFilter(=, 'binary:old')\"}
        scan 't', {FILTER => \"PrefixFilter('a') OR ColumnPrefixFilter('q')\"}
        get 't', 'a', {VERSIONS => 9, FILTER => \"PrefixFilter('a') OR ColumnPrefixFilter('q')\"}
        scan 't', {VERSIONS => 2, COLUMNS => ['f:q', 'f', 'f:q']}
        ",
        expect![[r#"
            Created table t
            => Hbase::Table - t
            ROW                        COLUMN+CELL
             a                         column=f:q, timestamp=3, value=newest
             a                         column=f:q, timestamp=2, value=new
            1 row(s)
            ROW                        COLUMN+CELL
             a                         column=f:q, timestamp=3, value=newest
            1 row(s)
            COLUMN                     CELL
             f:q                       timestamp=3, value=newest
             f:q                       timestamp=2, value=new
             f:q                       timestamp=1, value=old
            1 row(s)
            ROW                        COLUMN+CELL
             a                         column=f:q, timestamp=3, value=newest
             a                         column=f:q, timestamp=2, value=new
            1 row(s)
        "#]],
    );
}

#[test]
fn cells_are_deleted_and_changed() {
    check(
        "
        create 't', {NAME => 'f', VERSIONS => 9}, 'g'
        put 't', 'r', 'f:a', '1', 1
        put 't', 'r', 'f:a', '2', 2
        put 't', 'r', 'f:a', '3', 3
        put 't', 'r', 'f:b', '1', 1
        put 't', 'r', 'g:c', '1', 1
        delete 't', 'r', 'f:a', 1
        delete 't', 'r', 'f:a'
        delete 't', 'r', 'f:none'
        scan 't', {VERSIONS => 9}
        deleteall 't', 'r', 'f:a'
        deleteall 't', 'r', 'g'
        scan 't'
        incr 't', 'r', 'f:n'
        incr 't', 'r', 'f:n', 5
        get_counter 't', 'r', 'f:n'
        get_counter 't', 'r', 'f:none'
        append 't', 'r', 'f:b', 'x'
        deleteall 't', 'r'
        count 't'
        put 't', 'pre1', 'f:a', '1'
        deleteall 't', {ROWPREFIXFILTER => 'pre'}
        put 't', 'r', 'f:a', '1'
        truncate 't'
        count 't'
        ",
        expect![[r#"
            Created table t
            => Hbase::Table - t
            ROW                        COLUMN+CELL
             r                         column=f:a, timestamp=2, value=2
             r                         column=f:b, timestamp=1, value=1
             r                         column=g:c, timestamp=1, value=1
            1 row(s)
            ROW                        COLUMN+CELL
             r                         column=f:b, timestamp=1, value=1
            1 row(s)
            COUNTER VALUE = 1
            COUNTER VALUE = 6
            COUNTER VALUE = 6
            No counter found at specified coordinates
            CURRENT VALUE = 1x
            0 row(s)
            => 0
            Truncating 't' table (it may take a while):
            Truncating table...
            0 row(s)
            => 0
        "#]],
    );
}

#[test]
fn tables_and_families() {
    check(
        "
        create 't', {NAME => 'f', VERSIONS => 3, TTL => 86400}, {NAME => 'old', TTL => 60, MIN_VERSIONS => 1}, SPLITS => ['b', 'm']
        describe 't'
        alter 't', {NAME => 'f', VERSIONS => 5}, 'new'
        alter 't', NAME => 'old', METHOD => 'delete'
        describe 't'
        create 'u', 'f'
        list
        exists 'u'
        disable 'u'
        drop 'u'
        exists 'u'
        major_compact 't'
        ",
        expect![[r#"
            Created table t
            => Hbase::Table - t
            Table t is ENABLED
            t
            COLUMN FAMILIES DESCRIPTION
            {NAME => 'f', VERSIONS => '3', MIN_VERSIONS => '0', TTL => '86400'}
            {NAME => 'old', VERSIONS => '1', MIN_VERSIONS => '1', TTL => '60'}
            2 row(s)
            Updating all regions with the new schema...
            All regions updated.
            Done.
            Updating all regions with the new schema...
            All regions updated.
            Done.
            Table t is ENABLED
            t
            COLUMN FAMILIES DESCRIPTION
            {NAME => 'f', VERSIONS => '5', MIN_VERSIONS => '0', TTL => '86400'}
            {NAME => 'new', VERSIONS => '1', MIN_VERSIONS => '0', TTL => 'FOREVER'}
            2 row(s)
            Created table u
            => Hbase::Table - u
            TABLE
            t
            u
            2 row(s)
            => ["t", "u"]
            Table u does exist
            => true
            Table u does not exist
            => false
        "#]],
    );
}

#[test]
fn failures_and_mistakes() {
    check(
        r#"
        scan 'none'
        create 't', 'f'
        put 't', 'r', 'g:q', 'v'
        scna 't'
        scan 't', {LIMIT => 'x'}
        scan 't', {LIMT => 5}
        scan 't', {FILTER => "PrefxFilter('a')"}
        scan 't', {FILTER => "ValueFilter(=, 'a')"}
        put 't', 'r', 'q', 'v'
        put 't', 'r'
        get 't'
        scan t
        create 't' 'f'
        alter 't', {VERSIONS => 5}
        incr 't', 'r', 'f:q', 'x'
        help 'scan'
        "#,
        expect![[r#"
            ERROR: table "none" not found: create it first
            Created table t
            => Hbase::Table - t
            ERROR: Error in mutation #0 : unknown family "g": the table has f; create the family first
            [scna] There is no command scna. Did you mean scan?
            ['x'] a whole number is expected here
            [LIMT] There is no LIMT here. Did you mean LIMIT?
            ["PrefxFilter('a')"] In FILTER: there is no filter PrefxFilter here. Did you mean PrefixFilter?
            ["ValueFilter(=, 'a')"] In FILTER: a comparator is 'binary:…', 'binaryprefix:…', 'regexstring:…' or 'substring:…'
            ['q'] a column is 'family:qualifier'
            [] an argument is missing: put 't', 'row', 'cf:q', 'value', timestamp
            [] an argument is missing: get 't', 'row', {COLUMN => 'cf:q', VERSIONS => 3}
            [t] a text in quotes is expected here
            ['] a comma is missing before this
            [{VERSIONS => 5}] NAME => 'family' is missing
            ['x'] a whole number is expected here
            Read rows

              scan 't', {STARTROW => 'a', STOPROW => 'b', LIMIT => 5}

              STARTROW, STOPROW, ROWPREFIXFILTER, LIMIT, COLUMNS, COLUMN, VERSIONS, TIMESTAMP, TIMERANGE, REVERSED, FILTER
        "#]],
    );
}

#[test]
fn words_are_completed() {
    let known = [(String::from("events"), vec![String::from("clicks"), String::from("views")])];
    let offered = |line: &str| -> Vec<String> {
        let found = complete(Language::HBase, line, line.len(), &known);
        found.into_iter().map(|completion| completion.text).collect()
    };
    assert_eq!(offered("sc"), ["scan"]);
    assert_eq!(offered("scan "), ["'events'"]);
    assert_eq!(offered("scan 'e"), ["'events'"]);
    assert_eq!(offered("scan 'events', {ST"), ["STARTROW => ", "STOPROW => "]);
    assert_eq!(offered("put 'events', 'r', 'c"), ["'clicks:"]);
}
