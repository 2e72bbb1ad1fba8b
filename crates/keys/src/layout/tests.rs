use alloc::string::ToString;
use core::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use tabletop_model::{Mutation, escape, limits};

use super::*;
use crate::FieldKind;
use crate::{Field, Record, Template};

fn fields(list: &[(&str, FieldKind)]) -> Vec<Field> {
    list.iter().map(|(name, kind)| Field::new(*name, *kind)).collect()
}

fn event_fields() -> Vec<Field> {
    use FieldKind::{Facets, Text, Time};
    fields(&[
        ("app_id", Text),
        ("user_token", Text),
        ("timestamp", Time),
        ("event_type", Text),
        ("event_name", Text),
        ("object_id", Text),
        ("facets", Facets),
    ])
}

fn check(
    kind: LayoutKind,
    family_field: Option<&str>,
    fields: &[Field],
    template: &str,
    events: &[&[&str]],
    expected: Expect,
) {
    let (template, problems) = Template::parse(template, fields);
    assert_eq!(problems, []);
    let writer = LayoutWriter::new(
        &Layout { family_field: family_field.map(String::from), ..Layout::new(kind) },
        fields,
        &template,
    );
    let mut out = String::new();
    for (index, event) in events.iter().enumerate() {
        let values: Vec<Option<&str>> = event.iter().map(|text| (*text != "-").then_some(*text)).collect();
        let record = Record { fields, values: &values };
        match writer.write(&record, index as u64) {
            Err(error) => writeln!(out, "{}", error.message).unwrap(),
            Ok(row) => {
                writeln!(out, "{}", row.key).unwrap();
                for mutation in row.mutations {
                    let Mutation::SetCell { family, qualifier, timestamp, value } = mutation else {
                        panic!("{mutation:?}")
                    };
                    assert_eq!(family, writer.family_of(&record));
                    writeln!(out, "  {family}:{qualifier} @{timestamp} {}", escape(&value)).unwrap();
                }
            }
        }
    }
    expected.assert_eq(&out);
}

/// The two events of Algolia's article, with the facets that their objects' names suggest.
const SEED: [&[&str]; 2] = [
    &[
        "app",
        "user1",
        "2019-05-28",
        "click",
        "homepage",
        "black-apple-iphone",
        "brand:Apple|color:Black|brand:Apple",
    ],
    &["app", "user2", "2019-05-29", "click", "search", "red-samsung-s11", "brand:Samsung|color:Red"],
];

