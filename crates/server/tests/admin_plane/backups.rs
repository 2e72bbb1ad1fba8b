//! Backups, copies and restored tables.

use googleapis_tonic_google_longrunning::google::longrunning::GetOperationRequest;

use super::*;

fn in_hours(hours: i64) -> Option<prost_types::Timestamp> {
    Some(prost_types::Timestamp { seconds: 1_700_000_000 + hours * HOUR, nanos: 0 })
}

fn create_backup(id: &str, hours: i64) -> proto::CreateBackupRequest {
    let backup =
        proto::Backup { source_table: TABLE.into(), expire_time: in_hours(hours), ..Default::default() };
    proto::CreateBackupRequest { parent: CLUSTER.into(), backup_id: id.into(), backup: Some(backup) }
}

fn name(id: &str) -> String {
    format!("{CLUSTER}/backups/{id}")
}

fn restore(parent: &str, table: &str, backup: &str) -> proto::RestoreTableRequest {
    proto::RestoreTableRequest {
        parent: parent.into(),
        table_id: table.into(),
        source: Some(proto::restore_table_request::Source::Backup(backup.into())),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_made_copied_and_restored() {
    for plane in [Plane::in_memory().await, Plane::in_folder().await] {
        let mut plane = plane;
        plane.create(&["f"]).await;
        plane.set("r", "f:q", "before").await.unwrap();
        let made: proto::Backup = outcome(plane.tables.create_backup(create_backup("b", 24)).await, "Backup");
        assert_eq!((made.name.as_str(), made.source_table.as_str()), (name("b").as_str(), TABLE));
        assert!(made.size_bytes > 0 && made.state() == proto::backup::State::Ready);
        assert_eq!((made.start_time, made.expire_time), (in_hours(0), in_hours(24)));
        refused(plane.tables.create_backup(create_backup("b", 24)).await, Code::AlreadyExists, "backups/b");
        for hours in [5, 91 * 24] {
            refused(
                plane.tables.create_backup(create_backup("c", hours)).await,
                Code::InvalidArgument,
                "expire_time",
            );
        }
        let mut elsewhere = create_backup("c", 24);
        elsewhere.parent = format!("{INSTANCE}/clusters/none");
        refused(plane.tables.create_backup(elsewhere).await, Code::NotFound, "none");

        plane.set("r", "f:q", "after").await.unwrap();
        let copy = |id: &str, source: &str| proto::CopyBackupRequest {
            parent: CLUSTER.into(),
            backup_id: id.into(),
            source_backup: name(source),
            expire_time: in_hours(48),
        };
        let copied: proto::Backup = outcome(plane.tables.copy_backup(copy("copy", "b")).await, "Backup");
        assert_eq!(
            (copied.source_backup.as_str(), copied.source_table.as_str()),
            (name("b").as_str(), TABLE)
        );
        refused(plane.tables.copy_backup(copy("copy2", "copy")).await, Code::FailedPrecondition, "backups/b");
        let delete = |id: &str| proto::DeleteBackupRequest { name: name(id) };
        done(plane.tables.delete_backup(delete("b")).await);
        refused(plane.tables.delete_backup(delete("b")).await, Code::NotFound, "backups/b");

        let mut plane = plane.restart().await;
        let get = |id: &str| proto::GetBackupRequest { name: name(id) };
        assert_eq!(done(plane.tables.get_backup(get("copy")).await), copied);
        let restored: proto::Table =
            outcome(plane.tables.restore_table(restore(INSTANCE, "u", &name("copy"))).await, "Table");
        assert!(restored.restore_info.is_some() && restored.column_families.contains_key("f"));
        assert_eq!(plane.cells(&restored.name).await, ["r q=before"]);
        refused(
            plane.tables.restore_table(restore(INSTANCE, "t", &name("copy"))).await,
            Code::AlreadyExists,
            "\"t\"",
        );

        // Another instance has its own files.
        let cluster = proto::Cluster {
            location: "projects/p/locations/z".into(),
            serve_nodes: 1,
            ..Default::default()
        };
        let other = proto::CreateInstanceRequest {
            parent: "projects/p".into(),
            instance_id: "other".into(),
            instance: Some(Default::default()),
            clusters: [("c".to_string(), cluster)].into(),
        };
        done(plane.instances.create_instance(other).await);
        let parent = "projects/p/instances/other";
        done(plane.tables.restore_table(restore(parent, "t", &name("copy"))).await);
        assert_eq!(plane.cells("projects/p/instances/other/tables/t").await, ["r q=before"]);
        outcome::<proto::Backup>(plane.tables.create_backup(create_backup("b", 24)).await, "Backup");
        let across = proto::CopyBackupRequest { parent: format!("{parent}/clusters/c"), ..copy("copy", "b") };
        let across: proto::Backup = outcome(plane.tables.copy_backup(across).await, "Backup");
        done(plane.tables.restore_table(restore(parent, "u", &across.name)).await);
        assert_eq!(plane.cells("projects/p/instances/other/tables/u").await, ["r q=after"]);
        let tables = |parent: &str| proto::ListTablesRequest { parent: parent.into(), ..Default::default() };
        assert_eq!(
            done(plane.tables.list_tables(tables(parent)).await).tables.len(),
            2,
            "nothing else is left"
        );
        assert_eq!(done(plane.tables.list_tables(tables(INSTANCE)).await).tables.len(), 2);
        plane.end().await;
    }
}

#[tokio::test]
async fn backups_are_listed_updated_and_expire() {
    let mut plane = Plane::in_memory().await;
    plane.create(&["f"]).await;
    for (id, hours) in [("c", 6), ("a", 24), ("b", 24)] {
        done(plane.tables.create_backup(create_backup(id, hours)).await);
    }
    let list = |parent: &str, token: &str| proto::ListBackupsRequest {
        parent: parent.into(),
        page_size: 2,
        page_token: token.into(),
        ..Default::default()
    };
    let any = format!("{INSTANCE}/clusters/-");
    let first = done(plane.tables.list_backups(list(&any, "")).await);
    let second = done(plane.tables.list_backups(list(CLUSTER, &first.next_page_token)).await);
    let names = |page: &proto::ListBackupsResponse| {
        page.backups.iter().map(|backup| backup.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!((names(&first), names(&second)), (vec![name("a"), name("b")], vec![name("c")]));
    // Python's client lists the backups of a table with this filter.
    let filtered = |filter: &str| proto::ListBackupsRequest { filter: filter.into(), ..list(CLUSTER, "") };
    let of_table = filtered(&format!("source_table:{TABLE}"));
    assert_eq!(names(&done(plane.tables.list_backups(of_table).await)).len(), 2);
    assert_eq!(names(&done(plane.tables.list_backups(filtered("source_table:other")).await)), [""; 0]);
    // By default, the newest comes first; these have the same time.
    plane.pass(HOUR);
    done(plane.tables.create_backup(create_backup("b2", 12)).await);
    let ordered =
        |order: &str| proto::ListBackupsRequest { order_by: order.into(), page_size: 0, ..list(CLUSTER, "") };
    for (order, found) in [("", ["b2", "a", "b", "c"]), ("expire_time, name desc", ["c", "b2", "b", "a"])] {
        assert_eq!(names(&done(plane.tables.list_backups(ordered(order)).await)), found.map(name), "{order}");
    }
    let first = done(
        plane.tables.list_backups(proto::ListBackupsRequest { page_size: 2, ..ordered("name desc") }).await,
    );
    let next =
        proto::ListBackupsRequest { page_token: first.next_page_token.clone(), ..ordered("name desc") };
    assert_eq!(
        [names(&first), names(&done(plane.tables.list_backups(next).await))].concat(),
        ["c", "b2", "b", "a"].map(name)
    );
    refused(plane.tables.list_backups(ordered("size")).await, Code::InvalidArgument, "order_by");
    done(plane.tables.delete_backup(proto::DeleteBackupRequest { name: name("b2") }).await);
    refused(plane.tables.list_backups(filtered("nope=1")).await, Code::InvalidArgument, "fields");

    let update = |id: &str, hours: i64, path: &str| proto::UpdateBackupRequest {
        backup: Some(proto::Backup { name: name(id), expire_time: in_hours(hours), ..Default::default() }),
        update_mask: mask(&[path]),
    };
    assert_eq!(
        done(plane.tables.update_backup(update("a", 48, "expire_time")).await).expire_time,
        in_hours(48)
    );
    refused(
        plane.tables.update_backup(update("a", 1, "expire_time")).await,
        Code::InvalidArgument,
        "expire_time",
    );
    refused(
        plane.tables.update_backup(update("a", 48, "source_table")).await,
        Code::InvalidArgument,
        "source_table",
    );
    plane.pass(23 * HOUR);
    assert_eq!(names(&done(plane.tables.list_backups(list(CLUSTER, "")).await)), [name("a")]);

    let instance = proto::DeleteInstanceRequest { name: INSTANCE.into() };
    refused(plane.instances.delete_instance(instance.clone()).await, Code::FailedPrecondition, "backups");
    plane.pass(24 * HOUR);
    done(plane.instances.delete_instance(instance).await);
    plane.end().await;
}

/// Simulates a full disk: backups that the state still names must exist.
#[tokio::test(flavor = "multi_thread")]
async fn data_is_deleted_only_after_the_state_is_stored() {
    let mut plane = Plane::in_folder().await;
    plane.create(&["f"]).await;
    plane.set("r", "f:q", "v").await.unwrap();
    done(plane.tables.create_backup(create_backup("b", 24)).await);
    let in_the_way = plane.folder.as_ref().unwrap().path().join("admin.json.new");
    std::fs::create_dir(&in_the_way).unwrap();
    let delete = plane.tables.delete_backup(proto::DeleteBackupRequest { name: name("b") }).await;
    refused(delete, Code::Unavailable, "admin.json");
    std::fs::remove_dir(&in_the_way).unwrap();
    done(plane.tables.restore_table(restore(INSTANCE, "u", &name("b"))).await);
    assert_eq!(plane.cells(&format!("{INSTANCE}/tables/u")).await, ["r q=v"]);
    plane.end().await;
}

/// Simulates a crash between a change of the engine and the change of the state.
#[tokio::test(flavor = "multi_thread")]
async fn leftovers_of_a_crash_are_deleted() {
    let mut plane = Plane::in_folder().await;
    plane.create(&["f"]).await;
    plane.set("r", "f:q", "v").await.unwrap();
    done(plane.tables.create_backup(create_backup("b", 24)).await);
    // Its number is not reused.
    done(plane.tables.create_backup(create_backup("c", 24)).await);
    let (before, _) = left(&plane);
    done(
        plane.tables.delete_backup(proto::DeleteBackupRequest { name: format!("{CLUSTER}/backups/c") }).await,
    );
    let (kept, _) = left(&plane);
    let given = before.iter().find(|backup| !kept.contains(backup)).unwrap();
    let served = plane.host.instance(&instance()).unwrap();
    for backup in [given, "_backup-mine"] {
        served.change(|instance, now| instance.back_up(now, "t", backup)).unwrap();
    }
    served.change(|instance, now| instance.restore_table(now, given, "_carried-99")).unwrap();
    drop(served);
    let mut plane = plane.restart().await;
    // It is removed before the first answer.
    plane.get(proto::table::View::NameOnly).await;
    let (backups, tables) = left(&plane);
    assert_eq!(backups, ["_backup-1", "_backup-mine"]);
    assert_eq!(tables, ["t"]);
    plane.end().await;
}

/// The engine's backups and tables.
fn left(plane: &Plane) -> (Vec<String>, Vec<String>) {
    let served = plane.host.instance(&instance()).unwrap();
    let left = |instance: &mut tabletop_engine::Instance<_>, _| {
        let backups: Vec<String> = instance.backups().map(|backup| backup.name).collect();
        Ok((backups, instance.table_ids().map(String::from).collect::<Vec<_>>()))
    };
    served.with(left).unwrap()
}

fn instance() -> tabletop_server::InstanceName {
    tabletop_server::InstanceName { project: "p".into(), instance: "i".into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn backups_are_kept_when_the_admin_state_is_lost_or_older() {
    let mut plane = Plane::in_folder().await;
    let file = plane.folder.as_ref().unwrap().path().join("admin.json");
    plane.create(&["f"]).await;
    plane.set("r", "f:q", "v").await.unwrap();
    done(plane.tables.create_backup(create_backup("a", 24)).await);
    let older = std::fs::read(&file).unwrap();
    done(plane.tables.create_backup(create_backup("b", 24)).await);
    done(plane.tables.delete_table(proto::DeleteTableRequest { name: TABLE.into() }).await);
    let newest = std::fs::read(&file).unwrap();
    let (all, _) = left(&plane);
    assert_eq!(all.len(), 3);
    for content in [Some(&older), None] {
        match content {
            Some(content) => std::fs::write(&file, content).unwrap(),
            None => std::fs::remove_file(&file).unwrap(),
        }
        for _ in 0..3 {
            plane = plane.restart().await;
            assert_eq!(left(&plane).0, all);
            let orphans = tabletop_server::grpc::Api::open(plane.host.clone()).unwrap().orphans();
            assert_eq!(orphans.len(), if content.is_some() { 2 } else { 3 }, "{orphans:?}");
            assert!(orphans[0].contains("table t"), "{orphans:?}");
            // Their numbers are not reused, and later states keep listing them.
            plane.create(&["f"]).await;
            for id in ["c", "d", "e", "f"] {
                done(plane.tables.create_backup(create_backup(id, 24)).await);
                done(
                    plane
                        .tables
                        .delete_backup(proto::DeleteBackupRequest { name: format!("{CLUSTER}/backups/{id}") })
                        .await,
                );
            }
            let served = plane.host.instance(&instance()).unwrap();
            served.change(|instance, _| instance.delete_table("t")).unwrap();
        }
    }
    std::fs::write(&file, newest).unwrap();
    let mut plane = plane.restart().await;
    let restored = plane.tables.restore_table(restore(INSTANCE, "u", &format!("{CLUSTER}/backups/b"))).await;
    let restored: proto::Table = outcome(restored, "Table");
    assert_eq!(plane.cells(&restored.name).await, ["r q=v"]);
    assert_eq!(left(&plane).0, all);
    plane.end().await;
}

/// Only a backup's own file names it, so a truncated file counts as a backup that was never
/// finished.
#[tokio::test(flavor = "multi_thread")]
async fn a_backup_whose_file_is_gone_or_cut_off_is_named_and_its_data_is_kept() {
    let mut plane = Plane::in_folder().await;
    plane.create(&["f"]).await;
    plane.set("r", "f:q", "v").await.unwrap();
    let folder = plane.folder.as_ref().unwrap().path().join("p/i");
    let files = || -> std::collections::BTreeSet<_> {
        folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect()
    };
    let mut made = Vec::new();
    for id in ["a", "b", "c"] {
        let before = files();
        done(plane.tables.create_backup(create_backup(id, 24)).await);
        let is_backup = |file: &&std::path::PathBuf| std::fs::read(file).unwrap()[8] == 4;
        made.push(files().difference(&before).find(is_backup).unwrap().clone());
    }
    // From here on, only the backups have the row.
    let all = tabletop_model::DropRowRange::All;
    let served = plane.host.instance(&instance()).unwrap();
    served.change(|instance, _| instance.table("t")?.drop_row_range(&all)).unwrap();
    drop(served);
    done(plane.tables.delete_backup(proto::DeleteBackupRequest { name: name("c") }).await);
    let stored = files();
    let bytes = made[..2].iter().map(|file| std::fs::read(file).unwrap()).collect::<Vec<_>>();
    std::fs::remove_file(&made[0]).unwrap();
    std::fs::write(&made[1], &bytes[1][..bytes[1].len() - 5]).unwrap();
    let plane = plane.restart().await;
    let missing = tabletop_server::grpc::Api::open(plane.host.clone()).unwrap().missing();
    assert_eq!(missing.len(), 2, "{missing:?}");
    for (missing, id) in missing.iter().zip(["a", "b"]) {
        assert!(missing.contains(&format!("backup i-c1/{id} cannot be restored")), "{missing}");
    }
    // The user has copies of the files.
    made.iter().zip(&bytes).for_each(|(file, bytes)| std::fs::write(file, bytes).unwrap());
    assert!(files().is_superset(&stored), "{:?} of {stored:?}", files());
    let mut plane = plane.restart().await;
    for id in ["a", "b"] {
        done(plane.tables.restore_table(restore(INSTANCE, &format!("of-{id}"), &name(id))).await);
        assert_eq!(plane.cells(&format!("{INSTANCE}/tables/of-{id}")).await, ["r q=v"]);
    }
    // Once no state names them, they are removed.
    for id in ["a", "b"] {
        let served = plane.host.instance(&instance()).unwrap();
        served.change(|instance, _| instance.delete_table(&format!("of-{id}"))).unwrap();
        drop(served);
        std::fs::remove_file(&made[usize::from(id == "b")]).unwrap();
        plane = plane.restart().await;
        done(plane.tables.delete_backup(proto::DeleteBackupRequest { name: name(id) }).await);
    }
    let plane = plane.restart().await;
    let left = files();
    assert!(left.iter().all(|file| std::fs::read(file).unwrap()[8] != 3), "{left:?}");
    plane.end().await;
}

/// Clients wait for this operation after they have restored a table from HDD to SSD.
#[tokio::test]
async fn a_table_that_moves_to_ssd_has_an_operation_that_optimizes_it() {
    const OTHER: &str = "projects/p/instances/other";
    let mut plane = Plane::in_memory().await;
    let cluster = |kind: proto::StorageType| proto::Cluster {
        location: "projects/p/locations/europe-west1-b".into(),
        serve_nodes: 1,
        default_storage_type: kind.into(),
        ..Default::default()
    };
    let (hdd, ssd) = (cluster(proto::StorageType::Hdd), cluster(proto::StorageType::Ssd));
    let instance = proto::CreateInstanceRequest {
        parent: "projects/p".into(),
        instance_id: "other".into(),
        instance: Some(proto::Instance { display_name: "Other".into(), ..Default::default() }),
        clusters: [("hdd".to_string(), hdd), ("ssd".to_string(), ssd)].into(),
    };
    done(plane.instances.create_instance(instance).await);
    let table = proto::CreateTableRequest {
        parent: OTHER.into(),
        table_id: "t".into(),
        table: Some(proto::Table::default()),
        ..Default::default()
    };
    done(plane.tables.create_table(table).await);
    for (cluster, is_optimized) in [("hdd", true), ("ssd", false)] {
        let parent = format!("{OTHER}/clusters/{cluster}");
        let backup = proto::Backup {
            source_table: format!("{OTHER}/tables/t"),
            expire_time: in_hours(24),
            ..Default::default()
        };
        let create = proto::CreateBackupRequest {
            parent: parent.clone(),
            backup_id: "b".into(),
            backup: Some(backup),
        };
        done(plane.tables.create_backup(create).await);
        let request = restore(OTHER, &format!("of-{cluster}"), &format!("{parent}/backups/b"));
        let restored = done(plane.tables.restore_table(request).await);
        let metadata = proto::RestoreTableMetadata::decode(&restored.metadata.unwrap().value[..]).unwrap();
        let name = metadata.optimize_table_operation_name;
        assert_eq!(!name.is_empty(), is_optimized, "{name}");
        if is_optimized {
            let operation = done(plane.operations.get_operation(GetOperationRequest { name }).await);
            assert!(
                operation.done && format!("{operation:?}").contains("google.protobuf.Empty"),
                "{operation:?}"
            );
        }
    }
    plane.end().await;
}
