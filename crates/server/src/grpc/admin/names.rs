//! The names of resources of the admin API.

use tonic::Status;

use crate::grpc::names::{bad, parts};
use crate::grpc::status::invalid;
use crate::host::InstanceName;

/// The longest ID of a cluster, an app profile, a view or a backup, in characters.
const ID_CHARS_MAX: usize = 50;

/// `projects/{project}`.
pub(super) fn project(name: &str) -> Result<String, Status> {
    match parts(name, ["projects"]) {
        Some([project]) => Ok(project.into()),
        None => Err(bad("project", name, "projects/<project>")),
    }
}

/// Returns a cluster's instance and ID.
pub(super) fn cluster(name: &str) -> Result<(InstanceName, String), Status> {
    let form = "projects/<project>/instances/<instance>/clusters/<cluster>";
    match parts(name, ["projects", "instances", "clusters"]) {
        Some([project, instance, id]) => Ok((of(project, instance), id.into())),
        None => Err(bad("cluster", name, form)),
    }
}

/// Returns an app profile's instance and ID.
pub(super) fn app_profile(name: &str) -> Result<(InstanceName, String), Status> {
    let form = "projects/<project>/instances/<instance>/appProfiles/<app profile>";
    match parts(name, ["projects", "instances", "appProfiles"]) {
        Some([project, instance, id]) => Ok((of(project, instance), id.into())),
        None => Err(bad("app profile", name, form)),
    }
}

/// Returns a backup's instance and its key in the state, which consists of the IDs of cluster and
/// backup.
pub(super) fn backup(name: &str) -> Result<(InstanceName, String), Status> {
    let form = "projects/<project>/instances/<instance>/clusters/<cluster>/backups/<backup>";
    match parts(name, ["projects", "instances", "clusters", "backups"]) {
        Some([project, instance, cluster, id]) => Ok((of(project, instance), format!("{cluster}/{id}"))),
        None => Err(bad("backup", name, form)),
    }
}

/// Returns an authorized view's instance, table and ID.
pub(super) fn authorized_view(name: &str) -> Result<(InstanceName, String, String), Status> {
    let form = "projects/<project>/instances/<instance>/tables/<table>/authorizedViews/<view>";
    match parts(name, ["projects", "instances", "tables", "authorizedViews"]) {
        Some([project, instance, table, id]) => Ok((of(project, instance), table.into(), id.into())),
        None => Err(bad("authorized view", name, form)),
    }
}

/// Returns an instance's full name.
pub(super) fn of_instance(name: &InstanceName) -> String {
    format!("projects/{}/instances/{}", name.project, name.instance)
}

/// Returns the full name of a resource of an instance. For `"tables"` and `"t"`, that is the name of a table.
pub(super) fn within(name: &InstanceName, kind: &str, id: &str) -> String {
    format!("{}/{kind}/{id}", of_instance(name))
}

/// Rejects IDs that a new resource cannot have.
pub(super) fn check_id(field: &str, id: &str) -> Result<(), Status> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let begins_well = id.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if begins_well && id.len() <= ID_CHARS_MAX && id.chars().all(is_allowed) {
        return Ok(());
    }
    let shown: String = id.chars().take(2 * ID_CHARS_MAX).collect();
    Err(invalid(format!(
        "Error in field '{field}' : \"{}\" is not valid: it must have 1 to {ID_CHARS_MAX} characters and match \
         [_a-zA-Z0-9][-_.a-zA-Z0-9]*; choose another",
        shown.escape_debug()
    )))
}

pub(super) fn of(project: &str, instance: &str) -> InstanceName {
    InstanceName { project: project.into(), instance: instance.into() }
}
