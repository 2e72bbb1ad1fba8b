//! App profiles. They are stored and returned; they do not change how requests are answered. As in
//! production, they have no etag.

use googleapis_tonic_google_longrunning::google::longrunning::Operation;
use proto::app_profile::RoutingPolicy;
use tonic::Status;

use super::defaults::standard;
use super::state::{InstanceState, Stored};
use super::{Admin, exists, missing, names as admin_names, no_such_path, not_found, paging, paths, proto};
use crate::grpc::names;
use crate::grpc::status::invalid;
use crate::host::InstanceName;

/// Returns the ID of a profile that routes only to this cluster, if there is one. (The default
/// profile of an instance with several clusters routes to any of them.)
pub(super) fn routed_to<'a>(known: &'a InstanceState, cluster: &str) -> Option<&'a String> {
    let leads = |profile: &proto::AppProfile| match &profile.routing_policy {
        Some(RoutingPolicy::SingleClusterRouting(routing)) => routing.cluster_id == cluster,
        _ => false,
    };
    known.app_profiles.iter().find(|(_, profile)| leads(&profile.0)).map(|(id, _)| id)
}

impl Admin {
    pub(super) fn create_app_profile(
        &self,
        request: proto::CreateAppProfileRequest,
    ) -> Result<proto::AppProfile, Status> {
        let instance = names::instance(&request.parent)?;
        let id = request.app_profile_id;
        admin_names::check_id("app_profile_id", &id)?;
        let given = request.app_profile.ok_or_else(|| missing("app_profile"))?;
        self.change_instance(&instance, |known, _| {
            if known.app_profiles.contains_key(&id) {
                return Err(exists("app profile", &admin_names::within(&instance, "appProfiles", &id)));
            }
            let isolation = Some(given.isolation.unwrap_or_else(standard));
            let profile = proto::AppProfile { name: String::new(), etag: String::new(), isolation, ..given };
            check(known, &profile)?;
            known.app_profiles.insert(id.clone(), Stored(profile.clone()));
            Ok(describe(&instance, &id, &profile))
        })
    }

    pub(super) fn get_app_profile(
        &self,
        request: proto::GetAppProfileRequest,
    ) -> Result<proto::AppProfile, Status> {
        let (instance, id) = admin_names::app_profile(&request.name)?;
        self.read_instance(&instance, |known| {
            let profile =
                known.app_profiles.get(&id).ok_or_else(|| not_found("app profile", &request.name))?;
            Ok(describe(&instance, &id, &profile.0))
        })
    }

    pub(super) fn list_app_profiles(
        &self,
        request: proto::ListAppProfilesRequest,
    ) -> Result<proto::ListAppProfilesResponse, Status> {
        let asked = names::instance(&request.parent)?;
        let mut profiles = Vec::new();
        for (name, known) in self.with_adopted_parent(&asked)?.instances() {
            let name = names::instance(name)?;
            if name == asked || asked.instance == "-" && name.project == asked.project {
                profiles
                    .extend(known.app_profiles.iter().map(|(id, profile)| describe(&name, id, &profile.0)));
            }
        }
        profiles.sort_by(|a, b| a.name.cmp(&b.name));
        let (app_profiles, next_page_token) =
            paging::page(profiles, |profile| &profile.name, request.page_size, &request.page_token)?;
        Ok(proto::ListAppProfilesResponse { app_profiles, next_page_token, failed_locations: Vec::new() })
    }

    pub(super) fn update_app_profile(
        &self,
        request: proto::UpdateAppProfileRequest,
    ) -> Result<Operation, Status> {
        let given = request.app_profile.ok_or_else(|| missing("app_profile"))?;
        let (instance, id) = admin_names::app_profile(&given.name)?;
        let paths = paths(request.update_mask);
        if paths.is_empty() {
            return Err(missing("update_mask"));
        }
        let updated = self.change_instance(&instance, |known, _| {
            let stored = known.app_profiles.get(&id).ok_or_else(|| not_found("app profile", &given.name))?;
            let mut profile = stored.0.clone();
            for path in &paths {
                match path.split('.').next().unwrap_or_default() {
                    "description" => profile.description.clone_from(&given.description),
                    "multi_cluster_routing_use_any" | "single_cluster_routing" | "routing_policy" => {
                        profile.routing_policy.clone_from(&given.routing_policy);
                    }
                    "standard_isolation" | "data_boost_isolation_read_only" | "priority" | "isolation" => {
                        profile.isolation = Some(given.isolation.unwrap_or_else(standard));
                    }
                    _ => {
                        let known = "description, multi_cluster_routing_use_any, single_cluster_routing, standard_isolation and \
                                     data_boost_isolation_read_only";
                        return Err(no_such_path(path, known));
                    }
                }
            }
            check(known, &profile)?;
            known.app_profiles.insert(id.clone(), Stored(profile.clone()));
            Ok(describe(&instance, &id, &profile))
        })?;
        let metadata = proto::UpdateAppProfileMetadata {};
        Ok(self.operation(&updated.name, ("AppProfile", &updated), ("UpdateAppProfileMetadata", &metadata)))
    }

    pub(super) fn delete_app_profile(&self, request: proto::DeleteAppProfileRequest) -> Result<(), Status> {
        let (instance, id) = admin_names::app_profile(&request.name)?;
        self.change_instance(&instance, |known, _| {
            known.app_profiles.remove(&id).map(|_| ()).ok_or_else(|| not_found("app profile", &request.name))
        })
    }
}

fn check(known: &InstanceState, profile: &proto::AppProfile) -> Result<(), Status> {
    let named = match &profile.routing_policy {
        None => {
            let why = "Error in field 'app_profile' : no routing policy is set: use single_cluster_routing or \
                       multi_cluster_routing_use_any";
            return Err(invalid(why));
        }
        Some(RoutingPolicy::SingleClusterRouting(routing)) => std::slice::from_ref(&routing.cluster_id),
        Some(RoutingPolicy::MultiClusterRoutingUseAny(routing)) => &routing.cluster_ids[..],
    };
    match named.iter().find(|id| !known.clusters.contains_key(*id)) {
        None => Ok(()),
        Some(unknown) => Err(invalid(format!(
            "Error in field 'app_profile' : the instance has no cluster \"{}\": it has {}",
            unknown.escape_debug(),
            known.clusters.keys().cloned().collect::<Vec<_>>().join(", ")
        ))),
    }
}

fn describe(instance: &InstanceName, id: &str, profile: &proto::AppProfile) -> proto::AppProfile {
    let name = admin_names::within(instance, "appProfiles", id);
    // Earlier releases have stored an etag.
    proto::AppProfile { name, etag: String::new(), ..profile.clone() }
}
