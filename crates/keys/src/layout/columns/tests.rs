use alloc::string::{String, ToString};
use core::fmt::Write as _;

use expect_test::expect;
use tabletop_model::{Aggregate, AggregateInput, GcRule};

use super::*;
use crate::{FamilyRule, FieldKind, LayoutWriter};

fn fields() -> Vec<Field> {
    use FieldKind::{Int, Text, Time};
    [("user", Text), ("at", Time), ("type", Text), ("price", Int), ("note", Text)]
        .map(|(name, kind)| Field::new(name, kind))
        .to_vec()
}

fn column(family: &str, qualifier: &str, value: &str, time: CellTime) -> Column {
    Column { family: family.into(), qualifier: qualifier.into(), value: value.into(), time }
}

fn layout(columns: &[Column]) -> Layout {
    Layout { columns: columns.to_vec(), ..Layout::new(LayoutKind::Columns) }
}

/// Writes an event of `user`, `at`, `type`, `price` and `note`; `-` is a missing value.
fn written(columns: &[Column], rules: &[FamilyRule], event: [&str; 5]) -> String {
    let (fields, layout) = (fields(), layout(columns));
    assert_eq!(layout.problems(&fields), []);
    let (template, _) = Template::parse("{user}", &fields);
    let writer = LayoutWriter::new(&layout, &fields, &template).with_families(rules);
    let values: Vec<Option<&str>> = event.iter().map(|text| (*text != "-").then_some(*text)).collect();
    let row = match writer.write(&Record { fields: &fields, values: &values }, 3) {
        Err(error) => return error.message,
        Ok(row) => row,
    };
    let mut out = String::new();
    for mutation in row.mutations {
        match mutation {
            Mutation::SetCell { family, qualifier, timestamp, value } => {
                writeln!(out, "{family}:{qualifier} @{timestamp} {value}").unwrap();
            }
            Mutation::AddToCell { family, qualifier, timestamp, input } => {
                let input = match input {
                    AggregateInput::Int(number) => number.to_string(),
                    AggregateInput::Bytes(bytes) => alloc::format!("\"{bytes}\""),
                };
                writeln!(out, "{family}:{qualifier} @{timestamp} + {input}").unwrap();
            }
            other => panic!("{other:?}"),
        }
    }
    out
}

