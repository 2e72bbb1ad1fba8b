//! google.bigtable.admin.v2: tables, instances, and the settings that the engine does not store.
//!
//! The engine stores tables, their families and GC rules. Everything else that a client creates is
//! in one value, [`AdminState`], which is stored next to the instances. A change is made on a copy
//! of the state and takes effect once the copy is stored.

mod app_profiles;
mod authorized_views;
mod backup_filter;
mod backup_order;
mod backups;
mod clusters;
mod consistency;
mod defaults;
mod engine_backups;
pub(crate) mod families;
mod hot_tablets;
mod iam;
mod instance_messages;
mod instances;
mod methods;
mod names;
mod operations;
mod paging;
mod row_key_schema;
mod state;
mod tables;
mod times;
mod undelete;
mod value_types;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};

/// Google's published messages.
pub use googleapis_tonic_google_bigtable_admin_v2::google::bigtable::admin::v2 as proto;
use tabletop_engine::Instance;
use tabletop_model::{Code, Error, Timestamp};
use tonic::Status;

use super::authorized_view::View;
use super::status::status;
use crate::host::{AnyStorage, Host, InstanceName, Served};
use crate::lock::lock;
pub(crate) use methods::{InstanceAdmin, OperationsMethods, TableAdmin};
use operations::Operations;
use state::{AdminState, InstanceState};

/// The admin API for all instances of a host.
pub(crate) struct Admin {
    host: Arc<Host>,
    /// Held by the call that makes the next state. Such a call may also create or copy tables.
    changing: Mutex<()>,
    /// Never locked for long, because reads and writes through authorized views lock it.
    state: Mutex<Arc<AdminState>>,
    operations: Mutex<Operations>,
}

impl Admin {
    /// Opens the state that an earlier process left in the host's data folder.
    ///
    /// # Errors
    /// `FailedPrecondition` for a state of a newer release, `DataLoss` for a damaged one,
    /// `Unavailable` when it cannot be read now.
    pub fn open(host: Arc<Host>) -> tabletop_model::Result<Arc<Admin>> {
        let stored =
            host.folder().map(super::super::data_folder::DataFolder::read_admin).transpose()?.flatten();
        let state = stored.map(|bytes| AdminState::decode(&bytes)).transpose()?.unwrap_or_default();
        let admin = Admin {
            host,
            changing: Mutex::default(),
            state: Mutex::new(Arc::new(state)),
            operations: Mutex::default(),
        };
        let kept = admin.sort_out_orphans();
        kept.map_err(|status| {
            Error::new(Code::Unavailable, format!("admin.json cannot be kept: {}", status.message()))
        })?;
        Ok(Arc::new(admin))
    }

    /// Finds an authorized view by its name, and returns its instance, its table and the view.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a malformed name, `NOT_FOUND` when there is no such view.
    pub fn authorized_view(&self, name: &str) -> Result<(InstanceName, String, View), Status> {
        let (instance, table, id) = names::authorized_view(name)?;
        let state = self.state();
        let found = state
            .instance(&instance)
            .and_then(|known| known.tables.get(&table))
            .and_then(|table| table.views.get(&id));
        let view = found.ok_or_else(|| not_found("authorized view", name))?;
        let Some(proto::authorized_view::AuthorizedView::SubsetView(subset)) = &view.0.authorized_view else {
            return Err(not_found("authorized view", name));
        };
        Ok((instance, table, View::new(name, subset)))
    }

    /// Checks the app profile of a request for rows. An empty ID means the default profile, which
    /// every instance has.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is no such profile.
    pub fn check_app_profile(&self, instance: &InstanceName, id: &str) -> Result<(), Status> {
        let is_default = id.is_empty() || id == defaults::DEFAULT_PROFILE;
        if is_default
            || self.state().instance(instance).is_some_and(|known| known.app_profiles.contains_key(id))
        {
            return Ok(());
        }
        Err(not_found("app profile", &names::within(instance, "appProfiles", id)))
    }

    /// Calls `act` with a copy of the state, and keeps the copy unless `act` fails or the copy
    /// cannot be stored. Backups that the new state no longer names are deleted only once it is
    /// stored, so that after a crash or with a full disk every backup that the state names still
    /// exists.
    fn change<T>(&self, act: impl FnOnce(&mut AdminState) -> Result<T, Status>) -> Result<T, Status> {
        let _alone = lock(&self.changing);
        let before = self.state();
        let mut changed = AdminState::clone(&before);
        let done = act(&mut changed)?;
        if changed != *before {
            if let Some(folder) = self.host.folder() {
                folder.replace_admin(&changed.encode()).map_err(status)?;
            }
            let changed = Arc::new(changed);
            *lock(&self.state) = changed.clone();
            self.forget_unnamed(&before, &changed);
        }
        Ok(done)
    }

