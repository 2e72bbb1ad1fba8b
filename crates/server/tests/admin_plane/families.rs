//! Column families, GC rules, value types.

use proto::gc_rule::{Intersection, Rule, Union};
use proto::modify_column_families_request::Modification;
use proto::modify_column_families_request::modification::Mod;
use proto::table::View;
use proto::r#type::aggregate::{Aggregator, HyperLogLogPlusPlusUniqueCount, Max, Min, Sum};
use proto::r#type::{Aggregate, Kind};

use super::*;

fn versions(count: i32) -> proto::GcRule {
    proto::GcRule { rule: Some(Rule::MaxNumVersions(count)) }
}

fn age(seconds: i64) -> proto::GcRule {
    proto::GcRule { rule: Some(Rule::MaxAge(prost_types::Duration { seconds, nanos: 0 })) }
}

fn both(rules: Vec<proto::GcRule>) -> proto::GcRule {
    proto::GcRule { rule: Some(Rule::Intersection(Intersection { rules })) }
}

fn either(rules: Vec<proto::GcRule>) -> proto::GcRule {
    proto::GcRule { rule: Some(Rule::Union(Union { rules })) }
}

fn kept(gc_rule: proto::GcRule) -> proto::ColumnFamily {
    proto::ColumnFamily { gc_rule: Some(gc_rule), ..Default::default() }
}

fn table(families: Vec<(&str, proto::ColumnFamily)>) -> proto::Table {
    let column_families = families.into_iter().map(|(name, family)| (name.to_string(), family)).collect();
    proto::Table { column_families, ..Default::default() }
}

fn int64() -> proto::Type {
    proto::Type { kind: Some(Kind::Int64Type(Default::default())) }
}

fn aggregate(aggregator: Aggregator, input: proto::Type) -> proto::ColumnFamily {
    let aggregate =
        Aggregate { input_type: Some(Box::new(input)), state_type: None, aggregator: Some(aggregator) };
    let kind = Some(Kind::AggregateType(Box::new(aggregate)));
    proto::ColumnFamily { gc_rule: None, value_type: Some(proto::Type { kind }) }
}

