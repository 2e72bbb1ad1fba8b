use tabletop_keys::LayoutWriter;
use tabletop_model::{Bytes, Mutation, RowKey};

use super::*;

fn fields() -> Vec<Field> {
    [
        ("app_id", FieldKind::Text),
        ("user_token", FieldKind::Text),
        ("timestamp", FieldKind::Time),
        ("event_type", FieldKind::Text),
        ("event_name", FieldKind::Text),
        ("object_id", FieldKind::Text),
        ("price", FieldKind::Float),
        ("facets", FieldKind::Facets),
    ]
    .map(|(name, kind)| Field::new(name, kind))
    .into()
}

fn events() -> Vec<[Option<&'static str>; 8]> {
    let event = |time, of, name, price, facets| {
        [Some("a"), Some("u"), Some(time), Some(of), Some(name), Some("o-1"), price, Some(facets)]
    };
    vec![
        event(
            "2019-05-28T00:04:34.123Z",
            "click",
            "search",
            Some("1.50"),
            "brand:Apple|color:Red|color:Black|color:Red",
        ),
        event(
            "2019-05-28T00:04:35Z",
            "con.ver sion",
            "a,\"b\"",
            None,
            r#"["x,y:1|2","price>=10"," plain "]"#,
        ),
        event("1559001876000", "view", "", Some("-3"), ""),
    ]
}

fn rows(kind: LayoutKind, template: &str) -> (StoredEvents, Vec<Row>) {
    rows_of(&Layout::new(kind), template)
}

fn rows_of(layout: &Layout, template: &str) -> (StoredEvents, Vec<Row>) {
    let fields = fields();
    let (template, problems) = Template::parse(template, &fields);
    assert_eq!(problems, []);
    let writer = LayoutWriter::new(layout, &fields, &template);
    let mut rows: Vec<Row> = Vec::new();
    for values in events() {
        let row = writer.write(&Record { fields: &fields, values: &values }, 0).expect("a row");
        let cell = |mutation| match mutation {
            Mutation::SetCell { family, qualifier, timestamp, value } => {
                Cell { family, qualifier, timestamp, value, label: None }
            }
            other => panic!("{other:?}"),
        };
        let cells = row.mutations.into_iter().map(cell);
        match rows.iter_mut().find(|known| known.key == row.key) {
            Some(known) => known.cells.extend(cells),
            None => rows.push(Row { key: row.key, cells: cells.collect() }),
        }
    }
    (StoredEvents::new(layout, &fields, &template).expect("it can be read back"), rows)
}

#[test]
fn what_a_layout_writes_is_read_back() {
    let kinds = [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity];
    for (kind, encoding) in kinds.into_iter().flat_map(|kind| Encoding::ALL.map(|encoding| (kind, encoding)))
    {
        for template in [
            "{app_id},{user_token},{timestamp:iso}",
            "{salt(4)}-{app_id},{user_token},{timestamp:iso}",
            "{timestamp:reverse_time}#{app_id}#{user_token:reverse}",
            "{app_id},{user_token}",
        ] {
            let (stored, rows) = rows_of(&Layout { encoding, ..Layout::new(kind) }, template);
            let all_kept = kind == LayoutKind::RowPerEntity;
            assert_eq!(
                stored.kept(),
                [true, true, true, true, true, all_kept, all_kept, true],
                "{kind:?} {template}"
            );
            let read = stored.read(&rows).expect("it is readable");
            let canonical = |event: &[Option<String>]| stored.canonical(event, stored.kept());
            let mut found: Vec<Vec<String>> = read.iter().map(|event| canonical(event)).collect();
            let mut expected: Vec<Vec<String>> =
                events().iter().map(|event| canonical(&event.map(|text| text.map(str::to_owned)))).collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{kind:?} {encoding:?} {template}");
        }
    }
}

#[test]
fn a_field_that_only_the_key_changes_is_not_kept() {
    let (stored, _) = rows(LayoutKind::Wide, "{app_id:hash},{user_token:upper},{timestamp:iso}");
    assert_eq!(stored.kept()[..3], [false, false, true]);
}

#[test]
fn cells_of_others_are_an_error_that_names_the_row() {
    for (kind, family) in
        [(LayoutKind::Narrow, "click"), (LayoutKind::Wide, "e"), (LayoutKind::RowPerEntity, "click")]
    {
        let (stored, _) = rows(kind, "{app_id},{user_token},{timestamp:iso}");
        for value in ["", "[", "{}x", "[[1]]", "{\"other\":1}", "\u{0}"] {
            let cell = Cell {
                family: family.into(),
                qualifier: Bytes::from("a,b,c"),
                timestamp: 0,
                value: value.as_bytes().into(),
                label: None,
            };
            let row = Row { key: RowKey::from("a,u,2019-05-28T00:04:34.123Z"), cells: vec![cell] };
            let error = stored.read(&[row]).expect_err(value);
            assert!(
                error.code == Code::DataLoss && error.message.contains("a,u,2019"),
                "{kind:?} {value}: {error}"
            );
        }
    }
    let columns = StoredEvents::new(
        &Layout::new(LayoutKind::Columns),
        &fields(),
        &Template::parse("{app_id}", &fields()).0,
    );
    assert!(columns.expect_err("it is refused").message.contains("Custom columns"));
    let untimed = StoredEvents::new(
        &Layout::new(LayoutKind::Wide),
        &fields()[..2],
        &Template::parse("{app_id}", &fields()).0,
    );
    assert!(untimed.expect_err("it is refused").message.contains("no time"));
}

