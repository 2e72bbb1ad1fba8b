//! Creates, lists, updates and deletes instances.

use googleapis_tonic_google_longrunning::google::longrunning::Operation;
use tonic::Status;

use super::defaults::{created, insert_default_profile, kind};
use super::instance_messages::{
    CreateInstanceMetadata, CreateInstanceRequest, Instance, ListInstancesResponse,
    PartialUpdateInstanceRequest, UpdateInstanceMetadata,
};
use super::state::{AdminState, InstanceState, Stored};
use super::times::time;
use super::{Admin, clusters, exists, missing, names as admin_names, no_such_path, paths, protected, proto};
use crate::grpc::names;
use crate::grpc::status::{invalid, status};
use crate::host::InstanceName;

impl Admin {
    pub(super) fn create_instance(&self, request: CreateInstanceRequest) -> Result<Operation, Status> {
        let project = admin_names::project(&request.parent)?;
        let name = admin_names::of(&project, &request.instance_id);
        let full_name = admin_names::of_instance(&name);
        let now = self.now();
        let mut about = request.instance.clone().ok_or_else(|| missing("instance"))?;
        if about.display_name.is_empty() {
            about.display_name.clone_from(&request.instance_id);
        }
        let mut known = InstanceState { about: Stored(created(about, now)), ..InstanceState::default() };
        if request.clusters.is_empty() {
            return Err(invalid(
                "Error in field 'clusters' : it is empty: an instance needs at least one cluster",
            ));
        }
        for (id, cluster) in &request.clusters {
            let cluster = clusters::created(id, cluster.clone())?;
            known.clusters.insert(id.clone(), Stored(cluster));
        }
        insert_default_profile(&mut known);
        let created = self.change(|state| {
            if self.exists(state, &name)? {
                return Err(exists("instance", &full_name));
            }
            self.served(&name)?;
            let created = describe(&full_name, &known);
            state.insert(&name, known);
            Ok(created)
        })?;
        let metadata = CreateInstanceMetadata {
            original_request: Some(request),
            request_time: time(now),
            finish_time: time(self.now()),
        };
        Ok(self.operation(&full_name, ("Instance", &created), ("CreateInstanceMetadata", &metadata)))
    }

    pub(super) fn get_instance(&self, request: proto::GetInstanceRequest) -> Result<Instance, Status> {
        let name = names::instance(&request.name)?;
        self.read_instance(&name, |known| Ok(describe(&request.name, known)))
    }

    /// Lists all instances in one page, as production does.
    pub(super) fn list_instances(
        &self,
        request: proto::ListInstancesRequest,
    ) -> Result<ListInstancesResponse, Status> {
        let project = admin_names::project(&request.parent)?;
        let state = self.with_adopted(&self.host.instances().map_err(status)?)?;
        let prefix = if project == "-" { String::new() } else { format!("projects/{project}/") };
        let listed = state.instances().filter(|(name, _)| name.starts_with(&prefix));
        let instances = listed.map(|(name, known)| describe(name, known)).collect();
        Ok(ListInstancesResponse { instances })
    }

    /// Sets all fields that can be updated.
    pub(super) fn update_instance(&self, given: Instance) -> Result<Instance, Status> {
        self.updated_instance(given, &["display_name".into(), "type".into(), "labels".into()])
    }

    pub(super) fn partial_update_instance(
        &self,
        request: PartialUpdateInstanceRequest,
    ) -> Result<Operation, Status> {
        let request_time = time(self.now());
        let given = request.instance.clone().ok_or_else(|| missing("instance"))?;
        let paths = paths(request.update_mask.clone());
        if paths.is_empty() {
            return Err(missing("update_mask"));
        }
        let updated = self.updated_instance(given, &paths)?;
        let metadata = UpdateInstanceMetadata {
            original_request: Some(request),
            request_time,
            finish_time: time(self.now()),
        };
        Ok(self.operation(&updated.name, ("Instance", &updated), ("UpdateInstanceMetadata", &metadata)))
    }

    pub(super) fn delete_instance(&self, request: proto::DeleteInstanceRequest) -> Result<(), Status> {
        let name = names::instance(&request.name)?;
        self.forget_expired(&name)?;
        self.change(|state| {
            self.adopt(state, &name)?;
            let (known, _) = state.instance_mut(&name);
            if let Some(backup) = known.backups.keys().next() {
                return Err(Status::failed_precondition(format!(
                    "instance \"{}\" has backups, for example {backup}: delete them first",
                    request.name
                )));
            }
            for (table, state) in &known.tables {
                if state.about.0.deletion_protection
                    || state.views.values().any(|view| view.0.deletion_protection)
                {
                    return Err(protected("table", &admin_names::within(&name, "tables", table)));
                }
            }
            state.remove(&name);
            self.served(&name)?;
            self.host.delete_instance(&name).map_err(status)
        })
    }

    fn updated_instance(&self, given: Instance, paths: &[String]) -> Result<Instance, Status> {
        let name = names::instance(&given.name)?;
        self.change_instance(&name, |known, _| {
            let about = &mut known.about.0;
            for path in paths {
                match path.as_str() {
                    "display_name" => about.display_name.clone_from(&given.display_name),
                    "labels" => about.labels.clone_from(&given.labels),
                    "type" => about.r#type = kind(given.r#type, about.r#type),
                    "edition" => about.edition = given.edition,
                    _ => return Err(no_such_path(path, "display_name, type, labels and edition")),
                }
            }
            Ok(describe(&given.name, known))
        })
    }

    fn exists(&self, state: &mut AdminState, name: &InstanceName) -> Result<bool, Status> {
        match self.adopt(state, name) {
            Ok(()) => Ok(true),
            Err(gone) if gone.code() == tonic::Code::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn describe(name: &str, known: &InstanceState) -> Instance {
    Instance { name: name.into(), ..known.about.0.clone() }
}
