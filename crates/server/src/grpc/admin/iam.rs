//! google.iam.v1 of the admin services. Policies are stored and returned. They restrict nothing,
//! because every client of this server may do everything.

use googleapis_tonic_google_iam_v1::google::iam::v1::{
    GetIamPolicyRequest, Policy, SetIamPolicyRequest, TestIamPermissionsRequest, TestIamPermissionsResponse,
};
use tonic::Status;

use super::state::{InstanceState, Stored};
use super::{Admin, missing, names as admin_names, no_such_path, not_found, paths};
use crate::grpc::names;
use crate::host::InstanceName;

/// The etag of a policy without bindings, as in production: `ACAB` in base64.
const EMPTY_ETAG: [u8; 3] = [0x00, 0x20, 0x01];

/// Grants every permission that is requested.
pub(super) fn test_permissions(
    request: TestIamPermissionsRequest,
) -> Result<TestIamPermissionsResponse, Status> {
    Ok(TestIamPermissionsResponse { permissions: request.permissions })
}

impl Admin {
    pub(super) fn get_policy(&self, request: GetIamPolicyRequest) -> Result<Policy, Status> {
        let (instance, resource) = parsed(&request.resource)?;
        self.read_instance(&instance, |known| {
            self.check_resource(known, &instance, resource)?;
            Ok(policy_of(known, resource))
        })
    }

    /// Replaces a policy. A policy without bindings removes the previous one.
    pub(super) fn set_policy(&self, request: SetIamPolicyRequest) -> Result<Policy, Status> {
        let (instance, resource) = parsed(&request.resource)?;
        let given = request.policy.ok_or_else(|| missing("policy"))?;
        let paths = paths(request.update_mask);
        self.change_instance(&instance, |known, ids| {
            self.check_resource(known, &instance, resource)?;
            let before = policy_of(known, resource);
            if !given.etag.is_empty() && given.etag != before.etag {
                return Err(Status::aborted(
                    "There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff: the \
                     policy has a newer etag",
                ));
            }
            let mut policy = if paths.is_empty() { given.clone() } else { before };
            for path in &paths {
                match path.as_str() {
                    "bindings" => policy.bindings.clone_from(&given.bindings),
                    "audit_configs" => policy.audit_configs.clone_from(&given.audit_configs),
                    "version" => policy.version = given.version,
                    // The server sets it.
                    "etag" => {}
                    _ => return Err(no_such_path(path, "bindings, audit_configs, version and etag")),
                }
            }
            if policy.bindings.is_empty() && policy.audit_configs.is_empty() {
                known.policies.remove(resource);
            } else {
                policy.etag = ids.etag().into();
                known.policies.insert(resource.into(), Stored(policy));
            }
            Ok(policy_of(known, resource))
        })
    }

    /// Checks that an instance has the resource of this relative name.
    fn check_resource(
        &self,
        known: &InstanceState,
        instance: &InstanceName,
        resource: &str,
    ) -> Result<(), Status> {
        let is_there = match *resource.split('/').collect::<Vec<_>>() {
            [""] => true,
            ["tables", table] => return self.spec(instance, table).map(drop),
            ["tables", table, "authorizedViews", view] => {
                known.tables.get(table).is_some_and(|table| table.views.contains_key(view))
            }
            ["clusters", cluster] => known.clusters.contains_key(cluster),
            ["clusters", cluster, "backups", backup] => {
                known.backups.contains_key(&format!("{cluster}/{backup}"))
            }
            ["appProfiles", profile] => known.app_profiles.contains_key(profile),
            _ => false,
        };
        if is_there {
            Ok(())
        } else {
            Err(not_found("resource", &format!("{}/{resource}", admin_names::of_instance(instance))))
        }
    }
}

/// Removes the policies of a resource that is being deleted, and of everything it contains. Its
/// name is relative to the instance.
pub(super) fn forget_policies(known: &mut InstanceState, resource: &str) {
    known.policies.retain(|name, _| {
        name.strip_prefix(resource).is_none_or(|rest| !rest.is_empty() && !rest.starts_with('/'))
    });
}

fn policy_of(known: &InstanceState, resource: &str) -> Policy {
    let stored = known.policies.get(resource).map(|policy| policy.0.clone());
    stored.unwrap_or_else(|| Policy { etag: EMPTY_ETAG.to_vec(), ..Policy::default() })
}

/// Splits the name of a resource into its instance and the name within it, which is empty for the
/// instance itself.
fn parsed(name: &str) -> Result<(InstanceName, &str), Status> {
    match name.match_indices('/').nth(3) {
        Some((at, _)) => Ok((names::instance(&name[..at])?, &name[at + 1..])),
        None => Ok((names::instance(name)?, "")),
    }
}