#[test]
fn cells_in_another_encoding_are_an_error_that_names_the_row() {
    let template = "{app_id},{user_token},{timestamp:iso}";
    for kind in [LayoutKind::Narrow, LayoutKind::Wide, LayoutKind::RowPerEntity] {
        let (_, rows) = rows(kind, template);
        for encoding in [Encoding::Protobuf, Encoding::CompactList, Encoding::MessagePack] {
            let (stored, _) = rows_of(&Layout { encoding, ..Layout::new(kind) }, template);
            let error = stored.read(&rows).expect_err("JSON is another encoding");
            assert!(
                error.code == Code::DataLoss && error.message.contains("a,u"),
                "{kind:?} {encoding:?}: {error}"
            );
        }
    }
}

#[test]
fn counts_are_read_in_full_or_refused() {
    for (kind, qualifier, names) in [
        (LayoutKind::Narrow, "search", FacetNames::InValue),
        (LayoutKind::Wide, "click,search,a", FacetNames::InColumn),
    ] {
        for encoding in Encoding::ALL {
            let (stored, mut rows) =
                rows_of(&Layout { encoding, ..Layout::new(kind) }, "{app_id},{user_token},{timestamp:iso}");
            let mut read = |count: u32| {
                let name = if names == FacetNames::InValue { "a" } else { "" };
                let counted =
                    FacetCount { name: name.into(), operator: ":".into(), value: "1".into(), count };
                let mut value = Vec::new();
                encoding.push_counts(&[counted], names, &mut value);
                rows.truncate(1);
                rows[0].cells.truncate(1);
                rows[0].cells[0].qualifier = Bytes::from(qualifier);
                rows[0].cells[0].value = value.as_slice().into();
                stored.read(&rows)
            };
            let events = read(1_500).expect("an event may have a facet often");
            assert_eq!(
                events[0][7].as_deref().map(|facets| facets.matches("a:1").count()),
                Some(1_500),
                "{kind:?} {encoding:?}"
            );
            let error = read(u32::MAX).expect_err("no event has as many");
            assert!(
                error.code == Code::DataLoss && error.message.contains("a,u,2019"),
                "{kind:?} {encoding:?}: {error}"
            );
        }
    }
}

#[test]
fn a_key_that_can_be_read_in_several_ways_is_an_error() {
    for kind in [LayoutKind::Narrow, LayoutKind::Wide] {
        let (stored, mut rows) = rows(kind, "{app_id},{user_token},{timestamp:iso}");
        rows[0].key = RowKey::from("a,b,u,2019-05-28T00:04:34.123Z");
        let error = stored.read(&rows).expect_err("a or a,b");
        assert!(
            error.message.contains("row a,b,u,2019")
                && error.message.contains("does not contain a readable app_id"),
            "{error}"
        );
    }
}

#[test]
fn names_of_families_are_read_back() {
    for text in ["click", "", "a b", "a.b", "\u{e9}", "x-_9"] {
        assert_eq!(family_text(&family_name(text)).as_deref(), Some(text));
    }
    assert_eq!(family_text(&family_name(&"long ".repeat(30))), None);
    assert_eq!(family_text("a.zz"), None);
}

#[test]
fn fields_in_cells_of_their_own_are_read_back() {
    let fields = [
        Field::new("id", FieldKind::Text),
        Field::new("time", FieldKind::Time),
        Field::new("n", FieldKind::Int),
        Field::new("facets", FieldKind::Facets),
    ];
    let (template, _) = Template::parse("{id}", &fields);
    let layout = Layout::new(LayoutKind::Wide);
    let writer = LayoutWriter::new(&layout, &fields, &template);
    let values = [Some("x"), Some("2019-05-28"), None, Some("b:2 | a:1")];
    let row = writer.write(&Record { fields: &fields, values: &values }, 0).expect("a row");
    let cells = row.mutations.into_iter().map(|mutation| match mutation {
        Mutation::SetCell { family, qualifier, timestamp, value } => {
            Cell { family, qualifier, timestamp, value, label: None }
        }
        other => panic!("{other:?}"),
    });
    let stored = StoredEvents::new(&layout, &fields, &template).expect("it can be read back");
    let read = stored.read(&[Row { key: row.key, cells: cells.collect() }]).expect("it is readable");
    assert_eq!(read, [vec![Some("x".to_owned()), Some("2019-05-28".into()), None, Some("b:2 | a:1".into())]]);
    // Other layouts return facets in another order or form.
    let keeps = |kind| {
        StoredEvents::new(&Layout::new(kind), &fields, &template).expect("it can be read back").keeps_facets()
    };
    assert_eq!(
        [LayoutKind::Wide, LayoutKind::Narrow, LayoutKind::RowPerEntity].map(keeps),
        [true, false, false]
    );
}
