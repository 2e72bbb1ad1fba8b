//! Clusters. They are stored and returned; one engine answers for all clusters of an instance.

use googleapis_tonic_google_longrunning::google::longrunning::Operation;
use proto::cluster::{ClusterAutoscalingConfig, ClusterConfig, Config, State};
use tonic::Status;

use super::state::{InstanceState, Stored};
use super::times::time;
use super::{
    Admin, app_profiles, exists, missing, names as admin_names, no_such_path, not_found, paths, proto,
};
use crate::grpc::names;
use crate::grpc::status::invalid;
use crate::host::InstanceName;

impl Admin {
    pub(super) fn create_cluster(&self, request: proto::CreateClusterRequest) -> Result<Operation, Status> {
        let instance = names::instance(&request.parent)?;
        let id = request.cluster_id.clone();
        let request_time = time(self.now());
        let given = request.cluster.clone().ok_or_else(|| missing("cluster"))?;
        let created = self.change_instance(&instance, |known, _| {
            if known.clusters.contains_key(&id) {
                return Err(exists("cluster", &admin_names::within(&instance, "clusters", &id)));
            }
            let cluster = created(&id, given)?;
            known.clusters.insert(id.clone(), Stored(cluster.clone()));
            Ok(describe(&instance, &id, &cluster))
        })?;
        let finish_time = time(self.now());
        let metadata = proto::CreateClusterMetadata {
            original_request: Some(request),
            request_time,
            finish_time,
            ..Default::default()
        };
        Ok(self.operation(&created.name, ("Cluster", &created), ("CreateClusterMetadata", &metadata)))
    }

    pub(super) fn get_cluster(&self, request: proto::GetClusterRequest) -> Result<proto::Cluster, Status> {
        let (instance, id) = admin_names::cluster(&request.name)?;
        self.read_instance(&instance, |known| Ok(describe(&instance, &id, find(known, &id, &request.name)?)))
    }

    /// Lists the clusters of an instance, or of all instances of a project.
    pub(super) fn list_clusters(
        &self,
        request: proto::ListClustersRequest,
    ) -> Result<proto::ListClustersResponse, Status> {
        let asked = names::instance(&request.parent)?;
        let mut clusters = Vec::new();
        for (name, known) in self.with_adopted_parent(&asked)?.instances() {
            let name = names::instance(name)?;
            if name == asked || asked.instance == "-" && name.project == asked.project {
                clusters.extend(known.clusters.iter().map(|(id, cluster)| describe(&name, id, &cluster.0)));
            }
        }
        Ok(proto::ListClustersResponse { clusters, ..Default::default() })
    }

    /// Sets the number of nodes or the autoscaling.
    pub(super) fn update_cluster(&self, given: proto::Cluster) -> Result<Operation, Status> {
        let request_time = time(self.now());
        let updated = self.updated_cluster(&given, &["serve_nodes".into(), "cluster_config".into()])?;
        let finish_time = time(self.now());
        let metadata =
            proto::UpdateClusterMetadata { original_request: Some(given), request_time, finish_time };
        Ok(self.operation(&updated.name, ("Cluster", &updated), ("UpdateClusterMetadata", &metadata)))
    }

    pub(super) fn partial_update_cluster(
        &self,
        request: proto::PartialUpdateClusterRequest,
    ) -> Result<Operation, Status> {
        let request_time = time(self.now());
        let given = request.cluster.as_ref().ok_or_else(|| missing("cluster"))?;
        let paths = paths(request.update_mask.clone());
        if paths.is_empty() {
            return Err(missing("update_mask"));
        }
        let updated = self.updated_cluster(given, &paths)?;
        let finish_time = time(self.now());
        let metadata = proto::PartialUpdateClusterMetadata {
            request_time,
            finish_time,
            original_request: Some(request),
        };
        Ok(self.operation(&updated.name, ("Cluster", &updated), ("PartialUpdateClusterMetadata", &metadata)))
    }

    pub(super) fn delete_cluster(&self, request: proto::DeleteClusterRequest) -> Result<(), Status> {
        let (instance, id) = admin_names::cluster(&request.name)?;
        self.change_instance(&instance, |known, _| {
            find(known, &id, &request.name)?;
            let refused =
                |why: String| Err(Status::failed_precondition(format!("cluster \"{}\" {why}", request.name)));
            if known.clusters.len() == 1 {
                return refused("is the last one of its instance: delete the instance instead".into());
            }
            if known.backups.keys().any(|key| key.split('/').next() == Some(&id)) {
                return refused("has backups: delete them first".into());
            }
            if let Some(profile) = app_profiles::routed_to(known, &id) {
                return refused(format!(
                    "is the only target of app profile {profile}: update or delete the profile first"
                ));
            }
            known.clusters.remove(&id);
            Ok(())
        })
    }

    fn updated_cluster(&self, given: &proto::Cluster, paths: &[String]) -> Result<proto::Cluster, Status> {
        let (instance, id) = admin_names::cluster(&given.name)?;
        self.change_instance(&instance, |known, _| {
            let mut cluster = find(known, &id, &given.name)?.clone();
            for path in paths {
                update(&mut cluster, given, path)?;
            }
            check(&cluster)?;
            known.clusters.insert(id.clone(), Stored(cluster.clone()));
            Ok(describe(&instance, &id, &cluster))
        })
    }
}