#[test]
fn each_column_has_its_texts_and_its_time() {
    let columns = [
        column("{type}", "{at:hour}", "{price}", CellTime::Event),
        column("d", "", "{*}", CellTime::Bucket(3_600)),
        column("d", "last{{", "{note}!", CellTime::Zero),
    ];
    let shown = written(&columns, &[], ["ada", "2019-05-28T01:04:05Z", "buy", "7", "x"]);
    expect![[r#"
        buy:2019-05-28T01 @1559005445000000 7
        d: @1559005200000000 {"user":"ada","at":"2019-05-28T01:04:05Z","type":"buy","price":7,"note":"x"}
        d:last{ @0 x!
    "#]]
    .assert_eq(&shown);
    let shown = written(&columns, &[], ["ada", "1960-01-01", "a b", "-", "-"]);
    expect![[r#"
        d: @0 {"user":"ada","at":"1960-01-01","type":"a b"}
    "#]]
    .assert_eq(&shown);
    let shown = written(&columns[..1], &[], ["ada", "2019-05-28", "a b", "1", "-"]);
    assert!(shown.starts_with("a.20b:2019-05-28T00 "), "a value becomes a name: {shown}");
}

#[test]
fn an_event_without_a_value_for_any_column_is_refused() {
    let columns =
        [column("d", "note", "{note}", CellTime::Event), column("{price}", "x", "", CellTime::Event)];
    let refused = written(&columns, &[], ["ada", "2019-05-28", "buy", "-", "-"]);
    assert_eq!(
        refused,
        "This event has no value for any column of the layout: add a column that all events have, or a literal."
    );
    assert_eq!(written(&columns, &[], ["ada", "2019-05-28", "buy", "5", "-"]), "5:x @1559001600000000 \n");
    let padded = [column("d", "{price:pad(1)}", "", CellTime::Event)];
    let refused = written(&padded, &[], ["ada", "2019-05-28", "buy", "42", "-"]);
    assert!(
        refused.starts_with("Column 1: price is \"42\" here, which {price:pad(1)} cannot hold:"),
        "{refused}"
    );
}

#[test]
fn families_aggregate_numbers_and_distinct_texts() {
    let rule = |family: &str, aggregate| FamilyRule {
        aggregate: Some(aggregate),
        ..FamilyRule::new(family, GcRule::KeepAll)
    };
    let rules = [rule("sum", Aggregate::Sum), rule("users", Aggregate::DistinctCount)];
    let columns = [
        column("sum", "{type}", "{price}", CellTime::Bucket(86_400)),
        column("users", "{type}", "{user}", CellTime::Zero),
        column("d", "n", "{price}", CellTime::Zero),
    ];
    expect![[r#"
        sum:buy @1559001600000000 + -7
        users:buy @0 + "ada"
        d:n @0 -7
    "#]]
    .assert_eq(&written(&columns, &rules, ["ada", "2019-05-28T01:04:05Z", "buy", "-7", "x"]));
    let refused = written(&columns, &rules, ["ada", "2019-05-28", "buy", "a lot", "x"]);
    assert_eq!(
        refused,
        "Family sum aggregates whole numbers of 64 bits, and column buy gets \"a lot\": write a number, or remove the aggregate of the family."
    );
}

#[test]
fn the_first_columns_are_those_of_the_fields() {
    let odd = [Field::new("a, b", FieldKind::Text), Field::new("{c}", FieldKind::Int)];
    let columns = Layout::columns_of(&odd);
    assert_eq!(layout(&columns).problems(&odd), []);
    let (template, _) = Template::parse("x", &odd);
    let writer = LayoutWriter::new(&layout(&columns), &odd, &template);
    let row = writer.write(&Record { fields: &odd, values: &[Some("1"), Some("2")] }, 0).unwrap();
    let cells: Vec<String> = row.mutations.iter().map(|mutation| alloc::format!("{mutation:?}")).collect();
    assert!(cells[0].contains("a, b") && cells[1].contains("{c}"), "{cells:?}");
}

#[test]
fn problems_have_their_places() {
    let found = |columns: &[Column]| -> Vec<String> {
        layout(columns).problems(&fields()).iter().map(ColumnProblem::text).collect()
    };
    assert_eq!(found(&[]), ["Column 1, family: A layout of columns needs a column: add one."]);
    let columns = [
        column("a b", "{typ}", "{price", CellTime::Event),
        column("d", "{salt(3)}-{user}", "{user:iso}", CellTime::Event),
        column("{type}", "{*}", "{*}", CellTime::Event),
    ];
    expect![[r#"
        Column 1, family: A family's name has 1 to 64 letters, digits and characters of "-_.".
        Column 1, qualifier: There is no field typ. Did you mean type?
        Column 1, value: This brace is not closed: put } after the field.
        Column 2, qualifier: {salt(3)} spreads row keys, and cannot be used in a column: remove it.
        Column 2, value: user is text; iso needs a time: correct the kind of user with the data.
        Column 3, qualifier: There is no field *. Choose user, at, type, price or note.
    "#]]
    .assert_eq(&(found(&columns).join("\n") + "\n"));
}

#[test]
fn cells_for_several_events_are_not_a_loss() {
    let (fields, template) = (fields(), Template::parse("{user}", &fields()).0);
    let identities = |columns: &[Column]| {
        let writer = LayoutWriter::new(&layout(columns), &fields, &template);
        let of = |index: u64, price: &'static str| {
            let values = [Some("ada"), Some("2019-05-28"), Some("buy"), Some(price), None];
            writer.identity(LayoutKind::Columns, &Record { fields: &fields, values: &values }, index).unwrap()
        };
        of(0, "1") == of(1, "2")
    };
    assert!(
        identities(&[column("d", "p", "{price}", CellTime::Event)]),
        "the later one replaces the earlier one"
    );
    assert!(
        !identities(&[column("d", "p", "{price}", CellTime::Zero)]),
        "the last one is what the column is for"
    );
    assert!(!identities(&[column("d", "{price}", "", CellTime::Event)]), "they are in different columns");
}

#[test]
fn a_bucket_that_begins_with_its_event_is_not_a_loss() {
    let (fields, template) = (fields(), Template::parse("{user}", &fields()).0);
    let layout = layout(&[column("d", "p", "{price}", CellTime::Bucket(86_400))]);
    let writer = LayoutWriter::new(&layout, &fields, &template);
    let identity = |index: u64| {
        let values = [Some("ada"), Some("2019-05-28"), Some("buy"), Some("1"), None];
        writer.identity(LayoutKind::Columns, &Record { fields: &fields, values: &values }, index).unwrap()
    };
    assert_ne!(identity(0), identity(1));
}

#[test]
fn a_query_keeps_cells_if_all_of_them_distinguish_the_value() {
    use crate::RowChoice;
    use tabletop_model::RowFilter;
    let fields = fields();
    let (template, _) = Template::parse("{user}", &fields);
    let filter = |columns: &[Column], rules: &[FamilyRule]| {
        let rows =
            RowChoice::Fields { equals: [("type".into(), "buy".into())].into(), from: None, until: None };
        let layout = layout(columns);
        template
            .plan(&rows, &layout.readable(rules))
            .map(|plan| plan.filter(None))
            .map_err(|error| error.message)
    };
    let counts = column("n", "{type}", "{price}", CellTime::Event);
    let types = column("d", "t", "{type}", CellTime::Event);
    let notes = column("d", "note", "{note}", CellTime::Event);
    assert!(
        matches!(filter(core::slice::from_ref(&counts), &[]), Ok(Some(RowFilter::Chain(_)))),
        "cells of one column"
    );
    let both = filter(&[counts.clone(), types.clone()], &[]);
    assert!(
        matches!(&both, Ok(Some(RowFilter::Interleave(all))) if all.len() == 2),
        "cells of both: {both:?}"
    );
    let mixed = filter(&[types.clone(), notes.clone(), counts.clone()], &[]);
    let Ok(Some(RowFilter::Condition { predicate, .. })) = &mixed else { panic!("whole rows: {mixed:?}") };
    assert!(matches!(&**predicate, RowFilter::Interleave(all) if all.len() == 2), "either column: {mixed:?}");

    let sums = |family: &str| {
        [FamilyRule { aggregate: Some(Aggregate::Sum), ..FamilyRule::new(family, GcRule::KeepAll) }]
    };
    assert!(
        matches!(filter(&[counts], &sums("n")), Ok(Some(RowFilter::Chain(_)))),
        "a qualifier of a sum is a text"
    );
    let refused = filter(&[types], &sums("d")).expect_err("a sum holds no text");
    assert_eq!(
        refused,
        "Neither the row key nor the cells of this layout contain type in full: put {type} into the template."
    );
}