#[test]
fn the_narrow_schema_of_seed_000() {
    check(
        LayoutKind::Narrow,
        None,
        &event_fields(),
        "{app_id},{user_token},{timestamp:iso}",
        &SEED,
        expect![[r#"
        app,user1,2019-05-28T00:00:00.000Z
          click:homepage @1559001600000000 [["brand",":","Apple",2],["color",":","Black",1]]
        app,user2,2019-05-29T00:00:00.000Z
          click:search @1559088000000000 [["brand",":","Samsung",1],["color",":","Red",1]]
    "#]],
    );
}

#[test]
fn the_wide_schema_of_seed_000() {
    check(
        LayoutKind::Wide,
        None,
        &event_fields(),
        "{app_id},{user_token},{timestamp:iso}",
        &SEED,
        expect![[r#"
        app,user1,2019-05-28T00:00:00.000Z
          e:click,homepage,brand @1559001600000000 [[":","Apple",2]]
          e:click,homepage,color @1559001600000000 [[":","Black",1]]
        app,user2,2019-05-29T00:00:00.000Z
          e:click,search,brand @1559088000000000 [[":","Samsung",1]]
          e:click,search,color @1559088000000000 [[":","Red",1]]
    "#]],
    );
}

#[test]
fn events_of_one_entity_in_one_row() {
    check(
        LayoutKind::RowPerEntity,
        None,
        &event_fields(),
        "{app_id},{user_token},{timestamp:iso}",
        &SEED,
        expect![[r#"
        app,user1
          click:homepage @1559001600000000 {"app_id":"app","user_token":"user1","timestamp":"2019-05-28","event_type":"click","event_name":"homepage","object_id":"black-apple-iphone","facets":["brand:Apple","color:Black","brand:Apple"]}
        app,user2
          click:search @1559088000000000 {"app_id":"app","user_token":"user2","timestamp":"2019-05-29","event_type":"click","event_name":"search","object_id":"red-samsung-s11","facets":["brand:Samsung","color:Red"]}
    "#]],
    );
}

#[test]
fn events_with_odd_values_are_written() {
    let odd: [&[&str]; 3] = [
        &["app", "u", "2019-05-28", "-", "-", "-", "-"],
        &["app", "u", "1969-05-28", "click, twice", "say \"hi\"", "o", "a,b>=1|a,b<=2|a,b>=1"],
        &["app", "u", "soon", "click", "home", "o", "brand:Apple"],
    ];
    check(
        LayoutKind::Narrow,
        None,
        &event_fields(),
        "{app_id}",
        &odd,
        expect![[r#"
            app
              .: @1559001600000000 []
            app
              click.2c.20twice:say "hi" @1000 [["a,b",">=","1",2],["a,b","<=","2",1]]
            app
              click:home @2000 [["brand",":","Apple",1]]
        "#]],
    );
    check(
        LayoutKind::Wide,
        None,
        &event_fields(),
        "{app_id},{timestamp:iso}",
        &odd,
        expect![[r#"
            app,2019-05-28T00:00:00.000Z
              e:,, @1559001600000000 []
            app,1969-05-28T00:00:00.000Z
              e:"click, twice","say ""hi""","a,b" @1000 [[">=","1",2],["<=","2",1]]
            timestamp is "soon" here, which {timestamp:iso} cannot hold: it is not a time.
        "#]],
    );
}

#[test]
fn any_other_record() {
    use FieldKind::{Float, Int, Json, Text, Time};
    let fields = fields(&[("place", Text), ("mag", Float), ("at", Time), ("felt", Int), ("more", Json)]);
    let quakes: [&[&str]; 2] = [
        &["10 km N of X, CA", "4.50", "1559001874567", "007", "{\"a\":1}"],
        &["Fiji", "-", "-", "3", "nothing"],
    ];
    check(
        LayoutKind::Narrow,
        None,
        &fields,
        "{place}",
        &quakes,
        expect![[r#"
        10 km N of X, CA
          d:record @1559001874567000 {"place":"10 km N of X, CA","mag":4.50,"at":"1559001874567","felt":"007","more":{"a":1}}
        Fiji
          d:record @1000 {"place":"Fiji","felt":3,"more":"nothing"}
    "#]],
    );
    check(
        LayoutKind::Wide,
        None,
        &fields,
        "{place}",
        &quakes,
        expect![[r#"
        10 km N of X, CA
          d:place @1559001874567000 10 km N of X, CA
          d:mag @1559001874567000 4.50
          d:at @1559001874567000 1559001874567
          d:felt @1559001874567000 007
          d:more @1559001874567000 {"a":1}
        Fiji
          d:place @1000 Fiji
          d:felt @1000 3
          d:more @1000 nothing
    "#]],
    );
    check(
        LayoutKind::Narrow,
        Some("place"),
        &fields,
        "{place}",
        &quakes,
        expect![[r#"
        10 km N of X, CA
          10.20km.20N.20of.20X.2c.20CA:record @1559001874567000 {"place":"10 km N of X, CA","mag":4.50,"at":"1559001874567","felt":"007","more":{"a":1}}
        Fiji
          Fiji:record @1000 {"place":"Fiji","felt":3,"more":"nothing"}
    "#]],
    );
    check(
        LayoutKind::Wide,
        Some("felt"),
        &fields,
        "{at:iso}",
        &quakes,
        expect![[r#"
        2019-05-28T00:04:34.567Z
          007:place @1559001874567000 10 km N of X, CA
          007:mag @1559001874567000 4.50
          007:at @1559001874567000 1559001874567
          007:felt @1559001874567000 007
          007:more @1559001874567000 {"a":1}
        This event has no value for at, which its row key needs: add a value, or remove the event.
    "#]],
    );
    check(
        LayoutKind::RowPerEntity,
        Some("felt"),
        &fields,
        "{place}#{at}",
        &quakes,
        expect![[r#"
        10 km N of X, CA
          007:record @1559001874567000 {"place":"10 km N of X, CA","mag":4.50,"at":"1559001874567","felt":"007","more":{"a":1}}
        Fiji
          3:record @1000 {"place":"Fiji","felt":3,"more":"nothing"}
    "#]],
    );
}

#[test]
fn a_column_name_has_a_limit() {
    let long = "x".repeat(limits::QUALIFIER_BYTES_MAX + 1);
    let event: [&[&str]; 1] = [&["app", "u", "2019-05-28", "click", &long, "o", "a:1"]];
    check(
        LayoutKind::Narrow,
        None,
        &event_fields(),
        "{app_id}",
        &event,
        expect![[r#"
            A column's name would have 16385 bytes, but at most 16384 are allowed: choose a layout that does not use long texts as column names.
        "#]],
    );
}

proptest! {
    #[test]
    fn family_names_are_legal_and_never_shared(texts in proptest::collection::btree_set("[a-c._ \u{e9}]{0,4}|[ab.]{60,80}", 2..20)) {
        let mut names: Vec<String> = texts.iter().map(|text| family_name(text).into_owned()).collect();
        for name in &names {
            prop_assert!((1..=limits::FAMILY_NAME_CHARS_MAX).contains(&name.len()), "{}", name);
            prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)), "{}", name);
        }
        names.sort();
        names.dedup();
        prop_assert_eq!(names.len(), texts.len());
    }

    #[test]
    fn the_narrow_value_counts_every_facet(facets in proptest::collection::vec("[ab][:=<][12]", 0..40)) {
        let fields = event_fields();
        let text = facets.join("|");
        let values = [Some("a"), Some("u"), None, Some("click"), Some("home"), None, Some(&text[..])];
        let record = Record { fields: &fields, values: &values };
        let (template, _) = Template::parse("{app_id}", &fields);
        let mut counted: Vec<(String, u32)> = Vec::new();
        for facet in &facets {
            match counted.iter_mut().find(|(known, _)| known == facet) {
                Some((_, count)) => *count += 1,
                None => counted.push((facet.clone(), 1)),
            }
        }
        let value_of = |kind: LayoutKind| {
            let writer = LayoutWriter::new(&Layout::new(kind), &fields, &template);
            writer.write(&record, 0).unwrap().mutations
        };
        for mutation in value_of(LayoutKind::Narrow) {
            let Mutation::SetCell { value, .. } = mutation else { unreachable!() };
            let read: Vec<(String, String, String, u32)> = serde_json::from_slice(&value).unwrap();
            let read: Vec<(String, u32)> = read.into_iter().map(|(name, operator, value, count)| (name + &operator + &value, count)).collect();
            prop_assert_eq!(&read, &counted);
        }
        let mut wide: Vec<(String, u32)> = Vec::new();
        for mutation in value_of(LayoutKind::Wide) {
            let Mutation::SetCell { qualifier, value, .. } = mutation else { unreachable!() };
            let name = qualifier.to_string().rsplit(',').next().unwrap().to_string();
            let read: Vec<(String, String, u32)> = serde_json::from_slice(&value).unwrap();
            wide.extend(read.into_iter().map(|(operator, value, count)| (name.clone() + &operator + &value, count)));
        }
        wide.sort();
        counted.sort();
        prop_assert_eq!(wide, counted);
    }
}

#[test]
fn events_that_replace_each_other_have_one_identity() {
    let fields = fields(&[("user", FieldKind::Text), ("time", FieldKind::Time), ("name", FieldKind::Text)]);
    let (template, _) = Template::parse("{user}", &fields);
    let events = [
        ["u", "2020-01-01", "a"],
        ["u", "2020-01-01", "b"],
        ["u", "2020-01-02", "a"],
        ["v", "2020-01-01", "a"],
    ];
    let distinct = |kind| {
        let writer = LayoutWriter::new(
            &Layout { family_field: Some("name".into()), ..Layout::new(kind) },
            &fields,
            &template,
        );
        let identity = |event: &[&str; 3]| {
            let values = event.map(Some);
            writer.identity(kind, &Record { fields: &fields, values: &values }, 0)
        };
        let identities: Vec<_> = events.iter().map(|event| identity(event).unwrap()).collect();
        identities
            .iter()
            .map(|one| identities.iter().position(|other| other == one).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(distinct(LayoutKind::Narrow), [0, 0, 0, 3], "the key only");
    assert_eq!(distinct(LayoutKind::RowPerEntity), [0, 1, 2, 3], "the family and the time, too");
}
