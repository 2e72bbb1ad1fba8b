//! The exported commands and code.

use alloc::string::String;
use alloc::vec;

use expect_test::{Expect, expect};
use tabletop_model::{Aggregate, ColumnFamily, GcRule, RowKey};

use super::{Export, ExportInput, ExportTable, Lang};
use tabletop_keys::{
    CellTime, Column, Encoding, Field, FieldKind, Layout, LayoutKind, Query, RowChoice, Template,
};

const DAY: i64 = 86_400_000_000;

fn written(export: Export) -> String {
    written_with(export, &["0-m".into(), b"1-\xff".into(), "1-o'neil, \"x\"${y}".into()])
}

fn written_with(export: Export, splits: &[RowKey]) -> String {
    let fields = [("user", FieldKind::Text), ("ts", FieldKind::Time)];
    let fields = fields.map(|(name, kind)| Field::new(name, kind));
    let (template, _) = Template::parse("{salt(2)}-{user}#{ts:reverse_time}", &fields);
    let age = GcRule::MaxAge { micros: 7 * DAY };
    let rules = [
        ("click", GcRule::Union(vec![age.clone(), GcRule::MaxVersions(2)])),
        (".", GcRule::KeepAll),
        (
            "view",
            GcRule::Union(vec![
                GcRule::MaxVersions(9),
                GcRule::Intersection(vec![age, GcRule::MaxVersions(1)]),
            ]),
        ),
    ];
    let mut families = rules
        .map(|(name, gc_rule)| ColumnFamily { name: name.into(), gc_rule, ..ColumnFamily::default() })
        .to_vec();
    families.push(ColumnFamily { aggregate: Some(Aggregate::Sum), ..ColumnFamily::new("sums") });
    let equals = vec![("user".into(), "o'neil".into())];
    let query = Query {
        rows: RowChoice::Fields { equals, from: None, until: None },
        filter: Some(tabletop_model::RowFilter::CellsPerColumnLimit(1)),
        rows_limit: 10,
        reversed: false,
    };
    let table = ExportTable {
        id: "events",
        template: &template,
        layout: &Layout::new(LayoutKind::Narrow),
        families: &families,
        splits,
        queries: &[("Events of a user", &query)],
    };
    export.write(&ExportInput { project: "my-project", instance: "my-instance", tables: &[table] })
}

fn check(export: Export, expected: Expect) {
    expected.assert_eq(&written(export));
}