/// Returns a new cluster with the fields that production sets.
///
/// # Errors
/// `INVALID_ARGUMENT` for values that production rejects.
pub(super) fn created(id: &str, given: proto::Cluster) -> Result<proto::Cluster, Status> {
    admin_names::check_id("cluster_id", id)?;
    if given.location.is_empty() {
        return refused("location", "it is required: projects/<project>/locations/<zone>");
    }
    let limits = autoscaling_of(&given).and_then(|config| config.autoscaling_limits);
    let serve_nodes = match limits {
        Some(limits) => given.serve_nodes.max(limits.min_serve_nodes).min(limits.max_serve_nodes),
        None if given.serve_nodes == 0 => 1,
        None => given.serve_nodes,
    };
    let storage = match proto::StorageType::try_from(given.default_storage_type) {
        Ok(proto::StorageType::Hdd) => proto::StorageType::Hdd,
        _ => proto::StorageType::Ssd,
    };
    let cluster = proto::Cluster {
        name: String::new(),
        state: State::Ready.into(),
        serve_nodes,
        default_storage_type: storage.into(),
        ..given
    };
    check(&cluster)?;
    Ok(cluster)
}

/// Checks the number of nodes and the autoscaling of a new or updated cluster. Autoscaling does not
/// change the number of nodes here, just as it does not change it immediately in production.
fn check(cluster: &proto::Cluster) -> Result<(), Status> {
    let autoscaling =
        autoscaling_of(cluster).map(|config| (config.autoscaling_limits, config.autoscaling_targets));
    match autoscaling {
        Some((Some(limits), Some(_)))
            if limits.min_serve_nodes < 1 || limits.max_serve_nodes < limits.min_serve_nodes =>
        {
            refused("cluster_config", "min_serve_nodes must be at least 1 and at most max_serve_nodes")
        }
        Some((None, _) | (_, None)) => {
            refused("cluster_config", "autoscaling needs both its limits and its targets")
        }
        _ if cluster.serve_nodes < 1 => refused("serve_nodes", "it must be at least 1"),
        _ => Ok(()),
    }
}

fn refused<T>(field: &str, problem: &str) -> Result<T, Status> {
    Err(invalid(format!("Error in field 'cluster.{field}' : {problem}")))
}

fn update(cluster: &mut proto::Cluster, given: &proto::Cluster, path: &str) -> Result<(), Status> {
    let new = autoscaling_of(given).copied().unwrap_or_default();
    let before = autoscaling_of(cluster).copied().unwrap_or_default();
    let (mut limits, new_limits) =
        (before.autoscaling_limits.unwrap_or_default(), new.autoscaling_limits.unwrap_or_default());
    let (mut targets, new_targets) =
        (before.autoscaling_targets.unwrap_or_default(), new.autoscaling_targets.unwrap_or_default());
    let within = path.strip_prefix("cluster_config.cluster_autoscaling_config.");
    match within.unwrap_or(path) {
        // An update of all fields has no number of nodes if it sets autoscaling.
        "serve_nodes" if given.serve_nodes == 0 && autoscaling_of(given).is_some() => return Ok(()),
        "serve_nodes" => {
            cluster.serve_nodes = given.serve_nodes;
            return Ok(());
        }
        "cluster_config" | "cluster_config.cluster_autoscaling_config" => {
            cluster.config = given.config.filter(|_| autoscaling_of(given).is_some());
            return Ok(());
        }
        "autoscaling_limits" => limits = new_limits,
        "autoscaling_limits.min_serve_nodes" => limits.min_serve_nodes = new_limits.min_serve_nodes,
        "autoscaling_limits.max_serve_nodes" => limits.max_serve_nodes = new_limits.max_serve_nodes,
        "autoscaling_targets" => targets = new_targets,
        "autoscaling_targets.cpu_utilization_percent" => {
            targets.cpu_utilization_percent = new_targets.cpu_utilization_percent;
        }
        "autoscaling_targets.storage_utilization_gib_per_node" => {
            targets.storage_utilization_gib_per_node = new_targets.storage_utilization_gib_per_node;
        }
        _ => return Err(no_such_path(path, "serve_nodes, cluster_config and its fields")),
    }
    let autoscaling =
        ClusterAutoscalingConfig { autoscaling_limits: Some(limits), autoscaling_targets: Some(targets) };
    cluster.config =
        Some(Config::ClusterConfig(ClusterConfig { cluster_autoscaling_config: Some(autoscaling) }));
    Ok(())
}

fn autoscaling_of(cluster: &proto::Cluster) -> Option<&ClusterAutoscalingConfig> {
    let Config::ClusterConfig(config) = cluster.config.as_ref()?;
    config.cluster_autoscaling_config.as_ref()
}

pub(super) fn find<'a>(known: &'a InstanceState, id: &str, name: &str) -> Result<&'a proto::Cluster, Status> {
    known.clusters.get(id).map(|cluster| &cluster.0).ok_or_else(|| not_found("cluster", name))
}

fn describe(instance: &InstanceName, id: &str, cluster: &proto::Cluster) -> proto::Cluster {
    proto::Cluster { name: admin_names::within(instance, "clusters", id), ..cluster.clone() }
}
