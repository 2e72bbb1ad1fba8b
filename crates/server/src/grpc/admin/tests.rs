//! Reads during changes.

use std::sync::mpsc::channel;
use std::time::Duration;

use super::*;

const INSTANCE: &str = "projects/p/instances/i";

fn admin_with_table() -> Arc<Admin> {
    let admin = Admin::open(Arc::new(Host::in_memory(|| 0))).unwrap();
    let request = proto::CreateTableRequest {
        parent: INSTANCE.into(),
        table_id: "t".into(),
        table: None,
        initial_splits: Vec::new(),
    };
    admin.create_table(request).unwrap();
    admin
}

/// Returns the answers of all read-only methods: names, sizes, or the code of the error.
fn read_all(admin: &Admin) -> Vec<String> {
    let parent = || INSTANCE.to_string();
    let cluster = || format!("{INSTANCE}/clusters/i-c1");
    let table = || format!("{INSTANCE}/tables/t");
    let name = |read: Result<String, Status>| read.unwrap_or_else(|status| status.code().to_string());
    let size = |read: Result<usize, Status>| name(read.map(|size| size.to_string()));
    vec![
        name(admin.get_instance(proto::GetInstanceRequest { name: parent() }).map(|got| got.name)),
        name(admin.get_cluster(proto::GetClusterRequest { name: cluster() }).map(|got| got.name)),
        name(admin.get_table(proto::GetTableRequest { name: table(), view: 0 }).map(|got| got.name)),
        name(
            admin
                .get_backup(proto::GetBackupRequest { name: format!("{}/backups/b", cluster()) })
                .map(|got| got.name),
        ),
        size(
            admin
                .list_instances(proto::ListInstancesRequest {
                    parent: "projects/p".into(),
                    ..Default::default()
                })
                .map(|listed| listed.instances.len()),
        ),
        size(
            admin
                .list_clusters(proto::ListClustersRequest {
                    parent: "projects/p/instances/-".into(),
                    ..Default::default()
                })
                .map(|listed| listed.clusters.len()),
        ),
        size(
            admin
                .list_app_profiles(proto::ListAppProfilesRequest { parent: parent(), ..Default::default() })
                .map(|listed| listed.app_profiles.len()),
        ),
        size(
            admin
                .list_tables(proto::ListTablesRequest { parent: parent(), ..Default::default() })
                .map(|listed| listed.tables.len()),
        ),
        size(
            admin
                .list_backups(proto::ListBackupsRequest { parent: cluster(), ..Default::default() })
                .map(|listed| listed.backups.len()),
        ),
        size(
            admin
                .list_authorized_views(proto::ListAuthorizedViewsRequest {
                    parent: table(),
                    ..Default::default()
                })
                .map(|listed| listed.authorized_views.len()),
        ),
    ]
}

#[test]
fn reads_do_not_wait_for_a_change() {
    let admin = admin_with_table();
    let changing = lock(&admin.changing);
    let (answered, answers) = channel();
    let reading = std::thread::spawn({
        let admin = admin.clone();
        move || answered.send(read_all(&admin))
    });
    let read = answers.recv_timeout(Duration::from_secs(20));
    drop(changing);
    reading.join().unwrap().unwrap();
    let expected = [
        INSTANCE,
        "projects/p/instances/i/clusters/i-c1",
        "projects/p/instances/i/tables/t",
        "Some requested entity was not found",
        "1",
        "1",
        "1",
        "1",
        "0",
        "0",
    ];
    assert_eq!(read.unwrap(), expected);
}

#[test]
fn an_instance_that_no_request_created_is_adopted_by_the_first_read() {
    let admin = admin_with_table();
    let name = InstanceName { project: "p".into(), instance: "other".into() };
    admin.host.instance_or_new(&name).unwrap();
    assert!(admin.state().instance(&name).is_none());
    let got = admin.get_instance(proto::GetInstanceRequest { name: names::of_instance(&name) }).unwrap();
    assert_eq!(got.display_name, "other");
    assert!(admin.state().instance(&name).is_some());
    let missing = admin.get_instance(proto::GetInstanceRequest { name: "projects/p/instances/nope".into() });
    assert_eq!(missing.unwrap_err().code(), tonic::Code::NotFound);
}
