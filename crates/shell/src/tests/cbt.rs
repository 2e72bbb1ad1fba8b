//! A story for each command of cbt.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use expect_test::{Expect, expect};

use crate::{Language, complete, split};

#[track_caller]
fn check(story: &str, expected: Expect) {
    super::check(Language::Cbt, story, expected);
}

#[test]
fn rows_are_printed_as_cbt_prints_them() {
    check(
        r"
        createtable t families=z:never,a:never
        set t r z:q=v@1000 a:b=new@3000 a:b=old@1000 a:$'\x00é\xff'=$'\x00\n\'\x7f'@0
        set t phone#1 a:now=x a:at=me@home a:ts=x@y@2500
        set t $'\xff' a:a-qualifier-that-is-longer-than-the-column=1@1000
        read t
        lookup t r columns=a: cells-per-column=1
        lookup t none
        ",
        expect![[r#"
            ----------------------------------------
            "phone#1"
              "a:at"                                   @ 2019/05/28-01:04:34.000000
                "me@home"
              "a:now"                                  @ 2019/05/28-01:04:34.000000
                "x"
              "a:ts"                                   @ 1970/01/01-01:00:00.002000
                "x@y"

            ----------------------------------------
            "r"
              "a:\x00é\xff"                            @ 1970/01/01-01:00:00.000000
                "\x00\n'\x7f"
              "a:b"                                    @ 1970/01/01-01:00:00.003000
                "new"
              "a:b"                                    @ 1970/01/01-01:00:00.001000
                "old"
              "z:q"                                    @ 1970/01/01-01:00:00.001000
                "v"

            ----------------------------------------
            "\xff"
              "a:a-qualifier-that-is-longer-than-the-column" @ 1970/01/01-01:00:00.001000
                "1"

            ----------------------------------------
            "r"
              "a:\x00é\xff"                            @ 1970/01/01-01:00:00.000000
                "\x00\n'\x7f"
              "a:b"                                    @ 1970/01/01-01:00:00.003000
                "new"

            ----------------------------------------
            ""

        "#]],
    );
}

#[test]
fn reads_choose_rows() {
    check(
        "
        createtable t families=f:never,g:never
        set t a f:q=1@0 g:x=2@0
        set t ab f:q=2@0
        set t b f:p=3@0
        read t start=ab keys-only=true
        read t start=a end=b count=1 reversed=true
        read t prefix=a columns=g:x,f:p
        read t regex=a. include-stats=full
        read t columns=.*:x
        count t
        count t prefix=a
        read t filter='chain(family_name_regex(\"f\"), value_regex(\"3\"))'
        waitforreplication t
        waitforreplication none
        version
        ",
        expect![[r#"
            ----------------------------------------
            "ab"
              "f:q"                                    @ 1970/01/01-01:00:00.000000
                ""

            ----------------------------------------
            "b"
              "f:p"                                    @ 1970/01/01-01:00:00.000000
                ""

            ----------------------------------------
            "ab"
              "f:q"                                    @ 1970/01/01-01:00:00.000000
                "2"

            ----------------------------------------
            "a"
              "g:x"                                    @ 1970/01/01-01:00:00.000000
                "2"

            ----------------------------------------
            "ab"
              "f:q"                                    @ 1970/01/01-01:00:00.000000
                "2"

            Summary Stats
            ====================
            rows_seen_count: 3
            rows_returned_count: 1
            cells_seen_count: 4
            cells_returned_count: 1
            frontend_server_latency: 0ms

            ----------------------------------------
            "a"
              "g:x"                                    @ 1970/01/01-01:00:00.000000
                "2"

            3
            2
            ----------------------------------------
            "b"
              "f:p"                                    @ 1970/01/01-01:00:00.000000
                "3"

            Waiting for replication: rpc error: code = NotFound desc = table "none" not found: create it first (tables: t)
            tabletop 0.1.0
        "#]],
    );
}

#[test]
fn cells_are_written_and_deleted() {
    check(
        "
        createtable t families=f:never,g:never,s:never:intsum
        set t r f:a=1@1000 f:a=2@2000 f:b=3@0 g:c=4@0 app-profile=x
        addtocell t r s:n=5@0 s:n=-7@0
        addtocell t clock s:n=1
        addtocell t clock s:n=2
        read t
        deleterow t clock
        deletecolumn t r f a start=2000
        deletecolumn t r s n
        deleterow t r family=g
        read t
        deleterow t r
        count t
        set t r f:a=1
        set t s f:a=1
        deleteallrows t prefix=s
        count t
        deleteallrows t
        count t
        ",
        expect![[r#"
            ----------------------------------------
            "clock"
              "s:n"                                    @ 2019/05/28-01:04:34.000000
                "\x00\x00\x00\x00\x00\x00\x00\x03"

            ----------------------------------------
            "r"
              "f:a"                                    @ 1970/01/01-01:00:00.002000
                "2"
              "f:a"                                    @ 1970/01/01-01:00:00.001000
                "1"
              "f:b"                                    @ 1970/01/01-01:00:00.000000
                "3"
              "g:c"                                    @ 1970/01/01-01:00:00.000000
                "4"
              "s:n"                                    @ 1970/01/01-01:00:00.000000
                "\xff\xff\xff\xff\xff\xff\xff\xfe"

            ----------------------------------------
            "r"
              "f:a"                                    @ 1970/01/01-01:00:00.001000
                "1"
              "f:b"                                    @ 1970/01/01-01:00:00.000000
                "3"

            0
            1
            0
        "#]],
    );
}

#[test]
fn conditional_changes_depend_on_the_row() {
    check(
        "
        createtable t families=f:never
        checkandmutate t r true=f:a=there@0 false=f:a=new@0
        checkandmutate t r columns=f:a true=f:b=@0
        checkandmutate t r filter='value_regex(\"x\")' true=f:c=1@0
        readmodifywrite t r f a append=er
        readmodifywrite t r f n increment=5
        ",
        expect![[r#"
            not matched
            matched
            not matched
            ----------------------------------------
            "r"
              "f:a"                                    @ 2019/05/28-01:04:34.000000
                "newer"

            ----------------------------------------
            "r"
              "f:n"                                    @ 2019/05/28-01:04:34.000000
                "\x00\x00\x00\x00\x00\x00\x00\x05"

        "#]],
    );
}

#[test]
fn tables_and_families() {
    check(
        "
        createtable t families=f,old:maxage=10d||maxversions=2 splits=b,m
        createfamily t g
        createfamily t sum:maxage=1h:intsum
        ls t
        setgcpolicy t f maxage=30d or '(maxage=90s and maxversions=3)' force
        setgcpolicy t old never
        deletefamily t sum
        ls t
        tablets t
        set t c f:q=1
        compact t
        samplerowkeys t
        createtable u
        ls
        deletetable t
        ls
        ",
        expect![[r#"
            Family Name	GC Policy				Value Type
            -----------	---------				----------
            f		<never>					{}
            g		<never>					{}
            old		(age() > 10d || versions() > 2)		{}
            sum		age() > 1h				{"aggregateType":{"inputType":{"int64Type":{"encoding":{"bigEndianBytes":{}}}}, "sum":{}}}
            Family Name	GC Policy							Value Type
            -----------	---------							----------
            f		(age() > 30d || (age() > 90000000 && versions() > 3))		{}
            g		<never>								{}
            old		<never>								{}
            [,"b") 0 rows, 0 bytes, 0 SSTables
            ["b","m") 0 rows, 0 bytes, 0 SSTables
            ["m",) 0 rows, 0 bytes, 0 SSTables
            "b"
            "m"
            t
            u
            u
        "#]],
    );
}

#[test]
fn csv_is_imported() {
    check(
        "
        createtable t families=f:never,g:never
        import t data.csv batch-size=1
        read t cells-per-column=1
        import t data.csv timestamp=value-encoded
        read t columns=g:
        import t data.csv column-family=f
        import t no.csv
        import none data.csv
        import t uneven.csv batch-size=1
        import t heads.csv
        import t ruled.csv
        ",
        expect![[r#"
            [0] Writing batch:: size: 1, firstRowKey: r1, lastRowKey: r1
            [0] RowKey 'r2' has no mutations, skipping
            [0] RowKey not present, skipping line
            [0] Writing batch:: size: 1, firstRowKey: r,3, lastRowKey: r,3
            Done importing 2 rows.
            ----------------------------------------
            "r,3"
              "f:a"                                    @ 2019/05/28-01:04:34.000000
                "say \"hi\""
              "f:b"                                    @ 2019/05/28-01:04:34.000000
                "2"

            ----------------------------------------
            "r1"
              "f:a"                                    @ 2019/05/28-01:04:34.000000
                "1"
              "g:c"                                    @ 2019/05/28-01:04:34.000000
                "x@2000"

            [0] RowKey 'r2' has no mutations, skipping
            [0] RowKey not present, skipping line
            [0] Writing batch:: size: 2, firstRowKey: r1, lastRowKey: r,3
            Done importing 2 rows.
            ----------------------------------------
            "r1"
              "g:c"                                    @ 2019/05/28-01:04:34.000000
                "x@2000"
              "g:c"                                    @ 1970/01/01-01:00:00.002000
                "x"

            [0] RowKey not present, skipping line
            [0] RowKey 'r2' has no mutations, skipping
            [0] RowKey not present, skipping line
            [0] Writing batch:: size: 2, firstRowKey: r1, lastRowKey: r,3
            Done importing 2 rows.
            couldn't open the csv file: no such file
            [0] RowKey 'r2' has no mutations, skipping
            [0] RowKey not present, skipping line
            [0] Writing batch:: size: 2, firstRowKey: r1, lastRowKey: r,3
            error: applying bulk mutations process error: rpc error: code = NotFound desc = table "none" not found: create it first (tables: t)
            [0] Writing batch:: size: 1, firstRowKey: u1, lastRowKey: u1
            [0] Writing batch:: size: 1, firstRowKey: u2, lastRowKey: u2
            record on line 6: wrong number of fields
            error parsing headers: columns header reader error:record on line 2: wrong number of fields
            [0] RowKey not present, skipping line
            [0] Writing batch:: size: 1, firstRowKey: u1, lastRowKey: u1
            Done importing 1 rows.
        "#]],
    );
}

#[test]
fn failures_name_the_completed_part() {
    check(
        "
        read none
        createtable t families=f:never
        createtable t
        set t r none:q=1
        lookup t ''
        setgcpolicy t none never
        readmodifywrite t r f q increment=1
        set t r f:q=1
        readmodifywrite t r f q increment=1
        ",
        expect![[r#"
            Reading rows: rpc error: code = NotFound desc = table "none" not found: create it first
            Creating table: rpc error: code = AlreadyExists desc = table "t" already exists: delete it first, or choose another id
            Applying mutation: rpc error: code = NotFound desc = Error in mutation #0 : unknown family "none": the table has f; create the family first
            Reading row: rpc error: code = InvalidArgument desc = Error in field 'row_keys' : Error in element #0 : Row keys must be non-empty: a row key has 1 to 4096 bytes
            Setting GC policy: rpc error: code = NotFound desc = unknown family "none": the table has f; create the family first
            ----------------------------------------
            "r"
              "f:q"                                    @ 2019/05/28-01:04:34.000000
                "\x00\x00\x00\x00\x00\x00\x00\x01"

            Applying mutation: rpc error: code = FailedPrecondition desc = Error in rule #0 : the cell has 1 bytes: only a number of 8 bytes can be incremented
        "#]],
    );
}

#[test]
fn mistakes_have_a_position() {
    check(
        r#"
        raed t
        setvaluetype t f intsum
        listclusters
        read
        read t coutn=1
        read t limit=5
        read t count=many
        read t start=a prefix=b
        read t a
        read t filter='chain(pass_al, strip_value)'
        read t columns=a:b:c
        read t include-stats=some
        lookup t
        set t r
        set t r fq=1
        addtocell t r f:q=x@0
        addtocell t r f:q=
        checkandmutate t r
        readmodifywrite t r f q
        read t format-file=x.yml
        createtable t families=f:maxage=1x
        createtable t families=f:never:intsun
        setgcpolicy t f maxversion=1
        ls t u
        import t f batch-size=0
        help raed
        "#,
        expect![[r#"
            [raed] There is no command raed. Did you mean read?
            [setvaluetype] createtable and createfamily set the type of an aggregate family, which cannot be changed later: create another family (other types are not kept here)
            [listclusters] listclusters is for instances, clusters and profiles in Google Cloud, which do not exist here
            [] <table-id> is missing: read <table-id> [<option>=<value> ...]
            [coutn] There is no option coutn. Did you mean count?
            [limit] read has no option limit: count is the maximum number of rows, end is the key after the last one
            [many] count must be a whole number
            [b] "start"/"end" may not be mixed with "prefix"
            [a] a is not an option <name>=<value>: read <table-id> [<option>=<value> ...]
            [pass_al] In the filter: there is no filter `pass_al`. Did you mean `pass_all`?
            [a:b:c] a column has one colon: for a qualifier with colons use filter=column_qualifier_regex("…")
            [some] include-stats must be full
            [] <row-key> is missing: lookup <table-id> <row-key> [<option>=<value> ...]
            [] <family>:<column>=<val>[@<timestamp>] ... is missing: set <table-id> <row-key> <family>:<column>=<val>[@<timestamp>] ...
            [fq=1] a cell is <family>:<qualifier>=<value>[@<microseconds>]
            [f:q=x@0] the value to add must be a whole number: <family>:<column>=<val>[@<timestamp>]
            [f:q=] the value to add must be a whole number: <family>:<column>=<val>[@<timestamp>]
            [checkandmutate t r] true=<cell> or false=<cell> is missing: name a cell to set
            [readmodifywrite t r f q] write either append=<val> or increment=<delta>
            [x.yml] there are no format files here: use the command line, tabletop cbt
            [1x] "x" is not a unit of an age: use ms, s, m, h or d
            [intsun] There is no type intsun. Did you mean intsum?
            [maxversion] "maxversion" is not a policy. Did you mean maxversions?
            [u] unexpected argument u: ls [<table-id>]
            [0] batch-size must be a number from 1 to 99999
            [raed] There is no command raed. Did you mean read?
        "#]],
    );
    check(
        "set t 'r",
        expect![[r#"
        ['r] this quote is not closed: close it, or put \ before it
    "#]],
    );
}

#[test]
fn lines_of_scripts_are_used_unchanged() {
    check(
        "cbt -project p -instance=i createtable t\n# a comment\n\ncbt ls # another\n",
        expect![[r#"
        t
    "#]],
    );
    check(
        "help read\nhelp set",
        expect![[r#"
            Read rows

              cbt read <table-id> [start=<row-key>] [end=<row-key>] [prefix=<row-key-prefix>] [regex=<regex>] [reversed=<true|false>] [columns=<family>:<qualifier>,...] [count=<n>] [cells-per-column=<n>] [filter=<filter>] [keys-only=<true|false>] [include-stats=full] [format-file=<path-to-format-file>] [app-profile=<app-profile-id>]

              start=<row-key>                      from this row on
              end=<row-key>                        up to this row, which is not read
              prefix=<row-key-prefix>              only rows with this prefix
              regex=<regex>                        only rows whose whole key matches
              reversed=<true|false>                the last rows first
              columns=<family>:<qualifier>,...     only these columns; each part is a regex
              count=<n>                            at most this many rows
              cells-per-column=<n>                 at most this many versions of each column
              filter=<filter>                      a filter of the Bigtable API, such as "chain(family_name_regex(\"f\"), strip_value)"
              keys-only=<true|false>               omit the values
              include-stats=full                   print what was read, after the rows
              format-file=<path-to-format-file>    how values are shown (YAML), in the command line
              app-profile=<app-profile-id>         accepted, and ignored here
            Set value of a cell (write)

              cbt set <table-id> <row-key> [app-profile=<app-profile-id>] <family>:<column>=<val>[@<timestamp>] ...

              app-profile=<app-profile-id>         accepted, and ignored here
        "#]],
    );
}

#[test]
fn a_text_is_cut_into_commands() {
    let text = "ls\n  # no\nset t r \\\n f:q='a\nb' # end\n\n'ls' t\n";
    let commands: Vec<&str> =
        split(Language::Cbt, text).iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
    assert_eq!(commands, ["ls", "set t r \\\n f:q='a\nb'", "'ls' t"]);
}

#[test]
fn words_are_completed() {
    let known = [
        (String::from("events"), vec![String::from("clicks"), String::from("views")]),
        (String::from("e2"), vec![]),
    ];
    let offered = |line: &str| -> Vec<String> {
        let found = complete(Language::Cbt, line, line.len(), &known);
        found.into_iter().map(|completion| completion.text).collect()
    };
    assert_eq!(offered("re"), ["read", "readmodifywrite"]);
    assert_eq!(offered("cbt -instance i rea"), ["read", "readmodifywrite"]);
    assert_eq!(offered("read e"), ["events", "e2"]);
    assert_eq!(offered("read events co"), ["columns=", "count="]);
    assert_eq!(offered("read events columns=clicks:a,v"), ["columns=clicks:a,views:"]);
    assert_eq!(offered("read events reversed="), ["reversed=true", "reversed=false"]);
    assert_eq!(offered("deletefamily events "), ["clicks", "views"]);
    assert_eq!(offered("set events r c"), ["clicks:"]);
    assert_eq!(offered("help cr"), ["createfamily", "createtable"]);
    assert_eq!(offered("nothing "), Vec::<String>::new());
}
