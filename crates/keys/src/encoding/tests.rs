use alloc::format;

use expect_test::{Expect, expect};
use proptest::collection::vec as some;
use proptest::prelude::*;
use tabletop_model::{Mutation, escape};

use super::*;
use crate::{LayoutKind, LayoutWriter, Template};

fn fields() -> Vec<Field> {
    use FieldKind::{Bool, Facets, Float, Int, Json, Text, Time};
    let list = [
        ("app_id", Text),
        ("timestamp", Time),
        ("event_type", Text),
        ("event_name", Text),
        ("facets", Facets),
        ("price", Float),
        ("count", Int),
        ("paid", Bool),
        ("more", Json),
    ];
    list.map(|(name, kind)| Field::new(name, kind)).into()
}

/// Checks the values of an event's cells in each encoding.
fn check(kind: LayoutKind, values: &[Option<&str>], expected: Expect) {
    let fields = fields();
    let mut out = String::new();
    for encoding in Encoding::ALL {
        let (template, _) = Template::parse("{app_id}", &fields);
        let writer = LayoutWriter::new(&Layout { encoding, ..Layout::new(kind) }, &fields, &template);
        let row = writer.write(&Record { fields: &fields, values }, 0).expect("a row");
        for mutation in row.mutations {
            let Mutation::SetCell { qualifier, value, .. } = mutation else { panic!("{mutation:?}") };
            out.push_str(&format!("{encoding:?} {qualifier} {} {}\n", value.len(), escape(&value)));
        }
    }
    expected.assert_eq(&out);
}

const EVENT: [Option<&str>; 9] = [
    Some("a"),
    Some("2019-05-28"),
    Some("click"),
    Some("home"),
    Some("brand:Apple|brand:Apple|color:Black"),
    Some("4.50"),
    None,
    Some("true"),
    Some("{\"a\": 1}"),
];