#[test]
fn a_script_of_cbt() {
    check(
        Export::Cbt,
        expect![[r##"
        #!/usr/bin/env bash
        # Creates the table events with cbt (gcloud components install cbt).
        set -euo pipefail

        cbt=(cbt -project my-project -instance my-instance)

        # Splits that are not text: 1. They are cut to the part that an argument can contain.
        "${cbt[@]}" createtable events families=sums:never:intsum 'splits=0-m,1-,"1-o'\''neil, ""x""${y}"'
        "${cbt[@]}" createfamily events click
        "${cbt[@]}" setgcpolicy events click maxage=7d or maxversions=2
        "${cbt[@]}" createfamily events .
        "${cbt[@]}" setgcpolicy events . never
        "${cbt[@]}" createfamily events view
        "${cbt[@]}" setgcpolicy events view maxage=7d and maxversions=1 or maxversions=9

        # tabletop push writes the rows. A script of cbt does so too; for a table in a data folder this command writes one:
        # tabletop export --data DIR --format cbt events
    "##]],
    );
}

#[test]
fn a_script_of_gcloud() {
    check(
        Export::Gcloud,
        expect![[r##"
        #!/usr/bin/env bash
        # Creates the table events with gcloud.
        set -euo pipefail

        # gcloud cannot express the rule of view: set it with Terraform.
        # sums is a family of aggregates, which gcloud cannot create: create it with Terraform.
        # Splits that are not text: 1. They are cut to the part that an argument can contain.
        gcloud bigtable instances tables create events \
          --project=my-project \
          --instance=my-instance \
          --column-families='click:maxage=7d||maxversions=2,.,view' \
          --splits='^;^0-m;1-;1-o'\''neil, "x"${y}'
    "##]],
    );
}

#[test]
fn splits_that_gcloud_would_read_otherwise() {
    let last_line = |splits: &[RowKey]| {
        String::from(written_with(Export::Gcloud, splits).lines().last().unwrap_or_default())
    };
    assert_eq!(last_line(&["a^b".into(), "c".into()]), "  --splits='a^b,c'");
    // ^;^ at the beginning would name the semicolon as the separator.
    assert_eq!(last_line(&["^;^a".into(), "c".into()]), "  --splits='^,^^;^a,c'");
}

#[test]
fn a_configuration_of_terraform() {
    check(
        Export::Terraform,
        expect![[r##"
        # The table events, written by Tabletop.

        resource "google_bigtable_table" "table" {
          project       = "my-project"
          instance_name = "my-instance"
          name          = "events"
          # Splits that are not text: 1. They are cut to the part that a string can contain.
          split_keys = [
            "0-m",
            "1-",
            "1-o'neil, \"x\"$${y}",
          ]

          column_family {
            family = "click"
          }

          column_family {
            family = "."
          }

          column_family {
            family = "view"
          }

          column_family {
            family = "sums"
            type   = "intsum"
          }

          # Changing the splits would replace the table.
          lifecycle {
            prevent_destroy = true
          }
        }

        resource "google_bigtable_gc_policy" "family_0" {
          project         = "my-project"
          instance_name   = "my-instance"
          table           = google_bigtable_table.table.name
          column_family   = "click"
          deletion_policy = "ABANDON"

          gc_rules = jsonencode({
            mode = "union"
            rules = [
              { max_age = "168h" },
              { max_version = 2 },
            ]
          })
        }

        resource "google_bigtable_gc_policy" "family_2" {
          project         = "my-project"
          instance_name   = "my-instance"
          table           = google_bigtable_table.table.name
          column_family   = "view"
          deletion_policy = "ABANDON"

          gc_rules = jsonencode({
            mode = "union"
            rules = [
              { max_version = 9 },
              {
                mode = "intersection"
                rules = [
                  { max_age = "168h" },
                  { max_version = 1 },
                ]
              },
            ]
          })
        }
    "##]],
    );
}

#[test]
fn commands_of_hbase() {
    check(
        Export::HBase,
        expect![[r##"
        # The table events, for the HBase shell: hbase shell table.hbase
        # HBase itself accepts no family that begins with a dot, such as .; Bigtable does.
        # HBase cannot express the rule of view: the family keeps all.
        # sums is a family of aggregates, which HBase does not have.
        create 'events', {NAME => 'click', VERSIONS => 2, TTL => 604800}, {NAME => '.', VERSIONS => 2147483647}, {NAME => 'view', VERSIONS => 2147483647}, {NAME => 'sums', VERSIONS => 2147483647}, SPLITS => ['0-m', '1-\xFF', '1-o\x27neil, "x"${y}']
    "##]],
    );
}

#[test]
fn split_points_at_old_times_are_warned_of() {
    let fields = [Field::new("user", FieldKind::Text), Field::new("at", FieldKind::Time)];
    let warning = |template: &str, splits: &[RowKey]| {
        let (template, problems) = Template::parse(template, &fields);
        assert_eq!(problems, []);
        let (families, queries) = ([], []);
        let layout = Layout::new(LayoutKind::Narrow);
        let (families, queries) = (&families, &queries);
        ExportTable { id: "events", template: &template, layout: &layout, families, splits, queries }
            .splits_warning()
    };
    let splits = [RowKey::from("2026")];
    let found = warning("{at:iso}#{user}", &splits);
    assert!(found.is_some_and(|text| text.starts_with("The row key begins with a time")), "{found:?}");
    assert_eq!(warning("{at:iso}#{user}", &[]), None);
    assert!(warning("log#{at:iso}#{user}", &splits).is_some(), "all keys have the literal");
    let says =
        |template: &str, side: &str| warning(template, &splits).is_some_and(|text| text.contains(side));
    assert!(says("{at:bucket(1h):iso}#{user}", "new rows come after all"));
    assert!(says("{at:reverse_time}#{user}", "new rows come before all"));
    assert!(says("{at:bucket(1h):reverse_time}#{user}", "new rows come before all"));
    assert_eq!(warning("{user}#{at:iso}", &splits), None);
    assert_eq!(
        warning("{salt(8)}-{at:iso},{user}", &splits),
        None,
        "a key of a low salt comes before the keys of others"
    );
}

#[test]
fn queries_on_families_that_aggregate_compare_no_values() {
    let fields = [Field::new("user", FieldKind::Text), Field::new("kind", FieldKind::Text)];
    let (template, _) = Template::parse("{user}", &fields);
    let column = Column {
        family: "counts".into(),
        qualifier: "{kind}".into(),
        value: "1".into(),
        time: CellTime::Zero,
    };
    let layout = Layout { columns: vec![column], ..Layout::new(LayoutKind::Columns) };
    let rows = RowChoice::Fields { equals: vec![("kind".into(), "buy".into())], from: None, until: None };
    let query = Query { rows, filter: None, rows_limit: 0, reversed: false };
    let text = |aggregate, export: Export| {
        let families = [ColumnFamily { aggregate, ..ColumnFamily::new("counts") }];
        let queries = [("buys", &query)];
        let table = ExportTable {
            id: "events",
            template: &template,
            layout: &layout,
            families: &families,
            splits: &[],
            queries: &queries,
        };
        export.write(&ExportInput { project: "my-project", instance: "my-instance", tables: &[table] })
    };
    for lang in [Lang::Python, Lang::Java, Lang::Go, Lang::Node, Lang::Rust] {
        let (own, sums) =
            (text(None, Export::Queries(lang)), text(Some(Aggregate::Sum), Export::Queries(lang)));
        assert!(own.contains("buy") && sums.contains("buy"), "{lang:?}: {sums}");
        assert!(!own.contains("C*") && sums.contains("C*"), "{lang:?}: {own} {sums}");
    }
    assert!(text(Some(Aggregate::Sum), Export::Gcloud).ends_with("exit 1\n"));
}

#[test]
fn a_key_in_python() {
    let text = written(Export::Key(Lang::Python));
    let (head, _) = text.split_once("\n\n\ndef field").expect("the function is first");
    expect![[r##"
        # The row keys of a Bigtable table, written by Tabletop.
        # Table events, template {salt(2)}-{user}#{ts:reverse_time}
        # An event is a map from the names of its fields to their texts; a field without a value is not in the map.

        import re


        def row_key(event):
            """The bytes of an event's row key."""
            parts = [
                utf8(field(event, "user")),
                b"#",
                utf8(time_text(time_millis(field(event, "ts")), "reverse_time")),
            ]
            logical = b"".join(parts)
            salt = xxh64(logical) % 2
            key = b"%01d" % salt + b"-" + logical
            if not logical or len(key) > 4096:
                raise ValueError(f"a row key has 1 to 4096 bytes, not {len(key)}")
            return key"##]]
    .assert_eq(head);
}

#[test]
fn queries_in_go() {
    let text = written(Export::Queries(Lang::Go));
    let (head, _) = text.split_once("\n\n// rowSet is").expect("the functions are first");
    expect![[r##"
        // The queries of table events, written by Tabletop.
        // They need Go 1.22 or newer and row_key.go.
        package rowkey

        import (
        	"context"
        	"errors"
        	"fmt"
        	"slices"
        	"strings"
        	"sync"
        	"time"

        	"cloud.google.com/go/bigtable"
        )

        // saltBytes is the bytes of a key before its logical part, which the order of the rows ignores.
        const saltBytes = 2

        // OpenTable connects to the table.
        func OpenTable(ctx context.Context) (*bigtable.Table, error) {
        	client, err := bigtable.NewClient(ctx, "my-project", "my-instance")
        	if err != nil {
        		return nil, err
        	}
        	return client.Open("events"), nil
        }

        // Events of a user: at most 10 rows
        // user: texts as in the events.
        func ReadEventsOfAUser(ctx context.Context, table *bigtable.Table, user string) (rows []bigtable.Row, err error) {
        	defer keepError(&err)
        	parts := [][]byte{utf8(user), utf8("#")}
        	logical := slices.Concat(parts...)
        	rowSets := rowsWithin(allSalts(2, 1, "-"), endsOf(logical))
        	filter := bigtable.LatestNFilter(1)
        	return read(ctx, table, rowSets, filter, 10, false, logicalKey)
        }

        // logicalKey is a key without its salt.
        func logicalKey(key string) string { return key[saltBytes:] }

        // keepError makes the reason why a value has no key the error of a function.
        func keepError(err *error) {
        	if why := recover(); why != nil {
        		keyErr, ok := why.(keyError)
        		if !ok {
        			panic(why)
        		}
        		*err = keyErr
        	}
        }

        // millisOf is the milliseconds since 1970, rounded up.
        func millisOf(at time.Time) int64 { return at.Add(-1).UnixMilli() + 1 }

        // endsOf is the ends of the keys that begin with a text; an empty end is none.
        func endsOf(low []byte) [2]string { return endsBetween(low, low) }

        // endsBetween is the ends of the keys that begin with a text from low to high.
        func endsBetween(low, high []byte) [2]string {
        	end := slices.Clone(high)
        	for len(end) > 0 && end[len(end)-1] == 0xff {
        		end = end[:len(end)-1]
        	}
        	if len(end) > 0 {
        		end[len(end)-1]++
        	}
        	return [2]string{string(low), string(end)}
        }

        // timeEnds is the ends of the keys with a time of [start, end) after the head. The format has times from first to last.
        func timeEnds(head []byte, start, end *time.Time, first, last int64, text func(int64) []byte, backward bool) [2]string {
        	low, high := first, last
        	if start != nil {
        		low = max(first, millisOf(*start))
        	}
        	if end != nil {
        		high = min(last, millisOf(*end)-1)
        	}
        	if low > high {
        		return [2]string{"1", "0"}
        	}
        	var from, to []byte
        	if low > first {
        		from = text(low)
        	}
        	if high < last {
        		to = text(high)
        	}
        	if backward {
        		from, to = to, from
        	}
        	return endsBetween(slices.Concat(head, from), slices.Concat(head, to))
        }

        // rowsWithin is the row sets of the keys between two ends, after each prefix.
        func rowsWithin(prefixes [][]byte, ends [2]string) []rowSet {
        	if ends[1] != "" && ends[0] >= ends[1] {
        		return nil
        	}
        	var sets []rowSet
        	for _, prefix := range prefixes {
        		end := endsOf(prefix)[1]
        		if ends[1] != "" {
        			end = string(prefix) + ends[1]
        		}
        		sets = append(sets, rowSet{nil, [][2]string{{string(prefix) + ends[0], end}}})
        	}
        	return sets
        }

        func singleRows(prefixes [][]byte, key []byte) []rowSet {
        	var sets []rowSet
        	for _, prefix := range prefixes {
        		sets = append(sets, rowSet{[]string{string(prefix) + string(key)}, nil})
        	}
        	return sets
        }

        func allSalts(count, width int, separator string) [][]byte {
        	var salts [][]byte
        	for salt := range count {
        		salts = append(salts, []byte(fmt.Sprintf("%0*d", width, salt)+separator))
        	}
        	return salts
        }"##]]
    .assert_eq(head);
}

#[test]
fn each_language_decodes_values_in_each_encoding() {
    let fields = [
        Field::new("user", FieldKind::Text),
        Field::new("event_type", FieldKind::Text),
        Field::new("event_name", FieldKind::Text),
        Field::new("facets", FieldKind::Facets),
    ];
    let (template, _) = Template::parse("{user}", &fields);
    let queries = |lang: Lang, kind: LayoutKind, encoding: Encoding| {
        let layout = Layout { encoding, ..Layout::new(kind) };
        let table = ExportTable {
            id: "events",
            template: &template,
            layout: &layout,
            families: &[],
            splits: &[],
            queries: &[],
        };
        Export::Queries(lang).write(&ExportInput { project: "p", instance: "i", tables: &[table] })
    };
    for lang in Lang::ALL {
        let name = match lang {
            Lang::Python | Lang::Rust => "decode_value",
            Lang::Java | Lang::Node => "decodeValue",
            Lang::Go => "DecodeValue",
        };
        for kind in [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity] {
            assert!(!queries(lang, kind, Encoding::Json).contains(name), "JSON needs no code");
            for encoding in [Encoding::Protobuf, Encoding::CompactList, Encoding::MessagePack] {
                let code = queries(lang, kind, encoding);
                assert!(
                    code.contains(name) && !code.contains("TEXTS"),
                    "{lang:?} {kind:?} {encoding:?}: {code}"
                );
                let has_fields = kind == LayoutKind::RowPerEntity && encoding != Encoding::MessagePack;
                assert_eq!(
                    code.contains(r#""user", "event_type", "event_name", "facets""#),
                    has_fields,
                    "{code}"
                );
            }
        }
        assert!(
            !queries(lang, LayoutKind::Columns, Encoding::Protobuf).contains(name),
            "texts have no encoding"
        );
    }
}
