//! Data folders of earlier builds open with all that clients stored:
//! `/tests/golden/builds/README.md` describes them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use googleapis_tonic_google_iam_v1::google::iam::v1::GetIamPolicyRequest;
use tabletop_model::ReadRows;
use tabletop_server::Served;

use super::*;

/// When this fails, a user has lost data. Fix the code, not the recording.
#[tokio::test(flavor = "multi_thread")]
async fn each_recorded_folder_has_its_data() {
    let folders = recorded();
    assert!(folders.len() >= 3);
    for folder in folders {
        let recorded = fs::read_to_string(folder.with_extension("txt")).unwrap();
        // Nothing has expired at this time.
        let time =
            recorded.lines().next().and_then(|line| line.strip_prefix("at ")).unwrap().parse().unwrap();
        let data = tempfile::tempdir().unwrap();
        copy(&folder, data.path());
        let mut plane = Plane::start(Some(data), Arc::new(AtomicI64::new(time))).await;
        let found = text_of(&mut plane).await;
        same(&folder, &recorded, &found);
        // New files of this build join the files of the earlier one.
        for served in served(&plane) {
            served.change(|instance, now| instance.create_table(now, "new", Default::default())).unwrap();
        }
        let mut plane = plane.restart().await;
        for served in served(&plane) {
            served.change(|instance, _| instance.delete_table("new")).unwrap();
        }
        let again = text_of(&mut plane).await;
        same(&folder, &found, &again);
        plane.end().await;
    }
}

/// Returns the data folders of all builds. Next to each, a file with the extension `txt` has its
/// content.
fn recorded() -> Vec<PathBuf> {
    let paths = |folder: &Path| {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    };
    let builds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/builds");
    paths(&builds)
        .map(|build| build.join("folders"))
        .filter(|folders| folders.is_dir())
        .flat_map(|folders| paths(&folders))
        .collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Fails at the first line in which two texts differ.
#[track_caller]
fn same(folder: &Path, recorded: &str, found: &str) {
    let differs =
        recorded.lines().zip(found.lines()).enumerate().find(|(_, (recorded, found))| recorded != found);
    assert_eq!(differs, None, "line and texts, recorded and now: {}", folder.display());
    assert_eq!(found.lines().count(), recorded.lines().count(), "lines: {}", folder.display());
}

fn served(plane: &Plane) -> Vec<Arc<Served>> {
    let names = plane.host.instances().unwrap();
    names.iter().map(|name| plane.host.instance(name).unwrap()).collect()
}

/// Returns what clients see of a server: instances, clusters, app profiles, policies, tables,
/// authorized views, backups and rows.
async fn text_of(plane: &mut Plane) -> String {
    let mut out = format!("at {}\n", plane.host.now());
    for name in plane.host.instances().unwrap() {
        let instance = format!("projects/{}/instances/{}", name.project, name.instance);
        let about =
            done(plane.instances.get_instance(proto::GetInstanceRequest { name: instance.clone() }).await);
        let labels: BTreeMap<_, _> = about.labels.into_iter().collect();
        let policies = policies(plane, &instance).await;
        writeln!(out, "# {instance}: {:?}, labels {labels:?}{policies}", about.display_name).unwrap();
        push_clusters(&mut out, plane, &instance).await;
        let request = proto::ListAppProfilesRequest { parent: instance.clone(), ..Default::default() };
        for profile in done(plane.instances.list_app_profiles(request).await).app_profiles {
            writeln!(
                out,
                "app profile {}: {:?}, {:?}",
                profile.name, profile.description, profile.routing_policy
            )
            .unwrap();
        }
        let served = plane.host.instance(&name).unwrap();
        assert_eq!(served.recovery().damage, [], "{instance}");
        let request = proto::ListTablesRequest { parent: instance.clone(), ..Default::default() };
        for table in done(plane.tables.list_tables(request).await).tables {
            writeln!(out, "## {}{}", table.name, self::policies(plane, &table.name).await).unwrap();
            let request =
                proto::ListAuthorizedViewsRequest { parent: table.name.clone(), ..Default::default() };
            for view in done(plane.tables.list_authorized_views(request).await).authorized_views {
                writeln!(out, "view {}", view.name).unwrap();
            }
            push_table(&mut out, &served, table.name.rsplit_once('/').unwrap().1);
        }
        push_kept(&mut out, &served);
    }
    out
}

/// Appends the clusters of an instance, each with its backups.
async fn push_clusters(out: &mut String, plane: &mut Plane, instance: &str) {
    let request = proto::ListClustersRequest { parent: instance.into(), ..Default::default() };
    for cluster in done(plane.instances.list_clusters(request).await).clusters {
        writeln!(out, "cluster {}: {} nodes in {}", cluster.name, cluster.serve_nodes, cluster.location)
            .unwrap();
        let request = proto::ListBackupsRequest { parent: cluster.name, ..Default::default() };
        for backup in done(plane.tables.list_backups(request).await).backups {
            let expires = backup.expire_time.map(|time| time.seconds);
            writeln!(out, "backup {} of {}, expires at {expires:?}", backup.name, backup.source_table)
                .unwrap();
        }
    }
}

async fn policies(plane: &mut Plane, resource: &str) -> String {
    let request = GetIamPolicyRequest { resource: resource.into(), ..Default::default() };
    let bindings = done(plane.tables.get_iam_policy(request).await).bindings;
    bindings.iter().map(|binding| format!(", {} {:?}", binding.role, binding.members)).collect()
}

/// Appends the families, the tablets and the rows of a table.
fn push_table(out: &mut String, served: &Served, id: &str) {
    let read = |instance: &mut tabletop_engine::Instance<_>, now| {
        let mut table = instance.table(id)?;
        Ok((table.describe().families, table.view(now).tablets, table.read(now, &ReadRows::default())?))
    };
    let (families, tablets, read) = served.with(read).unwrap();
    assert!(read.resume.is_none());
    for family in families {
        writeln!(out, "family {}", serde_json::to_string(&family).unwrap()).unwrap();
    }
    let starts: Vec<_> = tablets.iter().map(|tablet| tablet.start.to_string()).collect();
    writeln!(out, "tablets from {starts:?}, {} rows", read.rows.len()).unwrap();
    for row in read.rows {
        write!(out, "{}", row.key).unwrap();
        for cell in row.cells {
            write!(out, " {}:{}@{}={}", cell.family, cell.qualifier, cell.timestamp, cell.value).unwrap();
        }
        out.push('\n');
    }
}

/// Appends what the engine keeps for backups, and for deleted tables that can be restored.
fn push_kept(out: &mut String, served: &Served) {
    let kept: Vec<_> =
        served.with(|instance, _| Ok(instance.backups().map(|backup| backup.name).collect())).unwrap();
    for name in kept {
        writeln!(out, "## Kept as {name}").unwrap();
        served.change(|instance, now| instance.restore_table(now, &name, "restored")).unwrap();
        push_table(out, served, "restored");
        served.change(|instance, _| instance.delete_table("restored")).unwrap();
    }
}
