//! Tables.

use prost_types::Duration;
use proto::table::View;
use proto::table::cluster_state::ReplicationState;

use super::*;

fn described() -> proto::Table {
    let types = proto::Type { kind: Some(proto::r#type::Kind::StringType(Default::default())) };
    let family = proto::ColumnFamily { value_type: Some(types), ..Default::default() };
    let policy = proto::table::AutomatedBackupPolicy {
        retention_period: Some(Duration { seconds: 72 * HOUR, nanos: 0 }),
        frequency: Some(Duration { seconds: 24 * HOUR, nanos: 0 }),
        locations: Vec::new(),
    };
    proto::Table {
        column_families: [("f".to_string(), family), ("g".to_string(), Default::default())].into(),
        deletion_protection: true,
        change_stream_config: Some(proto::ChangeStreamConfig {
            retention_period: Some(Duration { seconds: 24 * HOUR, nanos: 0 }),
        }),
        automated_backup_config: Some(proto::table::AutomatedBackupConfig::AutomatedBackupPolicy(policy)),
        ..Default::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_has_the_requested_settings() {
    for plane in [Plane::in_memory().await, Plane::in_folder().await] {
        let mut plane = plane;
        // In any order.
        let splits = ["m", "b"].map(|key| proto::create_table_request::Split { key: key.into() }).to_vec();
        let request = proto::CreateTableRequest { initial_splits: splits, ..create("t", described()) };
        let created = done(plane.tables.create_table(request.clone()).await);
        let expected = proto::Table { name: TABLE.into(), granularity: 1, ..described() };
        assert_eq!(created, expected);
        let mut plane = plane.restart().await;
        assert_eq!(plane.get(View::Unspecified).await, expected);
        assert_eq!(
            plane.get(View::NameOnly).await,
            proto::Table { name: TABLE.into(), ..Default::default() }
        );
        let full = plane.get(View::Full).await;
        assert_eq!(proto::Table { cluster_states: Default::default(), ..full.clone() }, expected);
        assert_eq!(full.cluster_states["i-c1"].encryption_info.len(), 1);
        let replication = plane.get(View::ReplicationView).await;
        assert_eq!(replication.cluster_states["i-c1"].replication_state(), ReplicationState::Ready);
        assert!(
            replication.column_families.is_empty()
                && replication.cluster_states["i-c1"].encryption_info.is_empty()
        );
        let encryption =
            plane.get(View::EncryptionView).await.cluster_states["i-c1"].encryption_info[0].clone();
        assert_eq!(
            encryption.encryption_type(),
            proto::encryption_info::EncryptionType::GoogleDefaultEncryption
        );

        refused(plane.tables.create_table(request).await, Code::AlreadyExists, "\"t\"");
        refused(
            plane.tables.get_table(proto::GetTableRequest { name: TABLE.into(), view: 99 }).await,
            Code::InvalidArgument,
            "99",
        );
        for (name, code) in
            [("projects/p/instances/i/tables/u", Code::NotFound), ("t", Code::InvalidArgument)]
        {
            refused(
                plane.tables.get_table(proto::GetTableRequest { name: name.into(), view: 0 }).await,
                code,
                name,
            );
        }
        refused(
            plane.tables.create_table(create("no/id", described())).await,
            Code::InvalidArgument,
            "no/id",
        );
        let splits = vec![proto::create_table_request::Split { key: Vec::new() }];
        let request = proto::CreateTableRequest { initial_splits: splits, ..create("u", described()) };
        refused(plane.tables.create_table(request).await, Code::InvalidArgument, "initial_splits");
        let mut short = described();
        short.change_stream_config =
            Some(proto::ChangeStreamConfig { retention_period: Some(Duration { seconds: 1, nanos: 0 }) });
        refused(
            plane.tables.create_table(create("u", short)).await,
            Code::InvalidArgument,
            "retention_period",
        );
        plane.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_key_schema_is_checked_and_not_changed() {
    use proto::r#type::r#struct::encoding::{DelimitedBytes, Encoding};
    use proto::r#type::r#struct::{self, Field};
    use proto::r#type::{Int64, Kind, Struct, int64};
    let schema = |name: &str| {
        let big_endian =
            int64::encoding::Encoding::BigEndianBytes(int64::encoding::BigEndianBytes::default());
        let int64 = Kind::Int64Type(Int64 { encoding: Some(int64::Encoding { encoding: Some(big_endian) }) });
        let field = Field { field_name: name.into(), r#type: Some(proto::Type { kind: Some(int64) }) };
        let encoding = Some(Encoding::DelimitedBytes(DelimitedBytes { delimiter: "#".into() }));
        Struct { fields: vec![field], encoding: Some(r#struct::Encoding { encoding }) }
    };
    let mut plane = Plane::in_memory().await;
    let with = |schema| proto::Table { row_key_schema: schema, deletion_protection: false, ..described() };
    refused(
        plane.tables.create_table(create("t", with(Some(schema("g"))))).await,
        Code::InvalidArgument,
        "column family",
    );
    let created = done(plane.tables.create_table(create("t", with(None))).await);
    let update = |schema: Option<Struct>, ignore_warnings| proto::UpdateTableRequest {
        table: Some(proto::Table { name: TABLE.into(), row_key_schema: schema, ..Default::default() }),
        update_mask: mask(&["row_key_schema"]),
        ignore_warnings,
    };
    let given = async |request| plane.tables.clone().update_table(request).await;
    refused(given(update(Some(schema("f")), true)).await, Code::InvalidArgument, "column family");
    let updated: proto::Table = outcome(given(update(Some(schema("id")), false)).await, "Table");
    assert_eq!(updated, proto::Table { row_key_schema: Some(schema("id")), ..created.clone() });
    refused(given(update(Some(schema("other")), true)).await, Code::InvalidArgument, "cannot be changed");
    outcome::<proto::Table>(given(update(Some(schema("id")), false)).await, "Table");
    refused(given(update(None, false)).await, Code::InvalidArgument, "ignore_warnings");
    let family = proto::modify_column_families_request::Modification {
        id: "id".into(),
        r#mod: Some(proto::modify_column_families_request::modification::Mod::Create(Default::default())),
        ..Default::default()
    };
    let add = proto::ModifyColumnFamiliesRequest {
        name: TABLE.into(),
        modifications: vec![family],
        ..Default::default()
    };
    refused(plane.tables.clone().modify_column_families(add).await, Code::InvalidArgument, "row_key_schema");
    assert_eq!(outcome::<proto::Table>(given(update(None, true)).await, "Table"), created);
    plane.end().await;
}

#[tokio::test]
async fn tables_are_listed_in_pages() {
    let mut plane = Plane::in_memory().await;
    for id in ["c", "a", "e", "b", "d"] {
        done(plane.tables.create_table(create(id, described())).await);
    }
    let list = |page_size, token: &str, view: View| proto::ListTablesRequest {
        parent: INSTANCE.into(),
        page_size,
        page_token: token.into(),
        view: view.into(),
    };
    let (mut found, mut token) = (Vec::new(), String::new());
    loop {
        let page = done(plane.tables.list_tables(list(2, &token, View::Unspecified)).await);
        assert!(page.tables.len() <= 2 && page.tables.iter().all(|table| table.column_families.is_empty()));
        found.extend(page.tables.into_iter().map(|table| table.name.rsplit('/').next().unwrap().to_string()));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(found, ["a", "b", "c", "d", "e"]);
    let schemas = done(plane.tables.list_tables(list(0, "", View::SchemaView)).await).tables;
    assert!(schemas.len() == 5 && schemas.iter().all(|table| table.column_families.len() == 2));
    refused(plane.tables.list_tables(list(-1, "", View::NameOnly)).await, Code::InvalidArgument, "page_size");
    let elsewhere =
        proto::ListTablesRequest { parent: "projects/p/instances/none".into(), ..Default::default() };
    assert_eq!(
        done(plane.tables.list_tables(elsewhere).await).tables,
        [],
        "the first table would create the instance"
    );
    refused(
        plane.tables.list_tables(list(0, "nonsense", View::NameOnly)).await,
        Code::InvalidArgument,
        "page_token",
    );
    plane.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_updated_deleted_and_undeleted() {
    for plane in [Plane::in_memory().await, Plane::in_folder().await] {
        let mut plane = plane;
        done(plane.tables.create_table(create("t", described())).await);
        plane.set("r", "f:q", "before").await.unwrap();
        let delete = || proto::DeleteTableRequest { name: TABLE.into() };
        let mut plane = plane.restart().await;
        refused(plane.tables.delete_table(delete()).await, Code::FailedPrecondition, "deletion protection");
        let update = |table: proto::Table, paths: &[&str]| proto::UpdateTableRequest {
            table: Some(proto::Table { name: TABLE.into(), ..table }),
            update_mask: mask(paths),
            ..Default::default()
        };
        let unprotected = update(Default::default(), &["deletion_protection", "change_stream_config"]);
        let updated: proto::Table = outcome(plane.tables.update_table(unprotected).await, "Table");
        assert!(!updated.deletion_protection && updated.change_stream_config.is_none());
        assert!(updated.automated_backup_config.is_some(), "what the mask does not name stays");
        refused(
            plane.tables.update_table(update(Default::default(), &["name"])).await,
            Code::InvalidArgument,
            "\"name\"",
        );
        refused(
            plane.tables.update_table(update(Default::default(), &[])).await,
            Code::InvalidArgument,
            "update_mask",
        );

        done(plane.tables.delete_table(delete()).await);
        refused(plane.tables.delete_table(delete()).await, Code::NotFound, TABLE);
        let mut plane = plane.restart().await;
        assert_eq!(plane.set("r", "f:q", "lost").await.unwrap_err().code(), Code::NotFound);
        let undelete = || proto::UndeleteTableRequest { name: TABLE.into() };
        let back: proto::Table = outcome(plane.tables.undelete_table(undelete()).await, "Table");
        assert_eq!(back, updated);
        assert_eq!(plane.cells(TABLE).await, ["r q=before"]);
        refused(plane.tables.undelete_table(undelete()).await, Code::AlreadyExists, TABLE);

        // Undeletes the table of this name that was deleted last. After seven days there is none.
        done(plane.tables.delete_table(delete()).await);
        plane.create(&["other"]).await;
        done(plane.tables.delete_table(delete()).await);
        plane.pass(7 * 24 * HOUR - 1);
        let back: proto::Table = outcome(plane.tables.undelete_table(undelete()).await, "Table");
        assert!(back.column_families.contains_key("other"));
        done(plane.tables.delete_table(delete()).await);
        plane.pass(7 * 24 * HOUR);
        refused(plane.tables.undelete_table(undelete()).await, Code::NotFound, "7 days");
        plane.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_table_creates_no_instance() {
    for plane in [Plane::in_memory().await, Plane::in_folder().await] {
        let mut plane = plane;
        refused(
            plane.tables.create_table(create("no/id", described())).await,
            Code::InvalidArgument,
            "no/id",
        );
        let long =
            proto::GetTableRequest { name: format!("{TABLE}{}", "x".repeat(1 << 20)), ..Default::default() };
        refused(plane.tables.get_table(long).await, Code::NotFound, INSTANCE);
        let instance =
            plane.instances.get_instance(proto::GetInstanceRequest { name: INSTANCE.into() }).await;
        refused(instance, Code::NotFound, INSTANCE);
        plane.end().await;
    }
}

#[tokio::test]
async fn rows_are_dropped_and_tokens_checked() {
    let mut plane = Plane::in_memory().await;
    plane.create(&["f"]).await;
    for key in ["a1", "a2", "b1"] {
        plane.set(key, "f:q", "v").await.unwrap();
    }
    let drop = |target| proto::DropRowRangeRequest { name: TABLE.into(), target };
    use proto::drop_row_range_request::Target;
    done(plane.tables.drop_row_range(drop(Some(Target::RowKeyPrefix("a".into())))).await);
    assert_eq!(plane.cells(TABLE).await, ["b1 q=v"]);
    for wrong in [None, Some(Target::RowKeyPrefix(Vec::new())), Some(Target::DeleteAllDataFromTable(false))] {
        refused(plane.tables.drop_row_range(drop(wrong)).await, Code::InvalidArgument, "");
    }
    done(plane.tables.drop_row_range(drop(Some(Target::DeleteAllDataFromTable(true)))).await);
    assert_eq!(plane.cells(TABLE).await, [""; 0]);

    let generate = proto::GenerateConsistencyTokenRequest { name: TABLE.into() };
    let token = done(plane.tables.generate_consistency_token(generate).await).consistency_token;
    let check = |token: &str| proto::CheckConsistencyRequest {
        name: TABLE.into(),
        consistency_token: token.into(),
        mode: None,
    };
    assert!(done(plane.tables.check_consistency(check(&token)).await).consistent);
    refused(plane.tables.check_consistency(check("u/1")).await, Code::InvalidArgument, "consistency_token");
    plane.end().await;
}

#[tokio::test]
async fn unsupported_settings_are_refused() {
    let mut plane = Plane::in_memory().await;
    let snapshots = plane.tables.list_snapshots(proto::ListSnapshotsRequest::default()).await;
    refused(snapshots, Code::Unimplemented, "backups");
    let bundles = plane.tables.list_schema_bundles(proto::ListSchemaBundlesRequest::default()).await;
    refused(bundles, Code::Unimplemented, "SQL");
    let views = plane.instances.list_logical_views(proto::ListLogicalViewsRequest::default()).await;
    refused(views, Code::Unimplemented, "SQL");
    plane.end().await;
}