    /// Calls `act` with the state of an instance, which must exist. Deletes expired backups and
    /// tables first, even if `act` fails.
    fn change_instance<T>(
        &self,
        name: &InstanceName,
        act: impl FnOnce(&mut InstanceState, &mut state::Ids) -> Result<T, Status>,
    ) -> Result<T, Status> {
        self.forget_expired(name)?;
        self.change(|state| {
            self.adopt(state, name)?;
            let (known, ids) = state.instance_mut(name);
            act(known, ids)
        })
    }

    /// Reads the state of an instance, which must exist. A read does not wait for a long change,
    /// such as copying a table, unless something has expired and must be deleted first.
    fn read_instance<T>(
        &self,
        name: &InstanceName,
        read: impl FnOnce(&InstanceState) -> Result<T, Status>,
    ) -> Result<T, Status> {
        self.forget_expired(name)?;
        let state = self.with_adopted(std::slice::from_ref(name))?;
        // The instance may have been deleted since.
        read(state.instance(name).ok_or_else(|| not_found("instance", &names::of_instance(name)))?)
    }

    /// Returns the state after these instances are added to it. Only the first call for an instance
    /// without state makes a change.
    fn with_adopted(&self, instances: &[InstanceName]) -> Result<Arc<AdminState>, Status> {
        let state = self.state();
        if instances.iter().all(|name| state.instance(name).is_some()) {
            return Ok(state);
        }
        self.change(|state| instances.iter().try_for_each(|name| self.adopt(state, name)))?;
        Ok(self.state())
    }

    /// Returns the state after the requested instance is added to it. The name `-` means all
    /// instances of the host.
    fn with_adopted_parent(&self, asked: &InstanceName) -> Result<Arc<AdminState>, Status> {
        match asked.instance.as_str() {
            "-" => self.with_adopted(&self.host.instances().map_err(status)?),
            _ => self.with_adopted(std::slice::from_ref(asked)),
        }
    }

    /// Adds the state of an instance that the host has but no request created: users of an emulator
    /// create tables, not instances.
    fn adopt(&self, state: &mut AdminState, name: &InstanceName) -> Result<(), Status> {
        if state.instance(name).is_some() {
            return Ok(());
        }
        if !self.is_known(name)? {
            return Err(not_found("instance", &names::of_instance(name)));
        }
        state.insert(name, defaults::implicit(name, self.now()));
        Ok(())
    }

    /// Returns whether an instance was created or has tables.
    fn is_known(&self, name: &InstanceName) -> Result<bool, Status> {
        Ok(self.state().instance(name).is_some() || self.host.instances().map_err(status)?.contains(name))
    }

    /// Returns the instance of the host, and creates it if it has no table yet.
    fn served(&self, name: &InstanceName) -> Result<Arc<Served>, Status> {
        self.host.instance_or_new(name).map_err(status)
    }

    fn now(&self) -> Timestamp {
        self.host.now()
    }

    fn state(&self) -> Arc<AdminState> {
        lock(&self.state).clone()
    }
}

/// Calls `act` with an instance of the engine, and converts its error to a status.
fn change<T>(
    served: &Served,
    act: impl FnOnce(&mut Instance<AnyStorage>, Timestamp) -> tabletop_model::Result<T>,
) -> Result<T, Status> {
    served.change(act).map_err(status)
}

fn not_found(what: &str, name: &str) -> Status {
    Status::not_found(format!("{what} \"{name}\" not found: create it first"))
}

fn exists(what: &str, name: &str) -> Status {
    Status::already_exists(format!("{what} \"{name}\" already exists: delete it first, or choose another id"))
}

fn protected(what: &str, name: &str) -> Status {
    Status::failed_precondition(format!(
        "{what} \"{name}\" has deletion protection: update it to remove the protection first"
    ))
}

fn missing(field: &str) -> Status {
    super::status::invalid(format!("Error in field '{field}' : it is required but missing"))
}

/// Returns the paths of a mask; empty without a mask.
fn paths(mask: Option<prost_types::FieldMask>) -> Vec<String> {
    mask.map(|mask| mask.paths).unwrap_or_default()
}

fn no_such_path(path: &str, known: &str) -> Status {
    super::status::invalid(format!(
        "Error in field 'update_mask' : \"{}\" cannot be updated: {known} can",
        path.escape_debug()
    ))
}