/// The expected bytes were derived manually from the specifications of the formats.
#[test]
fn counts_have_these_bytes() {
    check(
        LayoutKind::Narrow,
        &EVENT,
        expect![[r#"
            Json home 49 [["brand",":","Apple",2],["color",":","Black",1]]
            Protobuf home 42 \n\x13\n\x05brand\x12\x01:\x1a\x05Apple \x02\n\x13\n\x05color\x12\x01:\x1a\x05Black \x01
            CompactList home 31 \x02\x05brand\x01:\x05Apple\x02\x05color\x01:\x05Black\x01
            MessagePack home 33 \x92\x94\xa5brand\xa1:\xa5Apple\x02\x94\xa5color\xa1:\xa5Black\x01
        "#]],
    );
    check(
        LayoutKind::Wide,
        &EVENT,
        expect![[r#"
            Json click,home,brand 17 [[":","Apple",2]]
            Json click,home,color 17 [[":","Black",1]]
            Protobuf click,home,brand 14 \n\x0c\x12\x01:\x1a\x05Apple \x02
            Protobuf click,home,color 14 \n\x0c\x12\x01:\x1a\x05Black \x01
            CompactList click,home,brand 10 \x01\x01:\x05Apple\x02
            CompactList click,home,color 10 \x01\x01:\x05Black\x01
            MessagePack click,home,brand 11 \x91\x93\xa1:\xa5Apple\x02
            MessagePack click,home,color 11 \x91\x93\xa1:\xa5Black\x01
        "#]],
    );
}

#[test]
fn events_have_these_bytes() {
    let event = [Some("a"), None, Some("view"), Some("p"), Some("x:1|y:2"), None, Some("7"), None, None];
    check(
        LayoutKind::RowPerEntity,
        &event,
        expect![[r#"
            Json p 84 {"app_id":"a","event_type":"view","event_name":"p","facets":["x:1","y:2"],"count":7}
            Protobuf p 25 \n\x01a\x1a\x04view"\x01p*\x03x:1*\x03y:2:\x017
            CompactList p 29 \t\x01\x01a\x00\x01\x04view\x01\x01p\x02\x03x:1\x03y:2\x00\x01\x017\x00\x00
            MessagePack p 63 \x85\xa6app_id\xa1a\xaaevent_type\xa4view\xaaevent_name\xa1p\xa6facets\x92\xa3x:1\xa3y:2\xa5count\xa17
        "#]],
    );
}

#[test]
fn the_fewest_bytes_are_those_of_the_compact_list() {
    let counts = FacetCount::all_of("brand:Apple|brand:Apple|color:Black|price>=10");
    let bytes = |encoding: Encoding| {
        let mut out = Vec::new();
        encoding.push_counts(&counts, FacetNames::InValue, &mut out);
        out.len()
    };
    let [json, protobuf, compact, message_pack] = Encoding::ALL.map(bytes);
    assert!(
        compact < message_pack && message_pack < protobuf && protobuf < json,
        "{:?}",
        Encoding::ALL.map(bytes)
    );
}

#[test]
fn values_of_each_layout_are_shown_as_json() {
    let fields = fields();
    for kind in [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity] {
        let shown = Encoding::ALL.map(|encoding| {
            let layout = Layout { encoding, ..Layout::new(kind) };
            let (template, _) = Template::parse("{app_id}", &fields);
            let row = LayoutWriter::new(&layout, &fields, &template)
                .write(&Record { fields: &fields, values: &EVENT }, 0);
            let values = EncodedValues::of(&layout, &fields).expect("it has composite values");
            let json = |mutation| match mutation {
                Mutation::SetCell { value, .. } => values.json(&value).expect("the layout has written it"),
                other => panic!("{other:?}"),
            };
            row.expect("a row").mutations.into_iter().map(json).collect::<Vec<_>>()
        });
        assert!(shown.iter().all(|shown| *shown == shown_as_json(kind, &fields)), "{kind:?}: {shown:?}");
    }
    let plain = [Field::new("a", FieldKind::Text), Field::new("b", FieldKind::Int)];
    assert_eq!(
        EncodedValues::of(&Layout::new(LayoutKind::Wide), &plain),
        None,
        "a cell for each field has its text"
    );
    assert_eq!(EncodedValues::of(&Layout::new(LayoutKind::Columns), &fields), None);
}

fn shown_as_json(kind: LayoutKind, fields: &[Field]) -> Vec<String> {
    let (template, _) = Template::parse("{app_id}", fields);
    let row =
        LayoutWriter::new(&Layout::new(kind), fields, &template).write(&Record { fields, values: &EVENT }, 0);
    let text = |mutation| match mutation {
        Mutation::SetCell { value, .. } => String::from_utf8(value.to_vec()).expect("JSON is text"),
        other => panic!("{other:?}"),
    };
    row.expect("a row").mutations.into_iter().map(text).collect()
}

#[test]
fn a_layout_of_an_earlier_build_has_json() {
    let read: Layout = serde_json::from_str(r#"{"kind":"narrow","family_field":null,"columns":[]}"#)
        .expect("it is complete");
    assert_eq!(read, Layout::new(LayoutKind::Narrow));
    let other =
        serde_json::to_string(&Layout { encoding: Encoding::CompactList, ..read }).expect("plain data");
    assert!(other.ends_with(r#","encoding":"compact_list"}"#), "{other}");
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-c\"\\\\]{1,3}", "\\PC{0,20}", "[x]{30,300}"]
}

fn texts() -> impl Strategy<Value = Vec<Option<String>>> {
    let facets = some("[a-d]{1,2}(:|=|!=|<|<=|>|>=)[1-3\u{e9}]{1,40}", 1..20)
        .prop_map(|facets| Some(facets.join("|")));
    let others = some(proptest::option::of(text()), 8);
    (others, facets).prop_map(|(mut others, facets)| {
        others.insert(4, facets);
        others
    })
}

proptest! {
    #[test]
    fn counts_come_back_from_each_encoding(
        counts in some((text(), text(), text(), 1..u32::MAX), 0..20)
    ) {
        for names in [FacetNames::InValue, FacetNames::InColumn] {
            let counted = |(name, operator, value, count): &(String, String, String, u32)| FacetCount {
                name: if names == FacetNames::InValue { name.clone().into() } else { Cow::Borrowed("") },
                operator: operator.clone().into(),
                value: value.clone().into(),
                count: *count,
            };
            let counts: Vec<FacetCount<'_>> = counts.iter().map(counted).collect();
            for encoding in Encoding::ALL {
                let mut value = Vec::new();
                encoding.push_counts(&counts, names, &mut value);
                prop_assert_eq!(encoding.counts(&value, names), Some(counts.clone()), "{:?}", encoding);
            }
        }
    }

    #[test]
    fn events_come_back_from_each_encoding(texts in texts()) {
        let fields = fields();
        let values: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let event = Record { fields: &fields, values: &values };
        let mut json = Vec::new();
        Encoding::Json.push_event(&event, &mut json);
        let facets = Encoding::Json.event_facets(&json, &fields, 4).expect("it is JSON");
        for encoding in Encoding::ALL {
            let mut value = Vec::new();
            encoding.push_event(&event, &mut value);
            let shown = encoding.event_json(&value, &fields).map(Cow::into_owned).map(String::from_utf8);
            prop_assert_eq!(shown, Some(Ok(String::from_utf8(json.clone()).unwrap())), "{:?}", encoding);
            prop_assert_eq!(encoding.event_facets(&value, &fields, 4), Some(facets.clone()), "{:?}", encoding);
        }
    }

    /// A manual write can contain any value.
    #[test]
    fn any_bytes_are_read_or_refused(value in some(any::<u8>(), 0..60)) {
        let fields = fields();
        for encoding in Encoding::ALL {
            for names in [FacetNames::InValue, FacetNames::InColumn] {
                encoding.counts(&value, names);
            }
            encoding.event_facets(&value, &fields, 4);
            encoding.event_json(&value, &fields);
        }
    }

    /// The JSON that the layouts write themselves, which the first view uses, is the same as the
    /// JSON of this module.
    #[test]
    fn json_has_one_form(facets in some("[ab\"][:=<][12]", 0..20)) {
        let text = facets.join("|");
        let (fields, (template, _)) = (fields(), Template::parse("{app_id}", &fields()));
        let mut values = EVENT;
        values[4] = Some(&text);
        let row = LayoutWriter::new(&Layout::new(LayoutKind::Narrow), &fields, &template)
            .write(&Record { fields: &fields, values: &values }, 0).expect("a row");
        let Mutation::SetCell { value, .. } = &row.mutations[0] else { unreachable!() };
        let mut out = Vec::new();
        Encoding::Json.push_counts(&FacetCount::all_of(&text), FacetNames::InValue, &mut out);
        prop_assert_eq!(escape(&out), escape(value));
    }
}