fn modify(modifications: Vec<(&str, Mod)>) -> proto::ModifyColumnFamiliesRequest {
    let of = |(id, modification): (&str, Mod)| Modification {
        id: id.into(),
        update_mask: None,
        r#mod: Some(modification),
    };
    proto::ModifyColumnFamiliesRequest {
        name: TABLE.into(),
        modifications: modifications.into_iter().map(of).collect(),
        ..Default::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_and_types_are_returned_as_given() {
    let mut plane = Plane::in_folder().await;
    let nested = either(vec![versions(3), both(vec![age(HOUR), either(vec![versions(1), age(7)])])]);
    let bytes = proto::Type { kind: Some(Kind::BytesType(Default::default())) };
    let families = vec![
        ("nested", kept(nested.clone())),
        ("sum", aggregate(Aggregator::Sum(Sum {}), int64())),
        ("min", aggregate(Aggregator::Min(Min {}), int64())),
        ("max", aggregate(Aggregator::Max(Max {}), int64())),
        ("count", aggregate(Aggregator::HllppUniqueCount(HyperLogLogPlusPlusUniqueCount {}), bytes.clone())),
    ];
    done(plane.tables.create_table(create("t", table(families))).await);
    let mut plane = plane.restart().await;
    let found = plane.get(View::SchemaView).await.column_families;
    assert_eq!(found["nested"], kept(nested));
    let kind = |name: &str| match found[name].value_type.clone().unwrap().kind.unwrap() {
        Kind::AggregateType(aggregate) => *aggregate,
        other => panic!("{other:?}"),
    };
    assert_eq!(kind("sum").aggregator, Some(Aggregator::Sum(Sum {})));
    assert_eq!(
        (kind("min").input_type, kind("max").state_type),
        (Some(Box::new(int64())), Some(Box::new(int64())))
    );
    assert_eq!((kind("count").input_type, found.len()), (Some(Box::new(bytes)), 5));

    for input in [3, 4] {
        let input = rows::Value { kind: Some(rows::value::Kind::IntValue(input)), ..Default::default() };
        let qualifier =
            rows::Value { kind: Some(rows::value::Kind::RawValue("q".into())), ..Default::default() };
        let timestamp =
            rows::Value { kind: Some(rows::value::Kind::RawTimestampMicros(0)), ..Default::default() };
        let add = rows::mutation::AddToCell {
            family_name: "sum".into(),
            column_qualifier: Some(qualifier),
            timestamp: Some(timestamp),
            input: Some(input),
        };
        let request = rows::MutateRowRequest {
            table_name: TABLE.into(),
            row_key: "r".into(),
            mutations: vec![rows::Mutation { mutation: Some(rows::mutation::Mutation::AddToCell(add)) }],
            ..Default::default()
        };
        done(plane.rows.mutate_row(request).await);
    }
    assert_eq!(plane.cells(TABLE).await, ["r q=\0\0\0\0\0\0\0\u{7}"]);
    plane.end().await;
}

/// Google's client for Node.js reads null where the value of an entry is missing.
#[tokio::test]
async fn a_family_without_rule_is_sent_with_its_value() {
    let mut plane = Plane::in_memory().await;
    let entry = b"\x1a\x05\x0a\x01f\x12\x00";
    let has_entry = |answer: &[u8]| answer.windows(entry.len()).any(|bytes| bytes == entry);
    let request = create("t", table(vec![("f", Default::default())]));
    assert!(has_entry(&plane.raw("BigtableTableAdmin/CreateTable", request.encode_to_vec()).await));
    let get = |view: View| proto::GetTableRequest { name: TABLE.into(), view: view.into() };
    assert!(has_entry(&plane.raw("BigtableTableAdmin/GetTable", get(View::Full).encode_to_vec()).await));
    let list = proto::ListTablesRequest {
        parent: INSTANCE.into(),
        view: View::SchemaView.into(),
        ..Default::default()
    };
    assert!(has_entry(&plane.raw("BigtableTableAdmin/ListTables", list.encode_to_vec()).await));
    let request = modify(vec![("g", Mod::Create(Default::default()))]);
    assert!(has_entry(&plane.raw("BigtableTableAdmin/ModifyColumnFamilies", request.encode_to_vec()).await));
    done(plane.tables.delete_table(proto::DeleteTableRequest { name: TABLE.into() }).await);
    let undelete = proto::UndeleteTableRequest { name: TABLE.into() };
    let operation = plane.raw("BigtableTableAdmin/UndeleteTable", undelete.encode_to_vec()).await;
    assert!(has_entry(&operation), "the response of an operation");
    plane.end().await;
}

#[tokio::test]
async fn invalid_changes_are_refused() {
    let mut plane = Plane::in_memory().await;
    let text = || proto::Type { kind: Some(Kind::StringType(Default::default())) };
    let untyped = proto::ColumnFamily { value_type: Some(proto::Type { kind: None }), ..Default::default() };
    let wrong = [
        (("f", kept(versions(0))), "at least 1"),
        (("f", kept(age(0))), "millisecond"),
        (("f", kept(age(i64::MAX))), "too long"),
        (("f", kept(both(vec![]))), "has no rules"),
        (("f", kept(either(vec![versions(1), proto::GcRule::default()]))), "a rule is missing"),
        (("f", kept(either(vec![versions(1); 125]))), "the limit is 500"),
        (("no name", Default::default()), "no name"),
        (("f", aggregate(Aggregator::Sum(Sum {}), text())), "int64_type"),
        (("f", untyped), "no kind"),
    ];
    for (family, words) in wrong {
        refused(
            plane.tables.create_table(create("t", table(vec![family]))).await,
            Code::InvalidArgument,
            words,
        );
    }
    done(plane.tables.create_table(create("t", table(vec![("f", kept(versions(1)))]))).await);
    plane.end().await;
}

#[tokio::test]
async fn families_are_modified_all_or_none() {
    let mut plane = Plane::in_memory().await;
    plane.create(&["a", "b"]).await;
    plane.set("r", "b:q", "v").await.unwrap();
    let wrong = [
        (
            modify(vec![("c", Mod::Create(Default::default())), ("a", Mod::Create(Default::default()))]),
            Code::AlreadyExists,
            "\"a\"",
        ),
        (
            modify(vec![("b", Mod::Drop(true)), ("x", Mod::Update(kept(versions(1))))]),
            Code::NotFound,
            "\"x\"",
        ),
        (modify(vec![("b", Mod::Drop(true)), ("a", Mod::Drop(false))]), Code::InvalidArgument, "element #1"),
        (
            modify(vec![("a", Mod::Update(kept(versions(1)))), ("a", Mod::Update(kept(versions(0))))]),
            Code::InvalidArgument,
            "at least 1",
        ),
        (modify(vec![]), Code::InvalidArgument, "modifications"),
    ];
    let before = plane.get(View::SchemaView).await;
    for (request, code, words) in wrong {
        refused(plane.tables.modify_column_families(request).await, code, words);
        assert_eq!(plane.get(View::SchemaView).await, before);
    }
    assert_eq!(plane.cells(TABLE).await, ["r q=v"]);

    let typed = proto::ColumnFamily { value_type: Some(int64()), gc_rule: None };
    let right = modify(vec![
        ("b", Mod::Drop(true)),
        ("b", Mod::Create(typed.clone())),
        ("a", Mod::Update(kept(versions(2)))),
        ("c", Mod::Create(kept(age(9)))),
    ]);
    let modified = done(plane.tables.modify_column_families(right).await);
    let expected = table(vec![("a", kept(versions(2))), ("b", typed), ("c", kept(age(9)))]);
    assert_eq!(modified.column_families, expected.column_families);
    assert_eq!(plane.get(View::SchemaView).await, modified);
    assert_eq!(plane.cells(TABLE).await, [""; 0]);

    // The mask selects what is updated: the type, but not the rule.
    let mut update =
        modify(vec![("a", Mod::Update(proto::ColumnFamily { gc_rule: None, value_type: Some(int64()) }))]);
    update.modifications[0].update_mask = mask(&["value_type"]);
    let modified = done(plane.tables.modify_column_families(update.clone()).await).column_families;
    assert_eq!(modified["a"], proto::ColumnFamily { gc_rule: Some(versions(2)), value_type: Some(int64()) });
    let aggregating = aggregate(Aggregator::Sum(Sum {}), int64());
    update.modifications[0].r#mod = Some(Mod::Update(aggregating));
    refused(
        plane.tables.modify_column_families(update.clone()).await,
        Code::InvalidArgument,
        "Immutable fields 'value_type.aggregate_type' cannot be updated",
    );
    update.modifications[0].update_mask = mask(&["name"]);
    refused(plane.tables.modify_column_families(update).await, Code::InvalidArgument, "\"name\"");

    let protect = proto::UpdateTableRequest {
        table: Some(proto::Table { name: TABLE.into(), deletion_protection: true, ..Default::default() }),
        update_mask: mask(&["deletion_protection"]),
        ..Default::default()
    };
    done(plane.tables.update_table(protect).await);
    let drop = plane.tables.modify_column_families(modify(vec![("a", Mod::Drop(true))])).await;
    refused(drop, Code::FailedPrecondition, "deletion protection");
    plane.end().await;
}

/// Rules of a new table are applied; an intersection deletes only cells that both rules delete.
#[tokio::test]
async fn rules_given_at_creation_run() {
    let mut plane = Plane::in_memory().await;
    let families = vec![("one", kept(versions(1))), ("both", kept(both(vec![versions(1), age(HOUR)])))];
    done(plane.tables.create_table(create("t", table(families))).await);
    for value in ["1", "2", "3"] {
        plane.pass(1);
        plane.set("r", "one:q", value).await.unwrap();
        plane.set("r", "both:p", value).await.unwrap();
    }
    collect(&plane);
    assert_eq!(plane.cells(TABLE).await, ["r p=3", "r p=2", "r p=1", "r q=3"], "none is an hour old");
    plane.pass(HOUR);
    plane.set("s", "one:q", "x").await.unwrap();
    collect(&plane);
    assert_eq!(plane.cells(TABLE).await, ["r p=3", "r q=3", "s q=x"]);
    plane.end().await;
}

fn collect(plane: &Plane) {
    let instance = tabletop_server::InstanceName { project: "p".into(), instance: "i".into() };
    let served = plane.host.instance(&instance).unwrap();
    served
        .with(|instance, now| {
            // Cells that are only in memtables are not collected.
            instance.back_up(now, "t", "flush")?;
            instance.delete_backup("flush")?;
            instance.table("t")?.compact();
            Ok(())
        })
        .unwrap();
    served.finish_work();
}
